"""Home: the matches of whoever is signed in on this device."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeVar

import msgspec
from flask import Blueprint, Response, request
from sqlmodel import Session

from pbem import present
from pbem.clock import iso
from pbem.errors import NotFound
from pbem.looks import own_matches, stalled
from pbem.looks.match_list import mark_of, place_of
from pbem.looks.own_matches import LastMove, Outline, OwnMatch
from pbem.looks.stalled import Stall
from pbem.mail.values import link_of
from pbem.people.persons import language_of, zone_of
from pbem.people.series.for_programs import OwnSeries, own_summary
from pbem.people.series.for_programs import own as own_series
from pbem.present import own_matches as shown
from pbem.present import series as series_shown
from pbem.present import stalls as stalls_said
from pbem.present.own_matches import OwnShown
from pbem.store import links
from pbem.store.models import Person
from pbem.store.names import MatchStatus
from pbem.store.plain import AnyMatch, AnySeat
from pbem.store.table import load
from pbem.web import devices, home_settings, signing_in
from pbem.web.body import posted
from pbem.web.context import (
    THEMES,
    base_url,
    go_to,
    json_answer,
    match_id_of,
    page,
    service,
    wants_json,
)
from pbem.words.i18n import Translator, translator

door = Blueprint("home", __name__)

#: Matches of each list on a page.
LINES = 12
#: How long a browser keeps a picture: it has another address when something happened.
PICTURE_SECONDS = 86400
#: Nobody turns so many pages.
MOST_PAGES = 1000

T = TypeVar("T")


def lists(played: Sequence[Outline], hosted: Sequence[Outline]) -> dict[str, list[Outline]]:
    """Matches by what somebody has to do there: those played in one list, those hosted in theirs.

    Of these come first those that may need something of their host.
    """
    return {
        "turns": own_matches.turns(played),
        "waiting": [one for one in played if one.waits],
        "invitations": [one for one in played if one.is_asked],
        "hosting": sorted(hosted, key=lambda one: not (one.may_stall or one.unproved_host)),
    }


@dataclass(frozen=True)
class Home:
    """A page of all that concerns somebody."""

    #: By list, also those that are ``finished``, on the first page.
    matches: Mapping[str, Sequence[OwnMatch]]
    #: How many there are in all, by list; without ``finished``.
    numbers: Mapping[str, int]
    #: Where older ones begin that are finished, "" if there are none.
    older: str
    #: Of the matches that they host, those that may stall.
    may_stall: Sequence[str]
    #: Who moved last, where there are pictures.
    last: Mapping[str, LastMove]
    #: What they set, for a program.
    settings: Mapping[str, Any]
    #: The series that they entered or host, on the first page.
    series: Sequence[OwnSeries]
    page: int

    @property
    def is_last(self) -> bool:
        """Whether all lists end on this page, or did before."""
        return max(self.numbers.values()) <= self.page * LINES


def read(session: Session, person: Person, number: int, *, program: bool) -> Home:
    """A page of somebody's home: however many matches they have, it costs the same.

    ``program``: what a program is told, and no more.
    """
    address = person.address or ""
    every = lists(
        own_matches.played(session, address),
        own_matches.hosted(session, address, service().now()),
    )
    here = {name: some[(number - 1) * LINES : number * LINES] for name, some in every.items()}
    over = own_matches.finished(session, address, LINES + 1) if number == 1 else []
    found: dict[str, list[OwnMatch]] = _apart(
        here, own_matches.whole(session, list(chain(*here.values())))
    )
    found["finished"] = over[:LINES]
    told = {name: found[name] for name in (("waiting", "finished") if program else found)}
    found |= _apart(told, own_matches.with_sitters(session, list(chain(*told.values()))))
    pictured = [] if program else [own.match for own in found["turns"]]
    return Home(
        matches=found,
        numbers={name: len(some) for name, some in every.items()},
        older=_older(over),
        may_stall=[one.match_id for one in here["hosting"] if one.may_stall],
        last=own_matches.last_moves(session, pictured),
        settings=home_settings.read(session, person) if program else {},
        series=own_series(session, person.id or 0) if number == 1 else [],
        page=number,
    )


def _apart(lists: Mapping[str, Sequence[Any]], together: Iterable[T]) -> dict[str, list[T]]:
    """What was done with all lists together, as lists of the same lengths."""
    each = iter(together)
    return {name: list(islice(each, len(some))) for name, some in lists.items()}


@door.get("/home")
def show() -> Response:
    """All that concerns this person; a stranger asks for the link here."""
    number = max(1, min(request.args.get("page", 1, type=int), MOST_PAGES))
    program = wants_json()
    with service().database.read() as session:
        person = devices.person(session)
        home = read(session, person, number, program=program) if person is not None else None
    if person is None or home is None:
        if program:
            raise devices.NotSignedIn()
        return signing_in.asking()
    # a read of its own: not in the one above, so that a page needs one connection at a time
    stalls = _stalls(home.may_stall)
    if not program:
        return _page(person, home, stalls)
    answer = json_answer(_json(home, stalls))
    if not home.is_last:
        answer.headers["Link"] = f'<{base_url()}/home?page={home.page + 1}>; rel="next"'
    return answer


def _page(person: Person, home: Home, stalls: Mapping[str, Sequence[Stall]]) -> Response:
    words, mine = home_settings.words_of(person), home.matches
    return page(
        "home.html",
        words,
        # it is in the language that they set
        can_switch=False,
        person=present.person(person),
        zone=zone_of(service(), person),
        number=home.page,
        turns=[
            (_shown(person, one, home.last.get(one.match.id)), _picture(person, one))
            for one in mine["turns"]
        ],
        waiting=[_shown(person, one) for one in mine["waiting"]],
        invitations=[_shown(person, one) for one in mine["invitations"]],
        hosting=[(_shown(person, one), _needs(one, stalls, words)) for one in mine["hosting"]],
        finished=[_finished(person, one) for one in mine["finished"]],
        older=home.older,
        series=[_series_shown(one, words) for one in home.series],
        numbers=home.numbers,
        passed=home.page * LINES,
    )


def _series_shown(one: OwnSeries, words: Translator) -> dict[str, Any]:
    """What is played in a series, how far it is, and where one stands who waits for a place."""
    return {
        "id": one.series.id,
        "name": one.series.name,
        "what": series_shown.what(one.series, words),
        "state": series_shown.state(one.series, words),
        "line": series_shown.waiting(one.player.name, one.ahead, words) if one.player else "",
        "plays_as": one.player.name if one.player else "",
        "hosts": one.hosts,
    }


def _shown(person: Person, one: OwnMatch, last: LastMove | None = None) -> OwnShown:
    here = service()
    language, zone = language_of(here, person), zone_of(here, person)
    return shown.own(one, language, zone, here.now(), url(one), last=last)


def _finished(person: Person, one: OwnMatch) -> shown.FinishedShown:
    here = service()
    return shown.finished(one, language_of(here, person), zone_of(here, person))


def url(one: OwnMatch) -> str:
    """The link that is useful now; "" if its row was not made yet: looking makes none."""
    here = service()
    return one.url(here.keys, here.settings.base_url)


def _stalls(match_ids: Sequence[str]) -> Mapping[str, Sequence[Stall]]:
    """What stalls of these matches, as a host may know it."""
    found: dict[str, list[Stall]] = defaultdict(list)
    for stall in stalled.find(service(), match_ids, public=True) if match_ids else ():
        found[stall.match_id].append(stall)
    return found


def _needs(own: OwnMatch, stalls: Mapping[str, Sequence[Stall]], words: Translator) -> list[str]:
    """What a match needs of its host, in sentences."""
    unsent = [words.text("The invitations are not sent yet.")] if own.match.unproved_host else []
    return unsent + [stalls_said.sentence(one, words) for one in stalls.get(own.match.id, ())]


# --- for programs ---


def _json(home: Home, stalls: Mapping[str, Sequence[Stall]]) -> dict[str, Any]:
    english, mine = translator("en"), home.matches
    return {
        "turns": [
            {**_match(own), "due_at": _due(own), "link": _link(own)} for own in mine["turns"]
        ],
        "waiting": [
            {**_match(own), "waits_for": _names(own), "since": _since(own), "link": _link(own)}
            for own in mine["waiting"]
        ],
        "invitations": [
            {**_match(own), "host": own.match.host_name, "link": _link(own)}
            for own in mine["invitations"]
        ],
        "hosting": [
            {**_match(own), "needs": _needs(own, stalls, english), "link": _link(own)}
            for own in mine["hosting"]
        ],
        "finished": [_over(own) for own in mine["finished"]],
        "series": [own_summary(one, base_url()) for one in home.series],
        "settings": home.settings,
    }


def _match(own: OwnMatch) -> dict[str, Any]:
    return {"match": own.match.id, "game": own.match.game, "name": own.match.name}


def _link(own: OwnMatch) -> str | None:
    return url(own) or None


def _due(own: OwnMatch) -> str | None:
    held = own.turn is None or own.turn.held_at is not None
    return None if held else iso(own.turn.due_at if own.turn else None)


def _names(own: OwnMatch) -> list[str]:
    """Whom a match waits for."""
    lobby = own.match.status == MatchStatus.LOBBY
    return [
        one.name
        for one in own.sitters
        if (not one.joined and not one.is_open if lobby else one.since is not None)
    ]


def _since(own: OwnMatch) -> str | None:
    return iso(shown.waiting(own, translator("en"))[1])


def _over(own: OwnMatch) -> dict[str, Any]:
    told = shown.finished(own, "en", "UTC")
    return {
        **_match(own),
        "ended_at": iso(own.match.ended_at),
        "won": told.won,
        "outcome": told.outcome,
        "link": f"{base_url()}/m/{own.match.id}",
    }


# --- what is over ---


@door.get("/home/finished")
def finished() -> Response:
    """Older matches that are over; ``before``: after this place in their order."""
    person = devices.signed_in()
    with service().database.read() as session:
        before = place_of(request.args.get("before", ""))
        over = own_matches.finished(session, person.address or "", LINES + 1, before)
        here = own_matches.with_sitters(session, over[:LINES])
    older = _older(over)
    if wants_json():
        return json_answer({"finished": [_over(own) for own in here], "older": older})
    return page(
        "home_finished.html",
        home_settings.words_of(person),
        finished=[_finished(person, one) for one in here],
        older=older,
    )


def _older(over: Sequence[OwnMatch]) -> str:
    """Where the next page begins, if one more was read than fits on a page; "" if not."""
    if len(over) <= LINES:
        return ""
    last = over[LINES - 1].match
    assert last.ended_at is not None  # it is over
    return mark_of(last.ended_at, last.id)


# --- links and pictures ---


@door.get("/home/next")
def next_turn() -> Response:
    """The turn whose time ends first."""
    person = devices.signed_in()
    with service().database.read() as session:
        own = own_matches.next_turn(session, person.address or "")
    return go_to(url(own) if own is not None and own.link_id is not None else "/home")


class LinkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose link is to be made."""

    match: str = ""


