"""The relay: one SMTP connection, over which a batch of mails is handed over.

Two steps for each mail: ``offer`` names the sender and the recipient, ``give`` hands over the text.
The errors are sorted by what to do next:

- ``Rejected``: the relay will never take this mail for this address (5xx);
- ``Trouble``: not now (4xx, no connection, a relay that wants something else of us: many say only
  at RCPT, with a 5xx, that they do not take our sender, or anything from us);
- ``Unanswered``: the text was sent and the answer is lost, or cannot be read. The mail may have
  been accepted.

After an answer that is neither a yes nor a refusal the connection is dropped: what comes next may
be the answer to an earlier verb.

There are kill points before and after every verb: ``smtp.before_VERB`` and ``smtp.after_VERB`` for
connect, ehlo, starttls, auth, mail, rcpt, data, text, rset, quit.
"""

from __future__ import annotations

import io
import math
import re
import smtplib
import ssl
import time
from base64 import b64encode
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from pbem import failpoints
from pbem.config.sections import Mail as MailSettings
from pbem.timed import Timed
from pbem.words import texts

T = TypeVar("T")

_PERIOD_FIRST = re.compile(rb"(?m)^\.")
_ADDRESS = re.compile(r"<?[^\s<>@]{1,64}@[^\s<>@,;:]{1,253}>?")
_TAKEN = (250, 251, 252)
_LOGGED_IN = (235, 503)
#: The relay closes the connection.
_CLOSING = 421
#: A 5xx that is about us and not about the recipient: a login or TLS is missing, or by RFC 3463 the
#: sender (1.7, 1.8) or a policy (7).
_WANTS_LOGIN = (530, 534, 535, 538)
_ABOUT_US = re.compile(rb"5\.(1\.[78]|7\.\d+)\b")
#: What is said in place of a code: -1 is smtplib's for a line that is no reply of SMTP.
_WITHOUT_CODE = {0: "no answer", -1: "no answer that can be read"}


class RelayError(Exception):
    """Base: a mail that was not, or perhaps not, handed over. The text is for the operator."""


class Rejected(RelayError):
    """The relay will never take this mail for this address (5xx)."""


class Trouble(RelayError):
    """Not now (4xx). ``connection``: nothing more can be sent until the connection is reopened.

    ``recipient``: the refusal is about this recipient, the relay itself works.
    """

    def __init__(self, why: str, *, connection: bool = False, recipient: bool = False) -> None:
        super().__init__(why)
        self.connection = connection
        self.recipient = recipient


class Unanswered(RelayError):
    """The text was sent and no answer that can be read came: the mail may have been accepted."""


def log_in(smtp: smtplib.SMTP, settings: MailSettings) -> tuple[int, bytes]:
    """Logs in with the operator's user and password; raises SMTPAuthenticationError."""
    user, password = settings.user, settings.password.get_secret_value()
    if f"{user}{password}".isascii():
        return smtp.login(user, password)
    # smtplib logs in with ASCII only, RFC 4616 with any text
    plain = b64encode(f"\0{user}\0{password}".encode()).decode()
    code, answer = smtp.docmd("AUTH", f"PLAIN {plain}")
    if code not in _LOGGED_IN:
        raise smtplib.SMTPAuthenticationError(code, answer)
    return code, answer


class _Plain(smtplib.SMTP):
    """A connection on which each answer has its time as a whole, however it comes in pieces."""

    ends = math.inf
    timeout: float

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self._timed = Timed(self.sock, self.ends)
            self.file = io.BufferedReader(self._timed)
        self._timed.ends = min(time.monotonic() + self.timeout, self.ends)
        return super().getreply()


class _Tls(_Plain, smtplib.SMTP_SSL):
    """The same, over TLS from the start."""


