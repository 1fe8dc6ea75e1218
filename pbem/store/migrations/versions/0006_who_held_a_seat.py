"""Each ply says who held its seat.

Revision: 0006
Follows: 0005
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # a nullable column is added without rewriting the rows of the log
    op.add_column(
        "ply", sa.Column("player", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=True)
    )


def downgrade() -> None:
    op.drop_column("ply", "player")
