"""The page that shows what orders would do, before they are confirmed."""

from __future__ import annotations

import secrets
from typing import Any
from urllib.parse import urlencode

from flask import Response, request, url_for
from werkzeug.datastructures import MultiDict

from pbem import present
from pbem.acts import turns
from pbem.acts.order_lists import Plan
from pbem.errors import TurnClosed
from pbem.looks import match_look
from pbem.looks.match_look import TurnLook
from pbem.store.match_log import said
from pbem.store.models import Link
from pbem.web import orders, turn_page
from pbem.web import talk as talking
from pbem.web.context import (
    base_url,
    json_answer,
    page,
    service,
    wants_json,
)


def of_order(link: Link, token: str, seen: turns.Preview) -> Response:
    """What one order would do, to be confirmed."""
    look = match_look.turn(service(), link)
    if not look.is_open:
        return turn_page.refused(link, token, seen.order, TurnClosed("This turn is closed."))
    words = turn_page.words_of(look)
    names = present.seat_names(look.table.seats)
    told = present.told_apart(look.table.game, seen.events, names, words)
    effect, sure = turn_page.by_the_game(look, look.table.view, seen.move, words)
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


def of_list(link: Link, token: str, plan: Plan, then: bool) -> Response:
    """What a list of orders would do: to be confirmed, or to be gone on with."""
    look = match_look.turn(service(), link)
    if not look.is_open:
        order = "\n".join(one.order for one in plan.orders)
        return turn_page.refused(link, token, order, TurnClosed("This turn is closed."))
    if then and plan.choices is not None:
        return turn_page.show(link, look, token, plan=plan)
    words = turn_page.words_of(look)
    planned = turn_page.planned(look, plan, words)
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
        board=turn_page.afterwards(look, plan, "after"),
    )


def _confirming(look: TurnLook, token: str, listed: tuple[str, ...], **values: Any) -> Response:
    """The page on which orders are confirmed."""
    words, kept = turn_page.words_of(look), _kept(request.form)
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


def _kept(given: MultiDict[str, str]) -> list[tuple[str, str]]:
    """The fields in which a move was chosen, as the form had them."""
    return [
        (name, value)
        for name, value in given.items(multi=True)
        if name in turn_page.CHOICE or name.startswith(orders.PICK)
    ]


def _back(token: str, kept: list[tuple[str, str]]) -> str:
    """The address of the turn's page with what was chosen there; "" if it is too long for one."""
    address = f"{url_for('turn.show', token=token)}?{urlencode(kept)}"
    return address if len(address) <= turn_page.MOST_ADDRESS else ""
