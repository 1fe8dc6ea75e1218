"""The operator's list of matches: who plays, what it waits for, found again, a page at a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event, inspect

from pbem.acts import deliverability, matches
from pbem.acts.writing import claim
from pbem.looks import match_list
from pbem.store.models import Match
from tests.parts import remedies
from tests.parts.cast import address, people
from tests.parts.local_beacon import LocalBeacon, with_beacon
from tests.web.house import WebHouse


@pytest.mark.parametrize(
    "mark",
    [
        "0001-01-01T00:00:00+14:00~a",
        "9999-12-31T23:59:59-14:00~a",
        "2026-01-01T00:00:00+00:00~a\x00",
        "2026-01-01T00:00:00+00:00~",
        "2026-01-01T00:00:00~a",
        "2026-01-01T00:00:00+00:00~" + "a" * 17,
        "\x00~a",
    ],
)
def test_a_mark_that_no_database_takes_begins_the_list_again(mark: str) -> None:
    assert match_list.place_of(mark) is None


def test_a_mark_is_read_in_any_zone() -> None:
    place = match_list.place_of("2026-01-01T02:00:00+02:00~Ab1")

    assert place == (datetime(2026, 1, 1, tzinfo=UTC), "Ab1")


@pytest.fixture
def operator(web: WebHouse, client: FlaskClient) -> FlaskClient:
    web.log_in(client)
    return client


def ids(text: str) -> list[str]:
    """The matches of a page, in their order."""
    listed = text.partition('class="match-list"')[2]
    return re.findall(r'href="/operator/match/(\w+)"', listed)


def many(web: WebHouse, number: int) -> list[Match]:
    """So many matches of other people, the newest first; some were opened at the same instant."""
    opened = []
    for count in range(number):
        opened.append(web.open(confirmed=False))
        if count % 3 == 0:
            web.clock.move(timedelta(seconds=1))
    found = [web.match(one.id) for one in opened]
    return sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)


def test_a_match_is_listed_with_its_id_its_people_and_what_it_waits_for(
    web: WebHouse, operator: FlaskClient
) -> None:
    lobby, running = web.open(confirmed=False), web.running()

    for path in ("/operator", "/operator/matches"):
        text = operator.get(path).text
        assert set(ids(text)) == {lobby.id, running.id}
        assert f"<code>{lobby.id}</code>" in text
        assert "Host: Alice" in text
        assert "Players: Alice, Bob, Carol, Dave" in text
        assert "Not joined yet: Alice, Bob, Carol, Dave." in text
        assert "To move: Alice, Bob, Carol, Dave." in text
        assert "example.org" not in text.partition('class="match-list"')[2]
        # the whole date is the title of the short one
        assert re.search(r'title="\w+, \d+ June 2026, [^"]+">\w{3} \d+ Jun, \d\d:\d\d</time>', text)


def test_a_match_is_listed_with_the_name_of_its_game_in_the_operators_language(
    web: WebHouse, operator: FlaskClient
) -> None:
    match = web.of_game("skirmish")
    deliverability.mail_refused(web.service, match.id, 1, address("bob"), "550 5.1.1 unknown user")

    for path in ("/operator", "/operator/matches"):
        text = operator.get(path, headers={"Accept-Language": "es"}).text
        assert "combate moderno de escaramuza" in text
        assert "Modern Skirmish Combat" not in text


def test_seats_that_nobody_has_are_counted_among_the_players(
    web: WebHouse, operator: FlaskClient
) -> None:
    free = [matches.NewSeat(open=True)] * 2
    web.open(confirmed=False, seats=[*people(2), *free])

    text = operator.get("/operator/matches").text

    assert "Players: Alice, Bob, 2 open seats" in text
    assert "Not joined yet: Alice, Bob, 2 open seats." in text


def test_all_matches_are_reached_page_by_page_each_once(
    web: WebHouse, operator: FlaskClient
) -> None:
    wanted = [match.id for match in many(web, match_list.PAGE * 2 + 3)]

    seen, path, pages = [], "/operator/matches", 0
    while path:
        text = operator.get(path).text
        seen += ids(text)
        pages += 1
        further = re.search(r'rel="next" href="([^"]+)"', text)
        path = further[1].replace("&amp;", "&") if further else ""

    assert pages == 3
    assert seen == wanted


def test_an_id_is_found_in_upper_case_too(web: WebHouse, operator: FlaskClient) -> None:
    match, _other = web.open(), web.open()

    page = operator.get("/operator/matches", query_string={"q": match.id.upper()}).text

    assert re.findall('href="/operator/match/([^"]+)"', page) == [match.id]


@pytest.mark.parametrize("asked", ["ID", "erin@example.org", "ERIN@Example.org", "Erin", "erin"])
def test_a_match_is_found_by_id_name_or_address(
    web: WebHouse, operator: FlaskClient, asked: str
) -> None:
    others = [web.running().id for _ in range(3)]
    match = web.running()
    remedies.replace(web.service, match.id, 2, "Erin", "erin@example.org", actor="operator")

    text = operator.get(
        "/operator/matches", query_string={"q": match.id if asked == "ID" else asked}
    ).text

    assert ids(text) == [match.id]
    assert not set(others) & set(ids(text))


def test_the_list_is_cut_to_one_status_also_on_its_further_pages(
    web: WebHouse, operator: FlaskClient
) -> None:
    lobbies = {match.id for match in many(web, match_list.PAGE + 2)}
    ended = web.running()
    remedies.abort(web.service, ended.id, actor="host")

    first = operator.get("/operator/matches?status=lobby").text
    path = re.search(r'rel="next" href="([^"]+)"', first)
    assert path
    second = operator.get(path[1].replace("&amp;", "&")).text

    assert set(ids(first) + ids(second)) == lobbies
    assert ids(operator.get("/operator/matches?status=aborted").text) == [ended.id]
    assert ids(operator.get("/operator/matches?status=finished").text) == []


@pytest.mark.parametrize(
    "query", ["after=nonsense", "after=2026-06-02~x", "status=none", "q=%00", "q=" + "x" * 2000]
)
def test_what_makes_no_sense_is_no_failure(
    web: WebHouse, operator: FlaskClient, query: str
) -> None:
    web.running()

    assert operator.get(f"/operator/matches?{query}").status_code == 200


def test_a_match_whose_game_is_missing_says_so_in_the_list(
    web: WebHouse, operator: FlaskClient
) -> None:
    match = web.running()
    with web.service.database.write("test") as session:
        claim(session, [(match, {"game": "ludo"})])

    text = operator.get("/operator/matches").text

    assert ids(text) == [match.id]
    assert "The game ludo is not installed here." in text


def test_a_match_that_waits_for_the_beacon_is_about_to_begin_in_list_and_page(
    web: WebHouse, operator: FlaskClient, local_chain: LocalBeacon
) -> None:
    match = with_beacon(web, local_chain).open()

    listed = operator.get("/operator/matches").text.partition('class="match-list"')[2]
    page = operator.get(f"/operator/match/{match.id}").text

    assert "about to begin" in listed
    assert "about to begin" in page
    assert "waiting for players" not in listed


def test_a_match_whose_host_sent_no_invitations_waits_for_the_host(
    web: WebHouse, operator: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    with web.service.database.write("test") as session:
        claim(session, [(match, {"unproved_host": True})])

    text = operator.get("/operator/matches").text

    assert "The host has not sent the invitations yet." in text
    assert "Not joined yet" not in text


def test_the_newest_matches_are_read_without_their_states(web: WebHouse) -> None:
    web.open()
    web.running()

    found = match_list.newest(web.service, 1, "running")

    assert [match.status for match in found] == ["running"]
    assert "state_json" in inspect(found[0]).unloaded


def test_only_the_operator_sees_the_list(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()

    answer = client.get("/operator/matches")

    assert answer.status_code == 303
    assert match.id not in answer.text


@pytest.mark.parametrize("asked", [{}, {"status": "lobby"}, {"asked": "erin@example.org"}])
def test_no_question_of_the_list_goes_through_a_whole_table(
    web: WebHouse, asked: dict[str, str]
) -> None:
    many(web, 4)
    after = match_list.read(web.service).matches[1].match
    questions: list[tuple[str, object]] = []
    engine = web.service.database.engine
    reader = web.service.database._reader

    event.listen(
        reader,
        "before_cursor_execute",
        lambda _c, _k, statement, parameters, *_: questions.append((statement, parameters)),
    )
    place = f"{after.created_at.isoformat()}~{after.id}"
    match_list.read(web.service, after=place, **asked)

    asked_of = [one for one in questions if one[0].startswith("SELECT")]
    assert asked_of
    with engine.connect() as connection:
        for statement, parameters in asked_of:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            for row in plan.all():
                whole = re.match(r"SCAN (match|seat|turn)\b(?! USING (COVERING )?INDEX)", row[3])
                assert not whole, (statement, row[3])
                # a page of rows may be put in order, the whole table may not
                assert "TEMP B-TREE FOR ORDER BY" not in row[3] or " IN (" in statement
