"""The log holds digests of names; the names stand beside it and can be taken out.

Revision: 0025
Follows: 0024
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString
    op.add_column("ply", sa.Column("holder", text(length=64), nullable=True))
    op.add_column(
        "ply", sa.Column("redacted", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("seat", sa.Column("name_salt", text(length=32), nullable=True))
    op.add_column("seat", sa.Column("holder", text(length=64), nullable=True))
    op.add_column(
        "seat", sa.Column("forgotten_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True)
    )
    op.add_column("match", sa.Column("digest_before", text(length=64), nullable=True))
    op.create_table(
        "former_holder",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", text(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("holder", text(length=64), nullable=False),
        sa.Column("name", text(length=60), nullable=False),
        sa.Column("name_salt", text(length=32), nullable=False),
        sa.Column("owner", text(length=64), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("former_holder_of_match", "former_holder", ["match_id", "id"])
    op.create_index("ix_former_holder_owner", "former_holder", ["owner"])


def downgrade() -> None:
    raise RuntimeError("an older version cannot read these logs: restore a backup instead")
