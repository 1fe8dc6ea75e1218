"""Jack, joker and seven: DOG-42 to DOG-59."""

import pytest

from engine.errors import IllegalMove
from engine.games.dog import GAME
from engine.games.dog.events import EndZoneEntered, Lapsed, Moved, Played, SentHome, Swapped, Won
from engine.games.dog.moves import Go, Seven, Swap
from tests.engine.games.dog.tables import ALL_IN, after, events, orders, pawns_of, table


def refused(state, move):
    """The rule by which a move is refused."""
    with pytest.raises(IllegalMove) as error:
        GAME.check(state, state.turn, move)
    return error.value.rule


def test_a_jack_swaps_with_a_pawn_of_any_other_player():
    """DOG-42: of an opponent or of the partner."""
    state = table({0: (5, 8), 1: (20,), 2: (30,)}, {0: "J", 1: "2"})

    assert orders(state) == ["J 5x20", "J 5x30", "J 8x20", "J 8x30"]
    swapped = after(state, "J 5x20")
    assert [pawns_of(swapped, seat) for seat in range(3)] == [(8, 20), (5,), (30,)]


def test_a_jack_needs_two_pawns_on_the_ring_that_are_not_fresh():
    """DOG-43: Home and End Zone pawns cannot be swapped."""
    state = table({0: (5, "e1"), 1: ("fresh", "e2"), 2: ()}, {0: "J"})

    assert orders(state) == ["discard"]
    assert refused(state, Swap(5, 101)) == "DOG-43"
    assert refused(state, Swap(5, 40)) == "DOG-43"
    assert refused(state, Swap(5, 16)) == "DOG-35"


def test_two_pawns_of_the_same_owner_are_not_swapped():
    """DOG-44"""
    state = table({0: (5, 8), 1: (20, 25)}, {0: "J"})

    assert refused(state, Swap(5, 8)) == "DOG-44"
    assert refused(state, Swap(20, 25)) == "DOG-44"


def test_a_swap_sends_nobody_home_and_makes_nobody_fresh():
    """DOG-45: also onto Start fields."""
    state = table({0: (16,), 1: (0,)}, {0: "J", 1: "2"})

    swapped = after(state, "J 16x0")

    assert (pawns_of(swapped, 0), pawns_of(swapped, 1)) == ((0,), (16,))
    assert events(state, "J 16x0", SentHome) == []
    event = events(state, "J 16x0", Swapped)[0]
    assert (event.owner, event.source, event.other, event.target) == (0, 16, 1, 0)


def test_a_jack_has_no_value_to_move():
    """DOG-46: without a legal swap it is unplayable."""
    state = table({0: (5,)}, {0: "J"})

    assert orders(state) == ["discard"]
    assert refused(state, Go("J", 5, 16)) == "DOG-46"
    assert "no pawn of another player" in str(GAME.view(state, 0).unplayable["J"])


def test_a_joker_is_any_other_card_with_all_its_effects():
    """DOG-47: every play of every rank, each effect once."""
    joker = table({0: (10, 60), 1: (20,)}, {0: "*"})
    ranks = "A 2 3 4 5 6 7 8 9 10 J Q K"
    plain = table({0: (10, 60), 1: (20,)}, {0: ranks})

    as_joker = set(orders(joker))

    assert as_joker == {f"*{order}" for order in orders(plain)} - {"*A out"}
    assert as_joker >= {"*7 10-12 60-e1", "*J 10x20", "*4 60-56", "*K out"}


def test_a_joker_brings_the_last_pawn_in_as_a_seven_where_that_overtakes_somebody():
    """DOG-47, DOG-53: else it does what it does as a plain card, and is listed as that."""
    pawns = {0: ("e2", "e3", "e4", 60)}

    assert "*7 60-e1" not in orders(table(pawns, {0: "*"}, seven_residual="optional"))
    both = table(pawns | {1: (62,)}, {0: "*", 1: "2"})
    assert {"*5 60-e1", "*7 60-e1"} <= set(orders(both))
    assert pawns_of(after(both, "*5 60-e1"), 1) == (62,)
    assert pawns_of(after(both, "*7 60-e1"), 1) == ()


