"""Matches of the skirmish for tests of its pages: begun, played on, changed."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from sqlalchemy import update
from sqlmodel import col

from engine.codec import encode
from engine.dice import NoDice
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.state import State
from pbem.store.models import Match
from tests.parts.cast import House
from tests.web.house import WebHouse


def running(web: WebHouse, language: str = "en", **options: Any) -> Match:
    return web.of_game("skirmish", options=options, language=language)


def state_of(web: House, match: Match) -> State:
    state = web.table(match).state
    assert isinstance(state, State)
    return state


def arc_ahead(state: State, name: str) -> tuple[int, int]:
    """The edges of an arc of 120 degrees ahead of a man, who sees nothing behind him."""
    man = state.model(name)
    assert man is not None
    return (man.facing - 60) % 360, (man.facing + 60) % 360


def played_to(web: WebHouse, match: Match, stage: str, ply: int = 0) -> int:
    """Plays on until this stage is reached; the seat that is asked."""
    web.play_on(match, until=lambda table: table.state.stage == stage and table.match.ply >= ply)
    assert state_of(web, match).stage == stage, f"the match ended before {stage}"
    return web.waiting(match)[0]


def put_state(web: House, match: Match, state: State) -> None:
    with web.service.database.write("test") as session:
        session.execute(
            update(Match).where(col(Match.id) == match.id).values(state_json=encode(state).decode())
        )


def activated(web: WebHouse, **options: Any) -> tuple[Match, int, str]:
    """A match in which a team has begun its activation: with its seat and name."""
    match = running(web, **options)
    seat = played_to(web, match, "activation")
    team = "alpha" if seat == 0 else "bravo"
    web.play(match, seat, f"activate {team}", "begin")
    web.work()
    return match, seat, team


def face_to_face(web: WebHouse) -> tuple[Match, int]:
    """A match whose teams look at each other over six inches of open ground."""
    match = running(web, table="bridge")
    seat = played_to(web, match, "activation")
    stand_face_to_face(web, match)
    team = "alpha" if seat == 0 else "bravo"
    web.play(match, seat, f"activate {team}", "begin")
    web.work()
    return match, seat


def stand_face_to_face(web: House, match: Match, rows: tuple[int, int] = (6_000, 12_000)) -> None:
    """Each seat stands on its row, so many thousandths of an inch north, and looks at the other."""
    state = state_of(web, match)
    looks = (0, 180) if rows[0] < rows[1] else (180, 0)
    models = tuple(
        replace(model, x=20_000 + 1_600 * number, y=rows[model.seat], facing=looks[model.seat])
        for number, model in enumerate(state.models)
    )
    play = Play(replace(state, models=models), NoDice(), "test")
    spotting.refresh(play)
    put_state(web, match, play.close())
