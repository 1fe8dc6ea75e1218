"""The turn link: look, choose, see what it would do, confirm. Also for programs, in JSON.

A turn moves only by POST, in two steps: whoever opens every link and presses every button once (a
mail scanner does) has chosen nothing, and moves nothing.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, request, url_for
from sqlmodel import Session
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import UnsupportedMediaType

from engine.codec import convert
from engine.errors import OrderError
from engine.game import MAX_ORDER
from pbem import present
from pbem.acts import demo, order_lists, resend, turns
from pbem.acts.order_lists import Plan
from pbem.errors import BadInput, Refused, TurnClosed
from pbem.looks import match_look
from pbem.looks.match_look import TurnLook
from pbem.people import beside, talk
from pbem.people.beside import Beside
from pbem.people.series.rows import OfMatch
from pbem.store import links
from pbem.store.match_log import said
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.web import going_on, orders, programs
from pbem.web import talk as talking
from pbem.web.body import read_json
from pbem.web.context import (
    base_url,
    form,
    game_file,
    go_to,
    json_answer,
    json_error,
    link_of,
    must_be_sure,
    page,
    sentence,
    service,
    status_of,
    wants_json,
    whole_number,
)
from pbem.words import templating
from pbem.words.i18n import Translator, translator

door = Blueprint("turn", __name__)

#: So many characters of the beginning of an order, and of a unit's name, are read.
BEGIN, ABOUT = 200, 100

#: The fields in which a move is chosen: with them in its address, the page shows it chosen.
CHOICE = ("order", "begin", "about", "queue", "ply")
#: Longer addresses are not made: servers refuse them (gunicorn: above 4,094 characters).
MOST_ADDRESS = 3500


@door.get("/t/<token>")
def show(token: str) -> Response:
    here, program = service(), wants_json()
    with here.database.read() as session:
        link, found = beside.find(session, here.keys, token, here.now())
        look = match_look.turn_of(session, link, here.now())
        if program:
            heard = talk.heard(session, look.table.match, look.table.seat) if found.talked else ()
        else:
            around = _around(session, look, found)
    if not program:
        return _shown(link, look, token, around)
    more = {"talk": talking.as_json(heard), "series": programs.series_of(found.series)}
    return json_answer(programs.turn(look) | more)


def _shown(link: Link, look: TurnLook, token: str, around: _Around) -> Response:
    """The page that a link of it asks for: about one unit, after the orders told so far.

    What was chosen at another ply is not chosen any more.
    """
    ply = str(look.table.ply)
    given = request.args if request.args.get("ply", ply) == ply else MultiDict[str, str]()
    kept = _chosen(given)
    try:
        plan = _told(link, given.get("queue", ""), kept["about"]) if look.is_open else None
    except (OrderError, BadInput, TurnClosed) as error:
        return _refused(link, token, "", error)
    return _page(link, look, token, plan=plan, around=around, **kept)


def _chosen(given: MultiDict[str, str]) -> dict[str, Any]:
    """What the form of the page holds, for ``_page`` to show it again.

    The list of orders and the text field, which comes last, share a name.
    """
    *listed, typed = given.getlist("order") or [""]
    return {
        "begin": given.get("begin", "")[:BEGIN],
        "about": given.get("about", "")[:ABOUT],
        "picked": orders.picks(given),
        "chosen": next(filter(None, listed), ""),
        "typed": typed[:MAX_ORDER],
    }


def _kept(given: MultiDict[str, str]) -> list[tuple[str, str]]:
    """The fields in which a move was chosen, as the form had them."""
    return [
        (name, value)
        for name, value in given.items(multi=True)
        if name in CHOICE or name.startswith(orders.PICK)
    ]


def _back(token: str, kept: list[tuple[str, str]]) -> str:
    """The address of the turn's page with what was chosen there; "" if it is too long for one."""
    address = f"{url_for('turn.show', token=token)}?{urlencode(kept)}"
    return address if len(address) <= MOST_ADDRESS else ""


