"""What holds whatever is played: random matches of all forms and variants."""

import re
from collections import Counter
from pathlib import Path

import pytest

from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import SOLDIERS, catalogue
from engine.games.dogs_of_war.events import BattleClosed, Rewarded
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.moves import Place
from engine.testing import moments
from tests.engine.games.dogs_of_war.scenes import dice, told

FORMS = [
    (3, Options()),
    (4, Options()),
    (5, Options()),
    (3, Options(two_battles=True, crushing_at_twelve=True)),
    (3, Options(two_battles=True, two_battles_fewer_influence=False)),
    (4, Options(sudden_death=True, decisive_fourth_year=True)),
    (5, Options(sudden_death=True, sudden_death_reward=False, crushing_at_twelve=True)),
    (5, Options(stormcrow_withdraws="by_choice", conqueror_moves="two")),
    (4, Options(victor_by="strength", push_counts_self=True, betrayal_opens="year")),
    (5, Options(ordalia_counts_for="outcome", ordalia_needs_captain=False)),
]


@pytest.mark.parametrize(("seats", "options"), FORMS)
def test_nothing_is_made_or_lost_and_the_board_keeps_its_bounds(seats, options):
    """DOW-12, DOW-37, DOW-39, DOW-47, DOW-61, DOW-76, DOW-77, DOW-85."""
    for moment in moments(GAME, seats, options, seed="invariants"):
        state = moment.state
        cards_are_conserved(state)
        influence_is_conserved(state)
        captains_keep_their_limit(state)
        nobody_fights_both_sides_without_betrayal(state)
        for battle in state.table.battles:
            assert -15 <= battle.tracker <= 15
        assert all(-1 <= row.position <= 8 for row in state.table.houses)
        assert all(screen.coins >= 0 and screen.points >= 0 for screen in state.screens)
        assert 0 <= state.table.token < seats


def cards_are_conserved(state):
    held = state.table.soldiers
    for screen in state.screens:
        held = held + screen.soldiers
    for battle in state.table.battles:
        for side in battle.sides:
            held = held + side.soldiers
            assert side.soldiers.total == side.captains_placed or state.table.phase != "action"
    box = catalogue(state.options.components)
    assert held == box.components.soldiers
    assert all(state.table.soldiers.count(kind) >= 0 for kind in SOLDIERS)
    tactics = Counter(state.deck) + Counter(state.table.discards)
    for screen in state.screens:
        tactics += Counter(screen.tactics)
    assert tactics == Counter(box.deck)
    assert state.table.deck == len(state.deck)


def influence_is_conserved(state):
    full = {3: 8, 4: 10, 5: 12}[len(state.table.players)]
    if not state.options.two_battles_fewer_influence:
        full = 12
    for row in state.table.houses:
        held = sum(screen.influence.count(row.house) for screen in state.screens)
        assert row.influence >= 0
        assert row.influence + held == full
    for house in state.table.removed:
        assert not any(screen.influence.count(house) for screen in state.screens)


def captains_keep_their_limit(state):
    for seat, player in enumerate(state.table.players):
        assert 0 <= state.table.captains_this_year(seat) <= 6
        assert player.captains == 0 or not player.passed


def nobody_fights_both_sides_without_betrayal(state):
    for number, battle in enumerate(state.table.battles):
        one, other = (set(side.captains) - {None} for side in battle.sides)
        for seat in one & other:
            assert number in state.table.players[seat].betrayed


@pytest.mark.parametrize(("seats", "options"), FORMS)
def test_a_preview_tells_what_happens(seats, options):
    """DOW-32, DOW-47, DOW-61: tracker and reward are as they were foretold, whatever is played."""
    for moment in moments(GAME, seats, options, seed="previews", every=3):
        (seat,) = GAME.phase(moment.state).pending or (None,)
        moves = [] if seat is None else list(GAME.legal_moves(moment.state, seat))
        for move in (move for move in moves[::9] if isinstance(move, Place)):
            plan = preview(position(moment.state, seat), move)
            done = GAME.apply(moment.state, seat, move, dice())

            got = [each.got for each in told(done, Rewarded) if each.source in ("space", "copy")]
            assert got == ([] if plan.reward is None else [plan.got])
            assert done.state.table.battles[plan.battle].tracker == plan.tracker_after
            assert bool(told(done, BattleClosed)) is plan.closes


def test_every_rule_has_a_test_that_names_it():
    """DOW-1 to DOW-100 and the variants."""
    texts = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    docstrings = re.findall(r'"""(.*?)"""', texts, flags=re.DOTALL)
    named = set(re.findall(r"DOW-V?[0-9]+a?", " ".join(docstrings)))
    wanted = {f"DOW-{number}" for number in range(1, 101)}
    wanted |= {"DOW-V1", "DOW-V2", "DOW-V2a", "DOW-V3", "DOW-V4", "DOW-V5", "DOW-V6"}

    assert sorted(wanted - named) == []
