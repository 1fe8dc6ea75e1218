"""Checks a record offline: its dice, its chain, and every move by the rules.

``pbem.verify_dice`` checks what needs no game; here the match is played again.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from engine.codec import convert, plain
from engine.dice import SeededDice, match_key
from engine.errors import EngineError
from engine.games.registry import find
from pbem import verify_dice
from pbem.history import FORMAT, canonical

#: What following a record that nobody wrote can run into.
_STRANGE = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    IndexError,
    RecursionError,
    StopIteration,
    AssertionError,
)
#: Longest record that is read.
MAX_BYTES = 100_000_000


class Verdict(msgspec.Struct, frozen=True):
    """What the check of a record found: ``wrong`` is empty when all is well."""

    match: str
    entries: int
    chain_head: str
    wrong: tuple[str, ...]

    @property
    def well(self) -> bool:
        return not self.wrong


def verify(data: bytes) -> Verdict:
    """Checks the bytes of a record's file. Whatever they are, the answer is a verdict."""
    if len(data) > MAX_BYTES:
        return _unreadable("it is too large")
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return _unreadable("it is not JSON")
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return _unreadable(f"it is not a record of format {FORMAT}")
    wrong: list[str] = []
    try:
        if canonical(record) != data.strip():
            # a file that reads the same but is written otherwise was not written by the service
            return _verdict(record, ["The file was changed: it is not written as records are."])
        wrong += verify_dice.check(record)
        if record["complete"]:
            wrong += _replay(record)
    except _STRANGE as error:
        wrong.append(f"The record cannot be followed: {type(error).__name__} {error}.")
    except (EngineError, msgspec.ValidationError) as error:
        wrong.append(f"The record cannot be played again: {error}")
    return _verdict(record, wrong)


def _replay(record: dict[str, Any]) -> list[str]:
    """Plays the match again from the seed; a sentence for each entry that comes out otherwise."""
    game = find(record["game"])
    founding = record["entries"][0]["move"]
    wrong = [
        f"Entry 0 and the head of the record do not agree on the {name}."
        for name, value in (
            ("match", record["match"]),
            ("game", record["game"]),
            ("options", record["options"]),
            ("commitment", record["commitment"]),
            ("phrases", record["phrases"]),
        )
        if founding[name] != value
    ]
    options = convert(record["options"], game.options_type)
    key = match_key(record["match"], bytes.fromhex(record["seed"]), record["phrases"])
    versions = {entry["rules_version"] for entry in record["entries"]} - {game.meta.rules_version}
    note = (
        f" (it was made by rules {', '.join(sorted(versions))};"
        f" these are {game.meta.rules_version})"
        if versions
        else ""
    )
    dice = SeededDice(key)
    step = game.setup(founding["seats"], options, dice)
    state = step.state
    states = {0: state}
    for number, entry in enumerate(record["entries"]):
        if entry["made_by"] == "back":
            state = states[number] = states[entry["move"]["back_to"]]
            continue
        if number:
            move = convert(entry["move"], game.move_type)
            seat = entry["seat"]
            game.refuse_unless_pending(state, seat)
            game.check(state, seat, move)
            if game.format(move) != entry["order"]:
                wrong.append(f"Entry {number}: the order does not say the move.")
            dice = SeededDice(key)
            step = game.apply(state, seat, move, dice)
            state = states[number] = step.state
        if plain(step.events) != entry["events"]:
            wrong.append(f"Entry {number}: the rules give other events{note}.")
        if plain(dice.draws) != entry["draws"]:
            wrong.append(f"Entry {number}: the rules ask for other draws{note}.")
    outcome = game.outcome(state)
    if record["status"] == "finished" and plain(outcome) != record["outcome"]:
        wrong.append(f"The match ends otherwise by the rules{note}.")
    return wrong


def _verdict(record: dict[str, Any], wrong: list[str]) -> Verdict:
    entries = record.get("entries")
    return Verdict(
        str(record.get("match", "")),
        len(entries) if isinstance(entries, list) else 0,
        str(record.get("chain_head", "")),
        tuple(wrong),
    )


def _unreadable(why: str) -> Verdict:
    return Verdict("", 0, "", (f"The file cannot be read as a record: {why}.",))