class Relay:
    """A connection to the relay, opened when it is first needed.

    ``ends`` (monotonic): when it must have answered everything.
    """

    def __init__(self, settings: MailSettings, ends: float = math.inf) -> None:
        self.settings = settings
        self.ends = ends
        self._smtp: smtplib.SMTP | None = None
        self._used = 0

    def offer(self, sender: str, recipient: str) -> None:
        """Names sender and recipient; raises Rejected or Trouble."""
        if self._used >= self.settings.per_connection:
            self.close()
        try:
            smtp = self._begin(sender)
        except Trouble:
            if self._used <= 1 or self._smtp is not None:
                raise
            # many relays end a connection after some mails, or some seconds: here is another
            smtp = self._begin(sender)
        code, answer = self._say("rcpt", lambda: smtp.docmd("RCPT", f"TO:<{recipient}>"))
        if code not in _TAKEN:
            self._refuse("RCPT", code, answer)

    def give(self, text: bytes) -> None:
        """Hands over the text of the offered mail; raises any RelayError."""
        smtp = self._smtp
        assert smtp is not None  # an offer went before
        code, answer = self._say("data", lambda: smtp.docmd("DATA"))
        if code != 354:
            self._refuse("DATA", code, answer)
        failpoints.pass_by("smtp.before_text")
        try:
            smtp.send(_PERIOD_FIRST.sub(b"..", text) + b".\r\n")
            code, answer = smtp.getreply()
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            raise Unanswered(_shown("DATA", 0, str(error))) from None
        failpoints.pass_by("smtp.after_text")
        if code not in _TAKEN and not _refuses(code):
            self._drop()
            raise Unanswered(_shown("DATA", code, answer))
        if code not in _TAKEN:
            self._refuse("DATA", code, answer)

    def withdraw(self) -> None:
        """Takes back an offer, so the connection can be used for the next mail."""
        smtp = self._smtp
        if smtp is None:
            return
        try:
            code, _ = self._say("rset", lambda: smtp.docmd("RSET"))
        except Trouble:
            return  # the connection is dropped
        if code not in _TAKEN:
            self._drop()

    def close(self) -> None:
        """Ends the connection, with QUIT if possible."""
        smtp = self._smtp
        if smtp is None:
            return
        try:
            self._say("quit", lambda: smtp.docmd("QUIT"))
        except Trouble:
            pass
        finally:
            self._drop()

    def _begin(self, sender: str) -> smtplib.SMTP:
        smtp = self._smtp or self._open()
        self._used += 1
        code, answer = self._say("mail", lambda: smtp.docmd("MAIL", f"FROM:<{sender}>"))
        if code not in _TAKEN:
            # the relay refuses our sender address: not the recipient's fault
            self._clear(code)
            raise Trouble(_shown("MAIL", code, answer), connection=True)
        return smtp

    def _open(self) -> smtplib.SMTP:
        settings, left = self.settings, self.ends - time.monotonic()
        # without a name smtplib looks up this machine's own, which can take many seconds
        name, wait = settings.domain, max(1, min(settings.timeout_seconds, left))
        smtp = (
            _Tls(local_hostname=name, timeout=wait, context=self._tls)
            if settings.security == "tls"
            else _Plain(local_hostname=name, timeout=wait)
        )
        smtp.ends = self.ends
        self._smtp, self._used = smtp, 0
        # the certificate is checked against this name; connect() does not set it
        smtp._host = settings.host  # type: ignore[attr-defined]
        self._must("connect", lambda: smtp.connect(settings.host, settings.port), (220,))
        self._must("ehlo", smtp.ehlo, (250,))
        if settings.security == "starttls":
            self._must("starttls", lambda: smtp.starttls(context=self._tls), (220,))
            self._must("ehlo", smtp.ehlo, (250,))
        if settings.user:
            self._must("auth", lambda: log_in(smtp, settings), _LOGGED_IN)
        return smtp

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Reads this machine's certificates: 20 ms, so only where the connection is to be safe."""
        return ssl.create_default_context()

    def _must(
        self, verb: str, act: Callable[[], tuple[int, bytes]], wanted: tuple[int, ...]
    ) -> None:
        code, answer = self._say(verb, act)
        if code not in wanted:
            self._drop()
            raise Trouble(_shown(verb.upper(), code, answer), connection=True)

    def _say(self, verb: str, act: Callable[[], T]) -> T:
        """Sends one verb and returns the answer; raises Trouble if the connection fails."""
        failpoints.pass_by(f"smtp.before_{verb}")
        try:
            answer = act()
        except smtplib.SMTPResponseException as error:
            self._drop()
            why = _shown(verb.upper(), error.smtp_code, error.smtp_error)
            raise Trouble(why, connection=True) from None
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            why = _shown(verb.upper(), 0, str(error))
            raise Trouble(why, connection=True) from None
        failpoints.pass_by(f"smtp.after_{verb}")
        return answer

    def _refuse(self, verb: str, code: int, answer: bytes) -> None:
        """Raises the error for a refusal of the recipient or of the text."""
        self._clear(code)
        why = _shown(verb, code, answer)
        if 500 <= code < 600 and code not in _WANTS_LOGIN and not _ABOUT_US.match(answer):
            raise Rejected(why)
        raise Trouble(why, connection=not _stays(code), recipient=_stays(code))

    def _clear(self, code: int) -> None:
        if _stays(code):
            self.withdraw()
        else:
            self._drop()

    def _drop(self) -> None:
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            smtp.close()


def _refuses(code: int) -> bool:
    """Whether this is a no, for now (4xx) or for ever (5xx)."""
    return 400 <= code < 600


def _stays(code: int) -> bool:
    """Whether the connection can be used after this answer, which is no yes."""
    return _refuses(code) and code != _CLOSING


def _shown(verb: str, code: int, answer: bytes | str) -> str:
    """The relay's answer for people: short, printable, without addresses."""
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    text = texts.printable(_ADDRESS.sub("<address>", text))[:300]
    return f"{verb}: {_WITHOUT_CODE.get(code, code)} {text}".rstrip()
