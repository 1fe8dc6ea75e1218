"""How a turn's orders are chosen on a page without a script: by their words, step by step.

Orders are lines of words (``7 12-15 30-34``). Where there are few, each is a choice. Where there
are many, the page first offers what they can begin with, then what can follow, as links that only
look. No rule is known here: the game listed the orders.

A game whose orders are too many for that has a page with a field for each part of an order, and
puts them together (``Game.compose``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from engine.choices import check_fields
from engine.game import MAX_ORDER
from pbem.acts import turns
from pbem.errors import BadInput
from pbem.looks.match_look import TurnLook
from pbem.service import Service
from pbem.store.models import Link
from pbem.words import templating
from pbem.words.i18n import translator

#: More orders than this are not shown at once.
MOST_SHOWN = 24


@dataclass(frozen=True)
class Step:
    """A beginning that several orders share."""

    begin: str
    #: The word that is new in it.
    word: str
    count: int


@dataclass(frozen=True)
class Widget:
    """What a turn's page offers to choose from."""

    #: The game's own template, or None for the plain list.
    template: str | None
    #: What has been chosen so far.
    begin: str
    #: One step back; None at the start.
    back: str | None
    #: Orders to choose from now.
    orders: tuple[str, ...]
    #: Or beginnings to go on with.
    steps: tuple[Step, ...]


def widget(look: TurnLook, begin: str = "") -> Widget:
    """The choices on a turn's page after the beginning that was chosen."""
    words = begin.split()
    orders = list(look.orders or ())
    found = beginning_with(orders, words)
    if not found:
        words, found = [], orders
    shown, steps = narrow(found, words)
    return Widget(
        template=templating.of_game(look.table.match.game, "turn.html"),
        begin=" ".join(words),
        back=" ".join(words[:-1]) if words else None,
        orders=tuple(shown),
        steps=tuple(steps),
    )


def beginning_with(orders: Sequence[str], words: Sequence[str]) -> list[str]:
    """The orders whose first words are these."""
    return [order for order in orders if order.split()[: len(words)] == list(words)]


def of_card(orders: Sequence[str], card: str) -> list[str]:
    """The orders that play this card: by their first word, or where it marks it, by its start."""
    if card == "*":
        return [order for order in orders if order.startswith(card)]
    return beginning_with(orders, [card])


def narrowed(orders: Sequence[str]) -> tuple[list[str], list[Step]]:
    """As ``narrow``, past the words that all the orders share."""
    words = orders[0].split() if orders else []
    while words and len(beginning_with(orders, words)) < len(orders):
        words.pop()
    return narrow(orders, words)


def narrow(
    orders: Sequence[str], words: Sequence[str], most: int = MOST_SHOWN
) -> tuple[list[str], list[Step]]:
    """Few orders: themselves. Many: what can follow these words; a word with one order is one."""
    if len(orders) <= most:
        return list(orders), []
    groups: dict[str, list[str]] = {}
    for order in orders:
        parts = order.split()
        groups.setdefault(" ".join(parts[: len(words) + 1]), []).append(order)
    whole: list[str] = []
    steps: list[Step] = []
    for begin, group in groups.items():
        if group == [begin] or len(group) == 1:
            whole += group
            continue
        # an order that is itself the beginning of others is offered whole, beside them
        whole += [order for order in group if order == begin]
        steps.append(Step(begin, begin.split()[-1], len(group)))
    return whole, steps


#: What begins the names of the fields that a game's own page puts an order together from.
PICK = "pick-"


def picks(given: MultiDict[str, str]) -> dict[str, str]:
    """What was picked on a game's own page, by field; several of a name stand in one text."""
    return {
        name.removeprefix(PICK): " ".join(given.getlist(name))[:MAX_ORDER].strip()
        for name in given
        if name.startswith(PICK) and any(given.getlist(name))
    }


def composed(service: Service, link: Link, picked: Mapping[str, str]) -> str:
    """The order that the picked fields say, written by the game; "" without any.

    Raises TurnClosed where the turn is over, and Unreadable for a field that the game has not.
    """
    if not picked:
        return ""
    with service.database.read() as session:
        table, _turn = turns.open_turn_of(session, link)
    file = templating.of_game(table.match.game, "order.txt")
    if file is None:
        return table.game.compose(table.game.view(table.state, link.seat), picked)
    writing = templating.macros(file, translator("en", table.match.game))
    check_fields(picked, writing.fields)
    said = writing.order({name: picked.get(name, "") for name in writing.fields})
    return " ".join(str(said).split())


def one_order(given: Sequence[str]) -> str:
    """The one order of a form, in which a list and a text field share a name."""
    found = {order.strip() for order in given if order.strip()}
    if len(found) > 1:
        raise BadInput(
            "You chose a move and wrote another one. Leave one of the two out.", field="order"
        )
    return found.pop() if found else ""
