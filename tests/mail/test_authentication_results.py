"""Letters of which the operator's own mail server says that DMARC failed play nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.store.names import Purpose
from pbem.web.app import create as create_app
from tests.mail.correspondence import asked, bobs, newest
from tests.mail.office import Office

OURS = "mail.example.org"
REFUSED = "A mail from the address of Bob was not played"


@pytest.fixture
def office(keeper: Office) -> Office:
    """Its mail server writes what it found, and the service believes it."""
    incoming = keeper.service.settings.incoming.model_copy(update={"authserv_id": OURS})
    settings = keeper.service.settings.model_copy(update={"incoming": incoming})
    return Office(replace(keeper.service, settings=settings))


def result(*values: str) -> str:
    return "".join(f"Authentication-Results: {value}\r\n" for value in values)


@pytest.mark.parametrize(
    "head",
    [
        result(f"{OURS}; dmarc=fail (p=none) header.from=example.org"),
        result(f"{OURS} 1; spf=pass smtp.mailfrom=x@y.z;\r\n\tdkim=none; dmarc=FAIL"),
        result(f'{OURS.upper()}; spf=pass reason="a; dmarc=pass";dmarc = fail'),
        # a comment may hold another (RFC 5322, 3.2.2), and tell what the sender called itself
        result(f"{OURS}; spf=pass (of a (b) c; dmarc=pass) smtp.mailfrom=x@y.z; dmarc=fail"),
        # a server that writes one header for all has a result for each signature of the letter
        result(f"{OURS};\r\n\t" + "dkim=fail header.d=example.com;\r\n\t" * 200 + "dmarc=fail"),
        # whoever forges a letter can write such a line below that of our mail server
        result(f"{OURS}; dmarc=fail", f"{OURS}; dmarc=pass"),
        result("relay.example.net; dmarc=pass", f"{OURS}; dmarc=fail"),
    ],
)
def test_a_letter_that_fails_plays_nothing_and_gets_no_answer(office: Office, head: str) -> None:
    match, reply_to = asked(office)

    found = bobs(office, office.orders(match, 1)[0], reply_to, head=head)

    assert found == "dmarc_failed"
    assert office.match(match.id).ply == match.ply
    assert office.mails("reply_answer") == []


@pytest.mark.parametrize(
    "head",
    [
        "",
        result(f"{OURS}; dmarc=pass header.from=example.org"),
        result(f"{OURS}; dmarc=none"),
        result(f"{OURS}; none"),
        result("mail.example.net; dmarc=fail"),
        result(f"{OURS}; dmarc=pass", f"{OURS}; dmarc=fail"),
        result(f"{OURS}; dmarc=pass;\r\n\t" + "dkim=fail header.d=example.com;\r\n\t" * 200),
        result(f"{OURS}; spf=pass (dmarc=fail) smtp.mailfrom=x@y.z"),
        result("", ";;;", "; dmarc=fail"),
    ],
)
def test_any_other_letter_is_played(office: Office, head: str) -> None:
    match, reply_to = asked(office)

    assert bobs(office, office.orders(match, 1)[0], reply_to, head=head) == "answered"
    assert office.match(match.id).ply == match.ply + 1


def test_nobodys_results_are_believed_where_no_name_is_set(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    head = result(f"{OURS}; dmarc=fail", "; dmarc=fail")

    assert bobs(keeper, keeper.orders(match, 1)[0], reply_to, head=head) == "answered"


def test_the_player_reads_of_it_on_the_page_of_the_turn_and_nobody_else(office: Office) -> None:
    match, reply_to = asked(office)
    client = create_app(office.service).test_client()

    office.wait(minutes=5)
    for number in range(3):
        letter = {"key": str(number), "head": result(f"{OURS}; dmarc=fail")}
        bobs(office, office.orders(match, 1)[0], reply_to, **letter)

    turns = [
        client.get(f"/t/{office.token(office.link(match, Purpose.TURN, seat))}") for seat in (0, 1)
    ]
    assert [page.text.count(REFUSED) for page in turns] == [0, 1]
    assert REFUSED not in client.get(f"/m/{match.id}").text
    assert "DMARC" not in newest(office, "alice").text
