"""Before the first turn: choosing forces, sides, order and places, SKR-14 to 19."""

from __future__ import annotations

from msgspec.structs import replace

from engine.game import Seat
from engine.games.skirmish import notation, versions
from engine.games.skirmish.events import ForceShown, HandedIn, OrderTaken, SideTaken
from engine.games.skirmish.moves import Build, Deploy
from engine.games.skirmish.play import Play, scenario
from engine.games.skirmish.stages import activation, building, deploying
from engine.games.skirmish.state import Tally


def take_force(play: Play, seat: Seat, build: Build) -> None:
    """SKR-14, 15, 17: once both forces are built they are shown; dice decide who chooses."""
    builds = list(play.state.builds)
    builds[seat] = build
    play.change(builds=tuple(builds))
    play.tell(HandedIn(seat=seat, what="force"))
    if None in builds:
        return
    teams, models = [], []
    for owner, order in enumerate(builds):
        assert order is not None
        squads, men = building.raise_force(
            owner,
            order,
            vests_by_team=versions.vests_go_by_team(play.state),
            launchers_loaded=versions.launchers_come_with_rounds(play.state),
        )
        teams += squads
        models += men
        points = building.price(order)
        play.tell(ForceShown(seat=owner, order=notation.write(order), points=points))
    if versions.flashes_are_seen(play.state):
        models = [replace(model, saw_fire=()) for model in models]
    play.models = {model.name: model for model in models}
    play.where = "set-up"
    play.change(
        teams=tuple(teams),
        tallies=(Tally(()), Tally(())),
        smoke=scenario(play.state.options).smoke,
        stage="sides",
        chooser=low_roller(play, "table side"),
    )


def take_side(play: Play, seat: Seat, side: str) -> None:
    """SKR-17, 18."""
    other = "north" if side == "south" else "south"
    play.change(sides=(side, other) if seat == 0 else (other, side))
    play.tell(SideTaken(seat=seat, side=side))
    if play.state.options.deployment == "turns":
        play.where = "set-up order"
        play.change(stage="order", chooser=low_roller(play, "deployment"))
    else:
        play.change(stage="deployment")


def take_order(play: Play, seat: Seat, first: bool) -> None:
    """SKR-18: decides who deploys first."""
    starter = seat if first else 1 - seat
    play.tell(OrderTaken(seat=starter))
    play.change(stage="deployment", deploy_first=starter)


def take_deployment(play: Play, seat: Seat, deploy: Deploy) -> None:
    """SKR-19: once both have deployed, all models are placed and turn 1 begins."""
    places = list(play.state.places)
    places[seat] = deploy
    play.change(places=tuple(places))
    play.tell(HandedIn(seat=seat, what="deployment"))
    if None in places:
        return
    for order in places:
        assert order is not None
        for place in order.places:
            play.models[place.model] = deploying.stand(play.models[place.model], place)
    activation.start_turn(play)


def low_roller(play: Play, purpose: str) -> Seat:
    """SKR-17, 18: D10 each, the lower roll chooses; ties are rolled again."""
    while True:
        dice = [play.roll(f"{purpose}, seat {seat + 1}") for seat in (0, 1)]
        if dice[0] != dice[1]:
            return 0 if dice[0] < dice[1] else 1
