"""People who have proved an address, their devices, and the links that prove one.

Revision: 0022
Follows: 0021
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def _text(length: int) -> sqlmodel.sql.sqltypes.AutoString:
    return sqlmodel.sql.sqltypes.AutoString(length=length)


def upgrade() -> None:
    at = sqlmodel.sql.sqltypes.UTCDateTime()
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", _text(254), nullable=True),
        sa.Column("folded", _text(254), nullable=True),
        sa.Column("name", _text(60), nullable=False),
        sa.Column("language", _text(8), nullable=False),
        sa.Column("zone", _text(64), nullable=False),
        sa.Column("created_at", at, nullable=False),
        sa.Column("forgotten_at", at, nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("folded"),
    )
    op.create_table(
        "device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", _text(64), nullable=False),
        sa.Column("label", _text(60), nullable=False),
        sa.Column("created_at", at, nullable=False),
        sa.Column("seen_at", at, nullable=False),
        sa.Column("expires_at", at, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("secret_hash"),
    )
    op.create_index("device_of_person", "device", ["person_id"])
    op.create_index("device_expires", "device", ["expires_at"])
    op.create_table(
        "address_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", _text(40), nullable=False),
        sa.Column("address", _text(254), nullable=False),
        sa.Column("language", _text(8), nullable=False),
        sa.Column("about_json", sa.Text(), nullable=False),
        sa.Column("created_at", at, nullable=False),
        sa.Column("expires_at", at, nullable=False),
        sa.Column("used_at", at, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("address_link_expires", "address_link", ["expires_at"])


def downgrade() -> None:
    for table in ("address_link", "device", "person"):
        op.drop_table(table)
