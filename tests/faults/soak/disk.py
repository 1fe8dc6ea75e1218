"""A small disk of the soak's own, which can be full for a while."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

#: From sched.h: a namespace of mounts.
_CLONE_NEWNS = 0x20000
MEGABYTES = 1024


class NoDiskError(Exception):
    """It cannot be mounted here; the sentence says why."""


class SmallDisk:
    """A file system in memory, seen by this process and its children alone.

    It goes away with them, however they end.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"
        if os.geteuid() != 0:
            raise NoDiskError("only root can mount a disk")
        if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNS) != 0:
            raise NoDiskError(f"no mounts of its own: {os.strerror(ctypes.get_errno())}")
        # what is mounted here stays here
        _run("mount", "--make-rprivate", "/")
        _run("mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,mode=755", "soak", str(folder))

    def fill(self) -> None:
        """Leaves no room at all."""
        with self._ballast.open("wb") as file:
            size = 1 << 28
            while size >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), file.tell(), size)
                    file.seek(size, os.SEEK_CUR)
                except OSError:
                    size //= 2

    def leave(self, room: int) -> None:
        """Leaves so many bytes of a disk that was filled."""
        os.truncate(self._ballast, self._ballast.stat().st_size - room)

    def remove(self) -> None:
        _run("umount", "--lazy", str(self.folder))

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoDiskError(str(error)) from None
    if done.returncode != 0:
        raise NoDiskError(done.stderr.strip())
