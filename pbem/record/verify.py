"""Checks a record offline: its dice, its chain, and every move by the rules.

``pbem.record.verify_dice`` checks what needs no game; here the match is played again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from engine.codec import convert, decode, decoder, plain
from engine.dice import SeededDice, match_key
from engine.errors import EngineError
from engine.game import Outcome
from engine.games.registry import find
from pbem import beacon
from pbem.beacon import QUICKNET, Beacon, Missing
from pbem.record import binding, verify_dice
from pbem.record.mails import OldMail
from pbem.store import canonical
from pbem.store.match_log import FORMATS, SETUP, who_played
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
    # a beacon without a period, or of a time that no calendar has
    ArithmeticError,
    OSError,
)
#: Why no beacon is in the dice, and what follows.
_WITHOUT_BEACON = {
    None: "No public beacon is in the dice: the match began before there was one.",
    Missing.OFF: "No public beacon is in the dice: the service did not use it.",
    Missing.ALONE: "No public beacon is in the dice: only one person played.",
    Missing.UNREACHABLE: "No public beacon is in the dice: the service could not reach it.",
    Missing.WAIVED: "No public beacon is in the dice: host or operator began without it.",
}
_CHOSEN = " So whoever ran the service and sat at the table could have chosen the dice."
#: Longest record that is read.
MAX_BYTES = 100_000_000


class Verdict(msgspec.Struct, frozen=True):
    """What the check of a record found: ``wrong`` is empty when all is well.

    ``proved`` says, a sentence each, what the old mails prove, and ``unbound`` what nothing proves.
    """

    match: str
    entries: int
    chain_head: str
    wrong: tuple[str, ...]
    unbound: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()

    @property
    def well(self) -> bool:
        return not self.wrong


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of a record.

    It has a ``holder`` since the chain holds digests of names, and before that a ``player``; the
    oldest have neither. ``redacted``: a name was taken out of it.
    """

    ply: int
    seat: int | None
    made_by: MadeBy
    made_at: Annotated[datetime, msgspec.Meta(tz=True)]
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
    holder: str | None = None
    redacted: bool = False


class _Founding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What entry 0 holds instead of a move.

    It has ``holders``, or the ``players`` if it was made before the chain held digests of names:
    None for one whose name was taken out. It has no ``title`` if it was made before the chain held
    the names of later players, and no ``beacon`` if it was made by version 1 of the dice.
    """

    match: str
    game: str
    seats: int
    options: dict[str, Any]
    commitment: str
    phrases: list[str]
    holders: list[str] | None = None
    players: list[str | None] | None = None
    title: str | None = None
    dice: Literal[1, 2] = 1
    beacon: Beacon | None = None


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
    players: list[str | None]
    commitment: str
    chain_head: str
    complete: Literal[True]
    entries: list[_Entry]
    seed: str
    phrases: list[str]
    outcome: dict[str, Any] | None
    digest: str
    #: By digest: the salt and the name.
    names: dict[str, tuple[str, str]] | None = None
    digest_before: str = ""


def verify(
    data: bytes,
    public_key: str = QUICKNET.public_key,
    mails: Sequence[OldMail] = (),
    phrase: str = "",
) -> Verdict:
    """Checks the bytes of a record's file. Whatever they are, the answer is a verdict.

    ``public_key``: that of the only chain whose beacon is believed. ``mails`` and ``phrase``:
    what a player kept.
    """
    if len(data) > MAX_BYTES:
        return _unreadable("it is too large")
    try:
        record, write = canonical.read(data)
    except (ValueError, RecursionError):
        return _unreadable("it is not JSON")
    if not isinstance(record, dict) or record.get("format") not in FORMATS:
        return _unreadable(f"it is not a record of format {' or '.join(map(str, FORMATS))}")
    wrong: list[str] = []
    unbound: list[str] = []
    proved: list[str] = []
    try:
        if write(record) != data.strip():
            # the same values in another spelling were not written by the service
            return _verdict(record, ["The file was changed: it is not written as records are."])
        wrong += verify_dice.check(record, write)
        if record["complete"]:
            checked = decode(_Record, data)
            founding = decode(_Founding, checked.entries[0].move) if checked.entries else None
            wrong += _head(checked, founding, unbound)
            wrong += _beacon(checked, founding, public_key, unbound)
            wrong += _forgotten(checked, founding, unbound)
            drawn = founding.beacon if founding else None
            told = binding.Held(
                checked.match,
                checked.commitment,
                tuple(entry.hash for entry in checked.entries),
                checked.digest,
                bytes.fromhex(checked.seed),
                tuple(checked.phrases),
                tuple(checked.players),
                drawn,
                checked.digest_before,
            )
            wrong += binding.hold(told, mails, phrase, proved, unbound)
            wrong += _replay(checked, founding, write)
    except _STRANGE as error:
        wrong.append(f"The record cannot be followed: {type(error).__name__} {error}.")
    except EngineError as error:
        wrong.append(f"The record cannot be played again: {error}")
    return _verdict(record, wrong, unbound, proved)


def _head(record: _Record, founding: _Founding | None, unbound: list[str]) -> list[str]:
    """Compares the record's head with entry 0. What entry 0 does not hold goes to ``unbound``."""
    if founding is None:
        unbound.append("The match never began: nothing proves its title and its players' names.")
        return []
    told = [
        ("match", founding.match, record.match),
        ("number of seats", founding.seats, len(record.phrases)),
        ("game", founding.game, record.game),
        ("options", founding.options, record.options),
        ("commitment", founding.commitment, record.commitment),
        ("phrases", founding.phrases, record.phrases),
    ]
    if founding.title is not None:
        told.append(("title", founding.title, record.title))
    if founding.title is not None and founding.players is not None:
        entries = ({"seat": one.seat, "player": one.player} for one in record.entries)
        names = who_played({"players": founding.players}, entries)
        told.append(("players", names, record.players))
    if founding.title is None:
        unbound.append("It began when the chain did not hold the title and who took seats over.")
    return [
        f"Entry 0 and the head of the record do not agree on the {name}."
        for name, bound, shown in told
        if bound != shown
    ]


