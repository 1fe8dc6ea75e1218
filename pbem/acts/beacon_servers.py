"""Asks the servers of the public beacon for a round, within bounds.

The operator names them in the settings; nothing else does. What one says is checked by its
signature, so the servers need no trust.
"""

from __future__ import annotations

import http.client
import io
import ssl
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec

from engine.codec import decode
from pbem import beacon, journal
from pbem.beacon import Beacon
from pbem.config.sections import BeaconRounds
from pbem.journal import Line
from pbem.timed import Timed

#: So many bytes of a server's answer are read. A round has about 250.
MAX_BYTES = 4096


class _Answer(msgspec.Struct, frozen=True):
    """What a server says of a round; other fields are left out."""

    round: int
    signature: str


@dataclass
class Servers:
    """The servers of the beacon in one pass, with what was fetched and which did not answer."""

    settings: BeaconRounds
    known: dict[tuple[beacon.Chain, int], str] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)

    def fetch(self, drawn: Beacon) -> str:
        """The signature of the round that a match waits for; "" if no server gives a right one."""
        assert drawn.chain is not None
        wanted = drawn.chain, drawn.round
        for url in self.settings.urls:
            if wanted in self.known:
                break
            if url in self.silent:
                continue
            try:
                answer = _ask(f"{url}/public/{drawn.round}", self.settings.timeout_seconds)
            except Exception as error:
                # whatever it is, the next server may have the round
                self.silent.add(url)
                journal.write(Line.BEACON_SILENT, server=url, error=str(error) or repr(error))
                continue
            if answer.round == drawn.round and beacon.is_signed(
                drawn.chain, drawn.round, answer.signature
            ):
                self.known[wanted] = answer.signature
            else:
                self.silent.add(url)
                journal.write(Line.BEACON_FALSE, server=url, round=drawn.round)
        return self.known.get(wanted, "")


class _UselessError(Exception):
    """A server answered, but not with a round."""


def _ask(url: str, seconds: float) -> _Answer:
    """Asks a server for a round, within these seconds."""
    until = time.monotonic() + seconds
    parts = urlsplit(url)
    assert parts.hostname is not None  # the settings refuse an address without one
    there: http.client.HTTPConnection
    if parts.scheme == "https":
        there = http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=seconds, context=ssl.create_default_context()
        )
    else:
        there = http.client.HTTPConnection(parts.hostname, parts.port, timeout=seconds)
    try:
        there.request("GET", parts.path, headers={"Accept": "application/json"})
        answer = http.client.HTTPResponse(there.sock)
        # a server that sends a byte at a time must not keep the others waiting
        answer.fp = io.BufferedReader(Timed(there.sock, until))
        answer.begin()
        if answer.status != 200:
            raise _UselessError(f"status {answer.status}")
        data = answer.read(MAX_BYTES)
    finally:
        there.close()
    try:
        return decode(_Answer, data)
    except (msgspec.DecodeError, RecursionError):
        raise _UselessError("the answer is not a round") from None
