"""A mailer is killed at each of its kill points, or stopped past its lease; nothing gets lost.

After a kill another mailer settles what is left. Then: every mail ended; nothing is leased or in
doubt; no Message-ID has more than two copies, and two only with a doubt on record; every mail that
is ``sent`` has a copy; a refused address has marked its seat.
"""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

import pbem
from pbem.acts import outbox
from pbem.mail import message_ids
from pbem.store.names import MailStatus
from tests.faults import mailer
from tests.faults.mailer import MUTANTS
from tests.mail.office import Office, office_service, parsed
from tests.parts.cast import address
from tests.parts.relay import Behaviour, Relay

#: Each commit and each verb of the mailer, and how the relay must behave for it to be passed.
PLACES: dict[str, Behaviour] = {
    "post.lease": "accept",
    "post.link": "accept",
    "post.doubt": "accept",
    "post.sent": "accept",
    "post.dropped": "accept",
    "post.later": "data_451",
    "post.back": "accept_then_drop",
    "post.dead": "rcpt_550",
    "mail_refused": "rcpt_550",
    "smtp.connect": "accept",
    "smtp.ehlo": "accept",
    "smtp.mail": "accept",
    "smtp.rcpt": "accept",
    "smtp.data": "accept",
    "smtp.text": "accept",
    "smtp.rset": "rcpt_550",
    "smtp.quit": "accept",
}
#: With TLS and a login these come between ``ehlo`` and ``mail``, where nothing has been written.
LIKE_EHLO = {"smtp.starttls", "smtp.auth"}


def sides(place: str) -> tuple[str, str]:
    if place.startswith("smtp."):
        verb = place.partition(".")[2]
        return f"smtp.before_{verb}", f"smtp.after_{verb}"
    return f"{place}.before_commit", f"{place}.after_commit"


POINTS = [(point, behaviour) for place, behaviour in PLACES.items() for point in sides(place)]


class Scene:
    """A lobby with five mails owed and one that nobody wants; the relay may dislike Bob's."""

    def __init__(self, home: Path, url: str, relay: Relay, behaviour: Behaviour) -> None:
        self.home, self.url, self.relay = home, url, relay
        self.office = Office(office_service(home, url, relay))
        self.match = self.office.open(confirmed=False)
        self.office.owe_again(self.match.id, 1, kind="bot_took_over")
        relay.behaviour, relay.only_for = behaviour, {address("bob")}

    def kill_at(self, point: str, mutant: str = "") -> None:
        """A mailer works and dies at this point; it must have come there."""
        process = self._mailer(crash_at=point, mutant=mutant)
        process.join(200)
        assert process.exitcode == -signal.SIGKILL, f"the mailer did not pass {point}"

    @contextmanager
    def stopped_at(self, point: str, mutant: str = "") -> Iterator[None]:
        """A mailer works and stands still at this point; after the block it goes on."""
        process = self._mailer(stop_at=point, mutant=mutant)
        mailer.wait_until_stopped(process.pid)
        try:
            yield
        finally:
            os.kill(process.pid, signal.SIGCONT)
            process.join(200)
        assert process.exitcode == 0

    def _mailer(self, **how: str) -> mailer.Any:
        place = (self.relay.host, self.relay.port)
        return mailer.start(self.home, self.url, place, self.office.service.now(), **how)

    def settle(self) -> None:
        """Time passes, and a mailer that lives does what is due."""
        if self.relay.behaviour in ("data_451", "accept_then_drop"):
            self.relay.behaviour = "accept"
        for _ in range(4):
            self.office.clock.move(outbox.LEASE + timedelta(minutes=1))
            self.office.post_all()

    def check(self) -> None:
        """What must hold when all is settled."""
        copies = Counter(parsed(mail.content)["Message-ID"] for mail in self.relay.taken)
        known = set()
        for row in self.office.mails():
            assert row.status in (MailStatus.SENT, MailStatus.DEAD, MailStatus.DROPPED), row.status
            assert row.lease is None
            message_id = message_ids.message_id(self.office.service.keys, "localhost", row.dedupe)
            known.add(message_id)
            assert copies[message_id] <= 1 + (row.doubts > 0)
            if row.status == MailStatus.SENT:
                assert copies[message_id] >= 1
        assert set(copies) <= known
        assert self.office.owed("bot_took_over").status == MailStatus.DROPPED
        bob = self.office.owed("invitation", 1)
        refuses = self.relay.behaviour == "rcpt_550"
        assert (self.office.seat(self.match, 1).mail_problem_at is not None) == refuses
        if refuses:
            assert self.office.owed("stalled").status == MailStatus.SENT
        else:
            assert bob.status == MailStatus.SENT

    def close(self) -> None:
        self.office.service.database.close()


@contextmanager
def scene(home: Path, url: str, relay: Relay, behaviour: Behaviour = "accept") -> Iterator[Scene]:
    made = Scene(home, url, relay, behaviour)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize(("point", "behaviour"), POINTS)
def test_a_mailer_killed_at_any_point_loses_nothing(
    point: str, behaviour: Behaviour, tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, sqlite_url, smtp_server, behaviour) as lobby:
        lobby.kill_at(point)

        lobby.settle()

        lobby.check()


