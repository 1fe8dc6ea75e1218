"""Work that is due in many matches is written together; none keeps another from its work."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import select

from pbem import failpoints
from pbem.acts import absence, advance, due_work, lobby, outbox, permissions, starting, writing
from pbem.acts.batch import Batch, NotInBatch
from pbem.acts.remedies import REMEDIES, carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.acts.sweep import sweep
from pbem.acts.writing import Writer, act, read
from pbem.service import Service
from pbem.store.models import Match, Ply, Seat, Turn
from pbem.store.names import Actor, MailKind, Purpose
from tests.parts import remedies
from tests.parts.cast import House, make_service

CLOCK = {"turn": "10h", "grace": "1h"}


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each kill point is passed."""
    found: Counter[str] = Counter()
    monkeypatch.setattr(failpoints, "pass_by", lambda place: found.update([place]))
    return found


def three(house: House) -> list[str]:
    """Three matches in which all four must decide."""
    return [house.running(clock=CLOCK).id for _ in range(3)]


def aside(house: House, *matches: str) -> list[bool]:
    """Whether each of the matches was set aside."""
    return [house.match(one).set_aside_at is not None for one in matches]


def test_what_is_due_in_several_matches_is_one_commit(
    any_house: House, commits: Counter[str]
) -> None:
    matches = three(any_house)
    any_house.clock.move(timedelta(hours=5, minutes=1))
    commits.clear()

    sweep(any_house.service)

    reminded = Counter(mail.match_id for mail in any_house.mails("reminder"))
    assert reminded == dict.fromkeys(matches, 4)
    # a match is claimed once in a commit, and four of its turns are due
    assert commits["remind.after_commit"] == 4


def test_time_outs_of_several_matches_open_their_next_turns_in_one_commit(
    any_house: House, commits: Counter[str]
) -> None:
    matches = three(any_house)
    any_house.clock.move(timedelta(hours=11, minutes=1))
    before = len(any_house.mails("your_turn"))
    commits.clear()

    sweep(any_house.service)

    assert commits["play_default.after_commit"] == 4
    assert commits["advance.after_commit"] == 1
    assert Counter(mail.match_id for mail in any_house.mails("played_for_you")) == dict.fromkeys(
        matches, 4
    )
    assert len(any_house.mails("your_turn")) - before == len(matches)
    assert all(len(any_house.waiting(any_house.match(one))) == 1 for one in matches)


def test_a_time_out_and_the_turn_after_it_are_one_commit(
    any_house: House, commits: Counter[str]
) -> None:
    match = any_house.play_on(any_house.running(clock=CLOCK), without=2)
    any_house.clock.move(timedelta(hours=11, minutes=1))
    before = any_house.match(match.id).revision
    commits.clear()

    sweep(any_house.service)

    assert set(commits) == {
        f"{name}.{when}_commit"
        for name in ("care.take", "play_default", "advance")
        for when in ("before", "after")
    }
    after = any_house.match(match.id)
    assert after.revision == before + 1
    assert after.advance_due_at is None
    assert any_house.waiting(after) == [3]


