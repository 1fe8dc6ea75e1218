"""A match begins with the round of the beacon that was fixed when its last seat was taken.

The chain is a real one on this machine: real signatures, over a real socket.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from datetime import timedelta

import pytest
from sqlmodel import select

from pbem import beacon
from pbem.acts import lobby, matches
from pbem.acts.beacon_servers import MAX_BYTES
from pbem.acts.matches import Joining
from pbem.acts.remedies import carry_out, fitting
from pbem.acts.remedy import RemedyRequest
from pbem.beacon import MARGIN, Beacon, Missing
from pbem.errors import NotPossible
from pbem.looks import match_look, stalled
from pbem.mail.render import render
from pbem.record import verify, verify_dice
from pbem.store import match_log
from pbem.store.canonical import canonical
from pbem.store.models import Audit, Match
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.parts.cast import House, address
from tests.parts.local_beacon import LocalBeacon, with_beacon


def drawn_of(house: House, match: Match) -> Beacon:
    drawn = beacon.read(house.match(match.id).beacon_json)
    assert drawn is not None
    return drawn


def wait_for_round(house: House) -> None:
    house.wait(seconds=MARGIN + 3)


def waiting_match(house: House, **asked: object) -> Match:
    """A match whose four players have joined and that waits for its round."""
    match = house.open(**asked)
    assert house.match(match.id).status == "lobby"
    return match


def record_of(house: House, match: Match) -> bytes:
    return canonical(match_look.record(house.service, match.id))


# --- with a round ---


def test_a_match_waits_for_its_round_and_begins_with_it(
    beacon_house: House, local_chain: LocalBeacon
) -> None:
    house = beacon_house
    match = house.open(confirmed=False)
    for seat in range(4):
        house.clock.move(timedelta(minutes=5))
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    last = house.seat(match, 3).joined_at
    house.wait(seconds=MARGIN - 1)
    before = house.match(match.id).status, list(local_chain.asked)
    house.wait(seconds=5)

    assert before == ("lobby", [])
    drawn = drawn_of(house, match)
    assert last is not None
    assert drawn.taken_at == last.isoformat()
    assert house.match(match.id).status == "running"
    assert local_chain.asked == [f"/chain/public/{drawn.round}"]
    assert beacon.is_signed(local_chain.chain, drawn.round, drawn.signature)
    assert json.loads(house.plies(match)[0].move_json)["beacon"]["signature"] == drawn.signature


def test_the_round_is_fixed_by_the_last_joining_however_late_it_is_fixed(
    beacon_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that took the last seat dies before it fixes the round."""
    house = beacon_house
    match = house.open(confirmed=False)
    for seat in range(3):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    with monkeypatch.context() as dead:
        dead.setattr("pbem.acts.starting.start_when_full", lambda *_: False)
        matches.join(house.service, house.link(match, Purpose.JOIN, 3), Joining())
    joined_at = house.seat(match, 3).joined_at
    house.wait(hours=1)

    assert joined_at is not None
    drawn = drawn_of(house, match)
    assert drawn.round == drawn.chain.first_round(joined_at + timedelta(seconds=MARGIN))  # type: ignore[union-attr]


def test_the_beacon_changes_the_dice(beacon_house: House, house: House) -> None:
    match = waiting_match(beacon_house)
    wait_for_round(beacon_house)

    table = house.table(match)
    with_it = match_log.dice_key(table.match, table.seats)
    drawn = drawn_of(house, match)
    assert with_it != match_log.key_with(table.match, table.seats, None)
    assert with_it != match_log.key_with(table.match, table.seats, drawn.with_round("00" * 48))


def test_each_player_is_mailed_the_round_before_it_comes_out(beacon_house: House) -> None:
    match = waiting_match(beacon_house)

    mails = beacon_house.mails("all_joined")
    assert [mail.seat for mail in mails] == [0, 1, 2, 3]
    drawn = drawn_of(beacon_house, match)
    assert drawn.chain is not None
    out = drawn.chain.time_of(drawn.round)
    assert all(mail.created_at + timedelta(seconds=MARGIN) <= out for mail in mails)


def test_the_record_verifies_offline_with_the_chain_and_with_no_other(
    beacon_house: House, local_chain: LocalBeacon
) -> None:
    match = waiting_match(beacon_house)
    wait_for_round(beacon_house)
    beacon_house.play_on(match, plies=20)
    remedies.abort(beacon_house.service, match.id, actor="host")
    data = record_of(beacon_house, match)

    verdict = verify.verify(data, local_chain.chain.public_key)

    assert verdict.wrong == ()
    assert not any("could have chosen the dice" in sentence for sentence in verdict.unbound)
    assert verify_dice.check(json.loads(data)) == []
    assert "another chain" in " ".join(verify.verify(data).wrong)


