"""What every door refuses, and what looking never changes."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy.exc import OperationalError
from sqlmodel import select

from engine.codec import encode
from engine.dice import SeededDice
from pbem import create_app, logs
from pbem.acts.writing import read, writing
from pbem.people import talk
from pbem.store import links
from pbem.store.models import Match, Message
from pbem.store.names import Actor, MailKind, Purpose
from tests.parts import remedies
from tests.web.house import WebHouse
from tests.web.routes import address_link, paths, tokens


def test_looking_changes_nothing(web: WebHouse, client: FlaskClient) -> None:
    """GET, HEAD and OPTIONS over all routes, as a stranger and as the operator."""
    match = web.running()
    found = list(paths(web, match, "GET"))
    web.log_in(client)
    before = web.dump()

    for visitor in (client, web.app.test_client()):
        for _, path in found:
            for method in ("GET", "HEAD", "OPTIONS"):
                answer = visitor.open(path, method=method)
                assert answer.status_code < 500 or path == "/readyz", (method, path)
            if path.startswith("/m/"):
                visitor.get(f"{path}?ply=0&log=all")

    assert len(found) > 25
    assert web.dump() == before


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("dog/turn.js", "text/javascript"),
        ("skirmish/board.js", "text/javascript"),
        ("dog/look.css", "text/css"),
    ],
)
def test_a_file_of_a_game_says_what_it_is(client: FlaskClient, path: str, kind: str) -> None:
    answer = client.get(f"/games/{path}")

    assert answer.status_code == 200
    assert answer.mimetype == kind


def test_a_post_from_another_site_is_refused_everywhere(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    found = list(paths(web, match, "POST"))
    web.log_in(client)
    before = web.dump()

    answers = {
        (path, name, value): client.post(path, headers={name: value})
        for _, path in found
        for name, value in (
            ("Origin", "https://evil.example"),
            ("Sec-Fetch-Site", "cross-site"),
            # a page of another name under ours, which may be somebody else's
            ("Sec-Fetch-Site", "same-site"),
            ("Origin", "https://localhost.evil.example"),
            ("Origin", "http://["),
        )
    }

    assert {answer.status_code for answer in answers.values()} == {403}
    assert web.dump() == before


def test_a_form_of_our_own_page_is_taken(web: WebHouse, client: FlaskClient) -> None:
    """Pages that send no referrer post with the Origin ``null``."""
    for origin in ("http://localhost", "null"):
        answer = client.post("/home", data={"email": "a@example.org"}, headers={"Origin": origin})
        assert answer.status_code == 202


def test_the_operators_pages_refuse_strangers_and_players(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    client.get(web.turn_path(match, 0))
    gets = [path for rule, path in paths(web, match, "GET") if rule.endpoint[:9] == "operator."]
    posts = [path for rule, path in paths(web, match, "POST") if rule.endpoint[:9] == "operator."]
    before = web.dump()

    shown = {path: client.get(path) for path in gets if path != "/operator/login"}
    posted = {path: client.post(path, data={"remedy": "abort"}) for path in posts}

    assert len(shown) >= 2
    assert len(posted) >= 3
    assert {answer.status_code for answer in shown.values()} == {303}
    assert {answer.location for answer in shown.values()} == {"/operator/login"}
    assert {path for path, answer in posted.items() if answer.status_code != 401} == {
        "/operator/login"
    }
    assert web.dump() == before


def test_an_address_with_a_slash_too_many_leads_to_its_page(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    pages = ("/operator", "/series", "/open", f"/m/{match.id}", web.turn_path(match, 0))

    led = [client.get(f"{page}/") for page in pages]

    assert [(answer.status_code, answer.location) for answer in led] == [
        (302, page) for page in pages
    ]
    assert client.post("/series/").status_code == 404
    nowhere = ("/nowhere/", "/%2Fexample.org/", "/s//", "/series//x/", "/m/a%0d%0aX-Y:%20z/step/x/")
    assert {client.get(path).status_code for path in nowhere} == {404}
    assert client.get("/m/a%0d%0aX-Y:%20z/").location == "/m/a%0D%0AX-Y%3A%20z"


@pytest.mark.parametrize("tail", [".", ")", ",", ">", "%20", ").", "%E2%80%9D."])
def test_a_link_that_was_copied_with_what_stood_behind_it_leads_to_its_page(
    web: WebHouse, client: FlaskClient, tail: str, capsys: pytest.CaptureFixture[str]
) -> None:
    match = web.running()
    links = [path for rule, path in paths(web, match, "GET") if "token" in rule.arguments]
    logs.set_up(web.service.settings)

    led = {path: client.get(f"{path}{tail}") for path in links}

    assert len(led) > 12
    assert {path: answer.location for path, answer in led.items() if answer.location != path} == {}
    assert {answer.status_code for answer in led.values()} == {302}
    assert not re.search("-[a-z2-7]{32}", capsys.readouterr().err)


def test_a_tail_makes_no_page_of_what_is_none(web: WebHouse, client: FlaskClient) -> None:
    known = tokens(web, web.running())
    token = known["t"]

    led = client.get(f"/t/{token[:-1]}.")

    assert client.get(led.location).status_code == 404
    assert client.get("/nowhere.").status_code == 404
    assert client.get("/.").status_code == 404
    assert client.post(f"/s/{known['s']}.").status_code == 404


def test_the_hosts_pages_refuse_every_other_link(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    known = tokens(web, match)
    other = [token for letter, token in known.items() if letter != "h"]
    before = web.dump()

    for token in [*other, "nonsense"]:
        for door in ("", "/preview", "/apply"):
            form = {"remedy": "abort", "sure": "yes"}
            ask = client.post if door else client.get
            answer = ask(f"/h/{token}{door}", **({"data": form} if door else {}))
            assert answer.status_code == 404

    assert web.dump() == before


def test_bad_tokens_get_one_constant_answer_at_every_door(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    known = tokens(web, match)
    chance = random.Random(7)
    bodies = set()
    for letter, token in known.items():
        row, _, code = token.partition("-")
        flipped = code[:-1] + ("a" if code[-1] != "a" else "b")
        bad = [
            f"{row}-{flipped}",
            f"{row}-{code[:-1]}",
            f"{row}{row}-{code}",
            token.upper(),
            token + "%00",
            "-" + code,
            "%F0%9F%8E%B2",
            "".join(chance.choices("abcdefghij234567-", k=40)),
            *(other for name, other in known.items() if name != letter),
        ]
        for text in bad:
            answer = client.get(f"/{letter}/{text}")
            assert answer.status_code == 404
            bodies.add(answer.data)

    assert len(bodies) == 1


def test_new_links_kill_the_old_ones(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = web.turn_path(match, 0)

    remedies.reissue(web.service, match.id, 0, actor="operator")

    assert client.get(path).status_code == 404
    assert client.get(web.turn_path(match, 0)).status_code == 200


#: What is told to browsers and caches with every page, whole.
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self';"
    " img-src 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept, Accept-Language, Cookie",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}
OF_THE_BODY = ("Content-Type", "Content-Length")


def test_every_answer_has_the_headers_that_keep_links_secret(
    web: WebHouse, client: FlaskClient
) -> None:
    """All of them and no others, also where something is refused."""
    match = web.running()
    paths = ("/", web.turn_path(match, 0), f"/m/{match.id}", "/t/nonsense", "/api/matches/x")

    told = {path: dict(client.get(path).headers) for path in paths}

    assert {
        path: {name: value for name, value in headers.items() if name not in OF_THE_BODY}
        for path, headers in told.items()
    } == dict.fromkeys(paths, HEADERS)


def test_a_service_over_tls_is_asked_for_over_tls_from_then_on(web: WebHouse) -> None:
    settings = web.service.settings.model_copy(update={"base_url": "https://games.example.org"})
    over_tls = create_app(replace(web.service, settings=settings)).test_client().get("/privacy")
    plain = web.app.test_client().get("/privacy")

    added = set(over_tls.headers.items()) - set(plain.headers.items())

    assert ("Strict-Transport-Security", "max-age=31536000") in added
    assert "Strict-Transport-Security" not in plain.headers


def test_no_page_holds_inline_script_or_style(web: WebHouse, client: FlaskClient) -> None:
    """The policy would silence it. A block of JSON is data, and is not run."""
    match = web.running()
    web.log_in(client)

    for _, path in paths(web, match, "GET"):
        answer = client.get(path)
        if answer.mimetype != "text/html" or path.endswith("/html"):
            continue
        page = re.sub(
            r'<script type="application/json" id="[a-z-]+">[^<]*</script>', "", answer.text
        )
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", page), path
        assert not re.search(r"""(src|href)=["'](https?:)?//(?!localhost)""", page), path


