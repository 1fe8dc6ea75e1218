"""Battle set-up, the first-player token and mustering (DOW-14 to DOW-30)."""

from collections import Counter

import pytest

from engine.dice import NoDice
from engine.errors import IllegalMove
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import (
    DEFAULT_SET,
    HOUSES,
    Reward,
    RewardKind,
    SoldierCounts,
    catalogue,
)
from engine.games.dogs_of_war.events import (
    Bought,
    FirstPlayerChosen,
    Mustered,
    MusteringBegan,
    YearBegan,
)
from engine.games.dogs_of_war.moves import Buy
from tests.engine.games.dogs_of_war.scenes import (
    everybody_passes,
    play,
    scene,
    started,
    step,
    told,
    with_player,
    with_screen,
    with_table,
)


def mustering(seats=3, seed="a test", **options):
    """A match in its first mustering, with seat 0 to buy first."""
    state = started(seats, seed=seed, **options)
    state = with_table(state, token=0, first=0, turn=0)
    return play(state, 0, "keep")


def year_of(state, year):
    """The set-up of a year, from the scene's last pass of the year before."""
    return everybody_passes(with_table(state, year=year - 1))


def test_a_match_has_four_years_of_four_phases():
    """DOW-14: battle set-up, mustering, action, outcome; four times."""
    state, phases = started(), []
    while GAME.outcome(state) is None:
        here = (state.table.year, state.table.phase)
        if not phases or phases[-1] != here:
            phases.append(here)
        order = {"first player": "keep", "mustering": "buy nothing"}.get(here[1], "pass")
        state = play(state, state.table.turn, order)

    kinds = ("first player", "mustering", "action")
    assert phases == [(year, kind) for year in (1, 2, 3, 4) for kind in kinds]


def test_the_year_moves_on_from_the_second_year():
    """DOW-15: the year marker moves one space with each battle set-up but the first."""
    assert started().table.year == 1
    assert everybody_passes(scene()).table.year == 2


def test_each_battle_gets_one_of_six_bonus_tokens():
    """DOW-16: six tokens shuffled, one at each battle, three unused."""
    for number in range(10):
        bonuses = [battle.bonus for battle in started(seed=str(number)).table.battles]
        assert len(set(bonuses)) == 3


def test_the_bonus_of_the_fourth_year_is_three_points_everywhere():
    """DOW-17: 3 VP at each battle."""
    state = year_of(scene(), 4)

    assert [battle.bonus for battle in state.table.battles] == [Reward(RewardKind.POINTS, 3)] * 3


def test_each_side_gets_another_of_the_eight_tiles():
    """DOW-18: two tiles a battle, one a side; two of the eight unused."""
    seen = Counter()
    for number in range(30):
        table = started(seed=str(number)).table
        tiles = [side.tile for battle in table.battles for side in battle.sides]
        assert len(set(tiles)) == 6
        for side in (side for battle in table.battles for side in battle.sides):
            assert side.spaces == catalogue(DEFAULT_SET).components.tiles[side.tile - 1]
        seen.update(tiles)
    assert set(seen) == {1, 2, 3, 4, 5, 6, 7, 8}


def test_all_six_houses_fight_two_by_two():
    """DOW-19: two house cards a battle."""
    table = started().table

    houses = [side.house for battle in table.battles for side in battle.sides]

    assert sorted(houses) == sorted(HOUSES)


def test_a_side_is_a_house_a_tile_and_a_half_of_the_track():
    """DOW-20: one side's lead is the other's arrears."""
    battle = scene().table.battles[0]

    assert [side.tile for side in battle.sides] == [1, 2]
    assert all(len(side.spaces) == 6 for side in battle.sides)
    assert battle.lead(0) == -battle.lead(1)


