"""How fast Dogs of War plays, and how strong its bot is.

    python -m tests.bench.dogs_of_war [--games 1000] [--seats 3 4 5]

Plays whole matches by random legal moves for the speed; then matches of one "easy" bot against
random play, the bot's seat going round. A lone bot of no strength would win one match in as many
as there are seats.
"""

import argparse
import random
import time
from collections.abc import Callable

from engine.dice import SeededDice
from engine.game import Seat
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.moves import DogsMove
from engine.games.dogs_of_war.state import Options, State

Player = Callable[[State, Seat, list[DogsMove], SeededDice], DogsMove]


def play(seats: int, seed: str, players: list[Player]) -> tuple[State, int]:
    """A whole match; its last state and its number of plies."""
    state = GAME.setup(seats, Options(), SeededDice.from_text(f"{seed} setup")).state
    ply = 0
    while GAME.outcome(state) is None:
        (seat,) = GAME.phase(state).pending
        dice = SeededDice.from_text(f"{seed} {ply}")
        move = players[seat](state, seat, list(GAME.legal_moves(state, seat)), dice)
        state = GAME.apply(state, seat, move, dice).state
        ply += 1
    return state, ply


class Bot:
    """The easy bot, with a watch on its choices."""

    def __init__(self) -> None:
        self.choices = 0
        self.seconds = 0.0
        self.slowest = 0.0

    def __call__(
        self, state: State, seat: Seat, legal: list[DogsMove], dice: SeededDice
    ) -> DogsMove:
        view = GAME.view(state, seat)
        start = time.perf_counter()
        move = GAME.choose(view, legal, dice)
        took = time.perf_counter() - start
        self.choices += 1
        self.seconds += took
        self.slowest = max(self.slowest, took)
        return move


def random_player(seed: str) -> Player:
    chance = random.Random(seed)
    return lambda state, seat, legal, dice: chance.choice(legal)


def speed(seats: int, games: int) -> None:
    start, plies = time.perf_counter(), 0
    for number in range(games):
        players = [random_player(f"{number} {seat}") for seat in range(seats)]
        plies += play(seats, f"speed {number}", players)[1]
    took = time.perf_counter() - start
    print(f"{seats} seats, random play: {games} matches, {plies / took:,.0f} plies a second")


def strength(seats: int, games: int) -> None:
    bot, won, points, others = Bot(), 0.0, 0, 0
    for number in range(games):
        players = [random_player(f"{number} {seat}") for seat in range(seats)]
        mine = number % seats
        players[mine] = bot
        state = play(seats, f"strength {number}", players)[0]
        outcome = GAME.outcome(state)
        assert outcome is not None
        won += (mine in outcome.winners) / len(outcome.winners)
        points += outcome.scores[mine].total
        others += sum(score.total for score in outcome.scores) - outcome.scores[mine].total
    print(
        f"{seats} seats, one bot against random play: {games} matches,"
        f" won {100 * won / games:.1f} % (by chance {100 / seats:.1f} %),"
        f" {points / games:.1f} points against {others / games / (seats - 1):.1f};"
        f" {1000 * bot.seconds / bot.choices:.2f} ms a choice, slowest {1000 * bot.slowest:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seats", type=int, nargs="+", default=[3, 4, 5])
    chosen = parser.parse_args()
    for seats in chosen.seats:
        speed(seats, max(20, chosen.games // 10))
        strength(seats, chosen.games)


if __name__ == "__main__":
    main()
