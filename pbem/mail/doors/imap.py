"""Letters in a mailbox elsewhere: polled by IMAP over TLS.

A letter is marked as read after the act it asks for is committed. If the worker dies in between,
the next poll takes the letter again: idempotent. A letter on which this program fails, whose text
the server does not give out, or at which it breaks off, is flagged instead: it is tried again after
all the others, and does not stop them.
"""

from __future__ import annotations

import imaplib
import io
import random
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

from pbem import journal
from pbem.config.sections import Incoming
from pbem.journal import Line
from pbem.mail.doors import intake
from pbem.mail.doors.intake import Intake
from pbem.service import Service
from pbem.timed import Timed
from pbem.words import texts

#: Seconds that the mail server may say nothing, that it has to open the mailbox, and after which a
#: poll begins no other letter. It must be over before a task is interrupted.
STEP_SECONDS = 20
OPEN_SECONDS = 60
LOOK_SECONDS = 45
#: Most bytes of a literal: a server that does not know parts of a letter gives all of it.
LITERAL_BYTES = 50_000_000
#: Most bytes of a line, as in imaplib: so many numbers of letters has an answer to SEARCH.
LINE_BYTES = 1_000_000
#: The result for a letter that is not for us: it is never deleted.
NOT_OURS = "unknown"


class MailboxError(Exception):
    """The mailbox cannot be read. The text is for the operator."""

    #: What is wrong with the server's certificate, if that is the reason.
    untrusted: ssl.SSLCertVerificationError | None = None


class _Withheld(Exception):
    """The mail server has a letter, and does not give its text out."""


class Box(imaplib.IMAP4_SSL):
    """A connection to the mail server, with a time for all that it says, however it comes."""

    def __init__(self, settings: Incoming) -> None:
        self._ends = time.monotonic() + OPEN_SECONDS
        super().__init__(
            settings.imap_host,
            settings.imap_port,
            ssl_context=ssl.create_default_context(),
            timeout=STEP_SECONDS,
        )

    def open(self, host: str = "", port: int | None = 993, timeout: float | None = None) -> None:
        super().open(host, port, timeout)
        self._timed = Timed(self.sock, self._ends)
        self._said = io.BufferedReader(self._timed)

    def give(self, seconds: float) -> None:
        """From now on it has so many seconds for all that it says."""
        self._timed.ends = time.monotonic() + seconds

    def read(self, size: int) -> bytes:
        if size > LITERAL_BYTES:
            raise self.abort(f"a literal of {size} bytes")
        return self._said.read(size)

    def readline(self) -> bytes:
        line = self._said.readline(LINE_BYTES + 1)
        if len(line) > LINE_BYTES:
            raise self.abort(f"a line of more than {LINE_BYTES} bytes")
        return line


#: What comes of a mail server that is away or ends a connection, or of what is not IMAP.
_BROKEN = (OSError, imaplib.IMAP4.error, UnicodeError)


def poll(service: Service, most: int = 50) -> int:
    """Takes at most ``most`` letters; returns how many it processed.

    It ends with the first letter at which the server breaks off. Raises MailboxError if the mail
    server does not answer, or refuses; at the end, if it does not mark what was taken.
    """
    settings = service.settings.incoming
    seen, broken, unmarked = 0, None, ""
    with opened(settings) as box:
        waiting = _waiting(box)[:most]
        # from here on: opening a slow mailbox takes no time from its letters
        until = time.monotonic() + LOOK_SECONDS
        box.give(LOOK_SECONDS + STEP_SECONDS)
        for number, flagged in waiting:
            if time.monotonic() > until:
                break
            try:
                raw = _text(box, number, settings.max_bytes + 1)
            except (OSError, imaplib.IMAP4.abort):
                broken = number, flagged
                break
            except _Withheld:
                unmarked = _put_off(box, number, flagged) or unmarked
                continue
            if raw is None:
                continue
            taken = intake.take(service, raw)
            seen += 1
            if taken.result == "busy":
                break
            delete = settings.imap_taken == "delete"
            unmarked = _mark(box, number, taken, delete=delete) or unmarked
    if broken is not None:
        # if the server cannot be reached again, it was not the letter
        with opened(settings) as box:
            unmarked = _put_off(box, *broken) or unmarked
    if unmarked:
        raise MailboxError(_why("It does not mark letters, so each is taken again", unmarked))
    return seen