@door.post("/home/link")
def make_link() -> Response:
    """Makes the link to a match of this person where it was never made, and leads there."""
    given, person = posted(LinkRequest), devices.signed_in()
    match_id = match_id_of(given.match)
    with service().database.read() as session:
        address = person.address or ""
        found = chain(
            own_matches.played(session, address),
            own_matches.hosted(session, address, service().now()),
        )
        here = [one for one in found if one.match_id == match_id]
        if not here:
            raise NotFound()
        (own,) = own_matches.whole(session, here[:1])
    turn_id = own.turn.id if own.turn is not None else 0
    link = link_of(service(), own.purpose, own.match, own.seat, turn_id)
    made = links.url(service().keys, base_url(), link)
    return json_answer({"link": made}) if wants_json() else go_to(made)


@door.get("/home/picture/<match_id>.svg")
def picture(match_id: str) -> Response:
    """The board of a match as this person's seat sees it."""
    person, here = devices.person(), service()
    match_id = match_id_of(match_id)
    if person is None:
        raise NotFound()
    with here.database.read() as session:
        table = load(session, match_id)
        seat = next((one for one in table.seats if one.has_address(person.folded or "")), None)
        if seat is None or seat.joined_at is None or seat.resigned_at is not None:
            raise NotFound()
        language = language_of(here, person)
        dark = request.args.get("sheet") == THEMES[1]
        sign = _sign(table.match, seat, language) if seat.number in table.open_turns else ""
        tag = f"{sign}-{'dark' if dark else 'light'}"
        if sign and tag in request.if_none_match:
            answer = Response(status=304)
        else:
            drawn = present.own_board(session, table, seat, here.now(), language, dark)
            if drawn is None:
                raise NotFound()
            answer = Response(str(drawn), mimetype="image/svg+xml")
    answer.cache_control.private = True
    if sign:
        answer.set_etag(tag)
    if sign and request.args.get("v") == sign:
        answer.cache_control.max_age = PICTURE_SECONDS
    else:
        answer.cache_control.no_cache = True
    return answer


def _picture(person: Person, own: OwnMatch) -> str:
    """The address of the small picture, which is another when there is something else to see."""
    assert own.seat is not None  # it is their turn
    sign = _sign(own.match, own.seat, language_of(service(), person))
    return f"/home/picture/{own.match.id}.svg?v={sign}"


def _sign(match: AnyMatch, seat: AnySeat, language: str) -> str:
    """What stands for all that a seat sees of a match in its turn: public plies, and its own.

    Nothing of what others do in secret, which would tell that they did something: no number of a
    ply in the log, and no id of a turn.
    """
    about = (match.id, match.counted, seat.number, seat.epoch, seat.hidden_plies, language)
    return hashlib.sha256(repr(about).encode()).hexdigest()[:16]
