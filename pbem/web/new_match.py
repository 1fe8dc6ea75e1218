"""Opening a match: the form, what it keeps on this device, and what it asks before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from flask import Blueprint, Response, request, url_for

from engine.errors import EngineError, shown
from engine.game import Meta
from engine.games.registry import AnyGame, find, games
from pbem import present
from pbem.acts import matches
from pbem.clocks import deadlines
from pbem.clocks.durations import span_text
from pbem.errors import BadInput, Refused
from pbem.mail import foretold
from pbem.people import open_tables
from pbem.web import art, devices, form_keys, going_on, guards, kept_sets, options, own_groups
from pbem.web.context import (
    base_url,
    form,
    go_to,
    page,
    reader_language,
    reader_words,
    service,
    whole_number,
)
from pbem.words import texts
from pbem.words.i18n import translator

door = Blueprint("new_match", __name__)

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


@door.get("/new")
def new() -> Response:
    """The form: first the game and how many play, then everything else."""
    given = {name: value[:300] for name, value in request.args.items() if name != form_keys.FIELD}
    kept = kept_sets.of_name(given.get("set", ""))
    return _form({**own_groups.filled(given), **kept, **given})


@door.post("/new/forget")
def forget() -> Response:
    """Forgets a set of options that is kept on this device."""
    answer = go_to(url_for("new_match.new"))
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
        **_clock_fields(policy),
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
        zones=texts.places(),
        guess_zone=not given.get("zone"),
        wrong=options.wrong_field(error, given),
        doubtful=isinstance(error, Doubtful),
        sets=kept_sets.kept() if sets is None else sets,
        own_groups=own_groups.names(),
        may_confirm=service().settings.allow_confirmed_seats,
        may_insist=service().settings.uses_beacon,
    )


def _with_covers() -> list[tuple[Meta, dict[str, str] | None]]:
    """The games, and the addresses of their pictures."""
    language = reader_language()
    return [(game.meta, art.urls("cover", name, language)) for name, game in games().items()]


def _players(game: AnyGame, given: Mapping[str, str]) -> int:
    asked = given.get("players", "")
    numbers = {str(number): number for number in game.meta.seats}
    return numbers.get(asked, present.usual_number(game.meta.seats))


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
            guards.allow_foretold()
            return _mails(wanted, given)
        match_id = form_keys.id_of(given, without=("look", "sure"))
        match = open_tables.opened(here, match_id)
        if match is None:
            guards.allow_opening()
            proved = devices.proves(wanted.host.email)
            match = open_tables.create(here, wanted, proved=proved, match_id=match_id)
    except (Refused, EngineError) as error:
        return _form(given, error=error)
    opens = any(seat.open for seat in wanted.seats) and not match.unproved_host
    host, named = match.host_email.lower(), _addresses(wanted)
    return page(
        "opened.html",
        reader_words(),
        201,
        match=present.match(match),
        title=present.match_title(match, translator(reader_language(), match.game)),
        link=f"{base_url()}/open/{match.id}" if opens else "",
        plays=host in named,
        invites=bool(named - {host}),
        here=going_on.is_here(match.host_email),
        is_mailed=going_on.wants_mail(match.host_email),
    )


def _addresses(wanted: matches.NewMatch) -> set[str]:
    """The addresses of all who were named for a seat."""
    return {seat.email.strip().lower() for seat in wanted.seats if seat.email}


def _mails(wanted: matches.NewMatch, given: Mapping[str, str]) -> Response:
    """The mails that would go out, and the form once more, to be sent or gone back to."""
    words = translator(reader_language(), wanted.game)
    return page(
        "mails.html",
        words,
        game=find(wanted.game).meta,
        mails=foretold.mails(service(), wanted),
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
    shown = _clock_fields(matches.default_policy(service()))
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


def _clock_fields(policy: deadlines.ClockPolicy) -> dict[str, str]:
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
