"""The host's page and the operator's console: stalls, what was sent, previews, several at once."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.acts import deliverability, outbox
from pbem.acts.remedies import REMEDIES
from pbem.looks import match_look
from pbem.present import lines, seat_names
from pbem.store.models import Audit, Match
from pbem.store.names import Actor, Purpose
from pbem.words.i18n import translator
from tests.acts.stalls import CLOCK
from tests.parts import remedies
from tests.parts.cast import address
from tests.web.house import WebHouse, found, hidden, secret


def told(web: WebHouse, match: Match) -> list[str]:
    """The sentences that the table's history shows to everybody."""
    look = match_look.table(web.service, match.id)
    shown = lines(look, seat_names(look.seats), "UTC", translator("en", "dog"))
    return [sentence for line in shown for sentence in line.sentences]


def offered(page_text: str) -> set[str]:
    return set(re.findall(r'name="remedy" value="([a-z-]+)"', page_text))


def test_every_remedy_is_offered_where_it_fits(web: WebHouse, client: FlaskClient) -> None:
    paused, over = web.play_on(web.running(clock=CLOCK), plies=6), web.running()
    remedies.pause(web.service, paused.id, "2d", actor="host")
    remedies.abort(web.service, over.id, actor="host")
    aside = web.running()
    with web.service.database.write("test") as session:
        row = session.get(Match, aside.id)
        assert row is not None
        row.set_aside_at, row.set_aside_error = web.clock.now(), "ValueError"
    web.use_beacon()
    waits = web.open(beacon="required")
    matches = (paused, over, aside, waits)

    host = [client.get(web.path(match, Purpose.HOST, -1)).text for match in matches]
    web.log_in(client)
    operator = [client.get(f"/operator/match/{match.id}").text for match in matches]

    of_host = {name for name, one in REMEDIES.items() if Actor.HOST in one.who}
    assert set.union(*(offered(text) for text in operator)) == set(REMEDIES)
    assert set.union(*(offered(text) for text in host)) == of_host
    assert set(REMEDIES) - of_host == {"roll-back", "correct-host-address"}


