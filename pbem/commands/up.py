"""``pbem up``: runs the whole service on this machine, with nothing set up before.

What its parts are made of is imported here, once, and they are forked from this process
(docs/decisions/memory.md). The environment must be set before that: some of it is read on import.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click
import redis

from pbem.commands import (
    NotWell,
    WrongUse,
    config_option,
    home_option,
    print_json,
    settings_file,
)
from pbem.config import Settings, load_settings, reachable
from pbem.running import broker, die_with_parent, forked
from pbem.running.supervisor import Home, Part, Supervisor, stop_signals
from pbem.running.web_process import environment, web_answers, web_command

#: What more than one part needs, or more than one process of a part.
SHARED = (
    *("workers.tasks", "workers.schedule", "pbem.web.app"),
    *("celery.bin.celery", "celery.apps.beat", "celery.apps.worker", "celery.concurrency.prefork"),
    *("celery.worker.components", "celery.worker.consumer.consumer", "celery.worker.loops"),
    *("billiard.popen_fork", "billiard.synchronize", "kombu.transport.redis", "cffi.cparser"),
    *("gunicorn.app.wsgiapp", "pbem.running.web_worker"),
    *("PIL.JpegImagePlugin", "PIL.PngImagePlugin"),
)

#: A file system in memory, on Linux.
MEMORY = Path("/dev/shm")  # noqa: S108 - with names that nobody can guess


@click.command()
@home_option
@click.option("--host", help="Where the web listens (127.0.0.1).")
@click.option("--port", type=int, help="The web's port (8000).")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Say that everything is up in JSON.")
def command(
    home: str | None, host: str | None, port: int | None, config: str | None, as_json: bool
) -> None:
    """Run the whole service until Ctrl-C: web, worker, beat, and a broker if none is configured."""
    settings = load_settings(config, home=home, host=host, port=port)
    lock = Home(settings.home)
    try:
        lock.take()
        check_port(settings.host, settings.port)
        check_door(settings)
        with stop_signals(_end), metrics_folder(settings) as metrics:
            os.environ.update(environment(settings, settings_file()))
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics)
            demo_link = prepare(settings)
            share()
            log = settings.home / "log"
            supervisor = Supervisor(parts(settings), lock, log, say=click.echo)
            supervisor.run(lambda: announce(settings, demo_link, as_json))
    finally:
        lock.release()


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """Told to end before the supervisor hears it: nothing was started."""
    raise SystemExit


@contextmanager
def metrics_folder(settings: Settings) -> Iterator[Path]:
    """An empty folder for what all processes count, in memory if possible; removed afterwards.

    They map its files: on a full disk, counting would end a process by SIGBUS.
    """
    where = MEMORY if os.access(MEMORY, os.W_OK) else settings.home
    home = hashlib.sha256(os.fsencode(settings.home)).hexdigest()[:16]
    prefix = f"pbem-metrics-{home}-"
    for left in where.glob(f"{prefix}*"):
        # by a service that was killed
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=where))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_door(settings: Settings) -> None:
    """Raises NotWell or WrongUse if the door for letters could not listen at its port."""
    incoming = settings.incoming
    if incoming.lmtp_port == settings.port:
        raise WrongUse(f"incoming.lmtp_port is {settings.port}, the port of the web: take another.")
    if incoming.lmtp_port:
        check_port(incoming.lmtp_host, incoming.lmtp_port, "PBEM_INCOMING_LMTP_PORT")


def check_port(host: str, port: int, variable: str = "PBEM_PORT") -> None:
    """Raises NotWell if the port is taken.

    The web's own processes share the port, so without this check a second service would share it
    too, and take half of the first one's requests.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = addresses[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        raise WrongUse(f"This machine does not know the host {host}.") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise NotWell(
                f"Port {port} on {host} is taken. Stop what uses it, or take another: "
                f"{variable}={port + 1 if port < 65535 else port - 1}"
            ) from None
        raise NotWell(f"Port {port} on {host} cannot be used: {error.strerror}.") from None