def test_a_joker_may_bring_the_last_pawn_in():
    """DOG-48: no restriction; the switch forbids it, also at the end of a seven."""
    pawns = {0: ("e2", "e3", "e4", 60), 2: (30,)}
    free = table(pawns, {0: "*"})
    barred = table(pawns, {0: "* 5"}, joker_last_pawn=False)

    assert "*5 60-e1" in orders(free)
    assert [order for order in orders(free) if order.startswith("*7 60-e1")]
    assert "5 60-e1" in orders(barred)
    assert not [order for order in orders(barred) if order.startswith("*") and "e1" in order]
    assert refused(barred, Go("5", 60, 100, True)) == "DOG-48"
    assert refused(barred, Seven(((60, 100), (30, 32)), True)) == "DOG-48"


def test_a_joker_is_discarded_as_a_joker():
    """DOG-49: whatever it stood for."""
    state = table({0: (10,)}, {0: "*", 1: "2"})

    played = after(state, "*Q 10-22")

    assert played.discards == ("*",)
    event = events(state, "*Q 10-22", Played)[0]
    assert (event.rank, event.joker) == ("Q", True)


def test_a_seven_is_split_over_ones_pawns_in_any_way():
    """DOG-50: each part at least one step, seven in all, in any order."""
    state = table({0: (5, 30), 1: (50,)}, {0: "7", 1: "2"})

    assert sorted(orders(state)) == sorted(
        ["7 5-12", "7 30-37"] + [f"7 5-{5 + part} 30-{37 - part}" for part in range(1, 7)]
    )
    moved = [(e.source, e.target, e.steps) for e in events(state, "7 5-8 30-34", Moved)]
    assert moved == [(5, 8, 3), (30, 34, 4)]


def test_a_seven_that_leaves_steps_is_illegal_even_if_seven_steps_could_do_the_same():
    """DOG-50: here one step could be spent on a pawn that is then sent Home."""
    state = table({0: (10, 13, 40)}, {0: "7"})

    in_seven = Seven(((13, 14), (10, 14), (40, 41), (14, 15)))
    in_six = Seven(((10, 13), (40, 41), (13, 15)))

    GAME.check(state, 0, in_seven)
    assert refused(state, in_six) == "DOG-50"


def test_the_parts_of_a_seven_may_be_given_in_another_order():
    """DOG-50: the same effect is one listed move; other ways to write it are read as that one."""
    state = table({0: (5, 30), 1: (50,)}, {0: "7", 1: "2"})

    for other in ("7 30-34 5-8", "7 5-6 30-34 6-8", "7 5-6 6-7 7-8 30-34"):
        assert GAME.format(GAME.parse(state, 0, other)) == "7 5-8 30-34"
    GAME.check(state, 0, Seven(((30, 34), (5, 8))))


def test_each_part_of_a_seven_must_be_legal_at_its_moment():
    """DOG-51: a fresh pawn blocks until it has moved; the End Zone is filled from within."""
    fresh = table({0: ("fresh", 62)}, {0: "7"})
    inner = table({0: ("e1", 61)}, {0: "7"})

    assert "7 0-5 62-0" in orders(fresh)
    assert refused(fresh, Seven(((62, 2), (0, 3)))) == "DOG-33"
    assert "7 e1-e4 61-e1" in orders(inner)
    assert refused(inner, Seven(((61, 100), (100, 103)))) in ("DOG-41", "DOG-51", "DOG-50")


def test_parts_of_a_seven_use_pawns_on_the_ring_and_in_the_end_zone_only():
    """DOG-52: not pawns at Home."""
    state = table({0: ("e1", 20)}, {0: "7"})

    assert sorted(orders(state)) == [
        "7 20-24 e1-e4",
        "7 20-25 e1-e3",
        "7 20-26 e1-e2",
        "7 20-27",
    ]
    assert orders(table({}, {0: "7"})) == ["discard"]


@pytest.mark.parametrize("owner", [1, 2])
def test_a_seven_sends_overtaken_pawns_of_other_players_home(owner):
    """DOG-53: the partner's too; a fresh pawn cannot be overtaken."""
    state = table({0: (10,), owner: (13,)}, {0: "7", 1: "2"})

    overtaken = after(state, "7 10-17")

    assert pawns_of(overtaken, owner) == ()
    sent = events(state, "7 10-17", SentHome)[0]
    assert (sent.owner, sent.field, sent.overtaken) == (owner, 13, True)
    assert orders(table({0: (10,), 1: ("fresh",)}, {0: "7"})) == ["discard"]


