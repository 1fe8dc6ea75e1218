"""The tables of people: who has proved an address, on which devices, and by which mailed links."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Index, Text
from sqlmodel import Field, SQLModel


class Person(SQLModel, table=True):
    """Somebody who has proved an address by a click. The address is the account.

    Rows about people name this row, so that forgetting somebody is one update here.
    """

    __tablename__ = "person"

    id: int | None = Field(default=None, primary_key=True)
    #: As they typed it; None when they were forgotten.
    address: str | None = Field(default=None, max_length=254)
    #: The address in lower case; None when they were forgotten.
    folded: str | None = Field(default=None, unique=True, max_length=254)
    name: str = Field(default="", max_length=60)
    language: str = Field(default="", max_length=8)
    zone: str = Field(default="", max_length=64)
    created_at: datetime
    forgotten_at: datetime | None = None


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
    seen_at: datetime
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