def test_what_is_told_of_a_set_up_is_what_lies_at_the_battles():
    """DOW-16, 18, 19: the houses, tiles and bonus tokens; what is seen cannot be taken back."""
    began = step(with_everyone_passed_but(scene(), 2), 2, "pass")

    assert began.reveals
    battles = began.state.table.battles
    event = told(began, YearBegan)[0]
    assert event.houses == tuple(tuple(side.house for side in one.sides) for one in battles)
    assert event.tiles == tuple(tuple(side.tile for side in one.sides) for one in battles)
    assert event.bonuses == tuple(one.bonus for one in battles)


def test_the_draws_of_a_year_are_named_after_it():
    """DOW-18: shuffled anew each year."""
    first = {started(seed=str(number)).table.battles[0].sides[0].tile for number in range(20)}
    began = told(step(with_everyone_passed_but(scene(), 2), 2, "pass"), YearBegan)

    assert len(first) > 3
    assert began[0].year == 2


def with_everyone_passed_but(state, seat):
    for other in range(len(state.table.players)):
        if other != seat:
            state = with_player(state, other, captains=0, passed=True)
    return with_table(state, turn=seat)


# --- the first-player token ---


def test_the_holder_may_keep_the_token_and_goes_first():
    """DOW-21: the holder decides at the end of every battle set-up."""
    state = with_table(started(), token=1, turn=1)

    after = play(state, 1, "keep")

    assert (after.table.token, after.table.first, after.table.turn) == (1, 1, 1)


def test_the_holder_may_give_the_token_to_any_other_player():
    """DOW-21: the holder after that goes first all year."""
    state = with_table(started(4), token=1, turn=1)

    given = step(state, 1, "give token to 4")

    after = given.state
    assert told(given, FirstPlayerChosen) == [FirstPlayerChosen(holder=1, first=3)]
    assert (after.table.token, after.table.first, after.table.turn) == (3, 3, 3)
    assert {GAME.format(move) for move in GAME.legal_moves(state, 1)} == {
        "keep",
        "give token to 1",
        "give token to 3",
        "give token to 4",
    }
    assert play(state, 1, "give token to 1").table.first == 0


@pytest.mark.parametrize("order", ["give token to 2", "give token to 5", "give token to 0"])
def test_the_token_goes_to_another_player_at_the_table(order):
    """DOW-21: to any *other* player."""
    state = with_table(started(4), token=1, turn=1)

    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, 1, order)

    assert refused.value.rule == "DOW-21"


def test_the_token_is_a_decision_of_every_year():
    """DOW-21: every year."""
    assert everybody_passes(scene()).table.phase == "first player"


# --- mustering ---


@pytest.mark.parametrize(("year", "captains"), [(1, 3), (2, 4), (3, 4), (4, 5)])
def test_captains_are_mustered_by_the_year(year, captains):
    """DOW-22: 3, 4, 4 and 5 captains."""
    state = started() if year == 1 else year_of(scene(), year)

    after = play(state, state.table.turn, "keep")

    assert [player.captains for player in after.table.players] == [captains] * 3


def test_captains_of_bonus_rewards_come_on_top_for_one_year_only():
    """DOW-22, DOW-23: last year's bonus captains are added; nothing else carries over."""
    state = with_player(scene(), 1, reserve=1)
    state = everybody_passes(state)
    kept = step(state, state.table.turn, "keep")

    state = kept.state
    assert [player.captains for player in state.table.players] == [4, 5, 4]
    assert told(kept, MusteringBegan)[0].captains == (4, 5, 4)
    assert [player.reserve for player in state.table.players] == [0, 0, 0]


def test_captains_left_over_do_not_carry_over():
    """DOW-23: year captains are not cumulative."""
    state = everybody_passes(with_player(scene(), 0, captains=3))
    state = play(state, state.table.turn, "keep")

    assert state.table.players[0].captains == 4


def test_nobody_musters_more_than_six_captains():
    """DOW-24: six captains at most, more are lost."""
    state = with_player(year_of(scene(), 4), 2, reserve=3)

    after = play(state, state.table.turn, "keep")

    assert after.table.players[2].captains == 6


