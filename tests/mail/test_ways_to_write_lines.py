"""Lines of a letter as people and their programs write them: in lists, in quotes, below a name."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.codec import encode
from pbem.mail import gateway
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.engine.games.dog.tables import table
from tests.mail.correspondence import asked, bobs, newest
from tests.mail.office import Office
from tests.parts.cast import people


def bob_to_play(office: Office, hand: str, name: str = "Bob") -> tuple[Match, str]:
    """A match of Dog in which Bob is to play these cards, and where his answers go."""
    seats = [replace(one, name=name if one.name == "Bob" else one.name) for one in people(4)]
    match = office.running(seats=seats)
    while not (office.waiting(match) == [1] and office.table(match).state.stage == "play"):
        match = office.play_on(match, plies=match.ply + 1)
    state = table({0: (40,), 1: (32,)}, {1: hand}, turn=1)
    with office.service.database.write("test") as session:
        row = session.get(Match, match.id)
        assert row is not None
        row.state_json = encode(state).decode()
        session.add(row)
    return match, gateway.reply_address(office.service, office.link(match, Purpose.REPLY, 1))


@pytest.mark.parametrize("above", ["Thanks!", "ok", "Danke", "say Thanks!"])
def test_a_name_that_is_a_card_is_no_order_below_words(keeper: Office, above: str) -> None:
    match, reply_to = bob_to_play(keeper, "J 2", name="Jack Ryan")

    bobs(keeper, f"{above}\r\nJack", reply_to)

    assert keeper.match(match.id).ply == match.ply
    assert "“Jack”" not in newest(keeper, "bob").text


def test_a_star_that_may_be_a_joker_or_the_mark_of_a_list_is_not_guessed(keeper: Office) -> None:
    match, reply_to = bob_to_play(keeper, "A *")

    bobs(keeper, "* A 32-33", reply_to)

    answer = " ".join(newest(keeper, "bob").text.split())
    assert keeper.match(match.id).ply == match.ply
    assert "Write it without a space behind the “*”, or without the “*”." in answer


@pytest.mark.parametrize(
    ("hand", "line", "order"),
    [
        ("A *", "*A 32-33", "*A 32-33"),
        ("A *", "- A 32-33", "A 32-33"),
        # only one of the two is legal
        ("A 2", "* A 32-33", "A 32-33"),
        ("2 *", "* A 32-33", "*A 32-33"),
    ],
)
def test_a_star_is_what_it_can_be(keeper: Office, hand: str, line: str, order: str) -> None:
    match, reply_to = bob_to_play(keeper, hand)

    bobs(keeper, line, reply_to)

    [ply] = [one for one in keeper.plies(match) if one.ply == match.ply + 1]
    assert (ply.seat, ply.order_text) == (1, order)


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("- wait K out", "K out"),
        ("“wait K out”", "K out"),
        ("1. wait: “K out”.", "K out"),
        ("wait 'K out.'", "K out"),
        ("* espera K out!", "K out"),
    ],
)
def test_an_order_that_waits_is_left_without_what_stands_around_it(
    keeper: Office, line: str, order: str
) -> None:
    match, reply_to = asked(keeper)

    bobs(keeper, line, reply_to)

    [left] = keeper.table(match).standing
    assert left.orders_json == f'["{order}"]'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- ?", "WHAT YOU CAN PLAY"),
        ("“?”", "WHAT YOU CAN PLAY"),
        ("- say Hello, everybody!", "Hello, everybody!"),
        ("* say Hello, everybody!", "Hello, everybody!"),
        ("1) away from 2026-08-01 to 2026-08-09", "2026-08-0"),
    ],
)
def test_a_line_in_a_list_or_in_quotes_is_read_like_any_other(
    keeper: Office, line: str, said: str
) -> None:
    _, reply_to = asked(keeper)

    bobs(keeper, line, reply_to)

    answer = newest(keeper, "bob").text
    assert said in answer
    assert "A gift is written as" not in answer
