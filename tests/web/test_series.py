"""Leagues and tournaments: made, entered and looked after on their pages, or by a program."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from flask.testing import FlaskClient
from sqlmodel import select

from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.people.series.rows import Rows
from pbem.people.sweep import sweep as keep_company
from pbem.present import series as shown
from pbem.store import links
from pbem.store.models import Match, Series, SeriesPlayer, SeriesSeat
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import NAMES, address
from tests.web.house import WebHouse
from tests.web.series import FORM, PAGE, PROGRAM, made, mailed, rows, signed_in


def test_a_host_makes_a_series_by_a_form(web: WebHouse) -> None:
    alice = signed_in(web, "Alice")

    form = alice.get("/series/new?game=dog", headers=PAGE).text
    wrong = alice.post("/series/new", data={**FORM, "rounds": "0"})
    unknown = alice.post("/series/new", data={**FORM, "colour": "red"})
    path = alice.post("/series/new", data=FORM).location

    series = rows(web).series
    assert 'name="option-discard"' in form
    assert (wrong.status_code, unknown.status_code) == (422, 422)
    assert "Friday Cup" in wrong.text
    assert "“Rounds” must be between 1 and 30." in wrong.text
    assert re.search(r'<input[^>]*id="rounds"[^>]*aria-invalid="true"', wrong.text)
    assert path == f"/series/{series.id}"
    assert (series.kind, series.rounds, series.round_days) == ("swiss", 2, 14)
    assert '"turn":86400' in series.clock_json
    assert '"discard":"one"' in series.options_json


def test_a_form_that_is_sent_twice_makes_one_series(web: WebHouse) -> None:
    alice = signed_in(web, "Alice")
    page = alice.get("/series/new?game=dog&form_key=chosen", headers=PAGE).text
    key = re.search(r'name="form_key" value="([^"]+)"', page)
    assert key is not None
    assert key[1] != "chosen"

    sent = [alice.post("/series/new", data={**FORM, "form_key": key[1]}) for _ in range(2)]
    other = alice.post("/series/new", data={**FORM, "form_key": key[1], "rounds": "3"})

    first, second, changed = (answer.location for answer in (*sent, other))
    assert first == second != changed
    with web.service.database.read() as session:
        assert len(session.exec(select(Series)).all()) == 2


def test_a_form_that_is_sent_twice_at_the_same_moment_makes_one_series(web: WebHouse) -> None:
    alice = signed_in(web, "Alice")
    browsers = [alice, signed_in(web, "Alice")]
    with ThreadPoolExecutor(2) as threads:
        sent = threads.map(
            lambda browser: browser.post("/series/new", data={**FORM, "form_key": "k"}), browsers
        )

    assert len({answer.location for answer in sent}) == 1
    assert rows(web).series


def test_who_is_not_signed_in_cannot_make_or_lead_one(web: WebHouse, client: FlaskClient) -> None:
    _alice, path = made(web)

    asked = client.get("/series/new", headers=PAGE)
    posted = client.post("/series/new", data=FORM)
    new = {"name": "x", "game": "dog", "seats": 4, "rounds": 1}
    by_program = client.post("/api/series", json=new, headers=PROGRAM)
    started = client.post(f"{path}/next", data={"round": "0"})
    by_bob = signed_in(web, "Bob").post(f"{path}/next", data={"round": "0"})

    assert 'type="email"' in asked.text
    assert [one.status_code for one in (posted, by_program, started)] == [401, 401, 401]
    assert by_bob.status_code == 404


def test_a_series_from_its_start_to_its_first_round_as_pages(web: WebHouse) -> None:
    alice, path = made(web)
    players = {name: signed_in(web, name) for name in NAMES[1:]} | {"Alice": alice}
    for name, browser in players.items():
        assert browser.post(f"{path}/enter", data={"name": name}).status_code == 303
    taken = players["Bob"].post(f"{path}/enter", data={"name": "Bob"})

    early = alice.get(path, headers=PAGE).text
    alice.post(f"{path}/next", data={"round": "0"})
    alice.post(f"{path}/next", data={"round": "0"})
    keep_company(web.service)
    late = alice.get(path, headers=PAGE).text
    (table,) = re.findall(r'href="(/m/\w+)">Table 1</a>', late)
    back = alice.get(table, headers=PAGE).text
    remedies.abort(web.service, table.removeprefix("/m/"), actor="operator")
    told = mailed(web, "Carol", r"/series/\w+")
    sure = players["Bob"].post(f"{path}/withdraw", data={})
    players["Bob"].post(f"{path}/withdraw", data={"sure": "yes"})

    assert taken.status_code == 303
    assert "Start: draw the first round" in early
    assert rows(web).series.round == 1
    assert "Round 1 of 2 is being played." in late
    assert f'href="{path}">Friday Cup: all tables' in back
    assert told == path
    assert sure.status_code == 422
    assert "Bob" in [one.name for one in rows(web).players if one.place == "out"]


def test_the_page_of_a_series_says_how_many_must_enter(web: WebHouse) -> None:
    alice, path = made(web, enter_days="5")
    before = alice.get(path, headers=PAGE).text
    refused = alice.post(f"{path}/next", data={"round": "0"})
    for name in NAMES:
        signed_in(web, name).post(f"{path}/enter", data={"name": name})

    after = alice.get(path, headers=PAGE).text
    told = alice.get(path, headers=PROGRAM).json

    assert "It needs 4 players to begin: 4 more have to enter." in before
    assert "If too few have entered by then, it ends without a match." in before
    assert "for one table at least: 4" in refused.text
    assert "It needs 4 players to begin, and 4 have entered." in after
    assert "If too few" not in after
    assert told is not None
    assert told["fewest"] == 4
    assert told["enter_until"] == "2026-06-07T12:00:00+00:00"


def test_who_waits_for_a_place_reads_who_is_ahead_and_what_happens_next(web: WebHouse) -> None:
    alice, path = made(web, most="4", rounds="1")
    names = (*NAMES, "Erin", "Frank", "Gwen")
    browsers = {name: signed_in(web, name) for name in names}
    for name, browser in browsers.items():
        browser.post(f"{path}/enter", data={"name": name})

    pages = [browsers[name].get(path, headers=PAGE).text for name in names[4:]]
    home = browsers["Gwen"].get("/home", headers=PAGE).text
    told = browsers["Gwen"].get("/home", headers=PROGRAM).json
    mailed(web, "Frank", r"/series/\w+")
    mail = mailbox.listed(web.service, address("Frank"))[-1].text
    spanish = browsers["Gwen"].get(path, headers={**PAGE, "Accept-Language": "es"}).text
    alice.post(f"{path}/next", data={"round": "0"})
    last = browsers["Gwen"].get(path, headers=PAGE).text

    assert "You wait for a place, as Erin, and are the first in line." in pages[0]
    assert "as Frank. 1 person is ahead of you." in pages[1]
    assert "as Gwen. 2 people are ahead of you." in pages[2]
    assert all("free places go to those who have waited longest" in page for page in pages)
    assert "as Gwen. 2 people are ahead of you." in home
    assert told is not None
    assert told["series"][0]["ahead"] == 2
    assert "1 person is ahead of you" in mail
    assert "2 personas van antes que tú" in spanish
    assert "no place becomes free any more" in last


def test_a_host_calls_a_series_off_and_all_are_told(web: WebHouse) -> None:
    alice, path = made(web)
    bob = signed_in(web, "Bob")
    bob.post(f"{path}/enter", data={"name": "Bob"})

    by_bob = bob.post(f"{path}/call-off", data={"sure": "yes"}).status_code
    unsure = alice.post(f"{path}/call-off", data={}).status_code
    before = alice.get(path, headers=PAGE).text
    home = alice.get("/home", headers=PAGE).text
    done = alice.post(f"{path}/call-off", data={"sure": "yes"})
    again = alice.post(f"{path}/call-off", json={}, headers=PROGRAM).json
    after = alice.get(path, headers=PAGE).text

    assert (by_bob, unsure, done.status_code) == (404, 422, 303)
    assert f'href="{path}#host"' in home
    assert '<section id="host">' in before
    assert "<summary>Call the series off</summary>" in before
    assert "It was called off." in after
    assert "Call the series off" not in after
    assert again is not None
    assert (again["status"], again["called_off"]) == ("over", True)
    while post_due(web.service):
        pass
    told = mailbox.listed(web.service, address("Bob"))[-1]
    assert told.subject == "Friday Cup was called off"
    assert "Friday Cup was called off: no more rounds are drawn." in told.text
    assert "1. Bob" not in told.text


def test_a_series_called_off_before_its_first_match_says_so_and_shows_its_players(
    web: WebHouse,
) -> None:
    alice, path = made(web)
    for name in NAMES:
        browser = alice if name == "Alice" else signed_in(web, name)
        browser.post(f"{path}/enter", data={"name": name})
    alice.post(f"{path}/next", data={"round": "0"})

    alice.post(f"{path}/call-off", data={"sure": "yes"})
    page = alice.get(path, headers=PAGE).text

    assert "That was before its first match began." in page
    assert "<h2>Players</h2>" in page
    assert ", ".join(NAMES) in page
    assert "A win is 12 points" not in page


def test_nobody_leaves_a_series_that_is_over(web: WebHouse) -> None:
    alice, path = made(web)
    bob = signed_in(web, "Bob")
    bob.post(f"{path}/enter", data={"name": "Bob"})
    alice.post(f"{path}/call-off", data={"sure": "yes"})

    answer = bob.post(f"{path}/withdraw", json={}, headers=PROGRAM)

    assert answer.status_code == 409
    assert "This series is over." in answer.text
    assert [player.place for player in rows(web).players] == ["in"]


def test_what_a_program_says_of_leaving_and_calling_off_is_read(web: WebHouse) -> None:
    alice, path = made(web)
    alice.post(f"{path}/enter", data={"name": "Alice"})
    wrong: list[Any] = [{"sure": "no"}, {"sure": ""}, {"x": 1}, {"sure": "yes", "x": 1}, []]

    doors = [f"{path}/withdraw", f"{path}/call-off"]
    refused = [
        alice.post(door, json=body, headers=PROGRAM).status_code for door in doors for body in wrong
    ]
    before = rows(web)
    left = alice.post(doors[0], headers=PROGRAM)
    ended = alice.post(doors[1], json={"sure": "yes"}, headers=PROGRAM)

    assert refused == [422] * 10
    assert (before.series.status, [one.place for one in before.players]) == ("open", ["in"])
    assert (left.status_code, ended.status_code) == (200, 200)
    assert rows(web).series.called_off
    assert [one.place for one in rows(web).players] == ["out"]


def test_the_host_of_a_series_sees_no_address_of_its_players(web: WebHouse) -> None:
    alice, path = made(web)
    for name in NAMES:
        browser = alice if name == "Alice" else signed_in(web, name)
        browser.post(f"{path}/enter", data={"name": name})
    alice.post(f"{path}/next", data={"round": "0"})
    keep_company(web.service)
    web.work()

    with web.service.database.read() as session:
        (opened,) = session.exec(select(Match))
    page = alice.get(web.path(opened, Purpose.HOST, links.HOST), headers=PAGE).text

    assert "Carol" in page
    assert not [name for name in ("bob", "carol", "dave") if f"{name}@example.org" in page]


def test_a_program_makes_one_and_reads_it(web: WebHouse) -> None:
    alice = signed_in(web, "Alice")
    wanted: dict[str, Any] = {"name": "League", "game": "dog", "seats": 3, "rounds": 1}

    answer = alice.post("/api/series", json=wanted, headers=PROGRAM)
    path = answer.location.removeprefix("http://localhost")
    for name in NAMES[:3]:
        browser = alice if name == "Alice" else signed_in(web, name)
        browser.post(f"{path}/enter", json={"name": name}, headers=PROGRAM)
    begun = alice.post(f"{path}/next", json={"round": "0"}, headers=PROGRAM).json
    keep_company(web.service)
    told = web.app.test_client().get(path, headers=PROGRAM).json

    assert answer.status_code == 201
    assert begun is not None
    assert (begun["status"], begun["round"]) == ("running", 1)
    assert told is not None
    assert {one["name"] for one in told["standing"]} == set(NAMES[:3])
    unnumbered = alice.post(f"{path}/next", json={}, headers=PROGRAM).status_code
    by_form = alice.post(f"{path}/next", data={}).status_code
    assert (unnumbered, by_form) == (422, 422)
    (table,) = told["tables"]
    match = web.app.test_client().get(f"/m/{table['match']}", headers=PROGRAM).json
    assert match is not None
    assert match["series"] == told["link"]
    assert table["link"] == f"http://localhost/m/{table['match']}"
    assert "@" not in str(told)
    listed = web.app.test_client().get("/series", headers=PROGRAM).json
    assert listed is not None
    assert [one["name"] for one in listed] == ["League"]


def test_the_pages_of_a_turn_and_a_seat_link_the_series_of_their_match(
    web: WebHouse, client: FlaskClient
) -> None:
    alice, path = made(web)
    for name in NAMES:
        browser = alice if name == "Alice" else signed_in(web, name)
        browser.post(f"{path}/enter", data={"name": name})
    alice.post(f"{path}/next", data={"round": "0"})
    keep_company(web.service)
    web.work()
    with web.service.database.read() as session:
        (match,) = session.exec(select(Match))
    turn, seat = web.turn_path(match, 0), web.path(match, Purpose.SEAT, 0)
    alone = web.running()

    pages = [client.get(one, headers=PAGE).text for one in (turn, seat)]
    told = [client.get(one, headers=PROGRAM).json for one in (turn, seat)]
    web.play(match, 0)
    closed = client.get(turn, headers=PAGE).text
    without = client.get(web.turn_path(alone, 0), headers=PROGRAM).json

    link = f'<a href="{path}">Friday Cup: all tables and the standings</a>'
    assert all(link in page for page in (*pages, closed))
    assert [one and one["series"] for one in told] == [f"http://localhost{path}"] * 2
    assert without is not None
    assert without["series"] is None


def test_the_page_of_a_series_leads_a_player_to_their_match(web: WebHouse) -> None:
    alice, path = made(web)
    players = {name: signed_in(web, name) for name in NAMES[1:]} | {"Alice": alice}
    for name, browser in players.items():
        browser.post(f"{path}/enter", data={"name": name})
    before = players["Bob"].get(path, headers=PAGE).text
    alice.post(f"{path}/next", data={"round": "0"})
    keep_company(web.service)
    web.work()

    page = players["Bob"].get(path, headers=PAGE).text
    by_others = web.app.test_client().get(path, headers=PAGE).text
    (match_id,) = re.findall(r'<button name="match" value="(\w+)">To your match</button>', page)
    led = players["Bob"].post("/home/link", data={"match": match_id})
    theirs = players["Bob"].get(led.location, headers=PROGRAM).json
    remedies.abort(web.service, match_id, actor="operator")
    keep_company(web.service)
    after = players["Bob"].get(path, headers=PAGE).text

    assert theirs is not None
    assert theirs["match"] == match_id
    assert not any("To your match" in one for one in (before, by_others))
    assert f'value="{match_id}"' not in after


def test_who_waits_for_a_new_table_is_led_to_the_match_that_they_still_play() -> None:
    seats = tuple(SeriesSeat(round=number, number=1, player=7) for number in (1, 2))
    player = SeriesPlayer(number=7)
    found = Rows(Series(), (player,), seats)

    assert shown.own_match(found, {(1, 1): "first"}, player) == "first"
    assert shown.own_match(found, {(1, 1): "first", (2, 1): "second"}, player) == "second"
    assert shown.own_match(found, {(1, 1): "first"}, SeriesPlayer(number=8)) == ""


def test_a_home_tells_of_the_series_that_one_entered_or_hosts(web: WebHouse) -> None:
    alice, path = made(web)
    bob = signed_in(web, "Bob")
    before = bob.get("/home", headers=PROGRAM).json
    bob.post(f"{path}/enter", data={"name": "Bobby"})

    told = [browser.get("/home", headers=PROGRAM).json for browser in (alice, bob)]
    page = bob.get("/home", headers=PAGE).text
    bob.post(f"{path}/withdraw", json={}, headers=PROGRAM)
    after = bob.get("/home", headers=PROGRAM).json

    assert before is not None
    assert after is not None
    assert before["series"] == after["series"] == []
    by_alice, by_bob = [one["series"] for one in told if one is not None]
    assert [(one["entered_as"], one["place"], one["hosts"]) for one in by_alice + by_bob] == [
        (None, None, True),
        ("Bobby", "in", False),
    ]
    assert by_bob[0]["link"] == f"http://localhost{path}"
    assert (by_bob[0]["name"], by_bob[0]["status"]) == ("Friday Cup", "open")
    assert f'<a href="{path}">Friday Cup</a>' in page
    assert "You play here as Bobby." in page


def test_there_is_no_series_of_another_id(web: WebHouse, client: FlaskClient) -> None:
    for path in ("/series/nothing", "/series/%2e%2e", "/series/enter/1-aaaa"):
        assert client.get(path).status_code == 404
    assert client.post("/series/nothing/enter", data={"name": "x"}).status_code == 404
