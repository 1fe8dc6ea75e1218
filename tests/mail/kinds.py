"""One mail of every kind, come about by real acts of a match that is the same each time.

``python -m tests.mail.kinds`` writes the golden mails anew: ``tests/golden/mail/LANGUAGE/KIND.txt``
and ``.html``. Look at the difference before it is committed.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
from datetime import timedelta
from pathlib import Path
from typing import Literal

from sqlalchemy import update
from sqlmodel import col, select

from pbem.acts import deliverability, going_back, matches, outbox
from pbem.acts.remedies import answer
from pbem.acts.writing import claim
from pbem.config.sections import BeaconRounds
from pbem.mail.kinds import OF_A_MATCH, WITHOUT_MATCH
from pbem.people import open_tables, persons, proofs, rematches, settings, talk, watches
from pbem.people import sweep as company
from pbem.people.series import acts, rounds
from pbem.people.series.acts import NewSeries
from pbem.store.models import Mail, Match, Seat, SeriesMatch, Turn
from pbem.store.names import MailKind, MailStatus, Purpose
from tests.mail import golden
from tests.mail.office import Office
from tests.parts import remedies
from tests.parts.cast import NAMES, NO_BEACON, address, by, people

GOLDEN = Path(__file__).parents[1] / "golden" / "mail"
KINDS = sorted({*OF_A_MATCH, *WITHOUT_MATCH})


def every_kind(office: Office, language: str) -> dict[str, bytes]:
    """The raw mail of every kind, in this language."""
    zone = "Europe/Madrid" if language == "es" else "America/New_York"
    # ids, seeds and phrases that are the same each time
    chance = random.Random(7)
    office.service = dataclasses.replace(office.service, entropy=chance.randbytes)
    _lobby(office, language, zone)
    match = _table(office, language, zone)
    _answering(office, office.running(language=language, zone=zone))
    _missing(office, match)
    _remedies(office, match)
    _going_back(office, language, zone)
    _endings(office, language, zone)
    _to_addresses(office, language)
    _post(office)
    _set_aside(office, match)
    _joined(office, language, zone)
    _permissions(office, language, zone)
    _open_tables(office, language)
    _rematch(office, language, zone)
    _words(office, language, zone)
    _series(office, language, zone)
    _digest(office, language, zone)
    return {kind: _raw(office, kind) for kind in KINDS}


def _lobby(office: Office, language: str, zone: str) -> None:
    office.open(confirmed=False, language=language, zone=zone, options={"discard": "one"})
    _post(office)


def _joined(office: Office, language: str, zone: str) -> None:
    """All have joined a match that waits for its round of the public beacon."""
    settings, rounds = office.service.settings, BeaconRounds(enabled=True, urls=NO_BEACON.urls)
    with_beacon = settings.model_copy(update={"beacon": rounds})
    there = dataclasses.replace(
        office, service=dataclasses.replace(office.service, settings=with_beacon)
    )
    there.open(language=language, zone=zone)
    _post(there)


def _table(office: Office, language: str, zone: str) -> Match:
    match = office.running(language=language, zone=zone)
    office.play_on(match, plies=40)
    _post(office)
    return match


def _missing(office: Office, match: Match) -> None:
    """A player stays away: reminded, played for, the host asked, a bot seated."""
    absent = office.waiting(match)[0]
    for _ in range(60):
        office.wait(hours=12)
        _post(office)
        if office.seat(match, absent).bot is not None:
            break
        office.play_on(match, without=absent)
    _post(office)


def _remedies(office: Office, match: Match) -> None:
    here = [seat.number for seat in office.table(match).seats if seat.bot is None]
    remedies.reissue(office.service, match.id, -1, actor="host")
    quiet = next(seat for seat in here if seat not in office.waiting(match))
    remedies.reissue(office.service, match.id, quiet, actor="operator")
    _post(office)
    # not the host's own address: the host would not be written to
    refused = next(seat for seat in here if office.seat(match, seat).email != match.host_email)
    why = "RCPT: 550 5.1.1 No such mailbox"
    email = str(office.seat(match, refused).email)
    deliverability.mail_refused(office.service, match.id, refused, email, why)
    _post(office)
    deliverability.mute(office.service, office.link(match, Purpose.SEAT, quiet))
    _post(office)


def _going_back(office: Office, language: str, zone: str) -> None:
    """A player asks to take a move back; then the operator sets the match back."""
    match = _talking(office, office.running(language=language, zone=zone))
    mover = office.waiting(match)[0]
    for _ in range(2):
        office.play(match, office.waiting(match)[0])
        office.work()
    going_back.propose(office.service, office.link(match, Purpose.SEAT, mover))
    _post(office)
    _say(office, match, 0, "table", "Sorry, that was a slip of my finger.")
    _say(office, match, 1, 3, "What do you think, Dave?")
    going_back.roll_back(office.service, match.id, 1, actor="operator")
    office.work()
    _post(office)


def _permissions(office: Office, language: str, zone: str) -> None:
    """The host asks for a player's seat and gets a no; the operator gives another seat away."""
    match = office.open(confirmed=False, language=language, zone=zone)
    matches.join(office.service, office.link(match, Purpose.JOIN, 1), matches.Joining())
    remedies.replace(office.service, match.id, 1, "Frank", address("frank"), actor="host")
    _post(office)
    answer(office.service, office.link(match, Purpose.PERMIT, 1), agreed=False)
    _post(office)
    remedies.replace(office.service, match.id, 2, "Frank", address("frank"), actor="operator")
    _post(office)


