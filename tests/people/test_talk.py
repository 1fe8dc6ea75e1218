"""What is said at a table: who may say and read what, once, within bounds, and on record."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from sqlmodel import select

from pbem import present
from pbem.acts import going_back, matches
from pbem.acts.forgetting import Was
from pbem.acts.matches import Joining
from pbem.errors import BadInput, NotFound, NotPossible, TooMany
from pbem.looks import match_look
from pbem.people import privacy, talk, talk_mails
from pbem.store import audit, links
from pbem.store.models import Audit, FormerHolder, Link, Match, Message, TalkMute, TalkNote
from pbem.store.names import Actor, AuditAct, Onlookers, Purpose
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.parts.cast import House, address, by


def talking(house: House, **asked: object) -> Match:
    """A running match of Dog in which talk is allowed."""
    match = house.running(**asked)
    talk.allow(house.service, match.id, True, actor=Actor.HOST)
    return match


def say(house: House, match: Match, seat: int, text: str, to: int | None = None) -> Message:
    key = f"{seat} {text} {house.clock.now()}"
    return talk.say(
        house.service, by(house.service, match.id, seat), "table" if to is None else to, text, key
    )


def heard(house: House, match: Match, reader: int | None) -> list[str]:
    """What a reader may read: the texts."""
    with house.service.database.read() as session:
        found = talk.messages_for(session, house.match(match.id), reader)
    return [one.text for one in found]


def acts_of(house: House, match: Match) -> list[Audit]:
    with house.service.database.read() as session:
        return list(session.exec(select(Audit).where(Audit.match_id == match.id)))


def test_what_is_said_to_the_table_is_read_by_all(any_house: House) -> None:
    match = talking(any_house)

    said = say(any_house, match, 1, "Good luck,  everybody!\r\nLet's go.")

    assert said.text == "Good luck, everybody! Let's go."
    for reader in (0, 1, 2, 3, links.HOST, None):
        assert heard(any_house, match, reader) == [said.text]


def test_what_is_said_to_one_seat_is_read_by_these_two_alone(any_house: House) -> None:
    match = talking(any_house)

    say(any_house, match, 1, "Only for you.", to=3)

    readers = [0, 1, 2, 3, links.HOST, None]
    assert [one for one in readers if heard(any_house, match, one)] == [1, 3]
    remedies.abort(any_house.service, match.id, actor="host")
    assert [one for one in readers if heard(any_house, match, one)] == [1, 3]


def test_the_same_key_says_it_once(any_house: House) -> None:
    match = talking(any_house)

    first = talk.say(
        any_house.service, by(any_house.service, match.id, 1), "table", "Hello", "a key"
    )
    again = talk.say(
        any_house.service, by(any_house.service, match.id, 1), "table", "Hello again", "a key"
    )
    other = talk.say(
        any_house.service, by(any_house.service, match.id, 2), "table", "Hello too", "a key"
    )

    assert again.id == first.id != other.id
    assert heard(any_house, match, 0) == ["Hello", "Hello too"]


def test_a_message_changes_nothing_of_the_match(house: House) -> None:
    match = talking(house)
    before = house.match(match.id).model_dump()

    say(house, match, 0, "Hello")

    assert house.match(match.id).model_dump() == before


@pytest.mark.parametrize("text", ["", "  ", "a\x00b", "a\u202eb", "a\u200bb", "x" * 1001])
def test_a_message_is_plain_text_within_bounds(house: House, text: str) -> None:
    match = talking(house)

    with pytest.raises(BadInput):
        say(house, match, 0, text)

    assert heard(house, match, 0) == []


def test_a_seat_says_no_more_than_so_many_things_a_day(house: House) -> None:
    match = talking(house)
    most = house.service.settings.limits.messages_per_seat_per_day
    for number in range(most):
        say(house, match, 0, f"{number}")

    with pytest.raises(TooMany):
        say(house, match, 0, "and one more")

    say(house, match, 1, "others may")
    house.clock.move(timedelta(days=1, seconds=1))
    say(house, match, 0, "tomorrow again")


def test_dog_is_not_talked_in_unless_its_host_allows_it(house: House) -> None:
    """DOG-4: no talk about cards held or wanted."""
    match, captains = house.running(), house.of_game("dogs-of-war")

    with pytest.raises(NotPossible):
        say(house, match, 0, "Hello")
    say(house, captains, 0, "Hello")

    talk.allow(house.service, match.id, True, actor=Actor.HOST)
    say(house, match, 0, "Hello")
    talk.allow(house.service, match.id, False, actor=Actor.HOST, reason="Too loud")
    with pytest.raises(NotPossible):
        say(house, match, 0, "Hello?")
    told = [act for act in acts_of(house, match) if act.act == AuditAct.TALK_FORBIDDEN]
    assert [audit.detail(act)["reason"] for act in told] == ["Too loud"]


def test_a_rematch_is_talked_in_as_the_match_before(house: House) -> None:
    match = talking(house)
    for _ in range(2):
        remedies.abort(house.service, match.id, actor="host")
        match = matches.rematch(house.service, match.id, actor=Actor.HOST)

    with house.service.database.read() as session:
        assert talk.rules(session, match).allowed


def test_hiding_shares_the_audit_log_with_acts_at_the_same_moment(any_house: House) -> None:
    """Whoever comes second waits: no act fails for it, and the chain is whole."""
    match = talking(any_house)
    found = [say(any_house, match, seat, f"{number}") for seat in range(4) for number in range(3)]
    start, failed = Barrier(2), []

    def together(act: Callable[[int], object]) -> None:
        start.wait()
        for number in range(len(found)):
            try:
                act(number)
            except Exception as error:
                failed.append(error)

    def hide(number: int) -> None:
        talk.hide(any_house.service, match.id, talk.sign(found[number]), "why", actor=Actor.HOST)

    def reissue(_: int) -> None:
        remedies.reissue(any_house.service, match.id, links.HOST, actor="operator")

    with ThreadPoolExecutor() as people:
        list(people.map(together, (hide, reissue)))

    assert failed == []
    with any_house.service.database.read() as session:
        assert audit.verify(session) == []
    assert heard(any_house, match, 0) == []


def test_what_is_said_while_a_seat_is_given_to_somebody_else_is_of_who_said_it(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, bounded = talking(any_house), talk._refuse_too_many
    replacing: list[Future[object]] = []

    def replace() -> None:
        frank = address("frank")
        remedies.replace(any_house.service, match.id, 1, "Frank", frank, actor="operator")

    with ThreadPoolExecutor() as another:

        def meanwhile(*about: Any) -> None:
            bounded(*about)
            replacing.append(another.submit(replace))
            wait(replacing, timeout=0.5)

        monkeypatch.setattr(talk, "_refuse_too_many", meanwhile)
        said = say(any_house, match, 1, "It was Bob")
    replacing[0].result()

    with any_house.service.database.read() as session:
        assert any_house.seat(match, 1).name == "Frank"
        assert session.exec(talk.said_by(Was(match.id, 1))).all() == []
        former = session.get_one(Message, said.id).former
        assert session.get_one(FormerHolder, former).name == "Bob"


def test_something_is_said_while_a_mail_brings_what_was_said_before(
    any_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither waits for what the other holds."""
    match = any_house.open(confirmed=False, game="dogs-of-war")
    for seat in (1, 2):
        matches.join(any_house.service, any_house.link(match, Purpose.JOIN, seat), Joining())
    say(any_house, match, 1, "Hello")
    any_house.wait(hours=25)
    untold, saying = talk.untold, list[Future[Message]]()

    with ThreadPoolExecutor() as another:

        def meanwhile(*about: Any) -> Any:
            saying.append(another.submit(say, any_house, match, 1, "Anybody there?"))
            wait(saying, timeout=0.5)
            return untold(*about)

        monkeypatch.setattr(talk, "untold", meanwhile)
        owed = talk_mails.owe_due(any_house.service, 50)

    assert saying[0].result().text == "Anybody there?"
    assert owed == len(any_house.mails("words")) == 1


