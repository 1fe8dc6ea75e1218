"""``pbem remedy``: every remedy does what it says, or says what is missing."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from pbem.acts import deliverability
from pbem.acts.remedies import REMEDIES
from pbem.cli import main
from pbem.commands.remedy import NAMES, needs, takes
from pbem.config import load_settings
from pbem.service import open_service
from pbem.store.models import Audit, Match, Seat, Turn
from pbem.store.names import MatchStatus
from tests.parts.own_remedy import BREATHE

#: What each remedy is given, and the act that the table's history has afterwards.
CASES: dict[str, tuple[str, str]] = {
    "extend": ("--seat 0 --by 24h", "extended"),
    "remind": ("--seat 0", "reminded"),
    "default": ("--seat 0", "played_default"),
    "bot": ("--seat 0", "bot_seated"),
    "replace": ("--seat 0 --name Frank --email frank@example.org", "replaced"),
    "reissue": ("--seat host", "reissued"),
    "correct-address": ("--seat 0 --email a@example.org", "address_corrected"),
    "resign": ("--seat 0", "resigned"),
    "pause": ("--by 7d", "paused"),
    "resume": ("", "resumed"),
    "roll-back": ("--ply 0", "rolled_back"),
    "rematch": ("", "opened"),
    "begin": ("", "beacon_waived"),
    "retry": ("", "retried"),
    "abort": ("", "aborted"),
}


class Home:
    """A home with a match of Alice against bots, and the commands on it."""

    def __init__(self, path: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = path, capsys
        path.mkdir()
        (path / "config.toml").write_text(f'database_url = "{url}"\n')
        self.service = open_service(load_settings(home=path))
        seats = ["--seat", "Alice <alice@example.org>", *(["--seat", "bot:easy"] * 3)]
        self.new = ["match", "new", "dog", "--host", "Alice <alice@example.org>", *seats]
        status, answer = self.run(*self.new, "--confirmed", "--json")
        assert status == 0, answer
        self.match = json.loads(answer)["match"]
        self.advance()

    def run(self, *words: str) -> tuple[Any, str]:
        """The status and the answer; or where it is not 0, the sentence that says why."""
        with pytest.raises(SystemExit) as ended:
            main([*words, "--home", str(self.path)])
        written = self._capsys.readouterr()
        return ended.value.code, written.err if ended.value.code else written.out

    def advance(self) -> None:
        from pbem.acts import advance

        while advance.advance(self.service, self.match):
            pass

    def make_ready_for(self, remedy: str) -> None:
        """Brings the match to where this remedy makes sense."""
        if remedy == "resume":
            self.run("remedy", self.match, "pause", "--by", "7d")
        if remedy == "rematch":
            self.run("remedy", self.match, "abort")
        if remedy == "begin":
            with (self.path / "config.toml").open("a") as config:
                config.write("[beacon]\nenabled = true\n")
            insists = (*self.new, "--beacon", "required")
            self.match = json.loads(self.run(*insists, "--confirmed", "--json")[1])["match"]
        if remedy == "retry":
            with self.service.database.write("test") as session:
                match = session.get(Match, self.match)
                assert match is not None
                match.set_aside_at = self.service.now()
                session.add(match)

    def acts(self) -> list[str]:
        with self.service.database.read() as session:
            return [row.act for row in session.exec(select(Audit).order_by(col(Audit.id)))]


@pytest.fixture
def home(tmp_path: Path, sqlite_url: str, capsys: pytest.CaptureFixture[str]) -> Any:
    made = Home(tmp_path / "home", sqlite_url, capsys)
    yield made
    made.service.database.close()


def test_a_bell_that_is_not_heard_does_not_get_into_the_answer(home: Home) -> None:
    answer = home.run("remedy", home.match, "remind", "--seat", "0", "--json")[1]

    assert json.loads(answer)["done"] is True


def test_why_a_match_stalls_is_said_in_words(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "550 5.1.1 unknown user"
    deliverability.mail_refused(home.service, home.match, 0, "alice@example.org", said)

    status, _ = home.run("stalled", "--json")
    with pytest.raises(SystemExit):
        main(["stalled", "--home", str(home.path)])
    out = capsys.readouterr().out

    assert status == 1
    assert "Mail to Alice does not arrive. The clock of the seat is stopped." in out
    assert f"There is no such mailbox. The mail service said: {said}" in out


def test_every_remedy_has_a_case() -> None:
    assert set(CASES) == set(NAMES)


@pytest.mark.parametrize("remedy", NAMES)
def test_a_remedy_is_done_and_stands_in_the_history(home: Home, remedy: str) -> None:
    given, act = CASES[remedy]
    home.make_ready_for(remedy)
    before = home.acts()

    status, said = home.run("remedy", home.match, remedy, *given.split())

    assert (status, said.strip()) == (0, "Done. The table's history says so.")
    assert act in home.acts()[len(before) :]


@pytest.mark.parametrize("remedy", [remedy for remedy in NAMES if needs(remedy)])
def test_what_a_remedy_needs_is_asked_for(home: Home, remedy: str) -> None:
    status, said = home.run("remedy", home.match, remedy)

    assert status == 2
    assert all(f"--{option}" in said for option in needs(remedy))


@pytest.mark.parametrize(
    ("asked", "longest"), [("extend --seat 0 --by soon", "30d"), ("pause --by 61d", "60d")]
)
def test_a_length_of_time_that_cannot_be_is_refused_by_its_name(
    home: Home, asked: str, longest: str
) -> None:
    status, said = home.run("remedy", home.match, *asked.split())

    assert status == 2
    assert f"by must be a length of time between 1s and {longest}, like 24h or 1d12h." in said


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        ("abort --seat 0", "--seat"),
        ("resume --by 7d", "--by"),
        ("remind --seat 0 --ply 3", "--ply"),
    ],
)
def test_what_a_remedy_does_not_take_is_refused(home: Home, asked: str, option: str) -> None:
    remedy = asked.split()[0]

    status, said = home.run("remedy", home.match, *asked.split())

    assert (status, said) == (2, f"Error: {remedy} takes no {option}.\n")
    assert home.acts()[-1] == "started"


def test_programs_read_which_seat_a_remedy_was_for(home: Home) -> None:
    def told(*asked: str) -> object:
        return json.loads(home.run("remedy", home.match, *asked, "--json")[1])["seat"]

    assert told("remind", "--seat", "0") == 0
    assert told("reissue", "--seat", "host") == "host"
    assert told("pause", "--by", "7d") is None


def test_the_help_lists_every_remedy_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["remedy", "--help"])
    said = capsys.readouterr().out

    for remedy in NAMES:
        (line,) = (one for one in said.splitlines() if one.split()[:1] == [remedy])
        assert [word for word in line.split() if word.startswith("--")] == [
            f"--{option}" for option in takes(remedy)
        ]
        assert len(line) <= 80


def test_a_remedy_that_makes_no_sense_now_is_refused_with_a_sentence(home: Home) -> None:
    assert home.run("remedy", home.match, "resume") == (
        1,
        "Error: This match is not paused.\n",
    )
    assert home.run("remedy", home.match, "extend", "--seat", "1", "--by", "1h")[0] == 1
    assert home.run("remedy", home.match, "extend", "--seat", "0", "--by", "soon")[0] == 2
    assert home.run("remedy", "nothing", "abort")[0] == 1


def test_the_hosts_address_is_corrected_after_a_preview(home: Home) -> None:
    asked = ("correct-address", "--seat", "host", "--email", "right@example.net")

    _, preview = home.run("remedy", home.match, *asked, "--dry-run")
    status, _ = home.run("remedy", home.match, *asked)

    assert "Mail for the host goes to right@example.net" in " ".join(preview.split())
    assert status == 0
    assert "host_address_corrected" in home.acts()
    assert home.run("remedy", home.match, "remind", "--seat", "host")[0] == 2


def test_a_seat_given_to_a_bot_and_a_match_that_ended_can_be_seen(home: Home) -> None:
    home.run("remedy", home.match, "bot", "--seat", "0")
    home.run("remedy", home.match, "abort")

    with home.service.database.read() as session:
        match = session.get(Match, home.match)
        seat = session.exec(select(Seat).where(Seat.match_id == home.match)).first()
    assert match is not None
    assert match.status == MatchStatus.ABORTED
    assert seat is not None
    assert seat.bot == "easy"


def test_a_remedy_that_is_brought_along_can_be_given_on_the_command_line(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REMEDIES, "breathe", BREATHE)
    monkeypatch.delitem(sys.modules, "pbem.commands.remedy")
    breathe = ("remedy", home.match, "breathe", "--json")

    unsaid = home.run(*breathe)[0]
    foreseen = json.loads(home.run(*breathe, "--by", "3h", "--dry-run")[1])["effect"]
    done = json.loads(home.run(*breathe, "--by", "3h")[1])

    assert unsaid == 2
    assert [mail["kind"] for mail in foreseen["mails"]] == ["reminder"]
    assert [clock["seat"] for clock in foreseen["clocks"]] == [0]
    assert done["done"] is True
    assert home.acts()[-1] == "rested"


def test_what_helps_is_listed_with_what_is_brought_along(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(REMEDIES, "breathe", BREATHE)
    with home.service.database.write("test") as session:
        turn = session.exec(select(Turn).where(Turn.match_id == home.match)).one()
        turn.due_at = home.service.now() - timedelta(hours=1)
        session.add(turn)

    with pytest.raises(SystemExit):
        main(["stalled", "--json", "--home", str(home.path)])
    (stall,) = json.loads(capsys.readouterr().out)["stalled"]

    assert stall["remedies"][:3] == ["breathe", "remind", "extend"]
    assert stall["since"].endswith("+00:00")
