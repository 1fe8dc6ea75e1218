"""Attacks on what is hidden: whatever an order is tried with, two worlds answer the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from flask.testing import FlaskClient
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish.notation import write
from engine.games.skirmish.state import Device, Model, State
from pbem import present
from pbem.mail.render import render
from pbem.store.models import Match
from pbem.words.i18n import translator
from tests.web.house import WebHouse
from tests.web.test_skirmish import played_to, put_state, running, state_of

#: What a preview holds that is drawn anew for each.
DRAWN = re.compile(r'name="submission" value="[^"]+"')
NAMING = ("fire {}", "throw m67 at {}", "attack {}", "bandage {}", "carry {}", "demand {}")
GOING = ("walk to {}", "run to {}", "throw m67 at {}", "fire {} with m203")


def in_the_middle(web: WebHouse) -> tuple[Match, int]:
    """An activation in which not everybody is in sight."""
    match = running(web, points=500)
    seat = played_to(web, match, "activation", ply=30)
    while state_of(web, match).active is None:
        web.play(match, seat, GAME.format(begun(state_of(web, match), seat)), "begin")
        web.work()
        [seat] = web.waiting(match)
    return match, seat


def begun(state: State, seat: int) -> Any:
    return next(move for move in GAME.legal_moves(state, seat) if write(move).startswith("act"))


def unseen(state: State, seat: int) -> list[Model]:
    """The enemies that the seat does not have in sight."""
    seen = {contact.model for contact in state.contacts[seat] if contact.seen}
    return [model for model in state.models if model.seat != seat and model.name not in seen]


def attacks(state: State, other: State, seat: int) -> Iterator[str]:
    """Orders that try for those out of sight: by name, and at the spots of both worlds."""
    assert state.active is not None
    name = state.active.members[0]
    hidden = unseen(state, seat)
    for foe in hidden[:3]:
        yield from (f"{name} {text.format(foe.name)}" for text in NAMING)
        yield f"{name} opfire at {foe.name}"
        yield f"{foe.name} prone"
    names = {model.name for model in hidden[:2]}
    for model in (*state.models, *other.models):
        if model.name in names:
            spot = f"{model.x / 1000:g},{model.y / 1000:g}"
            yield from (f"{name} {text.format(spot)}" for text in GOING)
    yield from (f"{name} {text}" for text in ("opfire", "prone", "trigger mine-7", "face 90"))
    yield f"{state.active.who} end"


def test_no_preview_tells_two_worlds_apart(web: WebHouse, client: FlaskClient) -> None:
    """Refusals, costs, chances and what a blast takes in: on the page and as JSON."""
    match, seat = in_the_middle(web)
    state, path = state_of(web, match), web.turn_path(match, seat)
    state = replace(state, devices=(mine(state, seat),))
    other = GAME.other_world(state, seat, SeededDice(b"elsewhere"))
    orders = list(attacks(state, other, seat))

    def answers() -> list[tuple[int, str]]:
        got = []
        for order in orders:
            for kind in ("text/html", "application/json"):
                answer = client.post(
                    f"{path}/preview", data={"order": order}, headers={"Accept": kind}
                )
                got.append((answer.status_code, DRAWN.sub("", answer.text)))
        return got

    put_state(web, match, state)
    here = answers()
    put_state(web, match, other)
    there = answers()

    assert unseen(state, seat)
    assert other.devices != state.devices
    assert {status for status, _ in here} == {200, 422}
    assert [
        orders[number // 2]
        for number, (one, two) in enumerate(zip(here, there, strict=True))
        if one != two
    ] == []


def mine(state: State, seat: int) -> Device:
    owner = next(model.name for model in state.models if model.seat != seat)
    return Device("mine-7", "mine", 1 - seat, owner, 24_000, 24_000, "ground")


def test_no_answer_picture_or_help_tells_two_worlds_apart(
    web: WebHouse, client: FlaskClient
) -> None:
    """The view and its orders as JSON, the phase and ply, the record, the picture, the help."""
    match, seat = in_the_middle(web)
    state, path = state_of(web, match), web.turn_path(match, seat)
    state = replace(state, devices=(mine(state, seat),))
    mail = [mail for mail in web.mails("your_turn") if mail.seat == seat][-1]
    doors = [path, f"/m/{match.id}", f"/m/{match.id}/record", f"/api/matches/{match.id}"]

    def got() -> list[bytes]:
        answers = [
            client.get(door, headers={"Accept": kind}).data
            for door in doors
            for kind in ("text/html", "application/json")
        ]
        view = GAME.view(state_of(web, match), seat)
        helped = present.help_text("skirmish", view, translator("en", "skirmish"))
        assert helped
        return [*answers, render(web.service, mail).content, helped.encode()]

    put_state(web, match, state)
    here = got()
    put_state(web, match, GAME.other_world(state, seat, SeededDice(b"elsewhere")))

    assert got() == here
