"""The door that a mail server delivers to: LMTP (RFC 2033), or SMTP if it has no LMTP.

Nothing is relayed: whatever is not for an address of ours is refused at RCPT. The text is answered
with 250 only after the act is committed: until then the client keeps the letter.

=====  ==================================================================================
250    done: the act is committed, or the letter asks for none
421    too many connections, too many commands, too slow, or the door is being shut
451    busy, or a fault of ours: try again
452    more recipients than one letter may have: send it again to the others
550    not an address of ours; or lines that do not end with CRLF
552    longer than ``incoming.max_bytes``, which is announced (SIZE)
554    cannot be read
=====  ==================================================================================

LMTP answers once for each recipient, SMTP once for all.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP

from pbem import journal
from pbem.journal import Line
from pbem.mail.addresses import may_be_ours
from pbem.mail.doors import intake
from pbem.mail.doors.intake import Intake
from pbem.service import Service

#: Connections at once, letters that are worked on at once, recipients of a letter.
MOST_CONNECTIONS = 20
AT_ONCE = 4
MOST_RECIPIENTS = 10
#: How often each command may come in one connection: a mail server uses one for many letters.
MOST_COMMANDS = 500
#: Longest line that is read in one piece, in bytes; a letter's lines may be longer.
LINE_BYTES = 16_384
#: The connection is cut after this many times the size of the longest letter.
PATIENT_TIMES = 4
#: Timeouts in seconds: without a command, for the text of a letter, for a whole connection.
IDLE_SECONDS = 120
TEXT_SECONDS = 300
WHOLE_SECONDS = 1800
#: Seconds that letters in progress have when the door is shut.
CLOSING_SECONDS = 25

_ANSWERS = {
    "done": "250 2.0.0 Taken",
    "later": "451 4.3.0 Not now; please bring it again",
    "refused": "554 5.6.0 This mail cannot be read",
}
_TOO_LONG = "552 5.3.4 This mail is too long"
_BARE = "550 5.6.0 A line of this mail does not end with CRLF"


class WrongLineError(Exception):
    """A command that does not end with CRLF."""


class TooLongError(Exception):
    """A text that is longer than the announced SIZE."""


class Door:
    """What the connections of one process share. The hooks are called by aiosmtpd."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.talks: set[SmtpTalk] = set()
        self.closing = False
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="letter")
        self._server: asyncio.Server | None = None

    async def open(self) -> int:
        """Starts to listen; returns the port. OSError if it cannot."""
        settings = self.service.settings.incoming
        kind = LmtpTalk if settings.protocol == "lmtp" else SmtpTalk
        self._server = await asyncio.get_running_loop().create_server(
            lambda: kind(self), settings.lmtp_host, settings.lmtp_port
        )
        port: int = self._server.sockets[0].getsockname()[1]
        journal.write(Line.DOOR_OPEN, protocol=settings.protocol, port=port)
        return port

    async def close(self) -> None:
        """Takes no new connections, waits for the letters in progress, hangs up."""
        self.closing = True
        if self._server is not None:
            self._server.close()
        for talk in list(self.talks):
            talk.hang_up()
        for _ in range(CLOSING_SECONDS * 20):
            if not self.talks:
                break
            await asyncio.sleep(0.05)
        self._pool.shutdown(wait=not self.talks, cancel_futures=True)
        journal.write(Line.DOOR_SHUT, cut=len(self.talks))

    async def answers(
        self, text: bytes, recipients: Sequence[str], sender: str | None
    ) -> list[str]:
        """Acts on a letter; returns one answer for each recipient."""
        loop = asyncio.get_running_loop()
        taken: list[Intake] = []
        for recipient in recipients:
            # a letter that cannot be read is not parsed again for each recipient
            if not taken or taken[-1].how != "refused":
                taken.append(
                    await loop.run_in_executor(
                        self._pool, intake.take, self.service, text, (recipient,), sender
                    )
                )
        taken += taken[-1:] * (len(recipients) - len(taken))
        return [_TOO_LONG if one.result == "too_long" else _ANSWERS[one.how] for one in taken]

    # --- hooks of aiosmtpd ---

    async def handle_EHLO(
        self, _server: Any, session: Any, _envelope: Any, name: str, responses: list[str]
    ) -> list[str]:
        session.host_name = name
        return [*responses[:-1], "250-PIPELINING", responses[-1]]

    async def handle_RCPT(
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: list[str]
    ) -> str:
        if not may_be_ours(self.service.settings.mail, address):
            return "550 5.1.1 No such address here"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_exception(self, error: Exception) -> str:
        if isinstance(error, WrongLineError):
            return "500 5.5.2 Lines end with CRLF"
        journal.write(Line.DOOR_FAILED, exc_info=error)
        return "451 4.3.0 Not now; please try again"


class _Lines:
    """A connection's reader for which a line ends with CRLF only.

    aiosmtpd ends commands at any line feed. If another server on the way takes such a line
    otherwise, one letter can hide another (SMTP smuggling).
    """

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def readuntil(self, separator: bytes = b"\n") -> bytes:
        line = await self._reader.readuntil(b"\r\n")
        if separator == b"\n" and b"\n" in line[:-2]:
            raise WrongLineError()
        return line

    async def read(self, number: int) -> bytes:
        return await self._reader.readexactly(number)


