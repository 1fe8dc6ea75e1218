"""The turn link: look, choose, preview, confirm; for people and for programs."""

from __future__ import annotations

import html
import re

import msgspec
import pytest
from flask.testing import FlaskClient

from engine.games.registry import BUILT_IN
from pbem import present
from pbem.store.names import Purpose
from pbem.web.orders import narrowed, plain
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.parts.questions import counted
from tests.web.house import WebHouse, hidden
from tests.web.skirmish import activated


def form_after(text: str, button: str) -> dict[str, str]:
    """The hidden fields of the form that holds this button."""
    form = next(part for part in text.split("<form")[1:] if button in part)
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))


def test_the_page_shows_the_hand_the_deadline_and_nothing_chosen(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()

    page = client.get(web.turn_path(match, 0))

    assert page.status_code == 200
    assert "Your move" in page.text
    assert (
        page.text.count('title="Friday, 5 June 2026, 12:00 UTC">Fri 5 Jun, 12:00</time> UTC') >= 2
    )
    assert re.search(r"<svg[^>]*\bboard\b", page.text)
    radios = re.findall(r'<input type="radio"[^>]*>', page.text)
    assert radios
    assert not [radio for radio in radios if "checked" in radio]


@pytest.mark.parametrize("page", ["preview", "confirm"])
def test_a_tab_that_is_opened_again_after_a_form_shows_the_turn_and_plays_nothing(
    web: WebHouse, client: FlaskClient, page: str
) -> None:
    match = web.running()
    path, before = web.turn_path(match, 0), len(web.plies(match))

    answer = client.get(f"{path}/{page}", follow_redirects=True)

    assert answer.request.path == path
    assert answer.status_code == 200
    assert len(web.plies(match)) == before


def test_a_move_is_previewed_then_confirmed_and_gets_a_receipt(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]

    preview = client.post(f"{path}/preview", data={"order": order})
    before = web.match(match.id).ply
    done = client.post(f"{path}/confirm", data=hidden(preview))

    assert preview.status_code == 200
    assert before == 0
    assert done.status_code == 200
    assert "Your move was made" in done.text
    assert order in done.text
    assert [ply.order_text for ply in web.plies(match)][1:] == [order]


def test_from_the_receipt_a_slip_is_two_steps_away_and_its_link_goes_by_mail(
    web: WebHouse, client: FlaskClient
) -> None:
    """The turn's link is closed by now and may be in other hands: it takes nothing back itself."""
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]
    form = hidden(client.post(f"{path}/preview", data={"order": order}))

    receipt = client.post(f"{path}/confirm", data=form)
    client.post(f"{path}/mail")

    assert "Mail me my seat&#39;s page" in receipt.text
    assert web.token(web.link(match, Purpose.SEAT, 0)) not in receipt.text
    assert [mail.seat for mail in web.mails("seat_link")] == [0]


def test_the_button_of_the_receipt_mails_the_seats_page_though_a_turn_is_open_again(
    web: WebHouse, client: FlaskClient
) -> None:
    match, mover, _following = web.before_a_choice()
    link = web.link(match, Purpose.TURN, mover)
    path = f"/t/{web.token(link)}"
    form = {"order": web.good_order(match, mover), "ply": web.match(match.id).ply}
    receipt = client.post(f"{path}/confirm", data={**form, "submission": "one"})
    web.work()
    while mover not in web.waiting(match):
        web.play(match, web.waiting(match)[0], web.good_order(match, web.waiting(match)[0]))
        web.work()
    before = len(web.mails())

    asked = client.post(f"{path}/mail", data=form_after(receipt.text, "Mail me my seat"))
    client.post(f"{path}/mail")

    assert "Your link is on its way to the address on file." in asked.text
    assert [(mail.kind, mail.seat) for mail in web.mails()[before:]] == [
        ("seat_link", mover),
        ("your_turn", mover),
    ]


def test_the_page_of_an_open_turn_links_the_seats_own_page_and_a_closed_one_does_not(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)

    shown = client.get(path)
    web.play(match, 0)
    closed = client.get(path)

    assert f'href="{web.path(match, Purpose.SEAT, 0)}"' in shown.text
    assert "/s/" not in closed.text


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_turn_is_read_by_four_questions(web: WebHouse, client: FlaskClient, accept: str) -> None:
    """The link with what is beside the turn, the table, the plies, the acts."""
    path = web.turn_path(web.running(), 0)
    client.get(path)

    with counted() as asked:
        shown = client.get(path, headers={"Accept": accept})

    assert (shown.status_code, len(asked)) == (200, 4)