def test_a_bot_in_the_last_seat_fixes_the_round(beacon_house: House) -> None:
    house = beacon_house
    match = house.open(confirmed=False)
    for seat in range(3):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    carry_out(house.service, match.id, RemedyRequest("bot", 3), Actor.HOST)
    wait_for_round(house)

    assert house.match(match.id).status == "running"
    assert drawn_of(house, match).signature


# --- what cannot be chosen ---


def test_nobody_leaves_between_the_last_joining_and_the_round(beacon_house: House) -> None:
    """Threat 6.1: who could leave once the round is out, and join again, could choose the dice."""
    house = beacon_house
    match = house.open(confirmed=False)
    for seat in range(4):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    before = house.table(match)

    with pytest.raises(NotPossible, match="about to begin"):
        lobby.decline(house.service, house.link(match, Purpose.JOIN, 3))
    with pytest.raises(NotPossible, match="about to begin"):
        remedies.replace(house.service, match.id, 3, "Erin", address("erin"), actor="operator")
    offered = [one.name for one in fitting(house.table(match), before.seats[3], Actor.OPERATOR)]

    assert "replace" not in offered
    assert [seat.phrase for seat in house.table(match).seats] == [
        seat.phrase for seat in before.seats
    ]


def test_dice_that_an_operator_tries_to_choose_come_out_as_without_trying(
    beacon_house: House,
) -> None:
    """Threat 6.1: the best of many phrases, by the dice without the beacon, brings nothing."""
    house = beacon_house
    game = house.table(house.open(confirmed=False)).game

    def aces(dice: object) -> int:
        """How many aces and jokers the first seat is dealt."""
        state = game.setup(4, game.options_type(), dice).state  # type: ignore[arg-type]
        return sum(card in ("A", "JOKER") for card in map(str, state.hands[0]))

    from engine.dice import SeededDice, match_key

    seed, phrases = b"s" * 32, ["red", "green", "blue"]

    def dealt(phrase: str, number: bytes | None) -> int:
        return aces(SeededDice(match_key("m", seed, [*phrases, phrase], number)))

    best = max((f"{number}" for number in range(200)), key=lambda phrase: dealt(phrase, None))
    chosen = dealt(best, None)
    numbers = [bytes([number]) * 32 for number in range(100)]
    tried = sum(dealt(best, number) for number in numbers) / len(numbers)
    untried = sum(dealt("any words", number) for number in numbers) / len(numbers)

    assert chosen >= tried + 1
    assert abs(tried - untried) < 0.5


# --- without a round ---


def test_a_service_without_the_beacon_begins_at_once_and_says_so(house: House) -> None:
    match = house.open()

    assert house.match(match.id).status == "running"
    assert drawn_of(house, match) == Beacon(missing=Missing.OFF)
    remedies.abort(house.service, match.id, actor="host")
    verdict = verify.verify(record_of(house, match))
    assert verdict.well
    assert "could have chosen the dice" in verdict.unbound[0]


def test_a_match_of_one_person_against_bots_begins_at_once(beacon_house: House) -> None:
    match = beacon_house.open(bots=3)

    assert beacon_house.match(match.id).status == "running"
    assert drawn_of(beacon_house, match) == Beacon(missing=Missing.ALONE)


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (404, None),
        (302, None),
        (200, b"not JSON"),
        (200, b"[" * 4000),
        (200, b'{"round": 1}'),
        (200, b'{"round": "1", "signature": "00"}'),
        # another key, and a true round of the chain that is not the one asked for
        (200, 0xBAD),
        (200, LocalBeacon().answer(1)),
    ],
)
def test_a_round_that_cannot_be_had_is_waited_for_and_then_done_without(
    beacon_house: House, local_chain: LocalBeacon, status: int, says: bytes | int | None
) -> None:
    local_chain.status, local_chain.says = status, says
    match = waiting_match(beacon_house)
    wait_for_round(beacon_house)
    patient = beacon_house.match(match.id).status
    for _ in range(5):
        beacon_house.wait(seconds=30)

    assert patient == "lobby"
    assert beacon_house.match(match.id).status == "running"
    drawn = drawn_of(beacon_house, match)
    assert drawn.missing == Missing.UNREACHABLE
    assert drawn.round
    remedies.abort(beacon_house.service, match.id, actor="host")
    verdict = verify.verify(record_of(beacon_house, match))
    assert verdict.wrong == ()
    assert "could not reach it" in verdict.unbound[0]


@pytest.mark.parametrize(("blanks", "status"), [(100, "running"), (MAX_BYTES, "lobby")])
def test_of_an_answer_only_its_first_bytes_are_read(
    beacon_house: House, local_chain: LocalBeacon, blanks: int, status: str
) -> None:
    local_chain.before = b" " * blanks
    match = waiting_match(beacon_house)
    wait_for_round(beacon_house)

    assert beacon_house.match(match.id).status == status


