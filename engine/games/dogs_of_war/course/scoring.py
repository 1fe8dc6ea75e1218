"""The end of a match: every score with its breakdown, and the winners (DOW-96 to DOW-100)."""

from __future__ import annotations

from engine.errors import Sentence
from engine.game import Outcome, Score, ScorePart, Seat
from engine.games.dogs_of_war.box.components import (
    House,
)
from engine.games.dogs_of_war.box.names import house_name
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.events import Ending, MatchEnded
from engine.games.dogs_of_war.state import (
    Screen,
    State,
    Table,
)

#: The influence a house support card is worth (DOW-4).
SUPPORT_TOKENS = 2


def end_match(draft: Draft) -> None:
    scores = tuple(
        score(draft.table, seat, screen) for seat, screen in enumerate(draft.state.screens)
    )
    draft.put(scores=scores)
    draft.put_table(phase="over", turn=None)
    draft.reveals = True
    draft.tell(MatchEnded(winners=winners(draft.state), scores=scores))


def outcome(state: State) -> Outcome[Ending] | None:
    if not state.scores:
        return None
    return Outcome(Ending.FOURTH_YEAR, winners(state), state.scores)


def winners(state: State) -> tuple[Seat, ...]:
    """Most points win; ties share the victory, or coins decide (DOW-99, DOW-100)."""
    best = max(each.total for each in state.scores)
    first = [each.seat for each in state.scores if each.total == best]
    if state.options.ties == "coins":
        most = max(state.screens[seat].coins for seat in first)
        first = [seat for seat in first if state.screens[seat].coins == most]
    return tuple(first)


def score(table: Table, seat: Seat, screen: Screen) -> Score:
    """A seat's score with its breakdown (DOW-97, DOW-98)."""
    parts = [ScorePart(Sentence("Victory point tokens"), screen.points)]
    for row in table.houses:
        held = screen.influence.count(row.house)
        if held:
            parts.append(_worth("Influence of {house}: {n} × {worth}", row.house, held, table))
    parts.append(
        _worth(
            "House support card {house}: {n} × {worth}",
            screen.support,
            SUPPORT_TOKENS,
            table,
        )
    )
    parts.append(
        ScorePart(Sentence("Coins: {n}, a point for two", {"n": screen.coins}), screen.coins // 2)
    )
    parts.append(ScorePart(Sentence("Tactic cards left"), len(screen.tactics)))
    parts.append(ScorePart(Sentence("Soldier cards left"), screen.soldiers.total))
    return Score(seat, sum(part.points for part in parts), tuple(parts))


def _worth(text: str, house: House, tokens: int, table: Table) -> ScorePart:
    worth = table.row(house).position
    label = Sentence(text, {"house": house_name(house), "n": tokens, "worth": worth})
    return ScorePart(label, tokens * worth)
