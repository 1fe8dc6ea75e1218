"""Whether the doors for letters are open, and what to do if they are not (``pbem doctor``)."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Iterator

import msgspec

from pbem.config import Settings, reachable
from pbem.logs import redact
from pbem.mail.addresses import made_up
from pbem.mail.doors import imap
from pbem.words import texts

#: Seconds that a door has to answer.
WAIT_SECONDS = 5
#: Fewer different characters than this: a weak key. 32 random hexadecimal digits have about 14.
DIFFERENT_SIGNS = 8
GUIDE = 'docs/operators.md, "Let answers in"'


class Look(msgspec.Struct, frozen=True):
    """One thing that was checked; ``advice`` is empty if nothing needs to be done."""

    well: bool
    found: str
    advice: str = ""
    #: If it is not well: whether it must be fixed.
    wrong: bool = True


def look(settings: Settings) -> Iterator[Look]:
    """Checks each door that is set. Changes nothing and hands over no letter."""
    if settings.incoming.lmtp_port:
        yield from _lmtp(settings)
    if settings.incoming.imap_host:
        yield from _imap(settings)
    if key := settings.incoming.webhook_key.get_secret_value():
        yield from _webhook(settings, key)
    if not settings.takes_letters:
        yield Look(
            False,
            "Players cannot answer by mail: no door for letters is set.",
            f"Set one under [incoming]: see {GUIDE}.",
            wrong=False,
        )


def _lmtp(settings: Settings) -> Iterator[Look]:
    incoming = settings.incoming
    where = f"{incoming.lmtp_host}:{incoming.lmtp_port}"
    try:
        greeting = _greeting(reachable(incoming.lmtp_host), incoming.lmtp_port)
    except OSError as error:
        yield Look(
            False,
            f"Nothing takes letters at {where} ({error.strerror or type(error).__name__}).",
            "Start it: `pbem up`, or `pbem lmtp`.",
        )
        return
    if not greeting.startswith("220 "):
        yield Look(
            False,
            f"What answers at {where} is no mail server, or it has no room now.",
            "Is incoming.lmtp_port another program's?",
        )
        return
    if why := _door_refusal(settings):
        yield Look(
            False,
            f"What answers at {where} does not take what is written to us: {why}",
            "Run `pbem lmtp` with these settings, and no other program on that port.",
        )
        return
    yield Look(True, f"{incoming.protocol.upper()} answers at {where}.")
    if incoming.lmtp_host not in ("127.0.0.1", "::1", "localhost"):
        yield Look(
            False,
            f"Whoever reaches {where} can hand in letters past your mail server's checks.",
            "Let only your mail server through to it.",
            wrong=False,
        )


def _imap(settings: Settings) -> Iterator[Look]:
    incoming = settings.incoming
    where = f"{incoming.imap_host}:{incoming.imap_port}"
    try:
        with imap.opened(incoming, read_only=True) as box:
            stuck = imap.stuck(box)
    except imap.MailboxError as error:
        yield Look(
            False,
            f"The mailbox at {where}: {redact(str(error))}",
            certificate_advice(error.untrusted, "incoming.imap_host")
            if error.untrusted
            else "Are imap_host, imap_port, imap_user, imap_password and imap_folder under "
            "[incoming] right?",
        )
        return
    yield Look(True, f"The mailbox at {where} lets us in and has {incoming.imap_folder}.")
    if stuck:
        yield Look(
            False,
            f"Letters that could not be taken for more than a day: {stuck}, flagged and unread in "
            f"{incoming.imap_folder}.",
            "Look at them there; what is marked as read is tried no more.",
            wrong=False,
        )


def certificate_advice(error: ssl.SSLCertVerificationError, setting: str) -> str:
    """What helps if a certificate is not trusted."""
    said = error.verify_message.lower()
    if "hostname mismatch" in said or "ip address mismatch" in said:
        return f"Set {setting} to a name that stands in the certificate."
    if "expired" in said or "not yet valid" in said:
        return "The server needs a new certificate; and is this machine's clock right?"
    return (
        "It is signed by itself or by an authority that this machine does not know: name the file "
        "with that certificate in the environment as SSL_CERT_FILE, or give the server one of a "
        "public authority."
    )


def _webhook(settings: Settings, key: str) -> Iterator[Look]:
    url = f"{settings.base_url}/hooks/mail"
    if len(set(key)) < DIFFERENT_SIGNS:
        yield Look(
            False,
            "incoming.webhook_key is long enough and easy to guess.",
            'Take python3 -c "import secrets; print(secrets.token_hex(32))".',
        )
    if url.startswith("http://") and not settings.mailbox:
        yield Look(
            False,
            f"Letters are posted to {url} without TLS.",
            "Set base_url to https://...",
            wrong=False,
        )
    yield Look(True, f"Letters signed with a key of {len(key)} signs are taken at {url}.")


def _door_refusal(settings: Settings) -> str:
    """How the door refuses addresses of ours; "" if it takes them. No text is handed over."""
    incoming = settings.incoming
    client = smtplib.LMTP if incoming.protocol == "lmtp" else smtplib.SMTP
    host, name = reachable(incoming.lmtp_host), settings.mail.reply_domain
    try:
        with client(host, incoming.lmtp_port, local_hostname=name, timeout=WAIT_SECONDS) as door:
            door.ehlo_or_helo_if_needed()
            return refusal(door, "", *made_up(settings.mail))
    except (OSError, smtplib.SMTPException) as error:
        return redact(str(error)) or type(error).__name__


def refusal(server: smtplib.SMTP, sender: str, *recipients: str) -> str:
    """How a mail server refuses such a mail; "" if it takes it. The mail is taken back (RSET).

    Raises OSError or SMTPException if the connection fails.
    """
    code, answer = server.mail(sender)
    for recipient in recipients:
        if code // 100 == 2:
            code, answer = server.rcpt(recipient)
    server.rset()
    if code // 100 == 2:
        return ""
    return redact(texts.printable(f"{code} {answer.decode('utf-8', 'replace')}")[:200])


def _greeting(host: str, port: int) -> str:
    with socket.create_connection((host, port), WAIT_SECONDS) as connection:
        greeting = connection.recv(200)
        connection.sendall(b"QUIT\r\n")
        connection.recv(200)
    return greeting.decode("ascii", "replace")
