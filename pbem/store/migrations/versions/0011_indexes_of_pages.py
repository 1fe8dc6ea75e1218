"""Indexes for queries of pages and of the mailer, so that none of them scans a whole table.

Revision: 0011
Follows: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

#: Name, table, column, and the condition on the rows.
PARTIAL = (
    ("match_going_on", "match", "id", "ended_at IS NULL"),
    (
        "outbox_troubled",
        "outbox",
        "id",
        "(status in ('dead','in_doubt') or (status = 'pending' and attempts > 0)"
        " or delivery in ('failed','delayed'))",
    ),
    ("audit_of_operator", "audit", "id", "actor = 'operator'"),
)


def upgrade() -> None:
    for name, table, column, where in PARTIAL:
        op.create_index(
            name, table, [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where)
        )


def downgrade() -> None:
    for name, table, _, _ in PARTIAL:
        op.drop_index(name, table_name=table)
