"""What a refusal says is true, and the seat could know it: of random orders on random tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import pytest

from engine.dice import SeededDice
from engine.errors import EngineError, IllegalMove, Unreadable
from engine.games.skirmish import GAME
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.state import Model, State
from engine.games.skirmish.view import View
from tests.parts import chance

INCH = 1000
#: Orders of every kind, of which a random one is filled in: N own, F enemy, M anybody, P a place.
FORMS = (
    *("N fire F", "N fire F aimed", "N fire F burst", "N fire M", "N fire P", "N fire W F"),
    *("N throw m67 at F", "N throw m67 at M", "N throw m67 at P", "N throw rgd-5 at F"),
    *("N opfire", "N opfire at F", "N opfire at M chance 50", "N opfire W"),
    *("N attack F", "N attack M", "N attack F with knife", "N tackle", "N tie M", "N demand M"),
    *("N walk to P", "N run to P", "N crawl to P", "N climb to P", "N jump to P"),
    *("N prone", "N stand", "N face D", "N bandage M", "N bandage N", "N rouse M", "N carry M"),
    *("N put down", "N drop W", "N drop 2 W", "N pick up W", "N reload W", "N learn W"),
    *("N place mine at P", "N place c4 2", "N trigger mine-1", "N bayonet"),
    *("activate T", "activate N", "T end", "N end", "demands on", "demands off"),
)
WEAPONS = ("m16a2", "m203", "ak-47", "m249", "rpg-7", "m9", "knife", "m67", "rpk", "m4")


class Refused(NamedTuple):
    """An order that was refused: by whom it was given, on which table, and what was said."""

    state: State
    seat: int
    order: str
    error: IllegalMove

    @property
    def values(self) -> Mapping[str, Any]:
        return self.error.sentence.parameters

    @property
    def view(self) -> View:
        return GAME.view(self.state, self.seat)

    def own(self, name: str) -> Model | None:
        return next((model for model in self.view.own if model.name == name), None)

    def takes(self, order: str) -> bool:
        """Whether the order would be legal."""
        try:
            GAME.parse(self.state, self.seat, order)
        except EngineError:
            return False
        return True

    def seen(self, name: str) -> bool:
        return any(other.name == name and other.seen for other in self.view.others)


# --- random orders ---


def random_order(lot: random.Random, state: State, seat: int) -> str:
    active = state.active.members if state.active is not None else ()
    own = [model.name for model in state.models if model.seat == seat]
    foes = [model.name for model in state.models if model.seat != seat]
    near = active if active and lot.random() < 0.8 else own
    name = lot.choice(list(near))
    actor = next(model for model in state.models if model.name == name)
    held = [arm.weapon for arm in actor.arms] + [thing for thing, _ in actor.stock]
    spread = lot.choice((1, 3, 12)) * INCH
    x, y = (at + lot.randint(-spread, spread) for at in actor.at)
    words = {
        "N": actor.name,
        "F": lot.choice(foes),
        "M": lot.choice([*own, *foes, "nobody"]),
        "P": f"{x / INCH:g},{y / INCH:g}",
        "D": f"{lot.randrange(400)}",
        "W": lot.choice(held) if held and lot.random() < 0.6 else lot.choice(WEAPONS),
        "T": lot.choice(state.models).team,
    }
    return " ".join(words.get(word, word) for word in lot.choice(FORMS).split())


def tables(seed: str, options: SkirmishOptions) -> Iterator[State]:
    """The decisions of activations in a match that the bot plays, two activations of it apart."""
    dice = SeededDice.from_text(seed)
    state = GAME.setup(2, options, dice).state
    for ply in range(400):
        pending = GAME.phase(state).pending
        if not pending:
            return
        seat = min(pending)
        legal = list(GAME.legal_moves(state, seat))
        move = GAME.choose(GAME.view(state, seat), legal, SeededDice.from_text(f"{seed} {ply}"))
        state = GAME.apply(state, seat, move, dice).state
        if state.stage == "activation":
            yield state


def refusals(seed: str, options: SkirmishOptions, most: int) -> Iterator[Refused]:
    lot = random.Random(f"{chance.SEED} reasons {seed}")
    for state in islice(tables(seed, options), 0, most, 2):
        seat = min(GAME.phase(state).pending, default=-1)
        for _ in range(24 if seat >= 0 else 0):
            order = random_order(lot, state, seat)
            try:
                GAME.parse(state, seat, order)
            except IllegalMove as error:
                yield Refused(state, seat, order, error)
            except Unreadable:
                continue


# --- what is claimed ---


def false_claims(asked: Refused) -> Iterator[str]:
    """What a refusal says that the seat's own view, or its legal moves, say otherwise."""
    said, values = asked.error.sentence.text, asked.values
    view, typed = asked.view, asked.order.split()
    model = asked.own(str(values.get("model", typed[0])))
    name = str(values.get("name", ""))
    target = asked.own(name)
    # whoever is named was named in the order, is one's own, or is seen
    for value in values.values():
        for word in str(value).split(" or "):
            if word in {one.name for one in asked.state.models} and not (
                word in typed or asked.own(word) or asked.seen(word)
            ):
                yield f"{word} is out of sight"
    if (
        "{left}" in said
        and "AP" in said
        and (model is None or values["left"] != model.ap or values["need"] <= model.ap)
    ):
        yield "the AP are others"
    if "of that" in said and model is not None:
        thing = next((word for word in typed[2:] if not word.isdecimal()), "")
        if values["left"] != model.count(thing) + (model.arm(thing) is not None):
            yield f"he has others: {model.count(thing)}"
    if (
        "{loaded}" in said
        and model is not None
        and (values["loaded"] not in {arm.loaded for arm in model.arms})
    ):
        yield "no weapon of his has so many rounds"
    if "is empty" in said and model is not None and all(arm.loaded for arm in model.arms):
        yield "all his weapons are loaded"
    if "“activate {team}”" in said and not asked.takes(f"activate {values['team']}"):
        yield f"activate {values['team']} is refused"
    if "“{who} end”" in said and not asked.takes(f"{values['who']} end"):
        yield f"{values['who']} end is refused"
    if "is active; first" in said and (view.active is None or view.active.who != values["who"]):
        yield "somebody else is active"
    if "You have nobody called" in said and target is not None:
        yield "there is one"
    if "There is nobody called" in said and (target is not None or asked.seen(name)):
        yield "there is one"
    if "is out of action" in said and target is not None and target.fit:
        yield "he is fit"
    if "belongs to the other side" in said and asked.own(str(values["who"])) is not None:
        yield "he is one's own"
    if "has had his activation" in said and values["who"] not in view.done:
        yield "he has not"
    if "is not in sight" in said and (target is not None or asked.seen(name)):
        yield "he is one's own, or in sight"
    if "is not an enemy" in said and target is None:
        yield "he is one"
    if "is an enemy" in said and target is not None:
        yield "he is none"
    if "not in base contact" in said and model is not None:
        other = str(values.get("foe", name))
        at = {one.name: (one.x, one.y) for one in (*view.own, *view.others)}
        if other in at and geometry.distance(model.at, at[other]) <= INCH:
            yield "they touch"
    if "is prone" in said and model is not None and not model.prone:
        yield "he stands"
    if (
        "already" in said
        and "state" in values
        and model is not None
        and (model.prone != (str(values["state"]) == "prone"))
    ):
        yield "he is not"
    if "immobilized" in said and model is not None and not model.wounds.immobilized:
        yield "he is not"
    if (
        said.startswith("{model} has no {weapon}")
        and model is not None
        and (model.arm(str(values["weapon"])) is not None)
    ):
        yield "he has it"
    if (
        said.startswith("{model} has no {grenade}")
        and model is not None
        and (model.count(str(values["grenade"])))
    ):
        yield "he has it"
    if "within 10 inches" in said and model is not None:
        at = {one.name: (one.x, one.y) for one in view.others}
        for near in str(values["near"]).split(" or "):
            if geometry.distance(model.at, at[near]) > 11 * INCH:
                yield f"{near} is farther away"
    if "is dead" in said and name in {one.name for one in asked.state.models if one.fit}:
        yield "he lives"
    if (
        "does not lie within reach" in said
        and model is not None
        and any(
            item.thing in typed and geometry.distance((item.x, item.y), model.at) <= INCH
            for item in view.lying
            if item.floor == model.floor
        )
    ):
        yield "some of it does"


