"""The log of a match: entries chained by hash, and the record that anyone can check.

An entry's hash is the SHA-256 of its canonical JSON (keys sorted, no spaces, UTF-8) with the hash
of the entry before it among its fields. Another field is a salt, made from the match's secret
seed: the hash goes out in every mail, and without the salt a short hidden order ("give 7") could be
guessed from it. When the match is over, the seed is shown, and all hashes can be computed again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import msgspec

from engine import dice
from engine.codec import decode, decoder, encode, plain
from engine.dice import Draw, SeededDice, fields, match_key
from engine.errors import Sentence, UnknownGame
from engine.game import Event
from engine.games.registry import AnyGame, find, games
from pbem import beacon
from pbem.beacon import Beacon
from pbem.errors import UnreadableMatch
from pbem.lru import LruCache
from pbem.store import holders
from pbem.store.canonical import canonical
from pbem.store.holders import Names
from pbem.store.models import FormerHolder, Match, Ply, Seat
from pbem.store.names import MadeBy
from pbem.store.plain import AnyMatch, AnyPly

_OPTIONS = Sentence(
    "The options of this match are not understood by the rules that are installed: {why}"
)
_LOG = Sentence("The log of this match is not understood by the rules that are installed: {why}")

#: The hash before the first entry.
NO_HASH = "0" * 64
#: The formats of a record. In the second the digest is the same before and after a name was taken
#: out; records of older matches are still written in the first, for their mails name that digest.
FORMATS = (1, 2)
#: What the digest of the second format leaves out, because names can be taken out.
_UNBOUND = frozenset({"digest", "players", "names"})


def salt(seed: bytes, match_id: str, ply: int) -> str:
    return hmac.digest(seed, fields("salt", match_id, ply), "sha256").hex()


def dice_key(match: Match, seats: Sequence[Seat]) -> bytes:
    """The key of the match's dice, from its seed, the phrases of its seats and the beacon."""
    return key_with(match, seats, beacon.read(match.beacon_json))


def key_with(match: Match, seats: Sequence[Seat], drawn: Beacon | None) -> bytes:
    """As ``dice_key``, with this beacon."""
    phrases = [seat.phrase or "" for seat in seats]
    return match_key(match.id, match.seed, phrases, drawn.number if drawn else None)


def promise(match: Match, seats: Sequence[Seat], drawn: Beacon) -> str:
    """What binds the phrases of all seats and the round, before the round comes out."""
    assert drawn.chain is not None
    phrases = [seat.phrase or "" for seat in seats]
    return dice.promise(match.id, match.seed, phrases, drawn.chain.public_key, drawn.round)


def entry(match: Match, ply: Ply) -> dict[str, Any]:
    """What an entry's hash covers, as the record shows it."""
    return _entry(
        match,
        ply.model_dump(),
        json.loads(ply.move_json),
        json.loads(ply.events_json),
        json.loads(ply.draws_json),
    )


def _entry(
    match: Match, ply: Mapping[str, Any], move: Any, events: Any, draws: Any
) -> dict[str, Any]:
    """The entry of a row with these columns; what its JSON says is given as plain values."""
    out = {
        "ply": ply["ply"],
        "seat": ply["seat"],
        "made_by": str(ply["made_by"]),
        "made_at": ply["made_at"].isoformat(),
        "rules_version": ply["rules_version"],
        "phase": ply["phase"],
        "order": ply["order_text"],
        "move": move,
        "events": events,
        "draws": draws,
        "salt": salt(match.seed, match.id, ply["ply"]),
        "previous": ply["previous_hash"],
    }
    if ply["player"] is not None:
        out["player"] = ply["player"]
    if ply["holder"] is not None:
        out["holder"] = ply["holder"]
    if ply["redacted"]:
        out["redacted"] = True
    return out


def entry_hash(match: Match, ply: Ply) -> str:
    return _hash(entry(match, ply))


def is_as_hashed(match: Match, ply: Ply) -> bool:
    """Whether a ply is as its hash says; of one without its name that is taken as it is stated."""
    return ply.redacted or entry_hash(match, ply) == ply.hash


