"""The turn link: look, choose, see what it would do, confirm. Also for programs, in JSON.

A turn moves only by POST, in two steps: whoever opens every link and presses every button once (a
mail scanner does) has chosen nothing, and moves nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import msgspec
from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.exceptions import UnsupportedMediaType

from engine.codec import convert, plain
from engine.errors import OrderError
from pbem import present
from pbem.acts import resend, turns
from pbem.errors import BadInput, NotFound, Refused, Stale, TurnClosed
from pbem.looks import match_look
from pbem.looks.match_look import TurnLook
from pbem.store import links
from pbem.store.match_log import said
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.store.table import load
from pbem.web import orders
from pbem.web.body import read_json
from pbem.web.context import (
    base_url,
    form,
    game_file,
    json_answer,
    json_error,
    link_of,
    must_be_sure,
    page,
    sentence,
    service,
    wants_json,
    whole_number,
)
from pbem.words import templating
from pbem.words.i18n import Translator, translator

door = Blueprint("turn", __name__)


@door.get("/t/<token>")
def show(token: str) -> Response:
    link = link_of(token, Purpose.TURN)
    look = match_look.turn(service(), link)
    if wants_json():
        return json_answer(as_json(look))
    return _page(link, look, token, begin=request.args.get("begin", "")[:200])


def words_of(look: TurnLook) -> Translator:
    """The language of the turn's player."""
    seat = look.table.seats[look.turn.seat]
    return translator(seat.language, look.table.match.game)


def _page(
    link: Link,
    look: TurnLook,
    token: str,
    *,
    status: int = 200,
    begin: str = "",
    **values: Any,
) -> Response:
    words = words_of(look)
    shown = present.turn(look, words, base_url=base_url())
    if not look.is_open:
        return page("turn_closed.html", words, status, turn=shown, token=token, **_filled(values))
    return page(
        "turn.html",
        words,
        status,
        turn=shown,
        token=token,
        own_page=_own_page(look),
        own_template=templating.of_game(look.table.match.game, "turn.html"),
        own_script=game_file(look.table.match.game, "turn.js"),
        choices=look.table.game.choices(look.table.view),
        orders=look.orders or (),
        plain=orders.plain,
        narrowed=orders.narrowed,
        begin=begin,
        **_filled(values),
    )


def _own_page(look: TurnLook) -> str:
    """The link to the seat's own page; "" if there is none yet."""
    if look.own_page is None:
        return ""
    return url_for("seat.show", token=links.token(service().keys, look.own_page))


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    """The values of a page besides the turn: all that templates ask for, given or by default."""
    return {
        "problem": None,
        "rule": None,
        "typed": "",
        "picked": {},
        "receipt": None,
        "happened": (),
        "mailed": False,
        **values,
    }


@door.post("/t/<token>/preview")
def preview(token: str) -> Response:
    """Shows what an order would do. Nothing is changed."""
    link = link_of(token, Purpose.TURN)
    given = form("order", "begin", prefixes=(orders.PICK,))
    order, picked = "", orders.picks(request.form)
    try:
        composed = orders.composed(service(), link, picked)
        order = orders.one_order([*request.form.getlist("order"), composed])
        seen = turns.preview(service(), link, order)
    except (OrderError, BadInput) as error:
        typed = "" if picked else order
        return _refused(link, token, typed, error, given.get("begin", "")[:200], picked)
    except TurnClosed as error:
        return _refused(link, token, order, error)
    look = match_look.turn(service(), link)
    if not look.is_open:
        return _page(link, look, token, status=409)
    words = words_of(look)
    names = present.seat_names(look.table.seats)
    told = present.told_apart(look.table.game, seen.events, lambda seat: names[seat], words)
    effect, sure = _by_the_game(look, seen.move, words)
    if wants_json():
        return json_answer(
            {
                "order": seen.order,
                "events": said(seen.events),
                "sentences": [sentence for passage in told for sentence in passage],
                "effect": str(effect),
            }
        )
    return page(
        "preview.html",
        words,
        turn=present.turn(look, words, base_url=base_url()),
        token=token,
        order=seen.order,
        effect=effect,
        sure=sure,
        told=told,
        known=seen.view is not None,
        board=present.board(
            look.table.match.game,
            seen.view,
            names,
            words,
            you=link.seat,
            events=seen.events,
            prefix="after",
        ),
        submission=secrets.token_urlsafe(18),
        ply=look.table.ply,
    )


