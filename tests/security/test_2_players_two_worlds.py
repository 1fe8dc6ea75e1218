"""Threat 2.1: two matches that differ only in a secret look the same to the others, to the byte.

Every registered game is played at random; now and then the state is exchanged for one that differs
only in what a seat cannot know, and every page, answer and mail of that seat, of an onlooker and of
the host is compared.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as replace_fields
from sqlmodel import col, select

from engine.codec import encode
from engine.dice import SeededDice
from engine.games.registry import BUILT_IN, games
from pbem.acts import outbox
from pbem.acts.matches import Person
from pbem.clock import ManualClock
from pbem.mail.render import render
from pbem.people import sweep as company
from pbem.people import talk
from pbem.store import links, match_log
from pbem.store.models import Link, Mail, Match, Ply
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import address, by
from tests.web.conftest import web_service
from tests.web.house import WebHouse

KINDS = ("text/html", "application/json")
MOMENTS = 3
#: Plies between two looks, and legal moves from which one is chosen.
PLIES = 7
CHOICE = 12
#: The host plays in none of these matches.
GINA = Person(name="Gina", email=address("gina"))


def play(web: WebHouse, match: Match, chance: random.Random) -> None:
    """Some random moves, by the links of whoever is asked."""
    for _ in range(PLIES):
        waiting = web.waiting(match)
        if not waiting:
            return
        seat = chance.choice(waiting)
        table = web.table(match)
        moves = list(islice(table.game.legal_moves(table.state, seat), CHOICE))
        order = table.game.format(chance.choice(moves))
        web.play(match, seat, order, f"{table.match.ply}")
        web.work()


def looks(web: WebHouse, match: Match, seat: int | None) -> Iterator[tuple[str, bytes]]:
    """All that this seat (None: the host, and anybody) is shown, with where."""
    client = web.app.test_client()
    if seat is None:
        paths = [f"/m/{match.id}", f"/m/{match.id}?log=all", f"/api/matches/{match.id}"]
        paths += [f"/api/matches/{match.id}/record", web.path(match, Purpose.HOST, links.HOST)]
    else:
        paths = [web.path(match, Purpose.SEAT, seat)]
        if seat in web.waiting(match):
            paths.append(web.turn_path(match, seat))
    for path in paths:
        for kind in KINDS:
            yield f"{path} as {kind}", client.get(path, headers={"Accept": kind}).data
    for mail in mails(web, match, seat):
        yield f"mail {mail.kind}", render(web.service, mail).content


def shown_to(web: WebHouse, match: Match, seat: int | None) -> dict[str, bytes]:
    """A seat's own pages and mails, and those for everybody: a player can open these, too."""
    return {**dict(looks(web, match, None)), **dict(looks(web, match, seat))}


def mails(web: WebHouse, match: Match, seat: int | None) -> list[Mail]:
    """One mail of each of some kinds that could go to this seat or to the host now."""
    now, turn = web.clock.now(), None if seat is None else web.table(match).open_turns.get(seat)
    number = links.HOST if seat is None else seat
    kind = "host_link" if seat is None else "your_turn" if turn else "seat_link"
    with web.service.database.write("test") as session:
        outbox.owe(
            session,
            kind,
            f"worlds:{kind}:{number}:{web.match(match.id).counted}",
            now,
            match_id=match.id,
            seat=number,
            turn_id=turn.id if turn else None,
        )
    with web.service.database.read() as session:
        found = session.exec(
            select(Mail).where(
                Mail.dedupe == f"worlds:{kind}:{number}:{web.match(match.id).counted}"
            )
        ).all()
    return list(found)


def exchange(web: WebHouse, match: Match, state: Any) -> None:
    with web.service.database.write("test") as session:
        row = session.get(Match, match.id)
        assert row is not None
        row.state_json = encode(state).decode()
        session.add(row)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(games()))
