"""The operator's console: what stalls and why, the remedies of hosts, mail that is stuck.

Everything here needs a session (``pbem.web.sessions``), and every POST a CSRF token.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec
from flask import Blueprint, Response, request, url_for
from flask_wtf.csrf import generate_csrf

from pbem import journal, present
from pbem.acts import whole_table
from pbem.acts.previewed import MovedOn
from pbem.acts.remedy import RemedyRequest
from pbem.errors import NotFound, Refused, TooMany
from pbem.journal import Line
from pbem.looks import match_list, match_look, oversight
from pbem.present import deliveries
from pbem.store import links
from pbem.store.models import Audit, Mail
from pbem.store.names import Actor, AuditAct, MatchStatus
from pbem.web import bulk_remedies, guards, known_browser, remedy_forms, sessions
from pbem.web import talk as talking
from pbem.web.body import posted
from pbem.web.context import (
    NotSure,
    base_url,
    form,
    go_to,
    match_id_of,
    must_be_sure,
    page,
    reader_language,
    reader_words,
    service,
    wants_json,
)
from pbem.words.i18n import Translator, translator

door = Blueprint("operator", __name__, url_prefix="/operator")

#: Rows of each list.
MOST = 100

#: Limit of login attempts, from all networks together.
OF_AN_ACCOUNT = "30/hour"

#: The fields of the form for several matches; there is one ``stall`` for each ticked box.
SEVERAL = ("remedy", "by", "stall")

#: Doors that need no session: they make one.
OPEN = frozenset({"operator.login", "operator.enter"})


class NotLoggedIn(Refused):
    """There is no session, or none was begun: the page to log in says why."""

    code = "not_logged_in"
    status = 401


@door.before_request
def only_the_operator() -> Response | None:
    """Lets in only those who have a session.

    NotFound if the service has no operator. Without a session a page leads to the login, a form is
    answered by it, and a program is told NotFound.
    """
    if not sessions.exists():
        raise NotFound()
    changes = request.method not in guards.SAFE
    if request.endpoint in OPEN or sessions.present() is not None:
        if changes:
            guards.csrf.protect()
        return None
    if wants_json():
        raise NotFound()
    if changes:
        return _login(NotLoggedIn("Nothing was done, because you are not logged in."))
    return go_to(url_for("operator.login"))


@door.get("/login")
def login() -> Response:
    return _login()


def _login(error: NotLoggedIn | None = None) -> Response:
    return page("login.html", reader_words(), error=error, csrf=generate_csrf())


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who logs in. Only its types have been checked."""

    name: str = ""
    password: str = ""


@door.post("/login")
def enter() -> Response:
    given = posted(Login)
    _allow_login(given.name[:100])
    if not sessions.is_right(given.name[:100], given.password):
        journal.write(Line.LOGIN_REFUSED, network=request.remote_addr)
        return _login(NotLoggedIn("The name or the password is wrong."))
    response = go_to(url_for("operator.console"))
    sessions.begin(response)
    known_browser.remember(response)
    return response


def _allow_login(account: str) -> None:
    """Counts a login attempt; TooMany beyond the limits (see ``known_browser``)."""
    if (browser := known_browser.name()) is not None:
        well = guards.hit("logins of a browser", OF_AN_ACCOUNT, browser)
    else:
        limit = service().settings.limits.logins_per_quarter_hour
        guards.allow("logins", f"{limit}/15 minutes")
        # every name is counted: otherwise the limit would tell which one is right
        key = hashlib.sha256(account.encode()).hexdigest()
        well = guards.hit("logins of an account", OF_AN_ACCOUNT, key)
    if not well:
        guards.tell_of_limit("logins")
        raise TooMany(
            "There were too many tries to log in. Use a browser in which you have logged in before,"
            " or try again in an hour."
        )


@door.post("/logout")
def logout() -> Response:
    form()
    response = go_to(url_for("operator.login"))
    sessions.end(response)
    return response


@door.get("")
def console() -> Response:
    return _console({})


def _console(given: Mapping[str, str], error: Refused | None = None) -> Response:
    """The first page of the console; ``given`` is the form for several matches as it was sent."""
    words, here = reader_words(), service()
    zone = here.settings.zone
    with here.database.read() as session:
        owed, troubled = oversight.owed_mails(session), oversight.troubled_mails(session, MOST)
        acts = oversight.last_acts(session, 20)
    return page(
        "operator.html",
        words,
        error=error,
        csrf=generate_csrf(),
        given={},
        several=given,
        stalls=remedy_forms.stalls(zone, words, Actor.OPERATOR),
        # remedies that ask for more have their fields on the match's own page
        bots=(),
        back_to=0,
        for_several=remedy_forms.for_several(words),
        **_list(match_list.read(here), zone, words),
        mails=[_mail_row(mail, words) for mail in troubled],
        counts=sorted((deliveries.in_outbox(status, words), owed[status]) for status in owed),
        acts=[_act_row(act, zone, words) for act in acts],
    )


