"""The service as it runs, its web alone, and a broker, each as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pbem.config import Settings, variable
from pbem.config.sections import Section
from pbem.running import broker
from pbem.running.web_process import environment, web_answers, web_command

#: Seconds within which a server must answer.
PATIENCE = 60


@dataclass(frozen=True)
class Server:
    """Where it listens, and the id of its first process."""

    port: int
    process: int


@contextmanager
def up(settings: Settings) -> Iterator[Server]:
    """The whole service, as ``pbem up`` runs it."""
    given = environment(settings) | _variables(settings)
    # what it announces comes when all its parts are there
    command = [sys.executable, "-m", "pbem", "up", "--json"]
    with _program("up", command, given, settings, lambda said: "address" in said) as process:
        yield Server(settings.port, process)


@contextmanager
def web(settings: Settings, application: str = "pbem:create_app()") -> Iterator[Server]:
    """An application under gunicorn, with the service's settings."""
    given = environment(settings) | _variables(settings)
    given["PROMETHEUS_MULTIPROC_DIR"] = str(settings.home)
    command = web_command(settings, application)
    with _program("web", command, given, settings, lambda _: web_answers(settings)) as process:
        yield Server(settings.port, process)


@contextmanager
def bells(settings: Settings) -> Iterator[None]:
    """A broker for the web to ring at, without a worker that hears it."""
    settings.broker_socket.parent.mkdir(parents=True, exist_ok=True)
    command = broker.server_command(broker.find_server(), settings.home, settings.broker_socket)
    with _program("broker", command, {}, settings, lambda _: broker.answers(settings.broker)):
        yield


def _variables(settings: Settings) -> dict[str, str]:
    """The environment for what was set."""
    found = {}
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if isinstance(value, Section):
            for inner in value.model_fields_set:
                found[variable(f"{name}.{inner}")] = str(getattr(value, inner))
        else:
            found[variable(name)] = str(value)
    return found


@contextmanager
def _program(
    name: str,
    command: list[str],
    given: Mapping[str, str],
    settings: Settings,
    answers: Callable[[str], bool],
) -> Iterator[int]:
    """A server that runs until the block ends; its output goes to a file in its home.

    ``answers`` says, by what it has said so far, whether it is ready.
    """
    file = settings.home / f"{name}.log"
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    with file.open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own commands
            command, cwd=settings.home, env={**ours, **given}, stdout=log, stderr=log
        )
    try:
        until = time.monotonic() + PATIENCE
        while not answers(file.read_text(errors="replace")):
            if process.poll() is not None or time.monotonic() > until:
                raise OSError(f"A server does not run: {file.read_text()[-2000:]}")
            time.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        process.wait()
