"""The service: doors, acts, tables and mail around the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from pbem.service import Service


def create_app(service: Service | None = None) -> Flask:
    """The web application; without a service, the one that the settings of this machine describe.

    Raises ConfigError or KeysError where those cannot be used.
    """
    # not on import: the command line and the workers import this package and need no web
    from pbem.web.app import create

    return create(service)
