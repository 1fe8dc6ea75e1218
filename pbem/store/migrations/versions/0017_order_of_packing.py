"""The index of matches to be packed has their ids as well, the order in which they are packed.

Revision: 0017
Follows: 0016
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TO_PACK = "ended_at IS NOT NULL AND packed_at IS NULL"


def upgrade() -> None:
    _index(["ended_at", "id"])


def downgrade() -> None:
    _index(["ended_at"])


def _index(columns: Sequence[str]) -> None:
    op.drop_index("match_to_pack", "match")
    op.create_index(
        "match_to_pack",
        "match",
        list(columns),
        sqlite_where=sa.text(TO_PACK),
        postgresql_where=sa.text(TO_PACK),
    )
