#!/usr/bin/env python3
"""Checks the dice of a finished match: python3 verify_dice.py RECORD.json

This file needs nothing but Python 3 and knows no game. It checks that

1. the secret seed is the one that was promised before anyone joined;
2. every entry of the log continues the one before it, unchanged, up to the chain's head;
3. the round of the public beacon is the one that the rule fixed, and its number follows from its
   signature; the signature itself is checked by `pbem verify`, or on https://drand.love;
4. the players' names are those that the log binds, as far as they are in the record: the name of
   somebody who was forgotten is not;
5. every die and every shuffle in the log is what seed, phrases and beacon give for its place.

How the numbers are made: `fields(a, b, ...)` is each part after its length in eight bytes.
  commitment = SHA256(fields(match, seed))
  round      = the first whose time is `margin` seconds or more after the last seat was taken; round
               n comes out at genesis + (n - 1) * period, in seconds since 1970
  beacon     = SHA256(signature of the round)
  K          = HMAC-SHA256(seed, fields(match, phrase of seat 0, phrase of seat 1, ..., beacon));
               without the last field if the match began without a beacon
  holder     = SHA256(fields("name", match, salt, name)), what the log has instead of a name
  words      = HMAC-SHA256(K, fields(where, purpose, block)) for block 0, 1, ..., each cut into four
               numbers of 64 bits; a number below n is the first word below the largest multiple of
               n, modulo n; a shuffle exchanges the last place with a random one, then the last but
               one, and so on. Several draws in one entry at the same place go on in the same words.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any


def fields(*parts: object) -> bytes:
    data = [part if isinstance(part, bytes) else str(part).encode() for part in parts]
    return b"".join(len(part).to_bytes(8, "big") + part for part in data)


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def words(key: bytes, where: str, purpose: str) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.digest(key, fields(where, purpose, block), "sha256")
        yield from (int.from_bytes(digest[at : at + 8], "big") for at in range(0, 32, 8))
        block += 1


def below(sides: int, stream: Iterator[int]) -> int:
    limit = 2**64 - 2**64 % sides
    return next(word for word in stream if word < limit) % sides


def drawn_again(sides: int, count: int, stream: Iterator[int]) -> list[int] | None:
    """The results of a roll (one) or a shuffle (one for each thing); None if it is neither."""
    if count == 1 and 1 < sides < 2**64:
        return [below(sides, stream)]
    if count != sides:
        return None
    order = list(range(sides))
    for last in range(sides - 1, 0, -1):
        other = below(last + 1, stream)
        order[last], order[other] = order[other], order[last]
    return order


def number_of(beacon: dict[str, Any], wrong: list[str]) -> bytes:
    """The beacon's number; what is wrong with its round goes to ``wrong``."""
    chain, signature = beacon["chain"], bytes.fromhex(beacon["signature"])
    after = datetime.fromisoformat(beacon["taken_at"]) + timedelta(seconds=beacon["margin"])
    genesis = datetime.fromtimestamp(chain["genesis"], timezone.utc)  # noqa: UP017
    missing = -((genesis - after) // timedelta(seconds=chain["period"]))
    if beacon["round"] != max(1, 1 + missing):
        wrong.append("The round of the beacon is not the one that the rule gives.")
    if hashlib.sha256(signature).hexdigest() != beacon["randomness"]:
        wrong.append("The beacon's number is not that of its signature.")
    return bytes.fromhex(beacon["randomness"])


def beacon_of(record: dict[str, Any]) -> dict[str, Any]:
    """What entry 0 says of the beacon; empty if the match never began or is older than that."""
    return record["entries"][0]["move"].get("beacon", {}) if record["entries"] else {}


def digest_of(record: dict[str, Any], canonical: Callable[[object], bytes] = canonical) -> str:
    """The record's digest: in format 2 without names, and with each entry as its hash."""
    bound = {name: part for name, part in record.items() if name != "digest"}
    if record["format"] != 1:
        bound["entries"] = [entry["hash"] for entry in record["entries"]]
        for name in ("players", "names"):
            bound.pop(name, None)
    return hashlib.sha256(canonical(bound)).hexdigest()


def holders_of(record: dict[str, Any]) -> tuple[list[str], set[str]]:
    """What the log has instead of names: for each seat the last, and all there are."""
    entries = record["entries"]
    last = list(entries[0]["move"].get("holders", ())) if entries else []
    known = set(last)
    for entry in entries if last else ():
        if entry.get("holder") is not None:
            last[entry["seat"]] = entry["holder"]
            known.add(entry["holder"])
    return last, known


def check_names(record: dict[str, Any]) -> list[str]:
    """What is wrong with the names of a record whose log has digests of them."""
    last, known = holders_of(record)
    if not last:
        return ["Names without a place in the log."] if "names" in record else []
    wrong: list[str] = []
    for holder, (salt, name) in record["names"].items():
        if hashlib.sha256(fields("name", record["match"], salt, name)).hexdigest() != holder:
            wrong.append(f"The log binds another name than {name}.")
        if holder not in known:
            wrong.append(f"The log does not know {name}.")
    if record["players"] != [record["names"].get(holder, (None, None))[1] for holder in last]:
        wrong.append("The players are not those of the log.")
    return wrong


def is_redacted(record: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Whether a name was taken out of this entry: then its hash cannot be computed again.

    Only in a match that began when the log held names itself.
    """
    if record["format"] == 1 or not entry.get("redacted"):
        return False
    return not {"player", "holder"} & set(entry) and "holders" not in entry["move"]


def check(record: dict[str, Any], canonical: Callable[[object], bytes] = canonical) -> list[str]:
    """What is wrong with the record, a sentence each; an empty list when all is well.

    A caller may know a faster way to the same bytes than this file's own ``canonical``.
    """
    if not record.get("complete"):
        return ["The match is not over: its seed is still secret."]
    wrong: list[str] = []
    seed = bytes.fromhex(record["seed"])
    if hashlib.sha256(fields(record["match"], seed)).hexdigest() != record["commitment"]:
        wrong.append("The seed is not the one that was promised.")
    beacon = beacon_of(record)
    mixed = [number_of(beacon, wrong)] if "signature" in beacon else []
    key = hmac.digest(seed, fields(record["match"], *record["phrases"], *mixed), "sha256")
    salted = fields("salt", record["match"])
    previous = "0" * 64
    for number, entry in enumerate(record["entries"]):
        name = f"Entry {number}"
        if entry["ply"] != number:
            wrong.append(f"{name} calls itself {entry['ply']}.")
        if entry["previous"] != previous:
            wrong.append(f"{name} does not continue the entry before it.")
        content = {**entry}
        del content["hash"]
        if is_redacted(record, entry):
            pass  # its hash is taken as it is stated
        elif hashlib.sha256(canonical(content)).hexdigest() != entry["hash"]:
            wrong.append(f"{name} is not what its hash says.")
        salt = hmac.digest(seed, salted + fields(number), "sha256").hex()
        if entry["salt"] != salt:
            wrong.append(f"{name} has a wrong salt.")
        previous = entry["hash"]
        streams: dict[tuple[str, str], Iterator[int]] = {}
        for where, purpose, sides, results in entry["draws"]:
            stream = streams.setdefault((where, purpose), words(key, where, purpose))
            if drawn_again(sides, len(results), stream) != results:
                wrong.append(f"{name}: {purpose} at {where} was not drawn from the seed.")
    # a match that never began has an empty log, and no head
    if record["chain_head"] != (previous if record["entries"] else ""):
        wrong.append("The chain's head is not the hash of the last entry.")
    if digest_of(record, canonical) != record["digest"]:
        wrong.append("The record's digest does not fit what it holds.")
    if record["format"] != 1:
        wrong += check_names(record)
    return wrong


def shown(text: object) -> str:
    """A text without what could give orders to a terminal: a forger may have written it."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))


def told(record: dict[str, Any], wrong: list[str]) -> list[str]:
    """What the program says of a record, line by line."""
    said = [*wrong] or [f"All well: {len(record['entries'])} entries, every draw checked."]
    if not record.get("complete"):
        return said
    redacted = [entry["ply"] for entry in record["entries"] if entry.get("redacted")]
    if redacted:
        said.append(
            "Somebody was forgotten. A name was taken out of these entries, and their hashes"
        )
        said.append(" ".join(map(str, ("were not checked:", *redacted))))
    for seat, name in enumerate(record["players"]):
        if name is None:
            said.append(
                f"The player of seat {seat + 1} was forgotten: the name is not in the record."
            )
    beacon = beacon_of(record)
    if "signature" in beacon:
        said += [
            f"Round {beacon['round']} of the beacon with the key {beacon['chain']['public_key']}",
            "is in the dice. Its signature is not checked here: compare it, or use pbem verify:",
            beacon["signature"],
        ]
    else:
        said.append("No public beacon is in the dice: whoever ran the service and sat at the table")
        said.append("could have chosen them.")
    return [*said, f"The chain's head, as your last mail has it: {record['chain_head']}"]


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python3 verify_dice.py RECORD.json")
        return 2
    try:
        with open(sys.argv[1], "rb") as file:
            record = json.load(file)
        wrong = check(record)
        said = told(record, wrong)
    except OSError as error:
        print(f"{sys.argv[1]} cannot be read: {error.strerror}.")
        return 2
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError):
        print(f"{sys.argv[1]} is no record of a match.")
        return 1
    print("\n".join(map(shown, said)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