@contextmanager
def opened(settings: Incoming, *, read_only: bool = False) -> Iterator[Box]:
    """The mailbox, logged in, with its folder selected; errors become MailboxError."""
    try:
        box = Box(settings)
    except ssl.SSLCertVerificationError as error:
        refused = MailboxError(f"its certificate is not trusted: {error.verify_message}.")
        refused.untrusted = error
        raise refused from None
    except _BROKEN as error:
        raise MailboxError(_why("It does not answer", error)) from None
    try:
        _log_in(box, settings)
        folder = settings.imap_folder.replace("\\", r"\\").replace('"', r"\"")
        done, answer = box.select(f'"{folder}"', readonly=read_only)
        if done != "OK":
            raise MailboxError(f"There is no folder {settings.imap_folder}: {answer!r}")
        yield box
    except _BROKEN as error:
        raise MailboxError(_why("It broke off", error)) from None
    finally:
        with suppress(*_BROKEN):
            box.logout()
        # a LOGOUT that fails leaves the connection open
        with suppress(OSError):
            box.shutdown()


def _log_in(box: Box, settings: Incoming) -> None:
    user, password = settings.imap_user, settings.imap_password.get_secret_value()
    try:
        if "AUTH=PLAIN" in box.capabilities:
            # LOGIN takes only ASCII
            box.authenticate("PLAIN", lambda _: f"\0{user}\0{password}".encode())
        else:
            box.login(user, password)
    except UnicodeEncodeError:
        raise MailboxError("It takes no login with signs that are not ASCII.") from None
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error as error:
        raise MailboxError(_why("It refuses the login", error)) from None


def _why(what: str, error: Exception | str) -> str:
    return f"{what}: {texts.printable(str(error))[:200] or type(error).__name__}"


def _waiting(box: Box) -> list[tuple[str, bool]]:
    """Unread letters, and whether they failed before: those that did are the last, in any order.

    So none of them always stands behind another at which each poll ends.
    """
    failed = _unread(box, "FLAGGED")
    random.shuffle(failed)
    return [
        *((number, False) for number in _unread(box, "UNFLAGGED")),
        *((number, True) for number in failed),
    ]


def stuck(box: Box) -> int:
    """How many letters failed and came before yesterday."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    return len(_unread(box, "FLAGGED", "BEFORE", yesterday.strftime("%d-%b-%Y")))


def _unread(box: Box, *which: str) -> list[str]:
    done, answer = box.uid("SEARCH", "UNSEEN", *which)
    if done != "OK":
        raise MailboxError("It cannot be searched.")
    return b" ".join(line for line in answer if line).decode("ascii").split()


def _text(box: Box, number: str, most: int) -> bytes | None:
    """The letter's bytes, the first ``most`` of them; None if it is gone. Raises _Withheld."""
    try:
        done, answer = box.uid("FETCH", number, f"(BODY.PEEK[]<0.{most}>)")
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error:
        # BAD: some servers say so of a letter that they cannot put together
        raise _Withheld from None
    text = next((bytes(part[1]) for part in answer if isinstance(part, tuple)), None)
    if text is None and (done != "OK" or any(answer)):
        raise _Withheld
    return text


def _mark(box: Box, number: str, taken: Intake, *, delete: bool) -> str:
    """Marks a letter by what became of it; returns why the server did not, or ""."""
    if taken.how == "later":
        return _store(box, number, r"(\Flagged)")
    gone = delete and taken.how == "done" and taken.result != NOT_OURS
    refusal = _store(box, number, r"(\Seen \Deleted)" if gone else r"(\Seen)")
    if gone and not refusal:
        _expunge(box, number)
    return refusal


def _put_off(box: Box, number: str, flagged: bool) -> str:
    """Flags a letter that cannot be fetched, and tells of it, unless it was flagged before."""
    if flagged:
        return ""
    journal.write(Line.LETTER_FAILED, uid=int(number))
    return _store(box, number, r"(\Flagged)")


def _store(box: Box, number: str, flags: str) -> str:
    """Returns how the server refuses these flags, or ""."""
    try:
        done, answer = box.uid("STORE", number, "+FLAGS", flags)
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error as error:
        return str(error)
    return "" if done == "OK" else f"{done} {answer!r}"


def _expunge(box: Box, number: str) -> None:
    """Expunges the one letter if the server has UIDPLUS, else all that are marked as deleted."""
    # asked now: before the login many servers do not list all their capabilities
    _, told = box.capability()
    if b"UIDPLUS" in b" ".join(line for line in told if line).upper().split():
        box.uid("EXPUNGE", number)
    else:
        box.expunge()
