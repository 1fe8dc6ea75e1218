"""The other doors: opening, joining, the table, hosts, seats, links, the operator, programs."""

from __future__ import annotations

import hashlib
import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem import create_app, going_back, history, links, looks, reach, remedies
from pbem.config import Limits, Mail, Operator
from pbem.mail import mailbox
from pbem.models import Match, OperatorSession, Purpose
from pbem.table import load
from tests.pbem.cast import address
from tests.web.conftest import web_service
from tests.web.house import WebHouse, found, hidden, secret

FORM = {
    "game": "dog",
    "players": "4",
    "host_name": "Alice",
    "host_email": "alice@example.org",
    **{f"seat-{number}-kind": "player" for number in range(2)},
    "seat-0-name": "Alice",
    "seat-0-email": "alice@example.org",
    "seat-1-name": "Bob",
    "seat-1-email": "bob@example.org",
    "seat-2-kind": "easy",
    "seat-3-kind": "easy",
    "turn": "2d",
    "reserve": "1d",
    "language": "es",
    "zone": "Europe/Madrid",
    "option-seven_burns_own": "yes",
    "option-discard": "one",
}


def matches_of(web: WebHouse) -> list[Match]:
    with web.service.database.read() as session:
        return list(session.exec(select(Match)))


# --- opening and joining ---


def test_a_match_is_opened_with_the_form(web: WebHouse, client: FlaskClient) -> None:
    page = client.post("/new", data=FORM)

    (match,) = matches_of(web)
    assert page.status_code == 201
    assert (match.language, match.zone, match.status) == ("es", "Europe/Madrid", "lobby")
    assert '"seven_burns_own":true' in match.options_json
    assert '"discard":"one"' in match.options_json
    assert '"turn":172800' in match.clock_json
    assert [mail.kind for mail in web.mails()].count("invitation") == 2


def test_a_form_with_a_mistake_says_so_and_keeps_what_was_typed(
    web: WebHouse, client: FlaskClient
) -> None:
    page = client.post("/new", data={**FORM, "seat-1-email": "bob at example"})

    assert page.status_code == 422
    assert "bob at example is not an e-mail address" in page.text
    assert 'value="bob at example"' in page.text
    assert 'value="Alice"' in page.text
    assert matches_of(web) == []


def test_the_clocks_of_the_form(web: WebHouse, client: FlaskClient) -> None:
    daily = {"kind": "daily", "daily_at": "19:30", "weekends": "yes", "quiet": "22:00-08:00"}

    client.post("/new", data={**FORM, **daily, "vacation_days": "5"})
    client.post("/new", data={**FORM, "kind": "none"})

    first, second = sorted(matches_of(web), key=lambda match: match.clock_json, reverse=False)
    clocks = first.clock_json + second.clock_json
    assert '"kind":"daily"' in clocks
    assert '"daily_at":1170' in clocks
    assert '"weekends":true' in clocks
    assert '"quiet":[1320,480]' in clocks
    assert '"vacation_days":5' in clocks
    assert '"kind":"none"' in clocks


