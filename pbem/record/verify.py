"""Checks a record offline: its dice, its chain, and every move by the rules.

``pbem.record.verify_dice`` checks what needs no game; here the match is played again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from engine.codec import convert, decode, decoder, plain
from engine.dice import SeededDice, match_key
from engine.errors import EngineError
from engine.game import Outcome
from engine.games.registry import find
from pbem.record import verify_dice
from pbem.store import canonical
from pbem.store.match_log import FORMAT, who_played
from pbem.store.names import MadeBy

#: Errors that checking a made-up record can raise.
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
    """What the check of a record found: ``wrong`` is empty when all is well.

    ``unbound`` says, a sentence each, which parts of the record nothing proves.
    """

    match: str
    entries: int
    chain_head: str
    wrong: tuple[str, ...]
    unbound: tuple[str, ...] = ()

    @property
    def well(self) -> bool:
        return not self.wrong


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of a record. ``player`` is missing in those made before the chain held names."""

    ply: int
    seat: int | None
    made_by: MadeBy
    made_at: str
    rules_version: str
    phase: str
    order: str
    #: JSON, exactly as in the file.
    move: msgspec.Raw
    #: Likewise.
    events: msgspec.Raw
    draws: msgspec.Raw
    salt: str
    previous: str
    hash: str
    player: str | None = None


class _Founding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What entry 0 holds instead of a move; no ``title`` if made before the chain held names."""

    match: str
    game: str
    seats: int
    players: list[str]
    options: dict[str, Any]
    commitment: str
    phrases: list[str]
    title: str | None = None


class _Back(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an entry that goes back holds instead of a move."""

    back_to: int


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The record of a match that is over. Any other field was not written by us."""

    format: int
    match: str
    game: str
    title: str
    status: Literal["finished", "aborted"]
    options: dict[str, Any]
    players: list[str]
    commitment: str
    chain_head: str
    complete: Literal[True]
    entries: list[_Entry]
    seed: str
    phrases: list[str]
    outcome: dict[str, Any] | None
    digest: str


def verify(data: bytes) -> Verdict:
    """Checks the bytes of a record's file. Whatever they are, the answer is a verdict."""
    if len(data) > MAX_BYTES:
        return _unreadable("it is too large")
    try:
        record, write = canonical.read(data)
    except (ValueError, RecursionError):
        return _unreadable("it is not JSON")
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return _unreadable(f"it is not a record of format {FORMAT}")
    wrong: list[str] = []
    unbound: list[str] = []
    try:
        if write(record) != data.strip():
            # the same values in another spelling were not written by the service
            return _verdict(record, ["The file was changed: it is not written as records are."])
        wrong += verify_dice.check(record, write)
        if record["complete"]:
            checked = decode(_Record, data)
            wrong += _head(checked, unbound)
            wrong += _replay(checked, write)
    except _STRANGE as error:
        wrong.append(f"The record cannot be followed: {type(error).__name__} {error}.")
    except (EngineError, msgspec.ValidationError) as error:
        wrong.append(f"The record cannot be played again: {error}")
    return _verdict(record, wrong, unbound)


def _head(record: _Record, unbound: list[str]) -> list[str]:
    """Compares the record's head with entry 0. What entry 0 does not hold goes to ``unbound``."""
    if not record.entries:
        unbound.append("The match never began: nothing proves its title and its players' names.")
        return []
    founding = decode(_Founding, record.entries[0].move)
    names = who_played(
        {"players": founding.players},
        ({"seat": one.seat, "player": one.player} for one in record.entries),
    )
    told = [
        ("match", founding.match, record.match),
        ("number of seats", founding.seats, len(record.phrases)),
        ("game", founding.game, record.game),
        ("options", founding.options, record.options),
        ("commitment", founding.commitment, record.commitment),
        ("phrases", founding.phrases, record.phrases),
    ]
    if founding.title is not None:
        told += [("title", founding.title, record.title), ("players", names, record.players)]
    else:
        unbound.append("It began when the chain did not hold the title and who took seats over.")
    return [
        f"Entry 0 and the head of the record do not agree on the {name}."
        for name, bound, shown in told
        if bound != shown
    ]


def _replay(record: _Record, write: Callable[[Any], bytes]) -> list[str]:
    """Plays the match again from the seed; a sentence for each entry that comes out differently.

    ``write`` gives the text of values as it stands in the record.
    """
    if not record.entries:
        over = record.status != "aborted" or record.outcome is not None
        return ["A match that never began cannot have ended."] if over else []
    game = find(record.game)
    wrong: list[str] = []
    options = convert(record.options, game.options_type)
    if not record.options.keys() <= plain(options).keys():
        wrong.append("The options hold what the game does not know.")
    key = match_key(record.match, bytes.fromhex(record.seed), record.phrases)
    version = game.meta.playable_version(record.entries[0].rules_version)
    note = _other_rules(record, version)
    dice = SeededDice(key)
    step = game.setup_by(version, len(record.phrases), options, dice)
    state = step.state
    read_move = decoder(game.move_type).decode
    backs = {
        number: decode(_Back, entry.move).back_to
        for number, entry in enumerate(record.entries)
        if entry.made_by == MadeBy.BACK
    }
    asked_for = {*backs, *backs.values()}
    states = {0: state}
    for number, entry in enumerate(record.entries):
        if number in backs:
            back_to = backs[number]
            # plies that were undone cannot be gone back to
            states = {ply: known for ply, known in states.items() if ply <= back_to}
            state = states[number] = states[back_to]
            continue
        if number:
            move = read_move(entry.move)
            seat = -1 if entry.seat is None else entry.seat
            game.refuse_unless_pending(state, seat)
            game.check(state, seat, move)
            if game.format(move) != entry.order:
                wrong.append(f"Entry {number}: the order does not say the move.")
            if not decode(dict, entry.move).keys() <= plain(move).keys():
                wrong.append(f"Entry {number}: the move holds what the game does not know.")
            dice = SeededDice(key)
            step = game.apply(state, seat, move, dice)
            state = step.state
            if number in asked_for:
                states[number] = state
        if write(step.events) != bytes(entry.events):
            wrong.append(f"Entry {number}: the rules give other events{note}.")
        if write(dice.draws) != bytes(entry.draws):
            wrong.append(f"Entry {number}: the rules ask for other draws{note}.")
    return wrong + _ending(record, game.outcome(state), note)


def _other_rules(record: _Record, ours: str) -> str:
    versions = {entry.rules_version for entry in record.entries} - {ours}
    if not versions:
        return ""
    return f" (it was made by rules {', '.join(sorted(versions))}; these are {ours})"


def _ending(record: _Record, outcome: Outcome[Any] | None, note: str) -> list[str]:
    """Checks whether and how the match ended by its last state, whatever the head says."""
    if outcome is None and record.status == "finished":
        return [f"By the rules the match is not finished{note}."]
    if outcome is not None and record.status == "aborted":
        return [f"By the rules the match is finished, and the record calls it aborted{note}."]
    if plain(outcome) != record.outcome:
        return [f"The match ends otherwise by the rules{note}."]
    return []


def _verdict(record: dict[str, Any], wrong: list[str], unbound: Sequence[str] = ()) -> Verdict:
    entries = record.get("entries")
    return Verdict(
        str(record.get("match", "")),
        len(entries) if isinstance(entries, list) else 0,
        str(record.get("chain_head", "")),
        tuple(wrong),
        tuple(unbound),
    )


def _unreadable(why: str) -> Verdict:
    return Verdict("", 0, "", (f"The file cannot be read as a record: {why}.",))
