"""No page, door or task reads a table that grows from end to end, on either database."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pbem.acts import absence, housekeeping, outbox, writing
from pbem.acts.remedies import REMEDIES
from pbem.acts.sweep import sweep
from pbem.looks import stalled
from pbem.mail.mailer import post_due
from pbem.people import sweep as people
from pbem.running import doctor
from pbem.store import audit, statements
from pbem.store.db import Database
from tests.faults.acts import ACTS, Place
from tests.parts import remedies
from tests.parts.chance import draws
from tests.web.conftest import web_service
from tests.web.house import WebHouse, secret
from tests.web.routes import paths
from tests.web.statements import Asked, Question, fill, scans
from tests.web.test_signing_in import signed_in

#: The end of what asks with many rows.
TOGETHER = "many rows"

#: What reads everything because that is what it is for: who asks, and why.
MAY_READ_ALL = {
    "pbem/store/audit.py:verify": "the doctor follows the audit log from its first row",
    "pbem/store/audit.py:_ends": "the doctor holds every chain against its head",
    "pbem/people/results.py:enter_due": "all matches before the first is entered, then the last",
    "pbem/people/standing.py:pools": "counts along an index: a row is a person in a game",
    "pbem/people/privacy.py:_mails_of": "asked for once in somebody's life, and without a lock",
    "pbem/people/privacy.py:_forget_rows": "asked for once in somebody's life",
    "pbem/people/privacy.py:_leave_groups": "asked for once in somebody's life",
    "pbem/people/export.py:_mails": "asked for seldom, and a few times an hour at most",
    "pbem/people/export.py:_asked": "the same",
    "pbem/people/export.py:_person": "the same",
    "pbem/people/export.py:theirs": "the same",
}


@pytest.fixture(scope="module")
def asked(_sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    """What the service asks while everything is done with it that can be done."""
    heard = Asked()
    with heard.listening():
        for name, scene in _scenes():
            home = tmp_path_factory.mktemp("asked")
            shutil.copy(_sqlite_template, home / "pbem.sqlite3")
            service = web_service(home, f"sqlite:///{home / 'pbem.sqlite3'}")
            service = replace(service, entropy=draws(name))
            try:
                scene(WebHouse(service))
            except Exception as error:
                raise AssertionError(f"the scene {name} did not run") from error
            finally:
                service.database.close()
    return list(heard.questions.values())


def _scenes() -> Iterator[tuple[str, Callable[[WebHouse], None]]]:
    for name, act in ACTS.items():
        yield name, partial(_acted, act=act)
    yield "every page", _every_page
    yield "every remedy", _every_remedy
    yield "the mailer", _the_mailer
    yield "who looks after it", _looking_after
    yield "somebody at home", _at_home


def _acted(house: WebHouse, act: Any) -> None:
    given = act.prepare(house)
    act.do(Place(house.service, lambda told: None), given)


def _every_page(house: WebHouse) -> None:
    """GET over the route table, as a stranger and as the operator, while a match runs and after."""
    match = house.running(clock={"turn": "10h"})
    house.open(confirmed=False)
    client = house.app.test_client()
    house.log_in(client)
    found = [path for _, path in paths(house, match, "GET")]
    for then in ("opened", "played", "over"):
        if then == "played":
            house.play_on(match, plies=6)
        elif then == "over":
            remedies.abort(house.service, match.id, actor="host")
        for visitor in (client, house.app.test_client()):
            for path in found:
                visitor.get(path)
                if path.startswith("/m/"):
                    visitor.get(f"{path}?ply=0&log=all")


def _every_remedy(house: WebHouse) -> None:
    """What the operator's pages foresee of each remedy."""
    match = house.play_on(house.running(clock={"turn": "10h"}), plies=6)
    client = house.app.test_client()
    house.log_in(client)
    form = {"seat": "1", "by": "5h", "bot": "easy", "name": "Frank", "ply": "2"}
    form |= {"email": "frank@example.org", "csrf_token": secret(client.get("/operator"))}
    for remedy in REMEDIES:
        client.post(f"/operator/match/{match.id}/preview", data={**form, "remedy": remedy})
        ticked = {**form, "remedy": remedy, "stall": f"{match.id}:1"}
        client.post("/operator/several/preview", data=ticked)