def test_a_player_joins_with_a_phrase_and_sees_the_commitment(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    path = web.path(match, Purpose.JOIN, 1)

    shown = client.get(path)
    form = {"phrase": "seven sleepy cats", "zone": "Asia/Tokyo", "language": "es", "name": "Bobby"}
    joined = client.post(path, data=form)
    again = client.post(path, data={"phrase": "another"})

    seat = web.seat(match, 1)
    assert match.commitment in shown.text
    assert (seat.phrase, seat.zone, seat.language, seat.name) == (
        "seven sleepy cats",
        "Asia/Tokyo",
        "es",
        "Bobby",
    )
    assert "seven sleepy cats" in joined.text
    assert "seven sleepy cats" in again.text


def test_a_phrase_is_drawn_and_shown_where_none_is_given(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)

    page = client.post(web.path(match, Purpose.JOIN, 2), data={})

    assert (web.seat(match, 2).phrase or "?") in page.text


def test_who_declines_must_tick_a_box_and_the_host_is_told(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    path = web.path(match, Purpose.JOIN, 2)

    without = client.post(f"{path}/decline")
    before = web.seat(match, 2).resigned_at
    with_it = client.post(f"{path}/decline", data={"sure": "yes"})

    assert (without.status_code, before) == (422, None)
    assert with_it.status_code == 200
    assert web.seat(match, 2).resigned_at is not None
    assert "declined" in web.mails("stalled")[0].data_json


def test_the_hosts_page_says_who_declined(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)
    client.post(f"{web.path(match, Purpose.JOIN, 2)}/decline", data={"sure": "yes"})

    page = client.get(web.path(match, Purpose.HOST, links.HOST))

    assert page.status_code == 200
    assert "Carol was invited and does not want to play." in page.text


# --- the public table ---


def test_the_table_tells_what_happened_and_replays_it(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=30)

    page = client.get(f"/m/{match.id}")
    steps = [client.get(f"/m/{match.id}?ply={ply}") for ply in (0, 5, match.ply)]
    beyond = [client.get(f"/m/{match.id}?ply={ply}").status_code for ply in (31_000, "x", "-1")]

    assert "All seats are taken: the match began." in client.get(f"/m/{match.id}?log=all").text
    assert "plays" in page.text
    assert [step.status_code for step in steps] == [200] * 3
    assert "after move 5 of" in steps[1].text
    assert "All hands" not in "".join(step.text for step in steps)
    assert beyond == [404] * 3


def test_all_hands_are_shown_once_the_match_is_over(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=10)
    remedies.abort(web.service, match.id, actor="host")

    page = client.get(f"/m/{match.id}?ply=2")

    assert "All hands" in page.text
    assert page.text.count("Your hand:") == 4
    assert "The match was ended early. Nobody won." in page.text


def test_the_record_has_the_same_bytes_by_page_and_by_program(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=12)

    page, api = client.get(f"/m/{match.id}/record"), client.get(f"/api/matches/{match.id}/record")

    assert page.data == api.data == history.canonical(looks.record(web.service, match.id))
    assert "seed" not in api.get_json()


# --- the player's own pages ---


def test_a_player_takes_the_seat_back_from_the_bot(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    remedies.put_bot(web.service, match.id, 1, actor="host")
    path = web.path(match, Purpose.SEAT, 1)

    shown = client.get(path)
    back = client.post(path, data={"do": "come-back"})

    assert "A bot plays for you" in shown.text
    assert back.status_code == 200
    assert web.seat(match, 1).bot is None


def test_a_player_changes_zone_and_language_and_mutes(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 0)

    client.post(path, data={"do": "settings", "zone": "Asia/Tokyo", "language": "es"})
    wrong = client.post(path, data={"do": "settings", "zone": "Mars/Base", "language": "es"})
    muted = client.post(path, data={"do": "mute"})

    seat = web.seat(match, 0)
    assert (seat.zone, seat.language) == ("Asia/Tokyo", "es")
    assert wrong.status_code == 422
    assert "Ya no recibes correo" in muted.text
    assert seat.muted_at is not None


def test_one_click_mutes_and_the_page_unmutes(web: WebHouse, client: FlaskClient) -> None:
    """RFC 8058: the mail program posts without ever opening the page."""
    match = web.running()
    with web.service.database.write("test") as session:
        table = load(session, match.id)
        link = links.make(session, Purpose.MUTE, table.match, table.seats[2], web.clock.now())
    path = f"/u/{web.token(link)}"

    shown = client.get(path)
    before = web.seat(match, 2).muted_at
    clicked = client.post(path, data={"List-Unsubscribe": "One-Click"})
    muted = web.seat(match, 2).muted_at
    client.post(path, data={"do": "unmute"})

    assert (shown.status_code, before) == (200, None)
    assert clicked.status_code == 200
    assert muted is not None
    assert web.seat(match, 2).muted_at is None


def test_standing_orders_are_left_and_taken_out(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=4)
    seat = next(seat for seat in range(4) if seat not in web.waiting(match))
    path = web.path(match, Purpose.SEAT, seat)

    left = client.post(path, data={"do": "leave", "orders": "K out\r\nA out\r\n"})
    number = found(left, r'name="standing" value="(\d+)"')
    gone = client.post(path, data={"do": "cancel", "standing": number})

    assert "<code>K out</code>" in left.text
    assert "<code>K out</code>" not in gone.text


def test_a_move_is_taken_back_only_with_the_box_ticked(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    web.play(match, 0)
    path = web.path(match, Purpose.SEAT, 0)

    without = client.post(path, data={"do": "take-back"})
    ply = web.match(match.id).ply
    done = client.post(path, data={"do": "take-back", "sure": "yes"})

    assert (without.status_code, ply) == (422, 1)
    assert done.status_code == 200
    assert web.match(match.id).ply == 2
    assert "took the last move back" in client.get(f"/m/{match.id}").text


def test_the_others_are_asked_whether_a_move_may_be_taken_back(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    web.play(match, 0)
    web.play(match, 1)
    going_back.propose(web.service, web.link(match, Purpose.SEAT, 0))
    path = f"/c/{web.token(web.link(match, Purpose.CONSENT, 2))}"

    shown = client.get(path)
    nothing = client.post(path, data={})
    given = client.post(path, data={"answer": "no"})

    assert "Alice asks to take the last move back" in shown.text
    assert nothing.status_code == 422
    assert "the move stands" in given.text


def test_giving_a_seat_up_is_asked_twice(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 3)

    asked = client.post(path, data={"do": "resign"})
    without = client.post(path, data={"do": "resign-now"})
    before = web.seat(match, 3).resigned_at
    client.post(path, data={"do": "resign-now", "sure": "yes"})

    assert "Give your seat up for good?" in asked.text
    assert (without.status_code, before) == (422, None)
    assert web.seat(match, 3).resigned_at is not None


# --- mail me my links ---


def test_every_address_gets_the_same_answer(web: WebHouse, client: FlaskClient) -> None:
    """Security 14: playing, hosting, muted, absent."""
    match = web.running()
    reach.mute(web.service, web.link(match, Purpose.SEAT, 2))
    asked = ["alice@example.org", "carol@example.org", "nobody@example.org"]

    answers = [client.post("/links", data={"email": email}) for email in asked]

    assert len({answer.data for answer in answers}) == 1
    assert [mail.address for mail in web.mails("my_links")] == asked


def test_one_network_asks_for_so_many_links_only(web: WebHouse, client: FlaskClient) -> None:
    far = {"REMOTE_ADDR": "203.0.113.9"}
    most = web.service.settings.limits.links_per_network_per_hour

    statuses = [
        client.post("/links", data={"email": f"p{number}@b.org"}, environ_base=far).status_code
        for number in range(most + 1)
    ]

    assert statuses == [200] * most + [429]


def test_an_address_is_asked_for_a_few_times_only(web: WebHouse, client: FlaskClient) -> None:
    answers = [client.post("/links", data={"email": "bob@example.org"}) for _ in range(12)]

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    most = web.service.settings.limits.links_per_address_per_hour + 1
    assert len(web.mails("my_links")) == most


# --- the host ---


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"remedy": "remind", "seat": "1"}, "Bob gets a mail"),
        ({"remedy": "extend", "seat": "1", "by": "24h"}, "Saturday, 6 June 2026, 12:00 UTC"),
        ({"remedy": "default", "seat": "1"}, "gentlest legal move"),
        ({"remedy": "bot", "seat": "1"}, "A bot plays for Bob"),
        ({"remedy": "replace", "seat": "1", "name": "Frank", "email": "f@example.org"}, "Frank"),
        ({"remedy": "correct-address", "seat": "1", "email": "b@example.org"}, "b@example.org"),
        ({"remedy": "reissue", "seat": "1"}, "stop working"),
        ({"remedy": "resign", "seat": "1"}, "loses the seat"),
        ({"remedy": "pause", "by": "7d"}, "9 June 2026"),
        ({"remedy": "reissue-host"}, "new one is mailed"),
        ({"remedy": "abort"}, "nobody wins"),
    ],
)
def test_a_remedy_says_what_it_does_before_it_does_it(
    web: WebHouse, client: FlaskClient, form: dict[str, str], told: str
) -> None:
    match = web.running()
    path = web.path(match, Purpose.HOST, -1)
    before = web.dump()

    preview = client.post(f"{path}/preview", data=form)
    without = client.post(f"{path}/apply", data=hidden(preview))
    unchanged = web.dump() == before
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})

    assert preview.status_code == 200
    assert told in preview.text
    assert (without.status_code, unchanged) == (422, True)
    assert done.status_code == 200
    assert told in done.text
    assert web.dump() != before


