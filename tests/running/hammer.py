"""Asks one thing of many threads at once, and then of one: ``python -m tests.running.hammer``.

Each line that it reads names what is asked, in a fork of its own, because what is not made for
threads may end it. The threads come first, so that they also meet whatever is made when it is first
asked for. Written is how the fork ended: 0 when they were told the same as the one.
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice

from engine import codec
from engine.dice import NoDice
from engine.errors import OrderError
from engine.game import Game
from engine.games import registry
from engine.games.dogs_of_war.box import components
from engine.games.skirmish.data.library import library
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground import terrain as ground
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.movement import reach
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight
from engine.games.skirmish.sight.spotting import _look_around, _sights, share, sights_now
from engine.testing import Moment, moments
from pbem.mail import pictures, render
from pbem.present import times
from pbem.present.pictures import board, board_text
from pbem.words import i18n, templating

THREADS = 4
NAMES = ("Alice", "Bob", "Carol", "Dave")

#: From a number the same answer, whoever asks.
Question = Callable[[int], object]


def shapes(number: int) -> object:
    """The ground, the rubble and the solids of the village, with ways across them."""
    village, chance = ground.terrain(library().tables["village"]), random.Random(number)
    a, b, c = (_point(chance) for _ in "abc")
    return (
        [place.allows([a, b]) for place in village.grounds.values()],
        [place.holds(a) for place in village.climbing.values()],
        village.grounds[ground.GROUND].allowed_legs([(a, b), (b, c)]),
        village.rubble.length_of([a, b, c]),
        village.rubble.lengths_of([[a, b, c], [b, c]]),
        village.rubble.holds(a),
        village.index.crossed(a, b),
        village.index.touched([a, b, c]),
    )


def _point(chance: random.Random) -> Point:
    return chance.randrange(1000, 47000), chance.randrange(1000, 47000)


def orders(number: int) -> object:
    """Walks of whoever is active, as a door reads them."""
    chance, state = random.Random(number), _activation()
    who = chance.choice(state.active.members)
    x, y = (place / 1000 + chance.uniform(-6, 6) for place in state.model(who).at)
    try:
        return registry.find("skirmish").parse(
            state, state.chooser, f"{who} walk to {max(0, x):.1f},{max(0, y):.1f}"
        )
    except OrderError as error:
        return str(error)


def ways(number: int) -> object:
    """How far it is on a lattice, and the next leg there."""
    chance, state = random.Random(number), _activation()
    terrain = ground.terrain(state.table)
    man = state.model(chance.choice(state.active.members))
    return reach.toward(terrain, man, _point(chance), 6000)


def sights(number: int) -> object:
    """Who of two models notices whom, while threads ask the same of all others."""
    play = Play(_activation(), NoDice(), "")
    chance, models = random.Random(number), list(play.models.values())
    watcher, target = chance.sample(models, 2)
    now = sights_now(play)
    return share(now, watcher.name, target.name), _look_around(now, watcher.seat, None, None)


@cache
def _activation():  # type: ignore[no-untyped-def]
    game = registry.find("skirmish")
    found = next(m.state for m in moments(game, 2, seed="1") if m.state.active is not None)
    for cached in (
        ground.terrain,
        reach.lattice,
        reach.field,
        sight._look,
        _sights,
        share,
        _look_around,
    ):
        cached.cache_clear()
    return found


def tables(number: int) -> object:
    """What seats see of each game, and what they may do."""
    game, now = _moments()[number % len(_moments())]
    seat = number % now.seats
    return (
        codec.encode(game.view(now.state, seat)),
        [game.format(move) for move in islice(game.legal_moves(now.state, seat), 20)],
        components.catalogue(components.DEFAULT_SET).digest,
    )


def pages(number: int) -> object:
    """Boards in words and drawn, and instants, in both languages."""
    game, now = _moments()[number % len(_moments())]
    name, words = game.meta.name, i18n.translator(("en", "es")[number % 2], game.meta.name)
    view, names = game.view(now.state, 0), NAMES[: now.seats]
    at = datetime(2026, 6, 2, tzinfo=UTC) + timedelta(hours=number)
    return (
        board(name, view, names, words),
        board_text(name, view, names, words),
        str(times.Moment(at, ("Europe/Madrid", "America/Lima")[number % 2], words)),
    )


@cache
def _moments() -> list[tuple[Game, Moment]]:  # type: ignore[type-arg]
    return [
        (game, now)
        for game in registry.games().values()
        for now in islice(moments(game, min(game.meta.seats), seed="2", every=3), 6)
    ]


def drawings(number: int) -> object:
    """Boards of which something is kept, on which something moves, that push one another out."""
    pictures._boards.most, pictures._pieces.most = 3_000_000, 50_000
    pictures._unpacked.most = 50_000
    pictures._patches.most, pictures._bands.most = 20_000, 20_000
    pictures._grounds.most = 1_000
    text = f'<text x="9" y="{number % 3 * 30 + 20}">{number % 3}</text>'
    moving = (
        f'<g class="moving" data-box="-9 -9 18 18" transform="translate({number * 7 % 90} 50)">'
        f'<circle r="8" fill="#123456"/><text y="4">{number % 5}</text></g>'
    )
    return pictures.draw(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99">{text}{moving}</svg>'
    )


def mails(number: int) -> object:
    """A page with its styles put on the elements."""
    return render.inlined(
        f"<html><head><style>p {{ margin: {number}px }} .a {{ color: red }}</style></head>"
        f'<body><p class="a">{number}</p></body></html>'
    )


#: What is asked, and how often by each thread.
QUESTIONS: dict[str, tuple[Question, int]] = {
    "shapes": (shapes, 1000),
    "orders": (orders, 2000),
    "ways": (ways, 40),
    "sights": (sights, 2000),
    "tables": (tables, 40),
    "pages": (pages, 20),
    "drawings": (drawings, 12),
    "mails": (mails, 300),
}


def ask(question: Question, times: int) -> bool:
    """Whether threads that ask all at once hear what one alone hears."""
    heard: list[list[object]] = [[] for _ in range(THREADS)]
    begin = threading.Barrier(THREADS)

    def run(answers: list[object]) -> None:
        begin.wait()
        answers.extend(question(number) for number in range(times))

    asking = [threading.Thread(target=run, args=(answers,)) for answers in heard]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    for kept in (geometry._covered, geometry._length_in, geometry._crossed):
        kept.cache_clear()
    alone = [question(number) for number in range(times)]
    return all(answers == alone for answers in heard)


def main() -> None:
    for what in sys.stdin:
        child = os.fork()
        if not child:
            # threads that wait for each other are a failure, and it says where
            faulthandler.dump_traceback_later(120, exit=True)
            sys.exit(not _hears_the_same(what.strip()))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _hears_the_same(what: str) -> bool:
    sys.setswitchinterval(1e-4)
    with tempfile.TemporaryDirectory() as folder:
        # the threads compile the templates, too, and write what others read
        templating.environment().bytecode_cache.directory = folder
        return ask(*QUESTIONS[what])


if __name__ == "__main__":
    main()
