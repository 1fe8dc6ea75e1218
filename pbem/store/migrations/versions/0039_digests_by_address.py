"""The digests of an address are found: a letter may answer one.

Revision: 0039
Follows: 0038
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    digests = sa.text("kind = 'digest'")
    op.create_index(
        "outbox_digests",
        "outbox",
        ["address"],
        sqlite_where=digests,
        postgresql_where=digests,
    )


def downgrade() -> None:
    op.drop_index("outbox_digests", "outbox")
