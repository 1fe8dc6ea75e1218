"""What a host does to somebody else's seat waits for the yes of its owner, while they are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.acts import absence, deliverability, mail_relevance, permissions
from pbem.acts import remedies as package
from pbem.acts.remedies import answer, carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.errors import BadInput, Busy, NotFound, NotPossible, Refused, Stale, TooMany
from pbem.looks import match_look
from pbem.store import links
from pbem.store.models import Mail, Match, Permission
from pbem.store.names import Actor, Purpose
from tests.acts.owners import CLOCK, overdue
from tests.parts import remedies
from tests.parts.cast import House

GIVEN_AWAY = RemedyRequest("replace", 1, name="Frank", email="frank@example.org")
CORRECTED = RemedyRequest("correct-address", 1, email="robert@example.net")


def ask(house: House, match: Match, asked: RemedyRequest, actor: Actor = Actor.HOST) -> None:
    carry_out(house.service, match.id, asked, actor)


def rows(house: House) -> list[Permission]:
    with house.service.database.read() as session:
        return list(session.exec(select(Permission)))


def told(house: House, match: Match) -> list[str]:
    """The acts that the table's history shows, in order."""
    look = match_look.table(house.service, match.id)
    return [line.act.act for line in look.lines if line.act]


def ended(house: House) -> list[str]:
    """What the host was told of each permission."""
    said = []
    for mail in house.mails("permission_ended"):
        assert mail.seat == links.HOST
        with house.service.database.read() as session:
            said.append(mail_relevance.subject(session, mail).data["how"])
    return said


def address_of(house: House, mail: Mail) -> str:
    with house.service.database.read() as session:
        return mail_relevance.subject(session, mail).address


def test_with_the_owners_yes_it_is_done_and_who_had_the_seat_is_told_where_they_were(
    any_house: House,
) -> None:
    house = any_house
    match = house.running(clock=CLOCK)

    ask(house, match, GIVEN_AWAY)
    unchanged = house.seat(match, 1).name == "Bob"
    answer(house.service, house.link(match, Purpose.PERMIT, 1), True)

    assert unchanged
    assert house.seat(match, 1).email == "frank@example.org"
    assert told(house, match)[-3:] == ["asked_permission", "permitted", "replaced"]
    assert [address_of(house, mail) for mail in house.mails("seat_changed")] == ["bob@example.org"]
    assert ended(house) == ["done"]


def test_with_a_no_nothing_is_done_and_the_first_answer_stands(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)
    link = house.link(match, Purpose.PERMIT, 1)

    answer(house.service, link, False)
    answer(house.service, link, True)
    house.wait(days=8)

    assert house.seat(match, 1).email == "bob@example.org"
    assert told(house, match)[-2:] != ["permitted", "address_corrected"]
    assert "forbade" in told(house, match)
    assert ended(house) == ["refused"]


def test_silence_is_no(house: House) -> None:
    match = house.running(clock={"turn": "30d"})
    ask(house, match, CORRECTED)

    house.wait(days=7, seconds=1)

    assert house.seat(match, 1).email == "bob@example.org"
    assert ended(house) == ["silent"]
    with pytest.raises(Stale):
        answer(house.service, house.link(match, Purpose.PERMIT, 1), True)


def test_when_mail_to_the_owner_comes_back_it_is_done_without_an_answer(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)

    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550 no such user")
    house.work()

    assert house.seat(match, 1).email == "robert@example.net"
    assert [address_of(house, mail) for mail in house.mails("seat_changed")] == ["bob@example.org"]
    assert ended(house) == ["done"]


def test_a_full_mailbox_is_no_yes_and_the_question_stays_open(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)

    full = "552 5.2.2 mailbox full"
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", full)
    house.work()

    assert house.seat(match, 1).email == "bob@example.org"
    assert ended(house) == []
    assert not permissions.are_due(house.service, match.id)


def test_a_bot_that_was_asked_for_plays_when_the_clocks_ask_the_host(house: House) -> None:
    match = house.running(clock=CLOCK)
    house.wait(hours=11.1)
    while 1 not in house.waiting(match):
        house.play_on(match, without=1)
        house.wait(hours=1)
    ask(house, match, RemedyRequest("bot", 1))

    house.wait(hours=11.1)

    assert house.seat(match, 1).missed == 1
    assert house.seat(match, 1).bot is not None
    assert ended(house) == ["done"]


def test_who_missed_turns_is_told_and_loses_the_seat_two_days_later(any_house: House) -> None:
    house = any_house
    match = house.running(clock=CLOCK)
    overdue(house, match, 1)

    ask(house, match, GIVEN_AWAY)
    house.wait(days=1)
    before = house.seat(match, 1).name
    house.wait(days=1, seconds=1)

    assert before == "Bob"
    assert house.seat(match, 1).name == "Frank"
    assert "gave_notice" in told(house, match)


