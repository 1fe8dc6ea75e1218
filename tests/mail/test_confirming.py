"""Orders that a letter must say in so many words before they are played: a pass in Dogs of War."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from engine.codec import encode
from engine.games.dogs_of_war.box.components import SoldierCounts
from pbem.acts import matches
from pbem.mail import gateway, mailbox
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.engine.games.dogs_of_war.scenes import scene, with_player, with_screen
from tests.mail.correspondence import written
from tests.mail.office import Office
from tests.parts.cast import address

WHAT_IT_BRINGS = {
    "en": "Alice passes and discards 3 captains. As the first to pass, Alice has the first-player"
    " token next year.",
    "es": "Alice pasa y descarta 3 capitanes.",
}
HOW_TO_CONFIRM = {
    "en": "To confirm it, answer with this line: pass for the year",
    "es": "Para confirmarlo, responde con esta línea: pass for the year",
}


def acting(keeper: Office, state: Any = None, language: str = "en") -> tuple[Match, str]:
    """A match in the action phase, and where Alice's turn takes answers."""
    match = keeper.running(
        game="dogs-of-war",
        seats=[matches.NewSeat(name=name, email=address(name)) for name in ("Alice", "Bob", "Eve")],
        language=language,
    )
    while (asked := keeper.table(match).state.table).phase != "action" or asked.turn != 0:
        seat = keeper.waiting(match)[0]
        keeper.play(match, seat, keeper.good_order(match, seat), f"to {keeper.match(match.id).ply}")
        keeper.work()
    put(keeper, match, scene() if state is None else state)
    return match, gateway.reply_address(keeper.service, keeper.link(match, Purpose.REPLY, 0))


def put(keeper: Office, match: Match, state: Any) -> None:
    with keeper.service.database.write("test") as session:
        session.execute(
            update(Match).where(col(Match.id) == match.id).values(state_json=encode(state).decode())
        )


def alices(keeper: Office, text: str, to: str, key: str = "1") -> str:
    """What the answer to her letter says, in one line."""
    gateway.arrived(keeper.service, written(text, to, address("Alice"), key))
    keeper.post_all()
    kept = [
        one
        for one in mailbox.listed(keeper.service, address("Alice"))
        if "What became of each line" in one.text or "Qué fue de cada línea" in one.text
    ]
    return " ".join(kept[-1].text.split())


def passed(keeper: Office, match: Match) -> bool:
    return bool(keeper.table(match).state.table.players[0].passed)


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_pass_by_mail_is_not_played_before_it_is_confirmed(keeper: Office, language: str) -> None:
    """DOW-64, DOW-66, DOW-68."""
    match, reply_to = acting(keeper, language=language)

    answer = alices(keeper, "Pass", reply_to)

    assert not passed(keeper, match)
    assert WHAT_IT_BRINGS[language] in answer
    assert HOW_TO_CONFIRM[language] in answer
    assert {"en": "Not played yet.", "es": "Aún no se ha jugado."}[language] in answer


@pytest.mark.parametrize("line", ["pass for the year", "PASS  for the Year."])
def test_the_line_that_confirms_a_pass_plays_it(keeper: Office, line: str) -> None:
    """DOW-64."""
    match, reply_to = acting(keeper)
    alices(keeper, "pass", reply_to)

    answer = alices(keeper, line, reply_to, "2")

    assert passed(keeper, match)
    assert "Played." in answer


def test_what_stands_below_an_unconfirmed_pass_is_not_played(keeper: Office) -> None:
    match, reply_to = acting(keeper)

    answer = alices(keeper, "pass\r\nfootman talbot 1", reply_to)

    assert not passed(keeper, match)
    assert keeper.table(match).state.table.players[0].captains == 3
    assert "Not played, because of the line above." in answer


def test_a_pass_that_ends_the_year_is_asked_about_with_what_is_certain(keeper: Office) -> None:
    """DOW-64: the cards of the next year are not shown before it is confirmed."""
    state = scene()
    for seat in (1, 2):
        state = with_player(state, seat, captains=0, passed=True)
    match, reply_to = acting(keeper, state)

    answer = alices(keeper, "pass", reply_to)

    assert not passed(keeper, match)
    assert "Alice passes and discards 3 captains." in answer
    assert "year 2" not in answer.lower()


def test_a_forced_pass_is_not_asked_about(keeper: Office) -> None:
    """DOW-65."""
    match, reply_to = acting(keeper, with_screen(scene(), 0, soldiers=SoldierCounts()))

    answer = alices(keeper, "pass", reply_to)

    assert passed(keeper, match)
    assert "Played." in answer


def test_a_confirmed_pass_that_comes_again_is_one_pass(keeper: Office) -> None:
    match, reply_to = acting(keeper)
    raw = written("pass for the year", reply_to, address("Alice"))

    results = [gateway.arrived(keeper.service, raw) for _ in range(2)]

    assert results == ["answered", "again"]
    assert [ply.order_text for ply in keeper.plies(match)].count("pass") == 1


def test_a_standing_order_to_pass_is_played_without_being_asked_about(keeper: Office) -> None:
    match, reply_to = acting(keeper)
    answer = alices(keeper, "footman talbot 1\r\nwait pass", reply_to)
    keeper.work()
    while not passed(keeper, match) and keeper.waiting(match) != [0]:
        seat = keeper.waiting(match)[0]
        keeper.play(
            match, seat, "footman bastiani 1" if seat == 1 else "footman harlow 1", f"{seat}"
        )
        keeper.work()

    assert "It waits for your next decision." in answer
    assert passed(keeper, match)


def test_every_order_of_the_other_kinds_is_played_at_once(keeper: Office) -> None:
    match, reply_to = acting(keeper)

    answer = alices(keeper, "footman talbot 1", reply_to)

    assert keeper.table(match).state.table.players[0].captains == 2
    assert "Played." in answer
