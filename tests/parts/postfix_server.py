"""A Postfix of the tests' own: its configuration, queue and log in one folder, on the loopback.

It is the mail server of ``example.org``, where people have mailboxes, and the relay of a service;
what it does besides is said in the lines of ``main.cf`` that a test adds.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

from tests.parts.ports import free_port
from tests.parts.processes import start, stop, wait_until

#: Where Debian and most others put what is not on everybody's path.
_PLACES = ("/usr/sbin", "/usr/local/sbin", "/sbin")

#: No machine can do better for somebody else.
ONLY_ROOT = "only root can start it"

#: What it is for this machine: of the loopback, quick to try again, without a look at the DNS.
_OF_TESTS = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
myhostname = mail.example.org
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_peername_lookup = no
smtp_dns_support_level = disabled
lmtp_dns_support_level = disabled
alias_maps =
alias_database =
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 2s
smtpd_error_sleep_time = 0s
in_flow_delay = 0s
virtual_mailbox_domains = example.org
virtual_mailbox_base = {folder}/boxes
virtual_mailbox_maps = inline:{{ {boxes} }}
virtual_minimum_uid = 1
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
"""

_SERVICES = """
127.0.0.1:{port} inet n - n - - smtpd
pickup    unix n - n 60 1 pickup
cleanup   unix n - n - 0 cleanup
qmgr      unix n - n 300 1 qmgr
rewrite   unix - - n - - trivial-rewrite
bounce    unix - - n - 0 bounce
defer     unix - - n - 0 bounce
trace     unix - - n - 0 bounce
verify    unix - - n - 1 verify
flush     unix n - n 1000? 0 flush
proxymap  unix - - n - - proxymap
smtp      unix - - n - - smtp
relay     unix - - n - - smtp
error     unix - - n - - error
retry     unix - - n - - error
discard   unix - - n - - discard
virtual   unix - n n - - virtual
lmtp      unix - - n - - lmtp
anvil     unix - - n - 1 anvil
scache    unix - - n - 1 scache
postlog   unix-dgram n - n - 1 postlogd
"""


def why_not() -> str:
    """Why there can be no Postfix here; "" where there can be one."""
    if _program("postfix") is None:
        return "Postfix: not on this machine (Debian: apt install postfix)"
    if os.geteuid() != 0:
        return f"Postfix: {ONLY_ROOT}"
    return ""


def _program(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *_PLACES]))


class Postfix:
    """A Postfix that runs until ``remove``.

    ``settings`` are lines of main.cf as an operator writes them; in them ``{folder}`` is where its
    other ``files`` stand.
    """

    def __init__(self, people: Sequence[str], settings: str, **files: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-postfix-"))
        # its parts run as users of their own and must reach what is theirs
        self.folder.chmod(0o755)
        self.port = free_port()
        self._configure(people, settings, files)
        etc, told = str(self.folder / "etc"), self.folder / "started"
        # makes the queue's folders; without -d the master would leave this process behind
        assert start([str(_program("postfix")), "-c", etc, "check"], told).wait(30) == 0, (
            self.told()
        )
        asked = [str(_program("postconf")), "-c", etc, "-h", "daemon_directory"]
        place = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
        self._process = start([f"{place}/master", "-c", etc, "-d"], told)
        try:
            wait_until(self._answers, "Postfix does not answer", 30)
        except AssertionError:
            self.remove()
            raise

    def _configure(self, people: Sequence[str], settings: str, files: dict[str, str]) -> None:
        nobody = pwd.getpwnam("nobody")
        for name in ("etc", "queue", "data", "boxes"):
            (self.folder / name).mkdir()
        shutil.chown(self.folder / "data", "postfix")
        shutil.chown(self.folder / "boxes", nobody.pw_uid, nobody.pw_gid)
        boxes = ", ".join(f"{name}@example.org={name}/" for name in people)
        own = _OF_TESTS.format(
            folder=self.folder, boxes=boxes, uid=nobody.pw_uid, gid=nobody.pw_gid
        )
        settings = settings.replace("{folder}", str(self.folder / "etc"))
        # what stands below wins, and Postfix is not asked to warn of it
        lines = {line.partition(" =")[0]: line for line in f"{own}{settings}".splitlines() if line}
        files = {
            **files,
            "main.cf": "\n".join([*lines.values(), ""]),
            "master.cf": _SERVICES.format(port=self.port),
        }
        for name, text in files.items():
            (self.folder / "etc" / name).write_text(text.lstrip())

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.told()
        try:
            with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
                return connection.recv(200).startswith(b"220 ")
        except OSError:
            return False

    def told(self) -> str:
        """What it logged."""
        files = [self.folder / "started", self.folder / "log"]
        return "".join(file.read_text() for file in files if file.exists())

    def box(self, name: str) -> list[EmailMessage]:
        """The mails in somebody's mailbox, as Postfix wrote them, oldest first."""
        found = sorted(
            (self.folder / "boxes" / name / "new").glob("*"), key=lambda file: file.stat().st_mtime
        )
        return [message_from_bytes(file.read_bytes(), policy=default) for file in found]

    def waiting(self) -> int:
        """Mails in its queue, whatever for."""
        places = ("maildrop", "incoming", "active", "deferred", "hold")
        queue = self.folder / "queue"
        return sum(file.is_file() for place in places for file in (queue / place).rglob("*"))

    def again(self) -> None:
        """Tries at once what is put off."""
        subprocess.run(
            [str(_program("postqueue")), "-c", str(self.folder / "etc"), "-f"],
            check=True,
            capture_output=True,
        )

    def remove(self) -> None:
        stop(self._process)
        shutil.rmtree(self.folder, ignore_errors=True)
