"""Set-up, turns and activations: SKR-3, 7, 16 to 25, 47."""

import pytest
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish.events import FirstTaken, OrderTaken, SideTaken
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import Activate, End, Initiative
from engine.games.skirmish.stages import activation, scoring
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    of_kind,
    order,
    play_on,
    refused,
    world,
)


def fresh(**options):
    return GAME.setup(2, SkirmishOptions(**options), SeededDice.from_text("s")).state


def built(dice, **options):
    state = after(fresh(**options), "build rangers", dice)
    return after(state, "build taliban", dice, seat=1)


def deployed(**options):
    state = built(Loaded(**{"table side, seat 1": [2], "table side, seat 2": [7]}), **options)
    state = after(state, "side south")
    for seat in (0, 1):
        state = GAME.apply(
            state, seat, GAME.default_move(state, seat), Loaded(**{"initiative of seat 1": [1]})
        ).state
    return state


def test_the_scenario_says_what_the_table_is_for():
    """SKR-16: terrain and objectives come with the scenario and the table chosen."""
    state = fresh(scenario="night-raid", table="compound")

    view = GAME.view(state, None)
    assert view.night
    assert [objective.name for objective in view.objectives] == ["cache", "radio"]
    assert view.table.name == "compound"


def test_the_low_roll_chooses_the_side_and_ties_are_rolled_again():
    """SKR-17: opponent 3, we 3; then 9 against 4."""
    dice = Loaded(**{"table side, seat 1": [3, 9], "table side, seat 2": [3, 4]})

    state = built(dice)

    assert GAME.phase(state).pending == {1}
    step = order(state, "side north", seat=1)
    assert step.state.sides == ("south", "north")
    assert of_kind(step, SideTaken)[0].seat == 1


def test_a_second_roll_decides_who_deploys_first_where_they_deploy_by_turns():
    """SKR-18."""
    state = built(
        Loaded(**{"table side, seat 1": [1], "table side, seat 2": [5]}), deployment="turns"
    )
    dice = Loaded(**{"deployment, seat 1": [8], "deployment, seat 2": [2]})
    state = after(state, "side south", dice)

    assert GAME.phase(state).name == "order"
    assert GAME.phase(state).pending == {1}
    step = order(state, "deploy second", seat=1)
    assert of_kind(step, OrderTaken)[0].seat == 0
    assert GAME.phase(step.state).pending == {0}


@pytest.mark.parametrize(("deployment", "seen"), [("turns", 4), ("hidden", 0)])
def test_who_deploys_second_sees_where_the_first_stands(deployment, seen):
    """SKR-18: else the roll for it would decide nothing. In secret both deploy at once."""
    dice = Loaded(**{"table side, seat 1": [1], "table side, seat 2": [5]})
    state = built(dice, deployment=deployment)
    state = replace(state, stage="deployment", sides=("south", "north"))
    places = GAME.default_move(state, 0)
    assert GAME.view(state, 1).others == ()

    state = GAME.apply(state, 0, places, dice).state

    others = GAME.view(state, 1).others
    assert [(man.name, man.x, man.y) for man in others] == [
        (place.model, place.x, place.y) for place in places.places[:seen]
    ]
    assert GAME.view(state, None).others == ()
    same = GAME.other_world(state, 1, SeededDice.from_text("x")).places[0] == places
    assert same == (deployment == "turns")


def test_deployment_is_within_six_inches_of_opposite_edges():
    """SKR-19."""
    state = built(Loaded(**{"table side, seat 1": [1], "table side, seat 2": [5]}))
    state = after(state, "side south")
    line = "deploy alpha-1 20,{y}; alpha-2 22,2; alpha-3 24,2; alpha-4 26,2"

    assert refused(state, line.format(y=6.5)).rule == "SKR-19"
    assert refused(state, "deploy alpha-1 20,2").rule == "SKR-19"
    assert refused(state, line.format(y=2).replace("22,2", "20.5,2")).rule == "SKR-48"
    state = after(state, line.format(y=6))
    assert GAME.phase(state).pending == {1}
    assert GAME.view(state, 1).own_places is None


def test_a_turn_is_initiative_then_activations_then_morale_and_the_end():
    """SKR-20: the phases come in that order, and turn 2 follows turn 1."""
    state = deployed()
    assert (GAME.phase(state).name, state.turn) == ("initiative", 1)

    state = after(state, "go first", seat=state.chooser)
    assert GAME.phase(state).name == "activation"
    while state.turn == 1:
        seat = state.chooser
        state = (
            GAME.apply(state, seat, GAME.default_move(state, seat), Loaded()).state
            if (state.stage == "activation")
            else state
        )
        if state.stage == "initiative":
            break
    assert (state.stage, state.turn) == ("initiative", 2)


def test_the_lowest_roll_less_command_wins_the_initiative():
    """SKR-21: 8 - 7 against 5 - 5 loses; a tie is rolled again."""
    state = world([(20, 10)], [(20, 40)], active=None)
    dice = Loaded(**{"initiative of seat 1": [8, 7], "initiative of seat 2": [6, 6]})

    winner = activation.roll_initiative(play_on(state, dice))

    assert winner == 0
    assert len(dice.asked) == 4


