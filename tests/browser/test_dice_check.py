"""The check of the dice that a player takes away: one file, in a browser, without a network.

It must say of every record what ``verify_dice.py`` says of it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbem.acts import matches
from pbem.looks import match_look
from pbem.record import verify_dice
from pbem.store.canonical import canonical
from pbem.store.names import Purpose
from tests.golden.record_matches import kept
from tests.parts import remedies
from tests.parts.cast import House
from tests.parts.local_beacon import LocalBeacon

pytestmark = pytest.mark.browser

FILE = Path(verify_dice.__file__).with_suffix(".html")
#: One golden match of each game.
GAMES = ("dog_3_v2", "dogs-of-war_3_two_battles-true_v2", "skirmish_2_v4")


@pytest.fixture
def check(page: Any, tmp_path: Path) -> Callable[[bytes], list[str]]:
    """What the page finds wrong with a record, opened from a disk and without a network."""
    page.context.set_offline(True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(FILE.as_uri())

    def checked(record: bytes) -> list[str]:
        # a browser says nothing when the same file is chosen once more
        file = tmp_path / f"record{len(list(tmp_path.iterdir()))}.json"
        file.write_bytes(record)
        page.evaluate("document.getElementById('found').dataset.done = ''")
        page.set_input_files("#record", file)
        page.wait_for_selector("#found[data-done=yes]", state="attached")
        assert asked == [FILE.as_uri()]
        return [one.strip() for one in page.locator("#found .wrong").all_inner_texts()]

    return checked


def golden(name: str) -> bytes:
    (file,) = [file for file in kept() if file.name.startswith(f"{name}.")]
    return canonical(json.loads(gzip.decompress(file.read_bytes()))["record"])


def with_beacon(house: House) -> bytes:
    """The record of a match with a round in its dice, and with phrases of all kinds of signs."""
    match = house.open(confirmed=False)
    for seat, phrase in enumerate(("plain words", "ñandú “ß” 中文", "🎲 dice 🂡", "")):
        joining = matches.Joining(phrase=phrase)
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), joining)
    house.wait(seconds=64)
    house.play_on(match, plies=12)
    remedies.abort(house.service, match.id, actor="host")
    return canonical(match_look.record(house.service, match.id))


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_match_is_well_in_the_browser_too(
    name: str, check: Callable[[bytes], list[str]], page: Any
) -> None:
    assert check(golden(name)) == []
    assert "All well" in page.inner_text("#found")
    assert "could have chosen them" in page.inner_text("#found")


def test_a_record_with_a_beacon_is_well_and_shows_its_round(
    beacon_house: House, local_chain: LocalBeacon, check: Callable[[bytes], list[str]], page: Any
) -> None:
    record = with_beacon(beacon_house)
    drawn = json.loads(record)["entries"][0]["move"]["beacon"]

    assert verify_dice.check(json.loads(record)) == []
    assert check(record) == []
    told = page.inner_text("#found")
    assert f"Round {drawn['round']}" in told
    assert drawn["signature"] in told
    assert "Carol: 🎲 dice 🂡" in told


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "seed": lambda value: value.update(seed="00" * 32),
    "commitment": lambda value: value.update(commitment="00" * 32),
    "phrase": lambda value: value["phrases"].__setitem__(1, "other words"),
    "die": lambda value: value["entries"][0]["draws"][0][3].__setitem__(0, 77),
    "order": lambda value: value["entries"][5].update(order="K out"),
    "salt": lambda value: value["entries"][2].update(salt="00" * 32),
    "ply": lambda value: value["entries"][2].update(ply=3),
    "gone": lambda value: value["entries"].pop(4),
    "head": lambda value: value.update(chain_head="00" * 32),
    "title": lambda value: value.update(title="Ñ"),
    "round": lambda value: value["entries"][0]["move"]["beacon"].update(round=5),
    "margin": lambda value: value["entries"][0]["move"]["beacon"].update(margin=3600),
    "taken_at": lambda value: value["entries"][0]["move"]["beacon"].update(
        taken_at="2026-06-02T12:00:09.500001+02:00"
    ),
    "number": lambda value: value["entries"][0]["move"]["beacon"].update(randomness="00" * 32),
    "name": lambda value: next(iter(value["names"].values())).__setitem__(1, "Erin"),
    "stranger": lambda value: value["names"].update({"00" * 32: ["00", "Erin"]}),
    "players": lambda value: value["players"].reverse(),
    "redacted": lambda value: value["entries"][3].update(redacted=True),
    "running": lambda value: value.update(complete=False),
}


def test_the_browser_finds_wrong_what_python_does(
    beacon_house: House, check: Callable[[bytes], list[str]]
) -> None:
    record = with_beacon(beacon_house)
    for name, change in CHANGES.items():
        value = json.loads(record)
        change(value)

        expected = verify_dice.check(value)

        assert expected, name
        assert check(canonical(value)) == expected, name


#: Draws that no dice can make: of that many sides, with these results.
IMPOSSIBLE: tuple[tuple[int, list[int]], ...] = (
    (0, [0]),
    (-6, [0]),
    (2**64, [0]),
    (2**66, [0]),
    (100_000, []),
    (10**15, [0, 1]),
)


def test_a_draw_that_no_dice_can_make_is_found_at_once(
    beacon_house: House, check: Callable[[bytes], list[str]]
) -> None:
    record = json.loads(with_beacon(beacon_house))
    record["entries"][0]["draws"] = [["deal", "shuffle", *one] for one in IMPOSSIBLE] * 200

    said = check(canonical(record))

    assert said == verify_dice.check(record)
    assert said.count("Entry 0: shuffle at deal was not drawn from the seed.") == 1200


def test_a_seat_that_no_table_has_is_refused_at_once(
    beacon_house: House, check: Callable[[bytes], list[str]]
) -> None:
    record = json.loads(with_beacon(beacon_house))
    holder = record["entries"][0]["move"]["holders"][0]
    record["entries"][1] |= {"holder": holder, "seat": 2**32 - 2}

    (said,) = check(canonical(record))

    assert said == "This file is not a record of pbem: seat 4294967294"


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"nonsense", b'{"a":1,"a":2}', b"[" * 5000, b"\xff\xfe", b'{"b": 1}'],
)
def test_what_is_no_record_is_refused_with_a_sentence(
    data: bytes, check: Callable[[bytes], list[str]]
) -> None:
    (said,) = check(data)

    assert said.startswith("This file is not a record of pbem")


def test_a_fingerprint_of_an_old_mail_is_found(
    beacon_house: House, check: Callable[[bytes], list[str]], page: Any
) -> None:
    record = with_beacon(beacon_house)
    value = json.loads(record)
    check(record)

    said = {}
    for name, text in {
        "commitment": value["commitment"],
        "head": value["entries"][3]["hash"].upper(),
        "digest": value["digest"],
        "other": "ab" * 32,
    }.items():
        page.fill("#print", f" {text} ")
        said[name] = page.inner_text("#proves")

    assert "the seed was chosen" in said["commitment"]
    assert "entry 3 of" in said["head"]
    assert "the very record" in said["digest"]
    assert "is not in the record" in said["other"]


def test_it_speaks_spanish(browser: Any) -> None:
    context = browser.new_context(locale="es-ES", offline=True)
    page = context.new_page()
    page.goto(FILE.as_uri())

    assert page.inner_text("h1") == "Comprobar los dados de una partida terminada"
    keys = page.evaluate("[Object.keys(SAYS.en).sort(), Object.keys(SAYS.es).sort()]")
    context.close()
    assert keys[0] == keys[1]
