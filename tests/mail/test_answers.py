"""Answer with your move: letters as mail programs write them, and what comes of them."""

from __future__ import annotations

import re
import threading
from typing import cast

import pytest
from msgspec.structs import replace

from engine.games.dog.state import DogState
from pbem.mail import gateway, letter, lines, mailbox
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.mail.correspondence import LETTERS, answered, asked, bobs, newest, of_program, written
from tests.mail.office import Office, parsed
from tests.parts import remedies
from tests.parts.cast import SHORT, address, people
from tests.parts.relay import Relay

PROGRAMS = sorted(path.stem for path in LETTERS.glob("*.eml"))
MOST = 262_144


# --- what mail programs write ---


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_move_is_made_by_what_a_mail_program_writes(keeper: Office, program: str) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]

    mailbox.receive(keeper.service, of_program(program, order, reply_to, "BOB@example.org"))

    [ply] = [ply for ply in keeper.plies(match) if ply.seat == 1]
    assert (ply.order_text, ply.made_by) == (order, "mail")
    answer = newest(keeper, "bob")
    assert answer.subject == "Your move was played · Dog with Alice, Carol and Dave"
    assert f"“{order}”\n- Played." in answer.text
    assert order in answer.html


def test_a_turn_mail_says_how_to_answer_it(keeper: Office) -> None:
    match = keeper.running()

    kept = newest(keeper, "bob")

    token = keeper.token(keeper.link(match, Purpose.REPLY, 1))
    assert kept.reply_to == f"r+{token}@localhost"
    example = keeper.orders(match, 1)[0]
    assert f"Or answer this mail with your move, for example:\n\n  {example}\n" in kept.text


def before_an_activation(office: Office) -> tuple[Match, int]:
    """A skirmish of one fire team a side, and who may activate it now."""
    match = office.of_game("skirmish", options={"points": 250})
    while str(office.match(match.id).phase) != "activation":
        seat, ply = office.waiting(match)[0], office.match(match.id).ply
        office.play(match, seat, office.good_order(match, seat), f"ply {ply}")
        office.work()
    return match, office.waiting(match)[0]


def test_what_the_line_above_has_done_is_not_missed(keeper: Office) -> None:
    """All of a team wait to fire, and so its activation is over."""
    match, seat = before_an_activation(keeper)
    team = ("alpha", "bravo")[seat]
    waits = [f"activate {team}", *(f"{team}-{number} opfire" for number in range(1, 5))]

    answer = answered(keeper, match, seat, "\n".join([*waits, f"{team} end"]))

    assert answer.subject.startswith("Your move was played")
    assert f"“{team} end”\n- The line above has done that already.\n" in answer.text


def test_another_order_for_who_waits_to_fire_is_too_late(keeper: Office) -> None:
    match, seat = before_an_activation(keeper)
    team = ("alpha", "bravo")[seat]
    waits = [f"activate {team}", *(f"{team}-{number} opfire" for number in range(1, 5))]

    answer = answered(keeper, match, seat, "\n".join([*waits, f"{team}-1 prone"]))

    assert answer.subject.startswith("Not all of your answer was played")
    assert "Your turn was over by then." in answer.text


def before_a_lead(office: Office, least: int, most: int) -> tuple[Match, int]:
    """A match in which one seat has yet to give a card, and leads then with so many orders."""
    while True:
        match = office.running()
        leader = cast(DogState, office.table(match).state).starter
        for seat in sorted({0, 1, 2, 3} - {leader}):
            office.play(match, seat)
        if least <= len(office.orders_after(match, leader, leader)) <= most:
            return match, leader


def test_the_answer_to_a_move_says_what_can_be_played_next_in_the_same_turn(keeper: Office) -> None:
    match, leader = before_a_lead(keeper, 2, 1000)
    given = keeper.good_order(match, leader)

    answer = answered(keeper, match, leader, given)

    assert keeper.waiting(match) == [leader]
    assert answer.subject.startswith("Your move was played · ")
    assert f"“{given}”\n- Played." in answer.text
    assert "It is still your turn." in answer.text
    assert f"  {keeper.orders(match, leader)[0]}\n" in answer.text


def test_the_answer_to_a_move_asks_for_nothing_that_is_played_by_itself(keeper: Office) -> None:
    match, leader = before_a_lead(keeper, 1, 1)
    given = keeper.good_order(match, leader)

    answer = answered(keeper, match, leader, given)

    assert len(keeper.orders(match, leader)) == 1
    assert f"“{given}”\n- Played." in answer.text
    assert "You have nothing to decide in this turn any more." in answer.text


