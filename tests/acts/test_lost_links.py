"""Who lost a seat just now does nothing to whoever has it."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from sqlmodel import Session, SQLModel, select

from pbem import acts
from pbem.acts import (
    absence,
    deliverability,
    going_back,
    invitees,
    lobby,
    matches,
    permissions,
    standing_orders,
    turns,
    vacations,
)
from pbem.acts.matches import Joining
from pbem.acts.remedies import carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.errors import NotFound
from pbem.store.models import Link, Match
from pbem.store.names import Actor, Purpose
from pbem.store.table import load
from tests.parts import remedies
from tests.parts.cast import House


def announced(service: Any, link: Link) -> None:
    today = service.now().date()
    vacations.announce(service, link, today + timedelta(days=1), today + timedelta(days=2))


def moved(service: Any, link: Link) -> None:
    with service.database.read() as session:
        table = load(session, link.match_id)
    move = next(iter(table.game.legal_moves(table.state, link.seat)))
    turns.submit(service, link, table.game.format(move), "of a page")


#: Acts by a link that was found a moment ago, and what the link is for.
ACTS: dict[Callable[..., Any], tuple[Purpose, Callable[[Any, Link], object]]] = {
    absence.come_back: (Purpose.SEAT, absence.come_back),
    absence.resign: (Purpose.SEAT, absence.resign),
    deliverability.mute: (Purpose.SEAT, deliverability.mute),
    deliverability.unmute: (Purpose.SEAT, deliverability.unmute),
    going_back.answer: (
        Purpose.CONSENT,
        lambda service, link: going_back.answer(service, link, True),
    ),
    going_back.propose: (Purpose.SEAT, going_back.propose),
    going_back.take_back: (Purpose.SEAT, going_back.take_back),
    invitees.never: (Purpose.SEAT, invitees.never),
    lobby.decline: (Purpose.JOIN, lobby.decline),
    matches.join: (Purpose.JOIN, lambda service, link: matches.join(service, link, Joining())),
    matches.set_preferences: (
        Purpose.SEAT,
        lambda service, link: matches.set_preferences(service, link, "Europe/Madrid", ""),
    ),
    permissions.answer: (
        Purpose.PERMIT,
        lambda service, link: permissions.answer(service, link, True),
    ),
    standing_orders.cancel: (
        Purpose.SEAT,
        lambda service, link: standing_orders.cancel(service, link, 1),
    ),
    standing_orders.leave: (
        Purpose.SEAT,
        lambda service, link: standing_orders.leave(service, link, ["move 1 from 2"]),
    ),
    turns.submit: (Purpose.TURN, moved),
    vacations.announce: (Purpose.SEAT, announced),
    vacations.take_back: (Purpose.SEAT, vacations.take_back),
}


def asked_to_go_back(house: House, match: Match) -> None:
    house.play(match, 0)
    going_back.propose(house.service, house.link(match, Purpose.SEAT, 0))


def asked_for_a_permission(house: House, match: Match) -> None:
    asked = RemedyRequest("correct-address", 1, email="robert@example.net")
    carry_out(house.service, match.id, asked, Actor.HOST)


def left_an_order(house: House, match: Match) -> None:
    standing_orders.leave(house.service, house.link(match, Purpose.SEAT, 1), ["5 1-6"])


#: What there must be before: an act that finds nothing to do has not found the link out.
BEFORE: dict[Callable[..., Any], Callable[[House, Match], None]] = {
    going_back.answer: asked_to_go_back,
    permissions.answer: asked_for_a_permission,
    standing_orders.cancel: left_an_order,
}
#: What changes nothing of a seat by a link, or holds the link against the seat in its own way.
OTHERS = {
    "demo.play_the_rest": "resigns",
    "deliverability.letter_refused": "what a letter did is told to whoever has the seat",
    "deliverability.resend_link": "mails whoever has the seat",
    "deliverability.shows_to_be_there": "nothing is done by a link of before",
    "order_lists.look_ahead": "changes nothing",
    "order_lists.submit": "is turns.submit, again and again",
    "remedies.answer": "is permissions.answer, and what follows",
    "turns.preview": "changes nothing",
    "turns.open_turn_of": "changes nothing",
    "writing.read_by": "what holds it",
    "writing.refuse_lost": "what holds it",
}


def test_every_act_by_a_link_is_held_against_its_seat() -> None:
    found = {
        f"{module.name}.{name}"
        for module in pkgutil.iter_modules(acts.__path__)
        for name, function in inspect.getmembers(
            import_module(f"pbem.acts.{module.name}"), inspect.isfunction
        )
        if function.__module__ == f"pbem.acts.{module.name}"
        and not name.startswith("_")
        and "link" in inspect.signature(function).parameters
    }
    named = {f"{act.__module__.rpartition('.')[2]}.{act.__name__}" for act in ACTS}

    assert found == named | set(OTHERS)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: f"{act.__module__[10:]}.{act.__name__}")
def test_who_lost_the_seat_a_moment_ago_does_nothing_to_it(
    act: Callable[..., Any], house: House
) -> None:
    purpose, do = ACTS[act]
    match = house.open(confirmed=False) if purpose == Purpose.JOIN else house.running()
    if act in BEFORE:
        BEFORE[act](house, match)
    link = house.link(match, purpose, 1)
    remedies.reissue(house.service, match.id, 1, actor="operator")
    before = rows(house)

    with pytest.raises(NotFound):
        do(house.service, link)

    assert rows(house) == before


def rows(house: House) -> dict[str, list[tuple[Any, ...]]]:
    """All that there is."""
    with house.service.database.read() as session:
        return {name: _all(session, table) for name, table in SQLModel.metadata.tables.items()}


def _all(session: Session, table: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.execute(select(table)).all()]