def _again(link: Link, look: TurnLook, token: str, **values: Any) -> Response:
    """The turn's page with what its form held."""
    kept, plan = _chosen(request.form), None
    # a list that cannot be told any more keeps nobody from going back, or from talking
    with suppress(OrderError, BadInput, TurnClosed):
        plan = _told(link, request.form.get("queue", ""), kept["about"])
    return _page(link, look, token, plan=plan, **values, **kept)


@dataclass(frozen=True)
class _Around:
    """What a turn's page shows besides the turn."""

    talk: talking.OfTurn
    series: OfMatch | None
    #: The link to the seat's own page; "" if there is none yet.
    own_page: str


def _around(session: Session, look: TurnLook, found: Beside) -> _Around:
    own_page = ""
    if found.own_page is not None:
        table = look.table
        own = links.row(Purpose.SEAT, table.match, table.seats[look.turn.seat], table.at)
        own_page = links.url_of_row(service().keys, "", found.own_page, own)
    return _Around(talking.of_turn(session, look, found), found.series, own_page)


def _told(link: Link, queue: str, about: str) -> Plan | None:
    """What the orders of a list would do, if there are any."""
    orders = order_lists.lines(queue)
    return order_lists.look_ahead(service(), link, orders, about) if orders else None


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
    about: str = "",
    plan: Plan | None = None,
    around: _Around | None = None,
    **values: Any,
) -> Response:
    """The turn's page; after a list of orders that is not played yet, as it would be then.

    ``around``: what the page shows besides the turn, if it was read with it.
    """
    words = words_of(look)
    if plan is not None and plan.choices is None:
        # after it nothing can be chosen: the page is that of the turn as it stands
        plan = None
    if plan is not None and look.is_open:
        look = replace(look, table=replace(look.table, view=plan.view))
    if around is None:
        with service().database.read() as session:
            around = _around(session, look, beside.of(session, link))
    shown = present.turn(look, words, base_url=base_url(), talk=around.talk.said)
    values["series"] = around.series
    values["panel"] = talking.panel(
        around.talk.allowed,
        look.table.match,
        look.table.seats,
        look.turn.seat,
        words,
        keep=values.get("said") is None,
    )
    if plan is not None and plan.orders:
        shown = replace(shown, table=replace(shown.table, draw=lambda: _afterwards(look, plan)))
    values["taught"] = taught = demo.teaches(look.table.match)
    # a worker makes the only legal move at once
    email = look.table.seats[look.turn.seat].email
    forced = look.is_open and bool(values.get("receipts")) and look.listed.forced
    if forced or not look.is_open:
        values = {
            "goes_on": going_on.may(token, email),
            "hours_here": going_on.LIFE // timedelta(hours=1),
            # the button led back here
            "asked_next": request.args.get("asked") == "next",
            "at_home": going_on.is_here(email),
            "forced": forced,
            # after the last move a worker closes the match at once
            "over": look.table.match.ended_at is not None or not _pending(look),
            **values,
        }
        return page("turn_closed.html", words, status, turn=shown, token=token, **_filled(values))
    own_template = templating.of_game(look.table.match.game, "turn.html")
    return page(
        "turn.html",
        words,
        status,
        turn=shown,
        token=token,
        own_page=around.own_page,
        place=going_on.place(email, look.turn.id),
        note=around.talk.note,
        own_template=own_template,
        own_script=game_file(look.table.match.game, "turn.js"),
        choices=plan.choices if plan is not None else _choices(look, about),
        hints=look.table.game.hints(look.table.view) if taught else (),
        orders=look.orders or () if own_template is None else (),
        plain=orders.plain,
        narrowed=orders.narrowed,
        begin=begin,
        ply=look.table.ply,
        planned=_planned(look, plan, words),
        **_filled(values),
    )


def _choices(look: TurnLook, about: str) -> Any:
    return look.table.game.choices_about(look.table.view, about)