def _act_row(act: Audit, zone: str, words: Translator) -> tuple[present.Moment, str, str]:
    """When, what as the history of its match says it, and the match; "" for the service."""
    seat = words.text("Seat {number}", number=act.seat + 1) if act.seat is not None else ""
    told = present.act_sentence(act, seat, zone, words)
    if not told and act.act == AuditAct.PLAYED_DEFAULT and seat:
        # the history of its match tells of the move itself
        told = words.text("The operator played the default move of {name}.", name=seat)
    return present.Moment(act.at, zone, words), told or act.act, act.match_id


@door.get("/matches")
def matches() -> Response:
    """All matches: a page at a time, by status, or those that are searched for."""
    words, here = reader_words(), service()
    asked = request.args.get("q", "").strip()[:254]
    status, after = request.args.get("status", ""), request.args.get("after", "")
    if status not in list(MatchStatus):
        status = ""
    found = match_list.read(here, asked, status, after)
    shown = _list(found, here.settings.zone, words, asked, status)
    return page("matches.html", words, **shown)


def _list(
    found: match_list.ListPage, zone: str, words: Translator, asked: str = "", status: str = ""
) -> dict[str, Any]:
    """What the list of matches shows."""
    query = {"q": asked, "status": status, "after": found.following}
    given = {name: value for name, value in query.items() if value}
    return {
        "matches": [_match_row(one, zone, words) for one in found.matches],
        "following": url_for("operator.matches", **given) if found.following else "",  # type: ignore[arg-type]
        "asked": asked,
        "chosen": status,
        "statuses": [(one.value, present.status_name(one, words)) for one in MatchStatus],
    }


def _match_row(one: match_list.MatchRow, zone: str, words: Translator) -> dict[str, object]:
    match = one.match
    waits, since = present.waits(match, one.sitters, words)
    return {
        "id": match.id,
        "title": present.match_title(match, words),
        "status": present.status(match, words),
        "ply": match.ply,
        "host": match.host_name,
        "players": ", ".join(present.others(one.sitters, None, words)),
        "opened": present.Moment(match.created_at, zone, words),
        "waits": waits,
        "since": present.Moment(since, zone, words) if since is not None else None,
        "error": match.set_aside_error or "",
    }


def _mail_row(mail: Mail, words: Translator) -> dict[str, object]:
    """A mail that has trouble. No address: the match's page has what is needed."""
    return {
        "kind": deliveries.mail_kind(mail.kind, words),
        "match": mail.match_id or "",
        "status": deliveries.state(mail, words),
        "attempts": mail.attempts,
        "error": (mail.delivery_note or mail.last_error or "")[:200],
    }


@door.get("/match/<match_id>")
def match(match_id: str) -> Response:
    return _page(match_id_of(match_id))


def _page(
    match_id: str,
    given: Mapping[str, str] | None = None,
    *,
    done: str = "",
    error: Refused | None = None,
) -> Response:
    """The match's page; ``given`` is the form of a remedy that was refused."""
    found = match_look.table_or_trouble(service(), match_id, newest=remedy_forms.HISTORY)
    look = match_look.by_the_log(found)
    words = translator(reader_language(), look.match.game)
    zone = service().settings.zone
    said = talking.messages_for(look.match, links.HOST)
    shown = present.table(look, words, zone=zone, base_url=base_url(), talk=said)
    return page(
        "host.html",
        words,
        error=error,
        table=shown,
        panel=None,
        order=talking.order_of(look.match, words),
        talk_action=url_for("operator.keep_order", match_id=match_id),
        **remedy_forms.of_match(look, shown, zone, words, Actor.OPERATOR),
        token=None,
        invitation="",
        whole=url_for("operator.whole", match_id=match_id) if look.phase is not None else None,
        action=url_for("operator.preview", match_id=match_id),
        done=done,
        given=given or {},
        csrf=generate_csrf(),
    )


@door.post("/match/<match_id>/preview")
def preview(match_id: str) -> Response:
    """Says what a remedy would do. Nothing is changed."""
    match_id = match_id_of(match_id)
    given = form(*remedy_forms.FIELDS)
    look = match_look.table_or_trouble(service(), match_id)
    words = translator(reader_language(), look.match.game)
    try:
        asked = remedy_forms.read(given, len(look.seats), Actor.OPERATOR)
        return _preview(match_id, asked, words)
    except Refused as error:
        return _page(match_id, given, error=error)