def test_after_confirming_the_page_is_called_after_the_move_that_was_made(
    web: WebHouse, client: FlaskClient
) -> None:
    """A screen reader says the title first."""
    match = web.running()
    path = web.turn_path(match, 0)
    form = hidden(client.post(f"{path}/preview", data={"order": web.orders(match, 0)[0]}))

    done = client.post(f"{path}/confirm", data=form)

    assert "<title>Your move was made" in done.text
    assert "is closed" not in done.text


def test_a_page_begins_with_what_came_of_the_one_before(web: WebHouse, client: FlaskClient) -> None:
    """A screen reader says its title first, so no options of the match stand in it."""
    match = web.of_game("skirmish")
    seat = web.waiting(match)[0]
    path = web.turn_path(match, seat)

    asked = client.get(path)
    refused = client.post(f"{path}/preview", data={"order": "build nothing <b>"})

    game = "Dogs of War: Modern Skirmish Combat</title>"
    assert f"<title>Your move · {game}" in asked.text
    problem = refused.text.partition('id="problem"')[2].partition("<strong>")[2]
    assert f"<title>{problem.partition('</strong>')[0]} · Your move · {game}" in refused.text


def test_confirming_twice_makes_one_move_and_shows_the_same_receipt(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)
    form = hidden(client.post(f"{path}/preview", data={"order": web.orders(match, 0)[0]}))

    pages = [client.post(f"{path}/confirm", data=form) for _ in range(2)]

    assert [page.status_code for page in pages] == [200, 200]
    assert pages[0].text == pages[1].text
    assert web.match(match.id).ply == 1


