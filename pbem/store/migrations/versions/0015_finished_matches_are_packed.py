"""The log of a match that has been over for a long time is packed.

Revision: 0015
Follows: 0014
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TO_PACK = "ended_at IS NOT NULL AND packed_at IS NULL"


def upgrade() -> None:
    op.add_column(
        "match", sa.Column("packed_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True)
    )
    op.create_index(
        "match_to_pack",
        "match",
        ["ended_at"],
        sqlite_where=sa.text(TO_PACK),
        postgresql_where=sa.text(TO_PACK),
    )
    op.create_table(
        "packed_log",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    if op.get_bind().dialect.name == "sqlite":
        _sqlite()
    else:
        _postgresql()


def _sqlite() -> None:
    """Triggers: only a match that is over is packed; a packed log is never changed or deleted.

    A ply can be deleted only if its match is packed.
    """
    op.execute(
        "CREATE TRIGGER packed_log_when_over BEFORE INSERT ON packed_log WHEN NOT EXISTS "
        "(SELECT 1 FROM match WHERE id = NEW.match_id AND ended_at IS NOT NULL) "
        "BEGIN SELECT RAISE(ABORT, 'only a match that is over is packed'); END"
    )
    for act in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER packed_log_no_{act.lower()} BEFORE {act} ON packed_log "
            "BEGIN SELECT RAISE(ABORT, 'packed_log is append-only'); END"
        )
    op.execute(
        "CREATE TRIGGER ply_no_delete BEFORE DELETE ON ply WHEN NOT EXISTS "
        "(SELECT 1 FROM packed_log WHERE match_id = OLD.match_id) "
        "BEGIN SELECT RAISE(ABORT, 'ply is append-only'); END"
    )


def _postgresql() -> None:
    op.execute(
        "CREATE FUNCTION packed_log_when_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF NOT EXISTS (SELECT 1 FROM match WHERE id = NEW.match_id AND ended_at IS NOT NULL) "
        "THEN RAISE EXCEPTION 'only a match that is over is packed'; END IF; RETURN NEW; END $$"
    )
    op.execute(
        "CREATE TRIGGER packed_log_when_over BEFORE INSERT ON packed_log "
        "FOR EACH ROW EXECUTE FUNCTION packed_log_when_over()"
    )
    op.execute(
        "CREATE FUNCTION packed_log_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'packed_log is append-only'; END $$"
    )
    op.execute(
        "CREATE TRIGGER packed_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON packed_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION packed_log_append_only()"
    )
    op.execute(
        "CREATE FUNCTION ply_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF NOT EXISTS (SELECT 1 FROM packed_log WHERE match_id = OLD.match_id) "
        "THEN RAISE EXCEPTION 'ply is append-only'; END IF; RETURN OLD; END $$"
    )
    op.execute(
        "CREATE TRIGGER ply_no_delete BEFORE DELETE ON ply "
        "FOR EACH ROW EXECUTE FUNCTION ply_no_delete()"
    )


def downgrade() -> None:
    raise RuntimeError("packed logs cannot be read by an older version: restore a backup instead")