def test_without_a_fit_leader_the_best_command_among_the_fit_counts():
    """SKR-21."""
    state = world([(20, 10), (22, 10)], [(20, 40)], things=("2: ocs", ""), active=None)
    assert activation.command_rating(play_on(state), 0) == 7

    state = change(state, "alpha-1", condition="unconscious")
    assert activation.command_rating(play_on(state), 0) == 8
    state = change(state, "alpha-2", condition="dead")
    assert activation.command_rating(play_on(state), 0) == 0


def test_the_winner_of_the_initiative_says_who_goes_first():
    """SKR-22."""
    state = deployed()
    winner = state.chooser

    step = GAME.apply(state, winner, Initiative(False), Loaded())

    assert of_kind(step, FirstTaken)[0].seat == 1 - winner
    assert GAME.phase(step.state).pending == {1 - winner}


def test_sides_alternate_with_a_team_or_a_single_member_each_once():
    """SKR-23."""
    state = world([(20, 4), (22, 4)], [(20, 44), (22, 44)], active=None)
    names = {move.who for move in GAME.legal_moves(state, 0) if isinstance(move, Activate)}
    assert names == {"alpha", "alpha-1", "alpha-2"}

    state = after(state, "activate alpha-2")
    assert state.active.members == ("alpha-2",)
    state = after(state, "alpha-2 end")
    assert GAME.phase(state).pending == {1}
    state = after(state, "bravo end", seat=1)
    assert refused(state, "activate alpha-2").rule == "SKR-23"
    state = after(state, "activate alpha")
    assert state.active.members == ("alpha-1",)


def test_the_side_with_more_teams_goes_on_alone():
    """SKR-23: until all have activated once."""
    state = world([(20, 4), (22, 4)], [(20, 44)], active=None)
    state = after(state, "alpha-1 end")
    state = after(state, "bravo end", seat=1)
    assert GAME.phase(state).pending == {0}
    state = after(state, "alpha-2 end", Loaded(**{"initiative of seat 1": [1]}))

    assert state.turn == 2


def test_members_act_in_any_order_each_on_his_own_points():
    """SKR-24: alpha-2 before alpha-1, and alpha-2 again."""
    state = world([(20, 4), (25, 4)])
    state = after(state, "alpha-2 walk to 25,6")
    state = after(state, "alpha-1 walk to 20,5")
    state = after(state, "alpha-2 walk to 25,7")

    assert [state.model(name).ap for name in ("alpha-1", "alpha-2")] == [9, 7]
    assert refused(state, "bravo-1 walk to 20,40").rule == "SKR-24"


def test_an_order_for_somebody_who_is_not_active_says_what_to_do():
    """SKR-23."""
    state = world([(20, 4)], active=None)

    assert "activate alpha" in str(refused(state, "alpha-1 walk to 20,6"))


@pytest.mark.parametrize(
    ("who", "why"),
    [
        ("alpha-1", "alpha-1 has had his activation this turn, alone or with his team."),
        ("alpha-2", "alpha-2 is unconscious."),
        ("alpha-3", "alpha-3 is captured."),
        ("alpha-4", "alpha-4 is dead."),
        ("alpha", "All of alpha who can act have had their activation this turn."),
        ("charlie", "Nobody of charlie can act."),
        ("bravo", "bravo belongs to the other side."),
        ("bravo-1", "bravo-1 belongs to the other side."),
        ("bravo-9", "bravo-9 belongs to the other side."),
        ("alpha-9", "You have nobody called alpha-9."),
        ("xylophone", "You have nobody called xylophone."),
    ],
)
def test_who_cannot_be_activated_is_said_why(who, why):
    """SKR-23, 138: the reason is one's own to know; of enemies only whose they are is told."""
    places = [(4, 4), (6, 4), (8, 4), (10, 4), (12, 4)]
    state = replace(world(places, [(20, 40), (24, 40)], active=None), done=("alpha-1",))
    for name, condition in (
        ("alpha-2", "unconscious"),
        ("alpha-3", "captured"),
        ("alpha-4", "dead"),
        ("charlie-1", "dead"),
        ("bravo-1", "dead"),
    ):
        state = change(state, name, condition=condition)

    refusals = [refused(state, order) for order in (f"activate {who}", f"{who} end")]

    assert [str(one) for one in refusals] == [why, why]


def test_an_order_for_who_has_had_his_activation_says_so():
    """SKR-23."""
    state = replace(world([(4, 4), (6, 4)], active=None), done=("alpha-1",))

    refusal = refused(state, "alpha-1 prone")

    assert str(refusal) == "alpha-1 has had his activation this turn, alone or with his team."