def test_a_host_cannot_set_a_match_back(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=6)
    path = web.path(match, Purpose.HOST, -1)

    page = client.post(f"{path}/apply", data={"remedy": "roll-back", "ply": "1", "sure": "yes"})

    assert page.status_code == 422
    assert web.match(match.id).ply == match.ply


def test_the_host_sees_why_a_match_waits_and_no_hand(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    web.play(match, 0)
    web.play(match, 2)
    web.play(match, 3)
    reach.mail_refused(web.service, match.id, 1, address("bob"), "550 no such user")

    page = client.get(web.path(match, Purpose.HOST, -1))

    assert "Mail to Bob does not arrive" in page.text
    assert "550 no such user" in page.text
    assert "Your hand" not in page.text


# --- the operator ---


def test_the_operator_logs_in_and_out_and_the_session_dies(
    web: WebHouse, client: FlaskClient
) -> None:
    """Security 10: argon2, rotated on login, killed on the server at logout."""
    first = web.log_in(client)
    one = client.get_cookie("pbem_operator")
    web.log_in(client)
    two = client.get_cookie("pbem_operator")
    console = client.get("/operator")
    client.post("/operator/logout", data={"csrf_token": secret(console)})
    stolen = web.app.test_client()
    assert one is not None
    assert two is not None
    stolen.set_cookie("pbem_operator", two.value)

    assert (first.status_code, console.status_code) == (303, 200)
    assert one.value != two.value
    assert (two.http_only, two.same_site) == (True, "Strict")
    assert stolen.get("/operator").status_code == 303
    with web.service.database.read() as session:
        assert session.get(OperatorSession, hashlib.sha256(one.value.encode()).hexdigest()) is None


def test_a_wrong_password_and_a_missing_form_secret_are_refused(
    web: WebHouse, client: FlaskClient
) -> None:
    page = client.get("/operator/login")
    form = {"name": "operator", "password": "wrong", "csrf_token": secret(page)}

    assert client.post("/operator/login", data=form).status_code == 401
    del form["csrf_token"]
    assert client.post("/operator/login", data=form).status_code == 400
    assert client.get("/operator").status_code == 303


def test_logins_are_limited(web: WebHouse, client: FlaskClient) -> None:
    page = client.get("/operator/login")
    form = {"name": "operator", "password": "wrong", "csrf_token": secret(page)}

    statuses = [client.post("/operator/login", data=form).status_code for _ in range(12)]

    assert statuses == [401] * 10 + [429] * 2


def test_without_a_password_hash_there_are_no_operators_pages(tmp_path, sqlite_url) -> None:
    service = web_service(tmp_path, sqlite_url, operator=Operator())
    client = create_app(service).test_client()

    assert client.get("/operator").status_code == 404
    assert client.get("/operator/login").status_code == 404
    service.database.close()


def test_the_operator_sets_a_match_back_and_it_is_on_record(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=8)
    web.log_in(client)
    path = f"/operator/match/{match.id}"
    form = {"remedy": "roll-back", "ply": "4", "csrf_token": secret(client.get(path))}

    preview = client.post(f"{path}/preview", data=form)
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})
    forged = client.post(f"{path}/apply", data={"remedy": "abort", "sure": "yes"})

    assert "after move 4" in preview.text
    assert done.status_code == 200
    assert "The operator set the match back to move 4." in done.text
    assert forged.status_code == 400
    assert web.match(match.id).status == "running"


