"""Moving, Start, fresh pawns and the End Zone: DOG-23 to DOG-41."""

import pytest

from engine.errors import IllegalMove
from engine.games.dog import GAME
from engine.games.dog.events import CameOut, EndZoneEntered, Finished, Moved, SentHome
from engine.games.dog.moves import Go, Out, Swap
from tests.engine.games.dog.tables import ALL_IN, after, events, orders, pawns_of, table


def refused(state, move):
    """The rule and the sentence by which a move is refused."""
    with pytest.raises(IllegalMove) as error:
        GAME.check(state, state.turn, move)
    return error.value.rule, str(error.value)


@pytest.mark.parametrize(
    ("card", "targets"),
    [
        *[(str(value), [10 + value]) for value in (2, 3, 5, 6, 8, 9, 10)],
        ("Q", [22]),
        ("K", [23]),
        ("A", [11, 21]),
        ("4", [14, 6]),
        ("7", [17]),
    ],
)
def test_pawns_move_forward_and_only_a_four_backward(card, targets):
    """DOG-23: forward is rising field numbers."""
    state = table({0: (10,)}, {0: card})

    moved = [pawns_of(after(state, order), 0)[0] for order in orders(state) if "10-" in order]

    assert sorted(moved) == sorted(targets)


def test_the_ring_is_closed():
    """DOG-23: from the last field forward to field 0, and with a four back again."""
    state = table({1: (62, 1)}, {1: "4"}, turn=1)

    assert orders(state) == ["4 1-5", "4 62-2", "4 1-61", "4 62-58"]
    moved = events(state, "4 1-61", Moved, 1)[0]
    assert moved.steps == -4


def test_the_full_value_must_be_moved():
    """DOG-24: no partial move and no bouncing."""
    state = table({0: ("e2", "e3", 62)}, {0: "5"})

    assert orders(state) == ["5 62-3"]
    assert refused(state, Go("5", 62, 0)) == (
        "DOG-24",
        "With 5 the pawn on 62 goes to 3, not to 0: a card is moved in full. Legal now: 5 62-3.",
    )


def test_a_fresh_pawn_behind_is_no_reason_against_a_way_that_no_card_goes():
    """DOG-24: only a four goes backward."""
    state = table({0: (20,), 1: ("fresh",)}, {0: "5"})

    assert refused(state, Go("5", 20, 10))[0] == "DOG-24"


def test_pawns_jump_over_others_without_effect():
    """DOG-25: own, the partner's and opponents' pawns stay where they are."""
    state = table({0: (10, 11), 1: (12,), 2: (13,)}, {0: "5", 1: "2"})

    jumped = after(state, "5 10-15")

    assert [pawns_of(jumped, seat) for seat in range(3)] == [(11, 15), (12,), (13,)]


@pytest.mark.parametrize("owner", [0, 1, 2, 3])
def test_a_pawn_that_is_landed_on_goes_home_whoever_owns_it(owner):
    """DOG-26: own and partner's pawns too."""
    pawns = {0: [10], owner: [15]} if owner else {0: [10, 15]}
    state = table(pawns, {0: "5", 1: "2"})

    landed = after(state, "5 10-15")

    assert pawns_of(landed, 0) == (15,)
    assert owner == 0 or pawns_of(landed, owner) == ()
    sent = events(state, "5 10-15", SentHome)
    assert [(event.owner, event.field, event.overtaken) for event in sent] == [(owner, 15, False)]


def test_a_pawn_sent_home_goes_to_its_owners_home():
    """DOG-27: one pawn a field; each owner always has four."""
    landed = after(table({0: (10,), 3: (15, 16)}, {0: "5", 1: "2"}), "5 10-15")

    assert landed.pawns[3] == (-1, -1, -1, 16)
    assert all(len(row) == 4 for row in landed.pawns)


def test_foreign_start_fields_are_ordinary_fields():
    """DOG-28: they are counted and may be landed on."""
    state = table({0: (14,)}, {0: "2 3", 1: "2"})

    assert orders(state) == ["2 14-16", "3 14-17"]


def test_pawns_leave_home_only_with_ace_king_or_joker():
    """DOG-29"""
    state = table({}, {0: "2 3 4 5 6 7 8 9 10 J Q K A *"})

    assert orders(state) == ["K out", "A out", "*K out"]
    assert refused(state, Out("Q"))[0] == "DOG-29"
    assert refused(table({0: (5, 6, 7, 8)}, {0: "K"}), Out("K"))[0] == "DOG-29"


