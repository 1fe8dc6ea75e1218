"""The file that checks dice alone: it draws what the service drew, and names all that is wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.dice import SeededDice, commitment, fields, match_key
from pbem.record import verify_dice

SEED = b"a seed that is 32 bytes in all.."
Record = dict[str, Any]
Change = Callable[[Record], object]


@pytest.mark.parametrize("sides", [1, 2, 6, 10, 3 * 2**62, 2**63 + 1, 2**64 - 1])
def test_the_checker_rolls_what_the_service_rolled(sides: int) -> None:
    """Of 2**63 + 1 sides every second word is too large."""
    dice = SeededDice(b"k")
    for _ in range(20):
        dice.roll("turn 1", "to hit", sides)

    stream = verify_dice.words(b"k", "turn 1", "to hit")

    for draw in dice.draws:
        assert verify_dice.drawn_again(sides, 1, stream) == list(draw.results)


@pytest.mark.parametrize("things", [0, 1, 2, 3, 110])
def test_the_checker_shuffles_as_the_service_did(things: int) -> None:
    dice = SeededDice(b"k")
    for _ in range(2):
        dice.shuffle("deal 1", "deck", range(things))

    stream = verify_dice.words(b"k", "deal 1", "deck")

    for draw in dice.draws:
        assert verify_dice.drawn_again(things, things, stream) == list(draw.results)


# --- a whole record ---


def holder(name: str) -> str:
    return hashlib.sha256(fields("name", "m", f"salt of {name}", name)).hexdigest()


def record() -> Record:
    """Alice and Bob begin, and Carol takes Bob's seat; round 21 is the first after a minute."""
    signature = "b5" * 48
    beacon = {
        "chain": {"public_key": "the key", "period": 3, "genesis": 1_000_000},
        "taken_at": "1970-01-12T13:46:40+00:00",
        "margin": 60,
        "round": 21,
        "signature": signature,
        "randomness": hashlib.sha256(bytes.fromhex(signature)).hexdigest(),
    }
    phrases = ["words of Alice", "words of Bob"]
    key = match_key("m", SEED, phrases, bytes.fromhex(beacon["randomness"]))
    deal, shot = SeededDice(key), SeededDice(key)
    deal.shuffle("deal 1", "deck", range(5))
    for _ in range(2):
        shot.roll("turn 1", "to hit", 10)
    founding = {"holders": [holder("Alice"), holder("Bob")], "beacon": beacon}
    return sealed(
        {
            "format": 2,
            "match": "m",
            "complete": True,
            "seed": SEED.hex(),
            "commitment": commitment("m", SEED),
            "phrases": phrases,
            "players": ["Alice", "Carol"],
            "names": {
                holder(name): [f"salt of {name}", name] for name in ("Alice", "Bob", "Carol")
            },
            "entries": [
                {"seat": None, "move": founding, "draws": drawn(deal)},
                {"seat": 1, "holder": holder("Carol"), "move": {}, "draws": drawn(shot)},
            ],
        }
    )


def drawn(dice: SeededDice) -> list[list[object]]:
    return [[one.where, one.purpose, one.sides, list(one.results)] for one in dice.draws]


def sealed(value: Record) -> Record:
    """With numbers, salts, hashes and digest made anew, as a forger would."""
    previous = "0" * 64
    for number, entry in enumerate(value["entries"]):
        said = fields("salt", "m") + fields(number)
        entry |= {"ply": number, "previous": previous}
        entry["salt"] = verify_dice.hmac.digest(SEED, said, "sha256").hex()
        content = {name: part for name, part in entry.items() if name != "hash"}
        entry["hash"] = previous = hashlib.sha256(verify_dice.canonical(content)).hexdigest()
    value["chain_head"] = previous if value["entries"] else ""
    value["digest"] = verify_dice.digest_of(value)
    return value


def first(value: Record) -> Record:
    return value["entries"][0]


def beacon_in(value: Record) -> Record:
    return first(value)["move"]["beacon"]


