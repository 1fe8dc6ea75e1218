"""People play all games while everything is killed, again and again.

    python -m tests.faults.soak [--minutes 1] [--seed 1] [--database sqlite|postgresql|both]
        [--pause 0.4] [--json]

``pbem up`` runs with a Redis, a database and a mail relay of its own. Alice, Bob, Carol and Dave
play Dog, Dogs of War and the skirmish by the links in their mails, over HTTP and by letters, and
note each receipt. A schedule kills web, workers and their children, beat, the door for letters, the
supervisor, Redis and PostgreSQL; the relay hangs, answers 451, or takes a mail and hangs up; the
disk is full for a while. After each storm of a minute all comes to rest, and it is looked for:
no receipt is missing in the log or there twice, what was refused is not in it, each open turn has
its mail, of no mail are there more than two copies, and two only with a doubt on record, the chains
are whole and the logs played again give the states. Status 1 where something does not hold: the
table says what, and where the logs were kept.

The service's clock runs sixty times as fast as the machine's, so that the lease of a mail whose
mailer died ends in ten seconds, and the supervisor does not wait before it starts a part again.

Ctrl-C ends the storm early; the checks and the table follow all the same.

A seed gives the same faults in the same order, with the same pauses (longer ones while nothing is
done, so that a slow machine gets on), and people who make the same choices where they are asked the
same. What they are asked is not the same: matches draw their dice
from the machine's chance. Nor is it the same process at the same line that a kill meets.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import get_args

from tests.faults.soak.house import Kind
from tests.faults.soak.storm import Result, soak


def table(result: Result) -> str:
    """What a soak saw, a figure a line."""
    lines = [f"{result.database}, seed {result.seed}, {result.seconds:.0f} s"]

    def line(name: str, value: object) -> None:
        lines.append(f"  {name:34} {value!s:>8}")

    line("kills", result.killed)
    for kind, count in sorted(result.kills.items(), key=lambda one: -one[1]):
        line(f"  {kind}", count)
    for kind, count in sorted(result.whiles.items()):
        line(kind, count)
    for kind, why in result.skipped.items():
        line(kind, f"skipped: {why}")
    line("matches (over)", f"{result.matches} ({result.over})")
    line("plies", result.plies)
    line("moves with a receipt", result.moves)
    line("letters taken", result.letters)
    for kind, count in sorted(result.again.items()):
        line(f"  sent again after {kind}", count)
    line("mails", result.mails)
    line("  second copies, doubt on record", result.copies)
    line("  given up, on record", result.given_up)
    line("lost", result.lost)
    line("doubled", result.doubled)
    line("breaches", len(result.breaches))
    lines += [f"  {breach}" for breach in result.breaches]
    if result.kept:
        lines.append(f"  logs: {result.kept}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="People play while everything is killed.")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--database", choices=[*get_args(Kind), "both"], default="both")
    parser.add_argument("--pause", type=float, default=0.4, help="seconds between two faults")
    parser.add_argument("--json", action="store_true", dest="as_json")
    asked = parser.parse_args()
    kinds = get_args(Kind) if asked.database == "both" else (asked.database,)
    results = []
    for kind in kinds:
        seconds = 60 * asked.minutes / len(kinds)
        results.append(soak(kind, asked.seed, seconds, asked.pause, _say))
        if not asked.as_json:
            print(table(results[-1]), flush=True)
    if asked.as_json:
        print(json.dumps([result.as_json() for result in results], indent=2))
    return any(result.breaches for result in results)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
