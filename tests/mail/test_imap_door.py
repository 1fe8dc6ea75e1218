"""Letters in a mailbox elsewhere, fetched from a real IMAP server over TLS."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest

from pbem.journal import Line
from pbem.mail import gateway
from pbem.mail.doors import imap, intake
from pbem.mail.doors.imap import MailboxError
from pbem.running.doctor_mail import check_doors
from pbem.service import Service
from pbem.store import db
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.mail.correspondence import written
from tests.mail.office import Office, office_service
from tests.parts.cast import address
from tests.parts.certificates import Authority
from tests.parts.door import with_doors
from tests.parts.imap_server import PASSWORD, USER, ImapServer, imap_server


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    made = Authority(tmp_path)
    made.trusted(monkeypatch)
    return made


@pytest.fixture
def box(authority: Authority) -> Iterator[ImapServer]:
    with imap_server(authority.server("localhost")) as server:
        yield server


def looking(service: Service, box: ImapServer, **more: object) -> Service:
    where = {"imap_host": "localhost", "imap_port": box.port}
    login = {"imap_user": USER, "imap_password": PASSWORD}
    return with_doors(service, **{**where, **login, **more})


def asked(office: Office) -> tuple[Match, str, str]:
    """A running match, where Bob's turn takes answers, and an order of his."""
    match = office.running()
    to = gateway.reply_address(office.service, office.link(match, Purpose.REPLY, 1))
    return match, to, office.orders(match, 1)[0]


def bobs_plies(office: Office, match: Match) -> list[str]:
    return [ply.order_text or "" for ply in office.plies(match) if ply.seat == 1]


def test_a_move_is_made_by_a_letter_in_the_mailbox(any_office: Office, box: ImapServer) -> None:
    match, to, order = asked(any_office)
    box.add(written(order, to, address("bob")))
    service = looking(any_office.service, box)

    looked = [imap.poll(service) for _ in range(2)]

    assert looked == [1, 0]
    assert bobs_plies(any_office, match) == [order]
    assert len(any_office.mails("reply_answer")) == 1
    assert box.flags() == {1: {"\\Seen"}}


def test_a_letter_is_found_by_whom_it_was_delivered_to(keeper: Office, box: ImapServer) -> None:
    """A catch-all mailbox may have it only in Delivered-To."""
    match, to, order = asked(keeper)
    raw = written(order, "undisclosed@example.org", address("bob"))
    box.add(f"Delivered-To: {to}\r\n".encode() + raw)

    imap.poll(looking(keeper.service, box))

    assert bobs_plies(keeper, match) == [order]


def test_a_letter_is_found_by_whom_a_server_on_the_way_took_it_for(
    keeper: Office, box: ImapServer
) -> None:
    """Postfix with an alias for the whole domain, then Dovecot: as these two wrote it."""
    match, to, order = asked(keeper)
    way = (
        "Return-Path: <bob@example.org>\r\nDelivered-To: play@example.org\r\n"
        "Received: from mail.example.org ([127.0.0.1])\r\n\tby mail.example.org with LMTP\r\n"
        "\tid IJeoHbtdAWu1MQAAg+zDdQ\r\n\t(envelope-from <bob@example.org>)\r\n"
        "\tfor <play@example.org>; Tue, 02 Jun 2026 12:00:43 +0000\r\n"
        "Received: from [127.0.0.1] (unknown [127.0.0.1])\r\n"
        "\tby mail.example.org (Postfix) with ESMTP id 7927F24E1C3\r\n"
        f"\tfor <{to}>; Tue,  2 Jun 2026 12:00:43 +0000 (UTC)\r\n"
    ).encode()
    box.add(way + written(order, "undisclosed:;", address("bob")))

    imap.poll(looking(keeper.service, box))

    assert bobs_plies(keeper, match) == [order]


@pytest.mark.parametrize("uidplus", [True, False])
def test_letters_that_were_taken_are_deleted_where_that_is_set_and_no_others(
    keeper: Office, box: ImapServer, uidplus: bool
) -> None:
    match, to, order = asked(keeper)
    box.uidplus = uidplus
    box.add(written(order, to, address("bob")))
    box.add(written("Buy this", "somebody@localhost", "spam@example.com"))
    box.add(b"X-A: b\r\n" * 5000 + b"\r\nunreadable\r\n")

    imap.poll(looking(keeper.service, box, imap_taken="delete"))

    assert bobs_plies(keeper, match) == [order]
    assert box.flags() == {2: {"\\Seen"}, 3: {"\\Seen"}}