def test_only_who_has_joined_says_something_in_the_lobby(house: House) -> None:
    match = house.open(confirmed=False, game="dogs-of-war")
    matches.join(house.service, house.link(match, Purpose.JOIN, 1), matches.Joining())

    say(house, match, 1, "I am here.")

    for seat, to in ((2, None), (1, 2)):
        with pytest.raises((NotPossible, BadInput)):
            say(house, match, seat, "Hello", to)


def test_a_match_is_talked_about_for_thirty_days_after_its_end(house: House) -> None:
    match = talking(house)
    remedies.abort(house.service, match.id, actor="host")

    house.clock.move(talk.AFTER_THE_END)
    say(house, match, 0, "Well played.")
    house.clock.move(timedelta(seconds=1))

    with pytest.raises(NotPossible):
        say(house, match, 0, "Too late.")


def test_a_host_who_plays_speaks_from_their_seat_and_another_as_the_host(house: House) -> None:
    playing = talking(house)
    gina = matches.Person(name="Gina", email=address("gina"))
    hosting = talking(house, host=gina)

    with pytest.raises(NotPossible):
        say(house, playing, links.HOST, "Hello")
    said = say(house, hosting, links.HOST, "Welcome")

    assert (said.name, heard(house, hosting, 2)) == ("Gina", ["Welcome"])