def test_points_are_ten_a_turn_and_what_is_left_is_lost():
    """SKR-7: the pool is 10 again at the start of the next turn, whatever was left."""
    state = world([(20, 4)], [(20, 44)])
    state = after(state, "alpha-1 walk to 20,7")
    assert state.model("alpha-1").ap == 7
    assert refused(state, "alpha-1 walk to 20,15").rule == "SKR-7"

    play = play_on(state, Loaded(**{"initiative of seat 1": [1]}))
    activation.start_turn(play)
    assert play.models["alpha-1"].ap == 10


def test_free_orders_come_to_an_end_so_that_every_activation_does():
    """SKR-40: turning costs nothing, but only so often in one activation."""
    state = world([(20, 4)])
    for direction in (10, 20, 30, 40):
        state = after(state, f"alpha-1 face {direction}")

    assert state.model("alpha-1").ap == 10
    assert refused(state, "alpha-1 face 50").rule == "SKR-7"


def test_team_morale_is_checked_at_the_end_of_the_turn_and_shock_at_once():
    """SKR-25."""
    state = world([(20, 4)], [(10, 40), (12, 40), (14, 40), (16, 40)], active=None)
    state = change(state, "bravo-1", condition="dead")
    state = change(state, "bravo-2", condition="dead")
    dice = Loaded(**{"initiative of seat 1": [1], "team morale": [10]})
    state = after(state, "alpha end", dice)
    assert "team morale" not in dice.purposes()

    state = after(state, "bravo end", dice, seat=1)
    assert "team morale" in dice.purposes()
    assert state.turn == 1 or state.stage == "over"


def test_who_runs_in_every_other_turn_is_not_tired():
    """SKR-47: two consecutive turns are meant."""
    dice = Loaded(**{"initiative of seat 1": [1, 1]})
    play = play_on(change(world([(20, 4)], [(20, 44)]), "alpha-1", ran_this_turn=True), dice)

    activation.end_turn(play)
    activation.end_turn(play)

    assert play.state.turn == 3
    assert "battle fatigue" not in dice.purposes()


def test_who_is_tired_has_half_the_points_next_turn():
    """SKR-47."""
    state = world([(20, 4)], [(20, 44)])
    state = change(state, "alpha-1", half_pool=True)
    play = play_on(state, Loaded(**{"initiative of seat 1": [1]}))

    activation.start_turn(play)

    assert play.models["alpha-1"].ap == 5
    assert not play.models["alpha-1"].half_pool


def test_a_side_that_cannot_fight_another_turn_has_lost():
    """SKR-3: nobody conscious, uncaptured and unbroken."""
    state = world([(20, 4)], [(20, 44)], active=None)
    state = change(state, "bravo-1", broken="broken")
    play = play_on(state)

    assert scoring.settle(play)
    assert play.state.result.winners == (0,)
    assert play.state.result.reason == "destroyed"


def test_at_the_turn_limit_the_higher_score_wins():
    """SKR-3: objectives held and enemies put out of action, with a breakdown."""
    state = world([(24, 24)], [(20, 44), (22, 44)], active=None, scenario="hold", turn_limit=1)
    state = change(state, "bravo-2", condition="captured")
    play = play_on(state)

    activation.end_turn(play)

    result = play.state.result
    assert (result.reason, result.winners) == ("turn limit", (0,))
    assert [part.points for part in result.scores[0].parts] == [60, 0, 37, 0]
    assert result.scores[0].total == 97


def test_silence_ends_every_match():
    state = fresh(turn_limit=3)
    plies = 0
    while GAME.outcome(state) is None:
        seat = min(GAME.phase(state).pending)
        state = GAME.apply(
            state, seat, GAME.default_move(state, seat), SeededDice.from_text("silence")
        ).state
        plies += 1

    assert state.turn == 3
    assert plies < 30


def test_draws_are_named_by_where_and_never_by_the_move():
    state = world([(20, 10)], [(20, 30)])
    asked = []
    for text in ("alpha-1 fire bravo-1", "alpha-1 fire bravo-1 burst"):
        dice = Loaded(to_hit=[10, 10, 10])
        order(state, text, dice)
        asked.append(dice.asked[0])

    assert asked == [("turn 1 activation 1 order 1", "to hit")] * 2


def test_passing_by_still_lets_the_rules_have_their_way_with_the_hurt():
    state = world([(20, 4)], [(20, 44)], active=None)
    state = replace(state, models=state.models)
    assert isinstance(GAME.default_move(state, 0), End)
    assert GAME.parse(state, 0, "alpha end") == End("alpha")


def test_the_leaders_cc_counts_for_the_initiative_and_while_he_can_no_other():
    """SKR-21: a man who is better trained than his leader does not count beside him."""
    state = world([(20, 10), (22, 10)], things=("2: ocs", ""))
    fallen = change(state, "alpha-1", condition="unconscious", prone=True)

    assert activation.command_rating(play_on(state), 0) == 7
    assert activation.command_rating(play_on(fallen), 0) == 8
    chapters = GAME.rulebook(2, state.options, "4")
    told = [
        str(one.sentence) for chapter in chapters for one in chapter.rules if "SKR-21" in one.ids
    ]
    assert told == ["Both roll a die less their leader's CC; the lower chooses who begins."]