def _words(office: Office, language: str, zone: str) -> None:
    """Something is said in a lobby, and no other mail brings it."""
    match = _talking(office, office.open(confirmed=False, language=language, zone=zone))
    for seat in (1, 2):
        matches.join(office.service, office.link(match, Purpose.JOIN, seat), matches.Joining())
    _say(office, match, 1, "table", "Good evening. Shall we begin on Sunday?")
    _say(office, match, 1, 2, "You and I are partners <again>!")
    office.clock.move(talk.PATIENCE)
    company.sweep(office.service)
    _post(office)


def _talking(office: Office, match: Match) -> Match:
    with office.service.database.write("talk") as session:
        talk.open_with(session, match, allowed=True)
    return match


def _say(office: Office, match: Match, seat: int, to: int | Literal["table"], text: str) -> None:
    talk.say(office.service, by(office.service, match.id, seat), to, text, text[:40])


def _series(office: Office, language: str, zone: str) -> None:
    """A series of one round, whose match is ended."""
    service = office.service
    new = NewSeries(
        name="Friday Cup", game="dog", seats=4, rounds=1, kind="swiss", language=language, zone=zone
    )
    with service.database.write("test") as session:
        cast = [
            persons.known(session, address(name), service.now(), language=language)
            for name in NAMES
        ]
    series = acts.create(service, new, cast[0])
    wish = acts.wish_to_enter(service, series.id, "Erin")
    proofs.owe(service, MailKind.SERIES_ENTER, address("erin"), language, wish)
    for name, person in zip(NAMES, cast, strict=True):
        acts.enter_as(service, series.id, person, name)
    rounds.go_on(service, series.id)
    company.sweep(service)
    _post(office)
    with service.database.read() as session:
        (opened,) = session.exec(select(SeriesMatch))
    remedies.abort(service, opened.match_id, actor="operator")
    for _ in range(3):
        company.sweep(service)
    _post(office)


def _endings(office: Office, language: str, zone: str) -> None:
    over = office.running(bots=3, language=language, zone=zone)
    office.play_on(over)
    ended = office.running(language=language, zone=zone)
    remedies.abort(office.service, ended.id, actor="host")
    _post(office)


def _answering(office: Office, match: Match) -> None:
    """A player answers the turn's mail with a move, and with one that cannot be read."""
    _talking(office, match)
    _post(office)
    seat = office.waiting(match)[0]
    order = office.good_order(match, seat)
    golden.answer(
        office, match, seat, order, "say Good luck!", "wait nothing in particular", "see you"
    )


