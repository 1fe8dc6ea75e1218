"""A match is played by programs that are killed again and again, over a real relay.

The web hands in moves and notes each receipt, workers sweep, mailers post. Each of them dies at a
place that a seed chose, and is started again. At the end all must hold that ``invariants.check``
looks for, and of the mails: at most two copies of one Message-ID, and two only with a doubt.
"""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from pbem import create_app
from pbem.acts import outbox
from pbem.acts.sweep import sweep
from pbem.clock import ManualClock
from pbem.config.sections import Mail as MailSettings
from pbem.mail.mailer import post_due
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Match, Turn
from pbem.store.names import MailStatus, Purpose
from tests.faults.forks import PROCESSES
from tests.faults.invariants import check, check_mails
from tests.faults.programs import Ledger
from tests.mail.office import Office, parsed
from tests.parts.relay import Relay
from tests.web.conftest import web_service

#: Who does what, and the places where each may be killed.
PROGRAMS = {
    "web": ("submit.before_commit", "submit.after_commit"),
    "worker": (
        "advance.take.before_commit",
        "advance.take.after_commit",
        "advance.before_commit",
        "advance.after_commit",
    ),
    "mailer": (
        "post.lease.after_commit",
        "post.link.before_commit",
        "post.doubt.before_commit",
        "post.doubt.after_commit",
        "smtp.after_data",
        "smtp.before_text",
        "smtp.after_text",
        "post.sent.before_commit",
        "post.sent.after_commit",
    ),
}
ROUNDS = 16


def service_of(home: Path, url: str, relay: tuple[str, int]) -> Service:
    host, port = relay
    mail = MailSettings(mode="smtp", host=host, port=port)
    return web_service(home, url, mail=mail, allow_confirmed_seats=True)


def _run(
    home: Path, url: str, relay: tuple[str, int], now: datetime, program: str, crash_at: str
) -> None:
    os.environ["CRASH_AT"] = crash_at
    service = service_of(home, url, relay)
    assert isinstance(service.clock, ManualClock)
    service.clock.set(now)
    {"web": hand_in, "worker": carry_on, "mailer": post}[program](service, Ledger(home / "told"))
    os._exit(0)


def hand_in(service: Service, ledger: Ledger) -> None:
    """Everybody who is asked sends a move; the same one again where there was no answer."""
    client = create_app(service).test_client()
    with service.database.read() as session:
        found = session.exec(
            select(Link, Turn)
            .join(Turn, col(Turn.id) == col(Link.turn_id))
            .where(Link.purpose == Purpose.TURN, col(Turn.closed_at).is_(None))
        ).all()
    for link, turn in found:
        path = f"/t/{links.token(service.keys, link)}"
        shown = client.get(path, headers={"Accept": "application/json"}).get_json()
        asked = {"order": shown["orders"][0], "submission": f"{turn.id} at {shown['ply']}"}
        answer = client.post(path, json=asked)
        assert answer.status_code in (200, 409, 422), answer.text
        if answer.status_code == 200:
            told = answer.get_json()
            ledger.note(
                {"submission": asked["submission"], "ply": told["ply"], "order": told["order"]}
            )


def carry_on(service: Service, _: Ledger) -> None:
    while sweep(service):
        pass


def post(service: Service, _: Ledger) -> None:
    while post_due(service):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_life_full_of_kills_loses_nothing(
    seed: int, tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    relay = (smtp_server.host, smtp_server.port)
    office = Office(service_of(tmp_path, sqlite_url, relay))
    match = office.open(clock={"turn": "none"})
    chance, kills = random.Random(seed), Counter[str]()

    for _ in range(ROUNDS):
        for program, places in PROGRAMS.items():
            place = f"{chance.choice(places)}:{chance.randrange(1, 3)}"
            process = PROCESSES.Process(
                target=_run,
                args=(tmp_path, sqlite_url, relay, office.clock.now(), program, place),
                daemon=True,
            )
            process.start()
            process.join(200)
            assert process.exitcode in (0, -signal.SIGKILL)
            kills[program] += process.exitcode == -signal.SIGKILL
            office.clock.move(timedelta(minutes=2))
    for _ in range(6):
        office.wait(minutes=11)
        office.post_all()

    ledger = Ledger(tmp_path / "told")
    assert all(kills[program] >= 2 for program in PROGRAMS), kills
    assert len(ledger.acknowledged()) >= 4
    check(office.service, ledger.acknowledged())
    check_what_was_sent(office, match, smtp_server)
    office.service.database.close()


def check_what_was_sent(office: Office, match: Match, relay: Relay) -> None:
    check_mails(
        office.service, Counter(str(parsed(one.content)["Message-ID"]) for one in relay.taken)
    )
    rows = office.mails()
    for row in rows:
        assert row.status in (MailStatus.SENT, MailStatus.DEAD, MailStatus.DROPPED), row.status
        assert row.lease is None
        assert row.status != MailStatus.DEAD or row.doubts == outbox.MOST_DOUBTS
    for turn in office.table(match).open_turns.values():
        told = [row for row in rows if row.dedupe == f"your_turn:{turn.id}"]
        assert [row.status for row in told] == [MailStatus.SENT]