def test_a_seven_sends_the_first_seats_pawn_home_as_its_partner():
    """DOG-53: the partner of seat 2 is seat 0."""
    state = table({2: (10,), 0: (13,)}, {2: "7", 3: "2"}, turn=2)

    assert pawns_of(after(state, "7 10-17"), 0) == ()
    sent = events(state, "7 10-17", SentHome)
    assert [(event.owner, event.field) for event in sent] == [(0, 13)]


def test_a_fresh_pawn_that_moves_with_a_seven_is_told_with_its_start():
    """DOG-30, DOG-50: with its owner's, not with the partner's."""
    state = table({1: ("fresh",)}, {1: "7", 2: "2"}, turn=1)

    assert [event.source for event in events(state, "7 16-23", Moved)] == [16]


@pytest.mark.parametrize("order", ["7 60-3", "7 60-e3"])
def test_a_seven_overtakes_a_pawn_on_the_first_field_as_on_any_other(order):
    """DOG-53: an opponent's, on the Start of the one who moves."""
    state = table({0: (60,), 1: (0,)}, {0: "7", 1: "2"})

    assert pawns_of(after(state, order), 1) == ()
    told = [(event.owner, event.steps) for event in events(state, order, Moved)]
    assert told == [(0, 7)]


def test_a_pawn_is_overtaken_once_by_all_parts_of_a_seven():
    """DOG-53, DOG-56: it is Home when the next pawn passes its field."""
    state = table({0: (10, 11), 1: (12,)}, {0: "7", 1: "2"})

    sent = events(state, "7 10-13 11-15", SentHome)

    assert [(event.owner, event.field) for event in sent] == [(1, 12)]


def test_a_seven_overtakes_a_pawn_on_the_way_into_the_end_zone():
    """DOG-53: the fields up to the Start count, and so does the Start."""
    state = table({0: (61,), 1: (63,), 2: (0,)}, {0: "7", 1: "2"})

    entered = after(state, "7 61-e4")

    assert (pawns_of(entered, 0), pawns_of(entered, 1), pawns_of(entered, 2)) == (("e4",), (), ())


def test_a_seven_does_not_send_own_overtaken_pawns_home():
    """DOG-54: unless the switch says so."""
    pawns = {0: (10, 13)}

    kept = after(table(pawns, {0: "7", 1: "2"}), "7 10-17")
    sent = after(table(pawns, {0: "7", 1: "2"}, seven_burns_own=True), "7 10-17")

    assert pawns_of(kept, 0) == (13, 17)
    assert pawns_of(sent, 0) == (17,)


def test_the_last_field_of_each_part_is_landed_on():
    """DOG-55: any pawn there goes Home, own ones too; parts in a row of one pawn are one part."""
    state = table({0: (10, 13, 40)}, {0: "7", 1: "2"})

    struck = after(state, "7 10-13 40-44")

    assert pawns_of(struck, 0) == (13, 44)
    # 10 to 13 and on to 17 is one part: nobody is landed on at 13.
    assert GAME.format(GAME.parse(state, 0, "7 10-13 13-17")) == "7 10-17"
    assert pawns_of(after(state, "7 40-41 10-13 13-16"), 0) == (13, 16, 41)
    # With another part between, 13 is landed on.
    between = after(state, "7 10-13 40-41 13-16")
    assert pawns_of(between, 0) == (16, 41)


def test_overtaken_pawns_go_home_before_the_following_parts():
    """DOG-56: an own pawn that was landed on cannot move on in a later part."""
    state = table({0: (10, 13)}, {0: "7", 1: "2"})

    assert "7 10-13 13-17" not in orders(state)
    sent = events(table({0: (10, 30), 1: (12,)}, {0: "7"}), "7 10-13 30-34", SentHome)
    kinds = [
        type(event).__name__
        for event in GAME.apply(
            table({0: (10, 30), 1: (12,)}, {0: "7", 1: "2"}),
            0,
            Seven(((10, 13), (30, 34))),
            None,
        ).events
    ]
    assert [event.owner for event in sent] == [1]
    assert kinds == ["Played", "Moved", "SentHome", "Moved"]


