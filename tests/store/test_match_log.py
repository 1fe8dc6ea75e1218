"""The log, its chain, and the record that anyone can check."""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from sqlmodel import select

from engine.codec import encode
from engine.errors import Sentence
from pbem.acts import matches
from pbem.errors import NotPossible
from pbem.looks import match_look
from pbem.lru import LruCache
from pbem.record import verify, verify_dice
from pbem.store import audit, match_log
from pbem.store.canonical import canonical
from pbem.store.models import Match, Ply
from pbem.store.names import MadeBy, MatchStatus, Purpose
from tests.parts import remedies
from tests.parts.cast import NAMES, SHORT, House, make_service
from tests.parts.chance import draws


@pytest.fixture(scope="module")
def played(_sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One match, played to its end for all tests of this file."""
    file = tmp_path_factory.mktemp("played") / "pbem.sqlite3"
    shutil.copy(_sqlite_template, file)
    house = House(make_service(file.parent, f"sqlite:///{file}"))
    house.play_on(house.running(options=SHORT))
    yield house
    house.service.database.close()


@pytest.fixture
def finished(house: House, played: House) -> Match:
    """The match that is over, in a house of this test's own."""
    files = [one.service.settings.database_url[len("sqlite:///") :] for one in (played, house)]
    with closing(sqlite3.connect(files[0])) as there, closing(sqlite3.connect(files[1])) as here:
        there.backup(here)
    # what is drawn from now on was not drawn for the match
    house.service = replace(house.service, entropy=draws("afterwards"))
    return only_match(house)


@pytest.fixture(scope="module")
def record(played: House) -> bytes:
    """For all who only read or forge it."""
    return canonical(match_look.record(played.service, only_match(played).id))


def only_match(house: House) -> Match:
    with house.service.database.read() as session:
        return session.exec(select(Match)).one()


def test_every_entry_continues_the_one_before_it(house, finished):
    rows = house.plies(finished)

    assert rows[0].previous_hash == match_log.NO_HASH
    assert [row.previous_hash for row in rows[1:]] == [row.hash for row in rows[:-1]]
    assert rows[-1].hash == finished.chain_head


def test_playing_the_log_again_gives_the_stored_state(house, finished):
    table = house.table(finished)

    state = match_log.replay(finished, table.seats, house.plies(finished))

    assert encode(state) == encode(table.state)


def test_the_record_of_a_finished_match_verifies(record):
    verdict = verify.verify(record)

    assert verdict.wrong == ()
    assert verdict.entries > 20


@pytest.mark.process
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


@pytest.mark.process
def test_the_checker_of_the_dice_runs_with_the_python_that_a_mac_has(record, tmp_path):
    """3.9: no ``datetime.UTC``, and ``X | None`` only in annotations that are not evaluated."""
    file = tmp_path / "record.json"
    file.write_bytes(record)
    older = (
        "import datetime, runpy, sys; del datetime.UTC, sys.argv[0];"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", older, verify_dice.__file__, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert "All well" in done.stdout, done.stderr
    assert all(isinstance(kind, str) for kind in verify_dice.drawn_again.__annotations__.values())


def test_the_checker_of_the_dice_says_of_a_running_match_that_its_seed_is_secret(
    house, tmp_path, monkeypatch, capsys
):
    file = tmp_path / "record.json"
    file.write_bytes(canonical(match_look.record(house.service, house.running().id)))
    monkeypatch.setattr(sys, "argv", ["verify_dice.py", str(file)])

    status = verify_dice.main()

    assert status == 1
    assert capsys.readouterr().out == "The match is not over: its seed is still secret.\n"


@pytest.mark.parametrize(
    ("held", "status", "said"),
    [
        (None, 2, "cannot be read: No such file or directory."),
        (b"Dear Ann,", 1, "is no record of a match."),
        (b"[]", 1, "is no record of a match."),
        (b'{"complete": true}', 1, "is no record of a match."),
    ],
)
def test_the_checker_of_the_dice_says_of_another_file_that_it_is_no_record(
    tmp_path, monkeypatch, capsys, held, status, said
):
    file = tmp_path / "letter.txt"
    if held is not None:
        file.write_bytes(held)
    monkeypatch.setattr(sys, "argv", ["verify_dice.py", str(file)])

    ended = verify_dice.main()

    assert (ended, capsys.readouterr().out) == (status, f"{file} {said}\n")


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
    previous = match_log.NO_HASH
    for entry in value["entries"]:
        entry["previous"] = previous
        content = {key: entry[key] for key in entry if key != "hash"}
        entry["hash"] = previous = verify_dice.hashlib.sha256(canonical(content)).hexdigest()
    value["chain_head"] = previous
    value["digest"] = verify_dice.digest_of(value)
    return canonical(value)


def test_a_forged_shuffle_does_not_verify_even_with_new_hashes(record):
    def change(value):
        draw = max(value["entries"][0]["draws"], key=lambda draw: len(draw[3]))
        draw[3][0], draw[3][1] = draw[3][1], draw[3][0]

    assert any(
        "not drawn from the seed" in why for why in verify.verify(forged(record, change)).wrong
    )


@pytest.mark.parametrize(
    ("sides", "results"), [(0, [0]), (-6, [0]), (2**64, [0]), (10**15, [0, 1])]
)
def test_a_draw_that_no_dice_can_make_is_found_at_once(record, sides, results):
    def change(value):
        value["entries"][0]["draws"].append(["deal", "shuffle", sides, results])

    assert any(
        "not drawn from the seed" in why for why in verify.verify(forged(record, change)).wrong
    )


@pytest.mark.parametrize(
    ("of_beacon", "of_chain"),
    [({}, {"period": 0}), ({}, {"genesis": 10**17}), ({"margin": 10**15}, {})],
)
def test_a_beacon_of_no_time_is_found(record, of_beacon, of_chain):
    chain = {"public_key": "00", "period": 3, "genesis": 0, **of_chain}
    drawn = {"chain": chain, "signature": "00", "randomness": "00", "round": 1}
    drawn |= {"taken_at": "2026-01-01T00:00:00+00:00", "margin": 60, **of_beacon}

    def change(value):
        value["entries"][0]["move"]["beacon"] = drawn

    assert not verify.verify(forged(record, change)).well


def test_a_forged_seed_does_not_fit_the_commitment(record):
    def change(value):
        value["seed"] = "00" * 32

    wrong = verify.verify(forged(record, change)).wrong
    assert "The seed is not the one that was promised." in wrong


def test_a_forged_move_is_found_by_playing_again(record):
    def change(value):
        value["entries"][5]["order"] = "K out, please"

    assert any(why.startswith("Entry 5") for why in verify.verify(forged(record, change)).wrong)


def forged_head(record: bytes, change) -> bytes:
    """The record with a change beside its log, and its digest worked out anew."""
    value = json.loads(record)
    change(value)
    value["digest"] = verify_dice.digest_of(value)
    return canonical(value)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(status="aborted", outcome=None),
        lambda value: value.update(status="aborted"),
        lambda value: value.update(status="running"),
        lambda value: value.update(status="lobby"),
        lambda value: value.update(outcome=None),
        lambda value: value["outcome"].update(note="a draw, they say"),
        lambda value: value["players"].reverse(),
        lambda value: value["players"].append("Erin"),
        lambda value: value.update(title="The great final"),
        lambda value: value.update(sponsor="Erin"),
    ],
)
def test_whatever_stands_over_the_log_follows_from_it(record, change):
    assert not verify.verify(forged_head(record, change)).well


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(status="aborted", outcome=None),
        lambda value: value["entries"][3].update(remark="well played"),
        lambda value: value["entries"][0]["move"].update(sponsor="Erin"),
        lambda value: value["entries"][3]["move"].update(remark="well played"),
        lambda value: value["entries"][3].update(made_by="magic"),
        lambda value: value["options"].update(wind="strong"),
        lambda value: value["entries"][-1].update(player="Erin"),
        lambda value: value["entries"][0]["move"].update(seats=3),
    ],
)
def test_what_no_rule_gives_does_not_verify_even_with_new_hashes(record, change):
    assert not verify.verify(forged(record, change)).well