def _hash(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(content)).hexdigest()


def write_ply(
    match: Match,
    *,
    ply: int,
    seat: int | None,
    made_by: str,
    made_at: datetime,
    phase: str,
    order: str,
    move: Any,
    events: Sequence[Event],
    draws: Sequence[Draw],
    reveals: bool,
    previous: str,
    rules: str,
    public_ply: int,
    player: str | None = None,
    holder: str | None = None,
    turn_id: int | None = None,
) -> dict[str, Any]:
    """The columns of a ``Ply`` with its hash. Its seat, order and dice are as the engine gave them.

    ``rules`` is the version of the rules that made it; ``public_ply`` its number for everybody.
    ``holder`` and ``player`` are as ``holders.held_by`` gives them.
    """
    said = encode(move), encode(events), encode(draws)
    row = {
        "match_id": match.id,
        "ply": ply,
        "seat": seat,
        "player": player,
        "holder": holder,
        "redacted": False,
        "turn_id": turn_id,
        "made_by": made_by,
        "made_at": made_at,
        "rules_version": rules,
        "phase": phase,
        "order_text": order,
        "move_json": said[0].decode(),
        "events_json": said[1].decode(),
        "draws_json": said[2].decode(),
        "reveals": reveals,
        "previous_hash": previous,
        "public_ply": public_ply,
    }
    row["hash"] = _hash(_entry(match, row, *map(msgspec.json.decode, said)))
    return row


def installed(match: AnyMatch) -> AnyGame:
    """The game of a match; UnreadableMatch if it is not installed here."""
    try:
        return find(match.game)
    except UnknownGame:
        raise UnreadableMatch(
            "The game {game} is not installed on this service now, so the match stands still. "
            "Nothing of it is lost.",
            game=match.game,
        ) from None


def options_of(match: AnyMatch) -> Any:
    """The match's options in its game's type; UnreadableMatch if they do not fit it."""
    with _understood(_OPTIONS):
        return decode(installed(match).options_type, match.options_json)


@contextmanager
def _understood(otherwise: Sentence) -> Iterator[None]:
    """Raises UnreadableMatch with this sentence if a value does not fit the game's types."""
    try:
        yield
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise UnreadableMatch(otherwise.text, why=str(error)[:200]) from error


def read_events(match: Match, ply: AnyPly, seat: int | None) -> list[Event]:
    """The events of a ply that this seat (None: an onlooker) may read.

    If the match is over, also those that the game then shows to everybody.
    """
    game, over = installed(match), match.ended_at is not None
    with _understood(_LOG):
        # not by ``convert``, which describes a union of types anew for each value
        read = decoder(game.event_type).decode
        events: list[Event] = [read(one) for one in decode(list[msgspec.Raw], ply.events_json)]
    return [
        event
        for event in events
        if (event.readable_by(seat) or (over and game.shown_at_the_end(event)))
        and not (over and game.replaced_at_the_end(event))
    ]


def has_secret_moves(match: Match) -> bool:
    """Whether a seat can make a move that nobody else reads about, and then still have to act."""
    game = games().get(match.game)
    return game is not None and game.meta.secret_moves


def told_to_everybody(events: Iterable[Event]) -> bool:
    """Whether a ply has an event that everybody may read.

    If not, nobody else may learn that it was made.
    """
    return any(event.readers is None for event in events)


def shown_number(match: Match, ply: AnyPly) -> int:
    """The number of a ply as shown to others.

    This is its own number once the match is over, and before that its public number.
    """
    return ply.ply if ply.public_ply is None or match.ended_at is not None else ply.public_ply


def shown_made_by(match: Match, ply: AnyPly, reader: int | None) -> str:
    """How a ply was made, as shown to this seat (None: an onlooker).

    While the match runs, others do not hear that a seat had no choice: it tells of its hand. Nor
    that an order was left beforehand, so that a move made at once can be either.
    """
    secret = ply.made_by in (MadeBy.FORCED, MadeBy.STANDING)
    if secret and match.ended_at is None and ply.seat != reader:
        return MadeBy.LINK
    return ply.made_by


