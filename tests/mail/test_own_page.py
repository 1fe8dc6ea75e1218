"""The seat's own page is within reach of every mail of a turn, and of the mail with all links."""

from __future__ import annotations

import pytest

from pbem.acts import deliverability
from pbem.mail.render import render
from pbem.people import proofs
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import MailKind, Purpose
from tests.mail.office import Office, html_of, parsed, text_of
from tests.parts import remedies
from tests.parts.cast import address


def own_page(office: Office, match: Match, seat: int) -> str:
    link = office.link(match, Purpose.SEAT, seat)
    return links.url(office.service.keys, office.service.settings.base_url, link)


@pytest.mark.parametrize(("kind", "days"), [("your_turn", 0), ("reminder", 2)])
def test_the_mails_of_a_turn_link_the_seats_own_page(keeper: Office, kind: str, days: int) -> None:
    match = keeper.running()
    keeper.wait(days=days)

    mail = parsed(render(keeper.service, keeper.owed(kind, 1)).content)

    assert own_page(keeper, match, 1) in text_of(mail)
    assert own_page(keeper, match, 1) in html_of(mail)


def test_the_mail_to_sign_in_gives_the_seats_page_beside_the_turn_that_is_open(
    keeper: Office,
) -> None:
    match = keeper.running()
    turn = keeper.link(match, Purpose.TURN, 1)

    proofs.owe(keeper.service, MailKind.SIGN_IN, address("bob"), "en")
    mail = parsed(render(keeper.service, keeper.owed("sign_in")).content)

    assert links.token(keeper.service.keys, turn) in text_of(mail)
    for text in (text_of(mail), html_of(mail)):
        assert own_page(keeper, match, 1) in text


def test_a_link_that_is_mailed_once_more_is_not_called_new(keeper: Office) -> None:
    match = keeper.running()
    keeper.play(match, 1)

    deliverability.resend_link(keeper.service, keeper.link(match, Purpose.SEAT, 1))
    again = parsed(render(keeper.service, keeper.owed("seat_link", 1)).content)
    remedies.reissue(keeper.service, match.id, 1, actor="operator")
    new = parsed(render(keeper.service, keeper.owed("seat_link", 1)).content)

    for word in ("do not work any more", "new link"):
        assert word not in again["Subject"] + text_of(again) + html_of(again)
        assert word in new["Subject"] + text_of(new)