WRITTEN = [
    "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000, 17)])),
    {chr(sign): sign for sign in [*range(0, 0xD800, 5), *range(0xE000, 0x110000, 101)]},
    [0, -1, 2**63 - 1, -(2**63), 2**64, -(2**90), True, False, None, 0.5, -0.0, 123456.75],
    {"b": [], "a": {}, "aa": [{}, [[]]], "A": ""},
    *([number] for number in (1e16, 1e-7, -2.5e300)),
]


@pytest.mark.parametrize("value", WRITTEN)
def test_the_service_writes_a_record_as_its_check_does(value):
    assert canonical(value) == verify_dice.canonical(value)


@pytest.mark.parametrize("number", [1e16, 1e-7, -2.5e300])
def test_a_check_writes_a_number_with_an_exponent_as_the_service_does(record, number):
    def change(value):
        value["options"]["far"] = number

    wrong = verify.verify(forged(record, change)).wrong

    assert "Entry 0 and the head of the record do not agree on the options." in wrong


def test_a_match_cut_before_its_last_move_is_not_finished(record):
    def change(value):
        value["entries"].pop()

    wrong = verify.verify(forged(record, change)).wrong

    assert "By the rules the match is not finished." in wrong


def test_the_record_names_a_substitute_who_played_and_the_chain_holds_the_name(house):
    match = house.play_on(house.running(), plies=8)
    seat = house.waiting(match)[0]
    remedies.replace(house.service, match.id, seat, "Frank", "frank@example.org", actor="operator")
    matches.join(house.service, house.link(match, Purpose.JOIN, seat), matches.Joining())
    house.work()
    house.play(match, seat)
    remedies.abort(house.service, match.id, actor="host")
    data = canonical(match_look.record(house.service, match.id))

    assert verify.verify(data).wrong == ()
    assert json.loads(data)["players"][seat] == "Frank"
    renamed = forged_head(data, lambda value: value["players"].__setitem__(seat, "Erin"))
    assert not verify.verify(renamed).well


