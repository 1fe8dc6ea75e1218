"""The official variants and the switches (DOW-V1 to DOW-V6)."""

import pytest
from msgspec.structs import replace

from engine.errors import IllegalMove, OptionsError
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog, House, catalogue
from engine.games.dogs_of_war.events import BattleClosed, HousesRemoved, Rewarded
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.moves import Place
from tests.engine.games.dogs_of_war.scenes import (
    begun,
    dice,
    everybody_passes,
    lead,
    legal,
    play,
    position,
    scene,
    started,
    step,
    told,
    with_captains,
    with_lead,
    with_position,
    with_screen,
    with_table,
)


def refused(seats, **options):
    with pytest.raises(OptionsError) as error:
        GAME.check_options(seats, Options(**options))
    return error.value


# --- V1 ---


@pytest.mark.parametrize(("spaces", "steps"), [(11, 1), (12, 2), (15, 2)])
def test_crushing_victory_at_twelve(spaces, steps):
    """DOW-V1: glorious on 12 or more; house tokens start on 0 and fall to -1 at most."""
    state = scene(crushing_at_twelve=True)
    assert {row.position for row in state.table.houses} == {0}

    after = everybody_passes(with_lead(state, House.TALBOT, spaces))

    assert position(after, House.TALBOT) == steps
    assert position(after, House.MALLORY) == (0 if steps == 1 else -1)


def test_crushing_at_twelve_leaves_the_track_its_fifteen_spaces():
    """DOW-V1: the tracker still runs to 15."""
    state = with_lead(scene(crushing_at_twelve=True), House.TALBOT, 12)

    assert lead(play(state, 0, "war machine talbot 1"), House.TALBOT) == 15


def test_without_the_variant_twelve_is_a_plain_victory():
    """DOW-V1: off by default."""
    after = everybody_passes(with_lead(scene(), House.TALBOT, 14))

    assert position(after, House.TALBOT) == 0


# --- V2 ---


def test_a_battle_closes_at_once_when_its_tracker_reaches_fifteen():
    """DOW-V2, DOW-45: no more captains or soldiers there; scored as usual."""
    state = with_lead(scene(sudden_death=True), House.TALBOT, 10)

    closed = step(state, 0, "knight talbot 2")

    assert told(closed, BattleClosed)[0].battle == 0
    houses = {move.house for move in GAME.legal_moves(closed.state, 1) if isinstance(move, Place)}
    assert not houses & {House.TALBOT, House.MALLORY}
    with pytest.raises(IllegalMove) as error:
        GAME.parse(closed.state, 1, "knight mallory 1")
    assert error.value.rule == "DOW-V2"
    assert everybody_passes(closed.state).table.results[0].glorious


def test_a_battle_short_of_fifteen_stays_open():
    """DOW-V2: at 15, not before."""
    state = with_lead(scene(sudden_death=True), House.TALBOT, 9)

    assert told(step(state, 0, "knight talbot 2"), BattleClosed) == []


def test_a_push_can_close_a_battle():
    """DOW-V2: the tracker reaches 15, however it does."""
    state = with_captains(scene(sudden_death=True), House.TORNBORN, 1)
    state = with_lead(state, House.TORNBORN, 13)

    assert told(step(state, 0, "footman tornborn 3"), BattleClosed)[0].house is House.TORNBORN


@pytest.mark.parametrize(("reward", "coins"), [(True, 7), (False, 5)])
def test_who_closes_a_battle_still_takes_the_reward(reward, coins):
    """DOW-V2a: unless the host switches it off; who does not close it takes it anyway."""
    state = scene(sudden_death=True, sudden_death_reward=reward)

    closing = step(with_lead(state, House.TALBOT, 10), 0, "knight talbot 2")
    short = step(with_lead(state, House.TALBOT, 9), 0, "knight talbot 2")

    assert closing.state.screens[0].coins == coins
    assert bool(told(closing, Rewarded)) is reward
    assert short.state.screens[0].coins == 7


# --- V3 ---


