"""Which parts of the service are up: heartbeats of worker and beat, and what ``/readyz`` says.

A heartbeat is a key in the broker that expires. So no clocks of two machines are compared, and a
worker that cannot reach the broker, and so hears no doorbell, has no heartbeat.
"""

from __future__ import annotations

import os
import platform
import threading
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import redis

from pbem import fitness
from pbem.config import Settings
from pbem.running import broker
from pbem.store.db import Database

#: Seconds between two heartbeats, and after which one expires.
BEAT_SECONDS = 3
LIFE_SECONDS = 12
#: Seconds after which a database that does not answer is said to be down.
PROBE_SECONDS = 3

_PREFIX = "pbem:heartbeat:"


class Heart:
    """Sends the heartbeat of one part of the service, until it is stopped or its process ends."""

    def __init__(self, settings: Settings, part: str) -> None:
        self._client = broker.client(settings.broker)
        self._key = f"{_PREFIX}{part}:{platform.node()}:{os.getpid()}"
        self._stopped = threading.Event()

    def beat(self) -> bool:
        """Sends one heartbeat; False if the broker did not take it."""
        try:
            self._client.set(self._key, datetime.now(UTC).isoformat(), ex=LIFE_SECONDS)
        except (redis.RedisError, OSError):
            return False
        return True

    def start(self) -> None:
        """Starts sending heartbeats, in its own thread."""
        threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def stop(self) -> None:
        """Removes the heartbeat, so that nobody waits for it to expire."""
        self._stopped.set()
        try:
            self._client.delete(self._key)
        except (redis.RedisError, OSError):
            return

    def _run(self) -> None:
        while not self._stopped.is_set():
            self.beat()
            self._stopped.wait(BEAT_SECONDS)


def hearts(settings: Settings) -> dict[str, list[str]]:
    """The live heartbeats, by part: ``{"worker": ["host:pid"], "beat": [...]}``.

    Raises redis.RedisError or OSError if the broker does not answer.
    """
    found: dict[str, list[str]] = {"worker": [], "beat": []}
    with broker.client(settings.broker) as client:
        for key in client.scan_iter(match=f"{_PREFIX}*", count=1000):
            part, _, who = str(key).removeprefix(_PREFIX).partition(":")
            found.setdefault(part, []).append(who)
    return found


def readiness(settings: Settings) -> dict[str, Any]:
    """What ``/readyz`` answers: ``ready``, and for each part whether it is ``up`` and why not.

    The web is up if this is requested through it. No address or password is shown.
    """
    parts: dict[str, dict[str, Any]] = {"web": {"up": True}}
    parts["database"] = _database(settings)
    beating: dict[str, list[str]] = {}
    try:
        broker.check(settings)
        beating = hearts(settings)
        parts["broker"] = {"up": True}
    except broker.Unusable as error:
        parts["broker"] = {"up": False, "why": f"The broker {error.found}"}
    except (redis.RedisError, OSError):
        parts["broker"] = {"up": False, "why": "The broker does not answer."}
    for part in ("worker", "beat"):
        who = beating.get(part, [])
        parts[part] = {"up": bool(who), "count": len(who)}
        if not who:
            up = parts["broker"]["up"]
            parts[part]["why"] = (
                f"No {part} shows a heartbeat." if up else "Not known while the broker is away."
            )
    return {"ready": all(part["up"] for part in parts.values()), "parts": parts}


def _database(settings: Settings) -> dict[str, Any]:
    # a connection of its own: whoever asks does not wait as long as a page does
    with closing(Database(settings.database_url, PROBE_SECONDS)) as database:
        try:
            fitness.check_tables(database)
            fitness.check_writable(database)
            fitness.check_keys(settings, database)
        except fitness.NotFit as error:
            return {"up": False, "why": str(error)}
    return {"up": True}
