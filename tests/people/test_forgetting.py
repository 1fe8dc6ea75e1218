"""Somebody is forgotten: address and name are gone from all rows, and the records still verify."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from email import message_from_bytes
from email.message import Message as Part
from email.policy import default
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from pbem.acts import lobby, matches, open_seats, packing
from pbem.errors import NotFound
from pbem.looks import match_look
from pbem.people import export, persons, privacy, settings, standing, talk, watches
from pbem.people.open_tables import TableFilter
from pbem.people.series import acts as series
from pbem.people.series.acts import NewSeries
from pbem.people.settings import SettingsRequest
from pbem.people.sweep import sweep as keep_company
from pbem.record import mails, verify, verify_dice
from pbem.store import audit
from pbem.store.canonical import canonical
from pbem.store.models import (
    Forgetting,
    Mail,
    Match,
    Message,
    Person,
    PersonGroup,
    Ply,
    PublicPlayer,
    ReceivedMail,
    SeriesPlayer,
    TalkMute,
    TalkNote,
    Watch,
)
from pbem.store.names import Actor, MailStatus, Purpose
from tests.mail import golden
from tests.mail.office import Office
from tests.parts import remedies
from tests.parts.cast import House, address, by, people
from tests.parts.finished import send_all
from tests.parts.older import with_names_in_the_log

BOB = address("bob")
FORMER = "Former player 2"


def forget(house: House, whom: str = BOB) -> privacy.Forgotten:
    return privacy.forget(house.service, whom, Actor.PLAYER)


def rows_with(house: House, *words: str) -> list[str]:
    """The columns of the database that hold one of these words, in upper or lower case.

    But what others have in their mailboxes: nobody takes a mail back.
    """
    file = house.service.settings.database_url.removeprefix("sqlite:///")
    found = set()
    with closing(sqlite3.connect(file)) as there:
        tables = there.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            rows = there.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in rows.description]
            for row in rows:
                for name, value in zip(names, row, strict=True):
                    said = value.decode("latin-1") if isinstance(value, bytes) else str(value)
                    if any(word.lower() in said.lower() for word in words):
                        found.add(f"{table}.{name}")
    return sorted(found - {"received_mail.raw"})


def record_of(house: House, match: Match) -> bytes:
    return canonical(match_look.record(house.service, match.id))


@pytest.mark.parametrize("game", ["dog", "skirmish"])
def test_in_the_middle_of_a_match_nothing_of_them_is_left_and_it_goes_on(
    house: House, game: str
) -> None:
    match = house.play_on(house.of_game(game), plies=7)
    with house.service.database.write("test") as session:
        note = TalkNote(match_id=match.id, seat=1, text="Bob's plan", at=house.clock.now())
        session.add(note)

    done = forget(house)
    house.work()

    assert done == privacy.Forgotten(1, done=True)
    assert rows_with(house, "bob") == []
    seat = house.seat(match, 1)
    assert (seat.name, seat.email, seat.bot is None) == (FORMER, None, False)
    over = house.play_on(match, plies=house.match(match.id).ply + 6)
    if over.ended_at is None:
        remedies.abort(house.service, match.id, actor="host")
    record = record_of(house, match)
    verdict = verify.verify(record)
    assert verdict.wrong == ()
    assert "The player of seat 2 was forgotten: their name is not in the record." in verdict.unbound
    assert json.loads(record)["players"][:2] == ["Alice", None]
    assert b"Bob" not in record


def said_in(part: Part) -> bytes:
    """The bytes of a part of a mail that say something; of a picture none."""
    if part.is_multipart() or part.get_content_maintype() == "image":
        return b""
    return bytes(part.get_payload(decode=True))


def test_the_others_read_of_it_and_their_mails_prove_the_record_as_before(
    keeper: Office, tmp_path: Path
) -> None:
    match = keeper.play_on(keeper.running(), plies=8)
    keeper.post_all()
    forget(keeper)
    keeper.work()
    remedies.abort(keeper.service, match.id, actor="host")
    keeper.post_all()

    last = keeper.owed("match_aborted", 2)
    after = message_from_bytes(golden.raw_of(keeper, last), policy=default)
    folder = tmp_path / "mails"
    folder.mkdir()
    for mail in keeper.mails():
        if mail.match_id == match.id and mail.seat == 2 and mail.status == MailStatus.SENT:
            (folder / f"{mail.id}.eml").write_bytes(golden.raw_of(keeper, mail))
    verdict = verify.verify(record_of(keeper, match), mails=mails.read([folder]))

    assert "Bob" not in str(after["Subject"])
    assert [part.get_content_type() for part in after.walk() if b"Bob" in said_in(part)] == []
    assert verdict.wrong == ()
    assert any("the record is the one that was mailed" in said for said in verdict.proved)


def test_a_finished_record_has_the_digest_that_was_mailed(keeper: Office) -> None:
    match = keeper.play_on(keeper.running(), plies=8)
    remedies.abort(keeper.service, match.id, actor="host")
    before = json.loads(record_of(keeper, match))

    forget(keeper)
    after = json.loads(record_of(keeper, match))

    assert after["digest"] == before["digest"]
    assert after["entries"] == before["entries"]
    assert (before["players"][1], after["players"][1]) == ("Bob", None)


@pytest.mark.parametrize("packed", [False, True])
def test_in_an_older_match_the_log_says_which_entries_lost_a_name(
    keeper: Office, tmp_path: Path, *, packed: bool
) -> None:
    match = keeper.play_on(keeper.running(), plies=12)
    match = with_names_in_the_log(keeper, match)
    keeper.play_on(match, plies=16)
    remedies.abort(keeper.service, match.id, actor="host")
    keeper.post_all()
    last = golden.raw_of(keeper, keeper.owed("match_aborted", 2))
    (tmp_path / "last.eml").write_bytes(last)
    before = record_of(keeper, match)
    if packed:
        send_all(keeper)
        keeper.clock.move(timedelta(days=31))
        keeper.open()
        assert packing.pack_due(keeper.service, 5) == 1

    forget(keeper)
    record = record_of(keeper, match)
    verdict = verify.verify(record, mails=mails.read([tmp_path]))

    assert json.loads(before)["format"] == 1
    assert verify.verify(before).wrong == ()
    assert rows_with(keeper, "bob") == []
    assert verdict.wrong == ()
    marked = [entry["ply"] for entry in json.loads(record)["entries"] if entry.get("redacted")]
    assert marked[0] == 0
    assert len(marked) > 2
    assert any(f"{', '.join(map(str, marked))}." in said for said in verdict.unbound)
    assert any("names the digest that this record says it had" in said for said in verdict.unbound)
    assert any("everything up to entry" in said for said in verdict.proved)
    assert verify_dice.check(json.loads(record)) == []


def test_an_older_match_goes_on_after_it(house: House) -> None:
    match = with_names_in_the_log(house, house.play_on(house.running(), plies=10))

    forget(house)
    house.work()
    house.play_on(match, plies=20)
    remedies.abort(house.service, match.id, actor="host")
    verdict = verify.verify(record_of(house, match))

    assert verdict.wrong == ()
    assert rows_with(house, "bob") == []


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["entries"][3].update(redacted=True),
        lambda value: value["entries"][3].update(made_at="2027-01-01T00:00:00+00:00"),
        lambda value: value["names"].popitem(),
        lambda value: value["names"].update({"0" * 64: ["00", "Erin"]}),
        lambda value: value["players"].__setitem__(0, "Erin"),
        lambda value: value.update(digest_before="0" * 64),
    ],
)
def test_nobody_can_take_out_more_than_a_name(
    house: House, change: Callable[[dict[str, object]], None]
) -> None:
    match = house.play_on(house.running(), plies=8)
    remedies.abort(house.service, match.id, actor="host")
    forget(house)
    value = json.loads(record_of(house, match))

    change(value)

    assert not verify.verify(canonical(value)).well


def test_a_host_is_forgotten_and_the_match_goes_on_by_its_clocks(keeper: Office) -> None:
    match = keeper.play_on(keeper.running(name="Bobby's cup"), plies=6)
    keeper.post_all()
    newest = max(mail.id or 0 for mail in keeper.mails())

    forget(keeper, address("alice"))
    keeper.wait(hours=400)
    keeper.post_all()

    now = keeper.match(match.id)
    assert (now.host_name, now.host_email, now.name) == ("Former host", "", "")
    assert rows_with(keeper, address("alice")) == []
    later = [mail for mail in keeper.mails() if (mail.id or 0) > newest]
    sent_to = {mail.sent_to for mail in later if mail.status == MailStatus.SENT}
    assert now.ply > match.ply
    assert set() < sent_to <= {address(name) for name in ("bob", "carol", "dave")}


def test_a_seat_of_a_table_that_waits_is_open_again(house: House) -> None:
    match = house.open(confirmed=False)
    matches.join(house.service, house.link(match, Purpose.JOIN, 1), matches.Joining("old words"))

    forget(house)

    seat = house.seat(match, 1)
    assert seat.is_open
    assert rows_with(house, "bob", "old words") == []


def test_who_was_replaced_can_be_forgotten_too(house: House) -> None:
    match = house.play_on(house.running(), plies=8)
    remedies.replace(house.service, match.id, 1, "Frank", address("frank"), actor="operator")
    matches.join(house.service, house.link(match, Purpose.JOIN, 1), matches.Joining(name="Franky"))
    house.work()
    house.play_on(match, plies=24)

    forget(house)
    remedies.abort(house.service, match.id, actor="host")
    verdict = verify.verify(record_of(house, match))

    assert verdict.wrong == ()
    assert rows_with(house, "bob") == []
    assert json.loads(record_of(house, match))["players"][1] == "Franky"
    assert any("held seat 2 before was forgotten" in said for said in verdict.unbound)
    with house.service.database.read() as session:
        assert audit.verify(session) == []


@pytest.mark.parametrize(
    ("whom", "stays"),
    [(BOB, ["Frank's"]), (address("frank"), ["Bob's", "Bob's to Carol"])],
)
@pytest.mark.parametrize("called", ["Frank", "Bob"])
def test_only_the_words_of_who_is_forgotten_go_when_a_seat_has_had_two_players(
    any_house: House, called: str, whom: str, stays: list[str]
) -> None:
    """Whatever the second one is called."""
    house = any_house
    match = house.running()
    talk.allow(house.service, match.id, True, actor=Actor.HOST)
    talk.say(house.service, by(house.service, match.id, 1), "table", "Bob's", "1")
    talk.say(house.service, by(house.service, match.id, 1), 2, "Bob's to Carol", "2")
    talk.write_note(house.service, by(house.service, match.id, 1), "Bob's note")
    talk.mute(house.service, by(house.service, match.id, 1), 3, on=True)
    house.wait(hours=1)
    remedies.replace(house.service, match.id, 1, called, address("frank"), actor="operator")
    matches.join(house.service, house.link(match, Purpose.JOIN, 1), matches.Joining())
    house.wait(hours=1)
    talk.say(house.service, by(house.service, match.id, 1), "table", "Frank's", "3")
    talk.mute(house.service, by(house.service, match.id, 1), 2, on=True)
    known = {who: str(export.known_of(house.service, who)) for who in (BOB, address("frank"))}

    forget(house, whom)

    assert [text in known[BOB] for text in ("Bob's to Carol", "Frank's")] == [True, False]
    assert [text in known[address("frank")] for text in ("Bob's to Carol", "Frank's")] == [
        False,
        True,
    ]
    with house.service.database.read() as session:
        left = session.exec(select(Message).order_by(col(Message.id)))
        assert [one.text for one in left] == stays
        assert session.exec(select(TalkNote)).all() == []
        mutes = [one.muted for one in session.exec(select(TalkMute))]
        assert mutes == ([2] if whom == BOB else [])


def test_who_was_replaced_by_somebody_of_the_same_name_can_be_forgotten(house: House) -> None:
    match = house.running()
    remedies.replace(house.service, match.id, 1, "Bob", address("frank"), actor="operator")
    matches.join(house.service, house.link(match, Purpose.JOIN, 1), matches.Joining())
    house.play_on(match, plies=6)

    done = forget(house)
    remedies.abort(house.service, match.id, actor="host")
    record = record_of(house, match)
    verdict = verify.verify(record)

    assert done == privacy.Forgotten(1, done=True)
    assert verdict.wrong == ()
    assert json.loads(record)["players"][1] == "Bob"
    assert any("held seat 2 before was forgotten" in said for said in verdict.unbound)


def test_who_left_before_the_start_can_have_their_words_forgotten(house: House) -> None:
    match = house.open(seats=[*people(3), matches.NewSeat(open=True)], confirmed=False)
    talk.allow(house.service, match.id, True, actor=Actor.HOST)
    erin = open_seats.Taking(name="Erin", email=address("erin"))
    open_seats.take(house.service, match.id, erin)
    talk.say(house.service, by(house.service, match.id, 3), "table", "It is Erin", "1")
    talk.write_note(house.service, by(house.service, match.id, 3), "Erin's plan")
    lobby.decline(house.service, house.link(match, Purpose.SEAT, 3))
    left = rows_with(house, "erin")

    forget(house, address("erin"))

    assert "talk_note.text" not in left
    assert {"message.text", "message.name"} <= set(left)
    assert rows_with(house, "erin") == []


def test_it_is_done_twice_without_harm_and_a_stranger_changes_nothing(house: House) -> None:
    match = house.running()
    forget(house)
    revision = house.match(match.id).revision

    assert forget(house) == privacy.Forgotten(0, done=True)
    assert forget(house, address("erin")) == privacy.Forgotten(0, done=True)
    assert house.match(match.id).revision == revision


def test_what_a_mailer_holds_is_waited_for(house: House) -> None:
    house.running()
    with house.service.database.write("test") as session:
        mail = session.exec(select(Mail).where(Mail.seat == 1)).first()
        assert mail is not None
        mail.status, mail.lease, mail.sent_to = MailStatus.IN_DOUBT, "x", BOB

    assert not forget(house).done
    with house.service.database.write("test") as session:
        session.execute(sa.text("UPDATE outbox SET status = 'sent' WHERE status = 'in_doubt'"))
    assert privacy.forget_due(house.service, 5) == 1

    assert rows_with(house, "bob") == []


def test_a_match_in_which_it_fails_keeps_no_other_and_nobody_else_waiting(house: House) -> None:
    """An older match: what its record was is worked out while somebody is taken out of it."""
    broken, other = house.running(), house.running()
    with_names_in_the_log(house, broken)
    remedies.abort(house.service, broken.id, actor="host")
    chain = house.plies(broken)[0].move_json
    keep_first_entry(house, broken, "not what an entry is kept as")
    for whom in (BOB, address("carol")):
        privacy.ask(house.service, whom, Actor.PLAYER)

    keep_company(house.service)
    names = [seat.name for match in (broken, other) for seat in house.table(match).seats]
    keep_first_entry(house, broken, chain)
    keep_company(house.service)

    assert names == ["Alice", "Bob", "Carol", "Dave", "Alice", FORMER, "Former player 3", "Dave"]
    assert rows_with(house, "bob", "carol") == []


def test_who_cannot_be_forgotten_keeps_nobody_else_waiting(house: House) -> None:
    with house.service.database.write("test") as session:
        alice = persons.known(session, address("alice"), house.clock.now())
        session.flush()
        broken = f'not a list: "{BOB}"'
        session.add(PersonGroup(person_id=alice.id or 0, name="Friends", people_json=broken))
    for name in ("bob", "dave", "carol"):
        privacy.ask(house.service, address(name), Actor.PLAYER)
        house.clock.move(timedelta(minutes=1))

    left = []
    for _pass in range(3):
        keep_company(house.service, most=1)
        with house.service.database.read() as session:
            left.append(sorted(row.folded for row in session.exec(select(Forgetting))))

    assert left == [[BOB, address("dave")], [BOB], [BOB]]


def keep_first_entry(house: House, match: Match, entry: str) -> None:
    with house.service.database.write("test") as session:
        session.get_one(Ply, (match.id, 0)).move_json = entry


def test_a_person_is_signed_out_and_keeps_no_page(house: House) -> None:
    with house.service.database.write("test") as session:
        person = persons.known(session, BOB, house.clock.now())
        person.name = "Bob"
        session.add(
            ReceivedMail(
                address=BOB,
                sender="x@example.org",
                message_id="1",
                received_at=person.created_at,
                raw=b"Dear Bob",
            )
        )

    forget(house)

    assert rows_with(house, "bob") == []
    with house.service.database.read() as session:
        assert session.exec(select(Forgetting)).all() == []
        assert audit.verify(session) == []


@pytest.mark.parametrize(
    "statement",
    [
        'UPDATE audit SET said_json = \'{"name":["00","Erin and many others"]}\'',
        "UPDATE audit SET said_json = NULL, act = 'joined'",
        "UPDATE audit SET detail_json = '{\"redacted\": true}'",
        "UPDATE packed_log SET data = data",
    ],
)
def test_only_a_name_can_be_taken_out_of_what_is_append_only(
    any_house: House, statement: str
) -> None:
    house = any_house
    match = house.play_on(house.running(), plies=4)
    remedies.replace(house.service, match.id, 1, "Frank", address("frank"), actor="operator")
    remedies.abort(house.service, match.id, actor="host")
    send_all(house)
    house.clock.move(timedelta(days=31))
    house.open()
    packing.pack_due(house.service, 5)

    with (
        pytest.raises(Exception, match="append-only"),
        house.service.database.write("test") as session,
    ):
        session.connection().exec_driver_sql(statement)


def test_older_audit_rows_lose_their_names_and_the_chain_is_well(any_house: House) -> None:
    house = any_house
    match = house.running()
    with house.service.database.write("test") as session:
        old = audit.Entry(
            house.clock.now(),
            match.id,
            Actor.HOST,
            audit.AuditAct.REPLACED,
            1,
            detail={"name": "Bob", "before": "Erin"},
        )
        audit.append(session, [old])

    forget(house)

    with house.service.database.read() as session:
        assert audit.verify(session) == []
        rows = session.exec(select(audit.Audit)).all()
    assert any(row.detail_json == audit.REDACTED for row in rows)
    assert not any("Bob" in row.detail_json for row in rows)


def test_it_is_done_on_both_databases(any_house: House) -> None:
    """In a packed match with names in its log, in one that goes on, and in a person's own rows."""
    house = any_house
    old = with_names_in_the_log(house, house.play_on(house.running(), plies=6))
    remedies.abort(house.service, old.id, actor="host")
    send_all(house)
    house.clock.move(timedelta(days=31))
    new = house.play_on(house.running(), plies=6)
    assert packing.pack_due(house.service, 5) == 1
    remedies.replace(house.service, new.id, 2, "Frank", address("frank"), actor="operator")
    with house.service.database.write("test") as session:
        persons.known(session, BOB, house.clock.now())

    assert forget(house, address("carol")) == privacy.Forgotten(2, done=True)
    assert forget(house) == privacy.Forgotten(2, done=True)

    remedies.abort(house.service, new.id, actor="host")
    for match in (old, new):
        record = record_of(house, match)
        assert verify.verify(record).wrong == ()
        assert b"Bob" not in record
        assert b"Carol" not in record
    with house.service.database.read() as session:
        assert audit.verify(session) == []
        assert persons.of_address(session, BOB) is None


