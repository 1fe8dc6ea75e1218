"""Mails that were settled after their match was packed belong to no match, and go by their age.

Revision: 0016
Follows: 0015
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "UPDATE outbox SET match_id = NULL WHERE status IN ('sent','dead','dropped')"
        " AND match_id IN (SELECT id FROM match WHERE packed_at IS NOT NULL)"
    )


def downgrade() -> None:
    # which match each of them was of is not known any more, and nothing asks for it
    pass
