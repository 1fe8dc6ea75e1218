"""What somebody sets once, and the digest that is owed for it: on both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pbem.acts.matches import NewSeat
from pbem.people import persons, settings
from pbem.people.settings import SettingsRequest
from pbem.people.sweep import sweep
from pbem.store.models import Person
from tests.parts.cast import House, address, people


def bob(house: House) -> Person:
    with house.service.database.write("test") as session:
        return persons.known(session, address("bob"), house.service.now(), language="en")


def saved(house: House, **wished: Any) -> Person:
    settings.save(house.service, bob(house), SettingsRequest(**wished))
    return bob(house)


def signed_in(house: House) -> Person:
    with house.service.database.write("test") as session:
        known = persons.known(session, address("bob"), house.service.now(), language="en")
        return settings.begin(session, known)


def test_a_digest_is_owed_once_a_day_however_often_it_is_swept(any_house: House) -> None:
    settings.save(any_house.service, bob(any_house), SettingsRequest(mails="digest", digest_hour=9))

    owed = []
    for hours in (20, 1, 0, 23, 1):
        any_house.clock.move(timedelta(hours=hours))
        sweep(any_house.service)
        owed.append(len(any_house.mails("digest")))

    assert owed == [0, 1, 1, 1, 2]


def test_who_is_forgotten_has_no_digest(any_house: House) -> None:
    settings.save(any_house.service, bob(any_house), SettingsRequest(mails="digest", digest_hour=9))
    with any_house.service.database.write("test") as session:
        person = persons.of_address(session, address("bob"))
        assert person is not None
        person.address = person.folded = None
        session.add(person)
    any_house.clock.move(timedelta(hours=24))

    sweep(any_house.service)

    assert any_house.mails("digest") == []


def test_a_digest_that_is_to_come_comes_though_another_hour_is_set(any_house: House) -> None:
    promised = saved(any_house, mails="digest", digest_hour=20).digest_at

    saved(any_house, digest_hour=6)
    any_house.clock.move(timedelta(hours=8))
    sweep(any_house.service)

    assert promised == any_house.clock.now()
    assert len(any_house.mails("digest")) == 1
    following = bob(any_house).digest_at
    assert following is not None
    assert following - promised == timedelta(hours=10)


def test_settings_that_are_saved_just_when_a_digest_is_due_do_not_put_it_off(house: House) -> None:
    saved(house, mails="digest", digest_hour=20)
    house.clock.move(timedelta(hours=8))

    saved(house, mails="digest", digest_hour=20, zone="UTC")
    sweep(house.service)

    assert len(house.mails("digest")) == 1


def test_a_language_that_was_set_stays_when_somebody_signs_in_again(house: House) -> None:
    house.open(seats=[*people(3), NewSeat(open=True)], language="en")
    signed_in(house)
    # the table does not fill: a seat of the past keeps its language
    house.wait(days=15)
    saved(house, name="", language="es")

    person = signed_in(house)

    assert person.name == "Bob"
    assert person.language == "es"
