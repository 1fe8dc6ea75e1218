"""Hosts prove their address; whose address was invited lately, and who wants no invitations.

Revision: 0020
Follows: 0019
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

OLD = "never_at IS NULL"


def upgrade() -> None:
    op.add_column(
        "match",
        sa.Column("unproved_host", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "invitee",
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("invitations", sa.Integer(), nullable=False),
        sa.Column("never_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index(
        "invitee_day", "invitee", ["day"], sqlite_where=sa.text(OLD), postgresql_where=sa.text(OLD)
    )


def downgrade() -> None:
    op.drop_table("invitee")
    op.drop_column("match", "unproved_host")
