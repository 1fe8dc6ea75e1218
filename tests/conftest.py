"""Fixtures that start real parts, and the word about what this machine cannot run.

A test that needs a part which is not here is skipped and says why. With ``PBEM_REQUIRE_ALL=1``
every skip is a failure: a machine that is meant to run everything cannot quietly run less.
"""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

from pbem import logs
from pbem.bench._postgres import binaries
from pbem.config import NOT_SETTINGS, PREFIX
from pbem.running import broker
from pbem.store import db
from tests.parts import chance, chromium, once, rows
from tests.parts.cast import House, make_service
from tests.parts.local_beacon import LocalBeacon, local_beacon, with_beacon
from tests.parts.postfix_server import ONLY_ROOT
from tests.parts.postgres_server import PostgresServer
from tests.parts.redis_server import RedisServer
from tests.parts.relay import Relay, start_relay

MEMORY = Path("/dev/shm")
#: How long a thread may work on after its test.
THREAD_SECONDS = 10

hypothesis_settings.register_profile(
    "pbem", deadline=None, print_blob=True, derandomize=not chance.SEED
)
hypothesis_settings.load_profile("pbem")


def pytest_configure() -> None:
    """No setting of this machine reaches a test; what tests start is heard of."""
    # what is loaded now stays: see pytest_collection_finish
    gc.disable()
    sys.addaudithook(_note_processes)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # under nohup: the tests outlive the terminal, but what they start hears all signals
        signal.signal(signal.SIGHUP, lambda *_: None)
    for name in [name for name in os.environ if name.startswith(PREFIX) or name == "CRASH_AT"]:
        if name not in NOT_SETTINGS or name == "PBEM_CONFIG":
            del os.environ[name]


def pytest_collection_finish() -> None:
    """The garbage collector looks less often, and not at what is loaded now: that stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(autouse=True)
def the_log_as_before() -> Iterator[None]:
    """What a test sets up to log ends with it: its stream is closed by then."""
    root = logging.getLogger()
    level = root.level
    yield
    root.handlers[:] = [one for one in root.handlers if not isinstance(one.formatter, logs.Lines)]
    root.setLevel(level)
    logging.raiseExceptions = True


@pytest.fixture(scope="session", autouse=True)
def rows_in_templates() -> Iterator[list[str]]:
    """The rows that templates were given, in all tests and in their fixtures."""
    with rows.given_to_templates() as found:
        yield found


@pytest.fixture(autouse=True)
def templates_get_no_rows(rows_in_templates: list[str]) -> Iterator[None]:
    """Whatever page or mail a test has made."""
    yield
    found = sorted(set(rows_in_templates))
    rows_in_templates.clear()
    assert not found


@pytest.fixture(autouse=True)
def the_threads_rest() -> Iterator[None]:
    """No thread of a test works on after it: it would take its time from all tests that follow."""
    before = set(threading.enumerate())
    yield
    until = time.monotonic() + THREAD_SECONDS
    while (left := set(threading.enumerate()) - before) and _is_busy():
        assert time.monotonic() < until, f"threads of the test work on: {left}"


def _is_busy() -> bool:
    """Whether this process works while the thread of the tests does nothing."""
    before = time.process_time()
    time.sleep(0.05)
    return time.process_time() - before > 0.01


# --- what `make check` runs ---

#: Fixtures that start a process, and markers of tests that get theirs by another way.
STARTERS = {"_redis", "redis_server", "postgres_server", "browser"}
NEED_ONE = ("redis", "postgres", "browser")
#: What Python tells its auditors when a process is started.
STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}
_started: list[str] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        asked = set(getattr(item, "fixturenames", ()))
        if asked & STARTERS or any(item.get_closest_marker(name) for name in NEED_ONE):
            item.add_marker(pytest.mark.process)


def _note_processes(
    event: str,
    arguments: tuple[object, ...],
    starts: Set[str] = STARTS,
    noted: list[str] = _started,
) -> None:
    # Python tells its auditors also when it ends, and has taken this module apart by then
    if event in starts:
        noted.append(f"{event} {arguments[0] if arguments else ''}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Where tests that start processes are left out, one that does so all the same fails."""
    _started.clear()
    done = yield
    if _started and "not process" in item.config.option.markexpr:
        pytest.fail(f"Mark it with pytest.mark.process: it starts {_started[0]}", pytrace=False)
    return done


# --- what cannot run ---


