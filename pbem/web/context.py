"""What the doors share: the service, the reader's language, and how a page is filled in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from flask import Response, current_app, request, url_for

from engine.codec import encode
from engine.errors import EngineError, OptionsError, shown
from engine.games.registry import find
from pbem import present
from pbem.errors import BadInput, NotFound, Refused
from pbem.looks import match_look
from pbem.looks.match_look import TableLook
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Seat
from pbem.store.names import Purpose
from pbem.web import options
from pbem.words import templating
from pbem.words.i18n import Translator, best_language, translator
from pbem.words.texts import LANGUAGES

LANGUAGE_COOKIE, THEME_COOKIE = "pbem_language", "pbem_theme"
#: Sheets that a reader can choose; "" is the one that the device asks for.
THEMES = ("light", "dark", "")
STATIC = Path(__file__).parent / "static"
#: Endpoints whose answers are the same for everybody and may be cached: a new file has a new URL.
FILES = frozenset({"static", "art.picture", "game_files.file"})


def service() -> Service:
    found: Service = current_app.extensions["pbem"]
    return found


def base_url() -> str:
    return service().settings.base_url


# --- language ---


def reader_language(otherwise: str = "") -> str:
    """The language of an unknown reader: the one they chose, else their browser's.

    If neither is known here: ``otherwise``, or without one the service's.
    """
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    otherwise = otherwise or service().settings.language
    return best_language(request.accept_languages.values(), otherwise)


def reader_theme() -> str:
    """The sheet that the reader chose, of ``THEMES``."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else ""


def reader_words(game: str | None = None) -> Translator:
    return translator(reader_language(), game)


# --- pages ---


def page(
    name: str,
    words: Translator,
    /,
    status: int = 200,
    error: Refused | EngineError | None = None,
    **values: Any,
) -> Response:
    """A page of ``templates/web``. With an error it has its status, and says what is wrong.

    A program is told the error alone.
    """
    if error is not None:
        if wants_json():
            return refused_json(error, words)
        status, values["problem"] = status_of(error), sentence(error, words)
    text = templating.render(f"web/{name}", words, **{**_common(words), **values})
    return Response(text, status=status, mimetype="text/html")


def _common(words: Translator) -> dict[str, Any]:
    return {
        "static": _static,
        "game_look": game_file(words.game, "look.css") if words.game else None,
        "board_script": game_file(words.game, "board.js") if words.game else None,
        "language": words.language,
        "languages": LANGUAGES,
        # whether the reader may choose a language here, and where they come back to
        "can_switch": request.endpoint in SWITCHABLE and request.method in ("GET", "HEAD"),
        "here": request.path if request.method in ("GET", "HEAD") else "",
        "theme": reader_theme(),
        "mailbox": service().settings.mailbox,
        "problem": None,
        "words_of": lambda game: translator(words.language, game),
        "title_of": lambda game: present.game_title(game, words),
    }


#: Pages without a token; the others are in the language of their seat or match.
SWITCHABLE = frozenset(
    {
        *("first_page.show", "new_match.new", "match.table", "match.rules", "match.rules_summary"),
        *("rules.show", "rules.index", "rules.summary", "home.show"),
        *("standings.index", "standings.board", "standings.player"),
        *("open_tables.show", "open_tables.table"),
        *("series.index", "series.show", "series.new"),
    }
)


@cache
def _static(name: str) -> str:
    return url_for("static", filename=name, v=_letters((STATIC / name).read_bytes()))


@cache
def game_file(game: str, name: str) -> str | None:
    """The URL of a game's script or stylesheet; None if it has none."""
    file = templating.of_game(game, name)
    if file is None:
        return None
    letters = _letters((templating.source(file) or "").encode())
    return url_for("game_files.file", game=game, name=name, v=letters)


def _letters(data: bytes) -> str:
    """A cache-busting hash of the file, so that browsers may keep it for a year."""
    return hashlib.sha256(data).hexdigest()[:10]


#: Fields as forms call them; programs are told their names.
_LABELS = {
    "rounds": "Rounds",
    "seats": "Players at a table",
    "most": "Most players",
    "enter_days": "Days for entries",
    "round_days": "Days for a round",
    "turn": "Time for a turn",
    "reserve": "Reserve for the whole match",
    "daily_at": "Hour of a daily deadline",
    "quiet": "Hours without deadlines",
    "vacation_days": "Vacation days of each player",
    "ply": "Move",
    "seat": "Seat",
    "device": "Devices",
    "by": "How long",
}


def sentence(error: Refused | EngineError, words: Translator) -> str:
    """What an error says, in the reader's language."""
    said = error.sentence
    parameters = dict(said.parameters)
    name = str(parameters.get("name", ""))
    if isinstance(error, BadInput) and error.field in (name, "clock"):
        parameters["name"] = words.text(name) if wants_json() else _called(name, words)
    if isinstance(error, OptionsError) and "option" in parameters and not wants_json():
        parameters["option"] = _called(str(parameters["option"]), words)
    return words.text(said.text, **parameters)