def test_numbers_are_for_this_machine_and_the_operator(web: WebHouse, client: FlaskClient) -> None:
    far = {"REMOTE_ADDR": "203.0.113.9"}

    near = client.get("/metrics")
    stranger = client.get("/metrics", environ_base=far)
    behind = client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"})

    assert near.status_code == 200
    assert "pbem_request_seconds" in near.text
    assert (stranger.status_code, behind.status_code) == (404, 404)


def test_numbers_tell_moves_owed_mails_and_stalls(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)
    client.post(f"{web.path(match, Purpose.JOIN, 2)}/decline", data={"sure": "yes"})
    web.play_on(web.running(), plies=5)

    told = client.get("/metrics").text

    assert 'pbem_stalled_matches{reason="declined"} 1.0' in told
    assert 'pbem_stalled_matches{reason="lobby"} 0.0' in told
    assert f'pbem_outbox{{status="pending"}} {len(web.mails())}.0' in told
    assert re.search(r'pbem_plies_total\{game="dog",made_by="link"\} [1-9]', told)


# --- programs ---


def test_a_program_opens_a_match(web: WebHouse, client: FlaskClient) -> None:
    body = {
        "game": "dog",
        "options": {"discard": "one"},
        "host": {"name": "Alice", "email": "alice@example.org"},
        "seats": [{"name": "Alice", "email": "alice@example.org"}, *([{"bot": "easy"}] * 3)],
        "clock": {"turn": "72h", "reserve": "96h", "grace": "15m"},
        "language": "en",
        "confirmed": True,
    }

    answer = client.post("/api/matches", json=body)
    web.work()
    known = client.get(f"/api/matches/{answer.get_json()['match']}").get_json()

    assert answer.status_code == 201
    assert known["status"] == "running"
    assert known["seats"][0] == {"seat": 0, "name": "Alice", "kind": "player", "joined": True}
    assert [turn["seat"] for turn in known["open_turns"]] == [0]
    assert known["open_turns"][0]["due_at"] == "2026-06-05T12:00:00+00:00"
    assert len(known["commitment"]) == len(known["chain_head"]) == 64
    assert "example.org" not in str(known).replace(known["url"], "")


