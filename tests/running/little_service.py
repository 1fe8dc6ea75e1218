"""A service of two small parts, to try the supervisor with: ``little_service.py HOME [ending]``.

Each part writes its name and process number into HOME/told when it starts and when it is told to
end, and has a child of its own, as gunicorn and Celery have.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from pbem.running.supervisor import Home, HomeInUseError, Part, StartError, Supervisor

PART = """
import os, signal, subprocess, sys, time
name, told = sys.argv[1], sys.argv[2]
def tell(what, number):
    with open(told, "a") as file:
        file.write(f"{what} {name} {number}\\n")
def end(*_):
    tell("ends", os.getpid())
    os._exit(0)
signal.signal(signal.SIGTERM, end)
if name == "ending":
    print("I cannot find my table")
    sys.exit(3)
# told who its parent is: by the time it could ask, the parent may be dead and another's
child = subprocess.Popen([sys.executable, "-c",
    f"import os, time\\nwhile os.getppid() == {os.getpid()}: time.sleep(0.05)"])
tell("child", child.pid)
tell("starts", os.getpid())
while True:
    time.sleep(0.05)
"""


def main() -> int:
    home = Path(sys.argv[1])
    told = home / "told"
    names = ["first", "second", *sys.argv[2:]]

    def started(name: str) -> bool:
        return told.exists() and f"starts {name} " in told.read_text()

    parts = [
        Part(
            name,
            [sys.executable, "-c", PART, name, str(told)],
            partial(started, name),
            awaited=name == "first",
            stop_seconds=60,
        )
        for name in names
    ]
    lock = Home(home)
    try:
        lock.take()
        Supervisor(parts, lock, home / "log", lambda text: print(text, flush=True)).run(
            lambda: print("all up", flush=True)
        )
    except (HomeInUseError, StartError) as error:
        print(error, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
