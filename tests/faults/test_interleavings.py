"""Two who act at the same moment, written down: what one does between another's look and write.

Racing threads hardly ever meet in these places. Each story interrupts an act after it has looked
and before it writes; then all must hold that ``invariants.check`` looks for. The stories are told
again without one barrier, and then they must fail.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import func, select

from pbem.acts import absence, advance, due_work, going_back, starting, turns
from pbem.acts import matches as acts
from pbem.acts.sweep import sweep
from pbem.acts.writing import SomeoneWasFirstError, read, writing
from pbem.clock import ManualClock
from pbem.clocks import deadlines
from pbem.errors import NotPossible, Refused, Stale, TurnClosed
from pbem.people import privacy, rematches
from pbem.service import Service
from pbem.store.db import Database
from pbem.store.models import Link, Match, Outage
from pbem.store.names import Actor, MadeBy, Purpose
from tests.faults.invariants import check
from tests.faults.mutants import MUTANTS
from tests.parts import remedies
from tests.parts.cast import House, address, make_service

HOURS = {"clock": {"turn": "10h", "grace": "1h"}}


@pytest.fixture
def house(tmp_path: Path, sqlite_url: str) -> Iterator[House]:
    made = House(make_service(tmp_path, sqlite_url))
    yield made
    made.service.database.close()


@pytest.fixture
def any_house(tmp_path: Path, database_url: str) -> Iterator[House]:
    made = House(make_service(tmp_path, database_url))
    yield made
    made.service.database.close()


def interrupt(patches: Any, owner: Any, name: str, by: Callable[[], object]) -> list[str]:
    """The next call of ``owner.name`` comes after ``by()``; returns who was interrupted."""
    original = getattr(owner, name)
    done: list[str] = []

    def interrupted(*arguments: Any, **named: Any) -> Any:
        if not done:
            done.append(name)
            by()
        return original(*arguments, **named)

    patches.setattr(owner, name, interrupted)
    return done


def settled(house: House) -> None:
    house.work()
    house.wait(minutes=2)
    check(house.service)


# --- a move and the worker that carries on ---


def a_move_lands_during_advance(house: House, patches: Any) -> None:
    match = house.running()
    house.play(match, 0)
    met = interrupt(patches, advance, "_carry_on", lambda: house.play(match, 1))

    house.work()

    assert met
    settled(house)
    assert [ply.seat for ply in house.plies(match)] == [None, 0, 1]


def the_host_ends_the_match_during_advance(house: House, patches: Any) -> None:
    match = house.open()
    met = interrupt(
        patches,
        advance,
        "_carry_on",
        lambda: remedies.abort(house.service, match.id, actor="host"),
    )

    house.work()

    assert met
    settled(house)
    assert house.match(match.id).status == "aborted"
    assert house.mails("your_turn") == []


def the_host_seats_a_bot_during_advance(house: House, patches: Any) -> None:
    match = house.open()
    met = interrupt(
        patches,
        advance,
        "_carry_on",
        lambda: remedies.put_bot(house.service, match.id, 1, actor="operator"),
    )

    house.work()

    assert met
    settled(house)
    assert house.waiting(match) == [0, 2, 3]
    assert [mail.seat for mail in house.mails("your_turn")] == [0, 2, 3]


# --- a move and a deadline ---


def the_deadline_fires_while_a_move_is_handed_in(house: House, patches: Any) -> None:
    match = house.running(**HOURS)
    house.clock.move(timedelta(hours=11, seconds=1))
    met = interrupt(patches, turns, "play", lambda: absence.care_due(house.service))

    with pytest.raises(TurnClosed):
        house.play(match, 0)

    assert met
    settled(house)
    assert next(ply.made_by for ply in house.plies(match) if ply.seat == 0) == "deadline"


def a_move_lands_while_the_deadline_fires(house: House, patches: Any) -> None:
    match = house.running(**HOURS)
    house.clock.move(timedelta(hours=11, seconds=1))
    met = interrupt(patches, absence, "play", lambda: house.play(match, 0))

    absence.care_due(house.service)

    assert met
    settled(house)
    assert next(ply.made_by for ply in house.plies(match) if ply.seat == 0) == "link"
    assert house.seat(match, 0).missed == 0
    assert 0 not in [mail.seat for mail in house.mails("played_for_you")]


def two_sweeps_meet_at_one_deadline(house: House, patches: Any) -> None:
    match = house.running(**HOURS)
    house.clock.move(timedelta(hours=11, seconds=1))
    met = interrupt(patches, absence, "play", lambda: absence.care_due(house.service))

    absence.care_due(house.service)

    assert met
    settled(house)
    assert [house.seat(match, seat).missed for seat in range(4)] == [1, 1, 1, 1]


def two_sweeps_meet_at_one_reminder(house: House, patches: Any) -> None:
    match = house.running(**HOURS)
    house.clock.move(timedelta(hours=5, minutes=1))
    met = interrupt(patches, deadlines, "reminders_passed", lambda: absence.care_due(house.service))

    absence.care_due(house.service)

    assert met
    settled(house)
    assert sorted(mail.seat for mail in house.mails("reminder")) == [0, 1, 2, 3]
    assert house.turn(match, 0).reminders == 1


def the_host_pauses_again_while_the_pause_ends(house: House, patches: Any) -> None:
    match = house.running(**HOURS)
    remedies.pause(house.service, match.id, "1h", actor="host")
    house.clock.move(timedelta(hours=1))
    met = interrupt(
        patches,
        due_work,
        "each",
        lambda: remedies.pause(house.service, match.id, "7d", actor="host"),
    )

    absence.resume_due(house.service)

    assert met
    settled(house)
    assert house.match(match.id).paused_until is not None
    assert house.turn(match, 0).held_at is not None


# --- the same move twice ---


def two_devices_send_one_submission(house: House, patches: Any) -> None:
    match = house.running()
    order = house.orders(match, 0)[0]
    receipts: list[turns.Receipt] = []
    met = interrupt(
        patches, turns, "play", lambda: receipts.append(house.play(match, 0, order, "one"))
    )

    receipts.append(house.play(match, 0, order, "one"))

    assert met
    settled(house)
    assert receipts[0] == receipts[1]
    assert house.match(match.id).ply == 1


# --- taking back ---


def a_take_back_meets_the_next_players_move(house: House, patches: Any) -> None:
    """The next player moves while the mover takes back: what was played against stands."""
    match, seat, following = house.before_a_choice()
    house.play(match, seat, house.good_order(match, seat))
    house.work()
    met = interrupt(
        patches,
        going_back,
        "go_back",
        lambda: house.play(match, following, house.good_order(match, following)),
    )

    with pytest.raises(NotPossible, match="Ask the others"):
        going_back.take_back(house.service, house.link(match, Purpose.SEAT, seat))

    assert met
    settled(house)
    assert house.plies(match)[-1].seat == following


def the_next_players_move_meets_a_take_back(house: House, patches: Any) -> None:
    """The mover takes back while the next player moves: the table that was played on is gone."""
    match, seat, following = house.before_a_choice()
    house.play(match, seat, house.good_order(match, seat))
    house.work()
    link = house.link(match, Purpose.SEAT, seat)
    met = interrupt(patches, turns, "play", lambda: going_back.take_back(house.service, link))

    with pytest.raises(TurnClosed):
        house.play(match, following, house.good_order(match, following))

    assert met
    settled(house)
    assert house.plies(match)[-1].made_by == MadeBy.BACK
    assert house.waiting(match) == [seat]


def the_last_consent_meets_a_move(house: House, patches: Any) -> None:
    match, seat, following = house.before_a_choice()
    house.play(match, seat, house.good_order(match, seat))
    house.work()
    house.play(match, following, house.good_order(match, following))
    house.work()
    proposal = going_back.propose(house.service, house.link(match, Purpose.SEAT, seat))
    asked: list[Link] = [
        house.link(match, Purpose.CONSENT, one) for one in range(4) if one != proposal.seat
    ]
    for link in asked[:-1]:
        going_back.answer(house.service, link, agreed=True)
    (waiting,) = house.waiting(match)
    met = interrupt(
        patches,
        going_back,
        "go_back",
        lambda: house.play(match, waiting, house.good_order(match, waiting)),
    )

    going_back.answer(house.service, asked[-1], agreed=True)

    assert met
    settled(house)
    assert MadeBy.BACK not in [ply.made_by for ply in house.plies(match)]


# --- the beginning ---


def the_last_two_join_at_once(house: House, patches: Any) -> None:
    match = house.open(confirmed=False)
    for seat in (0, 1):
        acts.join(house.service, house.link(match, Purpose.JOIN, seat), acts.Joining())
    links = [house.link(match, Purpose.JOIN, seat) for seat in (2, 3)]
    met = interrupt(
        patches,
        starting,
        "due_when_full",
        lambda: acts.join(house.service, links[1], acts.Joining()),
    )

    acts.join(house.service, links[0], acts.Joining())

    assert met
    settled(house)
    assert house.waiting(match) == [0, 1, 2, 3]
    assert len(house.plies(match)) == 1


# --- once more ---


def over(house: House) -> Match:
    match = house.running()
    remedies.abort(house.service, match.id, actor="host")
    return match


def somebody_is_forgotten_while_a_rematch_opens(house: House, patches: Any) -> None:
    match = over(house)
    bob = address("bob")
    met = interrupt(
        patches, acts, "create", lambda: privacy.forget(house.service, bob, Actor.OPERATOR)
    )

    again = acts.rematch(house.service, match.id, actor=Actor.HOST)

    assert met
    settled(house)
    with house.service.database.read() as session:
        assert privacy.matches_of(session, bob) == []
    assert house.seat(again, 1).bot is not None


def a_no_meets_the_rematch_that_all_agreed_on(house: House, patches: Any) -> None:
    match = over(house)
    links = [house.link(match, Purpose.SEAT, seat) for seat in range(4)]
    for link in links[:-1]:
        rematches.say(house.service, link, "dog")
    met = interrupt(patches, acts, "create", lambda: rematches.say(house.service, links[1], ""))

    rematches.say(house.service, links[-1], "dog")

    assert met
    settled(house)
    assert rematches.read(house.service, house.table(match)).opened is None
    rematches.say(house.service, links[1], "dog")
    assert rematches.read(house.service, house.table(match)).opened is not None


STORIES: dict[str, Callable[[House, Any], None]] = {
    story.__name__: story
    for story in (
        a_move_lands_during_advance,
        the_host_ends_the_match_during_advance,
        the_host_seats_a_bot_during_advance,
        the_deadline_fires_while_a_move_is_handed_in,
        a_move_lands_while_the_deadline_fires,
        two_sweeps_meet_at_one_deadline,
        two_sweeps_meet_at_one_reminder,
        the_host_pauses_again_while_the_pause_ends,
        two_devices_send_one_submission,
        a_take_back_meets_the_next_players_move,
        the_next_players_move_meets_a_take_back,
        the_last_consent_meets_a_move,
        the_last_two_join_at_once,
        somebody_is_forgotten_while_a_rematch_opens,
        a_no_meets_the_rematch_that_all_agreed_on,
    )
}


@pytest.mark.parametrize("story", STORIES)
def test_whoever_comes_between_nothing_is_lost_or_done_twice(
    story: str, any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    STORIES[story](any_house, monkeypatch)


def test_a_turn_is_closed_once_also_by_who_has_the_match(house: House) -> None:
    match = house.running()
    stale = house.turn(match, 0)
    house.play(match, 0)

    closing_again_is_refused(house, stale)


def closing_again_is_refused(house: House, stale: Any) -> None:
    table, now = read(house.service, stale.match_id)
    with (
        pytest.raises(SomeoneWasFirstError),
        writing(house.service, table, "test", Actor.PLAYER, now) as write,
    ):
        write.close(stale, MadeBy.LINK)


#: Which story notices the loss of which barrier.
NOTICED = {
    "claims without a look": "the_host_ends_the_match_during_advance",
    "forgets submissions": "two_devices_send_one_submission",
}


@pytest.mark.parametrize("mutant", NOTICED)
def test_without_one_barrier_a_story_goes_wrong(
    mutant: str, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTANTS[mutant](monkeypatch)

    with pytest.raises((AssertionError, Refused)):
        STORIES[NOTICED[mutant]](house, monkeypatch)


def test_without_the_once_of_a_turn_closing_it_again_is_noticed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = house.running()
    stale = house.turn(match, 0)
    house.play(match, 0)
    MUTANTS["closes turns again"](monkeypatch)

    with pytest.raises(pytest.fail.Exception):
        closing_again_is_refused(house, stale)


# --- many workers ---


def another(house: House, minutes: float = 0) -> Service:
    """Another process's service on the same database, whose clock may be apart."""
    first = house.service
    clock = ManualClock(house.clock.now() + timedelta(minutes=minutes))
    return Service(first.settings, Database(first.settings.database_url), first.keys, clock)


