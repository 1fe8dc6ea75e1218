"""The addresses of a match that has been over for long are deleted.

Revision: 0031
Follows: 0030
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

WITH_ADDRESSES = sa.text("ended_at IS NOT NULL AND addresses_gone_at IS NULL")


def upgrade() -> None:
    op.add_column(
        "match", sa.Column("addresses_gone_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True)
    )
    op.create_index(
        "match_with_addresses",
        "match",
        ["ended_at"],
        sqlite_where=WITH_ADDRESSES,
        postgresql_where=WITH_ADDRESSES,
    )


def downgrade() -> None:
    op.drop_index("match_with_addresses", table_name="match")
    op.drop_column("match", "addresses_gone_at")
