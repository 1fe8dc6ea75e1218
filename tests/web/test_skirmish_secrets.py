"""Attacks on what is hidden: whatever an order is tried with, two worlds answer the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish.events import Moved
from engine.games.skirmish.notation import write
from engine.games.skirmish.state import Activation, Device, Model, State
from pbem import present
from pbem.acts import going_back
from pbem.mail.render import render
from pbem.people import talk
from pbem.record.verify import verify
from pbem.store import match_log
from pbem.store.models import Match
from pbem.store.names import Actor
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.parts.cast import NAMES, by
from tests.security.test_2_players_two_worlds import shown_to, twin, without_heads
from tests.web.house import WebHouse
from tests.web.skirmish import face_to_face, played_to, put_state, running, state_of
from tests.web.test_signing_in import signed_in

#: What a preview holds that is drawn anew for each.
DRAWN = re.compile(r'name="submission" value="[^"]+"')
JSON = {"Accept": "application/json"}
NAMING = ("fire {}", "throw m67 at {}", "attack {}", "bandage {}", "carry {}", "demand {}")
GOING = ("walk to {}", "run to {}", "throw m67 at {}", "fire {} with m203")


def in_the_middle(web: WebHouse) -> tuple[Match, int]:
    """An activation in which some are in sight, and not everybody."""
    match = running(web, points=500)
    for seat, _, _ in web.decisions(match):
        state = state_of(web, match)
        foes = sum(model.seat != seat for model in state.models)
        if state.active is not None and 0 < len(unseen(state, seat)) < foes:
            return match, seat
    raise AssertionError("everybody is in sight, or nobody")


def begun(state: State, seat: int) -> Any:
    return next(move for move in GAME.legal_moves(state, seat) if write(move).startswith("act"))


def unseen(state: State, seat: int) -> list[Model]:
    """The enemies that the seat does not have in sight."""
    seen = {contact.model for contact in state.contacts[seat] if contact.seen}
    return [model for model in state.models if model.seat != seat and model.name not in seen]


def attacks(state: State, other: State, seat: int) -> Iterator[str]:
    """Orders that try for those out of sight: by name, and at the spots of both worlds."""
    assert state.active is not None
    name = state.active.members[0]
    hidden = unseen(state, seat)
    for foe in hidden[:3]:
        yield from (f"{name} {text.format(foe.name)}" for text in NAMING)
        yield f"{name} opfire at {foe.name}"
        yield f"{foe.name} prone"
    names = {model.name for model in hidden[:2]}
    for model in (*state.models, *other.models):
        if model.name in names:
            spot = f"{model.x / 1000:g},{model.y / 1000:g}"
            yield from (f"{name} {text.format(spot)}" for text in GOING)
    yield from (f"{name} {text}" for text in ("opfire", "prone", "trigger mine-7", "face 90"))
    yield f"{state.active.who} end"


def test_no_preview_tells_two_worlds_apart(web: WebHouse, client: FlaskClient) -> None:
    """Refusals, costs, chances and what a blast takes in: on the page and as JSON."""
    match, seat = in_the_middle(web)
    state, path = state_of(web, match), web.turn_path(match, seat)
    state = replace(state, devices=(mine(state, seat),))
    other = GAME.other_world(state, seat, SeededDice(b"elsewhere"))
    orders = list(attacks(state, other, seat))

    def answers() -> list[tuple[int, str]]:
        got = []
        for order in orders:
            for kind in ("text/html", "application/json"):
                answer = client.post(
                    f"{path}/preview", data={"order": order}, headers={"Accept": kind}
                )
                got.append((answer.status_code, DRAWN.sub("", answer.text)))
        return got

    put_state(web, match, state)
    here = answers()
    put_state(web, match, other)
    there = answers()

    assert unseen(state, seat)
    assert other.devices != state.devices
    assert {status for status, _ in here} == {200, 422}
    assert [
        orders[number // 2]
        for number, (one, two) in enumerate(zip(here, there, strict=True))
        if one != two
    ] == []


def mine(state: State, seat: int) -> Device:
    owner = next(model.name for model in state.models if model.seat != seat)
    return Device("mine-7", "mine", 1 - seat, owner, 24_000, 24_000, "ground")


def test_no_answer_picture_or_help_tells_two_worlds_apart(
    web: WebHouse, client: FlaskClient
) -> None:
    """The view and its orders as JSON, the phase and ply, the record, the picture, the help."""
    match, seat = in_the_middle(web)
    state, path = state_of(web, match), web.turn_path(match, seat)
    state = replace(state, devices=(mine(state, seat),))
    mail = [mail for mail in web.mails("your_turn") if mail.seat == seat][-1]
    doors = [path, f"/m/{match.id}", f"/m/{match.id}/record", f"/api/matches/{match.id}"]

    def got() -> list[bytes]:
        answers = [
            client.get(door, headers={"Accept": kind}).data
            for door in doors
            for kind in ("text/html", "application/json")
        ]
        view = GAME.view(state_of(web, match), seat)
        helped = present.help_text("skirmish", view, translator("en", "skirmish"))
        assert helped
        return [*answers, render(web.service, mail).content, helped.encode()]

    put_state(web, match, state)
    here = got()
    put_state(web, match, GAME.other_world(state, seat, SeededDice(b"elsewhere")))

    assert got() == here


def hidden_orders(name: str) -> list[str]:
    """What somebody out of sight can do without anybody else's reading of it."""
    return [f"{name} face {degrees}" for degrees in (10, 350, 20, 340, 30)]


