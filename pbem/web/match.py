"""The public table of a match: what happened, its replay step by step, its rules and its record."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from importlib.resources import files
from typing import Any, TypeVar

from flask import Blueprint, Response, request

from engine import rulebook
from pbem import present
from pbem import record as record_checks
from pbem.acts import demo, open_seats
from pbem.errors import BadInput, NotFound, TooMany
from pbem.looks import match_look
from pbem.looks.course import course
from pbem.mail import animations, pictures
from pbem.people import talk
from pbem.people.series.rows import series_of
from pbem.store.canonical import canonical
from pbem.store.models import Match
from pbem.store.table import load
from pbem.web import (
    art,
    going_on,
    guards,
    programs,
)
from pbem.web import talk as talking
from pbem.web.context import (
    LANGUAGE_COOKIE,
    base_url,
    json_answer,
    match_id_of,
    page,
    reader_language,
    service,
    wants_json,
    whole_number,
)
from pbem.words import templating
from pbem.words.i18n import Translator, translator

door = Blueprint("match", __name__)
T = TypeVar("T")

#: Lines of the log that are shown without being asked for, and plies that are read for them.
LINES, PLIES = 40, 200

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
        stands_still=present.stands_still(look.match, words, look.match.zone),
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
