"""All moves but sevens against a slow, plain reading of the rules, on crowded tables."""

import pytest

from engine.chooser import Chooser
from engine.games.dog.board import BACKWARD, E1, E4, FORWARD, FRESH, HOME, start_of
from engine.games.dog.moves import Go, Out, Swap
from engine.games.dog.rules import plays
from tests.engine.games.dog.test_sevens import random_table


def plain_reading(table):
    """Every move of every card but the seven, walked step by step."""
    ring, start = 16 * table.seats, start_of(table.owner)
    fresh_fields = {start_of(o) for o, spots in enumerate(table.pawns) if FRESH in spots}
    own = [spot for spot in table.row if spot != HOME]
    found = set()

    def walk(spot, steps, sense, enter):
        """Where a pawn ends, or None."""
        place, entered = (start if spot == FRESH else spot), spot >= E1
        for _ in range(steps):
            if place >= E1:
                place += 1
            elif enter and place == start and (spot != FRESH or place != start):
                place, entered = E1, True
            else:
                place = (place + sense) % ring
                if place in fresh_fields:
                    return None
            if place > E4 or (place >= E1 and place in table.row):
                return None
        return place if entered or not enter else None

    for spot in own:
        name = start if spot == FRESH else spot
        for rank, values in FORWARD.items():
            for steps in values:
                for enter in (False, True):
                    end = walk(spot, steps, 1, enter)
                    if end is not None and not (enter and spot >= E1):
                        found.add(Go(rank, name, end))
        for rank, steps in BACKWARD.items():
            end = walk(spot, steps, -1, False) if spot < E1 else None
            if end is not None:
                found.add(Go(rank, name, end))
        for other, spots in enumerate(table.pawns):
            for target in spots:
                if other != table.owner and HOME < target < FRESH and HOME < spot < FRESH:
                    found.add(Swap(spot, target))
    if HOME in table.row and FRESH not in table.row:
        found |= {Out("A"), Out("K")}
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_listed_moves_are_those_of_a_plain_reading(seed):
    """DOG-23 to DOG-46: complete, and each once, on crowded tables."""
    chooser = Chooser(f"plain {seed}")
    cards = [*FORWARD, "J"]

    for _ in range(400):
        table = random_table(chooser)
        listed = list(plays(table, cards))
        assert len(set(listed)) == len(listed)
        assert set(listed) == plain_reading(table), table
