"""What the doctor finds of a service."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from werkzeug.serving import make_server

from pbem import create_app
from pbem.config import Settings, load_settings
from pbem.running.doctor import examine
from pbem.running.finding import Finding
from pbem.service import open_service
from tests.parts.listening import listening
from tests.parts.relay import Relay


@contextmanager
def web(settings: Settings, port: int, forwarded: str = "") -> Iterator[None]:
    """The web of a service at this port; behind a proxy, where it says whom it asks for."""
    service = open_service(settings)
    app = create_app(service)

    def behind(environ: Any, answer: Any) -> Any:
        return app(environ | ({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}), answer)

    server = make_server("127.0.0.1", port, behind, threaded=True)
    with closing(service.database), listening(server):
        yield


def changed(settings: Settings, **over: object) -> Settings:
    kept = {
        "home": settings.home,
        "database_url": settings.database_url,
        "broker_url": settings.broker_url,
        "port": settings.port,
    }
    return load_settings(**{**kept, **over})  # type: ignore[arg-type]


def wrong(settings: Settings) -> dict[str, Finding]:
    return {finding.part: finding for finding in examine(settings) if finding.state == "wrong"}


def notes(settings: Settings) -> str:
    return " ".join(finding.found for finding in examine(settings) if finding.state == "note")


def mail_settings(relay: Relay, **more: object) -> dict[str, object]:
    return {"mode": "smtp", "host": relay.host, "port": relay.port, **more}


@contextmanager
def other_program() -> Iterator[int]:
    """Something that answers, and not as a mail server does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection = listener.accept()[0]
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.recv(100)

        threading.Thread(target=answer, daemon=True).start()
        yield listener.getsockname()[1]