def _forgotten(record: _Record, founding: _Founding | None, unbound: list[str]) -> list[str]:
    """Says whose names are not in the record, and what cannot be checked without them."""
    for seat, name in enumerate(record.players):
        if name is None:
            unbound.append(
                f"The player of seat {seat + 1} was forgotten: their name is not in the record."
            )
    if founding is not None and (founding.holders is None) == (founding.players is None):
        return ["Entry 0 does not say who plays, or says it twice."]
    if founding is not None and founding.holders is not None:
        return _former_holders(record, founding.holders, unbound)
    marked = [str(one.ply) for one in record.entries if one.redacted]
    if marked:
        unbound.append(
            "A name was taken out of these entries, so their hashes are taken as they are stated: "
            f"{', '.join(marked)}. What they hold was checked by the rules and by the dice alone."
        )
    wrong = [
        f"Entry {one.ply} is marked as if a name had been taken out, and none is missing."
        for one in record.entries
        if one.redacted and _is_whole(one, founding)
    ]
    if record.format == FORMATS[0] and (marked or None in record.players or record.digest_before):
        wrong.append("A record of format 1 has all its names.")
    return wrong


def _former_holders(record: _Record, first: Sequence[str], unbound: list[str]) -> list[str]:
    """For a log that has digests instead of names: who is missing of those who held seats."""
    if record.format == FORMATS[0] or any(one.redacted or one.player for one in record.entries):
        return ["The log has digests instead of names, and names besides."]
    names = record.names or {}
    seats = {holder: seat for seat, holder in enumerate(first)}
    seats |= {one.holder: one.seat or 0 for one in record.entries if one.holder is not None}
    unbound.extend(
        f"Somebody who held seat {seat + 1} before was forgotten: their name is not in the record."
        for holder, seat in seats.items()
        if holder not in names and record.players[seat] is not None
    )
    return []


def _is_whole(entry: _Entry, founding: _Founding | None) -> bool:
    """Whether no name is missing in an entry."""
    if entry.ply == 0 and founding is not None:
        return None not in (founding.players or ())
    return entry.player is not None


