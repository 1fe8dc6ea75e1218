"""The tables of mails and links, and of whom the service may invite."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import CheckConstraint, Column, Index, LargeBinary, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index
from pbem.store.names import MailStatus

#: Mails that are owed: neither sent nor given up.
UNPAID_MAILS = "status in ('pending','leased','in_doubt')"
#: Of these, mails that somebody is waiting for at this moment, and that were not tried yet.
AWAITED_MAILS = (
    "status = 'pending' and attempts = 0 and kind in ('your_turn','reply_answer','sign_in')"
)
#: Mails that the operator should know of: given up, in doubt, tried in vain, bounced or delayed.
TROUBLED_MAILS = (
    "(status in ('dead','in_doubt') or (status = 'pending' and attempts > 0)"
    " or delivery in ('failed','delayed'))"
)
#: Mails of all turns of somebody.
DIGESTS = "kind = 'digest'"


class Link(SQLModel, table=True):
    """What a token names. The token itself is never stored: it is computed from this row."""

    __tablename__ = "link"
    __table_args__ = (
        UniqueConstraint("purpose", "match_id", "seat", "turn_id", "epoch", name="link_once"),
    )

    id: int | None = Field(default=None, primary_key=True)
    purpose: str = Field(max_length=8)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    #: -1 for the host.
    seat: int
    #: 0 if the purpose has no turn: a NULL would not count as equal in the constraint.
    turn_id: int = 0
    epoch: int
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


class Mail(SQLModel, table=True):
    """A mail that is owed, once. It is written in the transaction that owes it."""

    __tablename__ = "outbox"
    __table_args__ = (
        # the mailer asks: which are due, oldest first
        partial_index("outbox_due", "due_at", where=UNPAID_MAILS),
        # and: which is somebody waiting for, newest first
        partial_index("outbox_awaited", "due_at", where=AWAITED_MAILS),
        # the operator's page asks: which have trouble, newest first
        partial_index("outbox_troubled", "id", where=TROUBLED_MAILS),
        Index("outbox_of_seat", "match_id", "seat", "id"),
        # whose answer may be to one
        partial_index("outbox_digests", "address", where=DIGESTS),
        CheckConstraint(
            "status in ('pending','leased','in_doubt','sent','dead','dropped')",
            name="outbox_status",
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    dedupe: str = Field(unique=True, max_length=120)
    #: A MailKind.
    kind: str = Field(max_length=40)
    match_id: str | None = Field(default=None, foreign_key="match.id", max_length=16)
    #: Whose mail it is; -1 for the host; None if ``address`` is set.
    seat: int | None = None
    turn_id: int | None = Field(default=None, foreign_key="turn.id")
    #: Set only if the mail does not go to the address that the seat, or the host, has when it is
    #: sent: it was asked for by an address (a link to sign in), or is for the one before.
    address: str | None = Field(default=None, max_length=254)
    #: What the template needs besides the match as it is when the mail is sent: never a token.
    data_json: str = Field(default="{}", sa_column=Column(Text, nullable=False))
    status: str = Field(default=MailStatus.PENDING, max_length=16)
    due_at: datetime
    attempts: int = 0
    #: How often sending failed on our side: an error in a template, or a mailer that died.
    failures: int = 0
    #: How often it stayed unknown whether the relay took it.
    doubts: int = 0
    lease: str | None = Field(default=None, max_length=40)
    message_id: str | None = Field(default=None, max_length=200)
    last_error: str | None = Field(default=None, sa_column=Column(Text))
    created_at: datetime
    sent_at: datetime | None = None
    #: The address it was handed over for: its return path is valid for this one alone.
    sent_to: str | None = Field(default=None, max_length=254)
    #: A Delivery; None until something is known of it.
    delivery: str | None = Field(default=None, max_length=12)
    delivery_at: datetime | None = None
    #: What the report of it said, without any address.
    delivery_note: str | None = Field(default=None, sa_column=Column(Text))


class ReceivedMail(SQLModel, table=True):
    """The embedded mailbox: mails that a relay would have taken, and answers from its page."""

    __tablename__ = "received_mail"
    __table_args__ = (Index("received_mail_to", "address", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    address: str = Field(max_length=254)
    sender: str = Field(max_length=254)
    message_id: str = Field(max_length=200)
    received_at: datetime
    raw: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Invitee(SQLModel, table=True):
    """Whose address was invited lately, or wants no invitations (``pbem.acts.invitees``).

    Reminders of invitations are counted in a row of their own, with another digest.
    """

    __tablename__ = "invitee"
    __table_args__ = (
        # housekeeping asks: which rows are old
        partial_index("invitee_day", "day", where="never_at IS NULL"),
    )

    digest: str = Field(primary_key=True, max_length=64)
    #: The day (UTC) of the last invitation, and how many there were on it.
    day: date
    invitations: int = 0
    #: Since when they want none.
    never_at: datetime | None = None