def test_what_differs_only_in_a_secret_looks_the_same_to_the_others(
    name: str, web: WebHouse
) -> None:
    match, chance, differed = web.of_game(name, host=GINA), random.Random(5), 0
    for moment in range(MOMENTS):
        table = web.table(match)
        for seat in (None, moment % table.match.seat_count):
            here = shown_to(web, match, seat)
            dice = SeededDice.from_text(f"{name} {moment} {seat}")
            world = table.game.other_world(table.state, seat, dice)
            differed += world != table.state
            exchange(web, match, world)

            there = shown_to(web, match, seat)

            exchange(web, match, table.state)
            changed = [place for place, data in here.items() if there[place] != data]
            assert changed == []
            assert len(here) >= 3
        play(web, match, chance)
    # a game from outside may have no secrets, and then it has one world
    assert differed >= MOMENTS or (not differed and name not in BUILT_IN)


#: Random moves made in two worlds, of each game.
MOVES = 6


def twin(web: WebHouse, home: Path) -> WebHouse:
    """The same service once more, on a copy of everything."""
    home.mkdir()
    url = f"sqlite:///{home / 'pbem.sqlite3'}"
    with closing(sqlite3.connect(web.file)) as old, closing(sqlite3.connect(url[10:])) as new:
        old.backup(new)
    service = replace(web_service(home, url), clock=ManualClock(web.clock.now()))
    return WebHouse(service)


def made(web: WebHouse, match: Match, seat: int, order: str) -> dict[str, bytes]:
    """The answer to a move, and all that its seat and everybody are shown after it."""
    move = {"order": order, "submission": "in two worlds"}
    answer = web.app.test_client().post(web.turn_path(match, seat), json=move)
    assert answer.status_code == 200, answer.text
    web.work()
    told = {"answer": answer.data, **shown_to(web, match, seat)}
    return {place: without_heads(data) for place, data in told.items()}


def without_heads(data: bytes) -> bytes:
    """What is shown, but for heads of the log: they cover what is hidden, and a salt, so they
    differ and nobody can tell why. A mail's lines are as they were before its encoding.
    """
    return HEAD.sub(b"head", data.replace(b"=\r\n", b"").replace(b"=\n", b""))


HEAD = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{12,16}(?=\W)")


def by_the_rules(web: WebHouse, match: Match, seat: int, since: int) -> list[Any]:
    """What the seat and everybody see now, and have read since a ply, as the engine gives it.

    A move may show what was hidden, and so may those that follow without asking anybody (a hand
    with nothing to play): then the worlds are not the same to the seat any more.
    """
    table, read = web.table(match), []
    with web.service.database.read() as session:
        rows = session.exec(
            select(Ply).where(Ply.match_id == match.id, Ply.ply > since).order_by(col(Ply.ply))
        ).all()
    for who in (seat, None):
        events = [event for row in rows for event in match_log.read_events(match, row, who)]
        alike = [replace_fields(event, readers=None) for event in events]
        read.append((encode(table.game.view(table.state, who)), alike))
    return [*read, sorted(table.game.phase(table.state).pending)]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(games()))
def test_a_move_is_answered_and_told_alike_in_two_worlds(
    name: str, web: WebHouse, tmp_path: Path
) -> None:
    """Where a seat reads the same of a move by the rules, no door tells it more."""
    match, chance, compared, worlds = web.of_game(name, host=GINA), random.Random(7), 0, 0
    for number in range(MOVES):
        if not web.waiting(match):
            match = web.of_game(name, host=GINA)
        table, seat = web.table(match), chance.choice(web.waiting(match))
        game, since = table.game, table.match.ply
        world = game.other_world(table.state, seat, SeededDice.from_text(f"{name} {number}"))
        move = chance.choice(list(islice(game.legal_moves(table.state, seat), CHOICE)))
        worlds += world != table.state
        if world != table.state and move in set(islice(game.legal_moves(world, seat), CHOICE)):
            other = twin(web, tmp_path / f"{number}")
            exchange(other, match, world)
            there = made(other, match, seat, game.format(move))
            here = made(web, match, seat, game.format(move))
            if by_the_rules(web, match, seat, since) == by_the_rules(other, match, seat, since):
                assert [place for place, data in here.items() if there[place] != data] == []
                compared += 1
            other.service.database.close()
        play(web, match, chance)
    assert compared >= MOVES // 2 or (not worlds and name not in BUILT_IN)


