"""A seat keeps the time at which a mail to it bounced, even after its player has moved.

Revision: 0009
Follows: 0008
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("seat") as seat:
        seat.add_column(
            sa.Column("mail_returned_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True)
        )


def downgrade() -> None:
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("mail_returned_at")
