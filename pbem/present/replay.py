"""A match as it stood after one of its plies, for the pages and pictures of its replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from pbem.errors import NotFound
from pbem.looks.match_look import Past
from pbem.present import pictures, story, tables
from pbem.present import talk as spoken
from pbem.store.models import Message
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class StepShown:
    """The table after a ply."""

    ply: int
    last: int
    names: tuple[str, ...]
    #: The seat through whose eyes it is seen; None: as everybody may see it, or all of it.
    eyes: int | None
    #: Whether one may choose through whose eyes: once the match is over.
    over: bool
    told: tuple[tuple[str, ...], ...]
    board: Markup | None
    board_text: str
    #: What was said then, as far as the reader may read it.
    said: tuple[story.LineShown, ...]
    #: What each seat held, in words: a name, and a line for each thing.
    hands: tuple[tuple[str, tuple[str, ...]], ...]


def step(
    past: Past, words: Translator, *, eyes: int | None = None, talk: Sequence[Message] = ()
) -> StepShown:
    """The table as everybody may see it; once the match is over, every hand, or that of ``eyes``.

    ``talk`` is what was said in the match, as far as its reader may read it.
    NotFound for the eyes of a seat while the match runs, or of no seat.
    """
    game, names = past.match.game, _names(past, words)
    movers = story.names_before(past.replaced, tables.seat_names(past.seats), words)
    view = _seen(past, eyes)
    text = pictures.board_text(game, view, names, words)
    holders: Sequence[int] = ()
    if past.over and past.revealed() is None:
        holders = range(len(names)) if eyes is None else (eyes,)
    known = text if eyes is None else pictures.board_text(game, past.view(None), names, words)
    hands = []
    for seat in holders:
        own = pictures.board_text(game, past.view(seat), names, words)
        hands.append((names[seat], _more(own, known)))
    return StepShown(
        ply=past.number,
        last=past.last,
        names=names,
        eyes=eyes,
        over=past.over,
        told=story.told_apart(past.game, past.events, movers, words),
        board=_drawn(past, view, words, standalone=False),
        board_text=text,
        said=spoken.among(
            (),
            [one for one in talk if past.stood(one.at)],
            names,
            past.match.zone,
            words,
            you=None,
        ),
        hands=tuple(hands),
    )


def picture(past: Past, words: Translator) -> Markup | None:
    """The drawing of what everybody may see, as a file of its own; None if the game has none."""
    return _drawn(past, _seen(past, None), words, standalone=True)


def _names(past: Past, words: Translator) -> tuple[str, ...]:
    """The names of the seats while the match stood so."""
    later = [act for act in past.replaced if not past.stood(act.at)]
    return story.names_before(later, tables.seat_names(past.seats), words)


def _seen(past: Past, eyes: int | None) -> Any:
    if eyes is not None:
        if not past.over or not 0 <= eyes < len(past.seats):
            raise NotFound()
        return past.view(eyes)
    return (past.revealed() if past.over else None) or past.view(None)


def _drawn(past: Past, view: Any, words: Translator, *, standalone: bool) -> Markup | None:
    return pictures.board(
        past.match.game,
        view,
        _names(past, words),
        words,
        events=past.events,
        prefix="replay",
        standalone=standalone,
    )


def _more(own: str, known: str) -> tuple[str, ...]:
    """The lines of a text that another has not."""
    there = set(known.splitlines())
    return tuple(line for line in own.splitlines() if line.strip() and line not in there)
