"""The tables of the first version.

Revision: 0001
Follows:
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("actor", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("act", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("detail_json", sa.Text(), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("previous_hash", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("hash", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "number", name="audit_once"),
    )
    op.create_table(
        "heartbeat",
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("detail", sqlmodel.sql.sqltypes.AutoString(length=200), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "match",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("rules_version", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("seat_count", sa.Integer(), nullable=False),
        sa.Column("options_json", sa.Text(), nullable=False),
        sa.Column("title", sqlmodel.sql.sqltypes.AutoString(length=200), nullable=False),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(length=8), nullable=False),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("clock_json", sa.Text(), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("host_name", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("host_email", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("host_epoch", sa.Integer(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("chain_head", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("state_json", sa.Text(), nullable=True),
        sa.Column("phase", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("outcome_json", sa.Text(), nullable=True),
        sa.Column("advance_due_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("advance_failures", sa.Integer(), nullable=False),
        sa.Column("set_aside_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("set_aside_error", sa.Text(), nullable=True),
        sa.Column("paused_until", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("created_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("started_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("ended_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("lobby_reminders", sa.Integer(), nullable=False),
        sa.Column("lobby_next_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("rematch_of", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=True),
        sa.CheckConstraint(
            "status in ('lobby','running','finished','aborted')", name="match_status"
        ),
        sa.CheckConstraint("ply >= 0 and revision >= 0", name="match_counts"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("rematch_of"),
    )
    with op.batch_alter_table("match", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_match_host_email"), ["host_email"], unique=False)
        batch_op.create_index(
            "match_advance_due",
            ["advance_due_at"],
            unique=False,
            sqlite_where=sa.text("advance_due_at IS NOT NULL"),
            postgresql_where=sa.text("advance_due_at IS NOT NULL"),
        )
        batch_op.create_index(
            "match_lobby_next",
            ["lobby_next_at"],
            unique=False,
            sqlite_where=sa.text("lobby_next_at IS NOT NULL"),
            postgresql_where=sa.text("lobby_next_at IS NOT NULL"),
        )
        batch_op.create_index(
            "match_paused_until",
            ["paused_until"],
            unique=False,
            sqlite_where=sa.text("paused_until IS NOT NULL"),
            postgresql_where=sa.text("paused_until IS NOT NULL"),
        )
        batch_op.create_index(
            "match_set_aside",
            ["set_aside_at"],
            unique=False,
            sqlite_where=sa.text("set_aside_at IS NOT NULL"),
            postgresql_where=sa.text("set_aside_at IS NOT NULL"),
        )
        batch_op.create_index("match_status_created", ["status", "created_at"], unique=False)

    op.create_table(
        "operator_session",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("created_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("seen_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("expires_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "outage",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("begun_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("ended_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("outage", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_outage_ended_at"), ["ended_at"], unique=False)

    op.create_table(
        "received_mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("sender", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("message_id", sqlmodel.sql.sqltypes.AutoString(length=200), nullable=False),
        sa.Column("received_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("received_mail", schema=None) as batch_op:
        batch_op.create_index("received_mail_to", ["address", "id"], unique=False)

    op.create_table(
        "link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("purpose", sqlmodel.sql.sqltypes.AutoString(length=8), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("expires_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("revoked_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("purpose", "match_id", "seat", "turn_id", "epoch", name="link_once"),
    )
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("back_to", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("created_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("closed_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("closed", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_proposal_match_id"), ["match_id"], unique=False)

    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("email", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=True),
        sa.Column("bot", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("bot_since", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("joined_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("phrase", sqlmodel.sql.sqltypes.AutoString(length=200), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(length=8), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.Column("reserve", sa.Integer(), nullable=False),
        sa.Column("vacation_days", sa.Integer(), nullable=False),
        sa.Column("resigned_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("told_ply", sa.Integer(), nullable=False),
        sa.Column("mail_problem", sa.Text(), nullable=True),
        sa.Column("mail_problem_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("muted_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "number", name="seat_once"),
    )
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_seat_email"), ["email"], unique=False)

    op.create_table(
        "standing_order",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("orders_json", sa.Text(), nullable=False),
        sa.Column("created_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("ended_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("ended", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True),
        sa.Column("ended_ply", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("standing_order", schema=None) as batch_op:
        batch_op.create_index("standing_order_of_seat", ["match_id", "seat", "id"], unique=False)

    op.create_table(
        "turn",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("opened_ply", sa.Integer(), nullable=False),
        sa.Column("asked_ply", sa.Integer(), nullable=False),
        sa.Column("opened_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("clock_from", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("charged_from", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("credited_until", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("due_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("final_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("clock_json", sa.Text(), nullable=False),
        sa.Column("reminders", sa.Integer(), nullable=False),
        sa.Column("next_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("host_asked_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("held_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("held_why", sqlmodel.sql.sqltypes.AutoString(length=8), nullable=True),
        sa.Column("closed_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("closed_by", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.create_index(
            "turn_next",
            ["next_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL AND next_at IS NOT NULL"),
            postgresql_where=sa.text("closed_at IS NULL AND next_at IS NOT NULL"),
        )
        batch_op.create_index("turn_of_seat", ["match_id", "seat", "id"], unique=False)
        batch_op.create_index(
            "turn_open_once",
            ["match_id", "seat"],
            unique=True,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )

    op.create_table(
        "consent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("proposal_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("agreed", sa.Boolean(), nullable=False),
        sa.Column("at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["proposal_id"],
            ["proposal.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("proposal_id", "seat", name="consent_once"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dedupe", sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("turn_id", sa.Integer(), nullable=True),
        sa.Column("address", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=True),
        sa.Column("data_json", sa.Text(), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("due_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("doubts", sa.Integer(), nullable=False),
        sa.Column("lease", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("message_id", sqlmodel.sql.sqltypes.AutoString(length=200), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("created_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("sent_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.CheckConstraint(
            "status in ('pending','leased','in_doubt','sent','dead','dropped')",
            name="outbox_status",
        ),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.ForeignKeyConstraint(
            ["turn_id"],
            ["turn.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("dedupe"),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(
            "outbox_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("status in ('pending','leased','in_doubt')"),
            postgresql_where=sa.text("status in ('pending','leased','in_doubt')"),
        )
        batch_op.create_index("outbox_of_seat", ["match_id", "seat", "id"], unique=False)

    op.create_table(
        "ply",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("turn_id", sa.Integer(), nullable=True),
        sa.Column("made_by", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("made_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("rules_version", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("phase", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("order_text", sa.Text(), nullable=False),
        sa.Column("move_json", sa.Text(), nullable=False),
        sa.Column("events_json", sa.Text(), nullable=False),
        sa.Column("draws_json", sa.Text(), nullable=False),
        sa.Column("reveals", sa.Boolean(), nullable=False),
        sa.Column("previous_hash", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("hash", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.ForeignKeyConstraint(
            ["turn_id"],
            ["turn.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "ply"),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("receipt_json", sa.Text(), nullable=False),
        sa.Column("received_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["turn_id"],
            ["turn.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("turn_id", "key", name="submission_once"),
    )

    _append_only("audit")


def _append_only(table: str) -> None:
    """Triggers: rows can be added, never changed or deleted."""
    if op.get_bind().dialect.name == "sqlite":
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()"
    )


def downgrade() -> None:
    raise RuntimeError("there is nothing before the first version: restore a backup instead")
