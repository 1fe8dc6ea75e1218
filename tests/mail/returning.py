"""Mails that come back: the forms in which mail services say so, and how they arrive."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from pbem.mail import gateway, return_path
from pbem.store.models import Mail, Match
from tests.mail.office import Office

HERE = Path(__file__).parent
FORMS = sorted(path.stem for path in (HERE / "bounces").glob("*.eml"))
LATE = [form for form in FORMS if form.endswith("_late")]
FAILED = [form for form in FORMS if form not in LATE]
AWAY = sorted(path.stem for path in (HERE / "absences").glob("*.eml"))
MOST = 262_144
HOURS = {"clock": {"turn": "10h", "grace": "1h"}}


def written(folder: str, form: str, **values: str) -> bytes:
    text = (HERE / folder / f"{form}.eml").read_text()
    for name, value in values.items():
        text = text.replace(name, value)
    return text.replace("\n", "\r\n").encode()


def back_of(office: Office, mail: Mail) -> str:
    """Where a mail that was sent comes back to."""
    return return_path.address(office.service, mail, mail.sent_to or "")


def bounce(office: Office, mail: Mail, form: str = "postfix", *, recipient: str = "") -> str:
    """A mail comes back in this form; what was made of it."""
    raw = written(
        "bounces", form, RETURN=back_of(office, mail), RECIPIENT=recipient or mail.sent_to or ""
    )
    return gateway.arrived(office.service, raw)


def report(
    office: Office, mail: Mail, *groups: str, status: str = "5.1.1", action: str = "failed"
) -> str:
    """A report with these groups of fields, or with one about the mail's own recipient."""
    own = f"Final-Recipient: rfc822; {mail.sent_to}\nAction: {action}\nStatus: {status}"
    fields = "\n\n".join(groups or (own,))
    text = (
        f"From: MAILER-DAEMON@mx.example\nTo: {back_of(office, mail)}\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=x\n\n"
        f"--x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n{fields}\n\n"
        "--x--\n"
    )
    return gateway.arrived(office.service, text.encode())


def asked(office: Office) -> tuple[Match, Mail]:
    """A running match four hours later, and the mail of Bob's turn."""
    match = office.running(**HOURS)
    office.post_all()
    office.clock.move(timedelta(hours=4))
    return match, office.owed("your_turn", 1)
