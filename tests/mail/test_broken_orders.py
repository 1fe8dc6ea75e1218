"""Long orders in letters, which mail programs break into lines."""

from __future__ import annotations

import textwrap

import pytest

from pbem.acts import outbox
from pbem.store.models import Match
from tests.mail.correspondence import answered
from tests.mail.office import Office


@pytest.mark.parametrize("width", [64, 72, 78])
def test_a_long_order_that_a_program_has_broken_into_lines_is_one(
    keeper: Office, width: int
) -> None:
    """As it stands in the text of our mail, too, from which it may be copied."""
    match, seat, order = before_a_deployment(keeper)

    answer = answered(keeper, match, seat, "\r\n".join([*textwrap.wrap(order, width), "", "Bob"]))

    [*_, ply] = keeper.plies(match)
    assert (ply.seat, ply.order_text, ply.made_by) == (seat, order, "mail")
    assert answer.subject.startswith("Your move was played")


def test_an_order_that_is_broken_into_just_two_lines_is_one(keeper: Office) -> None:
    match, seat, order = before_a_deployment(keeper)
    pieces = textwrap.wrap(order, len(order) * 2 // 3)

    answered(keeper, match, seat, "\r\n".join(pieces))

    assert len(pieces) == 2
    assert keeper.plies(match)[-1].order_text == order


def test_a_broken_order_is_played_once_however_often_its_letter_comes(keeper: Office) -> None:
    match, seat, order = before_a_deployment(keeper)
    broken = "\r\n".join(textwrap.wrap(order, 72))
    reached = keeper.match(match.id).ply

    with pytest.MonkeyPatch.context() as dying:
        # the process dies before the answer is owed
        dying.setattr(outbox, "owe", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            answered(keeper, match, seat, broken)
    assert keeper.match(match.id).ply == reached + 1
    answer = answered(keeper, match, seat, broken)

    assert keeper.match(match.id).ply == reached + 1
    assert answer.subject.startswith("Your move was played")


def before_a_deployment(office: Office) -> tuple[Match, int, str]:
    """A skirmish, who deploys next in it, and an order of several lines that does it."""
    match = office.of_game("skirmish")
    while str(office.match(match.id).phase) != "deployment":
        seat = office.waiting(match)[0]
        office.play(match, seat, office.good_order(match, seat))
        office.work()
    seat = office.waiting(match)[0]
    return match, seat, office.good_order(match, seat)
