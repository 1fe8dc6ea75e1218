"""A remedy is foreseen by doing it and undoing it: on both databases, beside everybody else."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, SQLModel, select

from pbem.acts import foresight, matches, outbox, turns
from pbem.acts.effects import Foresight, MailEffect
from pbem.acts.foresight import foresee
from pbem.acts.remedies import carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.metrics import PLIES
from pbem.service import Service
from pbem.store.models import Match, Seat
from pbem.store.names import Actor, Purpose
from pbem.store.rehearsal import Rehearsal
from pbem.store.table import Table
from tests.acts.stalls import CLOCK, dead_since, deadlines, mails_since, snapshot
from tests.parts.cast import House, make_service
from tests.parts.logged import logged

WANTED = [
    RemedyRequest("extend", 2, by="24h"),
    RemedyRequest("remind", 2),
    RemedyRequest("default", 2),
    RemedyRequest("bot", 2),
    RemedyRequest("replace", 2, name="Frank", email="frank@example.org"),
    RemedyRequest("correct-address", 2, email="carol@example.net"),
    RemedyRequest("reissue", 2),
    RemedyRequest("resign", 2),
    RemedyRequest("pause", by="3d"),
    RemedyRequest("reissue-host"),
    RemedyRequest("correct-host-address", email="host@example.net"),
    RemedyRequest("roll-back", ply=1),
    RemedyRequest("abort"),
]


def rows(house: House) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    with house.service.database.read() as session:
        return {
            name: sorted((tuple(row) for row in session.execute(table.select())), key=repr)
            for name, table in SQLModel.metadata.tables.items()
        }


def foreseen(house: House, match: Match, wanted: RemedyRequest) -> Foresight:
    return foresee(house.service, match.id, wanted, Actor.OPERATOR).effect


def test_every_remedy_is_foreseen_as_it_happens_and_nothing_is_left_of_it(any_house: House) -> None:
    house, effects = any_house, []
    before_all = [house.play_on(house.running(clock=CLOCK), plies=2) for _ in WANTED]
    before = rows(house)

    for match, wanted in zip(before_all, WANTED, strict=True):
        effects.append(foreseen(house, match, wanted))
    unchanged = rows(house) == before

    assert unchanged
    for match, wanted, effect in zip(before_all, WANTED, effects, strict=True):
        seen = snapshot(house, match)
        carry_out(house.service, match.id, wanted, Actor.OPERATOR)
        owed = sorted((mail.kind, mail.seat) for mail in effect.mails)
        assert mails_since(house, seen) == owed, wanted
        assert dead_since(house, match, seen) == {(one.purpose, one.seat) for one in effect.dead}
        assert house.waiting(match) == list(effect.waits), wanted
        after = house.match(match.id)
        assert (after.ended_at is not None) == effect.ends
        assert (after.advance_due_at is not None) == effect.goes_on
        assert after.paused_until == effect.paused_until
        due = deadlines(house, match)
        assert all(due[one.seat] == one.due_at for one in effect.clocks if not one.then), wanted


def test_a_rehearsal_rings_counts_and_tells_nothing(any_house: House) -> None:
    rung: list[str] = []
    house = House(replace(any_house.service, ring=rung.append))
    match = house.running(clock=CLOCK)
    rung.clear()
    counted = [metric.samples[0].value for metric in PLIES.collect() if metric.samples]
    with logged(io.StringIO()) as log:
        foreseen(house, match, RemedyRequest("default", 1))

    assert rung == []
    assert log.getvalue() == ""
    assert counted == [metric.samples[0].value for metric in PLIES.collect() if metric.samples]


def test_who_moves_between_the_first_look_and_the_rehearsal_is_seen(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = any_house
    match = house.running(clock=CLOCK)
    first = iter([True])
    look = foresight.take_look

    def then_bob_moves(service: Service, match_id: str) -> foresight.Look:
        seen = look(service, match_id)
        if next(first, False):
            house.play(match, 1)
        return seen

    monkeypatch.setattr(foresight, "take_look", then_bob_moves)
    effect = foreseen(house, match, RemedyRequest("abort"))

    assert effect.closes == (0, 2, 3)


def test_nothing_is_held_before_the_act_writes_and_others_wait_only_until_it_is_undone(
    any_house: House,
) -> None:
    house = any_house
    match = house.running(clock=CLOCK)
    database = house.service.database
    order = []

    def rename(session: Session, name: str) -> None:
        seat = session.exec(select(Seat).where(Seat.match_id == match.id, Seat.number == 1)).one()
        seat.name = name
        session.add(seat)

    def other(name: str) -> None:
        with database.write("test") as session:
            rename(session, name)
        order.append(name)

    with closing(Rehearsal(database, lambda session: None)) as tried:
        with tried.read():
            other("Rob")
        with tried.write("test") as session:
            rename(session, "Nobody")
        waiting = threading.Thread(target=other, args=["Robert"])
        waiting.start()
        waiting.join(0.2)
        order.append("undone")
    waiting.join(10)

    assert order == ["Rob", "undone", "Robert"]
    assert house.seat(match, 1).name == "Robert"


@pytest.mark.postgres
def test_a_mail_that_somebody_else_owes_meanwhile_is_not_foreseen(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(make_service(tmp_path, postgres_url))
    match = house.running(clock=CLOCK)
    mails = foresight._mails

    def while_somebody_asks(session: Session, was: Table, last: int) -> Iterable[MailEffect]:
        with house.service.database.write("test") as other:
            outbox.owe(other, "seat_link", "x", house.clock.now(), match_id=match.id, seat=2)
        return mails(session, was, last)

    monkeypatch.setattr(foresight, "_mails", while_somebody_asks)
    effect = foreseen(house, match, RemedyRequest("remind", 1))
    house.service.database.close()

    assert [(mail.kind, mail.seat) for mail in effect.mails] == [("reminder", 1)]


def test_acts_of_several_transactions_are_foreseen_whole(any_house: House) -> None:
    house = any_house
    match = house.open(confirmed=False)
    for seat in (0, 1, 2):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), matches.Joining())
    before = rows(house)

    effect = foreseen(house, match, RemedyRequest("bot", 3))

    assert effect.goes_on
    assert rows(house) == before
    assert house.match(match.id).status == "lobby"


def test_after_a_rehearsal_the_turn_link_still_takes_the_move(any_house: House) -> None:
    house = any_house
    match = house.running(clock=CLOCK)
    link = house.link(match, Purpose.TURN, 1)

    foreseen(house, match, RemedyRequest("default", 1))
    receipt = turns.submit(house.service, link, house.orders(match, 1)[0], "mine")

    assert receipt.ply == 1
    assert house.turn(match, 0).due_at == house.clock.now() + timedelta(hours=10)