def test_onlookers_read_it_when_the_host_wants(house: House) -> None:
    match = talking(house)
    say(house, match, 0, "Hello")
    for onlookers, now, at_the_end in (
        (Onlookers.NOW, True, True),
        (Onlookers.END, False, True),
        (Onlookers.NEVER, False, False),
    ):
        talk.allow(house.service, match.id, True, actor=Actor.HOST, onlookers=onlookers)
        row = house.match(match.id)
        with house.service.database.read() as session:
            assert bool(talk.messages_for(session, row, None)) is now
            ended = row.model_copy(update={"ended_at": house.clock.now()})
            assert bool(talk.messages_for(session, ended, None)) is at_the_end
            assert talk.messages_for(session, row, 1)


def test_who_mutes_a_seat_reads_nothing_of_it(any_house: House) -> None:
    match = talking(any_house)
    say(any_house, match, 1, "Blah")
    say(any_house, match, 1, "Blah blah", to=0)

    talk.mute(any_house.service, by(any_house.service, match.id, 0), 1, on=True)
    talk.mute(any_house.service, by(any_house.service, match.id, 0), 1, on=True)
    say(any_house, match, 1, "And more")

    assert heard(any_house, match, 0) == []
    assert heard(any_house, match, 2) == ["Blah", "And more"]
    talk.mute(any_house.service, by(any_house.service, match.id, 0), 1, on=False)
    assert heard(any_house, match, 0) == ["Blah", "Blah blah", "And more"]


def test_a_hidden_message_is_read_by_nobody_and_on_record(any_house: House) -> None:
    match, other = talking(any_house), talking(any_house)
    insults, alone = say(any_house, match, 1, "Insults"), say(any_house, match, 1, "Psst", to=2)

    for _ in range(2):
        sign = talk.sign(insults)
        talk.hide(any_house.service, match.id, sign, "Insults others", actor=Actor.HOST)

    assert heard(any_house, match, 1) == ["Psst"]
    hidden = [act for act in acts_of(any_house, match) if act.act == AuditAct.MESSAGE_HIDDEN]
    assert [(act.actor, act.seat, audit.detail(act)["reason"]) for act in hidden] == [
        (Actor.HOST, 1, "Insults others")
    ]
    with any_house.service.database.read() as session:
        assert audit.verify(session) == []
    for match_id, sign in (
        (match.id, talk.sign(alone)),
        (match.id, ""),
        (other.id, talk.sign(insults)),
    ):
        with pytest.raises(NotFound):
            talk.hide(any_house.service, match_id, sign, "why", actor=Actor.OPERATOR)


def test_what_was_said_stays_when_the_match_goes_back(house: House) -> None:
    match = talking(house)
    match = house.play_on(match, plies=4)
    said = say(house, match, 0, "Oh no")

    going_back.roll_back(house.service, match.id, 1, actor="operator")

    assert heard(house, match, 0) == ["Oh no"]
    with house.service.database.read() as session:
        found = session.get(Message, said.id)
    assert found is not None
    assert found.ply == said.ply


def test_whoever_takes_a_seat_over_reads_nothing_that_was_for_its_player_alone(
    house: House,
) -> None:
    match = talking(house)
    say(house, match, 0, "To all")
    say(house, match, 0, "To Carol alone", to=2)
    talk.write_note(house.service, by(house.service, match.id, 2), "Alice bluffs.")
    talk.mute(house.service, by(house.service, match.id, 2), 3, on=True)
    talk.mute(house.service, by(house.service, match.id, 1), 2, on=True)

    house.wait(hours=1)
    remedies.replace(house.service, match.id, 2, "Frank", address("frank"), actor="operator")
    house.wait(hours=1)
    say(house, match, 3, "Welcome, Frank")

    assert heard(house, match, 2) == ["To all", "Welcome, Frank"]
    assert heard(house, match, 0) == ["To all", "To Carol alone", "Welcome, Frank"]
    with house.service.database.read() as session:
        assert session.exec(select(TalkNote)).all() == []
        assert session.exec(select(TalkMute)).all() == []


def test_the_message_that_was_chosen_is_hidden_whatever_is_erased_meanwhile(house: House) -> None:
    match = talking(house)
    said = [say(house, match, seat, f"{seat}") for seat in (1, 2, 3)]
    chosen = talk.sign(said[1])
    with house.service.database.write("test") as session:
        talk.erase(session, Was(match.id, 1))

    talk.hide(house.service, match.id, chosen, "why", actor=Actor.HOST)

    assert heard(house, match, 0) == ["3"]