def _pending(look: TurnLook) -> bool:
    """Whether somebody has something to decide."""
    return look.table.phase is not None and bool(look.table.phase.pending)


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    """The values of a page besides the turn: all that templates ask for, given or by default."""
    return {
        "rule": None,
        "typed": "",
        "chosen": "",
        "picked": {},
        "receipt": None,
        "receipts": (),
        "left": (),
        "happened": (),
        "mailed": False,
        "goes_on": False,
        "said": None,
        **values,
    }


@door.get("/t/<token>/preview")
@door.get("/t/<token>/confirm")
def asked_again(token: str) -> Response:
    """A browser that opens its tabs anew asks for the page of a form without the form."""
    return go_to(url_for("turn.show", token=token))


@door.post("/t/<token>/preview")
def preview(token: str) -> Response:
    """Shows what orders would do. Nothing is changed.

    ``queue``: the orders of a list so far, to which the chosen one is added; with ``then`` the page
    asks for the one after them, with ``back`` for the chosen one once more.
    """
    link = link_of(token, Purpose.TURN)
    given = form(*CHOICE, "then", "back", *talking.FIELDS, prefixes=(orders.PICK,))
    if given.get("back"):
        return _again(link, match_look.turn(service(), link), token)
    order, composed, picked = "", "", orders.picks(request.form)
    begin, about = given.get("begin", "")[:BEGIN], given.get("about", "")[:ABOUT]
    plan = None
    try:
        if given.get("say", "").strip() and not wants_json():
            talk.check_text(given["say"])
        queue = order_lists.lines(given.get("queue", ""))
        if queue or picked:
            plan = order_lists.look_ahead(service(), link, queue, about)
            composed = orders.composed(plan, picked)
        order = orders.one_order([*request.form.getlist("order"), composed])
        listed = (*queue, *order_lists.lines(order))
        if given.get("then") or len(listed) > 1:
            plan = order_lists.look_ahead(service(), link, listed, about)
            return _look_ahead(link, token, plan, bool(given.get("then")))
        seen = turns.preview(service(), link, listed[0] if listed else order)
    except (OrderError, BadInput) as error:
        typed = "" if composed else order
        kept = {"begin": begin, "about": about, "picked": picked, "plan": plan}
        return _refused(link, token, typed, error, **kept)
    except TurnClosed as error:
        return _refused(link, token, order, error)
    return _previewed(link, token, seen)


def _previewed(link: Link, token: str, seen: turns.Preview) -> Response:
    """What one order would do, to be confirmed."""
    look = match_look.turn(service(), link)
    if not look.is_open:
        return _page(link, look, token, status=409)
    words = words_of(look)
    names = present.seat_names(look.table.seats)
    told = present.told_apart(look.table.game, seen.events, lambda seat: names[seat], words)
    effect, sure = _by_the_game(look, look.table.view, seen.move, words)
    if wants_json():
        return json_answer(
            {
                "order": seen.order,
                "events": said(seen.events),
                "sentences": [sentence for passage in told for sentence in passage],
                "effect": str(effect),
            }
        )
    known = seen.view is not None
    board = present.board(
        look.table.match.game,
        seen.view if known else look.table.view,
        names,
        words,
        you=link.seat,
        events=seen.events if known else (),
        prefix="after",
    )
    return _confirming(
        look,
        token,
        (seen.order,),
        effect=effect,
        sure=sure,
        told=told,
        known=known,
        board=board,
    )


def _confirming(look: TurnLook, token: str, listed: tuple[str, ...], **values: Any) -> Response:
    """The page on which orders are confirmed."""
    words, kept = words_of(look), _kept(request.form)
    saying = talking.with_a_move(look.table.seats)
    return page(
        "preview.html",
        words,
        turn=present.turn(look, words, base_url=base_url()),
        token=token,
        order="\n".join(listed),
        # what is to be said stands in no address
        back="" if saying else _back(token, kept),
        kept=kept,
        saying=saying,
        submission=secrets.token_urlsafe(18),
        ply=look.table.ply,
        **{"planned": (), **values},
    )


