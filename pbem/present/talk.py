"""What people said, among the lines of a match's history, where they said it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.present.story import LineShown
from pbem.present.times import Moment
from pbem.store.models import Message
from pbem.words.i18n import Translator


def among(
    lines: Sequence[LineShown],
    messages: Iterable[Message],
    names: Sequence[str],
    zone: str,
    words: Translator,
    *,
    you: int | None,
) -> tuple[LineShown, ...]:
    """The lines of a history with messages between them, each after what had happened by then.

    ``you`` is the seat that reads; None for everybody else.
    """
    waiting, merged, heading = list(messages)[::-1], [], ""
    if not waiting:
        return tuple(lines)
    for line in lines:
        at = line.at.at
        while waiting and waiting[-1].at < at:
            merged.append(_line(waiting.pop(), names, zone, words, you, heading))
        merged.append(line)
        heading = line.heading
    merged += [_line(one, names, zone, words, you, heading) for one in reversed(waiting)]
    return tuple(merged)


def _line(
    message: Message,
    names: Sequence[str],
    zone: str,
    words: Translator,
    you: int | None,
    heading: str,
) -> LineShown:
    return LineShown(
        message.ply,
        Moment(message.at, zone, words),
        _who(message, names, words, you),
        "",
        (message.text,),
        is_act=True,
        seat=message.seat if message.seat >= 0 else None,
        heading=heading,
        message=message.id,
    )


def _who(message: Message, names: Sequence[str], words: Translator, you: int | None) -> str:
    """Who said it, and to whom if not to all."""
    _ = words.text
    name = message.name if message.seat >= 0 else _("{name}, the host", name=message.name)
    if message.to_seat is None:
        return name
    if message.to_seat == you:
        return _("{name}, to you alone", name=name)
    return _("{name}, to {other} alone", name=name, other=names[message.to_seat])
