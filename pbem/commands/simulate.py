"""``pbem simulate``: whole matches of random legal moves, the engine alone."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

import click
import msgspec
from rich.progress import Progress
from rich.table import Table

from engine.errors import EngineError
from engine.game import Options
from engine.games import registry
from engine.testing import BrokenLaw, play_random_match
from pbem.commands import WrongUse, console, error_console, json_option, print_json


class Figures(msgspec.Struct):
    """What simulated matches came to."""

    game: str
    seats: int
    options: dict[str, Any]
    seed: str
    games: int
    ended: int = 0
    plies: int = 0
    seconds: float = 0.0
    plies_per_second: float = 0.0
    shortest: int = 0
    longest: int = 0
    outcomes: dict[str, int] = {}
    #: Matches won, by seat; a shared win counts for each.
    wins: dict[int, int] = {}


@click.command()
@click.argument("game")
@click.option("--seats", type=int, help="Number of players (the smallest the game has).")
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option.")
@click.option("--games", "number", type=click.IntRange(1, 1_000_000), default=10, help="Matches.")
@click.option("--seed", default="1", help="The same seed plays the same matches.")
@json_option
def command(
    game: str, seats: int | None, pairs: tuple[str, ...], number: int, seed: str, as_json: bool
) -> int:
    """Play whole matches of GAME with random legal moves and count what happens."""
    try:
        rules = registry.find(game)
        seats = rules.meta.seats[0] if seats is None else seats
        options = read_options(rules, pairs)
        rules.check_options(seats, options)
    except EngineError as error:
        raise WrongUse(str(error)) from None
    figures = simulate(rules, seats, options, number, seed)
    if as_json:
        print_json(msgspec.to_builtins(figures, str_keys=True))
    else:
        show(figures)
    return 0 if figures.ended == number else 1


def read_options(game: registry.AnyGame, pairs: Iterable[str]) -> Options:
    """The game's options from ``name=value`` texts; WrongUse names what does not fit."""
    given = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise WrongUse(f"Write an option as NAME=VALUE, not {pair!r}.")
        given[name.strip().replace("-", "_")] = value.strip()
    try:
        options: Options = msgspec.convert(given, game.options_type, strict=False)
    except msgspec.ValidationError as error:
        names = ", ".join(field.name for field in msgspec.structs.fields(game.options_type))
        raise WrongUse(f"{error}. {game.meta.title} has these options: {names}.") from None
    return options


def simulate(
    game: registry.AnyGame, seats: int, options: Options, number: int, seed: str
) -> Figures:
    """Plays the matches; progress shows on a terminal."""
    figures = Figures(game.meta.name, seats, msgspec.to_builtins(options), seed, number)
    outcomes: Counter[str] = Counter()
    wins: Counter[int] = Counter()
    lengths = []
    begun = time.perf_counter()
    with Progress(console=error_console(), transient=True) as progress:
        for match in progress.track(range(number), description=game.meta.title):
            try:
                played = play_random_match(game, seats, options, f"{seed}/{match}")
            except BrokenLaw as error:
                outcomes[str(error)] += 1
                continue
            figures.ended += 1
            lengths.append(played.plies)
            outcomes[played.outcome.reason] += 1
            wins.update(played.outcome.winners)
    figures.seconds = round(time.perf_counter() - begun, 3)
    figures.plies = sum(lengths)
    figures.shortest, figures.longest = min(lengths, default=0), max(lengths, default=0)
    figures.plies_per_second = round(figures.plies / max(figures.seconds, 0.001), 1)
    figures.outcomes = dict(outcomes.most_common())
    figures.wins = dict(sorted(wins.items()))
    return figures


def show(figures: Figures) -> None:
    """The figures for people."""
    out = console()
    out.print(
        f"{figures.ended} of {figures.games} matches of {figures.game} for {figures.seats} ended, "
        f"{figures.plies} plies in {figures.seconds} s: {figures.plies_per_second:.0f} a second."
    )
    out.print(f"A match took {figures.shortest} to {figures.longest} plies.")
    table = Table("ended by", "matches", box=None, pad_edge=False)
    for reason, matches in figures.outcomes.items():
        table.add_row(reason, str(matches))
    out.print(table)
    wins = ", ".join(f"{seat + 1}: {number}" for seat, number in figures.wins.items())
    out.print(f"Won by seat: {wins or 'nobody'}")
