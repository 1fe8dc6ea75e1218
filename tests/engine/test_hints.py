"""Hints for beginners: a few sentences, of what the seat may know, and for nobody else."""

from __future__ import annotations

import pytest

from engine.dice import SeededDice
from engine.games.registry import BUILT_IN, find
from engine.simulation import key_of, play_match


@pytest.mark.parametrize("game", BUILT_IN)
def test_whoever_decides_gets_hints_now_and_then_and_onlookers_get_none(game: str) -> None:
    rules = find(game)
    seats, key = rules.meta.seats[0], key_of("hints")
    step = rules.setup(seats, rules.options_type(), SeededDice(key))
    told = set()
    for ply in play_match(rules, seats, seed="hints", keep_log=True).log[:200]:
        found = rules.hints(rules.view(step.state, ply.seat))
        told |= {sentence.text for sentence in found}
        assert len(found) <= 2
        assert rules.hints(rules.view(step.state, None)) == ()
        step = rules.apply(step.state, ply.seat, ply.move, SeededDice(key))

    assert len(told) >= 3