def _the_mailer(house: WebHouse) -> None:
    """Every state a mail goes through."""
    house.running()
    service = house.service
    mails = outbox.lease_due(service, 10)
    outbox.put_back(service, mails[0])
    outbox.try_later(service, mails[1], "451 later")
    outbox.fail_here(service, mails[2], "a template")
    outbox.enter_doubt(service, mails[3], "<one@example.org>", "bob@example.org")
    outbox.doubt_again(service, mails[3], "no answer")
    house.clock.move(timedelta(hours=2))
    again = outbox.lease_due(service, 10)
    outbox.enter_doubt(service, again[0], "<two@example.org>", "bob@example.org")
    outbox.mark_sent(service, again[0])
    outbox.mark_dead(service, again[1], "550 no")
    outbox.mark_dropped(service, again[2], "not wanted")
    post_due(service)


def _looking_after(house: WebHouse) -> None:
    """What the workers, the doctor and a program that watches ask."""
    house.running()
    service = house.service
    for _ in range(3):
        absence.notice_outage(service)
        sweep(service)
        housekeeping.sweep(service)
        house.clock.move(timedelta(days=1))
    stalled.find(service)
    doctor.examine(service.settings)
    with service.database.read() as session:
        audit.verify(session)


def _at_home(house: WebHouse) -> None:
    """What somebody who is signed in asks, and what is due for them."""
    house.running()
    house.open(confirmed=False)
    client = signed_in(house, "alice")
    for path in ("/home", "/home/settings", "/home/finished", "/home/next"):
        client.get(path)
    for path in ("/home/forget", "/home/data", "/home/data.zip"):
        client.get(path)
    client.post("/home/settings", data={"zone": "Europe/Madrid", "mails": "digest"})
    client.post("/home/groups", data={"group": "Friends", "people": "Bob bob@example.org"})
    client.get("/new?game=dog&group=Friends")
    client.post("/home/devices")
    house.clock.move(timedelta(days=60))
    people.sweep(house.service)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def grown(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database with tens of thousands of plies and mails of matches that are over."""
    database = Database(request.getfixturevalue(f"{request.param}_url"))
    fill(database)
    yield database
    database.close()


def test_nothing_reads_a_growing_table_from_end_to_end(
    asked: list[Question], grown: Database
) -> None:
    read_all: dict[str, list[str]] = {}
    with grown.engine.connect() as connection:
        for question in (*asked, *_of_many_rows()):
            if _is_of_the_other_kind(question, grown):
                continue
            if steps := scans(connection, question):
                read_all.setdefault(question.asked_by, []).append(f"{steps}: {question.statement}")

    too_much = {who: why for who, why in read_all.items() if who not in MAY_READ_ALL}
    assert len(asked) > 150
    assert not too_much, "\n\n".join(f"{who}\n{line}" for who in too_much for line in too_much[who])


def _of_many_rows() -> Iterator[Question]:
    """What PostgreSQL is asked where many rows are updated together."""
    together = {writing._SEAT: "missed", writing._OPEN_TURN: "next_at"}
    for write, column in together.items():
        statement = statements._together(write, ("of_id", column))
        yield Question(statement, {"rows": "[]"}, f"{write.one.table.name}: {TOGETHER}")


def _is_of_the_other_kind(question: Question, database: Database) -> bool:
    """An ``ON CONFLICT`` and a ``PRAGMA`` are for SQLite, which was listened to."""
    if database.is_sqlite:
        return question.asked_by.endswith(TOGETHER)
    conflict = getattr(question.statement, "_post_values_clause", None)
    return conflict is not None or str(question.statement).startswith("PRAGMA")