def test_a_pawn_comes_out_onto_its_start_and_is_fresh_until_it_moves():
    """DOG-30"""
    state = table({}, {1: "K", 2: "2"}, turn=1)

    out = after(state, "K out")

    assert pawns_of(out, 1) == ("fresh",)
    came = events(state, "K out", CameOut)[0]
    assert (came.owner, came.field) == (1, 16)
    pawn = GAME.view(out, None).seats[1].pawns[3]
    assert (pawn.where, pawn.field, pawn.fresh) == ("ring", 16, True)
    moved = after(table({1: ("fresh",)}, {1: "2", 2: "2"}, turn=1), "2 16-18")
    assert pawns_of(moved, 1) == (18,)


def test_a_pawn_that_comes_out_again_is_fresh_again():
    """DOG-31: freshness is per stay on the board."""
    state = table({0: (10,), 1: (15,)}, {0: "5", 1: "K", 2: "2"})

    sent = after(state, "5 10-15")
    again = after(sent, "K out")

    assert pawns_of(sent, 1) == ()
    assert pawns_of(again, 1) == ("fresh",)


def test_a_pawn_that_comes_to_its_start_by_moving_is_not_fresh():
    """DOG-32: it neither blocks nor is it safe; the same after a swap."""
    walked = after(table({0: (60,), 1: (2,)}, {0: "4", 1: "4"}), "4 60-0")
    swapped = after(table({0: (20,), 1: (0,)}, {0: "J", 1: "4"}), "J 20x0")
    lands = table({0: (0,), 3: (62,)}, {3: "2", 0: "2"}, turn=3)
    passes = table({0: (0,), 3: (62,)}, {3: "3", 0: "2"}, turn=3)

    assert pawns_of(walked, 0) == (0,)
    assert pawns_of(swapped, 0) == (0,)
    assert pawns_of(after(lands, "2 62-0"), 0) == ()
    assert pawns_of(after(passes, "3 62-1"), 3) == (1,)


@pytest.mark.parametrize("mover", [0, 1])
def test_nobody_passes_a_fresh_pawn(mover):
    """DOG-33: neither forward nor backward, own or foreign."""
    ahead = {0: (15,), 1: ("fresh",)} if mover == 0 else {1: ("fresh", 15)}
    behind = {0: (18,), 1: ("fresh",)} if mover == 0 else {1: ("fresh", 18)}
    forward = table(ahead, {mover: "2"}, turn=mover)
    backward = table(behind, {mover: "4"}, turn=mover)

    assert not [order for order in orders(forward) if order.startswith("2 15-")]
    assert refused(forward, Go("2", 15, 17))[0] == "DOG-33"
    assert "4 18-14" not in orders(backward)
    assert refused(backward, Go("4", 18, 14))[0] == "DOG-33"


def test_a_fresh_pawn_cannot_be_sent_home():
    """DOG-34: no move may end on its field, and no second pawn comes out onto it."""
    state = table({0: (15,), 1: ("fresh",)}, {0: "A"})
    second = table({0: ("fresh",)}, {0: "K"})

    assert "A 15-16" not in orders(state)
    rule, sentence = refused(state, Go("A", 15, 16))
    assert rule == "DOG-34"
    assert sentence.startswith("The pawn on 16 is fresh: no move may end on its field.")
    assert "K out" not in orders(second)
    assert refused(second, Out("K"))[0] == "DOG-34"


def test_a_fresh_pawn_cannot_be_swapped():
    """DOG-35: neither as the target nor as the player's own."""
    target = table({0: (5,), 1: ("fresh",), 2: (40,)}, {0: "J"})
    own = table({0: ("fresh", 5), 2: (40,)}, {0: "J"})

    assert orders(target) == ["J 5x40"]
    assert orders(own) == ["J 5x40"]
    assert refused(target, Swap(5, 16))[0] == "DOG-35"
    assert refused(own, Swap(0, 40))[0] == "DOG-35"


@pytest.mark.parametrize("owner", [0, 1])
def test_coming_out_sends_a_pawn_home_that_is_not_fresh(owner):
    """DOG-36: also an own one."""
    state = table({owner: (16 if owner else 0,), 2: (50,)}, {0: "K", 1: "K", 2: "2"}, turn=0)
    if owner:
        state = table({0: (16,)}, {1: "K", 2: "2"}, turn=1)

    out = after(state, "K out")

    seat = state.turn
    assert pawns_of(out, seat) == ("fresh",)
    assert owner == 0 or pawns_of(out, 0) == ()


