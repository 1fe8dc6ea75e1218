"""Indexes for the operator's list: matches by when they were opened, and by somebody's name.

Revision: 0010
Follows: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("match_status_created", table_name="match")
    op.create_index("match_status_created", "match", ["status", "created_at", "id"])
    op.create_index("match_created", "match", ["created_at", "id"])
    op.create_index("match_of_host_name", "match", [sa.text("lower(host_name)")])
    op.create_index("seat_of_name", "seat", [sa.text("lower(name)")])


def downgrade() -> None:
    op.drop_index("seat_of_name", table_name="seat")
    op.drop_index("match_of_host_name", table_name="match")
    op.drop_index("match_created", table_name="match")
    op.drop_index("match_status_created", table_name="match")
    op.create_index("match_status_created", "match", ["status", "created_at"])
