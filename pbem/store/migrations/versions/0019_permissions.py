"""What waits for a player's yes, before it is done with their seat.

Revision: 0019
Follows: 0018
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

OPEN = "closed_at IS NULL"


def upgrade() -> None:
    text, instant = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "permission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", text(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("actor", text(length=16), nullable=False),
        sa.Column("remedy", text(length=40), nullable=False),
        sa.Column("asked_json", sa.Text(), nullable=False),
        sa.Column("silence", sa.Boolean(), nullable=False),
        sa.Column("created_at", instant(), nullable=False),
        sa.Column("ends_at", instant(), nullable=False),
        sa.Column("next_at", instant(), nullable=False),
        sa.Column("agreed", sa.Boolean(), nullable=False),
        sa.Column("closed_at", instant(), nullable=True),
        sa.Column("closed", text(length=12), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "permission_due",
        "permission",
        ["next_at"],
        sqlite_where=sa.text(OPEN),
        postgresql_where=sa.text(OPEN),
    )
    op.create_index("permission_of_seat", "permission", ["match_id", "seat", "id"])


def downgrade() -> None:
    op.drop_table("permission")