def test_a_look_that_broke_off_before_the_mark_is_taken_up_again_and_moves_once(
    keeper: Office, box: ImapServer
) -> None:
    match, to, order = asked(keeper)
    box.add(written(order, to, address("bob")))
    box.stores = 0
    service = looking(keeper.service, box)

    with pytest.raises(MailboxError, match="broke off"):
        imap.poll(service)
    assert box.flags() == {1: set()}
    box.stores = 10
    imap.poll(service)

    assert box.flags() == {1: {"\\Seen"}}
    assert bobs_plies(keeper, match) == [order]
    assert len(keeper.mails("reply_answer")) == 1


def test_a_letter_on_which_this_program_fails_stops_no_other_and_is_tried_again_last(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, to, order = asked(keeper)
    box.add(written("POISON", to, address("bob"), "p"))
    box.add(written(order, to, address("bob")))
    service = looking(keeper.service, box)
    arrived = gateway.arrived

    def poisonable(given: Service, raw: bytes, *_: object) -> str:
        if b"POISON" in raw:
            raise RuntimeError("a bug")
        return arrived(given, raw)

    with monkeypatch.context() as patched:
        patched.setattr(intake.gateway, "arrived", poisonable)
        imap.poll(service)
        assert box.flags() == {1: {"\\Flagged"}, 2: {"\\Seen"}}
        box.add(written("help", to, address("bob"), "h"))
        box.fetched.clear()
        imap.poll(service)
        assert box.fetched == [3, 1]
    imap.poll(service)

    assert box.flags() == {1: {"\\Flagged", "\\Seen"}, 2: {"\\Seen"}, 3: {"\\Seen"}}
    assert bobs_plies(keeper, match) == [order]


@pytest.mark.parametrize("said", ["NO [SERVERBUG] damaged", "BAD Command Error. 12", "OK done"])
def test_a_letter_that_the_mailbox_does_not_give_out_stops_no_other_and_is_told_once(
    keeper: Office, box: ImapServer, caplog: pytest.LogCaptureFixture, said: str
) -> None:
    match, to, order = asked(keeper)
    damaged = [box.add(written("help", to, address("bob"), f"{number}")) for number in range(3)]
    box.withheld = dict.fromkeys(damaged, said)
    last = box.add(written(order, to, address("bob")))
    service = looking(keeper.service, box)

    looked = [imap.poll(service, 3) for _ in range(3)]

    assert looked == [0, 1, 0]
    assert bobs_plies(keeper, match) == [order]
    assert box.flags() == {**{one: {"\\Flagged"} for one in damaged}, last: {"\\Seen"}}
    told = [line for line in caplog.records if line.getMessage() == Line.LETTER_FAILED]
    assert [vars(line)["about"] for line in told] == [{"uid": one} for one in damaged]

    box.withheld.clear()
    imap.poll(service)

    assert all("\\Seen" in flags for flags in box.flags().values())


@pytest.mark.parametrize("how", ["hangs up", "says nothing"])
def test_a_letter_at_which_the_mailbox_breaks_off_stops_no_other_and_is_told_once(
    keeper: Office,
    box: ImapServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    how: Literal["hangs up", "says nothing"],
) -> None:
    monkeypatch.setattr(imap, "STEP_SECONDS", 1.5)
    match, to, order = asked(keeper)
    bad = [box.add(written("help", to, address("bob"), f"{number}")) for number in range(2)]
    box.broken = dict.fromkeys(bad, how)
    last = box.add(written(order, to, address("bob")))
    service = looking(keeper.service, box)

    looked = [imap.poll(service) for _ in range(4)]

    assert looked == [0, 0, 1, 0]
    assert bobs_plies(keeper, match) == [order]
    assert box.flags() == {**{one: {"\\Flagged"} for one in bad}, last: {"\\Seen"}}
    told = [line for line in caplog.records if line.getMessage() == Line.LETTER_FAILED]
    assert [vars(line)["about"] for line in told] == [{"uid": one} for one in bad]

    del box.broken[bad[1]]
    # the order of those that failed is left to chance
    for _ in range(40):
        imap.poll(service)
        if "\\Seen" in box.flags()[bad[1]]:
            break

    assert box.flags()[bad[1]] == {"\\Flagged", "\\Seen"}


def test_a_mailbox_that_is_away_in_the_middle_of_a_letter_flags_none(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, to, _ = asked(keeper)
    letter = box.add(written("help", to, address("bob")))
    service = looking(keeper.service, box)

    def away(*_: object) -> None:
        box.silent = True
        monkeypatch.setattr(imap, "STEP_SECONDS", 0.3)
        raise ConnectionResetError

    monkeypatch.setattr(imap, "_text", away)
    with pytest.raises(MailboxError, match="does not answer"):
        imap.poll(service)

    assert box.flags() == {letter: set()}


def test_a_sender_that_no_database_can_be_asked_for_stops_no_other_letter(
    any_office: Office, box: ImapServer
) -> None:
    """PostgreSQL refuses a NUL as if it were out of order itself: the look ended at this letter."""
    match, to, order = asked(any_office)
    box.add(written("hello", "somebody@example.org", "a\0b@example.org", "nul"))
    box.add(written(order, to, address("bob")))
    service = looking(any_office.service, box)

    imap.poll(service)

    assert box.flags() == {1: {"\\Seen"}, 2: {"\\Seen"}}
    assert bobs_plies(any_office, match) == [order]


def test_a_look_takes_no_more_than_it_was_told(keeper: Office, box: ImapServer) -> None:
    _, to, _ = asked(keeper)
    for number in range(3):
        box.add(written("help", to, address("bob"), f"{number}"))
    service = looking(keeper.service, box)

    assert [imap.poll(service, 2), imap.poll(service, 2)] == [2, 1]


def test_while_the_database_is_busy_letters_stay_as_they_are(
    tmp_path: Path, sqlite_url: str, box: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_SECONDS", 0)
    office = Office(office_service(tmp_path, sqlite_url))
    match, to, order = asked(office)
    box.add(written(order, to, address("bob")))
    box.add(written("help", to, address("bob"), "2"))
    service = looking(office.service, box)
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    imap.poll(service)
    assert box.flags() == {1: set(), 2: set()}
    assert box.fetched == [1]
    other.execute("ROLLBACK")

    imap.poll(service)

    assert box.flags() == {1: {"\\Seen"}, 2: {"\\Seen"}}
    assert bobs_plies(office, match) == [order]
    other.close()
    office.service.database.close()


def test_of_a_letter_that_is_too_long_no_more_is_fetched_and_it_is_laid_aside(
    keeper: Office, box: ImapServer
) -> None:
    match, to, order = asked(keeper)
    box.add(written(order + "\r\n\r\n" + "x" * 30_000, to, address("bob")))

    imap.poll(looking(keeper.service, box, max_bytes=20_000))

    assert bobs_plies(keeper, match) == []
    assert box.flags() == {1: {"\\Seen"}}


# --- a mailbox that cannot be looked through ---


def test_another_folder_and_a_login_of_the_older_kind_work_too(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, to, _ = asked(keeper)
    box.folder, box.plain = "pbem letters", False
    monkeypatch.setattr("tests.parts.imap_server.PASSWORD", "all ascii")
    box.add(written("help", to, address("bob")))

    there = {"imap_folder": "pbem letters", "imap_password": "all ascii"}

    assert imap.poll(looking(keeper.service, box, **there)) == 1


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ({"imap_password": "wrong"}, "refuses the login"),
        ({"imap_folder": "Nowhere"}, "no folder Nowhere"),
        ({"imap_host": "127.0.0.1"}, "certificate"),
        ({"imap_port": 1}, "does not answer"),
    ],
)
def test_what_is_wrong_with_a_mailbox_is_said_without_its_password(
    keeper: Office, box: ImapServer, what: dict[str, object], why: str
) -> None:
    """A certificate of another name counts as none."""
    with pytest.raises(MailboxError) as refused:
        imap.poll(looking(keeper.service, box, **what))

    assert why in str(refused.value)
    assert PASSWORD not in str(refused.value)


def test_a_login_that_an_old_server_cannot_take_is_said(keeper: Office, box: ImapServer) -> None:
    box.plain = False

    with pytest.raises(MailboxError, match="not ASCII"):
        imap.poll(looking(keeper.service, box))


def test_a_certificate_of_an_unknown_authority_is_refused(
    keeper: Office, tmp_path: Path, authority: Authority
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with (
        imap_server(Authority(other).server("localhost")) as stranger,
        pytest.raises(MailboxError, match="its certificate is not trusted"),
    ):
        imap.poll(looking(keeper.service, stranger))


def test_a_server_that_says_nothing_is_not_waited_for_for_ever(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "STEP_SECONDS", 0.3)
    box.silent = True

    with pytest.raises(MailboxError, match="timed out"):
        imap.poll(looking(keeper.service, box))


@pytest.mark.parametrize("verb", ["CAPABILITY", "AUTHENTICATE", "SELECT", "UID_SEARCH"])
def test_a_server_that_is_always_still_there_is_not_waited_for_for_ever(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Dovecot says so while a mailbox is locked: no single word of it comes late."""
    monkeypatch.setattr(imap, "OPEN_SECONDS", 0.5)
    box.endless = verb

    with pytest.raises(MailboxError, match="timed out"):
        imap.poll(looking(keeper.service, box))


def test_a_letter_at_which_the_server_is_always_still_there_stops_no_other(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "STEP_SECONDS", 2)
    monkeypatch.setattr(imap, "LOOK_SECONDS", 0.2)
    box.add(b"To: somebody@example.org\r\n\r\nhello")
    box.endless = "UID_FETCH"

    assert imap.poll(looking(keeper.service, box)) == 0

    assert box.flags() == {1: {"\\Flagged"}}


@pytest.mark.parametrize("longer", [-10, 10_000, 10**12, 10**30])
def test_a_letter_of_which_the_server_says_a_wrong_length_stops_no_other(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch, longer: int
) -> None:
    monkeypatch.setattr(imap, "STEP_SECONDS", 2)
    match, to, order = asked(keeper)
    box.add(written("help", to, address("bob"), "1"))
    box.longer = longer
    service = looking(keeper.service, box)

    assert imap.poll(service) == 0
    assert box.flags() == {1: {"\\Flagged"}}
    box.longer = 0
    box.add(written(order, to, address("bob"), "2"))
    imap.poll(service)

    assert bobs_plies(keeper, match) == [order]
    assert box.flags() == {1: {"\\Flagged", "\\Seen"}, 2: {"\\Seen"}}


def test_a_server_that_is_slow_to_open_the_mailbox_gives_its_letters(
    keeper: Office, box: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "LOOK_SECONDS", 0.3)
    match, to, order = asked(keeper)
    box.add(written(order, to, address("bob")))
    box.slow = 0.1

    assert imap.poll(looking(keeper.service, box)) == 1

    assert bobs_plies(keeper, match) == [order]


@pytest.mark.parametrize("said", ["NO [NOPERM] you may only read", "BAD Command Error. 12"])
def test_a_server_that_marks_no_letters_is_told_after_all_are_taken_once(
    keeper: Office, box: ImapServer, said: str
) -> None:
    match, to, order = asked(keeper)
    box.add(written("help", to, address("bob"), "1"))
    box.add(written(order, to, address("bob"), "2"))
    box.unmarked = said
    service = looking(keeper.service, box, imap_taken="delete")

    for _ in range(2):
        with pytest.raises(MailboxError, match="does not mark letters") as refused:
            imap.poll(service)
        assert said[-9:] in str(refused.value)

    assert bobs_plies(keeper, match) == [order]
    assert len(keeper.mails("reply_answer")) == 2
    assert set(box.letters) == {1, 2}


def test_a_letter_that_could_not_be_taken_for_more_than_a_day_is_told_by_doctor(
    keeper: Office, box: ImapServer
) -> None:
    for days in (0, 3):
        letter = box.letters[box.add(b"To: somebody@example.org\r\n\r\nhello")]
        letter.flags, letter.came = {"\\Flagged"}, datetime.now(UTC) - timedelta(days=days)

    well, told = check_doors(looking(keeper.service, box).settings)

    assert (well.state, told.state) == ("well", "note")
    assert "for more than a day: 1, flagged and unread in INBOX" in told.found
