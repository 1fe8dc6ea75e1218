"""What a remedy is foreseen to do, and that it does that: every stall with all that fits it."""

from datetime import timedelta

import pytest
from msgspec.structs import replace
from sqlalchemy import update
from sqlmodel import col

from engine.codec import encode
from pbem.acts import deliverability, foresight, matches
from pbem.acts.remedies import REMEDIES, carry_out, that_help
from pbem.acts.remedy import OfSeat, RemedyRequest
from pbem.errors import BadInput, NotFound, NotPossible
from pbem.present.remedy_effects import foreseen, plain_lines
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import Actor, Purpose, StallReason
from pbem.words.i18n import translator
from tests.acts.stalls import (
    CLOCK,
    asked,
    dead_since,
    deadlines,
    foresee,
    goes_on,
    mails_since,
    snapshot,
    stall,
)
from tests.parts import remedies
from tests.parts.cast import House

TABLE = [(reason, remedy.name) for reason in StallReason for remedy in that_help(reason)]
#: A player who wants no mail is still listed: it is theirs to want it again.
STAYS = {("muted", "extend"), ("muted", "default")}


@pytest.mark.parametrize(("reason", "remedy"), TABLE)
def test_what_was_foreseen_happens(house: House, monkeypatch, reason, remedy):
    stalls = stall(house, reason, monkeypatch)
    match, wanted = stalls.match, asked(stalls, remedy)
    before, revision = snapshot(house, match), house.match(match.id).revision
    effect = foresee(house, match, wanted)
    unchanged = (snapshot(house, match), house.match(match.id).revision) == (before, revision)

    carry_out(house.service, match.id, wanted, "operator")

    assert unchanged
    assert mails_since(house, before) == sorted((mail.kind, mail.seat) for mail in effect.mails)
    assert dead_since(house, match, before) == {(link.purpose, link.seat) for link in effect.dead}
    assert house.waiting(match) == list(effect.waits)
    assert set(before.open_turns) - set(house.waiting(match)) == set(effect.closes)
    due = deadlines(house, match)
    assert all(due[clock.seat] == clock.due_at for clock in effect.clocks)
    after = house.match(match.id)
    assert (after.ended_at is not None) == effect.ends
    assert (after.advance_due_at is not None) == effect.goes_on


@pytest.mark.parametrize(("reason", "remedy"), TABLE)
def test_every_remedy_that_fits_a_stall_lets_the_match_go_on(
    house: House, monkeypatch, reason, remedy
):
    stalls = stall(house, reason, monkeypatch)

    carry_out(house.service, stalls.match.id, asked(stalls, remedy), "operator")

    if (reason, remedy) in STAYS:
        assert house.play_on(stalls.match, plies=stalls.match.ply + 2).ply > stalls.match.ply
    elif (reason, remedy) == ("mail", "bot"):
        house.work()
        assert house.match(stalls.match.id).ply > stalls.match.ply
    else:
        assert goes_on(house, stalls, remedy)


def test_a_pause_foresees_the_deadlines_after_its_end(house: House):
    match = house.running(clock=CLOCK)
    house.wait(hours=4)
    effect = foresee(house, match, RemedyRequest("pause", by="3d"))

    carry_out(house.service, match.id, RemedyRequest("pause", by="3d"), "host")
    house.wait(days=3)

    assert effect.paused_until == house.clock.now()
    assert {clock.seat: clock.due_at for clock in effect.clocks} == deadlines(house, match)


def test_the_links_of_the_host_that_die_are_foreseen(house: House):
    match = house.running(clock=CLOCK)
    before = snapshot(house, match)
    effect = foresee(house, match, RemedyRequest("reissue-host"))

    carry_out(house.service, match.id, RemedyRequest("reissue-host"), "host")

    assert dead_since(house, match, before) == {("host", links.HOST)}
    assert [(link.purpose, link.seat) for link in effect.dead] == [("host", links.HOST)]
    assert mails_since(house, before) == [("host_link", links.HOST)]


def test_correcting_the_hosts_address_is_foreseen(house: House):
    match = house.running(clock=CLOCK)
    before = snapshot(house, match)
    wanted = RemedyRequest("correct-host-address", email="right@example.net")
    effect = foresee(house, match, wanted)

    carry_out(house.service, match.id, wanted, "operator")

    assert dead_since(house, match, before) == {("host", links.HOST)}
    assert [(link.purpose, link.seat) for link in effect.dead] == [("host", links.HOST)]
    owed = [("host_link", links.HOST), ("seat_changed", links.HOST)]
    assert mails_since(house, before) == owed
    assert sorted((mail.kind, mail.seat) for mail in effect.mails) == owed


def test_a_rematch_is_foreseen_and_a_second_one_is_the_first(house: House):
    match = house.running(clock=CLOCK)
    remedies.abort(house.service, match.id, actor="host")
    before = snapshot(house, match)
    effect = foresee(house, match, RemedyRequest("rematch"))

    carry_out(house.service, match.id, RemedyRequest("rematch"), "host")

    assert mails_since(house, before) == sorted((mail.kind, mail.seat) for mail in effect.mails)
    assert foresee(house, match, RemedyRequest("rematch")).mails == ()


