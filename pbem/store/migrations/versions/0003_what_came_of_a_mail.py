"""What became of a mail after it was sent.

Revision: 0003
Follows: 0002
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(
            sa.Column("sent_to", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=True)
        )
        outbox.add_column(
            sa.Column("delivery", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True)
        )
        outbox.add_column(
            sa.Column("delivery_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True)
        )
        outbox.add_column(sa.Column("delivery_note", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("outbox") as outbox:
        for name in ("delivery_note", "delivery_at", "delivery", "sent_to"):
            outbox.drop_column(name)
