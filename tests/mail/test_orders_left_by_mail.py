"""Orders that a letter leaves for later: lines that begin with ``wait``."""

from __future__ import annotations

import json

import pytest

from pbem.store.names import Purpose
from tests.mail.correspondence import asked, bobs, newest
from tests.mail.office import Office


def test_orders_that_wait_are_alternatives_of_one_standing_order(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]

    for _ in range(2):
        bobs(keeper, f"{order}\r\nwait K out\r\nWAIT: A out", reply_to)

    [left] = keeper.table(match).standing
    assert (left.seat, left.orders_json) == (1, '["K out", "A out"]')
    answer = newest(keeper, "bob")
    assert answer.text.count("It waits for your next decision.") == 2
    page = keeper.token(keeper.link(match, Purpose.SEAT, 1))
    assert (
        f"can be taken away on your seat's page:\n\nhttps://games.example.org/s/{page}\n"
        in answer.text
    )
    assert f'href="https://games.example.org/s/{page}"' in answer.html


@pytest.mark.parametrize(
    ("language", "line", "said"),
    [
        ("en", "wait {}", "this order waits for the turn after this one"),
        ("es", "espera {}", "esta orden espera al turno siguiente"),
    ],
)
def test_an_order_that_waits_in_an_open_turn_is_for_the_turn_after_and_the_answer_says_so(
    keeper: Office, language: str, line: str, said: str
) -> None:
    match = keeper.running(language=language)
    order = keeper.orders(match, 1)[0]

    bobs(keeper, line.format(order), newest(keeper, "bob").reply_to)
    keeper.wait(minutes=5)

    answer = " ".join(newest(keeper, "bob").text.split())
    assert [ply for ply in keeper.plies(match) if ply.seat == 1] == []
    assert keeper.turn(match, 1).closed_at is None
    assert said in answer
    assert "next decision" not in answer


def test_an_order_left_again_after_the_turn_in_which_it_was_left_is_for_the_next_decision(
    keeper: Office,
) -> None:
    match, reply_to = asked(keeper)
    bobs(keeper, "wait K out", reply_to, "1")
    keeper.play(match, 1)

    bobs(keeper, "wait K out", reply_to, "2")

    answer = " ".join(newest(keeper, "bob").text.split())
    assert len(keeper.table(match).standing) == 1
    assert "It waits for your next decision." in answer
    assert "It is your turn now" not in answer


@pytest.mark.parametrize(
    ("language", "wait", "one", "two", "now"),
    [
        (
            "en",
            "wait",
            "You left 1 standing order before it, for one decision: it waits for the",
            "You left 2 standing orders before it, for one decision each: it waits",
            "send it without the word “wait”",
        ),
        (
            "es",
            "espera",
            "Antes dejaste 1 orden permanente, para una decisión: esta espera a la decisión",
            "Antes dejaste 2 órdenes permanentes, para una decisión cada una: esta espera",
            "envíala sin la palabra",
        ),
    ],
)
def test_an_order_left_behind_others_is_said_to_be_for_the_decision_after_theirs(
    keeper: Office, language: str, wait: str, one: str, two: str, now: str
) -> None:
    """In an open turn it is said, too, how to play it now; the first one stays the first."""
    match = keeper.running(language=language)
    reply_to = newest(keeper, "bob").reply_to

    def left(card: str, key: str) -> str:
        bobs(keeper, f"{wait} {card} out", reply_to, key)
        return " ".join(newest(keeper, "bob").text.split())

    first, second, third = left("K", "1"), left("A", "2"), left("2", "3")
    again = left("K", "4")
    keeper.play(match, 1)
    over = left("3", "5")

    assert [len(json.loads(row.orders_json)) for row in keeper.table(match).standing] == [1] * 4
    assert one not in first + again
    assert one in second
    assert two in third
    assert all(now in said for said in (first, second, third, again))
    assert now not in over
    assert two.replace("2", "3", 1) in over


def test_a_line_after_the_end_of_the_turn_says_how_to_leave_an_order(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]

    bobs(keeper, f"{order}\r\nK out", reply_to)

    assert "put the word “wait” before it" in " ".join(newest(keeper, "bob").text.split())
