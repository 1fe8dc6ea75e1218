"""Renders a mail that is owed, from the match as it is now.

Links are computed here and stored nowhere but in the mail. The function of the mail's kind
(``pbem.mail.kinds``) collects what it says; the words are in ``templates/mail/KIND/``:
``subject.txt``, ``body.txt`` and ``body.html``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import css_inline

from pbem.acts.mail_relevance import Subject, subject, unwanted, with_links
from pbem.mail import kinds, message_ids, return_path, wishes
from pbem.mail.compose import Draft, compose
from pbem.mail.kinds import pieces
from pbem.mail.values import MailValues, Reader
from pbem.people import persons
from pbem.record import proof
from pbem.record.proof import Proof
from pbem.service import Service
from pbem.store.models import Mail, Person
from pbem.store.names import MailKind
from pbem.words import templating
from pbem.words.i18n import Translator, translator

#: Longest line of the text part, except for lines with links and words that are longer.
WIDTH = 76

#: The line above the foot of a mail.
SIGNATURE = "-- "

_GAP = re.compile(r"[ \n]{2,}")
#: The style sheet of a mail, and the spaces that its rules do not need.
_SHEET, _LOOSE = re.compile(r"<style>.*?</style>", re.DOTALL), re.compile(r"\s*([{};!])\s*")

_inliner = css_inline.CSSInliner(
    keep_style_tags=False, keep_at_rules=True, minify_css=True, load_remote_stylesheets=False
)


class Unwanted(Exception):
    """The mail should not go out any more; the text says why, for the operator."""


class TooEarly(Exception):
    """The mail should go out later: at ``until``."""

    def __init__(self, until: datetime) -> None:
        super().__init__(str(until))
        self.until = until


@dataclass(frozen=True)
class Rendered:
    """A mail as the relay gets it."""

    #: The return path (not the From line), and the address it goes to.
    sender: str
    recipient: str
    message_id: str
    content: bytes


def render(service: Service, mail: Mail) -> Rendered:
    """The mail, made now; Unwanted if nobody should get it any more, TooEarly if not yet."""
    made = write(service, gather(service, mail))
    back = return_path.address(service, mail, made.recipient)
    content = compose(replace(made, text=wrapped(made.text)))
    return Rendered(back, made.recipient, made.message_id, content)


@dataclass(frozen=True)
class Gathered:
    """What a mail says, before it is put into words."""

    mail: Mail
    said: MailValues
    reader: Reader
    about: Subject | None
    words: Translator
    #: What its templates are given.
    values: Mapping[str, Any]


def gather(service: Service, mail: Mail) -> Gathered:
    """All that is read for a mail; Unwanted or TooEarly as ``render``."""
    said, reader, about = _gather(service, mail)
    words = translator(reader.language, about.match.game if about else None)
    shown = {picture.id: picture for picture in said.pictures}
    board = {"board_picture": shown.get(pieces.BOARD)}
    values = {**pieces.shared(service, reader, about, words), **said.values, **board}
    return Gathered(mail, said, reader, about, words, values)


def write(service: Service, found: Gathered) -> Draft:
    """The mail in words, with no line broken yet. Reads nothing, so it needs no transaction."""
    mail, said, reader, about = found.mail, found.said, found.reader, found.about
    words, values = found.words, found.values
    folder = f"mail/{mail.kind}"
    settings = service.settings.mail
    return Draft(
        sender=settings.from_address,
        sender_name=_sender(said, settings.from_name, words),
        recipient=reader.address,
        recipient_name=reader.name,
        subject=templating.render(f"{folder}/subject.txt", words, **values),
        text=tidied(templating.render(f"{folder}/body.txt", words, **values)),
        html=inlined(templating.render(f"{folder}/body.html", words, **values)),
        language=words.language,
        date=service.now(),
        message_id=message_ids.message_id(service.keys, settings.domain, mail.dedupe),
        thread=_thread(service, about, reader),
        list_id=f"<{about.match.id}.pbem.{settings.domain}>" if about else "",
        unsubscribe=str(values["mute_url"] or values["unsubscribe_url"]),
        proof=_proof(about, values),
        reply_to=said.reply_to,
        pictures=said.pictures,
        attachments=said.attachments,
    )


def _sender(said: MailValues, service: str, words: Translator) -> str:
    return (
        words.text("{name}, by {service}", name=said.sender, service=service)
        if said.sender
        else service
    )


def _proof(about: Subject | None, values: Mapping[str, Any]) -> str:
    """What the mail binds: the fingerprints that stand in its text."""
    if about is None:
        return ""
    said = {name: str(values.get(name, "")) for name in ("commitment", "promise", "digest")}
    return proof.written(Proof(match=about.match.id, head=str(values["chain_head"]), **said))


def _gather(service: Service, mail: Mail) -> tuple[MailValues, Reader, Subject | None]:
    """What the mail says, to whom, and about which match."""
    if mail.match_id is None:
        gathered = kinds.WITHOUT_MATCH[MailKind(mail.kind)](service, mail)
        if gathered is None:
            raise Unwanted("There is nothing to tell to this address.")
        said, reader = gathered
        return said, reader, None
    with service.database.read() as session:
        about = subject(session, mail)
        why = unwanted(about)
        if why is None:
            person = wishes.asked_of(session, about)
            about = with_links(session, about)
    # not in the block: an error there is a ROLLBACK, after which psycopg forgets what it prepared
    if why is not None:
        raise Unwanted(why)
    if person is not None:
        _as_wished(service, person, about)
    reader = pieces.reader_of(about)
    words = translator(reader.language, about.match.game)
    told = kinds.OF_A_MATCH[MailKind(mail.kind)](service, about, words)
    if told is None:
        raise Unwanted("There is nothing to tell any more.")
    return told, reader, about


def _as_wished(service: Service, person: Person, about: Subject) -> None:
    """Unwanted or TooEarly if this person does not want the mail of a turn, or not now."""
    now = service.now()
    why = wishes.unwanted(person, about, now)
    if why is not None:
        raise Unwanted(why)
    later = wishes.not_before(person, about, now, persons.zone_of(service, person))
    if later is not None:
        raise TooEarly(later)


def _thread(service: Service, about: Subject | None, reader: Reader) -> str:
    if about is None or about.mail.seat is None:
        return ""
    domain = service.settings.mail.domain
    return message_ids.thread_id(
        service.keys, domain, about.match.id, about.mail.seat, reader.address
    )


def tidied(text: str) -> str:
    """The text without spaces at the ends of lines, and one empty line in place of more."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        # the signature delimiter ends in a space: by it programs leave the foot out of an answer
        line = line if line == SIGNATURE else line.rstrip()
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines) + "\n"


def wrapped(text: str) -> str:
    """The text with its long lines broken between words; links and drawings stay as they are."""
    lines: list[str] = []
    for line in text.splitlines():
        if len(line) <= WIDTH or "://" in line:
            lines.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        hang = indent + ("  " if line.lstrip().startswith("- ") else "")
        lines += textwrap.wrap(
            line.strip(),
            WIDTH,
            initial_indent=indent,
            subsequent_indent=hang,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines) + "\n"


def inlined(html: str) -> str:
    """The page with its styles as attributes of the elements, where mail programs look for them.

    No space in it is there twice: that is an eighth of its bytes.
    """
    page = _GAP.sub("\n", _inliner.inline(html))
    return _SHEET.sub(lambda sheet: _LOOSE.sub(r"\1", sheet[0]), page, count=1)
