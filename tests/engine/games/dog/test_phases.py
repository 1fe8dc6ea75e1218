"""Teams, phases, dealing, the exchange, rounds and turns: DOG-1 to DOG-22."""

from collections import Counter

import msgspec
import pytest

from engine.dice import SeededDice
from engine.errors import IllegalMove
from engine.games.dog import GAME
from engine.games.dog.board import DECK
from engine.games.dog.events import (
    Dealt,
    Discarded,
    Exchanged,
    Finished,
    Gave,
    Hand,
    HandedIn,
    Received,
    Reshuffled,
    Won,
)
from engine.games.dog.meta import DogOptions
from engine.games.dog.moves import Give
from engine.games.dog.state import hand_size, partner, teams
from tests.engine.games.dog.tables import (
    ALL_IN,
    after,
    events,
    exchanged,
    orders,
    pawns_of,
    played_out,
    quietly,
    start,
    step,
    table,
)


def test_partners_sit_opposite():
    """DOG-1: four players are two teams of two, six are three teams of two."""
    assert teams(4) == ((0, 2), (1, 3))
    assert teams(6) == ((0, 3), (1, 4), (2, 5))
    assert partner(6, 4) == 1


def test_a_team_wins_when_both_partners_are_complete():
    """DOG-2: not before both have all four pawns in their own End Zones."""
    one_left = table({0: ("e2", "e3", "e4", 63), 2: ("e1", "e2", "e3", 60)}, {0: "2", 1: "2"})
    last = table({0: ("e2", "e3", "e4", 63), 2: ALL_IN}, {0: "2", 1: "2"})

    assert GAME.outcome(after(one_left, "2 63-e1")) is None
    outcome = GAME.outcome(after(last, "2 63-e1"))
    assert (outcome.reason, outcome.winners) == ("team", (0, 2))
    assert [score.total for score in outcome.scores] == [4, 0, 4, 0]


def test_the_winning_move_ends_the_game_at_once():
    """DOG-3: the round is not completed, though others hold cards."""
    state = table({0: ("e2", "e3", "e4", 63), 2: ALL_IN}, {0: "2", 1: "2 3", 3: "4"})

    ended = after(state, "2 63-e1")

    assert GAME.phase(ended).pending == frozenset()
    assert ended.hands[1] == ("2", "3")
    assert events(state, "2 63-e1", Won)[0].winners == (0, 2)
    assert events(state, "2 63-e1", Finished)[0].owner == 0


def test_a_view_holds_no_word_about_the_cards_of_others():
    """DOG-4: nobody is told of cards held or wanted; only how many there are is seen."""
    state = table({}, {0: "5", 1: "K Q"})

    seen = GAME.view(state, 0)

    assert seen.hand == ("5",)
    assert seen.seats[1].cards == 2
    assert GAME.view(state, None).hand is None


@pytest.mark.parametrize("seats", [4, 6])
def test_hands_shrink_from_six_to_two_and_begin_again(seats):
    """DOG-5: phases deal 6, 5, 4, 3, 2 cards, then from 6 again."""
    assert [hand_size(seats, deal) for deal in range(1, 12)] == [6, 5, 4, 3, 2, 6, 5, 4, 3, 2, 6]

    state = start(seats)
    dealt = []
    for _ in range(6):
        dealt.append({len(hand) for hand in state.hands})
        state = played_out(state)

    assert dealt == [{6}, {5}, {4}, {3}, {2}, {6}]


def test_the_deal_moves_one_seat_to_the_right():
    """DOG-6: the right-hand neighbour deals next; to the right is seat number plus one."""
    state = start(first_dealer="first")
    dealers = []
    for _ in range(5):
        dealers.append(state.dealer)
        state = played_out(state)

    assert dealers == [0, 1, 2, 3, 0]


def test_the_first_dealer_is_drawn_by_lot():
    """DOG-7: by lot, or the first seat where the match is set so."""
    drawn = Counter(start(seed=str(seed)).dealer for seed in range(200))
    fixed = Counter(start(seed=str(seed), first_dealer="first").dealer for seed in range(20))

    assert set(drawn) == {0, 1, 2, 3}
    assert min(drawn.values()) > 25
    assert fixed == {0: 20}


def test_the_player_right_of_the_dealer_begins():
    """DOG-8: the seat after the dealer's takes the first turn, in every phase."""
    state = start(first_dealer="first")

    assert exchanged(state).turn == 1
    assert exchanged(played_out(state)).turn == 2


def test_turns_go_to_the_right():
    """DOG-9: turn order is rising seats, the sense in which pawns move."""
    state = table({seat: (5 + 20 * seat,) for seat in range(4)}, dict.fromkeys(range(4), "2 3"))

    turns = []
    for _ in range(5):
        turns.append(state.turn)
        state = quietly(state, "2" if "2" in state.hands[state.turn] else "3")

    assert turns == [0, 1, 2, 3, 0]