def test_a_record_in_which_all_is_well_has_nothing_wrong() -> None:
    assert verify_dice.check(record()) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda value: beacon_in(value).update(round=20),
            "The round of the beacon is not the one that the rule gives.",
        ),
        (
            lambda value: beacon_in(value).update(round=22),
            "The round of the beacon is not the one that the rule gives.",
        ),
        (
            lambda value: beacon_in(value).update(taken_at="1970-01-12T13:46:40.000001+00:00"),
            "The round of the beacon is not the one that the rule gives.",
        ),
        (
            lambda value: beacon_in(value).update(signature="b6" * 48),
            "The beacon's number is not that of its signature.",
        ),
        (
            lambda value: value["entries"][1]["draws"][1][3].__setitem__(0, 10),
            "Entry 1: to hit at turn 1 was not drawn from the seed.",
        ),
        (
            lambda value: value["entries"][1].update(holder=holder("Erin")),
            "The log does not know Carol. The players are not those of the log.",
        ),
        (
            lambda value: value.update(commitment="00" * 32),
            "The seed is not the one that was promised.",
        ),
        (
            lambda value: value.update(players=["Alice", "Bob"]),
            "The players are not those of the log.",
        ),
        (
            lambda value: value["names"][holder("Bob")].__setitem__(1, "Erin"),
            "The log binds another name than Erin.",
        ),
        (
            lambda value: first(value)["move"].pop("holders"),
            "Names without a place in the log.",
        ),
    ],
)
def test_what_a_forger_changed_is_found_in_spite_of_new_hashes(change: Change, said: str) -> None:
    value = record()

    change(value)

    assert " ".join(verify_dice.check(sealed(value))) == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda value: first(value).update(ply=1),
            ["Entry 0 calls itself 1.", "Entry 0 is not what its hash says."],
        ),
        (
            lambda value: value["entries"][1].update(previous="00" * 32),
            [
                "Entry 1 does not continue the entry before it.",
                "Entry 1 is not what its hash says.",
            ],
        ),
        (
            lambda value: value["entries"][1].update(salt="00" * 32),
            ["Entry 1 is not what its hash says.", "Entry 1 has a wrong salt."],
        ),
        (
            lambda value: value.update(chain_head="00" * 32),
            [
                "The chain's head is not the hash of the last entry.",
                "The record's digest does not fit what it holds.",
            ],
        ),
        (
            lambda value: value.update(title="The great final"),
            ["The record's digest does not fit what it holds."],
        ),
        (
            lambda value: value.update(complete=False),
            ["The match is not over: its seed is still secret."],
        ),
    ],
)
def test_what_was_changed_alone_is_found_by_the_hashes(change: Change, said: list[str]) -> None:
    value = record()

    change(value)

    assert verify_dice.check(value) == said


def test_who_was_forgotten_has_no_name_and_all_else_holds() -> None:
    value = record()
    del value["names"][holder("Alice")]
    value["players"][0] = None

    assert verify_dice.check(value) == []


def test_the_first_round_of_a_chain_is_taken_by_a_match_that_began_before_it() -> None:
    value = record()
    early = beacon_in(value) | {"taken_at": "1970-01-01T00:00:00+00:00", "round": 1}
    wrong: list[str] = []

    number = verify_dice.number_of(early, wrong)

    assert wrong == []
    assert number.hex() == early["randomness"]


def older() -> Record:
    """Of a match whose log held names itself: Bob's was taken out of entry 1."""
    value = record()
    del value["names"], first(value)["move"]["holders"], value["entries"][1]["holder"]
    value["entries"][1]["player"] = "Bob"
    sealed(value)
    del value["entries"][1]["player"]
    value["entries"][1]["redacted"] = True
    return value | {"players": ["Alice", None]}


