"""How fast what is due is done in each game: python -m tests.bench.due [POSTGRESQL-URL]

On a SQLite database of its own, or in the PostgreSQL database that is named, an empty one that may
be filled. Then a sweep while a million open turns wait and nothing is due.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pbem.bench import due, sweep
from pbem.config import Settings
from pbem.service import open_service
from pbem.store import db

WAITING = 1_000_000
#: Matches and seconds for each game.
GAMES = {"dog": (100, 20.0), "dogs-of-war": (50, 10.0), "skirmish": (20, 10.0)}


def main() -> None:
    url = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory(prefix="pbem-due-") as home:
        settings = Settings(home=Path(home), database_url=url)
        db.upgrade(settings.database_url)
        service = open_service(settings)
        for game, (matches, seconds) in GAMES.items():
            print(game, due.run(service, game, matches, seconds), flush=True)
        print(sweep.idle(service, WAITING, 5.0))
        service.database.close()


if __name__ == "__main__":
    main()
