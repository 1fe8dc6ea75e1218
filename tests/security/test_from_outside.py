"""Security 1, 6, 15, 18, 20: what strangers send, and what a stolen dump is worth."""

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
from sqlalchemy import event, inspect, literal_column, table
from sqlalchemy import select as select_rows
from sqlmodel import select

import pbem
from pbem.acts import deliverability, going_back, standing_orders
from pbem.config import load_settings
from pbem.mail.mailer import post_due
from pbem.running import doctor
from pbem.store import links
from pbem.store.models import Link, Match, ReceivedMail
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
    """Security 14: one and the same list of statements, so that no clock tells who plays here."""
    match = web.running()
    deliverability.mute(web.service, web.link(match, Purpose.SEAT, 2))
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        statements.append(statement)

    event.listen(web.service.database.engine, "before_cursor_execute", note)
    seen = []
    for name in ("alice", "carol", "nobody", "alice", "alice", "alice", "alice", "alice"):
        statements.clear()
        client.post("/links", data={"email": f"{name}@example.org"})
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
    """Security 6."""
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
    """Security 6: nothing is marked as safe, and no text becomes a template."""
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


# --- numbers of other matches ---


def test_numbers_of_another_match_in_forms_change_nothing(
    web: WebHouse, client: FlaskClient
) -> None:
    """Security 1: seats, plies, orders and proposals of another match."""
    mine, other = web.running(), web.running()
    theirs = standing_orders.leave(web.service, web.link(other, Purpose.SEAT, 1), ["give 2"])
    seat = web.path(mine, Purpose.SEAT, 1)
    host = web.path(mine, Purpose.HOST, -1)
    before = web.dump()
    tried = [
        (seat, {"do": "cancel", "standing": str(theirs.id)}),
        (f"{host}/apply", {"remedy": "bot", "seat": "4", "sure": "yes"}),
        (f"{host}/apply", {"remedy": "abort", "match": other.id, "sure": "yes"}),
        (f"{host}/apply", {"remedy": "abort", "match_id": other.id, "sure": "yes"}),
        (f"{host}/apply", {"remedy": "extend", "seat": "-1", "by": "24h", "sure": "yes"}),
    ]

    answers = [client.post(path, data=form).status_code for path, form in tried]

    assert [status for status in answers if status not in (404, 409, 422)] == []
    assert web.dump() == before


def test_a_program_gives_itself_nothing_by_fields_that_are_not_its(
    web: WebHouse, client: FlaskClient
) -> None:
    """Security 8: a host's, a seat's, a deadline's fields in what a player or a host sends."""
    match = web.running()
    order = web.orders(match, 0)[0]
    before = web.dump()
    extra = {"seat": 2, "is_host": True, "deadline_at": "2030-01-01", "made_by": "operator"}

    for name, value in extra.items():
        turn = client.post(
            web.turn_path(match, 0), json={"order": order, "submission": "one", name: value}
        )
        opening = client.post("/api/matches", json={**asked_for("Ann"), name: value})
        seats = asked_for("Ann")
        seats["seats"][0][name] = value
        seated = client.post("/api/matches", json=seats)
        assert (turn.status_code, opening.status_code, seated.status_code) == (422, 422, 422)

    assert web.dump() == before


def test_a_consent_link_of_another_table_answers_nothing(web: WebHouse) -> None:
    """Security 15: a link that was made over another row has another code."""
    match, seat, following = web.before_a_choice()
    web.play(match, seat, web.good_order(match, seat))
    web.work()
    web.play(match, following, web.good_order(match, following))
    web.work()
    going_back.propose(web.service, web.link(match, Purpose.SEAT, seat))
    asked = next(one for one in range(4) if one != seat)
    good = web.token(web.link(match, Purpose.CONSENT, asked))
    mute = links.token(web.service.keys, mute_link(web, match, asked))
    before = web.dump()
    client = web.app.test_client()

    for path in (
        f"/c/{mute}",
        f"/u/{good}",
        f"/c/{forged(good)}",
        f"/u/{forged(mute)}",
        f"/s/{forged(good)}",
    ):
        assert client.get(path).status_code == 404
        assert client.post(path, data={"answer": "yes"}).status_code == 404

    assert web.dump() == before


def mute_link(web: WebHouse, match: Match, seat: int) -> Link:
    with web.service.database.write("test") as session:
        return links.make(
            session, Purpose.MUTE, match, web.table(match).seats[seat], web.clock.now()
        )


def forged(token: str) -> str:
    row, _, code = token.partition("-")
    return f"{row}-{code[::-1]}"


# --- a stolen dump ---


def test_a_dump_of_either_database_holds_no_key_and_no_link(any_web: WebHouse) -> None:
    """Security 18: after a lobby, a match, a demo, mails and a login."""
    web = any_web
    web.open(confirmed=False)
    web.play_on(web.running(), plies=12)
    client = web.app.test_client()
    web.log_in(client)
    client.post("/links", data={"email": "alice@example.org"})
    cookie = client.get_cookie("pbem_operator")
    assert cookie is not None

    dump = everything(web)

    keys = web.service.keys
    derived = [
        key for purpose in [*Purpose, "session", "return-path"] for key in keys.of(str(purpose))
    ]
    for key in (*keys.main, *derived):
        assert key not in dump
        assert key.hex().encode() not in dump
    with web.service.database.read() as session:
        rows = session.exec(select(Link)).all()
    assert len(rows) > 15
    for row in rows:
        assert links.token(keys, row).partition("-")[2].encode() not in dump
    assert cookie.value.encode() not in dump


def everything(web: WebHouse) -> bytes:
    """Every value of every row of every table, but for the mailbox that stands for a relay."""
    parts = []
    with web.service.database.engine.connect() as connection:
        names = inspect(connection).get_table_names()
        assert len(names) > 10
        for name in names:
            if name == "received_mail":
                continue
            rows = select_rows(literal_column("*")).select_from(table(name))
            for row in connection.execute(rows):
                parts += [
                    value if isinstance(value, bytes) else str(value).encode() for value in row
                ]
    return b"\n".join(parts)


def test_what_is_counted_names_nobody(web: WebHouse, client: FlaskClient) -> None:
    """Security 5: labels of the numbers are names from the code."""
    match = web.play_on(web.running(), plies=6)
    while post_due(web.service):
        pass
    for path in (web.path(match, Purpose.SEAT, 0), "/t/nonsense", "/m/nothing", "/<script>"):
        client.get(path)

    numbers = client.get("/metrics").text

    assert "pbem_mails_total" in numbers
    assert "@" not in numbers
    assert match.id not in numbers
    assert "<script" not in numbers
    assert not re.search(r"[1-9a-z][0-9a-z]*-[a-z2-7]{32}", numbers)


def test_the_service_asks_nothing_of_other_hosts_but_rounds_of_the_beacon() -> None:
    """Security 12: there are no outgoing webhooks, and no client to make one with."""
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
            assert not clients & set(names), f"{file}: see security 12"


def test_the_doctor_asks_its_own_addresses_and_goes_nowhere_else(tmp_path: Path) -> None:
    """Security 12: base_url and the port of the web; nobody can send it to another host."""
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
    """Security 20: seeded noise in methods, paths, headers, queries and bodies."""
    match = web.running()
    chance = random.Random(11)
    good = [web.turn_path(match, 0), web.path(match, Purpose.HOST, -1), f"/m/{match.id}"]
    good += [web.path(match, Purpose.SEAT, 0), "/api/matches", "/new", "/links", "/operator/login"]
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
