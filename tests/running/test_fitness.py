"""A service starts on its own keys and on tables of its own version, or says what is not so."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from pbem import create_app
from pbem.acts import demo
from pbem.cli import main
from pbem.config import Settings, load_settings
from pbem.fitness import NotFit
from pbem.running import heartbeats
from pbem.service import open_service
from pbem.store import db
from pbem.store.db import Database
from pbem.store.keys import load_keys, new_key

ROOT = Path(__file__).parents[2]


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    """A service with a match, in a home of its own."""
    found = load_settings(home=tmp_path / "home", database_url=database_url)
    service = open_service(found)
    demo.seed(service)
    service.database.close()
    return found


def keys_file(settings: Settings) -> Path:
    return settings.secrets_file


def write_keys(settings: Settings, *keys: str) -> None:
    keys_file(settings).write_text(f"keys = {list(keys)}\n".replace("'", '"'))


def key_of(settings: Settings) -> str:
    return load_keys(keys_file(settings)).main[0].hex()


def starts(settings: Settings) -> bool:
    open_service(settings).database.close()
    return True


def stamp(settings: Settings, revision: str) -> None:
    """As if another version of pbem had made the tables."""
    with closing(Database(settings.database_url)) as database, database.write("test") as session:
        session.connection().execute(
            text("UPDATE alembic_version SET version_num = :it"), {"it": revision}
        )


# --- keys ---


def test_a_lost_key_is_not_made_anew(settings: Settings) -> None:
    keys_file(settings).unlink()

    with pytest.raises(NotFit, match="There are no keys in") as told:
        open_service(settings)

    assert "backup" in str(told.value)
    assert not keys_file(settings).exists()


def test_other_keys_than_those_that_signed_are_refused(settings: Settings) -> None:
    write_keys(settings, new_key())

    with pytest.raises(NotFit, match="are not those that sign"):
        open_service(settings)


def test_a_second_machine_makes_no_keys_of_its_own_even_before_the_first_match(
    tmp_path: Path, database_url: str
) -> None:
    one, other = (
        load_settings(home=tmp_path / name, database_url=database_url) for name in ("one", "other")
    )
    starts(one)

    with pytest.raises(NotFit, match="copy it from a machine that shares the database"):
        open_service(other)

    assert not keys_file(other).exists()
    other.home.mkdir()
    keys_file(other).write_text(keys_file(one).read_text())
    assert starts(other)


def test_keys_are_changed_by_putting_a_new_one_first(settings: Settings) -> None:
    old, new = key_of(settings), new_key()
    write_keys(settings, new, old)
    assert starts(settings)

    write_keys(settings, new)
    assert starts(settings)
    write_keys(settings, old)
    with pytest.raises(NotFit):
        open_service(settings)


def test_tables_from_before_fingerprints_take_the_keys_that_are_there(settings: Settings) -> None:
    with closing(Database(settings.database_url)) as database, database.write("test") as session:
        session.connection().execute(text("DELETE FROM signing_key"))

    assert starts(settings)

    write_keys(settings, new_key())
    with pytest.raises(NotFit):
        open_service(settings)


def test_the_service_says_that_it_is_not_ready_when_its_keys_are_taken_away(
    settings: Settings,
) -> None:
    keys_file(settings).unlink()

    told = heartbeats.readiness(settings)["parts"]["database"]

    assert not told["up"]
    assert "no keys in" in told["why"]


def test_who_only_looks_makes_no_keys_and_takes_none_for_known(
    tmp_path: Path, sqlite_url: str
) -> None:
    settings = load_settings(home=tmp_path / "home", database_url=sqlite_url)

    with pytest.raises(SystemExit) as ended:
        main(["match", "list", "--home", str(settings.home)])

    assert ended.value.code == 1
    assert not settings.home.exists()


def test_keys_that_are_lost_for_good_are_replaced_by_a_command(
    settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_DATABASE_URL", settings.database_url)
    keys_file(settings).unlink()

    def keys(*words: str) -> tuple[object, str]:
        with pytest.raises(SystemExit) as ended:
            main(["keys", *words, "--home", str(settings.home)])
        written = capsys.readouterr()
        return ended.value.code, written.out + written.err

    status, said = keys()
    assert (status, keys_file(settings).exists()) == (1, False)
    assert "pbem keys --accept" in said

    assert keys("--accept")[0] == 0
    assert starts(settings)
    status, said = keys()
    assert status == 0
    assert key_of(settings) not in said


# --- tables ---


OTHERS = {"0004": "pbem migrate", "9999": "a newer one made them"}


@pytest.mark.parametrize(("revision", "words"), OTHERS.items())
def test_tables_of_another_version_are_refused(
    settings: Settings, revision: str, words: str
) -> None:
    stamp(settings, revision)

    with pytest.raises(NotFit, match=words):
        open_service(settings)

    told = heartbeats.readiness(settings)
    assert not told["ready"]
    assert words in told["parts"]["database"]["why"]


def test_the_web_that_runs_says_so_when_its_tables_are_changed(settings: Settings) -> None:
    service = open_service(settings)
    client = create_app(service).test_client()
    stamp(settings, "9999")

    answer = client.get("/readyz")

    service.database.close()
    assert answer.status_code == 503
    assert "a newer one made them" in answer.get_data(as_text=True)


def test_newer_tables_are_not_touched_by_migrate(
    settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_DATABASE_URL", settings.database_url)
    stamp(settings, "9999")

    with pytest.raises(SystemExit) as ended:
        main(["migrate", "--home", str(settings.home)])

    assert ended.value.code == 1
    assert "a newer one made them" in capsys.readouterr().err
    assert db.revision_of(settings.database_url) == "9999"


# --- every way to start ---


def lose_the_keys(settings: Settings) -> str:
    keys_file(settings).unlink()
    return "no keys in"


def fall_behind(settings: Settings) -> str:
    stamp(settings, "0004")
    return "pbem migrate"


PBEM = [sys.executable, "-m", "pbem.cli"]
CELERY = [sys.executable, "-m", "celery", "--quiet", "--app", "workers.app"]
WAYS = {
    "web": [*PBEM, "serve"],
    "lmtp": [*PBEM, "lmtp"],
    "worker": [*CELERY, "worker", "--without-gossip", "--without-mingle", "--without-heartbeat"],
    "beat": [*CELERY, "beat", "--pidfile="],
    "up": [*PBEM, "up"],
}


@pytest.mark.parametrize(
    ("way", "damage"),
    [(way, damage) for way in WAYS for damage in (lose_the_keys, fall_behind)][:-1],
)
def test_each_way_to_start_refuses_what_does_not_fit(
    tmp_path: Path,
    sqlite_url: str,
    redis_url: str,
    way: str,
    damage: Callable[[Settings], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = load_settings(home=tmp_path / "home", database_url=sqlite_url)
    service = open_service(settings)
    demo.seed(service)
    service.database.close()
    words = damage(settings)
    for name, value in (
        ("HOME", str(settings.home)),
        ("DATABASE_URL", sqlite_url),
        ("BROKER_URL", redis_url),
        ("INCOMING_LMTP_PORT", "2"),
        ("PORT", "1"),
    ):
        monkeypatch.setenv(f"PBEM_{name}", value)

    ended = subprocess.run(
        WAYS[way], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == 1
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
