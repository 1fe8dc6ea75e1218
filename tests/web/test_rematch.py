"""The page on which players agree on a rematch."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.web.house import WebHouse
from tests.web.test_signing_in import signed_in


def over(web: WebHouse) -> Match:
    match = web.running()
    remedies.abort(web.service, match.id, actor="host")
    return web.match(match.id)


def test_the_page_shows_who_would_like_one_and_looking_asks_nobody(
    web: WebHouse, client: FlaskClient
) -> None:
    match = over(web)
    bob, carol = (web.path(match, Purpose.SEAT, seat) + "/rematch" for seat in (1, 2))

    client.get(bob)
    unasked = web.mails("rematch_asked")
    client.post(bob, data={"game": "dog", "answer": "yes"})
    client.post(carol, data={"game": "dog", "answer": "no"})
    page = client.get(carol).text

    assert unasked == []
    assert page.count("yes: Dog") == 1
    assert page.count("has not answered yet") == 2
    assert "Dogs of War, with its usual rules" in page


def test_a_yes_without_a_game_is_no_no(web: WebHouse, client: FlaskClient) -> None:
    match = over(web)
    bob, carol = (web.path(match, Purpose.SEAT, seat) + "/rematch" for seat in (1, 2))
    client.post(bob, data={"game": "dog", "answer": "yes"})

    answer = client.post(carol, data={"answer": "yes"})

    assert answer.status_code == 422
    assert "Choose one of these games." in answer.text
    assert answer.text.count("has not answered yet") == 3


def test_an_answer_is_told_at_once_with_who_is_still_asked(
    web: WebHouse, client: FlaskClient
) -> None:
    match = over(web)
    bob, carol = (web.path(match, Purpose.SEAT, seat) + "/rematch" for seat in (1, 2))
    before = client.get(bob).text

    yes = client.post(bob, data={"game": "dog", "answer": "yes"}).text
    no = client.post(carol, data={"answer": "no"}).text

    assert "Your answer counts" not in before
    assert "Your answer counts: yes, Dog." in yes
    assert "Waiting for Alice, Carol, Dave." in yes
    assert "Your answer counts: no." in no
    assert "Waiting for Alice, Dave." in no
    # it can be changed, and need not be
    assert "<summary>Change your answer</summary>" in yes


def test_who_chose_differently_is_told_so(web: WebHouse, client: FlaskClient) -> None:
    match = over(web)

    for seat, game in enumerate(("dog", "dog", "dog", "dogs-of-war")):
        path = web.path(match, Purpose.SEAT, seat) + "/rematch"
        page = client.post(path, data={"game": game, "answer": "yes"})

    assert "Not all of you chose the same." in page.text


def test_one_can_say_no_when_somebody_has_asked(web: WebHouse, client: FlaskClient) -> None:
    match = over(web)
    bob, carol = (web.path(match, Purpose.SEAT, seat) + "/rematch" for seat in (1, 2))

    unasked = client.get(carol).text
    client.post(bob, data={"game": "dog", "answer": "yes"})

    assert 'value="no"' not in unasked
    assert 'value="no"' in client.get(carol).text


def test_when_the_last_has_agreed_the_page_leads_to_the_new_match(
    web: WebHouse, client: FlaskClient
) -> None:
    match = over(web)

    for seat in range(4):
        path = web.path(match, Purpose.SEAT, seat) + "/rematch"
        page = client.post(path, data={"game": "dog", "answer": "yes"})

    assert "The rematch is open" in page.text
    assert "The rematch is open" in client.get(path).text


def test_a_seats_page_leads_to_it_once_the_match_is_over(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 1)
    before = client.get(path).text

    remedies.abort(web.service, match.id, actor="host")

    assert f"{path}/rematch" not in before
    assert f"{path}/rematch" in client.get(path).text


def test_the_last_mail_of_a_match_that_was_ended_early_leads_to_it(web: WebHouse) -> None:
    match = over(web)
    while post_due(web.service):
        pass

    last = mailbox.listed(web.service, "bob@example.org")[-1]

    assert "ended early" in last.subject
    assert f"{web.path(match, Purpose.SEAT, 1)}/rematch" in last.text
    assert f"{web.path(match, Purpose.SEAT, 1)}/rematch" in last.html


def test_while_a_match_runs_nobody_can_ask(web: WebHouse, client: FlaskClient) -> None:
    path = web.path(web.running(), Purpose.SEAT, 1) + "/rematch"

    answer = client.post(path, data={"game": "dog", "answer": "yes"})

    assert answer.status_code == 409


def test_who_is_signed_in_is_led_to_it_from_the_public_table(web: WebHouse) -> None:
    match = over(web)
    bob, erin = signed_in(web, "bob"), signed_in(web, "erin")

    shown, strangers = (who.get(f"/m/{match.id}").text for who in (bob, erin))

    assert f"{web.path(match, Purpose.SEAT, 1)}/rematch" in shown
    assert "/rematch" not in strangers
