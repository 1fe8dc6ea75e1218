"""The head of each chain of the audit log, so that the deletion of a last row is noticed.

Revision: 0007
Follows: 0006
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_head",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.execute(
        "INSERT INTO audit_head (match_id, number, hash) "
        "SELECT a.match_id, a.number, a.hash FROM audit AS a JOIN "
        "(SELECT match_id, max(number) AS number FROM audit GROUP BY match_id) AS last "
        "ON last.match_id = a.match_id AND last.number = a.number"
    )
    _only_forward()


def _only_forward() -> None:
    """Triggers: a head only moves forward, and is never deleted."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER audit_head_no_delete BEFORE DELETE ON audit_head "
            "BEGIN SELECT RAISE(ABORT, 'audit_head is append-only'); END"
        )
        op.execute(
            "CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head "
            "WHEN NEW.number <= OLD.number OR NEW.match_id <> OLD.match_id "
            "BEGIN SELECT RAISE(ABORT, 'audit_head is append-only'); END"
        )
        return
    op.execute(
        "CREATE TRIGGER audit_head_append_only BEFORE DELETE OR TRUNCATE ON audit_head "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only()"
    )
    op.execute(
        "CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head FOR EACH ROW "
        "WHEN (NEW.number <= OLD.number OR NEW.match_id <> OLD.match_id) "
        "EXECUTE FUNCTION audit_append_only()"
    )


def downgrade() -> None:
    op.drop_table("audit_head")
