"""The web answers few requests at once, and one that takes long holds up no other."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest

from pbem.running import request_threads
from tests.parts.ports import free_port
from tests.parts.processes import wait_until
from tests.parts.serving import serving

#: ``serving`` has so many.
THREADS = 2


class Application:
    """Its ``/long`` is answered when ``go_on`` is set, all others after a moment."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.long = self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        is_long = environ["PATH_INFO"] == "/long"
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.long += is_long
        if is_long:
            self.go_on.wait(60)
        else:
            time.sleep(0.01)
        with self._lock:
            self.at_once -= 1
        start("200 OK", [("Content-Length", "4")])
        return [b"pbem"]


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture
def port(application: Application) -> Iterator[int]:
    port = free_port()
    with serving(port, application):
        yield port
        # whatever went wrong
        application.go_on.set()


def get(port: int, path: str) -> bytes:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path)
        return connection.getresponse().read()


@contextmanager
def asked(port: int, path: str, times: int) -> Iterator[list[Future[bytes]]]:
    """So many requests at once, each on a connection of its own."""
    with ThreadPoolExecutor(times) as clients:
        yield [clients.submit(get, port, path) for _ in range(times)]


def threads() -> int:
    return sum(thread.name.startswith("waitress") for thread in threading.enumerate())


def test_no_more_requests_are_answered_at_once_than_there_are_threads(
    port: int, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_threads, "LONG_SECONDS", 60)

    with asked(port, "/", 20) as answers:
        assert {answer.result() for answer in answers} == {b"pbem"}

    assert application.most_at_once == THREADS


def test_requests_that_take_long_hold_up_no_other(port: int, application: Application) -> None:
    with asked(port, "/long", 5) as answers:
        wait_until(lambda: application.long == 5, "not all have been begun")

        assert get(port, "/") == b"pbem"

        wait_until(lambda: threads() == THREADS + 5, "one of them has no thread of its own")
        application.go_on.set()
        assert {answer.result() for answer in answers} == {b"pbem"}
    wait_until(lambda: threads() == THREADS, "threads of requests that took long are left")


def test_not_more_requests_that_take_long_are_answered_at_once_than_allowed(
    port: int, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_threads, "MOST_LONG", 1)
    monkeypatch.setattr(request_threads, "LONG_SECONDS", 0.1)

    with asked(port, "/long", 5) as answers:
        wait_until(lambda: application.long == THREADS + 1, "not all have been begun")
        time.sleep(1)

        assert application.long == THREADS + 1
        application.go_on.set()
        assert {answer.result() for answer in answers} == {b"pbem"}
