"""The turn link: look, choose, see what it would do, confirm. Also for programs, in JSON.

A turn moves only by POST, in two steps: whoever opens every link and presses every button once (a
mail scanner does) has chosen nothing, and moves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from flask import Blueprint, Response, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import UnsupportedMediaType

from engine.codec import convert
from engine.errors import OrderError
from pbem import present
from pbem.acts import deliverability, demo, order_lists, turns
from pbem.errors import BadInput, Refused, TurnClosed
from pbem.looks import match_look
from pbem.looks.match_look import TurnLook
from pbem.people import beside, talk
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.web import going_on, orders, programs, turn_page, turn_previews
from pbem.web import talk as talking
from pbem.web.body import read_json
from pbem.web.context import (
    form,
    go_to,
    json_answer,
    link_of,
    must_be_sure,
    refused_json,
    sentence,
    service,
    wants_json,
    whole_number,
)
from pbem.words.i18n import translator

door = Blueprint("turn", __name__)


@door.get("/t/<token>")
def show(token: str) -> Response:
    here, program = service(), wants_json()
    with here.database.read() as session:
        link, found = beside.find(session, here.keys, token, here.now())
        look = match_look.turn_of(session, link, here.now())
        if program:
            table = look.table
            said = talk.messages_for(session, table.match, table.seat) if found.talked else ()
        else:
            around = turn_page.read_around(session, look, found)
    if not program:
        return _shown(link, look, token, around)
    more = {"talk": talking.as_json(said), "series": programs.series_of(found.series)}
    return json_answer(programs.turn(look) | more)


def _shown(link: Link, look: TurnLook, token: str, around: turn_page.Around) -> Response:
    """The page that a link of it asks for: about one unit, after the orders told so far.

    What was chosen at another ply is not chosen any more.
    """
    ply = str(look.table.ply)
    given = request.args if request.args.get("ply", ply) == ply else MultiDict[str, str]()
    kept = turn_page.chosen_in(given)
    try:
        plan = (
            turn_page.plan_of(link, given.get("queue", ""), kept["about"]) if look.is_open else None
        )
    except (OrderError, BadInput, TurnClosed) as error:
        return turn_page.refused(link, token, "", error)
    return turn_page.show(link, look, token, plan=plan, around=around, **kept)


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
    given = form(*turn_page.CHOICE, "then", "back", *talking.FIELDS, prefixes=(orders.PICK,))
    if given.get("back"):
        return turn_page.again(link, match_look.turn(service(), link), token)
    held = turn_page.chosen_in(request.form)
    about, picked = held["about"], held["picked"]
    order, composed, plan = "", "", None
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
            return turn_previews.of_list(link, token, plan, bool(given.get("then")))
        seen = turns.preview(service(), link, listed[0] if listed else order)
    except (OrderError, BadInput) as error:
        typed = "" if composed else order
        kept = {"begin": held["begin"], "about": about, "picked": picked, "plan": plan}
        return turn_page.refused(link, token, typed, error, **kept)
    except TurnClosed as error:
        return turn_page.refused(link, token, order, error)
    return turn_previews.of_order(link, token, seen)


@door.post("/t/<token>/confirm")
def confirm(token: str) -> Response:
    """Makes the moves that were previewed, each once, however often the button is pressed."""
    link = link_of(token, Purpose.TURN)
    given = form("order", "ply", "submission", "sure", "must_be_sure", *talking.FIELDS)
    order = given.get("order", "")
    try:
        if given.get("must_be_sure"):
            must_be_sure(given)
        submission, ply = _hidden(given)
        listed = order_lists.lines(order) or (order,)
        played = order_lists.submit(service(), link, listed, submission, ply)
    except BadInput as error:
        return turn_page.refused(link, token, order, error)
    if not played.receipts and played.refused is not None:
        return turn_page.refused(link, token, *played.refused)
    look = match_look.turn(service(), link)
    words = turn_page.words_of(look)
    # whatever comes of it, the move is made
    said, unsaid = talking.try_to_say(link, given, f"move:{given.get('submission', '')}")
    game = look.table.game
    names = present.seat_names(look.table.seats)
    events = [
        convert(event, game.event_type) for receipt in played.receipts for event in receipt.events
    ]
    happened = present.told_apart(game, events, names, words)
    news = [event for event in events if game.is_news(event, link.seat)]
    refused, rule = sentence(unsaid, words) if unsaid is not None else None, None
    if played.refused is not None and look.is_open:
        refused = sentence(played.refused[1], words)
        rule = getattr(played.refused[1], "rule", None)
    answer = turn_page.show(
        link,
        look,
        token,
        receipt=played.receipts[-1],
        receipts=played.receipts,
        happened=happened,
        news=present.event_sentences(game.meta.name, news, names, words),
        left=(*((played.refused[0],) if played.refused is not None else ()), *played.left),
        problem=refused,
        rule=rule,
        goes_on=True,
        said=said,
    )
    going_on.remember(answer, token)
    return answer


def _hidden(given: Mapping[str, str]) -> tuple[str, int]:
    """The submission and the ply: the page puts them into its form, and nobody types them."""
    submission, ply = given.get("submission", ""), given.get("ply", "")
    try:
        if submission:
            return submission, whole_number(ply, "ply", 0, 10**9)
    except BadInput:
        pass
    raise BadInput(
        "The form did not come whole, so nothing was played. Open the page of your turn anew, and"
        " choose again.",
        field="form",
    )


@door.post("/t/<token>/say")
def say(token: str) -> Response:
    """Says something alone, while the turn is open or when it is over. No move is made."""
    link = link_of(token, Purpose.TURN)
    if request.mimetype == "application/json":
        return json_answer(talking.as_json([talking.by_program(link)])[0])
    # the field stands in the form of the move: what was chosen there is kept
    given = form(*turn_page.CHOICE, *talking.FIELDS, prefixes=(orders.PICK,))
    look = match_look.turn(service(), link)
    said, unsaid = talking.try_to_say(link, given)
    return turn_page.again(link, look, token, said=said, error=unsaid)


@door.post("/t/<token>/mail")
def mail(token: str) -> Response:
    """Mails the seat's present link, or the one to its own page, to the address on file."""
    link = link_of(token, Purpose.TURN)
    deliverability.resend_link(service(), link, own_page=form("own_page").get("own_page") == "yes")
    return turn_page.show(link, match_look.turn(service(), link), token, mailed=True)


@door.get("/t/<token>/next")
def next_turn(token: str) -> Response:
    """From a closed turn to the next one of its player, on a device that goes on from it.

    To the script of the page: where it is, or null; a browser stays on the host that it came to.
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
        return refused_json(error, words)
    if not played.receipts and played.refused is not None:
        return refused_json(played.refused[1], words)
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
