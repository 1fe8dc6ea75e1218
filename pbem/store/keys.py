"""The keys that sign links: in a file of their own, made on first use, never in the database.

``secrets.toml`` holds main keys, newest first, and may hold keys for single purposes::

    keys = ["<64 hexadecimal digits>", "<an older one>"]

    [purposes]
    turn = ["<a newer key for turn links alone>"]

Each purpose ("turn", "reply", "invitation", ...) has its own key, derived from a main key by
``HMAC-SHA256(main key, "pbem key for " + purpose)``. The newest signs; all that are listed verify.
To rotate: put a new key first; take the old one out when links it signed may die.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import tomllib
from functools import cache
from pathlib import Path

import msgspec

from pbem.errors import NotInOrder

KEY_BYTES = 32


class KeysError(NotInOrder):
    """The file of keys cannot be used; the sentence says why and never shows a key."""


class Keys(msgspec.Struct, frozen=True):
    """Main keys and keys of single purposes, each list newest first."""

    main: tuple[bytes, ...]
    purposes: dict[str, tuple[bytes, ...]] = {}

    def __repr__(self) -> str:
        return f"Keys({len(self.main)} main)"

    def fingerprints(self) -> tuple[str, ...]:
        """Public fingerprints of the main keys, in their order."""
        label = b"pbem fingerprint of a key"
        return tuple(hmac.digest(key, label, "sha256").hex() for key in self.main)

    def of(self, purpose: str) -> tuple[bytes, ...]:
        """The keys of a purpose, 32 bytes each: the first signs, all verify."""
        return self.purposes.get(purpose, ()) + _derived(self.main, purpose)


@cache
def _derived(main: tuple[bytes, ...], purpose: str) -> tuple[bytes, ...]:
    """Each main key's key of a purpose; there are few purposes, and a page asks for many links."""
    label = b"pbem key for " + purpose.encode()
    return tuple(hmac.digest(key, label, "sha256") for key in main)


def load_keys(path: Path, *, make: bool = False) -> Keys:
    """The keys in this file. With ``make``, a missing file is made: one new key, mode 0600."""
    try:
        if make and not path.exists():
            _make(path)
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        raise KeysError(
            f"There are no keys in {path} yet; `pbem up` makes them. "
            "If there should be some: is the home directory right (--home, PBEM_HOME)?"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise KeysError(f"The keys in {path} cannot be read: {reason}.") from None
    try:
        return _parse(text)
    except (tomllib.TOMLDecodeError, ValueError, AttributeError, TypeError):
        raise KeysError(
            f"{path} does not hold keys: it needs a list `keys` of texts of 64 hexadecimal digits."
        ) from None


def is_private(path: Path) -> bool:
    """Whether nobody but the owner can read the file, or enter the folder."""
    return not stat.S_IMODE(path.stat().st_mode) & 0o077


def new_key() -> str:
    """A fresh key as it stands in the file."""
    return secrets.token_hex(KEY_BYTES)


def _parse(text: str) -> Keys:
    values = tomllib.loads(text)
    unknown = set(values) - {"keys", "purposes"}
    if unknown:
        raise ValueError(f"unknown: {sorted(unknown)}")
    main = _list(values["keys"]) if "keys" in values else ()
    if not main:
        raise ValueError("no key")
    purposes = {name: _list(keys) for name, keys in values.get("purposes", {}).items()}
    return Keys(main, purposes)


def _list(values: list[str]) -> tuple[bytes, ...]:
    keys = tuple(bytes.fromhex(value) for value in values)
    if any(len(key) != KEY_BYTES for key in keys):
        raise ValueError("wrong length")
    return keys


def _make(path: Path) -> None:
    """Writes a new file. Of several processes that start at once, one wins and all read its key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    text = (
        "# The keys that sign links. Whoever has them can play for anybody: keep this file secret\n"
        "# and keep a copy of it: without it every link that was mailed is dead.\n"
        f'keys = ["{new_key()}"]\n'
    )
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()
