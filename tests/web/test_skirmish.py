"""The skirmish through the doors: whole matches, every page and mail, and no secret in any."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.errors import IllegalMove
from engine.games.skirmish import GAME, moves
from engine.games.skirmish.data.library import library
from engine.games.skirmish.state import Device, State
from pbem.mail.mailer import post_due
from pbem.mail.render import Unwanted, render
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import MailStatus, Purpose
from tests.mail.office import html_of, parsed, text_of
from tests.parts.markup import well_formed
from tests.web.house import WebHouse, found, hidden
from tests.web.skirmish import face_to_face, played_to, put_state, running, state_of

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("en", {"turn_limit": 2}),
    ("es", {"table": "bridge", "scenario": "night-raid", "deployment": "turns", "turn_limit": 2}),
    ("en", {"table": "generated", "scenario": "screen", "turn_limit": 1, "points": 250}),
    ("es", {"table": "compound", "scenario": "clash", "turn_limit": 1, "hidden_enemies": False}),
]
BUILD = "build rangers (1: claymore)"


# --- whole matches ---


@pytest.mark.parametrize(("language", "options"), TABLES)
def test_a_whole_match_with_every_page_on_the_way(
    web: WebHouse, client: FlaskClient, language: str, options: dict[str, Any]
) -> None:
    match = running(web, language, **options)
    stages: set[str] = set()

    for seat, order, ply in web.decisions(match):
        state = state_of(web, match)
        stage = state.stage if state.active is None else "orders"
        if stage in stages and ply % 11:
            continue
        stages.add(stage)
        path = web.turn_path(match, seat)
        page = client.get(path)
        assert page.status_code == 200
        assert "skirmish-map" in well_formed(page.text)
        assert len(page.data) < 300_000
        told = client.get(path, headers={"Accept": "application/json"}).get_json()
        assert told["orders"] is None
        assert told["example_orders"]
        preview = client.post(f"{path}/preview", data={"order": order})
        assert preview.status_code == 200
        well_formed(preview.text)
        assert client.get(f"/m/{match.id}").status_code == 200
        counted = web.match(match.id).counted
        assert client.get(f"/m/{match.id}?ply={counted}").status_code == 200

    assert {"building", "deployment", "initiative", "activation", "orders"} <= stages
    end = client.get(f"/m/{match.id}", headers={"Accept-Language": language})
    for model in state_of(web, match).models:
        assert f'data-place="{model.name}"' in well_formed(end.text)


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_mails_of_a_match_from_the_invitation_to_the_end(web: WebHouse, language: str) -> None:
    match = running(web, language, turn_limit=1, points=250)
    stages = set()
    for seat, _, _ in web.decisions(match):
        stage = state_of(web, match).stage
        if stage in stages:
            continue
        stages.add(stage)
        mail = [mail for mail in web.mails("your_turn") if mail.seat == seat][-1]
        message = parsed(render(web.service, mail).content)
        [picture] = [part for part in message.walk() if part.get_content_type() == "image/png"]
        assert len(bytes(picture.get_payload(decode=True))) < 400_000
        assert len(html_of(message).encode()) < 100_000
        assert not re.search(r"Sentence\(|\bNone\b|\{\w+\}", text_of(message))

    while post_due(web.service):
        pass

    sent = {mail.kind for mail in web.mails() if mail.status == MailStatus.SENT}
    assert "match_over" in sent
    assert not [mail for mail in web.mails() if mail.status == MailStatus.DEAD]


def test_the_same_link_takes_one_order_after_the_other(web: WebHouse, client: FlaskClient) -> None:
    match = running(web)
    seat = played_to(web, match, "activation")
    path = web.turn_path(match, seat)
    who = "alpha" if seat == 0 else "bravo"

    for order in (f"activate {who}", f"{who}-1 face 90", f"{who}-2 prone", f"{who} end"):
        preview = client.post(f"{path}/preview", data={"order": order})
        done = client.post(f"{path}/confirm", data=hidden(preview))
        assert (preview.status_code, done.status_code) == (200, 200)
        assert order in done.text
        web.work()

    assert web.waiting(match) == [1 - seat]


def test_what_may_be_chosen_on_the_page_can_be_read(web: WebHouse, client: FlaskClient) -> None:
    """Every order that a page offers stands."""
    match = running(web, points=500)
    seat = played_to(web, match, "activation", ply=14)
    while state_of(web, match).active is None:
        web.play(match, seat, web.good_order(match, seat), "begin")
        web.work()
        seat = web.waiting(match)[0]
    path, state = web.turn_path(match, seat), state_of(web, match)

    for name in state.active.members:
        offered = offered_by(client.get(path, query_string={"about": name}).text)
        assert any(order.startswith(f"{name} ") for order in offered)
        assert [order for order in offered if refused(state, seat, order)] == []


def offered_by(page: str) -> list[str]:
    """The orders of a page's choices and lists."""
    lists = re.findall(r'<select[^>]* name="order">(.*?)</select>', page, re.DOTALL)
    listed = [o for one in lists for o in re.findall(r'<option value="([^"]+)"', one)]
    return re.findall(r'name="order" value="([^"]+)"', page) + listed


