"""The service: doors, acts, tables and mail around the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from pbem.service import Service


def create_app(service: Service | None = None) -> Flask:
    """The web application. Without a service, it opens the one of this machine's settings.

    Raises ConfigError or KeysError if those cannot be used.
    """
    # not at the top: the command line and the workers import this package and need no web
    from pbem.web.app import create

    return create(service)
