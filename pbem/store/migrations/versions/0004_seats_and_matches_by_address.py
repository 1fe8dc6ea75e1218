"""Indexes to find seats and matches by address, in upper or lower case.

The queries compare ``lower(address)``, for which the plain indexes could not be used.

Revision: 0004
Follows: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_seat_email", table_name="seat")
    op.drop_index("ix_match_host_email", table_name="match")
    op.create_index("seat_of_address", "seat", [sa.text("lower(email)")])
    op.create_index("match_of_host_address", "match", [sa.text("lower(host_email)")])


def downgrade() -> None:
    op.drop_index("match_of_host_address", table_name="match")
    op.drop_index("seat_of_address", table_name="seat")
    op.create_index("ix_match_host_email", "match", ["host_email"])
    op.create_index("ix_seat_email", "seat", ["email"])
