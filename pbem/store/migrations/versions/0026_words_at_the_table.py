"""What people say at a table, what a match allows of it, who mutes whom, and private notes.

Revision: 0026
Follows: 0025
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text, instant = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime

    def of_match(name: str, *parts: sa.schema.SchemaItem, key: tuple[str, ...]) -> None:
        op.create_table(
            name,
            sa.Column("match_id", text(length=16), nullable=False),
            *parts,
            sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
            sa.PrimaryKeyConstraint(*key),
        )

    def seat(name: str = "seat") -> sa.schema.SchemaItem:
        return sa.Column(name, sa.Integer(), nullable=False)

    op.create_table(
        "message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", text(length=16), nullable=False),
        seat(),
        sa.Column("to_seat", sa.Integer(), nullable=True),
        sa.Column("name", text(length=60), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", instant(), nullable=False),
        sa.Column("key", text(length=120), nullable=False),
        sa.Column("hidden_at", instant(), nullable=True),
        sa.Column("hidden_by", text(length=16), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "seat", "key", name="message_once"),
        sa.CheckConstraint("to_seat IS NULL OR to_seat <> seat", name="message_to_others"),
    )
    op.create_index("message_of_match", "message", ["match_id", "id"])
    of_match(
        "talk_rule",
        sa.Column("allowed", sa.Boolean(), nullable=False),
        sa.Column("reason", text(length=200), nullable=False),
        sa.Column("onlookers", text(length=8), nullable=False),
        sa.CheckConstraint("onlookers in ('now','end','never')", name="talk_rule_onlookers"),
        key=("match_id",),
    )
    of_match(
        "talk_mute",
        seat(),
        seat("muted"),
        sa.Column("at", instant(), nullable=False),
        key=("match_id", "seat", "muted"),
    )
    of_match(
        "talk_note",
        seat(),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", instant(), nullable=False),
        key=("match_id", "seat"),
    )
    of_match(
        "talk_due",
        seat(),
        sa.Column("next_at", instant(), nullable=False),
        key=("match_id", "seat"),
    )
    op.create_index("talk_due_next", "talk_due", ["next_at"])


def downgrade() -> None:
    for table in ("talk_due", "talk_note", "talk_mute", "talk_rule", "message"):
        op.drop_table(table)
