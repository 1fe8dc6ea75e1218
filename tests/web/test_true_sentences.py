"""What hosts read is true of the moment they read it in: in the lobby, of bots, of remedies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from pbem.acts import deliverability, lobby
from pbem.acts.remedies import fitting, that_help
from pbem.errors import NotPossible
from pbem.mail.render import render
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import Actor, Purpose, StallReason
from tests.parts import remedies
from tests.parts.cast import address
from tests.web.house import WebHouse

HOSTS_PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"


def hosts_page(web: WebHouse, client: FlaskClient, match: Match) -> str:
    return client.get(web.path(match, Purpose.HOST, links.HOST)).text


def newest(web: WebHouse, kind: str) -> str:
    mail = max(web.mails(kind), key=lambda mail: mail.id or 0)
    return render(web.service, mail).content.decode().replace("=\r\n", "")


def test_a_lobby_says_who_has_not_joined_and_not_that_all_is_well(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False, bots=2)

    page = hosts_page(web, client, match)

    assert "The next step is being worked out." not in page
    assert "All have joined" not in page
    assert "Waiting for Alice, Bob to join." in page


def test_before_the_match_begins_no_clock_is_said_to_stand(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    deliverability.mail_refused(web.service, match.id, 1, address("bob"), "550 5.1.1 unknown user")

    seen = [hosts_page(web, client, match), client.get(f"/m/{match.id}").text]

    for text in [*seen, newest(web, "stalled")]:
        assert "does not arrive" in text
        assert "is stopped" not in text


@pytest.mark.parametrize("declines", [True, False])
def test_of_a_seat_that_nobody_took_the_host_does_not_read_that_somebody_was_missed(
    web: WebHouse, declines: bool
) -> None:
    match = web.open(confirmed=False)
    if declines:
        lobby.decline(web.service, web.link(match, Purpose.JOIN, 1))

    remedies.put_bot(web.service, match.id, 1, actor="operator")

    for kind in ("bot_seated", "bot_took_over"):
        assert "missed several turns" not in newest(web, kind)
    said = "Bob does not want to play" if declines else "Bob has not joined"
    assert said in newest(web, "bot_seated")


def test_who_gave_the_seat_up_is_not_told_to_take_it_back(web: WebHouse) -> None:
    match = web.running()

    remedies.resign(web.service, match.id, 1, actor="operator")

    assert "Take it back" not in newest(web, "bot_took_over")
    assert "resigned" in newest(web, "bot_seated")


def test_who_declined_is_not_offered_a_reminder_that_would_not_be_sent(web: WebHouse) -> None:
    match = web.open(confirmed=False)
    lobby.decline(web.service, web.link(match, Purpose.JOIN, 1))

    table = web.table(match)
    offered = [one.name for one in fitting(table, table.seats[1], Actor.HOST)]

    assert "remind" not in offered
    with pytest.raises(NotPossible, match="does not want to play"):
        remedies.remind(web.service, match.id, 1, actor="host")


def test_the_page_for_hosts_names_the_remedies_that_each_reason_has() -> None:
    words = {
        "remind": "remind",
        "more time": "extend",
        "the default move": "default",
        "a bot": "bot",
        "somebody else": "replace",
        "correct the address": "correct-address",
        "new links": "reissue",
        "try again": "retry",
        "end the pause": "resume",
        "end the match": "abort",
        "begin without it": "begin",
    }
    rows = re.findall(r"^\| ([\w ]+) \| [^|]+ \| ([^|]+) \|$", HOSTS_PAGE.read_text(), re.M)
    told = {reason.replace(" ", "_"): helps for reason, helps in rows if reason != "the reason"}

    assert set(told) == set(StallReason)
    for reason, helps in told.items():
        known = {remedy.name for remedy in that_help(StallReason(reason))}
        assert {words[one] for one in helps.split(", ")} <= known, reason
