"""The end of a match, and the score of each side: SKR-3."""

from __future__ import annotations

from engine.errors import Sentence
from engine.game import Outcome, Score, ScorePart, Seat
from engine.games.skirmish.events import Ending, MatchOver
from engine.games.skirmish.play import Play
from engine.games.skirmish.stages import building
from engine.games.skirmish.state import State


def able(play: Play, seat: Seat) -> bool:
    """SKR-3: whether a side can fight another turn."""
    return any(model.fights for model in play.side(seat))


def annihilated(play: Play) -> bool:
    """Ends the match at once if a side has nobody conscious and free left."""
    if all(any(m.fit for m in play.side(seat)) for seat in (0, 1)):
        return False
    finish(play, Ending.DESTROYED)
    return True


def settle(play: Play) -> bool:
    """Ends the match if a side cannot fight another turn."""
    if able(play, 0) and able(play, 1):
        return False
    finish(play, Ending.DESTROYED)
    return True


def score(state: State, seat: Seat) -> Score:
    """Objectives held, and a quarter of a team's price for each enemy out of action."""
    parts = []
    held = sum(state.tallies[seat].objectives) if state.tallies else 0
    parts.append(ScorePart(Sentence("Objectives held"), held))
    lost = {
        "dead": Sentence("Enemies killed"),
        "captured": Sentence("Enemies captured"),
        "unconscious": Sentence("Enemies unconscious"),
    }
    prices = _prices(state, 1 - seat)
    for condition, label in lost.items():
        points = sum(
            prices[model.team]
            for model in state.models
            if model.seat != seat and model.condition == condition
        )
        parts.append(ScorePart(label, points))
    return Score(seat, sum(part.points for part in parts), tuple(parts))


def _prices(state: State, seat: Seat) -> dict[str, int]:
    """The worth of one man of each team."""
    build = state.builds[seat]
    if build is None:
        return {}
    return {
        name: building.team_price(order) // 4
        for name, order in zip(building.TEAM_NAMES[seat], build.teams, strict=False)
    }


def finish(play: Play, reason: Ending) -> None:
    """Ends the match. If only one side can still fight, it wins; else the higher score."""
    state = play.close()
    scores = tuple(score(state, seat) for seat in (0, 1))
    fighting = [seat for seat in (0, 1) if able(play, seat)]
    if reason == Ending.DESTROYED and len(fighting) == 1:
        winners: tuple[Seat, ...] = (fighting[0],)
    else:
        best = max(entry.total for entry in scores)
        winners = tuple(entry.seat for entry in scores if entry.total == best)
        if len(winners) == 2:
            winners = ()
    play.change(stage="over", active=None, result=Outcome(reason, winners, scores))
    play.tell(MatchOver(reason=reason, winners=winners))
