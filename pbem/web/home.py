"""Home: the matches of whoever is signed in on this device."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from flask import Blueprint, Response, request

from pbem import present
from pbem.errors import NotFound
from pbem.looks import own_matches, stalled
from pbem.looks.match_list import place_of
from pbem.looks.own_matches import LastMove, Own
from pbem.looks.stalled import Stall
from pbem.mail.values import link_of
from pbem.people.persons import language_of, zone_of
from pbem.present import own_matches as shown
from pbem.present import stalls as stalls_said
from pbem.present.own_matches import OwnShown
from pbem.store import links
from pbem.store.models import Person
from pbem.store.names import MatchStatus
from pbem.store.table import load
from pbem.web import devices, signing_in
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
from pbem.web.home_settings import as_json as settings_json
from pbem.words.i18n import Translator, translator

door = Blueprint("home", __name__)

#: Turns with a picture; lines of each list without ``?all=yes``; finished matches on one page.
PICTURES, LINES, FINISHED = 12, 24, 20


class Lists(msgspec.Struct, frozen=True):
    """The matches of somebody by what they have to do there."""

    turns: Sequence[Own]
    waiting: Sequence[Own]
    invitations: Sequence[Own]
    hosting: Sequence[Own]


def lists(found: Iterable[Own]) -> Lists:
    """Each match that is played stands in one list; those that are hosted, in theirs as well."""
    found = list(found)
    played = [own for own in found if own.seat is not None]
    joined = [
        own
        for own in played
        if own.seat and own.seat.joined_at and own.turn is None and own.seat.resigned_at is None
    ]
    return Lists(
        turns=own_matches.by_deadline(played),
        waiting=joined,
        invitations=[own for own in played if own.is_asked],
        hosting=[own for own in found if own.seat is None],
    )


@door.get("/home")
def show() -> Response:
    """All that concerns this person; a stranger asks for the link here."""
    person = devices.person()
    if person is None:
        if wants_json():
            raise devices.NotSignedIn()
        return signing_in.asking()
    here, address = service(), person.address or ""
    with here.database.read() as session:
        mine = lists(own_matches.going_on(session, address))
        over = own_matches.finished(session, address, FINISHED + 1)
        if wants_json():
            (waiting,) = own_matches.with_sitters(session, mine.waiting)
            mine = msgspec.structs.replace(mine, waiting=waiting)
    stalls = _stalls(mine.hosting)
    if wants_json():
        return json_answer(_json(person, mine, over[:FINISHED], stalls))
    return _page(person, mine, over, stalls)


def _page(
    person: Person, mine: Lists, over: Sequence[Own], stalls: Mapping[str, Sequence[Stall]]
) -> Response:
    whole, words = request.args.get("all") == "yes", words_of(person)
    most = None if whole else LINES
    with service().database.read() as session:
        turns, waiting, invitations, hosting = own_matches.with_sitters(
            session,
            mine.turns[:most],
            mine.waiting[:most],
            mine.invitations[:most],
            _needy(mine, stalls)[:most],
        )
        pictured = turns[:PICTURES]
        last = own_matches.last_moves(session, [own.match for own in pictured])
    return page(
        "home.html",
        words,
        # it is in the language that they set
        can_switch=False,
        person=person,
        pictured=[_shown(person, one, last.get(one.match.id)) for one in pictured],
        turns=[_shown(person, one) for one in turns[PICTURES:]],
        waiting=[_shown(person, one) for one in waiting],
        invitations=[_shown(person, one) for one in invitations],
        hosting=[(_shown(person, one), _needs(one, stalls, words)) for one in hosting],
        finished=[_finished(person, one) for one in over[:FINISHED]],
        older=_place(over[FINISHED - 1]) if len(over) > FINISHED else "",
        numbers={name: len(getattr(mine, name)) for name in mine.__struct_fields__},
    )


def words_of(person: Person) -> Translator:
    """The language of whoever is signed in."""
    return translator(language_of(service(), person))


def _shown(person: Person, one: Own, last: LastMove | None = None) -> OwnShown:
    here = service()
    language, zone = language_of(here, person), zone_of(here, person)
    return shown.own(one, language, zone, here.now(), url(one), last=last)


def _finished(person: Person, one: Own) -> shown.FinishedShown:
    here = service()
    return shown.finished(one, language_of(here, person), zone_of(here, person))


def url(one: Own) -> str:
    """The link that is useful now; "" if its row was not made yet: looking makes none."""
    return one.url(service().keys, base_url())


def _stalls(hosting: Sequence[Own]) -> Mapping[str, Sequence[Stall]]:
    """What stalls of the matches that somebody hosts, as a host may know it."""
    ids = [own.match.id for own in hosting]
    found: dict[str, list[Stall]] = defaultdict(list)
    for stall in stalled.find(service(), ids, public=True) if ids else ():
        found[stall.match_id].append(stall)
    return found


def _needy(mine: Lists, stalls: Mapping[str, Sequence[Stall]]) -> list[Own]:
    """The matches that somebody hosts: first those that need something."""
    return sorted(mine.hosting, key=lambda own: own.match.id not in stalls and not _unsent(own))


def _unsent(own: Own) -> bool:
    """Whether the host has yet to send the invitations."""
    return own.match.unproved_host


def _needs(own: Own, stalls: Mapping[str, Sequence[Stall]], words: Translator) -> list[str]:
    """What a match needs of its host, in sentences."""
    unsent = [words.text("The invitations are not sent yet.")] if _unsent(own) else []
    return unsent + [stalls_said.sentence(one, words) for one in stalls.get(own.match.id, ())]


# --- for programs ---


def _json(
    person: Person, mine: Lists, over: Sequence[Own], stalls: Mapping[str, Sequence[Stall]]
) -> dict[str, Any]:
    english = translator("en")
    return {
        "turns": [{**_match(own), "due_at": _due(own), "link": _link(own)} for own in mine.turns],
        "waiting": [
            {**_match(own), "waits_for": _names(own), "since": _since(own), "link": _link(own)}
            for own in mine.waiting
        ],
        "invitations": [
            {**_match(own), "host": own.match.host_name, "link": _link(own)}
            for own in mine.invitations
        ],
        "hosting": [
            {**_match(own), "needs": _needs(own, stalls, english), "link": _link(own)}
            for own in mine.hosting
        ],
        "finished": [_over(own) for own in over],
        "settings": settings_json(person),
    }


def _match(own: Own) -> dict[str, Any]:
    return {"match": own.match.id, "game": own.match.game, "name": own.match.name}


def _link(own: Own) -> str | None:
    return url(own) or None


def _due(own: Own) -> str | None:
    held = own.turn is None or own.turn.held_at is not None
    return None if held else _iso(own.turn.due_at if own.turn else None)


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at is not None else None


def _names(own: Own) -> list[str]:
    """Whom a match waits for."""
    lobby = own.match.status == MatchStatus.LOBBY
    return [
        one.name
        for one in own.sitters
        if (not one.joined and not one.is_open if lobby else one.since is not None)
    ]


def _since(own: Own) -> str | None:
    return _iso(shown.waiting(own, translator("en"))[1])


def _over(own: Own) -> dict[str, Any]:
    told = shown.finished(own, "en", "UTC")
    return {
        **_match(own),
        "ended_at": _iso(own.match.ended_at),
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
        over = own_matches.finished(session, person.address or "", FINISHED + 1, before)
    older = _place(over[FINISHED - 1]) if len(over) > FINISHED else ""
    if wants_json():
        return json_answer({"finished": [_over(own) for own in over[:FINISHED]], "older": older})
    return page(
        "home_finished.html",
        words_of(person),
        finished=[_finished(person, one) for one in over[:FINISHED]],
        older=older,
    )


def _place(own: Own) -> str:
    assert own.match.ended_at is not None  # it is over
    return f"{own.match.ended_at.isoformat()}~{own.match.id}"


# --- links and pictures ---


@door.get("/home/next")
def next_turn() -> Response:
    """The turn whose time ends first."""
    person = devices.signed_in()
    with service().database.read() as session:
        found = own_matches.by_deadline(own_matches.going_on(session, person.address or ""))
    return go_to(next((url(own) for own in found if own.link_id is not None), "/home"))


class Opened(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose link is to be made."""

    match: str = ""


