"""Which mails were sent, whether they were delivered, and why not; no addresses, no texts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pbem.present.times import Moment
from pbem.store.models import Mail
from pbem.store.names import Delivery, MailKind, MailStatus
from pbem.words.i18n import Translator

#: A status of RFC 3463 that says why a mail did not arrive.
_STATUS = re.compile(r"(?<![\d.])[45]\.(\d{1,3})\.(\d{1,3})(?!\.?\d)")


@dataclass(frozen=True)
class SentShown:
    """A mail that was owed to a seat."""

    kind: str
    at: Moment
    state: str
    #: Why it did not arrive, or is late; "" if that is not known.
    why: str
    well: bool


def sent(mail: Mail, zone: str, words: Translator) -> SentShown:
    """A mail of the outbox and its state, in words."""
    at = Moment(mail.delivery_at or mail.sent_at or mail.created_at, zone, words)
    late = mail.delivery in (Delivery.DELAYED, Delivery.FAILED)
    well = not late and mail.status not in ("dead", "dropped") and not mail.last_error
    why = reason(mail.delivery_note or "", words) if late else ""
    return SentShown(mail_kind(mail.kind, words), at, state(mail, words), why, well)


def mail_kind(kind: str, words: Translator) -> str:
    """The name of a kind of mail, for people."""
    _ = words.text
    kinds: dict[str, str] = {
        MailKind.INVITATION: _("the invitation"),
        MailKind.ALL_JOINED: _("all have joined, and how the dice are drawn"),
        MailKind.YOUR_TURN: _("their turn, with its link"),
        MailKind.REMINDER: _("a reminder"),
        MailKind.WORDS: _("what was said at the table"),
        MailKind.SEAT_LINK: _("the link of their seat"),
        MailKind.HOST_LINK: _("the new host link"),
        MailKind.MATCH_OPENED: _("the match is open, with the host's link"),
        MailKind.BOT_TOOK_OVER: _("a bot plays for them"),
        MailKind.BOT_SEATED: _("a bot was seated"),
        MailKind.PLAYED_FOR_YOU: _("a move was made for them"),
        MailKind.HOST_ASKED: _("what is to be done about a missed turn"),
        MailKind.STALLED: _("the match is stalled"),
        MailKind.ROLLED_BACK: _("the match was set back"),
        MailKind.CONSENT_ASKED: _("whether a move may be taken back"),
        MailKind.PERMISSION_ASKED: _("whether something may be done with their seat"),
        MailKind.PERMISSION_ENDED: _("the answer of a player who was asked"),
        MailKind.SEAT_CHANGED: _("what was changed, to the address before"),
        MailKind.TAKE_BACK_ENDED: _("whether the move was taken back"),
        MailKind.MATCH_OVER: _("how the match ended"),
        MailKind.REMATCH_ASKED: _("that somebody would like a rematch"),
        MailKind.MATCH_ABORTED: _("the match was ended"),
        MailKind.SIGN_IN: _("the link to sign in"),
        MailKind.TAKE_SEAT: _("the link to take a seat"),
        MailKind.WATCH: _("the link to hear about open tables"),
        MailKind.TABLE_OPEN: _("that a table was opened"),
        MailKind.SERIES_ENTER: _("the link that enters into a series"),
        MailKind.SERIES_ENTERED: _("that they have entered a series"),
        MailKind.SERIES_ROUND: _("the table of a round"),
        MailKind.SERIES_OVER: _("the end of a series"),
        MailKind.DIGEST: _("the digest of their turns"),
        MailKind.REPLY_ANSWER: _("the reply to their mail"),
        MailKind.MUTED: _("that they get no more mail"),
        MailKind.MATCHES_SET_ASIDE: _("which matches were set aside"),
        MailKind.OPERATOR_TOLD: _("which mails cannot be sent"),
    }
    return kinds.get(kind, kind)


def in_outbox(status: str, words: Translator) -> str:
    """A status of the outbox, for people."""
    _ = words.text
    return {
        MailStatus.PENDING: _("waits to be sent"),
        MailStatus.LEASED: _("is being sent"),
        MailStatus.IN_DOUBT: _("is being handed over"),
        MailStatus.SENT: _("delivered to the mail service"),
        MailStatus.DEAD: _("could not be delivered"),
        MailStatus.DROPPED: _("not sent: no longer needed"),
    }[MailStatus(status)]


def state(mail: Mail, words: Translator) -> str:
    """The latest that is known: from the mail service that took it, else from the outbox."""
    _ = words.text
    if mail.status == MailStatus.DEAD or mail.delivery is None:
        return in_outbox(mail.status, words)
    return {
        Delivery.DELAYED: _("is late: the mail service still tries to deliver it"),
        Delivery.ANSWERED: _("delivered: a program answered that nobody is there"),
        Delivery.DELIVERED: _("delivered"),
        Delivery.FAILED: _("came back: it could not be delivered"),
    }[Delivery(mail.delivery)]


def reason(said: str, words: Translator) -> str:
    """A mail service's answer, after the meaning of its status in plain words, if it has one."""
    found = _STATUS.search(said)
    plain = _meaning(int(found[1]), int(found[2]), words) if found else ""
    if not plain or not said:
        return plain or said
    return words.text("{meaning} The mail service said: {said}", meaning=plain, said=said)


def _meaning(subject: int, detail: int, words: Translator) -> str:
    _ = words.text
    if (subject, detail) in ((1, 2), (1, 10), (4, 3), (4, 4)):
        return _("The part of the address after the @ takes no mail.")
    if subject == 1:
        return _("There is no such mailbox.")
    if (subject, detail) == (2, 1):
        return _("The mailbox is switched off.")
    if (subject, detail) == (2, 2):
        return _("The mailbox is full.")
    if (subject, detail) in ((2, 3), (3, 4)):
        return _("The mail is too large for the mailbox.")
    if subject == 4:
        return _("The mail service of the address could not be reached.")
    if subject == 7:
        return _("The mail service of the address does not take mail from here.")
    return ""
