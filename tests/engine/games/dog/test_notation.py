"""Orders as people type them, and what they are told when an order does not do."""

import pytest

from engine.errors import Ambiguous, IllegalMove, Sentence, Unreadable
from engine.games.dog import GAME
from engine.games.dog.board import RANKS
from engine.games.dog.moves import Discard, Give, Go, Help, Out, Seven, Swap
from engine.games.dog.notation import read_play, tidy
from tests.engine.games.dog.tables import ALL_IN, orders, start, table


def read(state, text, seat=None):
    """The move an order is read as, written in the notation."""
    return GAME.format(GAME.parse(state, state.turn if seat is None else seat, text))


@pytest.mark.parametrize(
    ("move", "order"),
    [
        (Give(("7",)), "give 7"),
        (Give(("7", "A")), "give 7 A"),
        (Go("5", 12, 17), "5 12-17"),
        (Go("5", 60, 100), "5 60-e1"),
        (Go("4", 20, 16), "4 20-16"),
        (Out("K"), "K out"),
        (Out("K", True), "*K out"),
        (Swap(12, 40), "J 12x40"),
        (Seven(((12, 15), (30, 34))), "7 12-15 30-34"),
        (Seven(((12, 15), (30, 34)), True), "*7 12-15 30-34"),
        (Seven(((63, 100), (104, 106))), "7 63-e1 p1-p3"),
        (Help(2), "help 3"),
        (Discard(), "discard"),
        (Discard("9"), "discard 9"),
    ],
)
def test_moves_are_written_so_that_a_phone_can_type_them(move, order):
    assert GAME.format(move) == order
    assert order.isascii()


TABLE = table({0: (12, 30), 1: (40,), 2: (5,)}, {0: "5 10 A K J 7 *"})


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("5 12-17", "5 12-17"),
        ("5 12 17", "5 12-17"),
        ("  5   12 - 17 ", "5 12-17"),
        ("5 12\u219217", "5 12-17"),
        ("5 12 \u2013 17", "5 12-17"),
        ("5 12->17", "5 12-17"),
        ("5 12\u221217", "5 12-17"),
        ("5: 12 to 17", "5 12-17"),
        ("five 12-17", "5 12-17"),
        ("5 12", "5 12-17"),
        ("5 17", "5 12-17"),
        ("t 12-22", "10 12-22"),
        ("10 12", "10 12-22"),
        ("K OUT", "K out"),
        ("kout", "K out"),
        ("king out", "K out"),
        ("joker K out", "*K out"),
        ("joker as king out", "*K out"),
        ("joker as kout", "*K out"),
        ("joker as 5 12-17", "*5 12-17"),
        ("joker 10 12", "*10 12-22"),
        ("as 12-13", "A 12-13"),
        ("as sale", "A out"),
        ("comodín como rey sale", "*K out"),
        ("comodín como as 12-13", "*A 12-13"),
        ("comodín as sale", "*K out"),
        ("7 12-15 y 30-34", "7 12-15 30-34"),
        ("* out", "*K out"),
        ("*out", "*K out"),
        ("*a out", "*K out"),
        ("* k out", "*K out"),
        ("*5 12-17", "*5 12-17"),
        ("J 12x40", "J 12x40"),
        ("j 12 X 40", "J 12x40"),
        ("j12x40", "J 12x40"),
        ("J 40x12", "J 12x40"),
        ("J 12 40", "J 12x40"),
        ("J 12-40", "J 12x40"),
        ("J 12\u00d740", "J 12x40"),
        ("jack 12 with 40", "J 12x40"),
        ("7 12-15 30-34", "7 12-15 30-34"),
        ("7 12-15, 30-34", "7 12-15 30-34"),
        ("7 12-15 and 30-34", "7 12-15 30-34"),
        ("7 30-34 12-15", "7 12-15 30-34"),
        ("7 12 15 30 34", "7 12-15 30-34"),
        ("7 12-15 30", "7 12-15 30-34"),
        ("7 12", "7 12-19"),
        ("*7 12-15 30-34", "*7 12-15 30-34"),
    ],
)
def test_an_order_is_read_however_it_is_typed(text, order):
    assert read(TABLE, text) == order
    assert read(TABLE, text.lower()) == order


def test_an_x_between_two_fields_means_a_swap():
    """DOG-42, DOG-47: 12-14 with a joker would be a two."""
    state = table({0: (12,), 1: (14,)}, {0: "*"})

    assert read(state, "* 12x14") == "*J 12x14"
    assert read(state, "*2 12-14") == "*2 12-14"


def test_gifts_are_read_with_the_word_alone():
    state = start(seed="5")
    card = state.hands[2][0]

    for text in (f"give {card}", f"GIVE  {card.lower()}", f"gift {card}"):
        assert read(state, text, 2) == f"give {card}"
    ace = next(seat for seat in range(4) if "A" in state.hands[seat])
    assert read(state, "dar as", ace) == "give A"
    # an order that was left for a play must not give the card away in the next deal
    with pytest.raises(IllegalMove, match="First choose the card you give away"):
        read(state, card, 2)


