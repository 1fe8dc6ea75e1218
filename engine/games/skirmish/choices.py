"""What a seat can choose in each stage, made from its view alone: ``turn.html`` and ``help.txt``.

Every option without a reason is an order that the rules accept, as far as the seat knows, and every
option with a reason is one that they refuse. A ``stage`` names the part of the page that draws it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from engine.choices import Option
from engine.errors import IllegalMove, Sentence
from engine.games.skirmish import examples, notation
from engine.games.skirmish import moves as m
from engine.games.skirmish.combat import watching
from engine.games.skirmish.data.library import Faction, library
from engine.games.skirmish.ground.geometry import INCH, Rect
from engine.games.skirmish.orders import sampling
from engine.games.skirmish.shown import planning
from engine.games.skirmish.shown.man import EXTRAS, Man, folded, man, option
from engine.games.skirmish.shown.planning import Desk
from engine.games.skirmish.stages import activation, building
from engine.games.skirmish.state import Model
from engine.games.skirmish.view import View

# --- building a force ---


class Offer(msgspec.Struct, frozen=True):
    """What a member may have extra, its price, and which member; None is any member."""

    name: str
    title: Sentence
    points: int
    needs: Sentence | None = None


class Listed(msgspec.Struct, frozen=True):
    """A fire team that can be built: a list as it is, or with an upgrade."""

    faction: Faction
    upgrade: str
    offers: tuple[Offer, ...]


class ReadyMade(Option, frozen=True, kw_only=True):
    points: int


class Building(msgspec.Struct, frozen=True):
    ready: tuple[ReadyMade, ...]
    lists: tuple[Listed, ...]
    limit: int
    #: An example of an order for a force.
    example: str
    stage: str = "building"


# --- one of two, deployment, whom to activate ---


class Choosing(msgspec.Struct, frozen=True):
    """A side of the table, who deploys first, or who begins the turn."""

    why: Sentence
    options: tuple[Option, ...]
    stage: str = "choosing"


class Deploying(msgspec.Struct, frozen=True):
    zone: Rect
    ready: tuple[Option, ...]
    #: The place of each model in the first of them.
    places: tuple[m.Placement, ...]
    #: Floors at least partly in the zone.
    floors: tuple[str, ...]
    #: An example of an order for a deployment.
    example: str
    stage: str = "deployment"


class Activating(msgspec.Struct, frozen=True):
    teams: tuple[Option, ...]
    #: One man, or nobody of a team.
    others: tuple[Option, ...]
    stage: str = "activation"
    #: Whether orders can be told one after the other before the first is played.
    goes_on: bool = True


# --- orders of an activation ---


class Extra(msgspec.Struct, frozen=True):
    """What may follow an Op-Fire order: a field of it, and its label."""

    name: str
    label: Sentence


class Waiting(msgspec.Struct, frozen=True):
    """The numbers of Op-Fire: SKR-39, 45."""

    targets: tuple[str, ...]
    #: What may follow the order of one of these men at least.
    extras: tuple[Extra, ...]
    #: The longest range that makes sense on this table, in inches.
    most: int
    ap: int = watching.WATCH_AP
    shoot_ap: int = watching.SHOOT_AP
    least_chances: tuple[int, ...] = tuple(watching.LEAST_CHANCES)
    #: What the notation means if the chance is left out.
    least_chance: int = m.LEAST_CHANCE


class Ordering(msgspec.Struct, frozen=True):
    who: str
    men: tuple[Man, ...]
    waiting: Waiting
    #: The end of the activation, and whether broken enemies are called on.
    ending: tuple[Option, ...]
    grammar: tuple[examples.Example, ...]
    #: The man whose orders are listed; None if those of all are.
    about: str | None = None
    stage: str = "orders"
    goes_on: bool = True


Choices: TypeAlias = Building | Choosing | Deploying | Activating | Ordering


def choices(view: View, *, about: str | None = None) -> Choices | None:
    """What the seat of a view can choose; None if it has nothing to decide.

    ``about``: the man of an activation whose orders alone are listed; if it is no member, the one
    with most AP. None lists those of all.
    """
    if view.seat is None or view.seat not in view.pending:
        return None
    match view.stage:
        case "building":
            return _building(view.options.points)
        case "sides" | "order" | "initiative":
            return _choosing(view.stage)
        case "deployment":
            return _deploying(view)
    return _activating(view) if view.active is None else _ordering(view, about)


# --- before the first turn ---


def _building(limit: int) -> Building:
    lists = library().factions.values()
    return Building(
        ready=tuple(
            _ready(list_, min(limit // list_.points, building.MOST_TEAMS))
            for list_ in lists
            if list_.slots[0].weapons and list_.points <= limit
        ),
        lists=tuple(
            Listed(list_, upgrade, tuple(_offers(list_, upgrade)))
            for list_ in lists
            for upgrade in ("", *list_.choice.upgrades)
        ),
        limit=limit,
        example=examples.BUILD,
    )


def _ready(list_: Faction, teams: int) -> ReadyMade:
    label = Sentence("{list} × {teams}", {"list": Sentence(list_.title), "teams": teams})
    order = notation.write(m.Build((m.TeamOrder(list_.name),) * teams))
    return ReadyMade(order, label, points=teams * list_.points)


def _offers(list_: Faction, upgrade: str) -> Iterator[Offer]:
    for name, points in building.offers(list_, upgrade).items():
        if name in list_.kit.gear:
            continue  # all have it
        item = library().items.get(name)
        needs = None if item is None else _needed(item.needs)
        yield Offer(name, Sentence(building.title(name)), points, needs)


def _needed(needs: str) -> Sentence | None:
    match needs:
        case "":
            return None
        case "leader":
            return Sentence("leader only")
        case "engineer":
            return Sentence("engineers only")
        case "c4":
            return Sentence("engineers, or where the list has it")
    return Sentence("only with {thing}", {"thing": Sentence(building.title(needs))})


def _choosing(stage: str) -> Choosing:
    match stage:
        case "sides":
            return Choosing(
                Sentence("Your die was lower: choose your side of the table."),
                (
                    option(m.TakeSide("south"), Sentence("the south side")),
                    option(m.TakeSide("north"), Sentence("the north side")),
                ),
            )
        case "order":
            return Choosing(
                Sentence("Your die was lower: do you deploy first or second?"),
                (
                    option(m.TakeOrder(True), Sentence("first")),
                    option(m.TakeOrder(False), Sentence("second")),
                ),
            )
    return Choosing(
        Sentence("You won the initiative. Who activates first?"),
        (
            option(m.Initiative(True), Sentence("you")),
            option(m.Initiative(False), Sentence("the others")),
        ),
    )


def _deploying(view: View) -> Deploying:
    assert view.seat is not None
    assert view.zone is not None
    state = planning.known_state(view)
    default, *others = sampling.deployments(state, view.seat)
    ready = [option(default, Sentence("in lines from the middle"))]
    for other in others:
        label = _beside(default.places[0], other.places[0])
        ready.append(option(other, label))
    zone = view.zone
    return Deploying(
        zone=zone,
        ready=tuple(ready),
        places=default.places,
        floors=tuple(
            name
            for name, floor in Desk(view).play.terrain.floors.items()
            if floor.building and floor.rect[1] < zone[3] and floor.rect[3] > zone[1]
        ),
        example=examples.DEPLOY,
    )


def _beside(place: m.Placement, other: m.Placement) -> Sentence:
    if other.prone:
        return Sentence("the same, lying")
    return Sentence("the same, further west" if other.x < place.x else "the same, further east")


def _activating(view: View) -> Activating:
    names = activation.free_of(view.own, view.done)
    teams = [name for name in names if "-" not in name]
    men = [name for name in names if "-" in name]
    return Activating(
        tuple(_team(view, who) for who in teams),
        (
            *(option(m.Activate(who), Sentence("{who} alone", {"who": who})) for who in men),
            *(option(m.End(who), Sentence("pass {who} by", {"who": who})) for who in teams),
        ),
    )


def _team(view: View, who: str) -> Option:
    """The activation of a team, which stands for all its men on the map."""
    members = tuple(one.name for one in view.own if one.team == who and one.name not in view.done)
    label = Sentence("the team {who}", {"who": who})
    return Option(notation.write(m.Activate(who)), label, places=members)


# --- orders ---


def _ordering(view: View, about: str | None) -> Ordering:
    assert view.active is not None
    desk, who = Desk(view), view.active.who
    members = [model for model in view.own if model.name in view.active.members]
    if about is not None:
        about = _whom(desk, members, about)
    foes = tuple(foe.name for foe in view.others)
    example_foe = foes[0] if foes else f"{building.TEAM_NAMES[1 - desk.seat][0]}-1"
    friend = f"{building.TEAM_NAMES[desk.seat][0]}-3"
    table = view.table
    men = tuple(
        man(desk, model) if about in (None, model.name) else folded(desk, model)
        for model in members
    )
    extras = {extra for one in men for wait in one.waits for extra in wait.extras}
    return Ordering(
        who=who,
        men=men,
        waiting=Waiting(
            tuple(foe.name for foe in view.others if foe.condition == "fit"),
            tuple(Extra(name, label) for name, label in EXTRAS.items() if name in extras),
            table.width // INCH + table.depth // INCH,
        ),
        ending=(option(m.End(who), Sentence("the activation is over")), *_demands(desk)),
        grammar=examples.examples(view.active.members[0], example_foe, friend),
        about=about,
    )


def _whom(desk: Desk, members: list[Model], name: str) -> str:
    """The member of this name, or else the one who has most AP of those who can be given orders."""
    able = [model for model in members if desk.takes_orders(model.name)]
    most = max(able or members, key=lambda model: model.ap)
    return next((model.name for model in members if model.name == name), most.name)


def _demands(desk: Desk) -> Iterator[Option]:
    on = not desk.view.demands
    try:
        activation.check_free(desk.play.state)
    except IllegalMove:
        return
    yield option(
        m.Demands(on),
        Sentence("call broken enemies to surrender")
        if on
        else Sentence("do not call broken enemies to surrender"),
    )