def test_the_starting_player_moves_one_seat_to_the_right_every_phase():
    """DOG-10: a consequence of DOG-6 and DOG-8."""
    state = start(6, first_dealer="first")
    starters = []
    for _ in range(7):
        starters.append(state.starter)
        state = played_out(state)

    assert starters == [1, 2, 3, 4, 5, 0, 1]


def test_cards_come_from_the_draw_deck_and_go_to_the_discard_pile():
    """DOG-11: the deck holds 8 of each rank and 6 jokers, 110 cards, for any number of players."""
    counts = Counter(DECK)
    state = start(4)

    assert counts.pop("*") == 6
    assert set(counts.values()) == {8}
    assert len(DECK) == 110
    assert len(state.deck) == 110 - 24
    played = quietly(table({0: (5,)}, {0: "2", 1: "3"}), "2")
    assert played.discards == ("2",)


def test_the_discard_pile_is_shuffled_when_the_deck_runs_out():
    """DOG-12: dealing goes on from the discards; no card is lost."""
    state = table({0: (5,)}, {0: "2"}, deal=1)
    deck = state.deck[:7]
    short = msgspec.structs.replace(state, deck=deck, discards=state.deck[7:])

    result = step(short, "2")

    reshuffled = next(event for event in result.events if isinstance(event, Reshuffled))
    assert reshuffled.cards == 110 - 7
    assert [len(hand) for hand in result.state.hands] == [5] * 4
    assert len(result.state.deck) == 110 - 20
    assert result.state.discards == ()
    # What was left of the old deck is dealt first.
    held = Counter(card for hand in result.state.hands for card in hand)
    assert not Counter(deck) - held


def test_the_shuffling_of_the_discards_is_not_told_as_the_move_before_it():
    """DOG-12: it begins what follows by the rules."""
    state = table({0: (5,)}, {0: "2"}, deal=1)
    short = msgspec.structs.replace(state, deck=state.deck[:7], discards=state.deck[7:])

    told = step(short, "2").events

    first = next(number for number, event in enumerate(told) if GAME.by_the_rules(event))
    assert isinstance(told[first], Reshuffled)


def test_a_deck_that_lasts_is_not_reshuffled():
    """DOG-12: only when it runs out while dealing."""
    state = table({0: (5,)}, {0: "2"}, deal=1)
    state = msgspec.structs.replace(state, deck=state.deck[:20], discards=state.deck[20:])

    result = step(state, "2")

    assert not [event for event in result.events if isinstance(event, Reshuffled)]
    assert result.state.deck == ()
    assert len(result.state.discards) == 90


def test_everybody_gives_one_card_to_the_partner():
    """DOG-13: face down, to the seat opposite."""
    state = start(first_dealer="first")
    given = [GAME.default_move(state, seat).cards[0] for seat in range(4)]
    after_all = state
    for seat in range(4):
        result = step(after_all, f"give {given[seat]}", seat)
        gave = next(event for event in result.events if isinstance(event, Gave))
        assert (gave.readers, gave.receivers) == ((seat,), ((seat + 2) % 4,))
        assert HandedIn(seat=seat) in result.events
        assert (Exchanged(starter=1) in result.events) is (seat == 3)
        after_all = result.state

    for seat in range(4):
        expected = Counter(state.hands[seat]) - Counter([given[seat]])
        expected[given[(seat + 2) % 4]] += 1
        assert Counter(after_all.hands[seat]) == expected
    # what was received is known now, so the last gift cannot be taken back
    assert result.reveals
    received = [event for event in result.events if isinstance(event, Received)]
    assert [(event.seat, event.giver, event.readers) for event in received] == [
        (2, 0, (2,)),
        (3, 1, (3,)),
        (0, 2, (0,)),
        (1, 3, (1,)),
    ]


def test_a_card_played_reveals_nothing_but_the_last_of_a_phase():
    """DOG-11, DOG-22: the cards of a new deal are seen, and cannot be taken back."""
    state = table({0: (5,), 1: (20,)}, {0: "2", 1: "3"})

    one = step(state, "2")
    last = step(one.state, "3")

    assert (one.reveals, last.reveals) == (False, True)


def test_nobody_sees_a_gift_before_all_have_given():
    """DOG-14: all seats choose at once, and cards go over when the last has chosen."""
    state = start()
    assert GAME.phase(state).pending == frozenset(range(4))

    one = quietly(state, GAME.format(GAME.default_move(state, 0)), 0)

    assert GAME.phase(one).pending == frozenset({1, 2, 3})
    assert one.hands[2] == state.hands[2]
    assert len(GAME.view(one, 0).gave) == 1
    assert GAME.view(one, 2).gave == ()
    assert GAME.view(one, 2).seats[0].handed_in
    with pytest.raises(IllegalMove):
        GAME.check(one, 0, Give((one.hands[0][0],)))


