"""How gunicorn runs the web: it reads this module as its configuration.

Its log goes through our own, because its line about a failed request contains the link.
"""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger

from pbem import logs
from pbem.config import load_settings
from pbem.running.niceness import be_nice

#: The niceness of the web, as of the worker that mails: who waits for a mail waits for a page, too.
NICENESS = 1


class GunicornLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Passes everything to the process's log, and writes no access log: its lines hold links."""

    def setup(self, cfg: Any) -> None:
        logs.set_up(load_settings())
        for logger in (self.error_log, self.access_log):
            logger.handlers[:] = []
            logger.propagate = True
        self.access_log.disabled = True

    def info(self, msg: str, *args: Any, **kwargs: Any) -> None:
        if msg.startswith("Listening at") and args and not args[0]:
            # with reuse_port the workers listen, and the arbiter, which logs this, does not
            args = (", ".join(self.cfg.settings["bind"].get()), *args[1:])
        super().info(msg, *args, **kwargs)


# --- read by gunicorn, by these names ---

timeout, graceful_timeout = 60, 10
reuse_port = True
control_socket_disable = True


def on_starting(_: Any) -> None:
    """Before a process is forked that serves: all of them are as nice."""
    be_nice(NICENESS)
