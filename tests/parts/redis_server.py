"""A Redis or Valkey of the tests' own, which they may kill and start again."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from pbem.running import broker
from tests.parts.network import Host
from tests.parts.processes import start, stop, wait_until


class RedisServer:
    """Started with the same command as the embedded broker, on a socket in a folder of its own.

    With ``on`` it is on a host of a network, and listens there, too: at ``tcp_url``.
    """

    def __init__(self, on: Host | None = None) -> None:
        self._host = on
        self.tcp_url = f"redis://{on.address}:6379/0" if on else ""
        # a short path: the one of a socket may have about 100 bytes
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-redis-"))
        self.socket = self.folder / "r.sock"
        self.url = f"redis+socket://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = broker.server_command(broker.find_server(), self.folder, self.socket)
        if self._host is not None:
            command += ["--port", "6379", "--bind", self._host.address, "--protected-mode", "no"]
            command = self._host.command(*command)
        self._process = start(command, self.folder / "log")
        wait_until(lambda: broker.answers(self.url), "Redis does not answer")

    def kill(self) -> None:
        """As a crash would: nothing is saved, the socket stays."""
        if self._process is not None:
            stop(self._process, signal.SIGKILL)

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process)

    def flush(self) -> None:
        with broker.client(self.url) as client:
            client.flushall()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
