"""What there is to know before a match: its title, its options and their defaults."""

from __future__ import annotations

from typing import Literal

from engine.game import Meta, Options

META = Meta(
    name="skirmish",
    title="Dogs of War: Modern Skirmish Combat",
    seats=(2,),
    rules_version="1",
    summary=(
        "Two forces of fire teams on a table of literal terrain. Build a force, deploy it in "
        "secret, and give each man his orders in inches: move, watch, fire, throw, bandage."
    ),
    bots=("easy",),
    exhaustive=False,
)


class SkirmishOptions(Options, frozen=True, forbid_unknown_fields=True):
    """The switches. Below the first group each is a resolution of an unclear rule, by its id."""

    points: int = 500
    table: Literal["village", "compound", "wood", "bridge", "generated"] = "village"
    scenario: Literal["clash", "hold", "night-raid", "screen"] = "hold"
    #: The match ends after this many turns; 0 takes the scenario's number.
    turn_limit: int = 0
    #: None takes the scenario's word.
    night: bool | None = None
    #: Enemy models out of sight are off the map, but for markers where they were last seen.
    hidden_enemies: bool = True
    #: "hidden": both hand in at once. "turns": one after the other, by a roll (SKR-18).
    deployment: Literal["hidden", "turns"] = "hidden"

    rubble_run_ap: Literal[3, 5] = 5  # SKR-32
    jump_test: bool = False  # SKR-44: D10 <= ST, or fall short and lie down
    keep_learnt_weapon: bool = True  # SKR-13: for the game, else for the turn
    running_bars_new_targets: bool = True  # SKR-27
    walk_and_run_add_up: bool = False  # SKR-86
    aimed_single_only: bool = True  # SKR-88
    armour_covers_abdomen: bool = False  # SKR-95
    right_arm_immobilizes: bool = True  # SKR-98
    near_miss_ducks: bool = True  # SKR-100
    immobilized_may_act: bool = True  # SKR-137
    survivability: bool = True  # SKR-139: off, HP 0 is out of action
    team_check_once: bool = True  # SKR-143
    generous_night_sight: bool = False  # SKR-61: darkness does not hide, only makes it harder
    spotter_pays: bool = True  # SKR-71: else the shooter
    close_combat_reversed: bool = False  # SKR-119: the source's heading
    priority_target: bool = True  # SKR-64
