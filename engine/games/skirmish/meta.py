"""Facts known before a match: its title, its options and their defaults."""

from __future__ import annotations

from typing import Literal

from engine.game import FirstMatch, Meta, OptionGroup, Options

META = Meta(
    name="skirmish",
    title="Dogs of War: Modern Skirmish Combat",
    seats=(2,),
    rules_version="4",
    older_rules=("2", "3"),
    summary=(
        "Two forces of fire teams on a table of literal terrain. Build a force, deploy it in "
        "secret, and give each man his orders in inches: move, watch, fire, throw, bandage."
    ),
    bots=("easy",),
    exhaustive=False,
    first_match=FirstMatch(2, {"points": 300, "turn_limit": 2, "scenario": "clash"}),
    secret_moves=True,
    option_groups=(
        OptionGroup(
            "rulings",
            (
                *("rubble_run_ap", "jump_test", "keep_learnt_weapon", "running_bars_new_targets"),
                *("walk_and_run_add_up", "aimed_single_only", "armour_covers_abdomen"),
                *("right_arm_immobilizes", "near_miss_ducks", "immobilized_may_act"),
                *("survivability", "team_check_once", "generous_night_sight", "spotter_pays"),
                *("close_combat_reversed", "priority_target"),
            ),
        ),
    ),
)


class SkirmishOptions(Options, frozen=True, forbid_unknown_fields=True):
    """The options. Below the first group each resolves an unclear rule, given by its id."""

    points: int = 500
    table: Literal["village", "compound", "wood", "bridge", "generated"] = "village"
    scenario: Literal["clash", "hold", "night-raid", "screen"] = "hold"
    #: The match ends after this many turns; 0 means the scenario's number.
    turn_limit: int = 0
    #: None means the scenario's value.
    night: bool | None = None
    #: Enemy models out of sight are not on the map, except markers where they were last seen.
    hidden_enemies: bool = True
    #: "hidden": both submit at once. "turns": one after the other, by a roll (SKR-18).
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


#: What the options are called, and their values; the catalogue has them in other languages.
LABELS = {
    "points": "Points of each force",
    "table": "Table",
    "scenario": "Scenario",
    "turn_limit": "Turns (0: as the scenario says)",
    "night": "Night",
    "hidden_enemies": "Enemies out of sight are off the map",
    "deployment": "Deployment",
    "rubble_run_ap": "AP to run 5 inches over rubble",
    "jump_test": "Jumps need a test of strength",
    "keep_learnt_weapon": "A strange weapon that was made out stays known",
    "running_bars_new_targets": "A man who runs fires only at enemies spotted before",
    "walk_and_run_add_up": "Walking and running make shots harder together",
    "aimed_single_only": "Only single shots are aimed",
    "armour_covers_abdomen": "Armour covers the abdomen, too",
    "right_arm_immobilizes": "A bad hit on the right arm immobilizes",
    "near_miss_ducks": "A near miss may make a man duck",
    "immobilized_may_act": "The immobilized may still shoot",
    "survivability": "A man who has no health left may die (test of survivability)",
    "team_check_once": "A team's morale is tested once",
    "generous_night_sight": "Darkness hides nobody, it only makes shots harder",
    "spotter_pays": "The spotter pays the AP, not the shooter",
    "close_combat_reversed": "Close combat: the heading of the source, the other way round",
    "priority_target": "The nearest enemy within 10 inches must be chosen first",
}
#: The same in the title of a match, which names only options that differ from the default.
TITLES = {**LABELS, "turn_limit": "Turns"}
VALUES = {
    "village": "village",
    "compound": "compound",
    "wood": "wood with rocks and hedges",
    "bridge": "bridge",
    "generated": "made at random",
    "clash": "Clash: no objectives",
    "hold": "Hold the middle: a crossroads that pays",
    "night-raid": "Night raid: a cache and a radio in the dark",
    "screen": "Behind the screen: two gates under smoke",
    "hidden": "both in secret",
    "turns": "one after the other",
    "True": "yes",
    "False": "no",
}
