"""The way to a server, which can lose what is sent on it without a word."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


class Wire:
    """A port of this machine from which connections lead to a server's socket."""

    def __init__(self, server: Path) -> None:
        self._server = server
        self._door = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = [self._door]
        self._threads: list[threading.Thread] = []
        self._silent = threading.Event()
        self.redis_url = f"redis://127.0.0.1:{self._door.getsockname()[1]}/0"

    def __enter__(self) -> Wire:
        self._begin(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()

    def fall_silent(self) -> None:
        """The connections of now stay open and carry nothing any more; later ones are well."""
        self._silent.set()
        self._silent = threading.Event()

    def _begin(self, run: Callable[..., None], *about: object) -> None:
        self._threads.append(threading.Thread(target=run, args=about, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._door.accept()
                there = socket.socket(socket.AF_UNIX)
                self._ends += [here, there]
                there.connect(str(self._server))
                self._begin(_carry, here, there, self._silent)
                self._begin(_carry, there, here, self._silent)


def _carry(here: socket.socket, there: socket.socket, silent: threading.Event) -> None:
    with suppress(OSError):
        while data := here.recv(65_536):
            if not silent.is_set():
                there.sendall(data)
        if not silent.is_set():
            there.shutdown(socket.SHUT_WR)
