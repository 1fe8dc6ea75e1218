"""Which round of the public beacon goes into the dice of a match.

Revision: 0018
Follows: 0017
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

WAITS = "beacon_due_at IS NOT NULL"


def upgrade() -> None:
    op.add_column(
        "match",
        sa.Column("beacon_required", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.add_column("match", sa.Column("beacon_json", sa.Text(), nullable=True))
    op.add_column(
        "match", sa.Column("beacon_due_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True)
    )
    op.create_index(
        "match_beacon_due",
        "match",
        ["beacon_due_at"],
        sqlite_where=sa.text(WAITS),
        postgresql_where=sa.text(WAITS),
    )


def downgrade() -> None:
    op.drop_index("match_beacon_due", "match")
    for name in ("beacon_due_at", "beacon_json", "beacon_required"):
        op.drop_column("match", name)
