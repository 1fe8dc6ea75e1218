"""How strong Dog's bots are: ``python -m tests.bench.dog_strength [MATCHES]`` (default 1,000).

In each form, one side of the stronger name plays the rest of the table, and the sides change seats
from match to match. "By chance" is the share of wins where all play alike, measured for five
players, where several or none can win, with as many matches of random moves.
"""

from __future__ import annotations

import argparse
import time

from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.games.dog import GAME
from engine.games.dog.meta import DogOptions

PAIRINGS = (("easy", "random"), ("steady", "random"), ("steady", "easy"))


def play(seats: int, players: list[str], seed: str) -> tuple[tuple[int, ...], list[float]]:
    """The winners of a match, and what each choice of a bot cost, in seconds."""
    chooser = Chooser(seed)
    state = GAME.setup(seats, DogOptions(), SeededDice.from_text(seed)).state
    costs: list[float] = []
    while pending := GAME.phase(state).pending:
        seat = min(pending)
        legal = list(GAME.legal_moves(state, seat))
        if len(legal) == 1 or players[seat] == "random":
            move = legal[chooser.below(len(legal))]
        else:
            began = time.process_time()
            view = GAME.view(state, seat)
            move = GAME.choose(view, legal, SeededDice.from_text(seed), players[seat])
            costs.append(time.process_time() - began)
        state = GAME.apply(state, seat, move, SeededDice.from_text(seed)).state
    outcome = GAME.outcome(state)
    assert outcome is not None
    return outcome.winners, costs


def side(seats: int, match: int) -> set[int]:
    """The seats of the side that is measured in this match: a team, or one seat."""
    if seats in (4, 6):
        return {match % (seats // 2), match % (seats // 2) + seats // 2}
    return {match % seats}


def measure(seats: int, strong: str, weak: str, matches: int) -> tuple[float, list[float]]:
    """The share of matches that the side wins, and the costs of all choices."""
    wins, costs = 0, []
    for match in range(matches):
        ours = side(seats, match)
        players = [strong if seat in ours else weak for seat in range(seats)]
        winners, spent = play(seats, players, f"{seats} {match}")
        wins += bool(ours & set(winners))
        costs += spent
    return wins / matches, costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matches", nargs="?", type=int, default=1000)
    matches = parser.parse_args().matches
    for seats in (4, 6, 5, 3):
        chance = {4: 1 / 2, 6: 1 / 3, 3: 1 / 3}.get(seats)
        if chance is None:
            chance, _ = measure(seats, "random", "random", matches)
        for strong, weak in PAIRINGS:
            share, costs = measure(seats, strong, weak, matches)
            costs.sort()
            print(
                f"{seats} players, {strong:6} against {weak:6}: wins {share:6.1%} "
                f"(by chance {chance:.1%}); a choice {1e3 * sum(costs) / len(costs):.2f} ms, "
                f"99 % under {1e3 * costs[len(costs) * 99 // 100]:.1f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
