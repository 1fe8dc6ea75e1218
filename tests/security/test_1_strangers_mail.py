"""Threat 1.2: strangers cannot have mail sent to people who never agreed to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.acts import housekeeping, invitees, matches
from pbem.acts.matches import NewMatch, NewSeat, Person
from pbem.acts.remedies import carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.config.sections import Mail
from pbem.errors import BadInput, NotPossible, TooMany
from pbem.mail.render import render
from pbem.store import links
from pbem.store.models import Invitee, Match
from pbem.store.names import Actor, Purpose
from pbem.words import texts
from tests.parts import remedies
from tests.parts.cast import address
from tests.web.conftest import web_service
from tests.web.house import WebHouse

NAMES = ("Alice", "Bob", "Carol", "Dave")
ASKED = {
    "game": "dog",
    "host": {"name": "Gina", "email": address("gina")},
    "seats": [{"name": name, "email": address(name)} for name in NAMES],
}
#: Ways to write one address.
WAYS = (
    "bob@example.org",
    "BOB@example.org",
    "bob+1@example.org",
    "Bob+a.b@Example.org",
    "bob+@example.org",
)


@pytest.fixture
def world(tmp_path: Path, database_url: str) -> Iterator[WebHouse]:
    """A service whose mails leave the machine."""
    service = web_service(tmp_path, database_url)
    settings = service.settings.model_copy(
        update={"mail": Mail(mode="smtp", host="mail.example.org")}
    )
    yield WebHouse(replace(service, settings=settings))
    service.database.close()


@pytest.fixture
def client(world: WebHouse) -> FlaskClient:
    return world.app.test_client()


def opened(world: WebHouse, client: FlaskClient) -> Match:
    answer = client.post("/api/matches", json=ASKED)
    assert answer.status_code == 201
    return world.match(answer.get_json()["match"])


def inviting(*emails: str) -> NewMatch:
    """A match of bots and these people."""
    seats = [NewSeat(name=f"N{number}", email=email) for number, email in enumerate(emails)]
    bots = [NewSeat(bot="easy") for _ in range(4 - len(emails))]
    return NewMatch(game="dog", host=Person("Gina", address("gina")), seats=[*seats, *bots])


def rows(world: WebHouse) -> list[str]:
    """What is known of those who were invited."""
    with world.service.database.read() as session:
        return [row.model_dump_json() for row in session.exec(select(Invitee))]


# --- the host's address is proved first ---


def test_nobody_is_invited_before_the_host_has_used_the_link_that_was_mailed(
    world: WebHouse, client: FlaskClient
) -> None:
    opened(world, client)

    world.wait(days=2)

    assert [mail.kind for mail in world.mails()] == ["match_opened"]


def test_looking_at_the_hosts_page_invites_nobody_and_its_button_invites_all_once(
    world: WebHouse, client: FlaskClient
) -> None:
    match = opened(world, client)
    path = f"/h/{world.token(world.link(match, Purpose.HOST, -1))}"

    page = client.get(path)
    looked = len(world.mails("invitation"))
    answers = [client.post(f"{path}/invite").status_code for _ in range(2)]

    assert "Nobody has been invited yet" in page.text
    assert address("bob") in page.text
    assert looked == 0
    assert answers == [200, 200]
    assert [mail.seat for mail in world.mails("invitation")] == [0, 1, 2, 3]
    assert "Nobody has been invited yet" not in client.get(path).text


def test_a_host_who_does_not_answer_is_the_only_one_who_heard_of_the_match(
    world: WebHouse, client: FlaskClient
) -> None:
    match = opened(world, client)

    world.wait(days=4)

    assert world.match(match.id).status == "aborted"
    assert {mail.seat for mail in world.mails()} == {world.mails("match_opened")[0].seat}


def test_no_remedy_mails_a_player_before(world: WebHouse, client: FlaskClient) -> None:
    match = opened(world, client)

    with pytest.raises(NotPossible):
        remedies.remind(world.service, match.id, 1, actor="host")
    remedies.replace(world.service, match.id, 1, name="Erin", email=address("erin"), actor="host")
    remedies.reissue(world.service, match.id, 2, actor="host")

    assert [mail.kind for mail in world.mails() if mail.seat in range(4)] == []


def test_the_operator_invites_at_once(world: WebHouse) -> None:
    matches.create(world.service, inviting(address("bob")), actor=Actor.OPERATOR)

    assert [mail.seat for mail in world.mails("invitation")] == [0]


# --- few invitations a day, however the address is written ---


def test_an_address_is_invited_a_few_times_a_day_however_it_is_written(world: WebHouse) -> None:
    for number in range(world.service.settings.limits.invitations_per_address_per_day):
        matches.create(world.service, inviting(WAYS[number % len(WAYS)]))
    before = len(world.mails())

    for way in WAYS:
        with pytest.raises(TooMany):
            matches.create(world.service, inviting(address("carol"), way))

    assert len(world.mails()) == before


def test_on_the_next_day_there_are_as_many_again(world: WebHouse) -> None:
    most = world.service.settings.limits.invitations_per_address_per_day
    for _ in range(most):
        matches.create(world.service, inviting(address("bob")))

    world.wait(days=1)
    for _ in range(most):
        matches.create(world.service, inviting(address("bob")))

    with pytest.raises(TooMany):
        matches.create(world.service, inviting(address("bob")))


def test_invitations_sent_again_count(world: WebHouse) -> None:
    match = matches.create(world.service, inviting(address("bob")))
    for _ in range(world.service.settings.limits.invitations_per_address_per_day - 1):
        remedies.remind(world.service, match.id, 0, actor="host")

    with pytest.raises(TooMany):
        remedies.remind(world.service, match.id, 0, actor="host")


def test_dots_make_no_difference_where_they_make_none_to_the_mailbox() -> None:
    same = {
        invitees.digest(one) for one in ("a.b@gmail.com", "ab+x@googlemail.com", "AB@GMAIL.com")
    }
    others = {invitees.digest(one) for one in ("a.b@example.org", "ab@example.org")}

    assert len(same) == 1
    assert len(others) == 2


def test_the_counts_are_deleted_after_two_days_and_hold_no_address(world: WebHouse) -> None:
    matches.create(world.service, inviting(address("bob")))
    kept = rows(world)

    # the last reminder of an invitation that nobody took
    world.wait(days=8)
    world.wait(days=3)
    housekeeping.sweep(world.service)

    assert len(kept) == 1
    assert "bob" not in kept[0]
    assert rows(world) == []


# --- never again ---


def test_whoever_wants_no_invitations_gets_none_in_any_match_however_they_are_written(
    world: WebHouse, client: FlaskClient
) -> None:
    match = matches.create(world.service, inviting(address("bob")))
    path = f"/j/{world.token(world.link(match, Purpose.JOIN, 0))}/never"

    looked = client.get(path)
    matches.create(world.service, inviting(address("bob")))
    said = client.post(path)

    assert "Never invite me again" in looked.text
    assert "does not invite you any more" in said.text
    for way in WAYS:
        with pytest.raises(NotPossible, match="wants no invitations"):
            matches.create(world.service, inviting(way))
    other = matches.create(world.service, inviting(address("carol")))
    with pytest.raises(NotPossible, match="wants no invitations"):
        remedies.replace(world.service, other.id, 0, name="B", email=WAYS[2], actor="host")


def test_they_can_be_invited_again_when_they_say_so(world: WebHouse, client: FlaskClient) -> None:
    match = matches.create(world.service, inviting(address("bob")))
    path = f"/j/{world.token(world.link(match, Purpose.JOIN, 0))}/never"

    client.post(path)
    housekeeping.sweep(world.service)
    client.post(path, data={"do": "again"})

    matches.create(world.service, inviting(address("bob")))


def test_every_invitation_has_the_link(world: WebHouse) -> None:
    matches.create(world.service, inviting(address("bob")))

    [mail] = world.mails("invitation")
    composed = render(world.service, mail)

    assert composed is not None
    assert "/never" in str(composed)


# --- what else could be sent ---


def test_an_address_that_strangers_give_as_the_hosts_gets_a_few_mails_a_day(
    world: WebHouse, client: FlaskClient
) -> None:
    named = [
        {**ASKED, "host": {"name": "Vera", "email": f"vera+{way}@example.org"}} for way in range(9)
    ]

    answers = [client.post("/api/matches", json=asked).status_code for asked in named]

    assert answers == [201] * 5 + [429] * 4
    assert len(world.mails()) == 5


def test_who_wants_no_invitations_is_not_named_as_a_host_either(
    world: WebHouse, client: FlaskClient
) -> None:
    match = matches.create(world.service, inviting(address("gina")))
    client.post(f"/j/{world.token(world.link(match, Purpose.JOIN, 0))}/never")

    assert client.post("/api/matches", json=ASKED).status_code == 409


def test_a_host_who_sends_the_invitations_can_open_as_many_matches_as_before(
    world: WebHouse, client: FlaskClient
) -> None:
    for number in range(8):
        seats = [{"name": "Bob", "email": f"bob{number}@example.org"}, *[{"bot": "easy"}] * 3]
        answer = client.post("/api/matches", json={**ASKED, "seats": seats})
        match = world.match(answer.get_json()["match"])
        client.post(f"{world.path(match, Purpose.HOST, -1)}/invite")

    assert len(world.mails("match_opened")) == 8
    assert len(world.mails("invitation")) == 8


def test_reminders_of_invitations_are_left_out_when_there_were_as_many_today(
    world: WebHouse,
) -> None:
    """Five matches a day, each of which reminds after one day, three and seven: fifteen a day."""
    most, sent = world.service.settings.limits.invitations_per_address_per_day, [0]
    for _ in range(9):
        for number in range(most):
            with suppress(TooMany):
                matches.create(world.service, inviting(f"bob+{number}@example.org"))
        world.wait(days=1)
        sent.append(len(world.mails("invitation")))

    days = [after - before for before, after in pairwise(sent)]
    assert max(days) == 2 * most


def test_whoever_wants_no_invitations_is_not_reminded_of_those_they_have(
    world: WebHouse, client: FlaskClient
) -> None:
    match, other = (matches.create(world.service, inviting(way)) for way in WAYS[1:3])
    client.post(f"/j/{world.token(world.link(match, Purpose.JOIN, 0))}/never")

    world.wait(days=8)

    assert other.id != match.id
    assert len(world.mails("invitation")) == 2


def test_an_address_that_is_corrected_to_that_of_somebody_who_wants_none_is_refused(
    world: WebHouse, client: FlaskClient
) -> None:
    match = matches.create(world.service, inviting(address("bob")))
    client.post(f"/j/{world.token(world.link(match, Purpose.JOIN, 0))}/never")
    other = matches.create(world.service, inviting(address("carol")))

    with pytest.raises(NotPossible, match="wants no invitations"):
        remedies.correct_address(world.service, other.id, 0, WAYS[3], actor="host")


def test_an_address_to_which_others_are_corrected_has_been_invited(world: WebHouse) -> None:
    """Each from a seat of the attacker's own."""
    most = world.service.settings.limits.invitations_per_address_per_day
    own = [matches.create(world.service, inviting(f"erin{n}@example.net")) for n in range(most + 1)]
    for number, match in enumerate(own[:most]):
        email = f"bob+{number}@example.org"
        remedies.correct_address(world.service, match.id, 0, email, actor="host")

    with pytest.raises(TooMany):
        remedies.correct_address(world.service, own[most].id, 0, WAYS[0], actor="host")