def refused(state: State, seat: int, order: str) -> IllegalMove | None:
    """Why the rules refuse an order, if they do; what cannot be read is an error."""
    try:
        GAME.parse(state, seat, order)
    except IllegalMove as error:
        return error
    return None


# --- nobody else's business ---


@pytest.mark.parametrize(
    ("stage", "ply"), [("building", 1), ("deployment", 4), ("activation", 9), ("activation", 40)]
)
def test_pages_and_mails_show_nothing_that_is_hidden(
    web: WebHouse, client: FlaskClient, stage: str, ply: int
) -> None:
    """What differs only in things hidden from a seat looks the same to it, to the byte."""
    match = running(web)
    seat = played_to(web, match, stage, ply)
    state, path = state_of(web, match), web.turn_path(match, seat)
    mail = [mail for mail in web.mails("your_turn") if mail.seat == seat][-1]

    def all_there_is() -> list[bytes]:
        return [
            client.get(path).data,
            client.get(path, headers={"Accept": "application/json"}).data,
            client.get(f"/m/{match.id}").data,
            render(web.service, mail).content,
        ]

    before = all_there_is()
    other = GAME.other_world(state, seat, SeededDice(b"another world"))
    put_state(web, match, other)

    assert other != state
    assert all_there_is() == before


def test_an_enemys_charges_are_on_no_page_until_the_end(web: WebHouse, client: FlaskClient) -> None:
    match = running(web, turn_limit=1)
    seat = played_to(web, match, "activation")
    state, path = state_of(web, match), web.turn_path(match, seat)
    mine = Device("mine-77", "mine", 1 - seat, "x-1", 24_000, 24_000, "ground")
    own = Device("claymore-78", "claymore", seat, "x-1", 20_000, 24_000, "ground")
    put_state(web, match, _with_devices(state, mine, own))

    page, table = client.get(path).text, client.get(f"/m/{match.id}").text

    assert "mine-77" not in page + table
    assert "claymore-78" in page
    assert "claymore-78" not in table


def _with_devices(state: State, *devices: Device) -> State:
    return replace(state, devices=devices)


def test_no_byte_that_others_get_holds_a_hidden_order(web: WebHouse, client: FlaskClient) -> None:
    """Deployment, mine and Op-Fire of one side: in no page, mail, record or answer of the other."""
    match = running(web, table="compound")
    hidden_words: list[str] = []

    def play(seat: int, order: str, *secret: str) -> None:
        web.play(match, seat, order, f"order {web.match(match.id).ply}")
        web.work()
        for reader in (1 - seat, None):
            got = everything_for(web, client, match, reader)
            # what was kept from before is the first player's, who may see it
            kept = () if reader == 0 else hidden_words
            words = (*kept, *secret)
            found = [(word, place) for word in words for place in got if word in got[place]]
            assert found == []
            assert len(got) > 12
        hidden_words.extend(secret)

    play(0, "build rangers (1: mine)", "(1: mine)")
    hidden_words.clear()
    play(1, "build rangers")
    play(web.waiting(match)[0], "side south")
    own = GAME.default_move(state_of(web, match), 0)
    places = GAME.format(own).removeprefix("deploy ").split("; ")
    play(0, GAME.format(own), *places)
    hidden_words.clear()
    play(1, GAME.format(GAME.default_move(state_of(web, match), 1)))
    seen = {contact.model for contact in state_of(web, match).contacts[1] if contact.seen}
    hidden_words += [place for place in places if place.split()[0] not in seen]
    chooser = web.waiting(match)[0]
    play(chooser, GAME.format(moves.Initiative(chooser == 0)))
    if web.waiting(match) == [1]:
        play(1, "bravo end")
    play(0, "activate alpha")
    man = state_of(web, match).model("alpha-1")
    assert man is not None
    spot = f"{man.x / 1000:g},{man.y / 1000 + 0.9:g}"
    play(0, f"alpha-1 place mine at {spot}", "mine-1", spot, "place mine")
    play(0, "alpha-2 opfire range 24 chance 40", "opfire", "range 24", "chance 40")

    assert len(hidden_words) > 6


