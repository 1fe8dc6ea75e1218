"""Who wins together, and the ranks of an outcome."""

from __future__ import annotations

import pytest

from engine.errors import Sentence
from engine.game import Outcome, Score
from engine.games.dog.meta import DogOptions
from engine.games.registry import find, games


@pytest.mark.parametrize("name", sorted(games()))
def test_every_seat_stands_in_one_team(name: str) -> None:
    game = find(name)

    for seats in game.meta.seats:
        teams = game.teams(seats, game.options_type())
        assert sorted(seat for team in teams for seat in team) == list(range(seats))


def test_partners_of_dog_sit_opposite() -> None:
    """DOG-1; ODD5-1, ODD3-1: with five or three players there are none."""
    teams = {seats: find("dog").teams(seats, DogOptions()) for seats in (3, 4, 5, 6)}

    assert teams[4] == ((0, 2), (1, 3))
    assert teams[6] == ((0, 3), (1, 4), (2, 5))
    assert {len(teams[3]), len(teams[5])} == {3, 5}


def test_winners_come_first_and_others_by_their_scores() -> None:
    scores = tuple(Score(seat, total) for seat, total in enumerate((3, 9, 7, 7)))
    won_by_two: Outcome[Sentence] = Outcome("over", (0, 2), scores)  # type: ignore[type-var]

    assert won_by_two.ranks([(0,), (1,), (2,), (3,)]) == (1, 3, 1, 4)
    assert won_by_two.ranks([(0, 2), (1, 3)]) == (1, 2)
    assert Outcome("over", (), scores).ranks([(0,), (1,), (2,), (3,)]) == (4, 1, 2, 2)
