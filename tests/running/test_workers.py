"""Real workers and beats on a real broker: what is due is done, whatever becomes of the bell."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery.schedules import crontab
from sqlmodel import col, func, select

from pbem import journal
from pbem.acts import absence, advance, demo, housekeeping
from pbem.config import Settings, load_settings
from pbem.mail import animations, mailer
from pbem.running import broker, heartbeats
from pbem.running.doorbell import QUEUES, bell
from pbem.service import Service, open_service
from pbem.store.db import Database
from pbem.store.models import Heartbeat, OperatorSession, ReceivedMail
from tests.parts import remedies
from tests.parts.cast import House
from tests.parts.processes import wait_until
from tests.parts.redis_server import RedisServer
from tests.parts.wire import Wire
from tests.running.celery_process import CeleryProcess
from workers.app import HARD_LIMIT, SOFT_LIMIT, VISIBILITY_TIMEOUT, make_app

NO_MAILBOX = {"imap_host": "127.0.0.1", "imap_port": 1, "imap_user": "play"}
ALONE = ["--without-gossip", "--without-mingle", "--without-heartbeat"]


@pytest.fixture
def settings(tmp_path: Path, redis_server: RedisServer, _sqlite_template: Path) -> Settings:
    settings = load_settings(home=tmp_path, broker_url=redis_server.url, sweep_seconds=0.5)
    shutil.copy(_sqlite_template, tmp_path / "pbem.sqlite3")
    settings.keys()
    return settings


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """A service whose bell rings."""
    made = open_service(settings, bell(settings))
    yield made
    made.database.close()


Run = Callable[..., CeleryProcess]


@pytest.fixture
def run(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Starts ``worker`` or ``beat`` as pbem up does."""
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    monkeypatch.setenv("PBEM_BROKER_URL", settings.broker_url)
    monkeypatch.setenv("PBEM_SWEEP_SECONDS", str(settings.sweep_seconds))
    monkeypatch.setenv("PBEM_WORK_PROCESSES", "1")
    running: list[CeleryProcess] = []

    def started(part: str, *options: str) -> CeleryProcess:
        more = ["--pidfile="] if part == "beat" else ALONE
        words = ["--quiet", "--app", "workers.app", part, *more, *options]
        running.append(CeleryProcess(words, tmp_path / f"{part}.log"))
        heart = "moves" if "--queues=advance" in options else part
        wait_until(lambda: bool(hearts(settings, heart)), f"no {part}", 90)
        return running[-1]

    yield started
    for process in running:
        process.terminate()
        if process.wait(20) is None:
            os.killpg(process.pid, signal.SIGKILL)


def hearts(settings: Settings, part: str) -> list[str]:
    try:
        return heartbeats.hearts(settings).get(part, [])
    except (heartbeats.redis.RedisError, OSError):
        return []


def mails(service: Service) -> int:
    with service.database.read() as session:
        return session.exec(select(func.count()).select_from(ReceivedMail)).one()


def test_a_ring_is_heard_and_the_mail_goes_out(service: Service, run: Run) -> None:
    run("worker")

    demo.seed(service)
    service.ring("post")

    wait_until(lambda: mails(service) > 0, "no mail came")


@pytest.mark.parametrize("part", ["worker", "beat"])
def test_an_animated_picture_is_made_after_its_ring_or_without(
    settings: Settings, service: Service, run: Run, part: str
) -> None:
    house = House(service if part == "worker" else replace(service, ring=lambda _: None))
    match = house.play_on(house.running(), plies=3)
    remedies.abort(house.service, match.id, actor="host")
    # not before: it would carry the match on while this process does
    run("worker", "--queues=sweep,post,housekeeping")

    animations.ask(house.service, match.id)
    if part == "beat":
        run("beat")

    wait_until(lambda: animations.state(service, match.id) == "there", "no picture was made", 60)


def test_without_a_ring_the_sweep_finds_what_is_due(settings: Settings, run: Run) -> None:
    silent = open_service(settings)
    demo.seed(silent)
    run("worker")
    assert mails(silent) == 0

    run("beat")

    wait_until(lambda: mails(silent) > 0, "the sweep did not find the mail")
    silent.database.close()


