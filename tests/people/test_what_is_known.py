"""What the tables know of people, column by column; what they get as a file; addresses that go."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta
from zipfile import ZipFile

import pytest
from sqlmodel import SQLModel

from pbem.acts import housekeeping, matches, standing_orders
from pbem.cli import main
from pbem.errors import NotPossible
from pbem.people import export, persons, privacy, talk
from pbem.store import models  # noqa: F401 - fills the metadata
from pbem.store.models import Device, TalkNote
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.parts.cast import KEYS, House, address, by
from tests.parts.finished import send_all

BOB = address("bob")

#: Columns that can hold what somebody is called, where they get mail, or what they wrote; and what
#: becomes of it when they are forgotten.
OF_PEOPLE = {
    "address_link.about_json": "deleted with its row",
    "address_link.address": "deleted with its row",
    "address_link.language": "deleted with its row",
    "animation.content": "deleted with its row",
    "audit.detail_json": "taken out of older rows; newer ones hold digests",
    "audit.said_json": "taken out",
    "device.label": "deleted with its row",
    "device.secret_hash": "deleted with its row",
    "forgetting.folded": "deleted when all is done",
    "former_holder.holder": "deleted with its row",
    "former_holder.name": "deleted with its row",
    "former_holder.name_salt": "deleted with its row",
    "former_holder.owner": "deleted with its row",
    "invitee.digest": "deleted, but of who wants no invitations",
    "match.host_email": "empty",
    "match.host_name": "other words",
    "match.name": "empty, if they are the host",
    "message.name": "deleted with its row",
    "message.text": "deleted with its row",
    "outbox.address": "empty",
    "outbox.data_json": "empty",
    "outbox.dedupe": "another key, if it holds the address",
    "outbox.delivery_note": "empty",
    "outbox.last_error": "empty",
    "outbox.sent_to": "empty",
    "packed_log.data": "names are taken out of older logs",
    "permission.asked_json": "empty, if it holds the address",
    "person.address": "empty",
    "person.folded": "empty",
    "person.language": "empty",
    "person.name": "empty",
    "person.night": "empty",
    "person.zone": "empty",
    "person_group.name": "deleted with its row",
    "person_group.people_json": "deleted with its row, and they leave those of others",
    "ply.holder": "stays: without the salt it says nothing",
    "ply.player": "empty, in older logs",
    "public_player.folded": "deleted with its row",
    "public_player.name": "deleted with its row",
    "received_mail.address": "deleted with its row",
    "received_mail.message_id": "deleted with its row",
    "received_mail.raw": "deleted with its row; what others were sent stays with them",
    "received_mail.sender": "deleted with its row",
    "seat.email": "empty",
    "seat.holder": "stays: without the salt it says nothing",
    "seat.language": "that of the match",
    "seat.mail_problem": "empty",
    "seat.name": "other words",
    "seat.name_salt": "empty",
    "seat.phrase": "stays once the match has begun: the dice are made of it",
    "seat.zone": "that of the match",
    "series.name": "another sign, if they are the host",
    "series_player.folded": "a number",
    "series_player.name": "another sign",
    "talk_note.text": "deleted with its row",
    "talk_rule.reason": "empty, if they are the host",
    "turn.not_charged_json": "empty: their open turn is closed",
    "watch.game": "deleted with its row",
    "watch.language": "deleted with its row",
}
#: Columns that hold the game, the service, or a word of the program.
NOT_OF_PEOPLE = """
animation.match_id rematch_ask.match_id rematch_wish.match_id rematch_wish.game
open_table.game open_table.language open_table.match_id open_table.pace
address_link.kind audit.act audit.actor audit.hash audit.match_id audit.previous_hash
audit_head.hash audit_head.match_id forgetting.actor former_holder.match_id heartbeat.detail
heartbeat.name link.match_id link.purpose match.beacon_json match.chain_head match.clock_json
match.commitment match.digest_before match.game match.id match.language match.options_json
match.outcome_json match.phase match.public_head match.rematch_of match.rules_version match.seed
match.set_aside_error match.state_json match.status match.title match.zone message.hidden_by
message.key message.match_id operator_session.id operator_session.name outbox.delivery outbox.kind
outbox.lease outbox.match_id outbox.message_id outbox.status packed_log.match_id permission.actor
permission.closed permission.match_id permission.remedy person.mails ply.draws_json
ply.events_json ply.hash ply.made_by ply.match_id ply.move_json ply.order_text ply.phase
ply.previous_hash ply.rules_version proposal.closed proposal.match_id seat.bot seat.match_id
signing_key.fingerprint standing.game standing_match.game standing_match.match_id
standing_match.why_not standing_order.ended standing_order.match_id standing_order.orders_json
standing_pool.game standing_pool.last_match standing_result.bot standing_result.match_id
submission.key submission.receipt_json talk_due.match_id talk_mute.match_id talk_note.match_id
talk_rule.match_id talk_rule.onlookers series.clock_json series.game series.id series.kind
series.language series.options_json series.seed series.status series.zone series_match.match_id
series_match.series_id series_player.place series_player.series_id series_seat.series_id
turn.clock_json turn.closed_by turn.held_why turn.match_id
""".split()


def test_every_column_of_text_says_what_becomes_of_it() -> None:
    """A new column is entered above, and in ``pbem.people.privacy`` if it is about a person."""
    found = {
        f"{table.name}.{column.name}"
        for table in SQLModel.metadata.tables.values()
        for column in table.columns
        if str(column.type).startswith(("VARCHAR", "TEXT", "BLOB"))
    }

    assert found == {*OF_PEOPLE, *NOT_OF_PEOPLE}
    assert not set(OF_PEOPLE) & set(NOT_OF_PEOPLE)


def test_one_gets_what_is_known_as_a_file_without_anybody_elses_address(house: House) -> None:
    match = house.play_on(house.running(name="Sunday"), plies=9)
    with house.service.database.write("test") as session:
        bob = persons.known(session, BOB, house.clock.now())
        now = house.clock.now()
        session.add(TalkNote(match_id=match.id, seat=1, text="give the 4", at=now))
        session.add(
            Device(
                person_id=bob.id, secret_hash="x", label="Firefox", created_at=now, expires_at=now
            )
        )

    known = export.known_of(house.service, BOB.upper())

    assert known is not None
    (one,) = known["matches"]
    (seat,) = one["seats"]
    assert (one["name"], seat["name"], seat["note"]) == ("Sunday", "Bob", "give the 4")
    assert seat["phrase"] == house.seat(match, 1).phrase
    own = [ply.order_text for ply in house.plies(match) if ply.seat == 1]
    assert [move["order"] for move in seat["moves"]] == own
    assert known["person"]["devices"][0]["label"] == "Firefox"
    said = json.dumps(known)
    assert not any(address(other) in said for other in ("alice", "carol", "dave"))
    assert export.known_of(house.service, address("erin")) is None


def test_whoever_takes_a_seat_over_gets_nothing_that_its_player_left_there(house: House) -> None:
    match = house.play_on(house.running(), plies=8)
    here = house.service
    talk.allow(here, match.id, True, actor=Actor.HOST)
    talk.say(here, by(here, match.id, 1), 2, "between us", "1")
    talk.write_note(here, by(here, match.id, 1), "give the 4")
    standing_orders.leave(here, house.link(match, Purpose.SEAT, 1), ["give 4"])
    house.wait(hours=1)
    # the same name, so that it is not by the name that they are told apart
    named = house.seat(match, 1).name
    remedies.replace(here, match.id, 1, named, address("frank"), actor="operator")
    invited = export.known_of(here, address("frank"))
    matches.join(here, house.link(match, Purpose.JOIN, 1), matches.Joining())
    house.wait(hours=1)
    talk.say(here, by(here, match.id, 1), "table", "Hello, it is Frank", "2")

    joined = export.known_of(here, address("frank"))
    before = export.known_of(here, BOB)

    assert before is not None
    (had,) = before["matches"][0]["seats_before"]
    assert [one["text"] for one in had["messages"]] == ["between us"]
    assert len(had["moves"]) == len([ply for ply in house.plies(match) if ply.seat == 1]) > 0
    for known, said in ((invited, []), (joined, ["Hello, it is Frank"])):
        assert known is not None
        (has,) = known["matches"][0]["seats"]
        assert has["moves"] == []
        assert [one["text"] for one in has["messages"]] == said
        assert (has["note"], has["standing_orders"], has["phrase"]) == (None, [], None)


def test_nothing_is_known_of_who_was_forgotten(house: House) -> None:
    house.running()
    privacy.forget(house.service, BOB, Actor.OPERATOR)

    assert export.known_of(house.service, BOB) is None


def test_addresses_of_matches_that_are_over_go_after_a_time(house: House) -> None:
    match = house.running()
    remedies.abort(house.service, match.id, actor="host")
    going_on = house.running()
    send_all(house)
    house.clock.move(timedelta(days=364))
    housekeeping.sweep(house.service)
    before = house.seat(match, 1).email
    house.clock.move(timedelta(days=2))

    housekeeping.sweep(house.service)

    assert before == BOB
    assert house.match(match.id).host_email == ""
    assert [seat.email for seat in house.table(match).seats] == [None] * 4
    assert [seat.name for seat in house.table(match).seats][1] == "Bob"
    assert house.seat(going_on, 1).email == BOB
    with pytest.raises(NotPossible, match="addresses of this match were deleted"):
        matches.rematch(house.service, match.id, actor=Actor.OPERATOR)


def test_addresses_are_kept_where_the_service_is_set_so(house: House) -> None:
    settings = house.service.settings
    keep = settings.keep.model_copy(update={"addresses": timedelta()})
    service = dataclasses.replace(
        house.service, settings=settings.model_copy(update={"keep": keep})
    )
    match = house.running()
    remedies.abort(house.service, match.id, actor="host")
    send_all(house)
    house.clock.move(timedelta(days=3650))

    housekeeping.sweep(service)

    assert house.seat(match, 1).email == BOB


def test_a_bot_has_the_seat_of_who_was_forgotten_in_a_rematch(house: House) -> None:
    match = house.running()
    remedies.abort(house.service, match.id, actor="host")
    privacy.forget(house.service, BOB, Actor.PLAYER)

    again = matches.rematch(house.service, match.id, actor=Actor.OPERATOR)

    seat = house.seat(again, 1)
    assert (seat.name, seat.bot is None) == ("Bot 2", False)


def test_the_operator_does_both_by_command(
    house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    house.running()
    monkeypatch.setenv("PBEM_DATABASE_URL", house.service.settings.database_url)
    secrets = house.service.settings.secrets_file
    secrets.write_text(f'keys = ["{KEYS.main[0].hex()}"]')
    secrets.chmod(0o600)
    where = ["--home", str(house.service.settings.home)]

    def run(*words: str) -> tuple[int, dict[str, object]]:
        with pytest.raises(SystemExit) as done:
            main(["person", *words, *where, "--json"])
        return int(done.value.code or 0), json.loads(capsys.readouterr().out)

    shown = run("export", BOB)
    file = house.service.settings.home / "bob.zip"
    with pytest.raises(SystemExit) as written:
        main(["person", "export", BOB, "--zip", str(file), *where])
    done = run("forget", BOB)
    again = run("export", BOB)

    assert (shown[0], shown[1].get("address", shown)) == (0, BOB)
    assert (written.value.code or 0, ZipFile(file).namelist()) == (0, ["pbem-data.json"])
    assert done == (0, {"matches": 1, "done": True})
    assert again == (1, {"error": "Nothing is known about this address."})
    assert run("export", "nobody")[0] == 2