def test_ten_workers_on_one_match_play_it_once(any_house: House) -> None:
    match = any_house.open(bots=3)
    workers = [another(any_house) for _ in range(10)]
    gate = threading.Barrier(len(workers))
    errors: list[BaseException] = []

    def work(service: Service) -> None:
        gate.wait()
        try:
            for _ in range(20):
                advance.advance(service, match.id)
        except BaseException as error:
            errors.append(error)
        finally:
            service.database.close()

    threads = [threading.Thread(target=work, args=(service,)) for service in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    settled(any_house)
    assert any_house.waiting(match) == [0]


def test_ten_workers_at_one_deadline_time_each_seat_out_once(any_house: House) -> None:
    match = any_house.running(**HOURS)
    any_house.clock.move(timedelta(hours=11, seconds=1))
    workers = [another(any_house) for _ in range(10)]
    gate = threading.Barrier(len(workers))

    def work(service: Service) -> None:
        gate.wait()
        sweep(service)
        service.database.close()

    threads = [threading.Thread(target=work, args=(service,)) for service in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    settled(any_house)
    assert [any_house.seat(match, seat).missed for seat in range(4)] == [1, 1, 1, 1]
    assert any_house.match(match.id).set_aside_at is None


def test_workers_whose_clocks_are_five_minutes_apart_agree(house: House) -> None:
    match = house.running(**HOURS)
    ahead = another(house, minutes=5)
    assert isinstance(ahead.clock, ManualClock)
    for _ in range(130):
        for service in (ahead, house.service):
            absence.notice_outage(service)
            while sweep(service):
                pass
        house.clock.move(timedelta(minutes=5))
        ahead.clock.move(timedelta(minutes=5))
    ahead.database.close()

    check(house.service)
    reminded = Counter(mail.seat for mail in house.mails("reminder"))
    assert reminded == {0: 3, 1: 3, 2: 3, 3: 3}
    assert house.match(match.id).ply == 0
    assert outages(house) == 0


def outages(house: House) -> int:
    with house.service.database.read() as session:
        return session.exec(select(func.count()).select_from(Outage)).one()


def test_a_page_that_was_looked_at_before_a_roll_back_is_stale(house: House) -> None:
    match, seat, _ = house.before_a_choice()
    looked_at = house.match(match.id).ply
    link = house.link(match, Purpose.TURN, seat)
    going_back.roll_back(house.service, match.id, 2, actor="operator")
    house.work()

    with pytest.raises((TurnClosed, Stale)):
        turns.submit(house.service, link, "give 2", "from an old page", looked_at)
    settled(house)
