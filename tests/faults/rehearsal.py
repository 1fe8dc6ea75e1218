"""A few acts, done when this is imported: ahead of the forks, by the server that they come from.

Each process that is killed would compile its templates, routes and statements anew. That took it
longer than its act.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from pbem.running.forked import fill_holes, keep_shared
from pbem.store import db
from tests.faults.acts import ACTS, Place
from tests.parts import once
from tests.web.conftest import web_service
from tests.web.house import WebHouse

#: Between them they go through most doors, and make and send mails.
REHEARSED = ("hand in", "join", "answer by mail", "time out", "settings", "bounce")


def rehearse() -> None:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty")
        db.upgrade(f"sqlite:///{empty}")
        for name in REHEARSED:
            file = shutil.copy(empty, Path(folder, name))
            service = web_service(Path(folder), f"sqlite:///{file}")
            given = ACTS[name].prepare(WebHouse(service))
            ACTS[name].do(Place(service, lambda _: None), given)
            # a connection must not be used by two processes
            service.database.close()


for make in (once.compile_statements, once.compile_routes, once.draw):
    # for as long as the server lives
    make(pytest.MonkeyPatch())
rehearse()
# each fork's collector would look at all of that, and so copy it
keep_shared()
fill_holes()