class SmtpTalk(SMTP):
    """One connection, within its limits. It speaks SMTP."""

    line_length_limit = LINE_BYTES
    # never None while the connection lasts, which aiosmtpd's types do not say
    envelope: Any
    transport: Any
    _timeout_handle: Any
    data_size_limit: int

    #: Whether each recipient gets an answer to the text.
    answers_each = False

    def __init__(self, door: Door) -> None:
        settings = door.service.settings
        super().__init__(
            door,
            data_size_limit=settings.incoming.max_bytes,
            enable_SMTPUTF8=True,
            # the default looks up this machine's own name, which can take many seconds
            hostname=settings.mail.reply_domain,
            ident="pbem",
            timeout=IDLE_SECONDS,
            command_call_limit=MOST_COMMANDS,
            auth_exclude_mechanism=("LOGIN", "PLAIN"),
            loop=asyncio.get_running_loop(),
        )
        self._door = door
        self._refused = False
        self._acting = False
        #: Whether the connection ends as soon as the letter in progress is answered.
        self._over = False
        self._ends: asyncio.TimerHandle | None = None

    # --- the connection ---

    def connection_made(self, transport: Any) -> None:
        if self._door.closing or len(self._door.talks) >= MOST_CONNECTIONS:
            self._refused = True
            transport.write(b"421 4.3.2 Too many connections; please try again\r\n")
            transport.close()
            return
        self._door.talks.add(self)
        super().connection_made(transport)
        self._ends = self.loop.call_later(WHOLE_SECONDS, self.hang_up)

    def connection_lost(self, error: Exception | None) -> None:
        if self._refused:
            return
        self._door.talks.discard(self)
        if self._ends is not None:
            self._ends.cancel()
        super().connection_lost(error)

    def _timeout_cb(self) -> None:
        # close() would wait for ever for a client that reads no answers
        self.transport.abort()

    def eof_received(self) -> bool | None:
        return None if self._refused else super().eof_received()

    def hang_up(self) -> None:
        """Ends the connection with 421; if a letter is in progress, after its answer."""
        self._over = True
        if not self._acting and self.transport is not None:
            self.transport.write(b"421 4.3.2 Please try again later\r\n")
            self.transport.close()

    def _cb_client_connected(self, reader: Any, writer: Any) -> None:
        lines: Any = _Lines(reader)
        super()._cb_client_connected(lines, writer)

    # --- the letter ---

    async def smtp_DATA(self, arg: str | None) -> None:
        """Takes the text and acts on it. aiosmtpd's own gives one answer; LMTP needs several."""
        if await self.check_helo_needed():
            return
        recipients = tuple(self.envelope.rcpt_tos)
        if not recipients:
            await self.push("503 5.5.1 Say first who it is for (RCPT)")
            return
        if arg:
            await self.push("501 5.5.4 DATA stands alone")
            return
        await self.push("354 End with a line that is a dot")
        self._reset_timeout(TEXT_SECONDS)
        try:
            text = await self._text()
        except TooLongError:
            answers = [_TOO_LONG] * len(recipients)
        else:
            answers = await self._acted_on(text, recipients)
        self._set_post_data_state()  # type: ignore[no-untyped-call]
        self._reset_timeout()
        for answer in answers if self.answers_each else [_one(answers)]:
            await self.push(answer)
        if self._over:
            self.hang_up()

    async def _acted_on(self, text: bytes, recipients: Sequence[str]) -> list[str]:
        if b"\n" in text.replace(b"\r\n", b""):
            return [_BARE] * len(recipients)
        # no timeout here: the work ends by itself
        self._timeout_handle.cancel()
        self._acting = True
        try:
            # aiosmtpd leaves the brackets of an empty sender
            sender = (self.envelope.mail_from or "").strip("<>")
            return await self._door.answers(text, recipients, sender)
        finally:
            self._acting = False

    async def _text(self) -> bytes:
        """The text up to the final dot, with dot-stuffing undone (RFC 5321, 4.5.2)."""
        text, seen, begins = bytearray(), 0, True
        while True:
            try:
                piece = await self._reader.readuntil(b"\r\n")
            except asyncio.LimitOverrunError as error:
                piece = await self._reader.read(error.consumed)
            if begins and piece == b".\r\n":
                break
            if begins and piece.startswith(b"."):
                piece = piece[1:]
            begins = piece.endswith(b"\r\n")
            seen += len(piece)
            if seen <= self.data_size_limit:
                text += piece
            elif seen > PATIENT_TIMES * self.data_size_limit:
                self.transport.close()
                raise asyncio.CancelledError()
        if seen > self.data_size_limit:
            raise TooLongError()
        return bytes(text)


class LmtpTalk(SmtpTalk, LMTP):
    """A connection that speaks LMTP."""

    answers_each = True


def _one(answers: Sequence[str]) -> str:
    """One answer for all recipients: a 4xx if there is one, else a 2xx, else a 5xx."""
    later = [answer for answer in answers if answer.startswith("4")]
    taken = [answer for answer in answers if answer.startswith("2")]
    return (later or taken or list(answers))[0]


async def serve(service: Service) -> None:
    """Keeps the door open until SIGTERM or SIGINT. OSError if it cannot be opened."""
    door, stop = Door(service), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await door.open()
    await stop.wait()
    await door.close()
