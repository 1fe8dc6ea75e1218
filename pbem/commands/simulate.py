"""``pbem simulate``: plays whole matches with the engine alone."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import click
import msgspec
from rich.progress import Progress
from rich.table import Table

from engine.game import Options
from engine.games import registry
from engine.simulation import RANDOM, BrokenLaw, pairings, play_match
from pbem.commands import (
    WrongUse,
    console,
    error_console,
    json_option,
    option_value,
    print_json,
    rule_options,
)


class Figures(msgspec.Struct):
    """The results of simulated matches."""

    game: str
    seats: int
    options: dict[str, Any]
    seed: str
    games: int
    #: The kind of player, by seat.
    players: tuple[str, ...] = ()
    #: The openings that played against each other; their seats change from match to match.
    pairing: tuple[str, ...] = ()
    ended: int = 0
    plies: int = 0
    seconds: float = 0.0
    plies_per_second: float = 0.0
    shortest: int = 0
    longest: int = 0
    outcomes: dict[str, int] = {}
    #: Matches won, by seat; a shared win counts for each.
    wins: dict[int, int] = {}
    #: Matches won, by opening.
    opening_wins: dict[str, int] = {}
    #: How often there was each kind of move and each kind of event.
    moves: dict[str, int] = {}
    events: dict[str, int] = {}


@click.command()
@click.argument("game")
@click.option("--seats", type=int, help="How many play (as few as can).")
@rule_options
@click.option(
    "--games",
    "number",
    type=click.IntRange(1, 1_000_000),
    default=10,
    help="How many matches (10).",
)
@click.option("--seed", default="1", help="The same seed plays the same matches (1).")
@click.option(
    "--players",
    default=RANDOM,
    metavar="NAME[,NAME...]",
    help="random (any legal move) or a bot: one name for all, or one for each.",
)
@click.option(
    "--pairings",
    "paired",
    is_flag=True,
    help="Each opening of the game against each, in as many matches.",
)
@json_option
def command(
    game: str,
    seats: int | None,
    options: tuple[str, ...],
    number: int,
    seed: str,
    players: str,
    paired: bool,
    as_json: bool,
) -> int:
    """Play whole matches of GAME and count what happens.

    Every step is checked for what must not happen; status 1 if a match had such a step.
    """
    rules = registry.find(game)
    seats = rules.meta.seats[0] if seats is None else seats
    chosen = rules.read_options(dict(map(option_value, options)), strict=False)
    rules.check_options(seats, chosen)
    who = read_players(rules, seats, players)
    if paired and not rules.openings(seats, chosen):
        raise WrongUse(f"{rules.meta.title} has no openings to play against each other.")
    all_ = [
        simulate(rules, seats, chosen, number, seed, who, pairing)
        for pairing in (pairings(rules, seats, chosen) if paired else [()])
    ]
    if as_json:
        plain = [msgspec.to_builtins(figures, str_keys=True) for figures in all_]
        print_json(plain if paired else plain[0])
    elif paired:
        show_pairings(rules, all_)
    else:
        show(all_[0])
    return 0 if all(figures.ended == number for figures in all_) else 1


def read_players(game: registry.AnyGame, seats: int, text: str) -> tuple[str, ...]:
    """The kind of player of each seat: one name for all, or one for each."""
    names = tuple(name.strip() for name in text.split(","))
    known = (RANDOM, *game.meta.bots)
    if len(names) not in (1, seats) or not set(names) <= set(known):
        raise WrongUse(f"Name one player or {seats}, each one of: {', '.join(known)}.")
    return names * seats if len(names) == 1 else names


def simulate(
    game: registry.AnyGame,
    seats: int,
    options: Options,
    number: int,
    seed: str,
    players: Sequence[str],
    pairing: Sequence[str],
) -> Figures:
    """Plays the matches, with progress on a terminal. The seats of a pairing rotate."""
    figures = Figures(
        game.meta.name,
        seats,
        msgspec.to_builtins(options),
        seed,
        number,
        tuple(players),
        tuple(pairing),
    )
    openings = game.openings(seats, options) if pairing else {}
    counted = {name: Counter[Any]() for name in ("outcomes", "wins", "openings", "moves", "events")}
    lengths = []
    begun = time.perf_counter()
    with Progress(console=error_console(), transient=True) as progress:
        title = " : ".join(pairing) or game.meta.title
        for match in progress.track(range(number), description=title):
            names = _turned(pairing, match)
            name = "/".join((seed, *pairing, str(match)))
            try:
                played = play_match(
                    game,
                    seats,
                    options,
                    name,
                    players=players,
                    openings={seat: openings[first] for seat, first in enumerate(names)},
                    sound=True,
                )
            except BrokenLaw as error:
                counted["outcomes"][str(error)] += 1
                continue
            figures.ended += 1
            lengths.append(played.plies)
            counted["outcomes"][played.outcome.reason] += 1
            counted["wins"].update(played.outcome.winners)
            counted["openings"].update(names[seat] for seat in played.outcome.winners if names)
            counted["moves"].update(played.moves)
            counted["events"].update(played.events)
    figures.seconds = round(time.perf_counter() - begun, 3)
    figures.plies = sum(lengths)
    figures.shortest, figures.longest = min(lengths, default=0), max(lengths, default=0)
    figures.plies_per_second = round(figures.plies / max(figures.seconds, 0.001), 1)
    figures.outcomes = dict(counted["outcomes"].most_common())
    figures.wins = dict(sorted(counted["wins"].items()))
    figures.opening_wins = dict(counted["openings"].most_common())
    figures.moves = dict(counted["moves"].most_common())
    figures.events = dict(counted["events"].most_common())
    return figures


def _turned(pairing: Sequence[str], match: int) -> tuple[str, ...]:
    """The pairing, rotated for this match."""
    first = match % len(pairing) if pairing else 0
    return (*pairing[first:], *pairing[:first])


# --- for people ---


def show(figures: Figures) -> None:
    """Prints the figures."""
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
    wins = ", ".join(f"{seat}: {number}" for seat, number in figures.wins.items())
    out.print(f"Won by seat, from 0: {wins or 'nobody'}")


def show_pairings(game: registry.AnyGame, all_: Sequence[Figures]) -> None:
    """Prints a line for each pairing, and what never happened in any of them."""
    out = console()
    table = Table("pairing", "ended", "plies", "seconds", "won", "ended by", box=None)
    for figures in all_:
        table.add_row(
            " : ".join(figures.pairing),
            f"{figures.ended}/{figures.games}",
            f"{figures.shortest}-{figures.longest}",
            f"{figures.seconds:.1f}",
            _counts(figures.opening_wins),
            _counts(figures.outcomes),
        )
    out.print(table)
    total, ended = sum(f.games for f in all_), sum(f.ended for f in all_)
    plies, seconds = sum(f.plies for f in all_), sum(f.seconds for f in all_)
    out.print(f"{ended} of {total} matches ended, {plies} plies in {seconds:.0f} s.")
    won: Counter[str] = Counter()
    for figures in all_:
        won.update(figures.opening_wins)
    out.print(f"Won in all: {_counts(dict(won.most_common()))}")
    for what, kind, field in (
        ("Never ordered", game.move_type, "moves"),
        ("Never happened", game.event_type, "events"),
    ):
        seen = {name for figures in all_ for name in getattr(figures, field)}
        names = [one.__name__ for one in get_args(kind) or (kind,) if one.__name__ not in seen]
        out.print(f"{what}: {', '.join(names) or 'nothing'}")


def _counts(numbers: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items()) or "nobody"