def test_a_stall_tells_who_is_waited_for_and_what_was_sent(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    for seat in (0, 2, 3):
        web.play(match, seat)
    web.work()
    web.wait(hours=11)
    for mail in outbox.lease_due(web.service, 100):
        if mail.kind == "your_turn":
            outbox.mark_sent(web.service, mail)

    page = client.get(web.path(match, Purpose.HOST, -1))

    stall = found(page, r'(?s)<div class="notice stall">(.*?)</section>')
    assert "Bob has not moved in time." in stall
    assert "Waiting for Bob" in stall
    assert "their turn, with its link" in stall
    assert "delivered to the mail service" in stall
    assert "a reminder" in stall
    assert address("bob") not in stall


def test_nobody_waits_for_a_player_without_mail_who_is_not_to_move(
    web: WebHouse, client: FlaskClient
) -> None:
    match, mover, following = web.before_a_choice()
    for seat in (mover, following):
        deliverability.mute(web.service, web.link(match, Purpose.SEAT, seat))

    page = client.get(web.path(match, Purpose.HOST, -1)).text

    to_move, later = (web.seat(match, seat).name for seat in (mover, following))
    assert f"{later} wants no more mail about this match." in page
    assert f"Waiting for {to_move}" in page
    assert f"Waiting for {later}" not in page


def test_a_preview_tells_mails_links_and_deadlines_and_no_order(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    path = web.path(match, Purpose.HOST, -1)
    # the host's own seat: a rival's time must be over first
    orders = web.orders(match, 0)

    extend = client.post(f"{path}/preview", data={"remedy": "extend", "seat": "1", "by": "24h"})
    links = client.post(f"{path}/preview", data={"remedy": "reissue", "seat": "1"})
    default = client.post(f"{path}/preview", data={"remedy": "default", "seat": "0"})

    assert "Bob: Wednesday, 3 June 2026, 22:00 UTC" in extend.text
    assert "to Bob: their turn, with its link" in links.text
    assert "the link of the open turn" in links.text
    assert "stays hidden until everybody" in default.text
    assert not [order for order in orders if order in default.text]


def test_a_preview_names_who_is_told_at_the_address_before(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    web.log_in(client)
    path = f"/operator/match/{match.id}"
    asked = {"remedy": "replace", "seat": "1", "name": "Zed", "email": "zed@example.org"}

    shown = client.post(
        f"{path}/preview", data={**asked, "csrf_token": secret(client.get(path))}
    ).text

    assert "to Bob: what was changed, to the address before" in shown
    assert "to Zed: what was changed" not in shown


def test_several_matches_are_mended_at_once_and_each_says_what_it_would_do(
    web: WebHouse, client: FlaskClient
) -> None:
    one, two, fine = (web.running(clock=CLOCK) for _ in range(3))
    web.wait(hours=11)
    remedies.abort(web.service, fine.id, actor="host")
    web.log_in(client)
    console = client.get("/operator")
    places = re.findall(r'form="several" value="([^"]+)"', console.text)
    ticked = [f"{one.id}:1", f"{two.id}:2", f"{fine.id}:1"]
    asked = {"remedy": "extend", "by": "24h", "csrf_token": secret(console)}
    before = web.dump()

    preview = client.post("/operator/several/preview", data={**asked, "stall": ticked})
    unchanged = web.dump() == before
    again = re.findall(r'name="stall" value="([^"]+)"', preview.text)
    form = {**hidden(preview), "stall": again, "sure": "yes"}
    done = client.post("/operator/several/apply", data=form)

    assert set(ticked[:2]) <= set(places)
    assert unchanged
    assert preview.text.count("has until Wednesday, 3 June 2026, 23:00 UTC") == 2
    assert "no open turn" in preview.text
    # each says of which moment its preview is
    assert [place.rpartition(":")[0] for place in again] == ticked[:2]
    assert done.status_code == 200
    assert [told(web, match)[-1][:12] for match in (one, two)] == ["The operator"] * 2
    assert web.turn(one, 1).due_at == web.turn(two, 2).due_at
    assert web.turn(one, 0).due_at != web.turn(one, 1).due_at


def test_with_nothing_ticked_the_console_says_what_is_missing(
    web: WebHouse, client: FlaskClient
) -> None:
    web.running(clock=CLOCK)
    web.wait(hours=11)
    web.log_in(client)
    asked = {"remedy": "remind", "by": "36h", "csrf_token": secret(client.get("/operator"))}

    answer = client.post("/operator/several/preview", data=asked)

    assert answer.status_code == 422
    assert "Tick the matches it is for" in answer.text
    assert 'action="/operator/several/preview"' in answer.text
    assert 'value="remind" selected' in answer.text
    assert 'value="36h"' in answer.text


def test_what_is_done_for_a_player_cannot_be_done_for_a_whole_match_and_says_what_to_do(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    web.log_in(client)
    asked = {"remedy": "remind", "csrf_token": secret(client.get("/operator"))}

    page = client.post("/operator/several/preview", data={**asked, "stall": f"{match.id}:"}).text

    assert "Choose the player on the page of the match." in page
    assert f'<a href="/operator/match/{match.id}">' in page


@pytest.mark.parametrize(
    "form",
    [
        {"remedy": "extend", "by": "24h"},
        {"remedy": "replace", "stall": "x:1"},
        {"remedy": "remind", "stall": "????"},
        {"remedy": "remind", "stall": "bcdfg:999"},
        {"remedy": "remind", "stall": ["bcdfg:0"] * 101},
    ],
)
def test_an_odd_choice_of_several_is_refused(
    web: WebHouse, client: FlaskClient, form: dict[str, str]
) -> None:
    web.log_in(client)
    token = secret(client.get("/operator"))

    answer = client.post("/operator/several/preview", data={**form, "csrf_token": token})

    assert answer.status_code in (404, 422)


def test_the_operators_look_at_hands_is_on_record_and_told_after_the_match(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    web.log_in(client)
    path = f"/operator/match/{match.id}/whole"
    asking = client.get(path)
    form = {"csrf_token": secret(asking), "sure": "yes"}

    without = client.post(path, data=form)
    seen = client.post(path, data={**form, "reason": "Bob says his hand is wrong"})
    during = told(web, match)
    with web.service.database.read() as session:
        acts = session.exec(select(Audit).where(Audit.match_id == match.id)).all()
    remedies.abort(web.service, match.id, actor="host")

    assert (without.status_code, "hand" in without.text.split("<form")[0]) == (422, True)
    assert "As Bob sees it" in seen.text
    assert "As Bob sees it" not in asking.text + without.text
    assert [(act.act, act.public) for act in acts][-1] == ("looked", False)
    sentence = "The operator looked at the whole table, hidden things included: "
    assert not [line for line in during if line.startswith(sentence)]
    assert f"{sentence}Bob says his hand is wrong" in told(web, match)
