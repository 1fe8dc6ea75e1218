"""Animated pictures of matches that are over: asked for by pages, made by the workers, kept.

One costs seconds of processor time. So each is made once, one after the other, at the end of all
else that workers do; and only so many may wait, and are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, delete, func, select, update

from pbem import journal, present
from pbem.errors import NotFound, TooMany
from pbem.journal import Line
from pbem.looks import match_look
from pbem.mail import gif
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import MADE, TO_MAKE, Animation, Match
from pbem.words import templating
from pbem.words.i18n import translator

State = Literal["none", "waits", "there", "failed"]

#: Frames of one, at most.
FRAMES = 80
#: How many may wait to be made, and how many are kept; of more, the oldest go.
MOST_WAITING, MOST_KEPT = 20, 200
#: For how long nobody else makes what a worker has begun: longer than its task may take. And how
#: often it is begun.
LEASE, TRIES = timedelta(minutes=6), 3


class _Begun(NamedTuple):
    match_id: str
    tries: int
    until: datetime


def can_be_made(match: Match) -> bool:
    """Whether there is an animated picture of a match: it is over, and its board is drawn."""
    over = match.ended_at is not None and match.started_at is not None and match.counted > 1
    return over and templating.of_game(match.game, "board.svg") is not None


def state(service: Service, match_id: str) -> State:
    """How far the picture of a match is."""
    with service.database.ask() as session:
        return _state(session, match_id)


def _state(session: Session, match_id: str) -> State:
    columns = select(Animation.due_at, Animation.made_at)
    found = session.exec(columns.where(Animation.match_id == match_id)).first()
    if found is None:
        return "none"
    due_at, made_at = found
    return "waits" if due_at else "there" if made_at else "failed"


def content(service: Service, match_id: str) -> bytes:
    """The file; NotFound until it is there."""
    with service.database.ask() as session:
        found = session.exec(
            select(Animation.content).where(Animation.match_id == match_id)
        ).first()
    if found is None:
        raise NotFound()
    return found


def ask(service: Service, match_id: str) -> None:
    """Has the picture of a match made, unless it is there. TooMany if too many wait."""
    if not can_be_made(match_look.terms(service, match_id).match):
        raise NotFound()
    new = {"match_id": match_id, "due_at": service.now(), "tries": 0}
    with service.database.write("animation.ask") as session:
        if _state(session, match_id) in ("waits", "there"):
            return
        waiting = select(func.count()).select_from(Animation).where(text(TO_MAKE))
        if session.exec(waiting).one() >= MOST_WAITING:
            raise TooMany("Too many pictures are being drawn. Please try again later.")
        statements.upsert(
            session, Animation, [new], unique=("match_id",), updated=("due_at", "tries")
        )
    service.ring("animations")


def make_due(service: Service, between: Callable[[], object] = lambda: None) -> bool:
    """Makes the picture that has waited longest; returns whether there was one.

    Not while another worker makes one. ``between`` is called before each frame.
    """
    begun = _begin(service)
    if begun is None:
        return False
    if begun.tries > TRIES:
        # whoever began it before was killed: by it, perhaps
        journal.write(Line.TASK_FAILED, task="animations", match=begun.match_id)
        _end(service, begun, due_at=None)
        return True
    try:
        made = b"".join(_parts(service, begun.match_id, between))
    except DBAPIError:
        raise
    except Exception as error:
        journal.write(Line.TASK_FAILED, task="animations", match=begun.match_id, exc_info=error)
        again = service.now() if begun.tries < TRIES else None
        _end(service, begun, due_at=again)
    else:
        _end(service, begun, due_at=None, made_at=service.now(), content=made)
    return True


def _begin(service: Service) -> _Begun | None:
    now = service.now()
    columns = select(Animation.match_id, Animation.due_at, Animation.tries)
    waiting = columns.where(text(TO_MAKE)).order_by(col(Animation.due_at))
    with service.database.ask() as session:
        found = session.exec(waiting).all()
    # what is due later is being made
    if not found or any(due_at > now for _, due_at, _ in found if due_at):
        return None
    match_id, due_at, tries = found[0]
    begun = _Begun(match_id, tries + 1, now + LEASE)
    ours = update(Animation).where(
        col(Animation.match_id) == match_id, col(Animation.due_at) == due_at
    )
    with service.database.write("animation.begin") as session:
        given = ours.values(due_at=begun.until, tries=begun.tries)
        return begun if statements.rowcount(session, given) else None


def _parts(service: Service, match_id: str, between: Callable[[], object]) -> Iterator[bytes]:
    terms = match_look.terms(service, match_id)
    words = translator(terms.match.language, terms.match.game)
    steps = match_look.walk(service, match_id, FRAMES)
    samples = [str(present.picture(steps[place], words)) for place in (0, len(steps) // 2, -1)]
    for part in gif.animated((str(present.picture(one, words)) for one in steps), samples):
        between()
        yield part


def _end(service: Service, begun: _Begun, **columns: object) -> None:
    """Writes what became of it, unless another has begun it since or somebody was forgotten."""
    ours = update(Animation).where(
        col(Animation.match_id) == begun.match_id, col(Animation.due_at) == begun.until
    )
    newest = select(Animation.made_at).where(text(MADE)).order_by(col(Animation.made_at).desc())
    with service.database.write("animation.end") as session:
        session.execute(ours.values(**columns))
        last = session.exec(newest.offset(MOST_KEPT - 1).limit(1)).first()
        if last is not None:
            session.execute(delete(Animation).where(text(MADE), col(Animation.made_at) < last))
