"""What all acts are made of: begun again where somebody was first, written by one writer, rung."""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import Session, select

from pbem import acts
from pbem.acts import matches, writing
from pbem.acts.writing import SomeoneWasFirstError, act, read
from pbem.errors import Busy
from pbem.store import statements
from pbem.store.db import Database
from pbem.store.models import Audit
from pbem.store.names import Actor, Purpose
from pbem.store.rehearsal import OvertakenError, Rehearsal
from tests.parts import remedies
from tests.parts.cast import House, make_service

ACTS = Path(acts.__file__).parent
#: Who writes what follows from an act: nobody else calls these.
THE_WRITERS = {
    "claim": {"writing.py"},
    "audit.append": {"writing.py"},
    "links.put": {"writing.py"},
    "outbox.put": {"writing.py"},
    # what is of no one match: mails, outages, old rows; and matches that a worker takes on
    "database.write": {
        *("writing.py", "outbox.py", "absence.py", "housekeeping.py", "advance.py"),
    },
    "journal.after": {"writing.py", "outbox.py", "absence.py"},
    # where more is due than one worker takes, others are rung for
    "service.ring": {"writing.py", "outbox.py", "due_work.py", "foresight.py", "absence.py"},
}


def calls() -> Iterator[tuple[str, str]]:
    """Every call in the acts, with the file it stands in."""
    for file in ACTS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func), file.name


@pytest.mark.parametrize("called", THE_WRITERS)
def test_only_the_writer_writes(called: str) -> None:
    callers = {file for name, file in calls() if name == called or name.endswith(f".{called}")}

    assert callers == THE_WRITERS[called]


def test_an_act_begins_again_until_nobody_was_first() -> None:
    tries = []

    @act
    def third_time(wanted: int) -> str:
        tries.append(wanted)
        if len(tries) < wanted:
            raise SomeoneWasFirstError("k3x9")
        return "done"

    assert third_time(3) == "done"
    assert tries == [3, 3, 3]


def test_an_act_that_is_never_first_says_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing.time, "sleep", lambda _: None)

    @act
    def never() -> None:
        raise SomeoneWasFirstError("k3x9")

    with pytest.raises(Busy):
        never()


@pytest.fixture
def postgres_house(tmp_path: Path, postgres_url: str) -> Iterator[House]:
    house = House(make_service(tmp_path, postgres_url))
    yield house
    house.service.database.close()


def in_each_others_way(session: Session, one: str, other: str, meeting: threading.Barrier) -> None:
    """Waits for what the other has, which waits for what this one has."""
    statements.alone(session, one)
    if not meeting.broken:
        meeting.wait(10)
    statements.alone(session, other)
    meeting.abort()


def test_an_act_that_postgresql_undoes_to_end_a_deadlock_begins_again(
    postgres_house: House,
) -> None:
    house, meeting, tries = postgres_house, threading.Barrier(2), []
    matches = [house.running(), house.running()]

    @act
    def wait(number: int) -> None:
        tries.append(number)
        table, now = read(house.service, matches[number].id)
        words = ["one", "other"][:: -1 if number else 1]
        with writing.writing(house.service, table, "test", Actor.HOST, now) as write:
            write.call(lambda session: in_each_others_way(session, *words, meeting))

    with ThreadPoolExecutor(2) as both:
        list(both.map(wait, range(2)))

    assert len(tries) == 3
    assert all(house.match(match.id).revision == match.revision + 1 for match in matches)


def test_a_rehearsal_that_did_not_see_who_was_first_begins_anew_as_a_whole(
    postgres_house: House,
) -> None:
    """Its second act alone would meet the same in the snapshot of the first."""
    house = postgres_house
    match, other = house.running(), house.running()

    @act
    def claim(database: Database, match_id: str) -> None:
        service = replace(house.service, database=database)
        table, now = read(service, match_id)
        with writing.writing(service, table, "test", Actor.HOST, now):
            pass

    with closing(Rehearsal(house.service.database, lambda session: None)) as tried:
        claim(tried, match.id)
        claim(house.service.database, other.id)
        with pytest.raises(OvertakenError):
            claim(tried, other.id)


def rung(house: House) -> tuple[House, list[str]]:
    """The house with a bell, and what was rung."""
    rings: list[str] = []
    return House(replace(house.service, ring=rings.append)), rings


def test_a_move_rings_for_who_carries_the_match_on(house: House) -> None:
    match = house.running()
    ringing, rings = rung(house)

    ringing.play(match, 0)

    assert rings == ["advance"]


def test_a_bot_that_is_put_in_rings_for_who_lets_it_play(house: House) -> None:
    match = house.running()
    ringing, rings = rung(house)

    remedies.put_bot(ringing.service, match.id, 1, actor=Actor.OPERATOR)

    assert "advance" in rings


def test_a_mail_that_is_owed_rings_for_the_mailer(house: House) -> None:
    match = house.running()
    ringing, rings = rung(house)

    remedies.remind(ringing.service, match.id, 1, actor=Actor.HOST)

    assert rings == ["post"]


def test_what_has_no_work_to_follow_rings_for_nobody(house: House) -> None:
    match = house.running()
    ringing, rings = rung(house)

    matches.set_preferences(
        ringing.service, house.link(match, Purpose.SEAT, 1), "Europe/Madrid", "es"
    )

    assert rings == []


def test_workers_ring_once_for_all_that_they_did(house: House) -> None:
    for _ in range(3):
        house.open()
    ringing, rings = rung(house)

    ringing.work()

    assert rings.count("post") == 1


def test_an_act_that_loses_its_claim_rings_for_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = house.running()
    ringing, rings = rung(house)
    table, now = read(house.service, match.id)
    house.play(match, 0)

    with (
        pytest.raises(SomeoneWasFirstError),
        writing.writing(
            ringing.service, table, "test", Actor.HOST, now, advance_due_at=now
        ) as write,
    ):
        write.owe("reminder", "1", 1)

    assert rings == []


def test_the_ply_of_an_audit_row_is_the_last_one_of_its_act(house: House) -> None:
    match = house.running()

    remedies.play_default(house.service, match.id, 0, actor=Actor.HOST)

    with house.service.database.read() as session:
        row = session.exec(select(Audit).where(Audit.act == "played_default")).one()
    assert row.ply == house.match(match.id).ply == 1


def test_a_substitute_joins_at_the_ply_that_the_match_is_at(house: House) -> None:
    match = house.running()
    house.play(match, 0)
    remedies.replace(house.service, match.id, 1, "Frank", "frank@example.org", actor=Actor.OPERATOR)

    matches.join(house.service, house.link(match, Purpose.JOIN, 1), matches.Joining())

    with house.service.database.read() as session:
        rows = session.exec(select(Audit).where(Audit.act == "joined")).all()
    assert [(row.seat, row.ply) for row in rows] == [(1, 1)]
