"""What the bot's men get up for.

    python -m tests.bench.skirmish_stands --games 10 --points 500

The bot plays both sides. A man who stands up pays 3 AP: for nothing if he then neither goes
anywhere nor fights hand to hand, nor shoots at somebody whom he could not shoot at where he lay.
"""

import argparse
from collections import Counter

from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish import moves as m
from engine.games.skirmish.meta import SkirmishOptions
from tests.bench.skirmish_strength import SCENARIOS, TABLES

GOING = (m.Travel, m.Attack, m.Tackle)
USED = ("went", "shot what he could not lying")


def counted(seed, points, table, scenario):
    """The stands of one match, by what came of them."""
    options = SkirmishOptions(points=points, table=table, scenario=scenario)
    dice, plies, came = SeededDice.from_text(seed), 0, Counter()
    state, up, marks = GAME.setup(2, options, dice).state, {}, {}
    while GAME.outcome(state) is None:
        seat = min(GAME.phase(state).pending)
        if state.stage in ("building", "sides", "deployment"):
            move = GAME.default_move(state, seat)
        else:
            own = SeededDice.from_text(f"{seed} {plies}")
            legal = list(GAME.legal_moves(state, seat))
            move = GAME.choose(GAME.view(state, seat), legal, own)
        match move:
            case m.Stance(name, False):
                up[name] = "only stood"
                marks[name] = {
                    shot.target for shot in legal if isinstance(shot, m.Fire) and shot.model == name
                }
            case m.Fire(name) if up.get(name) in ("only stood", "shot what he could lying"):
                lying = move.target in marks[name]
                up[name] = "shot what he could lying" if lying else "shot what he could not lying"
            case _ if isinstance(move, GOING) and move.model in up:
                up[move.model] = "went"
        state = GAME.apply(state, seat, move, SeededDice.from_text(seed)).state
        plies += 1
        if state.active is None:
            came.update(up.values())
            up = {}
    return came


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--points", type=int, default=500)
    asked = parser.parse_args()
    came = Counter()
    for number in range(asked.games):
        place, story = TABLES[number % 5], SCENARIOS[number // 5 % 4]
        came += counted(f"stands {number}", asked.points, place, story)
    print(f"{came.total()} stands in {asked.games} matches: {dict(came)}")
    used = sum(came[how] for how in USED)
    print(f"{used} of them were used ({100 * used / max(1, came.total()):.0f} %)")


if __name__ == "__main__":
    main()
