"""What a process does not use it does not import: that costs time at each start, and memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

#: Libraries that take tens of milliseconds or megabytes each.
HEAVY = set(
    "aiosmtpd alembic asyncio babel celery css_inline flask gunicorn jinja2 kombu numpy PIL "
    "prometheus_client psycopg pydantic redis resvg rich shapely sqlalchemy sqlmodel "
    "werkzeug".split()
)
#: What a process begins with, and the heavy libraries that it needs.
LIGHT = {
    "from pbem.cli import root; root(['--help'], standalone_mode=False)": "",
    "import pbem.commands.games": "",
    "import pbem.commands.hash_password": "",
    "import pbem.commands.new_game": "",
    "import pbem.commands.simulate": "rich",
    # where processes count together is read from the environment when prometheus_client is imported
    "import pbem.commands.up": "asyncio pydantic redis sqlalchemy",
    "import pbem.mail.letter_parser": "",
}


@pytest.mark.parametrize("beginning", LIGHT)
def test_a_process_imports_no_heavy_library_that_it_does_not_need(beginning: str) -> None:
    script = f"{beginning}\nimport sys; print('imported', *sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )

    imported = done.stdout.splitlines()[-1].split()
    assert imported[0] == "imported"
    assert HEAVY & set(imported) == set(LIGHT[beginning].split())


def test_the_heavy_libraries_are_those_of_the_service() -> None:
    """A misspelt name would be found in no process."""
    script = "import pbem.web.app, workers.tasks, pbem.commands.doctor, pbem.mail.doors.lmtp, sys; "
    needed = "import numpy, shapely, resvg, PIL, psycopg, alembic, rich, gunicorn, css_inline; "

    done = subprocess.run(
        [sys.executable, "-c", f"{script}{needed}print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert HEAVY - set(done.stdout.split()) == set()
