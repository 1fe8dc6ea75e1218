"""Links by mail that prove an address: once, for one thing, and for whoever gets mail there."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlmodel import col, select, update

from pbem.acts import matches
from pbem.errors import NotFound, NotPossible
from pbem.looks import own_matches
from pbem.people import persons, privacy, proofs
from pbem.people.sweep import sweep
from pbem.store import links as store_links
from pbem.store.keys import Keys
from pbem.store.models import AddressLink, Match, Person
from pbem.store.names import Actor, MailKind, Purpose
from tests.parts.cast import House, address

BOB = "Bob.B@example.org"


def owe(house: House, to: str = BOB, **about: bool) -> AddressLink:
    proofs.owe(house.service, MailKind.SIGN_IN, to, "en", {"match": "m1"}, **about)
    return links(house)[-1]


def links(house: House) -> list[AddressLink]:
    with house.service.database.read() as session:
        return list(session.exec(select(AddressLink).order_by(col(AddressLink.id))))


def found(house: House, text: str, kind: MailKind = MailKind.SIGN_IN) -> AddressLink:
    with house.service.database.read() as session:
        return proofs.find(session, house.service.keys, text, kind, house.service.now())


def use(house: House, link: AddressLink) -> Person:
    with house.service.database.write("test") as session:
        return proofs.use(session, link, house.service.now())


def token(house: House, link: AddressLink) -> str:
    return proofs.token(house.service.keys, link)


def test_a_link_that_is_used_proves_its_address_once(any_house: House) -> None:
    link = owe(any_house)

    person = use(any_house, found(any_house, token(any_house, link)))

    assert (person.address, person.folded, person.language) == (BOB, BOB.lower(), "en")
    with pytest.raises(NotPossible):
        use(any_house, link)
    assert use(any_house, owe(any_house, BOB.lower())).id == person.id


def test_a_link_that_is_not_there_takes_as_much_work_as_one_that_is_forged(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, made, code = owe(house), list[object](), store_links._code
    monkeypatch.setattr(store_links, "_code", lambda *about: (made.append(about), code(*about))[1])
    work = []

    for text in (f"{store_links.base36(link.id or 0)}-{'a' * 32}", f"zz-{'a' * 32}", "nonsense"):
        made.clear()
        with pytest.raises(NotFound):
            found(house, text)
        work.append(len(made))

    assert work[0] == work[1] == work[2] > 0


def test_a_link_brings_what_was_asked_for_to_its_address_alone(house: House) -> None:
    link = owe(house)

    assert proofs.about(found(house, token(house, link))) == {"match": "m1"}
    assert [(mail.kind, mail.address) for mail in house.mails()] == [("sign_in", BOB)]


def test_a_forged_a_strange_and_an_old_link_are_not_found(house: House) -> None:
    link, other = owe(house), owe(house, address("carol"))
    text = token(house, link)
    with_other_keys = proofs.token(Keys((b"x" * 32,)), link)
    of_another_row = f"{text.partition('-')[0]}-{token(house, other).partition('-')[2]}"

    for bad in (with_other_keys, of_another_row, text[:-1], "", "1-" + "a" * 32, "zz" + text):
        with pytest.raises(NotFound):
            found(house, bad)
    with pytest.raises(NotFound):
        found(house, text, MailKind.OPERATOR_TOLD)
    house.clock.move(proofs.LIFE)
    with pytest.raises(NotFound):
        found(house, text)


def test_whoever_asks_too_often_gets_no_more_mail(house: House) -> None:
    for _ in range(3):
        owe(house, allowed=False)

    assert len(links(house)) == 3
    # the key of all of them
    assert len(house.mails()) == 1


def test_a_stranger_gets_a_few_mails_a_day_and_somebody_known_is_not_counted(
    mailing: House,
) -> None:
    """Security 24: nobody is mailed more than a few times a day who never agreed to it."""
    most = mailing.service.settings.limits.invitations_per_address_per_day
    stranger, player = "b.ob+x@gmail.com", address("carol")
    mailing.running()

    mailed = [proofs.may_mail(mailing.service, owe(mailing, stranger)) for _ in range(most + 2)]
    players = [proofs.may_mail(mailing.service, owe(mailing, player)) for _ in range(most + 2)]
    use(mailing, owe(mailing, stranger))

    assert mailed == [True] * most + [False] * 2
    assert all(players)
    assert proofs.may_mail(mailing.service, owe(mailing, stranger))


def test_an_address_that_others_entered_is_not_known_by_that(mailing: House) -> None:
    """Security 24: whoever enters an address cannot have it mailed without end."""
    invited = mailing.open(confirmed=False)
    service = mailing.service
    with service.database.read() as session:
        before = own_matches.plays_here(session, address("carol"))
    with service.database.write("test") as session:
        session.execute(update(Match).values(unproved_host=True, host_email="gina@example.org"))
    with service.database.read() as session:
        host = own_matches.plays_here(session, "gina@example.org")
    with service.database.write("test") as session:
        session.execute(update(Match).values(unproved_host=False))
    matches.join(service, mailing.link(invited, Purpose.JOIN, 2), matches.Joining())

    assert (before, host) == (False, False)
    with service.database.read() as session:
        assert own_matches.plays_here(session, address("carol").upper())
        assert own_matches.plays_here(session, "gina@example.org")


def test_the_key_of_a_mail_that_was_not_sent_does_not_outlive_its_address(house: House) -> None:
    owe(house, allowed=False)
    before = house.mails()[-1].dedupe

    privacy.forget(house.service, BOB.lower(), Actor.PLAYER)

    assert proofs.digest(BOB) in before
    assert [mail.dedupe for mail in house.mails() if proofs.digest(BOB) in mail.dedupe] == []


def test_old_links_are_swept(house: House) -> None:
    owe(house)
    house.clock.move(proofs.LIFE + proofs.KEPT)
    newer = owe(house)

    sweep(house.service)

    assert [link.id for link in links(house)] == [newer.id]


def test_nobody_is_known_who_has_proved_nothing(house: House) -> None:
    owe(house)

    with house.service.database.read() as session:
        assert persons.of_address(session, BOB) is None


def test_a_link_whose_number_was_used_before_is_another_one(house: House) -> None:
    """SQLite gives the number of a row that was deleted again: after somebody was forgotten."""
    first = owe(house)
    text = token(house, first)
    with house.service.database.write("test") as session:
        session.delete(session.get_one(AddressLink, first.id))
    house.clock.move(timedelta(seconds=2))

    second = owe(house)

    assert second.id == first.id
    assert len(house.mails()) == 2
    with pytest.raises(NotFound):
        found(house, text)