def everything_for(
    web: WebHouse, client: FlaskClient, match: Match, seat: int | None
) -> dict[str, str]:
    """All that a seat (None: onlookers and the host) can get hold of now, as text, by its place."""
    ply = web.match(match.id).counted
    paths = [f"/m/{match.id}", f"/m/{match.id}?log=all", f"/m/{match.id}/record"]
    paths += [f"/api/matches/{match.id}", f"/api/matches/{match.id}/record"]
    paths += [f"/m/{match.id}?ply={number}" for number in range(max(0, ply - 3), ply + 1)]
    if seat is None:
        paths.append(web.path(match, Purpose.HOST, links.HOST))
    else:
        paths.append(web.path(match, Purpose.SEAT, seat))
        paths += [web.turn_path(match, seat)] if seat in web.waiting(match) else []
    out = {}
    for path in paths:
        for kind in ("text/html", "application/json"):
            answer = client.get(path, headers={"Accept": kind})
            assert answer.status_code == 200, path
            out[f"{path} {kind}"] = answer.text
    if seat is not None and seat in web.waiting(match):
        tried = client.post(f"{web.turn_path(match, seat)}/preview", data={"order": "nonsense"})
        out["a refusal"] = tried.text
    number = links.HOST if seat is None else seat
    for mail in web.mails():
        if mail.seat == number:
            try:
                message = parsed(render(web.service, mail).content)
            except Unwanted:
                continue
            out[f"mail {mail.id}"] = str(message["Subject"]) + text_of(message) + html_of(message)
    return out


def activated(web: WebHouse, client: FlaskClient) -> tuple[str, str]:
    """The page of a turn in which a team was activated, and that team."""
    match = running(web)
    seat = played_to(web, match, "activation")
    who, path = ("alpha", "bravo")[seat], web.turn_path(match, seat)
    client.post(path, json={"order": f"activate {who}", "submission": "a team"})
    return path, who


def test_the_answer_to_an_order_does_not_say_who_else_reads_it(
    web: WebHouse, client: FlaskClient
) -> None:
    path, who = activated(web, client)

    answer = client.post(path, json={"order": f"{who}-1 prone", "submission": "a man"})

    assert answer.get_json()["events"] == [{"kind": "stood", "who": f"{who}-1", "prone": True}]


def test_in_the_middle_of_a_turn_programs_read_what_has_come_of_it_and_pages_since_when(
    web: WebHouse, client: FlaskClient
) -> None:
    path, who = activated(web, client)
    client.post(path, json={"order": f"{who}-1 prone", "submission": "a man"})

    known = client.get(path, headers={"Accept": "application/json"}).get_json()
    page = client.get(path).text

    assert known["moves"][-2:] == [f"activate {who}", f"{who}-1 prone"]
    assert [event["kind"] for event in known["events"]][-2:] == ["activated", "stood"]
    assert "Nothing since your last move." in page


def test_a_force_is_unknown_until_both_are_built(web: WebHouse, client: FlaskClient) -> None:
    match = running(web)
    web.play(match, 0, BUILD)
    web.work()

    others = client.get(web.turn_path(match, 1)).text + client.get(f"/m/{match.id}").text

    assert "(1: claymore)" not in others
    assert "Alice has built a force." in others


def test_every_ready_made_force_can_be_built(web: WebHouse, client: FlaskClient) -> None:
    match = running(web, points=700)
    page = client.get(web.turn_path(match, 0)).text
    offered = re.findall(r'name="order" value="([^"]+)"', page)

    refusals = [refused(state_of(web, match), 0, order) for order in offered]

    assert len(offered) > 5
    assert not any(refusals)


def test_when_it_is_over_the_replay_shows_both_sides(web: WebHouse, client: FlaskClient) -> None:
    match = running(web, turn_limit=1, points=250)
    ply = 0
    for _, _, now in web.decisions(match):
        if state_of(web, match).stage == "activation" and not ply:
            ply = now
            live = client.get(f"/m/{match.id}?ply={ply}").text
            seen = set(re.findall(r'data-place="([^"]+)" data-seat', live))

    replayed = client.get(f"/m/{match.id}?ply={ply}").text

    names = {model.name for model in state_of(web, match).models}
    assert set(re.findall(r'data-place="([^"]+)" data-seat', replayed)) == names
    assert seen <= names


