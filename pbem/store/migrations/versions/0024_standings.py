"""How matches came out for people, what they are rated, and who has a page.

Revision: 0024
Follows: 0023
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

ENDED, TO_RATE = "ended_at IS NOT NULL", "why_not = '' AND NOT rated"


def _text(length: int) -> sqlmodel.sql.sqltypes.AutoString:
    return sqlmodel.sql.sqltypes.AutoString(length=length)


def _some(name: str, table: str, columns: list[str], which: str) -> None:
    op.create_index(
        name, table, columns, sqlite_where=sa.text(which), postgresql_where=sa.text(which)
    )


def upgrade() -> None:
    at = sqlmodel.sql.sqltypes.UTCDateTime()
    whole = sa.Integer()
    _some("match_ended", "match", ["ended_at", "id"], ENDED)
    op.create_table(
        "standing_match",
        sa.Column("match_id", _text(16), nullable=False),
        sa.Column("game", _text(40), nullable=False),
        sa.Column("seats", whole, nullable=False),
        sa.Column("ended_at", at, nullable=False),
        sa.Column("why_not", _text(16), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_index("standing_match_ended", "standing_match", ["ended_at"])
    _some("standing_match_to_rate", "standing_match", ["game", "seats"], TO_RATE)
    op.create_index(
        "standing_match_of_pool", "standing_match", ["game", "seats", "ended_at", "match_id"]
    )
    op.create_table(
        "standing_result",
        sa.Column("match_id", _text(16), nullable=False),
        sa.Column("seat", whole, nullable=False),
        sa.Column("person_id", whole, nullable=True),
        sa.Column("bot", _text(40), nullable=True),
        sa.Column("team", whole, nullable=False),
        sa.Column("rank", whole, nullable=False),
        sa.Column("went", sa.Boolean(), nullable=False),
        sa.Column("in_time", whole, nullable=False),
        sa.Column("missed", whole, nullable=False),
        sa.Column("mu", whole, nullable=True),
        sa.Column("sigma", whole, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["standing_match.match_id"]),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    op.create_index("standing_result_of_person", "standing_result", ["person_id", "match_id"])
    op.create_table(
        "standing",
        sa.Column("game", _text(40), nullable=False),
        sa.Column("seats", whole, nullable=False),
        sa.Column("person_id", whole, nullable=False),
        sa.Column("mu", whole, nullable=False),
        sa.Column("sigma", whole, nullable=False),
        sa.Column("matches", whole, nullable=False),
        sa.CheckConstraint("sigma > 0 and matches > 0", name="standing_counts"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("game", "seats", "person_id"),
    )
    op.create_table(
        "standing_pool",
        sa.Column("game", _text(40), nullable=False),
        sa.Column("seats", whole, nullable=False),
        sa.Column("revision", whole, nullable=False),
        sa.Column("last_ended_at", at, nullable=True),
        sa.Column("last_match", _text(16), nullable=False),
        sa.PrimaryKeyConstraint("game", "seats"),
    )
    op.create_table(
        "public_player",
        sa.Column("person_id", whole, nullable=False),
        sa.Column("name", _text(60), nullable=False),
        sa.Column("folded", _text(120), nullable=False),
        sa.Column("since", at, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("person_id"),
        sa.UniqueConstraint("folded"),
    )


def downgrade() -> None:
    names = "public_player standing_pool standing standing_result standing_match"
    for table in names.split():
        op.drop_table(table)
    op.drop_index("match_ended", "match")