def test_digits_of_other_scripts_are_not_read_as_another_order():
    with pytest.raises(Unreadable):
        read_play(tidy("*\uff16 \uff14\uff17-\uff15\uff13"))


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("5", "5 12-17, 5 30-35"),
        ("J", "J 12x40, J 12x5, J 30x40, J 30x5"),
        ("J 12", "J 12x40, J 12x5"),
    ],
)
def test_an_order_that_fits_several_moves_names_them(text, choices):
    with pytest.raises(Ambiguous) as error:
        GAME.parse(TABLE, 0, text)

    assert choices in str(error.value)


def test_many_choices_are_cut_short():
    with pytest.raises(Ambiguous, match=r"\(\+\d+\)"):
        GAME.parse(TABLE, 0, "*")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no order. Legal now: "),
        ("hello", "An order begins with a card, as in 5 12-17"),
        ("5 12-", "is not a field or a pair of fields"),
        ("5 12-17-20", "is not a field or a pair of fields"),
        ("5 e9", "is not a field or a pair of fields"),
        ("give", "There is nothing to give now. Legal now: "),
        ("help me", "with the number of the seat, as in help 3"),
        ("help 99999999999999999999", "with the number of the seat"),
        ("discard 5 K", "Write discard, or discard 9 for one card."),
        ("1 12-13", "An order begins with a card"),
    ],
)
def test_what_cannot_be_read_is_answered_with_how_to_write_it(text, sentence):
    with pytest.raises(Unreadable) as error:
        GAME.parse(TABLE, 0, text)

    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("text", "rule", "sentence"),
    [
        ("Q 12-24", "DOG-17", "You hold no Q. Legal now:"),
        ("Q", "DOG-17", "You hold no Q. Legal now:"),
        (
            "5 12-18",
            "DOG-24",
            "goes to 17, not to 18: a card is moved in full. Legal now: 5 12-17, 5 30-35",
        ),
        ("5 40-45", "DOG-57", "The pawn on 40 is not yours to move."),
        ("5 40", "DOG-57", "The pawn on 40 is not yours to move."),
        ("J 40x12 30", "DOG-57", "The pawn on 40 is not yours to move."),
        ("5 13-18", "DOG-18", "There is no pawn on 13."),
        ("5 e1-e2", "DOG-18", "There is no pawn to move on e1."),
        ("5 out", "DOG-29", "Only an ace, a king or a joker brings a pawn out: 5 does not."),
        ("J 12x30", "DOG-44", "A jack does not swap two pawns of the same owner."),
        ("J 12x41", "DOG-43", "There is no pawn on 41."),
        ("J 12xe2", "DOG-43", "A jack swaps pawns on the ring only"),
        ("J 40x5", "DOG-57", "The pawn on 40 is not yours to move."),
        ("7 12-15 30-33", "DOG-50", "A 7 must be used in full: 1 of its steps are left over."),
        ("7 12-15 30-36", "DOG-50", "it is 6 steps forward, but only 4 of the 7 are left"),
        ("7 12-15 5-9", "DOG-57", "The pawn on 5 is not yours to move."),
        ("discard", "DOG-20", "Cards are discarded only when none can be played."),
        ("give 5", "DOG-13", "There is nothing to give now."),
        ("help 2", "DOG-61", "Whom you help is not asked now."),
        ("5 12-99", "DOG-24", "goes to 17, not to 99"),
        ("*7 12-13", "DOG-50", "6 of its steps are left over"),
    ],
)
def test_an_illegal_order_names_the_rule_and_says_what_is_legal(text, rule, sentence):
    with pytest.raises(IllegalMove) as error:
        GAME.parse(TABLE, 0, text)

    assert error.value.rule == rule
    assert sentence in str(error.value)
    assert "Legal now: " in str(error.value)


def test_somebody_elses_turn_is_refused():
    with pytest.raises(IllegalMove, match="not your turn"):
        GAME.parse(TABLE, 1, "5 12-17")


def test_cards_are_not_played_during_the_exchange():
    state = start(seed="5")

    with pytest.raises(IllegalMove, match="First choose the card you give away") as error:
        GAME.parse(state, 1, "K out")
    assert error.value.rule == "DOG-13"


@pytest.mark.parametrize(
    "text", ["hello", "5 12-", "give", "give 1", "give A foo", "help me", "discard 5 K"]
)
def test_what_cannot_be_read_during_the_exchange_is_answered_with_gifts(text):
    with pytest.raises(Unreadable, match="A gift is written as in give ") as error:
        GAME.parse(start(seed="5"), 0, text)

    assert error.value.sentence.parameters["examples"].count("give ") > 1


