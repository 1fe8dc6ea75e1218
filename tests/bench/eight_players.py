"""How long a move takes when eight play at once, with writers in line and without.

    python -m tests.bench.eight_players [ROUNDS] [SECONDS]

The two take turns, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pbem.bench import together


def main(rounds: int = 5, seconds: float = 10.0) -> None:
    found: dict[bool, list[list[float]]] = {False: [], True: []}
    for _ in range(rounds):
        for in_line, kept in found.items():
            with tempfile.TemporaryDirectory(prefix="pbem-bench-") as scratch:
                waits, _spent = together.play(Path(scratch), seconds, in_line=in_line)
                kept.append(waits)
    for in_line, kept in found.items():
        print("in line:" if in_line else "SQLite alone:")
        each = [together.spread(waits) for waits in kept]
        all_of_them = together.spread([wait for waits in kept for wait in waits])
        for name, value in all_of_them.items():
            values = sorted(one[name] for one in each)
            print(f"  {name:13} {value:8}   each round from {values[0]} to {values[-1]}")
        print(f"  moves         {sum(len(waits) for waits in kept):8}")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
