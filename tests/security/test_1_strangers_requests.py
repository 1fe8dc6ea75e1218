"""Threats 1.3, 1.5, 1.6 and 1.11: what strangers send by HTTP."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select

import pbem
from pbem.acts import deliverability
from pbem.acts.matches import NewSeat
from pbem.config import load_settings
from pbem.mail.mailer import post_due
from pbem.running import doctor
from pbem.store.models import ReceivedMail
from pbem.store.names import Purpose
from tests.web.house import WebHouse

HOSTILE = [
    "<script>alert(1)</script>",
    "{{7*191}}",
    "${7*191}",
    "Ann\u202egro",
    "An\u200bn",
    "An\x00n",
    "An\rn",
    "An\nBcc: evil@example.com",
    "=?UTF-8?Q?=0A?=Bcc: x@y",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "@SUM(A1)",
    '"><img src=x onerror=alert(1)>',
    "' OR 1=1 --",
    "x" * 61,
]


# --- what an answer's time could tell ---


def test_asking_for_links_costs_the_same_work_whoever_is_asked_for(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 1.3: one and the same list of statements, so that no clock tells who plays here."""
    match = web.running()
    deliverability.mute(web.service, web.link(match, Purpose.SEAT, 2))
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        statements.append(statement)

    event.listen(web.service.database.engine, "before_cursor_execute", note)
    seen = []
    for name in ("alice", "carol", "nobody", "alice", "alice", "alice", "alice", "alice"):
        statements.clear()
        client.post("/home", data={"email": f"{name}@example.org"})
        seen.append(tuple(statements))
    event.remove(web.service.database.engine, "before_cursor_execute", note)

    # from the fifth time on it was asked for too often
    assert len(seen[0]) > 1
    assert set(seen) == {seen[0]}


# --- hostile names, all the way from the door to the mail ---


def asked_for(name: str) -> dict[str, Any]:
    return {
        "game": "dog",
        "host": {"name": name, "email": "host@example.org"},
        "seats": [
            {"name": name, "email": "one@example.org"},
            {"name": "Bob", "email": "two@example.org"},
            {"bot": "easy"},
            {"bot": "easy"},
        ],
    }


