"""Who is finished plays on for the partner: DOG-60 to DOG-62."""

from engine.games.dog import GAME
from engine.games.dog.events import Moved
from tests.engine.games.dog.tables import ALL_IN, after, events, orders, pawns_of, table


def test_a_finished_player_is_dealt_exchanges_and_plays():
    """DOG-60"""
    state = table({0: ALL_IN, 1: (20,), 2: (30,)}, {0: "2", 1: "2"}, deal=1)

    played = after(state, "2 30-32")
    dealt = after(played, "2")

    assert played.turn == 1
    assert len(dealt.hands[0]) == 5
    assert 0 in GAME.phase(dealt).pending


def test_a_finished_player_plays_every_card_with_the_partners_pawns():
    """DOG-61: moves, leaving Home, jack, four, seven, joker and the partner's End Zone."""
    state = table({0: ALL_IN, 1: (50,), 2: (30, 33)}, {0: "K J 4 7 *", 1: "2"})

    found = set(orders(state))

    assert {"K out", "K 30-43", "J 30x50", "4 30-e2", "4 30-26", "7 30-e4 33-34"} <= found
    assert "*K out" in found
    assert pawns_of(after(state, "K out"), 2) == (30, 33, "fresh")
    moved = events(state, "4 30-e2", Moved)[0]
    assert (moved.seat, moved.owner) == (0, 2)
    assert GAME.view(state, None).seats[0].moves_pawns_of == (2,)


def test_the_finished_players_own_pawns_stay_where_they_are():
    """DOG-61: nothing is left to do with them."""
    state = table({0: ALL_IN, 1: (50,), 2: (30,)}, {0: "2 K"})

    assert not [order for order in orders(state) if " e" in order]


def test_other_players_pawns_are_those_that_do_not_belong_to_the_partner():
    """DOG-62: for a finished player's jack and seven the partner's pawns are the own ones."""
    jack = table({0: ALL_IN, 1: (50,), 2: (40, 42)}, {0: "J"})
    seven = table({0: ALL_IN, 1: (41,), 2: (40, 42)}, {0: "7", 1: "2"})

    assert orders(jack) == ["J 40x50", "J 42x50"]
    overtaken = after(seven, "7 40-47")
    assert (pawns_of(overtaken, 1), pawns_of(overtaken, 2)) == ((), (42, 47))
