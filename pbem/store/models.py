"""The tables. A row is validated at the door that makes it; the constraints here are the last word.

Times are aware and in UTC. Texts that end in ``_json`` hold values written by ``engine.codec``.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import (
    CheckConstraint,
    Column,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

from pbem.store.names import MailStatus, MatchStatus

# Conditions of partial indexes. A query that uses such an index repeats its condition word for
# word: the value of a bound parameter is not known when the query is planned.

#: Mails that are owed: neither sent nor given up.
UNPAID_MAILS = "status in ('pending','leased','in_doubt')"
#: Of these, mails that somebody is waiting for at this moment, and that were not tried yet.
AWAITED_MAILS = (
    "status = 'pending' and attempts = 0 and kind in ('your_turn','reply_answer','my_links')"
)
#: Mails that the operator should know of: given up, in doubt, tried in vain, bounced or delayed.
TROUBLED_MAILS = (
    "(status in ('dead','in_doubt') or (status = 'pending' and attempts > 0)"
    " or delivery in ('failed','delayed'))"
)
#: Matches whose log is to be packed when they have been over for a long time.
TO_PACK = "ended_at IS NOT NULL AND packed_at IS NULL"
#: What the operator did.
ACTS_OF_THE_OPERATOR = "actor = 'operator'"


class Match(SQLModel, table=True):
    """One playing of a game.

    ``revision`` goes up with every act: of two acts at once only the first to raise it may write.
    """

    __tablename__ = "match"
    __table_args__ = (
        # the sweep asks: which matches have something to be carried on, soonest first
        Index(
            "match_advance_due",
            "advance_due_at",
            sqlite_where=text("advance_due_at IS NOT NULL"),
            postgresql_where=text("advance_due_at IS NOT NULL"),
        ),
        # the stalled page asks: which matches were set aside. The index is partial, because SQLite
        # used a full one for "not set aside" too, which is true of nearly every match
        Index(
            "match_set_aside",
            "set_aside_at",
            sqlite_where=text("set_aside_at IS NOT NULL"),
            postgresql_where=text("set_aside_at IS NOT NULL"),
        ),
        # the sweep asks: whose pause is over, and which lobbies are due
        Index(
            "match_paused_until",
            "paused_until",
            sqlite_where=text("paused_until IS NOT NULL"),
            postgresql_where=text("paused_until IS NOT NULL"),
        ),
        Index(
            "match_lobby_next",
            "lobby_next_at",
            sqlite_where=text("lobby_next_at IS NOT NULL"),
            postgresql_where=text("lobby_next_at IS NOT NULL"),
        ),
        # the sweep asks: which matches wait for their round of the beacon
        Index(
            "match_beacon_due",
            "beacon_due_at",
            sqlite_where=text("beacon_due_at IS NOT NULL"),
            postgresql_where=text("beacon_due_at IS NOT NULL"),
        ),
        # the stalled page asks: which matches are not over
        Index(
            "match_going_on",
            "id",
            sqlite_where=text("ended_at IS NULL"),
            postgresql_where=text("ended_at IS NULL"),
        ),
        # the stalled page asks: which were never filled
        Index("match_status_created", "status", "created_at", "id"),
        # "my links", and how many matches somebody hosts: an address, in upper or lower case
        Index("match_of_host_address", text("lower(host_email)")),
        # the operator's list: the newest first, and by somebody's name
        Index("match_created", "created_at", "id"),
        Index("match_of_host_name", text("lower(host_name)")),
        # housekeeping asks: which matches have been over for a long time and are not packed
        Index(
            "match_to_pack",
            "ended_at",
            "id",
            sqlite_where=text(TO_PACK),
            postgresql_where=text(TO_PACK),
        ),
        CheckConstraint("status in ('lobby','running','finished','aborted')", name="match_status"),
        CheckConstraint("ply >= 0 and revision >= 0", name="match_counts"),
    )

    id: str = Field(primary_key=True, max_length=16)
    game: str = Field(max_length=40)
    rules_version: str = Field(max_length=40)
    seat_count: int
    options_json: str = Field(sa_column=Column(Text, nullable=False))
    title: str = Field(max_length=200)
    language: str = Field(max_length=8)
    zone: str = Field(max_length=64)
    clock_json: str = Field(sa_column=Column(Text, nullable=False))
    status: str = Field(default=MatchStatus.LOBBY, max_length=16)

    host_name: str = Field(max_length=60)
    host_email: str = Field(max_length=254)
    host_epoch: int = 0
    #: Nobody is invited until somebody with the host's link says so: that proves the address.
    unproved_host: bool = False

    seed: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    commitment: str = Field(max_length=64)
    chain_head: str = Field(default="", max_length=64)
    #: Whether the host insists on the beacon in the dice.
    beacon_required: bool = False
    #: ``pbem.beacon.Beacon``, from when the last seat was taken. None before that, and in a match
    #: that began when there was no beacon.
    beacon_json: str | None = Field(default=None, sa_column=Column(Text))
    #: When to ask for the round, while the match waits for it.
    beacon_due_at: datetime | None = None

    state_json: str | None = Field(default=None, sa_column=Column(Text))
    phase: str = Field(default="lobby", max_length=60)
    ply: int = 0
    #: How many plies told everybody something, and the hash of the last of them. None in a match
    #: whose last ply is older than this column: there every ply counts as public.
    public_ply: int | None = None
    public_head: str | None = Field(default=None, max_length=64)
    revision: int = 0
    outcome_json: str | None = Field(default=None, sa_column=Column(Text))

    #: When somebody should carry the match on; None while it waits for people.
    advance_due_at: datetime | None = None
    advance_failures: int = 0
    #: Set when it failed too often: it is left alone, with its error, until somebody fixes it.
    set_aside_at: datetime | None = None
    set_aside_error: str | None = Field(default=None, sa_column=Column(Text))

    #: Until then all clocks of the match are stopped. Then it goes on by itself.
    paused_until: datetime | None = None

    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    #: When its log was moved to ``PackedLog`` (``pbem.store.packed``).
    packed_at: datetime | None = None
    #: In the lobby: how often those who have not joined were reminded, and when to look again.
    lobby_reminders: int = 0
    lobby_next_at: datetime | None = None
    #: The match this one is the rematch of.
    rematch_of: str | None = Field(default=None, max_length=16, unique=True)

    @property
    def counted(self) -> int:
        """How many plies everybody may know of: while the match runs, hidden ones do not count."""
        return self.ply if self.public_ply is None or self.ended_at is not None else self.public_ply

    @property
    def shown_head(self) -> str:
        """The hash of the last ply that everybody may know of."""
        hidden = self.public_head is not None and self.ended_at is None
        return self.public_head or "" if hidden else self.chain_head


class Seat(SQLModel, table=True):
    """A place the rules know, and who sits on it. ``epoch`` goes up to kill all its links."""

    __tablename__ = "seat"
    __table_args__ = (
        UniqueConstraint("match_id", "number", name="seat_once"),
        # "my links", and bounces, ask: where does this address play, in upper or lower case
        Index("seat_of_address", text("lower(email)")),
        # the operator's list asks: where does somebody of this name play
        Index("seat_of_name", text("lower(name)")),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    number: int
    name: str = Field(max_length=60)
    #: None for a seat that a bot holds from the start.
    email: str | None = Field(default=None, max_length=254)
    #: The bot that plays this seat now, if one does.
    bot: str | None = Field(default=None, max_length=40)
    bot_since: datetime | None = None
    joined_at: datetime | None = None
    phrase: str | None = Field(default=None, max_length=200)
    epoch: int = 0
    zone: str = Field(max_length=64)
    language: str = Field(max_length=8)
    #: Turns missed in a row.
    missed: int = 0
    #: Seconds of reserve (or bank) that are left.
    reserve: int = 0
    #: Days of vacation that are left.
    vacation_days: int = 0
    #: The announced vacation: from its first midnight to the one after it, in the seat's own zone.
    away_from: datetime | None = None
    away_until: datetime | None = None
    #: Set when the player gave the seat up: it is not offered back.
    resigned_at: datetime | None = None
    #: The last ply that its player has been told of; mails tell what came after it.
    told_ply: int = 0
    #: How many of its plies were not told to everybody.
    hidden_plies: int = 0
    #: Why mail to the address does not arrive, and since when.
    mail_problem: str | None = Field(default=None, sa_column=Column(Text))
    mail_problem_at: datetime | None = None
    #: When a mail bounced after the relay had taken it. Whoever has a mail can forge such a bounce.
    mail_returned_at: datetime | None = None
    muted_at: datetime | None = None


class Turn(SQLModel, table=True):
    """One seat's obligation to act. It opens, waits and closes once."""

    __tablename__ = "turn"
    __table_args__ = (
        Index(
            "turn_open_once",
            "match_id",
            "seat",
            unique=True,
            sqlite_where=text("closed_at IS NULL"),
            postgresql_where=text("closed_at IS NULL"),
        ),
        # the sweep asks: which open turns need a reminder or have run out, soonest first
        Index(
            "turn_next",
            "next_at",
            sqlite_where=text("closed_at IS NULL AND next_at IS NOT NULL"),
            postgresql_where=text("closed_at IS NULL AND next_at IS NOT NULL"),
        ),
        # a seat's last turns, for mails and pages
        Index("turn_of_seat", "match_id", "seat", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    seat: int
    opened_ply: int
    #: The ply at which the present question was asked: an answer to an older one is stale.
    asked_ply: int
    opened_at: datetime
    #: Start of the span that reminders divide: the opening, or the last extension.
    clock_from: datetime
    #: The instant from which this turn's time is charged to the seat's bank.
    charged_from: datetime
    #: Outages of the service up to here are credited.
    credited_until: datetime | None = None
    #: The announced deadline; None without a limit. The reserve begins here.
    due_at: datetime | None = None
    #: When the reserve and the grace have run out too.
    final_at: datetime | None = None
    #: The policy that made these instants.
    clock_json: str = Field(sa_column=Column(Text, nullable=False))
    reminders: int = 0
    #: The next instant at which this turn needs care.
    next_at: datetime | None = None
    host_asked_at: datetime | None = None
    #: Since when the clock has stood still; ``held_why`` is a Hold. None while it runs.
    held_at: datetime | None = None
    held_why: str | None = Field(default=None, max_length=8)
    #: The opening, the deadline and the stop of the clock as others know them: without what hidden
    #: orders have changed since the last ply that everybody reads of.
    public_opened_at: datetime | None = None
    public_due_at: datetime | None = None
    public_held_at: datetime | None = None
    closed_at: datetime | None = None
    closed_by: str | None = Field(default=None, max_length=16)


class Ply(SQLModel, table=True):
    """One line of a match's log. Entry 0 is the table before the first move."""

    __tablename__ = "ply"

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    ply: int = Field(primary_key=True)
    seat: int | None = None
    #: Who held the seat then; None in entry 0, which names all, and in older rows.
    player: str | None = Field(default=None, max_length=60)
    turn_id: int | None = Field(default=None, foreign_key="turn.id")
    made_by: str = Field(max_length=16)
    made_at: datetime
    rules_version: str = Field(max_length=40)
    phase: str = Field(max_length=60)
    order_text: str = Field(sa_column=Column(Text, nullable=False))
    move_json: str = Field(sa_column=Column(Text, nullable=False))
    events_json: str = Field(sa_column=Column(Text, nullable=False))
    draws_json: str = Field(sa_column=Column(Text, nullable=False))
    reveals: bool = False
    previous_hash: str = Field(max_length=64)
    hash: str = Field(max_length=64)
    #: How many of the plies up to this one told everybody something; None in older rows: all.
    public_ply: int | None = None


class PackedLog(SQLModel, table=True):
    """The plies and submissions of a match that has been over for a long time. Append only."""

    __tablename__ = "packed_log"

    match_id: str = Field(foreign_key="match.id", primary_key=True, max_length=16)
    #: As ``pbem.store.packed`` writes them.
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


#: A value of ``after_turn``: the standing order waits until the turn that opens next is over.
NEXT_TURN = 0


class StandingOrder(SQLModel, table=True):
    """What a seat wants played at a decision to come: the first order that is legal then."""

    __tablename__ = "standing_order"
    __table_args__ = (
        # carrying a match on asks: what did this seat leave, oldest first
        Index("standing_order_of_seat", "match_id", "seat", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    seat: int
    #: The alternatives in their order, as a list of texts.
    orders_json: str = Field(sa_column=Column(Text, nullable=False))
    #: The turn that was open when it was left, and is answered without it; ``NEXT_TURN`` for the
    #: one that opens next, after going back. None if no turn was open.
    after_turn: int | None = None
    created_at: datetime
    #: Set when it was played, found illegal, or cancelled: ``ended`` says which.
    ended_at: datetime | None = None
    ended: str | None = Field(default=None, max_length=12)
    ended_ply: int | None = None


class Proposal(SQLModel, table=True):
    """A seat asks all others to let the match go back to an earlier ply."""

    __tablename__ = "proposal"

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16, index=True)
    seat: int
    back_to: int
    #: The ply it was made at: when the match has moved on, it is void.
    ply: int
    created_at: datetime
    closed_at: datetime | None = None
    closed: str | None = Field(default=None, max_length=12)


class Consent(SQLModel, table=True):
    """What one seat answered to a proposal."""

    __tablename__ = "consent"
    __table_args__ = (UniqueConstraint("proposal_id", "seat", name="consent_once"),)

    id: int | None = Field(default=None, primary_key=True)
    proposal_id: int = Field(foreign_key="proposal.id")
    seat: int
    agreed: bool
    at: datetime


class Permission(SQLModel, table=True):
    """A remedy for somebody's seat that waits for the owner's yes."""

    __tablename__ = "permission"
    __table_args__ = (
        # the sweep asks: which are answered, or out of time
        Index(
            "permission_due",
            "next_at",
            sqlite_where=text("closed_at IS NULL"),
            postgresql_where=text("closed_at IS NULL"),
        ),
        Index("permission_of_seat", "match_id", "seat", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    seat: int
    #: Of the seat's links when its owner was asked: in a later epoch nobody can answer.
    epoch: int
    #: Who asks: an Actor.
    actor: str = Field(max_length=16)
    remedy: str = Field(max_length=40)
    #: What the remedy is told, as ``permissions`` writes it; empty once it is closed.
    asked_json: str = Field(sa_column=Column(Text, nullable=False))
    #: Whether silence is a yes.
    silence: bool = False
    created_at: datetime
    #: Until then its owner can answer.
    ends_at: datetime
    #: The next instant at which it needs care.
    next_at: datetime
    #: Whether the owner has said yes. A no closes it.
    agreed: bool = False
    closed_at: datetime | None = None
    #: What came of it: an ``Ended``.
    closed: str | None = Field(default=None, max_length=12)


class Outage(SQLModel, table=True):
    """A time without sweeps: turns that were open get it back."""

    __tablename__ = "outage"

    id: int | None = Field(default=None, primary_key=True)
    begun_at: datetime
    ended_at: datetime = Field(index=True)


class Submission(SQLModel, table=True):
    """A move as received, and the receipt it got: the same submission gets the same again."""

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("turn_id", "key", name="submission_once"),)

    id: int | None = Field(default=None, primary_key=True)
    turn_id: int = Field(foreign_key="turn.id")
    key: str = Field(max_length=80)
    ply: int
    receipt_json: str = Field(sa_column=Column(Text, nullable=False))
    received_at: datetime


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
        Index(
            "outbox_due",
            "due_at",
            sqlite_where=text(UNPAID_MAILS),
            postgresql_where=text(UNPAID_MAILS),
        ),
        # and: which is somebody waiting for, newest first
        Index(
            "outbox_awaited",
            "due_at",
            sqlite_where=text(AWAITED_MAILS),
            postgresql_where=text(AWAITED_MAILS),
        ),
        # the operator's page asks: which have trouble, newest first
        Index(
            "outbox_troubled",
            "id",
            sqlite_where=text(TROUBLED_MAILS),
            postgresql_where=text(TROUBLED_MAILS),
        ),
        Index("outbox_of_seat", "match_id", "seat", "id"),
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
    #: sent: it was asked for by an address ("mail me my links"), or is for the one before.
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


class Audit(SQLModel, table=True):
    """What was done to a match by other means than a move. Append only, chained by hash.

    ``match_id`` is empty for what concerns the service; each match has a chain of its own.
    """

    __tablename__ = "audit"
    __table_args__ = (
        UniqueConstraint("match_id", "number", name="audit_once"),
        # the operator's page asks: what was done here last
        Index(
            "audit_of_operator",
            "id",
            sqlite_where=text(ACTS_OF_THE_OPERATOR),
            postgresql_where=text(ACTS_OF_THE_OPERATOR),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(default="", max_length=16)
    number: int
    at: datetime
    #: An Actor.
    actor: str = Field(max_length=16)
    #: An AuditAct.
    act: str = Field(max_length=40)
    seat: int | None = None
    detail_json: str = Field(sa_column=Column(Text, nullable=False))
    #: Shown in the table's history.
    public: bool = True
    ply: int = 0
    previous_hash: str = Field(max_length=64)
    hash: str = Field(max_length=64)


class AuditHead(SQLModel, table=True):
    """The last row of a chain of the audit log, so that its deletion is noticed."""

    __tablename__ = "audit_head"

    match_id: str = Field(primary_key=True, max_length=16)
    number: int
    hash: str = Field(max_length=64)


class OperatorSession(SQLModel, table=True):
    """A login of the operator. Logging out deletes the row, so a stolen cookie is worth nothing."""

    __tablename__ = "operator_session"

    #: SHA-256 of the secret in the cookie.
    id: str = Field(primary_key=True, max_length=64)
    name: str = Field(max_length=60)
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


class Invitee(SQLModel, table=True):
    """Whose address was invited lately, or wants no invitations (``pbem.acts.invitees``).

    Reminders of invitations are counted in a row of their own, with another digest.
    """

    __tablename__ = "invitee"
    __table_args__ = (
        # housekeeping asks: which rows are old
        Index(
            "invitee_day",
            "day",
            sqlite_where=text("never_at IS NULL"),
            postgresql_where=text("never_at IS NULL"),
        ),
    )

    digest: str = Field(primary_key=True, max_length=64)
    #: The day (UTC) of the last invitation, and how many there were on it.
    day: date
    invitations: int = 0
    #: Since when they want none.
    never_at: datetime | None = None


class Heartbeat(SQLModel, table=True):
    """When a part of the service last showed that it lives."""

    __tablename__ = "heartbeat"

    name: str = Field(primary_key=True, max_length=40)
    at: datetime
    detail: str = Field(default="", max_length=200)


class SigningKey(SQLModel, table=True):
    """The fingerprint of the key that signs links.

    With another key, the links that were mailed before are dead.
    """

    __tablename__ = "signing_key"
    __table_args__ = (CheckConstraint("id = 1", name="signing_key_one"),)

    id: int = Field(default=1, primary_key=True)
    fingerprint: str = Field(max_length=64)
    since: datetime


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


def rows_of(model: type[SQLModel]) -> Table:
    """The database table of a model, for statements that do not use its objects."""
    return SQLModel.metadata.tables[str(model.__tablename__)]
