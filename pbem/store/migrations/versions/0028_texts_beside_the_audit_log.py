"""Names and typed words stand beside the audit log; people can be forgotten.

Revision: 0028
Follows: 0027
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

KEPT = (
    "id",
    "match_id",
    "number",
    "at",
    "actor",
    "act",
    "seat",
    "public",
    "ply",
    "previous_hash",
    "hash",
)
#: Texts beside the chain get fewer: what is left is bound by the chain.
FEWER = (
    "NEW.detail_json = OLD.detail_json AND OLD.said_json IS NOT NULL"
    " AND (NEW.said_json IS NULL OR length(NEW.said_json) < length(OLD.said_json))"
)
#: An older row, which has texts in the chain, loses them all.
OLDER = (
    "NEW.detail_json = '{\"redacted\": true}' AND OLD.said_json IS NULL AND NEW.said_json IS NULL"
    " AND OLD.act IN ('replaced','looked')"
)


def upgrade() -> None:
    op.add_column("audit", sa.Column("said_json", sa.Text(), nullable=True))
    op.create_table(
        "forgetting",
        sa.Column("folded", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("asked_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("actor", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.PrimaryKeyConstraint("folded"),
    )
    _audit()
    _packed_log()


def _audit() -> None:
    """Triggers: of a row of the audit log only texts can be taken out."""
    if op.get_bind().dialect.name == "sqlite":
        same = " AND ".join(f"NEW.{name} IS OLD.{name}" for name in KEPT)
        op.execute("DROP TRIGGER audit_no_update")
        op.execute(
            "CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit "
            f"WHEN NOT coalesce({same} AND (({FEWER}) OR ({OLDER})), 0) "
            "BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END"
        )
        return
    same = " AND ".join(f"NEW.{name} IS NOT DISTINCT FROM OLD.{name}" for name in KEPT)
    op.execute("DROP TRIGGER audit_append_only ON audit")
    op.execute(
        "CREATE TRIGGER audit_append_only BEFORE DELETE OR TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only()"
    )
    op.execute(
        "CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit FOR EACH ROW "
        f"WHEN (NOT coalesce({same} AND (({FEWER}) OR ({OLDER})), false)) "
        "EXECUTE FUNCTION audit_append_only()"
    )


def _packed_log() -> None:
    """Triggers: a packed log is written anew only while somebody is being forgotten."""
    refused = "NEW.match_id <> OLD.match_id OR NOT EXISTS (SELECT 1 FROM forgetting)"
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER packed_log_no_update")
        op.execute(
            f"CREATE TRIGGER packed_log_no_update BEFORE UPDATE ON packed_log WHEN {refused} "
            "BEGIN SELECT RAISE(ABORT, 'packed_log is append-only'); END"
        )
        return
    op.execute("DROP TRIGGER packed_log_append_only ON packed_log")
    op.execute(
        "CREATE TRIGGER packed_log_append_only BEFORE DELETE OR TRUNCATE ON packed_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION packed_log_append_only()"
    )
    op.execute(
        "CREATE FUNCTION packed_log_no_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {refused} THEN RAISE EXCEPTION 'packed_log is append-only'; END IF; "
        "RETURN NEW; END $$"
    )
    op.execute(
        "CREATE TRIGGER packed_log_no_update BEFORE UPDATE ON packed_log "
        "FOR EACH ROW EXECUTE FUNCTION packed_log_no_update()"
    )


def downgrade() -> None:
    raise RuntimeError("an older version cannot read this audit log: restore a backup instead")
