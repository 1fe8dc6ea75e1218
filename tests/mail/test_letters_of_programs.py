"""A letter whose header says that a program wrote it, though it holds an order."""

from __future__ import annotations

import pytest

from pbem.store.names import Purpose
from pbem.web.app import create as create_app
from tests.mail.correspondence import asked, bobs, newest
from tests.mail.office import Office

NOT_PLAYED = "A mail from the address of Bob was not played: by its header a program wrote it."


@pytest.mark.parametrize(
    "head", ["Precedence: list\r\n", "X-Auto-Response-Suppress: OOF\r\n", "X-Vacation: no\r\n"]
)
def test_its_player_reads_once_that_it_was_not_played_and_nobody_else_does(
    keeper: Office, head: str
) -> None:
    match, reply_to = asked(keeper)
    client = create_app(keeper.service).test_client()

    keeper.wait(minutes=5)
    for key in "12":
        bobs(keeper, keeper.orders(match, 1)[0], reply_to, key, head)

    turns = [
        client.get(f"/t/{keeper.token(keeper.link(match, Purpose.TURN, seat))}") for seat in (0, 1)
    ]
    assert keeper.match(match.id).ply == match.ply
    assert [page.text.count(NOT_PLAYED) for page in turns] == [0, 1]
    assert NOT_PLAYED not in client.get(f"/m/{match.id}").text
    assert "program" not in newest(keeper, "alice").text


@pytest.mark.parametrize("text", ["I am out of the office until Monday.", "Thanks!", "> give 2"])
def test_an_automatic_answer_without_an_order_is_not_told(keeper: Office, text: str) -> None:
    match, reply_to = asked(keeper)

    keeper.wait(minutes=5)
    bobs(keeper, text, reply_to, head="Auto-Submitted: auto-replied\r\n")

    page = create_app(keeper.service).test_client()
    token = keeper.token(keeper.link(match, Purpose.TURN, 1))
    assert NOT_PLAYED not in page.get(f"/t/{token}").text
