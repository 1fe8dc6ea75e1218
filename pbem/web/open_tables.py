"""Tables that look for players: the list, a table's own page, and taking a seat.

Whoever takes a seat proves an address first: by a mailed link. Every address gets the same answer.
"""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Blueprint, Response, request, url_for

from engine.codec import decode, plain
from engine.errors import EngineError
from engine.games.registry import games
from pbem import present
from pbem.acts import open_seats, seat_names
from pbem.acts.lobby import CLOSED_AFTER
from pbem.clocks.deadlines import ClockPolicy
from pbem.errors import BadInput, NotFound, NotPossible, Refused
from pbem.looks import match_look
from pbem.mail import pictures
from pbem.people import open_tables, proofs, watches
from pbem.people.open_tables import PACES, SLOWEST, TableFilter, WaitingMatch
from pbem.present import covers
from pbem.store.match_log import options_of
from pbem.store.models import AddressLink, Person, Seat
from pbem.store.names import MailKind
from pbem.web import art, devices, going_on, guards, match, options, programs, signing_in
from pbem.web.body import NoFields, posted, read_json
from pbem.web.context import (
    base_url,
    form,
    json_answer,
    match_id_of,
    page,
    reader_language,
    reader_words,
    sentence,
    service,
    wants_json,
    whole_number,
)
from pbem.words import texts
from pbem.words.i18n import Translator, translator

door = Blueprint("open_tables", __name__, url_prefix="/open")

#: What a list can be narrowed down by, as fields of its address.
FILTERS = ("game", "seats", "pace", "language")
#: The most players that any game takes, for what people type.
MOST_SEATS = 20


class SeatRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who wants a seat. Only its types have been checked."""

    name: str
    #: Not needed by somebody who is signed in.
    email: str = ""
    #: Which seat; None: the first that is open.
    seat: int | None = None


class TakeRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody takes the seat of a mailed link. Only its types have been checked."""

    #: "": the one that they gave when they asked for the link.
    name: str = ""
    #: Left out: the one that they asked for. None, in a form "": the first that is open.
    seat: int | str | msgspec.UnsetType | None = msgspec.UNSET
    phrase: str = ""
    zone: str = ""
    language: str = ""


class WatchRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of which tables somebody wants to hear. Only its types have been checked."""

    game: str = ""
    email: str = ""
    seats: str = ""
    language: str = ""


NOBODY, UNTYPED = SeatRequest(""), open_seats.Taking("", "")


# --- the list ---


@door.get("")
def show() -> Response:
    wanted = _wanted()
    found = open_tables.newest(service(), wanted, request.args.get("after", ""))
    query = {name: getattr(wanted, name) or None for name in FILTERS}
    following = found.following and url_for(".show", **query, after=found.following)
    if wants_json():
        answer = json_answer([_entry(one) for one in found.tables])
        if following:
            answer.headers["Link"] = f'<{base_url()}{following}>; rel="next"'
        return answer
    return _list(found, wanted, following)


def _list(
    found: open_tables.Page,
    wanted: TableFilter,
    following: str = "",
    *,
    error: Refused | None = None,
    watched: WatchRequest | None = None,
) -> Response:
    """The list; ``watched``: what stood in the form that asks for mails."""
    words = reader_words()
    return page(
        "open_tables.html",
        words,
        error=error,
        tables=[_shown(one) for one in found.tables],
        wanted=wanted,
        watched=watched or wanted,
        email=watched.email if watched is not None else "",
        wrong=options.wrong_of_person(error),
        is_filtered=wanted != TableFilter(),
        games=[game.meta for game in games().values()],
        numbers=sorted({number for game in games().values() for number in game.meta.seats}),
        paces=paces(words),
        following=following,
        person=present.person(devices.person()),
    )


def _wanted() -> TableFilter:
    """What the address asks for; what is not known here asks for nothing."""
    asked = {name: request.args.get(name, "") for name in FILTERS}
    seats = asked["seats"]
    return TableFilter(
        game=asked["game"] if asked["game"] in games() else "",
        seats=int(seats) if seats.isascii() and seats.isdigit() and len(seats) < 3 else 0,
        pace=asked["pace"] if asked["pace"] in (*PACES, SLOWEST) else "",
        language=asked["language"] if asked["language"] in texts.LANGUAGES else "",
    )


def paces(words: Translator) -> dict[str, str]:
    """What each pace is called."""
    _ = words.text
    return {"lively": _("Lively"), "usual": _("Unhurried"), SLOWEST: _("By post")}


def _entry(one: WaitingMatch) -> dict[str, Any]:
    table = one.match
    return {
        "match": table.id,
        "game": table.game,
        "name": table.name,
        "title": table.title,
        "language": table.language,
        "seats": [programs.seat_of(seat) for seat in one.seats],
        "options": plain(options_of(table)),
        "clock": plain(decode(ClockPolicy, table.clock_json)),
        "link": f"{base_url()}/open/{table.id}",
    }


def _shown(one: WaitingMatch) -> dict[str, Any]:
    words = reader_words(one.match.game)
    free = sum(seat.is_open for seat in one.seats)
    return {
        "id": one.match.id,
        "host": one.match.host_name,
        "language": one.match.language,
        "title": present.match_title(one.match, words),
        "clock": present.clock_sentence(one.match, words),
        "sitting": present.joined([seat.name for seat in one.seats if not seat.is_open], words),
        "seats": one.seats,
        "free": free,
    }


# --- a table ---


@door.get("/<match_id>")
def table(match_id: str) -> Response:
    """The page that one can pass on: what is played, who sits there, and the form."""
    return _table(match_id_of(match_id))


@door.post("/<match_id>")
def ask(match_id: str) -> Response:
    """Mails the link that takes a seat to the address: the same answer for every address.

    Who is signed in here has proved theirs, and has the seat at once.
    """
    match_id, asked = match_id_of(match_id), _asked()
    signed_in = devices.signed_in_as(asked.email)
    try:
        name = texts.name(asked.name)
        if signed_in is not None:
            return _take_at_once(match_id, signed_in, name, asked.seat)
        look = match_look.table(service(), match_id)
        open_seats.find(look.match, look.seats, asked.seat)
        seat_names.refuse_taken(look.seats, name)
        # last: what is refused takes none of the few mails that an address gets
        address, allowed = signing_in.may_ask(asked.email)
    except (BadInput, NotPossible) as error:
        return _table(match_id, error=error, asked=asked)
    about: dict[str, str | int] = {"match": match_id, "name": name}
    if asked.seat is not None:
        about["seat"] = asked.seat
    language = reader_language()
    proofs.owe(service(), MailKind.TAKE_SEAT, address, language, about, allowed=allowed)
    if wants_json():
        return json_answer({"match": match_id}, 202)
    return _table(match_id, status=202, asked=asked, sent=True)


def _take_at_once(match_id: str, person: Person, name: str, seat: int | None) -> Response:
    taking = open_seats.Taking(
        name, person.address or "", seat, zone=person.zone, language=person.language
    )
    taken = open_seats.take(service(), match_id, taking)
    return _joined(match_look.table(service(), match_id), taken, status=201)


def _asked() -> SeatRequest:
    if request.mimetype == "application/json":
        return read_json(SeatRequest)
    given = form("name", "email", "seat")
    return SeatRequest(
        given.get("name", ""), given.get("email", ""), _number(given.get("seat", ""))
    )


def _number(given: int | str | None) -> int | None:
    """The number of a seat as a program or a form sends it; None for any seat."""
    if isinstance(given, str):
        return whole_number(given, "seat", 0, MOST_SEATS) if given else None
    return given


def _table(
    match_id: str,
    *,
    status: int = 200,
    error: Refused | None = None,
    asked: SeatRequest = NOBODY,
    sent: bool = False,
) -> Response:
    look = match_look.table(service(), match_id)
    words = reader_words(look.match.game)
    return page(
        "open_table.html",
        words,
        status,
        error=error,
        table=present.table(look, words, zone=look.match.zone, base_url=base_url()),
        free=[seat.number for seat in open_seats.free(look.match, look.seats)],
        asked=asked,
        sent=sent,
        person=present.person(devices.person()),
        wrong=options.wrong_of_person(error),
        cover=art.urls("cover", look.match.game, words.language),
        about=words.sentence(look.game.summary(options_of(look.match))),
        closes=present.Moment(look.match.created_at + CLOSED_AFTER, look.match.zone, words),
        url=f"{base_url()}/open/{match_id}",
    )


@door.get("/<match_id>/picture")
def picture(match_id: str) -> Response:
    """What is played at the table, as a picture: for messengers."""
    guards.allow_picture()
    game = service().read(match_id_of(match_id)).match.game
    drawn = covers.drawn("cover", game, reader_language(), dark=False)
    if drawn is None:
        raise NotFound()
    answer = Response(match.drawn(drawn, pictures.card), mimetype="image/jpeg")
    answer.cache_control.public = True
    answer.cache_control.max_age = match.PICTURE_SECONDS
    return answer


# --- taking a seat ---


@door.get("/take/<token>")
def look(token: str) -> Response:
    """What the mailed link does; nothing yet."""
    return _taking(_link(token), token)


@door.post("/take/<token>")
def take(token: str) -> Response:
    """Takes the seat: whoever has this link has the mail of its address."""
    given, here = posted(TakeRequest), service()
    link = _link(token)
    about = proofs.about(link)
    if link.used_at is not None:
        return _taking(link, token)
    taking = open_seats.Taking(
        name=given.name.strip() or str(about["name"]),
        email=link.address,
        phrase=given.phrase,
        zone=given.zone,
        language=given.language,
    )
    try:
        seat = _number(about.get("seat") if given.seat is msgspec.UNSET else given.seat)
        taking = msgspec.structs.replace(taking, seat=seat)
        open_seats.take(
            here,
            str(about["match"]),
            taking,
            lambda session: proofs.use(session, link, here.now()),
        )
    except (Refused, EngineError) as error:
        return _taking(_link(token), token, error=error, typed=taking)
    return _taking(_link(token), token, status=201)


def _link(token: str) -> AddressLink:
    return _proof(token, MailKind.TAKE_SEAT)


def _proof(token: str, kind: MailKind) -> AddressLink:
    here = service()
    with here.database.read() as session:
        return proofs.find(session, here.keys, token, kind, here.now())


def _taking(
    link: AddressLink,
    token: str,
    *,
    status: int = 200,
    error: Refused | EngineError | None = None,
    typed: open_seats.Taking = UNTYPED,
) -> Response:
    about = proofs.about(link)
    look = match_look.table(service(), str(about["match"]))
    own = [seat for seat in look.seats if seat.has_address(link.address)]
    if own:
        # only who has just used the link up is led on by it: it may have been passed on since
        return _joined(look, own[0], status=status, proved=status == 201)
    if wants_json() and link.used_at is not None:
        raise NotPossible("This link has been used already. Ask for a new one at the table.")
    language = reader_language(link.language)
    words = translator(language, look.match.game)
    name = typed.name or str(about["name"])
    free = [seat.number for seat in open_seats.free(look.match, look.seats)]
    why = error
    if why is None and free and link.used_at is None:
        # since the link was mailed somebody may have come with this name
        why = seat_names.taken(look.seats, name)
    return page(
        "take_seat.html",
        words,
        status,
        error=error,
        table=present.table(look, words, zone=look.match.zone, base_url=base_url()),
        name=name,
        free=free,
        wanted=about.get("seat") if typed.seat is None else typed.seat,
        typed=typed,
        token=token,
        zones=texts.places(),
        is_used=link.used_at is not None,
        language_now=language,
        problem=sentence(why, words) if why is not None else None,
        wrong=options.wrong_of_person(why),
    )


def _joined(
    look: match_look.TableLook, seat: Seat, *, status: int, proved: bool = False
) -> Response:
    if wants_json():
        return json_answer({"match": look.match.id, "seat": seat.number}, status)
    words = translator(seat.language, look.match.game)
    return page(
        "joined.html",
        words,
        status,
        seat=present.own_seat(seat),
        table=present.table(look, words, zone=seat.zone, base_url=base_url()),
        beacon=match.dice_sentence(look.match, words),
        **going_on.own_way(look, seat, proved=proved),
    )


# --- hearing of tables ---


@door.post("/watch")
def ask_to_watch() -> Response:
    """Somebody wants a mail when a table like this is listed; the address is proved first."""
    asked, here = posted(WatchRequest), service()
    wanted, signed_in = _checked(asked), devices.signed_in_as(asked.email)
    if signed_in is not None:
        with here.database.write("watch.add") as session:
            watches.add(session, signed_in, wanted, here.now())
        return _watching(wanted, "added", 201)
    try:
        address, allowed = signing_in.may_ask(asked.email)
    except BadInput as error:
        every = TableFilter()
        return _list(open_tables.newest(here, every, ""), every, error=error, watched=asked)
    about: dict[str, str | int] = {
        "game": wanted.game,
        "seats": wanted.seats,
        "language": wanted.language,
    }
    proofs.owe(here, MailKind.WATCH, address, reader_language(), about, allowed=allowed)
    return _watching(wanted, "sent", 202, email=address)


def _checked(asked: WatchRequest) -> TableFilter:
    if asked.game not in games():
        raise BadInput("Choose a game.", field="game")
    seats = whole_number(asked.seats or "0", "seats", 0, MOST_SEATS)
    return TableFilter(
        asked.game, seats, "", texts.language(asked.language) if asked.language else ""
    )


@door.get("/watch/<token>")
def show_watch(token: str) -> Response:
    return _watching(_watched(_proof(token, MailKind.WATCH)), "asked")


@door.post("/watch/<token>")
def watch(token: str) -> Response:
    """From now on the address hears of such tables. Idempotent until that is ended."""
    posted(NoFields)
    link, here = _proof(token, MailKind.WATCH), service()
    wanted, now = _watched(link), here.now()
    with here.database.write("watch.add") as session:
        try:
            watches.add(session, proofs.use(session, link, now), wanted, now)
        except NotPossible:
            # it was used before; since then they may have ended what it began
            if not watches.is_wanted(session, link.address, wanted):
                raise
    return _watching(wanted, "added")


def _watched(link: AddressLink) -> TableFilter:
    about = proofs.about(link)
    return TableFilter(about["game"], about["seats"], "", about["language"])


@door.get("/off/<token>")
def show_off(token: str) -> Response:
    with service().database.read() as session:
        watched = watches.find(session, service().keys, token)
    return _watching(TableFilter(watched.game, watched.seats, "", watched.language), "to end")


@door.post("/off/<token>")
def off(token: str) -> Response:
    """Ends it, also for a mail program that posts ``List-Unsubscribe=One-Click``.

    The answer is the same for every token: nobody learns which of them there are, or were. Which
    tables it was about is what the form says.
    """
    given = form("List-Unsubscribe", "game", "seats", "language")
    watches.end(service(), token)
    if "game" in given:
        kind = {name: given.get(name, "") for name in ("game", "seats", "language")}
        return _watching(_checked(WatchRequest(**kind)), "ended")
    words = reader_words()
    said = words.text(
        "You get no more mails about the tables that this link was for. All other mails go on."
    )
    return page("done.html", words, message=said)


def _watching(wanted: TableFilter, state: str, status: int = 200, *, email: str = "") -> Response:
    """The page about hearing of tables: ``state`` is what was done, or is to be."""
    if wants_json():
        return json_answer({"game": wanted.game, "seats": wanted.seats}, status)
    # a game that came as a plug-in may be gone since they asked
    is_played = wanted.game in games()
    words = reader_words(wanted.game if is_played else None)
    return page(
        "watch.html",
        words,
        status,
        wanted=wanted,
        is_played=is_played,
        state=state,
        email=email,
    )
