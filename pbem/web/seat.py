"""A player's own page of a match: back from the bot, mail, zone and language. Never a hand."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, request

from pbem import present
from pbem.acts import (
    absence,
    deliverability,
    going_back,
    lobby,
    matches,
    remedies,
    standing_orders,
    vacations,
)
from pbem.acts.remedy import RemedyRequest
from pbem.acts.who_may import May
from pbem.errors import BadInput, NotPossible, Refused
from pbem.looks import match_look
from pbem.people import rematches, talk
from pbem.people.series.rows import of_match
from pbem.store import links
from pbem.store.models import Link, Seat
from pbem.store.names import Actor, Purpose
from pbem.store.table import Table, load
from pbem.web import going_on, programs
from pbem.web import talk as talking
from pbem.web.context import (
    base_url,
    form,
    json_answer,
    link_of,
    must_be_sure,
    page,
    sentence,
    service,
    table_of,
    wants_json,
    whole_number,
)
from pbem.words import texts
from pbem.words.i18n import Translator

door = Blueprint("seat", __name__)

FIELDS = (
    *("do", "zone", "language", "reminders", "orders", "standing", "sure"),
    *("from", "until", "email", "muted", "note"),
    *talking.FIELDS,
)
#: Actions that need a ticked box besides the button.
SURE = frozenset({"take-back", "ask-back", "resign-now", "leave-table"})


@door.get("/s/<token>")
def show(token: str) -> Response:
    link = link_of(token, Purpose.SEAT)
    if wants_json():
        look = match_look.table(service(), link.match_id, newest=0)
        said = talking.as_json(talking.messages_for(look.match, link.seat))
        series = programs.series_of(of_match(service(), link.match_id))
        return json_answer(programs.match(look) | {"talk": said, "series": series})
    return _page(link, token)


@door.post("/s/<token>")
def act(token: str) -> Response:
    """One of the page's buttons: each is a form of its own, with the name of what it does."""
    link = link_of(token, Purpose.SEAT)
    given = form(*FIELDS)
    here, done = service(), given.get("do", "")
    try:
        if done in SURE:
            must_be_sure(given)
        match done:
            case "come-back":
                absence.come_back(here, link)
            case "mute":
                deliverability.mute(here, link)
            case "unmute":
                deliverability.unmute(here, link)
            case "mail":
                deliverability.resend_link(here, link)
            case "settings":
                zone, language = given.get("zone", ""), given.get("language", "")
                wished = given.get("reminders", "")
                reminders = wished == "yes" if wished else None
                matches.set_preferences(here, link, zone, language, reminders)
            case "away":
                first = vacations.read_day(given.get("from", ""), "from")
                last = vacations.read_day(given.get("until", ""), "until")
                vacations.announce(here, link, first, last)
            case "here":
                vacations.take_back(here, link)
            case "address":
                done = _new_address(link, given.get("email", ""))
            case "leave":
                standing_orders.leave(here, link, _lines(given.get("orders", "")))
            case "cancel":
                number = whole_number(given.get("standing", ""), "standing", 1, links.LAST_ROW)
                standing_orders.cancel(here, link, number)
            case "take-back":
                going_back.take_back(here, link)
            case "ask-back":
                going_back.propose(here, link)
            case "leave-table":
                return _leave_table(link)
            case "say":
                talking.say(link, given)
            case "note":
                note = given.get("note", "")
                talk.write_note(here, link, note)
            case "mute-seat" | "hear-seat":
                other = talking.muted_seat(given.get("muted", ""))
                on = done == "mute-seat"
                talk.mute(here, link, other, on=on)
            case "resign":
                return _ask_again(link, token)
            case "resign-now":
                absence.resign(here, link)
            case _:
                raise BadInput("Choose what is to be done.", field="do")
    except Refused as error:
        # found again: what was refused may be so because the seat is somebody else's by now
        return _page(link_of(token, Purpose.SEAT), token, error=error)
    # only a completed action shows that the player is there: mail scanners press buttons, too
    deliverability.shows_to_be_there(here, link)
    return _page(link, token, done=done)