def test_a_seven_does_not_move_the_partners_pawns():
    """DOG-57: unless the switch says so; then each pawn overtakes as its owner's."""
    pawns = {0: (10,), 2: (30,)}
    plain = table(pawns, {0: "7"})
    canadian = table(pawns, {0: "7", 1: "2"}, canadian_seven=True)

    assert orders(plain) == ["7 10-17"]
    assert refused(plain, Seven(((10, 13), (30, 34)))) == "DOG-57"
    assert "7 10-13 30-34" in orders(canadian)
    assert "7 30-37" in orders(canadian)
    meeting = table({0: (10,), 2: (8,)}, {0: "7", 1: "2"}, canadian_seven=True)
    assert pawns_of(after(meeting, "7 8-15"), 0) == ()


def test_steps_left_over_after_the_last_pawn_may_go_to_the_partners_pawns():
    """DOG-58: all, some or none of them."""
    state = table({0: ("e2", "e3", "e4", 63), 2: (40,)}, {0: "7", 1: "2"})

    assert orders(state) == [
        "7 63-6",
        "7 63-e1",
        *[f"7 63-e1 40-{40 + steps}" for steps in range(1, 6)],
    ]
    assert events(state, "7 63-e1 40-42", Lapsed)[0].steps == 3
    assert pawns_of(after(state, "7 63-e1 40-42"), 2) == (42,)
    not_last = table({0: ("e3", "e4", 63), 2: (40,)}, {0: "7"})
    assert not [order for order in orders(not_last) if "40" in order]


@pytest.mark.parametrize(("seat", "mate"), [(0, 2), (2, 0)])
def test_a_seven_for_both_is_playable_with_all_own_pawns_at_home(seat, mate):
    """DOG-57's switch"""
    state = table({mate: (10,)}, {seat: "7"}, turn=seat, canadian_seven=True)

    assert orders(state) == ["7 10-17"]


@pytest.mark.parametrize("field", [62, 0])
def test_left_over_steps_move_no_pawn_that_the_last_pawn_sent_home(field):
    """DOG-56, DOG-58: the partner's pawn is Home by then."""
    passed = table({0: ("e2", "e3", "e4", 61), 2: (field, 20)}, {0: "7"})

    into = [order for order in orders(passed) if "e1" in order]

    assert into == ["7 61-e1", "7 61-e1 20-21", "7 61-e1 20-22", "7 61-e1 20-23"]


def test_left_over_steps_move_a_fresh_pawn_off_the_partners_start():
    """DOG-30, DOG-58: it is told where it stood."""
    state = table({0: ("e2", "e3", "e4", 63), 2: ("fresh",)}, {0: "7", 1: "2"})

    moved = events(state, "7 63-e1 32-34", Moved)

    assert [(event.owner, event.source, event.target) for event in moved] == [
        (0, 63, 100),
        (2, 32, 34),
    ]


def test_left_over_steps_move_pawns_in_the_partners_end_zone():
    """DOG-58: p1 to p4 are the partner's End Zone; e1 to e4 is read, too."""
    state = table({0: ("e2", "e3", "e4", 63), 2: ("e1", 31)}, {0: "7", 1: "2"})

    assert "7 63-e1 p1-p4 31-p1" in orders(state)
    moved = after(state, "7 63-e1 e1-e4 31-e1")
    assert pawns_of(moved, 2) == ("e1", "e4")


def test_a_team_completed_by_a_seven_wins_at_once():
    """DOG-59: whatever steps are left."""
    state = table({0: ("e2", "e3", "e4", 63), 2: ("e2", "e3", "e4", 32)}, {0: "7", 1: "2"})

    order = "7 63-e1 32-p1"

    assert order in orders(state)
    assert GAME.outcome(after(state, order)).winners == (0, 2)
    assert events(state, order, Lapsed)[0].steps == 4
    assert len(events(state, order, Won)) == 1
    entered = [(event.owner, event.field) for event in events(state, order, EndZoneEntered)]
    assert entered == [(0, 100), (2, 100)]
    own_last = table({0: ("e2", "e3", "e4", 63), 2: ALL_IN}, {0: "7", 1: "2"})
    assert GAME.outcome(after(own_last, "7 63-e1")).winners == (0, 2)
