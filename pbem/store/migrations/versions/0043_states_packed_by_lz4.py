"""PostgreSQL packs the states of matches with LZ4, where it has it.

Revision: 0043
Follows: 0042
"""

from alembic import op
from sqlalchemy import text

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # a state is written with each move; its own way of packing was 15 % of its work in time-outs
    if op.get_bind().dialect.name == "postgresql" and _has_lz4():
        op.execute("ALTER TABLE match ALTER COLUMN state_json SET COMPRESSION lz4")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql" and _has_lz4():
        op.execute("ALTER TABLE match ALTER COLUMN state_json SET COMPRESSION default")


def _has_lz4() -> bool:
    """It is newer than version 13, and was built with it."""
    known = text(
        "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
    )
    return bool(op.get_bind().execute(known).scalar())