def test_the_log_holds_no_name_and_a_record_without_one_says_so(record):
    """Its digest is the same, so what a mail bound before is still bound."""
    value = json.loads(record)
    assert not any(name in json.dumps(value["entries"]) for name in NAMES)
    (bob,) = [holder for holder, (_salt, name) in value["names"].items() if name == "Bob"]
    del value["names"][bob]
    value["players"][1] = None

    verdict = verify.verify(canonical(value))

    assert verdict.wrong == ()
    assert "The player of seat 2 was forgotten: their name is not in the record." in verdict.unbound
    assert verify_dice.digest_of(value) == json.loads(record)["digest"]


def test_the_record_of_an_older_match_says_what_its_chain_does_not_hold(record):
    def change(value):
        founding = value["entries"][0]["move"]
        for field in ("title", "dice", "beacon", "holders"):
            del founding[field]
        founding["players"] = value["players"]
        for entry in value["entries"]:
            entry.pop("holder", None)
        del value["names"]
        value["format"] = 1

    verdict = verify.verify(forged(record, change))

    assert verdict.wrong == ()
    assert verdict.unbound[:2] == (
        "It began when the chain did not hold the title and who took seats over.",
        "No public beacon is in the dice: the match began before there was one. So whoever ran the "
        "service and sat at the table could have chosen the dice.",
    )


def test_the_record_of_a_match_that_ended_in_its_lobby_verifies(house):
    match = house.open(confirmed=False)
    remedies.abort(house.service, match.id, actor="host")

    verdict = verify.verify(canonical(match_look.record(house.service, match.id)))

    assert verdict.wrong == ()
    assert "never began" in verdict.unbound[0]


def test_a_match_whose_last_move_is_made_cannot_be_aborted(house, finished):
    match, last = finished, house.plies(finished)[-1]
    with house.service.database.write("test") as session:
        row = session.get(Match, match.id)
        row.status, row.ended_at, row.outcome_json = MatchStatus.RUNNING, None, None
        session.add(row)

    with pytest.raises(NotPossible, match="This match is over"):
        remedies.abort(house.service, match.id, actor="host")
    assert house.plies(match)[-1].ply == last.ply


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
    text = canonical(match_look.record(house.service, match.id)).decode()

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

    assert match_log.entry_hash(match, row) == row.hash
    assert match_log.entry_hash(other, row) != row.hash


def test_times_come_back_from_the_database_as_they_were_hashed(any_house):
    house = any_house
    match = house.play_on(house.running(), plies=10)

    for row in house.plies(match):
        assert match_log.entry_hash(match, row) == row.hash
    with house.service.database.read() as session:
        assert audit.verify(session) == []


