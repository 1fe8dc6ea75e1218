"""What mail programs and people put around an order."""

import pytest

from pbem.mail import letter
from pbem.mail.intents import readings
from tests.mail.replies import Form, both, plain


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
    assert readings(line)[0] == order


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
    assert lines(page(f"<div>{struck}</div><div>give 3</div>")) == ["give 3"]


@pytest.mark.parametrize(
    ("rich", "text", "read"),
    [
        ("<div><s>give A</s></div><div>give 3</div>", "give A\ngive 3", ["give 3"]),
        ("<p><del>give&nbsp;A</del> give 3</p>", "give A give 3", ["give 3"]),
        ("give 3<br><s>give A</s>", "give 3\ngive A", ["give 3"]),
        (
            '<div style="display:none"><p>give A</p></div><p>give 3</p>',
            "give A\ngive 3",
            ["give 3"],
        ),
        # once struck out and once not: it is meant
        ("<div><s>give A</s></div><div>give A</div>", "give A", ["give A"]),
    ],
)
def test_what_is_struck_out_is_not_read_in_the_plain_part_beside_it(
    rich: str, text: str, read: list[str]
) -> None:
    assert lines(both(plain(text), page(rich))) == read


def page(content: str) -> Form:
    return lambda _: f"Content-Type: text/html; charset=utf-8\n\n{content}\n"


def lines(form: Form) -> list[str]:
    """What is read of a letter whose body has this form."""
    raw = f"From: a@example.org\nTo: c@example.org\n{form('')}".encode()
    return list(letter.read(raw, 100_000).lines)
