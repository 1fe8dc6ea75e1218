"""How many plies told everybody something: only those are numbered for others while a match runs.

Revision: 0012
Follows: 0011
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # nullable columns are added without rewriting the rows: NULL means that every ply was public,
    # so older plies keep their numbers
    op.add_column("ply", sa.Column("public_ply", sa.Integer(), nullable=True))
    op.add_column("match", sa.Column("public_ply", sa.Integer(), nullable=True))
    op.add_column(
        "match",
        sa.Column("public_head", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
    )
    op.add_column(
        "seat", sa.Column("hidden_plies", sa.Integer(), nullable=False, server_default="0")
    )


def downgrade() -> None:
    op.drop_column("seat", "hidden_plies")
    op.drop_column("match", "public_head")
    op.drop_column("match", "public_ply")
    op.drop_column("ply", "public_ply")