def with_words(web: WebHouse, match: Match) -> None:
    """What only Bob and Carol know: a word, a note and a mute."""
    here = web.service
    talk.say(here, by(here, match.id, 1), 2, "Let us sink Alice together.", "between two")
    talk.say(here, by(here, match.id, 2), 1, "Yes!", "between two")
    talk.write_note(here, by(here, match.id, 1), "Carol can be trusted, for now.")
    talk.mute(here, by(here, match.id, 2), 0, on=True)


def to_all_but_two(web: WebHouse, match: Match) -> dict[str, bytes]:
    """What Alice, the host, the operator and anybody are shown."""
    client = web.app.test_client()
    web.log_in(client)
    operators = client.get(f"/operator/match/{match.id}").data
    told = {**shown_to(web, match, 0), "operator": TOKEN.sub(b"", operators)}
    for step in (0, web.match(match.id).counted):
        told[f"step {step}"] = client.get(f"/m/{match.id}?ply={step}&log=all").data
    eyes = "" if web.match(match.id).ended_at is None else "&eyes=2"
    for step in range(web.match(match.id).counted + 1):
        told[f"eyes {step}"] = client.get(f"/m/{match.id}/step?ply={step}{eyes}").data
    last = [mail for mail in web.mails("match_aborted") if mail.seat in (0, links.HOST)]
    return told | {f"the last mail {one.seat}": render(web.service, one).content for one in last}


TOKEN = re.compile(rb'name="csrf_token" value="[^"]*"')


@pytest.mark.slow
def test_words_between_two_and_notes_look_like_nothing_to_all_others(
    web: WebHouse, tmp_path: Path
) -> None:
    """While it runs, after a move, when mails of words are owed, and when the match is over."""
    match = web.of_game("dogs-of-war", host=GINA)
    talk.say(web.service, by(web.service, match.id, 0), "table", "Good evening", "to all")
    other = twin(web, tmp_path / "with words")
    for then in ("said", "played", "over"):
        for house in (web, other):
            if then == "said" and house is other:
                with_words(house, match)
            if then == "played":
                seat = house.waiting(match)[0]
                house.play(match, seat, house.good_order(match, seat), "in both")
                house.work()
                house.clock.move(talk.PATIENCE)
                company.sweep(house.service)
            if then == "over":
                remedies.abort(house.service, match.id, actor="host")

        here, there = (to_all_but_two(house, match) for house in (web, other))

        assert [place for place, data in here.items() if there[place] != data] == [], then
        assert len(here) > 8
        for reader in (1, 2):
            own = web.path(match, Purpose.SEAT, reader)
            pages = [house.app.test_client().get(own).data for house in (web, other)]
            assert pages[0] != pages[1], then
    other.service.database.close()


def test_every_turn_link_is_told_to_its_own_seat_only(web: WebHouse) -> None:
    """Of all living links, a seat's pages and mails hold its own and nobody else's."""
    match = web.of_game("dog", host=GINA)
    with web.service.database.read() as session:
        rows = session.exec(select(Link).where(Link.match_id == match.id)).all()
    codes = {links.token(web.service.keys, row).partition("-")[2]: row.seat for row in rows}

    for seat in (None, *range(match.seat_count)):
        own = links.HOST if seat is None else seat
        for place, data in looks(web, match, seat):
            # a mail's text is folded by its encoding: the lines are joined before they are read
            text = data.replace(b"=\r\n", b"").replace(b"=\n", b"").decode("utf-8", "replace")
            found = {codes[code] for code in codes if code in text}
            assert found <= {own}, place