def _leave_table(link: Link) -> Response:
    """Before the start; this page's link may be dead then."""
    _look, _own, words = table_of(link)
    lobby.decline(service(), link)
    return page("done.html", words, message=words.text("You have left the table."))


def _new_address(link: Link, email: str) -> str:
    """The player wants mail elsewhere: the address on file is asked, while mail reaches it.

    Returns what was done, as the page calls it.
    """
    asked = RemedyRequest("correct-address", link.seat, email=email.strip())
    now = remedies.allowed(service().read(link.match_id), asked, Actor.PLAYER) == May.NOW
    remedies.carry_out(service(), link.match_id, asked, Actor.PLAYER)
    return "address" if now else "address-asked"


def _away(seat: Seat, words: Translator) -> tuple[str, str] | None:
    """The first and the last day of the announced vacation."""
    gone = vacations.current(seat, service().now())
    return present.days_away(gone, seat.zone, words) if gone is not None else None


def _no_vacation(table: Table, seat: Seat, now: datetime) -> Refused | None:
    """Why the seat cannot say now that it is away; None if it can, or has said so."""
    if (refused := vacations.why_not(table, seat)) is not None:
        return refused
    if vacations.current(seat, now) is None and seat.vacation_days == 0:
        return NotPossible("You have no days of vacation left in this match.")
    return None


def _asked_days() -> dict[str, date | str]:
    """The days away in a link's query, or "". They only fill in the form; nothing is done yet."""
    days: dict[str, date | str] = {"from": "", "until": ""}
    for name in days:
        with suppress(BadInput):
            days[name] = vacations.read_day(request.args.get(name, ""), name)
    return days


def _lines(text: str) -> list[str]:
    """The orders of a text, one a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _ask_again(link: Link, token: str) -> Response:
    look, seat, words = table_of(link)
    table = present.table(look, words, zone=seat.zone, base_url=base_url())
    return page("resign.html", words, table=table, token=token)


def _page(link: Link, token: str, *, done: str = "", error: Refused | None = None) -> Response:
    look, seat, words = table_of(link)
    with service().database.read() as session:
        row = load(session, link.match_id)
        no_days = _no_vacation(row, seat, look.at)
        may_take_back = going_back.can_take_back(session, row, link.seat, look.at)
        not_asked = (
            None if may_take_back else going_back.why_not_ask(session, row, link.seat, look.at)
        )
        asked = going_back.open_proposal(session, row)
        has_moved = going_back.has_moved(session, row, link.seat)
    return page(
        "seat.html",
        words,
        error=error,
        table=present.table(look, words, zone=seat.zone, base_url=base_url()),
        stands_still=present.stands_still(look.match, words, seat.zone),
        **talking.of_seat(look, link.seat, words, keep=done != "say"),
        seat=present.own_seat(seat),
        offers=present.offers(look.match, seat),
        series=of_match(service(), link.match_id),
        token=token,
        done=done,
        zones=texts.places(),
        may_take_back=may_take_back,
        no_asking=sentence(not_asked, words) if not_asked is not None else "",
        asks_back=asked is not None and asked.seat == link.seat,
        may_ask_rematch=rematches.may_ask(row, row.seat(link.seat)),
        no_vacation=sentence(no_days, words) if no_days is not None else "",
        away=_away(seat, words),
        here=going_on.is_here(seat.email),
        is_mailed=going_on.is_mailed(seat),
        today=look.at.astimezone(ZoneInfo(seat.zone)).date(),
        days=_asked_days(),
        is_asked=link.seat in row.open_turns,
        has_moved=has_moved,
        standing=[
            (order.id, standing_orders.alternatives(order))
            for order in standing_orders.of_seat(
                service(), link.match_id, link.seat, look.match.ply
            )
            if order.ended_at is None
        ],
    )
