"""Whether mail reaches a player: refused, corrected, sent anew, not wanted. Every function is an
act (see ``pbem.acts.claims``).

A seat whose mail does not arrive is not charged for time: its clock is held until the address is
corrected or tried anew.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from pbem.acts import absence, going_back, matches, outbox
from pbem.acts.claims import change_seat, change_turn, claim, release_turn
from pbem.acts.remedies import act_on, fresh, not_over, player_of, refuse_doubled, told
from pbem.clocks import deadlines
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Audit, Link, Mail, Match, Purpose, Seat
from pbem.store.table import Table
from pbem.words import texts

#: So long no clock is held for mails that come back, once a move has shown that mail arrives.
DISPROVED = timedelta(days=30)
#: How often a seat's mail is stopped in a day: each time its player and the host get a mail.
MOST_MUTINGS = 5

#: What says that there is no such address, whatever the mail: RFC 3463, and RFC 7505 (5.1.10).
_NO_SUCH_ADDRESS = re.compile(r"(?<![\d.])5\.(?:1\.(?:1|2|3|6|10)|2\.1)(?![\d.]*\d)")


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
    """Mail to a seat's address does not arrive: its clock is held and the host is told.

    ``came_back``: the mail had been taken, and a letter says that it was not delivered. Whoever has
    the mail can write that letter. So when the player has moved all the same since another one, no
    clock is held for it, and the mails go on (``turns.submit``).

    ``email`` is the address that was tried; if it has been corrected since, nothing is done.
    ``epoch`` is that of the links the mail brought: if they were made anew since, the mail is an
    old one, and the newer will tell.
    """

    def act(table: Table, now: datetime) -> None:
        player = table.seat(seat)
        if player.email != email or player.mail_problem_at is not None:
            return
        if table.match.ended_at is not None or epoch not in (None, player.epoch):
            return
        if came_back and _has_moved_all_the_same(player, now):
            _tell_that_the_clock_runs(service, table, player, now)
            return
        with service.database.write("mail_refused") as session:
            claim(session, table)
            # relays repeat the address in their answer; pages that show the reason must not
            reason = texts.without_addresses(why, email)[:500]
            change_seat(
                session,
                player,
                mail_problem=reason,
                mail_problem_at=now,
                mail_returned_at=now if came_back else None,
            )
            turn = table.open_turns.get(seat)
            if turn is not None and turn.held_at is None:
                care_at = deadlines.held_care("mail", now)
                change_turn(
                    session,
                    turn,
                    held_at=now,
                    held_why="mail",
                    next_at=care_at,
                    host_asked_at=None,
                )
            told(session, table, now, "service", "mail_refused", seat)
            absence.tell_of_mail(session, service, table, player, now)

    act_on(service, match_id, act)


def _has_moved_all_the_same(player: Seat, now: datetime) -> bool:
    """Whether a mail came back not long ago, and a move has shown since that mail arrives."""
    return (
        player.mail_problem_at is None
        and player.mail_returned_at is not None
        and now - player.mail_returned_at < DISPROVED
    )


def _tell_that_the_clock_runs(service: Service, table: Table, player: Seat, now: datetime) -> None:
    """The host hears of it, once a day, and may ask the player."""
    match = table.match
    with service.database.write("mail_refused") as session:
        claim(session, table)
        outbox.owe(
            session,
            "stalled",
            f"stalled:{match.id}:mail_again:{player.number}:{now:%Y-%m-%d}",
            now,
            match_id=match.id,
            seat=links.HOST,
            reason="mail_again",
            absent=player.number,
        )


def not_delivered(
    service: Service, mail: Mail, email: str, why: str, *, came_back: bool = False
) -> None:
    """A mail was refused, or came back: the address is marked wherever that says something.

    At its own seat always. Where the answer says that there is no such address, also at all other
    tables where nothing newer was sent to it: what is newer will tell by itself. Other answers (a
    full mailbox, a mail that somebody does not want) are about this mail alone.
    """
    own = (mail.match_id, mail.seat) if mail.seat is not None and mail.seat >= 0 else None
    if mail.match_id is not None and mail.seat is not None and own is not None:
        epoch = outbox.data(mail).get("epoch")
        mail_refused(
            service, mail.match_id, mail.seat, email, why, epoch=epoch, came_back=came_back
        )
    if not _NO_SUCH_ADDRESS.search(why):
        return
    with service.database.read() as session:
        others = _others(session, email, mail.sent_at or service.now())
    for seat in others:
        if (seat.match_id, seat.number) != own:
            email = seat.email or ""
            mail_refused(service, seat.match_id, seat.number, email, why, came_back=came_back)


def _others(session: Session, email: str, since: datetime) -> list[Seat]:
    """The seats of an address to which nothing is owed and nothing was sent since then."""
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
            )
            .order_by(col(Seat.id))
        )
    )


def correct_address(service: Service, match_id: str, seat: int, email: str, *, actor: str) -> None:
    """Puts the right address to a seat; its clock goes on, with the time it was held given back.

    Old links die: mail to the wrong address may have reached somebody.
    """
    email = texts.address(email)

    def act(table: Table, now: datetime) -> None:
        not_over(table)
        player = player_of(table, seat)
        refuse_doubled(table, player, email)
        with service.database.write("remedy") as session:
            claim(session, table)
            change_seat(session, player, email=email)
            _try_mail_anew(session, table, player, now)
            _new_links(session, table, player, now)
            told(session, table, now, actor, "address_corrected", seat)

    act_on(service, match_id, act)


def correct_host_address(service: Service, match_id: str, email: str, *, actor: str) -> None:
    """Puts the right address to the host of a match; the old host link dies, a new one is mailed.

    A seat that the host plays keeps its own address: ``correct_address`` is for that.
    """
    email = texts.address(email)

    def act(table: Table, now: datetime) -> None:
        not_over(table)
        with service.database.write("remedy") as session:
            epoch = table.match.host_epoch + 1
            claim(session, table, host_email=email, host_epoch=epoch)
            _new_host_link(session, table, now)
            told(session, table, now, actor, "host_address_corrected", None)

    act_on(service, match_id, act)


def _new_host_link(session: Session, table: Table, now: datetime) -> None:
    """Makes the host's link of the next epoch, which the claim has set, and owes its mail."""
    match = table.match.model_copy(update={"host_epoch": table.match.host_epoch + 1})
    links.make(session, Purpose.HOST, match, None, now)
    outbox.owe(
        session,
        "host_link",
        f"host_link:{match.id}:{match.host_epoch}",
        now,
        match_id=match.id,
        seat=links.HOST,
    )


