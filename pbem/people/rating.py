"""What people are rated after a match: pure, by the Plackett-Luce model of openskill.

The rules are those of docs/standings.md. Numbers are rounded to millionths after each match: then
the same results give the same ratings to the last digit, on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce, PlackettLuceRating

#: Ratings are kept in millionths.
UNIT = 1_000_000

_MODEL = PlackettLuce()


@dataclass(frozen=True)
class Rating:
    """What is thought of somebody: the mean and its uncertainty, in millionths."""

    mu: int
    sigma: int
    matches: int = 0

    @property
    def ordinal(self) -> int:
        """What leaderboards are sorted by: somebody is very likely better than that."""
        return self.mu - 3 * self.sigma

    @property
    def is_provisional(self) -> bool:
        return self.matches < SETTLED_AFTER


#: Somebody of whom nothing is known yet.
NEWCOMER = Rating(round(_MODEL.mu * UNIT), round(_MODEL.sigma * UNIT))
#: Before so many matches a rating is provisional.
SETTLED_AFTER = 10
#: The rung of a game's weakest bot, and how much higher that of each stronger one is.
LOWEST_RUNG, BETWEEN_RUNGS = 15 * UNIT, 5 * UNIT
_RUNG_SIGMA = round(_MODEL.beta * UNIT)


def rung(bots: Sequence[str], bot: str) -> Rating:
    """The rating of a bot, which never changes. ``bots`` are the game's, weakest first.

    A bot that the game does not have any more counts as its weakest.
    """
    place = bots.index(bot) if bot in bots else 0
    return Rating(LOWEST_RUNG + place * BETWEEN_RUNGS, _RUNG_SIGMA)


@dataclass(frozen=True)
class Place:
    """A seat of a match. ``person`` or ``stand_in`` is there, or both."""

    #: Seats that win together have the same.
    team: int
    #: The rank of the team, from 1.
    rank: int
    #: The rating before the match of whoever is rated for this seat.
    person: Rating | None
    #: Who played the seat in their place, and is not rated: they left early, or a bot or somebody
    #: who is not known any more sat there from the start.
    stand_in: Rating | None = None

    @property
    def left_early(self) -> bool:
        return self.person is not None and self.stand_in is not None

    @property
    def played(self) -> Rating:
        """Against whom, or with whom, the others played."""
        played = self.stand_in or self.person
        assert played is not None
        return played


def after(places: Sequence[Place]) -> list[Rating | None]:
    """The rating of each seat's person after the match; None where nobody is rated.

    1. Who stayed is rated by the ranks of the teams, against whoever played the other seats. A team
       of which nobody stayed is the last, whatever was made of its seats.
    2. Who left early is rated as the last of all, alone.
    """
    last = len(places) + 1
    staying = {place.team for place in places if not place.left_early}
    ranks = [place.rank if place.team in staying else last for place in places]
    by_teams = _rated(places, [place.team for place in places], ranks)
    if not any(place.left_early for place in places):
        return by_teams
    alone = _rated(
        [Place(place.team, place.rank, place.person or place.played) for place in places],
        range(len(places)),
        [last if place.left_early else place.rank for place in places],
    )
    return [
        behind if place.left_early else new
        for place, new, behind in zip(places, by_teams, alone, strict=True)
    ]


def _rated(
    places: Sequence[Place], teams: Sequence[int], ranks: Sequence[int]
) -> list[Rating | None]:
    """The ratings after a match of these teams with these ranks, both given for each seat."""
    members = [[seat for seat, team in enumerate(teams) if team == one] for one in sorted({*teams})]
    before = [[_model(places[seat].played) for seat in seats] for seats in members]
    rated = _MODEL.rate(before, ranks=[float(ranks[seats[0]]) for seats in members])
    new = {
        seat: one
        for seats, team in zip(members, rated, strict=True)
        for seat, one in zip(seats, team, strict=True)
    }
    return [_next(place, new[seat]) for seat, place in enumerate(places)]


def _model(rating: Rating) -> PlackettLuceRating:
    return _MODEL.rating(mu=rating.mu / UNIT, sigma=rating.sigma / UNIT)


def _next(place: Place, new: PlackettLuceRating) -> Rating | None:
    if place.person is None:
        return None
    return Rating(round(new.mu * UNIT), round(new.sigma * UNIT), place.person.matches + 1)
