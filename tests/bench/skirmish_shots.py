"""Shots by the rules' arithmetic and by the engine's dice: how often they hit and what they do.

    python -m tests.bench.skirmish_shots --shots 100000

Each line gives a shot, the share of hits and of men put down (first column of the wound table, or
a head wound of the second) that the rules' numbers come to, and the shares that were rolled.
"""

import argparse
from fractions import Fraction

from msgspec.structs import replace

from engine.dice import SeededDice
from engine.games.skirmish.combat import chances, consequences, fire
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.ground.terrain import TableForm
from engine.games.skirmish.men import wounds
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import Build, Fire, TeamOrder
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight
from engine.games.skirmish.stages import building
from engine.games.skirmish.state import Activation, State, Tally

OPEN = TableForm("open", "Open", 48_000, 48_000, ())
#: Weapon, mode, distance from centre to centre, target's list.
SHOTS = (
    ("m16a2", "single", 21_000, "rangers"),
    ("m16a2", "single", 21_000, "taliban"),
    ("ak-47", "single", 21_000, "rangers"),
    ("sniper", "single", 30_000, "taliban"),
    ("m9", "single", 10_000, "rangers"),
)
TENTH = Fraction(1, 10)


def expected(need, kind, rating_at):
    """Shares of hits and of men put down, by the rules' numbers alone."""
    hit = sum(TENTH for die in range(1, 11) if chances.hits(die, need))
    down = Fraction(0)
    for die in range(1, 11):
        place = wounds.location(die)
        rating = rating_at(place)
        saved = sum(TENTH for save in range(1, 11) if wounds.saves(save, rating, kind.arm))
        drops = sum(TENTH for wound in range(1, 11) if is_down(place, wound - kind.dpr))
        down += TENTH * (1 - saved) * drops
    return hit, hit * down


def is_down(place, result):
    return result <= 0 or (place == "head" and result <= 2)


def scene(gun, distance, list_):
    """A shooter and a target on an open table."""
    armed = TeamOrder("airborne", "", ((gun,), (), (), ()))
    teams, models, builds = [], [], []
    for seat, order in enumerate((armed, TeamOrder(list_))):
        squads, men = building.raise_force(seat, Build((order,)))
        teams += squads
        models.append(replace(men[0], x=24_000, y=4000 + distance * seat, facing=180 * seat))
        builds.append(Build((order,)))
    return State(
        SkirmishOptions(priority_target=False),
        OPEN,
        "activation",
        turn=1,
        builds=tuple(builds),
        teams=tuple(teams),
        models=tuple(models),
        tallies=(Tally(()), Tally(())),
        active=Activation(0, "alpha", ("alpha-1",)),
    )


def fired(state, gun, mode, shots, seed):
    """How many of so many shots hit, and put the man down."""
    hit = down = 0
    for number in range(shots):
        play = Play(state, SeededDice.from_text(f"{seed} {number}"), "bench", consequences.follow)
        fire.fire(play, Fire("alpha-1", gun, mode, "bravo-1"))
        hit += any(type(event).__name__ == "Hit" for event in play.events)
        for event in play.events:
            if type(event).__name__ == "Wounded":
                down += (
                    "bleeding" in event.effects
                    or "killed" in event.effects
                    or "unconscious" in event.effects
                )
    return hit / shots, down / shots


def compared(gun, mode, distance, list_, shots, seed="shots"):
    """Expected and rolled shares of hits and of men put down."""
    state = scene(gun, distance, list_)
    play = Play(state, SeededDice.from_text("look"), "bench")
    shooter, target = play.models["alpha-1"], play.models["bravo-1"]
    kind = weapon(gun)
    odds = chances.to_hit(play.scene, state.options, shooter, target, kind, mode)
    assert sight.look(play.scene, shooter, target).plain
    counted = expected(odds.need, kind, lambda place: wounds.armour(target, place))
    rolled = fired(state, gun, mode, shots, f"{seed} {gun} {list_}")
    return [float(share) for share in counted], rolled


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shots", type=int, default=100_000, help="over all lines together")
    asked = parser.parse_args()
    each = asked.shots // len(SHOTS)
    for gun, mode, distance, list_ in SHOTS:
        counted, rolled = compared(gun, mode, distance, list_, each)
        print(
            f"{gun:8} {mode:7} {distance / 1000:4.0f} in. at {list_:8} "
            f"hits {counted[0]:.3f} / {rolled[0]:.3f}   down {counted[1]:.4f} / {rolled[1]:.4f}"
        )


if __name__ == "__main__":
    main()
