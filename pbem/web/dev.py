"""For the trial: the mails that would have been sent, to be answered; the look of pages."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTPUTF8, default
from email.utils import make_msgid
from typing import Any

import msgspec
from flask import Blueprint, Response, request, url_for

from pbem import present
from pbem.clock import iso
from pbem.errors import BadInput, NotFound
from pbem.mail import mailbox
from pbem.present import colours
from pbem.store import links
from pbem.store.models import ReceivedMail
from pbem.web.context import (
    form,
    go_to,
    json_answer,
    page,
    reader_words,
    service,
    wants_json,
    whole_number,
)
from pbem.web.policies import FRAMED_MAIL, FRAMING_PAGE
from pbem.words.i18n import Translator

door = Blueprint("dev", __name__, url_prefix="/dev")

#: Longest answer that the page's form takes.
MAX_ANSWER = 20_000
_CID = re.compile(r"""(src\s*=\s*["'])cid:([\w.@+-]{1,200})(["'])""")


@door.get("/look")
def look() -> Response:
    """What pages are made of, with examples: for whoever works on them."""
    shown = [name for name, value in colours.of_sheet(None).items() if value.startswith("#")]
    return page("look.html", reader_words(), tokens=shown)


@door.get("/mail")
def listed() -> Response:
    to = request.args.get("to") or None
    if to is not None and (len(to) > 254 or not to.isprintable()):
        raise BadInput("{name} cannot be used.", field="to", name="to")
    if wants_json():
        after = whole_number(request.args.get("after", "0"), "after", 0, links.LAST_ROW)
        return json_answer([_as_json(mail) for mail in mailbox.listed(service(), to, after)])
    last = str(links.LAST_ROW)
    before = whole_number(request.args.get("before", last), "before", 0, links.LAST_ROW)
    words = reader_words()
    found = mailbox.newest(service(), to, before)
    mails = [(mail, _arrived(mail, words)) for mail in found]
    older = url_for(".listed", to=to, before=found[-1].id) if len(found) == mailbox.MOST else None
    sent = request.args.get("sent") == "yes"
    return page("mailbox.html", words, mails=mails, to=to, sent=sent, older=older)


@door.post("/mail")
def receive() -> Response:
    """A raw message, as if it had arrived."""
    request.max_content_length = service().settings.incoming.max_bytes
    number = mailbox.receive(service(), request.get_data(cache=False))
    service().ring("post")
    return json_answer({"id": number}, 202)


@door.get("/mail/<int:number>")
def one(number: int) -> Response:
    mail = _mail(number)
    if wants_json():
        return json_answer(_as_json(mail))
    words = reader_words()
    response = page("mail.html", words, mail=mail, arrived=_arrived(mail, words))
    response.headers["Content-Security-Policy"] = FRAMING_PAGE
    return response


@door.get("/mail/<int:number>/html")
def body(number: int) -> Response:
    """The mail's HTML, in a frame that can run nothing."""
    mail = _mail(number)
    html = _CID.sub(
        lambda found: f"{found[1]}{url_for('dev.part', number=number, cid=found[2])}{found[3]}",
        mail.html,
    )
    response = Response(f'<base target="_top">{html}', mimetype="text/html")
    response.headers["Content-Security-Policy"] = FRAMED_MAIL
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


@door.get("/mail/<int:number>/part/<cid>")
def part(number: int, cid: str) -> Response:
    """A picture of the mail."""
    for piece in _message(number).walk():
        kind = piece.get_content_type()
        if piece.get("Content-ID", "").strip("<>") == cid and kind in ("image/png", "image/jpeg"):
            data = piece.get_payload(decode=True)
            return Response(data if isinstance(data, bytes) else b"", mimetype=kind)
    raise NotFound()


@door.post("/mail/<int:number>/answer")
def answer(number: int) -> Response:
    """Answers a mail, as its reader's mail program would."""
    given = form("text")
    text = given.get("text", "")
    mail = _mail(number)
    if not text.strip() or len(text) > MAX_ANSWER or not mail.reply_to:
        raise BadInput("Write an answer of 1 to {most} characters.", field="text", most=MAX_ANSWER)
    letter = EmailMessage(policy=SMTPUTF8)
    letter["From"] = mail.to
    letter["To"] = mail.reply_to
    letter["Subject"] = "Re: " + "".join(sign for sign in mail.subject if sign.isprintable())[:200]
    letter["Message-ID"] = make_msgid(domain="localhost")
    message_id = mail.headers.get("Message-ID", "")
    if message_id.isprintable() and message_id:
        letter["In-Reply-To"] = message_id
    quoted = "".join(f"> {line}\n" for line in mail.text.splitlines()[:200])
    letter.set_content(f"{_printable(text)}\n\n{quoted}")
    mailbox.receive(service(), letter.as_bytes())
    service().ring("post")
    return go_to(url_for("dev.listed", to=mail.to, sent="yes"))


def _as_json(mail: mailbox.MailboxMail) -> dict[str, Any]:
    return {**msgspec.to_builtins(mail), "received_at": iso(mail.received_at)}


def _arrived(mail: mailbox.MailboxMail | mailbox.Heading, words: Translator) -> present.Moment:
    return present.Moment(mail.received_at, service().settings.zone, words)


def _printable(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable() or sign == "\n")


def _mail(number: int) -> mailbox.MailboxMail:
    found = mailbox.one(service(), number) if number <= links.LAST_ROW else None
    if found is None:
        raise NotFound()
    return found


def _message(number: int) -> EmailMessage:
    if number > links.LAST_ROW:
        raise NotFound()
    with service().database.read() as session:
        row = session.get(ReceivedMail, number)
    # only our own mails have a message id; mails from outside are never parsed here
    if row is None or not row.message_id:
        raise NotFound()
    return message_from_bytes(row.raw, policy=default)
