"""The players of a match that is over say whether they would like a rematch.

Revision: 0030
Follows: 0029
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def _text(length: int) -> sqlmodel.sql.sqltypes.AutoString:
    return sqlmodel.sql.sqltypes.AutoString(length=length)


def upgrade() -> None:
    at = sqlmodel.sql.sqltypes.UTCDateTime()
    unsettled = sa.text("due_at IS NOT NULL")
    op.create_table(
        "rematch_ask",
        sa.Column("match_id", _text(16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("asked_at", at, nullable=False),
        sa.Column("due_at", at, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_index(
        "rematch_ask_due",
        "rematch_ask",
        ["due_at"],
        sqlite_where=unsettled,
        postgresql_where=unsettled,
    )
    op.create_table(
        "rematch_wish",
        sa.Column("match_id", _text(16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("game", _text(40), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.CheckConstraint("seat >= 0", name="rematch_wish_seat"),
        sa.ForeignKeyConstraint(["match_id"], ["rematch_ask.match_id"]),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )


def downgrade() -> None:
    for table in ("rematch_wish", "rematch_ask"):
        op.drop_table(table)