def _preview(
    match_id: str, asked: RemedyRequest, words: Translator, error: Refused | None = None
) -> Response:
    zone = service().settings.zone
    shown = remedy_forms.preview(match_id, asked, Actor.OPERATOR, zone, words)
    return page(
        "remedy.html",
        words,
        error=error,
        **shown,
        action=url_for("operator.apply", match_id=match_id),
        back=url_for("operator.match", match_id=match_id),
        csrf=generate_csrf(),
    )


@door.post("/match/<match_id>/apply")
def apply(match_id: str) -> Response:
    """Carries a remedy out, as the operator and as it was previewed."""
    match_id = match_id_of(match_id)
    given = form(*remedy_forms.DOING)
    look = match_look.table_or_trouble(service(), match_id)
    words = translator(reader_language(), look.match.game)
    try:
        asked = remedy_forms.read(given, len(look.seats), Actor.OPERATOR)
        try:
            zone = service().settings.zone
            done = remedy_forms.carry_out(match_id, asked, Actor.OPERATOR, zone, words, given)
        except (MovedOn, NotSure) as error:
            return _preview(match_id, asked, words, error)
    except Refused as error:
        return _page(match_id, given, error=error)
    return _page(match_id, done=done)


@door.post("/match/<match_id>/talk")
def keep_order(match_id: str) -> Response:
    """Hides a message, or sets what the match allows, as the operator."""
    match_id = match_id_of(match_id)
    given = form(*talking.RULES)
    try:
        talking.keep_order(match_id, given, Actor.OPERATOR)
    except Refused as error:
        return _page(match_id, error=error)
    return _page(match_id)


# --- several at once ---


@door.post("/several/preview")
def preview_several() -> Response:
    """Says what a remedy would do in each match that was ticked. Nothing is changed."""
    given = form(*SEVERAL)
    words = reader_words()
    try:
        wanted = bulk_remedies.read(given, request.form.getlist("stall"))
    except Refused as error:
        return _console(given, error)
    return _several_page(bulk_remedies.preview(wanted, words), given, words, done=False)


@door.post("/several/apply")
def apply_several() -> Response:
    """Carries a remedy out in each match that was ticked and allows it."""
    given = form(*SEVERAL, "sure")
    words = reader_words()
    try:
        wanted = bulk_remedies.read(given, request.form.getlist("stall"))
        must_be_sure(given)
        matches = bulk_remedies.apply(wanted, words)
    except NotSure as error:
        matches = bulk_remedies.preview(wanted, words)
        return _several_page(matches, given, words, done=False, error=error)
    except Refused as error:
        return _console(given, error)
    return _several_page(matches, given, words, done=True)


def _several_page(
    matches: list[bulk_remedies.OneOfSeveral],
    given: Mapping[str, str],
    words: Translator,
    *,
    done: bool,
    error: Refused | None = None,
) -> Response:
    return page(
        "several.html",
        words,
        error=error,
        matches=matches,
        label=remedy_forms.label(given["remedy"], words),
        remedy=given["remedy"],
        by=given.get("by", ""),
        done=done,
        csrf=generate_csrf(),
    )


# --- the whole table ---


@door.get("/match/<match_id>/whole")
def whole(match_id: str) -> Response:
    """Asks why, and shows nothing."""
    return _whole_page(match_id_of(match_id))


@door.post("/match/<match_id>/whole")
def look_at_whole(match_id: str) -> Response:
    """Writes down that the operator looked and why, then shows every hand."""
    match_id = match_id_of(match_id)
    given = form("reason", "sure")
    try:
        must_be_sure(given)
        seen = whole_table.look(service(), match_id, given.get("reason", ""))
    except Refused as error:
        return _whole_page(match_id, error=error)
    return _whole_page(match_id, seen)


def _whole_page(
    match_id: str, seen: whole_table.WholeTable | None = None, error: Refused | None = None
) -> Response:
    look = match_look.table(service(), match_id)
    words = translator(reader_language(), look.match.game)
    names = present.seat_names(look.seats)
    views = enumerate(seen.views if seen else ())
    return page(
        "whole.html",
        words,
        error=error,
        title=present.match_title(look.match, words),
        match=present.match(look.match),
        seats=[
            (names[seat], present.board_text(look.match.game, view, names, words, you=seat))
            for seat, view in views
        ],
        state=json.dumps(seen.state, indent=1, ensure_ascii=False) if seen else "",
        csrf=generate_csrf(),
    )