@pytest.mark.parametrize("whom", ["alice", "bob"])
def test_why_a_message_was_hidden_goes_with_who_wrote_it_and_who_said_why(
    any_house: House, whom: str
) -> None:
    house = any_house
    match = talking(house)
    insults = say(house, match, 1, "Insults")
    sign = talk.sign(insults)
    talk.hide(house.service, match.id, sign, "Bob is rude", actor=Actor.HOST)

    privacy.forget(house.service, address(whom), Actor.PLAYER)

    (hidden,) = [act for act in acts_of(house, match) if act.act == AuditAct.MESSAGE_HIDDEN]
    assert audit.detail(hidden) == {"message": sign}
    with house.service.database.read() as session:
        assert audit.verify(session) == []
    table = match_look.table(house.service, match.id, None)
    lines = present.table(table, translator("en"), zone="UTC", base_url="").lines
    assert "The host hid a message" in [one for line in lines for one in line.sentences]


def test_a_note_keeps_its_lines_and_is_replaced_by_the_next(any_house: House) -> None:
    match = any_house.running()
    talk.write_note(any_house.service, by(any_house.service, match.id, 0), "first")

    talk.write_note(
        any_house.service,
        by(any_house.service, match.id, 0),
        " Bob has a joker \r\n\r\n- keep the 7",
    )

    with any_house.service.database.read() as session:
        assert talk.note_of(session, match.id, 0) == "Bob has a joker\n\n- keep the 7"
        assert talk.note_of(session, match.id, 1) == ""
    with pytest.raises(BadInput):
        talk.write_note(any_house.service, by(any_house.service, match.id, 0), "a\x00b")
    with pytest.raises(BadInput):
        talk.write_note(any_house.service, by(any_house.service, match.id, 0), "line\n" * 500)
    with pytest.raises(BadInput, match="at most 2000 characters"):
        talk.write_note(any_house.service, by(any_house.service, match.id, 0), "\n" * 5_000_000)


def _late_note(house: House, link: Link) -> None:
    talk.write_note(house.service, link, "Bob was here")


def _late_mute(house: House, link: Link) -> None:
    talk.mute(house.service, link, 2, on=True)


def _late_words(house: House, link: Link) -> None:
    talk.say(house.service, link, "table", "Bob was here", "late")


LATE = pytest.mark.parametrize("write", [_late_note, _late_mute, _late_words])


def left_of(house: House, match: Match, seat: int) -> list[object]:
    """What is kept of what the player of a seat wrote."""
    with house.service.database.read() as session:
        return [
            *session.exec(select(Message).filter_by(match_id=match.id, seat=seat)),
            *session.exec(select(TalkNote).filter_by(match_id=match.id, seat=seat)),
            *session.exec(select(TalkMute).filter_by(match_id=match.id, seat=seat)),
        ]


@LATE
def test_what_is_written_while_its_writer_is_forgotten_goes_with_them(
    any_house: House, monkeypatch: pytest.MonkeyPatch, write: Callable[..., None]
) -> None:
    match, put = talking(any_house), talk.statements.upsert
    forgetting: list[Future[object]] = []

    with ThreadPoolExecutor() as another:

        def meanwhile(*about: Any, **more: Any) -> int:
            monkeypatch.undo()
            whose = address("bob")
            forget = another.submit(privacy.forget, any_house.service, whose, Actor.PLAYER)
            forgetting.append(forget)
            wait(forgetting, timeout=0.5)
            return put(*about, **more)

        bob = by(any_house.service, match.id, 1)
        monkeypatch.setattr(talk.statements, "upsert", meanwhile)
        write(any_house, bob)

    assert forgetting[0].result() == privacy.Forgotten(1, done=True)
    assert left_of(any_house, match, 1) == []


@LATE
def test_who_was_forgotten_since_they_came_writes_nothing_more(
    any_house: House, write: Callable[..., None]
) -> None:
    match = talking(any_house)
    bob = by(any_house.service, match.id, 1)
    write(any_house, bob)
    privacy.forget(any_house.service, address("bob"), Actor.PLAYER)

    with pytest.raises(NotFound):
        write(any_house, bob)

    assert left_of(any_house, match, 1) == []


def test_all_that_a_seat_has_said_can_be_erased(any_house: House) -> None:
    match = talking(any_house)
    say(any_house, match, 1, "Mine")
    say(any_house, match, 2, "Not mine")
    talk.write_note(any_house.service, by(any_house.service, match.id, 1), "Mine, too")

    with any_house.service.database.write("test") as session:
        talk.erase(session, Was(match.id, 1))

    assert heard(any_house, match, 0) == ["Not mine"]
    with any_house.service.database.read() as session:
        assert session.exec(select(TalkNote)).all() == []


def test_nothing_of_it_is_in_the_record(house: House) -> None:
    match = talking(house)
    say(house, match, 1, "A word that stands nowhere else")
    remedies.abort(house.service, match.id, actor="host")

    record = str(match_look.record(house.service, match.id))

    assert "nowhere else" not in record
