"""A player's own pages: back from the bot, mail, vacation, take-backs."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.acts import deliverability, going_back
from pbem.store import links
from pbem.store.names import Purpose
from pbem.store.table import load
from tests.parts import remedies
from tests.web.house import WebHouse, found
from tests.web.test_signing_in import signed_in


def test_a_player_takes_the_seat_back_from_the_bot(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    remedies.put_bot(web.service, match.id, 1, actor="operator")
    path = web.path(match, Purpose.SEAT, 1)

    shown = client.get(path)
    back = client.post(path, data={"do": "come-back"})

    assert "A bot plays for you" in shown.text
    assert back.status_code == 200
    assert web.seat(match, 1).bot is None


def test_a_seats_page_says_by_which_ways_its_turn_is_reached(web: WebHouse) -> None:
    match = web.running()
    bob = signed_in(web, "bob")

    page = bob.get(web.path(match, Purpose.SEAT, 1)).text
    from_home = bob.post("/home/link", data={"match": match.id})

    assert "The link of your turn can be mailed to you." in page
    assert "When you are signed in it is also on your home page." in page
    assert from_home.headers["Location"].endswith(web.turn_path(match, 1))


def test_a_player_changes_zone_and_language_and_mutes(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 0)

    client.post(path, data={"do": "settings", "zone": "Asia/Tokyo", "language": "es"})
    wrong = client.post(path, data={"do": "settings", "zone": "Mars/Base", "language": "es"})
    muted = client.post(path, data={"do": "mute"})

    seat = web.seat(match, 0)
    assert (seat.zone, seat.language) == ("Asia/Tokyo", "es")
    assert wrong.status_code == 422
    assert "Ya no recibes correo" in muted.text
    assert seat.muted_at is not None


def test_one_click_mutes_and_the_page_unmutes(web: WebHouse, client: FlaskClient) -> None:
    """RFC 8058: the mail program posts without ever opening the page."""
    match = web.running()
    with web.service.database.write("test") as session:
        table = load(session, match.id)
        link = links.make(session, Purpose.MUTE, table.match, table.seats[2], web.clock.now())
    path = f"/u/{web.token(link)}"

    shown = client.get(path)
    before = web.seat(match, 2).muted_at
    clicked = client.post(path, data={"List-Unsubscribe": "One-Click"})
    muted = web.seat(match, 2).muted_at
    client.post(path, data={"do": "unmute"})

    assert (shown.status_code, before) == (200, None)
    assert clicked.status_code == 200
    assert "Mails of other matches go on." in clicked.text
    assert muted is not None
    assert web.seat(match, 2).muted_at is None


def test_standing_orders_are_left_and_taken_out(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=4)
    seat = next(seat for seat in range(4) if seat not in web.waiting(match))
    path = web.path(match, Purpose.SEAT, seat)

    left = client.post(path, data={"do": "leave", "orders": "K out\r\nA out\r\n"})
    number = found(left, r'name="standing" value="(\d+)"')
    gone = client.post(path, data={"do": "cancel", "standing": number})

    assert "<code>K out</code>" in left.text
    assert "<code>K out</code>" not in gone.text


def test_the_page_says_that_orders_left_in_an_open_turn_are_for_the_one_after(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 1)

    left = client.post(path, data={"do": "leave", "orders": web.orders(match, 1)[0]})
    web.wait(minutes=1)

    assert "Your order waits for the turn after this one." in left.text
    assert "what you leave here is for the turn after this one" in left.text
    assert not [ply for ply in web.plies(match) if ply.seat == 1]


def test_where_a_player_is_signed_in_their_seats_page_leads_to_their_turn(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    web.play(match, 0)
    alice, bob = signed_in(web, "alice"), signed_in(web, "bob")
    path = web.path(match, Purpose.SEAT, 1)

    asked, by_alice, by_nobody = (one.get(path).text for one in (bob, alice, client))
    waiting = alice.get(web.path(match, Purpose.SEAT, 0)).text

    assert "To your turn" in asked
    assert "/t/" not in asked
    for page in (by_alice, by_nobody, waiting):
        assert "To your turn" not in page


def test_a_move_is_taken_back_only_with_the_box_ticked(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    web.play(match, 0)
    path = web.path(match, Purpose.SEAT, 0)

    without = client.post(path, data={"do": "take-back"})
    ply = web.match(match.id).ply
    done = client.post(path, data={"do": "take-back", "sure": "yes"})

    assert (without.status_code, ply) == (422, 1)
    assert done.status_code == 200
    assert web.match(match.id).ply == 2
    assert "took the last move back" in client.get(f"/m/{match.id}").text


def test_what_was_taken_back_is_not_told_as_if_it_stood(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    own, other = web.turn_path(match, 0), web.turn_path(match, 1)
    web.play(match, 0)
    going_back.take_back(web.service, web.link(match, Purpose.SEAT, 0))
    web.work()

    asked = client.get(web.turn_path(match, 1)).text
    [last] = re.findall(r'(?s)<a class="last".*?</a>', asked)

    assert "Alice took the last move back." in last
    assert "has chosen" not in last
    for closed in (client.get(own).text, client.get(other).text):
        assert "This turn is closed" in closed
        assert "Alice took the last move back." in closed


def test_the_others_are_asked_whether_a_move_may_be_taken_back(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    web.play(match, 0)
    web.play(match, 1)
    going_back.propose(web.service, web.link(match, Purpose.SEAT, 0))
    path = f"/c/{web.token(web.link(match, Purpose.CONSENT, 2))}"

    shown = client.get(path)
    nothing = client.post(path, data={})
    given = client.post(path, data={"answer": "no"})

    assert "Alice asks to take the last move back" in shown.text
    assert found(shown, r"(Alice has chosen what to give\.)")
    assert found(shown, r"(Bob has chosen what to give\.)")
    assert nothing.status_code == 422
    assert "the move stands" in given.text


def test_where_something_was_revealed_nobody_is_offered_to_ask_for_a_take_back(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 0)
    web.play(match, 0)
    web.play(match, 1)
    hidden = client.get(path).text
    # the last gift shows all of them
    web.play(match, 2)
    web.play(match, 3)

    shown = client.get(path).text

    assert 'value="ask-back"' in hidden
    assert 'value="ask-back"' not in shown
    assert "Something has been revealed since your move: it cannot be taken back." in shown


def test_giving_a_seat_up_is_asked_twice(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 3)

    asked = client.post(path, data={"do": "resign"})
    without = client.post(path, data={"do": "resign-now"})
    before = web.seat(match, 3).resigned_at
    client.post(path, data={"do": "resign-now", "sure": "yes"})

    assert "Resign for good?" in asked.text
    assert (without.status_code, before) == (422, None)
    assert web.seat(match, 3).resigned_at is not None


def test_who_gave_the_seat_up_waits_for_no_turn(web: WebHouse, client: FlaskClient) -> None:
    path = web.path(web.running(), Purpose.SEAT, 3)

    page = client.post(path, data={"do": "resign-now", "sure": "yes"})

    assert "You have resigned." in page.text
    for said in ("Mail me the current link", "when it is your turn"):
        assert said not in page.text


def test_a_player_says_when_they_are_away_and_that_they_are_back(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock={"turn": "24h", "reserve": "24h", "vacation_days": 5})
    path = web.path(match, Purpose.SEAT, 1)

    shown = client.get(path)
    gone = client.post(path, data={"do": "away", "from": "2026-06-20", "until": "2026-06-22"})
    table = client.get(f"/m/{match.id}")
    back = client.post(path, data={"do": "here"})

    assert "You have 5 days of vacation left" in shown.text
    assert "Have a good time" in gone.text
    assert "away from Saturday, 20 June 2026 until Monday, 22 June 2026" in table.text
    assert "Welcome back" in back.text
    assert web.seat(match, 1).vacation_days == 5


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("", "2026-06-22", "Choose a day"),
        ("2026-06-20", "tomorrow", "Choose a day"),
        ("2026-06-20", "2026-06-30", "you have 5 left"),
        ("2026-05-20", "2026-05-21", "in the past"),
    ],
)
def test_days_away_that_cannot_be_are_said_to_be_wrong(
    web: WebHouse, client: FlaskClient, first: str, last: str, said: str
) -> None:
    match = web.running(clock={"turn": "24h", "vacation_days": 5})

    answer = client.post(
        web.path(match, Purpose.SEAT, 1), data={"do": "away", "from": first, "until": last}
    )

    assert answer.status_code in (409, 422)
    assert said in answer.text
    assert web.seat(match, 1).away_from is None


@pytest.mark.parametrize(
    ("clock", "said"),
    [
        ({"turn": "24h"}, "This match has no days of vacation. Whoever opens a match sets them"),
        ({"kind": "none"}, "There is no time limit in this match"),
    ],
)
def test_where_no_days_of_vacation_are_given_the_page_says_so_in_place_of_the_form(
    web: WebHouse, client: FlaskClient, clock: dict[str, str], said: str
) -> None:
    match = web.running(clock=clock)

    page = client.get(web.path(match, Purpose.SEAT, 1))

    assert said in page.text
    assert "First day away" not in page.text


def test_where_all_days_of_vacation_are_spent_the_page_says_so_in_place_of_the_form(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock={"turn": "24h", "vacation_days": 2})
    path = web.path(match, Purpose.SEAT, 1)
    client.post(path, data={"do": "away", "from": "2026-06-20", "until": "2026-06-21"})
    meanwhile = client.get(path).text
    web.wait(days=60)

    page = client.get(path)

    assert "I am back" in meanwhile
    assert "You have no days of vacation left in this match." in page.text
    assert "First day away" not in page.text


def test_a_seat_of_a_match_that_is_over_waits_for_no_turn(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.path(match, Purpose.SEAT, 0)

    running = client.get(path).text
    remedies.abort(web.service, match.id, actor="host")
    over, table = client.get(path).text, client.get(f"/m/{match.id}").text

    for said in ("Mail me the current link", "when it is your turn"):
        assert said in running
        assert said not in over
    # nobody made a move: there is nothing to watch
    assert "data-watch" not in table


def test_who_has_asked_to_take_a_move_back_is_not_offered_to_ask_again(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    web.play(match, 0)
    web.play(match, 1)
    path = web.path(match, Purpose.SEAT, 0)

    before = client.get(path)
    client.post(path, data={"do": "ask-back", "sure": "yes"})
    after = client.get(path)

    assert "Ask the others" in before.text
    assert "Ask the others" not in after.text
    assert "The others are being asked." in after.text


def test_whoever_left_an_order_that_did_not_fit_is_told_so_and_nobody_else(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, following = web.before_a_choice()
    path = web.path(match, Purpose.SEAT, following)

    client.post(path, data={"do": "leave", "orders": "nonsense"})
    web.play(match, seat, web.good_order(match, seat))
    web.work()
    asked = client.get(web.turn_path(match, following))

    told = "The order that you left could not be played."
    assert told in found(asked, r'(?s)(<section class="since".*?</section>)')
    assert told not in client.get(f"/m/{match.id}").text
    assert told not in client.get(web.path(match, Purpose.HOST, -1)).text


def test_whoever_gets_no_mail_reads_first_what_to_do_about_it(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    deliverability.mail_refused(
        web.service, match.id, 1, "bob@example.org", "550 5.1.1 no such user"
    )
    deliverability.mute(web.service, web.link(match, Purpose.SEAT, 2))

    heads = [
        client.get(web.path(match, Purpose.SEAT, seat)).text.partition("</ul>")[0]
        for seat in range(3)
    ]

    assert 'href="#mail"' not in heads[0]
    assert "Mail to you does not arrive: give another address." in heads[1]
    assert "You get no mail about this match: turn it on again." in heads[2]

    remedies.abort(web.service, match.id, actor="host")

    # nobody gives another address once it is over
    assert 'href="#mail"' not in client.get(web.path(match, Purpose.SEAT, 1)).text
