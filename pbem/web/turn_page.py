"""The page of a turn: the table, what can be chosen, and what was chosen, told or refused there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from flask import Response, request
from sqlmodel import Session
from werkzeug.datastructures import MultiDict

from engine.errors import OrderError
from engine.game import MAX_ORDER
from pbem import present
from pbem.acts import demo, order_lists
from pbem.acts.order_lists import Plan
from pbem.errors import BadInput, Refused, TurnClosed
from pbem.looks import match_look
from pbem.looks.match_look import TurnLook
from pbem.people import beside
from pbem.people.beside import Beside
from pbem.people.series.rows import OfMatch
from pbem.store import links
from pbem.store.models import Link
from pbem.store.names import Purpose
from pbem.web import going_on, orders
from pbem.web import talk as talking
from pbem.web.context import (
    base_url,
    game_file,
    page,
    service,
)
from pbem.words import templating
from pbem.words.i18n import Translator, translator

#: So many characters of the beginning of an order, and of a unit's name, are read.
BEGIN, ABOUT = 200, 100

#: The fields in which a move is chosen: with them in its address, the page shows it chosen.
CHOICE = ("order", "begin", "about", "queue", "ply")

#: Longer addresses are not made: servers refuse them (gunicorn: above 4,094 characters).
MOST_ADDRESS = 3500


@dataclass(frozen=True)
class Around:
    """What a turn's page shows besides the turn."""

    talk: talking.OfTurn
    series: OfMatch | None
    #: The link to the seat's own page; "" if there is none yet.
    own_page: str


def read_around(session: Session, look: TurnLook, found: Beside) -> Around:
    """What the page shows besides the turn, by what was found with its link."""
    own_page = ""
    if found.own_page is not None:
        table = look.table
        own = links.row(Purpose.SEAT, table.match, table.seats[look.turn.seat], table.at)
        own_page = links.url_of_row(service().keys, "", found.own_page, own)
    return Around(talking.of_turn(session, look, found), found.series, own_page)


def words_of(look: TurnLook) -> Translator:
    """The language of the turn's player."""
    seat = look.table.seats[look.turn.seat]
    return translator(seat.language, look.table.match.game)


def show(
    link: Link,
    look: TurnLook,
    token: str,
    *,
    begin: str = "",
    about: str = "",
    plan: Plan | None = None,
    around: Around | None = None,
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
            around = read_around(session, look, beside.of(session, link))
    shown = present.turn(look, words, base_url=base_url(), talk=around.talk.said)
    values["series"] = around.series
    values["panel"] = talking.panel(
        around.talk.allowed,
        look.table.match,
        look.table.seats,
        look.turn.seat,
        words,
        keep=not values.get("said"),
    )
    if plan is not None and plan.orders:
        shown = replace(shown, table=replace(shown.table, draw=lambda: afterwards(look, plan)))
    values["taught"] = taught = demo.teaches(look.table.match)
    # a worker makes the only legal move at once
    own = look.table.seats[look.turn.seat]
    forced = look.is_open and bool(values.get("receipts")) and look.listed.forced
    if forced or not look.is_open:
        values = {
            "goes_on": going_on.may(token, own.email),
            "hours_here": going_on.LIFE // timedelta(hours=1),
            # the button led back here
            "asked_next": request.args.get("asked") == "next",
            "at_home": going_on.is_here(own.email),
            "is_mailed": going_on.is_mailed(own),
            "forced": forced,
            # after the last move a worker closes the match at once
            "over": look.table.match.ended_at is not None or not _pending(look),
            **values,
        }
        return page("turn_closed.html", words, turn=shown, token=token, **_filled(values))
    game, own_template = look.table.game, templating.of_game(look.table.match.game, "turn.html")
    return page(
        "turn.html",
        words,
        turn=shown,
        token=token,
        own_page=around.own_page,
        place=going_on.place(own.email, look.turn.id),
        note=around.talk.note,
        own_template=own_template,
        own_script=game_file(look.table.match.game, "turn.js"),
        choices=plan.choices if plan is not None else game.choices_about(look.table.view, about),
        hints=game.hints(look.table.view) if taught else (),
        orders=look.listed.orders or () if own_template is None else (),
        examples=look.listed.examples,
        plain=orders.plain,
        narrowed=orders.narrowed,
        begin=begin,
        ply=look.table.ply,
        most_address=MOST_ADDRESS,
        planned=planned(look, plan, words),
        **_filled(values),
    )


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
        "news": (),
        "mailed": False,
        # an order came after the end of the turn
        "late": False,
        "goes_on": False,
        "said": "",
        **values,
    }


def chosen_in(given: MultiDict[str, str]) -> dict[str, Any]:
    """What the form of the page holds, for ``show`` to show it again.

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


def plan_of(link: Link, queue: str, about: str) -> Plan | None:
    """What the orders of a list would do, if there are any."""
    orders = order_lists.lines(queue)
    return order_lists.look_ahead(service(), link, orders, about) if orders else None


def again(link: Link, look: TurnLook, token: str, **values: Any) -> Response:
    """The turn's page with what its form held."""
    kept, plan = chosen_in(request.form), None
    # a list that cannot be told any more keeps nobody from going back, or from talking
    with suppress(OrderError, BadInput, TurnClosed):
        plan = plan_of(link, request.form.get("queue", ""), kept["about"])
    return show(link, look, token, plan=plan, **values, **kept)


def refused(
    link: Link,
    token: str,
    order: str,
    error: Refused | OrderError,
    **kept: Any,
) -> Response:
    """The turn's page with what was wrong; what was typed is kept.

    ``kept``: what of ``show`` stays as it was.
    """
    look = match_look.turn(service(), link)
    rule = error.rule if isinstance(error, OrderError) else None
    late = isinstance(error, TurnClosed)
    kept.update(error=error, rule=rule, typed=order[:MAX_ORDER], late=late)
    return show(link, look, token, **kept)


def planned(look: TurnLook, plan: Plan | None, words: Translator) -> list[dict[str, Any]]:
    """The orders of a list for pages: each with what it does, and what is assumed of it."""
    return [
        {
            "order": one.order,
            "move": one.move,
            "foretold": look.table.game.foretell(one.before, one.move),
            "effect": by_the_game(look, one.before, one.move, words)[0],
            "assumed": words.sentence(one.assumed) if one.assumed is not None else "",
        }
        for one in (plan.orders if plan is not None else ())
    ]


def afterwards(look: TurnLook, plan: Plan, prefix: str = "board") -> Any:
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


def by_the_game(look: TurnLook, view: Any, move: Any, words: Translator) -> tuple[str, str]:
    """What the game's own ``preview.html`` says of a move, as HTML, and what has to be ticked."""
    file = templating.of_game(look.table.match.game, "preview.html")
    if file is None:
        return "", ""
    foretold = look.table.game.foretell(view, move)
    own = templating.macros(file, words, view=view, foretold=foretold)
    return own.effect(move).strip(), own.sure(move).strip()
