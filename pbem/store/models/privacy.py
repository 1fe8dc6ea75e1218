"""The table of people who asked to be forgotten, until that is done."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel


class Forgetting(SQLModel, table=True):
    """An address that is to be forgotten. The row is deleted when nothing is left of it.

    While there is one, a packed log can be written anew, without a name.
    """

    __tablename__ = "forgetting"

    #: The address in lower case.
    folded: str = Field(primary_key=True, max_length=254)
    asked_at: datetime
    #: Who asked: an Actor.
    actor: str = Field(max_length=16)
