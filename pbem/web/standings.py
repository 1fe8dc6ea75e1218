"""Leaderboards, and the pages of players who want one: open to everybody."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, request

from engine.games.registry import games
from pbem import present
from pbem.clock import iso
from pbem.errors import NotFound
from pbem.people import standing
from pbem.people.rating import SETTLED_AFTER, UNIT, Rating
from pbem.present import standings as shown
from pbem.web.context import (
    base_url,
    json_answer,
    page,
    reader_words,
    service,
    wants_json,
    whole_number,
)
from pbem.words import texts

door = Blueprint("standings", __name__)

#: Highest numbers that are taken from an address: of seats, and of pages.
MOST_SEATS, LAST_PAGE = 100, 10_000


@door.get("/standings")
def index() -> Response:
    with service().database.read() as session:
        pools = standing.pools(session)
    if wants_json():
        return json_answer(
            [
                {"game": game, "seats": seats, "people": people, "link": _board(game, seats)}
                for game, seats, people in pools
            ]
        )
    return page(
        "standings.html",
        reader_words(),
        pools=[pool for pool in pools if pool[0] in games()],
    )


@door.get("/standings/<game>")
def board(game: str) -> Response:
    if game not in games():
        raise NotFound()
    with service().database.read() as session:
        pools = [pool for pool in standing.pools(session) if pool[0] == game]
        found = standing.leaderboard(
            session, game, _number("seats", MOST_SEATS) or _most(pools, game)
        )
    if wants_json():
        return json_answer(
            {
                "game": game,
                "seats": found.seats,
                "people": found.rated,
                "players": [_listed(one) for one in found.players],
                "others": [_board(game, seats) for _, seats, _ in pools if seats != found.seats],
            }
        )
    words = reader_words()
    return page(
        "leaderboard.html",
        words,
        board=found,
        players=[
            (one.rank, one.name, _path(one.name), shown.rating(one.rating, words))
            for one in found.players
        ],
        numbers=sorted({found.seats, *(seats for _, seats, _ in pools)}),
        settled_after=SETTLED_AFTER,
    )


@door.get("/players/<name>")
def player(name: str) -> Response:
    game = request.args.get("game") or None
    if not name.isprintable() or len(name) > texts.MAX_NAME or (game and game not in games()):
        raise NotFound()
    number = _number("page", LAST_PAGE) or 1
    with service().database.read() as session:
        found = standing.player(session, name, game, _number("seats", MOST_SEATS), number)
    if wants_json():
        return json_answer(_told(found))
    words = reader_words()
    zone = service().settings.zone
    return page(
        "player.html",
        words,
        name=found.name,
        reliable=found.reliability,
        more=found.more,
        path=_path(found.name),
        stands=[(one, shown.rating(one.rating, words)) for one in found.stands],
        played=[
            {
                "match": present.match(one.match),
                "ended": present.Moment(one.match.ended_at, zone, words)
                if one.match.ended_at
                else None,
                "rank": one.rank,
                "teams": one.teams,
                "left_early": one.left_early,
                "rating": shown.rating(one.after, words) if one.after else None,
            }
            for one in found.played
        ],
        number=number,
        only=(game, request.args.get("seats", "")) if game else None,
    )


def _number(name: str, most: int) -> int | None:
    """A number of the query; None if there is none, BadInput if it is out of range."""
    text = request.args.get(name, "")
    return whole_number(text, name, 1, most) if text else None


def _most(pools: list[tuple[str, int, int]], game: str) -> int:
    """The number of seats for which most people are rated."""
    return max(pools, key=lambda pool: pool[2])[1] if pools else games()[game].meta.seats[0]


def _path(name: str) -> str:
    return f"/players/{quote(name, safe='')}"


def _board(game: str, seats: int) -> str:
    return f"{base_url()}/standings/{game}?seats={seats}"


def _listed(one: standing.LeaderboardRow) -> dict[str, Any]:
    return {
        "rank": one.rank,
        "name": one.name,
        **_rating(one.rating),
        "link": base_url() + _path(one.name),
    }


def _rating(rating: Rating) -> dict[str, Any]:
    """What a program gets: the numbers as they are kept, in units, and what they were made of."""
    return {
        "rating": rating.ordinal / UNIT,
        "mu": rating.mu / UNIT,
        "sigma": rating.sigma / UNIT,
        "matches": rating.matches,
        "provisional": rating.is_provisional,
    }


def _told(found: standing.Player) -> dict[str, Any]:
    reliable = found.reliability
    return {
        "name": found.name,
        "standings": [
            {
                "game": one.game,
                "seats": one.seats,
                **_rating(one.rating),
                "people": one.people,
                "link": _board(one.game, one.seats),
            }
            for one in found.stands
        ],
        "reliability": {
            "turns": reliable.turns,
            "in_time": reliable.in_time,
            "matches": reliable.matches,
            "finished": reliable.finished,
        }
        if reliable
        else None,
        "matches": [
            {
                "match": one.match.id,
                "game": one.match.game,
                "seats": one.match.seat_count,
                "ended_at": iso(one.match.ended_at),
                "rank": one.rank,
                "left": one.left_early,
                "rating": one.after.ordinal / UNIT if one.after else None,
                "link": f"{base_url()}/m/{one.match.id}",
            }
            for one in found.played
        ],
        "more": found.more,
    }
