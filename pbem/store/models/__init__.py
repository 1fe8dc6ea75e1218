"""The tables. A row is validated at the door that makes it; the constraints here are the last word.

Times are aware and in UTC. Texts that end in ``_json`` hold values written by ``engine.codec``.

Conditions of partial indexes stand beside their tables. A query that uses such an index repeats its
condition word for word: the value of a bound parameter is not known when the query is planned.
"""

from sqlalchemy import Table
from sqlmodel import SQLModel

from pbem.store.models.animations import MADE, TO_MAKE, Animation
from pbem.store.models.logs import (
    ACTS_OF_THE_OPERATOR,
    Audit,
    AuditHead,
    PackedLog,
    Ply,
    Submission,
)
from pbem.store.models.mails import (
    AWAITED_MAILS,
    DIGESTS,
    TROUBLED_MAILS,
    UNPAID_MAILS,
    Invitee,
    Link,
    Mail,
    ReceivedMail,
)
from pbem.store.models.matches import TO_PACK, WITH_ADDRESSES, FormerHolder, Match, Seat, Turn
from pbem.store.models.open_tables import UNTOLD, OpenTable, Watch
from pbem.store.models.people import AddressLink, Device, Person, PersonGroup
from pbem.store.models.privacy import Forgetting
from pbem.store.models.questions import NEXT_TURN, Consent, Permission, Proposal, StandingOrder
from pbem.store.models.rematches import UNSETTLED, RematchAsk, RematchWish
from pbem.store.models.running import Heartbeat, OperatorSession, Outage, SigningKey
from pbem.store.models.series import (
    SERIES_DUE,
    TO_OPEN,
    TO_SCORE,
    Series,
    SeriesMatch,
    SeriesPlayer,
    SeriesSeat,
)
from pbem.store.models.standings import (
    TO_RATE,
    PublicPlayer,
    Standing,
    StandingMatch,
    StandingPool,
    StandingResult,
)
from pbem.store.models.talk import Message, TalkDue, TalkMute, TalkNote, TalkRule

__all__ = [
    "ACTS_OF_THE_OPERATOR",
    "AWAITED_MAILS",
    "DIGESTS",
    "MADE",
    "NEXT_TURN",
    "SERIES_DUE",
    "TO_MAKE",
    "TO_OPEN",
    "TO_PACK",
    "TO_RATE",
    "TO_SCORE",
    "TROUBLED_MAILS",
    "UNPAID_MAILS",
    "UNSETTLED",
    "UNTOLD",
    "WITH_ADDRESSES",
    "AddressLink",
    "Animation",
    "Audit",
    "AuditHead",
    "Consent",
    "Device",
    "Forgetting",
    "FormerHolder",
    "Heartbeat",
    "Invitee",
    "Link",
    "Mail",
    "Match",
    "Message",
    "OpenTable",
    "OperatorSession",
    "Outage",
    "PackedLog",
    "Permission",
    "Person",
    "PersonGroup",
    "Ply",
    "Proposal",
    "PublicPlayer",
    "ReceivedMail",
    "RematchAsk",
    "RematchWish",
    "Seat",
    "Series",
    "SeriesMatch",
    "SeriesPlayer",
    "SeriesSeat",
    "SigningKey",
    "Standing",
    "StandingMatch",
    "StandingOrder",
    "StandingPool",
    "StandingResult",
    "Submission",
    "TalkDue",
    "TalkMute",
    "TalkNote",
    "TalkRule",
    "Turn",
    "Watch",
    "rows_of",
]


def rows_of(model: type[SQLModel]) -> Table:
    """The database table of a model, for statements that do not use its objects."""
    return SQLModel.metadata.tables[str(model.__tablename__)]
