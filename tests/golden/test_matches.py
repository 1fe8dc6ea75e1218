"""Matches of every version of the rules that was released, replayed and carried on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.codec import convert, decode, encode
from engine.dice import SeededDice, match_key
from engine.games.registry import BUILT_IN, AnyGame, find, games
from pbem.record import verify, verify_dice
from pbem.store.canonical import canonical
from tests.golden.record_matches import FORMS, kept, read


def _of(files: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("file", files, ids=lambda file: file.name.partition(".")[0])


def _is_still_played(file: Path) -> bool:
    """By its name, as ``Form.name`` makes it: the game first, the version of the rules last."""
    meta = find(file.name.partition("_")[0]).meta
    version = file.name.partition(".")[0].rpartition("_v")[2]
    return version in (*meta.older_rules, meta.rules_version)


GOLDEN = _of(kept())
STILL_PLAYED = _of([file for file in kept() if _is_still_played(file)])
#: A match that goes on longer than this does not end.
MOST_PLIES = 20_000


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_todays_rules_have_a_golden_match(form):
    assert form.file.exists(), "python -m tests.golden.record_matches plays those that are missing"


def test_every_number_of_players_has_a_golden_match():
    here = {(form.game, form.seats) for form in FORMS}

    # a plug-in brings its own
    assert here == {(name, seats) for name in BUILT_IN for seats in games()[name].meta.seats}


@GOLDEN
def test_a_golden_match_is_what_was_played(file: Path):
    record = read(file)["record"]
    meta = find(record["game"]).meta

    wrong = verify.verify(canonical(record)).wrong

    assert verify_dice.check(record) == []
    made_by = {entry["rules_version"] for entry in record["entries"]}
    if made_by <= {meta.rules_version, *meta.older_rules}:
        assert wrong == ()


@STILL_PLAYED
def test_a_replay_comes_to_the_states_that_were_stored_then(file: Path):
    golden = read(file)
    record = golden["record"]
    game = find(record["game"])
    known = {ply: decode(game.state_type, canonical(it)) for ply, it in golden["states"].items()}

    replayed = {ply: state for ply, state in states(game, record) if ply in known}

    # `pbem replay` would call it a difference if rules of today noted more than those of then
    assert {ply: encode(state) for ply, state in replayed.items()} == {
        ply: encode(state) for ply, state in known.items()
    }


def states(game: AnyGame, record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The state after each entry of a record whose dice had no beacon, by its number."""
    entries, phrases = record["entries"], record["phrases"]
    key = match_key(record["match"], bytes.fromhex(record["seed"]), phrases)
    options = convert(record["options"], game.options_type)
    version = entries[0]["rules_version"]
    state = game.setup_by(version, len(phrases), options, SeededDice(key)).state
    yield "0", state
    for number, entry in enumerate(entries[1:], 1):
        move = convert(entry["move"], game.move_type)
        state = game.apply(state, entry["seat"], move, SeededDice(key)).state
        yield str(number), state


@GOLDEN
def test_a_running_match_of_that_version_is_carried_on_to_its_end(file: Path):
    golden = read(file)
    game = find(golden["record"]["game"])
    for ply, stored in golden["states"].items():
        state = decode(game.state_type, canonical(stored))
        for number in range(MOST_PLIES):
            if game.outcome(state) is not None:
                break
            seat = min(game.phase(state).pending)
            dice = SeededDice.from_text(f"{file.name} {ply} {number}")
            legal = list(game.legal_moves(state, seat))
            move = game.choose(game.view(state, seat), legal, dice)
            state = game.apply(state, seat, move, dice).state

        assert game.outcome(state) is not None
        assert decode(game.state_type, encode(state)) == state
