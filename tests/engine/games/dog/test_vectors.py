"""The rule list's test vectors T1 to T12, on a ring of 64. T12 stands with ODD5-4."""

from tests.engine.games.dog.tables import after, orders, pawns_of, table


def targets(names, card, others=None, **more):
    """Where the first pawn of seat 0 can go with a card."""
    state = table({0: names} | (others or {}), {0: card, 1: "2"}, **more)
    own = names[0] if names[0] != "fresh" else 0
    return {order.split("-")[1] for order in orders(state) if order.startswith(f"{card} {own}-")}


def test_t1_into_the_end_zone_or_around_again():
    """T1 (DOG-40)"""
    assert targets((60,), "5") == {"e1", "1"}
    assert targets((60,), "8") == {"e4", "4"}
    assert targets((60,), "9") == {"5"}


def test_t2_a_fresh_pawn_with_a_four():
    """T2 (DOG-38, DOG-39)"""
    assert targets(("fresh",), "4") == {"4", "60"}
    assert targets((60,), "8") == {"e4", "4"}


def test_t3_a_fresh_pawn_blocks():
    """T3 (DOG-33, DOG-34)"""
    fresh = {1: ("fresh",)}
    for card in ("A", "2", "3", "4", "5", "6", "8", "9", "10", "Q", "K"):
        assert targets((15,), card, fresh) <= {"11"}, card
    assert targets((15,), "4", fresh) == {"11"}
    assert targets((18,), "4", fresh) == {"22"}
    assert targets((20,), "4", fresh) == {"24"}


def test_t4_landing_sends_home():
    """T4 (DOG-26)"""
    foreign = after(table({0: (12,), 1: (17,)}, {0: "5", 1: "2"}), "5 12-17")
    own = after(table({0: (12, 17)}, {0: "5", 1: "2"}), "5 12-17")

    assert (pawns_of(foreign, 0), pawns_of(foreign, 1)) == ((17,), ())
    assert pawns_of(own, 0) == (17,)


def test_t5_coming_out_sends_home():
    """T5 (DOG-36)"""
    out = after(table({0: (16,)}, {1: "K", 2: "2"}, turn=1), "K out")

    assert (pawns_of(out, 0), pawns_of(out, 1)) == ((), ("fresh",))


def test_t6_a_seven_overtakes():
    """T6 (DOG-53, DOG-54, DOG-55)"""
    foreign = after(table({0: (16,), 1: (22,)}, {0: "7", 1: "2"}), "7 16-23")
    own = after(table({0: (16, 22)}, {0: "7", 1: "2"}), "7 16-23")
    landed = after(table({0: (16, 22)}, {0: "7", 1: "2"}), "7 22-23 16-22")
    struck = after(table({0: (16, 22, 40)}, {0: "7", 1: "2"}), "7 16-22 40-41")

    assert (pawns_of(foreign, 0), pawns_of(foreign, 1)) == ((23,), ())
    assert pawns_of(own, 0) == (22, 23)
    assert pawns_of(landed, 0) == (22, 23)
    assert pawns_of(struck, 0) == (22, 41)


def test_t7_a_split_seven_overtakes_the_partner():
    """T7 (DOG-53)"""
    state = table({0: (10, 30), 2: (12,)}, {0: "7", 1: "2"})

    assert pawns_of(after(state, "7 10-13 30-34"), 2) == ()


def test_t8_own_pawns_bar_the_end_zone():
    """T8 (DOG-41)"""
    names = (63, "e1", "e2")

    assert targets(names, "A") == {"0", "10"}
    assert targets(names, "2") == {"1"}


def test_t9_moving_on_inside_needs_the_exact_value():
    """T9 (DOG-41)"""
    assert targets(("e1",), "3") == {"e4"}
    assert targets(("e1",), "4") == set()


def test_t10_a_hand_without_a_play_is_discarded():
    """T10 (DOG-19)"""
    state = table({}, {0: "10 Q J", 1: "2"})

    assert orders(state) == ["discard"]
    assert after(state, "discard").hands[0] == ()


def test_t11_the_rest_of_a_seven():
    """T11 (DOG-58, ODD5-13)"""
    pawns = {0: ("e2", "e3", "e4", 63), 2: (40,)}
    dog = orders(table(pawns, {0: "7"}))
    odd = orders(table(pawns | {0: ("e2", "e3", "e4", 79)}, {0: "7"}, seats=5))

    assert dog == ["7 63-6", "7 63-e1", *(f"7 63-e1 40-{40 + steps}" for steps in range(1, 6))]
    assert odd == ["7 79-6", "7 79-e1"]
