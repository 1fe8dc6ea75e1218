"""Of a message, which former holder of its seat said it.

Revision: 0036
Follows: 0035
"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

#: Until now a message had the name alone of whoever said it.
_BY_NAME = """
UPDATE message SET former = (
    SELECT min(former_holder.id) FROM former_holder
    WHERE former_holder.match_id = message.match_id
      AND former_holder.seat = message.seat AND former_holder.name = message.name
) WHERE NOT EXISTS (
    SELECT 1 FROM seat
    WHERE seat.match_id = message.match_id
      AND seat.number = message.seat AND seat.name = message.name
)
"""


def upgrade() -> None:
    op.add_column("message", sa.Column("former", sa.Integer(), nullable=True))
    op.execute(_BY_NAME)


def downgrade() -> None:
    op.drop_column("message", "former")
