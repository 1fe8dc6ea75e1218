"""Opening a match, and the public table of one: what happened, and its replay step by step."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Literal, TypeVar

from flask import Blueprint, Response, request, url_for

from engine import rulebook
from engine.errors import EngineError, shown
from engine.game import Meta
from engine.games.registry import AnyGame, find, games
from pbem import present
from pbem import record as record_checks
from pbem.acts import demo, matches, open_seats
from pbem.clocks import deadlines
from pbem.clocks.durations import span_text
from pbem.errors import BadInput, NotFound, Refused, TooMany
from pbem.looks import match_look
from pbem.looks.course import course
from pbem.mail import animations, foretold, pictures
from pbem.people import open_tables, talk
from pbem.people.series.rows import series_of
from pbem.store.canonical import canonical
from pbem.store.models import Match
from pbem.store.table import load
from pbem.web import (
    art,
    devices,
    form_keys,
    going_on,
    guards,
    kept_sets,
    options,
    own_groups,
    programs,
)
from pbem.web import talk as talking
from pbem.web.context import (
    LANGUAGE_COOKIE,
    base_url,
    form,
    go_to,
    json_answer,
    match_id_of,
    page,
    reader_language,
    reader_words,
    service,
    wants_json,
    whole_number,
)
from pbem.words import templating, texts
from pbem.words.i18n import Translator, translator

door = Blueprint("match", __name__)
T = TypeVar("T")

#: Lines of the log that are shown without being asked for, and plies that are read for them.
LINES, PLIES = 40, 200
#: The largest file that is accepted for an option, in bytes.
MOST_DATA = 50_000
#: The form's fields besides those of seats and options.
HEAD = ("game", "players", "name", "i_play", "pace", "host_name", "host_email")
FIELDS = (
    *HEAD,
    *kept_sets.CLOCK,
    *("language", "zone", "confirmed", "beacon", "listed"),
    *("sure", "look", "talk", "set", "keep", form_keys.FIELD),
)


# --- opening a match ---


@door.get("/new")
def new() -> Response:
    """The form: first the game and how many play, then everything else."""
    given = {name: value[:300] for name, value in request.args.items() if name != form_keys.FIELD}
    kept = kept_sets.of_name(given.get("set", ""))
    return _form({**own_groups.filled(given), **kept, **given})


@door.post("/new/forget")
def forget() -> Response:
    """Forgets a set of options that is kept on this device."""
    answer = go_to(url_for("match.new"))
    kept_sets.write(answer, kept_sets.without(form("set").get("set", "")))
    return answer


def _keep(given: Mapping[str, str]) -> Response:
    """Keeps the options of the form on this device, under a name; the form stays as it is."""
    game = find(given.get("game", ""))
    fields = options.fields(game, reader_words())
    usual = {field.field: field.default for field in fields} | {"pace": "usual"}
    sets = kept_sets.with_this(given.get("set", ""), given, usual)
    answer = _form(given, sets=sets)
    kept_sets.write(answer, sets)
    return answer


def _form(
    given: Mapping[str, str],
    *,
    error: Refused | EngineError | None = None,
    sets: Sequence[kept_sets.KeptSet] | None = None,
) -> Response:
    """The form with what was typed so far."""
    game = games().get(given.get("game", ""))
    words = translator(reader_language(), game.meta.name if game else None)
    if game is None:
        return page(
            "new_game.html",
            words,
            error=error,
            games=_with_covers(),
            sets=kept_sets.kept(),
        )
    policy = matches.default_policy(service())
    language = reader_language()
    players = _players(game, given)
    defaults = {
        **clock_fields(policy),
        "language": language,
        "zone": service().settings.zone,
        # a new form; one that was sent has what its sender left ticked
        **({} if "host_name" in given else {"pace": "usual", "i_play": "yes"}),
        form_keys.FIELD: form_keys.new(),
    }
    return page(
        "new_match.html",
        words,
        error=error,
        game=game.meta,
        players=players,
        games=_with_covers(),
        groups=options.groups(game, words),
        usual_clock=present.policy_sentence(policy, words),
        given={**defaults, **given},
        zones=zones(),
        guess_zone=not given.get("zone"),
        wrong=options.wrong_field(error, given),
        doubtful=isinstance(error, Doubtful),
        sets=kept_sets.kept() if sets is None else sets,
        own_groups=own_groups.names(),
        may_confirm=service().settings.allow_confirmed_seats,
        may_insist=service().settings.beacon.enabled is not False,
    )


def _with_covers() -> list[tuple[Meta, dict[str, str] | None]]:
    """The games, and the addresses of their pictures."""
    language = reader_language()
    return [(game.meta, art.urls("cover", name, language)) for name, game in games().items()]


def _players(game: AnyGame, given: Mapping[str, str]) -> int:
    asked = given.get("players", "")
    numbers = {str(number): number for number in game.meta.seats}
    return numbers.get(asked, 4 if 4 in game.meta.seats else game.meta.seats[0])


def zones() -> list[str]:
    """The time zones to choose from: places, old names too, because browsers give them."""
    return ["UTC", *sorted(zone for zone in texts.zones() if zone.startswith(_REGIONS))]


_REGIONS = (
    *("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/"),
    *("Australia/", "Europe/", "Indian/", "Pacific/"),
)


@door.post("/new")
def create() -> Response:
    here = service()
    given: Mapping[str, str] = {}
    try:
        given = form(*FIELDS, prefixes=("seat-", options.PREFIX))
        given = {**given, **_chosen_files()}
        if given.get("keep") == "yes":
            return _keep(given)
        wanted = _wanted(given)
        if given.get("look") == "back":
            return _form(given)
        _refuse_doubtful(wanted, given)
        if given.get("look") == "yes":
            guards.allow_letters()
            return _letters(wanted, given)
        match_id = form_keys.id_of(given, without=("look", "sure"))
        match = open_tables.opened(here, match_id)
        if match is None:
            guards.allow_opening()
            proved = devices.proves(wanted.host.email)
            match = open_tables.create(here, wanted, proved=proved, match_id=match_id)
    except (Refused, EngineError) as error:
        return _form(given, error=error)
    opens = any(seat.open for seat in wanted.seats) and not match.unproved_host
    return page(
        "opened.html",
        reader_words(),
        201,
        match=present.match(match),
        title=present.match_title(match, translator(reader_language(), match.game)),
        link=f"{base_url()}/open/{match.id}" if opens else "",
        plays=_plays(wanted, match.host_email),
        invites=bool(_addresses(wanted) - {match.host_email.lower()}),
        here=going_on.is_here(match.host_email),
        is_mailed=going_on.wants_mail(match.host_email),
    )


def _plays(wanted: matches.NewMatch, address: str) -> bool:
    """Whether somebody with this address has a seat."""
    return address.lower() in _addresses(wanted)


def _addresses(wanted: matches.NewMatch) -> set[str]:
    """The addresses of all who were named for a seat."""
    return {seat.email.strip().lower() for seat in wanted.seats if seat.email}


def _letters(wanted: matches.NewMatch, given: Mapping[str, str]) -> Response:
    """The mails that would go out, and the form once more, to be sent or gone back to."""
    words = translator(reader_language(), wanted.game)
    return page(
        "letters.html",
        words,
        game=find(wanted.game).meta,
        letters=foretold.letters(service(), wanted),
        given={field: text for field, text in given.items() if field not in ("look", "csrf_token")},
    )


def _chosen_files() -> dict[str, str]:
    """Files that were chosen for options, as text; each instead of its text field."""
    found: dict[str, str] = {}
    for field, file in request.files.items():
        if not field.startswith(options.PREFIX):
            raise BadInput("There is no field called {name} here.", field="form", name=shown(field))
        data = file.read(MOST_DATA + 1)
        if len(data) > MOST_DATA:
            raise BadInput("The file is larger than {most} bytes.", field=field, most=MOST_DATA)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadInput("The file is not text in UTF-8.", field=field) from None
        if text.strip():
            found[field] = text
    return found


#: How fast a match goes, in place of the fields of a clock. "usual" is the service's clock. With
#: "own" the fields of the form count, as they do where no pace is given.
PACES: Mapping[str, dict[str, Any] | None] = {
    "lively": {"kind": "turn", "turn": "1d", "reserve": "2d"},
    "usual": None,
    "by-post": {"kind": "turn", "turn": "7d", "reserve": "14d"},
}


_TALK: Mapping[str, Literal["on", "off"]] = {"on": "on", "off": "off"}


def _wanted(given: Mapping[str, str]) -> open_tables.NewTable:
    """The form as a request to open a match."""
    game = find(given.get("game", ""))
    number = whole_number(given.get("players", ""), "players", 1, max(game.meta.seats))
    options.refuse_others(game, given)
    for field in given:
        if field.startswith("seat-") and not _is_seat_field(field, number):
            raise BadInput("There is no field called {name} here.", field="form", name=shown(field))
    seats = [_seat(given, seat) for seat in range(number)]
    return open_tables.NewTable(
        game=game.meta.name,
        host=matches.Person(given.get("host_name", ""), given.get("host_email", "")),
        seats=seats,
        listed=given.get("listed") == "yes" and any(seat.open for seat in seats),
        options=options.read(game, given),
        clock=PACES[given["pace"]] if given.get("pace") in PACES else _clock(given),
        language=given.get("language") or None,
        zone=given.get("zone") or None,
        confirmed=given.get("confirmed") == "yes",
        beacon="required" if given.get("beacon") == "required" else "usual",
        name=given.get("name", ""),
        talk=_TALK.get(given.get("talk", "")),
    )


class Doubtful(BadInput):
    """Addresses look mistyped: the host is asked whether they are right."""


def _refuse_doubtful(wanted: matches.NewMatch, given: Mapping[str, str]) -> None:
    """Doubtful if addresses look mistyped, unless the host has said that they are right."""
    if given.get("sure") == "yes":
        return
    # what is missing is refused by the act, which says whose it is
    typed = [one for one in (wanted.host.email, *(seat.email for seat in wanted.seats)) if one]
    doubtful = dict.fromkeys(one for one in typed if texts.is_doubtful(texts.address(one)))
    if doubtful:
        first, *_ = doubtful
        raise Doubtful(
            "Is this right? {addresses}. Correct it below, or tick the box at the end; nothing was"
            " opened yet.",
            address=first,
            addresses=", ".join(doubtful),
        )


def _clock(given: Mapping[str, str]) -> dict[str, Any] | None:
    """The form's clock; None if it is the service's default, which then applies with its grace."""
    shown = clock_fields(matches.default_policy(service()))
    asked = {name: given[name].strip() for name in kept_sets.CLOCK if given.get(name, "").strip()}
    if all(shown.get(name, "") == text for name, text in asked.items()):
        return None
    # the form shows the parts of all kinds, and those of another kind as they stand there
    parts = deadlines.parts_of(asked.get("kind", shown["kind"]))
    clock: dict[str, Any] = {name: text for name, text in asked.items() if name in parts}
    if "weekends" in clock:
        clock["weekends"] = clock["weekends"] == "yes"
    if "vacation_days" in clock:
        most = deadlines.MOST_VACATION_DAYS
        clock["vacation_days"] = whole_number(clock["vacation_days"], "vacation_days", 0, most)
    return clock


def clock_fields(policy: deadlines.ClockPolicy) -> dict[str, str]:
    """A clock as the fields of the form."""
    return {
        "kind": policy.kind,
        "turn": span_text(policy.turn),
        "reserve": span_text(policy.reserve),
        "daily_at": f"{policy.daily_at // 60:02}:{policy.daily_at % 60:02}",
        "weekends": "yes" if policy.weekends else "no",
        "quiet": "",
        "vacation_days": str(policy.vacation_days),
    }


def _is_seat_field(field: str, number: int) -> bool:
    _, seat, name = [*field.split("-", 2), "", ""][:3]
    return name in ("kind", "name", "email") and seat in {str(seat) for seat in range(number)}


def _seat(given: Mapping[str, str], number: int) -> matches.NewSeat:
    if number == 0 and given.get("i_play") == "yes":
        host = matches.Person(given.get("host_name", ""), given.get("host_email", ""))
        # who is signed in has proved that the address is theirs, and says here that they play
        agreed = going_on.is_here(host.email.strip())
        return matches.Returning(name=host.name, email=host.email, agreed=agreed)
    kind = given.get(f"seat-{number}-kind", "player")
    name = given.get(f"seat-{number}-name", "").strip() or None
    email = given.get(f"seat-{number}-email", "").strip() or None
    if kind == "player":
        return matches.NewSeat(name=name, email=email)
    if kind == "open":
        return matches.NewSeat(open=True)
    return matches.NewSeat(name=name, bot=kind)


# --- the public table ---


@door.get("/m/<match_id>")
def table(match_id: str) -> Response:
    """What everybody may see of a match: now, or after one of its plies."""
    match_id, here = match_id_of(match_id), service()
    whole = request.args.get("log") == "all"
    newest = None if whole or "ply" in request.args else PLIES
    with here.database.read() as session:
        found = load(session, match_id)
        since = match_look.before_newest(found.match, newest)
        look = match_look.look(session, found, None, here.now(), since)
        said = talk.messages_for(session, look.match, None)
        series = series_of(session, match_id)
    if wants_json():
        beside = {"talk": talking.as_json(said), "series": programs.series_of(series)}
        return json_answer(programs.match(look) | beside)
    words = translator(language_of(look.match), look.match.game)
    shown = present.table(look, words, zone=look.match.zone, base_url=base_url(), talk=said)
    replayed = _step(match_id, words) if "ply" in request.args else None
    told = shown.lines if replayed is None else _until(shown.lines, replayed.ply)
    lines = told if whole else told[-LINES:]
    return page(
        "table.html",
        words,
        table=shown,
        series=series,
        to_move=present.to_move(shown, words),
        lines=present.newest_first(lines),
        are_older=since >= 0 or len(lines) < len(told),
        step=replayed,
        last=look.ply,
        query=_query(replayed),
        beacon=dice_sentence(look.match, words),
        free=bool(open_seats.free(look.match, look.seats)),
        # the table that is not there yet
        cover=art.urls("cover", look.match.game, words.language) if look.view is None else None,
        **(_ending(look, shown, words) if shown.outcome and replayed is None else {}),
    )


def _ending(
    look: match_look.TableLook, shown: present.TableShown, words: Translator
) -> dict[str, Any]:
    """How a match came to its end, for its page."""
    match, ended = look.match, shown.outcome
    assert ended is not None
    told = [line for line in shown.lines if not line.is_act and line.seat is not None]
    return {
        "ending": _when_it_ended(told[-1].at.day, look.ply, words) if told else "",
        "rematch": match_look.rematch_of(service(), match.id),
        "taught": demo.teaches(match),
        "again": _own_seat(look),
        "animation": _animation(look),
        "chart": present.chart(course(service(), match.id), shown.names, words, ended.winners),
    }


def _when_it_ended(day: str, moves: int, words: Translator) -> str:
    return words.plural(
        "{day}, after {number} move.", "{day}, after {number} moves.", moves, day=day
    )


def _animation(look: match_look.TableLook) -> str:
    """How far the animated picture of a match is; "" if there can be none."""
    return animations.state(service(), look.match.id) if animations.can_be_made(look.match) else ""


def _own_seat(look: match_look.TableLook) -> str:
    """The path of the seat of who is signed in on this device; "" if they have none here."""
    own = next((seat for seat in look.seats if going_on.is_here(seat.email)), None)
    return going_on.to_seat(look.match, own) if own is not None else ""


@door.get("/m/<match_id>/step")
def step(match_id: str) -> Response:
    """The part of a replay that changes with the ply, for the script of that page."""
    match_id = match_id_of(match_id)
    terms = match_look.terms(service(), match_id)
    words = translator(language_of(terms.match), terms.match.game)
    found = _step(match_id, words)
    return page("replay.html", words, step=found)


@door.get("/m/<match_id>/picture")
def picture(match_id: str) -> Response:
    """The board after a ply as a picture, of what everybody may see: for messengers.

    Without a ply, the newest. A reader who has it already gets no new one.
    """
    match_id = match_id_of(match_id)
    here = service()
    guards.allow_picture()
    terms = match_look.terms(here, match_id)
    asked = request.args.get("ply", str(terms.match.counted))
    past = match_look.past(here, match_id, _ply(asked))
    drawing = present.picture(past, translator(terms.match.language, terms.match.game))
    if drawing is None:
        raise NotFound()
    tag = hashlib.sha256(drawing.encode()).hexdigest()[:32]
    if tag in request.if_none_match:
        answer = Response(status=304)
    else:
        shown = drawn(str(drawing), pictures.draw)
        answer = Response(shown.content, mimetype=f"image/{shown.subtype}")
    answer.set_etag(tag)
    # a ply that was taken back is followed by another with its number
    answer.cache_control.public = True
    answer.cache_control.max_age = PICTURE_SECONDS
    return answer


#: How long a browser or a messenger may keep a picture without asking.
PICTURE_SECONDS = 300
#: How long a picture waits for the one before it: a process draws one at a time.
DRAWING_SECONDS = 3
_drawing = threading.BoundedSemaphore(1)


def drawn(svg: str, draw: Callable[[str], T]) -> T:
    """A drawing in pixels. TooMany if others are waiting for theirs already."""
    if not _drawing.acquire(timeout=DRAWING_SECONDS):
        raise TooMany("Too many pictures are being drawn. Please try again later.")
    try:
        return draw(svg)
    finally:
        _drawing.release()


def _step(match_id: str, words: Translator) -> present.StepShown:
    """The step that is asked for: its ply, and through whose eyes. NotFound for none."""
    eyes = request.args.get("eyes")
    past = match_look.past(service(), match_id, _ply(request.args.get("ply", "")))
    # whoever looks through the eyes of a seat reads no word that was said to it alone
    said = talking.messages_for(past.match, None)
    return present.step(past, words, eyes=None if eyes is None else _ply(eyes), talk=said)


def _ply(text: str) -> int:
    """A number in an address, such as that of a ply; NotFound for anything else."""
    try:
        return whole_number(text, "ply", 0, 1_000_000)
    except BadInput:
        raise NotFound() from None


def _query(step: present.StepShown | None) -> str:
    """What the addresses of other plies end with, to see them through the same eyes."""
    return "" if step is None or step.eyes is None else f"&eyes={step.eyes}"


def dice_sentence(match: Match, words: Translator) -> str:
    """Whether the public beacon is in the dice of a match, for its pages."""
    return present.dice_sentence(match, words, used=service().settings.uses_beacon)


def language_of(match: Match) -> str:
    """The language of a table: the reader's if they chose one, else the match's."""
    return reader_language() if request.cookies.get(LANGUAGE_COOKIE) else match.language


def _until(lines: tuple[present.LineShown, ...], ply: int) -> tuple[present.LineShown, ...]:
    """The history as it was when a ply had been played; what came later is left out."""
    later = (at for at, line in enumerate(lines) if not line.is_act and line.ply > ply)
    return lines[: next(later, len(lines))]


# --- the rules of a match ---


@door.get("/m/<match_id>/rules")
def rules(match_id: str) -> Response:
    """The rules that hold in this match, with an anchor for each of them."""
    return _rules(match_id, "match_rules.html")


@door.get("/m/<match_id>/rules/summary")
def rules_summary(match_id: str) -> Response:
    """The main rules of this match on one page, to be printed."""
    return _rules(match_id, "rules_summary.html")


def _rules(match_id: str, name: str) -> Response:
    terms = match_look.terms(service(), match_id_of(match_id))
    match, game = terms.match, terms.game
    words = translator(language_of(match), match.game)
    book = game.rulebook(match.seat_count, terms.options, terms.rules)
    return page(
        name,
        words,
        match=present.match(match),
        title=present.match_title(match, words),
        game=game.meta,
        about=words.sentence(game.summary(terms.options)),
        variants=[words.sentence(one) for one in game.variants(match.seat_count, terms.options)],
        book=present.rulebook(book, words),
        summary=present.rulebook(rulebook.summary(book), words),
        reference=game.reference_for(terms.options),
        tables=templating.of_game(match.game, "tables.html"),
        own_page=templating.of_game(match.game, "rules.html"),
        clock=present.clock_sentence(match, words),
    )


@door.get("/m/<match_id>/record")
def record(match_id: str) -> Response:
    """The record as a file: the same bytes as the API gives."""
    return record_answer(match_id_of(match_id))


#: The checks of a record that a player can take away.
CHECKS = {"verify_dice.html", "verify_dice.py"}


@door.get("/check/<name>")
def dice_check(name: str) -> Response:
    """A check of a record, as a file: it is not to be run on this service's pages."""
    if name not in CHECKS:
        raise NotFound()
    data = (files(record_checks) / name).read_bytes()
    response = Response(data, mimetype="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def record_answer(match_id: str) -> Response:
    body = canonical(match_look.record(service(), match_id))
    response = Response(body, mimetype="application/json")
    response.headers["Content-Disposition"] = (
        f'attachment; filename="{match_look.record_name(match_id)}"'
    )
    return response
