"""Leagues and tournaments: a list, a page for each, and what their hosts and players do there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from flask import Blueprint, Response, request

from engine.errors import EngineError
from engine.games.registry import find, games
from pbem import present
from pbem.acts import matches
from pbem.errors import BadInput, NotFound, NotPossible, Refused
from pbem.people import persons, proofs
from pbem.people.series import acts, points, rounds
from pbem.people.series.acts import NewSeries, SeriesPlace, SeriesStatus
from pbem.people.series.for_programs import match_ids, series_json, summary
from pbem.people.series.rows import Rows, ahead_of, newest, read
from pbem.present import series as shown
from pbem.store.models import Person, Series, SeriesPlayer
from pbem.store.names import MailKind
from pbem.web import devices, form_keys, guards, options, signing_in
from pbem.web.body import posted
from pbem.web.context import (
    base_url,
    form,
    go_to,
    json_answer,
    match_id_of,
    must_be_sure,
    page,
    reader_language,
    reader_words,
    service,
    wants_json,
    whole_number,
)
from pbem.web.new_match import PACES
from pbem.words import texts
from pbem.words.i18n import translator

door = Blueprint("series", __name__)

FIELDS = ("game", "name", "seats", "rounds", "kind", "pace", "most", "enter_days", "round_days")
MOST_LISTED = 100


@door.get("/series")
def index() -> Response:
    with service().database.read() as session:
        found = newest(session, MOST_LISTED)
    if wants_json():
        return json_answer([summary(series, base_url()) for series in found])
    words = reader_words()
    lines = [(shown.series(one), shown.what(one, words), shown.state(one, words)) for one in found]
    return page("series_list.html", words, lines=lines)


# --- making one ---


@door.get("/series/new")
def new() -> Response:
    devices.signed_in()
    given = {name: text[:300] for name, text in request.args.items() if name != form_keys.FIELD}
    return _form(given)


@door.post("/series/new")
def create() -> Response:
    given: Mapping[str, str] = {}
    try:
        given = form(*FIELDS, "language", "zone", form_keys.FIELD, prefixes=(options.PREFIX,))
        host = devices.signed_in()
        made = make(_wanted(given), host, form_keys.id_of(given))
    except devices.NotSignedIn:
        raise
    except (Refused, EngineError) as error:
        return _form(given, error)
    return go_to(f"/series/{made.id}")


def make(wanted: NewSeries, host: Person, series_id: str | None = None) -> Series:
    """Makes a series for somebody who is signed in, as often as their network may.

    ``series_id``: that of a form. What it made already is not counted again.
    """
    with service().database.read() as session:
        made = session.get(Series, series_id) if series_id else None
    if made is not None:
        return made
    guards.allow_opening()
    return acts.create(service(), wanted, host, series_id)


def _form(given: Mapping[str, str], error: Refused | EngineError | None = None) -> Response:
    game = games().get(given.get("game", ""))
    words = translator(reader_language(), game.meta.name if game else None)
    if game is None:
        known = [one.meta for one in games().values() if _sizes(one.meta.seats)]
        return page("series_game.html", words, error=error, games=known)
    sizes = _sizes(game.meta.seats)
    defaults = {
        "seats": str(present.usual_number(sizes)),
        "rounds": "4",
        "kind": "groups",
        "pace": "usual",
        "language": reader_language(),
        "zone": service().settings.zone,
        form_keys.FIELD: form_keys.new(),
    }
    return page(
        "series_new.html",
        words,
        error=error,
        game=game.meta,
        sizes=sizes,
        groups=options.groups(game, words),
        usual_clock=present.policy_sentence(matches.default_policy(service()), words),
        given={**defaults, **given},
        zones=texts.places(),
        wrong=options.wrong_field(error, given),
        longest=acts.LONGEST_NAME,
    )


def _sizes(seats: tuple[int, ...]) -> list[int]:
    return [number for number in seats if number in acts.SEATS]


def _wanted(given: Mapping[str, str]) -> NewSeries:
    game = find(given.get("game", ""))
    options.refuse_others(game, given)
    kind, pace = given.get("kind", ""), given.get("pace", "")
    if kind not in ("groups", "swiss") or pace not in PACES:
        raise BadInput("Choose what is to be done.", field="kind")
    return NewSeries(
        name=given.get("name", ""),
        game=game.meta.name,
        seats=whole_number(given.get("seats", ""), "seats", acts.SEATS[0], acts.SEATS[-1]),
        rounds=whole_number(given.get("rounds", ""), "rounds", 1, acts.MOST_ROUNDS),
        kind="swiss" if kind == "swiss" else "groups",
        options=options.read(game, given),
        clock=PACES[pace],
        language=given.get("language") or None,
        zone=given.get("zone") or None,
        most=_number(given, "most", acts.MOST_PLAYERS) or acts.MOST_PLAYERS,
        enter_days=_number(given, "enter_days", acts.MOST_DAYS),
        round_days=_number(given, "round_days", acts.MOST_DAYS),
    )


def _number(given: Mapping[str, str], name: str, most: int) -> int | None:
    text = given.get(name, "").strip()
    return whole_number(text, name, 1, most) if text else None


# --- one series ---


@door.get("/series/<series_id>")
def show(series_id: str) -> Response:
    if wants_json():
        with service().database.read() as session:
            return json_answer(series_json(session, match_id_of(series_id), base_url()))
    return _page(series_id)


class Entering(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who wants to enter. ``email`` is not needed of somebody who is signed in."""

    name: str = ""
    email: str = ""


