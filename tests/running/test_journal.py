"""The journal tells what the service did, once it is true, and nothing that is secret."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from pbem import journal
from pbem.acts import absence, deliverability, matches, outbox
from pbem.acts.matches import Joining
from pbem.acts.writing import SomeoneWasFirstError, claim
from pbem.journal import Line
from pbem.mail.mailer import post_due
from pbem.store import audit
from pbem.store.db import Database
from pbem.store.models import Link, Match
from pbem.store.names import Actor, AuditAct, Delivery, Purpose
from pbem.store.table import load
from tests.acts import stalls
from tests.parts import remedies
from tests.parts.cast import House, address
from tests.parts.logged import logged, names, told

#: What every line has.
EVERY_LINE = {"timestamp", "level", "event", "logger"}
PBEM = Path(__file__).parents[2] / "pbem"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with logged(io.StringIO()) as written:
        yield written


def of(log: io.StringIO, line: Line) -> list[dict[str, Any]]:
    return [one for one in told(log) if one["event"] == line]


def test_a_match_is_told_from_its_opening_to_its_end(house: House, log: io.StringIO):
    match = house.open(confirmed=False, bots=2)
    for seat in (0, 1):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    house.work()
    post_due(house.service, 500)

    over = house.play_on(match)

    lines = told(log)
    assert {line["match"] for line in lines if "match" in line} == {match.id}
    assert [line["event"] for line in lines[:4]] == [
        *("match_opened", "joined", "joined", "started")
    ]
    assert lines[-1]["event"] == "match_over"
    assert (lines[0]["game"], lines[0]["seats"], lines[0]["by"]) == ("dog", 4, "host")
    moved = [(one["ply"], one["by"]) for one in lines if one["event"] == "move_made"]
    advanced = [one for one in lines if one["event"] == "advanced"]
    assert len(moved) + sum(one["plies"] for one in advanced) == over.ply
    assert {by for _, by in moved} == {"link"}
    assert all(isinstance(one["ms"], int) for one in advanced)
    opened = of(log, Line.TURN_OPENED)
    assert {one["turn"] for one in of(log, Line.MOVE_MADE)} <= {one["turn"] for one in opened}


def test_an_act_that_lost_its_claim_tells_nothing(house: House, log: io.StringIO):
    match = house.running()
    before = names(log)
    with house.service.database.read() as session:
        old = load(session, match.id)
    remedies.pause(house.service, match.id, "1d", actor="host")

    def late() -> None:
        now = house.clock.now()
        with house.service.database.write("test") as session:
            audit.append(session, [audit.Entry(now, match.id, Actor.HOST, AuditAct.EXTENDED)])
            claim(session, [(old.match, {})])

    with pytest.raises(SomeoneWasFirstError):
        late()

    assert [one["act"] for one in told(log)[len(before) :]] == ["paused"]


def test_a_line_is_written_when_the_commit_is_done(
    house: House, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
):
    seen: list[list[str]] = []
    monkeypatch.setattr("pbem.failpoints.pass_by", lambda name: seen.append([name, *names(log)]))

    with house.service.database.write("test") as session:
        journal.after(session, Line.JOINED, match="k3x9", seat=1)

    assert seen == [["test.before_commit"], ["test.after_commit", "joined"]]


def test_the_same_submission_twice_is_told_once(house: House, log: io.StringIO):
    match = house.running()

    order = house.orders(match, 0)[0]

    for _ in range(2):
        house.play(match, 0, order, "the same")

    assert len(of(log, Line.MOVE_MADE)) == 1


def test_a_match_that_is_set_aside_leaves_its_traceback(
    house: House, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
):
    stalled = stalls.stall(house, "set_aside", monkeypatch)

    failed, (aside,) = of(log, Line.MATCH_FAILED), of(log, Line.SET_ASIDE)
    assert [one["failures"] for one in [*failed, aside]] == [1, 2, 3]
    assert aside["match"] == stalled.match.id
    assert aside["level"] == "error"
    assert "ZeroDivisionError: division by zero" in aside["exception"]
    assert "Traceback" in aside["exception"]


def test_who_is_silent_is_told_as_reminded_and_timed_out(house: House, log: io.StringIO):
    clock = {"turn": "10h", "reserve": "1h", "grace": "1h"}
    match = house.play_on(house.running(clock=clock), plies=6)
    (mover,) = house.waiting(match)

    for _ in range(16):
        house.wait(hours=1)

    reminded, up = of(log, Line.REMINDED), of(log, Line.TIMED_OUT)
    assert {one["seat"] for one in reminded} >= {mover}
    assert [one["number"] for one in reminded if one["seat"] == mover] == [1, 2, 3]
    assert (up[0]["act"], up[0]["seat"]) == ("played_default", mover)


def test_a_night_without_a_sweep_is_told_as_an_outage(house: House, log: io.StringIO):
    absence.notice_outage(house.service)
    house.clock.move(timedelta(hours=9))
    absence.notice_outage(house.service)

    (line,) = of(log, Line.OUTAGE)
    assert line["seconds"] == 9 * 3600
    assert line["level"] == "warning"


def test_a_sweep_says_that_the_clock_was_set_back(house: House, log: io.StringIO):
    absence.notice_outage(house.service)
    house.clock.move(-timedelta(hours=9))
    absence.notice_outage(house.service)
    absence.notice_outage(house.service)

    (line,) = of(log, Line.CLOCK_SET_BACK)
    assert line["seconds"] == 9 * 3600
    assert line["level"] == "warning"


def test_a_remedy_says_who_did_what_to_whom(house: House, log: io.StringIO):
    match = house.running()

    remedies.extend(house.service, match.id, 2, "24h", actor="operator")

    (line,) = of(log, Line.REMEDY)
    assert {name: line[name] for name in ("act", "by", "match", "seat")} == {
        "act": "extended",
        "by": "operator",
        "match": match.id,
        "seat": 2,
    }


def test_a_mail_is_told_by_its_number_and_what_came_back_without_its_address(
    house: House, log: io.StringIO
):
    match = house.running()
    post_due(house.service, 500)
    sent = of(log, Line.MAIL_SENT)
    mail = next(one for one in house.mails("your_turn") if one.seat == 1)

    with house.service.database.write("test") as session:
        why = f"550 5.1.1 <{address('bob')}>: no bob here"
        outbox.note_delivery(session, mail, Delivery.FAILED, why, house.clock.now())

    (back,) = of(log, Line.MAIL_RETURNED)
    assert {one["mail"] for one in sent} == {one.id for one in house.mails()}
    assert (back["mail"], back["kind"], back["match"]) == (mail.id, "your_turn", match.id)
    assert (back["seat"], back["delivery"]) == (1, "failed")
    assert "bob" not in back["why"]
    assert back["why"].startswith("550 5.1.1")


def test_no_line_of_a_whole_match_holds_a_secret(house: House, log: io.StringIO):
    """Threat 5.3: no token, address, name, phrase, order or hand, whatever happens to a match."""
    match = house.open(confirmed=False, bots=1)
    for seat in (0, 1, 2):
        joining = Joining(phrase=f"the words of seat {seat}")
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), joining)
    house.work()
    house.play_on(match, plies=20)
    deliverability.mail_refused(
        house.service, match.id, 1, address("bob"), "550 <bob@example.org> gone"
    )
    remedies.correct_address(house.service, match.id, 1, "robert@example.org", actor="operator")
    remedies.replace(house.service, match.id, 2, "Frank", "frank@example.org", actor="operator")
    house.wait(hours=200)
    remedies.abort(house.service, match.id, actor="operator")
    house.work()
    for _ in range(5):
        post_due(house.service, 500)

    text = log.getvalue()
    allowed = fields_of_the_docs()
    assert len(text.splitlines()) > 60
    for secret in secrets(house, match):
        assert secret not in text, secret
    for line in told(log):
        assert set(line) <= allowed[line["event"]], line


def secrets(house: House, match: Match) -> list[str]:
    """All that nobody may find in the log: of people, links and what is hidden."""
    table = house.table(match)
    found = ["example.org", *(seat.name for seat in table.seats), table.match.host_name, "Frank"]
    found += [seat.phrase for seat in table.seats if seat.phrase]
    found += [table.match.seed.hex(), table.match.state_json or ""]
    found += [f'"{ply.order_text}"' for ply in house.plies(match) if ply.order_text]
    with house.service.database.read() as session:
        rows = session.exec(select(Link)).all()
    return found + [house.token(link).partition("-")[2] for link in rows]


def fields_of_the_docs() -> dict[str, set[str]]:
    """What each line may hold, as the operators' page says."""
    page = (PBEM.parent / "docs/operators.md").read_text()
    table = page[page.index("| event | when | fields |") :].partition("\n\n")[0]
    found: dict[str, set[str]] = {}
    for row in table.splitlines()[2:]:
        _, events, _when, fields, _ = row.split("|")
        like = re.match(r" as `(\w+)`", fields)
        known = set(re.findall(r"`(\w+)`", fields)) | (found[like[1]] if like else EVERY_LINE)
        found |= dict.fromkeys(re.findall(r"`(\w+)`", events), known)
    return found


def test_the_operators_page_lists_every_line_there_is():
    assert set(fields_of_the_docs()) == {line.value for line in Line}


def test_every_line_of_the_service_has_a_name_of_the_list():
    """Nothing but the journal writes lines of our own, and it takes no other names."""
    writers = [
        path.name
        for folder in (PBEM, PBEM.parent / "workers")
        for path in folder.rglob("*.py")
        if "get_logger(" in path.read_text() or "logging.getLogger(" in path.read_text()
    ]
    used = {
        name
        for path in [*PBEM.rglob("*.py"), *(PBEM.parent / "workers").rglob("*.py")]
        for name in re.findall(r"\bLine\.([A-Z_]+)\b", path.read_text())
        if path.name != "journal.py"
    }

    assert sorted(writers) == ["journal.py", "logs.py"]
    assert used == set(Line.__members__)


def test_without_a_log_nothing_is_written(
    sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Database(sqlite_url)

    with database.write("test") as session:
        journal.after(session, Line.JOINED, match="k3x9")
    database.close()

    assert capsys.readouterr() == ("", "")