def test_no_answer_is_asked_for_where_no_letter_can_come_in(
    office: Office, smtp_server: Relay
) -> None:
    office.running()
    office.post_all()

    assert smtp_server.taken
    assert {parsed(mail.content)["Reply-To"] for mail in smtp_server.taken} == {None}
    assert not any(b"answer this mail" in mail.content for mail in smtp_server.taken)


def test_lines_that_a_program_broke_are_whole_again() -> None:
    order = " ".join(f"word{number}" for number in range(30))
    cut = order.rindex(" ", 0, 69)
    first, rest = order[:cut], order[cut + 1 :]
    flowed = written(
        f"{first} \r\n{rest}", "a@b", "c@d", head="Content-Type: text/plain; format=flowed\r\n"
    )
    alternative = written(
        f"--x\r\n\r\n{first}\r\n{rest}\r\n"
        f"--x\r\nContent-Type: text/html\r\n\r\n<p>{order}</p>\r\n--x--",
        "a@b",
        "c@d",
        head="Content-Type: multipart/alternative; boundary=x\r\n",
    )

    assert letter.read(flowed, MOST).lines == (order,)
    assert letter.read(alternative, MOST).lines == (order,)


def test_lines_in_paragraphs_of_their_own_are_one_block() -> None:
    """Programs write an empty line between paragraphs; one that was typed ends the block."""
    paragraphs = written(
        "--x\r\n\r\ngive 2\r\n\r\ngive 3\r\n\r\n\r\nSee you\r\n"
        "--x\r\nContent-Type: text/html\r\n\r\n"
        "<p>give 2</p><p>give 3</p><p><br></p><p>See you</p>\r\n--x--",
        "a@b",
        "c@d",
        head="Content-Type: multipart/alternative; boundary=x\r\n",
    )

    assert letter.read(paragraphs, MOST).lines == ("give 2", "give 3")


@pytest.mark.parametrize(
    ("head", "lines"),
    [("Content-Type: text/plain; format=flowed\r\n", ("give 2", "give 3")), ("", ())],
)
def test_what_stands_right_below_a_quote_is_read_where_its_marks_are_sure(
    head: str, lines: tuple[str, ...]
) -> None:
    raw = written("On Tuesday pbem wrote:\r\n> quoted\r\ngive 2\r\ngive 3", "a@b", "c@d", head=head)

    assert letter.read(raw, MOST).lines == lines


@pytest.mark.parametrize("signed", ["Bob Miller", "bob miller", "Bob", "- Bob"])
def test_a_first_name_below_an_order_is_no_order(keeper: Office, signed: str) -> None:
    alice, bob, *others = people(4)
    match = keeper.running(seats=[alice, replace(bob, name="Bob Miller"), *others])
    reply_to = newest(keeper, "bob").reply_to

    bobs(keeper, f"{keeper.orders(match, 1)[0]}\r\n{signed}", reply_to)

    assert newest(keeper, "bob").subject.startswith("Your move was played")


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("ORDER", "wait K out"),
        ("say Sorry for the delay!", "ORDER"),
        ("Sorry for the delay!", "ORDER"),
        ("Thanks!", "ORDER"),
        ("ORDER", "say Good luck!"),
    ],
)
def test_an_order_below_an_empty_line_is_told_not_to_have_been_read(
    keeper: Office, above: str, below: str
) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]

    bobs(keeper, f"Hi,\r\n\r\n{above}\r\n\r\n{below}\r\nBob".replace("ORDER", order), reply_to)

    answer = newest(keeper, "bob")
    below = below.replace("ORDER", order)
    assert f"“{below}”\n- Not read, because it stands below an empty line." in answer.text
    assert "not played" in answer.subject or "Not all" in answer.subject
    assert "“Bob”" not in answer.text
    assert (keeper.match(match.id).ply == match.ply) is (above != "ORDER")


