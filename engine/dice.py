"""Randomness that anyone can verify afterwards.

A match has a key ``K = HMAC-SHA256(S, fields(match id, seed phrase of seat 0, of seat 1, ...,
beacon))``. ``S`` is the 32-byte secret the service committed to before anyone joined:
``commitment = SHA256(fields(match id, S))``. ``beacon`` is the random number of a public beacon
that came out after everybody had joined; a match that began without one does not have this field.
``fields`` writes each field as its length in eight bytes, big-endian, followed by its bytes, so the
encoding is injective.

A draw is named by *where* in the game it happens ("deal 3", "turn 2 activation 5") and for what
*purpose* ("shuffle", "to hit"), never by the move that led there: nobody gets a new draw by
submitting again, taking back or rolling back. The words of a draw are
``HMAC-SHA256(K, fields(where, purpose, block number))``, each block split into four big-endian
64-bit numbers. A number below ``sides`` comes from the first word that is below the largest
multiple of ``sides`` under 2**64 (rejection sampling), and a shuffle is a Fisher-Yates shuffle from
the last place down.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")

#: Bytes of the service's secret seed.
SEED_BYTES = 32
#: The version of the dice of a match that begins now. Since version 2 entry 0 of the log says
#: whether the beacon is in the key, and which.
VERSION = 2
_WORDS = 1 << 64


class Draw(msgspec.Struct, frozen=True, array_like=True):
    """One random result, as the record of a match keeps it.

    A roll has ``sides`` and one result from 0 to ``sides - 1``; a shuffle of ``sides`` things has
    ``sides`` results: for each place, the old place of the thing that is there now.
    """

    where: str
    purpose: str
    sides: int
    results: tuple[int, ...]


class Dice(Protocol):
    """A game's source of randomness. Draws with equal *where* and *purpose* form one sequence."""

    def roll(self, where: str, purpose: str, sides: int) -> int:
        """A number from 1 to ``sides``, as on a die."""

    def shuffle(self, where: str, purpose: str, things: Sequence[T]) -> tuple[T, ...]:
        """The things in a new order."""


def fields(*parts: str | bytes | int) -> bytes:
    """The parts as one unambiguous byte string, each after its length (module docstring)."""
    out = bytearray()
    for part in parts:
        if isinstance(part, int):
            part = str(part)
        data = part.encode() if isinstance(part, str) else part
        out += len(data).to_bytes(8, "big") + data
    return bytes(out)


def commitment(match_id: str, seed: bytes) -> str:
    """What is published before anyone joins, in hexadecimal."""
    return hashlib.sha256(fields(match_id, seed)).hexdigest()


def match_key(
    match_id: str, seed: bytes, phrases: Sequence[str], beacon: bytes | None = None
) -> bytes:
    """The key of all draws of a match: its secret seed, the players' phrases by seat, the beacon.

    ``beacon`` is None if the match began without one.
    """
    mixed = () if beacon is None else (beacon,)
    return hmac.digest(seed, fields(match_id, *phrases, *mixed), "sha256")


def promise(
    match_id: str, seed: bytes, phrases: Sequence[str], public_key: str, number: int
) -> str:
    """What is mailed before the beacon's round comes out, in hexadecimal.

    It binds the phrases of all seats, the beacon's public key and the number of its round.
    """
    said = fields("promise", match_id, *phrases, public_key, number)
    return hmac.digest(seed, said, "sha256").hex()


class SeededDice:
    """Deterministic dice from a key; keeps its draws, for the log.

    One object serves one step of a match: its counters start at 0 for every *where* and *purpose*,
    so if several steps draw at the same place, *where* must name the step.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._streams: dict[tuple[str, str], Iterator[int]] = {}
        self.draws: list[Draw] = []

    @classmethod
    def from_text(cls, text: str) -> SeededDice:
        """Dice for simulations and tests, whose key need not be secret."""
        return cls(hashlib.sha256(text.encode()).digest())

    def roll(self, where: str, purpose: str, sides: int) -> int:
        # one side needs no randomness: no word is consumed, as in a shuffle of one thing
        result = self._below(sides, self._words(where, purpose)) if sides != 1 else 0
        self.draws.append(Draw(where, purpose, sides, (result,)))
        return result + 1

    def shuffle(self, where: str, purpose: str, things: Sequence[T]) -> tuple[T, ...]:
        words = self._words(where, purpose)
        order = list(range(len(things)))
        for last in range(len(order) - 1, 0, -1):
            other = self._below(last + 1, words)
            order[last], order[other] = order[other], order[last]
        self.draws.append(Draw(where, purpose, len(order), tuple(order)))
        return tuple(things[place] for place in order)

    def _words(self, where: str, purpose: str) -> Iterator[int]:
        name = (where, purpose)
        if name not in self._streams:
            self._streams[name] = self._stream(where, purpose)
        return self._streams[name]

    def _stream(self, where: str, purpose: str) -> Iterator[int]:
        block = 0
        while True:
            digest = hmac.digest(self._key, fields(where, purpose, block), "sha256")
            for start in range(0, 32, 8):
                yield int.from_bytes(digest[start : start + 8], "big")
            block += 1

    @staticmethod
    def _below(sides: int, words: Iterator[int]) -> int:
        if not 1 <= sides < _WORDS:
            raise ValueError(f"a die needs from 1 to 2**64 - 1 sides, not {sides}")
        limit = _WORDS - _WORDS % sides
        for word in words:
            if word < limit:
                return word % sides
        raise AssertionError("the stream of words has no end")


class ChanceNeededError(Exception):
    """A step asked for a random draw when none is allowed yet."""


class NoDice:
    """Dice for a preview: every draw raises, so only the deterministic part of a move is shown."""

    def roll(self, where: str, purpose: str, sides: int) -> int:
        raise ChanceNeededError(f"{where}: {purpose}")

    def shuffle(self, where: str, purpose: str, things: Sequence[T]) -> tuple[T, ...]:
        raise ChanceNeededError(f"{where}: {purpose}")
