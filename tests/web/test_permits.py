"""The page that asks a seat's owner, what the host sees of it, and one's own new address."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.acts import deliverability, permissions
from pbem.acts.remedies import carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.store.models import Match
from pbem.store.names import Actor, Purpose
from tests.acts.owners import CLOCK, overdue
from tests.parts import remedies
from tests.parts.cast import address
from tests.web.house import WebHouse, hidden

GIVEN_AWAY = RemedyRequest("replace", 1, name="Frank", email="frank@example.org")


def asked(web: WebHouse, match: Match, wanted: RemedyRequest = GIVEN_AWAY) -> str:
    """The host asks; the path of the page that asks the owner."""
    carry_out(web.service, match.id, wanted, Actor.HOST)
    return f"/y/{web.token(web.link(match, Purpose.PERMIT, 1))}"


def test_the_page_says_what_would_be_done_and_looking_does_nothing(
    web: WebHouse, client: FlaskClient
) -> None:
    path = asked(web, web.running(clock=CLOCK))
    before = web.dump()

    page, nothing = client.get(path), client.post(path, data={})

    assert "Alice, who hosts the match, asks for this: Give the seat to somebody else." in page.text
    assert "Frank would be invited to take your seat." in page.text
    assert "frank@example.org" not in page.text
    assert "checked" not in page.text
    assert nothing.status_code == 422
    assert web.dump() == before


def test_a_yes_is_done_at_once_and_a_no_leaves_the_seat(web: WebHouse, client: FlaskClient) -> None:
    one, other = (web.running(clock=CLOCK) for _ in range(2))
    paths = [asked(web, match) for match in (one, other)]

    yes = client.post(paths[0], data={"answer": "yes"})
    no = client.post(paths[1], data={"answer": "no"})

    assert "You said yes." in yes.text
    assert "You said no: your seat stays as it is." in no.text
    assert (web.seat(one, 1).name, web.seat(other, 1).name) == ("Frank", "Bob")
    # the seat has another player: the link of the one before is dead
    assert (client.get(paths[0]).status_code, client.get(paths[1]).status_code) == (404, 200)


def test_a_second_yes_reads_that_it_was_given_and_does_nothing(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    path = asked(web, match)
    client.post(path, data={"answer": "yes"})
    before = web.dump()

    again = client.post(path, data={"answer": "yes"})

    assert (again.status_code, web.dump() == before) == (200, True)
    assert "You said yes." in again.text
    # what was not answered with a yes is as dead as any other link
    other = web.running(clock=CLOCK)
    path = asked(web, other)
    remedies.reissue(web.service, other.id, 1, actor="operator")
    assert client.post(path, data={"answer": "yes"}).status_code == 404


def test_what_was_settled_meanwhile_says_so(web: WebHouse, client: FlaskClient) -> None:
    match = web.running(clock={"turn": "30d"})
    path = asked(web, match)
    web.wait(days=7, seconds=1)

    page, late = client.get(path), client.post(path, data={"answer": "yes"})

    assert "This has been settled." in page.text
    assert late.status_code == 409
    assert web.seat(match, 1).name == "Bob"


def test_the_page_is_in_the_players_language(web: WebHouse, client: FlaskClient) -> None:
    page = client.get(asked(web, web.running(language="es", clock=CLOCK)))

    assert "Una pregunta sobre tu asiento" in page.text
    assert "Puedes responder hasta" in page.text


def test_a_host_sees_what_asks_first_what_was_asked_and_what_cannot_be_done_and_why(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    path = web.path(match, Purpose.HOST, -1)
    form = {"remedy": "bot", "seat": "1", "bot": "easy"}

    before = client.get(path).text
    preview = client.post(f"{path}/preview", data=form)
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})

    assert before.count("the player is asked first") == 5 * 3 + 2
    assert "Bob can be reached and still has time. Remind Bob, or give more time." in before
    assert "Bob is asked by mail first, and the table is told." in preview.text
    assert "The bot decides for Bob, at once." in preview.text
    assert "Bob is asked about this: Let a bot play." in done.text
    assert web.seat(match, 1).bot is None


def test_a_preview_promises_no_question_to_who_was_asked_too_often(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock={"turn": "30d"})
    for _ in range(permissions.MOST):
        asked(web, match)

    path = web.path(match, Purpose.HOST, -1)
    preview = client.post(f"{path}/preview", data={"remedy": "bot", "seat": "1", "bot": "easy"})

    assert preview.status_code == 409
    assert "Bob was asked too often today. Try again tomorrow." in preview.text


def test_after_missed_turns_a_host_may_play_the_default_move_and_gives_notice_of_the_rest(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    overdue(web, match, 1)
    path = web.path(match, Purpose.HOST, -1)

    preview = client.post(f"{path}/preview", data={"remedy": "resign", "seat": "1"})
    told = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})
    page = client.get(f"/y/{web.token(web.link(match, Purpose.PERMIT, 1))}")
    default = client.post(f"{path}/apply", data={"remedy": "default", "seat": "1", "sure": "yes"})

    assert "In two days it is done, unless Bob says no or plays." in preview.text
    assert "Bob was told of this: Take the seat from the player for good." in told.text
    assert "unless you say no or make a move before then." in page.text
    assert default.status_code == 200


@pytest.mark.parametrize("reached", [True, False])
def test_a_player_gets_mail_elsewhere_once_the_address_on_file_has_said_yes(
    web: WebHouse, client: FlaskClient, reached: bool
) -> None:
    match = web.running(clock=CLOCK)
    path = web.path(match, Purpose.SEAT, 1)
    if not reached:
        deliverability.mail_refused(web.service, match.id, 1, address("bob"), "550 no such user")

    page = client.post(path, data={"do": "address", "email": "robert@example.net"})
    before = web.seat(match, 1).email
    if reached:
        link = f"/y/{web.token(web.link(match, Purpose.PERMIT, 1))}"
        client.post(link, data={"answer": "yes"})

    assert page.status_code == 200
    assert ("asks whether it is you" in page.text) == reached
    assert before == (address("bob") if reached else "robert@example.net")
    assert web.seat(match, 1).email == "robert@example.net"


def test_a_players_page_does_nothing_else_that_a_host_may_do(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    path, before = web.path(match, Purpose.SEAT, 1), web.dump()

    odd = client.post(path, data={"do": "address", "email": "nowhere"})
    other = client.post(path, data={"do": "address", "email": "x@example.net", "seat": "2"})

    assert (odd.status_code, other.status_code) == (422, 422)
    assert web.dump() == before