def test_a_name_or_a_quote_below_an_empty_line_is_no_order(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    quote = "pbem schreef:\r\n\r\nWHAT YOU CAN PLAY\r\n  give 2\r\n"

    bobs(keeper, f"{order}\r\n\r\nBob Miller\r\nWarden of the North\r\n{quote}", reply_to)

    answer = newest(keeper, "bob")
    assert answer.subject.startswith("Your move was played")
    assert "Not read" not in answer.text


def test_a_signature_below_an_empty_line_that_is_a_card_is_no_order(keeper: Office) -> None:
    seats = [replace(one, name="Jack" if one.name == "Bob" else one.name) for one in people(4)]
    match = keeper.running(seats=seats)
    order = keeper.orders(match, 1)[0]

    bobs(keeper, f"{order}\r\n\r\nJack", newest(keeper, "bob").reply_to)

    answer = newest(keeper, "bob")
    assert answer.subject.startswith("Your move was played")
    assert "Not read" not in answer.text


def test_an_answer_below_a_very_long_quote_is_found() -> None:
    quote = "> a line of our mail\r\n" * 400
    raw = written(f"On Tuesday pbem wrote:\r\n{quote}\r\ngive 2", "a@b", "c@d")

    assert letter.read(raw, MOST).lines == ("give 2",)


@pytest.mark.parametrize(
    "end",
    [
        "> quoted",
        "-- ",
        "On Tue, Jun 2, 2026 at 2:00 PM pbem <pbem@localhost> wrote:",
        "On Tue, Jun 2, 2026 at 2:00 PM pbem\r\n<pbem@localhost> wrote:",
        "El mar, 2 jun 2026 a las 14:00, pbem (<pbem@localhost>) escribió:",
        "-----Original Message-----",
        "Sent from my iPhone",
        "https://games.example.org/t/x",
        "",
    ],
)
def test_what_is_quoted_or_signed_is_no_order(end: str) -> None:
    raw = written(f"give A\r\ngive 2\r\n{end}\r\ngive K", "a@b", "c@d")

    assert letter.read(raw, MOST).lines == ("give A", "give 2")


# --- the grammar ---


def test_what_is_wrong_is_said_line_by_line_and_nothing_below_it_is_played(
    keeper: Office,
) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]

    bobs(keeper, f"give nonsense\r\n{order}", reply_to)

    assert [ply for ply in keeper.plies(match) if ply.seat == 1] == []
    answer = newest(keeper, "bob")
    assert "“give nonsense”\n- " in answer.text
    assert f"“{order}”\n- Not played, because of the line above." in answer.text
    assert answer.reply_to == reply_to
    assert all(f"\n  {legal}\n" in answer.text for legal in keeper.orders(match, 1))


@pytest.mark.parametrize("text", ["?", "HELP", "ayuda"])
def test_a_question_is_answered_with_the_legal_moves(keeper: Office, text: str) -> None:
    match, reply_to = asked(keeper)

    bobs(keeper, text, reply_to)

    answer = newest(keeper, "bob")
    assert all(f"\n  {legal}\n" in answer.text for legal in keeper.orders(match, 1))
    assert keeper.match(match.id).ply == match.ply


def test_of_a_long_line_the_beginning_is_quoted(keeper: Office) -> None:
    _match, reply_to = asked(keeper)

    bobs(keeper, "x" * 600, reply_to)

    [quoted] = re.findall("x{9,}…", newest(keeper, "bob").text)
    assert len(quoted) == lines.SHOWN + 1


def test_several_questions_are_each_answered(keeper: Office) -> None:
    _, reply_to = asked(keeper)

    results = [bobs(keeper, "?", reply_to, key) for key in ("1", "2")]

    assert results == ["answered", "answered"]
    assert len(keeper.mails("reply_answer")) == 2


def test_the_first_line_that_is_too_many_is_told_so_and_those_below_it_with_it(
    keeper: Office,
) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    asked_lines = ["help"] * lines.MOST_LINES + [order] + ["too long"] * 500

    bobs(keeper, "\r\n".join(asked_lines), reply_to)

    answer = " ".join(newest(keeper, "bob").text.split())
    assert keeper.match(match.id).ply == match.ply
    assert answer.count("A mail has at most 30 lines.") == 1
    assert order in answer
    assert "too long" not in answer


def test_an_empty_letter_is_told_that_it_is(keeper: Office) -> None:
    _, reply_to = asked(keeper)

    bobs(keeper, "> only a quote", reply_to)

    assert "The mail contained no order." in newest(keeper, "bob").text


def test_the_answer_speaks_the_players_language(keeper: Office) -> None:
    keeper.running(language="es")

    bobs(keeper, "tonterías", newest(keeper, "bob").reply_to)

    assert "Qué fue de cada línea:" in newest(keeper, "bob").text


# --- again, too late, too often ---


