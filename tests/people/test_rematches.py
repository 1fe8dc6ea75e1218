"""A rematch by the players: when all who play agree, on the same game or on another."""

from __future__ import annotations

import io
import threading
from datetime import timedelta

import pytest

from pbem.acts import matches
from pbem.errors import BadInput, NotPossible
from pbem.people import rematches
from pbem.people.sweep import sweep as keep_company
from pbem.service import Service
from pbem.store.models import Link, Match
from pbem.store.names import MatchStatus, Purpose
from pbem.store.table import Table
from tests.parts import remedies
from tests.parts.cast import House
from tests.parts.logged import logged, told


def over(house: House, **asked: object) -> Match:
    match = house.running(**asked)
    remedies.abort(house.service, match.id, actor="host")
    return house.match(match.id)


def seat(house: House, match: Match, number: int) -> Link:
    return house.link(match, Purpose.SEAT, number)


def opened(house: House, match: Match) -> Match | None:
    found = rematches.read(house.service, house.service.read(match.id)).opened
    return house.match(found) if found else None


def all_say(house: House, match: Match, game: str = "dog") -> None:
    for number in range(4):
        rematches.say(house.service, seat(house, match, number), game)


def test_when_all_agree_the_match_begins_with_everybody_one_seat_on(house: House) -> None:
    match = over(house, options={"discard": "one"})

    all_say(house, match)

    again = opened(house, match)
    assert again is not None
    assert again.status == MatchStatus.RUNNING
    assert [one.name for one in house.table(again).seats] == ["Bob", "Carol", "Dave", "Alice"]
    assert again.options_json == match.options_json
    assert again.host_email == match.host_email
    assert not [mail for mail in house.mails("invitation") if mail.match_id == again.id]


def test_the_first_yes_tells_the_others_once(house: House) -> None:
    match = over(house)

    rematches.say(house.service, seat(house, match, 1), "dog")
    rematches.say(house.service, seat(house, match, 2), "dog")
    rematches.say(house.service, seat(house, match, 1), "")

    assert [mail.seat for mail in house.mails("rematch_asked")] == [0, 2, 3]
    assert opened(house, match) is None


def test_a_no_to_what_nobody_asked_tells_nobody_that_somebody_would_like_one(house: House) -> None:
    match = over(house)

    rematches.say(house.service, seat(house, match, 1), "")
    unasked = house.mails("rematch_asked")
    house.wait(days=10)
    rematches.say(house.service, seat(house, match, 2), "dog")

    assert unasked == []
    assert [mail.seat for mail in house.mails("rematch_asked")] == [0, 1, 3]
    state = rematches.read(house.service, house.service.read(match.id))
    assert state.until == house.clock.now() + rematches.LAPSES


def test_bots_always_agree(house: House) -> None:
    match = over(house, bots=3)

    rematches.say(house.service, seat(house, match, 0), "dog")

    again = opened(house, match)
    assert again is not None
    assert [one.bot for one in house.table(again).seats] == ["easy", "easy", "easy", None]


def test_the_same_people_play_another_game(house: House) -> None:
    match = over(house)

    all_say(house, match, "dogs-of-war")

    again = opened(house, match)
    assert again is not None
    assert (again.game, again.seat_count) == ("dogs-of-war", 4)


def test_those_who_chose_different_games_have_not_agreed(house: House) -> None:
    match = over(house)
    for number, game in enumerate(("dog", "dog", "dog", "dogs-of-war")):
        rematches.say(house.service, seat(house, match, number), game)
    before = opened(house, match)

    rematches.say(house.service, seat(house, match, 3), "dog")

    assert before is None
    assert opened(house, match)


def test_a_substitute_who_has_not_joined_is_not_asked_and_keeps_nobody_from_it(
    house: House,
) -> None:
    match = house.running()
    remedies.replace(house.service, match.id, 1, "Erin", "erin@example.org", actor="operator")
    remedies.abort(house.service, match.id, actor="host")

    for number in (0, 2, 3):
        rematches.say(house.service, seat(house, match, number), "dog")

    again = opened(house, match)
    assert again is not None
    assert [one.email for one in house.table(again).seats].count(None) == 1
    assert 1 not in [mail.seat for mail in house.mails("rematch_asked")]


