"""The return path of a mail: each has its own, and nobody can make one up."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import timedelta

from sqlmodel import select

from pbem.mail import gateway, mailbox, return_path
from pbem.service import Service
from pbem.store import links
from pbem.store.keys import Keys
from pbem.store.models import Mail
from pbem.store.names import Purpose
from tests.mail.office import Office, parsed
from tests.mail.returning import asked, back_of, bounce, written
from tests.parts.cast import KEYS, House, address
from tests.parts.relay import Relay


def test_each_mail_has_a_return_path_of_its_own(keeper: Office) -> None:
    keeper.running()
    keeper.post_all()

    kept = mailbox.listed(keeper.service)

    paths = [mail.headers["Return-Path"] for mail in kept]
    assert len(set(paths)) == len(paths) > 4
    for path in paths:
        local = path.strip("<>").partition("@")[0]
        assert re.fullmatch(r"b\+[0-9a-z]+-[a-z2-7]{32}", local)
        assert len(local) < 64
    assert {mail.sender for mail in kept} == {"pbem@localhost"}
    assert "@example" not in "".join(paths)


def test_a_return_path_is_found_in_capitals_and_with_spaces_around(keeper: Office) -> None:
    _, mail = asked(keeper)
    path = back_of(keeper, mail)

    with keeper.service.database.read() as session:
        found = return_path.find(session, keeper.service, [f" {path.upper()} "])

    assert found is not None
    assert found.id == mail.id


def test_the_return_path_of_a_mail_that_is_out_never_changes(keeper: Office) -> None:
    """It comes back weeks later, to a newer version of the service."""
    mail = Mail(id=40, kind="your_turn", key="a", created_at=keeper.clock.now())

    path = return_path.address(keeper.service, mail, "Bob@example.org")

    assert path == "b+14-haxni2gmjsydrmdcs7rmkercx3mpmylz@localhost"


def test_the_relay_is_told_the_return_path_where_letters_can_come_in(
    returning: Office, smtp_server: Relay
) -> None:
    returning.running()

    returning.post_all()

    bobs = next(mail for mail in smtp_server.taken if mail.recipients == (address("bob"),))
    assert bobs.sender == back_of(returning, returning.owed("your_turn", 1))
    assert parsed(bobs.content)["From"] == "pbem <pbem@localhost>"
    assert "Return-Path" not in parsed(bobs.content)


def test_the_relay_is_told_our_own_address_where_no_letter_can_come_in(
    office: Office, smtp_server: Relay
) -> None:
    office.running()

    office.post_all()

    assert {mail.sender for mail in smtp_server.taken} == {"pbem@localhost"}


def test_a_return_path_is_good_for_a_month(keeper: Office) -> None:
    match, mail = asked(keeper)
    keeper.clock.move(timedelta(days=return_path.DAYS))
    before = keeper.row(mail)

    result = bounce(keeper, mail)

    assert result == "unknown"
    assert keeper.row(mail) == before
    assert keeper.seat(match, 1).mail_problem_at is None


# --- made up ---


def test_a_number_that_no_mail_can_have_finds_nothing(any_house: House) -> None:
    """A database refuses to be asked for it."""
    made_up = f"b+{'z' * 12}-{'a' * 32}@{any_house.service.settings.mail.return_path_domain}"

    with any_house.service.database.read() as session:
        found = return_path.find(session, any_house.service, [made_up])

    assert found is None


def test_a_token_for_something_else_is_no_return_path_and_the_reverse(keeper: Office) -> None:
    """Threat 1.1."""
    match, mail = asked(keeper)
    order = keeper.orders(match, 1)[0]
    own = back_of(keeper, mail)[2:].partition("@")[0]
    number, _, code = own.partition("-")
    other = back_of(keeper, keeper.owed("your_turn", 2))[2:].partition("@")[0]
    before = (keeper.mails(), keeper.table(match).match.revision)
    tokens = [
        keeper.token(keeper.link(match, purpose, 1))
        for purpose in (Purpose.REPLY, Purpose.TURN, Purpose.SEAT)
    ]
    tokens += [f"{number}-{other.partition('-')[2]}", f"{number}-{code[::-1]}", f"zzzz-{code}"]

    for token in tokens:
        raw = written("bounces", "postfix", RETURN=f"b+{token}@localhost", RECIPIENT=address("bob"))
        assert gateway.arrived(keeper.service, raw) == "unknown", token
    raw = written("bounces", "postfix", RETURN=f"b+{own}@elsewhere", RECIPIENT=address("bob"))
    assert gateway.arrived(keeper.service, raw) == "bounce"
    reply = f"From: bob@example.org\nTo: r+{own}@localhost\nMessage-ID: <1@x>\n\n{order}\n"
    assert gateway.arrived(keeper.service, reply.encode()) == "unknown"

    assert (keeper.mails(), keeper.table(match).match.revision) == before


def test_a_hundred_thousand_forged_return_paths_find_nothing(keeper: Office) -> None:
    """Threat 1.1."""
    _, mail = asked(keeper)
    good = back_of(keeper, mail)
    local, domain = good.split("@")
    head, code = local.split("-")
    chance = random.Random(19)
    signs = "abcdefghijklmnopqrstuvwxyz234567"

    def forged() -> str:
        kind = chance.randrange(4)
        if kind == 0:
            return f"{head}-{''.join(chance.choices(signs, k=32))}@{domain}"
        if kind == 1:
            place = chance.randrange(32)
            return f"{head}-{code[:place]}{chance.choice(signs)}{code[place + 1 :]}@{domain}"
        if kind == 2:
            return good[: chance.randrange(len(local))] + f"@{domain}"
        return f"b+{links.base36(chance.randrange(1, 9))}-{code}@{domain}"

    tries = [one for one in (forged() for _ in range(106_000)) if one != good]
    with keeper.service.database.read() as session:
        # as long as they are held here, the session asks for each once and not at each try
        mails = session.exec(select(Mail)).all()
        found = return_path.find(session, keeper.service, tries)
        real = return_path.find(session, keeper.service, [good])

    assert mails
    assert len(tries) > 100_000
    assert found is None
    assert real is not None


def test_a_return_path_is_good_while_its_key_is_listed(keeper: Office) -> None:
    """Threat 1.1."""
    match, mail = asked(keeper)
    raw = written("bounces", "postfix", RETURN=back_of(keeper, mail), RECIPIENT=address("bob"))
    new = b"n" * 32
    rotated = with_keys(keeper, Keys((new, *KEYS.main)))
    dropped = with_keys(keeper, Keys((new,)))

    assert gateway.arrived(dropped, raw) == "unknown"
    assert keeper.seat(match, 1).mail_problem_at is None
    assert gateway.arrived(rotated, raw) == "failed"


def with_keys(office: Office, keys: Keys) -> Service:
    """The same service with other keys."""
    return replace(office.service, keys=keys)
