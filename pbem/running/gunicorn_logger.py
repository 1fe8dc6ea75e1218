"""Sends gunicorn's log through our own: its line about a failed request contains the link."""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger

from pbem import logs
from pbem.config import load_settings


class GunicornLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Passes everything to the process's log, and writes no access log."""

    def setup(self, cfg: Any) -> None:
        logs.set_up(load_settings())
        for logger in (self.error_log, self.access_log):
            logger.handlers[:] = []
            logger.propagate = True
        self.access_log.disabled = True

    def info(self, msg: str, *args: Any, **kwargs: Any) -> None:
        if msg.startswith("Listening at") and args and not args[0]:
            # with --reuse-port the workers listen, and the arbiter, which logs this, does not
            args = (", ".join(self.cfg.settings["bind"].get()), *args[1:])
        super().info(msg, *args, **kwargs)