NOBODY = Entering()


def _page(
    series_id: str,
    status: int = 200,
    *,
    error: Refused | None = None,
    typed: Entering = NOBODY,
    asked: bool = False,
) -> Response:
    """The page of a series; ``typed``: what stood in the form, or the mail was ``asked`` for."""
    person = devices.person()
    with service().database.read() as session:
        rows = read(session, match_id_of(series_id))
        matches_of = match_ids(session, rows.series.id)
        mine = _mine(rows, person)
        ahead = ahead_of(session, mine)
    series, words, zone = rows.series, reader_words(), service().settings.zone
    fewest = acts.fewest(series)
    if person is not None:
        zone = persons.zone_of(service(), person)
    moments = {
        name: present.Moment(at, zone, words) if at else None
        for name, at in (("enter_until", series.enter_until), ("next_at", series.next_at))
    }
    return page(
        "series.html",
        words,
        status,
        error=error,
        series=shown.series(series),
        what=shown.what(series, words),
        state=shown.state(series, words),
        clock=shown.clock(series, words),
        standing=shown.standing(rows, words),
        rounds=shown.rounds(rows, matches_of, words),
        waiting=[player.name for player in rows.of_place(SeriesPlace.WAITING)],
        # points are kept in tenths
        win=points.WIN // 10,
        is_over=series.status == SeriesStatus.OVER,
        may_go_on=series.round < series.rounds,
        is_host=person is not None and person.id == series.host_id,
        mine=shown.entry(mine),
        own_match=shown.own_match(rows, matches_of, mine),
        needed=shown.needed(rows, fewest, words),
        lacks=rows.entered() < (fewest or 0),
        line=shown.waiting(mine.name, ahead, words) if mine is not None else "",
        next_places=shown.next_places(series, words),
        person=present.person(person),
        wrong=options.wrong_of_person(error),
        typed=typed,
        asked=asked,
        **moments,
    )


def _mine(rows: Rows, person: Person | None) -> SeriesPlayer | None:
    whose = person.id if person is not None else None
    return next((player for player in rows.players if player.person_id == whose), None)


@door.post("/series/<series_id>/enter")
def enter(series_id: str) -> Response:
    """Enters who is signed in; to every other address a link is mailed, which does it."""
    given, known = posted(Entering), match_id_of(series_id)

    def do() -> Response:
        person = devices.signed_in_as(given.email)
        if person is not None:
            acts.enter_as(service(), known, person, given.name)
            return _done(known)
        about, language = acts.wish_to_enter(service(), known, given.name), reader_language()
        # last: what is refused takes none of the few mails that an address gets
        address, allowed = signing_in.may_ask(given.email)
        proofs.owe(service(), MailKind.SERIES_ENTER, address, language, about, allowed=allowed)
        if wants_json():
            return json_answer({"sent": True}, 202)
        return _page(known, 202, typed=given, asked=True)

    return _or_problem(known, do, given)