def _look_ahead(link: Link, token: str, plan: Plan, then: bool) -> Response:
    """What a list of orders would do: to be confirmed, or to be gone on with."""
    look = match_look.turn(service(), link)
    if not look.is_open:
        return _page(link, look, token, status=409)
    if then and plan.choices is not None:
        return _page(link, look, token, plan=plan)
    words = words_of(look)
    planned = _planned(look, plan, words)
    if wants_json():
        return json_answer(
            {
                "orders": [
                    {"order": one["order"], "effect": str(one["effect"]), "assumed": one["assumed"]}
                    for one in planned
                ]
            }
        )
    return _confirming(
        look,
        token,
        tuple(one.order for one in plan.orders),
        planned=planned,
        effect="",
        sure="",
        told=(),
        known=True,
        board=_afterwards(look, plan, "after"),
    )


def _planned(look: TurnLook, plan: Plan | None, words: Translator) -> list[dict[str, Any]]:
    """The orders of a list for pages: each with what it does, and what is assumed of it."""
    return [
        {
            "order": one.order,
            "move": one.move,
            "foretold": look.table.game.foretell(one.before, one.move),
            "effect": _by_the_game(look, one.before, one.move, words)[0],
            "assumed": words.sentence(one.assumed) if one.assumed is not None else "",
        }
        for one in (plan.orders if plan is not None else ())
    ]


def _afterwards(look: TurnLook, plan: Plan, prefix: str = "board") -> Any:
    """The drawing after a list of orders, with all that they would do."""
    return present.board(
        look.table.match.game,
        plan.view,
        present.seat_names(look.table.seats),
        words_of(look),
        you=look.turn.seat,
        events=tuple(event for one in plan.orders for event in one.events),
        prefix=prefix,
    )


def _by_the_game(look: TurnLook, view: Any, move: Any, words: Translator) -> tuple[str, str]:
    """What the game's own ``preview.html`` says of a move, as HTML, and what has to be ticked."""
    file = templating.of_game(look.table.match.game, "preview.html")
    if file is None:
        return "", ""
    foretold = look.table.game.foretell(view, move)
    own = templating.macros(file, words, view=view, foretold=foretold)
    return own.effect(move).strip(), own.sure(move).strip()


@door.post("/t/<token>/confirm")
def confirm(token: str) -> Response:
    """Makes the moves that were previewed, each once, however often the button is pressed."""
    link = link_of(token, Purpose.TURN)
    given = form("order", "ply", "submission", "sure", "must_be_sure", *talking.FIELDS)
    order = given.get("order", "")
    try:
        if given.get("must_be_sure"):
            must_be_sure(given)
        ply = whole_number(given.get("ply", ""), "ply", 0, 10**9)
        listed = order_lists.lines(order) or (order,)
        played = order_lists.submit(service(), link, listed, given.get("submission", ""), ply)
    except BadInput as error:
        return _refused(link, token, order, error)
    if not played.receipts and played.refused is not None:
        return _refused(link, token, *played.refused)
    look = match_look.turn(service(), link)
    words = words_of(look)
    # whatever comes of it, the move is made
    said, unsaid = talking.try_to_say(link, given, words, f"move:{given.get('submission', '')}")
    game = look.table.game
    names = present.seat_names(look.table.seats)
    events = [
        convert(event, game.event_type) for receipt in played.receipts for event in receipt.events
    ]
    happened = present.told_apart(game, events, lambda seat: names[seat], words)
    refused, rule = None, None
    if played.refused is not None and look.is_open:
        refused = sentence(played.refused[1], words)
        rule = getattr(played.refused[1], "rule", None)
    answer = _page(
        link,
        look,
        token,
        receipt=played.receipts[-1],
        receipts=played.receipts,
        happened=happened,
        left=(*((played.refused[0],) if played.refused is not None else ()), *played.left),
        problem=refused or unsaid,
        rule=rule,
        goes_on=True,
        said=said,
    )
    going_on.remember(answer, token)
    return answer


