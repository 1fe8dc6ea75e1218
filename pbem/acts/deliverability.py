"""Whether mail reaches a player: refused mail, links that are made anew or mailed once more, mail
that a player does not want.

A seat whose mail does not arrive is not charged for time: its clock is held until the address is
corrected or tried again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, func, select

from pbem.acts import absence, going_back, matches, outbox, permissions, turn_clocks
from pbem.acts.who_may import NO_SUCH_ADDRESS
from pbem.acts.writing import Writer, act, read, read_by, writing
from pbem.clocks import deadlines
from pbem.clocks.deadlines import Hold
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store import audit, links
from pbem.store.models import Link, Mail, Match, Seat
from pbem.store.names import Actor, AuditAct, MailKind, Purpose
from pbem.store.table import Table
from pbem.words import texts

#: After a move has shown that mail arrives: how long mails that come back hold no clock.
DISPROVED = timedelta(days=30)
#: In each span of so many seconds a seat's link is mailed at most once, however often it is asked.
RESEND_SECONDS = 600
#: How often a day the mail of a seat can be stopped: each time its player and the host get a mail.
MOST_MUTINGS = 5


@act
def mail_refused(
    service: Service,
    match_id: str,
    seat: int,
    email: str,
    why: str,
    *,
    epoch: int | None = None,
    came_back: bool = False,
) -> None:
    """Mail to a seat's address does not arrive: holds its clock and tells the host.

    ``came_back``: the relay took the mail, and a bounce says that it was not delivered. Anybody who
    has the mail can forge a bounce. So if the player has moved after an earlier bounce, this one
    holds no clock, and mails go on (``turns.submit``).

    ``email`` is the address that was tried; if it has been corrected since, nothing is done.
    ``epoch`` is that of the links in the mail: if they were made anew since, nothing is done
    either, because the newer mail will show whether the address works.
    """
    table, now = read(service, match_id)
    player = table.seat(seat)
    if player.email != email or player.mail_problem_at is not None:
        return
    if table.match.ended_at is not None or epoch not in (None, player.epoch):
        return
    if came_back and _has_moved_after_a_bounce(player, now):
        _tell_that_the_clock_runs(service, table, player, now)
        return
    # relays repeat the address in their answer; pages show the reason without it
    reason = texts.without_addresses(why, email)[:500]
    with writing(service, table, "mail_refused", Actor.SERVICE, now) as write:
        write.seat(
            player,
            mail_problem=reason,
            mail_problem_at=now,
            mail_returned_at=now if came_back else None,
        )
        turn = table.open_turns.get(seat)
        if turn is not None and turn.held_at is None:
            care_at = deadlines.held_care(Hold.MAIL, now)
            write.turn(
                turn,
                held_at=now,
                public_held_at=now,
                held_why=Hold.MAIL,
                next_at=care_at,
                host_asked_at=None,
            )
        permissions.look_again(write, seat)
        write.audit(AuditAct.MAIL_REFUSED, seat)
        absence.tell_of_mail(write, player)


def _has_moved_after_a_bounce(player: Seat, now: datetime) -> bool:
    """Whether a mail came back not long ago, and a move has shown since then that mail arrives."""
    return player.mail_returned_at is not None and now - player.mail_returned_at < DISPROVED


def _tell_that_the_clock_runs(service: Service, table: Table, player: Seat, now: datetime) -> None:
    """Tells the host, once a day, that mail came back again and no clock is held."""
    with writing(service, table, "mail_refused", Actor.SERVICE, now) as write:
        key = f"{table.match.id}:mail_again:{player.number}:{now:%Y-%m-%d}"
        write.owe(MailKind.STALLED, key, links.HOST, reason="mail_again", absent=player.number)


def not_delivered(
    service: Service, mail: Mail, email: str, why: str, *, came_back: bool = False
) -> None:
    """A mail was refused, or came back: marks the address at each seat that it concerns.

    That is always the seat of the mail. If the answer says that there is no such address, it is
    also every other seat with this address to which no newer mail was sent, and whose player has
    not moved since: a newer mail will show by itself. Other answers (mailbox full, mail not wanted)
    concern this mail alone; a digest is in place of the mails of all the address's seats.
    """
    own = None
    if mail.match_id is not None and mail.seat is not None and mail.seat >= 0:
        own = mail.match_id, mail.seat
        epoch = outbox.data(mail).get("epoch")
        mail_refused(service, *own, email, why, epoch=epoch, came_back=came_back)
    if mail.kind != MailKind.DIGEST and not NO_SUCH_ADDRESS.search(why):
        return
    with service.database.read() as session:
        others = _others(session, email, mail.sent_at or service.now())
    for seat in others:
        if (seat.match_id, seat.number) != own:
            email = seat.email or ""
            mail_refused(service, seat.match_id, seat.number, email, why, came_back=came_back)


def _others(session: Session, email: str, since: datetime) -> list[Seat]:
    """The seats of an address to which no mail is owed, and which nothing since ``since`` reached:
    no mail was sent to them, and nobody has moved there.
    """
    newer = (
        select(Mail.id)
        .where(
            Mail.match_id == Seat.match_id,
            Mail.seat == Seat.number,
            col(Mail.status).in_(outbox.UNPAID) | (col(Mail.sent_at) > since),
        )
        .exists()
    )
    return list(
        session.exec(
            select(Seat)
            .join(Match, col(Match.id) == col(Seat.match_id))
            .where(
                func.lower(Seat.email) == email.lower(),
                col(Seat.mail_problem_at).is_(None),
                col(Match.ended_at).is_(None),
                ~newer,
                ~permissions.moved_since(col(Seat.match_id), col(Seat.number), since).exists(),
            )
            .order_by(col(Seat.id))
        )
    )


def tell_before(write: Writer, seat: Seat, how: str) -> None:
    """Owes a mail to the address that a seat has had until now: what is done with the seat.

    ``how`` is "address" or "replaced", as the mail's templates know it.
    """
    if seat.email is not None:
        who = {"name": seat.name, "language": seat.language, "zone": seat.zone}
        _tell_before(write, seat.number, seat.epoch, seat.email, how, who)


def tell_host_before(write: Writer, before: Match) -> None:
    """Owes a mail to the address that the host has had: their mail goes to another one."""
    if before.host_email:
        who = {"name": before.host_name, "language": before.language, "zone": before.zone}
        _tell_before(write, links.HOST, before.host_epoch, before.host_email, "host", who)


def _tell_before(
    write: Writer, number: int, epoch: int, address: str, how: str, who: dict[str, str]
) -> None:
    key = f"{write.table.match.id}:{number}:{epoch}"
    told: dict[str, Any] = {"address": address, "how": how, "by": write.actor, **who}
    write.owe(MailKind.SEAT_CHANGED, key, number, **told)


def new_host_link(write: Writer) -> None:
    """Raises the epoch of the host's links, makes the new link, and owes the mail with it."""
    match = write.match(host_epoch=write.table.match.host_epoch + 1)
    write.link(Purpose.HOST, match)
    write.owe(MailKind.HOST_LINK, f"{match.id}:{match.host_epoch}", links.HOST)