@pytest.mark.parametrize("how", ["moves", "comes back"])
def test_who_is_there_again_before_the_time_is_up_keeps_the_seat(house: House, how: str) -> None:
    match = house.running(clock=CLOCK)
    overdue(house, match, 1)
    if how == "comes back":
        house.wait(days=2)
        house.play_on(match, without=1)
        house.wait(days=2)
    ask(house, match, GIVEN_AWAY)

    house.wait(hours=1)
    if how == "comes back":
        absence.come_back(house.service, house.link(match, Purpose.SEAT, 1))
    else:
        house.play(match, 1)
    house.wait(days=2)

    assert house.seat(match, 1).name == "Bob"
    assert ended(house) == ["was_there"]


def test_who_moves_at_the_last_moment_keeps_the_seat(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = house.running(clock=CLOCK)
    overdue(house, match, 1)
    ask(house, match, GIVEN_AWAY)
    house.clock.move(permissions.NOTICE)
    looked, first = permissions.was_there, iter([True])

    def then_bob_comes_back(session: Session, row: Permission) -> bool:
        seen = looked(session, row)
        if next(first, False):
            house.play(match, 1)
        return seen

    monkeypatch.setattr(permissions, "was_there", then_bob_comes_back)
    package.settle(house.service, match.id, rows(house)[0].id or 0)

    assert house.seat(match, 1).name == "Bob"
    assert ended(house) == ["moved_on"]


def test_what_is_asked_later_takes_the_place_of_what_was_asked_before(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)
    first = house.link(match, Purpose.PERMIT, 1)

    ask(house, match, RemedyRequest("bot", 1))

    with pytest.raises(Stale):
        answer(house.service, first, True)
    answer(house.service, house.link(match, Purpose.PERMIT, 1), True)
    assert house.seat(match, 1).email == "bob@example.org"
    assert house.seat(match, 1).bot is not None
    assert [row.closed for row in rows(house)] == ["withdrawn", "done"]


def test_nobody_is_asked_more_than_three_times_a_day(house: House) -> None:
    match = house.running(clock={"turn": "30d"})
    for _ in range(permissions.MOST):
        ask(house, match, CORRECTED)

    with pytest.raises(NotPossible, match="too often"):
        ask(house, match, CORRECTED)
    ask(house, match, RemedyRequest("reissue", 2))
    house.wait(days=1, seconds=1)
    ask(house, match, CORRECTED)

    assert len(house.mails("permission_asked")) == permissions.MOST + 2


@pytest.mark.parametrize(
    "asked",
    [
        RemedyRequest("correct-address", 1, email="nowhere"),
        RemedyRequest("correct-address", 1, email="alice@example.org"),
        RemedyRequest("replace", 1, name="", email="frank@example.org"),
        RemedyRequest("bot", 1, bot="nobody"),
    ],
)
def test_what_could_not_be_done_is_not_asked_about(house: House, asked: RemedyRequest) -> None:
    match = house.running(clock=CLOCK)

    with pytest.raises(BadInput):
        ask(house, match, asked)

    assert rows(house) == []
    assert house.match(match.id).revision == match.revision


def test_a_yes_is_done_although_the_process_that_took_it_has_died(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)

    permissions.answer(house.service, house.link(match, Purpose.PERMIT, 1), True)
    before = house.seat(match, 1).email
    house.work()

    assert (before, house.seat(match, 1).email) == ("bob@example.org", "robert@example.net")


@pytest.mark.parametrize(
    ("error", "later"),
    [
        (Busy("Many people are changing this match at once."), timedelta()),
        (TooMany("This address has been invited too often today."), permissions.PUT_OFF),
    ],
    ids=["busy", "too many"],
)
def test_what_was_permitted_and_cannot_be_done_right_now_is_done_later(
    house: House, monkeypatch: pytest.MonkeyPatch, error: Refused, later: timedelta
) -> None:
    match = house.running(clock={"turn": "30d"})
    ask(house, match, CORRECTED)
    remedy = package.find("correct-address")

    def refuse(*_: object) -> None:
        raise error

    with monkeypatch.context() as now:
        now.setitem(package.REMEDIES, remedy.name, replace(remedy, act=refuse))
        answer(house.service, house.link(match, Purpose.PERMIT, 1), True)
        package.care_due(house.service)

    still_open = ended(house) == [] and house.seat(match, 1).email == "bob@example.org"
    at_once = permissions.are_due(house.service, match.id)
    house.wait(seconds=later.total_seconds())

    assert still_open
    assert at_once == (later == timedelta())
    assert house.seat(match, 1).email == "robert@example.net"
    assert ended(house) == ["done"]
    assert house.match(match.id).advance_failures == 0


def test_what_was_asked_before_an_update_is_done_after_it(house: House) -> None:
    """Rows of before have no field that a request has gained, and may have one that it has lost."""
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)
    with house.service.database.write("test") as session:
        row = session.exec(select(Permission)).one()
        asked = json.loads(row.asked_json)
        del asked["ply"]
        row.asked_json = json.dumps({**asked, "lost": ""})
        session.add(row)

    answer(house.service, house.link(match, Purpose.PERMIT, 1), True)

    assert house.seat(match, 1).email == CORRECTED.email
    assert ended(house) == ["done"]


