"""What a player is offered, held against the legal moves of random positions."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.errors import Unreadable
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import SOLDIERS, House, SoldierCounts
from engine.games.dogs_of_war.choices import Action, Conquest, Dogs, First, Purchase, Withdrawal
from engine.games.dogs_of_war.events import Passed
from engine.games.dogs_of_war.moves import Buy, Pass
from engine.games.dogs_of_war.state import State
from tests.engine.games.dogs_of_war.positions import FORMS, positions
from tests.engine.games.dogs_of_war.scenes import (
    dice,
    scene,
    with_captains,
    with_influence_left,
    with_player,
    with_screen,
    with_table,
)


def composed(state: State, seat: int, **picked: str) -> Any:
    """The move that the picked fields come to."""
    fields = {name.replace("push_", "push-"): value for name, value in picked.items()}
    order = GAME.compose(GAME.view(state, seat), {k: v for k, v in fields.items() if v})
    return GAME.parse(state, seat, order)


def moves_offered(state: State, seat: int, offered: Any) -> list[Any]:
    """Every move that the options come to, put together in every way they can be."""
    match offered:
        case Dogs():
            return [composed(state, seat, dog=option.order) for option in offered.options]
        case First():
            options = [offered.keep, *(other.option for other in offered.others)]
            return [composed(state, seat, first=option.order) for option in options]
        case Conquest():
            each = [[option.order for option in one.options] or [""] for one in offered.battles]
            return [
                composed(state, seat, **{f"push_{n}": part for n, part in enumerate(parts, 1)})
                if any(parts)
                else GAME.parse(state, seat, offered.nothing)
                for parts in product(*each)
            ]
        case Withdrawal():
            each = [["", option.order] for option in offered.options]
            left = [" ".join(filter(None, parts)) for parts in product(*each)]
            return [composed(state, seat, leave=one or offered.nothing.order) for one in left]
    raise AssertionError(offered)


@pytest.mark.parametrize(("seats", "options"), FORMS)
def test_what_can_be_picked_is_what_is_legal(seats: int, options: dict[str, Any]) -> None:
    """Each option comes to a legal move, and each legal move to options."""
    met: set[str] = set()
    for state, seat in positions(seats, options, "choices"):
        offered, legal = GAME.choices(GAME.view(state, seat)), set(GAME.legal_moves(state, seat))
        met.add(GAME.phase(state).name)
        if isinstance(offered, Action):
            check_action(state, seat, offered, legal)
        elif isinstance(offered, Purchase):
            check_purchase(state, seat, offered, legal)
        else:
            assert set(moves_offered(state, seat, offered)) == legal
    assert {"mustering", "action"} <= met


def check_purchase(state: State, seat: int, offered: Purchase, legal: set[Any]) -> None:
    wares = {ware.kind: ware for ware in offered.wares}
    for move in legal:
        counts = {str(kind): str(move.soldiers.count(kind)) for kind in SOLDIERS}
        cost = sum(int(counts[kind]) * ware.cost for kind, ware in wares.items())
        assert cost <= offered.purse
        assert all(int(counts[kind]) <= ware.left for kind, ware in wares.items())
        if any(number != "0" for number in counts.values()):
            assert composed(state, seat, **counts) == move
    assert composed(state, seat, nothing=offered.nothing.order) == Buy()


def check_action(state: State, seat: int, offered: Action, legal: set[Any]) -> None:
    known = position(state, seat)
    cards = {name: f"{name.lower()} +" for name in known.screen.tactics}
    assert {option.order for option in offered.cards} == set(cards.values())
    ends = {(end.house, end.soldier, end.card): end for end in offered.ends}
    ended: set[tuple[str, str, str, str]] = set()
    ways = {
        way.option.order: (front.house, way.option, way.copied)
        for fronts in offered.battles
        for front in fronts
        for spot in front.spots
        for way in spot.ways
    }
    taken: set[str] = set()
    for move in legal - {Pass()}:
        soldier = next(one.option.order for one in offered.hand if one.kind is move.soldier)
        place = " ".join(GAME.format(move).split(f"{soldier} ", 1)[1:])
        house, option, copied = ways[place]
        taken.add(place)
        assert (house, option.why_not, copied) == (move.house, None, move.copied)
        assert option.places == (f"{move.house} {move.space}",)
        card = cards[move.tactic] if move.tactic else ""
        picked = {"soldier": soldier, "place": place, "card": card}
        assert composed(state, seat, **picked) == move
        end, plan = ends[(house, soldier, card)], preview(known, move)
        assert end.tracker == plan.tracker_moved
        assert end.pushed.get(place, end.tracker) == plan.tracker_after
        ended.add((house, soldier, card, place))
    assert ended == {(*key, place) for key, end in ends.items() for place in end.places}
    assert {order for order, (_, option, _) in ways.items() if not option.why_not} == taken
    assert composed(state, seat, **{"pass": offered.giving_up.order}) == Pass()
    for example in (offered.example, offered.example_with_card, offered.example_copying):
        assert not example or GAME.parse(state, seat, example) in legal


def reasons(state: State, house: House) -> list[str]:
    """Why the spaces of a house cannot be taken; "" for one that can be."""
    offered = GAME.choices(GAME.view(state, 0))
    assert isinstance(offered, Action)
    fronts = [front for pair in offered.battles for front in pair]
    (front,) = (front for front in fronts if front.house is house)
    return [str(spot.ways[0].option.why_not or "") for spot in front.spots]


def test_a_space_of_a_closed_side_says_that_and_not_what_it_needs() -> None:
    """DOW-39: a knight in hand does not open the other house, whatever the space needs."""
    state = with_captains(scene(), House.MALLORY, 0)

    closed = reasons(state, House.TALBOT)

    assert len(closed) == 6
    assert all(said.startswith("You support Mallory in battle 1 this year") for said in closed)


def test_a_space_that_is_taken_says_that_and_not_what_it_needs() -> None:
    """DOW-37, also where a card in hand opens the side (DOW-41)."""
    state = with_captains(scene(), House.TALBOT, None, None, None, None, None, 1)
    betraying = with_captains(state, House.MALLORY, 0)
    betraying = with_screen(betraying, 0, tactics=("Betrayal",))

    for asked in (state, betraying):
        assert reasons(asked, House.TALBOT) == [*[""] * 5, "Space 6 of Talbot is taken."]


@pytest.mark.parametrize(
    ("hand", "captains", "said"),
    [
        (SoldierCounts(footman=1), 3, "for a knight or a war machine"),
        (SoldierCounts(footman=1, knight=1), 3, ""),
        (SoldierCounts(footman=1, knight=1), 0, "You have no captain left this year"),
        (SoldierCounts(), 3, "You hold no footman"),
    ],
)
def test_what_a_free_space_needs_is_said_where_nothing_else_is_in_the_way(
    hand: SoldierCounts, captains: int, said: str
) -> None:
    """DOW-42: space 6 of Talbot is for a knight or a war machine."""
    state = with_screen(with_player(scene(), 0, captains=captains), 0, soldiers=hand)

    found = reasons(state, House.TALBOT)[5]

    assert found.startswith(said)
    assert bool(found) == bool(said)


def test_what_is_to_be_had_of_a_reward_now_is_said_where_it_is_not_plain() -> None:
    """DOW-58, DOW-61: two captains opposite are two coins, and of no token nothing is to be had."""
    state = with_captains(scene(), House.BASTIANI, 1, 1)
    offered = GAME.choices(GAME.view(with_influence_left(state, House.HACKETT, 0), 0))
    assert isinstance(offered, Action)

    (front,) = (one for pair in offered.battles for one in pair if one.house is House.HACKETT)

    said = [str(spot.ways[0].now or "") for spot in front.spots]
    assert said == ["nothing to be had now", "", "", "2 coins", "", "nothing to be had now"]


def test_a_space_without_a_reward_is_not_said_to_have_nothing_now() -> None:
    """DOW-62"""
    offered = GAME.choices(GAME.view(with_captains(scene(), House.MALLORY, 1), 0))
    assert isinstance(offered, Action)

    (front,) = (one for pair in offered.battles for one in pair if one.house is House.MALLORY)

    assert [spot.taken_by for spot in front.spots] == [1, *[None] * 5]
    assert front.spots[5].ways[0].now is None


@pytest.mark.parametrize(
    ("state", "takes"),
    [
        (scene(), True),
        (with_table(scene(), first_passed=1), False),
        (with_player(scene(), 0, captains=0), True),
        (with_player(scene(forced_pass_takes_token=False), 0, captains=0), False),
    ],
    ids=["the first", "the second", "forced", "forced, with the switch"],
)
def test_a_pass_is_said_to_take_the_token_where_it_does(state: State, takes: bool) -> None:
    """DOW-68: the token, which DOW-21 lets its holder give away, and not the first turn."""
    view = GAME.view(state, 0)
    offered = GAME.choices(view)
    assert isinstance(offered, Action)

    said = [str(note) for note in offered.giving_up.notes]

    (told,) = (e for e in GAME.apply(state, 0, Pass(), dice()).events if isinstance(e, Passed))
    assert told.takes_token == view.takes_token() == takes
    assert ("The first to pass takes the first-player token for next year." in said) == takes


def test_who_is_not_asked_has_nothing_to_choose() -> None:
    state, seat = next(positions(4, {}, "nobody"))

    assert GAME.choices(GAME.view(state, (seat + 1) % 4)) is None
    assert GAME.choices(GAME.view(state, None)) is None


def test_fields_that_contradict_each_other_are_no_order() -> None:
    state, seat = next(
        (state, seat)
        for state, seat in positions(3, {}, "contradiction")
        if GAME.phase(state).name == "mustering"
    )

    with pytest.raises(Unreadable):
        composed(state, seat, footman="1", nothing="nothing")
    with pytest.raises(Unreadable, match="no field called purse"):
        composed(state, seat, purse="2")