def test_unknown_fields_are_refused_and_change_nothing(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    posts = [
        path
        for rule, path in paths(web, match, "POST")
        if rule.endpoint[:9] not in ("operator.",)
        and rule.endpoint[:4] not in ("api.", "dev.")
        # there the signature comes before everything
        and rule.endpoint != "hooks.mail"
        and rule.endpoint != "turn.submit"
    ]
    before = web.dump()

    answers = {path: client.post(path, data={"is_host": "1", "seat": "2"}) for path in posts}

    assert len(answers) > 12
    assert {
        path: answer.status_code for path, answer in answers.items() if answer.status_code != 422
    } == {}
    assert web.dump() == before


def test_what_asks_for_json_is_refused_in_json_by_every_form(
    web: WebHouse, client: FlaskClient
) -> None:
    """With nothing in the form, and with a field that it does not have."""
    match = web.running()
    posts = [(rule.endpoint, path) for rule, path in paths(web, match, "POST")]

    answers = [
        (endpoint, client.post(path, data=form, headers={"Accept": "application/json"}))
        for endpoint, path in posts
        for form in ({}, {"is_host": "1"})
    ]

    refused = [(endpoint, answer) for endpoint, answer in answers if answer.status_code >= 400]
    assert len({endpoint for endpoint, _ in refused}) > 40
    assert {endpoint for endpoint, answer in refused if not answer.is_json} == set()
    told = [set(answer.get_json()["error"]) for _, answer in refused]
    assert all(fields == {"code", "rule", "message"} for fields in told)


def test_times_have_one_form_in_all_that_programs_read(web: WebHouse, client: FlaskClient) -> None:
    """As in records: with the offset of UTC, and no letter for it."""
    match = web.running()

    answers = [
        (path, client.get(path, headers={"Accept": "application/json"}))
        for _, path in paths(web, match, "GET")
    ]

    times = [
        (path, time)
        for path, answer in answers
        if answer.is_json
        for time in re.findall(r'"\d{4}-\d\d-\d\dT([^"]+)"', answer.text)
    ]
    assert len({path for path, _ in times}) > 5
    assert {(path, time) for path, time in times if not time.endswith("+00:00")} == set()


ODD = [
    "\x00",
    "a\x00b",
    "9" * 400,
    "-1",
    "1e9",
    "\u202eevil\u200b",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "=?UTF-8?Q?=0ABcc:_x@y?=",
    "a" * 5000,
    "\ud7ff\U0010ffff",
    "' OR 1=1 --",
    "../../etc/passwd",
    "[" * 3000,
    "None",
]


#: The fields that each form takes, so that the odd values get past the first look.
FIELDS = {
    "turn.preview": "order",
    "turn.confirm": "order ply submission",
    "seat.act": "do zone language orders standing email",
    "join.join": "phrase name zone language",
    "consent.answer": "answer",
    "permit.answer": "answer",
    "first_page.language": "language back",
    "signing_in.ask": "email",
    "signing_in.sign_out": "device",
    "home.make_link": "match",
    "home_settings.save": "name language zone night mails digest_hour reminders invitations",
    "home_settings.away": "from until back",
    "home_settings.group": "group people",
    "home_settings.publish": "public_name",
    "open_tables.ask": "name email seat",
    "open_tables.take": "seat phrase zone language",
    "host.listed": "listed",
    "rematch.answer": "game answer",
    "open_tables.ask_to_watch": "game email seats language",
    "open_tables.off": "List-Unsubscribe",
    "dev.answer": "text",
    "operator.preview_several": "remedy by stall",
    "operator.apply_several": "remedy by stall sure",
    "operator.look_at_whole": "reason sure",
    "new_match.create": (
        "game players host_name host_email turn reserve seat-0-email option-discard"
    ),
}
REMEDY = "remedy seat by bot name email ply sure"
KINDS = {
    "application/json": b"[" * 3000,
    "multipart/form-data": b"\x00",
    "text/plain": b"-1",
    "nonsense/\x7f": b"<script>",
}


def test_nothing_from_outside_makes_a_500(any_web: WebHouse) -> None:
    """Threat 1.6: odd values in every form, query, path and body."""
    web, client = any_web, any_web.app.test_client()
    match = web.running()
    web.log_in(client)
    sent: list[tuple[str, str, Any]] = []

    for rule, path in paths(web, match, "POST"):
        if rule.endpoint in ("operator.logout", "first_page.demo"):
            continue
        for odd in ODD:
            form = dict.fromkeys(FIELDS.get(rule.endpoint, REMEDY).split(), odd)
            sent.append((path, odd, client.post(path, data=form)))
        for kind, body in KINDS.items():
            sent.append((path, kind, client.post(path, data=body, content_type=kind)))
    for rule, path in paths(web, match, "GET"):
        if rule.arguments or rule.endpoint in ("new_match.new", "dev.listed"):
            for odd in ODD[:5]:
                names = ("ply", "log", "begin", "to", "after", "game", "players")
                query = dict.fromkeys(names, odd)
                sent.append((path, odd, client.get(path, query_string=query)))
    for odd in ("%00", "%ff%fe", "9" * 300, "%E2%80%AE", "..%2f..", "a" * 3000):
        for start in ("/m/", "/t/", "/rules/", "/dev/mail/", "/api/matches/", "/operator/match/"):
            sent.append((start, odd, client.get(f"{start}{odd}")))
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"):
        sent.append((method, "", client.open("/", method=method)))
        sent.append((method, "", client.open(web.turn_path(match, 0), method=method)))

    assert len(sent) > 400
    assert [
        (place, odd[:20], answer.status_code)
        for place, odd, answer in sent
        if answer.status_code >= 500
    ] == []


def test_no_number_and_no_sign_is_too_odd_for_a_database(any_web: WebHouse) -> None:
    """Threat 1.6: rows have 32 bits there, and no text holds a NUL."""
    web, client = any_web, any_web.app.test_client()
    match = web.running()
    talk.allow(web.service, match.id, True, actor=Actor.HOST)
    web.log_in(client)
    seat, turn = web.path(match, Purpose.SEAT, 0), web.turn_path(match, web.waiting(match)[0])
    host = web.path(match, Purpose.HOST, links.HOST)
    client.post(f"/home/{address_link(web, MailKind.SIGN_IN, {})}")
    odd = f"{links.base36(1 << 31)}-{'a' * 32}"
    doors = ("/s/", "/t/", "/j/", "/h/", "/open/take/", "/home/", "/series/enter/", "/open/off/")
    high = (str(1 << 31), str(10**11))

    not_found = [
        *(client.get(f"{door}{odd}").status_code for door in doors),
        *(client.get(f"/dev/mail/{number}").status_code for number in high),
        client.get("/players/a%00b").status_code,
        client.get(f"/players/{'a' * 61}").status_code,
        client.get("/players/Ada?game=a%00b").status_code,
        *(
            client.post(
                f"{host}/talk", data={"do": "hide", "message": sign, "reason": "why"}
            ).status_code
            for sign in (*high, "a\x00b")
        ),
    ]
    refused = [
        *(client.post("/home/devices", data={"device": number}).status_code for number in high),
        *(
            client.post(seat, data={"do": "cancel", "standing": number}).status_code
            for number in high
        ),
        client.get(f"/dev/mail?after={1 << 31}").status_code,
    ]
    said = [
        client.post(f"{turn}/say", json={"text": "Hello", "key": key}).status_code
        for key in ("a\x00b", "a\x00b", "a\x00c")
    ]
    marked = client.get("/home/finished?before=0001-01-01T00:00:00%2B14:00~a").status_code

    assert set(not_found) == {404}
    assert set(refused) == {422}
    assert set(said) <= {200, 201}
    assert marked == 200
    with web.service.database.read() as session:
        assert len(session.exec(select(Message)).all()) == 2


def test_a_busy_database_is_said_to_be_busy(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = web.running()

    def away(*_: object) -> None:
        raise OperationalError("select", {}, Exception("locked"))

    monkeypatch.setattr("pbem.looks.match_look.look", away)
    answer = client.get(f"/m/{match.id}")
    for_program = client.get(f"/api/matches/{match.id}")

    assert (answer.status_code, for_program.status_code) == (503, 503)
    assert answer.headers["Retry-After"]
    assert for_program.get_json()["error"]["code"] == "busy"


def test_too_large_a_body_is_refused(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()

    answer = client.post(f"{web.turn_path(match, 0)}/preview", data={"order": "x" * 2_000_000})
    parts = client.post(
        f"{web.turn_path(match, 0)}/preview",
        data={f"field{number}": "x" for number in range(400)},
        content_type="multipart/form-data",
    )

    assert (answer.status_code, parts.status_code) == (413, 413)


# --- secrets ---


def test_no_page_shows_another_seats_link_address_or_hand(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 2.1, over every page a player, an onlooker or a program may open."""
    match = web.running()
    known = tokens(web, match)
    own = {letter: token for letter, token in known.items() if letter != "h"}
    others = [web.turn_path(match, seat)[3:] for seat in (1, 2, 3)]
    pages = [f"/{letter}/{token}" for letter, token in own.items()]
    pages += [f"/m/{match.id}", f"/m/{match.id}?ply=0", f"/api/matches/{match.id}"]
    pages += [f"/api/matches/{match.id}/record"]

    for path in pages:
        for kind in ("text/html", "application/json"):
            text = client.get(path, headers={"Accept": kind}).text
            assert not [token for token in others if token in text], path
            assert "bob@example.org" not in text, path
            assert "carol@example.org" not in text, path


def test_pages_that_differ_only_in_a_secret_are_equal_to_others(
    web: WebHouse, client: FlaskClient
) -> None:
    """Bob's page, and the public ones, before and after Alice's hand is changed unseen."""
    match = web.running()
    paths = [web.turn_path(match, 1), f"/m/{match.id}", web.path(match, Purpose.HOST, -1)]
    kinds = ("text/html", "application/json")
    before = [client.get(path, headers={"Accept": kind}).data for path in paths for kind in kinds]
    table = web.table(match)
    other = table.game.other_world(table.state, 1, SeededDice(b"another world"))
    with web.service.database.write("test") as session:
        row = session.get(Match, match.id)
        assert row is not None
        row.state_json = encode(other).decode()
        session.add(row)

    after = [client.get(path, headers={"Accept": kind}).data for path in paths for kind in kinds]

    assert other != table.state
    assert after == before


def test_names_are_shown_and_never_run(web: WebHouse, client: FlaskClient) -> None:
    match = web.open()
    table, now = read(web.service, match.id)
    with writing(web.service, table, "test", Actor.HOST, now) as write:
        write.seat(table.seat(1), name="<b>{{7*191}}</b>")
    web.work()

    for path in (f"/m/{match.id}", web.turn_path(match, 0), web.path(match, Purpose.HOST, -1)):
        text = client.get(path).text
        assert "&lt;b&gt;{{7*191}}" in text
        assert "<b>" not in text
        assert "1337" not in text


def test_a_dump_of_the_database_holds_no_living_link(web: WebHouse, client: FlaskClient) -> None:
    """Threat 7.1."""
    match = web.running()
    known = tokens(web, match)
    web.log_in(client)
    cookie = client.get_cookie("pbem_operator")
    dump = web.dump()

    assert cookie is not None
    assert cookie.value not in dump
    assert not [token for token in known.values() if token.partition("-")[2] in dump]


def test_a_page_that_fails_says_so_and_logs_no_token(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)

    def broken(*_: object) -> None:
        raise RuntimeError("inside")

    monkeypatch.setattr("pbem.looks.match_look.look", broken)
    logs.set_up(web.service.settings)
    answer = client.get(path)
    written = capsys.readouterr().err

    assert answer.status_code == 500
    assert "inside" not in answer.text
    assert "Try again</a>" in answer.text
    assert "page_failed" in written
    assert "RuntimeError" in written
    assert path[3:] not in written