def test_the_exchange_happens_with_two_cards_and_with_finished_partners():
    """DOG-15: in every phase."""
    state = table({0: ALL_IN, 1: (20,)}, {1: "2"}, turn=1, deal=4)

    dealt = after(state, "2")

    assert {len(hand) for hand in dealt.hands} == {2}
    assert GAME.phase(dealt).pending == frozenset(range(4))


def test_a_round_is_one_turn_for_each_player():
    """DOG-16: in turn order, nobody twice."""
    state = table({seat: (5 + 20 * seat,) for seat in range(4)}, dict.fromkeys(range(4), "2 3"))
    turns = []
    for _ in range(8):
        turns.append(state.turn)
        state = after(state, orders(state)[0])

    assert turns == [0, 1, 2, 3, 0, 1, 2, 3]


def test_a_card_must_be_played_even_if_it_hurts():
    """DOG-17: exactly one card, and no discarding while there is a play."""
    state = table({0: (10, 12)}, {0: "2 K", 1: "2"})
    only = table({0: ("fresh", "e1", "e2", "e3"), 2: (2,)}, {0: "2", 1: "3"})

    assert all(order.startswith(("2", "K")) for order in orders(state))
    assert orders(only) == ["2 0-2"]
    hurt = after(only, "2 0-2")
    assert pawns_of(hurt, 2) == ()
    assert len(hurt.hands[0]) == 0


def test_any_legal_combination_of_card_effect_and_pawn_may_be_chosen():
    """DOG-18: free choice."""
    state = table({0: (10, 30)}, {0: "4 A"})

    assert sorted(orders(state)) == sorted(
        "4 10-14,4 30-34,4 10-6,4 30-26,A out,A 10-11,A 30-31,A 10-21,A 30-41".split(",")
    )


def test_without_a_legal_play_the_whole_hand_is_discarded():
    """DOG-19: and the player sits out the rest of the phase."""
    state = table({1: (20,)}, {0: "10 Q J", 1: "2 3"})

    assert orders(state) == ["discard"]
    discarded = quietly(state, "discard")
    assert events(state, "discard", Discarded)[0].cards == ("10", "Q", "J")
    assert discarded.hands[0] == ()
    assert discarded.discards == ("10", "Q", "J")
    assert quietly(discarded, "2").turn == 1


def test_discarding_is_refused_while_there_is_a_legal_play():
    """DOG-20"""
    state = table({0: (5,)}, {0: "2 Q"})

    with pytest.raises(IllegalMove, match="only when none can be played") as refused:
        GAME.parse(state, 0, "discard")
    assert refused.value.rule == "DOG-20"
    assert "2 5-7" in str(refused.value)


def test_a_player_without_cards_is_skipped():
    """DOG-21"""
    state = table({0: (5,), 3: (50,)}, {0: "2", 3: "3"})

    assert quietly(state, "2").turn == 3


def test_a_phase_ends_when_all_hands_are_empty():
    """DOG-22: then the next one is dealt."""
    state = table({0: (5,)}, {0: "2"}, deal=1)

    result = step(state, "2")

    assert result.state.deal == 2
    assert result.reveals
    dealt = next(event for event in result.events if isinstance(event, Dealt))
    assert (dealt.deal, dealt.cards, dealt.dealer, dealt.starter) == (2, 5, 0, 1)
    hands = [event for event in result.events if isinstance(event, Hand)]
    assert [event.readers for event in hands] == [(0,), (1,), (2,), (3,)]


def test_what_the_last_card_of_a_phase_does_is_certain_before_new_cards_are_dealt():
    """DOG-22: the effect of the card, and nothing of the deal that follows."""
    state = table({0: (10,), 1: (12,)}, {0: "2"}, deal=1)

    certain = GAME.certain(state, 0, GAME.parse(state, 0, "2 10-12"))

    assert [type(event).__name__ for event in certain] == ["Played", "Moved", "SentHome"]


def test_of_the_last_gift_only_the_gift_is_certain():
    """DOG-14: nothing of what the others gave."""
    state = start()
    for seat in range(3):
        state = quietly(state, GAME.format(GAME.default_move(state, seat)), seat)
    move = GAME.default_move(state, 3)

    certain = GAME.certain(state, 3, move)

    assert [(event.seat, event.cards) for event in certain if isinstance(event, Gave)] == [
        (3, move.cards)
    ]
    assert len(certain) == 2


def test_a_deal_is_drawn_from_the_match_and_the_number_of_the_deal_only():
    """DOG-5: whatever was played before, the same deal gives the same shuffle."""
    first = GAME.setup(4, DogOptions(), SeededDice(b"k")).state
    again = GAME.setup(4, DogOptions(), SeededDice(b"k")).state

    assert first == again
    assert first != GAME.setup(4, DogOptions(), SeededDice(b"l")).state
