"""Matches that look for players are listed, and people want to hear of them.

Revision: 0029
Follows: 0028
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def _text(length: int) -> sqlmodel.sql.sqltypes.AutoString:
    return sqlmodel.sql.sqltypes.AutoString(length=length)


def upgrade() -> None:
    at = sqlmodel.sql.sqltypes.UTCDateTime()
    untold = sa.text("told IS NOT NULL")
    op.create_table(
        "open_table",
        sa.Column("match_id", _text(16), nullable=False),
        sa.Column("game", _text(40), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("language", _text(8), nullable=False),
        sa.Column("pace", _text(16), nullable=False),
        sa.Column("created_at", at, nullable=False),
        sa.Column("told", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_index("open_table_newest", "open_table", ["created_at", "match_id"])
    op.create_index(
        "open_table_untold",
        "open_table",
        ["created_at"],
        sqlite_where=untold,
        postgresql_where=untold,
    )
    op.create_table(
        "watch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("game", _text(40), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("language", _text(8), nullable=False),
        sa.Column("created_at", at, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("mails", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "game", "seats", "language", name="watch_once"),
    )
    op.create_index("watch_of_game", "watch", ["game", "id"])


def downgrade() -> None:
    for table in ("watch", "open_table"):
        op.drop_table(table)
