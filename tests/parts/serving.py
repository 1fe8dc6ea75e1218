"""The worker of the web in this process."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gunicorn.config import Config

from pbem.running.web_worker import WebWorker


@contextmanager
def serving(port: int, application: Any) -> Iterator[WebWorker]:
    """The worker in a thread of this process, as gunicorn has it in a process of its own."""
    settings = Config()
    settings.set("workers", 1)
    settings.set("threads", 2)
    settings.set("graceful_timeout", 20)

    class Listener:
        sock = socket.create_server(("127.0.0.1", port))

    worker = WebWorker(1, os.getppid(), [Listener()], None, 60, settings, None)
    worker.wsgi = application
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield worker
    finally:
        worker.handle_exit(15, None)
        thread.join()
        worker.tmp.close()