def test_the_end_zone_is_entered_through_the_owners_start_forward():
    """DOG-37: only the own one; another's branch is passed by."""
    own = table({1: (14,)}, {1: "4"}, turn=1)
    foreign = table({0: (14,)}, {0: "4"})

    assert "4 14-e2" in orders(own)
    assert orders(foreign) == ["4 14-18", "4 14-10"]
    entered = events(own, "4 14-e2", EndZoneEntered)[0]
    assert entered.owner == 1
    assert refused(foreign, Go("4", 14, 101))[0] in ("DOG-24", "DOG-38")


def test_a_backward_four_never_enters_the_end_zone():
    """DOG-38"""
    state = table({0: (2,)}, {0: "4"})

    assert orders(state) == ["4 2-6", "4 2-62"]
    assert refused(state, Go("4", 2, 100))[0] == "DOG-38"


def test_a_fresh_pawn_does_not_enter_the_end_zone_from_start():
    """DOG-39: once it has moved it may, also after a backward four or standing on Start."""
    fresh = table({0: ("fresh",)}, {0: "3"})
    moved = table({0: (0,)}, {0: "3"})
    back = table({0: (60,)}, {0: "8"})

    assert orders(fresh) == ["3 0-3"]
    assert refused(fresh, Go("3", 0, 102))[0] == "DOG-39"
    assert orders(moved) == ["3 0-3", "3 0-e3"]
    assert orders(back) == ["8 60-4", "8 60-e4"]


def test_entering_is_a_choice_and_too_much_must_pass_by():
    """DOG-40"""
    state = table({0: (60,)}, {0: "5 9"})

    assert orders(state) == ["5 60-1", "5 60-e1", "9 60-5"]
    assert refused(state, Go("9", 60, 103)) == (
        "DOG-24",
        "From 60 it is 8 steps to e4: 9 does not fit. Legal now: 9 60-5.",
    )


def test_pawns_in_the_end_zone_bar_it():
    """DOG-41 (a): no passing and no landing on them."""
    state = table({0: ("e2", 63)}, {0: "2 3 4"})

    assert orders(state) == [
        "2 63-1",
        "2 63-e1",
        "2 e2-e4",
        "3 63-2",
        "4 63-3",
        "4 63-59",
    ]
    assert refused(state, Go("3", 63, 101))[0] == "DOG-41"
    assert refused(state, Go("4", 63, 102))[0] == "DOG-41"


def test_pawns_move_on_inside_the_end_zone_with_an_exact_value():
    """DOG-41 (b)"""
    state = table({0: ("e1", "e3")}, {0: "A 2 3"})

    assert orders(state) == ["A out", "A e1-e2", "A e3-e4"]
    assert refused(state, Go("2", 100, 102))[0] == "DOG-41"
    assert refused(state, Go("3", 100, 101))[0] == "DOG-24"


@pytest.mark.parametrize(("order", "steps"), [("8 60-e4", 8), ("8 60-4", 8), ("2 e1-e3", 2)])
def test_a_move_is_told_with_the_steps_of_its_card(order, steps):
    """DOG-24, DOG-37: Start to e1 is one step, whichever way the pawn goes."""
    state = table({0: (60,) if "60" in order else ("e1",)}, {0: order.split()[0]})

    assert [event.steps for event in events(state, order, Moved)] == [steps]


def test_a_pawn_enters_the_end_zone_once():
    """DOG-41 (b): moving on inside it is told as a move, with a plain card and with a seven."""
    plain = table({0: ("e1",)}, {0: "2"})
    seven = table({0: ("e1", 20)}, {0: "7"})

    assert events(plain, "2 e1-e3", EndZoneEntered) == []
    assert events(seven, "7 20-25 e1-e3", EndZoneEntered) == []


def test_a_player_finishes_once():
    """DOG-60: what is played afterwards is not told as finishing again."""
    state = table({0: ALL_IN, 1: (50,)}, {1: "2", 2: "2"}, turn=1)

    assert events(state, "2 50-52", Finished) == []


def test_pawns_never_leave_the_end_zone():
    """DOG-41 (c): never backward, never out, never swapped."""
    state = table({0: ("e4", "e3"), 1: (30,)}, {0: "4 J Q"})

    assert orders(state) == ["discard"]
    assert refused(state, Go("4", 103, 0))[0] == "DOG-41"
    target = table({0: (5,), 1: ("e1",)}, {0: "J"})
    assert orders(target) == ["discard"]


def test_no_foreign_pawn_enters_an_end_zone():
    """DOG-41 (d): a pawn of seat 0 behind the Start of seat 1 goes on."""
    state = table({0: (15,), 1: ALL_IN}, {0: "2 3"})

    assert orders(state) == ["2 15-17", "3 15-18"]
