"""What a player can choose: the options that a page or a mail draws. A game lists them from a view.

A template draws them and a script picks among them. Neither knows a rule or writes an order: what
is handed in, what it costs and why it cannot be chosen stands here, as the game said it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from engine.errors import Sentence, Unreadable


class Option(msgspec.Struct, frozen=True):
    """One thing that can be chosen, or that cannot be now and says why."""

    #: The order, or the part of one, that it hands in, as the game's notation writes it.
    order: str
    label: Sentence
    #: What else to know of it: its cost, its effect.
    notes: tuple[Sentence, ...] = ()
    #: Why it cannot be chosen now; None where it can.
    why_not: Sentence | None = None
    #: What on the drawing of the table stands for it: the ``data-place`` of each.
    places: tuple[str, ...] = ()


def check_fields(picked: Mapping[str, str], fields: Collection[str]) -> None:
    """Returns where every picked field is one of a game's, else raises Unreadable."""
    for name in picked:
        if name not in fields:
            shown = "".join(sign if sign.isprintable() else "?" for sign in name[:40])
            raise Unreadable("There is no field called {name} here.", name=shown)
