"""Who left a match early is said in these words.

Revision: 0041
Follows: 0040
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

TABLES = ("standing_result", "series_seat")


def upgrade() -> None:
    _rename("went", "left_early")


def downgrade() -> None:
    _rename("left_early", "went")


def _rename(old: str, new: str) -> None:
    for table in TABLES:
        # as it is: SQLite knows it, too, and a table is not copied
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