@act
def letter_refused(service: Service, link: Link, told: AuditAct = AuditAct.LETTER_REFUSED) -> None:
    """A letter in the name of a player was not played: they read of it, once for each open turn."""
    table, now = read(service, link.match_id)
    turn = table.open_turns.get(link.seat)
    if table.match.ended_at is not None or turn is None:
        return
    with service.database.read() as session:
        before = audit.times(session, link.match_id, link.seat, told, turn.opened_at)
    if before:
        return
    with writing(service, table, "letter_refused", Actor.SERVICE, now) as write:
        write.audit(told, link.seat)


def shows_to_be_there(service: Service, link: Link, *, mail_again: bool = True) -> None:
    """The player did something by a link of the seat, or wrote a mail: a held clock runs again.

    This applies only to a clock held for a bounce, which anybody who has the mail can forge. A mail
    that the relay refused has not arrived, whatever the player does. As after a move, further
    bounces hold no clock for ``DISPROVED``. ``mail_again``: the mail of the open turn is owed once
    more.
    """
    with service.database.read() as session:
        seat = session.exec(
            select(Seat).where(Seat.match_id == link.match_id, Seat.number == link.seat)
        ).first()
    if seat is not None and turn_clocks.mail_came_back(seat):
        _was_there(service, link, mail_again)


@act
def _was_there(service: Service, link: Link, mail_again: bool) -> None:
    table, now = read(service, link.match_id)
    player, turn = table.seat(link.seat), table.open_turns.get(link.seat)
    if table.match.ended_at is not None or not turn_clocks.mail_came_back(player):
        return
    if link.epoch != player.epoch:
        return
    paused = table.match.paused_until is not None
    stands = {"held_why": Hold.PAUSE, "next_at": None, "host_asked_at": None}
    with writing(service, table, "was_there", Actor.PLAYER, now) as write:
        write.seat(player, mail_problem=None, mail_problem_at=None)
        if turn is not None and turn.held_why == Hold.MAIL:
            write.turn(turn, **(stands if paused else turn_clocks.that_ran(table, turn, now)))
        write.audit(AuditAct.WAS_THERE, link.seat)
        if turn is not None and mail_again:
            key = f"there:{turn.id}:{table.match.revision}"
            write.owe(MailKind.YOUR_TURN, key, link.seat, turn_id=turn.id)


