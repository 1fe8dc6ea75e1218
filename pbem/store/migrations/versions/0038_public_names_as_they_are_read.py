"""Names of players' pages are compared as those of seats are.

Revision: 0038
Follows: 0037
"""

from itertools import chain

import sqlalchemy as sa
from alembic import op

from pbem.words import texts

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

_PAGES = sa.table(
    "public_player", *(sa.column(name) for name in ("person_id", "name", "folded", "since"))
)


def upgrade() -> None:
    """Of two names that read the same, the one that is older stays, and the other gets a number."""
    names: dict[str, tuple[int, str]] = {}
    pages = sa.select(_PAGES.c.person_id, _PAGES.c.name)
    for person, name in op.get_bind().execute(pages.order_by(_PAGES.c.since, _PAGES.c.person_id)):
        tried = chain([name], texts.numbered(name))
        found = next(one for one in tried if texts.folded(one) not in names)
        names[texts.folded(found)] = person, found
    # one that is taken away from its page may be what another is to get
    op.execute(
        _PAGES.update().values(folded=sa.literal(" ") + sa.cast(_PAGES.c.person_id, sa.String))
    )
    for folded, (person, name) in names.items():
        of_page = _PAGES.c.person_id == person
        op.execute(_PAGES.update().where(of_page).values(name=name, folded=folded))


def downgrade() -> None:
    pass
