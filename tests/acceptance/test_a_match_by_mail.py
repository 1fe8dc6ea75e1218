"""Whole matches through `pbem up`, by people who have nothing but their mails."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.people import ROOT, Player, Up, address, play_out, wait_for
from tests.parts.cast import SHORT

pytestmark = [pytest.mark.slow, pytest.mark.redis, pytest.mark.timeout(900)]

NAMES = ["Alice", "Bob", "Carol", "Dave"]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    service = Up(tmp_path_factory.mktemp("acceptance") / "home")
    yield service
    service.stop()


def verify(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pbem.cli", "verify", str(path), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_four_people_are_invited_join_and_play_to_the_end(up: Up, tmp_path: Path) -> None:
    # the game with the fewest turns
    match = up.open(NAMES, game="dogs-of-war")
    chance = random.Random(1)
    players = [Player(up, name, lambda page: chance.choice(page["orders"])) for name in NAMES]
    for player in players:
        player.join(f"{player.name}'s own words")
    wait_for(lambda: up.match(match)["status"] == "running", "the match did not start")

    over = play_out(up, match, players)

    assert over["status"] == "finished"
    assert over["outcome"]["winners"]
    wait_for(
        lambda: all(
            any(over["chain_head"] in mail["text"] for mail in up.mails(name)) for name in NAMES
        ),
        "not everybody got the last mail",
    )
    record = tmp_path / "record.json"
    record.write_bytes(up.get(f"/api/matches/{match}/record").body)
    assert json.loads(verify(record).stdout)["well"]
    data = bytearray(record.read_bytes())
    data[len(data) // 2] ^= 1
    record.write_bytes(bytes(data))
    assert verify(record).returncode == 1


def test_who_never_answers_is_reminded_played_for_and_replaced_by_a_bot(up: Up) -> None:
    clock = {"turn": "4s", "grace": "1s", "host_time": "2s"}
    seats = ["Alice", "bot", "bot", "Dave"]
    match = up.open(seats, confirmed=True, clock=clock, options=SHORT)
    players = [Player(up, "Alice")]

    over = play_out(up, match, players)

    assert over["status"] == "finished"
    texts = [" ".join(mail["text"].split()) for mail in up.mails("Dave")]
    reminded = [text for text in texts if "still your turn" in text or "is overdue" in text]
    assert len(reminded) >= 2
    assert len([text for text in texts if "was played for you" in text]) == 2
    assert len([text for text in texts if "a bot plays for you for now" in text]) == 1
    assert any("has missed a second turn" in mail["text"] for mail in up.mails("Alice"))


def test_nothing_is_lost_when_the_worker_is_killed_in_the_middle(up: Up) -> None:
    match = up.open(["Alice", "bot", "Carol", "bot"], confirmed=True, options=SHORT)
    players = [Player(up, name) for name in ("Alice", "Carol")]
    play_out(up, match, players, until=lambda: up.match(match)["ply"] > 25)

    assert up.kill("worker") + up.kill("moves") >= 2
    over = play_out(up, match, players)

    assert over["status"] == "finished"
    wait_for(lambda: up.get("/readyz").status == 200, "the worker did not come back")
    record = json.loads(up.get(f"/api/matches/{match}/record").body)
    assert [entry["ply"] for entry in record["entries"]] == list(range(over["ply"] + 1))


def test_opening_every_link_of_every_mail_fifty_times_changes_nothing(up: Up) -> None:
    names = ["Erin", "Frank", "Grace", "Heidi"]
    match = up.open(names, confirmed=True)
    wait_for(lambda: len(up.match(match)["open_turns"]) == 4, "the turns did not open")
    wait_for(lambda: all(up.mails(name) for name in names), "the mails did not come")
    links = {link for name in names for mail in up.mails(name) for link in mail["links"]}
    ours = [link for link in links if link.startswith(up.url)]
    before = up.match(match)

    def open_all() -> None:
        for _ in range(10):
            for link in ours:
                answer = up.get(link, "text/html")
                assert answer.status in (200, 404), (answer.status, link[:40])

    threads = [threading.Thread(target=open_all) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert up.match(match) == before


def test_two_who_submit_at_once_make_one_move(up: Up) -> None:
    up.open(["Ivan", "bot", "bot", "Judy"], confirmed=True)
    player = Player(up, "Ivan")
    wait_for(lambda: bool(player.look()) or bool(player.turn_links), "the mail did not come")
    link = player.turn_links[-1]
    orders = up.get(link).json["orders"]
    answers = []
    gate = threading.Barrier(8)

    def hand_in(number: int) -> None:
        gate.wait()
        order = {"order": orders[number % len(orders)], "submission": f"device {number}"}
        answers.append(up.post(link, order).status)

    threads = [threading.Thread(target=hand_in, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers.count(200) == 1
    assert set(answers) == {200, 409}


def test_bad_input_gets_a_sentence_and_never_a_500(up: Up) -> None:
    match = up.open(["Mallory", "bot", "bot", "Oscar"], confirmed=True)
    player = Player(up, "Mallory")
    wait_for(lambda: bool(player.look()) or bool(player.turn_links), "the mail did not come")
    link = player.turn_links[-1]
    cases = [
        (link, {"order": "castle kingside", "submission": "1"}, 422),
        (link, {"order": "give 99", "submission": "2"}, 422),
        (link, {"order": "K out", "submission": "3"}, 422),
        (link, {"order": "give 7", "submission": "4", "ply": 99}, 409),
        (link, {"order": "give 7", "submission": "5", "is_host": True}, 422),
        (link, b"\xff\xfe not json", 415),
        (link[:-3] + "aaa", {"order": "give 7", "submission": "6"}, 404),
        ("/api/matches", {"game": "dog"}, 422),
        (
            "/api/matches",
            {
                "game": "dog",
                "host": {"name": "x" * 1_000_000, "email": address("Alice")},
                "seats": [{"bot": "easy"}] * 4,
            },
            (413, 422),
        ),
        (
            "/api/matches",
            {
                "game": "dog",
                "host": {"name": "Alice", "email": address("Alice")},
                "seats": [{"bot": "easy"}] * 4,
                "options": {"colour": "red"},
            },
            422,
        ),
    ]
    for path, value, expected in cases:
        answer = up.post(path, value)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        assert answer.status in wanted, (
            path[:20],
            value if len(str(value)) < 200 else "",
            answer.body,
        )
        assert answer.json["error"]["message"].rstrip().endswith((".", "?")), answer.body
    assert not [seat for seat in up.match(match)["open_turns"] if seat["seat"] not in (0, 3)]
    assert up.get(link).json["status"] == "open"