def test_who_has_muted_the_match_is_foreseen_to_get_nothing(house: House):
    match = house.running(clock=CLOCK)
    deliverability.mute(house.service, house.link(match, Purpose.SEAT, 1))

    (mail,) = foresee(house, match, RemedyRequest("default", 1)).mails

    assert mail.held_back == "The player wants no mail about this match."
    with pytest.raises(NotPossible, match="wants no more mail"):
        foresee(house, match, RemedyRequest("remind", 1))
    with pytest.raises(NotPossible, match="wants no more mail"):
        carry_out(house.service, match.id, RemedyRequest("remind", 1), "host")


def test_a_reminder_that_cannot_arrive_is_refused(house: House):
    match = house.running(clock=CLOCK)
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550")

    for act in (
        lambda: foresee(house, match, RemedyRequest("remind", 1)),
        lambda: carry_out(house.service, match.id, RemedyRequest("remind", 1), "host"),
    ):
        with pytest.raises(NotPossible, match="Correct the address first"):
            act()


def test_new_links_try_an_address_again_that_was_refused(house: House):
    match = house.running(clock=CLOCK)
    house.wait(hours=4)
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "452 mailbox full")
    house.wait(hours=40)

    carry_out(house.service, match.id, RemedyRequest("reissue", 1), "host")

    assert house.seat(match, 1).mail_problem_at is None
    assert house.turn(match, 1).due_at == house.clock.now() + timedelta(hours=6)


@pytest.mark.parametrize(
    ("wanted", "refused"),
    [
        (RemedyRequest("extend", 1, by="soon"), BadInput),
        (RemedyRequest("extend", 1, by="31d"), BadInput),
        (RemedyRequest("extend", 9, by="1h"), NotFound),
        (RemedyRequest("remind", 9), NotFound),
        (RemedyRequest("bot", 1, bot="nobody"), BadInput),
        (RemedyRequest("replace", 1, name="Frank", email="alice@example.org"), BadInput),
        (RemedyRequest("replace", 1, name="", email="frank@example.org"), BadInput),
        (RemedyRequest("correct-address", 1, email="nowhere"), BadInput),
        (RemedyRequest("pause", by="61d"), BadInput),
        (RemedyRequest("resume"), NotPossible),
        (RemedyRequest("retry"), NotPossible),
        (RemedyRequest("rematch"), NotPossible),
        (RemedyRequest("roll-back", ply=0), NotPossible),
        (RemedyRequest("roll-back", ply=99), NotPossible),
    ],
)
def test_what_would_be_refused_is_refused_by_its_foresight_in_the_same_words(
    house: House, wanted, refused
):
    match = house.running(clock=CLOCK)
    revision = match.revision

    with pytest.raises(refused) as foretold:
        foresee(house, match, wanted)
    with pytest.raises(refused) as told:
        carry_out(house.service, match.id, wanted, "operator")

    assert str(foretold.value) == str(told.value)
    assert house.match(match.id).revision == revision


def test_a_foresight_says_the_same_whatever_the_hand(house: House):
    """Two tables that differ in a hidden hand alone have the same foresight, to the word."""
    match = house.running(clock=CLOCK)
    state = house.table(match).state
    hands = state.hands
    other = replace(state, hands=(hands[0], hands[2], hands[1], hands[3]))
    asked_for = [RemedyRequest(remedy, 1) for remedy in ("default", "bot", "resign")]

    ones = [foresee(house, match, wanted) for wanted in asked_for]
    with house.service.database.write("test") as session:
        session.exec(
            update(Match).where(col(Match.id) == match.id).values(state_json=encode(other).decode())
        )
    twos = [foresee(house, match, wanted) for wanted in asked_for]

    assert hands[1] != hands[2]
    assert house.table(match).state == other
    assert ones == twos


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_foresight_in_words_names_people_and_no_address_on_file(house: House, language):
    match = house.running(clock=CLOCK)
    words = translator(language)
    told = []
    for name, remedy in REMEDIES.items():
        fields = {
            "by": "24h",
            "name": "Frank",
            "email": "frank@example.net",
            "ply": 0,
        }
        wanted = RemedyRequest(
            name,
            1 if isinstance(remedy, OfSeat) else None,
            **{field: fields[field] for field in remedy.needs},
        )
        try:
            seen = foresight.foresee(house.service, match.id, wanted, Actor.OPERATOR)
        except NotPossible:
            continue
        told += plain_lines(foreseen(seen, "Europe/Madrid", words))

    text = "\n".join(told)
    assert "Bob" in text
    assert "example.org" not in text
    assert "Europe/Madrid" in text


def test_the_last_seat_that_a_bot_takes_starts_the_match_as_foreseen(house: House):
    match = house.open(confirmed=False)
    for seat in (0, 1, 2):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), matches.Joining())

    effect = foresee(house, match, RemedyRequest("bot", 3))
    carry_out(house.service, match.id, RemedyRequest("bot", 3), "host")

    assert effect.goes_on
    assert house.match(match.id).status == "running"
