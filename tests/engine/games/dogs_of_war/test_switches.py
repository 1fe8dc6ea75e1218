"""What no document settles: each resolution is a switch with its default, tried both ways."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.errors import IllegalMove, OptionsError
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import (
    Components,
    Dog,
    House,
    Reward,
    RewardKind,
    SoldierCounts,
    catalogue,
)
from engine.games.dogs_of_war.choices import Action
from engine.games.dogs_of_war.events import Rewarded
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.moves import Pass
from engine.games.dogs_of_war.state import YEARS, Influence
from tests.engine.games.dogs_of_war.scenes import (
    everybody_passes,
    last_pass,
    legal,
    play,
    scene,
    step,
    told,
    with_battle,
    with_captains,
    with_influence_left,
    with_lead,
    with_position,
    with_screen,
    with_table,
)

B, M, C, S = Dog.BLACKMANE, Dog.OMALLEY, Dog.CONQUEROR, Dog.STORMCROW


def refused(seats: int = 3, **options: object) -> OptionsError:
    with pytest.raises(OptionsError) as error:
        GAME.check_options(seats, Options(**options))  # type: ignore[arg-type]
    return error.value


# --- Betrayal in its own turn ---


@pytest.mark.parametrize("at_once", [True, False])
def test_betrayal_opens_the_other_side_at_once_or_from_the_next_turn_on(at_once: bool) -> None:
    """DOW-41: the tactic card resolves first, unless switched."""
    state = with_captains(scene(betrayal_at_once=at_once), House.TALBOT, 0)
    state = with_screen(state, 0, tactics=("Betrayal",))

    orders = legal(state, 0)
    later = play(state, 0, "betrayal + footman talbot 2")

    assert ("betrayal + knight mallory 5" in orders) is at_once
    assert "knight mallory 5" in legal(with_table(later, turn=0), 0)


def test_a_betrayal_that_comes_too_late_for_this_turn_says_so() -> None:
    """DOW-41: where the switch is set."""
    state = with_captains(scene(betrayal_at_once=False), House.TALBOT, 0)
    state = with_screen(state, 0, tactics=("Betrayal",))

    with pytest.raises(IllegalMove, match="played in an earlier turn") as error:
        GAME.parse(state, 0, "betrayal + knight mallory 5")

    assert error.value.rule == "DOW-41"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, ["You may support both houses of this battle for the rest of the year."]),
        (
            {"betrayal_opens": "year", "betrayal_at_once": False},
            [
                "You may support both houses of every battle for the rest of the year.",
                "It counts from your next turn on.",
            ],
        ),
    ],
)
def test_betrayal_says_what_it_opens_and_from_when_on(
    options: dict[str, object], said: list[str]
) -> None:
    """DOW-40, 41: beside the card to play, as in the tables."""
    state = with_screen(scene(**options), 0, tactics=("Betrayal",))
    view = GAME.view(state, 0)

    found = GAME.choices(view)
    assert isinstance(found, Action)
    card = next(card for card in catalogue("pbem-1").components.tactics if card.both_sides)

    assert [sentence.text for sentence in found.cards[0].notes] == said
    assert [sentence.text for sentence in view.say.card(card)] == said


# --- what the Conqueror reads of himself ---


@pytest.mark.parametrize(
    ("moves", "said"),
    [("up_to_two", "by up to 2 spaces toward"), ("two", "by 2 spaces, not by 1,")],
)
def test_the_conquerors_ability_is_told_as_the_match_has_it(moves: str, said: str) -> None:
    """DOW-91."""
    view = GAME.view(scene(dogs=(C, M, B), conqueror_moves=moves), 0)

    assert said in str(view.say.ability(C))


# --- passing is meant ---


def test_a_free_pass_is_confirmed_and_nothing_else_is() -> None:
    """DOW-64, DOW-65."""
    state = scene()
    stuck = with_screen(state, 0, soldiers=SoldierCounts())

    assert GAME.confirmed_by(state, 0, Pass()) == "pass for the year"
    assert GAME.parse(state, 0, "pass for the year") == Pass()
    assert GAME.confirmed_by(stuck, 0, Pass()) is None
    assert GAME.confirmed_by(state, 0, GAME.parse(state, 0, "footman talbot 1")) is None


# --- too few tactic cards ---


@pytest.mark.parametrize(("switch", "cards"), [("what_there_is", 1), ("nothing", 0)])
def test_of_too_few_tactic_cards_those_are_drawn_or_none(switch: str, cards: int) -> None:
    """DOW-53: two are due, one is left in deck and discards together."""
    state = scene(short_draw=switch)
    state = with_table(state, deck=1, discards=())
    state = replace(state, deck=state.deck[:1])

    after = step(state, 0, "arquebuser tornborn 5")

    assert told(after, Rewarded)[0].got == cards
    assert len(after.state.screens[0].tactics) == cards
    assert after.state.table.deck == 1 - cards


def test_enough_tactic_cards_are_drawn_with_either_switch() -> None:
    """DOW-53: with the discards counted in."""
    for switch in ("what_there_is", "nothing"):
        state = scene(short_draw=switch)
        state = with_table(state, deck=1, discards=state.deck[1:2])
        state = replace(state, deck=state.deck[:1])

        assert len(play(state, 0, "arquebuser tornborn 5").screens[0].tactics) == 2


# --- a copied space that asks for more ---


@pytest.mark.parametrize("ignores", [True, False])
def test_a_copy_minds_what_the_copied_space_asks_for_or_not(ignores: bool) -> None:
    """DOW-57: space 6 opposite asks for a knight; a footman copies it, unless switched."""
    state = scene(copy_ignores_prerequisite=ignores)

    orders = legal(state, 0)

    assert ("footman harlow 2 copy 6" in orders) is ignores
    assert "knight harlow 2 copy 6" in orders
    assert "footman harlow 2 copy 2" in orders


def test_a_copy_of_a_space_that_asks_for_more_is_refused_with_those_there_are() -> None:
    """DOW-57: where the switch is set; a card that frees of prerequisites frees this one, too."""
    state = with_screen(scene(copy_ignores_prerequisite=False), 0, tactics=("Bribe",))

    with pytest.raises(IllegalMove, match="You can choose: 1, 2, 3, 4"):
        GAME.parse(state, 0, "footman harlow 2 copy 6")

    assert GAME.parse(state, 0, "bribe + footman harlow 2 copy 6")


# --- the bonus reward ---


def won(*captains: int, bonus: Reward, dogs: tuple[Dog, ...] = (B, M, S), **options: object):  # type: ignore[no-untyped-def]
    """Talbot wins with these captains; the bonus is at stake."""
    state = with_captains(
        with_lead(scene(dogs, **options), House.TALBOT, 5), House.TALBOT, *captains
    )
    return with_battle(state, 0, bonus=bonus)


@pytest.mark.parametrize(("switch", "house"), [("victor", "talbot"), ("defeated", "mallory")])
def test_bonus_influence_is_of_the_victorious_house_or_of_the_defeated(
    switch: str, house: str
) -> None:
    """DOW-83: of the house the winners supported, unless switched."""
    state = won(1, bonus=Reward(RewardKind.INFLUENCE, 2), bonus_influence=switch)

    after = everybody_passes(state)

    assert after.screens[1].influence == Influence(**{house: 2})


def test_bonus_influence_of_the_defeated_is_of_whichever_house_that_is() -> None:
    """DOW-83: Mallory wins, and the bonus is Talbot's."""
    state = with_lead(scene(bonus_influence="defeated"), House.MALLORY, 5)
    state = with_battle(state, 0, bonus=Reward(RewardKind.INFLUENCE, 2))

    after = everybody_passes(with_captains(state, House.MALLORY, 1))

    assert after.screens[1].influence == Influence(talbot=2)