def test_an_illegal_order_is_refused_with_the_rule_and_kept(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()

    page = client.post(f"{web.turn_path(match, 0)}/preview", data={"order": "give Z"})

    assert page.status_code == 422
    assert 'value="give Z"' in page.text
    assert 'role="alert"' in page.text
    assert web.match(match.id).ply == 0


def test_a_page_sent_with_nothing_chosen_moves_nothing(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = web.turn_path(match, 0)

    pages = [client.post(f"{path}/preview", data={"order": ""}), client.post(f"{path}/confirm")]

    assert [page.status_code for page in pages] == [422, 422]
    assert web.match(match.id).ply == 0


def test_a_closed_turn_shows_the_move_and_the_public_table_only(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)
    web.play(match, 0)

    page = client.get(path)
    again = client.post(f"{path}/preview", data={"order": "give A"})

    assert page.status_code == 200
    assert "This turn is closed" in page.text
    assert "Dog" not in page.text.split('class="state"')[1].split("<figure")[0], "it is above"
    assert "Your hand" not in page.text
    assert again.status_code == 409


def test_an_order_for_a_closed_turn_is_said_once_to_have_come_too_late(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)
    first, other = web.orders(match, 0)[:2]
    asked = {"ply": str(web.match(match.id).ply)}
    client.post(f"{path}/confirm", data={**asked, "order": first, "submission": "first"})

    page = client.post(f"{path}/confirm", data={**asked, "order": other, "submission": "other"})
    shown = page.text.partition("<h1>")[2]

    assert page.status_code == 409
    assert shown.count("This turn is closed") == 1
    assert "What you sent now was not played." in shown


def test_a_hidden_order_stays_hidden_on_its_closed_link_until_the_match_is_over(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]
    web.play(match, 0, order)

    pages = [client.get(path), client.get(path, headers={"Accept": "application/json"})]
    remedies.abort(web.service, match.id, actor="host")
    after = client.get(path)

    assert not [page for page in pages if order in page.text]
    assert "Alice has chosen what to give." in pages[0].text
    known = pages[1].get_json()
    assert known["moves"] == []
    assert [event["kind"] for event in known["events"]] == ["handed_in"]
    assert order in after.text


def test_a_closed_turn_mails_the_current_link_to_the_address_on_file(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)
    web.play(match, 0)
    before = len(web.mails())

    pages = [client.post(f"{path}/mail") for _ in range(3)]

    assert {page.status_code for page in pages} == {200}
    new = web.mails()[before:]
    assert [(mail.kind, mail.seat, mail.address) for mail in new] == [("seat_link", 0, None)]


def test_a_stale_page_is_told_to_look_again(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]

    page = client.post(f"{path}/confirm", data={"order": order, "ply": "99", "submission": "one"})

    assert page.status_code == 409
    assert "moved on" in page.text


def test_a_long_list_of_orders_is_narrowed_by_links_that_only_look(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.turn_path(match, 0)
    web.play_on(match, plies=60, without=-1)
    seat = web.waiting(match)[0]
    path = web.turn_path(match, seat)

    page = client.get(path)
    steps = re.findall(r'href="(/t/[^"#]+\?begin=[^"#]+)#move"', page.text)
    deeper = [client.get(step.replace("&amp;", "&")) for step in steps]

    assert page.status_code == 200
    assert all(one.status_code == 200 and "one step back" in one.text for one in deeper)


def test_a_player_reads_the_page_in_the_language_of_the_seat(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(language="es")

    page = client.get(web.turn_path(match, 0), headers={"Accept-Language": "en"})

    assert '<html lang="es">' in page.text
    assert "Te toca" in page.text


# --- programs ---


def test_a_program_sees_the_turn_as_json(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()

    answer = client.get(web.turn_path(match, 1), headers={"Accept": "application/json"})

    known = answer.get_json()
    assert {name: known[name] for name in ("match", "game", "seat", "phase", "ply", "status")} == {
        "match": match.id,
        "game": "dog",
        "seat": 1,
        "phase": "exchange",
        "ply": 0,
        "status": "open",
    }
    assert known["due_at"] == "2026-06-05T12:00:00+00:00"
    assert known["orders"] == web.orders(match, 1)
    assert set(known["example_orders"]) <= set(known["orders"])
    assert known["view"]["seat"] == 1


def test_a_program_submits_once_and_gets_the_same_answer_again(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]

    answers = [
        client.post(path, json={"order": order, "submission": "mine", "ply": 0}) for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].data == answers[1].data
    known = answers[0].get_json()
    assert (known["accepted"], known["ply"], known["order"]) == (True, 1, order)
    assert [event["kind"] for event in known["events"]] == ["gave", "handed_in"]


def test_a_program_is_told_that_the_turn_is_closed(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]
    web.play(match, 0)

    answer = client.post(path, json={"order": order, "submission": "another"})
    seen = client.get(path, headers={"Accept": "application/json"}).get_json()

    assert answer.status_code == 409
    assert answer.get_json()["error"]["code"] == "turn_closed"
    assert (seen["status"], seen["orders"], seen["view"]["hand"]) == ("closed", None, None)


def test_a_preview_is_told_as_json_in_the_language_of_the_seat(
    web: WebHouse, client: FlaskClient
) -> None:
    """The pages' scripts ask for it; what a browser prefers is not what its player chose."""
    match = web.running(language="es")
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]
    asks = {"Accept": "application/json", "Accept-Language": "en"}

    told = client.post(f"{path}/preview", data={"order": order.upper()}, headers=asks)
    refused = client.post(f"{path}/preview", data={"order": "give nothing"}, headers=asks)

    assert told.get_json()["order"] == order
    assert told.get_json()["sentences"][0].startswith("Das ")
    assert refused.status_code == 422
    assert refused.get_json()["error"]["message"].startswith("Un regalo se escribe como en give ")
    assert web.match(match.id).ply == 0


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"order": "5 12-17", "submission": "a"}, 422, "illegal"),
        ({"order": "hello", "submission": "a"}, 422, "unreadable"),
        ({"order": "", "submission": "a"}, 422, "input"),
        ({"order": "give A"}, 422, "input"),
        ({"order": "give A", "submission": "a", "seat": 2}, 422, "input"),
        ({"order": "give A", "submission": "", "ply": 0}, 422, "input"),
        ({"order": "give A", "submission": "a", "ply": 7}, 409, "stale"),
        ({"order": 7, "submission": "a"}, 422, "input"),
    ],
)
def test_what_a_program_cannot_hand_in(
    web: WebHouse, client: FlaskClient, body: dict[str, object], status: int, code: str
) -> None:
    match = web.running()

    answer = client.post(web.turn_path(match, 0), json=body)

    assert answer.status_code == status
    error = answer.get_json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert set(error) == {"code", "rule", "message"}
    assert web.match(match.id).ply == 0


