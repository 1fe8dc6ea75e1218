"""A chain of the public beacon's scheme on this machine, with a key of its own.

Its rounds have real signatures and come over a real socket.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from pbem.beacon import Chain
from pbem.config.sections import BeaconRounds
from tests.parts.cast import House
from tests.parts.listening import listening

GENESIS = 1_700_000_000
PERIOD = 3
DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"


def signed(secret: int, number: int) -> str:
    """The signature of a round by this secret key, in hexadecimal."""
    said = hashlib.sha256(number.to_bytes(8, "big")).digest()
    point = G1Point.hash_to_curve(said, DOMAIN) * Scalar(secret)
    return bytes(point.to_compressed_bytes()).hex()


def chain_of(secret: int) -> Chain:
    key = G2Point() * Scalar(secret)
    return Chain(bytes(key.to_compressed_bytes()).hex(), PERIOD, GENESIS)


@dataclass
class LocalBeacon:
    """The chain and its server. ``says`` is what it answers instead of the truth."""

    secret: int = 0xBEAC04
    url: str = ""
    asked: list[str] = field(default_factory=list)
    #: The whole answer as bytes, a false secret key, or None.
    says: bytes | int | None = None
    #: What it says before its answer.
    before: bytes = b""
    status: int = 200

    @property
    def chain(self) -> Chain:
        return chain_of(self.secret)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a service that uses this chain."""
        return {"enabled": True, "urls": (self.url,), **_plain(self.chain), "timeout_seconds": 30}

    def answer(self, number: int) -> bytes:
        if isinstance(self.says, bytes):
            return self.says
        signature = signed(self.secret if self.says is None else self.says, number)
        randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
        told = {"round": number, "randomness": randomness, "signature": signature}
        return json.dumps(told).encode()


def _plain(chain: Chain) -> dict[str, Any]:
    return {"public_key": chain.public_key, "period": chain.period, "genesis": chain.genesis}


def with_beacon(house: House, chain: LocalBeacon, **more: Any) -> House:
    """The house with settings that use this chain."""
    rounds = BeaconRounds(**{**chain.settings, **more})
    settings = house.service.settings.model_copy(update={"beacon": rounds})
    return dataclasses.replace(house, service=dataclasses.replace(house.service, settings=settings))


@contextmanager
def local_beacon() -> Iterator[LocalBeacon]:
    """Serves the chain on a port of the loopback until the end of the block."""
    beacon = LocalBeacon()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            beacon.asked.append(self.path)
            answer = beacon.before + beacon.answer(int(self.path.rpartition("/")[2]))
            self.send_response(beacon.status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    beacon.url = f"http://127.0.0.1:{server.server_port}/chain"
    with listening(server):
        yield beacon
