"""The table of ``docs/hosts.md``: what a host may do to a seat, and when, made from the matrix.

``python -m tests.docs.who_may`` writes it anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from pbem.acts.remedies import REMEDIES
from pbem.acts.remedy import OfSeat
from pbem.acts.who_may import May, Owner, Role, Row
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "hosts.md"
BEGIN, END = "<!-- who may: begin -->", "<!-- who may: end -->"
HEADS = {
    May.NOW: "at once",
    May.ASKS: "with the player's yes",
    May.WARNS: "two days after the player was told",
    May.LATER: "not yet",
    May.NEVER: "nobody: there is nothing to do",
}


def table() -> str:
    """The table, with a row for each remedy of a seat."""
    head = ("the remedy", *HEADS.values(), "your own seat")
    lines = [head, ["---"] * len(head)]
    for remedy in REMEDIES.values():
        if isinstance(remedy, OfSeat):
            cells = [_states(remedy.row, may) for may in HEADS]
            lines.append([str(remedy.label), *cells, _own(remedy.row)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _states(row: Row, may: May) -> str:
    found = [owner for owner in Owner if row.may(Role.HOST, owner) == may]
    return ", ".join(owner.replace("_", " ") for owner in found) or "–"


def _own(row: Row) -> str:
    """What the owner may do: for all states alike, but those in which every host may do it."""
    said = set(_of_owner(row))
    return " or ".join(sorted(HEADS[may] for may in said))


def _of_owner(row: Row) -> Iterator[May]:
    for owner in Owner:
        if row.may(Role.HOST, owner) not in (May.NOW, May.NEVER):
            yield row.may(Role.OWNER, owner)
    if all(row.may(Role.HOST, owner) in (May.NOW, May.NEVER) for owner in Owner):
        yield May.NOW


def parts(text: str) -> Sequence[str]:
    """The page before the table, the table, and the page after it."""
    before, rest = text.split(BEGIN)
    now, after = rest.split(END)
    return before, now.strip(), after


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    before, _, after = parts(PAGE.read_text())
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}")
