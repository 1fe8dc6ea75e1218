"""Servers that answer in a thread of this process, while a block runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseRequestHandler, BaseServer, ThreadingTCPServer


class Listener(ThreadingTCPServer):
    """At a port of this machine that was free. No client holds it up."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, talk: type[BaseRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), talk)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, *_: object) -> None:
        """A client that went away is no error of the test."""


@contextmanager
def listening(server: BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
