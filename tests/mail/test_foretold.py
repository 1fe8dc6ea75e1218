"""The mails that opening a match would send."""

from __future__ import annotations

import pytest

from pbem.acts.matches import NewMatch, NewSeat, Person
from pbem.mail import foretold
from pbem.mail.compose import Draft
from pbem.mail.render import Gathered
from pbem.service import Service
from tests.parts.cast import House, address


def test_others_can_write_while_mails_are_put_into_words(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite one writes at a time, and whoever looks at the mails need not even be known."""
    write = foretold.write

    def write_beside_others(service: Service, mail: Gathered) -> Draft:
        with service.database.write("of somebody else") as session:
            session.connection()
        return write(service, mail)

    monkeypatch.setattr(foretold, "write", write_beside_others)
    seats = [NewSeat("Alice", address("alice")), NewSeat("Bob", address("bob"))]
    new = NewMatch(game="skirmish", host=Person("Alice", address("alice")), seats=seats)

    mails = foretold.mails(house.service, new)

    assert {mail.to for mail in mails} == {address("alice"), address("bob")}
