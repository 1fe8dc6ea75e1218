"""A record is held against the mails that players kept: only they bind who runs the service."""

from __future__ import annotations

import json
import mailbox
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from engine.dice import SeededDice, commitment
from pbem.cli import main
from pbem.looks import match_look
from pbem.record import mails, verify, verify_dice
from pbem.record.verify import Verdict
from pbem.store import match_log
from pbem.store.canonical import canonical
from pbem.store.models import Match, Ply
from tests.mail import golden
from tests.mail.office import Office
from tests.parts import remedies
from tests.parts.local_beacon import LocalBeacon, with_beacon

Mailed = dict[str, bytes]


def ended(office: Office, match: Match) -> tuple[bytes, list[bytes]]:
    """The record of a match that is ended after some moves, and Bob's mails, the oldest first."""
    office.post_all()
    office.play_on(match, plies=8)
    office.post_all()
    remedies.abort(office.service, match.id, actor="host")
    office.post_all()
    rows = [mail for mail in office.mails() if mail.match_id == match.id and mail.seat == 1]
    record = canonical(match_look.record(office.service, match.id))
    return record, [golden.raw_of(office, mail) for mail in rows if mail.status == "sent"]


def received(raw: bytes, at: datetime) -> bytes:
    """A mail as Bob's mail server keeps it."""
    line = f"Received: from there by mx.example.net; {format_datetime(at)}\r\n"
    return line.encode() + raw


def kept(folder: Path, raws: list[bytes]) -> Path:
    folder.mkdir()
    for number, raw in enumerate(raws):
        (folder / f"{number:03}.eml").write_bytes(raw)
    return folder


def held(record: bytes, folder: Path, key: str = "", phrase: str = "") -> Verdict:
    found = mails.read([folder])
    return verify.verify(record, key, found, phrase) if key else verify.verify(record, mails=found)


def remade(record: bytes, change: Callable[[dict[str, object]], None]) -> bytes:
    """The record with a change, and every hash made anew."""
    value = json.loads(record)
    change(value)
    previous = "0" * 64
    for entry in value["entries"]:
        entry["previous"] = previous
        rest = {name: part for name, part in entry.items() if name != "hash"}
        entry["hash"] = previous = verify_dice.hashlib.sha256(canonical(rest)).hexdigest()
    value["chain_head"] = previous
    value["digest"] = verify_dice.digest_of(value)
    return canonical(value)


def test_the_mails_of_a_match_prove_its_record(keeper: Office, tmp_path: Path) -> None:
    record, raws = ended(keeper, keeper.running())

    verdict = held(record, kept(tmp_path / "mails", raws))

    assert verdict.wrong == ()
    said = " ".join(verdict.proved)
    assert "the seed was chosen before it was sent" in said
    assert "everything up to entry 0 was as it stands here" in said
    assert "the record is the one that was mailed, but for the names in it" in said
    assert not any("entries" in sentence for sentence in verdict.unbound)
    assert any("Nobody can prove who made a move" in sentence for sentence in verdict.unbound)


@pytest.mark.parametrize("which", range(3))
def test_two_whole_records_of_one_match_are_told_apart_by_one_old_mail(
    keeper: Office, tmp_path: Path, which: int
) -> None:
    """Threat 6.2: the same match once more, with another seed; each record verifies by itself."""
    match = keeper.running()
    record, raws = ended(keeper, match)
    value = json.loads(record)
    second = _second_record(keeper, match, value)

    (one,) = [raws[number] for number in (0, 1, -1)][which : which + 1]
    folder = kept(tmp_path / "mails", [one])

    assert verify.verify(second).wrong == ()
    assert held(record, folder).wrong == ()
    assert "promised another seed" in " ".join(held(second, folder).wrong)


