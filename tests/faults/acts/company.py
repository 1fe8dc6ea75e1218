"""What people have beside their matches: home, standings, being forgotten."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import select

from pbem.mail import gateway
from pbem.mail.mailer import post_due
from pbem.people import persons, privacy, proofs, settings, standing
from pbem.store.models import AddressLink, Mail, Person, StandingMatch, StandingPool, StandingResult
from pbem.store.names import Actor, MailKind
from pbem.web import devices
from tests.faults.acts.moments import Act, Given, Place, finished, keep_company, posting, somebody
from tests.parts.cast import NAMES, address
from tests.parts.older import with_names_in_the_log
from tests.web.house import WebHouse


def two_matches(house: WebHouse) -> Given:
    """Bob plays in two matches, of which one holds names in its log, and has a person's row."""
    house.play_on(house.running(), plies=5)
    with_names_in_the_log(house, house.play_on(house.running(), plies=5))
    return somebody(house)


def _forget(place: Place, given: Given) -> None:
    privacy.forget(place.service, address("bob"), Actor.PLAYER)
    with place.service.database.read() as session:
        assert not privacy.matches_of(session, address("bob"))
        assert persons.of_address(session, address("bob")) is None


def sign_in_link(house: WebHouse) -> Given:
    proofs.owe(house.service, MailKind.SIGN_IN, "bob@example.org", "en")
    with house.service.database.read() as session:
        link = session.exec(select(AddressLink)).all()[-1]
    return {"path": f"/home/{proofs.token(house.service.keys, link)}"}


def signed_in(house: WebHouse) -> Given:
    client = house.app.test_client()
    client.post(sign_in_link(house)["path"])
    return {"person": 1}


def signed_in_long_ago(house: WebHouse) -> Given:
    given = signed_in(house)
    house.clock.move(devices.LIFE)
    return given


def somebody_signed_in(house: WebHouse) -> Given:
    house.running()
    return signed_in(house)


def _person(place: Place, given: Given) -> Person:
    with place.service.database.read() as session:
        person = session.get(Person, given["person"])
    assert person is not None
    return person


def _set_all(place: Place, given: Given) -> None:
    wished = settings.SettingsRequest(zone="Europe/Madrid", mails="digest", digest_hour=9)
    settings.save(place.service, _person(place, given), wished)


def _keep_group(place: Place, given: Given) -> None:
    settings.set_group(place.service, _person(place, given), "Friends", "Bob bob@example.org")


def waiting_for_a_digest(house: WebHouse) -> Given:
    given = somebody_signed_in(house)
    with house.service.database.read() as session:
        person = session.get(Person, given["person"])
    assert person is not None
    settings.save(house.service, person, settings.SettingsRequest(mails="digest", digest_hour=9))
    house.clock.move(timedelta(hours=24))
    return given


def digested(house: WebHouse) -> Given:
    """Bob was mailed all his turns; the id of that mail."""
    given = waiting_for_a_digest(house)
    keep_company(Place(house.service, lambda _: None), given)
    while post_due(house.service):
        pass
    with house.service.database.read() as session:
        mail = session.exec(select(Mail).where(Mail.kind == MailKind.DIGEST)).one()
    return {**given, "mail": mail.message_id}


def _answer_it(place: Place, given: Given) -> None:
    letter = (
        "To: pbem@localhost\r\nFrom: bob@example.org\r\nSubject: Re: 1 turn waits for you\r\n"
        f"Message-ID: <one@mail.example.org>\r\nIn-Reply-To: {given['mail']}\r\n\r\nhelp\r\n"
    )
    assert gateway.arrived(place.service, letter.encode()) in ("answered", "again")


def _sign_out(place: Place, given: Given) -> None:
    with place.app.test_request_context():
        devices.sign_out(_person(place, given))


def _count_a_stranger(place: Place, _: Given) -> None:
    stranger = AddressLink(kind="sign_in", address="stranger@example.org", language="en")
    proofs.may_mail(place.service, stranger)


def old_link(house: WebHouse) -> Given:
    proofs.owe(house.service, MailKind.SIGN_IN, "bob@example.org", "en")
    house.clock.move(proofs.LIFE + proofs.KEPT)
    return {}


def entered(house: WebHouse) -> Given:
    """A match that the standings know and have not rated yet."""
    match = finished(house)["match"]
    with house.service.database.write("test") as session:
        people = [persons.known(session, address(name), house.clock.now()) for name in NAMES[:2]]
        session.add(StandingPool(game="dog", seats=4))
        session.add(StandingMatch(match_id=match, game="dog", seats=4, ended_at=house.clock.now()))
        session.flush()
        for seat, person in enumerate(people):
            session.add(
                StandingResult(
                    match_id=match, seat=seat, person_id=person.id, team=seat, rank=1 + seat
                )
            )
    return {}


def _publish(place: Place, given: Given) -> None:
    standing.publish(place.service, given["person"], "Bob")


ACTS: dict[str, Act] = {
    "ask to sign in": Act(
        ("proof",), lambda _: {"path": "/home"}, posting(email="alice@example.org")
    ),
    "sign in": Act(("sign_in",), sign_in_link, posting()),
    "sign out": Act(("sign_out",), signed_in, _sign_out),
    "a stranger is counted": Act(("proof.count",), lambda _: {}, _count_a_stranger),
    "settings for all matches": Act(("settings.save", "preferences"), somebody_signed_in, _set_all),
    "a group": Act(("settings.group",), somebody_signed_in, _keep_group),
    "a digest": Act(("digest",), waiting_for_a_digest, keep_company),
    "an answer to a digest": Act(("digest_again",), digested, _answer_it),
    "devices go": Act(("devices.forget",), signed_in_long_ago, keep_company),
    "old links go": Act(("proof.forget",), old_link, keep_company),
    "a match is entered into the standings": Act(("standing.enter",), finished, keep_company),
    "a match is rated": Act(("standing.rate",), entered, keep_company),
    "be forgotten": Act(
        ("forget.ask", "forget", "forget.rows", "forget.done"), two_matches, _forget
    ),
    "a page of one's own": Act(("standing.publish",), somebody, _publish),
}
