"""The clock of a turn as others know it: without the time that hidden orders gave it.

Revision: 0013
Follows: 0012
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

COLUMNS = ("public_opened_at", "public_due_at", "public_held_at")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("turn", sa.Column(name, sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    # of closed turns these columns are never read
    op.execute(
        "UPDATE turn SET public_opened_at = opened_at, public_due_at = due_at, "
        "public_held_at = held_at WHERE closed_at IS NULL"
    )


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_column("turn", name)