def test_the_fourth_year_pairs_the_houses_by_rank():
    """DOW-V3: first against second, third against fourth, fifth against sixth."""
    state = scene(decisive_fourth_year=True)
    ranks = (House.HARLOW, House.TALBOT, House.HACKETT, House.MALLORY, House.BASTIANI)
    for place, house in enumerate(ranks):
        state = with_position(state, house, 5 - place)

    state = everybody_passes(with_table(state, year=3))

    pairs = [tuple(side.house for side in battle.sides) for battle in state.table.battles]
    assert pairs == [
        (House.HARLOW, House.TALBOT),
        (House.HACKETT, House.MALLORY),
        (House.BASTIANI, House.TORNBORN),
    ]


def test_equal_ranks_are_ordered_by_chance():
    """DOW-V3: equal ranks at random."""
    state = with_table(scene(decisive_fourth_year=True), year=3, turn=0)
    state = play(play(state, 0, "pass"), 1, "pass")

    firsts = {
        play(state, 2, "pass", seed=str(number)).table.battles[0].sides[0].house
        for number in range(40)
    }

    assert len(firsts) == 6


@pytest.mark.parametrize(("decisive", "year"), [(True, 3), (False, 4)])
def test_other_years_are_not_paired_by_rank(decisive, year):
    """DOW-V3: year 4 only, and only with the variant."""
    state = with_table(scene(decisive_fourth_year=decisive), year=year - 1, turn=0)
    for place, house in enumerate(House):
        state = with_position(state, house, 5 - place)
    state = play(play(state, 0, "pass"), 1, "pass")

    firsts = {
        play(state, 2, "pass", seed=str(number)).table.battles[0].sides[0].house
        for number in range(20)
    }

    assert len(firsts) > 1


# --- V4, V5 ---


def test_the_cut_throat_game_leaves_out_two_houses_and_a_battle():
    """DOW-V4: two houses out at random, with card, support card and token; two battles a year."""
    opening = begun(3, dice(), two_battles=True)
    table = opening.state.table

    assert len(table.battles) == 2
    assert len(table.houses) == 4
    assert told(opening, HousesRemoved)[0].houses == table.removed
    in_play = {row.house for row in table.houses}
    assert in_play | set(table.removed) == set(House)
    supports = [screen.support for screen in opening.state.screens] + list(opening.state.undealt)
    assert set(supports) == in_play
    assert {side.house for battle in table.battles for side in battle.sides} == in_play


def test_the_cut_throat_game_is_for_three_players_and_off_by_default():
    """DOW-V4: an option of the 3-player game."""
    assert not Options().two_battles
    assert refused(4, two_battles=True).rule == "DOW-V4"
    GAME.check_options(3, Options(two_battles=True))


@pytest.mark.parametrize(("fewer", "tokens"), [(True, 8), (False, 12)])
def test_the_cut_throat_game_keeps_eight_influence_tokens_a_house(fewer, tokens):
    """DOW-V5: the reduction for three players still applies, unless switched."""
    state = started(two_battles=True, two_battles_fewer_influence=fewer)

    assert {row.influence for row in state.table.houses} == {tokens}


# --- V6 and the other switches ---


def test_variants_combine():
    """DOW-V6: independent of each other, and all named in the title line."""
    options = Options(
        crushing_at_twelve=True, sudden_death=True, decisive_fourth_year=True, two_battles=True
    )
    GAME.check_options(3, options)

    assert [str(variant) for variant in GAME.variants(3, options)] == [
        "crushing victory at 12",
        "sudden death",
        "decisive fourth year",
        "two battles a year",
    ]
    assert GAME.variants(3, Options()) == ()


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"sudden_death_reward": False}, "DOW-V2a"),
        ({"two_battles_fewer_influence": False}, "DOW-V5"),
    ],
)
def test_switches_of_a_variant_mean_nothing_without_it(options, rule):
    """DOW-V6: and are refused with a sentence."""
    assert refused(3, **options).rule == rule


