"""How a turn's orders are chosen on a page without a script: by their words, step by step.

Orders are lines of words (``7 12-15 30-34``). If there are few, each is a choice. If there are
many, the page first offers what they can begin with, then what can follow, as links that change
nothing. No rule is known here: the game listed the orders.

A game whose orders are too many for that has a page with a field for each part of an order, and
puts them together (``Game.compose``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from werkzeug.datastructures import MultiDict

from engine.choices import Option
from engine.errors import Sentence
from engine.game import MAX_ORDER
from pbem.acts.order_lists import Plan
from pbem.errors import BadInput

#: More orders than this are not shown at once.
MOST_SHOWN = 24


@dataclass(frozen=True)
class Step:
    """A beginning that several orders share."""

    begin: str
    #: Its last word.
    word: str
    count: int


@dataclass(frozen=True)
class Narrowed:
    """What a page offers to choose from, after a beginning that was chosen."""

    #: The beginning; "" at the start.
    begin: str
    #: The beginning one step back.
    back: str
    #: Options to choose from now.
    options: tuple[Option, ...]
    #: And beginnings to go on with.
    steps: tuple[Step, ...]


def plain(orders: Iterable[str]) -> list[Option]:
    """Orders as options that have no other words for themselves."""
    return [Option(order, Sentence(order)) for order in orders]


def narrowed(options: Sequence[Option], begin: str = "", most: int = MOST_SHOWN) -> Narrowed:
    """The options after this beginning, or all of them if none begins with it.

    At most ``most`` are offered themselves. Of more, the page offers the beginnings that are one
    word longer than what all share; a beginning that only one option has is offered as that option.
    """
    words = begin.split()
    found = [(option.order.split(), option) for option in options]
    fitting = [one for one in found if one[0][: len(words)] == words]
    if not fitting:
        words, fitting = [], found
    whole, steps = _grouped(fitting) if len(fitting) > most else ([one for _, one in fitting], [])
    return Narrowed(" ".join(words), " ".join(words[:-1]), tuple(whole), tuple(steps))


def _grouped(found: Sequence[tuple[list[str], Option]]) -> tuple[list[Option], list[Step]]:
    """Groups options by the first word of their orders that they do not all share."""
    positions = zip(*(words for words, _ in found), strict=False)
    shared = 1 + sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, positions))
    groups: dict[str, list[Option]] = {}
    for words, option in found:
        groups.setdefault(" ".join(words[:shared]), []).append(option)
    whole: list[Option] = []
    steps: list[Step] = []
    for begin, group in groups.items():
        if len(group) == 1:
            whole += group
            continue
        # an order that is itself the beginning of others is offered too, besides that beginning
        whole += [option for option in group if option.order == begin]
        steps.append(Step(begin, begin.split()[-1], len(group)))
    return whole, steps


#: What begins the names of the fields that a game's own page puts an order together from.
PICK = "pick-"


def picks(given: MultiDict[str, str]) -> dict[str, str]:
    """What was picked on a game's own page, by field; several with one name become one text."""
    return {
        name.removeprefix(PICK): " ".join(given.getlist(name))[:MAX_ORDER].strip()
        for name in given
        if name.startswith(PICK) and any(given.getlist(name))
    }


def composed(plan: Plan, picked: Mapping[str, str]) -> str:
    """The order that the picked fields say after a list, written by the game; "" without any.

    Raises Unreadable for a field that the game does not have.
    """
    return plan.table.game.compose(plan.view, picked) if picked else ""


def one_order(given: Sequence[str]) -> str:
    """The one order of a form, in which a list and a text field share a name."""
    found = {order.strip() for order in given if order.strip()}
    if len(found) > 1:
        raise BadInput(
            "You chose a move and wrote another one. Leave one of the two out.", field="order"
        )
    return found.pop() if found else ""
