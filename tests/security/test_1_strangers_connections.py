"""Threat 1.8: connections with half a request keep nobody from their page, and are ended."""

from __future__ import annotations

import http.client
import json
import resource
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient
from waitress import channel, server

from pbem.bench._places import place
from pbem.bench._servers import web
from pbem.config import load_settings
from pbem.config.sections import Web
from pbem.running import web_worker
from tests.parts.ports import free_port
from tests.parts.processes import wait_until
from tests.parts.serving import serving
from tests.security.slow_connections import ALONE, KINDS, held, waits

HALF = b"POST / HTTP/1.1\r\nHost: pbem\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.process
def test_others_get_their_pages_beside_two_hundred_slow_connections(tmp_path: Path) -> None:
    """Of each kind: more of them than there are threads, so that each would hold one."""
    with place("sqlite", tmp_path) as here, here.service() as service:
        settings = service.settings.model_copy(update={"web": Web(workers=1)})
        with web(settings) as server:
            for kind in KINDS:
                assert kind != ALONE
                with held(server.port, kind, 200):
                    assert waits(server.port, 0.5)


@pytest.mark.parametrize(("files", "connections"), [(64, 32), (256, 128), (1024, 800), (4096, 800)])
def test_connections_leave_files_for_what_answers_them(files: int, connections: int) -> None:
    """Where none is left a page fails, and /readyz says that database and broker are away."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    try:
        how = web_worker.adjustments(load_settings(), threads=2)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert how.connection_limit == connections


# --- one process, in a thread ---


@pytest.fixture
def port() -> int:
    return free_port()


def application(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
    start("200 OK", [("Content-Length", "4")])
    return [b"pbem"]


def until_ended(port: int, sent: bytes, again: bytes = b"") -> bytes:
    """The server's answer until it ends the connection; ``again`` is sent ten times a second."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), 0.1) as connection:
        connection.sendall(sent)
        for _ in range(300):
            try:
                connection.sendall(again)
                got = connection.recv(1000)
            except TimeoutError:
                continue
            except ConnectionError:
                return answer
            if not got:
                return answer
            answer += got
    raise AssertionError("The connection is still open.")


def test_a_connection_on_which_nothing_happens_is_ended(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_worker, "IDLE_SECONDS", 1)
    monkeypatch.setattr(web_worker, "CLEANUP_SECONDS", 1)

    with serving(port, application):
        assert until_ended(port, HALF) == b""


def test_a_connection_from_before_the_clock_was_set_back_is_ended(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_worker, "IDLE_SECONDS", 1)
    monkeypatch.setattr(web_worker, "CLEANUP_SECONDS", 1)
    ahead = 86_400.0
    clock = SimpleNamespace(time=lambda: time.time() + ahead, monotonic=time.monotonic)
    for module in (web_worker, channel, server):
        monkeypatch.setattr(module, "time", clock)

    with serving(port, application) as worker:
        with socket.create_connection(("127.0.0.1", port)) as waiting:
            waiting.sendall(HALF)
            wait_until(lambda: any(worker._connections()), "nothing is connected")
            ahead = 0.0
            waiting.settimeout(20)

            assert waiting.recv(1) == b""
        assert until_ended(port, HALF) == b""


def test_a_request_that_comes_byte_by_byte_is_ended(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_worker, "REQUEST_SECONDS", 2)
    monkeypatch.setattr(web_worker, "CLEANUP_SECONDS", 1)

    with serving(port, application):
        assert until_ended(port, HALF, again=b"x") == b""


def test_what_was_asked_before_the_stop_is_answered_and_nothing_after_it(port: int) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        asked.set()
        go_on.wait(20)
        return application(environ, start)

    with serving(port, slow) as worker:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/")
        asked.wait(20)
        worker.handle_exit(15, None)
        wait_until(lambda: not worker.servers[0].accepting, "it still accepts")
        go_on.set()

        assert connection.getresponse().read() == b"pbem"
        connection.close()


def test_a_body_that_no_page_takes_is_refused_before_it_is_read(port: int) -> None:
    with serving(port, application):
        answer = until_ended(port, HALF.replace(b"100", b"999999999"))

        assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        (HALF.replace(b"100", b"999999999"), b"413", "too_large"),
        (HALF.replace(b"100", b"-1"), b"400", "bad_request"),
        (HALF.replace(b"Content-Length: 100", b"Transfer-Encoding: gzip"), b"501", "bad_request"),
        (HALF.replace(b"pbem", b"pbem\r\nX: " + b"x" * 20_000), b"431", "bad_request"),
    ],
)
def test_what_does_not_reach_the_application_is_refused_in_json_as_there(
    asked: bytes, status: bytes, code: str, port: int
) -> None:
    with serving(port, application):
        head, _, body = until_ended(port, asked).partition(b"\r\n\r\n")

        assert head.split()[1] == status
        assert b"Content-Type: application/json" in head
        assert json.loads(body)["error"]["code"] == code


@pytest.mark.parametrize("target", [b"http://example.net", b"http://example.net?a=b"])
def test_a_request_without_a_path_is_not_led_on_to_the_host_that_it_names(
    target: bytes, port: int, client: FlaskClient
) -> None:
    """RFC 9110, 4.2.3: it is the one for the first page."""
    asked = b"GET %b HTTP/1.1\r\nHost: example.net\r\nConnection: close\r\n\r\n" % target

    with serving(port, client.application):
        answer = until_ended(port, asked)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"Location" not in answer


@pytest.mark.parametrize(
    ("length", "body"),
    [(b"", b""), (b"Content-Length: 0\r\n", b""), (b"Content-Length: 3\r\n", b"a=b")],
)
def test_who_asks_to_be_told_to_continue_is_told_so_or_answered(
    port: int, length: bytes, body: bytes
) -> None:
    """RFC 9110, 10.1.1: without a body there is nothing to continue with."""
    with serving(port, application), socket.create_connection(("127.0.0.1", port), 20) as asking:
        asking.sendall(b"POST / HTTP/1.1\r\nHost: pbem\r\nExpect: 100-continue\r\n%b\r\n" % length)
        if body:
            assert asking.recv(1000).startswith(b"HTTP/1.1 100 Continue")
            asking.sendall(body)

        assert asking.recv(1000).startswith(b"HTTP/1.1 200 OK")
