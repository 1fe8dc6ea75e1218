"""How fast Dogs of War plays, and how strong its bot is.

    python -m tests.bench.dogs_of_war [--games 1000] [--seats 3 4 5]
    python -m tests.bench.dogs_of_war --of piles [--bot FILE]
    python -m tests.bench.dogs_of_war --of duel --against FILE

``speed`` plays whole matches by random legal moves; ``strength`` one "easy" bot against random
play, the bot's seat going round: a lone bot of no strength would win one match in as many as there
are seats. ``piles`` plays matches of bots only, and counts how often a pile of soldiers is empty
after a year's mustering. ``duel`` plays one bot of today against bots of another file, in each seat
in turn: more than one match in as many as there are seats means that today's is the stronger.

FILE is a ``bot.py`` of another version, as ``git show main:engine/games/dogs_of_war/bot.py`` writes
it.
"""

import argparse
import importlib.util
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.dice import SeededDice
from engine.game import Seat
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war import bot as bot_of_today
from engine.games.dogs_of_war.box.components import SOLDIERS
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.moves import DogsMove
from engine.games.dogs_of_war.state import State

Player = Callable[[State, Seat, list[DogsMove], SeededDice], DogsMove]


def play(seats: int, seed: str, players: list[Player]) -> tuple[State, int]:
    """A whole match; its last state and its number of plies."""
    options = Options(dogs_by="lot")  # bots of before do not know how to choose
    state = GAME.setup(seats, options, SeededDice.from_text(f"{seed} setup")).state
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

    def __init__(self, module: Any = bot_of_today) -> None:
        self.module = module
        self.choices = 0
        self.seconds = 0.0
        self.slowest = 0.0

    def __call__(
        self, state: State, seat: Seat, legal: list[DogsMove], dice: SeededDice
    ) -> DogsMove:
        view = GAME.view(state, seat)
        start = time.perf_counter()
        move: DogsMove = self.module.choose(view, legal, dice)
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


class Piles(Bot):
    """A bot that also notes the piles each time a year's first action is to be chosen."""

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.empty: dict[int, set[str]] = {}

    def __call__(
        self, state: State, seat: Seat, legal: list[DogsMove], dice: SeededDice
    ) -> DogsMove:
        table = state.table
        if table.phase == "action" and not table.placements:
            gone = {kind.value for kind in SOLDIERS if not table.soldiers.count(kind)}
            self.empty.setdefault(table.year, set()).update(gone)
        return super().__call__(state, seat, legal, dice)


def piles(seats: int, games: int, module: Any) -> None:
    count = dict.fromkeys((1, 2, 3, 4), 0)
    for number in range(games):
        watch = Piles(module)
        play(seats, f"piles {number}", [watch] * seats)
        for year, gone in watch.empty.items():
            count[year] += "footman" in gone
    found = ", ".join(f"year {year} {number}" for year, number in count.items())
    print(f"{seats} seats, {games} matches of bots: no footmen left after mustering in {found}")


def duel(seats: int, games: int, other: Any) -> None:
    won, points, others = 0.0, 0, 0
    for number in range(games):
        players: list[Player] = [Bot(other) for _ in range(seats)]
        mine = number % seats
        players[mine] = Bot()
        # Each table is played from every seat.
        outcome = GAME.outcome(play(seats, f"duel {number // seats}", players)[0])
        assert outcome is not None
        won += (mine in outcome.winners) / len(outcome.winners)
        points += outcome.scores[mine].total
        others += sum(score.total for score in outcome.scores) - outcome.scores[mine].total
    print(
        f"{seats} seats, one bot of today against {seats - 1} of the other file: {games} matches,"
        f" won {100 * won / games:.1f} % (by chance {100 / seats:.1f} %),"
        f" {points / games:.1f} points against {others / games / (seats - 1):.1f}"
    )


def bot_in(path: Path) -> Any:
    """The module in a file, as it was in another version."""
    spec = importlib.util.spec_from_file_location("another_bot", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seats", type=int, nargs="+", default=[3, 4, 5])
    parser.add_argument("--of", choices=["speed and strength", "piles", "duel"])
    parser.add_argument("--bot", type=Path, help="the bot whose piles are counted")
    parser.add_argument("--against", type=Path, help="the bot to play against")
    chosen = parser.parse_args()
    if chosen.of == "duel" and chosen.against is None:
        parser.error("a duel needs --against")
    for seats in chosen.seats:
        if chosen.of == "piles":
            piles(seats, chosen.games, bot_in(chosen.bot) if chosen.bot else bot_of_today)
        elif chosen.of == "duel":
            duel(seats, chosen.games, bot_in(chosen.against))
        else:
            speed(seats, max(20, chosen.games // 10))
            strength(seats, chosen.games)


if __name__ == "__main__":
    main()