def status_of(error: Refused | EngineError) -> int:
    """The HTTP status of an error; the engine's, which know none, are of what somebody typed."""
    return error.status if isinstance(error, Refused) else 422


def _called(field: str, words: Translator) -> str:
    """A field as the form calls it."""
    if words.game and field in find(words.game).options_type.__struct_fields__:
        label = options.label_of(find(words.game), words, field)
    elif field in _LABELS:
        label = words.text(_LABELS[field])
    else:
        return words.text(field)
    return words.text("“{name}”", name=label)


def go_to(path: str, status: int = 303) -> Response:
    """Leads on to another page of ours."""
    return Response(status=status, headers={"Location": path})


# --- JSON ---


def wants_json() -> bool:
    """Whether a program asks: by its path, by what it sends, or by what it accepts."""
    if request.endpoint == "turn.submit":
        return True
    if request.path.startswith(("/api/", "/dev/mail", "/hooks/")) and not _prefers_html():
        return True
    return request.mimetype == "application/json" or not _prefers_html(default=True)


def _prefers_html(default: bool = False) -> bool:
    best = request.accept_mimetypes.best_match(
        ["text/html", "application/json"] if default else ["application/json", "text/html"]
    )
    return best == "text/html" if best else default


def json_answer(value: Any, status: int = 200) -> Response:
    return Response(encode(value), status=status, mimetype="application/json")


def json_error(code: str, message: str, status: int, rule: str | None = None) -> Response:
    return json_answer({"error": {"code": code, "rule": rule, "message": message}}, status)


def refused_json(error: Refused | EngineError, words: Translator) -> Response:
    """The sentence for a program, with the rule if one refuses."""
    rule = error.rule if isinstance(error, EngineError) else None
    return json_error(error.code, sentence(error, words), status_of(error), rule)


# --- links ---


def link_of(token: str, purpose: Purpose) -> Link:
    """The valid row that a token names; NotFound for everything else."""
    here = service()
    with here.database.ask() as session:
        return links.find(session, here.keys, token, purpose, here.now())


def table_of(link: Link, newest: int | None = 0) -> tuple[TableLook, Seat, Translator]:
    """The table that a seat's link is about, the seat, and the words of its player's language.

    Of its history, so many of the newest plies; all for None. Until they have joined, it has the
    language that the host chose, and they are met in their own.
    """
    look = match_look.table(service(), link.match_id, newest=newest)
    seat = look.seats[link.seat]
    hosts_choice = seat.joined_at is None and seat.language == look.match.language
    language = reader_language(seat.language) if hosts_choice else seat.language
    return look, seat, translator(language, look.match.game)


def match_id_of(text: str) -> str:
    """A text that can be a match's id; NotFound otherwise, before any database is asked."""
    if not (1 <= len(text) <= 16 and text.isascii() and text.isalnum()):
        raise NotFound()
    return text


# --- forms ---


class NotAForm(Refused):
    """A body that has no field of a form: JSON, plain text, a form that is broken off."""

    code = "content_type"
    status = 415

    def __init__(self) -> None:
        super().__init__("Send this as a form (application/x-www-form-urlencoded).")


def form(*known: str, prefixes: Iterable[str] = ()) -> Mapping[str, str]:
    """The posted fields, none of an empty body; files only by a prefix.

    BadInput if one of them is not known; NotAForm if none of them could be read.
    """
    if not (request.form or request.files) and (request.content_length or request.get_data()):
        raise NotAForm()
    starts, texts = tuple(prefixes), {*known, "csrf_token"}
    for name in (*request.form, *request.files):
        if not name.startswith(starts) and (name not in texts or name in request.files):
            raise BadInput("There is no field called {name} here.", field="form", name=shown(name))
    return {name: request.form[name] for name in request.form}


class NotSure(BadInput):
    """The box that says one is sure is not ticked."""

    def __init__(self) -> None:
        super().__init__("Tick the box if you are sure.", field="sure")


def must_be_sure(given: Mapping[str, str]) -> None:
    """NotSure if the box is not ticked: mail scanners that press buttons tick none."""
    if given.get("sure") != "yes":
        raise NotSure()


def whole_number(text: str, name: str, low: int, high: int) -> int:
    """A number in this range, or BadInput."""
    found = re.fullmatch(r"(-?)([0-9]+)", text.strip())
    if found is None:
        raise BadInput("{name} must be a whole number.", field=name, name=name)
    if found[1] or len(found[2]) > 12 or not low <= int(found[2]) <= high:
        raise BadInput(
            "{name} must be between {low} and {high}.", field=name, name=name, low=low, high=high
        )
    return int(found[2])
