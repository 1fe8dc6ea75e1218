"""The log, its chain, and the record that anyone can check."""

import json
import subprocess
import sys

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError
from sqlmodel import select

from engine.codec import encode
from pbem import audit, history, looks, verify, verify_dice
from pbem.history import canonical
from pbem.models import Audit, Ply
from tests.pbem.cast import House


@pytest.fixture
def finished(house: House):
    return house.play_on(house.running())


@pytest.fixture
def record(house: House, finished) -> bytes:
    return canonical(looks.record(house.service, finished.id))


def test_every_entry_continues_the_one_before_it(house, finished):
    rows = house.plies(finished)

    assert rows[0].previous_hash == history.NO_HASH
    assert [row.previous_hash for row in rows[1:]] == [row.hash for row in rows[:-1]]
    assert rows[-1].hash == finished.chain_head


def test_playing_the_log_again_gives_the_stored_state(house, finished):
    table = house.table(finished)

    state = history.replay(finished, table.seats, house.plies(finished))

    assert encode(state) == encode(table.state)


def test_the_record_of_a_finished_match_verifies(record):
    verdict = verify.verify(record)

    assert verdict.wrong == ()
    assert verdict.entries > 20


def test_the_checker_of_the_dice_runs_alone_with_nothing_but_python(record, tmp_path):
    file = tmp_path / "record.json"
    file.write_bytes(record)

    done = subprocess.run(
        [sys.executable, "-I", "-S", verify_dice.__file__, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "All well" in done.stdout


@pytest.mark.slow
def test_one_changed_byte_anywhere_does_not_verify(record):
    step = max(1, len(record) // 400)
    for place in range(0, len(record), step):
        changed = bytearray(record)
        changed[place] ^= 1

        assert not verify.verify(bytes(changed)).well, f"byte {place} was changed unseen"


def forged(record: bytes, change) -> bytes:
    """The record with a change, and all hashes worked out anew as a forger would."""
    value = json.loads(record)
    change(value)
    previous = history.NO_HASH
    for entry in value["entries"]:
        entry["previous"] = previous
        content = {key: entry[key] for key in entry if key != "hash"}
        entry["hash"] = previous = verify_dice.hashlib.sha256(canonical(content)).hexdigest()
    value["chain_head"] = previous
    rest = {key: value[key] for key in value if key != "digest"}
    value["digest"] = verify_dice.hashlib.sha256(canonical(rest)).hexdigest()
    return canonical(value)


def test_a_forged_shuffle_does_not_verify_even_with_new_hashes(record):
    def change(value):
        draw = max(value["entries"][0]["draws"], key=lambda draw: len(draw[3]))
        draw[3][0], draw[3][1] = draw[3][1], draw[3][0]

    assert any(
        "not drawn from the seed" in why for why in verify.verify(forged(record, change)).wrong
    )


def test_a_forged_seed_does_not_fit_the_commitment(record):
    def change(value):
        value["seed"] = "00" * 32

    wrong = verify.verify(forged(record, change)).wrong
    assert "The seed is not the one that was promised." in wrong


def test_a_forged_move_is_found_by_playing_again(record):
    def change(value):
        value["entries"][5]["order"] = "K out, please"

    assert any(why.startswith("Entry 5") for why in verify.verify(forged(record, change)).wrong)


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[" * 100_000, b"\xff\xfe", b'{"format":1}', b'{"format":1,"complete":true}'],
)
def test_what_is_no_record_gets_a_sentence(data):
    verdict = verify.verify(data)

    assert not verdict.well
    assert verdict.wrong[0].endswith(".")


def test_the_record_of_a_running_match_holds_no_secret(house):
    match = house.play_on(house.running(), plies=30)
    text = canonical(looks.record(house.service, match.id)).decode()

    assert match.seed.hex() not in text
    assert '"order"' not in text
    assert '"draws"' not in text
    assert "phrases" not in text
    assert not verify.verify(text.encode()).well


def test_a_hidden_order_cannot_be_guessed_from_its_hash(house):
    """Two matches that differ only in their secret seed give the same order another hash."""
    match = house.running()
    house.play(match, 0)
    row = house.plies(match)[1]
    other = match.model_copy(update={"seed": b"x" * 32})

    assert history.entry_hash(match, row) == row.hash
    assert history.entry_hash(other, row) != row.hash


def test_times_come_back_from_the_database_as_they_were_hashed(any_house):
    house = any_house
    match = house.play_on(house.running(), plies=10)

    for row in house.plies(match):
        assert history.entry_hash(match, row) == row.hash
    with house.service.database.read() as session:
        assert audit.verify(session) == []


@pytest.mark.parametrize("statement", ["UPDATE audit SET act = 'nothing'", "DELETE FROM audit"])
def test_the_audit_log_cannot_be_changed_even_by_sql(any_house, statement):
    any_house.running()

    with (
        pytest.raises(DatabaseError, match="append-only"),
        any_house.service.database.write("test") as session,
    ):
        session.connection().execute(text(statement))


def test_an_audit_row_that_was_changed_is_found(house):
    house.running()
    with house.service.database.read() as session:
        rows = session.exec(select(Audit)).all()
        assert audit.verify(session) == []
        with session.no_autoflush:
            rows[1].act = "something else"

            assert any("was changed" in why for why in audit.verify(session))


def test_the_state_after_any_ply_can_be_looked_at(house, finished):
    game = house.table(finished).game
    for ply in (0, 7, finished.ply):
        view = looks.past(house.service, finished.id, ply).view(None)

        assert type(view) is game.view_type


def test_a_look_from_a_checkpoint_is_a_look_from_the_start(house, finished):
    with house.service.database.read() as session:
        rows = session.exec(select(Ply).where(Ply.match_id == finished.id)).all()
    seats, kept = house.table(finished).seats, history.Checkpoints(most=8, every=5)

    for ply in (40, 12, 13, finished.ply, finished.ply - 1, 3):
        stepped = history.replay(finished, seats, rows[: ply + 1], kept)

        assert stepped == history.replay(finished, seats, rows[: ply + 1])
    assert len(kept) <= 8


def test_a_checkpoint_is_of_one_history_only(house, finished):
    """After a rollback the same number of a ply is another ply."""
    with house.service.database.read() as session:
        rows = session.exec(select(Ply).where(Ply.match_id == finished.id)).all()
    kept = history.Checkpoints(every=1)
    history.replay(finished, house.table(finished).seats, rows[:20], kept)
    other = Ply(**{**rows[19].model_dump(), "hash": "f" * 64})

    found = kept.latest([*rows[:19], other])

    assert found is not None
    assert found[0] == 18


def test_every_ply_says_which_rules_made_it(house, finished):
    with house.service.database.read() as session:
        versions = {row.rules_version for row in session.exec(select(Ply))}

    assert versions == {house.table(finished).game.meta.rules_version}
