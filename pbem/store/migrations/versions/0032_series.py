"""Leagues and tournaments: who plays in them, their rounds, and what everybody got.

Revision: 0032
Follows: 0031
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

DUE, TO_OPEN = "next_at IS NOT NULL", "opened_at IS NULL"
TO_SCORE = "opened_at IS NOT NULL AND scored_at IS NULL"


def _text(length: int) -> sqlmodel.sql.sqltypes.AutoString:
    return sqlmodel.sql.sqltypes.AutoString(length=length)


def _some(name: str, table: str, columns: list[str], which: str) -> None:
    op.create_index(
        name, table, columns, sqlite_where=sa.text(which), postgresql_where=sa.text(which)
    )


def upgrade() -> None:
    at = sqlmodel.sql.sqltypes.UTCDateTime()
    whole = sa.Integer()
    op.create_table(
        "series",
        sa.Column("id", _text(16), nullable=False),
        sa.Column("name", _text(60), nullable=False),
        sa.Column("game", _text(40), nullable=False),
        sa.Column("options_json", sa.Text(), nullable=False),
        sa.Column("clock_json", sa.Text(), nullable=False),
        sa.Column("language", _text(8), nullable=False),
        sa.Column("zone", _text(64), nullable=False),
        sa.Column("kind", _text(8), nullable=False),
        sa.Column("seats", whole, nullable=False),
        sa.Column("rounds", whole, nullable=False),
        sa.Column("most", whole, nullable=False),
        sa.Column("host_id", whole, nullable=False),
        sa.Column("seed", _text(40), nullable=False),
        sa.Column("status", _text(8), nullable=False),
        sa.Column("created_at", at, nullable=False),
        sa.Column("enter_until", at, nullable=True),
        sa.Column("round_days", whole, nullable=True),
        sa.Column("round", whole, nullable=False),
        sa.Column("next_at", at, nullable=True),
        sa.Column("ended_at", at, nullable=True),
        sa.Column("revision", whole, nullable=False),
        sa.CheckConstraint("status in ('open','running','over')", name="series_status"),
        sa.CheckConstraint("kind in ('groups','swiss')", name="series_kind"),
        sa.ForeignKeyConstraint(["host_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    _some("series_due", "series", ["next_at"], DUE)
    op.create_index("series_created", "series", ["created_at", "id"])
    op.create_table(
        "series_player",
        sa.Column("series_id", _text(16), nullable=False),
        sa.Column("number", whole, nullable=False),
        sa.Column("person_id", whole, nullable=False),
        sa.Column("name", _text(60), nullable=False),
        sa.Column("folded", _text(120), nullable=False),
        sa.Column("entered_at", at, nullable=False),
        sa.Column("place", _text(8), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"]),
        sa.PrimaryKeyConstraint("series_id", "number"),
        sa.UniqueConstraint("series_id", "folded", name="series_name_once"),
        sa.UniqueConstraint("series_id", "person_id", name="series_person_once"),
    )
    op.create_index("series_player_of_person", "series_player", ["person_id"])
    op.create_table(
        "series_match",
        sa.Column("series_id", _text(16), nullable=False),
        sa.Column("round", whole, nullable=False),
        sa.Column("number", whole, nullable=False),
        sa.Column("match_id", _text(16), nullable=False),
        sa.Column("opened_at", at, nullable=True),
        sa.Column("scored_at", at, nullable=True),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"]),
        sa.PrimaryKeyConstraint("series_id", "round", "number"),
        sa.UniqueConstraint("match_id"),
    )
    in_order = ["series_id", "round", "number"]
    _some("series_match_to_open", "series_match", in_order, TO_OPEN)
    _some("series_match_to_score", "series_match", in_order, TO_SCORE)
    op.create_table(
        "series_seat",
        sa.Column("series_id", _text(16), nullable=False),
        sa.Column("round", whole, nullable=False),
        sa.Column("player", whole, nullable=False),
        sa.Column("number", whole, nullable=False),
        sa.Column("seat", whole, nullable=False),
        sa.Column("points", whole, nullable=True),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("went", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"]),
        sa.PrimaryKeyConstraint("series_id", "round", "player"),
    )


def downgrade() -> None:
    for table in ("series_seat", "series_match", "series_player", "series"):
        op.drop_table(table)
