"""How much a match asks of people: decisions, forced moves, mails.

Bots play for people, and turns are counted as the service opens them: a seat with one legal move is
not asked, and a seat that stays pending uses the same link.
"""

from __future__ import annotations

import time

from engine.dice import SeededDice
from engine.games.registry import AnyGame, games
from pbem.bench._rounds import BenchOptions, Figures

#: Most matches of each form.
MATCHES = 200


def measure(asked: BenchOptions) -> Figures:
    """For each form of each game whose moves can be listed, the means of one match: ``decisions``,
    ``forced`` and ``mails``, over so many ``matches``.
    """
    forms = [
        (game, seats)
        for game in games().values()
        if game.meta.exhaustive
        for seats in game.meta.seats
    ]
    found: Figures = {}
    for game, seats in forms:
        case = f"{game.meta.name}, {seats} seats"
        asked.say(case)
        until = time.perf_counter() + asked.seconds / len(forms)
        counted: list[tuple[int, int, int]] = []
        while len(counted) < MATCHES and (not counted or time.perf_counter() < until):
            counted.append(play(game, seats, len(counted)))
        found[case] = {"matches": len(counted)}
        for place, figure in enumerate(("decisions", "forced", "mails")):
            total = sum(match[place] for match in counted)
            found[case][figure] = round(total / len(counted), 1)
    return found


def play(game: AnyGame, seats: int, number: int) -> tuple[int, int, int]:
    """Plays one match; returns its decisions, its forced moves and the turn mails it took."""
    key = f"pace {game.meta.name} {seats} {number}"
    state = game.setup(seats, game.options_type(), SeededDice.from_text(key)).state
    decisions = forced = mails = 0
    asked: set[int] = set()
    while game.outcome(state) is None:
        pending = sorted(game.phase(state).pending)
        asked &= set(pending)
        only = {seat: game.only_move(state, seat) for seat in pending}
        seat = next((seat for seat in pending if only[seat] is not None), pending[0])
        move = only[seat]
        if move is not None:
            forced += 1
        else:
            # all who have to decide now are asked at once
            mails += len(set(pending) - asked)
            asked |= set(pending)
            dice = SeededDice.from_text(f"{key} {decisions}")
            legal = tuple(game.legal_moves(state, seat))
            move = game.choose(game.view(state, seat), legal, dice, game.meta.bots[-1])
            decisions += 1
        state = game.apply(state, seat, move, SeededDice.from_text(key)).state
    return decisions, forced, mails
