"""A vacation is announced, and taken back, by a line of a letter."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from pbem.store.models import Match
from tests.mail.correspondence import asked, bobs, newest
from tests.mail.office import Office

#: The house's clock stands at noon of Tuesday, 2 June 2026.
VACATION = {"turn": "72h", "reserve": "96h", "vacation_days": 7}
AWAY = "away 2026-06-03 to 2026-06-06"


def on_vacation(office: Office, **asked: object) -> tuple[Match, str]:
    match = office.running(clock=VACATION, **asked)
    return match, newest(office, "bob").reply_to


def said(office: Office) -> str:
    """The newest mail to Bob, its lines joined."""
    return " ".join(newest(office, "bob").text.split())


@pytest.mark.parametrize(
    "line",
    [
        AWAY,
        "Away: from 2026-06-03 until 2026-06-06.",
        "AWAY 2026-06-03 - 2026-06-06",
        "away 2026-06-03–2026-06-06",
        "ausente 2026-06-03 a 2026-06-06",
        "Fuera del 2026-06-03 al 2026-06-06",
        "ausente desde el 2026-06-03 hasta el 2026-06-06",
    ],
)
def test_a_line_says_when_one_is_away(keeper: Office, line: str) -> None:
    match, reply_to = on_vacation(keeper)
    before = keeper.turn(match, 1).due_at

    bobs(keeper, line, reply_to)

    assert before is not None
    assert keeper.turn(match, 1).due_at == before + timedelta(days=4)
    assert keeper.seat(match, 1).vacation_days == 3
    answer = said(keeper)
    assert "away from Wednesday, 3 June 2026 until Saturday, 6 June 2026." in answer
    assert "Your open turn ends at Tuesday, 9 June 2026, 12:00 UTC." in answer
    assert "You have 3 days of vacation left." in answer


def test_a_single_day_is_a_vacation_too(keeper: Office) -> None:
    match, reply_to = on_vacation(keeper)

    bobs(keeper, "away 2026-06-03", reply_to)

    assert keeper.seat(match, 1).vacation_days == 6


@pytest.mark.parametrize("line", ["here", "Back.", "de vuelta", "aquí"])
def test_a_line_takes_a_vacation_back(keeper: Office, line: str) -> None:
    match, reply_to = on_vacation(keeper)
    keeper.play(match, 1)
    bobs(keeper, AWAY, reply_to)

    bobs(keeper, line, reply_to, "2")

    assert keeper.seat(match, 1).away_until is None
    assert "4 days of vacation are yours again. You have 7 days of vacation left." in said(keeper)


def test_days_by_which_a_deadline_was_moved_are_not_taken_back_by_a_line(keeper: Office) -> None:
    match, reply_to = on_vacation(keeper)
    bobs(keeper, AWAY, reply_to)

    bobs(keeper, "here", reply_to, "2")

    assert "These days are spent: your deadline was moved by them." in said(keeper)
    assert keeper.seat(match, 1).vacation_days == 3


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("away next week", "Write the days like this: away 2026-07-02 to 2026-07-08."),
        ("away 2026-06-31 to 2026-07-02", "Choose a day, or write it like 2026-07-31."),
        ("away 2026-05-01 to 2026-06-03", "A vacation cannot begin in the past."),
        ("away 2026-06-05 to 2026-06-03", "The last day comes before the first one."),
        ("away 2026-06-05 to 2026-06-30", "These are 26 days, and you have 7 left."),
        ("away 2026-06-05 to 9999-12-31", "and you have 7 left."),
    ],
)
def test_days_that_cannot_be_are_refused_with_a_sentence(
    keeper: Office, line: str, sentence: str
) -> None:
    match, reply_to = on_vacation(keeper)

    bobs(keeper, f"{line}\r\nK out", reply_to)

    assert sentence in said(keeper)
    assert "Not played, because of the line above." in said(keeper)
    assert keeper.seat(match, 1).vacation_days == 7


def test_where_there_is_no_vacation_a_line_says_so(keeper: Office) -> None:
    _, reply_to = asked(keeper)

    bobs(keeper, AWAY, reply_to)

    assert "This match has no days of vacation." in said(keeper)


def test_a_move_and_a_vacation_go_into_one_letter(keeper: Office) -> None:
    match, reply_to = on_vacation(keeper)
    order = keeper.orders(match, 1)[0]

    for _ in range(2):
        bobs(keeper, f"{order}\r\n{AWAY}\r\nwait K out", reply_to)

    assert [ply.order_text for ply in keeper.plies(match) if ply.seat == 1] == [order]
    assert keeper.seat(match, 1).vacation_days == 3
    assert len(keeper.table(match).standing) == 1


def test_a_question_mark_tells_of_days_away_where_there_are_any(keeper: Office) -> None:
    _, reply_to = on_vacation(keeper)

    bobs(keeper, "?", reply_to)

    kept = newest(keeper, "bob")
    assert "away 2026-07-02 to 2026-07-08\n" in kept.text
    assert "away 2026-07-02 to 2026-07-08</span>" in kept.html


def test_what_else_can_be_written_stands_apart_where_the_turn_is_closed(keeper: Office) -> None:
    match, reply_to = on_vacation(keeper)
    keeper.play(match, 1)

    bobs(keeper, "?", reply_to)

    assert "\n\nWHAT ELSE YOU CAN WRITE\n" in newest(keeper, "bob").text


def test_a_question_mark_tells_nothing_of_days_away_where_there_are_none(keeper: Office) -> None:
    _, reply_to = asked(keeper)

    bobs(keeper, "?", reply_to)

    kept = newest(keeper, "bob")
    assert "leaves an order for the turn after this one" in kept.text
    assert "away" not in kept.text


def test_what_spanish_help_names_is_understood(keeper: Office) -> None:
    match, reply_to = on_vacation(keeper, language="es")
    bobs(keeper, "ayuda", reply_to)
    [line] = re.findall(r"^ *(ausente .*)$", newest(keeper, "bob").text, re.MULTILINE)

    bobs(keeper, line, reply_to, "2")
    gone = keeper.seat(match, 1).away_until
    bobs(keeper, "de vuelta", reply_to, "3")

    assert gone is not None
    assert keeper.seat(match, 1).away_until is None
    assert "Vuelves a tener 7 días de vacaciones." in said(keeper)