@pytest.mark.parametrize(("switch", "got"), [("turn_order", [2, 1]), ("nobody", [0, 0])])
def test_a_bonus_that_does_not_last_for_all_is_served_in_turn_order_or_to_nobody(
    switch: str, got: list[int]
) -> None:
    """DOW-84: three tokens are left, two players are due two each."""
    state = won(1, 2, bonus=Reward(RewardKind.INFLUENCE, 2), short_bonus=switch)

    ended = last_pass(with_influence_left(state, House.TALBOT, 3))

    assert [ended.state.screens[seat].influence.talbot for seat in (1, 2)] == got
    assert [(event.seat, event.got) for event in told(ended, Rewarded)] == [
        (1, got[0]),
        (2, got[1]),
    ]


@pytest.mark.parametrize(
    "bonus",
    [
        Reward(RewardKind.INFLUENCE, 2),
        Reward(RewardKind.KNIGHT),
        Reward(RewardKind.TACTICS, 2),
        Reward(RewardKind.COINS, 3),
        Reward(RewardKind.CAPTAIN),
    ],
    ids=lambda reward: reward.kind.value,
)
def test_a_bonus_that_lasts_for_all_goes_to_all_with_either_switch(bonus: Reward) -> None:
    """DOW-84, DOW-81: every tied player takes it in full."""
    screens = [
        everybody_passes(won(1, 2, bonus=bonus, short_bonus=switch)).screens
        for switch in ("turn_order", "nobody")
    ]

    assert screens[0] == screens[1]


