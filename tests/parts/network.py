"""A network of hosts on one machine: network namespaces behind one bridge. Linux, root.

Each host has an address, and can be cut off: its cable is pulled, so what it sends is lost, and
nobody tells it so.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from dataclasses import dataclass

from tests.parts.postfix_server import ONLY_ROOT


def why_not() -> str | None:
    """Why this machine can have no such network; None if it can."""
    if not sys.platform.startswith("linux") or shutil.which("ip") is None:
        return "network namespaces: Linux, and its program `ip`, are needed"
    if os.geteuid() != 0:
        return f"network namespaces: {ONLY_ROOT}"
    name = f"pbem-{secrets.token_hex(3)}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return f"network namespaces, refused to this root: {ONLY_ROOT}"
    _ip("netns", "del", name)
    return None


@dataclass(frozen=True)
class Host:
    """A machine of the network."""

    address: str
    namespace: str
    #: The bridge's end of its cable.
    port: str

    def command(self, *words: str, user: str | None = None) -> list[str]:
        """The command that runs this command on the host, as root or as another user."""
        who = ["setpriv", f"--reuid={user}", f"--regid={_group(user)}", "--clear-groups"]
        return ["ip", "netns", "exec", self.namespace, *(who if user else []), *words]

    def cut_off(self) -> None:
        _ip("link", "set", self.port, "down")

    def join(self) -> None:
        _ip("link", "set", self.port, "up")


class Network:
    """A bridge; ``address`` is where the tests themselves are."""

    def __init__(self) -> None:
        self._name = f"pb{secrets.token_hex(3)}"
        # 198.18.0.0/15 is kept for tests of networks (RFC 2544)
        self._prefix = f"198.18.{secrets.randbelow(256)}"
        self.address = f"{self._prefix}.1"
        self._hosts: list[Host] = []
        _ip("link", "add", self._name, "type", "bridge")
        _ip("address", "add", f"{self.address}/24", "dev", self._name)
        _ip("link", "set", self._name, "up")

    def host(self) -> Host:
        """One more machine, connected."""
        number = len(self._hosts) + 1
        namespace = f"{self._name}-{number}"
        host = Host(f"{self._prefix}.{10 + number}", namespace, f"{self._name}p{number}")
        self._hosts.append(host)
        _ip("netns", "add", namespace)
        _ip("link", "add", host.port, "type", "veth", "peer", "eth0", "netns", namespace)
        _ip("link", "set", host.port, "master", self._name, "up")
        for words in (
            ("address", "add", f"{host.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
            ("link", "set", "lo", "up"),
        ):
            _ip("-n", namespace, *words)
        return host

    def remove(self) -> None:
        for host in self._hosts:
            # a namespace lives on while what was sent is not acknowledged; its cable need not
            _ip("link", "del", host.port)
            _ip("netns", "del", host.namespace)
        _ip("link", "del", self._name)


def _group(user: str | None) -> str:
    return subprocess.run(
        ["id", "-gn", user or "root"], capture_output=True, text=True, check=True
    ).stdout.strip()


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