def begun_activation(web: WebHouse) -> tuple[Match, int, Activation]:
    """A match by night: a seat has begun an activation out of sight, and given no order yet."""
    match = running(web, points=250, night=True)
    seat = played_to(web, match, "activation")
    web.play(match, seat, GAME.format(begun(state_of(web, match), seat)), "begin")
    web.work()
    state = state_of(web, match)
    assert state.active is not None
    assert set(state.active.members) <= {model.name for model in unseen(state, 1 - seat)}
    return match, seat, state.active


def give(web: WebHouse, match: Match, seat: int, orders: list[str]) -> list[int]:
    """Hands the orders in as a program does, each with the ply it saw; the plies it is told."""
    client, told = web.app.test_client(), []
    for order in orders:
        path = web.turn_path(match, seat)
        ply = client.get(path, headers=JSON).get_json()["ply"]
        answer = client.post(path, json={"order": order, "submission": order, "ply": ply})
        assert answer.status_code == 200, answer.text
        told.append(answer.get_json()["ply"])
        web.work()
    return told


def told_to(web: WebHouse, match: Match, seat: int) -> dict[str, bytes]:
    """All that a seat, an onlooker and the host are shown; heads of the log always differ."""
    return {place: without_heads(data) for place, data in shown_to(web, match, seat).items()}


def test_nobody_else_can_tell_one_hidden_order_from_five(web: WebHouse, tmp_path: Path) -> None:
    """Numbers of plies, the record, pages and mails, in an activation and after it.

    Also the lines between them: what the host does about the talk meanwhile.
    """
    match, seat, active = begun_activation(web)
    other, orders = twin(web, tmp_path / "twin"), hidden_orders(active.members[0])

    give(web, match, seat, orders[:1])
    give(other, match, seat, orders)
    for house in (web, other):
        said = talk.say(
            house.service, by(house.service, match.id, 1 - seat), "table", "Are you there?", "once"
        )
        talk.hide(house.service, match.id, talk.sign(said), "Hurries others", actor=Actor.HOST)
        talk.allow(house.service, match.id, False, actor=Actor.HOST)
    during = [told_to(house, match, 1 - seat) for house in (web, other)]
    for house in (web, other):
        give(house, match, seat, [f"{active.who} end"])
    after = [told_to(house, match, 1 - seat) for house in (web, other)]

    assert other.match(match.id).ply == web.match(match.id).ply + 4
    assert 1 - seat in web.waiting(match)
    for here, there in (during, after):
        assert [place for place, data in here.items() if there[place] != data] == []
    other.service.database.close()


def picture_at_home(web: WebHouse, name: str) -> str:
    found = re.search(r"/home/picture/[^\"]+", signed_in(web, name).get("/home").text)
    assert found is not None
    return found[0]


