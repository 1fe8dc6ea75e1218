"""Faulty input for tests: changed moves and garbled orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine import codec
from engine.chooser import Chooser
from engine.game import MAX_ORDER
from engine.games.registry import AnyGame

#: Inserted into orders, or used as orders.
_JUNK = ("", " ", "x", "0", "-", "*", "99999", "\u0000", "\u202e", "\u00e9", "K", "out", "{7}")
#: A digit of Ethiopia: ``isdigit`` says so, and ``int`` refuses it.
_ODD_DIGIT = "\u1369"


def mutants(game: AnyGame, moves: Sequence[Any], salt: int) -> Iterator[Any]:
    """Changed copies of moves that are still valid values of the move type."""
    chooser = Chooser(f"mutants {salt}")
    plain = [codec.plain(move) for move in moves[:: max(1, len(moves) // 12)]]
    texts = sorted({text for value in plain for text in _texts(value)})
    for value in plain:
        for _ in range(6):
            try:
                yield codec.decode(game.move_type, codec.encode(_mutate(value, texts, chooser)))
            except (msgspec.ValidationError, ValueError):
                continue


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _mutate(value: Any, texts: Sequence[str], chooser: Chooser) -> Any:
    """The value with one part of it changed."""
    if isinstance(value, dict) and value:
        key = sorted(value)[chooser.below(len(value))]
        return {**value, key: _mutate(value[key], texts, chooser)}
    if isinstance(value, list | tuple):
        items = list(value)
        place = chooser.below(len(items) + 1)
        if place == len(items):
            return items + items[:1]
        kind = chooser.below(4)
        if kind == 0:
            return items[:place] + items[place + 1 :]
        if kind == 1:
            return items[::-1]
        return [*items[:place], _mutate(items[place], texts, chooser), *items[place + 1 :]]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return (value + 1, value - 1, value + 4, -value, 10**6)[chooser.below(5)]
    if isinstance(value, str):
        return texts[chooser.below(len(texts))]
    return 1 if value is None else None


def noise(texts: Sequence[str], chooser: Chooser) -> Iterator[str]:
    """Faulty orders: cut, doubled, with junk or other digits in them; and pure junk."""
    yield from (*_JUNK, _ODD_DIGIT)
    yield "1 " * (MAX_ORDER // 2)
    yield "x" * MAX_ORDER
    for text in texts:
        cut = chooser.below(len(text) + 1)
        yield text[:cut]
        yield text[cut:]
        yield text[:cut] + _JUNK[chooser.below(len(_JUNK))] + text[cut:]
        yield "".join(_ODD_DIGIT if sign.isdigit() else sign for sign in text)
        yield f"{text} {text}"
        yield " ".join(reversed(text.split()))
