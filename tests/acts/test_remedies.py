"""What hosts and the operator can do for a match that does not go on."""

import pkgutil
from dataclasses import replace
from datetime import timedelta

import pytest

from pbem.acts import advance, deliverability, matches, turns
from pbem.acts import remedies as package
from pbem.acts.matches import Joining
from pbem.acts.previewed import AsPreviewed, MovedOn
from pbem.acts.remedies import that_help
from pbem.acts.remedy import OfSeat, RemedyRequest
from pbem.errors import BadInput, NotFound, NotPossible
from pbem.looks import match_look, stalled
from pbem.store import audit, links
from pbem.store.names import Actor, Purpose
from tests.acts.owners import overdue
from tests.parts import remedies
from tests.parts.cast import House

HOURS = {"clock": {"turn": "10h", "grace": "1h"}}


def acts(house: House, match) -> list[str]:
    """The acts that the table's history shows, in order."""
    look = match_look.table(house.service, match.id)
    return [line.act.act for line in look.lines if line.act]


def alive(house: House, link) -> bool:
    with house.service.database.read() as session:
        try:
            links.find(
                session,
                house.service.keys,
                house.token(link),
                Purpose(link.purpose),
                house.clock.now(),
            )
        except NotFound:
            return False
    return True


def test_an_extension_moves_the_deadline_and_the_reminders(house):
    match = house.running(**HOURS)
    house.wait(hours=9.5)
    before = house.turn(match, 0)

    remedies.extend(house.service, match.id, 0, "24h", actor="host")

    after = house.turn(match, 0)
    assert after.due_at == before.due_at + timedelta(hours=24)
    assert (before.reminders, after.reminders) == (2, 0)
    assert acts(house, match)[-1] == "extended"
    house.wait(hours=20)
    assert 0 in house.waiting(match)


def test_an_overdue_turn_is_extended_from_now(house):
    match = house.running(clock={"turn": "10h", "reserve": "90h"})
    house.wait(hours=50)

    remedies.extend(house.service, match.id, 0, "6h", actor="host")

    assert house.turn(match, 0).due_at == house.clock.now() + timedelta(hours=6)


def test_an_extension_in_a_long_pause_is_as_long_as_it_says(house):
    match = house.running(**HOURS)
    due_at = house.turn(match, 0).due_at
    remedies.pause(house.service, match.id, "7d", actor="host")
    house.wait(days=6)

    remedies.extend(house.service, match.id, 0, "24h", actor="host")
    house.wait(days=1)

    assert house.turn(match, 0).due_at == due_at + timedelta(days=7 + 1)


@pytest.mark.parametrize("by", ["soon", "0s", "31d"])
def test_an_extension_that_cannot_be_is_refused_with_a_sentence(house, by):
    match = house.running(**HOURS)

    with pytest.raises(BadInput, match="between 1s and 30d"):
        remedies.extend(house.service, match.id, 0, by, actor="host")


def test_reminding_again_owes_another_mail_each_time(house):
    match = house.running(**HOURS)

    remedies.remind(house.service, match.id, 1, actor="host")
    remedies.remind(house.service, match.id, 1, actor="operator")

    assert [mail.seat for mail in house.mails("reminder")] == [1, 1]


def test_reminding_in_the_lobby_sends_the_invitation_again(house):
    match = house.open(confirmed=False)

    remedies.remind(house.service, match.id, 1, actor="host")

    assert [mail.seat for mail in house.mails("invitation")].count(1) == 2


def test_the_host_has_the_default_move_played(house):
    match = house.running(**HOURS)
    overdue(house, match, 1)
    before = house.match(match.id).ply

    remedies.play_default(house.service, match.id, 1, actor="host")

    assert house.plies(match)[before + 1].made_by == "host"
    assert 1 not in house.waiting(match)
    assert house.seat(match, 1).missed == 1


def test_a_bot_put_in_plays_at_once_and_the_old_turn_link_is_told_so(house):
    match = house.running(**HOURS)
    link = house.link(match, Purpose.TURN, 3)

    remedies.put_bot(house.service, match.id, 3, actor="operator")
    house.work()

    assert house.plies(match)[1].made_by == "bot"
    with pytest.raises(turns.TurnClosed):
        turns.submit(house.service, link, "give 7", "late")