def test_a_hostile_name_is_refused_or_shown_as_text_everywhere(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 1.5."""
    taken = []
    for name in HOSTILE:
        answer = client.post("/api/matches", json=asked_for(name))
        assert answer.status_code in (201, 422), (name, answer.text)
        if answer.status_code == 422:
            continue
        taken.append(name)
        match = web.match(answer.get_json()["match"])
        for path in (
            f"/m/{match.id}",
            web.path(match, Purpose.JOIN, 1),
            web.path(match, Purpose.HOST, -1),
        ):
            text = client.get(path).text
            assert "1337" not in text
            assert "<script>alert" not in text
            assert "<img src=x" not in text
    assert len(taken) >= 2
    while post_due(web.service):
        pass
    for raw in raw_mails(web):
        message = message_from_bytes(raw, policy=default)
        assert "Bcc" not in message
        assert len(message.get_all("To")) == 1
        assert message["To"].addresses[0].addr_spec.endswith("@example.org")
        html = message.get_body(("html",))
        assert html is not None
        assert "<script" not in html.get_content()
        assert "<img src=x" not in html.get_content()
    assert not {"An\x00n", "An\rn", "An\nBcc: evil@example.com", HOSTILE[8]} & set(taken)


@pytest.mark.parametrize("game", ["dog", "dogs-of-war", "skirmish"])
def test_a_hostile_name_is_shown_as_text_while_a_match_is_played(
    game: str, web: WebHouse, client: FlaskClient
) -> None:
    """Threat 1.5."""
    count = {"dog": 4, "dogs-of-war": 4, "skirmish": 2}[game]
    seats = [NewSeat(name=f"<img {seat}>", email=f"{seat}@example.org") for seat in range(count)]
    match = web.running(game=game, seats=seats)
    for plies in range(16):
        match = web.play_on(match, plies=plies)
        turns = [web.turn_path(match, seat) for seat in web.waiting(match)]

        texts = [client.get(path).text for path in (f"/m/{match.id}", *turns)]

        assert all("&lt;img " in text for text in texts)
        assert not [text for text in texts if "<img " in text]


def raw_mails(web: WebHouse) -> list[bytes]:
    with web.service.database.read() as session:
        return [row.raw for row in session.exec(select(ReceivedMail)).all()]


@pytest.mark.parametrize("field", ["name", "phrase", "zone", "language"])
def test_what_a_joining_player_says_is_refused_or_harmless(
    field: str, web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    path = web.path(match, Purpose.JOIN, 1)

    for text in HOSTILE:
        answer = client.post(path, data={field: text})
        assert answer.status_code in (200, 422)
        assert "<script>alert" not in answer.text
        assert "1337" not in answer.text


def test_no_template_or_page_is_made_of_what_somebody_sent() -> None:
    """Threat 1.5: nothing is marked as safe, and no text becomes a template."""
    root = Path(pbem.__file__).parent
    code = {file: file.read_text() for file in root.rglob("*.py")}
    pages = {file: file.read_text() for file in (root.parent / "templates").rglob("*.*")}

    for file, text in code.items():
        assert "render_template_string" not in text, file
        assert not re.search(r"\.from_string\(", text), file
        assert not re.search(r"^import csv|^from csv", text, re.M), f"{file}: guard its cells"
    for file, text in pages.items():
        assert not re.search(r"\|\s*safe\b", text), file
        assert "autoescape false" not in text, file


# --- what the service asks of others ---


def test_the_service_asks_nothing_of_other_hosts_but_rounds_of_the_beacon() -> None:
    """Threat 1.11: there are no outgoing webhooks, and no client to make one with."""
    clients = {"requests", "httpx", "aiohttp", "urllib3", "urllib.request", "http.client"}
    # `pbem up` asks its own web process whether it is ready; `pbem doctor` asks its own web,
    # `pbem bench` the servers that it starts, and the sweep the servers of the beacon that the
    # operator's settings name: import contracts hold that nothing else can
    excused = {"running/web_process.py", "running/own_web.py", "bench/_clients.py"}
    excused |= {"acts/beacon_servers.py"}
    root = Path(pbem.__file__).parent
    assert {name for name in excused if (root / name).exists()} == excused
    for file in root.rglob("*.py"):
        if str(file.relative_to(root)) in excused:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [name.name for name in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{one.name}" for one in node.names)]
            assert not clients & set(names), f"{file}: see docs/threats.md, 1.11"


def test_the_doctor_asks_its_own_addresses_and_goes_nowhere_else(tmp_path: Path) -> None:
    """Threat 1.11: base_url and the port of the web; nobody can send it to another host."""
    with (
        listening() as elsewhere,
        listening(f"http://localhost:{elsewhere.server_port}/healthz") as base,
        listening() as own,
    ):
        settings = load_settings(
            home=tmp_path, base_url=f"http://127.0.0.1:{base.server_port}", port=own.server_port
        )
        settings.keys()
        (found,) = doctor.check_web(settings)

    assert "status 302" in found.found
    assert [len(one.asked) for one in (base, own, elsewhere)] == [1, 1, 0]


class Listening(ThreadingHTTPServer):
    """Somebody who notes what is asked, and sends whoever asks on to another address."""

    def __init__(self, onward: str) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.onward, self.asked = onward, list[str]()


class Answering(BaseHTTPRequestHandler):
    server: Listening

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(302 if self.server.onward else 200)
        if self.server.onward:
            self.send_header("Location", self.server.onward)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Not into the output of the tests."""


@contextmanager
def listening(onward: str = "") -> Iterator[Listening]:
    with Listening(onward) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


# --- noise ---


def test_a_thousand_requests_of_noise_make_no_500_and_change_nothing(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 1.6: seeded noise in methods, paths, headers, queries and bodies."""
    match = web.running()
    chance = random.Random(11)
    good = [web.turn_path(match, 0), web.path(match, Purpose.HOST, -1), f"/m/{match.id}"]
    good += [web.path(match, Purpose.SEAT, 0), "/api/matches", "/new", "/home", "/operator/login"]
    plies = web.match(match.id).ply
    wrong = []

    for number in range(1000):
        path = noisy(chance, chance.choice(good)) if number % 3 else chance.choice(good)
        method = chance.choice(("GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE"))
        answer = client.open(
            path,
            method=method,
            query_string=noise(chance, 20).decode("latin-1"),
            data=noise(chance, 200),
            content_type=chance.choice(
                (
                    "application/json",
                    "application/x-www-form-urlencoded",
                    "multipart/form-data; boundary=x",
                    "text/plain",
                    "application/json; charset=utf-7",
                )
            ),
            headers={
                "Accept": chance.choice(("*/*", "text/html", "application/json", ";;;q=", "a/b")),
                "Accept-Language": chance.choice(("es", "xx;q=9", "*" * 200, "de-CH-1996,")),
                "Cookie": f"pbem_form={'.' * number}; pbem_operator={number}; pbem_language=zz",
                "X-Forwarded-For": chance.choice(("1.2.3.4", "::1, x", "a" * 300)),
            },
        )
        if answer.status_code >= 500:
            wrong.append((method, path, answer.status_code))

    assert wrong == []
    assert web.match(match.id).ply == plies


def noisy(chance: random.Random, path: str) -> str:
    """The path with a few signs changed, cut or doubled."""
    signs = list(path)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(1, len(signs))
        signs[place] = chance.choice(("", "/", "%00", "%ff", "..", "-", "z", "%E2%80%AE", "9" * 30))
    # what begins with two of them would be the name of a host
    return "/" + "".join(signs).lstrip("/")


def noise(chance: random.Random, most: int) -> bytes:
    start = chance.choice((b"", b"{", b'{"order":', b"[[", b"--x\r\n", b"order=", b"\xff\xfe"))
    return start + chance.randbytes(chance.randrange(most))