def tells_a_secret(asked: Refused) -> bool:
    """Whether the same order is answered otherwise where only what the seat cannot know differs."""
    for number in range(2):
        dice = SeededDice.from_text(f"{asked.order} {number}")
        other = GAME.other_world(asked.state, asked.seat, dice)
        try:
            GAME.parse(other, asked.seat, asked.order)
        except EngineError as error:
            if str(error) == str(asked.error):
                continue
        return True
    return False


@pytest.mark.parametrize(
    ("seed", "options"),
    [
        ("by day", SkirmishOptions(points=250, table="village")),
        ("by night", SkirmishOptions(points=500, table="compound", night=True)),
        ("in the wood", SkirmishOptions(points=250, table="wood", priority_target=True)),
    ],
)
def test_every_claim_of_a_refusal_is_true(seed: str, options: SkirmishOptions) -> None:
    """A player who is told why not can rely on it, and is told nothing of what he cannot see."""
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    said = 0
    kinds = set()
    for asked in refusals(seed, options, 130):
        said += 1
        kinds.add(asked.error.sentence.text)
        claims = list(false_claims(asked))
        if said % 5 == 0 and tells_a_secret(asked):
            claims.append("another world answers otherwise")
        for claim in claims:
            kind = f"{asked.error.sentence.text}: {claim}"
            found[kind] += 1
            first.setdefault(kind, f"{asked.order!r} of seat {asked.seat}: {asked.error}: {claim}")

    assert said > 300
    assert len(kinds) > 25
    assert not found, f"{found.total()} of {said}:\n" + "\n".join(
        f"{found[kind]} times: {first[kind]}" for kind in found
    )