def test_no_remedy_and_no_end_mails_a_player_who_was_not_invited(
    world: WebHouse, client: FlaskClient
) -> None:
    match = opened(world, client)

    remedies.put_bot(world.service, match.id, 0, actor="host")
    remedies.correct_address(world.service, match.id, 1, "bob@example.net", actor="host")
    remedies.reissue(world.service, match.id, 2, actor="host")
    remedies.abort(world.service, match.id, actor="host")

    assert [mail.kind for mail in world.mails() if mail.seat != links.HOST] == []


def test_a_seat_of_a_running_match_moves_only_to_an_address_that_can_be_invited(
    world: WebHouse, client: FlaskClient
) -> None:
    match = matches.create(world.service, inviting(address("bob")))
    client.post(f"/j/{world.token(world.link(match, Purpose.JOIN, 0))}/never")
    running = world.running()

    asked = RemedyRequest("correct-address", 0, email=WAYS[2])
    with pytest.raises(NotPossible, match="wants no invitations"):
        carry_out(world.service, running.id, asked, Actor.PLAYER)


# --- no words of strangers ---


@pytest.mark.parametrize(
    "name",
    [
        "www.evil.example",
        "https://evil.example",
        "win at evil.com",
        "EVIL.COM",
        "a.co now",
        "x@y.z",
        "evil.xn--p1ai",
        "evil.com.",
        "evil。com",
        "evil․com",
        "http:evil",
        "192.0.2.4",
    ],
)
def test_a_web_address_is_no_name(name: str) -> None:
    with pytest.raises(BadInput):
        texts.name(name)


@pytest.mark.parametrize(
    "name", ["J.R.R. Tolkien", "Dr. No", "St.John", "Mary-Ann", "A. B.", "Bob.", "Ana M.ª", "3.5"]
)
def test_a_name_with_a_dot_is_one(name: str) -> None:
    assert texts.name(name) == name
