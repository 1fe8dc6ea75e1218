"""Replies as mail programs send them: each does what its line of the table says."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

import pytest

from pbem import create_app
from pbem.acts import absence, deliverability, matches
from pbem.mail import gateway
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.mail.correspondence import bobs, newest
from tests.mail.office import Office
from tests.mail.replies import PROGRAMS, REPLIES, SAYS, letter
from tests.parts import remedies
from tests.parts.cast import START, address

#: What the table calls replies whose first order is played.
PLAYS = ("plays", "too_late", "and_waits")
WITH_DAYS = {"turn": "72h", "vacation_days": 20}


def said(office: Office) -> str:
    return " ".join(newest(office, "bob").text.split())


def asked(office: Office, language: str = "en") -> tuple[Match, str]:
    match = office.running(clock=WITH_DAYS, language=language)
    return match, newest(office, "bob").reply_to


def made(office: Office, match: Match) -> list[tuple[str, str]]:
    return [(ply.order_text, ply.made_by) for ply in office.plies(match) if ply.seat == 1]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_reply_does_what_the_table_says(keeper: Office, program: str) -> None:
    rows = [(typed, does) for name, typed, does in REPLIES if name == program]
    match, to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    # what plays comes last in each match: a turn takes one order
    rows.sort(key=lambda row: row[1] in PLAYS)

    for number, (typed, does) in enumerate(rows):
        if made(keeper, match):
            match, to = asked(keeper)
            order = keeper.orders(match, 1)[0]
        raw = letter(program, typed, order, to, address("bob"), f"{number}")
        assert gateway.arrived(keeper.service, raw) == "answered"
        expected = [(order, "mail")] if does in PLAYS else []
        assert made(keeper, match) == expected, (typed, said(keeper))
        assert SAYS[does][0].casefold() in said(keeper).casefold(), (typed, said(keeper))
        if does == "plays":
            assert "Your turn was over" not in said(keeper), typed


LINES = [(typed, does) for _, typed, does in REPLIES if "ORDER" not in typed and typed]


@pytest.mark.parametrize("language", ["en", "es"])
def test_what_is_no_order_is_answered_in_the_players_language_and_does_nothing(
    keeper: Office, language: str
) -> None:
    match, to = asked(keeper, language)
    meant = [row for row in LINES if row[1] in ("stop", "resign", "when", "not_moved", "thanks")]
    before = keeper.seat(match, 1)

    for number, (typed, does) in enumerate(meant):
        assert bobs(keeper, typed, to, f"{number}") == "answered"
        expected = SAYS[does][language == "es"]
        assert expected in said(keeper), (typed, said(keeper))

    assert keeper.seat(match, 1) == before
    assert made(keeper, match) == []


@pytest.mark.parametrize(
    ("typed", "purpose"),
    [("stop", Purpose.MUTE), ("I resign", Purpose.SEAT), ("away until Friday", Purpose.SEAT)],
)
def test_the_answer_has_the_one_link_that_does_it(
    keeper: Office, typed: str, purpose: Purpose
) -> None:
    match, to = asked(keeper)

    bobs(keeper, typed, to)

    answer = newest(keeper, "bob")
    token = keeper.token(keeper.link(match, purpose, 1))
    above = answer.text.partition("It is still your turn")[0]
    links = [link.rpartition("/")[2] for link in re.findall(r"https?://\S+", above)]
    assert [link.partition("?")[0] for link in links] == [token]
    assert answer.html.count(token) >= 1


@pytest.mark.parametrize(
    ("typed", "zone", "last"),
    [
        ("I'm away until Friday", "UTC", "2026-06-05"),
        ("away till next monday.", "UTC", "2026-06-08"),
        ("I am on vacation through Tuesday", "UTC", "2026-06-09"),
        ("Estoy de vacaciones hasta el miércoles", "UTC", "2026-06-03"),
        ("Estaré fuera hasta el próximo domingo", "UTC", "2026-06-07"),
        ("Estoy de vacaciones hasta el mie\u0301rcoles", "UTC", "2026-06-03"),
        # at noon in Greenwich it is Wednesday there
        ("away until wednesday", "Pacific/Kiritimati", "2026-06-10"),
    ],
)
def test_away_until_a_weekday_is_answered_with_the_days_filled_in(
    keeper: Office, typed: str, zone: str, last: str
) -> None:
    """Nothing is announced: the link opens the form with the days, and its button announces."""
    match, to = asked(keeper)
    link = keeper.link(match, Purpose.SEAT, 1)
    matches.set_preferences(keeper.service, link, zone, "en")
    today = START.astimezone(ZoneInfo(zone)).date().isoformat()

    bobs(keeper, typed, to)
    [url] = re.findall(r"https?://\S+/s/(\S+)", newest(keeper, "bob").text.partition("It is st")[0])
    page = create_app(keeper.service).test_client().get(f"/s/{url.partition('#')[0]}").text

    assert f"away {today} to {last}." in said(keeper)
    assert url.endswith(f"?from={today}&until={last}#away")
    tags = " ".join(page.split())
    assert f'name="from" value="{today}" type="date" min="{today}" required' in tags
    assert f'name="until" value="{last}" type="date" min="{today}" required' in tags
    assert keeper.seat(match, 1).away_from is None


@pytest.mark.parametrize("day", ["FRİDAY", "frıday", "ſunday", "vıernes", "٣"])
def test_letters_that_only_look_like_those_of_a_weekday_name_none(keeper: Office, day: str) -> None:
    match, to = asked(keeper)

    bobs(keeper, f"away until {day}", to)

    assert "Write the days like this: away 2026-" in said(keeper)
    assert keeper.seat(match, 1).away_from is None


def test_undo_brings_the_way_to_take_a_move_back_and_takes_none_back(keeper: Office) -> None:
    match, to = asked(keeper)
    bobs(keeper, keeper.orders(match, 1)[0], to, "1")

    bobs(keeper, "undo", to, "2")
    alone = said(keeper)
    keeper.play(match, 0)
    bobs(keeper, "undo", to, "3")

    seat = keeper.token(keeper.link(match, Purpose.SEAT, 1))
    assert "You may take your last move back here:" in alone
    assert "you can ask them to allow it here:" in said(keeper)
    assert seat in alone
    assert seat in said(keeper)
    assert len(made(keeper, match)) == 1


def test_who_is_back_while_a_bot_plays_is_shown_the_way_to_the_seat(keeper: Office) -> None:
    match, to = asked(keeper)
    absence_of(keeper, match)

    bobs(keeper, "I'm back", to)

    assert "A bot plays for you now. Take your seat back here:" in said(keeper)
    assert keeper.seat(match, 1).bot is not None


def test_who_gave_the_seat_up_is_not_told_that_it_is_still_theirs(keeper: Office) -> None:
    match, to = asked(keeper)
    absence.resign(keeper.service, keeper.link(match, Purpose.SEAT, 1))

    answers = []
    for typed in ("I resign", "I'm back"):
        bobs(keeper, typed, to, typed)
        answers.append(said(keeper))

    for answer in answers:
        assert "You resigned from this seat. The host can invite you to it again." in answer
        assert "You still have your seat" not in answer
        assert "Take your seat back" not in answer


def test_who_gets_no_mail_any_more_is_not_told_that_they_do(keeper: Office) -> None:
    match, to = asked(keeper)
    bobs(keeper, "stop", to, "1")
    newest(keeper, "bob")
    deliverability.mute(keeper.service, keeper.link(match, Purpose.MUTE, 1))

    bobs(keeper, "stop", to, "2")

    assert "Mail about this match is off already." in said(keeper)
    assert "You still get mail" not in said(keeper)


def test_an_order_in_the_words_of_a_quote_is_never_played(keeper: Office) -> None:
    match, to = asked(keeper)
    order = keeper.orders(match, 1)[0]
    broken = f"On 2026-06-02 14:00, pbem wrote:\n> WHAT YOU CAN\n{order}\n> give K"
    unmarked = f"On 2026-06-02 14:00, pbem wrote:\n\nWHAT YOU CAN PLAY\n\n{order}"

    for number, text in enumerate((broken, unmarked)):
        bobs(keeper, text, to, f"{number}")

    assert made(keeper, match) == []


def absence_of(office: Office, match: Match) -> None:
    remedies.put_bot(office.service, match.id, 1, actor="operator")


def test_the_table_has_more_than_eighty_replies() -> None:
    assert len(REPLIES) > 80
    assert {program for program, _, _ in REPLIES} == set(PROGRAMS)