@door.get("/series/enter/<token>")
def entering(token: str) -> Response:
    """Says what the mailed link does; nothing is changed."""
    return _entering(token)


def _entering(token: str, *, name: str = "", error: Refused | None = None) -> Response:
    here = service()
    with here.database.read() as session:
        link = proofs.find(session, here.keys, token, MailKind.SERIES_ENTER, here.now())
        about = proofs.about(link)
        series = acts.get(session, about["series"])
        player = acts.entered(session, link) if link.used_at is not None else None
        ahead = ahead_of(session, player)
    if wants_json() and error is None:
        used = link.used_at is not None
        return json_answer({"series": series.id, "name": about["name"], "used": used})
    words = translator(reader_language(link.language))
    return page(
        "series_enter.html",
        words,
        error=error,
        series=shown.series(series),
        what=shown.what(series, words),
        state=shown.state(series, words),
        clock=shown.clock(series, words),
        name=name or about["name"],
        token=token,
        used=link.used_at is not None,
        player=shown.entry(player),
        line=shown.waiting(player.name, ahead, words) if player is not None else "",
        next_places=shown.next_places(series, words),
    )


class EntryRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another name than was asked for; "" for that one."""

    name: str = ""


@door.post("/series/enter/<token>")
def enter_by_link(token: str) -> Response:
    given = posted(EntryRequest)
    try:
        player = acts.enter_by_link(service(), token, given.name)
    except (BadInput, NotPossible) as error:
        return _entering(token, name=given.name.strip(), error=error)
    # its page says that they have entered, to who is not signed in, too
    return _done(player.series_id) if wants_json() else go_to(f"/series/enter/{token}")


class NextRoundRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The round that the host saw, so that a repeat draws no other."""

    round: str


@door.post("/series/<series_id>/next")
def go_on(series_id: str) -> Response:
    """The host starts the series, or has its next round drawn now."""
    seen = posted(NextRoundRequest).round
    known = _hosted(series_id)

    def do() -> Response:
        rounds.go_on(service(), known, whole_number(seen, "round", 0, acts.MOST_ROUNDS))
        return _done(known)

    return _or_problem(known, do)


class Sure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether somebody is sure: ``yes``. A program need not say so."""

    sure: str | None = None


@door.post("/series/<series_id>/call-off")
def call_off(series_id: str) -> Response:
    """The host ends the series; matches that go on are played on."""
    given = posted(Sure)
    known = _hosted(series_id)

    def do() -> Response:
        _must_be_sure(given)
        rounds.call_off(service(), known)
        return _done(known)

    return _or_problem(known, do)


def _hosted(series_id: str) -> str:
    """The id of a series that who is signed in hosts, or NotFound."""
    person, known = devices.signed_in(), match_id_of(series_id)
    with service().database.read() as session:
        if acts.get(session, known).host_id != person.id:
            raise NotFound()
    return known


@door.post("/series/<series_id>/withdraw")
def withdraw(series_id: str) -> Response:
    """A player is not paired again; the match that goes on is still theirs."""
    given = posted(Sure)
    person, known = devices.signed_in(), match_id_of(series_id)

    def do() -> Response:
        _must_be_sure(given)
        acts.withdraw(service(), known, person.id or 0)
        return _done(known)

    return _or_problem(known, do)


def _must_be_sure(given: Sure) -> None:
    if given.sure is not None or not wants_json():
        must_be_sure({"sure": given.sure or ""})


def _done(series_id: str) -> Response:
    if not wants_json():
        return go_to(f"/series/{series_id}")
    with service().database.read() as session:
        return json_answer(series_json(session, series_id, base_url()))


def _or_problem(series_id: str, do: Callable[[], Response], typed: Entering = NOBODY) -> Response:
    """What was asked for, or the page of the series with the reason why not."""
    try:
        return do()
    except Refused as error:
        if isinstance(error, NotFound):
            raise
        return _page(series_id, error=error, typed=typed)
