"""A turn keeps the time that it does not charge.

Revision: 0042
Follows: 0041
"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # of open turns what was not charged until now is in their other instants
    op.add_column("turn", sa.Column("not_charged_json", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("turn", "not_charged_json")
