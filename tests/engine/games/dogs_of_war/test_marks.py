"""What a drawing marks: what others did since the reader last acted, and the last move."""

from __future__ import annotations

from engine.dice import SeededDice
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.events import Placed
from engine.games.dogs_of_war.state import State
from tests.engine.games.dogs_of_war.positions import positions


def acted(state: State) -> list[int]:
    return [one.seat for one in state.table.placements]


def late_in_a_year() -> State:
    """A position of an action turn in which everybody has acted this year."""
    return next(
        state
        for state, _ in positions(4, {}, "marks")
        if state.table.phase == "action" and len(set(acted(state))) == 4
    )


def test_what_others_did_since_the_seat_last_acted_is_marked() -> None:
    state = late_in_a_year()
    for seat in range(4):
        done = state.table.placements
        last = max(number for number, one in enumerate(done) if one.seat == seat)

        marks = GAME.view(state, seat).marks(())

        since = done[last + 1 :]
        assert marks.spaces == {(one.house, one.space) for one in since}
        assert set(marks.trackers) == {one.battle for one in since}
        for battle, before in marks.trackers.items():
            earlier = [one.tracker for one in done[: last + 1] if one.battle == battle]
            assert before == (earlier[-1] if earlier else 0)


def test_all_of_a_year_is_marked_for_who_has_not_acted_in_it() -> None:
    state = next(
        state
        for state, _ in positions(4, {}, "none yet")
        if state.table.phase == "action" and len(set(acted(state))) in (1, 2)
    )
    [seat, *_] = set(range(4)) - set(acted(state))

    marks = GAME.view(state, seat).marks(())

    assert marks.spaces == {(one.house, one.space) for one in state.table.placements}
    assert set(marks.trackers.values()) == {0}


def test_an_onlooker_sees_the_last_move_alone() -> None:
    state = late_in_a_year()
    seat = state.table.turn
    assert seat is not None
    legal = list(GAME.legal_moves(state, seat))
    step = GAME.apply(state, seat, legal[0], SeededDice(b"marks"))
    [placed] = [event for event in step.events if isinstance(event, Placed)]

    marks = GAME.view(step.state, None).marks(step.events)

    assert GAME.view(step.state, None).marks(()).spaces == frozenset()
    assert marks.spaces == {(placed.house, placed.space)}
    assert marks.trackers == {placed.battle: placed.tracker_before}
