"""A quick game for tests with many matches: the plug-in Snatch, installed for a while."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.games import registry
from pbem.acts import matches
from pbem.people.sweep import sweep as keep_company
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts.cast import House, address

PLUG_IN = Path(__file__).parents[1] / "plug_ins/pbem-snatch"


@contextmanager
def snatch_installed(folder: Path) -> Iterator[None]:
    """The plug-in is found as if it had been installed; afterwards it is not there any more."""
    told = folder / "pbem_snatch-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: pbem-snatch\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[pbem.games]\nsnatch = pbem_snatch:GAME\n")
    paths = [str(folder), str(PLUG_IN)]
    sys.path[:0] = paths
    registry.games.cache_clear()
    try:
        yield
    finally:
        for path in paths:
            sys.path.remove(path)
        registry.games.cache_clear()


def opened(house: House, *names: str, game: str = "snatch", bots: int = 0, **asked: Any) -> Match:
    """A match that these people were invited to and joined, and so many bots."""
    seats = [matches.NewSeat(name=name, email=address(name)) for name in names]
    seats += [matches.NewSeat(bot="easy") for _ in range(bots)]
    match = house.open(confirmed=False, game=game, seats=seats, **asked)
    house.wait(minutes=1)
    for seat, _name in enumerate(names):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), matches.Joining())
    house.work()
    return house.match(match.id)


def played(house: House, *names: str, **asked: Any) -> Match:
    """A match that these people played to its end."""
    over = house.play_on(opened(house, *names, **asked))
    assert over.status == "finished"
    return over


def company(house: House) -> int:
    """The sweep of people, as often as it finds anything; returns how much it did."""
    done = 0
    for _ in range(100):
        found = keep_company(house.service)
        if not found:
            return done
        done += found
    raise AssertionError("the sweep of people finds no end")
