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


def aid_comes_first(state: State) -> bool:
    """SKR-97: who needs aid at once does not fire on Op-Fire, strike, spot or call on anybody."""
    return state.rules >= 3


def only_shots_out_of_close_combat_distract(state: State) -> bool:
    """SKR-129, 132a, 132c: and they leave the last exchange as it was."""
    return state.rules >= 3


def wounds_undo_bandages(state: State) -> bool:
    """SKR-133, 136: who is hurt again after being bandaged may have to be tested again."""
    return state.rules >= 3


def waking_has_points(state: State) -> bool:
    """SKR-132, 138: who wakes, or is let go, has the action points of that activation."""
    return state.rules >= 3


def vests_go_by_team(state: State) -> bool:
    """SKR-188: every second Jihad man of a fire team wears a charge, not of the side."""
    return state.rules >= 3


def strides_are_all_alike(state: State) -> bool:
    """SKR-46: whoever walks looks around him as often whether an enemy waits on Op-Fire or not."""
    return state.rules >= 3


def ways_are_told_by_their_corners(state: State) -> bool:
    """A mover reads where he turned and where he stopped, and no step in between."""
    return state.rules >= 3


def fire_at_a_spot_has_priorities(state: State) -> bool:
    """SKR-64: an enemy within 10" comes before a spot or a wall farther away, too."""
    return state.rules >= 3
