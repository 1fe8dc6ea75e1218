"""What mail programs and people put around an order."""

import pytest

from pbem.mail.intents import plain_order
from pbem.mail.letter_parser.html import lines_of


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("- give 5", "give 5"),
        ("1. give 5", "give 5"),
        ("2) give 5", "give 5"),
        # a list of HTML in plain text: not a joker
        ("* 3 0-3", "3 0-3"),
        ("  *   2 0-2", "2 0-2"),
        ("*3 0-3", "*3 0-3"),
        ("“K out”.", "K out"),
        ("'K out.'", "K out"),
        ("'K out", "'K out"),
        ("7 12-15 30-34", "7 12-15 30-34"),
        ("10 0-10", "10 0-10"),
        ("-", "-"),
    ],
)
def test_marks_around_an_order_are_not_part_of_it(line: str, order: str) -> None:
    assert plain_order(line) == order


@pytest.mark.parametrize(
    "struck",
    [
        "<s>give A</s>",
        "<del>give A</del>",
        "<strike>give A</strike>",
        '<span style="text-decoration: line-through">give A</span>',
        '<span style="text-decoration-line:line-through;color:red">give A</span>',
    ],
)
def test_what_is_struck_out_is_not_read(struck: str) -> None:
    lines = lines_of(f"<div>{struck}</div><div>give 3</div>")

    assert [line for line in lines if line] == ["give 3"]
