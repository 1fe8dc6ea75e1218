"""The tables of what is played: matches, their seats, the turns that are open."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Column, Index, LargeBinary, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index
from pbem.store.names import MatchStatus

#: Matches whose log is to be packed when they have been over for a long time.
TO_PACK = "ended_at IS NOT NULL AND packed_at IS NULL"
#: Matches that are over and whose addresses are there yet.
WITH_ADDRESSES = "ended_at IS NOT NULL AND addresses_gone_at IS NULL"


def counted(ply: int, public_ply: int | None, ended_at: datetime | None) -> int:
    """How many plies everybody may know of: while the match runs, hidden ones do not count."""
    return ply if public_ply is None or ended_at is not None else public_ply


class Match(SQLModel, table=True):
    """One playing of a game.

    ``revision`` goes up with every act: of two acts at once only the first to raise it may write.
    """

    __tablename__ = "match"
    __table_args__ = (
        # the sweep asks: which matches have something to be carried on, soonest first
        partial_index("match_advance_due", "advance_due_at", where="advance_due_at IS NOT NULL"),
        # the stalled page asks: which matches were set aside. The index is partial, because SQLite
        # used a full one for "not set aside" too, which is true of nearly every match
        partial_index("match_set_aside", "set_aside_at", where="set_aside_at IS NOT NULL"),
        # the sweep asks: whose pause is over, and which lobbies are due
        partial_index("match_paused_until", "paused_until", where="paused_until IS NOT NULL"),
        partial_index("match_lobby_next", "lobby_next_at", where="lobby_next_at IS NOT NULL"),
        # the sweep asks: which matches wait for their round of the beacon
        partial_index("match_beacon_due", "beacon_due_at", where="beacon_due_at IS NOT NULL"),
        # the stalled page asks: which matches are not over
        partial_index("match_going_on", "id", where="ended_at IS NULL"),
        # the stalled page asks: which were never filled
        Index("match_status_created", "status", "created_at", "id"),
        # the standings ask: which ended since they last looked
        partial_index("match_ended", "ended_at", "id", where="ended_at IS NOT NULL"),
        # home, and how many matches somebody hosts: an address, in upper or lower case
        Index("match_of_host_address", text("lower(host_email)")),
        # the operator's list: the newest first, and by somebody's name
        Index("match_created", "created_at", "id"),
        Index("match_of_host_name", text("lower(host_name)")),
        # housekeeping asks: which matches have been over for a long time and are not packed
        partial_index("match_to_pack", "ended_at", "id", where=TO_PACK),
        # and: which have had their addresses for a long time
        partial_index("match_with_addresses", "ended_at", where=WITH_ADDRESSES),
        CheckConstraint("status in ('lobby','running','finished','aborted')", name="match_status"),
        CheckConstraint("ply >= 0 and revision >= 0", name="match_counts"),
    )

    id: str = Field(primary_key=True, max_length=16)
    game: str = Field(max_length=40)
    rules_version: str = Field(max_length=40)
    seat_count: int
    options_json: str = Field(sa_column=Column(Text, nullable=False))
    title: str = Field(max_length=200)
    #: What its host calls it; "" if it has no name.
    name: str = Field(default="", max_length=60)
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
    #: When the addresses of its players and its host were deleted, long after its end.
    addresses_gone_at: datetime | None = None
    #: In the lobby: how often those who have not joined were reminded, and when to look again.
    lobby_reminders: int = 0
    lobby_next_at: datetime | None = None
    #: The digest that the record of a finished match had before a name was taken out of its log.
    #: None where the digest does not change by that.
    digest_before: str | None = Field(default=None, max_length=64)
    #: The match this one is the rematch of.
    rematch_of: str | None = Field(default=None, max_length=16, unique=True)

    @property
    def counted(self) -> int:
        """How many plies everybody may know of."""
        return counted(self.ply, self.public_ply, self.ended_at)

    @property
    def shown_head(self) -> str:
        """The hash of the last ply that everybody may know of."""
        hidden = self.public_head is not None and self.ended_at is None
        return self.public_head or "" if hidden else self.chain_head

    def is_seat_of_host(self, seat: Seat) -> bool:
        """Whether the host plays, and in this seat."""
        return seat.has_address(self.host_email)


class Seat(SQLModel, table=True):
    """A place the rules know, and who sits on it. ``epoch`` goes up to kill all its links."""

    __tablename__ = "seat"
    __table_args__ = (
        UniqueConstraint("match_id", "number", name="seat_once"),
        # home, and bounces, ask: where does this address play, in upper or lower case
        Index("seat_of_address", text("lower(email)")),
        # the operator's list asks: where does somebody of this name play
        Index("seat_of_name", text("lower(name)")),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    number: int
    #: Of a player who was forgotten: words that stand for one, in the match's language.
    name: str = Field(max_length=60)
    #: What the digest of the name is made with; None once its player was forgotten, and before the
    #: match began.
    name_salt: str | None = Field(default=None, max_length=32)
    #: The digest of who holds the seat (``pbem.store.holders``); None in matches that began before
    #: there were any.
    holder: str | None = Field(default=None, max_length=64)
    #: When its player was forgotten. Then the seat has no address.
    forgotten_at: datetime | None = None
    #: None for a seat that a bot holds from the start, while the seat is open, and where the
    #: address was deleted.
    email: str | None = Field(default=None, max_length=254)
    #: The host invited nobody and left it to whoever comes: the host never sees their address.
    left_open: bool = False
    #: The bot that plays this seat now, if one does.
    bot: str | None = Field(default=None, max_length=40)
    bot_since: datetime | None = None
    joined_at: datetime | None = None
    phrase: str | None = Field(default=None, max_length=200)
    epoch: int = 0
    zone: str = Field(max_length=64)
    language: str = Field(max_length=8)
    #: Whether its player wants to be reminded of a turn that stays open.
    reminders: bool = True
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

    def has_address(self, address: str) -> bool:
        """Whether this is the address of its player, in upper or lower case."""
        return bool(address) and (self.email or "").lower() == address.lower()

    @property
    def is_open(self) -> bool:
        """Whether anybody can take it now: no person has it, and no bot."""
        return self.left_open and self.email is None


class FormerHolder(SQLModel, table=True):
    """Who held a seat before its present holder, or under another name, and what binds the name."""

    __tablename__ = "former_holder"
    __table_args__ = (Index("former_holder_of_match", "match_id", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="match.id", max_length=16)
    seat: int
    #: "" where the log does not bind the name by a digest.
    holder: str = Field(max_length=64)
    name: str = Field(max_length=60)
    name_salt: str = Field(max_length=32)
    #: The digest of the address they had, by which they can be forgotten; the address is not kept.
    owner: str = Field(max_length=64, index=True)


class Turn(SQLModel, table=True):
    """One seat's obligation to act. It opens, waits and closes once."""

    __tablename__ = "turn"
    __table_args__ = (
        partial_index("turn_open_once", "match_id", "seat", where="closed_at IS NULL", unique=True),
        # the sweep asks: which open turns need a reminder or have run out, soonest first
        partial_index("turn_next", "next_at", where="closed_at IS NULL AND next_at IS NOT NULL"),
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
    #: The instant from which this turn's time is charged to the seat's bank; a reserve is charged
    #: from the deadline.
    charged_from: datetime
    #: Spans that are charged to neither: the clock stood still, or the player was away in a
    #: vacation before the one that the seat's row holds.
    not_charged_json: str | None = Field(default=None, sa_column=Column(Text))
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