def said(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Events as JSON for one of their readers, without the list of readers.

    The list would tell a player that the enemy saw one of their models, for example.
    """
    out = []
    for event in events:
        values = plain(event)
        values.pop("readers", None)
        out.append(values)
    return out


def in_force(plies: Sequence[Ply]) -> list[Ply]:
    """The entries that the present state follows from: without those undone by going back.

    ``plies`` is the whole log from entry 0 on. Entries that go back are themselves left out.
    """
    return [*in_force_newest_first(reversed(plies))][::-1]


def in_force_newest_first(plies: Iterable[Ply]) -> Iterator[Ply]:
    """As ``in_force``, of the log from its newest entry on, as far as somebody reads it."""
    back_to = None
    for row in plies:
        if back_to is not None and row.ply > back_to:
            continue
        if row.made_by == MadeBy.BACK:
            back_to = json.loads(row.move_json)["back_to"]
        else:
            yield row


#: Every so many entries a state is kept as a checkpoint.
CHECKPOINT_EVERY = 25


def replay(
    match: Match,
    seats: Sequence[Seat],
    plies: Sequence[Ply],
    checkpoints: LruCache[Any] | None = None,
) -> Any:
    """The state after the last of these entries, the first of which is entry 0.

    ``checkpoints`` are for looking through a match: states by the hash of the entry before them,
    which covers all earlier ones. A proof replays every entry, without them.
    """
    game = installed(match)
    key = dice_key(match, seats)
    rows = in_force(plies)
    known = _latest(checkpoints, rows) if checkpoints is not None else None
    begun, state = known or (0, _first_state(game, key, match, rows[0]))
    after = _states(game, key, state, rows[begun + 1 :])
    for place, (row, state) in enumerate(after, begun + 1):
        if checkpoints is not None and (place % CHECKPOINT_EVERY == 0 or place == len(rows) - 1):
            checkpoints.put(row.hash, state)
    return state


def _latest(checkpoints: LruCache[Any], rows: Sequence[Ply]) -> tuple[int, Any] | None:
    """The last of these entries whose state is kept: its index, and the state."""
    for place in range(len(rows) - 1, 0, -1):
        if (state := checkpoints.get(rows[place].hash)) is not None:
            return place, state
    return None


def states(match: Match, seats: Sequence[Seat], plies: Sequence[Ply]) -> Iterator[tuple[Ply, Any]]:
    """Each of these entries that is in force, with the state after it; the first is entry 0."""
    game = installed(match)
    key = dice_key(match, seats)
    rows = in_force(plies)
    begun = _first_state(game, key, match, rows[0])
    yield rows[0], begun
    yield from _states(game, key, begun, rows[1:])


def _first_state(game: AnyGame, key: bytes, match: Match, entry: Ply) -> Any:
    """The state after entry 0, by the rules that the match began with, if they can be played."""
    version = game.meta.playable_version(entry.rules_version)
    return game.setup_by(version, match.seat_count, options_of(match), SeededDice(key)).state


def _states(
    game: AnyGame, key: bytes, state: Any, rows: Iterable[Ply]
) -> Iterator[tuple[Ply, Any]]:
    """Each entry with the state after it, from the state before the first."""
    for row in rows:
        with _understood(_LOG):
            move = decode(game.move_type, row.move_json)
        state = game.apply(state, row.seat or 0, move, SeededDice(key)).state
        yield row, state


#: The phase of entry 0.
SETUP = "setup"
#: Most characters of a title.
MAX_TITLE = 200


def title(name: str, variants: Sequence[Sentence]) -> str:
    """A match's title line: the game, and every option that is not at its default.

    Of very many as many as are short enough, and "…".
    """
    some = list(map(str, variants))
    said = " · ".join([name, *some])
    while len(said) > MAX_TITLE:
        some.pop()
        said = " · ".join([name, *some, "…"])
    return said


def who_played(
    founding: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]
) -> list[str | None]:
    """Each seat's player by a log of names: the one its last ply names, else the one of entry 0.

    None for a player whose name was taken out.
    """
    return _last(founding["players"], entries, "player")


def who_holds(founding: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """The same by a log of digests: the digest of each seat's holder."""
    return _last(founding["holders"], entries, "holder")


def _last(first: Sequence[Any], entries: Iterable[Mapping[str, Any]], field: str) -> list[Any]:
    found = list(first)
    for one in entries:
        if one.get(field) is not None:
            found[one["seat"]] = one[field]
    return found


def _players(
    seats: Sequence[Seat], plies: Sequence[Ply], founding: Mapping[str, Any], known: Names
) -> list[str | None]:
    """The players as the chain binds them, so that nobody can change the names in the record."""
    if "holders" in founding:
        entries = ({"seat": ply.seat, "holder": ply.holder} for ply in plies)
        return [known.get(one, (None, None))[1] for one in who_holds(founding, entries)]
    if "title" in founding:
        return who_played(founding, ({"seat": ply.seat, "player": ply.player} for ply in plies))
    # not begun, or begun before the chain held the names of later players
    return [None if seat.forgotten_at else seat.name for seat in seats]


def record(
    match: Match,
    seats: Sequence[Seat],
    plies: Sequence[Ply],
    former: Sequence[FormerHolder] = (),
) -> dict[str, Any]:
    """The record of a match: complete with the seed once it is over, before that what is public.

    ``digest``: see ``record_digest``. ``former``: those who held its seats before.
    """
    over = match.ended_at is not None
    shown = plies if over else _shown(plies)
    founding: dict[str, Any] = json.loads(plies[0].move_json) if plies else {}
    known = holders.names(seats, former)
    redacted = match.digest_before is not None or any(ply.redacted for ply in plies)
    out: dict[str, Any] = {
        "format": FORMATS[1] if "holders" in founding or redacted else FORMATS[0],
        "match": match.id,
        "game": match.game,
        "title": match.title,
        "status": str(match.status),
        "options": json.loads(match.options_json),
        "players": _players(seats, plies, founding, known),
        "commitment": match.commitment,
        "chain_head": match.shown_head,
        "complete": over,
        "entries": [
            {**entry(match, ply), "hash": ply.hash} if over else _public_entry(match, ply)
            for ply in shown
        ],
    }
    if len(shown) < len(plies) or (not over and has_secret_moves(match)):
        # an entry that does not continue the one above it would tell of a secret move between
        # them, and a complete chain would tell that there was none
        for one in out["entries"]:
            del one["previous"]
    if over:
        out["seed"] = match.seed.hex()
        out["phrases"] = [seat.phrase or "" for seat in seats]
        out["outcome"] = json.loads(match.outcome_json) if match.outcome_json else None
        if "holders" in founding:
            bound = {*founding["holders"], *(ply.holder for ply in plies)}
            out["names"] = {one: list(name) for one, name in known.items() if one in bound}
        if match.digest_before is not None:
            out["digest_before"] = match.digest_before
    out["digest"] = record_digest(out)
    return out


def record_digest(record: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical JSON of a record without its digest.

    In format 2 it is also without ``players`` and ``names``, and each entry is its hash.
    """
    if record["format"] == FORMATS[0]:
        return _hash({name: part for name, part in record.items() if name != "digest"})
    bound = {name: part for name, part in record.items() if name not in _UNBOUND}
    return _hash({**bound, "entries": [one["hash"] for one in record["entries"]]})


def _shown(plies: Sequence[Ply]) -> list[Ply]:
    """The entries shown to everybody: the first one with each public number."""
    shown: list[Ply] = []
    for ply in plies:
        if not shown or ply.public_ply is None or ply.public_ply != shown[-1].public_ply:
            shown.append(ply)
    return shown


def _public_entry(match: Match, ply: Ply) -> dict[str, Any]:
    return {
        "ply": shown_number(match, ply),
        "seat": ply.seat,
        "made_by": str(shown_made_by(match, ply, None)),
        "made_at": ply.made_at.isoformat(),
        "phase": ply.phase,
        "events": plain(read_events(match, ply, None)),
        "previous": ply.previous_hash,
        "hash": ply.hash,
    }