def test_two_who_settle_the_same_yes_do_it_once(any_house: House) -> None:
    house = any_house
    match = house.running(clock=CLOCK)
    ask(house, match, RemedyRequest("reissue", 1))
    permissions.answer(house.service, house.link(match, Purpose.PERMIT, 1), True)
    (row,) = rows(house)

    for _ in range(2):
        package._do(house.service, row)

    assert house.seat(match, 1).epoch == 1
    assert told(house, match).count("reissued") == 1
    assert ended(house) == ["done"]


def test_new_links_make_a_question_void(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)
    remedies.reissue(house.service, match.id, 1, actor="operator")

    house.wait(days=7, seconds=1)

    assert house.seat(match, 1).email == "bob@example.org"
    assert ended(house) == ["moved_on"]


def new_links(house: House, match: Match) -> None:
    remedies.reissue(house.service, match.id, 1, actor="operator")


def another_player(house: House, match: Match) -> None:
    given = ("Erin", "erin@example.org")
    remedies.replace(house.service, match.id, 1, *given, actor="operator")


@pytest.mark.parametrize("change", [new_links, another_player])
def test_the_host_is_told_at_once_that_nobody_can_answer_any_more(
    house: House, change: Callable[[House, Match], None]
) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)

    change(house, match)
    house.work()

    assert ended(house) == ["moved_on"]


def test_what_became_impossible_meanwhile_is_not_done(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, RemedyRequest("bot", 1))
    remedies.put_bot(house.service, match.id, 1, actor="operator")

    answer(house.service, house.link(match, Purpose.PERMIT, 1), True)

    assert ended(house) == ["moved_on"]


def test_nothing_that_was_asked_is_kept_once_it_is_settled(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)
    open_row = rows(house)[0].asked_json

    answer(house.service, house.link(match, Purpose.PERMIT, 1), False)

    assert "robert@example.net" in open_row
    assert rows(house)[0].asked_json == "{}"


def test_who_wants_no_mail_of_the_match_is_asked_all_the_same(house: House) -> None:
    match = house.running(clock=CLOCK)
    deliverability.mute(house.service, house.link(match, Purpose.SEAT, 1))

    ask(house, match, CORRECTED)

    (mail,) = house.mails("permission_asked")
    with house.service.database.read() as session:
        assert mail_relevance.unwanted(mail_relevance.subject(session, mail)) is None


def test_a_player_has_mail_sent_elsewhere_with_a_yes_at_the_address_on_file(house: House) -> None:
    match = house.running(clock=CLOCK)

    ask(house, match, CORRECTED, Actor.PLAYER)
    (mail,) = house.mails("permission_asked")
    to, before = address_of(house, mail), house.seat(match, 1).email
    answer(house.service, house.link(match, Purpose.PERMIT, 1), True)

    assert (to, before) == ("bob@example.org", "bob@example.org")
    assert house.seat(match, 1).email == "robert@example.net"
    assert ended(house) == []


def test_the_operator_needs_nobodys_yes_and_the_one_before_is_told(house: House) -> None:
    match = house.running(clock=CLOCK)

    ask(house, match, CORRECTED, Actor.OPERATOR)

    assert rows(house) == []
    assert [address_of(house, mail) for mail in house.mails("seat_changed")] == ["bob@example.org"]
    assert "address_corrected" in told(house, match)


def test_a_link_for_another_seat_or_match_answers_nothing(house: House) -> None:
    match, other = house.running(clock=CLOCK), house.running(clock=CLOCK)
    for one in (match, other):
        ask(house, one, CORRECTED)
    link = house.link(match, Purpose.PERMIT, 1)
    for wrong in ({"match_id": other.id}, {"seat": 2}):
        with pytest.raises(NotFound):
            answer(house.service, link.model_copy(update=wrong), True)

    assert [row.agreed for row in rows(house)] == [False, False]


def test_a_match_that_is_over_ends_what_was_asked(house: House) -> None:
    match = house.running(clock=CLOCK)
    ask(house, match, CORRECTED)
    remedies.abort(house.service, match.id, actor="operator")

    with pytest.raises(Stale):
        answer(house.service, house.link(match, Purpose.PERMIT, 1), True)
    house.wait(days=8)

    assert [row.closed for row in rows(house)] == ["moved_on"]
