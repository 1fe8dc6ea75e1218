"""The mails of a skirmish are as the golden ones, and say what a player needs and may know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mail.golden import LANGUAGES, answer, shown
from tests.mail.office import Office, office_service, parsed, text_of
from tests.mail.skirmish_mails import GOLDEN, NAMES, told
from tests.parts.relay import Relay
from tests.web.skirmish import stand_face_to_face, state_of


@pytest.fixture(scope="module", params=LANGUAGES)
def mails(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path
) -> Iterator[tuple[str, dict[str, bytes]]]:
    """A language, and the raw mails in it."""
    home = tmp_path_factory.mktemp("skirmish")
    copy = home / "pbem.sqlite3"
    copy.write_bytes(_sqlite_template.read_bytes())
    office = Office(office_service(home, f"sqlite:///{copy}"))
    yield request.param, told(office, request.param)
    office.service.database.close()


def test_the_mails_of_a_skirmish_are_as_the_golden_ones(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    language, raw = mails
    assert set(raw) == set(NAMES)
    for name in NAMES:
        text, html = shown(raw[name])

        assert text == (GOLDEN / language / f"{name}.txt").read_text(), name
        assert html == (GOLDEN / language / f"{name}.html").read_text(), name


def test_every_mail_says_its_own(mails: tuple[str, dict[str, bytes]]) -> None:
    _, raw = mails
    texts = [text_of(parsed(raw[name])) for name in NAMES]

    assert len(set(texts)) == len(NAMES)
    assert not [text for text in texts if "Sentence(" in text or "{" in text]


def test_the_example_of_an_answer_is_no_end_of_anything(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    """Who copies the example into the answer does not give the activation away."""
    _, raw = mails
    lines = text_of(parsed(raw["in_the_middle"])).splitlines()

    examples = [line.strip() for line in lines if line.startswith("  alpha")]

    assert examples
    assert not [line for line in examples if line.endswith(" end")]


def test_a_very_long_example_is_given_once(mails: tuple[str, dict[str, bytes]]) -> None:
    """Of deployments that differ in a word each, one is enough: beside the answer and below."""
    _, raw = mails

    assert text_of(parsed(raw["deployment"])).count("  deploy ") == 2


def test_a_question_mark_is_answered_with_the_way_to_an_enemy(
    office: Office, smtp_server: Relay
) -> None:
    match = office.of_game("skirmish", options={"table": "bridge", "points": 270})
    while state_of(office, match).stage != "activation":
        [seat, *_] = office.waiting(match)
        office.play(match, seat, office.good_order(match, seat), f"{office.match(match.id).ply}")
        office.work()
    [seat] = office.waiting(match)
    mine, foe = (("alpha", "bravo"), ("bravo", "alpha"))[seat]
    stand_face_to_face(office, match)
    office.play(match, seat, f"activate {mine}", "begin")
    office.post_all()

    answer(office, match, seat, "?")

    lines = text_of(parsed(smtp_server.taken[-1].content)).splitlines()
    to_him = lines.index(f"run to {foe}-1 · 6 AP:")
    assert lines[to_him + 1].startswith(f"  {mine}-1 run to ")