@pytest.mark.parametrize(
    ("change", "status", "word"),
    [
        ({"is_host": True}, 422, "is_host"),
        ({"seats": []}, 422, "players"),
        ({"game": "chess"}, 422, "chess"),
        ({"options": {"nonsense": 1}}, 422, "nonsense"),
        ({"options": {"discard": "two"}}, 422, "discard"),
        ({"clock": {"turn": "soon"}}, 422, "turn"),
        ({"host": {"name": "A", "email": "a"}}, 422, "e-mail"),
        ({"seats": [{"name": "A", "email": "a@b.c", "bot": "easy"}] * 4}, 422, "both"),
        ({"language": "fr"}, 422, "fr"),
        ({"zone": "Mars"}, 422, "Mars"),
    ],
)
def test_what_a_program_cannot_open(
    web: WebHouse, client: FlaskClient, change: dict[str, object], status: int, word: str
) -> None:
    body = {
        "game": "dog",
        "host": {"name": "Alice", "email": "alice@example.org"},
        "seats": [{"bot": "easy"}] * 4,
        **change,
    }

    answer = client.post("/api/matches", json=body)

    assert answer.status_code == status
    assert word in answer.get_json()["error"]["message"]
    assert matches_of(web) == []


def test_what_is_not_json_is_said_to_be_so(web: WebHouse, client: FlaskClient) -> None:
    bad = [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":NaN}']

    answers = [
        client.post("/api/matches", data=body, content_type="application/json") for body in bad
    ]
    form = client.post("/api/matches", data={"game": "dog"})

    assert [answer.status_code for answer in answers] == [400] * len(bad)
    assert form.status_code == 415


# --- the embedded mailbox ---


def test_the_mailbox_takes_and_shows_mail(web: WebHouse, client: FlaskClient) -> None:
    raw = b"From: bob@example.org\r\nTo: a@example.org\r\nSubject: Hello\r\n\r\nHow are you?\r\n"

    taken = client.post("/dev/mail", data=raw, content_type="message/rfc822")
    number = taken.get_json()["id"]
    listed = client.get("/dev/mail?to=a@example.org").get_json()
    later = client.get(f"/dev/mail?after={number}").get_json()
    page = client.get("/dev/mail", headers={"Accept": "text/html"})
    one = client.get(f"/dev/mail/{number}", headers={"Accept": "text/html"})

    assert taken.status_code == 202
    assert [(mail["to"], mail["from"], mail["subject"]) for mail in listed] == [
        ("a@example.org", "bob@example.org", "Hello")
    ]
    assert later == []
    assert "Hello" in page.text
    assert "frame-src 'self'" in one.headers["Content-Security-Policy"]


def test_a_mail_is_shown_in_a_frame_that_runs_nothing(web: WebHouse, client: FlaskClient) -> None:
    raw = b"To: a@example.org\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>"
    number = mailbox.receive(web.service, raw)

    answer = client.get(f"/dev/mail/{number}/html")

    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert "allow-scripts" not in policy


def test_there_is_no_mailbox_where_mail_is_really_sent(tmp_path, sqlite_url) -> None:
    service = web_service(tmp_path, sqlite_url, mail=Mail(mode="smtp"), limits=Limits())
    client = create_app(service).test_client()

    assert [client.get("/dev/mail").status_code, client.post("/dev/mail").status_code] == [404, 404]
    assert client.post("/demo").status_code == 404
    service.database.close()


# --- the first page ---


def test_the_demo_leads_to_a_first_turn(web: WebHouse, client: FlaskClient) -> None:
    answer = client.post("/demo", data={"game": "dog"})

    page = client.get(answer.location)
    assert answer.status_code == 303
    assert "Your turn" in page.text


def test_a_reader_chooses_a_language(web: WebHouse, client: FlaskClient) -> None:
    browser = {"Accept-Language": "es-MX,en;q=0.5"}

    first = client.get("/", headers=browser)
    chosen = client.post("/language", data={"language": "en", "back": "/rules/dog"})
    then = client.get("/", headers=browser)

    assert '<html lang="es">' in first.text
    assert chosen.location == "/rules/dog"
    assert '<html lang="en">' in then.text


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example", "/\\evil", "/t/x", "/operator", "/nope", ""]
)
def test_the_language_leads_back_to_pages_of_ours_only(
    web: WebHouse, client: FlaskClient, back: str
) -> None:
    """Security 7."""
    answer = client.post("/language", data={"language": "es", "back": back})

    assert answer.location == "/"


def test_the_rules_of_every_game_are_told(web: WebHouse, client: FlaskClient) -> None:
    page = client.get("/rules/dog", headers={"Accept-Language": "es"})
    listed = client.get("/rules")

    assert "recién salido" in page.text
    for game in re.findall(r'href="(/rules/[^"]+)"', listed.text):
        assert client.get(game).status_code == 200
    assert client.get("/rules/chess").status_code == 404
