"""The tables of whoever runs the service: outages, logins, heartbeats, keys."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
)
from sqlmodel import Field, SQLModel


class Outage(SQLModel, table=True):
    """A time without sweeps: turns that were open get it back."""

    __tablename__ = "outage"

    id: int | None = Field(default=None, primary_key=True)
    begun_at: datetime
    ended_at: datetime = Field(index=True)


class OperatorSession(SQLModel, table=True):
    """A login of the operator. Logging out deletes the row, so a stolen cookie is worth nothing."""

    __tablename__ = "operator_session"

    #: SHA-256 of the secret in the cookie.
    id: str = Field(primary_key=True, max_length=64)
    name: str = Field(max_length=60)
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


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
