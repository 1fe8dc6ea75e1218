"""How fast the skirmish's eyes and activations are.

    python -m tests.bench.skirmish_speed

Sights a second are of fresh glances over the village, none remembered from before. Seconds are
those of the processor, whatever else the machine does.
"""

import argparse
import time

from msgspec.structs import replace

from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish.data.library import library
from engine.games.skirmish.ground.scene import Scene
from engine.games.skirmish.ground.terrain import terrain
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import Build, TeamOrder
from engine.games.skirmish.shown.planning import Desk
from engine.games.skirmish.sight import sight
from engine.games.skirmish.stages import building


def sights(number):
    """Seconds that so many fresh glances take."""
    chooser, ground = Chooser("sights"), terrain(library().tables["village"])
    men = building.raise_force(0, Build((TeamOrder("rangers"),) * 2))[1]
    pairs = []
    while len(pairs) < number:
        placed = [
            replace(man, x=1000 + chooser.below(46_000), y=1000 + chooser.below(46_000))
            for man in men
        ]
        pairs += [(placed, one, other) for one in placed for other in placed if one is not other]
    scenes = [(Scene(ground, tuple(placed)), one, other) for placed, one, other in pairs[:number]]
    started = time.process_time()
    for scene, one, other in scenes:
        sight.look(scene, one, other)
    return time.process_time() - started


def activations(matches):
    """Seconds in ``apply``, plies and activations of matches between bots."""
    spent, views, plies, begun = 0.0, 0.0, 0, 0
    for number in range(matches):
        seed = f"speed {number}"
        state = GAME.setup(2, SkirmishOptions(), SeededDice.from_text(seed)).state
        while GAME.outcome(state) is None:
            seat = min(GAME.phase(state).pending)
            legal = list(GAME.legal_moves(state, seat))
            started = time.process_time()
            seen = GAME.view(state, seat)
            views += time.process_time() - started
            move = GAME.choose(seen, legal, SeededDice.from_text("x"))
            started = time.process_time()
            state = GAME.apply(state, seat, move, SeededDice.from_text(seed)).state
            spent += time.process_time() - started
            plies += 1
            begun += type(move).__name__ == "Activate"
    return spent, views, plies, begun


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    number = 10_000
    print(f"{number / sights(number):,.0f} sights a second")
    spent, views, plies, begun = activations(4)
    print(f"{1000 * spent / plies:.1f} ms an order, {1000 * spent / begun:.0f} ms an activation")
    print(f"{1000 * views / plies:.1f} ms a view")
    state = GAME.setup(2, SkirmishOptions(), SeededDice.from_text("reach")).state
    while state.active is None:
        seat = min(GAME.phase(state).pending)
        move = next(iter(GAME.legal_moves(state, seat)))
        state = GAME.apply(state, seat, move, SeededDice.from_text("reach")).state
    seen = GAME.view(state, state.active.seat)
    desk, who = Desk(seen), state.active.members[0]
    desk.ways(who)
    started = time.process_time()
    ways = desk.ways(who)
    print(f"{1000 * (time.process_time() - started):.0f} ms for {len(ways)} ways")


if __name__ == "__main__":
    main()