def test_a_game_for_other_numbers_cannot_be_chosen(house: House) -> None:
    match = over(house)

    with pytest.raises(BadInput):
        rematches.say(house.service, seat(house, match, 0), "skirmish")


def test_it_lapses_after_two_weeks(house: House) -> None:
    match = over(house)
    rematches.say(house.service, seat(house, match, 0), "dog")

    house.clock.move(rematches.LAPSES + timedelta(seconds=1))
    keep_company(house.service)

    with pytest.raises(NotPossible):
        rematches.say(house.service, seat(house, match, 1), "dog")
    assert rematches.settle_due(house.service, 10) == 0


def test_what_could_not_be_opened_is_tried_again(house: House) -> None:
    match = over(house)
    for number in (0, 1, 2):
        rematches.say(house.service, seat(house, match, number), "dog")
    most = house.service.settings.limits.open_matches_per_host
    full = [house.open() for _ in range(most)]
    rematches.say(house.service, seat(house, match, 3), "dog")
    before = opened(house, match)

    remedies.abort(house.service, full[0].id, actor="host")
    house.clock.move(rematches.LATER)
    keep_company(house.service)

    assert before is None
    assert opened(house, match)


def keep_clock(house: House, match: Match, clock: str) -> None:
    with house.service.database.write("test") as session:
        session.get_one(Match, match.id).clock_json = clock


def test_a_match_that_fails_to_open_keeps_no_other_waiting_and_is_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing, other = over(house), over(house)
    keep_clock(house, failing, "nothing that a clock is kept as")
    with monkeypatch.context() as dead:
        dead.setattr(rematches, "_settle", lambda *_: None)
        all_say(house, failing)
        all_say(house, other)

    with logged(io.StringIO()) as log:
        for _ in range(2):
            keep_company(house.service)
    before = opened(house, failing), opened(house, other)
    keep_clock(house, failing, failing.clock_json)
    house.clock.move(rematches.LATER)
    keep_company(house.service)

    failed = [line["match"] for line in told(log) if line["event"] == "task_failed"]
    assert failed == [failing.id]
    assert before[0] is None
    assert before[1]
    assert opened(house, failing)


def test_a_yes_while_the_question_is_settled_is_looked_at_although_its_process_dies(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = over(any_house)
    read, settle, last = rematches.read, rematches._settle, seat(any_house, match, 3)

    def say_and_die(game: str) -> None:
        with monkeypatch.context() as dead:
            dead.setattr(rematches, "_settle", lambda *_: None)
            rematches.say(any_house.service, last, game)

    def read_just_before(service: Service, table: Table) -> rematches.RematchState:
        found = read(service, table)
        monkeypatch.setattr(rematches, "read", read)
        say_and_die("dog")
        return found

    for number in (0, 1, 2):
        rematches.say(any_house.service, seat(any_house, match, number), "dog")
    say_and_die("dog")
    say_and_die("")
    monkeypatch.setattr(rematches, "read", read_just_before)
    settle(any_house.service, match.id)
    before = opened(any_house, match)

    keep_company(any_house.service)

    assert before is None
    assert opened(any_house, match)


def test_a_match_that_never_began_has_no_rematch_by_its_players(house: House) -> None:
    match = house.open(confirmed=False)
    matches.join(house.service, house.link(match, Purpose.JOIN, 0), matches.Joining())
    remedies.abort(house.service, match.id, actor="host")

    with pytest.raises(NotPossible):
        rematches.say(house.service, seat(house, match, 0), "dog")


def test_when_the_host_has_opened_one_the_question_is_settled(house: House) -> None:
    match = over(house)
    rematches.say(house.service, seat(house, match, 0), "dog")
    matches.rematch(house.service, match.id, actor="host")  # type: ignore[arg-type]

    with pytest.raises(NotPossible):
        rematches.say(house.service, seat(house, match, 1), "dog")


def test_the_last_two_say_yes_at_once_and_one_match_opens(any_house: House) -> None:
    match = over(any_house)
    for number in (0, 1):
        rematches.say(any_house.service, seat(any_house, match, number), "dog")
    links = [seat(any_house, match, number) for number in (2, 3)]

    threads = [
        threading.Thread(target=rematches.say, args=(any_house.service, link, "dog"))
        for link in links
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    again = opened(any_house, match)
    assert again is not None
    assert again.rematch_of == match.id
