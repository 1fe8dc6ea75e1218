"""A mail relay on the loopback that behaves as it is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Literal

from aiosmtpd.controller import Controller

from tests.parts.ports import free_port

#: ``accept_then_drop`` takes the mail and hangs up before it says so. ``accept_then_garble`` takes
#: it and says what is no reply of SMTP, ``accept_then_354`` a reply to something else.
#: ``rcpt_garble`` says what is no reply of SMTP before it refuses the recipient.
Behaviour = Literal[
    "accept",
    "rcpt_451",
    "data_451",
    "rcpt_550",
    "rcpt_garble",
    "hang",
    "drop",
    "accept_then_drop",
    "accept_then_garble",
    "accept_then_354",
]


@dataclass(frozen=True)
class Taken:
    """A mail that the relay took over."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes


@dataclass
class Relay:
    """Where it listens, how it behaves from now on, and what it took."""

    host: str
    port: int
    behaviour: Behaviour = "accept"
    #: Only mails to these addresses meet the behaviour, where any are named.
    only_for: set[str] = field(default_factory=set)
    taken: list[Taken] = field(default_factory=list)

    def behaviour_for(self, recipients: list[str]) -> Behaviour:
        if self.only_for and not self.only_for & set(recipients):
            return "accept"
        return self.behaviour


def patience(relay: Relay) -> int:
    """For how many seconds to wait for its answer: the one that hangs gives none."""
    return 1 if relay.behaviour == "hang" else 30


class _Handler:
    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        behaviour = self._relay.behaviour_for([address])
        if behaviour == "rcpt_451":
            return "451 4.3.0 Try again later"
        if behaviour == "rcpt_550":
            return "550 5.1.1 No such mailbox"
        if behaviour == "rcpt_garble":
            return "warning: slow\r\n550 5.1.1 No such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        behaviour = self._relay.behaviour_for(envelope.rcpt_tos)
        if behaviour == "data_451":
            return "451 4.3.0 Try again later"
        if behaviour == "hang":
            await asyncio.sleep(3600)
        if behaviour == "drop":
            server.transport.abort()
            return "421 4.3.0 Gone"
        self._relay.taken.append(
            Taken(envelope.mail_from, tuple(envelope.rcpt_tos), envelope.original_content)
        )
        if behaviour == "accept_then_drop":
            server.transport.abort()
        if behaviour == "accept_then_garble":
            return "queued, I think"
        if behaviour == "accept_then_354":
            return "354 Go on"
        return "250 OK"


def start_relay(host: str = "127.0.0.1") -> tuple[Relay, Controller]:
    """A relay that runs, and what stops it: ``controller.stop()``."""
    relay = Relay(host, free_port(host))
    # its thread begins when a busy machine lets it
    controller = Controller(_Handler(relay), hostname=relay.host, port=relay.port, ready_timeout=60)
    controller.start()
    return relay, controller