def test_a_broker_that_was_gone_costs_nothing_but_time(
    settings: Settings, service: Service, run: Run, redis_server: RedisServer
) -> None:
    worker = run("worker")
    beat = run("beat")
    redis_server.kill()
    demo.seed(service)
    service.ring("post")

    redis_server.start()

    wait_until(lambda: mails(service) > 0, "what fell due meanwhile was not done", 60)
    assert worker.poll() is None
    assert beat.poll() is None


def test_a_broker_that_goes_away_while_a_task_runs_is_listened_to_again(
    settings: Settings, run: Run, redis_server: RedisServer, tmp_path: Path
) -> None:
    """The worker cannot say that its task has ended, and takes the next one all the same."""
    silent = open_service(settings)
    demo.seed(silent)
    run("worker")
    with closing(sqlite3.connect(tmp_path / "pbem.sqlite3")) as database:
        database.execute("BEGIN IMMEDIATE")
        bell(settings)("sweep")
        with broker.client(settings.broker_url) as redis:
            wait_until(lambda: redis.hlen("unacked") == 1, "no task waits for the database")
        redis_server.kill()
    wait_until(lambda: "Couldn't ack" in (tmp_path / "worker.log").read_text(), "it was told")

    redis_server.start()
    run("beat")

    wait_until(lambda: mails(silent) > 0, "the worker listens to nobody", 60)
    silent.database.close()


@pytest.fixture
def wire(redis_server: RedisServer) -> Iterator[Wire]:
    with Wire(redis_server.socket) as wire:
        yield wire


