"""Back from the page that confirms a move leads to the page of the turn with what was chosen."""

from __future__ import annotations

import re
from html import unescape

from flask.testing import FlaskClient
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from tests.parts.cast import people
from tests.web import dogs_of_war, skirmish
from tests.web.dogs_of_war import DOGS
from tests.web.house import WebHouse, found
from tests.web.skirmish import activated


def back(page: TestResponse) -> str:
    """Where the preview's Back leads to."""
    assert page.status_code == 200
    return unescape(found(page, r'<a class="button quiet" href="([^"]+)">Back'))


def back_by_form(client: FlaskClient, page: TestResponse) -> TestResponse:
    """The page to which Back leads where it is a button of a form of its own."""
    assert '<input type="submit" class="button quiet" form="again" name="back"' in page.text
    form = found(page, r'(?s)(<form id="again".*?</form>)')
    fields = MultiDict[str, str]()
    for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', form):
        fields.add(unescape(name), unescape(value))
    fields["back"] = "Back"
    action = re.findall(r'action="([^"]*)"', form)[0]
    return client.post(action, data=fields)


def checked(page: TestResponse) -> list[str]:
    """The values of what is chosen in lists."""
    boxes = re.findall(r"<input\s[^>]*\schecked[^>]*>", page.text)
    options = re.findall(r"<option\s[^>]*\sselected[^>]*>", page.text)
    return [re.findall(r'value="([^"]*)"', one)[0] for one in (*boxes, *options)]


def test_an_order_of_the_list_is_chosen_there_again_and_a_typed_one_typed(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[1]

    # the list and the field share a name, and the field comes last
    of_list = client.get(back(client.post(f"{path}/preview", data={"order": [order, ""]})))
    typed = client.get(back(client.post(f"{path}/preview", data={"order": ["", order]})))

    assert checked(of_list) == [order]
    assert f'value="{order}"\n' not in of_list.text
    assert "Start again" in of_list.text
    assert checked(typed) == []
    assert re.search(rf'id="order"[^>]*\svalue="{order}"', typed.text)


def test_what_was_begun_in_a_long_list_is_still_begun(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path, order = web.turn_path(match, 0), web.orders(match, 0)[1]
    begin = order.split()[0]

    data = {"order": [order, ""], "begin": begin}
    page = client.get(back(client.post(f"{path}/preview", data=data)))

    assert f'name="begin" value="{begin}"' in page.text
    assert checked(page) == [order]


def test_boxes_of_one_name_are_all_ticked_again(web: WebHouse, client: FlaskClient) -> None:
    options = {"dogs": list(DOGS), "stormcrow_withdraws": "by_choice"}
    match = web.running(game="dogs-of-war", seats=people(5), options=options)
    seat = dogs_of_war.played_to(web, match, "withdrawal")
    path = web.turn_path(match, seat)
    houses = re.findall(r'name="pick-leave"\s+value="([^"]+)"', client.get(path).text)[:-1]

    answer = client.post(f"{path}/preview", data={"pick-leave": houses, "order": ""})

    assert houses
    assert checked(client.get(back(answer))) == houses


def test_a_list_comes_back_with_its_last_order_chosen(web: WebHouse, client: FlaskClient) -> None:
    match, seat, team = activated(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    data = {
        "queue": f"{team}-1 prone",
        "order": ["", f"{team}-2 prone", ""],
        "about": f"{team}-2",
    }

    page = client.get(back(client.post(f"{path}/preview", data=data)))

    assert f'name="queue" value="{team}-1 prone"' in page.text
    assert f'name="about" value="{team}-2"' in page.text
    assert f"{team}-2 prone" in checked(page)
    assert len(web.plies(match)) == before


def test_an_end_leads_back_to_the_orders_before_it(web: WebHouse, client: FlaskClient) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)
    data = {"queue": f"{team}-1 prone", "order": [f"{team} end", ""]}

    page = client.get(back(client.post(f"{path}/preview", data=data)))

    assert f'name="queue" value="{team}-1 prone"' in page.text
    assert f"{team} end" in checked(page)


def test_a_watch_comes_back_with_its_fields(web: WebHouse, client: FlaskClient) -> None:
    match, seat, _ = activated(web)
    path = web.turn_path(match, seat)
    lists = found(client.get(path), r'(?s)id="wait" name="pick-wait">(.*?)</select>')
    wait = re.findall(r'<option value="([^"]+)"', lists)[0]
    data = {"pick-wait": wait, "pick-from": "300", "pick-to": "60", "pick-at": "first"}

    page = client.get(back(client.post(f"{path}/preview", data=data)))

    assert wait in checked(page)
    assert re.search(r'name="pick-from"[^>]*\svalue="300"', page.text)


def test_what_is_to_be_said_comes_back_and_is_in_no_address(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, team = activated(web)
    path, before = web.turn_path(match, seat), len(web.plies(match))
    data = {
        "queue": f"{team}-1 prone",
        "order": [f"{team}-2 prone", ""],
        "about": f"{team}-2",
        "say": 'Between "us" and nobody else',
        "say_to": "table",
        "say_key": "k" * 20,
    }

    preview = client.post(f"{path}/preview", data=data)
    page = back_by_form(client, preview)

    assert page.status_code == 200
    assert "Between" not in "".join(re.findall(r'href="([^"]*)"', preview.text))
    typed = unescape(found(page, r'(?s)<textarea id="to-say"[^>]*>(.*?)</textarea>'))
    assert typed == 'Between "us" and nobody else'
    assert f'name="queue" value="{team}-1 prone"' in page.text
    assert f"{team}-2 prone" in checked(page)
    assert len(web.plies(match)) == before


def test_what_was_chosen_at_another_ply_is_not_chosen(web: WebHouse, client: FlaskClient) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)
    page = client.get(path)
    data = {
        "queue": f"{team}-1 prone",
        "order": [f"{team}-2 prone", ""],
        "ply": found(page, r'name="ply" value="(\d+)"'),
    }
    address = back(client.post(f"{path}/preview", data=data))
    client.post(path, json={"order": f"{team}-1 prone", "submission": "down"})

    later = client.get(address)
    client.post(path, json={"order": f"{team} end", "submission": "the end"})
    closed = client.get(address)

    assert later.status_code == 200
    assert 'name="queue" value=""' in later.text
    assert f"{team}-2 prone" not in checked(later)
    assert closed.status_code == 200
    assert f"{team}-2 prone" not in closed.text


def test_where_an_address_would_be_too_long_back_is_a_form(
    web: WebHouse, client: FlaskClient
) -> None:
    match = skirmish.running(web)
    seat = skirmish.played_to(web, match, "building")
    path, order = web.turn_path(match, seat), web.orders(match, seat)[0]

    # forgiven: the blanks count in the address alone
    spaced = order.replace(" ", " " * 1900, 1)
    answer = client.post(f"{path}/preview", data={"order": ["", spaced], "begin": "é" * 700})
    page = back_by_form(client, answer)

    assert f'href="{path}?' not in answer.text
    assert page.status_code == 200
    assert re.search(r'id="order"[^>]*\svalue="build  ', page.text)


def test_a_preview_holds_one_form_and_its_one_button(web: WebHouse, client: FlaskClient) -> None:
    match, seat, team = activated(web)
    path = web.turn_path(match, seat)

    for data in (
        {"order": f"{team}-1 prone"},
        {"queue": f"{team}-1 prone", "order": f"{team} end"},
    ):
        page = client.post(f"{path}/preview", data=data)
        form = found(page, r'(?s)(<form id="confirm".*?</form>)')
        assert form.count("<button") == 1
        assert "<button data-primary>Confirm" in form