def test_if_what_follows_a_time_out_fails_the_time_out_is_written(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = any_house.play_on(any_house.running(clock=CLOCK), without=2)
    any_house.clock.move(timedelta(hours=11, minutes=1))

    def fail(write: Writer, seat: Seat, before: Turn | None = None) -> None:
        raise ArithmeticError

    monkeypatch.setattr(advance, "open_turn", fail)

    absence.care_due(any_house.service)

    after = any_house.match(match.id)
    assert [mail.match_id for mail in any_house.mails("played_for_you")] == [match.id]
    assert after.ply == match.ply + 1
    assert after.advance_due_at == any_house.clock.now()

    sweep(any_house.service)

    assert any_house.match(match.id).advance_failures == 1


def test_what_a_worker_took_is_left_to_it_and_due_again_if_it_dies(any_house: House) -> None:
    first, *others = three(any_house)
    any_house.clock.move(timedelta(hours=5, minutes=1))

    def reminded() -> Counter[str | None]:
        return Counter(mail.match_id for mail in any_house.mails("reminder"))

    # one row is asked for: the others that are due in its match come along
    until = any_house.service.now() + due_work.LEASE
    (taken,) = {match_id for match_id, *_ in absence._take_due(any_house.service, 1, until)}
    absence.care_due(any_house.service)
    before = reminded()
    any_house.clock.move(due_work.LEASE)
    absence.care_due(any_house.service)

    assert before == dict.fromkeys({first, *others} - {taken}, 4)
    assert reminded() == dict.fromkeys([first, *others], 4)


def test_a_worker_whose_lease_is_over_does_nothing_twice(any_house: House) -> None:
    match = any_house.running(clock=CLOCK)
    any_house.clock.move(timedelta(hours=5, minutes=1))
    taken = any_house.service.now() + due_work.LEASE
    (row, *_) = absence._take_due(any_house.service, 1, taken)
    any_house.clock.move(due_work.LEASE)
    absence.care_due(any_house.service)

    absence.care(any_house.service, match.id, row[1], taken, ())

    assert len(any_house.mails("reminder")) == 4


def test_bots_do_not_think_while_other_matches_wait(any_house: House) -> None:
    match = any_house.open(bots=1, clock=CLOCK)
    any_house.work()
    any_house.clock.move(timedelta(hours=11, minutes=1))

    absence.care_due(any_house.service)

    assert any_house.match(match.id).advance_due_at == any_house.clock.now()


def test_a_match_that_cannot_be_read_keeps_no_other_from_its_work(any_house: House) -> None:
    first, broken, last = three(any_house)
    with any_house.service.database.write("test") as session:
        session.execute(text("UPDATE match SET state_json = '{}' WHERE id = :id"), {"id": broken})
    any_house.clock.move(timedelta(hours=11, minutes=1))

    absence.care_due(any_house.service)
    for _ in range(due_work.TRIES):
        any_house.wait(minutes=2)

    played = Counter(mail.match_id for mail in any_house.mails("played_for_you"))
    assert played == {first: 4, last: 4}
    assert aside(any_house, first, broken, last) == [False, True, False]


def test_a_match_that_cannot_be_written_keeps_no_other_from_its_work(any_house: House) -> None:
    first, broken, last = three(any_house)
    # the next line of its log is there already, and no other can be written
    with any_house.service.database.write("test") as session:
        line = session.exec(select(Ply).where(Ply.match_id == broken)).one()
        session.add(Ply(**{**line.model_dump(), "ply": 1}))
    any_house.clock.move(timedelta(hours=11, minutes=1))

    absence.care_due(any_house.service)
    for _ in range(due_work.TRIES):
        any_house.wait(minutes=2)

    played = Counter(mail.match_id for mail in any_house.mails("played_for_you"))
    assert played == {first: 4, last: 4}
    assert aside(any_house, first, broken, last) == [False, True, False]


def test_a_match_in_which_somebody_moved_meanwhile_keeps_no_other_from_its_work(
    any_house: House, commits: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, moved, last = three(any_house)
    any_house.clock.move(timedelta(hours=11, minutes=1))
    commit, order = Batch.commit, any_house.orders(any_house.match(moved), 0)[0]

    def late(together: Batch) -> set[str]:
        monkeypatch.setattr(Batch, "commit", commit)
        any_house.play(any_house.match(moved), 0, order)
        commits.clear()
        return commit(together)

    monkeypatch.setattr(Batch, "commit", late)

    absence.care_due(any_house.service)

    # one for each seat, and none of them match by match
    assert commits["play_default.after_commit"] == 4

    played = Counter(mail.match_id for mail in any_house.mails("played_for_you"))
    assert played == {first: 4, moved: 3, last: 4}


def test_a_sweep_that_leaves_turns_to_others_rings_for_them_before_it_does_its_own(
    any_house: House,
) -> None:
    three(any_house)
    any_house.clock.move(timedelta(hours=5, minutes=1))
    reminded_at_rings: list[int] = []

    def hear(queue: str) -> None:
        if queue == "sweep":
            reminded_at_rings.append(len(any_house.mails("reminder")))

    service = replace(any_house.service, ring=hear)

    # the first four are of one match, the next of another, as is the third's
    while sweep(service, most=4):
        pass

    assert reminded_at_rings == [0, 4, 8]


def test_a_sweep_that_found_little_rings_for_no_other(any_house: House) -> None:
    three(any_house)
    any_house.clock.move(timedelta(hours=5, minutes=1))
    rung: list[str] = []

    sweep(replace(any_house.service, ring=rung.append))

    assert rung == ["post"]


def test_work_on_many_matches_does_not_wait_for_who_adds_rows_to_one_of_them(
    tmp_path: Path, postgres_url: str
) -> None:
    """Whoever owes mails of several matches in another order would lock each other out with it."""
    house = House(make_service(tmp_path, postgres_url))
    matches = three(house)

    @act
    def nothing(service: Service, match_id: str) -> None:
        table, now = read(service, match_id)
        with writing.writing(service, table, "test", Actor.SERVICE, now):
            pass

    rows = [(match_id,) for match_id in matches]
    worker = threading.Thread(target=due_work.each, args=(house.service, rows, nothing))
    with house.service.database.write("test") as session:
        outbox.owe(session, MailKind.REMINDER, "a row", house.clock.now(), match_id=max(matches))
        worker.start()
        worker.join(5)
        waits = worker.is_alive()
    worker.join()

    assert not waits
    house.service.database.close()


def test_a_match_is_taken_while_somebody_adds_a_row_to_it(
    tmp_path: Path, postgres_url: str
) -> None:
    house = House(make_service(tmp_path, postgres_url))
    match, now = house.running(clock=CLOCK), house.clock.now()
    house.play(match, 0)
    house.clock.move(timedelta(hours=5, minutes=1))

    with house.service.database.write("test") as session:
        outbox.owe(session, MailKind.REMINDER, "a row", now, match_id=match.id)
        advance.advance_due(house.service)
        absence.care_due(house.service)

    assert house.match(match.id).advance_due_at is None
    assert Counter(mail.seat for mail in house.mails("reminder")) == {None: 1, 1: 1, 2: 1, 3: 1}
    house.service.database.close()


# --- what fails ---


def fail(*_given: object, **_asked: object) -> None:
    raise ArithmeticError


def turns_fail(house: House, patches: pytest.MonkeyPatch) -> Match:
    match = house.running(clock=CLOCK)
    house.clock.move(timedelta(hours=6))
    patches.setattr(absence, "_remind", fail)
    return match


def a_turn_fails(house: House, patches: pytest.MonkeyPatch) -> Match:
    match = house.play_on(house.running(clock=CLOCK), without=2)
    house.clock.move(timedelta(hours=6))
    patches.setattr(absence, "_remind", fail)
    return match


def a_pause_fails(house: House, patches: pytest.MonkeyPatch) -> Match:
    match = house.running(clock=CLOCK)
    remedies.pause(house.service, match.id, "1h", actor="host")
    house.clock.move(timedelta(hours=2))
    patches.setattr(absence, "resume", fail)
    return match


def a_lobby_fails(house: House, patches: pytest.MonkeyPatch) -> Match:
    match = house.open(confirmed=False)
    house.clock.move(timedelta(days=1, hours=1))
    patches.setattr(lobby, "_reminders_passed", fail)
    return match


def a_permission_fails(house: House, patches: pytest.MonkeyPatch) -> Match:
    return a_permission_fails_in(house, house.running(), patches)


def a_permission_fails_in(house: House, match: Match, patches: pytest.MonkeyPatch) -> Match:
    carry_out(house.service, match.id, RemedyRequest("reissue", 1), Actor.HOST)
    permissions.answer(house.service, house.link(match, Purpose.PERMIT, 1), True)
    patches.setitem(REMEDIES, "reissue", replace(REMEDIES["reissue"], act=fail))
    return match


def all_of_it_fails(house: House, patches: pytest.MonkeyPatch) -> Match:
    match = house.running(clock=CLOCK)
    remedies.pause(house.service, match.id, "1h", actor="host")
    a_permission_fails_in(house, match, patches)
    house.clock.move(timedelta(hours=2))
    patches.setattr(absence, "resume", fail)
    return match


def the_round_fails(house: House, patches: pytest.MonkeyPatch) -> Match:
    match = house.open()
    house.clock.move(timedelta(minutes=10))
    patches.setattr(starting, "start_with", fail)
    return match


def failures_in(house: House, match: Match, *, carried_on: bool) -> list[int]:
    """After how many seconds each failure counted, with sweeps until the match was set aside.

    ``carried_on``: before each sweep matches are advanced alone, as by another worker.
    """
    found: list[int] = []
    for seconds in range(0, 300, 5):
        before = house.match(match.id).advance_failures
        if carried_on:
            advance.advance_due(house.service)
        sweep(house.service)
        now = house.match(match.id)
        found += [seconds] * (now.advance_failures - before)
        if now.set_aside_at is not None:
            break
        house.clock.move(timedelta(seconds=5))
    return found


@pytest.mark.parametrize("carried_on", [False, True])
@pytest.mark.parametrize(
    "begin",
    [turns_fail, a_turn_fails, a_pause_fails, a_lobby_fails, a_permission_fails, all_of_it_fails],
)
def test_a_match_waits_longer_after_each_failure_and_the_third_sets_it_aside(
    house: House,
    begin: Callable[[House, pytest.MonkeyPatch], Match],
    carried_on: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = begin(house, monkeypatch)

    found = failures_in(house, match, carried_on=carried_on)

    lease = due_work.LEASE.seconds
    turns = begin in (turns_fail, a_turn_fails)
    assert found == ([0, lease, 2 * lease] if turns else [0, 20, 60])
    assert house.match(match.id).set_aside_at == house.clock.now()
    assert [mail.match_id for mail in house.mails("stalled")] == [match.id]


def test_a_match_whose_round_fails_waits_as_well(
    beacon_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = the_round_fails(beacon_house, monkeypatch)

    found = failures_in(beacon_house, match, carried_on=True)

    assert found == [0, 20, 60]
    assert beacon_house.match(match.id).set_aside_at is not None


def test_a_failure_of_a_lobby_is_forgotten_once_its_care_succeeds(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        match = a_lobby_fails(house, broken)
        sweep(house.service)
    before = house.match(match.id).advance_failures

    house.wait(seconds=20)

    assert before == 1
    assert house.match(match.id).advance_failures == 0
    assert len(house.mails("invitation")) == 8


# --- what takes long ---


def test_what_takes_long_does_not_hold_up_what_is_ready(
    house: House, commits: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    three(house)
    house.clock.move(timedelta(hours=5, minutes=1))
    monkeypatch.setattr(due_work, "PATIENCE", -1)
    commits.clear()

    sweep(house.service)

    assert commits["remind.after_commit"] == len(house.mails("reminder")) == 12


def test_what_hung_until_it_was_interrupted_is_not_tried_again_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by the time limit of a task: alone it would hang until its worker is killed."""
    hangs, tried = house.running().id, []
    monkeypatch.setattr(due_work, "HANGS", -1)

    def think(service: Service, match_id: str) -> None:
        tried.append(match_id)
        raise TimeoutError("interrupted")

    due_work.each(house.service, [(hangs,)], think)

    assert tried == [hangs]
    assert house.match(hangs).advance_failures == 1


def test_what_hung_is_not_tried_again_although_the_others_cannot_be_written_together(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, other = house.running().id, house.running().id
    tried = []
    monkeypatch.setattr(due_work, "HANGS", -1)
    monkeypatch.setattr(Batch, "commit", fail)

    def think(service: Service, match_id: str) -> None:
        tried.append(match_id)
        if match_id == hangs:
            raise TimeoutError("interrupted")

    due_work.each(house.service, [(hangs,), (other,)], think)

    assert tried == [hangs, other, other]
    assert house.match(hangs).advance_failures == 1


def test_an_act_that_writes_and_reads_again_is_done_alone(house: House) -> None:
    matches, together = three(house), []
    before = [house.match(one).revision for one in matches]

    @act
    def twice(service: Service, match_id: str) -> None:
        for _ in range(2):
            table, now = read(service, match_id)
            with writing.writing(service, table, "test", Actor.SERVICE, now):
                together.append(isinstance(service.access, Batch))

    due_work.each(house.service, [(one,) for one in matches], twice)

    assert [house.match(one).revision - was for one, was in zip(matches, before, strict=True)] == [
        *(2, 2, 2)
    ]
    assert together == [True] * 3 + [False] * 6
    with pytest.raises(NotInBatch):
        twice(replace(house.service, access=Batch(house.service, matches)), matches[0])