def _second_record(office: Office, match: Match, value: dict[str, object]) -> bytes:
    """A whole record with the same id, players and phrases, and another seed."""

    table = office.table(match)
    seed = b"another seed that is 32 bytes ok"
    other = match.model_copy(update={"seed": seed, "commitment": commitment(match.id, seed)})
    row = office.plies(match)[0]
    game = table.game
    key = match_log.key_with(other, table.seats, None)

    dice = SeededDice(key)
    step = game.setup(4, match_log.options_of(match), dice)
    founding = {**json.loads(row.move_json), "commitment": other.commitment}
    written = match_log.write_ply(
        other,
        ply=0,
        seat=None,
        made_by=row.made_by,
        made_at=row.made_at,
        phase="setup",
        order="",
        move=founding,
        events=step.events,
        draws=dice.draws,
        reveals=True,
        previous=match_log.NO_HASH,
        rules=row.rules_version,
        public_ply=0,
    )

    over = other.model_copy(
        update={
            "ply": 0,
            "chain_head": written["hash"],
            "ended_at": office.service.now(),
            "status": "aborted",
            "outcome_json": None,
        }
    )
    return canonical(match_log.record(over, table.seats, [Ply(**written)]))


def test_a_log_that_was_cut_or_changed_does_not_fit_a_turn_mail(
    keeper: Office, tmp_path: Path
) -> None:
    record, raws = ended(keeper, keeper.running())
    folder = kept(tmp_path / "mails", raws)
    cut = remade(record, lambda value: value["entries"].pop())  # type: ignore[attr-defined]

    def later(value: dict[str, object]) -> None:
        for entry in value["entries"]:  # type: ignore[attr-defined]
            entry["made_at"] = entry["made_at"].replace("2026", "2027")

    moved = remade(record, later)

    assert verify.verify(cut).wrong == ()
    assert verify.verify(moved).wrong == ()
    assert not held(cut, folder).well
    assert "names a log that is not in this record" in " ".join(held(moved, folder).wrong)


def test_what_no_mail_holds_is_said(keeper: Office, tmp_path: Path) -> None:
    record, raws = ended(keeper, keeper.running())

    early = held(record, kept(tmp_path / "early", raws[:1]))
    none = verify.verify(record)

    assert early.wrong == ()
    last = len(json.loads(record)["entries"]) - 1
    assert any(f"to {last}." in sentence for sentence in early.unbound)
    assert any("names this record's digest" in sentence for sentence in early.unbound)
    assert any("No mail of this match was given" in sentence for sentence in none.unbound)


def test_a_record_whose_head_was_changed_does_not_fit_the_last_mail(
    keeper: Office, tmp_path: Path
) -> None:
    """The names of a match that never began stand in no log."""
    match = keeper.open(confirmed=False)
    remedies.abort(keeper.service, match.id, actor="host")
    keeper.post_all()
    last = golden.raw_of(keeper, keeper.owed("match_aborted", 1))
    record = canonical(match_look.record(keeper.service, match.id))
    value = json.loads(record)
    value["players"][1] = "Erin"
    rest = {name: part for name, part in value.items() if name != "digest"}
    digest = verify_dice.hashlib.sha256(canonical(rest)).hexdigest()
    renamed = canonical({**rest, "digest": digest})
    folder = kept(tmp_path / "mails", [last])

    assert held(record, folder).wrong == ()
    assert verify.verify(renamed).wrong == ()
    assert "names another digest" in " ".join(held(renamed, folder).wrong)


# --- the beacon ---


@pytest.mark.parametrize(
    ("late", "said"),
    [(-30, "before the round came out"), (600, "only when the round was out already")],
)
def test_the_mail_that_all_have_joined_binds_the_round_if_it_came_in_time(
    keeper: Office, local_chain: LocalBeacon, tmp_path: Path, late: int, said: str
) -> None:
    office = replace(keeper, service=with_beacon(keeper, local_chain).service)
    match = office.open()
    office.post_all()
    office.wait(seconds=64)
    record, raws = ended(office, match)
    drawn = json.loads(record)["entries"][0]["move"]["beacon"]
    out = local_chain.chain.time_of(drawn["round"])
    joined = [raw for raw in raws if b"promise=" in raw]
    folder = kept(tmp_path / "mails", [received(joined[0], out + timedelta(seconds=late))])

    verdict = held(record, folder, local_chain.chain.public_key)
    reground = remade(record, lambda value: _change_phrase(value))

    assert verdict.wrong == ()
    assert said in verdict.proved[0]
    could = any("could have chosen among rounds" in sentence for sentence in verdict.unbound)
    assert could == (late > 0)
    wrong = held(reground, folder, local_chain.chain.public_key).wrong
    assert "promised another round of the beacon, or other phrases" in " ".join(wrong)


