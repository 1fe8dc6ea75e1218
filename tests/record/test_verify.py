"""The check of a record says what is wrong, of a match so short that every sentence can be met."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.codec import plain
from engine.dice import SeededDice, commitment, fields, match_key
from engine.games.dog import GAME, moves
from engine.games.dog.meta import DogOptions
from pbem import beacon
from pbem.record import verify, verify_dice
from pbem.store.canonical import canonical
from tests.parts.local_beacon import chain_of, signed

SEED = b"a seed that is 32 bytes in all.."
NAMES = ("Alice", "Bob", "Carol")
PHRASES = [f"words of {name}" for name in NAMES]
CHAIN = chain_of(7)
TAKEN_AT = datetime(2026, 6, 2, 12, tzinfo=UTC)
DRAWN = beacon.rule(CHAIN, TAKEN_AT, required=False)
DRAWN = DRAWN.with_round(signed(7, DRAWN.round))
#: Of the same round, by another key.
FALSE = signed(8, DRAWN.round)
Record = dict[str, Any]
Change = Callable[[Record], object]


def holder(name: str) -> str:
    return hashlib.sha256(fields("name", "m", f"salt of {name}", name)).hexdigest()


def record() -> Record:
    """Three play Dog, the first gives cards away, and the match is ended."""
    key = match_key("m", SEED, PHRASES, DRAWN.number)
    dice = SeededDice(key)
    begun = GAME.setup(3, DogOptions(), dice)
    move = GAME.default_move(begun.state, 0)
    given = GAME.apply(begun.state, 0, move, SeededDice(key))
    founding = {
        "match": "m",
        "game": "dog",
        "seats": 3,
        "options": plain(DogOptions()),
        "commitment": commitment("m", SEED),
        "phrases": PHRASES,
        "holders": [holder(name) for name in NAMES],
        "title": "Dog",
        "dice": 2,
        "beacon": plain(DRAWN),
    }
    same = {"rules_version": GAME.meta.rules_version, "phase": "exchange"}
    return sealed(
        {
            "format": 2,
            "match": "m",
            "game": "dog",
            "title": "Dog",
            "status": "aborted",
            "options": plain(DogOptions()),
            "players": [*NAMES],
            "commitment": commitment("m", SEED),
            "complete": True,
            "seed": SEED.hex(),
            "phrases": PHRASES,
            "outcome": None,
            "names": {holder(name): [f"salt of {name}", name] for name in NAMES},
            "entries": [
                same
                | {
                    "phase": "setup",
                    "seat": None,
                    "made_by": "forced",
                    "made_at": CHAIN.time_of(DRAWN.round).isoformat(),
                    "order": "",
                    "move": founding,
                    "events": plain(begun.events),
                    "draws": plain(dice.draws),
                },
                same
                | {
                    "seat": 0,
                    "made_by": "link",
                    "made_at": "2026-06-03T12:00:00+00:00",
                    "order": GAME.format(move),
                    "move": plain(move),
                    "events": plain(given.events),
                    "draws": [],
                },
            ],
        }
    )


def sealed(value: Record) -> Record:
    """With numbers, salts, hashes and digest made anew, as a forger would."""
    previous = "0" * 64
    for number, entry in enumerate(value["entries"]):
        said = fields("salt", "m") + fields(number)
        entry |= {"ply": number, "previous": previous}
        entry["salt"] = verify_dice.hmac.digest(SEED, said, "sha256").hex()
        content = {name: part for name, part in entry.items() if name != "hash"}
        entry["hash"] = previous = hashlib.sha256(canonical(content)).hexdigest()
    value["chain_head"] = previous if value["entries"] else ""
    value["digest"] = verify_dice.digest_of(value)
    return value


def checked(value: Record, key: str = CHAIN.public_key) -> verify.Verdict:
    return verify.verify(canonical(sealed(value)), key)


def founding(value: Record) -> Record:
    return value["entries"][0]["move"]


def without_beacon(value: Record, **said: object) -> None:
    """Dealt anew, by dice without a beacon; entry 0 says so, or whatever it shall say."""
    key = match_key("m", SEED, PHRASES)
    dice = SeededDice(key)
    begun = GAME.setup(3, DogOptions(), dice)
    value["entries"] = value["entries"][:1]
    value["entries"][0] |= {"events": plain(begun.events), "draws": plain(dice.draws)}
    founding(value)["beacon"] = said


def test_a_short_match_verifies() -> None:
    verdict = checked(record())

    assert (verdict.wrong, verdict.entries, verdict.match) == ((), 2, "m")
    assert verdict.unbound[0].startswith("No mail of this match was given")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(
            (
                lambda value, field=field, other=other: value.update({field: other}),
                f"Entry 0 and the head of the record do not agree on the {field}.",
            )
            for field, other in (
                ("title", "The great final"),
                ("options", plain(DogOptions(jack_own_fresh=True))),
            )
        ),
        (
            lambda value: founding(value).update(seats=4),
            "Entry 0 and the head of the record do not agree on the number of seats.",
        ),
        (
            lambda value: founding(value).update(match="n"),
            "Entry 0 and the head of the record do not agree on the match.",
        ),
        (
            lambda value: founding(value).update(game="skirmish"),
            "Entry 0 and the head of the record do not agree on the game.",
        ),
        (
            lambda value: founding(value).update(commitment="00"),
            "Entry 0 and the head of the record do not agree on the commitment.",
        ),
        (
            lambda value: founding(value).update(phrases=[]),
            "Entry 0 and the head of the record do not agree on the phrases.",
        ),
        (
            lambda value: founding(value).update(players=[*NAMES]),
            "Entry 0 does not say who plays, or says it twice.",
        ),
        (
            lambda value: value["entries"][1].update(player="Alice"),
            "The log has digests instead of names, and names besides.",
        ),
        (
            lambda value: value["entries"][1].update(redacted=True),
            "The log has digests instead of names, and names besides.",
        ),
        (
            lambda value: value.update(status="finished"),
            "By the rules the match is not finished.",
        ),
        (
            lambda value: value.update(outcome={"reason": "alone"}),
            "The match ends otherwise by the rules.",
        ),
        (
            lambda value: value["entries"][1].update(order="give K"),
            "Entry 1: the order does not say the move.",
        ),
        (
            lambda value: value["entries"][1]["move"].update(remark="well played"),
            "The record cannot be followed: ValidationError Object contains unknown field "
            "`remark`.",
        ),
        (
            lambda value: value["entries"][1]["events"].clear(),
            "Entry 1: the rules give other events.",
        ),
        (
            lambda value: value["entries"][1].update(phase="discard"),
            "Entry 1: the rules give another phase.",
        ),
        *(
            (
                lambda value, said=said: value["entries"][0].update(said),
                "Entry 0: no match begins like this.",
            )
            for said in ({"seat": 0}, {"made_by": "link"}, {"phase": "play"}, {"order": "deal"})
        ),
        (
            lambda value: value["entries"][1].update(made_at="2026-06-03T12:00:00"),
            "The record cannot be followed: ValidationError Expected `datetime` with a timezone "
            "component - at `$.entries[1].made_at`.",
        ),
        (
            lambda value: value["entries"][1].update(events=[], rules_version="77"),
            "Entry 1: the rules give other events (it was made by rules 77; these are "
            f"{GAME.meta.rules_version}).",
        ),
        (
            lambda value: value["entries"][0]["draws"].clear(),
            "Entry 0: the rules ask for other draws.",
        ),
        (
            lambda value: (
                value["options"].update(wind="strong"),
                founding(value)["options"].update(wind="strong"),
            ),
            "The record cannot be followed: ValidationError Object contains unknown field `wind`.",
        ),
    ],
)
def test_what_does_not_follow_from_the_log_and_the_rules_is_named(
    change: Change, said: str
) -> None:
    value = record()

    change(value)

    assert checked(value).wrong == (said,)


class Remarked(moves.Give, frozen=True, forbid_unknown_fields=False, tag="give"):
    """A gift that takes any field, as a part of a move of a plug-in may."""


class AnyOptions(DogOptions, frozen=True, forbid_unknown_fields=False):
    """Options that take any field."""


def test_a_game_that_takes_any_field_lets_none_into_its_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    value = record()
    for options in (value["options"], founding(value)["options"]):
        options["wind"] = "strong"
    value["entries"][1]["move"]["remark"] = "well played"
    monkeypatch.setattr(type(GAME), "options_type", AnyOptions)
    monkeypatch.setattr(type(GAME), "move_type", Remarked)

    assert checked(value).wrong == (
        "The options hold what the game does not know.",
        "Entry 1: the move holds what the game does not know.",
    )


# --- the beacon ---


@pytest.mark.parametrize(
    ("said", "wrong", "unbound"),
    [
        ({"missing": "off"}, (), "No public beacon is in the dice: the service did not use it."),
        ({"missing": "alone"}, (), "No public beacon is in the dice: only one person played."),
        (
            {"missing": "unreachable"},
            (),
            "No public beacon is in the dice: the service could not reach it.",
        ),
        (
            {"missing": "waived"},
            (),
            "No public beacon is in the dice: host or operator began without it.",
        ),
        ({}, ("Entry 0 names no round of the public beacon, and does not say why.",), ""),
    ],
)
def test_why_no_beacon_is_in_the_dice_is_said(
    said: dict[str, str], wrong: tuple[str, ...], unbound: str
) -> None:
    value = record()
    without_beacon(value, **said)

    verdict = checked(value)

    assert verdict.wrong == wrong
    chosen = " So whoever ran the service and sat at the table could have chosen the dice."
    assert not unbound or verdict.unbound[0] == unbound + chosen


def test_a_match_has_a_beacon_in_its_dice_as_their_version_says() -> None:
    first, second = record(), record()
    without_beacon(first)
    del founding(first)["beacon"]
    founding(second)["dice"] = 1

    for value in (first, second):
        assert checked(value).wrong == (
            "Entry 0 does not say whether the public beacon is in the dice.",
        )


def test_a_match_begins_when_its_round_is_out_and_not_before() -> None:
    value = record()
    early = CHAIN.time_of(DRAWN.round) - timedelta(microseconds=1)
    value["entries"][0]["made_at"] = early.isoformat()

    assert checked(value).wrong == ("The match began before its round of the beacon came out.",)


def test_only_the_beacon_of_the_known_chain_is_believed() -> None:
    other = chain_of(8).public_key
    faster = record()
    founding(faster)["beacon"]["chain"]["public_key"] = beacon.QUICKNET.public_key
    for value, key in ((record(), other), (faster, beacon.QUICKNET.public_key)):
        assert checked(value, key).wrong == (
            f"The beacon is of another chain, {founding(value)['beacon']['chain']['public_key']}: "
            "its keeper may know its rounds beforehand.",
        )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"signature": "00" * 48}, "The signature of the beacon's round is false."),
        (
            {
                "signature": (false := signed(8, DRAWN.round)),
                "randomness": beacon.randomness(false),
            },
            "The signature of the beacon's round is false.",
        ),
        ({"round": 1}, "The round of the beacon is not the one that the rule gives."),
        ({"margin": 0}, "The round of the beacon is not the one that the rule gives."),
        (
            {"taken_at": "2026-06-02T11:00:00+00:00"},
            "The round of the beacon is not the one that the rule gives.",
        ),
        ({"randomness": "00" * 32}, "The beacon's number is not that of its signature."),
        (
            {"missing": "off"},
            "Entry 0 says that a round of the beacon is in the dice, and that none is.",
        ),
        ({"extra": 1}, "The record cannot be followed: ValidationError Object contains unknown"),
    ],
)
def test_a_record_with_another_beacon_is_refused(change: dict[str, object], said: str) -> None:
    """Threat 6.3: also when every hash was made anew."""
    value = record()
    founding(value)["beacon"] |= change

    assert said in " ".join(checked(value).wrong)


# --- who was forgotten ---


def test_who_held_a_seat_before_and_was_forgotten_is_counted() -> None:
    value = record()
    erin = hashlib.sha256(b"Erin").hexdigest()
    founding(value)["holders"][0] = erin
    value["entries"][1]["holder"] = holder("Alice")

    verdict = checked(value)

    assert verdict.wrong == ()
    assert verdict.unbound[0] == (
        "Somebody who held seat 1 before was forgotten: their name is not in the record."
    )


def test_who_holds_a_seat_and_was_forgotten_is_told_once() -> None:
    value = record()
    value["players"][0] = None
    del value["names"][holder("Alice")]

    verdict = checked(value)

    assert verdict.wrong == ()
    assert [said for said in verdict.unbound if "forgotten" in said] == [
        "The player of seat 1 was forgotten: their name is not in the record."
    ]


def older() -> Record:
    """Its log held names themselves: Carol's was taken out, and that of who took over seat 1."""
    value = record()
    del value["names"], founding(value)["holders"]
    founding(value)["players"] = [*NAMES]
    founding(value)["players"][2] = None
    value["players"] = [None, "Bob", None]
    value["entries"][0]["redacted"] = True
    value["entries"][1] |= {"redacted": True, "player": None}
    return value


