"""Parsing an order: tolerant of its form, strict about its meaning.

In addition to the notation of ``moves`` it accepts: any case and spacing; ``joker``, ``ace``, ``T``
and the like for cards; arrows, dashes and ``to`` between two fields; a pair of fields without a
separator; ``* out``; a jack's two fields in either order; and orders that leave something out, as
long as one legal move fits (``5 12``, ``K``, ``7 12-15 30``). A seven with its parts in another
order, or split into more parts, is read as the listed move with the same effect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import Unreadable
from engine.games.dog.board import CARDS, E1, JOKER, OUT, PARTNER_E1, RANKS, Card, Rank
from engine.games.dog.moves import Go, Out, Play, Seven, Swap, places_of, played_rank
from engine.spanish import each, in_english

_WORDS: Final = {
    "ACE": "A",
    "AS": "A",  # in Spanish; in English it may stand between a joker and its card
    "TWO": "2",
    "THREE": "3",
    "FOUR": "4",
    "FIVE": "5",
    "SIX": "6",
    "SEVEN": "7",
    "EIGHT": "8",
    "NINE": "9",
    "TEN": "10",
    "T": "10",
    "JACK": "J",
    "QUEEN": "Q",
    "KING": "K",
    "JOKER": "*",
    "JO": "*",
}
#: What Spanish says for words of an order.
SPANISH: Final[Mapping[str, str]] = {
    **each("give", "dar", "doy", "da", "regalar"),
    **each("out", "fuera", "sale", "salir", "saco"),
    **each("discard", "descartar", "tirar"),
    **each("help", "ayudar", "ayudo"),
    **each("J", "sota", "jota"),
    **each("Q", "dama", "reina"),
    **each("K", "rey"),
    **each("joker", "comodin"),
    **each("with", "con"),
    **each("as", "como"),
    **each("and", "y"),
    **each("then", "luego"),
    **each("to", "hasta"),
    **{
        word: str(number)
        for number, word in enumerate(
            ("dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"), start=2
        )
    },
}
_RANK: Final[dict[str, Rank]] = {rank: rank for rank in RANKS}
_CARD: Final[dict[str, Card]] = {card: card for card in CARDS}
_BETWEEN: Final = re.compile(r"\s*(?:->|=>|-+>?|[\u2010-\u2015\u2190-\u21ff\u2212>]|\bTO\b)\s*")
_CROSS: Final = re.compile(
    r"\s*(?:<-+>|<>|\u2194|\u21c4|\u00d7|(?<![A-Z])X(?![A-Z](?![0-9]))|\bWITH\b)\s*"
)
# at most two digits: the numbers from 100 on are places in End Zones, which are written e1, p1
_FIELD: Final = r"(?:[0-9]{1,2}|[EP][1-4])"
_PAIR: Final = re.compile(rf"({_FIELD})(?:([-x])({_FIELD}))?")
_GLUED: Final = re.compile(r"([AKQJT])(OUT|(?:[0-9]|[EP]).*)")

#: One part of an order: from, to (None if left out), and whether it is a swap.
Pair = tuple[int, int | None]


class Order(NamedTuple):
    """A play as it was written, not yet matched to a legal move."""

    rank: Rank | None
    joker: bool
    out: bool
    pairs: tuple[Pair, ...]
    swap: bool

    @property
    def card(self) -> Card | None:
        """The card played from the hand."""
        return JOKER if self.joker else self.rank


def tidy(text: str) -> str:
    """Upper case, single spaces, ``-`` between fields and ``x`` for a swap."""
    text = in_english(text, SPANISH)
    line = " ".join(text.replace("\N{ASTERISK OPERATOR}", "*").upper().split())
    line = _CROSS.sub("x", line)
    line = _BETWEEN.sub("-", line)
    line = re.sub(r"[,;:+&.]|\bAND\b|\bTHEN\b", " ", line)
    return " ".join(line.split())


def cards_in(words: Sequence[str]) -> tuple[Card, ...] | None:
    """The words as cards, or None if one is not a card."""
    named = (_WORDS.get(word, word) for word in words)
    cards = tuple(_CARD[name] for name in named if name in _CARD)
    return cards if len(cards) == len(words) else None


def read_play(line: str) -> Order:
    """A play from a line made by ``tidy``; raises Unreadable."""
    words = line.split()
    joker = False
    rank: Rank | None = None
    if words and (words[0].startswith(JOKER) or words[0] in ("JOKER", "JO")):
        joker = True
        words = [words[0][1:], *words[1:]] if words[0].startswith(JOKER) else words[1:]
        words = [word for word in words if word and word != "="]
        if words[:1] == ["AS"] and _begins_with_card(words[1:]):
            words = words[1:]
    if words and (glued := _GLUED.fullmatch(words[0])) and words[0] not in RANKS:
        words = [glued[1], glued[2], *words[1:]]
    if words and _WORDS.get(words[0], words[0]) in RANKS:
        rank = _RANK[_WORDS.get(words[0], words[0])]
        words = words[1:]
    if rank is None and not joker:
        raise Unreadable(
            "An order begins with a card, as in 5 12-17, K out, J 12x40, *7 12-15 30-34; not "
            "with {start}.",
            start=(line.split() or ["nothing"])[0][:20],
        )
    out = words == ["OUT"]
    pairs, swap = ((), False) if out else _pairs(words, single=rank != "7")
    return Order(rank, joker, out, pairs, swap)


def _begins_with_card(words: Sequence[str]) -> bool:
    first = words[0] if words else ""
    return _WORDS.get(first, first) in RANKS or _GLUED.fullmatch(first) is not None


def _pairs(words: Sequence[str], single: bool) -> tuple[tuple[Pair, ...], bool]:
    pairs: list[Pair] = []
    swap = False
    for word in words:
        match = _PAIR.fullmatch(word)
        if match is None:
            raise Unreadable(
                "{word} is not a field or a pair of fields, as in 12-17, 60-e1 or 12x40.",
                word=word[:20],
            )
        swap = swap or match[2] == "x"
        pairs.append((_place(match[1]), _place(match[3]) if match[3] else None))
    whole = all(target is None for _, target in pairs)
    if whole and len(pairs) > 1 and len(pairs) % 2 == 0 and (not single or len(pairs) == 2):
        starts, ends = pairs[::2], pairs[1::2]
        pairs = [(start[0], end[0]) for start, end in zip(starts, ends, strict=True)]
    return tuple(pairs), swap


def _place(name: str) -> int:
    if name[0] == "E":
        return E1 + int(name[1]) - 1
    if name[0] == "P":
        return PARTNER_E1 + int(name[1]) - 1
    return int(name)


def fitting(order: Order, legal: Sequence[Play]) -> list[Play]:
    """The legal moves an order can mean; if it names one field, preferably as the source."""
    moves = [move for move in legal if move.joker == order.joker and _same_rank(order, move)]
    if order.out:
        return [move for move in moves if isinstance(move, Out)]
    if not order.pairs:
        return moves
    for test in (_fits_to_the_letter, _fits, _fits_reversed, _fits_target):
        found = [move for move in moves if test(order, move)]
        if found:
            return found
    return []


def _same_rank(order: Order, move: Play) -> bool:
    rank = played_rank(move)
    if order.rank is None or order.rank == rank:
        return True
    return move.joker and isinstance(move, Out) and order.rank in OUT


def _fits_to_the_letter(order: Order, move: Play) -> bool:
    """As ``_fits``, and its places are those of the order: an ``e2`` is not read as ``p2``."""
    return _fits(order, move) and all(
        source == part[0] and target in (None, part[1])
        for (source, target), part in zip(order.pairs, places_of(move), strict=True)
    )


def _fits(order: Order, move: Play) -> bool:
    parts = places_of(move)
    if len(parts) != len(order.pairs) or (order.swap and not isinstance(move, Swap)):
        return False
    return all(
        _same(wanted[0], part[0]) and (wanted[1] is None or _same(wanted[1], part[1]))
        for wanted, part in zip(order.pairs, parts, strict=True)
    )


def _same(wanted: int, place: int) -> bool:
    """Whether a place matches; ``e2`` may be written for ``p2`` if only that can be meant."""
    return wanted == place or (wanted >= E1 and place >= PARTNER_E1 and place - wanted == 4)


def _fits_reversed(order: Order, move: Play) -> bool:
    return (
        isinstance(move, Swap)
        and len(order.pairs) == 1
        and order.pairs[0] in ((move.target, move.source), (move.target, None))
    )


def _fits_target(order: Order, move: Play) -> bool:
    parts = places_of(move)
    if len(order.pairs) != 1 or order.pairs[0][1] is not None or len(parts) != 1:
        return False
    return _same(order.pairs[0][0], parts[0][1])


def as_written(order: Order) -> Play | None:
    """The move that a complete order specifies, legal or not; None if the order is incomplete."""
    whole = [(source, target) for source, target in order.pairs if target is not None]
    if order.rank is None or len(whole) != len(order.pairs):
        return None
    if order.out:
        return Out(order.rank, order.joker)
    if order.rank == "7" and whole:
        return Seven(tuple(whole), order.joker)
    if len(whole) != 1:
        return None
    if order.rank == "J":
        return Swap(*whole[0], order.joker)
    return Go(order.rank, *whole[0], order.joker)