def test_an_unknown_field_is_named(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    body = {"order": "give A", "submission": "a", "deadline_at": "never"}

    answer = client.post(web.turn_path(match, 0), json=body)

    assert "deadline_at" in answer.get_json()["error"]["message"]


def test_a_token_of_another_purpose_opens_no_turn(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    tokens = [
        web.path(match, Purpose.SEAT, 0)[3:],
        web.path(match, Purpose.HOST, -1)[3:],
        "x",
        "1-" + "a" * 32,
    ]

    pages = [client.get(f"/t/{token}") for token in tokens]

    assert {page.status_code for page in pages} == {404}
    assert len({page.data for page in pages}) == 1


# --- games without pages of their own ---


def test_a_game_without_templates_gets_a_plain_page_that_plays(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.words.templating.of_game", lambda game, name: None)
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]

    page = client.get(path)
    preview = client.post(f"{path}/preview", data={"order": order})
    done = client.post(f"{path}/confirm", data=hidden(preview))

    assert "Choose an order" in page.text
    assert f'value="{order}"' in page.text
    assert "data-board" not in page.text
    assert "Alice: gave, cards" in preview.text
    assert "Your move was made" in done.text


def test_many_orders_are_narrowed_word_by_word() -> None:
    orders = [f"7 {first}-{first + 1} {second}-9" for first in range(9) for second in range(9)]
    orders += ["7", "discard", "K out"]

    start = narrowed(plain(orders))
    deeper = narrowed(plain(orders), "7 0-1")
    elsewhere = narrowed(plain(orders), "8 0-1")

    assert [option.order for option in start.options] == ["7", "discard", "K out"]
    assert [(step.begin, step.count) for step in start.steps] == [("7", 82)]
    assert (len(deeper.options), deeper.steps) == (9, ())
    assert (deeper.begin, deeper.back) == ("7 0-1", "7")
    assert elsewhere == start


def test_words_that_all_orders_share_are_no_step_of_their_own() -> None:
    orders = [f"give 7 {first} {second}" for first in "ABCDE" for second in "FGHIJK"]

    found = narrowed(plain(orders))

    assert [step.begin for step in found.steps] == [f"give 7 {first}" for first in "ABCDE"]


def test_every_order_can_be_reached_by_the_links() -> None:
    orders = [f"{a} {b} {c}" for a in "ABC" for b in "DEFGH" for c in "IJKLM"] + ["A", "A D"]

    def reached(begin: str) -> set[str]:
        found = narrowed(plain(orders), begin, most=6)
        return {option.order for option in found.options}.union(
            *(reached(step.begin) for step in found.steps)
        )

    assert reached("") == set(orders)


def test_a_move_chosen_and_another_one_written_is_refused(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    one, other = web.orders(match, 0)[:2]

    page = client.post(f"{web.turn_path(match, 0)}/preview", data={"order": [one, f" {other} "]})
    same = client.post(f"{web.turn_path(match, 0)}/preview", data={"order": [one, one]})

    assert page.status_code == 422
    assert "Leave one of the two out" in page.text
    assert same.status_code == 200


def test_a_seat_that_must_decide_again_is_asked_after_the_receipt(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the rules keep the same seat pending, its turn stays open and asks the next thing."""
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[0]
    game = web.table(match).game
    phase = type(game).phase
    monkeypatch.setattr(
        type(game),
        "phase",
        lambda self, state: msgspec.structs.replace(
            phase(self, state), pending=phase(self, state).pending | {0}
        ),
    )

    preview = client.post(f"{path}/preview", data={"order": order})
    page = client.post(f"{path}/confirm", data=hidden(preview))

    assert "It is still your turn" in page.text
    assert f"Your move was made: {order}" in page.text


def test_a_program_that_sends_no_json_is_answered_in_json(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()

    answer = client.post(web.turn_path(match, 0), data={"order": "give A"})

    assert answer.status_code == 415
    assert answer.get_json()["error"]["code"] == "content_type"


@pytest.mark.parametrize("game", BUILT_IN)
def test_scripts_find_the_board_each_choice_and_the_button_that_goes_on(
    game: str, web: WebHouse, client: FlaskClient
) -> None:
    match = activated(web)[0] if game == "skirmish" else web.of_game(game)
    seat = web.waiting(match)[0]
    path, order = web.turn_path(match, seat), web.good_order(match, seat)

    page = client.get(path).text
    preview = client.post(f"{path}/preview", data={"order": order}).text

    chosen = {html.unescape(text) for text in re.findall(r'data-choice="([^"]+)"', page)}
    assert "data-board" in page
    assert page.count("data-primary") == preview.count("data-primary") == 1
    assert len(chosen) >= 2


def test_a_turn_whose_clock_is_stopped_by_a_pause_says_until_when(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    remedies.pause(web.service, match.id, "30h", actor="host")

    page = client.get(web.turn_path(match, 0))

    assert "The clock is stopped because the match is paused." in page.text
    assert "It goes on by itself: Wednesday, 3 June 2026, 18:00 UTC." in page.text


def test_a_turn_that_is_overdue_says_until_when_it_still_can_be_played(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(zone="Europe/Madrid")
    seat = web.waiting(match)[0]
    path = web.turn_path(match, seat)

    before = client.get(path).text
    web.wait(days=4)
    after = client.get(path).text

    final = web.turn(match, seat).final_at
    assert final is not None
    assert re.search(r'class="until">\s*until <time[^>]*>Fri 5 Jun, 14:00</time>', before)
    when = present.Moment(final, "Europe/Madrid", translator("en")).short
    said = rf'class="until overdue">\s*overdue: until <time[^>]*>{when}</time> at the latest'
    assert re.search(said, after)
