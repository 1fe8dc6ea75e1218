"""What a player can choose: the options a page or a mail draws, which a game lists from a view.

A template draws them and a script picks among them. Neither knows a rule or writes an order: the
game supplies the order, its cost, and the reason why it cannot be chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from engine.errors import Sentence, Unreadable, shown


class Option(msgspec.Struct, frozen=True):
    """One thing that can be chosen, or that cannot be chosen now, with the reason."""

    #: The order, or part of an order, that it submits, in the game's notation.
    order: str
    label: Sentence
    #: Further facts about it: its cost, its effect.
    notes: tuple[Sentence, ...] = ()
    #: Why it cannot be chosen now; None if it can.
    why_not: Sentence | None = None
    #: The ``data-place`` of each element that represents it on the drawing of the table.
    places: tuple[str, ...] = ()


def check_fields(picked: Mapping[str, str], fields: Collection[str]) -> None:
    """Returns if every picked field is one of the game's fields, else raises Unreadable."""
    for name in picked:
        if name not in fields:
            raise Unreadable("There is no field called {name} here.", name=shown(name))