def test_no_mail_of_the_others_says_the_name(keeper: Office) -> None:
    match = keeper.play_on(keeper.running(), plies=6)
    keeper.post_all()
    forget(keeper)
    newest = max(mail.id or 0 for mail in keeper.mails())
    keeper.work()
    keeper.play_on(match, plies=14)
    keeper.post_all()

    later = [mail for mail in keeper.mails() if (mail.id or 0) > newest and mail.status == "sent"]
    said = [golden.raw_of(keeper, mail) for mail in later]

    assert later
    assert not any(b"Bob" in one for one in said)
    assert not any(mail.seat == 1 for mail in later)


def test_what_was_asked_before_and_comes_after_it_writes_nothing_of_them(any_house: House) -> None:
    service, now = any_house.service, any_house.clock.now()
    with service.database.write("test") as session:
        erin = persons.known(session, address("erin"), now)
        alice = persons.known(session, address("alice"), now)
    cup = series.create(service, NewSeries("Cup", "dog", 4, 2), alice)
    forget(any_house, address("erin"))

    def watch() -> None:
        with service.database.write("test") as session:
            watches.add(session, erin, TableFilter("dog"), now)

    for late in (
        lambda: standing.publish(service, erin.id or 0, "Erin"),
        lambda: settings.save(service, erin, SettingsRequest(name="Erin", mails="digest")),
        lambda: settings.set_group(service, erin, "friends", "Bob bob@example.org"),
        lambda: series.enter_as(service, cup.id, erin, "Erin"),
        watch,
    ):
        with pytest.raises(NotFound):
            late()

    with service.database.read() as session:
        person = session.get_one(Person, erin.id)
        left = [
            row
            for table in (PublicPlayer, PersonGroup, Watch, SeriesPlayer)
            for row in session.exec(select(table)).all()
        ]
    assert (person.name, person.digest_at) == ("", None)
    assert left == []
