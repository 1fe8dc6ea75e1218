"""The checks of ``pbem doctor`` that are about mail: the relay, and the doors for letters."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Iterator

from pbem.config import Settings, reachable
from pbem.logs import redact
from pbem.mail.addresses import made_up
from pbem.mail.doors import imap
from pbem.mail.smtp import log_in
from pbem.running.finding import Finding, first_line
from pbem.words import texts

#: Seconds that a door has to answer.
WAIT_SECONDS = 5
#: Fewer different characters than this: a weak key. 32 random hexadecimal digits have about 14.
DIFFERENT_SIGNS = 8
GUIDE = "docs/operators.md"


# --- the relay ---


def check_relay(settings: Settings) -> Iterator[Finding]:
    """Connects to the relay, starts TLS, logs in, offers mails and takes them back (RSET)."""
    mail = settings.mail
    if settings.mailbox:
        yield Finding("mail", "well", f"Nothing is sent: {settings.base_url}/dev/mail shows it.")
        return
    where = f"{mail.host}:{mail.port}"
    context = ssl.create_default_context()
    name, wait = mail.domain, min(mail.timeout_seconds, 10)
    try:
        smtp = (
            smtplib.SMTP_SSL(mail.host, mail.port, name, timeout=wait, context=context)
            if mail.security == "tls"
            else smtplib.SMTP(mail.host, mail.port, name, timeout=wait)
        )
        with smtp:
            smtp.ehlo()
            if mail.security == "starttls":
                smtp.starttls(context=context)
                smtp.ehlo()
            if mail.user:
                log_in(smtp, mail)
            offers_tls = mail.security == "none" and smtp.has_extn("starttls")
            offered = list(_offered(smtp, settings))
    except smtplib.SMTPAuthenticationError as error:
        advice = (
            "Are mail.user and mail.password right?"
            if mail.password.get_secret_value()
            else "mail.password is empty: is PBEM_MAIL_PASSWORD in the environment?"
        )
        yield Finding("mail", "wrong", f"{where} refuses the login ({error.smtp_code}).", advice)
        return
    except ssl.SSLCertVerificationError as error:
        found = f"The certificate of {where} is not trusted: {error.verify_message}."
        yield Finding("mail", "wrong", found, _certificate_advice(error, "mail.host"))
        return
    except smtplib.SMTPNotSupportedError as error:
        yield _not_offered(where, "STARTTLS" in str(error))
        return
    except ssl.SSLError as error:
        advice = 'Is mail.security right ("tls" on 465, "starttls" on 587)?'
        yield Finding("mail", "wrong", f"{where}: {first_line(error)}", advice)
        return
    except (OSError, smtplib.SMTPException) as error:
        advice = "Are mail.host and mail.port right, and may this machine connect there?"
        yield Finding("mail", "wrong", f"{where}: {first_line(error)}", advice)
        return
    yield Finding("mail", "well", f"{where} greets and lets us in.")
    yield from offered
    if offers_tls:
        yield Finding("mail", "note", f"{where} offers TLS.", 'Set mail.security = "starttls".')


def _not_offered(where: str, tls: bool) -> Finding:
    """The finding for a relay that answers, but refuses TLS or the login as they are set."""
    if tls:
        return Finding(
            "mail",
            "wrong",
            f"{where} offers no STARTTLS.",
            'Set mail.security = "tls" where that port speaks TLS from the start (465), or take '
            'the port for it (587). "none" is for a relay on this machine or in your own network.',
        )
    return Finding(
        "mail",
        "wrong",
        f"{where} offers no login (AUTH).",
        'Many offer it only over TLS: set mail.security to "starttls" (587) or "tls" (465). Where '
        "the relay wants no login, leave mail.user and mail.password empty.",
    )


def _offered(smtp: smtplib.SMTP, settings: Settings) -> Iterator[Finding]:
    """Whether the relay takes mails as we send them, and mails to us; sends none."""
    mail, own = settings.mail, settings.operator.address or settings.mail.from_address
    reply, back = made_up(mail)
    if why := refusal(smtp, mail.from_address, own):
        found = f"The relay does not take a mail to {_domain(own)} from us: {why}"
        yield _not_taken(
            found, why, "May it send for mail.from_address, and is that address right?"
        )
        return
    if not settings.takes_letters:
        return
    if why := refusal(smtp, back, own):
        found = f"The relay does not take our return path as sender: {why}"
        advice = f"Let us send from every address b+...@{mail.return_path_domain}"
        yield _not_taken(found, why, f'{advice}: see {GUIDE}, "Let bounces in".')
        return
    for what, address in (("answers to turns", reply), ("mails that come back", back)):
        if why := refusal(smtp, mail.from_address, address):
            found = f"The relay does not take {what}: {why}"
            advice = f"Let it hand what is for {_domain(address)} to pbem"
            yield _not_taken(found, why, f'{advice}: see {GUIDE}, "Let answers in".')


def _not_taken(found: str, why: str, advice: str) -> Finding:
    """The finding for a 4xx answer, which may be temporary."""
    return Finding("mail", "note" if why.startswith("4") else "wrong", found, advice)


def _domain(address: str) -> str:
    return address.rpartition("@")[2]


# --- the doors for letters ---


def check_doors(settings: Settings) -> Iterator[Finding]:
    """Checks each door that is set. Changes nothing and hands over no letter."""
    if settings.incoming.lmtp_port:
        yield from _lmtp(settings)
    if settings.incoming.imap_host:
        yield from _imap(settings)
    if key := settings.incoming.webhook_key.get_secret_value():
        yield from _webhook(settings, key)
    if not settings.takes_letters:
        yield Finding(
            "letters",
            "note",
            "Players cannot answer by mail: no door for letters is set.",
            f'Set one under [incoming]: see {GUIDE}, "Let answers in".',
        )


def _lmtp(settings: Settings) -> Iterator[Finding]:
    incoming = settings.incoming
    where = f"{incoming.lmtp_host}:{incoming.lmtp_port}"
    try:
        greeting = _greeting(reachable(incoming.lmtp_host), incoming.lmtp_port)
    except OSError as error:
        yield Finding(
            "letters",
            "wrong",
            f"Nothing takes letters at {where} ({error.strerror or type(error).__name__}).",
            "Start it: `pbem up`, or `pbem lmtp`.",
        )
        return
    if not greeting.startswith("220 "):
        yield Finding(
            "letters",
            "wrong",
            f"What answers at {where} is no mail server, or it has no room now.",
            "Is incoming.lmtp_port another program's?",
        )
        return
    if why := _door_refusal(settings):
        yield Finding(
            "letters",
            "wrong",
            f"What answers at {where} does not take what is written to us: {why}",
            "Run `pbem lmtp` with these settings, and no other program on that port.",
        )
        return
    yield Finding("letters", "well", f"{incoming.protocol.upper()} answers at {where}.")
    if incoming.lmtp_host not in ("127.0.0.1", "::1", "localhost"):
        yield Finding(
            "letters",
            "note",
            f"Whoever reaches {where} can hand in letters past your mail server's checks.",
            "Let only your mail server through to it.",
        )


def _imap(settings: Settings) -> Iterator[Finding]:
    incoming = settings.incoming
    where = f"{incoming.imap_host}:{incoming.imap_port}"
    try:
        with imap.opened(incoming, read_only=True) as box:
            stuck = imap.stuck(box)
    except imap.MailboxError as error:
        yield Finding(
            "letters",
            "wrong",
            f"The mailbox at {where}: {redact(str(error))}",
            _certificate_advice(error.untrusted, "incoming.imap_host")
            if error.untrusted
            else "Are imap_host, imap_port, imap_user, imap_password and imap_folder under "
            "[incoming] right?",
        )
        return
    yield Finding(
        "letters", "well", f"The mailbox at {where} lets us in and has {incoming.imap_folder}."
    )
    if stuck:
        yield Finding(
            "letters",
            "note",
            f"Letters that could not be taken for more than a day: {stuck}, flagged and unread in "
            f"{incoming.imap_folder}.",
            "Look at them there; what is marked as read is tried no more.",
        )


def _webhook(settings: Settings, key: str) -> Iterator[Finding]:
    url = f"{settings.base_url}/hooks/mail"
    if len(set(key)) < DIFFERENT_SIGNS:
        yield Finding(
            "letters",
            "wrong",
            "incoming.webhook_key is long enough and easy to guess.",
            'Take python3 -c "import secrets; print(secrets.token_hex(32))".',
        )
    if url.startswith("http://") and not settings.mailbox:
        yield Finding(
            "letters",
            "note",
            f"Letters are posted to {url} without TLS.",
            "Set base_url to https://...",
        )
    yield Finding(
        "letters", "well", f"Letters signed with a key of {len(key)} signs are taken at {url}."
    )


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


def _greeting(host: str, port: int) -> str:
    with socket.create_connection((host, port), WAIT_SECONDS) as connection:
        greeting = connection.recv(200)
        connection.sendall(b"QUIT\r\n")
        connection.recv(200)
    return greeting.decode("ascii", "replace")


# --- what both need ---


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


def _certificate_advice(error: ssl.SSLCertVerificationError, setting: str) -> str:
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