@pytest.mark.parametrize(
    "gone",
    [
        "http://127.0.0.1:9/chain",
        # a name that no machine can have, and a path that no request can
        f"https://{'a' * 64}.example/chain",
        "http://127.0.0.1:9/cadeña",
    ],
)
def test_a_server_that_is_gone_is_passed_by(
    house: House, local_chain: LocalBeacon, gone: str
) -> None:
    both = with_beacon(house, local_chain, urls=(gone, local_chain.url))
    match = waiting_match(both)
    wait_for_round(both)

    assert both.match(match.id).status == "running"
    assert drawn_of(both, match).signature


def test_a_server_that_says_a_little_again_and_again_has_its_time_as_a_whole(
    house: House, local_chain: LocalBeacon
) -> None:
    heard_out = []

    def drip(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Said: ")
            for _ in range(60):
                time.sleep(0.1)
                connection.sendall(b"a")
            heard_out.append(True)

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        dripping = f"http://127.0.0.1:{server.getsockname()[1]}/chain"
        urls = (dripping, local_chain.url)
        both = with_beacon(house, local_chain, urls=urls, timeout_seconds=1)
        speaker = threading.Thread(target=drip, args=(server,))
        speaker.start()
        match = waiting_match(both)
        wait_for_round(both)
        speaker.join()

    assert heard_out == []
    assert drawn_of(both, match).signature


def test_where_the_host_insists_the_match_waits_and_the_host_hears_of_it(
    beacon_house: House, local_chain: LocalBeacon
) -> None:
    house = beacon_house
    local_chain.status = 503
    match = waiting_match(house, beacon="required")
    for _ in range(40):
        house.wait(minutes=1)

    assert house.match(match.id).status == "lobby"
    assert [stall.reason for stall in stalled.find(house.service, [match.id])] == ["beacon"]
    told = house.mails("stalled")
    assert [json.loads(mail.data_json)["reason"] for mail in told] == ["beacon"]
    offered = [one.name for one in fitting(house.table(match), None, Actor.HOST)]
    assert {"begin", "abort"} <= set(offered)
    local_chain.status = 200
    house.wait(minutes=2)
    assert house.match(match.id).status == "running"
    assert drawn_of(house, match).signature


def test_the_host_can_begin_without_it_and_that_is_on_record(
    beacon_house: House, local_chain: LocalBeacon
) -> None:
    house = beacon_house
    local_chain.status = 503
    match = waiting_match(house, beacon="required")
    house.wait(minutes=10)

    carry_out(house.service, match.id, RemedyRequest("begin"), Actor.HOST)

    assert house.match(match.id).status == "running"
    drawn = drawn_of(house, match)
    assert (drawn.missing, drawn.required) == (Missing.WAIVED, True)
    with house.service.database.read() as session:
        acts = session.exec(select(Audit.act).where(Audit.match_id == match.id)).all()
    assert "beacon_waived" in acts
    with pytest.raises(NotPossible):
        carry_out(house.service, match.id, RemedyRequest("begin"), Actor.HOST)


def test_who_was_promised_a_round_is_told_with_the_first_turn_that_it_did_not_go_in(
    beacon_house: House, local_chain: LocalBeacon
) -> None:
    house = beacon_house
    told = {}
    for status in (200, 503):
        local_chain.status = status
        match = waiting_match(house)
        house.wait(minutes=10)
        [mail] = [mail for mail in house.mails("your_turn") if mail.match_id == match.id][:1]
        told[status] = b"No public beacon" in render(house.service, mail).content

    assert told == {200: False, 503: True}


def test_a_match_that_waits_for_its_round_can_be_ended(
    beacon_house: House, local_chain: LocalBeacon
) -> None:
    local_chain.status = 503
    match = waiting_match(beacon_house, beacon="required")
    beacon_house.wait(minutes=10)

    remedies.abort(beacon_house.service, match.id, actor="host")
    beacon_house.wait(minutes=10)

    assert beacon_house.match(match.id).status == "aborted"
    assert stalled.find(beacon_house.service, [match.id]) == []


def test_nobody_insists_on_a_beacon_that_is_switched_off(
    house: House, local_chain: LocalBeacon
) -> None:
    off = with_beacon(house, local_chain, enabled=False)

    with pytest.raises(NotPossible, match="switched off"):
        off.open(beacon="required")


def test_the_rematch_of_a_match_whose_host_insisted_insists_too(beacon_house: House) -> None:
    house = beacon_house
    match = waiting_match(house, beacon="required")
    wait_for_round(house)
    remedies.abort(house.service, match.id, actor="host")

    again = matches.rematch(house.service, match.id, actor=Actor.HOST)

    assert again.beacon_required
