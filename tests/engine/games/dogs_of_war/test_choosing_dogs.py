"""Players choose their dogs of war before anything is dealt (DOW-1)."""

import pytest

from engine.dice import SeededDice
from engine.errors import Ambiguous, IllegalMove, OptionsError, Unreadable
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog
from engine.games.dogs_of_war.events import DogChosen, DogsDealt, ScreenDealt, TokenDrawn, YearBegan
from engine.games.dogs_of_war.meta import Options
from engine.testing import moments
from tests.engine.games.dogs_of_war.scenes import dice, legal, play, step, told

SEATS = pytest.mark.parametrize("seats", [3, 4, 5])


def choosing(seats=3, *orders, **options):
    """A match whose first players have chosen."""
    state = GAME.setup(seats, Options(**options), dice()).state
    for seat, order in enumerate(orders):
        state = play(state, seat, order)
    return state


@SEATS
def test_seats_choose_one_after_another_from_the_dogs_that_are_left(seats):
    """DOW-1: each player chooses a dog of war; the same one nobody else can have."""
    state = choosing(seats)
    asked = []
    while GAME.phase(state).name == "dogs of war":
        (seat,) = GAME.phase(state).pending
        left = legal(state, seat)
        assert len(left) == 5 - len(asked)
        asked.append(seat)
        state = play(state, seat, max(left))

    assert asked == list(range(seats))
    chosen = [player.dog for player in state.table.players]
    assert chosen == [Dog.STORMCROW, Dog.ORDALIA, Dog.OMALLEY, Dog.CONQUEROR, Dog.BLACKMANE][:seats]
    assert GAME.phase(state).name == "first player"


def test_nothing_is_dealt_before_the_last_has_chosen():
    """DOW-1 to DOW-9: dogs first; then cards, coins, token and the first year's battles."""
    drawn = dice()
    opening = GAME.setup(3, Options(), drawn)
    state = play(opening.state, 0, "play conqueror")

    assert (opening.events, drawn.draws) == ((), [])
    assert [GAME.view(state, seat).screen for seat in range(3)] == [None] * 3
    assert GAME.view(state, 1).battles == ()

    last = step(play(state, 1, "play omalley"), 2, "play blackmane")

    assert [type(event) for event in last.events] == [
        DogChosen,
        *[ScreenDealt] * 3,
        TokenDrawn,
        YearBegan,
    ]
    assert last.reveals


def test_everybody_sees_what_was_chosen_and_what_is_left():
    """DOW-1: who plays which dog is no secret."""
    state = choosing(4, "play stormcrow")

    for seat in (None, 0, 1, 2, 3):
        view = GAME.view(state, seat)
        assert [player.dog for player in view.table.players] == [Dog.STORMCROW, None, None, None]
        assert Dog.STORMCROW not in view.table.dogs_left()
        assert len(view.table.dogs_left()) == 4
    chosen = step(choosing(4), 0, "play stormcrow")
    assert chosen.events == (DogChosen(seat=0, dog=Dog.STORMCROW),)
    assert not chosen.reveals


def test_what_is_dealt_does_not_hang_on_what_was_chosen():
    """DOW-9: draws are named by their place, so no choice of a dog brings other cards."""
    ends = [
        choosing(3, *(f"play {dog}" for dog in dogs))
        for dogs in (("ordalia", "omalley", "blackmane"), ("stormcrow", "conqueror", "ordalia"))
    ]

    assert ends[0].screens == ends[1].screens
    assert ends[0].table.battles == ends[1].table.battles


def test_a_dog_that_is_taken_is_refused_with_those_left():
    """DOW-1: each plays a different dog."""
    with pytest.raises(IllegalMove) as refused:
        GAME.parse(choosing(3, "play stormcrow", "play ordalia"), 2, "play stormcrow")

    assert refused.value.rule == "DOW-1"
    assert str(refused.value) == (
        "Stormcrow is taken: player 1 was first."
        " Left: Sir Blackmane, Captain O'Malley, The Nameless Conqueror."
    )


