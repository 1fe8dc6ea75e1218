"""The tables of people: who has proved an address, on which devices, and by which mailed links."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Column, Index, Text, UniqueConstraint, true
from sqlmodel import Field, SQLModel

from pbem.store.models.indexes import partial_index


class Person(SQLModel, table=True):
    """Somebody who has proved an address by a click. The address is the account.

    Rows about people name this row, so that forgetting somebody is one update here.
    """

    __tablename__ = "person"
    __table_args__ = (
        # the sweep asks: whose digest is due
        partial_index("person_digest", "digest_at", where="digest_at IS NOT NULL"),
        CheckConstraint("mails in ('each','digest','none')", name="person_mails"),
    )

    id: int | None = Field(default=None, primary_key=True)
    #: As they typed it; None when they were forgotten.
    address: str | None = Field(default=None, max_length=254)
    #: The address in lower case; None when they were forgotten.
    folded: str | None = Field(default=None, unique=True, max_length=254)
    name: str = Field(default="", max_length=60)
    language: str = Field(default="", max_length=8)
    zone: str = Field(default="", max_length=64)
    #: What mail they get of their turns, in all matches: each turn, one digest a day, or none.
    mails: str = Field(default="each", max_length=8, sa_column_kwargs={"server_default": "each"})
    #: The hour of the digest, in their own zone, and when the next one is due.
    digest_hour: int = Field(default=8, sa_column_kwargs={"server_default": "8"})
    digest_at: datetime | None = None
    #: Whether they are reminded of open turns.
    reminders: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    #: Hours in which they are not reminded, like ``23:00-09:00``, in their own zone; "" for none
    #: besides the usual ones.
    night: str = Field(default="", max_length=11, sa_column_kwargs={"server_default": ""})
    created_at: datetime
    forgotten_at: datetime | None = None


class PersonGroup(SQLModel, table=True):
    """People whom somebody often plays with, to be invited together."""

    __tablename__ = "person_group"
    __table_args__ = (UniqueConstraint("person_id", "name", name="person_group_once"),)

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    name: str = Field(max_length=60)
    #: A list of names and addresses.
    people_json: str = Field(sa_column=Column(Text, nullable=False))


class Device(SQLModel, table=True):
    """A browser on which somebody is signed in. Signing out deletes the row."""

    __tablename__ = "device"
    __table_args__ = (
        Index("device_of_person", "person_id"),
        # the sweep asks: whose time is over
        Index("device_expires", "expires_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    #: SHA-256 of the secret in the cookie.
    secret_hash: str = Field(unique=True, max_length=64)
    #: What the browser says it is, in a few words.
    label: str = Field(default="", max_length=60)
    created_at: datetime
    expires_at: datetime


class AddressLink(SQLModel, table=True):
    """What a mailed link does for whoever gets mail at an address, once.

    The token is never stored: it is computed from this row (``pbem.people.proofs``).
    """

    __tablename__ = "address_link"
    __table_args__ = (
        # the sweep asks: which are old
        Index("address_link_expires", "expires_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    #: A MailKind: what the link is for, and the mail that brings it.
    kind: str = Field(max_length=40)
    address: str = Field(max_length=254)
    language: str = Field(max_length=8)
    #: What was asked for besides: texts and numbers that the kind knows.
    about_json: str = Field(default="{}", sa_column=Column(Text, nullable=False))
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
