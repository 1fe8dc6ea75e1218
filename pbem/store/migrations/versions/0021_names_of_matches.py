"""A match can have a name, which its host chooses.

Revision: 0021
Follows: 0020
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "match",
        sa.Column(
            "name", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False, server_default=""
        ),
    )


def downgrade() -> None:
    op.drop_column("match", "name")
