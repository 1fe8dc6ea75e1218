"""A table of a series that could not be opened, or scored, is tried again later.

Revision: 0040
Follows: 0039
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

INDEXES = {
    "series_match_to_open": "opened_at IS NULL",
    "series_match_to_score": "opened_at IS NOT NULL AND scored_at IS NULL",
}


def upgrade() -> None:
    # long past: what is not opened or scored yet is due at once
    long_past = sa.text("'2000-01-01 00:00:00.000000'")
    at = sqlmodel.sql.sqltypes.UTCDateTime()
    op.add_column(
        "series_match", sa.Column("next_at", at, nullable=False, server_default=long_past)
    )
    _index("next_at")


def downgrade() -> None:
    _index("series_id", "round", "number")
    op.drop_column("series_match", "next_at")


def _index(*columns: str) -> None:
    for name, which in INDEXES.items():
        op.drop_index(name, "series_match")
        some = sa.text(which)
        op.create_index(name, "series_match", columns, sqlite_where=some, postgresql_where=some)
