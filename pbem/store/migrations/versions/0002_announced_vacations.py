"""A seat's announced vacation: from when to when its player is away.

Revision: 0002
Follows: 0001
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("seat") as seat:
        for name in ("away_from", "away_until"):
            seat.add_column(sa.Column(name, sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("seat") as seat:
        for name in ("away_until", "away_from"):
            seat.drop_column(name)
