"""Chance comes out of the key and the place alone, and is fair."""

import hashlib
import hmac
from collections import Counter

import pytest

from engine.dice import (
    ChanceNeededError,
    Draw,
    NoDice,
    SeededDice,
    commitment,
    fields,
    match_key,
    promise,
)


def test_the_same_place_gives_the_same_roll_whatever_was_rolled_elsewhere():
    first, second = SeededDice(b"k"), SeededDice(b"k")
    second.roll("turn 1", "wound", 10)

    assert first.roll("turn 1", "to hit", 10) == second.roll("turn 1", "to hit", 10)


def test_another_place_purpose_or_key_gives_another_shuffle():
    cards = range(110)
    shuffles = {
        SeededDice(key).shuffle(where, purpose, cards)
        for key in (b"k", b"l")
        for where in ("deal 1", "deal 2")
        for purpose in ("deck", "discards")
    }

    assert len(shuffles) == 8


def test_a_shuffle_keeps_every_thing_once():
    assert sorted(SeededDice(b"k").shuffle("deal 1", "deck", range(110))) == list(range(110))


def test_draws_are_remembered_so_that_a_player_can_check_them():
    dice = SeededDice(b"k")
    rolled = dice.roll("turn 1", "to hit", 10)
    dice.shuffle("deal 1", "deck", "abc")

    assert dice.draws[0] == Draw("turn 1", "to hit", 10, (rolled - 1,))
    assert sorted(dice.draws[1].results) == [0, 1, 2]


def test_a_roll_is_the_first_word_of_the_documented_stream():
    digest = hmac.new(b"k", fields("turn 1", "to hit", 0), hashlib.sha256).digest()

    rolled = SeededDice(b"k").roll("turn 1", "to hit", 10)

    assert rolled == int.from_bytes(digest[:8], "big") % 10 + 1


def test_a_die_shows_each_side_about_as_often():
    dice = SeededDice(b"k")
    counts = Counter(dice.roll("here", "try", 6) for _ in range(60_000))

    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert all(9_500 < count < 10_500 for count in counts.values())


def test_fields_of_different_cuts_never_read_the_same():
    assert fields("ab", "c") != fields("a", "bc")


def test_each_field_stands_after_its_length_in_eight_bytes():
    one, two = bytes([0, 0, 0, 0, 0, 0, 0, 1]), bytes([0, 0, 0, 0, 0, 0, 0, 2])

    assert fields("ab", 12, b"\xff") == two + b"ab" + two + b"12" + one + b"\xff"


def test_commitment_key_and_promise_are_made_as_documented():
    phrases = ["a", "b"]

    key, with_beacon = match_key("m", b"s", phrases), match_key("m", b"s", phrases, b"r")

    assert commitment("m", b"s") == hashlib.sha256(fields("m", b"s")).hexdigest()
    assert key == hmac.digest(b"s", fields("m", "a", "b"), "sha256")
    assert with_beacon == hmac.digest(b"s", fields("m", "a", "b", b"r"), "sha256")
    said = fields("promise", "m", "a", "b", "key", 7)
    assert promise("m", b"s", phrases, "key", 7) == hmac.digest(b"s", said, "sha256").hex()


def test_a_die_of_one_side_takes_no_number_from_the_stream():
    dice = SeededDice(b"k")

    first, second = dice.roll("here", "try", 1), dice.roll("here", "try", 10)

    assert first == 1
    assert second == SeededDice(b"k").roll("here", "try", 10)


@pytest.mark.parametrize("sides", [0, -1, 1 << 64])
def test_a_die_without_a_possible_number_of_sides_is_refused(sides):
    with pytest.raises(ValueError, match="sides"):
        SeededDice(b"k").roll("here", "try", sides)


def test_a_look_ahead_stops_where_chance_begins():
    with pytest.raises(ChanceNeededError, match="to hit"):
        NoDice().roll("turn 1", "to hit", 6)
    with pytest.raises(ChanceNeededError, match="deck"):
        NoDice().shuffle("deal 1", "deck", "abc")
