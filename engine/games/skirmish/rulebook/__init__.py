"""The rules of a skirmish in sentences, each with its ids: only those that hold in a match.

A module for some chapters: the battle itself (``battle``), what men do (``acting``), how they fight
(``fighting``), and what comes of it (``losses``). AP are action points. Numbers that stand in the
data files are in the tables of the page.
"""

from __future__ import annotations

from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.play import is_night
from engine.games.skirmish.rulebook import acting, battle, fighting, losses
from engine.rulebook import Chapter, chapters


def rulebook(options: SkirmishOptions) -> tuple[Chapter, ...]:
    """The rules with these options."""
    night = is_night(options)
    return chapters(
        battle.battle(options, night),
        battle.building(options),
        battle.turns(),
        acting.moving(options),
        acting.command(),
        acting.sight(options, night),
        fighting.shooting(options, night),
        fighting.hits(options),
        fighting.blasts(),
        fighting.close(options),
        losses.wounded(options),
        losses.morale(options),
        battle.gear(night),
        battle.lists(),
    )
