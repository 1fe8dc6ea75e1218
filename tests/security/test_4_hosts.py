"""Threats 4.1 and 4.8: a host who plays is a player among players."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlmodel import col, select

from pbem.acts import deliverability, due_work
from pbem.acts.remedies import REMEDIES
from pbem.acts.remedy import OfSeat
from pbem.errors import TooMany
from pbem.looks import stalled
from pbem.mail.render import Unwanted, render
from pbem.store.models import Mail, Match
from pbem.store.names import Purpose
from tests.acts.owners import CLOCK
from tests.parts import remedies
from tests.parts.cast import address
from tests.security.test_2_players_two_worlds import exchange
from tests.web.conftest import world_of
from tests.web.house import WebHouse

ALICE, BOB = 0, 1
#: An address of the host's own, under another name.
ALIAS = "alice.again@example.net"
TOLD = {"by": "24h", "name": "Zoe", "email": ALIAS, "bot": ""}


def attacks() -> Iterator[tuple[str, dict[str, str]]]:
    """Every remedy of a seat, looked at and done, on the host's page; then all of it once more."""
    of_seat = [one for one in REMEDIES.values() if isinstance(one, OfSeat)]
    for remedy, step in product(of_seat, ("preview", "apply")):
        told = {question.field: TOLD[question.field] for question in remedy.asks}
        form = {"remedy": remedy.name, "seat": str(BOB), **told}
        yield step, form if step == "preview" else {**form, "sure": "yes"}


def attacked(web: WebHouse, match: Match) -> tuple[list[str], list[str]]:
    """A rival's seat is asked for in all ways: all that the host is shown and mailed, and where
    all mails went.
    """
    client, shown, went, last = web.app.test_client(), [], [], 0
    path = web.path(match, Purpose.HOST, -1)
    for step, form in attacks():
        shown.append(client.post(f"{path}/{step}", data=form).text)
        for number, to, text in mails(web, after=last):
            last = number
            went.append(to)
            shown += [text] if to in (ALIAS, address("alice")) else []
        # on the next day the owner may be asked again
        web.wait(days=1)
    web.wait(days=8)
    return [*shown, client.get(path).text], went


def mails(web: WebHouse, after: int = 0) -> Iterator[tuple[int, str, str]]:
    """The mails that were owed after this one, as they would be sent, and where they go."""
    with web.service.database.read() as session:
        owed = session.exec(select(Mail).where(col(Mail.id) > after).order_by(col(Mail.id))).all()
    for mail in owed:
        try:
            made = render(web.service, mail)
        except Unwanted:
            continue
        text = re.sub(rb"=_[0-9a-f]+", b"", made.content).decode("utf-8", "replace")
        yield mail.id or 0, made.recipient, text


@pytest.mark.slow
def test_a_host_who_plays_learns_nothing_of_a_rivals_turn_by_any_remedy(
    web: WebHouse, tmp_path: Path
) -> None:
    match = web.running(clock={"turn": "60d"})
    state = web.table(match).state
    hands = state.hands
    other = replace(state, hands=(hands[0], hands[2], hands[1], hands[3]))
    seen = []
    for number, world in enumerate((state, other)):
        start = web.clock.now()
        with world_of(web, tmp_path / f"{number}.sqlite3") as there:
            exchange(there, match, world)
            shown, went = attacked(there, match)
            seen.append(shown)
            seat, table = there.seat(match, BOB), there.table(match)
            asked = [mail.seat for mail in there.mails("permission_asked")]
        web.clock.set(start)

        assert (seat.email, seat.name, seat.epoch, seat.bot) == (address("bob"), "Bob", 0, None)
        assert sorted(table.open_turns) == [0, 1, 2, 3]
        assert ALIAS not in went
        assert asked == [BOB] * 5
        assert went.count(address("bob")) >= 5
    assert hands[1] != hands[2]
    assert seen[0] == seen[1]


def test_who_is_acted_upon_is_told_where_they_were_and_the_table_knows_before(
    web: WebHouse,
) -> None:
    match = web.running(clock=CLOCK)
    path = web.path(match, Purpose.HOST, -1)
    form = {"remedy": "correct-address", "seat": "1", "email": ALIAS, "sure": "yes"}

    web.app.test_client().post(f"{path}/apply", data=form)
    page = web.app.test_client().get(f"/m/{match.id}").text
    asked = [to for _, to, text in mails(web) if "http://localhost/y/" in text]

    assert "asked Bob to agree to this: Correct the address" in page
    assert asked == [address("bob")]
    assert web.seat(match, BOB).email == address("bob")


def test_who_is_acted_upon_is_told_though_the_match_is_ended_at_once(web: WebHouse) -> None:
    """Before the mail has left: the last mail of the match goes to the new address alone."""
    match = web.running(clock=CLOCK)
    remedies.correct_address(web.service, match.id, BOB, ALIAS, actor="operator")
    remedies.abort(web.service, match.id, actor="host")

    told = [to for _, to, text in mails(web) if "Mail for your seat goes to another" in text]

    assert told == [address("bob")]


@pytest.mark.parametrize(
    ("why", "gone"),
    [
        ("RCPT: 550 5.1.1 unknown user", True),
        ("RCPT: 550 no such user", True),
        ("5.1.1 unknown user", True),
        ("5.2.1 mailbox disabled", True),
        # a name that filters dislike, chosen by the host
        ("DATA: 554 5.7.1 spam", False),
        ("DATA: 554 not here", False),
        ("5.7.1 content rejected", False),
        # many mails, sent by the host
        ("RCPT: 552 5.2.2 mailbox full", False),
    ],
)
def test_a_refusal_that_a_host_could_bring_about_gives_no_power_over_the_seat(
    web: WebHouse, why: str, gone: bool
) -> None:
    match = web.running(clock=CLOCK)
    path = web.path(match, Purpose.HOST, -1)
    form = {"remedy": "correct-address", "seat": "1", "email": ALIAS, "sure": "yes"}

    deliverability.mail_refused(web.service, match.id, BOB, address("bob"), why)
    web.app.test_client().post(f"{path}/apply", data=form)

    assert (web.seat(match, BOB).email == ALIAS) is gone


def test_a_host_reminds_a_player_a_few_times_a_day(web: WebHouse) -> None:
    match = web.running(clock={"turn": "60d"})
    for _ in range(3):
        remedies.remind(web.service, match.id, BOB, actor="host")

    with pytest.raises(TooMany):
        remedies.remind(web.service, match.id, BOB, actor="host")
    remedies.remind(web.service, match.id, BOB, actor="operator")
    web.wait(days=1)
    remedies.remind(web.service, match.id, BOB, actor="host")


def test_a_host_reads_nothing_of_a_hand_in_what_went_wrong(web: WebHouse) -> None:
    match, client = web.running(), web.app.test_client()
    for _ in range(due_work.TRIES):
        due_work.count_failure(web.service, match.id, ValueError("bob@example.org holds K-spades"))

    host = client.get(web.path(match, Purpose.HOST, -1)).text
    web.log_in(client)
    operator = client.get(f"/operator/match/{match.id}").text
    (stall,) = stalled.find(web.service)

    assert "This is a fault of the service." in host
    assert "ValueError" not in host
    assert "K-spades" not in host
    assert "holds K-spades" in operator
    assert stall.detail == "ValueError: … holds K-spades"
