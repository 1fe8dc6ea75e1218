"""A player says whether they want to be reminded of their turns in a match.

Revision: 0033
Follows: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "seat", sa.Column("reminders", sa.Boolean(), nullable=False, server_default=sa.true())
    )


def downgrade() -> None:
    op.drop_column("seat", "reminders")
