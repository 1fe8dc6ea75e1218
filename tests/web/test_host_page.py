"""The host's page and what can be done there."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from markupsafe import escape

from pbem import present
from pbem.acts import deliverability
from pbem.acts.matches import NewMatch, NewSeat, Person, create
from pbem.looks import match_look
from pbem.store import links
from pbem.store.names import Purpose
from pbem.web.remedy_forms import LINES
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.parts.cast import address, people
from tests.web import dogs_of_war
from tests.web.house import WebHouse, hidden, secret


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"remedy": "remind", "seat": "1"}, "Bob gets a mail"),
        ({"remedy": "extend", "seat": "1", "by": "24h"}, "Saturday, 6 June 2026, 12:00 UTC"),
        ({"remedy": "default", "seat": "0"}, "safest legal move"),
        ({"remedy": "bot", "seat": "1"}, "A bot plays for Bob"),
        ({"remedy": "replace", "seat": "1", "name": "Frank", "email": "f@example.org"}, "Frank"),
        ({"remedy": "correct-address", "seat": "1", "email": "b@example.org"}, "b@example.org"),
        ({"remedy": "reissue", "seat": "1"}, "stop working"),
        ({"remedy": "resign", "seat": "1"}, "loses the seat"),
        ({"remedy": "pause", "by": "7d"}, "9 June 2026"),
        ({"remedy": "reissue-host"}, "new one is mailed"),
        ({"remedy": "abort"}, "nobody wins"),
    ],
)
def test_a_remedy_says_what_it_does_before_it_does_it(
    web: WebHouse, client: FlaskClient, form: dict[str, str], told: str
) -> None:
    match = web.running()
    path = web.path(match, Purpose.HOST, -1)
    before = web.dump()

    preview = client.post(f"{path}/preview", data=form)
    without = client.post(f"{path}/apply", data=hidden(preview))
    unchanged = web.dump() == before
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})

    assert preview.status_code == 200
    assert told in preview.text
    assert (without.status_code, unchanged) == (422, True)
    assert done.status_code == 200
    assert told in done.text
    assert web.dump() != before


def test_more_time_in_a_paused_match_names_no_deadline(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    remedies.pause(web.service, match.id, "7d", actor="host")
    path = web.path(match, Purpose.HOST, -1)

    form = {"remedy": "extend", "seat": "1", "by": "24h"}
    preview = client.post(f"{path}/preview", data=form)
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})

    for page in (preview, done):
        assert "Bob has 24h more. The clock stands still now" in page.text
        assert "no limit" not in page.text
    assert "The host gave Bob more time." in done.text


def test_a_length_of_time_that_cannot_be_is_refused_as_forms_call_it(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    form = {"remedy": "extend", "seat": "1", "by": "soon"}

    page = client.post(f"{web.path(match, Purpose.HOST, -1)}/preview", data=form)

    assert page.status_code == 422
    assert "“How long” must be a length of time between 1s and 30d" in page.text


def test_a_remedy_that_is_refused_keeps_what_was_typed(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    host = web.path(match, Purpose.HOST, -1)
    web.log_in(client)
    own = f"/operator/match/{match.id}"
    form = {"remedy": "replace", "seat": "1", "name": "Frank", "email": "frank at home"}
    secrets = {"csrf_token": secret(client.get(own))}

    pages = [
        client.post(f"{host}/preview", data=form),
        client.post(f"{own}/preview", data={**form, **secrets}),
    ]

    for page in pages:
        assert page.status_code == 422
        assert page.text.count('value="Frank"') == page.text.count('value="frank at home"') == 1
        seat = page.text.split("<h3>Bob</h3>")[1].split("<h3>")[0]
        assert "<details open>" in seat
        assert 'value="Frank"' in seat


def test_a_remedy_is_asked_about_with_both_marks_of_a_spanish_question(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(language="es")

    asked = client.post(f"{web.path(match, Purpose.HOST, -1)}/preview", data={"remedy": "abort"})

    assert "<h1>¿Terminar la partida?</h1>" in asked.text


def test_why_nothing_can_be_done_to_a_bot_is_said_once_for_each(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(seats=[*people(2), NewSeat(bot="easy"), NewSeat(bot="easy")])

    page = client.get(web.path(match, Purpose.HOST, links.HOST)).text

    for name in ("Bot 3", "Bot 4"):
        assert page.count(f"{name} is a bot and has no address.") == 1
    reasons = page.partition("Bot 3 is a bot")[0].rpartition("<dl>")[2]
    assert reasons.count("<dt>") > 3


def test_a_host_cannot_set_a_match_back(web: WebHouse, client: FlaskClient) -> None:
    match = web.play_on(web.running(), plies=6)
    path = web.path(match, Purpose.HOST, -1)

    page = client.post(f"{path}/apply", data={"remedy": "roll-back", "ply": "1", "sure": "yes"})

    assert page.status_code == 422
    assert web.match(match.id).ply == match.ply


def test_a_host_link_does_not_give_the_match_to_another_address(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    path = web.path(match, Purpose.HOST, -1)
    form = {"remedy": "correct-host-address", "email": "mallory@example.net", "sure": "yes"}

    assert client.post(f"{path}/apply", data=form).status_code == 422
    assert web.match(match.id).host_email == match.host_email


def test_the_host_sees_why_a_match_waits_and_no_hand(web: WebHouse, client: FlaskClient) -> None:
    match = web.running()
    web.play(match, 0)
    web.play(match, 2)
    web.play(match, 3)
    deliverability.mail_refused(web.service, match.id, 1, address("bob"), "550 no such user")

    page = client.get(web.path(match, Purpose.HOST, -1))

    assert "Mail to Bob does not arrive" in page.text
    assert "550 no such user" in page.text
    assert "Your hand" not in page.text


def test_a_match_that_began_without_the_invitations_does_not_wait_for_them(
    web: WebHouse, client: FlaskClient
) -> None:
    seats = [NewSeat("Bob", address("bob")), *[NewSeat(bot="easy")] * 3]
    new = NewMatch(game="dog", host=Person("Alice", address("alice")), seats=seats)
    match = create(web.service, new, proved=False)
    remedies.put_bot(web.service, match.id, 0, actor="host")

    page = client.get(web.path(match, Purpose.HOST, links.HOST)).text
    table = client.get(f"/open/{match.id}").text
    remedies.replace(web.service, match.id, 0, name="Carol", email=address("carol"), actor="host")

    assert "Nobody has been invited yet" not in page
    assert "The invitations have not been sent yet." not in page
    assert "This match has begun." in table
    # whose seat it is: nobody was mailed before
    assert [mail.seat for mail in web.mails("permission_asked")] == [0]


def test_the_host_reads_what_happened_in_the_order_of_the_public_table(
    web: WebHouse, client: FlaskClient
) -> None:
    """What one move brought about is told as it came, and not from its end."""
    match = web.play_on(web.running(), plies=6)

    public, host = (
        re.findall(r'<p class="said">\s*([^<]+?)\s*<', client.get(path).text)
        for path in (f"/m/{match.id}", web.path(match, Purpose.HOST, -1))
    )

    assert any("The gifts have been exchanged." in line for line in host)
    assert host == public[: len(host)]


def test_the_host_reads_the_newest_lines_of_what_happened_and_all_of_them(
    web: WebHouse, client: FlaskClient
) -> None:
    """Those that do not fit are the oldest, also where one move brought about many."""
    match = web.play_on(dogs_of_war.running(web, seats=3), plies=32)
    words = translator("en", match.game)
    look = match_look.table(web.service, match.id)
    told = present.table(look, words, zone="UTC", base_url="").lines[-LINES:]

    page = client.get(web.path(match, Purpose.HOST, -1)).text.partition('<ol class="story')[2]

    assert len(re.findall('class="said"', page)) == LINES
    for line in told:
        assert escape(line.sentences[-1]) in page
