"""Ends a match without a winner. Its whole log is shown, as for every match that is over."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import Sentence
from pbem.acts import advance
from pbem.acts.remedy import OfMatch, RehearsedRemedy, RemedyRequest, not_over
from pbem.acts.writing import act, read, writing
from pbem.errors import NotPossible, UnreadableMatch
from pbem.service import Service
from pbem.store.names import Actor, AuditAct, MailKind, MatchStatus, StallReason
from pbem.store.table import Table


def _fits(table: Table) -> bool:
    return table.match.ended_at is None


@act
def _abort(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    table, now = read(service, match_id)
    not_over(table)
    _not_played_out(table)
    columns = {
        "status": MatchStatus.ABORTED,
        "ended_at": now,
        "advance_due_at": None,
        "set_aside_at": None,
        "lobby_next_at": None,
        "paused_until": None,
        "beacon_due_at": None,
    }
    with writing(service, table, "remedy", actor, now, **columns) as write:
        for turn in table.open_turns.values():
            write.close(turn, actor)
        advance.owe_ending(write, MailKind.MATCH_ABORTED)
        write.audit(AuditAct.ABORTED)


def _not_played_out(table: Table) -> None:
    """NotPossible if the match is over by the rules and only has to be advanced to its end."""
    if table.match.set_aside_at is not None:
        return
    try:
        over = table.state is not None and table.game.outcome(table.state) is not None
    except UnreadableMatch:
        return
    if over:
        raise NotPossible("This match is over.")


def _sentence(seen: RehearsedRemedy) -> Sequence[Sentence]:
    if seen.table.match.status == MatchStatus.LOBBY:
        return (Sentence("The match is called off before it begins. Everybody is told."),)
    return (
        Sentence(
            "The match ends now and nobody wins. Everybody is told, and its log is shown whole."
        ),
    )


REMEDY = OfMatch(
    name="abort",
    label=Sentence("End the match"),
    fits=_fits,
    helps={
        StallReason.SET_ASIDE: 3,
        StallReason.PAUSED: 2,
        StallReason.LOBBY: 4,
        StallReason.DECLINED: 3,
        StallReason.BEACON: 2,
    },
    for_several=True,
    act=_abort,
    sentence=_sentence,
    history={AuditAct.ABORTED: Sentence("{who} ended the match.")},
)
