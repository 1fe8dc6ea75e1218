"""Words at the table by mail: a line of a letter says something, and the next mails bring it."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pytest

from engine.errors import OrderError
from engine.games.registry import games
from pbem.acts import matches
from pbem.errors import BadInput
from pbem.mail import mailbox
from pbem.mail.intents import addressed, plain_order, said
from pbem.people import privacy, talk
from pbem.people import sweep as company
from pbem.store.models import Mail, Match, Message
from pbem.store.names import Actor, MailStatus, Purpose
from tests.golden.record_matches import kept, read
from tests.mail import golden
from tests.mail.correspondence import bobs, newest
from tests.mail.office import Office, html_of, parsed, text_of
from tests.parts import remedies
from tests.parts.cast import address, by


@pytest.fixture
def match(keeper: Office) -> Match:
    """A running match of Dog in which talk is allowed; it is Bob's turn, and others'."""
    found = keeper.running()
    with keeper.service.database.write("talk") as session:
        talk.open_with(session, found, allowed=True)
    return found


def messages(office: Office, match: Match, reader: int) -> list[Message]:
    with office.service.database.read() as session:
        return list(talk.messages_for(session, office.match(match.id), reader))


def answer(office: Office) -> str:
    return " ".join(newest(office, "bob").text.split())


def say(office: Office, match: Match, seat: int, to: int | Literal["table"], text: str) -> None:
    talk.say(
        office.service,
        by(office.service, match.id, seat),
        to,
        text,
        f"{text[:40]} {office.clock.now()}",
    )


@pytest.mark.parametrize(
    ("line", "to", "text"),
    [
        ("say Good evening, all!", "table", "Good evening, all!"),
        ("Say: shall we?", "table", "shall we?"),
        ("di Buenas noches", "table", "Buenas noches"),
        ("decir: Hola", "table", "Hola"),
        ("say to all: hello", "table", "hello"),
        ("say to be honest, I am lost", "table", "to be honest, I am lost"),
        ("di a todos: hola", "table", "hola"),
        ("say to Carol: psst", 2, "psst"),
        ("say to carol, psst", 2, "psst"),
        ("SAY TO CAROL psst: a secret", 2, "psst: a secret"),
        ("say @Carol psst", 2, "psst"),
        ("say @3 psst", 2, "psst"),
        ("say @3: psst", 2, "psst"),
        ("di a Carol: psst", 2, "psst"),
        ("say to Anna Maria: psst", 4, "psst"),
        ("say @Anna Maria psst", 4, "psst"),
        ("say @Anna psst", 3, "psst"),
        # never to all what was meant for one
        ("say to Crol: psst", None, "to Crol: psst"),
        ("say @Crol psst", None, "@Crol psst"),
        ("say @9 psst", None, "@9 psst"),
        ("say to Alex psst", None, "psst"),
        ("say @7 psst", 6, "psst"),
        ("say to Carol; psst", None, "Carol; psst"),
        ("say to Anna Maria. Psst", None, "Anna Maria. Psst"),
    ],
)
def test_a_line_says_something_to_all_or_to_one(
    line: str, to: int | Literal["table"] | None, text: str
) -> None:
    names = ("Alice", "Bob", "Carol", "Anna", "Anna Maria", "Alex", "alex")

    assert addressed(said(line) or "", names) == (to, text)


@pytest.mark.parametrize(
    ("text", "to"), [("a Jose\u0301 psst", 0), ("to Dan \U0001f469\U0001f467 psst", 1)]
)
def test_a_name_is_found_however_a_mail_program_writes_its_signs(text: str, to: int) -> None:
    """Else it was said to all. What joins the parts of an emoji is gone in a line that was read."""
    names = ("José", "Dan \U0001f469\u200d\U0001f467")

    assert addressed(text, names) == (to, "psst")


def test_a_letter_says_nothing_of_whoever_is_forgotten_at_that_moment(
    keeper: Office, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    to, act = newest(keeper, "bob").reply_to, talk.say

    def late(*given: Any, **named: Any) -> Message:
        privacy.forget(keeper.service, address("bob"), Actor.PLAYER)
        return act(*given, **named)

    monkeypatch.setattr(talk, "say", late)
    bobs(keeper, "say It was Bob", to)

    assert messages(keeper, match, 0) == []


def test_whoever_gets_a_seat_at_that_moment_reads_nothing_of_a_letter_of_the_player_before(
    keeper: Office, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    to, act = newest(keeper, "bob").reply_to, talk.say

    def late(*given: Any, **named: Any) -> Message:
        found = act(*given, **named)
        remedies.replace(keeper.service, match.id, 1, "Frank", address("frank"), actor="operator")
        return found

    monkeypatch.setattr(talk, "say", late)
    bobs(keeper, "say to Carol: I hold an ace", to)
    keeper.post_all()

    found = mailbox.listed(keeper.service, address("frank"))
    assert [mail.subject for mail in found if "I hold an ace" in mail.text] == []
    assert keeper.owed("reply_answer").status == MailStatus.DROPPED


@pytest.mark.parametrize(
    ("line", "to"),
    [
        ("say @2 Psst", None),
        ("say to all: Hello", None),
        ("say to 2: Psst", 2),
        ("say @all Psst", 3),
    ],
)
def test_whoever_is_called_like_a_number_or_all_gets_no_words_of_others(
    line: str, to: int | None
) -> None:
    names = ("Alice", "Bob", "2", "all")

    assert addressed(said(line) or "", names)[0] == to


@pytest.mark.parametrize("line", ["saying K out", "K out", "dice 3", "say", "discard 7", "direct"])
def test_another_line_says_nothing(line: str) -> None:
    assert said(line) is None


@pytest.mark.parametrize("file", kept(), ids=lambda file: file.name)
def test_no_order_of_a_recorded_match_is_a_message(file: Path) -> None:
    orders = {entry["order"] for entry in read(file)["record"]["entries"] if entry["order"]}

    assert len(orders) > 5
    assert [order for order in orders if said(order) or said(plain_order(order))] == []


@pytest.mark.parametrize("name", sorted(games()))
def test_no_message_is_a_move_and_no_move_a_message(name: str, keeper: Office) -> None:
    match = keeper.of_game(name)
    for number in range(4):
        table = keeper.table(match)
        seat = keeper.waiting(match)[0]
        for move in islice(table.game.legal_moves(table.state, seat), 200):
            order = table.game.format(move)
            assert said(order) is None
            for line in (f"say {order}", f"di {order}", f"say to {order}", f"say @1 {order}"):
                with pytest.raises(OrderError):
                    table.game.parse(table.state, seat, plain_order(line))
        keeper.play(match, seat, submission=f"{number}")
        keeper.work()


def test_words_and_a_move_in_one_letter(keeper: Office, match: Match) -> None:
    to, order = newest(keeper, "bob").reply_to, keeper.good_order(match, 1)
    ply = keeper.match(match.id).ply

    bobs(keeper, f"say Here we go!\n{order}\nsay to Carol: what now?", to)

    assert keeper.match(match.id).ply == ply + 1
    assert [one.text for one in messages(keeper, match, 2)] == ["Here we go!", "what now?"]
    assert [one.text for one in messages(keeper, match, 3)] == ["Here we go!"]
    told = answer(keeper)
    assert "Said to all at the table." in told
    assert "- Played." in told
    assert "Said to Carol alone." in told


def test_a_letter_that_comes_twice_says_it_once(keeper: Office, match: Match) -> None:
    to = newest(keeper, "bob").reply_to

    for _ in range(2):
        bobs(keeper, "say Hello?", to)

    assert [one.text for one in messages(keeper, match, 0)] == ["Hello?"]


def test_the_answer_to_an_old_mail_says_something(keeper: Office, match: Match) -> None:
    """The turn is closed, and later the match is over."""
    to = newest(keeper, "bob").reply_to
    keeper.play(match, 1)
    keeper.work()

    bobs(keeper, "say The turn is over.", to, key="closed")
    remedies.abort(keeper.service, match.id, actor="host")
    bobs(keeper, "say And so is the match.", to, key="over")

    texts = [one.text for one in messages(keeper, match, 3)]
    assert texts == ["The turn is over.", "And so is the match."]
    keeper.post_all()
    answers = [text_of(parsed(golden.raw_of(keeper, one))) for one in keeper.mails("reply_answer")]
    assert ["Said to all at the table." in one for one in answers] == [True, True]


def test_what_is_for_somebody_who_is_not_there_is_not_said_to_all(
    keeper: Office, match: Match
) -> None:
    bobs(keeper, "say to Carl: I hold the king", newest(keeper, "bob").reply_to)

    assert messages(keeper, match, 1) == []
    assert "so it was not said. There are: Alice, Bob, Carol, Dave." in answer(keeper)


def test_words_below_a_wrong_line_are_not_said(keeper: Office, match: Match) -> None:
    bobs(keeper, "nonsense\nsay Take that!", newest(keeper, "bob").reply_to)

    assert messages(keeper, match, 1) == []
    assert "Not said, because of the line above." in answer(keeper)


def test_a_long_line_that_may_go_on_below_is_neither_said_nor_played(
    keeper: Office, match: Match
) -> None:
    """What a program broke must not be played, and an order must not be told to others."""
    to, order = newest(keeper, "bob").reply_to, keeper.good_order(match, 1)
    ply, long = keeper.match(match.id).ply, "say " + "a word or two " * 5

    bobs(keeper, f"{long}\n{order}", to, key="unsure")

    assert messages(keeper, match, 1) == []
    assert keeper.match(match.id).ply == ply
    assert "nothing from here on was said or played" in answer(keeper)
    bobs(keeper, f"{order}\n{long}", to, key="sure")
    assert keeper.match(match.id).ply == ply + 1
    assert len(messages(keeper, match, 1)) == 1


def test_a_message_may_hold_a_link(keeper: Office, match: Match) -> None:
    """In other lines a link ends what the sender wrote; a long message may go on with one."""
    to, order = newest(keeper, "bob").reply_to, keeper.good_order(match, 1)
    ply, link = keeper.match(match.id).ply, "https://example.org/a-picture"

    bobs(keeper, f"say Look: {link}\n{order}\n{link}\n{order}", to)

    assert [one.text for one in messages(keeper, match, 2)] == [f"Look: {link}"]
    assert keeper.match(match.id).ply == ply + 1
    bobs(keeper, f"say {'a word or two ' * 5}\n{link}", to, key="long")
    assert len(messages(keeper, match, 2)) == 1
    assert "nothing from here on was said or played" in answer(keeper)


def test_where_nothing_is_said_a_letter_is_told_so(keeper: Office) -> None:
    """DOG-4: no talk about cards held or wanted."""
    match = keeper.running()

    bobs(keeper, "say I have a joker", newest(keeper, "bob").reply_to)

    assert messages(keeper, match, 1) == []
    assert "There is no talk in this match." in answer(keeper)


def test_a_question_mark_tells_how_to_say_something(keeper: Office, match: Match) -> None:
    bobs(keeper, "?", newest(keeper, "bob").reply_to)

    assert "say to Alice: Good luck!" in answer(keeper)


# --- mails bring it ---


def sent_to(office: Office, seat: int) -> list[Mail]:
    """The mails of turns that were sent to a seat."""
    mails = [mail for mail in office.mails("your_turn") if mail.seat == seat]
    return [mail for mail in mails if mail.status == MailStatus.SENT]


PREHEADER = re.compile(r'<div class="preheader"[^>]*>([^<]*)')


def test_the_next_mail_brings_what_was_said_to_whom_it_is_for(keeper: Office, match: Match) -> None:
    keeper.post_all()
    say(keeper, match, 1, "table", "A <zither> to all")
    say(keeper, match, 1, 2, "A zither to Carol")
    keeper.clock.move(talk.PATIENCE / 2)

    while any(len(sent_to(keeper, seat)) < 2 for seat in range(4)):
        keeper.clock.move(timedelta(minutes=1))
        keeper.play_on(match, plies=keeper.match(match.id).ply + 3)
        keeper.post_all()

    for seat in range(4):
        # in one mail, and only once
        sent = [parsed(golden.raw_of(keeper, mail)) for mail in sent_to(keeper, seat)]
        message, *others = [mail for mail in sent if "zither" in text_of(mail)]
        assert others == []
        assert "- Bob: A <zither> to all" in text_of(message)
        assert "A &lt;zither&gt; to all" in html_of(message)
        assert ("zither to Carol" in text_of(message)) is (seat in (1, 2))
        assert "zither" not in f"{message['Subject']} {message['From']}"
        assert not any("zither" in shown for shown in PREHEADER.findall(html_of(message)))


def test_who_waits_gets_a_mail_of_words_after_a_day_and_one_a_day(
    keeper: Office, match: Match
) -> None:
    keeper.post_all()
    keeper.play(match, 0)
    keeper.work()
    assert 0 not in keeper.waiting(match)
    say(keeper, match, 1, "table", "Is anybody there?")
    say(keeper, match, 1, 0, "You, for one?")

    company.sweep(keeper.service)
    assert keeper.mails("words") == []
    keeper.clock.move(talk.PATIENCE)
    for _ in range(3):
        company.sweep(keeper.service)
    keeper.post_all()

    told = keeper.mails("words")
    # the others have a turn: its page and the next mail tell them
    assert [mail.seat for mail in told] == [0]
    text = newest(keeper, "alice").text
    assert "Bob: Is anybody there?" in text
    assert "Bob, to you alone: You, for one?" in text
    say(keeper, match, 2, "table", "Yes!")
    keeper.clock.move(talk.PATIENCE)
    company.sweep(keeper.service)
    keeper.post_all()
    assert len(keeper.mails("words")) == 2
    assert "Is anybody" not in newest(keeper, "alice").text


def test_what_another_mail_has_told_owes_no_mail_of_words(keeper: Office) -> None:
    match = keeper.open(confirmed=False)
    with keeper.service.database.write("talk") as session:
        talk.open_with(session, match, allowed=True)
    for seat in (0, 1):
        matches.join(keeper.service, keeper.link(match, Purpose.JOIN, seat), matches.Joining())
    say(keeper, match, 0, "table", "Nice")
    talk.mute(keeper.service, by(keeper.service, match.id, 1), 0, on=True)

    keeper.clock.move(talk.PATIENCE)
    company.sweep(keeper.service)

    assert keeper.mails("words") == []


def test_no_text_of_a_message_can_be_a_header(keeper: Office, match: Match) -> None:
    with pytest.raises(BadInput):
        say(keeper, match, 1, "table", "a\x0bb")
