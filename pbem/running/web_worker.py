"""A web process: waitress reads whole requests, however slowly they come, and threads answer them.

gunicorn's own threads read requests themselves, so each slow connection holds one. Here one thread
reads all connections, and a request gets a thread once it is complete (docs/decisions/web.md).
gunicorn starts the processes, watches them and ends them.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask

from engine.codec import encode
from pbem.config import Settings, load_settings
from pbem.running import forked
from pbem.running.request_threads import LOOK_SECONDS, RequestThreads

#: Connections of one process; others wait to be accepted.
CONNECTIONS = 800
#: The files that it opens besides: most systems allow 1,024, macOS 256.
OTHER_FILES = 200
#: A connection on which nothing happened for so long is closed.
IDLE_SECONDS = 20
#: A request must have come completely after so long, however often a byte of it comes.
REQUEST_SECONDS = 60
#: How often connections are looked at for that.
CLEANUP_SECONDS = 5
HEADER_BYTES = 16_384
#: What is said where a request does not reach the application, by the status (docs/api.md).
REFUSALS = {
    413: ("too_large", "That is more than this service takes at once."),
    500: ("internal", "Something went wrong on our side. It was written down; please try again."),
}
UNREADABLE = ("bad_request", "The request could not be read.")


def adjustments(settings: Settings, threads: int) -> Adjustments:
    """How waitress serves. Longer bodies than any page takes are refused before they are read."""
    return Adjustments(
        threads=threads,
        connection_limit=_most_connections(),
        channel_timeout=IDLE_SECONDS,
        cleanup_interval=CLEANUP_SECONDS,
        max_request_header_size=HEADER_BYTES,
        max_request_body_size=max(settings.limits.body_bytes, settings.incoming.max_bytes) + 1,
        # the application trusts proxies as the settings say
        clear_untrusted_proxy_headers=False,
        log_socket_errors=False,
        ident="",
    )


def _most_connections() -> int:
    """As many as leave room for other files; where few may be open, half of them."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return CONNECTIONS
    return min(CONNECTIONS, max(files - OTHER_FILES, files // 2))


class _Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request that is being read."""

    path: str

    def __init__(self, how: Adjustments) -> None:
        super().__init__(how)
        self.begun = time.monotonic()

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        # "GET http://HOST" means "/" (RFC 9110, 4.2.3); Flask would lead on to the Host it names
        self.path = self.path or "/"
        if self.body_rcv is None:
            # waitress would say "100 Continue" and wait; nothing follows (RFC 9110, 10.1.1)
            self.expect_continue = False


class _Refusal(ErrorTask):  # type: ignore[misc]
    """The answer to a request that does not reach the application, in JSON as there."""

    def execute(self) -> None:
        error = self.request.error
        code, message = REFUSALS.get(error.code, UNREADABLE)
        body = encode({"error": {"code": code, "rule": None, "message": message}})
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [
            ("Content-Type", "application/json"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Connection(HTTPChannel):  # type: ignore[misc]
    parser_class = _Request
    error_task_class = _Refusal


class _Server(TcpWSGIServer):  # type: ignore[misc]
    """Accepts connections at one address."""

    channel_class = _Connection
    next_channel_cleanup: float = 0

    def readable(self) -> bool:
        # after a clock was set back; waitress would look again when it is as late as before
        self.next_channel_cleanup = min(self.next_channel_cleanup, time.time() + CLEANUP_SECONDS)
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        for connection in self.active_channels.values():
            connection.last_activity = min(connection.last_activity, now)
        super().maintenance(now)
        for connection in self.active_channels.values():
            request = connection.request
            if request is not None and time.monotonic() - request.begun > REQUEST_SECONDS:
                connection.will_close = True


class WebWorker(Worker):  # type: ignore[misc]  # gunicorn has no types
    """A process of gunicorn that serves by waitress."""

    #: One for each address.
    servers: Sequence[_Server] = ()

    def run(self) -> None:
        """Serves until it is told to stop, then finishes what was asked before that."""
        # the application is loaded
        forked.keep_shared()
        how = adjustments(load_settings(), self.cfg.threads)
        threads = RequestThreads(how.threads)
        polled: dict[int, Any] = {}
        self.servers = [
            _Server(
                self.wsgi,
                polled,
                _sock=listener.sock,
                dispatcher=threads,
                adj=how,
                sockinfo=(listener.sock.family, None, None, None),
                bind_socket=False,
            )
            for listener in self.sockets
        ]
        while self.alive and self.ppid == os.getppid():
            self.notify()
            wasyncore.poll2(LOOK_SECONDS if threads.is_at_work else 1, polled)
            threads.look()
        for server in self.servers:
            server.accepting = False
            server.del_channel()
        until = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < until and any(map(_is_at_work, self._connections())):
            self.notify()
            wasyncore.poll2(0.1, polled)
        threads.shutdown()
        wasyncore.close_all(polled)
        for server in self.servers:
            server.close()

    def handle_exit(self, number: int, frame: FrameType | None) -> None:
        if self.alive:
            super().handle_exit(number, frame)
            for server in self.servers:
                # it may be waiting for connections
                server.pull_trigger()

    def _connections(self) -> Iterator[_Connection]:
        for server in self.servers:
            yield from list(server.active_channels.values())


def _is_at_work(connection: _Connection) -> bool:
    """Whether an answer is being made, or has not been sent completely."""
    return bool(connection.requests or connection.total_outbufs_len)
