"""What templates get: sentences, words and pictures of real positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from engine.dice import SeededDice
from engine.game import Event
from engine.games.dog.meta import DogOptions
from engine.games.registry import find
from pbem.present import board, board_text, event_sentences
from pbem.words.i18n import translator

NAMES = ("Alice", "Bob", "Carol", "Dave", "Erin", "Frank")


def positions(seats: int, plies: int = 300) -> Iterator[tuple[Any, tuple[Event, ...]]]:
    """States and what led to them, of one match by random bots."""
    game, dice = find("dog"), SeededDice(b"a table for the pictures")
    step = game.setup(seats, DogOptions(), dice)
    yield step.state, step.events
    for number in range(plies):
        if game.outcome(step.state) is not None:
            return
        seat = min(game.phase(step.state).pending)
        legal = tuple(game.legal_moves(step.state, seat))
        choosing = SeededDice(b"bot %d" % number)
        move = game.choose(game.view(step.state, seat), legal, choosing)
        step = game.apply(step.state, seat, move, dice)
        yield step.state, step.events


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_every_event_of_dog_has_a_sentence(seats: int, language: str) -> None:
    words = translator(language, "dog")

    for _, events in positions(seats):
        told = event_sentences("dog", events, NAMES, words)

        assert len(told) == len(events)
        assert not [text for text in told if re.search(r"[{}_]|\bNone\b", text)]


def test_a_sentence_is_plain_text_in_which_names_stand_as_they_are() -> None:
    game = find("dog")
    step = game.setup(4, DogOptions(first_dealer="first"), SeededDice(b"seed"))

    told = event_sentences("dog", step.events[:1], ("<0>", "<1>", "<2>", "<3>"), translator("en"))

    assert told == ("Deal 1: <0> dealt 6 cards to each; <1> begins.",)


def test_the_table_in_words_names_every_pawn_and_the_readers_hand_only() -> None:
    game = find("dog")
    state, _ = list(positions(4, 40))[-1]

    own = board_text("dog", game.view(state, 2), NAMES, translator("en", "dog"), you=2)
    public = board_text("dog", game.view(state, None), NAMES, translator("en", "dog"))

    assert "Carol (you)" in own
    assert "Your hand:" in own
    assert "Your hand:" not in public
    fields = {pawn for row in state.pawns for pawn in row if 0 <= pawn < 64}
    assert all(re.search(rf"\b{field}\b", public) for field in fields)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_game_with_a_drawing_has_one_for_every_number_of_players(seats: int) -> None:
    game = find("dog")
    for state, events in list(positions(seats, 60))[::20]:
        drawn = board(
            "dog",
            game.view(state, 1),
            NAMES[:seats],
            translator("en", "dog"),
            you=1,
            events=events,
        )

        assert drawn is None or "<svg" in drawn
