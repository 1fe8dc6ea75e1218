"""The end of a match: the last year, scores, who wins."""

from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import House, SoldierCounts
from engine.games.dogs_of_war.course.scoring import outcome, score, winners
from engine.games.dogs_of_war.events import (
    MatchEnded,
)
from engine.games.dogs_of_war.state import YEARS
from tests.engine.games.dogs_of_war.scenes import (
    holding,
    last_pass,
    scene,
    told,
    with_position,
    with_screen,
    with_table,
)


def last_year(state):
    return with_table(state, year=YEARS)


def test_the_match_ends_after_the_outcome_of_the_fourth_year():
    """DOW-96: then, and it says why."""
    ended = last_pass(last_year(scene()))

    over = GAME.outcome(ended.state)
    assert over.reason == "The fourth year is over."
    assert GAME.phase(ended.state).pending == frozenset()
    assert told(ended, MatchEnded)[0].scores == over.scores
    assert outcome(scene()) is None
    assert ended.reveals


def test_a_score_adds_up_all_a_player_has():
    """DOW-97, DOW-98, T8: 7 + 12 - 2 + 2 + 3 = 22."""
    state = with_position(with_position(scene(), House.TALBOT, 4), House.HARLOW, -1)
    state = with_screen(
        state,
        0,
        support=House.HARLOW,
        influence=holding(talbot=3),
        coins=5,
        tactics=("Bribe", "Levy"),
        soldiers=SoldierCounts(knight=1),
        points=7,
    )

    found = score(state.table, 0, state.screens[0])

    assert found.total == 22
    assert [part.points for part in found.parts] == [7, 12, -2, 2, 2, 1]
    assert str(found.parts[1].label) == "Influence of Talbot: 3 × 4"


def test_the_support_card_is_neither_a_tactic_nor_a_soldier_card():
    """DOW-98, DOW-4: two tokens of its house and no point of its own."""
    state = with_position(scene(), House.HARLOW, 0)
    state = with_screen(state, 0, soldiers=SoldierCounts(), tactics=(), coins=0)

    assert score(state.table, 0, state.screens[0]).total == 0


def test_most_points_win():
    """DOW-99: the most."""
    state = last_year(scene())
    for seat, gained in enumerate((3, 9, 4)):
        state = with_screen(state, seat, points=gained)

    assert GAME.outcome(last_pass(state).state).winners == (1,)


def test_equal_points_share_the_victory():
    """DOW-100: no tie-break in any document."""
    state = last_year(scene())
    for seat, gained in enumerate((9, 3, 9)):
        state = with_screen(state, seat, points=gained)

    after = last_pass(state).state

    assert GAME.outcome(after).winners == (0, 2)
    assert winners(after) == (0, 2)


def test_the_screens_come_down_at_the_end():
    """DOW-97: each player reveals."""
    after = last_pass(last_year(scene())).state

    view = GAME.view(after, None)

    assert view.screens == after.screens
    assert view.outcome == GAME.outcome(after)