def test_a_worker_whose_connections_fall_silent_hears_the_next_ring(
    service: Service, wire: Wire, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a firewall that forgot them: nobody is told, and new connections are well."""
    monkeypatch.setenv("PBEM_BROKER_URL", wire.redis_url)
    run("worker")
    service.ring("sweep")
    wait_until(lambda: last_sweep(service) is not None, "it never heard anything")
    before = last_sweep(service)

    wire.fall_silent()
    for _ in range(2):  # one of them is lost with the connection
        service.ring("sweep")

    wait_until(lambda: last_sweep(service) != before, "the worker listens to a dead connection")


def last_sweep(service: Service) -> datetime | None:
    with service.database.read() as session:
        found = session.get(Heartbeat, absence.SWEEP)
        return found and found.at


@pytest.mark.parametrize("how", ["its loop stands still", "it asks for nothing"])
def test_a_worker_that_grew_deaf_ends_to_be_started_again(
    how: str, service: Service, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whatever fault: what its event loop does here is only an example."""
    monkeypatch.setenv("GROWS_DEAF", how)
    worker = run("worker", "--include=tests.running.deaf_worker")
    time.sleep(3)
    assert worker.poll() is None  # nothing waits for it

    service.ring("sweep")

    wait_until(lambda: worker.poll() is not None, "it stands for ever")
    assert worker.returncode == os.EX_SOFTWARE
    assert "worker_deaf" in (tmp_path / "worker.log").read_text()


def test_a_busy_worker_is_not_taken_for_deaf(
    settings: Settings, service: Service, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROWS_DEAF", "never")
    worker = run("worker", "--include=tests.running.deaf_worker")
    with closing(sqlite3.connect(tmp_path / "pbem.sqlite3")) as database:
        database.execute("BEGIN IMMEDIATE")
        for _ in range(3):
            service.ring("sweep")
        with broker.client(settings.broker_url) as redis:
            wait_until(lambda: redis.hlen("unacked") == 1, "no task waits for the database")
            time.sleep(5)
            assert redis.llen("sweep") > 0

    assert worker.poll() is None
    wait_until(lambda: idle(settings), "the rings that waited were not heard")


def test_a_worker_that_was_stopped_for_a_while_is_not_taken_for_deaf(
    settings: Settings, service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with everything else on its machine: the first ring is on its way to it, others wait."""
    monkeypatch.setenv("GROWS_DEAF", "never")
    worker = run("worker", "--include=tests.running.deaf_worker")

    os.killpg(worker.pid, signal.SIGSTOP)
    for _ in range(3):
        service.ring("sweep")
        time.sleep(2)
    os.killpg(worker.pid, signal.SIGCONT)

    wait_until(lambda: idle(settings), "the rings that waited were not heard")
    assert worker.poll() is None


def idle(settings: Settings) -> bool:
    with broker.client(settings.broker_url) as redis:
        return not redis.exists("sweep", "unacked")


def test_a_worker_that_is_told_to_end_says_good_bye(settings: Settings, run: Run) -> None:
    worker = run("worker")

    worker.terminate()

    assert worker.wait(20) == 0
    assert hearts(settings, "worker") == []


def test_two_beats_do_no_harm(service: Service, run: Run) -> None:
    run("worker")
    run("beat")
    run("beat")
    demo.seed(service)

    wait_until(lambda: mails(service) > 0, "no mail came")

    with service.database.read() as session:
        ids = session.exec(select(ReceivedMail.message_id)).all()
    assert len(ids) == len(set(ids))


def niceness(process: CeleryProcess) -> int:
    return os.getpriority(os.PRIO_PROCESS, process.pid)


@pytest.mark.parametrize(
    ("queues", "nice"),
    [("advance", 0), ("sweep,post,housekeeping", 1), ("housekeeping", 10), (",".join(QUEUES), 0)],
)
def test_a_worker_is_as_nice_as_its_most_urgent_queue(
    settings: Settings, run: Run, queues: str, nice: int
) -> None:
    here = os.getpriority(os.PRIO_PROCESS, 0)

    worker = run("worker", f"--queues={queues}")

    assert niceness(worker) == min(19, here + nice)


@pytest.mark.skipif(
    not Path("/proc/self/autogroup").exists(),
    reason="this system does not share processors out between sessions",
)
@pytest.mark.parametrize(
    ("queues", "nice"), [("advance", 0), ("sweep,post", 1), ("housekeeping", 10)]
)
def test_a_worker_with_a_session_of_its_own_is_nice_to_other_sessions(
    run: Run, queues: str, nice: int
) -> None:
    worker = run("worker", f"--queues={queues}")

    session = Path(f"/proc/{worker.pid}/autogroup").read_text()
    assert session.endswith(f" nice {nice}\n")


def test_a_worker_for_moves_alone_is_not_taken_for_one_that_mails(
    settings: Settings, run: Run
) -> None:
    run("worker", "--queues=advance")

    assert hearts(settings, "moves")
    assert hearts(settings, "worker") == []


# --- how Celery is set ---


def test_celery_is_a_doorbell(settings: Settings) -> None:
    conf = make_app(settings).conf

    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost is False
    assert conf.worker_prefetch_multiplier == 1
    assert [queue.name for queue in conf.task_queues] == list(QUEUES)
    assert conf.broker_transport_options["queue_order_strategy"] == "priority"
    assert conf.task_ignore_result
    assert conf.worker_soft_shutdown_timeout > 0
    assert conf.task_soft_time_limit == SOFT_LIMIT < HARD_LIMIT
    assert conf.task_time_limit == HARD_LIMIT < VISIBILITY_TIMEOUT
    assert conf.broker_transport_options["visibility_timeout"] == 600
    assert conf.broker_transport_options["unacked_restore_interval"] == 5
    assert conf.broker_transport_options["unacked_restore_throttle"] == 1


def test_every_queue_has_its_task_and_no_task_takes_an_argument(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    from workers import tasks

    ours = {name: task for name, task in tasks.app.tasks.items() if name.startswith("pbem.")}

    assert {f"pbem.{queue}" for queue in QUEUES} <= set(ours)
    for task in ours.values():
        assert task.run.__code__.co_argcount == 0


def test_what_is_away_is_told_in_a_sentence_and_a_fault_of_ours_with_its_traceback(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(service.settings.home))
    from workers import tasks

    nowhere = Database("postgresql+psycopg://pbem@127.0.0.1:1/pbem")
    box = load_settings(home=service.settings.home, incoming=NO_MAILBOX)
    monkeypatch.setattr(tasks, "service", lambda: replace(service, database=nowhere))
    tasks.post.run()
    monkeypatch.setattr(tasks, "service", lambda: replace(service, settings=box))
    tasks.take_letters.run()
    monkeypatch.setattr(tasks, "service", lambda: None)
    tasks.advance.run()

    told = {line.message: line for line in caplog.records if line.name == journal.log.name}
    assert set(told) == {"database_silent", "mailbox_unusable", "task_failed"}
    assert told["database_silent"].about["task"] == "post"
    assert "127.0.0.1" in told["database_silent"].about["error"]
    assert "does not answer" in told["mailbox_unusable"].about["why"]
    traced = {name for name, line in told.items() if line.exc_info}
    assert traced == {"task_failed"}


def test_batches_end_long_before_their_task_is_interrupted() -> None:
    """So what is interrupted is one match or one mail, and it is held against the right one."""
    assert max(advance.BATCH_SECONDS, mailer.BATCH_SECONDS) <= SOFT_LIMIT / 2


def test_a_picture_is_begun_by_nobody_else_while_its_task_may_go_on() -> None:
    assert timedelta(seconds=HARD_LIMIT) < animations.LEASE


def test_a_mail_has_its_turn_although_matches_are_always_due(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    from workers import tasks

    due = iter([1, 1])
    monkeypatch.setattr(tasks, "service", lambda: None)
    monkeypatch.setattr(tasks, "MOVES_SECONDS", 0)
    monkeypatch.setattr(advance, "advance_due", lambda *_: next(due))

    tasks._moves_first()

    assert list(due) == [1]


def test_beat_rings_the_sweep_as_often_as_it_is_set(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    from workers.schedule import rings

    entries = rings(settings)

    assert entries["sweep"]["schedule"].run_every.total_seconds() == 0.5
    assert isinstance(entries["housekeeping"]["schedule"], crontab)
    assert all("expires" not in entry["options"] for entry in entries.values())


def test_beat_rings_on_after_a_clock_that_was_ahead_is_set_back(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    from workers import schedule

    monkeypatch.setattr(schedule, "settings", settings)
    app, ahead = make_app(settings), timedelta()
    monkeypatch.setattr(app, "now", lambda: datetime.now(UTC) + ahead)
    beat = schedule.Schedule(app)

    def sweeps_in(seconds: float) -> int:
        until = time.monotonic() + seconds
        with broker.client(settings.broker) as client:
            client.delete("sweep")
            while time.monotonic() < until:
                time.sleep(min(max(beat.tick(), 0), 0.1))
            return int(client.llen("sweep"))

    assert sweeps_in(2) >= 2
    ahead = timedelta(days=10)
    assert sweeps_in(2) >= 2
    ahead = timedelta()
    assert sweeps_in(2) >= 2


def test_every_entry_of_the_schedule_rings_a_task_that_workers_know(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    from workers import tasks
    from workers.schedule import rings

    there = {"imap_host": "imap.example.org", "imap_user": "play"}
    entries = rings(load_settings(home=settings.home, incoming=there))

    assert set(entries) == {"sweep", "company", "animations", "housekeeping", "letters"}
    assert {entry["task"] for entry in entries.values()} <= set(tasks.app.tasks)


def test_beat_rings_for_letters_only_where_a_mailbox_is_set(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    from workers import tasks
    from workers.schedule import rings

    there = {"imap_host": "imap.example.org", "imap_user": "play", "imap_seconds": 30}
    entry = rings(load_settings(home=settings.home, incoming=there))["letters"]

    assert "letters" not in rings(settings)
    assert entry["schedule"].run_every.total_seconds() == 30
    assert entry["task"] in tasks.app.tasks
    assert entry["options"]["queue"] in QUEUES


# --- housekeeping ---


def test_housekeeping_takes_ended_logins_and_the_oldest_mails_only(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "MAILBOX_KEEPS", 3)
    now = service.now()
    with service.database.write("test") as session:
        for number in range(5):
            session.add(
                ReceivedMail(
                    address="a@example.org",
                    sender="b@example.org",
                    message_id=f"<{number}@x>",
                    received_at=now,
                    raw=b"",
                )
            )
        for name, ends in (("ended", now), ("open", now.replace(year=now.year + 1))):
            session.add(
                OperatorSession(
                    id=name, name="operator", created_at=now, seen_at=now, expires_at=ends
                )
            )

    assert housekeeping.sweep(service) == 3
    assert housekeeping.sweep(service) == 0

    with service.database.read() as session:
        kept = session.exec(select(ReceivedMail.message_id).order_by(col(ReceivedMail.id))).all()
        logins = session.exec(select(OperatorSession.id)).all()
    assert kept == ["<2@x>", "<3@x>", "<4@x>"]
    assert logins == ["open"]
