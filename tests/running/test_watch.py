"""Who is up: hearts that beat, and what /readyz says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.config import Settings, load_settings
from pbem.running import doctor, heartbeats
from pbem.running.heartbeats import Heart, readiness
from tests.parts.redis_server import RedisServer


def settings_for(tmp_path: Path, database_url: str, redis_url: str) -> Settings:
    return load_settings(home=tmp_path, database_url=database_url, broker_url=redis_url)


def down(answer: dict[str, object]) -> set[str]:
    parts = answer["parts"]
    assert isinstance(parts, dict)
    return {name for name, part in parts.items() if not part["up"]}


def test_everything_is_up_when_worker_and_beat_show_their_hearts(
    tmp_path: Path, database_url: str, redis_url: str
) -> None:
    settings = settings_for(tmp_path, database_url, redis_url)
    for part in ("worker", "beat"):
        Heart(settings, part).beat()

    answer = readiness(settings)

    assert answer["ready"]
    assert set(answer["parts"]) == {"web", "database", "broker", "worker", "beat"}


def test_a_part_without_a_heartbeat_is_named(
    tmp_path: Path, sqlite_url: str, redis_url: str
) -> None:
    settings = settings_for(tmp_path, sqlite_url, redis_url)
    Heart(settings, "worker").beat()

    answer = readiness(settings)

    assert not answer["ready"]
    assert down(answer) == {"beat"}
    assert answer["parts"]["beat"]["why"] == "No beat shows a heartbeat."


def test_a_heart_that_stopped_is_seen_at_once(
    tmp_path: Path, sqlite_url: str, redis_url: str
) -> None:
    settings = settings_for(tmp_path, sqlite_url, redis_url)
    heart = Heart(settings, "worker")
    heart.beat()

    heart.stop()

    assert heartbeats.hearts(settings)["worker"] == []


def test_a_heartbeat_dies_by_itself(tmp_path: Path, sqlite_url: str, redis_url: str) -> None:
    settings = settings_for(tmp_path, sqlite_url, redis_url)
    Heart(settings, "worker").beat()

    with heartbeats.broker.client(redis_url) as client:
        (key,) = client.scan_iter(match="pbem:heartbeat:*")
        life = client.ttl(key)

    assert 0 < life <= heartbeats.LIFE_SECONDS  # type: ignore[operator]


def test_a_broker_that_is_away_is_named_and_the_rest_is_not_known(
    tmp_path: Path, sqlite_url: str, redis_server: RedisServer
) -> None:
    settings = settings_for(tmp_path, sqlite_url, redis_server.url)
    heart = Heart(settings, "worker")
    redis_server.kill()

    assert heart.beat() is False
    answer = readiness(settings)

    assert down(answer) == {"broker", "worker", "beat"}
    assert "while the broker is away" in answer["parts"]["worker"]["why"]


def full(server: RedisServer) -> None:
    """As on a full disk, it answers to questions alone."""
    with heartbeats.broker.client(server.url) as client:
        client.config_set("maxmemory", "1")


def protected(server: RedisServer) -> None:
    with heartbeats.broker.client(server.url) as client:
        client.config_set("requirepass", "another")


@pytest.mark.parametrize(
    ("befall", "user", "said"),
    [
        (full, "", "refuses what it is asked: command not allowed when used memory > 'maxmemory'"),
        (protected, "", "wants a password: broker_url has none."),
        (protected, ":hunter 2@", "refuses what it is asked: invalid username-password pair"),
    ],
)
def test_a_broker_that_refuses_is_named_with_its_reason(
    befall: Callable[[RedisServer], None],
    user: str,
    said: str,
    tmp_path: Path,
    sqlite_url: str,
    redis_server: RedisServer,
) -> None:
    """The parts run, and only their heartbeats are not taken: starting them would not help."""
    url = f"redis+socket://{user}{redis_server.socket}"
    settings = settings_for(tmp_path, sqlite_url, url)
    befall(redis_server)

    answer = readiness(settings)
    (found,) = doctor.check_broker(settings)

    assert down(answer) == {"broker", "worker", "beat"}
    assert answer["parts"]["worker"]["why"] == "Not known while the broker is away."
    for why in (answer["parts"]["broker"]["why"], found.found):
        assert f"answers, and {said}" in why
        assert "hunter" not in why
    assert found.state == "wrong"
    hidden = user.replace("hunter 2", "<hidden>")
    assert found.found.startswith(f"redis+socket://{hidden}{redis_server.socket} answers")


def test_a_database_without_tables_is_not_up(tmp_path: Path, redis_url: str) -> None:
    answer = readiness(settings_for(tmp_path, f"sqlite:///{tmp_path}/empty.sqlite3", redis_url))

    assert "database" in down(answer)


def test_a_database_that_does_not_answer_is_not_up_and_its_password_is_not_shown(
    tmp_path: Path, redis_url: str
) -> None:
    url = "postgresql://pbem:hunter2@127.0.0.1:1/pbem"

    answer = readiness(settings_for(tmp_path, url, redis_url))

    assert "database" in down(answer)
    assert "hunter2" not in str(answer)
