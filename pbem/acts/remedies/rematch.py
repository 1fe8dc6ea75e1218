"""Opens a match that is over once more for the same people. Idempotent: there is one rematch."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import Sentence
from engine.games.registry import games
from pbem.acts import matches
from pbem.acts.remedy import OfMatch, RehearsedRemedy, RemedyRequest
from pbem.service import Service
from pbem.store.names import Actor
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return table.match.ended_at is not None and table.match.game in games()


def _rematch(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> str:
    return matches.rematch(service, match_id, actor=actor).id


def _sentence(seen: RehearsedRemedy) -> Sequence[Sentence]:
    if seen.effect.mails:
        return (Sentence("The same match is opened once more, and the same people are invited."),)
    there = {"id": str(seen.answer)}
    return (Sentence("The rematch was opened already: it is match {id}.", {**there}),)


REMEDY = OfMatch(
    name="rematch",
    label=Sentence("Open a rematch"),
    fits=_fits,
    act=_rematch,
    sentence=_sentence,
)