@pytest.mark.parametrize("name", Options.__struct_fields__)
def test_every_switch_off_its_default_is_named_in_the_title(name):
    """DOW-V6: whoever opens the match page sees what is played."""
    other = replace(catalogue("pbem-1").components, name="ours", title="Ours")
    values = {
        "dogs": tuple(Dog)[:3],
        "components": other,
        "captain_limit": 7,
        "betrayal_opens": "year",
        "short_draw": "nothing",
        "bonus_influence": "defeated",
        "short_bonus": "nobody",
        "conqueror_on_both_sides": "stays",
        "ties": "coins",
        "decisive_ties": "listed",
        "victor_by": "strength",
        "ordalia_counts_for": "outcome",
        "conqueror_moves": "two",
        "stormcrow_withdraws": "by_choice",
    }
    value = values.get(name, not getattr(Options(), name))

    assert len(GAME.variants(3, Options(**{name: value}))) == 1


def test_a_switch_opens_every_battle_to_the_traitor():
    """DOW-40: the other document's reading of Betrayal."""
    state = with_captains(scene(betrayal_opens="year"), House.HACKETT, 0)
    state = with_screen(state, 0, tactics=("Betrayal",))

    state = play(state, 0, "betrayal + knight mallory 5")

    assert state.table.players[0].betrayed == (0, 1, 2)
    assert play(with_table(state, turn=0), 0, "footman bastiani 1")


def test_a_switch_reads_the_victor_from_strengths_without_the_cap():
    """DOW-49: 15 and 15 lost against 16 is a defeat by the tracker and a victory by strength."""
    victors = []
    for by in ("tracker", "strength"):
        state = with_lead(scene(victor_by=by), House.TALBOT, 15)
        for order in ("war machine talbot 1", "war machine talbot 2"):
            state = play(with_table(state, turn=0), 0, order)
        state = play(with_table(with_lead(state, House.TALBOT, 3), turn=1), 1, "knight mallory 5")
        result = everybody_passes(state).table.results[0]
        victors.append((result.victor, result.lead))

    assert victors == [(House.MALLORY, 2), (House.TALBOT, -2)]


def test_the_rules_of_a_match_say_what_decides_its_battles():
    """DOW-49, DOW-72, DOW-73, DOW-75: where strength does, the tracker only brings glory."""
    books = {
        by: " ".join(
            str(rule.sentence)
            for chapter in GAME.rulebook(3, Options(victor_by=by), "3")
            for rule in chapter.rules
        )
        for by in ("tracker", "strength")
    }

    assert "on whose side the tracker stands wins" in books["tracker"]
    assert "In the centre nobody wins" in books["tracker"]
    assert "for which more strength was played wins" in books["strength"]
    assert "At equal strength nobody wins" in books["strength"]
    assert "on whose side" not in books["strength"]
    assert "In the centre nobody" not in books["strength"]


def test_a_switch_allows_one_soldier_a_year():
    """DOW-26: the reading of the Spanish document."""
    state = started(one_soldier_a_year=True)
    state = play(state, state.table.turn, "keep")

    orders = {GAME.format(move) for move in GAME.legal_moves(state, state.table.turn)}

    assert orders == {
        "buy nothing",
        "buy 1 footman",
        "buy 1 arquebuser",
        "buy 1 knight",
        "buy 1 war machine",
    }
    with pytest.raises(IllegalMove, match="Only one soldier"):
        GAME.parse(state, state.table.turn, "buy 2 footmen")
    poor = with_screen(state, state.table.turn, coins=2)
    assert legal(poor, state.table.turn) == {"buy nothing", "buy 1 footman", "buy 1 arquebuser"}
    assert GAME.format(GAME.default_move(state, state.table.turn)) == "buy 1 footman"


def test_a_switch_sets_another_limit_of_captains():
    """DOW-24: nine captains where the host likes."""
    state = scene(captain_limit=9)
    state = with_captains(state, House.HACKETT, 0, 0, 0)

    assert play(state, 0, "knight talbot 6").table.players[0].captains == 3
