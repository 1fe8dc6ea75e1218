"""Bytes with their length before them, for a socket on which several go one after another."""

from __future__ import annotations

import socket
import struct

_LENGTH = struct.Struct("!I")


def send(door: socket.socket, content: bytes) -> None:
    """Raises OSError if nobody listens, TimeoutError as the socket is set."""
    door.sendall(_LENGTH.pack(len(content)) + content)


def receive(door: socket.socket) -> bytes:
    """Raises EOFError if the other side is gone, OSError and TimeoutError as the socket does."""
    (length,) = _LENGTH.unpack(_exactly(door, _LENGTH.size))
    return _exactly(door, length)


def _exactly(door: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        more = door.recv(min(length - len(found), 65536))
        if not more:
            raise EOFError
        found += more
    return bytes(found)