def test_who_lost_the_seat_to_a_bot_moves_no_more_though_it_has_not_played_yet(house):
    match = house.running(**HOURS)
    link, order = house.link(match, Purpose.TURN, 3), house.orders(match, 3)[0]

    remedies.put_bot(house.service, match.id, 3, actor="operator")

    with pytest.raises(turns.TurnClosed):
        turns.submit(house.service, link, order, "late")


def test_a_bot_in_the_lobby_fills_the_seat_and_the_match_starts(house):
    match = house.open(confirmed=False)
    for seat in (0, 1, 2):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())

    remedies.put_bot(house.service, match.id, 3, actor="host")

    assert house.match(match.id).status == "running"


def test_a_replaced_player_sees_nothing_and_the_new_one_only_after_joining(house):
    match = house.running(**HOURS)
    old = [house.link(match, purpose, 2) for purpose in (Purpose.TURN, Purpose.SEAT)]

    remedies.replace(house.service, match.id, 2, "Frank", "frank@example.org", actor="operator")
    house.work()

    assert not any(alive(house, link) for link in old)
    assert 2 not in house.waiting(match)
    matches.join(house.service, house.link(match, Purpose.JOIN, 2), Joining())
    house.work()
    assert 2 in house.waiting(match)
    assert house.seat(match, 2).name == "Frank"


def test_a_bot_plays_on_until_the_new_player_has_joined(house):
    match = house.running(**HOURS)
    remedies.put_bot(house.service, match.id, 2, actor="operator")

    remedies.replace(house.service, match.id, 2, "Frank", "frank@example.org", actor="operator")
    house.work()
    assert house.plies(match)[1].made_by == "bot"
    matches.join(house.service, house.link(match, Purpose.JOIN, 2), Joining())

    assert house.seat(match, 2).bot is None


def test_nobody_plays_two_seats(house):
    match = house.running(**HOURS)

    with pytest.raises(BadInput, match="same e-mail address"):
        remedies.replace(house.service, match.id, 2, "Bob", "BOB@example.org", actor="host")


def test_refused_mail_holds_the_clock_until_the_address_is_corrected(house):
    match = house.running(**HOURS)
    house.clock.move(timedelta(hours=4))
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550 no such user")

    house.wait(hours=100)
    assert 1 in house.waiting(match)
    remedies.correct_address(house.service, match.id, 1, "bob@example.net", actor="host")

    assert house.turn(match, 1).due_at == house.clock.now() + timedelta(hours=6)
    assert house.seat(match, 1).email == "bob@example.net"
    assert "address_corrected" in acts(house, match)


def test_a_seat_whose_mail_is_refused_opens_its_next_turn_held(house):
    match = house.running(**HOURS)
    house.play(match, 1)
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550")

    house.play_on(match, without=1)

    assert house.turn(match, 1).held_at is not None


def test_a_refusal_of_an_address_that_was_corrected_meanwhile_changes_nothing(house):
    match = house.running(**HOURS)
    remedies.correct_address(house.service, match.id, 1, "bob@example.net", actor="operator")

    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550")

    assert house.seat(match, 1).mail_problem_at is None


def test_an_aborted_match_is_over_and_says_so_to_all(house):
    match = house.running(**HOURS)

    remedies.abort(house.service, match.id, actor="host")

    assert house.match(match.id).status == "aborted"
    assert house.waiting(match) == []
    assert [mail.seat for mail in house.mails("match_aborted")] == [0, 1, 2, 3]
    with pytest.raises(NotPossible, match="over"):
        remedies.abort(house.service, match.id, actor="host")


def test_what_is_over_is_not_due_any_more(house):
    paused, lobby = house.running(), house.open(confirmed=False)
    remedies.pause(house.service, paused.id, "1d", actor="host")
    for match in (paused, lobby):
        remedies.abort(house.service, match.id, actor="host")
    before = [house.match(match.id).revision for match in (paused, lobby)]

    house.wait(days=2)

    assert [house.match(match.id).revision for match in (paused, lobby)] == before
    assert house.match(paused.id).paused_until is None
    assert house.match(lobby.id).lobby_next_at is None


def test_a_match_that_was_set_aside_goes_on_after_a_retry(house, monkeypatch):
    match = house.running()
    for seat in (0, 1, 2, 3):
        house.play(match, seat)
    with monkeypatch.context() as broken:
        broken.setattr(advance, "_carry_on", lambda table: 1 / 0)
        for _ in range(6):
            house.wait(minutes=5)
    assert [stall.reason for stall in stalled.find(house.service)] == ["set_aside"]

    remedies.retry(house.service, match.id, actor="operator")
    house.work()

    assert stalled.find(house.service) == []
    assert len(house.waiting(match)) == 1