@pytest.mark.parametrize("text", ["Hi, {gift}", "hi {gift}", "Hi. I {gift}"])
def test_what_stands_before_a_gift_is_named(text):
    state = start(seed="5")
    gift = f"give {state.hands[0][0]}"

    with pytest.raises(Unreadable, match=r"A gift begins with give, as in give .*; not with HI\."):
        GAME.parse(state, 0, text.format(gift=gift))


@pytest.mark.parametrize("text", ["hello", "5 12-", "give", "help me", "discard 5 K"])
@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5), "Legal now: help 3, help 4."),
        (table({0: ("e4",)}, {0: "J 9"}), "No card can be played now. Legal now: discard."),
    ],
)
def test_what_cannot_be_read_is_answered_with_orders_of_what_is_asked(state, sentence, text):
    with pytest.raises(Unreadable) as error:
        GAME.parse(state, 0, text)

    assert sentence in str(error.value)


def test_a_gift_that_is_not_held_is_refused():
    state = start(seed="5")
    missing = next(card for card in RANKS if card not in state.hands[0])

    with pytest.raises(IllegalMove, match=f"You do not hold that card to give: {missing}"):
        GAME.parse(state, 0, f"give {missing}")


def test_the_number_of_gifts_and_who_gets_them_is_said():
    state = start(seed="5")
    three = start(3, seed="5")

    with pytest.raises(IllegalMove, match=r"Cards to give: 1; for seat 3"):
        GAME.parse(state, 0, "give " + " ".join(state.hands[0][:2]))
    with pytest.raises(IllegalMove, match="the first for seat 3, the second for seat 1"):
        GAME.parse(three, 1, "give " + three.hands[1][0])


def test_a_jokers_plain_card_is_meant_where_its_seven_does_the_same():
    """The last pawn comes in with two steps: as two, or as seven with five lapsing."""
    state = table({0: ("e2", "e3", "e4", 63)}, {0: "*"})

    assert "*2 63-e1" in orders(state)
    assert "*7 63-e1" not in orders(state)
    assert read(state, "*7 63-e1") == "*2 63-e1"


def test_the_partners_end_zone_may_be_written_like_ones_own_where_it_is_clear():
    state = table({0: ("e2", "e3", "e4", 63), 2: (31,)}, {0: "7"})

    assert read(state, "7 63-e1 31-e2") == "7 63-e1 31-p2"


def test_ones_own_end_zone_is_meant_where_the_partners_could_be_too():
    """DOG-57's option: both have a pawn on the first field of their End Zone."""
    state = table({0: ("e1", 10), 2: ("e1", 50)}, {0: "7"}, canadian_seven=True)

    assert [read(state, order) for order in orders(state)] == orders(state)
    assert read(state, "7 10-16 e1") == "7 10-16 e1-e2"
    assert read(state, "7 50-56 e1-e2") == "7 50-56 p1-p2"


def test_help_takes_the_number_of_the_seat():
    state = table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5)

    assert GAME.parse(state, 0, "help 4") == Help(3)
    assert GAME.parse(state, 0, "HELP #3") == Help(2)
    with pytest.raises(IllegalMove, match="help 3, help 4"):
        GAME.parse(state, 0, "help 1")


def test_a_joker_is_a_word_of_its_own_in_a_sentence_so_that_it_can_be_translated():
    state = table({0: (17,)}, {0: "5"})

    with pytest.raises(IllegalMove) as error:
        GAME.parse(state, 0, "*K out")

    assert error.value.sentence.parameters["card"] == Sentence("joker")
    assert str(error.value).startswith("You hold no joker.")


def test_who_gets_the_gifts_is_a_sentence_of_its_own_too():
    state = start(3, seed="5")

    with pytest.raises(IllegalMove) as error:
        GAME.parse(state, 1, "give " + state.hands[1][0])

    assert isinstance(error.value.sentence.parameters["receivers"], Sentence)


def test_examples_are_of_the_card_that_was_meant():
    state = table({0: (17, 30)}, {0: "5 9 *"})

    with pytest.raises(IllegalMove, match=r"Legal now: \*"):
        GAME.parse(state, 0, "*9 17-18")


def test_a_number_that_is_no_field_of_the_ring_has_no_pawn_on_it():
    """A state has a fresh pawn on 99, and an End Zone from 100 on: an order may name neither."""
    state = table({0: ("fresh", 20), 1: ("fresh",)}, {0: "5 7"})

    for order in ("5 99-3", "5 99", "7 99-3", "7 20-25 99-1"):
        with pytest.raises(IllegalMove, match="There is no pawn on 99"):
            GAME.parse(state, 0, order)
    for order in ("5 100-103", "5 20-100", "7 20-104"):
        with pytest.raises(Unreadable, match="is not a field or a pair of fields"):
            GAME.parse(state, 0, order)