def test_what_is_not_understood_is_told_without_a_dog_that_may_be_taken():
    """DOW-1: an example would be one of those that are left, or not."""
    with pytest.raises(Unreadable) as refused:
        GAME.parse(choosing(3, "play stormcrow"), 1, "play cerberus")

    assert "stormcrow" not in str(refused.value)


@pytest.mark.parametrize(
    ("order", "dog"),
    [
        ("play stormcrow", Dog.STORMCROW),
        ("STORM", Dog.STORMCROW),
        ("I play Captain O’Malley", Dog.OMALLEY),
        ("I’ll play Stormcrow", Dog.STORMCROW),
        ("choose o'malley", Dog.OMALLEY),
        ("play the nameless conqueror", Dog.CONQUEROR),
        ("Lady Ordalia MacBeth", Dog.ORDALIA),
        ("play sir blackmane", Dog.BLACKMANE),
    ],
)
def test_a_dog_is_named_by_any_part_of_its_name(order, dog):
    """DOW-1: as people write it."""
    assert GAME.parse(choosing(), 0, order).dog is dog


@pytest.mark.parametrize(
    ("order", "error", "says"),
    [
        ("play", Unreadable, "The order names no dog of war."),
        ("play cerberus", Unreadable, "“cerberus” is not understood."),
        ("play o", Ambiguous, "“o” fits several dogs of war."),
        ("keep", IllegalMove, "“keep” belongs to another phase than this one."),
        ("buy nothing", IllegalMove, "“buy” belongs to another phase than this one."),
    ],
)
def test_an_order_that_names_no_dog_is_answered(order, error, says):
    with pytest.raises(error) as refused:
        GAME.parse(choosing(), 0, order)

    assert str(refused.value).startswith(says)


def test_a_silent_player_plays_the_first_dog_that_is_left():
    """DOW-1: the default move."""
    state = choosing(3, "play blackmane")

    assert GAME.format(GAME.default_move(state, 1)) == "play ordalia"


def test_bots_choose_one_dog_and_another():
    """DOW-1: a bot has no favourite, so that matches of bots try them all."""
    state = choosing()
    view, moves = GAME.view(state, 0), list(GAME.legal_moves(state, 0))

    chosen = {
        GAME.choose(view, moves, SeededDice.from_text(f"bot {number}")).dog for number in range(40)
    }

    assert chosen == set(Dog)


def test_by_lot_is_an_option():
    """DOW-1: as versions of these rules before had it."""
    lots = GAME.setup(4, Options(dogs_by="lot"), dice())
    before = GAME.setup_by("1", 4, Options(), dice())

    assert lots.state.table == before.state.table
    assert lots.events == before.events
    assert told(lots, DogsDealt)[0].dogs == tuple(p.dog for p in lots.state.table.players)
    assert [GAME.rules_of(step.state) for step in (lots, before)] == ["3", "1"]
    assert len(GAME.variants(4, Options(dogs_by="lot"))) == 1


def test_lots_for_dogs_that_the_host_has_given_are_refused():
    """DOW-1: one or the other."""
    dogs = (Dog.STORMCROW, Dog.ORDALIA, Dog.BLACKMANE)

    with pytest.raises(OptionsError) as refused:
        GAME.check_options(3, Options(dogs=dogs, dogs_by="lot"))

    assert refused.value.rule == "DOW-1"


@pytest.mark.parametrize(("seats", "two_battles"), [(3, False), (3, True), (4, False), (5, False)])
def test_a_match_whose_dogs_are_chosen_ends(seats, two_battles):
    """DOW-1, DOW-14: choosing leads on to four years."""
    last = [*moments(GAME, seats, Options(two_battles=two_battles), seed="chosen", every=3)][-1]

    assert GAME.outcome(last.state) is not None
