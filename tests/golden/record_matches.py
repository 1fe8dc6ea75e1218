"""Golden matches: finished ones, kept as files, that later versions must still understand.

``python -m tests.golden.record_matches`` plays those that are missing for today's rules, through
the service, and never touches one that is there: a match that was played stays as it was played.

A file holds the record of the match, and the stored states it went through at some plies, as a
running match of that version has them in the database.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tempfile
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from engine.codec import encode
from engine.games.registry import games
from pbem.looks import match_look
from pbem.store import db
from pbem.store.canonical import canonical
from tests.parts.cast import House, make_service, people

FOLDER = Path(__file__).parent / "matches"
#: A move in so many is made at random, so that what sensible players avoid is in, too.
RANDOM = 5
#: A state is kept every so many plies.
STATES = 40


@dataclass(frozen=True)
class Form:
    """A way to play a game that has a golden match."""

    game: str
    seats: int
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        version = games()[self.game].meta.rules_version
        words = [f"{name}-{value}" for name, value in self.options.items()]
        return "_".join([self.game, str(self.seats), *words, f"v{version}"]).lower()

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.json.gz"


FORMS = (
    Form("dog", 3),
    Form("dog", 4),
    Form("dog", 4, {"canadian_seven": True, "seven_residual": "exact"}),
    Form("dog", 5),
    Form("dog", 6, {"discard": "one"}),
    Form("dogs-of-war", 3, {"two_battles": True}),
    Form("dogs-of-war", 4, {"crushing_at_twelve": True}),
    Form("dogs-of-war", 5, {"sudden_death": True}),
    Form("skirmish", 2),
    Form("skirmish", 2, {"table": "compound", "scenario": "night-raid"}),
)


def play(house: House, form: Form) -> dict[str, Any]:
    """Plays a match to its end; returns what its file holds."""
    match = house.running(game=form.game, options=form.options, seats=people(form.seats))
    chance = random.Random(form.name)
    states: dict[str, Any] = {}
    while (now := house.match(match.id)).status == "running":
        seat = house.waiting(match)[0]
        order = house.good_order(match, seat)
        if not chance.randrange(RANDOM):
            table = house.table(match)
            legal = list(islice(table.game.legal_moves(table.state, seat), 200))
            order = table.game.format(chance.choice(legal))
        if now.ply // STATES >= len(states):
            states[str(now.ply)] = json.loads(encode(house.table(match).state))
        house.play(match, seat, order, f"{now.ply}")
        house.work()
    return {"record": match_look.record(house.service, match.id), "states": states}


def write(form: Form) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/pbem.sqlite3"
        db.upgrade(url)
        service = make_service(Path(folder), url)
        golden = play(House(service), form)
        service.database.close()
    form.file.parent.mkdir(exist_ok=True)
    form.file.write_bytes(gzip.compress(canonical(golden), mtime=0))


def kept() -> list[Path]:
    """All golden matches, of every version of the rules there was."""
    return sorted(FOLDER.glob("*.json.gz"))


def read(file: Path) -> dict[str, Any]:
    golden: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return golden


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for form in FORMS:
        if form.file.exists():
            print(f"{form.name} stays")
        else:
            write(form)
            print(f"{form.name} was played, {form.file.stat().st_size:,} bytes")
