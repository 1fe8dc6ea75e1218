"""The public beacon: a number that nobody knows before its time, in the dice of a match.

drand (https://drand.love) is run by many organisations together. Each of its chains publishes a
round every few seconds: a signature of the round's number, which nobody can make or foresee alone.
A round of the scheme ``bls-unchained-g1-rfc9380`` is the BLS signature on G1 of the SHA-256 of its
number in eight bytes, big-endian; its random number is the SHA-256 of the signature.

The rule, fixed before anybody joins: a match takes the first round whose time is ``MARGIN`` seconds
or more after its last seat was taken. In between every player is mailed the round's number and a
promise that binds all phrases (``engine.dice.promise``).
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

import msgspec

from engine.codec import decode, encode

#: Seconds between the last joining and the round's time, so that the promise arrives before.
MARGIN = 60
#: The domain of the scheme's signatures, as drand and RFC 9380 name it.
_DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_KEY_BYTES = 96


class Chain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chain of drand."""

    #: In hexadecimal: a point of G2.
    public_key: str
    #: Seconds between two rounds.
    period: int
    #: When round 1 came out, in seconds since 1970.
    genesis: int

    def first_round(self, after: datetime) -> int:
        """The number of the first round whose time is not before this instant."""
        seconds = after - datetime.fromtimestamp(self.genesis, UTC)
        return max(1, 1 - (-seconds // timedelta(seconds=self.period)))

    def time_of(self, number: int) -> datetime:
        """When a round comes out."""
        since = timedelta(seconds=(number - 1) * self.period)
        return datetime.fromtimestamp(self.genesis, UTC) + since


#: The chain of drand's main network with a round every three seconds.
QUICKNET = Chain(
    public_key="83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
    "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
    "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    period=3,
    genesis=1692803367,
)
#: Its hash, which is its name in the addresses of drand's servers.
QUICKNET_HASH = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"


class Missing(StrEnum):
    """Why a match began without the beacon."""

    #: The service does not use it.
    OFF = "off"
    #: Only one person plays, against bots.
    ALONE = "alone"
    #: The round could not be had in time.
    UNREACHABLE = "unreachable"
    #: The host or the operator began the match without waiting for it.
    WAIVED = "waived"


class Beacon(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What entry 0 of a match's log says of the beacon.

    Either ``signature`` or ``missing`` is set once the match has begun. Before that a match which
    waits for its round has neither.
    """

    #: Whether the host insisted on it.
    required: bool = False
    chain: Chain | None = None
    #: When the last seat was taken, as ISO 8601.
    taken_at: str = ""
    margin: int = 0
    round: int = 0
    #: In hexadecimal, as are the round's random number and the public key.
    signature: str = ""
    randomness: str = ""
    missing: Missing | None = None

    @property
    def waits(self) -> bool:
        return not self.signature and self.missing is None

    @property
    def number(self) -> bytes | None:
        """What goes into the key of the dice; None if nothing does."""
        return bytes.fromhex(self.randomness) if self.signature else None

    def with_round(self, signature: str) -> Beacon:
        """This one with the signature of its round."""
        return msgspec.structs.replace(
            self, signature=signature, randomness=randomness(signature), missing=None
        )

    def without(self, why: Missing) -> Beacon:
        """This one of a match that begins without its round."""
        return msgspec.structs.replace(self, missing=why)


def rule(chain: Chain, taken_at: datetime, required: bool) -> Beacon:
    """What a match waits for whose last seat was taken at this instant."""
    number = chain.first_round(taken_at + timedelta(seconds=MARGIN))
    return Beacon(
        required=required, chain=chain, taken_at=taken_at.isoformat(), margin=MARGIN, round=number
    )


def read(text: str | None) -> Beacon | None:
    """The beacon of a match from its column; None in a match that is older than the beacon."""
    return decode(Beacon, text) if text else None


def written(drawn: Beacon) -> str:
    """The column that ``read`` reads."""
    return encode(drawn).decode()


def randomness(signature: str) -> str:
    """The random number of a round with this signature, both in hexadecimal."""
    return hashlib.sha256(bytes.fromhex(signature)).hexdigest()


def is_public_key(text: str) -> bool:
    """Whether this is the public key of some chain."""
    return _point(text) is not None


@lru_cache(maxsize=64)
def _point(public_key: str) -> object:
    from py_arkworks_bls12381 import G2Point

    try:
        data = bytes.fromhex(public_key)
        point = G2Point.from_compressed_bytes(data) if len(data) == _KEY_BYTES else None
    except ValueError:
        return None
    if point is None or point == G2Point.identity() or bytes(point.to_compressed_bytes()) != data:
        # any signature would fit the key of nobody
        return None
    return point


def is_signed(chain: Chain, number: int, signature: str) -> bool:
    """Whether this is the signature, in hexadecimal, of this round of the chain.

    Each round has exactly one text that is.
    """
    # here, and not above: most processes never check one
    from py_arkworks_bls12381 import GT, G1Point, G2Point

    key = _point(chain.public_key)
    if not isinstance(key, G2Point) or not 0 < number < 1 << 64:
        return False
    try:
        data = bytes.fromhex(signature)
        point = G1Point.from_compressed_bytes(data)
    except ValueError:
        return False
    if data.hex() != signature or bytes(point.to_compressed_bytes()) != data:
        return False
    said = hashlib.sha256(number.to_bytes(8, "big")).digest()
    hashed = G1Point.hash_to_curve(said, _DOMAIN)
    return GT.pairing_check([point, -hashed], [G2Point(), key])


def follows_the_rule(beacon: Beacon) -> bool:
    """Whether the round is the one that the rule gives for the last joining."""
    if beacon.chain is None or beacon.margin < MARGIN:
        return False
    taken_at = datetime.fromisoformat(beacon.taken_at)
    return beacon.round == beacon.chain.first_round(taken_at + timedelta(seconds=beacon.margin))