@door.post("/home/link")
def make_link() -> Response:
    """Makes the link to a match of this person where it was never made, and leads there."""
    given, person = posted(Opened), devices.signed_in()
    match_id = match_id_of(given.match)
    with service().database.read() as session:
        found = [
            own
            for own in own_matches.going_on(session, person.address or "")
            if own.match.id == match_id
        ]
    if not found:
        raise NotFound()
    own = found[0]
    turn_id = own.turn.id or 0 if own.turn is not None else 0
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
        seat = next(
            (one for one in table.seats if (one.email or "").lower() == person.folded), None
        )
        if seat is None or seat.joined_at is None:
            raise NotFound()
        language, dark = language_of(here, person), request.args.get("sheet") == THEMES[1]
        about = (match_id, table.match.revision, seat.number, seat.epoch, language, dark)
        tag = hashlib.sha256(repr(about).encode()).hexdigest()[:32]
        if tag in request.if_none_match:
            answer = Response(status=304)
        else:
            drawn = present.own_board(session, table, seat, here.now(), language, dark)
            if drawn is None:
                raise NotFound()
            answer = Response(str(drawn), mimetype="image/svg+xml")
    answer.set_etag(tag)
    answer.cache_control.private = True
    answer.cache_control.no_cache = True
    return answer