@pytest.mark.postgres
@pytest.mark.parametrize(
    "point",
    [
        "post.lease.after_commit",
        "post.doubt.after_commit",
        "smtp.after_text",
        "post.sent.before_commit",
    ],
)
def test_a_mailer_killed_on_postgresql_loses_nothing(
    point: str, tmp_path: Path, postgres_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, postgres_url, smtp_server) as lobby:
        lobby.kill_at(point)

        lobby.settle()

        lobby.check()


def test_a_mail_whose_answer_was_lost_with_its_mailer_has_two_copies_and_a_doubt(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, sqlite_url, smtp_server) as lobby:
        lobby.kill_at("smtp.after_text")

        lobby.settle()

        doubted = [row for row in lobby.office.mails() if row.doubts]
        assert [row.doubts for row in doubted] == [1]
        copies = [
            mail
            for mail in smtp_server.taken
            if parsed(mail.content)["Message-ID"] == doubted[0].message_id
        ]
        assert len(copies) == 2


def test_two_kills_in_doubt_end_the_mail(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, sqlite_url, smtp_server) as lobby:
        lobby.kill_at("smtp.after_text")
        lobby.office.clock.move(outbox.LEASE)
        lobby.kill_at("smtp.after_text")

        lobby.settle()

        dead = [row for row in lobby.office.mails() if row.status == MailStatus.DEAD]
        assert len(dead) <= 1
        for row in dead:
            assert row.doubts == 2


@pytest.mark.parametrize("point", ["smtp.after_rcpt", "post.lease.after_commit"])
def test_a_mailer_stopped_past_its_lease_sends_nothing_again(
    point: str, tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, sqlite_url, smtp_server) as lobby:
        with lobby.stopped_at(point):
            lobby.settle()
            before = len(smtp_server.taken)

        assert len(smtp_server.taken) == before
        lobby.check()


@pytest.mark.parametrize("point", ["smtp.before_data", "smtp.before_text", "smtp.after_text"])
def test_a_mailer_stopped_in_doubt_makes_one_copy_more_at_the_most(
    point: str, tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, sqlite_url, smtp_server) as lobby:
        with lobby.stopped_at(point):
            lobby.settle()

        lobby.check()


def two_mailers_at_once(lobby: Scene) -> None:
    """While one has mails, another sends the rest of them only; then the first goes on."""
    with lobby.stopped_at("smtp.before_text"):
        held = [mail for mail in lobby.office.mails() if mail.lease]
        lobby.office.post_all()
        assert held
        assert len(lobby.relay.taken) <= len(lobby.office.mails()) - len(held)

    lobby.settle()
    lobby.check()
    assert {row.doubts for row in lobby.office.mails()} == {0}


def test_a_mailer_at_work_keeps_others_away_until_its_lease_ends(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, sqlite_url, smtp_server) as lobby:
        two_mailers_at_once(lobby)


def test_every_commit_and_verb_of_the_mailer_is_a_kill_point_here() -> None:
    folder = Path(pbem.__file__).parent
    source = "".join(
        file.read_text() for file in (folder / "acts/outbox.py", *(folder / "mail").glob("*.py"))
    )

    commits = set(re.findall(r"\.write\(\"(post\.\w+)\"", source))
    verbs = {f"smtp.{verb}" for verb in re.findall(r"_(?:say|must)\(\s*\"(\w+)\"", source)}

    assert commits | verbs | {"smtp.text", "mail_refused"} == set(PLACES) | LIKE_EHLO


# --- the suite notices when a barrier is gone ---

CRASHES = {
    "forgets doubts": "smtp.after_text",
    "says sent too early": "smtp.before_data",
    "leaves doubts alone": "post.doubt.after_commit",
    "has new ids each time": "smtp.after_text",
    "marks the seat last": "post.dead.after_commit",
    "sends what nobody wants": "post.sent.after_commit",
}


@pytest.mark.parametrize("mutant", CRASHES)
def test_a_mailer_without_one_barrier_fails_the_check_after_a_kill(
    mutant: str,
    tmp_path: Path,
    sqlite_url: str,
    smtp_server: Relay,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    MUTANTS[mutant](monkeypatch)
    behaviour: Behaviour = "rcpt_550" if mutant == "marks the seat last" else "accept"
    with scene(tmp_path, sqlite_url, smtp_server, behaviour) as lobby:
        lobby.kill_at(CRASHES[mutant], mutant)
        lobby.settle()

        with pytest.raises(AssertionError):
            lobby.check()


def test_a_mailer_without_a_second_look_at_its_lease_fails_the_check(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay
) -> None:
    with scene(tmp_path, sqlite_url, smtp_server) as lobby:
        with lobby.stopped_at("smtp.after_rcpt", "sends without the lease"):
            lobby.settle()

        with pytest.raises(AssertionError):
            lobby.check()


def test_a_mailer_that_takes_what_others_hold_fails_the_check(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTANTS["takes what others hold"](monkeypatch)
    with scene(tmp_path, sqlite_url, smtp_server) as lobby, pytest.raises(AssertionError):
        two_mailers_at_once(lobby)


def test_the_mutants_are_all_tried() -> None:
    assert {*CRASHES, "sends without the lease", "takes what others hold"} == set(MUTANTS)