def prepare(settings: Settings) -> str | None:
    """Tables, keys, folders and the match of the trial, before anything starts.

    Returns the link of an open turn in that match; None without a mailbox to read its mails in.
    """
    from pbem import fitness
    from pbem.acts import demo
    from pbem.service import open_service

    if not settings.embedded_broker:
        # the workers would try for a minute to reach it, and then be blamed
        broker.check(settings)
    fitness.migrate(settings)
    service = open_service(settings)
    try:
        link = demo.seed(service) if settings.mailbox else None
    finally:
        # a connection must not be used by two processes
        service.database.close()
    if settings.embedded_broker:
        settings.broker_socket.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (settings.home / "broker").mkdir(exist_ok=True, mode=0o700)
    return link


def share() -> None:
    """Imports what the parts need, so that it is in memory once for all of them."""
    if die_with_parent.BECOMES:
        forked.give_back()
        for name in SHARED:
            import_module(name)
        forked.keep_shared()
        forked.fill_holes()


def parts(settings: Settings) -> list[Part]:
    """The parts in the order in which they start; they stop in the reverse order."""
    from pbem.running.doorbell import QUEUES

    found = []
    if settings.embedded_broker:
        found.append(
            Part(
                "broker",
                broker.server_command(
                    broker.find_server(), settings.home / "broker", settings.broker_socket
                ),
                lambda: broker.answers(settings.broker),
                awaited=True,
            )
        )
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "--quiet", "--app", "workers.app"]
    level = f"--loglevel={settings.log.level}"
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    worker = [*celery, "worker", level, *alone, "--queues"]
    moves, *rest = QUEUES
    # a worker gets longer to stop than its longest mail takes
    found += [
        Part(
            "moves",
            [*worker, moves, "--concurrency=1", "--hostname=moves@%h"],
            lambda: _beats(settings, "moves"),
            stop_seconds=30,
        ),
        Part(
            "worker",
            [*worker, ",".join(rest)],
            lambda: _beats(settings, "worker"),
            stop_seconds=30,
        ),
        Part("web", web_command(settings), lambda: web_answers(settings)),
        *_door(settings, [*python, "pbem", "lmtp"]),
        Part(
            "beat",
            [*celery, "beat", level, "--pidfile="],
            lambda: _beats(settings, "beat"),
        ),
    ]
    return found


def _door(settings: Settings, command: list[str]) -> Iterator[Part]:
    """The door for letters, if it has a port. It stops before the web and the worker."""
    from pbem.mail.doors.lmtp import CLOSING_SECONDS

    if settings.incoming.lmtp_port:
        # longer than the door itself waits for letters that are being read
        yield Part(
            "lmtp",
            command,
            lambda: door_greets(settings),
            stop_seconds=CLOSING_SECONDS + 5,
        )


def door_greets(settings: Settings) -> bool:
    """Whether the door for letters greets a connection."""
    incoming = settings.incoming
    try:
        with socket.create_connection((reachable(incoming.lmtp_host), incoming.lmtp_port), 5) as s:
            return s.recv(4) == b"220 "
    except OSError:
        return False


def _beats(settings: Settings, part: str) -> bool:
    from pbem.running import heartbeats

    try:
        return bool(heartbeats.hearts(settings).get(part))
    except (redis.RedisError, OSError):
        return False


def announce(settings: Settings, demo_link: str | None, as_json: bool) -> None:
    """Prints the addresses and the first link, once everything answers."""
    told: dict[str, str | None] = {"address": settings.base_url}
    if settings.mailbox:
        told["mailbox"] = f"{settings.base_url}/dev/mail"
        told["demo"] = demo_link
    if as_json:
        print_json(told)
        return
    # not by rich, whose 4 MB would stay with a process that says nothing more
    click.echo(f"\n{click.style('pbem is up:', bold=True)} {told['address']}")
    if settings.mailbox:
        click.echo(f"  every mail it would have sent:  {told['mailbox']}")
        if told["demo"]:
            click.echo(f"  your turn against three bots:   {told['demo']}")
    click.echo(f"  its logs:                       {settings.home / 'log'}")
    click.echo("  Ctrl-C stops it.\n")
