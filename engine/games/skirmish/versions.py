"""What has changed between versions of these rules, for matches that began with an older one.

A match is played to its end by the rules it began with: ``State.rules``, set by ``setup``. A rule
that changes gets a predicate here, named for what is true since, and asks it where it differs::

    if versions.mines_go_off_on_the_way(play.state):

Version 3 is the one in the making: whatever changes before it is released belongs to it.
"""

from __future__ import annotations

from engine.games.skirmish.state import State


def mines_go_off_on_the_way(state: State) -> bool:
    """SKR-165: a mine goes off under any stretch of a way, not only at the end of a stride."""
    return state.rules >= 3
