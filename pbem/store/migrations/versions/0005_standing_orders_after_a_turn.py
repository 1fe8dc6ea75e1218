"""A standing order that is left while a turn is open is for the turn after it.

Revision: 0005
Follows: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("standing_order") as standing_order:
        standing_order.add_column(sa.Column("after_turn", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("standing_order") as standing_order:
        standing_order.drop_column("after_turn")
