"""What people set for all their matches, whom they play with, and the mail that signs in.

Revision: 0027
Follows: 0026
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

AWAITED = "status = 'pending' and attempts = 0 and kind in ('your_turn','reply_answer','{}')"
NOTED = "digest_at IS NOT NULL"


def _awaited(kind: str) -> None:
    where = sa.text(AWAITED.format(kind))
    op.drop_index("outbox_awaited", table_name="outbox")
    op.create_index(
        "outbox_awaited", "outbox", ["due_at"], sqlite_where=where, postgresql_where=where
    )


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString
    with op.batch_alter_table("person") as person:
        person.add_column(sa.Column("mails", text(length=8), nullable=False, server_default="each"))
        person.add_column(
            sa.Column("digest_hour", sa.Integer(), nullable=False, server_default="8")
        )
        person.add_column(
            sa.Column("digest_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True)
        )
        person.add_column(
            sa.Column("reminders", sa.Boolean(), nullable=False, server_default=sa.true())
        )
        person.add_column(sa.Column("night", text(length=11), nullable=False, server_default=""))
        person.create_check_constraint("person_mails", "mails in ('each','digest','none')")
    with op.batch_alter_table("device") as device:
        device.drop_column("seen_at")
    where = sa.text(NOTED)
    op.create_index(
        "person_digest", "person", ["digest_at"], sqlite_where=where, postgresql_where=where
    )
    op.create_table(
        "person_group",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", text(length=60), nullable=False),
        sa.Column("people_json", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "name", name="person_group_once"),
    )
    # who asked for their links asks again, at /home
    op.execute(
        "UPDATE outbox SET status = 'dropped', lease = NULL WHERE kind = 'my_links' "
        "AND status in ('pending','leased','in_doubt')"
    )
    _awaited("sign_in")


def downgrade() -> None:
    _awaited("my_links")
    op.drop_table("person_group")
    op.drop_index("person_digest", table_name="person")
    with op.batch_alter_table("device") as device:
        device.add_column(
            sa.Column(
                "seen_at",
                sqlmodel.sql.sqltypes.UTCDateTime(),
                nullable=False,
                server_default="2026-01-01 00:00:00",
            )
        )
    with op.batch_alter_table("person") as person:
        person.drop_constraint("person_mails", type_="check")
        for column in ("night", "reminders", "digest_at", "digest_hour", "mails"):
            person.drop_column(column)
