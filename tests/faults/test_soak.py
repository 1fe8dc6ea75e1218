"""A short soak on each database, and that what it looks for would be found.

``python -m tests.faults.soak`` runs for as long as one likes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from pbem.running import broker
from pbem.store.models import Submission
from tests.acceptance.people import ROOT
from tests.faults.invariants import Acknowledged, check, check_mails, lost_and_doubled
from tests.faults.soak.faults import KILLS, WHILES, schedule
from tests.mail.office import Office, office_service, parsed
from tests.parts.cast import House
from tests.parts.postgres_server import binaries
from tests.parts.relay import Relay

#: Seconds in which processes are killed.
SECONDS = 10


def soaked(database: str) -> dict[str, Any]:
    command = ["--minutes", f"{SECONDS / 60}", "--seed", "7", "--database", database, "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.soak", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)[0]
    assert done.returncode == 0, result
    return result


def _needs(database: str) -> None:
    try:
        broker.find_server()
    except broker.NoBroker as error:
        pytest.skip(str(error))
    if database == "postgresql" and binaries() is None:
        pytest.skip("PostgreSQL: no binaries here (Debian: apt install postgresql)")


@pytest.mark.slow
@pytest.mark.redis
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def test_people_play_while_everything_is_killed_and_nothing_is_lost_or_doubled(
    database: str,
) -> None:
    _needs(database)

    result = soaked(database)

    assert (result["lost"], result["doubled"], result["breaches"]) == (0, 0, [])
    assert result["killed"] >= 3
    assert result["moves"] >= 1
    assert result["mails"] >= 1


def test_a_seed_always_gives_the_same_faults() -> None:
    first = list(islice(schedule("7", 0.4), 500))

    assert first == list(islice(schedule("7", 0.4), 500))
    assert first != list(islice(schedule("8", 0.4), 500))
    assert {fault.kind for fault in islice(schedule("7", 0.4), 20_000)} == {*KILLS, *WHILES}


def test_a_receipt_that_is_not_in_the_log_is_found(house: House) -> None:
    match = house.running()
    house.play(match, 0)
    house.work()
    with house.service.database.read() as session:
        row = session.exec(select(Submission)).one()
        told = json.loads(row.receipt_json)
        true = Acknowledged(row.key, told["shown_ply"], told["order"])
        others = [
            Acknowledged("another", true.ply, true.order),
            Acknowledged(true.submission, true.ply + 1, true.order),
            Acknowledged(true.submission, true.ply, "give 99"),
        ]

        lost, doubled = lost_and_doubled(session, [true, *others])

    check(house.service, [true])
    assert lost == [one.submission for one in others]
    assert doubled == []


def test_a_second_copy_without_a_doubt_is_found(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    office = Office(office_service(tmp_path, sqlite_url, smtp_server))
    office.open()
    office.post_all()
    copies = Counter(str(parsed(mail.content)["Message-ID"]) for mail in smtp_server.taken)
    one = next(iter(copies))

    check_mails(office.service, copies)
    for wrong in (copies + Counter([one]), copies - Counter([one]), copies + Counter(["<else>"])):
        with pytest.raises(AssertionError):
            check_mails(office.service, wrong)
    office.service.database.close()