def test_the_hash_of_an_entry_without_its_name_is_taken_as_it_is_stated() -> None:
    assert verify_dice.check(older()) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["entries"][1].update(redacted=False),
        lambda value: value["entries"][1].update(player="Erin"),
        lambda value: value["entries"][1].update(holder=None),
        lambda value: value["entries"][1]["move"].update(holders=[]),
        lambda value: value.update(format=1),
    ],
)
def test_an_entry_that_lost_no_name_is_held_by_its_hash(change: Change) -> None:
    value = older()

    change(value)

    assert "Entry 1 is not what its hash says." in verify_dice.check(value)


def test_an_old_record_binds_its_names_in_its_digest() -> None:
    old = record() | {"format": 1}

    digests = {
        verify_dice.digest_of(old),
        verify_dice.digest_of(old | {"players": ["Alice", "Erin"]}),
        verify_dice.digest_of(old | {"entries": []}),
    }

    assert len(digests) == 3
    assert verify_dice.digest_of(old | {"digest": "any"}) == verify_dice.digest_of(old)


# --- the program ---


def checked(
    value: Record,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[int, list[str]]:
    file = tmp_path / "record.json"
    file.write_text(json.dumps(value))
    monkeypatch.setattr("sys.argv", ["verify_dice.py", str(file)])
    status = verify_dice.main()
    return status, capsys.readouterr().out.splitlines()


def test_the_program_says_what_it_did_not_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    value = record()
    del value["names"][holder("Alice")]
    value["players"][0] = None

    status, said = checked(value, tmp_path, monkeypatch, capsys)

    assert status == 0
    assert said == [
        "All well: 2 entries, every draw checked.",
        "The player of seat 1 was forgotten: the name is not in the record.",
        "Round 21 of the beacon with the key the key",
        "is in the dice. Its signature is not checked here: compare it, or use pbem verify:",
        "b5" * 48,
        f"The chain's head, as your last mail has it: {value['chain_head']}",
    ]


def test_the_program_ends_with_one_where_something_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    value = record() | {"title": "The great final"}
    value["entries"][1]["redacted"] = True

    status, said = checked(value, tmp_path, monkeypatch, capsys)

    assert status == 1
    assert said[:4] == [
        "Entry 1 is not what its hash says.",
        "The record's digest does not fit what it holds.",
        "Somebody was forgotten. A name was taken out of these entries, and their hashes",
        "were not checked: 1",
    ]


def test_the_program_says_where_no_beacon_is_in_the_dice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    value = record()
    del first(value)["move"]["beacon"]
    for entry in value["entries"]:
        entry["draws"] = []

    status, said = checked(sealed(value), tmp_path, monkeypatch, capsys)

    assert status == 0
    assert said[1:3] == [
        "No public beacon is in the dice: whoever ran the service and sat at the table",
        "could have chosen them.",
    ]


def test_the_program_is_told_one_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["verify_dice.py"])

    assert verify_dice.main() == 2
    assert capsys.readouterr().out == "usage: python3 verify_dice.py RECORD.json\n"


def test_what_a_forger_wrote_gives_no_orders_to_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line up, and empty it: what is wrong would be gone from the screen."""
    value = record()
    value["chain_head"] = "\x1b[1A\x1b[2K" * 9 + "All well: 2 entries, every draw checked.\n"
    value["names"][holder("Bob")][1] = "Bob\nAll well: 2 entries, every draw checked."

    status, said = checked(value, tmp_path, monkeypatch, capsys)

    assert status == 1
    assert all(line.isprintable() for line in said)
    assert not any(line.startswith("All well") for line in said)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(players=None),
        lambda value: beacon_in(value)["chain"].update(period=0),
        lambda value: beacon_in(value)["chain"].update(genesis=10**30),
        lambda value: beacon_in(value).update(margin=1e300),
    ],
)
def test_what_no_service_writes_is_no_record(
    change: Change,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = record()
    change(value)
    if value["players"] is None:
        del value["names"], first(value)["move"]["holders"], value["entries"][1]["holder"]
        value["format"] = 1

    status, said = checked(value, tmp_path, monkeypatch, capsys)

    assert status == 1
    assert said == [f"{tmp_path / 'record.json'} is no record of a match."]