def _to_addresses(office: Office, language: str) -> None:
    with office.service.database.write("test") as session:
        now = office.service.now()
        outbox.owe(
            session,
            MailKind.OPERATOR_TOLD,
            "operator_told:1",
            now,
            address="op@example.org",
            dead="x",
        )

    proofs.owe(office.service, MailKind.SIGN_IN, address("bob"), language)


def _open_tables(office: Office, language: str) -> None:
    """A stranger asks for an open seat."""
    seats = [*people(3), matches.NewSeat(open=True)]
    table = office.open(seats=seats, confirmed=False, language=language)
    about = {"match": table.id, "name": "Erin"}
    proofs.owe(office.service, MailKind.TAKE_SEAT, address("erin"), language, about)
    kind: dict[str, str | int] = {"game": table.game, "seats": 4, "language": ""}
    proofs.owe(office.service, MailKind.WATCH, address("erin"), language, kind)
    with office.service.database.write("test") as session:
        now = office.service.now()
        erin = persons.known(session, address("erin"), now, language=language)
        watches.add(session, erin, open_tables.TableFilter(table.game, 4), now)
    open_tables.show(office.service, table.id, listed=True)
    watches.tell_due(office.service, 10)
    _post(office)


def _rematch(office: Office, language: str, zone: str) -> None:
    """A player of a match that is over would like another."""
    over = office.running(language=language, zone=zone)
    remedies.abort(office.service, over.id, actor="host")
    rematches.say(office.service, office.link(over, Purpose.SEAT, 1), over.game)
    _post(office)


def _digest(office: Office, language: str, zone: str) -> None:
    """Somebody wants one mail a day with all their turns."""
    with office.service.database.write("test") as session:
        waited_for = select(Seat.name).join(
            Turn, (col(Turn.match_id) == Seat.match_id) & (col(Turn.seat) == Seat.number)
        )
        still = (col(Turn.closed_at).is_(None), col(Seat.email).is_not(None))
        name = session.exec(waited_for.where(*still).order_by(col(Turn.id))).first() or ""
        now = office.service.now()
        person = persons.known(session, address(name), now, language=language)
    settings.save(
        office.service, person, settings.SettingsRequest(name=name, mails="digest", zone=zone)
    )
    office.clock.move(timedelta(hours=24))
    company.sweep(office.service)
    _post(office)


def _set_aside(office: Office, match: Match) -> None:
    """The operator hears of a match that could not be carried on."""
    with office.service.database.write("test") as session:
        now = office.service.now()
        why = {"set_aside_at": now, "set_aside_error": "ZeroDivisionError: division by zero"}
        claim(session, [(office.match(match.id), why)])
        outbox.owe(
            session,
            MailKind.MATCHES_SET_ASIDE,
            "matches_set_aside:1",
            now,
            address="op@example.org",
        )
    _post(office)


def _post(office: Office) -> None:
    """Posts what is due; a mail that nobody would look at is not made."""
    pending = [mail for mail in office.mails() if mail.status == MailStatus.PENDING]
    seen = {mail.kind for mail in office.mails() if mail.status == MailStatus.SENT}
    newest = max((mail.id or 0 for mail in pending if mail.kind == "your_turn"), default=0)
    again = [
        mail.id
        for mail in pending
        if (mail.id != newest if mail.kind == "your_turn" else mail.kind in seen)
    ]
    with office.service.database.write("test") as session:
        others = update(Mail).where(col(Mail.id).in_(again))
        session.execute(others.values(status=MailStatus.DROPPED))
    office.post_all()


def _raw(office: Office, kind: str) -> bytes:
    """The first mail of this kind that was sent; of turns the newest."""
    sent = [mail for mail in office.mails(kind) if mail.status == MailStatus.SENT]
    assert sent, f"no mail of the kind {kind} was sent"
    mail = sent[0] if kind != "your_turn" else sent[-1]
    return golden.raw_of(office, mail)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    golden.write(GOLDEN, every_kind)
