"""``pbem standings recompute``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlmodel import update

from pbem.people import persons
from pbem.store.models import Standing, StandingMatch, StandingPool, StandingResult
from tests.parts.cast import KEYS, NAMES, House, address
from tests.running.test_cli import run


@pytest.fixture
def rated_house(house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> House:
    """A match of Dog for two that is entered, and not rated yet."""
    monkeypatch.setenv("PBEM_DATABASE_URL", house.service.settings.database_url)
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    secrets = house.service.settings.secrets_file
    secrets.write_text(f'keys = ["{KEYS.main[0].hex()}"]')
    secrets.chmod(0o600)
    match = house.open()
    with house.service.database.write("test") as session:
        people = [persons.known(session, address(name), house.clock.now()) for name in NAMES[:2]]
        session.add(StandingPool(game="dog", seats=4))
        row = StandingMatch(match_id=match.id, game="dog", seats=4, ended_at=house.clock.now())
        session.add(row)
        session.flush()
        for seat, person in enumerate(people):
            result = StandingResult(
                match_id=match.id, seat=seat, person_id=person.id, team=seat, rank=1 + seat
            )
            session.add(result)
    return house


def test_the_command_says_whether_a_number_changed(
    rated_house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(capsys, "standings", "recompute")
    again = run(capsys, "standings", "recompute", "dog", "--json")
    with rated_house.service.database.write("test") as session:
        session.execute(update(Standing).values(mu=1))
    mended = run(capsys, "standings", "recompute", "--json")
    unknown = run(capsys, "standings", "recompute", "chess")

    assert first[0] == 0
    assert "dog, 4 seats: 1 matches, 2 people" in first[1]
    assert "No number changed." in first[1]
    assert (again[0], json.loads(again[1])["changed"]) == (0, 0)
    assert (mended[0], json.loads(mended[1])["changed"]) == (1, 2)
    assert (unknown[0], unknown[1]) == (2, "")
