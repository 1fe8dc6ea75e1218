"""Dogs of War through the doors: whole matches, every page and mail, fields put together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import RewardKind, SoldierCounts, catalogue
from engine.games.dogs_of_war.events import Rewarded, Source
from pbem.acts import standing_orders
from pbem.looks import match_look
from pbem.mail.mailer import post_due
from pbem.mail.render import render
from pbem.present import board, board_text, event_sentences
from pbem.store.names import MailStatus, Purpose
from pbem.words.i18n import translator
from pbem.words.templating import minus
from tests.mail.kinds import every_kind
from tests.mail.office import CaptainsOffice, html_of, office_service, parsed, text_of
from tests.parts.markup import well_formed
from tests.web.dogs_of_war import DOGS, NAMES, played_to, put_state, running
from tests.web.house import WebHouse, hidden

#: Every variant in some match, and some with others.
TABLES: list[tuple[int, str, dict[str, Any]]] = [
    (3, "en", {"two_battles": True, "two_battles_fewer_influence": False}),
    (3, "es", {"crushing_at_twelve": True, "house_floor": False}),
    (4, "es", {"sudden_death": True, "sudden_death_reward": False, "victor_by": "strength"}),
    (4, "en", {"decisive_fourth_year": True, "one_soldier_a_year": True}),
    (5, "en", {"dogs": list(DOGS), "stormcrow_withdraws": "by_choice", "captain_limit": 5}),
]


# --- whole matches ---


@pytest.mark.parametrize(("seats", "language", "options"), TABLES)
def test_a_whole_match_with_every_page_on_the_way(
    web: WebHouse, client: FlaskClient, seats: int, language: str, options: dict[str, Any]
) -> None:
    match = running(web, seats, language, **options)
    phases: set[str] = set()
    words = translator(language, "dogs-of-war")

    for seat, order, ply in web.decisions(match):
        phase = web.table(match).state.table.phase
        if phase in phases and ply % 9:
            continue
        phases.add(phase)
        path = web.turn_path(match, seat)
        page = client.get(path)
        assert page.status_code == 200
        assert not re.search(
            r"<input type=\"(radio|checkbox)\"[^>]* checked", well_formed(page.text)
        )
        preview = client.post(f"{path}/preview", data={"order": order})
        assert preview.status_code == 200
        assert f"<code>{order}</code>" in well_formed(preview.text)
        counted = web.match(match.id).counted
        assert client.get(f"/m/{match.id}?ply={counted}").status_code == 200

    assert {"first player", "mustering", "action"} <= phases
    assert ("dogs of war" in phases) is ("dogs" not in options)
    if "stormcrow_withdraws" in options:
        assert {"conqueror", "withdrawal"} <= phases
    page = well_formed(client.get(f"/m/{match.id}", headers={"Accept-Language": language}).text)
    outcome = web.table(match).game.outcome(web.table(match).state)
    assert outcome is not None
    for score in outcome.scores:
        assert sum(part.points for part in score.parts) == score.total
        for part in score.parts:
            category, _, how = words.sentence(part.label).partition(": ")
            row = page.split(f'<th scope="row">{category}</th>')[1].split("</tr>")[0]
            cells = [" ".join(cell.split()) for cell in re.findall("<td>(.*?)</td>", row, re.S)]
            points = str(part.points).replace("-", "−")
            assert "-" not in how
            assert (f"{points}<small>{how}</small>" if how else points) in cells
    for variant in GAME.variants(seats, GAME.options_type(**_typed(options))):
        assert words.sentence(variant) in page


def _typed(options: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in options.items()}


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_mails_of_a_match_from_the_invitation_to_the_end(web: WebHouse, language: str) -> None:
    match = running(web, 3, language, two_battles=True)
    web.play_on(match)

    while post_due(web.service):
        pass

    sent = [mail for mail in web.mails() if mail.status == MailStatus.SENT]
    kinds = {mail.kind for mail in sent}
    assert "match_over" in kinds
    over = next(mail for mail in sent if mail.kind == "match_over")
    text = " ".join(text_of(parsed(render(web.service, over).content)).split())
    outcome = web.table(match).game.outcome(web.table(match).state)
    assert outcome is not None
    words = translator(language, "dogs-of-war")
    for score in outcome.scores:
        place = 1 + sum(other.total > score.total for other in outcome.scores)
        assert f"{place}. {NAMES[score.seat]}: {minus(score.total)} (" in text
        for part in score.parts:
            assert f"{words.sentence(part.label)} = {minus(part.points)}" in text
    points = [part.points for score in outcome.scores for part in score.parts]
    sheet = html_of(parsed(render(web.service, over).content)).split('class="sheet"')[1]
    assert min(points) < 0
    assert not re.search(r"[\s>]-\d", text + sheet.split("</table>")[0])
    assert not [mail for mail in web.mails() if mail.status == MailStatus.DEAD]


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("phase", ["first player", "mustering", "action", "conqueror"])
def test_a_turns_mail_tells_the_table_and_the_own_screen(
    web: WebHouse, phase: str, language: str
) -> None:
    match = running(web, 4, language, dogs=list(DOGS[:4]))
    seat = played_to(web, match, phase)
    mail = max(
        (mail for mail in web.mails("your_turn") if mail.seat == seat),
        key=lambda mail: mail.id or 0,
    )

    message = parsed(render(web.service, mail).content)

    [picture] = [part for part in message.walk() if part.get_content_type() == "image/png"]
    assert len(bytes(picture.get_payload(decode=True))) < 400_000
    assert len(html_of(message).encode()) < 100_000
    behind = {"en": "Behind your screen:", "es": "Detrás de tu pantalla:"}[language]
    assert behind in text_of(message)


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_kind_of_mail_can_be_made(tmp_path: Path, sqlite_url: str, language: str) -> None:
    service = office_service(tmp_path, sqlite_url)
    found = every_kind(CaptainsOffice(service), language)
    service.database.close()

    for kind, raw in found.items():
        message = parsed(raw)
        well_formed(html_of(message))
        assert not re.search(r"Sentence\(|\bNone\b|\{\w+\}", text_of(message)), kind
    title = {
        "en": "Dogs of War · dogs of war dealt by lot · sudden death",
        "es": "Dogs of War · perros de la guerra por sorteo · muerte súbita",
    }
    assert title[language] in text_of(parsed(found["your_turn"]))


# --- nobody else's business ---


@pytest.mark.parametrize("phase", ["mustering", "action", "conqueror"])
def test_pages_and_mails_show_nothing_of_other_screens(
    web: WebHouse, client: FlaskClient, phase: str
) -> None:
    """What differs only in things hidden from a seat looks the same to it, to the byte."""
    match = running(web, 4, dogs=list(DOGS[:4]))
    seat = played_to(web, match, phase)
    state, path = web.table(match).state, web.turn_path(match, seat)
    mail = next(mail for mail in reversed(web.mails("your_turn")) if mail.seat == seat)
    order = web.good_order(match, seat)

    def all_there_is() -> list[bytes]:
        return [
            client.get(path).data,
            client.get(path, headers={"Accept": "application/json"}).data,
            re.sub(
                rb'name="submission" value="[^"]*"',
                b"",
                client.post(f"{path}/preview", data={"order": order}).data,
            ),
            client.get(f"/m/{match.id}").data,
            render(web.service, mail).content,
        ]

    before = all_there_is()
    other = GAME.other_world(state, seat, SeededDice(b"another world"))
    put_state(web, match, other)

    assert other != state
    assert all_there_is() == before


# --- fields put together ---


def test_the_fields_of_an_action_become_an_order(web: WebHouse, client: FlaskClient) -> None:
    match = running(web)
    seat = played_to(web, match, "action")
    path, order = web.turn_path(match, seat), web.orders(match, seat)[0]
    soldier, house, space = order.split(" ")[:3]

    page = client.post(
        f"{path}/preview",
        data={
            "order": "",
            "pick-soldier": soldier,
            "pick-place": f"{house} {space}",
            "pick-card": "",
        },
    )

    assert page.status_code == 200
    assert hidden(page)["order"] == f"{soldier} {house} {space}"
    assert "The tracker goes from" in page.text


def test_a_script_is_told_the_order_of_what_is_picked_and_what_it_would_do(
    web: WebHouse, client: FlaskClient
) -> None:
    match = running(web)
    seat = played_to(web, match, "action")
    path, order = web.turn_path(match, seat), web.orders(match, seat)[0]
    soldier, place = order.split(" ", 1)
    json_wanted = {"Accept": "application/json"}

    whole = {"pick-soldier": soldier, "pick-place": place}
    told = client.post(f"{path}/preview", data=whole, headers=json_wanted)
    part = client.post(f"{path}/preview", data={"pick-soldier": soldier}, headers=json_wanted)

    assert told.get_json()["order"] == order
    assert "Your captain takes space" in told.get_json()["effect"]
    assert part.status_code == 422
    assert "names no house" in part.get_json()["error"]["message"]


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ({"pick-knight": "1", "pick-footman": "2"}, "buy 1 knight, 2 footmen"),
        ({"pick-war_machine": "1", "pick-knight": "0"}, "buy 1 war machine"),
        ({"pick-nothing": "nothing", "pick-footman": ""}, "buy nothing"),
    ],
)
def test_a_sheet_of_numbers_is_one_purchase(
    web: WebHouse, client: FlaskClient, fields: dict[str, str], order: str
) -> None:
    match = running(web)
    path = web.turn_path(match, played_to(web, match, "mustering"))

    page = client.post(f"{path}/preview", data=fields)

    assert hidden(page)["order"] == order
    assert "You cannot buy again this year." in page.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"pick-soldier": "knight"}, "names no house"),
        ({"pick-place": "talbot 1"}, "names no soldier"),
        ({"pick-card": ""}, "No order was given"),
        ({"pick-seat": "2"}, "no field called"),
        ({"pick-soldier": "{{ 7 * 7 }}", "pick-place": "<b>1</b>"}, "no meaning in an order"),
        ({"pick-pass": "pass", "order": "footman talbot 1"}, "Leave one of the two out"),
    ],
)
def test_fields_that_are_no_order_are_refused_with_a_sentence(
    web: WebHouse, client: FlaskClient, fields: dict[str, str], said: str
) -> None:
    match = running(web)
    path = web.turn_path(match, played_to(web, match, "action"))
    before = web.match(match.id).ply

    page = client.post(f"{path}/preview", data=fields)

    assert page.status_code == 422
    assert said in well_formed(page.text)
    assert web.match(match.id).ply == before


def test_what_was_picked_is_still_picked_after_a_refusal(
    web: WebHouse, client: FlaskClient
) -> None:
    match = running(web)
    path = web.turn_path(match, played_to(web, match, "action"))
    soldier = web.orders(match, played_to(web, match, "action"))[0].split(" ")[0]

    page = client.post(f"{path}/preview", data={"pick-soldier": soldier})

    assert re.search(rf'value="{soldier}"[^>]* checked', page.text)


def test_passing_must_be_ticked_on_its_own(web: WebHouse, client: FlaskClient) -> None:
    match = running(web)
    path = web.turn_path(match, played_to(web, match, "action"))
    before = web.match(match.id).ply
    preview = client.post(f"{path}/preview", data={"pick-pass": "pass"})
    form = hidden(preview)

    unsure = client.post(f"{path}/confirm", data=form)
    after = web.match(match.id).ply
    sure = client.post(f"{path}/confirm", data={**form, "sure": "yes"})

    assert "You give up 3 captains in your hand." in preview.text
    assert (unsure.status_code, after) == (422, before)
    assert (sure.status_code, web.match(match.id).ply) == (200, before + 1)


def test_a_space_that_is_shut_says_why(web: WebHouse, client: FlaskClient) -> None:
    match = running(web)
    seat = played_to(web, match, "action")
    others = []
    for asked, order, _ in web.decisions(match):
        others.append(order)
        if asked == seat and len(others) > 4:
            break
    page = client.get(web.turn_path(match, seat))

    assert "taken by" in page.text
    assert "You support" in page.text or "for a knight or a war machine" in page.text


# --- the worst there can be ---


def test_the_longest_lists_of_orders_make_no_page_huge(web: WebHouse, client: FlaskClient) -> None:
    match = running(web)
    rich = played_to(web, match, "mustering")
    state = web.table(match).state
    screens = list(state.screens)
    screens[rich] = replace(screens[rich], coins=99)
    put_state(web, match, replace(state, screens=tuple(screens)))
    buying = client.get(web.turn_path(match, rich))
    listed = match_look.turn(web.service, web.link(match, Purpose.TURN, rich)).listed.orders
    put_state(web, match, state)
    seat = played_to(web, match, "action")
    state = web.table(match).state
    screens = list(state.screens)
    every = tuple(sorted(catalogue("pbem-1").cards))
    screens[seat] = replace(screens[seat], tactics=every, soldiers=SoldierCounts(3, 3, 3, 3))
    put_state(web, match, replace(state, screens=tuple(screens)))
    acting = client.get(web.turn_path(match, seat))
    orders = match_look.turn(web.service, web.link(match, Purpose.TURN, seat)).listed.orders

    assert listed is None
    assert orders is not None
    assert len(orders) > 1000
    assert len(buying.data) < 150_000
    assert len(well_formed(acting.text).encode()) < 200_000


# --- standing orders ---


def test_buying_in_an_order_can_be_left_before_the_purse_is_known(web: WebHouse) -> None:
    match = running(web)
    seat = (played_to(web, match, "mustering") + 1) % 4
    link = web.link(match, Purpose.SEAT, seat)

    standing_orders.leave(web.service, link, ["buy knights then footmen"])
    asked = played_to(web, match, "mustering")
    web.play(match, asked, "buy nothing")
    web.work()

    made = web.plies(match)[-1]
    assert (made.seat, made.made_by, made.order_text) == (
        seat,
        "standing",
        "buy 2 knights, 2 footmen",
    )


def test_another_space_can_be_left_for_when_the_first_is_taken(web: WebHouse) -> None:
    match = running(web)
    first = played_to(web, match, "action")
    second = (first + 1) % 4
    state = web.table(match).state
    # a copy on the second space would ask which one it copies
    plain = {
        side.house.value
        for battle in state.table.battles
        for side in battle.sides
        if side.tile not in (6, 8)
    }
    order = next(one for one in web.orders(match, first) if set(one.split()) & plain)
    house, space = order.split(" ")[-2:]
    screens = list(state.screens)
    screens[second] = replace(screens[second], soldiers=SoldierCounts(footman=2))
    put_state(web, match, replace(state, screens=tuple(screens)))

    standing_orders.leave(
        web.service,
        web.link(match, Purpose.SEAT, second),
        [f"footman {house} {space}", f"footman {house} 2", "pass"],
    )
    web.play(match, first, order)
    web.work()

    made = web.plies(match)[-1]
    assert (made.seat, made.made_by, made.order_text) == (second, "standing", f"footman {house} 2")


# --- words and pictures ---


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_event_has_a_sentence_and_every_table_a_picture(seats: int, language: str) -> None:
    dice, words = SeededDice(b"captains"), translator(language, "dogs-of-war")
    options = GAME.options_type(
        dogs=DOGS[:seats], stormcrow_withdraws="by_choice", sudden_death=True
    )
    step, number = GAME.setup(seats, options, dice), 0

    while True:
        told = event_sentences("dogs-of-war", step.events, NAMES, words)
        assert len(told) == len(step.events)
        assert not [text for text in told if re.search(r"[{}_]|\bNone\b", text)]
        if GAME.outcome(step.state) is not None:
            break
        if number % 12 == 0:
            view = GAME.view(step.state, 1)
            drawn = board("dogs-of-war", view, NAMES[:seats], words, you=1, events=step.events)
            text = board_text("dogs-of-war", view, NAMES[:seats], words, you=1)
            assert drawn is not None
            well_formed(str(drawn))
            assert NAMES[1] in text
        seat, number = min(GAME.phase(step.state).pending), number + 1
        legal = tuple(GAME.legal_moves(step.state, seat))
        move = GAME.choose(GAME.view(step.state, seat), legal, SeededDice(b"%d" % number))
        step = GAME.apply(step.state, seat, move, dice)

    assert board("dogs-of-war", GAME.view(step.state, None), NAMES[:seats], words) is not None


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("coins_per_captain", "No captain is on the other side: it brings no coins."),
        ("push", "The space does not push the tracker."),
        ("captain", "It brings no captain: nobody has more of them in a year."),
        ("knight", "There is none of the reward left."),
    ],
)
@pytest.mark.parametrize("source", ["space", "copy"])
def test_a_space_that_brings_nothing_says_why(source: Source, kind: str, said: str) -> None:
    """DOW-24, 58, 59, 61."""
    event = Rewarded(seat=0, source=source, kind=RewardKind(kind), got=0, battle=0)
    words = translator("en", "dogs-of-war")

    assert event_sentences("dogs-of-war", [event], NAMES, words) == (said,)


def test_the_rules_say_which_components_are_this_projects_own(client: FlaskClient) -> None:
    page = client.get("/rules/dogs-of-war")
    box = catalogue("pbem-1").components

    assert "not the published components" in well_formed(page.text)
    for card in box.tactics:
        copies = rf'>{card.name}</th>\s*<td class="figure">{card.copies}</td>'
        assert re.search(copies, page.text)
    rows = re.findall(r'<tr>\s*<th scope="row">', page.text)
    assert len(rows) >= len(box.tiles) + len(box.tactics) + 4
