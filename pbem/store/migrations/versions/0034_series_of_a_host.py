"""An index of the series that somebody runs.

Revision: 0034
Follows: 0033
"""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("series_of_host", "series", ["host_id"])


def downgrade() -> None:
    op.drop_index("series_of_host", table_name="series")
