"""Threats 3.1 and 3.3: what a turn mail gives to whoever it is passed on to.

Erin is a stranger to whom Bob forwards the mail of his turn; she uses all that is in it.
"""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.mail import gateway
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.mail.correspondence import newest, written
from tests.mail.office import Office
from tests.parts import remedies
from tests.parts.cast import address
from tests.web.house import WebHouse

BOB = 1


def forwarded(web: WebHouse) -> tuple[str, dict[str, str]]:
    """The text of the newest mail to Bob, and the paths of its links by their doors."""
    text = newest(Office(web.service), "bob").text
    return text, {path[1]: path for path in re.findall(r"http://localhost(/[a-z]/\S+)", text)}


def mails_since(web: WebHouse, number: int) -> list[tuple[str, int | None]]:
    return [(mail.kind, mail.seat) for mail in web.mails() if (mail.id or 0) > number]


def last_mail(web: WebHouse) -> int:
    return max(mail.id or 0 for mail in web.mails())


def hand_of_bob(web: WebHouse, match: Match) -> str:
    return "Your hand: " + " ".join(web.table(match).state.hands[BOB])


def test_whoever_has_the_mail_of_an_open_turn_reads_the_hand_and_plays(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 3.1: nothing prevents it, and only the page and the table show it."""
    match = web.running()
    text, links = forwarded(web)
    hand, before = hand_of_bob(web, match), last_mail(web)

    looked = client.get(links["t"])
    played = client.post(
        links["t"], json={"order": web.orders(match, BOB)[0], "submission": "erin"}
    )
    web.work()
    bobs = client.get(links["t"])

    assert hand in text
    assert hand in looked.text
    assert played.status_code == 200
    assert "Bob has chosen what to give" in client.get(f"/m/{match.id}").text
    assert "This turn is closed" in bobs.text
    # no mail tells Bob
    assert mails_since(web, before) == []


def test_new_links_end_all_that_a_forwarded_mail_could_do(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    _, links = forwarded(web)
    reply_to = newest(Office(web.service), "bob").reply_to
    remedies.reissue(web.service, match.id, BOB, actor="operator")
    ply, order = web.match(match.id).ply, web.orders(match, BOB)[0]

    answers = [client.get(links[door]) for door in "tsu"]
    posted = {"do": "resign-now", "sure": "yes", "order": order, "submission": "erin"}
    answers += [client.post(path, data=posted) for path in (f"{links['t']}/confirm", links["s"])]
    from_bob = gateway.arrived(web.service, written(order, reply_to, address("bob")))

    assert {answer.status_code for answer in answers} == {404}
    assert from_bob == "unknown"
    assert web.match(match.id).ply == ply


def test_the_seats_page_shows_no_hand_and_sends_no_link_anywhere_else(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 3.3: its link is at the foot of every turn mail, and is good until the end."""
    match = web.running()
    _, links = forwarded(web)
    turn, before = web.turn_path(match, BOB), last_mail(web)

    shown = [
        client.get(links["s"]),
        client.post(links["s"], data={"do": "mail"}),
        client.post(links["s"], data={"do": "address", "email": address("erin")}),
    ]
    web.work()
    sent = mails_since(web, before)

    for page in shown:
        assert page.status_code == 200
        assert "Your hand" not in page.text
        assert turn not in page.text
    # both to the address on file: the second asks whether it is Bob
    assert sent == [("your_turn", BOB), ("permission_asked", BOB)]
    assert web.seat(match, BOB).email == address("bob")


@pytest.mark.parametrize(
    ("form", "told", "on_record"),
    [
        ({"do": "resign-now", "sure": "yes"}, "bot_took_over", "Bob resigned"),
        ({"do": "mute"}, "muted", "Bob wants no more mail about this match"),
    ],
)
def test_what_harms_a_seat_is_told_to_its_player_and_the_table(
    web: WebHouse, client: FlaskClient, form: dict[str, str], told: str, on_record: str
) -> None:
    """Threat 3.3: it is done by then; a seat that was given up only the host gives back."""
    match = web.running()
    _, links = forwarded(web)
    before = last_mail(web)

    done = client.post(links["s"], data=form)
    web.work()

    assert done.status_code == 200
    assert (told, BOB) in mails_since(web, before)
    assert on_record in client.get(f"/m/{match.id}").text


def test_an_order_that_was_left_by_somebody_else_stands_on_the_seats_page(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 3.3: no mail tells of it before it is played."""
    match = web.running()
    _, links = forwarded(web)
    before = last_mail(web)

    client.post(links["s"], data={"do": "leave", "orders": "K out"})
    web.work()

    assert "<code>K out</code>" in client.get(web.path(match, Purpose.SEAT, BOB)).text
    assert mails_since(web, before) == []
