"""Home: all matches of who is signed in, on a page and as JSON; their groups."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import col, delete

from pbem.acts import matches
from pbem.store.models import Link, Match
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import SHORT, address, people
from tests.web.conftest import world_of
from tests.web.house import WebHouse
from tests.web.test_signing_in import signed_in

JSON = {"Accept": "application/json"}
ERIN = matches.Person(name="Erin", email=address("erin"))


def at_home(client: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/home", headers=JSON).json
    return found


def of(some: list[dict[str, Any]]) -> list[str]:
    return [one["match"] for one in some]


# --- what stands there ---


def test_each_match_stands_where_it_asks_for_something(any_web: WebHouse) -> None:
    web = any_web
    mine, theirs = web.running(name="Mine"), web.running(host=ERIN)
    invited = web.open(confirmed=False, host=ERIN)
    over = web.running()
    remedies.abort(web.service, over.id, actor="host")
    for seat in web.waiting(theirs):
        if seat == 0:
            web.play(theirs, seat)
            web.work()

    alice = signed_in(web, "alice")
    seen, page = at_home(alice), alice.get("/home", headers={"Accept": "text/html"}).text

    parts = ["turns", "invitations", "waiting", "hosting", "finished"]
    assert re.findall(r'<section id="(\w+)"', page) == parts
    assert of(seen["turns"]) == [mine.id]
    assert of(seen["waiting"]) == [theirs.id]
    assert of(seen["invitations"]) == [invited.id]
    assert of(seen["hosting"]) == [mine.id]
    assert of(seen["finished"]) == [over.id]
    turn = seen["turns"][0]
    due_at = web.turn(mine, 0).due_at
    assert due_at is not None
    assert turn == {
        "match": mine.id,
        "game": "dog",
        "name": "Mine",
        "due_at": due_at.isoformat(),
        "link": f"http://localhost{web.turn_path(mine, 0)}",
    }
    assert seen["waiting"][0]["waits_for"] == ["Bob", "Carol", "Dave"]
    assert seen["invitations"][0]["link"].endswith(web.path(invited, Purpose.JOIN, 0))
    assert seen["finished"][0]["outcome"] == "The match was ended early. Nobody won."


def test_what_a_match_waits_for_and_since_when_are_two_sentences(web: WebHouse) -> None:
    web.open(seats=[people(1)[0], *(matches.NewSeat(open=True) for _ in range(3))])

    page = " ".join(signed_in(web, "alice").get("/home").text.split())

    assert re.search(
        r'Not joined yet: 3 open seats\. <span class="quiet">Since <time.*?\.</span>', page
    )


def test_the_page_says_the_same_with_links_that_work(web: WebHouse) -> None:
    match = web.running(name="Friday")
    invited = web.open(confirmed=False, host=ERIN)
    client = signed_in(web, "alice")

    page = client.get("/home")

    for path in (
        web.turn_path(match, 0),
        web.path(match, Purpose.HOST, -1),
        web.path(invited, Purpose.JOIN, 0),
    ):
        assert path in page.text
        assert client.get(path).status_code == 200
    assert "Erin invites you, with Bob, Carol and Dave" in page.text


def test_a_host_who_plays_too_is_named_once_where_they_invite(web: WebHouse) -> None:
    web.open(confirmed=False)

    page = signed_in(web, "bob").get("/home")

    assert "Alice invites you, with Carol and Dave" in page.text


def test_turns_stand_by_their_deadlines_and_the_next_one_leads_through_them(
    web: WebHouse,
) -> None:
    late = web.running(clock={"turn": "5d"})
    soon = web.running(clock={"turn": "1d"})
    without = web.running(clock={"kind": "none"})
    client = signed_in(web, "alice")

    first = client.get("/home/next").location
    seen = of(at_home(client)["turns"])

    assert seen == [soon.id, late.id, without.id]
    assert first.endswith(web.turn_path(soon, 0))
    assert "1 of 3: " in client.get("/home").text
    for number, match in enumerate((soon, late, without), start=1):
        there = web.turn_path(match, 0)
        assert f"Turn {number} of 3<" in client.get(there).text
        assert "of 3<" not in web.app.test_client().get(there).text


def test_of_an_overdue_turn_it_is_said_when_its_reserve_is_over(web: WebHouse) -> None:
    match = web.running(clock={"turn": "1d", "reserve": "2d", "grace": "1h"})
    final = web.turn(match, 0).final_at
    client = signed_in(web, "alice")
    web.wait(days=1, minutes=1)

    page = client.get("/home").text

    assert final is not None
    assert f'overdue: until <time datetime="{final.isoformat()}"' in page


def test_after_a_move_who_is_signed_in_goes_on_to_the_next_of_all_their_turns(
    web: WebHouse,
) -> None:
    soon, late = web.running(clock={"turn": "1d"}), web.running(clock={"turn": "5d"})
    client = signed_in(web, "alice")
    there, stranger = web.turn_path(soon, 0), web.app.test_client()

    web.play(soon, 0)
    web.work()
    closed = client.get(there)
    onward = client.get(f"{there}/next", headers=JSON).json

    assert f"{there}/next" in closed.text
    assert onward == {"link": web.turn_path(late, 0)}
    # somebody else's device does not go on in mailbox mode either, if it is another person's turn
    carols = signed_in(web, "carol").get(f"{there}/next", headers=JSON).json
    assert carols == {"link": None}
    assert stranger.get("/home/next").status_code == 401


def test_looking_makes_no_link_and_a_button_does(web: WebHouse) -> None:
    match = web.running()
    web.play(match, 0)
    client = signed_in(web, "alice")
    with web.service.database.write("test") as session:
        session.execute(delete(Link).where(col(Link.purpose) == Purpose.SEAT))

    (waits,) = at_home(client)["waiting"]
    page = client.get("/home")
    made = client.post("/home/link", data={"match": match.id})

    assert waits["link"] is None
    assert 'action="/home/link"' in page.text
    assert made.location == f"http://localhost{web.path(match, Purpose.SEAT, 0)}"
    assert client.post("/home/link", json={"match": "nothing"}).status_code == 404


def test_a_host_reads_what_their_matches_need(web: WebHouse) -> None:
    web.open(confirmed=False)
    web.clock.move(timedelta(days=3))

    (hosted,) = at_home(signed_in(web, "alice"))["hosting"]

    assert hosted["needs"] == ["Not all players have joined."]


def test_finished_matches_come_twelve_at_a_time_with_their_results(any_web: WebHouse) -> None:
    web = any_web
    over = []
    for _ in range(15):
        match = web.open(bots=2)
        remedies.abort(web.service, match.id, actor="host")
        web.clock.move(timedelta(minutes=1))
        over.append(match.id)
    client = signed_in(web, "bob")

    first = at_home(client)["finished"]
    older = client.get("/home/finished", headers=JSON).json["older"]
    rest = client.get("/home/finished", headers=JSON, query_string={"before": older}).json

    assert of(first) == over[:2:-1]
    assert of(rest["finished"]) == over[2::-1]
    assert rest["older"] == ""
    assert "/home/finished?before=" in client.get("/home").text
    assert client.get("/home/finished?before=nonsense").status_code == 200


def test_who_won_is_told(web: WebHouse) -> None:
    match = web.play_on(web.running(bots=2, options=SHORT))
    winners = [name for name in ("Alice", "Bob") if _won(web, match, name)]

    told = {name: at_home(signed_in(web, name))["finished"][0]["won"] for name in ("alice", "bob")}

    assert told == {"alice": "Alice" in winners, "bob": "Bob" in winners}


def _won(web: WebHouse, match: Match, name: str) -> bool:
    outcome = web.match(match.id).outcome_json
    assert outcome is not None
    return ["Alice", "Bob"].index(name) in json.loads(outcome)["winners"]


# --- pictures, and what nobody else sees ---


def test_the_small_picture_is_what_ones_own_seat_sees(web: WebHouse) -> None:
    match = web.running()
    client = signed_in(web, "bob")
    path = f"/home/picture/{match.id}.svg"

    light, dark = client.get(path), client.get(f"{path}?sheet=dark")
    again = client.get(path, headers={"If-None-Match": light.headers["ETag"]})

    assert light.mimetype == "image/svg+xml"
    assert light.data != dark.data
    assert again.status_code == 304
    assert "var(--" not in light.text
    for other in (signed_in(web, "erin"), web.app.test_client()):
        assert other.get(path).status_code == 404
    assert signed_in(web, "carol").get(path).data != light.data


def test_who_has_resigned_sees_no_picture_of_the_seat(web: WebHouse) -> None:
    match = web.running()
    client = signed_in(web, "bob")
    seat, picture = web.path(match, Purpose.SEAT, 1), f"/home/picture/{match.id}.svg"
    before = client.get(picture).status_code

    client.post(seat, data={"do": "resign-now", "sure": "yes"})

    assert web.seat(match, 1).resigned_at is not None
    assert (before, client.get(picture).status_code) == (200, 404)


def test_a_browser_keeps_a_picture_until_something_happened(web: WebHouse) -> None:
    match = web.running()
    client = signed_in(web, "bob")

    def address() -> str:
        found = re.search(r"/home/picture/\w+\.svg\?v=\w+", client.get("/home").text)
        assert found is not None
        return found[0]

    first = address()
    kept, unnamed = client.get(first), client.get(first.partition("?")[0])
    # all give a card, and then somebody plays one, which everybody sees
    for seat in (0, 1, 2, 3):
        web.play(match, seat)
    web.work()
    while web.waiting(match) != [1]:
        web.play(match, web.waiting(match)[0])
        web.work()

    assert "max-age=86400" in kept.headers["Cache-Control"]
    assert "no-cache" in unnamed.headers["Cache-Control"]
    assert address() != first
    assert "no-cache" in client.get(first).headers["Cache-Control"]


def test_what_others_do_in_secret_changes_nothing_at_home(web: WebHouse, tmp_path: Path) -> None:
    """Threat 2.1: two matches that differ in a card that somebody gave look the same to others."""
    match = web.running()
    signed_in(web, "alice")
    asked = ("/home", f"/home/picture/{match.id}.svg")
    seen = []

    for number, order in enumerate(web.orders(match, 2)[:2]):
        with world_of(web, tmp_path / f"{number}.sqlite3") as world:
            client = signed_in(world, "alice")
            world.play(match, 2, order)
            world.work()
            answers = [client.get(one, headers=h) for one in asked for h in ({}, JSON)]
            seen.append([(answer.status_code, answer.data) for answer in answers])

    assert {status for status, _ in seen[0]} == {200}
    assert seen[0] == seen[1]


def test_a_home_has_nothing_of_anybody_elses(web: WebHouse) -> None:
    match = web.running()

    stranger = signed_in(web, "erin").get("/home").text

    assert match.id not in stranger
    assert "You have no matches yet." in stranger


def test_long_lists_are_cut_and_the_rest_is_a_link_away(web: WebHouse) -> None:
    for _ in range(14):
        web.running(host=ERIN)
    client = signed_in(web, "bob")

    first, second = client.get("/home"), client.get("/home?page=2")
    told = [client.get(f"/home{page}", headers=JSON) for page in ("", "?page=2", "?page=x")]

    # each has two links, and its picture is there for light and dark
    assert (first.text.count("/t/"), second.text.count("/t/")) == (2 * 12, 2 * 2)
    assert first.text.count("/home/picture/") == 2 * 12
    assert "And 2 more" in first.text
    assert "And" not in second.text.partition("<main")[2].partition("</main>")[0]
    assert [len(one.json["turns"]) for one in told] == [12, 2, 12]
    assert not {*of(told[0].json["turns"])} & {*of(told[1].json["turns"])}
    assert told[0].headers["Link"] == '<http://localhost/home?page=2>; rel="next"'
    assert "Link" not in told[1].headers


def test_twelve_matches_take_no_more_queries_than_two(web: WebHouse) -> None:
    asked: list[str] = []
    event.listen(
        web.service.database._reader,
        "before_cursor_execute",
        lambda _c, _cursor, statement, *_rest: asked.append(statement),
    )
    client = signed_in(web, "alice")
    counts = []
    for number in (2, 10):
        for _ in range(number):
            web.running()
        asked.clear()
        for how in ({}, JSON):
            assert client.get("/home", headers=how).status_code == 200
        counts.append(len(asked))

    assert counts[0] == counts[1] > 0


# --- groups ---


def test_a_group_fills_the_seats_of_a_new_match_and_is_its_persons_alone(any_web: WebHouse) -> None:
    web = any_web
    client, others = signed_in(web, "alice"), signed_in(web, "bob")
    people = "Bob bob@example.org\nCarol Jones <carol@example.org>\nDave dave@example.org\n"

    told = client.post("/home/groups", json={"group": "Friends", "people": people}).json
    form = client.get("/new?game=dog&group=Friends").text
    foreign = others.get("/new?game=dog&group=Friends").text
    client.post("/home/groups", data={"group": "Friends", "people": ""})

    assert told["groups"][0]["people"][1] == {"name": "Carol Jones", "email": "carol@example.org"}
    for value in ("alice@example.org", "Carol Jones", "dave@example.org"):
        assert f'value="{value}"' in form
    assert "dave@example.org" not in foreign
    assert at_home(client)["settings"]["groups"] == []


@pytest.mark.parametrize(
    "people", ["nobody", "Bob bob@", "Bob\x07 bob@example.org", "a@b.org\n" * 21]
)
def test_a_line_that_is_no_person_is_refused(web: WebHouse, people: str) -> None:
    client = signed_in(web, "alice")

    answer = client.post("/home/groups", data={"group": "Friends", "people": people})

    assert answer.status_code == 422
    assert at_home(client)["settings"]["groups"] == []


def test_a_new_group_without_anybody_is_asked_for_its_people(web: WebHouse) -> None:
    client = signed_in(web, "alice")

    page = client.post("/home/groups", data={"group": "Friends", "people": " \n"})

    assert page.status_code == 422
    assert "Nobody is in this group yet. Write a line for each: Ben ben@example.org." in page.text
    assert "Saved." not in page.text


def test_a_group_without_a_name_is_asked_for_one_where_it_is_typed(web: WebHouse) -> None:
    client = signed_in(web, "alice")

    page = client.post("/home/groups", data={"group": "", "people": "Bob bob@example.org"})

    (marked,) = re.findall(r'<(?:input|textarea)[^>]*aria-invalid="true"[^>]*>', page.text)
    assert 'id="group"' in marked
    assert "The name of the group is missing." in page.text


def test_somebody_has_so_many_groups(web: WebHouse) -> None:
    client = signed_in(web, "alice")

    statuses = [
        client.post("/home/groups", json={"group": f"G{n}", "people": "Bob b@e.org"}).status_code
        for n in range(21)
    ]

    assert statuses == [200] * 20 + [409]


def test_a_public_page_is_asked_for_here(web: WebHouse) -> None:
    client = signed_in(web, "alice")

    told = client.post("/home/player", json={"public_name": "Queen A"}).json
    gone = client.post("/home/player", json={"public_name": ""}).json

    assert (told["public_name"], gone["public_name"]) == ("Queen A", None)
