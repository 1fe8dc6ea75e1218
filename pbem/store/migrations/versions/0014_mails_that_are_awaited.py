"""An index of the mails that somebody is waiting for: they are sent before the others.

Revision: 0014
Follows: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

AWAITED = "status = 'pending' and attempts = 0 and kind in ('your_turn','reply_answer','my_links')"


def upgrade() -> None:
    where = sa.text(AWAITED)
    op.create_index(
        "outbox_awaited", "outbox", ["due_at"], sqlite_where=where, postgresql_where=where
    )


def downgrade() -> None:
    op.drop_index("outbox_awaited", table_name="outbox")