def _beacon(
    record: _Record, founding: _Founding | None, public_key: str, unbound: list[str]
) -> list[str]:
    """Checks the round of the beacon that entry 0 names: its chain, the rule, its signature."""
    if founding is None:
        return []
    if (founding.dice == 1) != (founding.beacon is None):
        return ["Entry 0 does not say whether the public beacon is in the dice."]
    drawn = founding.beacon
    if drawn is not None and drawn.missing is not None and drawn.signature:
        return ["Entry 0 says that a round of the beacon is in the dice, and that none is."]
    if drawn is None or drawn.missing is not None:
        unbound.append(_WITHOUT_BEACON[drawn.missing if drawn else None] + _CHOSEN)
        return []
    if drawn.chain is None or drawn.waits:
        return ["Entry 0 names no round of the public beacon, and does not say why."]
    chain = {QUICKNET.public_key: QUICKNET}.get(public_key, drawn.chain)
    if drawn.chain.public_key != public_key or drawn.chain != chain:
        return [
            f"The beacon is of another chain, {drawn.chain.public_key}: "
            "its keeper may know its rounds beforehand."
        ]
    wrong = []
    if not beacon.follows_the_rule(drawn):
        wrong.append("The round of the beacon is not the one that the rule gives.")
    begun, out = record.entries[0].made_at, chain.time_of(drawn.round)
    if begun < out:
        wrong.append("The match began before its round of the beacon came out.")
    if not beacon.is_signed(chain, drawn.round, drawn.signature):
        wrong.append("The signature of the beacon's round is false.")
    elif beacon.randomness(drawn.signature) != drawn.randomness:
        wrong.append("The beacon's number is not that of its signature.")
    return wrong


def _replay(
    record: _Record, founding: _Founding | None, write: Callable[[Any], bytes]
) -> list[str]:
    """Plays the match again from the seed; a sentence for each entry that comes out differently.

    ``write`` gives the text of values as it stands in the record.
    """
    if founding is None:
        over = record.status != "aborted" or record.outcome is not None
        return ["A match that never began cannot have ended."] if over else []
    game = find(record.game)
    wrong: list[str] = []
    options = convert(record.options, game.options_type)
    if not _knows(plain(options), record.options):
        wrong.append("The options hold what the game does not know.")
    mixed = founding.beacon.number if founding.beacon else None
    key = match_key(record.match, bytes.fromhex(record.seed), record.phrases, mixed)
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
    first = record.entries[0]
    if (first.seat, first.made_by, first.phase, first.order) != (None, MadeBy.FORCED, SETUP, ""):
        wrong.append("Entry 0: no match begins like this.")
    for number, entry in enumerate(record.entries):
        if number in backs:
            back_to = backs[number]
            # plies that were undone cannot be gone back to
            states = {ply: known for ply, known in states.items() if ply <= back_to}
            state = states[number] = states[back_to]
            if game.phase(state).name != entry.phase:
                wrong.append(f"Entry {number}: the rules give another phase{note}.")
            continue
        if number:
            move = read_move(entry.move)
            seat = -1 if entry.seat is None else entry.seat
            game.refuse_unless_pending(state, seat)
            if game.phase(state).name != entry.phase:
                wrong.append(f"Entry {number}: the rules give another phase{note}.")
            game.check(state, seat, move)
            if game.format(move) != entry.order:
                wrong.append(f"Entry {number}: the order does not say the move.")
            if not _knows(plain(move), decode(dict, entry.move)):
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


def _knows(known: Any, said: Any) -> bool:
    """Whether every field of ``said``, however deep, is one of ``known``."""
    if isinstance(said, dict):
        return isinstance(known, dict) and all(
            name in known and _knows(known[name], part) for name, part in said.items()
        )
    if isinstance(said, list):
        return isinstance(known, list | tuple) and all(map(_knows, known, said))
    return True


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


def _verdict(
    record: dict[str, Any],
    wrong: list[str],
    unbound: Sequence[str] = (),
    proved: Sequence[str] = (),
) -> Verdict:
    entries = record.get("entries")
    return Verdict(
        verify_dice.shown(record.get("match", "")),
        len(entries) if isinstance(entries, list) else 0,
        verify_dice.shown(record.get("chain_head", "")),
        tuple(map(verify_dice.shown, wrong)),
        tuple(unbound),
        tuple(proved),
    )


def _unreadable(why: str) -> Verdict:
    return Verdict("", 0, "", (f"The file cannot be read as a record: {why}.",))