@pytest.mark.parametrize("bonus", [Reward(RewardKind.KNIGHT), Reward(RewardKind.TACTICS, 2)])
def test_cards_that_run_out_follow_the_switch_too(bonus: Reward) -> None:
    """DOW-84: soldier cards and tactic cards are limited as well (DOW-12)."""
    gained = {}
    for switch in ("turn_order", "nobody"):
        state = won(1, 2, bonus=bonus, short_bonus=switch)
        left = replace(state.table.soldiers, knight=1)
        state = with_table(replace(state, deck=state.deck[:3]), soldiers=left, deck=3)
        before = [held(state, seat) for seat in (1, 2)]
        after = everybody_passes(state)
        gained[switch] = [held(after, seat) - old for seat, old in zip((1, 2), before, strict=True)]

    assert gained["turn_order"] == [bonus.amount, 1 if bonus.amount == 2 else 0]
    assert gained["nobody"] == [0, 0]


def held(state, seat: int) -> int:  # type: ignore[no-untyped-def]
    """Knights and tactic cards together; a test looks at one of them."""
    return state.screens[seat].soldiers.knight + len(state.screens[seat].tactics)


def test_a_single_taker_takes_what_there_is_with_either_switch() -> None:
    """DOW-84, DOW-61: the switch is about ties."""
    for switch in ("turn_order", "nobody"):
        state = won(1, bonus=Reward(RewardKind.INFLUENCE, 2), short_bonus=switch)

        after = everybody_passes(with_influence_left(state, House.TALBOT, 1))

        assert after.screens[1].influence.talbot == 1


# --- the Conqueror on both sides ---


def test_a_switch_keeps_the_conqueror_from_a_tracker_where_he_supports_both_sides() -> None:
    """DOW-93: he picks a side by default; switched, the tracker stays."""
    state = with_captains(scene((C, B, M), conqueror_on_both_sides="stays"), House.TALBOT, 0)
    state = with_captains(with_captains(state, House.MALLORY, 0), House.HACKETT, 0)
    state = everybody_passes(state)

    assert legal(state, 0) == {"push nothing", "push hackett:1", "push hackett:2"}
    with pytest.raises(IllegalMove) as error:
        GAME.parse(state, 0, "push talbot:1")
    assert error.value.rule == "DOW-93"


# --- equal points ---


@pytest.mark.parametrize(("switch", "first"), [("shared", (0, 1)), ("coins", (1,))])
def test_equal_points_share_the_victory_or_coins_decide(switch: str, first: tuple[int]) -> None:
    """DOW-100: shared by default."""
    state = with_table(scene(ties=switch), year=YEARS)
    for house in House:
        state = with_position(state, house, 0)
    for seat, (points, coins) in enumerate(((9, 0), (7, 4), (0, 9))):
        state = with_screen(state, seat, points=points, coins=coins, soldiers=SoldierCounts())

    assert GAME.outcome(everybody_passes(state)).winners == first  # type: ignore[union-attr]


