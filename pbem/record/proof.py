"""What a mail of a match binds, in its header ``Pbem-Proof``, as programs read it.

The same fingerprints stand in the mail's text, for people. ``pbem verify`` holds the record of the
match against the headers of the mails that a player kept.
"""

from __future__ import annotations

import re

import msgspec

from engine.codec import convert

HEADER = "Pbem-Proof"
_PART = re.compile(r"([a-z]+)=([0-9a-z]{1,64})")
_FINGERPRINT = re.compile("[0-9a-f]{64}")


class Proof(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fingerprints of a mail, in hexadecimal; "" where it has none."""

    match: str
    #: Of the secret seed.
    commitment: str
    #: Of the log so far: the hash of an entry.
    head: str = ""
    #: Of the beacon's round and of all phrases (``engine.dice.promise``).
    promise: str = ""
    #: Of the whole record.
    digest: str = ""


def written(proof: Proof) -> str:
    """The value of the header."""
    return " ".join(
        f"{name}={value}" for name, value in msgspec.structs.asdict(proof).items() if value
    )


def read(header: str) -> Proof | None:
    """The proof in the value of a header; None if it is none."""
    parts = dict(_PART.findall(header))
    try:
        found = convert(parts, Proof)
    except msgspec.ValidationError:
        return None
    # a mail that was cut must not speak against a record
    whole = (value for name, value in parts.items() if name != "match")
    return found if all(map(_FINGERPRINT.fullmatch, whole)) else None