def try_mail_anew(write: Writer, seat: Seat) -> None:
    """Clears the mark that mail was refused; a clock that was held for it runs again."""
    table = write.table
    write.seat(seat, mail_problem=None, mail_problem_at=None, mail_returned_at=None)
    turn = table.open_turns.get(seat.number)
    if turn is None or turn.held_at is None or turn.held_why != Hold.MAIL:
        return
    clock = (
        turn_clocks.release(write, turn)
        if table.match.paused_until is None
        else {"held_why": Hold.PAUSE, "next_at": None}
    )
    write.turn(turn, **clock, host_asked_at=None)


def new_links(write: Writer, seat: Seat) -> None:
    """Raises the seat's epoch, makes the links it needs now, and owes the mail with them."""
    renewed = write.seat(seat, epoch=seat.epoch + 1)
    permissions.look_again(write, seat.number)
    match = write.table.match
    if match.ended_at is not None:
        return
    if renewed.joined_at is None:
        matches.invite(write, renewed)
        return
    write.link(Purpose.SEAT, renewed)
    going_back.ask_again(write, renewed)
    key = f"{match.id}:{seat.number}:{renewed.epoch}"
    turn = write.table.open_turns.get(seat.number)
    if turn is None:
        write.owe(MailKind.SEAT_LINK, key, seat.number)
        return
    write.link(Purpose.TURN, renewed, turn.id or 0)
    write.owe(MailKind.YOUR_TURN, key, seat.number, turn_id=turn.id)


def resend_link(service: Service, link: Link, *, own_page: bool = False) -> None:
    """Mails the seat of this link its open turn, or if it has none, the link to its own page.

    ``own_page``: always the link to its own page. The mail goes to the address on file, so whoever
    holds an old link learns nothing.
    """
    table = service.read(link.match_id)
    seat = table.seat(link.seat)
    if seat.email is None:
        return
    turn = None if own_page else table.open_turns.get(link.seat)
    kind = MailKind.YOUR_TURN if turn is not None else MailKind.SEAT_LINK
    turn_id = turn.id if turn is not None else None
    slot = int(service.now().timestamp()) // RESEND_SECONDS
    outbox.owe_now(
        service,
        "resend",
        kind,
        f"resend:{link.match_id}:{seat.number}:{seat.epoch}:{turn_id or 0}:{slot}",
        match_id=link.match_id,
        seat=seat.number,
        turn_id=turn_id,
        asked=True,
    )


@act
def mute(service: Service, link: Link) -> None:
    """The player wants no more mail about this match: the table, the host and the player are told.

    Every mail to them has the link, so anybody to whom one was forwarded can use it. Therefore one
    last mail tells the player, with a link that undoes it.
    """
    table, now = read_by(service, link)
    player = table.seat(link.seat)
    if player.muted_at is not None:
        return
    day = now - timedelta(days=1)
    with service.database.read() as session:
        stopped = audit.times(session, link.match_id, link.seat, AuditAct.MUTED, day)
    if stopped >= MOST_MUTINGS:
        raise NotPossible("Mail about this match was stopped too often today. Try again tomorrow.")
    with writing(service, table, "mute", Actor.PLAYER, now) as write:
        going_back.look_again(write)
        write.seat(player, muted_at=now)
        write.audit(AuditAct.MUTED, link.seat)
        revision = table.match.revision
        write.owe(MailKind.MUTED, f"{link.match_id}:{link.seat}:{revision}", link.seat)
        key = f"{link.match_id}:muted:{link.seat}:{revision}"
        write.owe(MailKind.STALLED, key, links.HOST, reason="muted", absent=link.seat)


@act
def unmute(service: Service, link: Link) -> None:
    """The player wants mail about this match again."""
    table, now = read_by(service, link)
    player = table.seat(link.seat)
    if player.muted_at is None:
        return
    with writing(service, table, "mute", Actor.PLAYER, now) as write:
        write.seat(player, muted_at=None)
        write.audit(AuditAct.UNMUTED, link.seat)
