"""Notices of open tables to an address that takes no mail: they end with the first."""

from __future__ import annotations

import pytest
from sqlmodel import select

from pbem.acts.matches import NewSeat, Person
from pbem.people import open_tables, persons, watches
from pbem.people.open_tables import TableFilter
from pbem.people.sweep import sweep as keep_company
from pbem.store.models import Mail, Watch
from pbem.store.names import Delivery, MailKind, MailStatus
from tests.mail.office import Office
from tests.mail.returning import LATE, bounce
from tests.parts.cast import address, people
from tests.parts.relay import Relay


def wants(office: Office, name: str) -> None:
    """Somebody hears of tables of Dog from now on."""
    now = office.clock.now()
    with office.service.database.write("test") as session:
        person = persons.known(session, address(name), now)
        watches.add(session, person, TableFilter(game="dog"), now)


def listed(office: Office) -> None:
    """A table is listed, and who wants to hear of it is mailed."""
    seats = [*people(3), NewSeat(open=True)]
    host = Person("Alice", address("alice"))
    new = open_tables.NewTable(game="dog", host=host, seats=seats, confirmed=True, listed=True)
    open_tables.create(office.service, new, proved=True)
    keep_company(office.service)
    office.post_all()


def notices(office: Office, name: str) -> list[Mail]:
    return [mail for mail in office.mails(MailKind.TABLE_OPEN) if mail.address == address(name)]


def test_an_address_that_is_refused_hears_of_no_more_tables(
    any_office: Office, smtp_server: Relay
) -> None:
    wants(any_office, "erin")
    wants(any_office, "frank")
    smtp_server.behaviour, smtp_server.only_for = "rcpt_550", {address("erin")}

    for _ in range(2):
        listed(any_office)

    assert [mail.status for mail in notices(any_office, "erin")] == [MailStatus.DEAD]
    assert [mail.status for mail in notices(any_office, "frank")] == [MailStatus.SENT] * 2


def test_an_address_from_which_a_notice_comes_back_hears_of_no_more_tables(keeper: Office) -> None:
    wants(keeper, "erin")
    listed(keeper)

    bounce(keeper, notices(keeper, "erin")[0])
    listed(keeper)

    assert [mail.delivery for mail in notices(keeper, "erin")] == [Delivery.FAILED]


@pytest.mark.parametrize("form", LATE)
def test_a_notice_that_is_late_ends_nothing(keeper: Office, form: str) -> None:
    wants(keeper, "erin")
    listed(keeper)

    bounce(keeper, notices(keeper, "erin")[0], form)
    listed(keeper)

    assert len(notices(keeper, "erin")) == 2


def test_a_notice_that_comes_back_ends_nothing_that_was_asked_for_since(keeper: Office) -> None:
    """Also where a row has got the number of one that was deleted."""
    wants(keeper, "erin")
    listed(keeper)
    (notice,) = notices(keeper, "erin")
    bounce(keeper, notice)
    keeper.wait(minutes=1)
    wants(keeper, "erin")

    bounce(keeper, notice)

    with keeper.service.database.read() as session:
        assert len(session.exec(select(Watch)).all()) == 1