def test_the_state_after_any_ply_can_be_looked_at(house, finished):
    game = house.table(finished).game
    for ply in (0, 7, finished.ply):
        view = match_look.past(house.service, finished.id, ply).view(None)

        assert type(view) is game.view_type


def test_a_look_from_a_checkpoint_is_a_look_from_the_start(house, finished, monkeypatch):
    monkeypatch.setattr(match_log, "CHECKPOINT_EVERY", 5)
    with house.service.database.read() as session:
        rows = session.exec(select(Ply).where(Ply.match_id == finished.id)).all()
    seats, kept = house.table(finished).seats, LruCache(8)

    for ply in (40, 12, 13, finished.ply, finished.ply - 1, 3):
        stepped = match_log.replay(finished, seats, rows[: ply + 1], kept)

        assert stepped == match_log.replay(finished, seats, rows[: ply + 1])
    assert len(kept) <= 8


def test_a_checkpoint_is_of_one_history_only(house, finished):
    """After a rollback the same number of a ply is another ply."""
    with house.service.database.read() as session:
        rows = session.exec(select(Ply).where(Ply.match_id == finished.id)).all()
    seats, kept = house.table(finished).seats, LruCache(200)
    kept.put(rows[19].hash, "as it was kept")
    other = Ply(**{**rows[19].model_dump(), "hash": "f" * 64})

    again = match_log.replay(finished, seats, rows[:20], kept)
    after_a_rollback = match_log.replay(finished, seats, [*rows[:19], other], kept)

    assert again == "as it was kept"
    assert after_a_rollback == match_log.replay(finished, seats, rows[:20])


def test_a_match_that_began_with_older_rules_goes_on_by_them(house):
    match = house.of_game("skirmish")
    begun = msgspec.structs.replace(house.table(match).state, rules=2)
    with house.service.database.write("test") as session:
        session.merge(match).state_json = encode(begun).decode()

    house.play(match, 0)

    assert house.table(match).state.rules == 2
    assert house.plies(match)[-1].rules_version == "2"


def test_every_ply_says_which_rules_made_it(house, finished):
    with house.service.database.read() as session:
        versions = {row.rules_version for row in session.exec(select(Ply))}

    assert versions == {house.table(finished).game.meta.rules_version}


def test_a_verdict_gives_no_orders_to_a_terminal() -> None:
    """What stands in a made-up file is quoted: it could clear the screen, or write "All well"."""
    hostile = "\x1b[2J\x1b]52;c;aGk=\x07"

    verdict = verify.verify(canonical({"format": 2, "match": hostile, "chain_head": hostile}))
    unplayable = verify.verify(canonical({"format": 2, "entries": [{"ply": hostile}]}))

    assert not verdict.well
    assert not unplayable.well
    said = (verdict.match, verdict.chain_head, *verdict.wrong, *unplayable.wrong)
    assert all(text.isprintable() for text in said)


def test_what_is_in_force_is_what_was_not_undone(played: House) -> None:
    """Whatever is gone back to, again and again; told from the newest entry on, as well."""
    chance = random.Random("going back")
    (of_match, *_) = played.plies(only_match(played))
    for _ in range(50):
        log, states = [of_match], [(0,)]
        for ply in range(1, 30):
            back_to = chance.choice(states[-1]) if chance.random() < 0.2 else None
            log.append(
                of_match.model_copy(
                    update={
                        "ply": ply,
                        "made_by": MadeBy.LINK if back_to is None else MadeBy.BACK,
                        "move_json": json.dumps({"back_to": back_to}),
                    }
                )
            )
            # the state after an entry, by the plies that it follows from
            states.append((*states[-1], ply) if back_to is None else states[back_to])

        found = [one.ply for one in match_log.in_force(log)]

        assert found == [*states[-1]]


def test_of_a_log_no_more_is_read_than_who_asks_looks_at(played: House) -> None:
    log = played.plies(only_match(played))
    left = reversed(log)

    newest = next(match_log.in_force_newest_first(left))

    assert newest == log[-1]
    assert len([*left]) == len(log) - 1


def test_a_long_title_ends_with_a_whole_variant() -> None:
    variants = [Sentence(f"variant {number} of a game") for number in range(20)]

    said = match_log.title("Dog", variants)

    assert len(said) <= 200
    assert said.endswith(" · variant 7 of a game · …")
    assert match_log.title("Dog", variants[:2]) == "Dog · variant 0 of a game · variant 1 of a game"