def test_in_an_older_match_entries_without_their_name_are_told() -> None:
    value = sealed(older())
    del value["entries"][1]["player"]

    verdict = verify.verify(canonical(value), CHAIN.public_key)

    assert not any("marked as if" in said for said in verdict.wrong)
    assert any("taken as they are stated: 0, 1. What they hold" in said for said in verdict.unbound)


def test_no_entry_of_a_whole_match_is_marked_as_if_a_name_were_gone() -> None:
    value = older()
    founding(value)["players"][2] = "Carol"
    value["entries"][1]["player"] = "Erin"

    wrong = checked(value).wrong

    for number in (0, 1):
        assert (
            f"Entry {number} is marked as if a name had been taken out, and none is missing."
            in wrong
        )


def test_the_players_of_an_older_match_are_those_of_its_log() -> None:
    said = "Entry 0 and the head of the record do not agree on the players."

    for second in ("Bob", "Mallory"):
        value = older() | {"players": ["Alice", second, None]}
        assert (said in checked(value).wrong) == (second == "Mallory")


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["entries"][1].update(redacted=True),
        lambda value: value.update(digest_before="00"),
        lambda value: value["players"].__setitem__(0, None),
    ],
)
def test_a_record_of_the_first_format_has_all_its_names(change: Change) -> None:
    value = older() | {"format": 1, "players": [*NAMES]}
    for entry in value["entries"]:
        del entry["redacted"]

    change(value)

    assert "A record of format 1 has all its names." in checked(value).wrong


# --- a match that never began ---


@pytest.mark.parametrize(
    ("status", "wrong"),
    [("aborted", ()), ("finished", ("A match that never began cannot have ended.",))],
)
def test_a_match_that_never_began_was_aborted(status: str, wrong: tuple[str, ...]) -> None:
    value = record() | {"entries": [], "status": status}
    del value["names"]

    verdict = checked(value)

    assert verdict.wrong == wrong
    assert verdict.unbound[0] == (
        "The match never began: nothing proves its title and its players' names."
    )


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = canonical(record())
    monkeypatch.setattr(verify, "MAX_BYTES", len(data) - 1)

    assert verify.verify(data, CHAIN.public_key).wrong == (
        "The file cannot be read as a record: it is too large.",
    )


def test_a_record_in_another_spelling_was_changed() -> None:
    data = canonical(record())

    assert verify.verify(data + b"\n", CHAIN.public_key).well
    assert verify.verify(json.dumps(record()).encode()).wrong == (
        "The file was changed: it is not written as records are.",
    )
