"""What is seen of a table, and why a card cannot be played."""

from collections import Counter

import pytest

from engine import codec
from engine.dice import SeededDice
from engine.games.dog import GAME
from engine.games.dog.state import DogState
from engine.games.dog.view import PawnView
from engine.testing import moments
from tests.engine.games.dog.tables import ALL_IN, exchanged, quietly, start, table


def test_a_view_has_what_a_page_needs_to_draw_the_table():
    state = table({0: ("fresh", 20, "e2"), 1: (30,)}, {0: "5 5 K", 1: "2"}, deal=3, dealer=3)

    seen = GAME.view(state, 0)

    assert (seen.ring, seen.deal, seen.hand_size, seen.dealer, seen.starter) == (64, 3, 4, 3, 0)
    assert (seen.stage, seen.pending, seen.turn, seen.turn_order) == ("play", (0,), 0, (0, 1, 2, 3))
    assert [seat.start for seat in seen.seats] == [0, 16, 32, 48]
    assert [seat.cards for seat in seen.seats] == [3, 1, 0, 0]
    assert seen.seats[0].pawns == (
        PawnView("home", -1, False),
        PawnView("ring", 20, False),
        PawnView("ring", 0, True),
        PawnView("end_zone", 2, False),
    )
    assert (seen.deck, seen.discards, seen.teams) == (106, (), ((0, 2), (1, 3)))
    assert seen.hand == ("5", "5", "K")
    assert {card: str(text) for card, text in seen.effects.items()} == {
        "5": "5 fields forward.",
        "K": "13 fields forward, or a pawn out of Home onto its Start.",
    }


def test_an_onlooker_sees_no_hand_and_no_reasons():
    state = table({0: (5,)}, {0: "J"})

    seen = GAME.view(state, None)

    assert (seen.hand, seen.gave, seen.effects, seen.unplayable) == (None, (), {}, {})


def test_a_seat_sees_its_gift_during_the_phase_and_nobody_elses():
    state = exchanged(start(seed="3"))

    assert [len(GAME.view(state, seat).gave) for seat in range(4)] == [1] * 4
    assert [seat.handed_in for seat in GAME.view(state, 0).seats] == [True] * 4


def test_the_giver_still_knows_the_gift_in_the_receivers_hand():
    """In every other world of the giver the partner holds it, until such a card is played."""
    state = exchanged(start(seed="3"))
    gift = state.gifts[0][0]

    for number in range(20):
        world = GAME.other_world(state, 0, SeededDice.from_text(str(number)))
        assert gift in world.hands[2]
        assert world.hands[0] == state.hands[0]
        assert world.gifts[0] == state.gifts[0]
    worlds = {GAME.other_world(state, 1, SeededDice.from_text(str(n))).gifts[0] for n in range(20)}
    assert len(worlds) > 1


def test_gifts_that_lie_face_down_differ_from_world_to_world():
    """DOG-14: neither the others nor an onlooker know what was handed in."""
    state = start(seed="3")
    handed_in = quietly(state, GAME.format(GAME.default_move(state, 0)), 0)

    for seat in (None, 1, 2, 3):
        worlds = [
            GAME.other_world(handed_in, seat, SeededDice.from_text(str(n))) for n in range(20)
        ]
        assert len({world.gifts[0] for world in worlds}) > 3
        assert all(len(world.gifts[0]) == 1 for world in worlds)
    own = [GAME.other_world(handed_in, 0, SeededDice.from_text(str(n))) for n in range(5)]
    assert {world.gifts[0] for world in own} == {handed_in.gifts[0]}


def test_a_gift_is_no_longer_known_once_such_a_card_was_played():
    state = table({0: (5,), 2: (30,)}, {0: "3", 2: "2 2", 1: "3"}, turn=2)
    held = DogState(
        **{name: getattr(state, name) for name in state.__struct_fields__}
        | {
            "held_gifts": ((0, 2, "2"),),
            "gifts": (("2",), ("3",), ("4",), ("5",)),
        }
    )

    assert quietly(held, "2 30-32").held_gifts == ()


@pytest.mark.parametrize(
    ("pawns", "card", "reason"),
    [
        ({}, "5", "All pawns are at Home: only an ace, a king or a joker brings one out."),
        ({0: ("fresh", 15), 1: ("fresh",)}, "J", "There is no pawn of another player"),
        ({0: ("fresh",), 1: (30,)}, "J", "No pawn that you move can be swapped: it is fresh."),
        ({0: ("e4",)}, "J", "A jack needs a pawn on the ring that you can move."),
        ({0: (15,), 1: ("fresh",)}, "5", "The pawn on 16 is fresh: nobody may move past it."),
        ({0: (14,), 1: ("fresh",)}, "2", "The pawn on 16 is fresh: no move may end on its field."),
        ({0: (15,), 1: ("fresh",)}, "7", "The 7 steps cannot all be used."),
        ({0: ("e3",)}, "5", "No pawn in the End Zone can move that far, and none is on the ring."),
        ({0: ("fresh", 62, 63, "e1")}, "Q", None),
        ({0: (5,)}, "5", None),
    ],
)
def test_why_a_card_cannot_be_played_is_said(pawns, card, reason):
    state = table(pawns, {0: card})

    why = GAME.view(state, 0).unplayable

    assert set(why) == (set() if reason is None else {card})
    assert reason is None or reason in str(why[card])


def test_why_not_during_the_exchange_and_before_a_choice():
    waiting = table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5)
    seen = GAME.view(waiting, 0)

    assert GAME.view(start(), 0).unplayable == {}
    assert str(seen.unplayable["2"]) == "First choose whose pawns you will move."
    assert seen.seats[0].moves_pawns_of == (2, 3)


@pytest.mark.parametrize("seats", GAME.meta.seats)
def test_a_view_names_a_reason_for_exactly_the_cards_without_a_play(seats):
    """Held against the legal moves all through a match."""
    for moment in moments(GAME, seats, seed="why", every=17):
        state = moment.state
        if GAME.phase(state).name != "play":
            continue
        orders = [GAME.format(move) for move in GAME.legal_moves(state, state.turn)]
        playable = {"*" if o[0] == "*" else o.split()[0] for o in orders if o != "discard"}
        seen = GAME.view(state, state.turn)
        assert set(seen.unplayable) == set(seen.hand) - playable
        assert all(str(sentence) for sentence in seen.unplayable.values())


def test_views_hold_the_same_bytes_for_the_same_table():
    state = start(seed="3")

    assert codec.encode(GAME.view(state, 1)) == codec.encode(GAME.view(start(seed="3"), 1))


def test_other_worlds_keep_every_card_and_every_gift_where_its_receiver_can_have_it():
    """None made or lost, and none in two hands."""
    for moment in moments(GAME, 5, seed="worlds", every=29):
        state = moment.state
        for seat in (None, *range(5)):
            world = GAME.other_world(state, seat, SeededDice.from_text(f"{moment.ply} {seat}"))

            assert all_cards(world) == all_cards(state)
            assert [gift[:2] for gift in world.held_gifts] == [
                gift[:2] for gift in state.held_gifts
            ]
            assert all(card in world.gifts[giver] for giver, _, card in world.held_gifts)
            for to in range(5):
                got = Counter(card for _, receiver, card in world.held_gifts if receiver == to)
                assert got <= Counter(world.hands[to])


def all_cards(state):
    rows = (*state.hands, state.deck, *(state.gifts if state.stage == "exchange" else ()))
    return Counter(card for row in rows for card in row)