def _change_phrase(value: dict[str, object]) -> None:
    """As somebody who tries phrases until the dice are right."""
    for place in (value, value["entries"][0]["move"]):  # type: ignore[index]
        place["phrases"][3] = "the thousandth try"


def test_ones_own_phrase_is_looked_for(keeper: Office) -> None:
    record, _raws = ended(keeper, keeper.running())
    mine = json.loads(record)["phrases"][1]

    there = verify.verify(record, phrase=f"  {mine} ")
    not_there = verify.verify(record, phrase="words that I never said")

    assert "that of seat 2, Bob" in " ".join(there.proved)
    assert not_there.wrong == ("Your phrase is not in this record.",)


# --- files ---


def test_mails_are_read_from_files_mailboxes_and_folders(keeper: Office, tmp_path: Path) -> None:
    _record, raws = ended(keeper, keeper.running())
    folder = kept(tmp_path / "mails", raws)
    (folder / "000").mkdir()
    first = (folder / "000.eml").rename(folder / "000" / "first.eml")
    (folder / "notes.txt").write_text("Not a mail.")
    (folder / "picture.png").write_bytes(bytes(range(256)) * 40)
    (folder / "empty").write_bytes(b"")
    box = mailbox.mbox(tmp_path / "box")
    for raw in raws:
        box.add(raw)
    box.close()

    of_each = [mails.read([path]) for path in (folder, tmp_path / "box", first)]

    assert [len(found) for found in of_each] == [len(raws), len(raws), 1]
    assert [one.proof for one in of_each[0]] == [one.proof for one in of_each[1]]


@pytest.mark.parametrize("here", ["UTC", "Asia/Tokyo"])
@pytest.mark.parametrize("written", ["02:00:00 -0000", "02:00:00 +0000", "04:00:00 +0200"])
def test_when_a_mail_arrived_does_not_depend_on_where_it_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str, written: str
) -> None:
    monkeypatch.setenv("TZ", here)
    time.tzset()
    mail = (
        f"Received: by mx; 26 Nov 2026 {written}\nPbem-Proof: match=abc commitment={'0' * 64}\n\n"
    )
    (tmp_path / "one.eml").write_text(mail)

    (found,) = mails.read([tmp_path])

    monkeypatch.undo()
    time.tzset()
    assert found.arrived == datetime(2026, 11, 26, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    [
        b"Pbem-Proof: match=abc",
        # cut: it must not speak against a record
        b"Pbem-Proof: match=abc commitment=00\r\n\r\n",
        b"Pbem-Proof: nothing\r\n\r\n",
        b"Subject: =?utf-8?b?!!!?=\r\nPbem-Proof: commitment=00\r\n\r\n",
        b"Subject: =?x-unknown?q?a?=\r\nPbem-Proof: match=a commitment=b\r\n\r\n",
        b"From nobody\n\xff\xfe\n\n",
        b"Received: ;;;;\r\n" * 5000,
        b"\x00" * 1000,
        b"A" * 300_000,
    ],
)
def test_a_strange_file_is_passed_by(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "strange.eml").write_bytes(raw)

    assert mails.read([tmp_path]) == []


def test_the_subject_of_a_mail_gives_no_orders_to_a_terminal(tmp_path: Path) -> None:
    hostile = "=?utf-8?q?Dog:_=1B[2Jyour=0A__turn?=" + " and so on" * 20
    (tmp_path / "one.eml").write_text(
        f"Subject: {hostile}\nPbem-Proof: match=abc commitment={'0' * 64}\n\n"
    )

    (found,) = mails.read([tmp_path])

    assert found.subject.startswith("Dog:  [2Jyour turn and so on")
    assert len(found.subject) == 120


def test_the_command_says_what_each_mail_proves_and_what_nobody_can(
    keeper: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, raws = ended(keeper, keeper.running())
    (tmp_path / "record.json").write_bytes(record)
    folder = kept(tmp_path / "mails", raws)

    with pytest.raises(SystemExit) as done:
        main(["verify", str(tmp_path / "record.json"), str(folder)])
    told = " ".join(capsys.readouterr().out.split())

    assert not done.value.code
    assert "What your mails prove:" in told
    assert "What is not proved:" in told
    assert "could have chosen the dice" in told