def _by_the_game(look: TurnLook, move: Any, words: Translator) -> tuple[str, str]:
    """What the game's own ``preview.html`` says of a move, as HTML, and what has to be ticked."""
    file = templating.of_game(look.table.match.game, "preview.html")
    if file is None:
        return "", ""
    view = look.table.view
    foretold = look.table.game.foretell(view, move)
    own = templating.macros(file, words, view=view, foretold=foretold)
    return own.effect(move).strip(), own.sure(move).strip()


@door.post("/t/<token>/confirm")
def confirm(token: str) -> Response:
    """Makes the move that was previewed, once, however often the button is pressed."""
    link = link_of(token, Purpose.TURN)
    given = form("order", "ply", "submission", "sure", "must_be_sure")
    order = given.get("order", "")
    try:
        if given.get("must_be_sure"):
            must_be_sure(given)
        ply = whole_number(given.get("ply", ""), "ply", 0, 10**9)
        receipt = turns.submit(service(), link, order, given.get("submission", ""), ply)
    except (OrderError, BadInput, TurnClosed, Stale) as error:
        return _refused(link, token, order, error)
    look = match_look.turn(service(), link)
    words = words_of(look)
    game = look.table.game
    names = present.seat_names(look.table.seats)
    events = [convert(event, game.event_type) for event in receipt.events]
    happened = present.told_apart(game, events, lambda seat: names[seat], words)
    return _page(link, look, token, receipt=receipt, happened=happened)


@door.post("/t/<token>/mail")
def mail(token: str) -> Response:
    """Mails the seat's present link, or the one to its own page, to the address on file."""
    link = link_of(token, Purpose.TURN)
    resend.current_link(service(), link, own_page=form("own_page").get("own_page") == "yes")
    return _page(link, match_look.turn(service(), link), token, mailed=True)


@door.get("/t/<token>/next")
def next_turn(token: str) -> Response:
    """From a closed turn to the seat's open one. In mailbox mode only: there mails are public."""
    if not service().settings.mailbox:
        raise NotFound()
    link = link_of(token, Purpose.TURN)
    with service().database.read() as session:
        table = load(session, link.match_id)
        turn, seat = table.open_turns.get(link.seat), table.seat(link.seat)
        if turn is not None:
            found = links.there(session, Purpose.TURN, table.match, seat, turn.id or 0)
            token = links.token(service().keys, found) if found is not None else token
    return redirect(url_for("turn.show", token=token), 303)  # type: ignore[return-value]


def _refused(
    link: Link,
    token: str,
    order: str,
    error: Refused | OrderError,
    begin: str = "",
    picked: Mapping[str, str] | None = None,
) -> Response:
    """The turn's page with what was wrong; what was typed is kept. To a program, the sentence."""
    look = match_look.turn(service(), link)
    status = 422 if isinstance(error, OrderError) else error.status
    rule = error.rule if isinstance(error, OrderError) else None
    problem = sentence(error, words_of(look))
    if wants_json():
        return json_error(error.code, problem, status, rule)
    return _page(
        link,
        look,
        token,
        status=status,
        begin=begin,
        problem=problem,
        rule=rule,
        typed=order[:2000],
        picked=picked or {},
    )


# --- for programs ---


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move as a program hands it in."""

    order: str
    submission: str
    ply: int | None = None


@door.post("/t/<token>")
def submit(token: str) -> Response:
    """Makes the move of an order, once for each submission."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType()
    given = read_json(Order)
    words = translator("en")
    try:
        receipt = turns.submit(service(), token, given.order, given.submission, given.ply)
    except OrderError as error:
        return json_error(error.code, sentence(error, words), 422, error.rule)
    except Refused as error:
        return json_error(error.code, sentence(error, words), error.status)
    return json_answer(
        {
            "accepted": receipt.accepted,
            "ply": receipt.shown_ply or receipt.ply,
            "order": receipt.order,
            "events": receipt.events,
        }
    )


def as_json(look: TurnLook) -> dict[str, Any]:
    """What ``GET /t/TOKEN`` answers to a program."""
    table, turn = look.table, look.turn
    return {
        "match": table.match.id,
        "game": table.match.game,
        "seat": turn.seat,
        "phase": table.phase.name if table.phase else table.match.phase,
        "turn": turn.id,
        "ply": table.ply,
        "status": "open" if look.is_open else "closed",
        "due_at": turn.due_at.isoformat() if turn.due_at else None,
        "view": plain(table.view),
        "orders": list(look.orders) if look.orders is not None else None,
        "example_orders": list(look.example_orders),
        "moves": [ply.order_text for ply in look.moves],
        "events": said(event for line in look.told for event in line.events),
    }
