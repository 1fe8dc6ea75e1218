"""Threats 8.1 to 8.3: whoever carries or keeps a player's mail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.mail import gateway
from tests.mail.correspondence import asked, newest, written
from tests.mail.office import Office
from tests.mail.test_old_mails import ended, held, kept
from tests.parts.cast import address
from tests.web.house import WebHouse

BOB = 1


@pytest.fixture
def keeper(web: WebHouse) -> Office:
    return Office(web.service)


def test_a_provider_reads_a_turn_and_answers_it_for_its_reader(keeper: Office) -> None:
    """Threat 8.1: nothing prevents it; a mail with what was played goes to the player."""
    match, reply_to = asked(keeper)
    hand = "Your hand: " + " ".join(keeper.table(match).state.hands[BOB])
    read = newest(keeper, "bob").text

    result = gateway.arrived(
        keeper.service, written(keeper.orders(match, BOB)[0], reply_to, address("bob"))
    )

    assert hand in read
    assert result == "answered"
    assert keeper.plies(match)[-1].seat == BOB
    assert "give" in newest(keeper, "bob").text


def test_a_provider_that_drops_every_mail_does_not_stop_the_match(keeper: Office) -> None:
    """Threat 8.2: the table sees missed turns, and a bot plays in the end."""
    match = keeper.running(clock={"turn": "10h", "grace": "1h"})

    for _ in range(60):
        keeper.play_on(match, without=BOB)
        keeper.wait(hours=6)
        if keeper.seat(match, BOB).bot is not None:
            break

    assert keeper.seat(match, BOB).bot is not None
    assert keeper.seat(match, BOB).email == address("bob")
    assert [mail for mail in keeper.mails("bot_took_over") if mail.seat == BOB]


def test_a_mail_that_was_changed_on_its_way_speaks_against_a_true_record(
    keeper: Office, tmp_path: Path
) -> None:
    """Threat 8.3: the check says that they do not fit; it cannot say which was changed."""
    record, raws = ended(keeper, keeper.running())
    head = re.search(rb"head=([0-9a-f]{64})", raws[-2])
    assert head is not None
    changed = raws[-2].replace(head[1], b"0" * 64)

    true = held(record, kept(tmp_path / "true", raws))
    false = held(record, kept(tmp_path / "changed", [*raws[:-2], changed]))

    assert true.wrong == ()
    assert len(false.wrong) == 1
    assert "names a log that is not in this record" in false.wrong[0]