def reissue(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    """Kills every link of a seat (``links.HOST``: of the host) and mails new ones.

    Where mail to the seat was refused, this tries again: it may have been a full mailbox.
    """

    def act(table: Table, now: datetime) -> None:
        with service.database.write("remedy") as session:
            claim(
                session,
                table,
                **({"host_epoch": table.match.host_epoch + 1} if seat == links.HOST else {}),
            )
            if seat == links.HOST:
                _new_host_link(session, table, now)
            else:
                player = player_of(table, seat)
                _try_mail_anew(session, table, player, now)
                _new_links(session, table, player, now)
            told(session, table, now, actor, "reissued", None if seat == links.HOST else seat)

    act_on(service, match_id, act)


def _try_mail_anew(session: Session, table: Table, seat: Seat, now: datetime) -> None:
    """Forgets that mail was refused; a clock that was held for it goes on."""
    change_seat(session, seat, mail_problem=None, mail_problem_at=None, mail_returned_at=None)
    turn = table.open_turns.get(seat.number)
    if turn is None or turn.held_why != "mail":
        return
    if table.match.paused_until is not None:
        change_turn(session, turn, held_why="pause", next_at=None, host_asked_at=None)
    else:
        release_turn(session, table, turn, now)
        change_turn(session, turn, host_asked_at=None)


def _new_links(session: Session, table: Table, seat: Seat, now: datetime) -> None:
    """Raises the seat's epoch, makes the links it needs now, and owes the mail that brings them."""
    change_seat(session, seat, epoch=seat.epoch + 1)
    renewed = fresh(session, seat)
    if table.match.ended_at is not None:
        return
    if renewed.joined_at is None:
        matches.invite(session, table.match, renewed, now)
        return
    links.make(session, Purpose.SEAT, table.match, renewed, now)
    going_back.ask_again(session, table, renewed, now)
    turn = table.open_turns.get(seat.number)
    if turn is not None:
        links.make(session, Purpose.TURN, table.match, renewed, now, turn.id or 0)
        kind, turn_id = "your_turn", turn.id
    else:
        kind, turn_id = "seat_link", None
    outbox.owe(
        session,
        kind,
        f"{kind}:{table.match.id}:{seat.number}:{renewed.epoch}",
        now,
        match_id=table.match.id,
        seat=seat.number,
        turn_id=turn_id,
    )


def mute(service: Service, link: Link) -> None:
    """The player wants no more mail of this match: the table, the host and they are told.

    Every mail of theirs has the link, and whoever it was passed on to can use it: so one last mail
    says that it was done, and undoes it.
    """

    def act(table: Table, now: datetime) -> None:
        player = table.seat(link.seat)
        if player.muted_at is not None:
            return
        with service.database.read() as session:
            if _mutings(session, link, now - timedelta(days=1)) >= MOST_MUTINGS:
                raise NotPossible(
                    "The mail of this match was stopped too often today. Try again tomorrow."
                )
        with service.database.write("mute") as session:
            claim(session, table, **going_back.due_where_asked(session, table, now))
            change_seat(session, player, muted_at=now)
            told(session, table, now, "player", "muted", link.seat)
            outbox.owe(
                session,
                "muted",
                f"muted:{link.match_id}:{link.seat}:{table.match.revision}",
                now,
                match_id=link.match_id,
                seat=link.seat,
            )
            outbox.owe(
                session,
                "stalled",
                f"stalled:{link.match_id}:muted:{link.seat}:{table.match.revision}",
                now,
                match_id=link.match_id,
                seat=links.HOST,
                reason="muted",
                absent=link.seat,
            )

    act_on(service, link.match_id, act)


def _mutings(session: Session, link: Link, since: datetime) -> int:
    return session.exec(
        select(func.count())
        .select_from(Audit)
        .where(
            Audit.match_id == link.match_id,
            Audit.seat == link.seat,
            Audit.act == "muted",
            col(Audit.at) > since,
        )
    ).one()


def unmute(service: Service, link: Link) -> None:
    """The player wants mail of this match again."""

    def act(table: Table, now: datetime) -> None:
        player = table.seat(link.seat)
        if player.muted_at is None:
            return
        with service.database.write("mute") as session:
            claim(session, table)
            change_seat(session, player, muted_at=None)
            told(session, table, now, "player", "unmuted", link.seat)

    act_on(service, link.match_id, act)
