"""The mails of a skirmish, phase by phase: a match that is the same each time, told by its mails.

``python -m tests.mail.skirmish_mails`` writes them anew into ``tests/golden/skirmish/LANGUAGE/``:
``NAME.txt`` and ``.html``. Read the difference as a player would before it is committed.
"""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

from pbem.store.models import Match
from tests.mail import golden
from tests.mail.office import Office, parsed, text_of
from tests.parts.cast import people

GOLDEN = Path(__file__).parents[1] / "golden" / "skirmish"
#: Phases of the match, with a mail that asks for each.
PHASES = ("building", "sides", "deployment", "initiative", "activation")
NAMES = (
    "invitation",
    *PHASES,
    "in_the_middle",
    "answer",
    "answer_help",
    "played_for_you",
    "over",
)


def told(office: Office, language: str) -> dict[str, bytes]:
    """The raw mails, by the names of ``NAMES``."""
    zone = "Europe/Madrid" if language == "es" else "America/New_York"
    chance = random.Random(11)
    office.service = dataclasses.replace(office.service, entropy=chance.randbytes)
    out = {"invitation": _invited(office, language, zone)}
    match = _opened(office, language, zone, confirmed=True)
    office.work()
    office.post_all()
    while (phase := str(office.match(match.id).phase)) in PHASES:
        # whoever hands in last may be asked again at once, without a mail: that is not who chooses
        # the side, nor who is asked last of what comes after it
        seat = office.waiting(match)[0 if phase == "building" else -1]
        if phase not in out:
            out[phase] = _newest(office, "your_turn", seat)
            order = _choice(office, match, seat, phase).split()[0]
            assert f"\n  {order} " in text_of(parsed(out[phase])), f"it does not ask about {phase}"
        if phase == "activation":
            break
        office.play(match, seat, _choice(office, match, seat, phase), f"{phase} {seat}")
        office.work()
        office.post_all()
    _answers(office, match, seat, out)
    _silence(office, match, seat, out)
    office.play_on(match)
    office.post_all()
    out["over"] = _newest(office, "match_over", 0)
    return out


def _opened(office: Office, language: str, zone: str, confirmed: bool) -> Match:
    return office.open(
        game="skirmish",
        seats=people(2),
        options={"turn_limit": 2, "points": 270, "scenario": "night-raid", "night": False},
        language=language,
        zone=zone,
        confirmed=confirmed,
    )


def _invited(office: Office, language: str, zone: str) -> bytes:
    _opened(office, language, zone, confirmed=False)
    office.post_all()
    return _newest(office, "invitation", 1)


def _choice(office: Office, match: Match, seat: int, phase: str) -> str:
    if phase == "building":
        return ("build rangers", "build taliban")[seat]
    # the other side goes first, and gets a mail
    return "go second" if phase == "initiative" else office.good_order(match, seat)


def _answers(office: Office, match: Match, seat: int, out: dict[str, bytes]) -> None:
    """An answer with several orders: some are played, one hits, and so the others are left out."""
    team = ("alpha", "bravo")[seat]
    lines = [
        f"activate {team}",
        f"{team}-1 prone",
        f"{team}-2 fire {('bravo', 'alpha')[seat]}-4 aimed",
        f"{team}-1 walk to 3,3",
        f"{team}-2 dance",
    ]
    golden.answer(office, match, seat, *lines)
    out["answer"] = _newest(office, "reply_answer", seat)
    office.wait(hours=46)
    office.post_all()
    out["in_the_middle"] = _newest(office, "reminder", seat)
    golden.answer(office, match, seat, "?", number=2)
    out["answer_help"] = _newest(office, "reply_answer", seat)


def _silence(office: Office, match: Match, seat: int, out: dict[str, bytes]) -> None:
    """Nothing more comes from the seat until its time is out."""
    for _ in range(60):
        office.wait(hours=12)
        office.post_all()
        if any(mail.seat == seat for mail in office.mails("played_for_you")):
            break
        office.play_on(match, without=seat)
    out["played_for_you"] = _newest(office, "played_for_you", seat)


def _newest(office: Office, kind: str, seat: int) -> bytes:
    found = [mail for mail in office.mails(kind) if mail.seat == seat]
    assert found, f"no {kind} for seat {seat}"
    return golden.raw_of(office, max(found, key=lambda mail: mail.id or 0))


if __name__ == "__main__":
    golden.write(GOLDEN, told)
