"""Matches of every version of the rules that was released, replayed and carried on."""

from pathlib import Path

import pytest

from engine.codec import decode, encode
from engine.dice import SeededDice
from engine.games.registry import BUILT_IN, find, games
from pbem.record import verify, verify_dice
from pbem.store.canonical import canonical
from tests.golden.record_matches import FORMS, kept, read

GOLDEN = pytest.mark.parametrize("file", kept(), ids=lambda file: file.name.partition(".")[0])
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
