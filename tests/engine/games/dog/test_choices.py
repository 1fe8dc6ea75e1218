"""What a page of Dog can offer: every legal order once, taken apart, and put together again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.codec import encode
from engine.errors import IllegalMove, OrderError, Unreadable
from engine.game import Seat
from engine.games.dog import GAME
from engine.games.dog.choices import CardChoice, DogChoices, GiftOption, PlayOption
from engine.games.dog.state import DogState
from engine.testing import moments, option_sets
from tests.engine.games.dog.tables import ALL_IN, table


def asked(seats: int, seed: str = "1") -> Iterator[tuple[DogState, Seat, DogChoices]]:
    """Moments of random matches with every set of options, and what a seat can choose then."""
    for options in option_sets(GAME, seats):
        for moment in moments(GAME, seats, options, seed=seed, every=17):
            for seat in sorted(GAME.phase(moment.state).pending):
                choices = GAME.choices(GAME.view(moment.state, seat))
                assert choices is not None
                yield moment.state, seat, choices


def of(state: DogState, seat: Seat = 0) -> DogChoices:
    choices = GAME.choices(GAME.view(state, seat))
    assert choices is not None
    return choices


def card(choices: DogChoices, name: str) -> CardChoice:
    return next(one for one in choices.cards if one.card == name)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_the_options_are_the_legal_orders_and_cards_say_why_not(seats: int) -> None:
    for state, seat, choices in asked(seats):
        legal = [GAME.format(move) for move in GAME.legal_moves(state, seat)]

        assert [option.order for option in choices.options] == legal
        assert all(option.why_not is None for option in choices.options)
        shut = [one for one in choices.cards if one.why_not is not None]
        for one in shut:
            assert len(one.options) == 1
            with pytest.raises(OrderError):
                GAME.parse(state, seat, one.options[0].order)
        if choices.stage == "play":
            played = [
                option.order for one in choices.cards if not one.why_not for option in one.options
            ]
            assert sorted(played) == sorted(legal)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_an_order_is_composed_of_what_its_option_is_made_of(seats: int) -> None:
    for state, seat, choices in asked(seats, seed="2"):
        view = GAME.view(state, seat)
        for option in choices.options:
            if not isinstance(option, GiftOption | PlayOption):
                continue
            picked = {"parts": " ".join(choices.parts[number].order for number in option.parts)}
            if isinstance(option, GiftOption):
                picked["card"] = option.cards[0]
            else:
                picked |= {"card": option.card, "rank": option.rank}

            assert GAME.compose(view, picked) == option.order


def test_parts_of_a_seven_can_be_picked_in_another_order_than_listed() -> None:
    state = table({0: (12, 30)}, {0: "7"})
    view = GAME.view(state, 0)

    order = GAME.compose(view, {"card": "7", "parts": "30-34 12-15"})

    assert order == "7 30-34 12-15"
    assert GAME.format(GAME.parse(state, 0, order)) in {one.order for one in of(state).options}


def test_a_field_that_there_is_not_is_refused() -> None:
    view = GAME.view(table({0: (12,)}, {0: "7"}), 0)

    with pytest.raises(Unreadable, match="no field called colour"):
        GAME.compose(view, {"card": "7", "colour": "red"})


def test_what_was_picked_against_the_rules_is_refused_like_any_order() -> None:
    state = table({0: (12,)}, {0: "5"})
    order = GAME.compose(GAME.view(state, 0), {"card": "5", "parts": "12-18"})

    with pytest.raises(IllegalMove):
        GAME.parse(state, 0, order)


def test_orders_are_told_in_words() -> None:
    state = table({0: (12, 60), 1: (40,)}, {0: "5 J 7 *"})

    labels = {option.order: str(option.label) for option in of(state).options}

    assert labels["5 12-17"] == "12 → 17"
    assert labels["5 60-e1"] == "60 → E1"
    assert labels["J 12x40"] == "12 and 40 change places"
    assert labels["7 12-15 60-0"] == "12 → 15, 60 → 0"
    assert labels["*K out"] == "joker as K: a pawn comes out of Home"


def test_a_place_is_known_on_the_drawing_by_its_mark_and_its_owner() -> None:
    """In a seven that moves the pawns of two owners, p1 is the partner's e1."""
    state = table({0: (12,), 2: (30,)}, {0: "7"}, canadian_seven=True)
    choices = of(state)
    ends = {part.target for part in choices.parts if part.target is not None}
    of_partner = next(end for end in ends if end.order == "p1")

    assert (of_partner.name, of_partner.mark, of_partner.owner) == ("P1", "e1", 2)
    assert {end.owner for end in ends if end.number < 100} == {None}


def test_a_part_tells_every_place_on_its_way() -> None:
    """Forward and backward over field 0, and into the End Zone."""
    parts = of(table({0: (2, 62)}, {0: "4"})).parts + of(table({0: ("e1",)}, {0: "2"})).parts

    assert {part.order: (part.steps, " ".join(part.through)) for part in parts} == {
        "2-6": (4, "2 3 4 5 6"),
        "2-62": (-4, "2 1 0 63 62"),
        "62-2": (4, "62 63 0 1 2"),
        "62-e2": (4, "62 63 0 e1 e2"),
        "62-58": (-4, "62 61 60 59 58"),
        "e1-e3": (2, "e1 e2 e3"),
    }


@pytest.mark.parametrize("seats", [4, 6])
def test_the_parts_of_a_seven_tell_their_steps(seats: int) -> None:
    """DOG-50: seven steps in all, unless some lapse when the last pawn is in."""
    for state, _, choices in asked(seats, seed="3"):
        for option in choices.options:
            if isinstance(option, PlayOption) and option.rank == "7":
                steps = sum(choices.parts[number].steps for number in option.parts)
                assert steps == 7 or state.options.seven_residual == "optional"
                assert 0 < steps <= 7


def test_nobody_is_asked_who_is_not_to_move() -> None:
    state = table({0: (12,)}, {0: "5"})

    assert GAME.choices(GAME.view(state, 1)) is None
    assert GAME.choices(GAME.view(state, None)) is None


def test_discards_help_and_gifts_are_offered_whole() -> None:
    none = table({}, {0: "5 6"}, discard="one")
    help_out = table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5)

    discards, helps = of(none), of(help_out)

    assert discards.stage == "discard"
    assert discards.made_of == [("discard 5", "5", None, ()), ("discard 6", "6", None, ())]
    assert [str(option.label) for option in discards.options] == ["put down 5", "put down 6"]
    assert [option.order for option in helps.options] == ["help 3", "help 4"]


def test_what_a_script_gets_is_made_of_the_options_and_no_text_has_to_be_read() -> None:
    choices = of(table({0: (12, 30)}, {0: "7 9 *"}))
    told = choices.stepwise

    assert told is not None
    assert encode(told)
    for order, name, rank, parts in choices.made_of:
        words = [("*" + rank) if name == "*" else name]
        words += [choices.parts[number].order for number in parts]
        assert order == " ".join(words)