@pytest.mark.parametrize("year", [1, 2, 3, 4])
def test_everybody_gets_three_coins_every_year(year):
    """DOW-25: income of 3, in year 1 too."""
    state = started() if year == 1 else year_of(scene(), year)
    before = [screen.coins for screen in state.screens]

    paid = step(state, state.table.turn, "keep")

    assert [screen.coins for screen in paid.state.screens] == [coins + 3 for coins in before]
    assert told(paid, MusteringBegan)[0].coins == 3


def test_purchases_go_clockwise_from_the_first_player():
    """DOW-26: starting with the first player."""
    state = with_table(started(4), token=2, turn=2)
    state, order = play(state, 2, "keep"), []
    while state.table.phase == "mustering":
        order.append(state.table.turn)
        state = play(state, state.table.turn, "buy nothing")

    assert order == [2, 3, 0, 1]
    assert state.table.turn == 2


def test_any_mix_that_can_be_paid_may_be_bought():
    """DOW-26, T1: knight, knight and arquebuser for eight coins leave none."""
    after = play(mustering(), 0, "buy knight knight arquebuser")

    assert after.screens[0].soldiers == SoldierCounts(knight=2, arquebuser=1)
    assert after.screens[0].coins == 0


@pytest.mark.parametrize("coins", range(3, 9))
def test_every_affordable_mix_is_legal_and_no_other(coins):
    """DOW-26: any number and mix that can be paid, and nothing dearer."""
    state = with_screen(mustering(), 0, coins=coins)

    mixes = {move.soldiers for move in GAME.legal_moves(state, 0)}

    wanted = {
        SoldierCounts(a, b, c, d)
        for a in range(9)
        for b in range(9)
        for c in range(9)
        for d in range(9)
        if a + 2 * b + 3 * c + 4 * d <= coins
    }
    assert mixes == wanted


def test_what_cannot_be_paid_is_refused_with_the_prices():
    """DOW-26: only what he can pay."""
    with pytest.raises(IllegalMove, match=r"costs 9; your coins: 8.*war machine 4") as no:
        GAME.parse(mustering(), 0, "buy 3 knights")

    assert no.value.rule == "DOW-26"


def test_less_than_nothing_cannot_be_bought():
    """DOW-26: no selling."""
    with pytest.raises(IllegalMove):
        GAME.check(mustering(), 0, Buy(SoldierCounts(footman=-1, knight=2)))


def test_coins_spent_go_and_coins_kept_stay_for_later_years():
    """DOW-27: unspent coins are kept."""
    after = play(mustering(), 0, "buy 1 war machine")
    assert after.screens[0].coins == 4

    state = everybody_passes(with_screen(scene(), 0, coins=4))
    assert play(state, state.table.turn, "keep").screens[0].coins == 7


def test_an_empty_pile_sells_nothing():
    """DOW-28: no soldier of an empty pile."""
    state = mustering()
    state = with_table(state, soldiers=SoldierCounts(footman=1))

    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, 0, "buy 1 knight")

    assert refused.value.rule == "DOW-28"
    assert {GAME.format(move) for move in GAME.legal_moves(state, 0)} == {
        "buy nothing",
        "buy 1 footman",
    }


def test_a_purchase_is_hidden_and_the_piles_are_seen():
    """DOW-29: what was bought is told to the buyer alone; pile sizes are visible."""
    bought = step(mustering(), 0, "buy 2 knights")

    assert [event.readers for event in told(bought, Bought)] == [(0,)]
    assert [event.readers for event in told(bought, Mustered)] == [None]
    assert GAME.view(bought.state, 1).table.soldiers.knight == 10
    assert GAME.view(bought.state, 1).screen.soldiers == SoldierCounts()


def test_there_is_one_opportunity_to_buy_a_year():
    """DOW-30: no second round of buying."""
    state = play(mustering(), 0, "buy 1 footman")

    with pytest.raises(IllegalMove, match="not your turn"):
        GAME.parse(state, 0, "buy 1 footman")


def test_mustering_leaves_nothing_to_chance():
    """DOW-26: a purchase draws nothing."""
    state = mustering()

    GAME.apply(state, 0, GAME.parse(state, 0, "buy 1 footman"), NoDice())
