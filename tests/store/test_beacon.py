"""The public beacon: real rounds of drand's quicknet, and what is no round of it."""

from __future__ import annotations

import hashlib
import threading
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from py_arkworks_bls12381 import G1Point, G2Point

from pbem import beacon
from pbem.beacon import MARGIN, QUICKNET, Chain
from tests.parts.local_beacon import chain_of, signed

#: Rounds that the chain published, with their signatures.
ROUNDS = {
    123: "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482"
    "e26cd02df835d3546d23c4b13e0dfc92",
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
    "e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be"
    "41076862b98fad56e91a6b85b89cd97b",
    10024141: "8c87caf26bb4f5e9fdfad5ddf739ff8683344f8cf04a8c381225ff067557b5d9"
    "d51937eed765fcef21971bf5ddef44bb",
}
#: The random numbers that it published with some of them.
RANDOM = {
    123: "fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc",
    1000: "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
    657413: "fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587",
}
#: The key of drand's test network, which has the same scheme.
OTHER_KEY = (
    "b15b65b46fb29104f6a4b5d1e11a8da6344463973d423661bb0804846a0ecd1ef93c25057f1c0baab2ac53e56c662b66"
    "072f6d84ee791a3382bfb055afab1e6a375538d8ffc451104ac971d2dc9b168e2d3246b0be2015969cbaac298f6502da"
)
SIGNATURE = ROUNDS[1000]


@pytest.mark.parametrize("number", ROUNDS)
def test_a_round_that_quicknet_published_is_signed(number: int) -> None:
    assert beacon.is_signed(QUICKNET, number, ROUNDS[number])


@pytest.mark.parametrize("number", RANDOM)
def test_the_number_of_a_round_is_the_one_that_was_published(number: int) -> None:
    assert beacon.randomness(ROUNDS[number]) == RANDOM[number]


@pytest.mark.parametrize("number", [0, 1, 999, 1001, 1 << 64, -1000])
def test_the_signature_of_a_round_is_that_of_no_other(number: int) -> None:
    assert not beacon.is_signed(QUICKNET, number, SIGNATURE)


def test_a_round_is_not_signed_by_another_chain() -> None:
    other = msgspec.structs.replace(QUICKNET, public_key=OTHER_KEY)

    assert beacon.is_public_key(OTHER_KEY)
    assert not beacon.is_signed(other, 1000, SIGNATURE)
    assert not beacon.is_signed(chain_of(7), 1000, SIGNATURE)
    assert not beacon.is_signed(QUICKNET, 1000, signed(7, 1000))


@pytest.mark.parametrize(
    "signature",
    [
        *("", "b4", "not hexadecimal", SIGNATURE[:-2], SIGNATURE + "00", SIGNATURE.upper()),
        *(f" {SIGNATURE}", "c0" + "00" * 47, "ff" * 48, "00" * 48, "b4" * 48),
        # the same point with the other sign
        bytes(
            (-G1Point.from_compressed_bytes(bytes.fromhex(SIGNATURE))).to_compressed_bytes()
        ).hex(),
    ],
)
def test_what_is_no_signature_is_refused_quietly(signature: str) -> None:
    assert not beacon.is_signed(QUICKNET, 1000, signature)


def test_every_flipped_bit_is_noticed() -> None:
    data = bytes.fromhex(SIGNATURE)
    flipped = [
        bytes([*data[:at], data[at] ^ 1 << bit, *data[at + 1 :]]).hex()
        for at in range(len(data))
        for bit in range(8)
    ]

    assert not any(beacon.is_signed(QUICKNET, 1000, signature) for signature in flipped)


@pytest.mark.parametrize(
    "key", ["", "00" * 96, "c0" + "00" * 95, "ff" * 96, QUICKNET.public_key[:-2], "x" * 192]
)
def test_a_key_that_everything_fits_is_no_key(key: str) -> None:
    assert not beacon.is_public_key(key)
    chain = Chain(key, 3, 0)
    identity = bytes(G1Point.identity().to_compressed_bytes()).hex()
    assert not beacon.is_signed(chain, 1, identity)
    assert G2Point.identity() != G2Point()


def test_many_threads_check_rounds_at_once() -> None:
    found: list[bool] = []

    def check() -> None:
        for number, signature in ROUNDS.items():
            found.append(beacon.is_signed(QUICKNET, number, signature))
            found.append(not beacon.is_signed(QUICKNET, number + 1, signature))

    threads = [threading.Thread(target=check) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 64
    assert all(found)


# --- the rule ---


def test_round_one_comes_out_at_genesis_and_the_others_every_period() -> None:
    assert QUICKNET.time_of(1) == datetime(2023, 8, 23, 15, 9, 27, tzinfo=UTC)
    assert QUICKNET.time_of(1000) == QUICKNET.time_of(1) + timedelta(seconds=2997)


@pytest.mark.parametrize("number", [1, 2, 5, 1000, 27_961_627])
def test_the_first_round_after_an_instant_is_not_before_it(number: int) -> None:
    out = QUICKNET.time_of(number)

    assert QUICKNET.first_round(out) == number
    assert QUICKNET.first_round(out + timedelta(microseconds=1)) == number + 1
    assert QUICKNET.first_round(out + timedelta(seconds=3)) == number + 1
    assert QUICKNET.first_round(out - timedelta(seconds=2.9)) == number


def test_a_match_takes_the_first_round_a_minute_after_the_last_joining() -> None:
    taken_at = datetime(2026, 6, 2, 12, 0, 1, 250_000, tzinfo=UTC)

    drawn = beacon.rule(QUICKNET, taken_at, required=False)

    out = QUICKNET.time_of(drawn.round)
    assert timedelta(0) <= out - taken_at - timedelta(seconds=MARGIN) < timedelta(seconds=3)
    assert drawn.waits
    assert beacon.follows_the_rule(drawn)
    for other in (drawn.round - 1, drawn.round + 1):
        assert not beacon.follows_the_rule(msgspec.structs.replace(drawn, round=other))
    assert not beacon.follows_the_rule(msgspec.structs.replace(drawn, margin=0))


def test_what_goes_into_the_key_is_the_random_number() -> None:
    drawn = beacon.rule(QUICKNET, datetime(2026, 6, 2, tzinfo=UTC), required=True)

    assert drawn.number is None
    with_round = drawn.with_round(SIGNATURE)
    assert with_round.number == hashlib.sha256(bytes.fromhex(SIGNATURE)).digest()
    assert beacon.read(beacon.written(with_round)) == with_round
    assert not with_round.waits
