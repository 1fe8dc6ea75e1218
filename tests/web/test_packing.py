"""A match that has been over for long is packed, and nobody who reads it can tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import delete, text
from sqlalchemy.exc import DatabaseError
from sqlmodel import col, func, select

from pbem.acts import deliverability, housekeeping, outbox, packing
from pbem.clock import ManualClock
from pbem.commands import replay
from pbem.looks import match_look
from pbem.people import proofs
from pbem.record import verify
from pbem.service import Service
from pbem.store.canonical import canonical
from pbem.store.models import Link, Mail, Match, PackedLog, Ply, Submission, Turn
from pbem.store.names import MailKind, Purpose
from tests.parts import remedies
from tests.parts.cast import House, address
from tests.parts.finished import SEATS, over_for_long, send_all
from tests.web.house import DOORS, WebHouse

#: What is drawn anew for every answer.
FRESH = re.compile(r'(nonce[-=]"?|csrf_token" value=")[^"\' ;]+')


def count(house: House, model: Any, match: Match) -> int:
    with house.service.database.read() as session:
        found = select(func.count()).select_from(model)
        if model is Submission:
            turns = select(Turn.id).where(Turn.match_id == match.id)
            return session.exec(found.where(col(Submission.turn_id).in_(turns))).one()
        return session.exec(found.where(model.match_id == match.id)).one()


def shown(web: WebHouse, operator: FlaskClient, match: Match) -> dict[str, Any]:
    """All that anybody can read of a match."""
    answers: dict[str, Any] = {}
    stranger = web.app.test_client()
    found = [*_pages(web, match)]
    for name, client in (("operator", operator), ("stranger", stranger)):
        for path in found:
            answer = client.get(path)
            # not all of them are texts: one is a picture
            text = answer.data.decode("latin-1")
            answers[f"{name} {path}"] = answer.status_code, FRESH.sub(r"\1", text)
    programs = [path for path in found if path.startswith("/t/")]
    for path in programs:
        answer = stranger.get(path, headers={"Accept": "application/json"})
        answers[f"program {path}"] = answer.status_code, answer.text
    answers["record"] = canonical(match_look.record(web.service, match.id))
    for ply in {1, match.ply // 2, match.ply}:
        past = match_look.past(web.service, match.id, ply)
        answers[f"after {ply}"] = past.view(0), past.revealed()
    answers["replay"] = replay._differs(web.service, match.id)
    return answers


def _pages(web: WebHouse, match: Match) -> Iterator[str]:
    """Every address under which a page of the match is, and some of its turns.

    ``/metrics`` counts the questions themselves.
    """
    with web.service.database.read() as session:
        links = session.exec(select(Link).where(Link.match_id == match.id)).all()
    for rule in web.app.url_map.iter_rules():
        path = str(rule).replace("<match_id>", match.id).replace("<cid>", "board")
        if "GET" not in (rule.methods or ()) or path.startswith(("/dev/mail", "/metrics")):
            continue
        door = re.match("/([a-z])/<token>", path)
        if door is not None and door[1] in DOORS:
            for link in _few([link for link in links if link.purpose == DOORS[door[1]]]):
                yield path.replace("<token>", web.token(link))
        elif "<" not in path:
            yield path
            if path.startswith("/m/"):
                yield f"{path}?ply=1&log=all"


def _few(links: list[Link]) -> list[Link]:
    """The first, the last, some between: those of one purpose differ in nothing but the turn."""
    return links[:: max(1, len(links) // 4)] + links[-1:]


@pytest.mark.slow
@pytest.mark.parametrize("game", SEATS)
def test_a_packed_match_reads_as_before(
    web: WebHouse, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # one played to its end, the others aborted: a whole match has more of the same
    match = over_for_long(web, game, plies=10_000 if game == "dogs-of-war" else 40)
    operator = web.app.test_client()
    web.log_in(operator)
    before = shown(web, operator, match)

    housekeeping.sweep(web.service)

    after = shown(web, operator, match)
    assert web.match(match.id).packed_at is not None
    assert {path for path in before if before[path] != after[path]} == set()
    assert verify.verify(after["record"]).well
    assert after["replay"] is None
    assert [count(web, model, match) for model in (Ply, Submission, Mail)] == [0, 0, 0]


def test_a_submission_to_a_packed_match_gets_its_receipt_again(web: WebHouse) -> None:
    match = web.running()
    seat = web.waiting(match)[0]
    path, order = web.turn_path(match, seat), web.orders(match, seat)[0]
    asked = {"order": order, "submission": "the only one"}
    receipt = web.app.test_client().post(path, json=asked).get_json()
    remedies.abort(web.service, match.id, actor="host")
    over_for_long(web, plies=3)
    packing.pack_due(web.service, 50)

    again = web.app.test_client().post(path, json=asked)

    assert web.match(match.id).packed_at is not None
    assert again.get_json() == receipt
    assert web.app.test_client().post(path, json={**asked, "submission": "new"}).status_code == 409


def test_a_match_is_packed_once_and_not_before_its_time(any_house: House) -> None:
    match = over_for_long(any_house, plies=3)
    any_house.clock.move(-timedelta(days=2))

    assert packing.pack_due(any_house.service, 50) == 0
    any_house.clock.move(timedelta(days=2))
    assert packing.pack_due(any_house.service, 50) == 1
    assert packing.pack_due(any_house.service, 50) == 0
    assert count(any_house, PackedLog, match) == 1


def test_a_match_whose_mail_is_owed_waits(any_house: House) -> None:
    match = over_for_long(any_house, plies=3)
    with any_house.service.database.write("test") as session:
        session.execute(
            text("UPDATE outbox SET status = 'pending' WHERE match_id = :id"), {"id": match.id}
        )

    packing.pack_due(any_house.service, 50)

    assert any_house.match(match.id).packed_at is None
    assert count(any_house, Ply, match) == match.ply + 1


def test_a_log_that_was_changed_by_hand_is_not_packed(any_house: House) -> None:
    match = over_for_long(any_house, plies=3)
    with any_house.service.database.write("test") as session:
        session.execute(text("UPDATE ply SET hash = previous_hash WHERE ply = 2"))

    packing.pack_due(any_house.service, 50)

    assert any_house.match(match.id).packed_at is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE outbox SET status = 'pending' WHERE match_id = :id",
        "UPDATE ply SET hash = previous_hash WHERE ply = 2 AND match_id = :id",
    ],
)
def test_a_match_that_cannot_be_packed_keeps_no_other_from_it(
    any_house: House, statement: str
) -> None:
    first, second = (over_for_long(any_house, plies=3) for _ in range(2))
    with any_house.service.database.write("test") as session:
        session.execute(text(statement), {"id": first.id})

    assert packing.pack_due(any_house.service, 1) == 1

    assert any_house.match(first.id).packed_at is None
    assert any_house.match(second.id).packed_at is not None


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM ply WHERE match_id = :id",
        "INSERT INTO packed_log (match_id, data) SELECT id, '' FROM match WHERE ended_at IS NULL",
    ],
)
def test_no_ply_goes_that_is_not_packed(any_house: House, statement: str) -> None:
    match = over_for_long(any_house, plies=3)

    with pytest.raises(DatabaseError), any_house.service.database.write("test") as session:
        session.execute(text(statement), {"id": match.id} if ":id" in statement else {})


@pytest.mark.parametrize("statement", ["DELETE FROM packed_log", "UPDATE packed_log SET data = ''"])
def test_a_packed_log_stays_as_it_is(any_house: House, statement: str) -> None:
    over_for_long(any_house, plies=3)
    packing.pack_due(any_house.service, 50)

    with pytest.raises(DatabaseError), any_house.service.database.write("test") as session:
        session.execute(text(statement))


def test_mails_of_no_match_go_by_their_age(web: WebHouse) -> None:
    client = web.app.test_client()
    for name in ("alice", "bob"):
        client.post("/home", data={"email": address(name)})
    send_all(web)
    web.clock.move(timedelta(days=29))
    assert housekeeping.sweep(web.service) == 0
    web.clock.move(timedelta(days=2))

    housekeeping.sweep(web.service)

    left = [mail for mail in web.mails() if mail.match_id is None]
    # the newest of all stays: its number would be given again
    assert [mail.address for mail in left] == [address("bob")]


@pytest.mark.parametrize(
    "settle",
    [
        outbox.mark_sent,
        lambda service, mail: outbox.keep(service, mail, "<1@x>", "a@x", lambda _session: None),
        lambda service, mail: outbox.mark_dropped(service, mail, "nobody wants it"),
        lambda service, mail: outbox.mark_dead(service, mail, "refused", notice=False),
        lambda service, _mail: _mailers_die(service),
    ],
    ids=["sent", "kept", "dropped", "dead", "mailers died"],
)
def test_what_is_mailed_of_a_packed_match_goes_by_its_age(
    any_house: House, settle: Callable[[Service, Mail], object]
) -> None:
    match, service = over_for_long(any_house, plies=3), any_house.service
    send_all(any_house)
    packing.pack_due(service, 50)
    deliverability.resend_link(service, any_house.link(match, Purpose.SEAT, 1), own_page=True)
    (mail,) = outbox.lease_due(service, 50)
    assert mail.match_id == match.id
    settle(service, mail)
    proofs.owe(service, MailKind.SIGN_IN, address("alice"), "en")
    any_house.clock.move(timedelta(days=29))
    assert housekeeping.sweep(service) == 0
    any_house.clock.move(timedelta(days=2))

    housekeeping.sweep(service)

    assert mail.id not in {left.id for left in any_house.mails()}


def _mailers_die(service: Service) -> None:
    """Each mailer that has the mail dies, until it is given up."""
    assert isinstance(service.clock, ManualClock)
    for _ in range(outbox.MOST_FAILURES):
        service.clock.move(outbox.LEASE)
        outbox.lease_due(service, 50)


def test_the_newest_mail_of_all_goes_once_there_is_a_newer_one(any_house: House) -> None:
    match = over_for_long(any_house, plies=3)
    with any_house.service.database.write("test") as session:
        session.execute(delete(Mail).where(col(Mail.match_id) != match.id))
    packing.pack_due(any_house.service, 50)
    assert [mail.match_id for mail in any_house.mails()] == [None]
    proofs.owe(any_house.service, MailKind.SIGN_IN, address("alice"), "en")

    housekeeping.sweep(any_house.service)

    assert [mail.kind for mail in any_house.mails()] == ["sign_in"]
