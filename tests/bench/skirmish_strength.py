"""How much stronger the bot plays than random orders.

    python -m tests.bench.skirmish_strength --games 200 --points 500

Both sides have the same force (two teams of Rangers at 500 points), built and deployed the
standard way, so that only the orders differ. Seats are swapped every match; the table changes.
"""

import argparse
import time

from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish.meta import SkirmishOptions

TABLES = ("village", "compound", "wood", "bridge", "generated")
SCENARIOS = ("hold", "clash", "screen", "night-raid")


def play(seed, bot_seat, points=500, table="village", scenario="hold"):
    """One match; who won, and how many plies it took."""
    options = SkirmishOptions(points=points, table=table, scenario=scenario)
    dice, chooser, plies = SeededDice.from_text(seed), Chooser(seed), 0
    state = GAME.setup(2, options, dice).state
    while GAME.outcome(state) is None:
        seat = min(GAME.phase(state).pending)
        if state.stage in ("building", "sides", "deployment"):
            move = GAME.default_move(state, seat)
        else:
            legal = list(GAME.legal_moves(state, seat))
            if seat == bot_seat:
                own = SeededDice.from_text(f"{seed} {plies}")
                move = GAME.choose(GAME.view(state, seat), legal, own)
            else:
                move = legal[chooser.below(len(legal))]
        state = GAME.apply(state, seat, move, SeededDice.from_text(seed)).state
        plies += 1
    return GAME.outcome(state).winners, plies


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--points", type=int, default=500)
    asked = parser.parse_args()
    tally, plies, started = {"bot": 0, "random": 0, "draw": 0}, 0, time.perf_counter()
    for number in range(asked.games):
        seat = number % 2
        place, story = TABLES[number // 2 % 5], SCENARIOS[number // 10 % 4]
        winners, length = play(f"strength {number}", seat, asked.points, place, story)
        who = "draw" if not winners else "bot" if winners == (seat,) else "random"
        tally[who] += 1
        plies += length
    seconds = time.perf_counter() - started
    print(f"{asked.games} matches: {tally}")
    print(f"{plies / asked.games:.0f} plies a match, {seconds / asked.games:.2f} s a match")


if __name__ == "__main__":
    main()
