"""Threat 3.2: what is closed and forwarded tells no order that others may not know yet.

Whole matches of every registered game are played at random. Where a move could have been another
one that looks the same to everybody else (a gift, a purchase, a force, a man whom no enemy sees),
both are played, each in a world of its own, and the closed turn's link is opened in both.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from engine.codec import plain
from engine.games.registry import AnyGame, games
from pbem.acts import turns
from pbem.store.models import Match
from pbem.store.names import Purpose
from pbem.store.table import Table
from tests.web.conftest import world_of
from tests.web.house import WebHouse

KINDS = ("text/html", "application/json")
#: Legal moves from which one is chosen, comparisons in each phase, and plies of the longest match.
CHOICE = 12
COMPARED = 4
PLIES = 600
#: The phases of each game in which others cannot tell what was ordered. In Dogs of War there is
#: none: the piles that one buys from lie open.
HIDDEN: dict[str, set[str]] = {
    "dog": {"exchange"},
    "dogs-of-war": set(),
    "skirmish": {"building", "deployment", "activation"},
}


def face(game: AnyGame, state: Any, seat: int, move: Any, dice: Any) -> tuple[bool, Any]:
    """Whether a move ends the seat's turn, and all that everybody else learns of it at once."""
    step = game.apply(state, seat, move, dice)
    told = [plain(event) for event in step.events if event.readable_by(None)]
    over = seat not in game.phase(step.state).pending
    return over, (told, plain(game.view(step.state, None)))


def twins(
    table: Table, seat: int, legal: list[Any], chance: random.Random
) -> tuple[Any, Any | None]:
    """A random move, and another that nobody else could tell from it; None where there is none."""
    chance.shuffle(legal)
    ends, shown = face(table.game, table.state, seat, legal[0], table.dice())
    for other in legal[1:] if ends else ():
        if face(table.game, table.state, seat, other, table.dice()) == (True, shown):
            return legal[0], other
    return legal[0], None


def closed_pages(web: WebHouse, match: Match, path: str) -> Iterator[tuple[str, bytes]]:
    """Everything that the link of a closed turn answers to whoever holds it."""
    client = web.app.test_client()
    for kind in KINDS:
        yield f"GET {kind}", client.get(path, headers={"Accept": kind}).data
    again = {"order": "pass", "ply": "0", "submission": "somebody else's"}
    yield "confirm", client.post(f"{path}/confirm", data=again).data
    yield "preview", client.post(f"{path}/preview", data={"order": "pass"}).data
    yield "mail", client.post(f"{path}/mail").data
    told = client.post(path, json={"order": "pass", "submission": "somebody else's"})
    yield "POST", told.data


def after(web: WebHouse, match: Match, seat: int, move: Any) -> dict[str, bytes]:
    """What the seat's turn link shows when it has made this move."""
    path, link = web.turn_path(match, seat), web.link(match, Purpose.TURN, seat)
    order = web.table(match).game.format(move)
    turns.submit(web.service, link, order, f"{link.turn_id} {web.match(match.id).ply}")
    return dict(closed_pages(web, match, path))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(games()))
def test_a_closed_link_shows_the_same_whichever_hidden_order_was_handed_in(
    name: str, web: WebHouse, tmp_path: Path
) -> None:
    match, chance, compared = web.of_game(name), random.Random(7), Counter[str]()
    while (table := web.table(match)).open_turns and table.match.ply < PLIES:
        seat = chance.choice(sorted(table.open_turns))
        phase = table.game.phase(table.state).name
        legal = list(islice(table.game.legal_moves(table.state, seat), CHOICE))
        move, twin = legal[0], None
        if compared[phase] < COMPARED:
            move, twin = twins(table, seat, legal, chance)
        if twin is None:
            web.play(match, seat, table.game.format(chance.choice(legal)), f"{table.match.ply}")
        else:
            with world_of(web, tmp_path / f"{table.match.ply}.sqlite3") as other:
                there = after(other, match, seat, twin)

            here = after(web, match, seat, move)

            assert [place for place in here if here[place] != there[place]] == []
            compared[phase] += 1
        web.work()
    # of a plug-in's game it is not known which they are
    assert set(compared) == HIDDEN.get(name, set(compared))
