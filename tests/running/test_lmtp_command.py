"""``pbem lmtp`` as a process: it opens, answers, is told to end, and is killed in the middle."""

from __future__ import annotations

import signal
import smtplib
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.config import Settings, load_settings
from pbem.mail import gateway
from pbem.service import open_service
from pbem.store.names import Purpose
from tests.mail.correspondence import written
from tests.mail.office import Office
from tests.parts.cast import address
from tests.parts.door import knocking
from tests.parts.ports import free_port
from tests.parts.processes import start, stop, wait_until

ROOT = Path(__file__).parents[2]
Run = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def settings(tmp_path: Path, sqlite_url: str) -> Settings:
    port = free_port()
    # no broker answers there: what is due is found by the next sweep
    found = load_settings(
        home=tmp_path,
        database_url=sqlite_url,
        broker_url=f"redis+socket://{tmp_path}/none.sock",
        incoming={"lmtp_port": port},
    )
    found.keys()
    return found


@pytest.fixture
def office(settings: Settings) -> Iterator[Office]:
    service = open_service(settings)
    yield Office(service)
    service.database.close()


@pytest.fixture
def run(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.setenv("PBEM_HOME", str(settings.home))
    monkeypatch.setenv("PBEM_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("PBEM_BROKER_URL", settings.broker_url)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    running: list[subprocess.Popen[bytes]] = []

    def started(port: int, crash_at: str = "") -> subprocess.Popen[bytes]:
        monkeypatch.setenv("PBEM_INCOMING_LMTP_PORT", f"{port}")
        monkeypatch.setenv("CRASH_AT", crash_at)
        log = tmp_path / "lmtp.log"
        running.append(start([sys.executable, "-m", "pbem.cli", "lmtp"], log))
        return running[-1]

    yield started
    for process in running:
        stop(process)


def is_open(port: int) -> bool:
    try:
        with knocking(port) as knock:
            return knock.read()[:3] == "220"
    except OSError:
        return False


def bring(port: int, to: str, raw: bytes) -> None:
    with smtplib.LMTP("127.0.0.1", port, timeout=30) as client:
        client.sendmail(address("bob"), [to], raw)


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_door_that_is_shut_says_so_and_ends_when_it_is_told_to(
    run: Run, tmp_path: Path, told: signal.Signals
) -> None:
    process = run(port=0)
    log = tmp_path / "lmtp.log"
    wait_until(lambda: b"The door is shut" in log.read_bytes(), "it does not say so")

    process.send_signal(told)

    assert process.wait(20) == 0


def test_the_door_opens_takes_a_letter_and_ends_when_it_is_told_to(
    settings: Settings, office: Office, run: Run, tmp_path: Path
) -> None:
    match = office.running()
    to = gateway.reply_address(office.service, office.link(match, Purpose.REPLY, 1))
    order = office.orders(match, 1)[0]
    port = settings.incoming.lmtp_port
    process = run(port)
    wait_until(lambda: is_open(port), "the door does not open", 40)

    bring(port, to, written(order, to, address("bob")))
    with knocking(port) as idle:
        idle.read()
        process.terminate()
        assert idle.read()[:3] == "421"

    assert process.wait(30) == 0
    assert [ply.order_text for ply in office.plies(match) if ply.seat == 1] == [order]
    told = (tmp_path / "lmtp.log").read_text()
    assert "letter_came" in told
    assert to.partition("@")[0] not in told
    assert "example.org" not in told


@pytest.mark.parametrize(
    "place",
    [
        "submit.before_commit",
        "submit.after_commit",
        "lines.answer.before_commit",
        "lines.answer.after_commit",
    ],
)
def test_a_door_killed_in_the_middle_was_given_no_word_and_takes_the_letter_once(
    place: str, settings: Settings, office: Office, run: Run
) -> None:
    match = office.running()
    to = gateway.reply_address(office.service, office.link(match, Purpose.REPLY, 1))
    order = office.orders(match, 1)[0]
    raw = written(order, to, address("bob"))
    port = settings.incoming.lmtp_port
    killed = run(port, crash_at=place)
    wait_until(lambda: is_open(port), "the door does not open", 40)

    with pytest.raises((OSError, smtplib.SMTPServerDisconnected)):
        bring(port, to, raw)
    assert killed.wait(10) == -signal.SIGKILL
    run(port)
    wait_until(lambda: is_open(port), "the door does not open", 40)
    bring(port, to, raw)
    bring(port, to, raw)

    assert [ply.order_text for ply in office.plies(match) if ply.seat == 1] == [order]
    assert len(office.mails("reply_answer")) == 1


def test_a_door_without_a_port_says_so_and_waits_to_be_stopped(run: Run, tmp_path: Path) -> None:
    """A runner of a Procfile would start it again and again, or stop all the others."""
    process = run(0)
    log = tmp_path / "lmtp.log"
    wait_until(lambda: "lmtp_port is 0" in log.read_text(), "it says nothing", 40)

    assert process.poll() is None
    process.terminate()
    assert process.wait(10) == 0


def test_a_door_whose_port_is_taken_says_so(run: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = run(taken.getsockname()[1])

        assert process.wait(40) == 1

    assert "cannot be opened" in (tmp_path / "lmtp.log").read_text()