def _skip_becomes_failure(report: Any) -> None:
    must_run = os.environ.get("PBEM_REQUIRE_ALL") == "1"
    if report.skipped and must_run and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        if str(reason).endswith(ONLY_ROOT):
            # a machine may have all there is and not be run by root
            return
        report.outcome = "failed"
        report.longrepr = f"PBEM_REQUIRE_ALL is set, and this did not run: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Any:
    report = yield
    _skip_becomes_failure(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Any:
    report = yield
    _skip_becomes_failure(report)
    return report


# --- Redis ---


@pytest.fixture(scope="session")
def _redis() -> Iterator[RedisServer]:
    yield from _started_redis()


@pytest.fixture
def redis_url(_redis: RedisServer) -> str:
    """An empty Redis or Valkey, shared by the tests one after another."""
    _redis.flush()
    return _redis.url


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A Redis of this test's own, started, which it may kill, stop and start."""
    yield from _started_redis()


def _started_redis() -> Iterator[RedisServer]:
    try:
        broker.find_server()
    except broker.NoBroker as error:
        pytest.skip(str(error))
    server = RedisServer()
    server.start()
    yield server
    server.remove()


# --- databases ---


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    db.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(_sqlite_template: Path) -> Iterator[str]:
    """A fresh SQLite file with all tables; in memory where the machine allows it.

    Processes die in tests and machines do not, so nothing is lost by it; thousands of commits that
    wait for a disk would make the suite slow.
    """
    with sqlite_copy(_sqlite_template) as path:
        yield f"sqlite:///{path}"


@contextmanager
def sqlite_copy(file: Path) -> Iterator[Path]:
    """A copy of a SQLite file that nobody has open, in memory where the machine allows it."""
    with tempfile.TemporaryDirectory(prefix="pbem-tests-", dir=_in_memory()) as folder:
        yield Path(shutil.copy(file, Path(folder) / "pbem.sqlite3"))


def _in_memory(room: int = 0) -> Path | None:
    """The folder that lies in memory; None where there is none with so many bytes to spare."""
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= room:
        return MEMORY
    return None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The PostgreSQL server of the tests. Who stops it must start it again."""
    if not os.environ.get("PBEM_TEST_DATABASE_URL") and binaries() is None:
        pytest.skip(
            "PostgreSQL: no binaries here (Debian: apt install postgresql), "
            "and PBEM_TEST_DATABASE_URL names no server"
        )
    server = PostgresServer(where=_in_memory(1024**3))
    server.start()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A fresh PostgreSQL database with all tables."""
    with postgres_server.database() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """A fresh database with all tables; the test runs once on SQLite and once on PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(autouse=True, scope="session")
def _made_once() -> Iterator[None]:
    """What each test's own house would make anew: statements, routes and pictures."""
    with pytest.MonkeyPatch.context() as patches:
        once.compile_statements(patches)
        once.compile_routes(patches)
        once.draw(patches)
        yield


# --- a house to play in ---


@pytest.fixture
def house(tmp_path: Path, sqlite_url: str) -> Iterator[House]:
    """On SQLite: quick, and enough where nothing depends on the kind of database."""
    yield from _house(tmp_path, sqlite_url)


@pytest.fixture
def any_house(tmp_path: Path, database_url: str) -> Iterator[House]:
    """On SQLite and on PostgreSQL, one after the other."""
    yield from _house(tmp_path, database_url)


@pytest.fixture
def local_chain() -> Iterator[LocalBeacon]:
    """A chain of the public beacon's scheme, on a socket of this machine."""
    with local_beacon() as chain:
        yield chain


@pytest.fixture
def beacon_house(house: House, local_chain: LocalBeacon) -> House:
    """A house whose matches have rounds of ``local_chain`` in their dice."""
    return with_beacon(house, local_chain)


def _house(home: Path, url: str) -> Iterator[House]:
    service = make_service(home, url)
    yield House(service)
    service.database.close()


# --- mail and browser ---


@pytest.fixture
def smtp_server() -> Iterator[Relay]:
    """A mail relay on the loopback; ``relay.behaviour`` switches what it does."""
    relay, controller = start_relay()
    yield relay
    controller.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium, for one module: its event loop must not outlast it."""
    if chromium.program() is None:
        pytest.skip("Chromium: not on this machine (Debian: apt install chromium-headless-shell)")
    pytest.importorskip("playwright.sync_api")
    with chromium.launched() as browser:
        yield browser