# --- the rules, and words of the service ---


def test_what_is_not_as_usual_stands_in_the_title_in_the_readers_language(
    web: WebHouse, client: FlaskClient
) -> None:
    match = running(web, "es", table="bridge", jump_test=True)

    page = client.get(f"/m/{match.id}", headers={"Accept-Language": "es"}).text

    assert "Mesa: puente" in page
    assert "Los saltos exigen una prueba de fuerza: sí" in page


def test_the_replay_counts_moves_in_spanish_not_steps_of_a_man(
    web: WebHouse, client: FlaskClient
) -> None:
    """The skirmish has a heading of its own that is called “Move” in English, too."""
    match = running(web, "es")
    web.play(match, 0, "build rangers")

    page = client.get(f"/m/{match.id}", headers={"Accept-Language": "es"}).text

    assert 'aria-label="Jugada"' in page


def test_health_points_have_their_spanish_letters_in_lists_too(client: FlaskClient) -> None:
    page = client.get("/rules/skirmish", headers={"Accept-Language": "es"}).text

    assert ">PV</th>" in page
    assert ">HP</th>" not in page


def rows_of(client: FlaskClient, tag: str = "tr") -> dict[str, str]:
    """The rows of the tables of weapons and lists by name, each as one line of text."""
    page = re.sub(r"\s+", " ", client.get("/rules/skirmish").text)
    found = re.findall(r"<tr> ?<th scope=\"row\">.*?<code>(.*?)</code></th>(.*?)</tr>", page)
    return {name: re.sub(r"\s+", " ", re.sub("<.*?>", "", cells)).strip() for name, cells in found}


def test_the_table_of_weapons_has_what_the_rules_ask_for(client: FlaskClient) -> None:
    """SKR-10, 43, 93, 94: difficulty, AP to reload, cover and armour."""
    rows = rows_of(client)

    assert rows["m16a2"].endswith("4 −1 7/3 30 2")
    assert rows["m16a2"].startswith("15 3*")
    assert "8 + 6/5/4/3 −3 9/7 1 5" in rows["rpg-7"]
    assert rows["rpg-7"].startswith("50/25*")


def test_a_star_marks_each_value_of_the_source(client: FlaskClient) -> None:
    """SKR-38, 104, 110, 120: of grenades and bare hands, too."""
    rows = rows_of(client)

    assert "throw 3*, 1" in rows["m67"]
    assert "15*: −1" in rows["m67"]
    assert "5/4/3*" in rows["m67"]
    assert "2 AP*" in rows["unarmed"]


def test_the_table_of_lists_has_both_guns_of_a_gunner(client: FlaskClient) -> None:
    """SKR-14: as in the list of the source."""
    rows = rows_of(client)

    assert "m249 / m60e3" in rows["rangers"]
    assert "rpd / rpk" in rows["militia"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_rules_have_the_tables_of_the_engine(client: FlaskClient, language: str) -> None:
    client.post("/language", data={"language": language, "back": "/"})

    page = well_formed(client.get("/rules/skirmish").text)

    for weapon in library().weapons:
        assert f"<code>{weapon}</code>" in page
    for list_ in library().factions.values():
        assert f"<code>{list_.name}</code>" in page
    assert "SKR-" not in page


def test_a_crowded_turn_is_answered_at_once(web: WebHouse, client: FlaskClient) -> None:
    """A page of an activation with all AP left is no heavier than a picture, and not slow."""
    match = running(web, points=1000)
    seat = played_to(web, match, "activation")
    who = state_of(web, match).models[0 if seat == 0 else -1].team
    web.play(match, seat, f"activate {who}", "begin")
    web.work()
    path = web.turn_path(match, seat)
    client.get(path)

    begun = time.process_time()
    page = client.get(path)

    assert time.process_time() - begun < 5
    assert len(page.data) < 300_000


def test_a_preview_that_dice_decide_shows_the_table_before_the_move(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat = face_to_face(web)
    shot = next(order for order in web.orders(match, seat) if " fire " in order)

    page = client.post(f"{web.turn_path(match, seat)}/preview", data={"order": shot})

    figure = found(page, r'(?s)<figure class="boardbox as-is"(.*?)</figure>')
    assert 'class="ground"' in figure
    assert "The table before this move" in figure
    assert "or less hits" in page.text
