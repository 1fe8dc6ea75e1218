"""How many connections the door of letters takes, how long one lasts, and how much it may say."""

from __future__ import annotations

import socket
from contextlib import suppress

import pytest

from pbem.mail.doors import lmtp
from tests.mail.office import Office
from tests.parts.door import knocking, open_door
from tests.parts.processes import wait_until


def test_more_connections_than_there_is_room_for_are_sent_away(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmtp, "MOST_CONNECTIONS", 2)
    with open_door(keeper.service) as door, knocking(door.port) as one, knocking(door.port) as two:
        assert (one.read()[:3], two.read()[:3]) == ("220", "220")
        with knocking(door.port) as three:
            assert three.read()[:3] == "421"
            assert three.read() == ""
        one.say("QUIT")
        wait_until(lambda: len(door.door.talks) == 1, "a connection that ended is still counted")
        with knocking(door.port) as four:
            assert four.read()[:3] == "220"


def test_whoever_says_nothing_is_sent_away(keeper: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmtp, "IDLE_SECONDS", 0.3)
    with open_door(keeper.service) as door, knocking(door.port) as silent:
        assert silent.read()[:3] == "220"
        assert silent.read() == ""


def test_whoever_reads_no_answers_is_sent_away(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmtp, "IDLE_SECONDS", 1)
    with open_door(keeper.service) as door, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.settimeout(20)
        deaf.connect(("127.0.0.1", door.port))
        talks = door.door.talks
        # so that its answers fill what the kernel keeps for this connection
        wait_until(lambda: bool(talks), "it is not let in")
        for talk in list(talks):
            own = talk.transport.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        with suppress(OSError):
            while True:
                deaf.sendall(b"\r\n" * 5000)

        wait_until(lambda: not talks, "its place is not free again")


def test_whoever_says_too_much_is_sent_away(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmtp, "MOST_COMMANDS", 5)
    with open_door(keeper.service) as door:
        for line in ("NONSENSE", "NOOP"):
            with knocking(door.port) as loud:
                assert loud.read()[:3] == "220"
                loud.write(f"{line}\r\n" * 6)
                answers = [loud.read()[:3] for _ in range(7)]
                assert answers[-1] == ""
                assert {"421", "502"} & set(answers)
                wait_until(lambda: not door.door.talks, "it may go on")


def test_lines_without_sense_do_no_harm(keeper: Office) -> None:
    with open_door(keeper.service) as door, knocking(door.port) as knock:
        knock.read()
        for line in (
            "",
            "\x00",
            "LHLO",
            "MAIL",
            "RCPT TO:",
            "MAIL FROM:<" + "(" * 450,
            "RCPT TO:<" + "(" * 400 + ">",
            "LHLO " + "x" * 20_000,
            "VRFY alice@localhost",
            "EXPN x",
            "AUTH PLAIN AGEAYg==",
            "STARTTLS",
        ):
            assert knock.say(line)[:1] in "245", line
        assert knock.say("LHLO a")[:3] == "250"


def test_a_connection_does_not_last_for_ever(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmtp, "WHOLE_SECONDS", 0.3)
    with open_door(keeper.service) as door, knocking(door.port) as knock:
        assert knock.read()[:3] == "220"
        assert knock.read()[:3] == "421"
        assert knock.read() == ""