def test_the_address_of_ones_picture_counts_no_hidden_order_of_others(
    web: WebHouse, tmp_path: Path
) -> None:
    """Whoever has moved since then; their own hidden order gives them another picture."""
    match, seat, active = begun_activation(web)
    other, orders = twin(web, tmp_path / "twin"), hidden_orders(active.members[0])
    rival, name = 1 - seat, NAMES[1 - seat]
    for house, given in ((web, orders[:1]), (other, orders)):
        give(house, match, seat, [*given, f"{active.who} end"])
    begins = GAME.format(begun(state_of(web, match), rival))
    for house in (web, other):
        give(house, match, rival, [begins])

    first, there = (picture_at_home(house, name) for house in (web, other))
    model = next(one for one in state_of(web, match).models if one.seat == rival)
    give(web, match, rival, hidden_orders(model.name)[:1])

    assert web.seat(match, rival).told_ply != other.seat(match, rival).told_ply
    assert first == there
    assert picture_at_home(web, name) != first
    other.service.database.close()


def test_whoever_moves_in_secret_is_told_of_every_ply_and_when_it_is_stale(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, active = begun_activation(web)
    path, before = web.turn_path(match, seat), web.match(match.id).ply

    told = give(web, match, seat, hidden_orders(active.members[0]))
    known = client.get(f"/api/matches/{match.id}").get_json()["ply"]
    late = {"order": f"{active.who} end", "submission": "late"}
    answers = [client.post(path, json={**late, "ply": told[-1] + by}) for by in (-1, 1, 0)]

    assert told == [before + number for number in range(1, 6)]
    assert [answer.status_code for answer in answers] == [409, 409, 200]
    assert known == before
    assert client.get(f"/api/matches/{match.id}").get_json()["ply"] == before + 1


def test_the_operator_sets_back_by_the_log_and_the_table_is_told_by_its_own_numbers(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, active = begun_activation(web)
    began = web.match(match.id).ply
    told = give(web, match, seat, [*hidden_orders(active.members[0]), f"{active.who} end"])
    web.log_in(client)

    page = client.get(f"/operator/match/{match.id}").text
    going_back.roll_back(web.service, match.id, told[2], actor="operator")
    web.work()

    assert f'<span class="ply">{told[-1]}</span>' in page
    line = f"The operator set the match back to move {began}."
    assert line in client.get(f"/m/{match.id}").text
    assert json.loads(web.mails("rolled_back")[0].data_json)["back_to"] == began
    assert client.get(f"/api/matches/{match.id}").get_json()["ply"] == began + 2


def test_when_the_match_is_over_each_ply_has_its_own_number(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, active = begun_activation(web)
    give(web, match, seat, hidden_orders(active.members[0]))
    during = client.get(f"/api/matches/{match.id}/record").get_json()

    remedies.abort(web.service, match.id, actor="host")

    match, known = web.match(match.id), client.get(f"/api/matches/{match.id}").get_json()
    record = client.get(f"/api/matches/{match.id}/record")
    assert [entry["ply"] for entry in during["entries"]] == list(range(match.ply - 4))
    assert during["chain_head"] == during["entries"][-1]["hash"]
    assert (known["ply"], known["chain_head"]) == (match.ply, match.chain_head)
    assert [entry["ply"] for entry in record.get_json()["entries"]] == list(range(match.ply + 1))
    assert verify(record.data).wrong == ()
    assert client.get(f"/m/{match.id}?ply={match.ply}").status_code == 200


def test_when_the_match_is_over_a_way_that_both_saw_is_told_once_to_the_other(
    web: WebHouse,
) -> None:
    match, seat = face_to_face(web)
    team = "alpha" if seat == 0 else "bravo"
    north = 1 if seat == 0 else -1
    man = state_of(web, match).model(f"{team}-1")
    web.play(match, seat, f"{team}-1 walk to {man.x / 1000:g},{man.y / 1000 - north:g}", "walk")
    ply = web.plies(match)[-1]

    remedies.abort(web.service, match.id, actor="host")

    told = match_log.read_events(web.match(match.id), ply, 1 - seat)
    assert [event.who for event in told if isinstance(event, Moved)] == [f"{team}-1"]