def test_a_muted_player_is_told_to_the_host_and_can_come_back(house):
    match = house.running()
    link = house.link(match, Purpose.SEAT, 1)

    deliverability.mute(house.service, link)
    deliverability.mute(house.service, link)
    assert [mail.seat for mail in house.mails("stalled")] == [links.HOST]
    assert [stall.reason for stall in stalled.find(house.service)] == ["muted"]
    deliverability.unmute(house.service, link)

    assert stalled.find(house.service) == []


def test_every_remedy_stands_in_the_audit_chain(house):
    match = house.running(**HOURS)
    remedies.extend(house.service, match.id, 0, "1h", actor="host")
    remedies.reissue(house.service, match.id, 1, actor="operator")
    remedies.put_bot(house.service, match.id, 2, actor="operator")
    remedies.abort(house.service, match.id, actor="operator")

    with house.service.database.read() as session:
        assert audit.verify(session) == []
    told = acts(house, match)
    assert [act for act in told if act not in ("opened", "started")] == [
        "extended",
        "reissued",
        "bot_seated",
        "aborted",
    ]


@pytest.mark.parametrize("seat", [-2, 4, 10**9])
def test_a_seat_that_is_not_there_is_not_found(house, seat):
    match = house.running(**HOURS)

    with pytest.raises(NotFound):
        remedies.remind(house.service, match.id, seat, actor="host")


# --- stalled ---


def test_a_healthy_match_is_not_stalled(house):
    house.running(**HOURS)

    assert stalled.find(house.service) == []


def test_an_overdue_seat_is_named_with_its_remedies(house):
    match = house.running(clock={"turn": "10h", "reserve": "20h"})
    house.play(match, 0)

    house.wait(hours=11)

    stalls = stalled.find(house.service, [match.id])
    assert [(stall.reason, stall.seat) for stall in stalls] == [
        ("overdue", 1),
        ("overdue", 2),
        ("overdue", 3),
    ]
    assert "extend" in [remedy.name for remedy in that_help(stalls[0].reason)]


def test_refused_mail_and_unfilled_lobbies_and_absent_stand_ins_are_stalled(house):
    lobby, match = house.open(confirmed=False), house.running()
    deliverability.mail_refused(house.service, match.id, 1, "bob@example.org", "550 no such user")
    remedies.replace(house.service, match.id, 2, "Frank", "frank@example.org", actor="operator")

    house.wait(hours=49)

    reasons = {(stall.match_id, stall.reason) for stall in stalled.find(house.service)}
    assert reasons == {(lobby.id, "lobby"), (match.id, "mail"), (match.id, "absent")}


def test_a_stall_never_shows_an_address(house):
    match = house.running()
    deliverability.mail_refused(
        house.service, match.id, 1, "bob@example.org", "550 <bob@example.org> unknown"
    )

    (stall,) = stalled.find(house.service)

    assert "bob@example.org" not in stall.detail


# --- a file each ---


def test_every_file_of_the_folder_is_a_remedy_that_is_offered():
    files = {module.name for module in pkgutil.iter_modules(package.__path__)}

    assert {name.replace("-", "_") for name in package.REMEDIES} == files
    assert all(name == remedy.name for name, remedy in package.REMEDIES.items())


def test_only_the_operator_does_what_is_the_operators(house):
    match = house.play_on(house.running(**HOURS), plies=6)

    for asked in (
        RemedyRequest("roll-back", ply=2),
        RemedyRequest("correct-host-address", email="a@example.net"),
    ):
        with pytest.raises(NotPossible, match="Only the operator"):
            package.carry_out(house.service, match.id, asked, Actor.HOST)


@pytest.mark.parametrize("name", package.REMEDIES)
def test_no_remedy_is_done_to_a_match_that_moved_on_while_it_began(house: House, name: str) -> None:
    match = house.play_on(house.running(), plies=4)
    seat = 1 if isinstance(package.REMEDIES[name], OfSeat) else None
    asked = RemedyRequest(name, seat, "24h", name="Frank", email="frank@example.org", ply=2)
    as_seen = replace(house.service, access=AsPreviewed(asked, "an earlier moment"))
    before = house.match(match.id)

    with pytest.raises(MovedOn):
        package.REMEDIES[name].act(as_seen, match.id, asked, Actor.OPERATOR)

    assert house.match(match.id) == before