def test_a_letter_about_a_match_that_cannot_be_read_is_answered(keeper: Office) -> None:
    """Below an empty line, too, where it is looked at whether an order stands there."""
    match, reply_to = asked(keeper)
    with keeper.service.database.write("test") as session:
        session.merge(keeper.match(match.id).model_copy(update={"state_json": "{}"}))

    result = bobs(keeper, "give 2\r\n\r\ngive 3", reply_to)

    assert result == "answered"
    keeper.post_all()
    answer = newest(keeper, "bob")
    assert "This match cannot be read by these rules." in answer.text
    assert "This match stands still" in answer.text
    assert "nothing to decide" not in answer.text


def test_a_letter_that_comes_again_changes_nothing_and_is_not_answered_again(
    keeper: Office,
) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]

    results = [bobs(keeper, order, reply_to) for _ in range(3)]

    assert results == ["answered", "again", "again"]
    assert len([ply for ply in keeper.plies(match) if ply.seat == 1]) == 1
    assert len(keeper.mails("reply_answer")) == 1


def test_a_letter_that_comes_four_times_at_once_is_one_move(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]

    threads = [threading.Thread(target=bobs, args=(keeper, order, reply_to)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len([ply for ply in keeper.plies(match) if ply.seat == 1]) == 1
    assert len(keeper.mails("reply_answer")) == 1
    assert f"“{order}”\n- Played." in newest(keeper, "bob").text


def test_an_answer_to_a_closed_turn_is_told_so(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    keeper.play(match, 1)

    bobs(keeper, "K out", reply_to)

    assert "This turn is closed." in newest(keeper, "bob").text


def asked_again(office: Office) -> tuple[Match, str]:
    """A match in which it is Bob's turn once more, and where his first one took answers."""
    match, old = asked(office)
    office.play(match, 1)
    office.work()
    while 1 not in office.waiting(match):
        seat = office.waiting(match)[0]
        office.play(match, seat, office.good_order(match, seat))
        office.work()
    return match, old


def test_what_an_old_mail_could_not_play_is_not_asked_for_again(keeper: Office) -> None:
    match, old = asked_again(keeper)

    bobs(keeper, f"Thanks!\r\n\r\n{keeper.orders(match, 1)[0]}", old)

    assert "Not read" not in newest(keeper, "bob").text


def test_an_answer_to_an_old_mail_helps_with_the_turn_that_is_open_now(keeper: Office) -> None:
    match, old = asked_again(keeper)
    now = newest(keeper, "bob").reply_to

    bobs(keeper, "give 2", old)

    answer = newest(keeper, "bob")
    assert now != old
    assert answer.reply_to == now
    assert "This turn is closed." in answer.text
    assert "That turn is over, and it is your turn again." in " ".join(answer.text.split())
    assert f"\n  {keeper.orders(match, 1)[0]}\n" in answer.text


def test_an_answer_after_the_end_says_that_the_match_is_over(keeper: Office) -> None:
    match, reply_to = asked(keeper, options=SHORT)
    keeper.play_on(match)
    keeper.post_all()

    bobs(keeper, "Rematch?", reply_to)

    answer = newest(keeper, "bob")
    page = keeper.token(keeper.link(match, Purpose.SEAT, 1))
    assert "The match is over. What you played is here:" in answer.text
    assert f"https://games.example.org/s/{page}/rematch\n" in answer.text
    assert f'href="https://games.example.org/s/{page}/rematch"' in answer.html


def test_a_machine_that_does_not_say_it_is_one_is_answered_so_often_and_no_more(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, reply_to = asked(keeper)
    monkeypatch.setattr(gateway, "MOST_ANSWERS", 3)

    results, answers = [], []
    for number in range(5):
        results.append(bobs(keeper, "I am away", reply_to, str(number)))
        answers.append(" ".join(newest(keeper, "bob").text.split()))

    assert results == ["answered"] * 3 + ["too_many"] * 2
    assert "no more of them are read for a day" not in answers[1]
    assert "no more of them are read for a day" in answers[2]


# --- who is never answered ---


@pytest.mark.parametrize(
    ("head", "result"),
    [
        ("Auto-Submitted: auto-replied\r\n", "automatic"),
        ("Auto-Submitted: auto-replied; owner-token=af15d2\r\n", "automatic"),
        ("Auto-Submitted: auto-generated (failure)\r\n", "automatic"),
        ("Precedence: bulk\r\n", "automatic"),
        ("X-Auto-Response-Suppress: All\r\n", "automatic"),
        ("X-Autoreply: yes\r\n", "automatic"),
        ("Return-Path: <>\r\n", "bounce"),
        ("X-Failed-Recipients: bob@example.org\r\n", "bounce"),
        ("Content-Type: multipart/report; boundary=x\r\n", "bounce"),
        ("List-Id: <abc.pbem.localhost>\r\n", "automatic"),
    ],
)
def test_machines_play_nothing_and_are_not_answered(keeper: Office, head: str, result: str) -> None:
    match, reply_to = asked(keeper)

    found = bobs(keeper, keeper.orders(match, 1)[0], reply_to, head=head)

    assert found == result
    assert keeper.match(match.id).ply == match.ply
    assert keeper.mails("reply_answer") == []


@pytest.mark.parametrize("value", ["no", "No; written=yes", "no (by hand); a=b", " no ;"])
def test_a_letter_that_says_it_is_not_automatic_is_a_persons(keeper: Office, value: str) -> None:
    """RFC 3834, 5: parameters and comments may follow the keyword."""
    match, reply_to = asked(keeper)

    bobs(keeper, keeper.orders(match, 1)[0], reply_to, head=f"Auto-Submitted: {value}\r\n")

    assert keeper.match(match.id).ply == match.ply + 1


def test_our_own_mail_is_recognised(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    ours = newest(keeper, "bob").headers["Message-ID"].strip("<>").partition("@")[0]
    raw = written(order, reply_to, address("bob"), ours).replace(
        f"<{ours}@example.org>".encode(), f"<{ours}@localhost>".encode()
    )

    results = [
        gateway.arrived(keeper.service, raw),
        gateway.arrived(keeper.service, written(order, reply_to, "pbem@localhost")),
        gateway.arrived(keeper.service, written(order, reply_to, reply_to)),
    ]

    assert results == ["ours"] * 3
    assert keeper.match(match.id).ply == match.ply


@pytest.mark.parametrize(
    "sender",
    [
        "carol@example.org",
        "erin@example.org",
        '"bob@example.org" <erin@example.org>',
        "bob@example.org <erin@example.org>",
        "bob@example.org, erin@example.org",
        "<bob@example.org> <erin@example.org>",
        "bob@example.org\r\nFrom: erin@example.org",
        "",
    ],
)
def test_whoever_is_not_the_seats_player_moves_nothing_and_hears_nothing(
    keeper: Office, sender: str
) -> None:
    match, reply_to = asked(keeper)
    raw = written(keeper.orders(match, 1)[0], reply_to, sender)

    assert gateway.arrived(keeper.service, raw) == "wrong_sender"
    assert keeper.match(match.id).ply == match.ply
    assert keeper.mails("reply_answer") == []


def test_an_address_that_was_made_up_or_is_for_something_else_does_nothing(
    keeper: Office,
) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    token = reply_to[2:].partition("@")[0]
    turn = keeper.token(keeper.link(match, Purpose.TURN, 1))
    bent = token[:-1] + ("a" if token[-1] != "a" else "b")

    for to in (f"r+{bent}@localhost", f"r+{turn}@localhost", f"r+{token}@elsewhere.org"):
        assert bobs(keeper, order, to) == "unknown"

    assert keeper.match(match.id).ply == match.ply


def test_a_reply_address_dies_with_the_seats_links(keeper: Office) -> None:
    match, reply_to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    remedies.reissue(keeper.service, match.id, 1, actor="operator")

    assert bobs(keeper, order, reply_to) == "unknown"


# --- whole matches ---


def test_a_match_is_played_by_answering_mails_alone(keeper: Office) -> None:
    match = keeper.running(bots=3, options=SHORT)
    seen = 0
    while keeper.match(match.id).status == "running":
        mail = newest(keeper, "alice")
        assert mail.id > seen, "nobody was asked"
        seen = mail.id
        assert re.fullmatch(r"r\+[0-9a-z]+-[a-z2-7]{32}@localhost", mail.reply_to)
        order = keeper.good_order(match, 0)
        raw = written(order, mail.reply_to, address("alice"), f"m{seen}")
        assert gateway.arrived(keeper.service, raw) == "answered"
        keeper.work()

    made = {ply.made_by for ply in keeper.plies(match) if ply.seat == 0}
    assert keeper.match(match.id).status == "finished"
    assert made <= {"mail", "forced"}
    assert "mail" in made
