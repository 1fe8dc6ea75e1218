"""Animated pictures of matches are made by the workers, and kept.

Revision: 0037
Follows: 0036
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    at = sqlmodel.sql.sqltypes.UTCDateTime()
    op.create_table(
        "animation",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("due_at", at, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("made_at", at, nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    for name, column in (("animation_to_make", "due_at"), ("animation_made", "made_at")):
        there = sa.text(f"{column} IS NOT NULL")
        op.create_index(name, "animation", [column], sqlite_where=there, postgresql_where=there)


def downgrade() -> None:
    op.drop_table("animation")