def test_equal_points_and_equal_coins_share_the_victory_after_all() -> None:
    """DOW-100: with the switch as well."""
    state = with_table(scene(ties="coins"), year=YEARS)
    for seat in range(3):
        state = with_screen(state, seat, points=5, coins=2)

    assert GAME.outcome(everybody_passes(state)).winners == (0, 1, 2)  # type: ignore[union-attr]


# --- equal ranks in the decisive year ---


def test_a_switch_orders_equal_ranks_as_the_houses_are_listed() -> None:
    """DOW-V3: by lot by default; switched, the same whatever the dice."""
    state = with_table(scene(decisive_fourth_year=True, decisive_ties="listed"), year=3, turn=0)
    state = with_position(state, House.HARLOW, 3)
    state = play(play(state, 0, "pass"), 1, "pass")

    pairs = {
        tuple(
            side.house
            for battle in play(state, 2, "pass", seed=str(number)).table.battles
            for side in battle.sides
        )
        for number in range(10)
    }

    assert pairs == {(House.HARLOW, *(house for house in House if house is not House.HARLOW))}


# --- where a switch means nothing ---


@pytest.mark.parametrize(
    ("option", "value", "rule", "dog"),
    [
        ("ordalia_counts_for", "outcome", "DOW-88", Dog.ORDALIA),
        ("ordalia_needs_captain", False, "DOW-89", Dog.ORDALIA),
        ("conqueror_moves", "two", "DOW-91", C),
        ("conqueror_on_both_sides", "stays", "DOW-93", C),
        ("stormcrow_withdraws", "by_choice", "DOW-94", S),
        ("stormcrow_counts_own", False, "DOW-95", S),
    ],
)
def test_a_switch_about_a_dog_nobody_plays_is_refused(
    option: str, value: object, rule: str, dog: Dog
) -> None:
    """DOW-1: where the host has chosen the dogs; dealt at random, each may be among them."""
    others = tuple(one for one in Dog if one is not dog)[:3]

    error = refused(dogs=others, **{option: value})

    assert error.rule == rule
    assert option in str(error)
    GAME.check_options(3, Options(**{option: value}))  # type: ignore[arg-type]
    GAME.check_options(3, Options(dogs=(dog, *others[:2]), **{option: value}))  # type: ignore[arg-type]


def without(what: str) -> Components:
    """The usual set, with one thing less and something plain in its stead."""
    box = catalogue("pbem-1").components
    plain = Reward(RewardKind.COINS, 1)
    tiles = tuple(
        tuple(
            replace(space, reward=plain)
            if space.reward is not None and space.reward.kind.value == what
            else space
            for space in tile
        )
        for tile in box.tiles
    )
    bonuses = tuple(plain if one.kind.value == what else one for one in box.bonuses)
    cards = tuple(
        replace(card, both_sides=False, extra_strength=1)
        if what == "betrayal" and card.both_sides
        else card
        for card in box.tactics
    )
    return replace(box, name="less", tiles=tiles, bonuses=bonuses, tactics=cards)


@pytest.mark.parametrize(
    ("option", "value", "rule", "what"),
    [
        ("betrayal_opens", "year", "DOW-40", "betrayal"),
        ("betrayal_at_once", False, "DOW-41", "betrayal"),
        ("conqueror_on_both_sides", "stays", "DOW-93", "betrayal"),
        ("copy_ignores_prerequisite", False, "DOW-57", "copy"),
        ("push_counts_self", True, "DOW-60", "push"),
        ("bonus_influence", "defeated", "DOW-83", "influence"),
    ],
)
def test_a_switch_about_something_the_component_set_has_not_is_refused(
    option: str, value: object, rule: str, what: str
) -> None:
    """DOW-20: a host's own set may be without it."""
    error = refused(components=without(what), **{option: value})

    assert error.rule == rule
    assert option in str(error)
    GAME.check_options(3, Options(components=without(what)))


def test_the_order_of_equal_ranks_means_nothing_without_the_decisive_year() -> None:
    """DOW-V3: it is refused."""
    assert refused(decisive_ties="listed").rule == "DOW-V3"
    GAME.check_options(3, Options(decisive_fourth_year=True, decisive_ties="listed"))