@door.post("/t/<token>/say")
def say(token: str) -> Response:
    """Says something alone, while the turn is open or when it is over. No move is made."""
    link = link_of(token, Purpose.TURN)
    if request.mimetype == "application/json":
        return json_answer(talking.as_json([talking.by_program(link)])[0])
    # the field stands in the form of the move: what was chosen there is kept
    given = form(*CHOICE, *talking.FIELDS, prefixes=(orders.PICK,))
    look = match_look.turn(service(), link)
    said, unsaid = talking.try_to_say(link, given, words_of(look))
    status = 200 if unsaid is None else 422
    return _again(link, look, token, status=status, said=said, problem=unsaid)


@door.post("/t/<token>/mail")
def mail(token: str) -> Response:
    """Mails the seat's present link, or the one to its own page, to the address on file."""
    link = link_of(token, Purpose.TURN)
    resend.current_link(service(), link, own_page=form("own_page").get("own_page") == "yes")
    return _page(link, match_look.turn(service(), link), token, mailed=True)


@door.get("/t/<token>/next")
def next_turn(token: str) -> Response:
    """From a closed turn to the next one of its player, on a device that goes on from it.

    To a program: where it is, or null.
    """
    found = going_on.next_turn(token)
    if wants_json():
        return json_answer({"link": found and url_for("turn.show", token=found.token)})
    onward = url_for(
        "turn.show", token=found.token if found else token, asked=None if found else "next"
    )
    return go_to(onward)


@door.post("/t/<token>/bots")
def bots(token: str) -> Response:
    """Has bots play a match of the trial to its end, and leads to that."""
    link = link_of(token, Purpose.TURN)
    form()
    demo.play_the_rest(service(), link)
    return go_to(url_for("match.table", match_id=link.match_id))


@door.post("/t/<token>/forget")
def forget(token: str) -> Response:
    """This device is not to lead on to the next turns any more."""
    link_of(token, Purpose.TURN)
    form()
    answer = go_to(url_for("turn.show", token=token))
    going_on.forget(answer)
    return answer


def _refused(
    link: Link,
    token: str,
    order: str,
    error: Refused | OrderError,
    **kept: Any,
) -> Response:
    """The turn's page with what was wrong; what was typed is kept. To a program, the sentence.

    ``kept``: what of ``_page`` stays as it was.
    """
    look = match_look.turn(service(), link)
    if wants_json():
        return _refused_json(error, words_of(look))
    rule = error.rule if isinstance(error, OrderError) else None
    return _page(link, look, token, error=error, rule=rule, typed=order[:2000], **kept)


# --- for programs ---


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move as a program hands it in; or a list of them, a line each."""

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
        listed = order_lists.lines(given.order) or (given.order,)
        played = order_lists.submit(service(), token, listed, given.submission, given.ply)
    except Refused as error:
        return _refused_json(error, words)
    if not played.receipts and played.refused is not None:
        return _refused_json(played.refused[1], words)
    receipts = [
        {
            "accepted": receipt.accepted,
            "ply": receipt.shown_ply or receipt.ply,
            "order": receipt.order,
            "events": receipt.events,
        }
        for receipt in played.receipts
    ]
    if len(listed) == 1:
        return json_answer(receipts[0])
    problem = None
    if played.refused is not None:
        order, why = played.refused
        problem = {"order": order, "code": why.code, "message": sentence(why, words)}
    return json_answer({"played": receipts, "refused": problem, "left": played.left})


def _refused_json(error: Refused | OrderError, words: Translator) -> Response:
    rule = error.rule if isinstance(error, OrderError) else None
    return json_error(error.code, sentence(error, words), status_of(error), rule)
