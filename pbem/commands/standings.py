"""``pbem standings``: works the ratings out again."""

from __future__ import annotations

import click

from engine.games.registry import find
from pbem.commands import console, print_json, service_of, settings_options
from pbem.config import Settings
from pbem.people import pools, results

#: Matches that are entered at once.
BATCH = 200


@click.group()
def command() -> None:
    """Standings of people: work them out again from the results."""


@command.command()
@click.argument("game", required=False)
@settings_options
def recompute(settings: Settings, as_json: bool, game: str | None) -> int:
    """Work out all ratings, or those of GAME, from the results; status 1 if any was otherwise.

    Matches that are over and were never entered are entered first.

    The same results give the same numbers to the last digit. So numbers that change were not what
    the results say, for example because somebody had written into the database.
    """
    if game is not None:
        find(game)
    service = service_of(settings)
    while results.enter_due(service, BATCH, from_the_first=True):
        pass
    found = pools.recompute(service, game)
    changed = sum(one.changed for one in found)
    if as_json:
        rows = [
            {
                "game": one.pool.game,
                "seats": one.pool.seats,
                "matches": one.matches,
                "people": one.players,
                "changed": one.changed,
            }
            for one in found
        ]
        print_json({"standings": rows, "changed": changed})
        return 1 if changed else 0
    for one in found:
        console().print(
            f"{one.pool.game}, {one.pool.seats} seats: {one.matches} matches, "
            f"{one.players} people, {one.changed} numbers changed."
        )
    console().print(f"{changed} numbers changed." if changed else "No number changed.")
    return 1 if changed else 0
