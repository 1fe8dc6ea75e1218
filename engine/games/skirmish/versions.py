"""Changes between versions of these rules, for matches that began with an older one.

A match is played to its end by the rules it began with: ``State.rules``, set by ``setup``. A
changed rule gets a predicate here, named after the new behaviour, and checks it where the versions
differ::

    if versions.mines_go_off_on_the_way(play.state):

Version 4 is not released yet: all changes before its release belong to it.
"""

from __future__ import annotations

from typing import Protocol

from engine.games.skirmish.state import State


class Ruled(Protocol):
    """What knows the version of the rules, as a state does."""

    @property
    def rules(self) -> int: ...


def mines_go_off_on_the_way(state: State) -> bool:
    """SKR-165: a mine explodes anywhere on a path, not only at the end of a stride."""
    return state.rules >= 3


def aid_comes_first(state: State) -> bool:
    """SKR-97: a man who needs aid at once does not fire on Op-Fire, strike, spot or demand."""
    return state.rules >= 3


def only_shots_out_of_close_combat_distract(state: State) -> bool:
    """SKR-129, 132a, 132c: shots from within close combat; they do not change the last exchange."""
    return state.rules >= 3


def wounds_undo_bandages(state: State) -> bool:
    """SKR-133, 136: a man hurt again after being bandaged may have to be tested again."""
    return state.rules >= 3


def waking_has_points(state: State) -> bool:
    """SKR-132, 138: a man who wakes, or is let go, has the action points of that activation."""
    return state.rules >= 3


def vests_go_by_team(state: State) -> bool:
    """SKR-188: every second Jihad man wears a charge, counted by fire team, not by side."""
    return state.rules >= 3


def strides_are_all_alike(state: State) -> bool:
    """SKR-46: a walking man updates sight equally often with or without an enemy on Op-Fire."""
    return state.rules >= 3


def ways_are_told_by_their_corners(state: State) -> bool:
    """A mover reads the corners and the end of his path, and no step in between."""
    return state.rules >= 3


def fire_at_a_spot_has_priorities(state: State) -> bool:
    """SKR-64: an enemy within 10" also has priority over a spot or a wall farther away."""
    return state.rules >= 3


def ways_are_walked_exactly(state: State) -> bool:
    """SKR-46, 58: sight and Op-Fire change where they do on a way, not at the end of a stride."""
    return state.rules >= 4


def dropped_weapons_stay_known(state: State) -> bool:
    """SKR-9, 12, 13: what a man knows of a weapon, and has fired with it, outlasts a drop."""
    return state.rules >= 4


def lists_know_their_choices(state: State) -> bool:
    """SKR-9: what a list's gunner may choose, and its equipment, is strange to none of the list."""
    return state.rules >= 4


def grenades_are_made_out(state: State) -> bool:
    """SKR-9: grenades and mines that are not of a man's list are strange to him, as guns are."""
    return state.rules >= 4


def nobody_buys_what_he_has(state: State) -> bool:
    """SKR-14: a second gun of the same kind, or a second knife, gives a man nothing."""
    return state.rules >= 4


def launchers_come_with_rounds(state: State) -> bool:
    """SKR-63: a grenade launcher bought by a man who has no rounds for it comes with some."""
    return state.rules >= 4


def things_are_picked_up_one_by_one(state: State) -> bool:
    """SKR-36: 1 AP for each thing picked up, not for each order."""
    return state.rules >= 4


def piles_are_picked_up_together(state: State) -> bool:
    """SKR-36: of one thing that lies in several piles at hand all can be picked up by one order."""
    return state.rules >= 4


def the_fallen_can_be_searched(state: State) -> bool:
    """SKR-36: what the dead, the captured and unconscious friends had can be picked up."""
    return state.rules >= 4


def charges_join_on_one_floor(state: State) -> bool:
    """SKR-167: C4 is added to a charge on the same floor, not above or below it."""
    return state.rules >= 4


def c4_is_for_the_taught(state: State) -> bool:
    """SKR-167: only for engineers, and for lists that have it, whoever has picked it up."""
    return state.rules >= 4


def charges_harm_what_they_are_on(state: State) -> bool:
    """SKR-115: C4 outside harms a house if it is set on its wall or roof; a vest never does."""
    return state.rules >= 4


def rubble_trips_who_ran_in_it(state: State) -> bool:
    """SKR-32: who was stopped before the rubble that he was to run through need not test."""
    return state.rules >= 4


def climbers_cross_mines(state: State) -> bool:
    """SKR-33, 165: who climbs over something is on foot before it and behind it."""
    return state.rules >= 4


def run_ups_are_runs(state: State) -> bool:
    """SKR-35, 46, 165: the run-up of a jump is seen, fired at and mined as every run is."""
    return state.rules >= 4


def any_corner_leaves_contact(state: State) -> bool:
    """SKR-132a: any corner of a path can leave contact, not only the first; so can a climb."""
    return state.rules >= 4


def hits_on_others_may_hinder(state: State) -> bool:
    """SKR-46: an act is judged anew if Op-Fire hit somebody it needs, not only who acts."""
    return state.rules >= 4


def corridors_follow_the_line(state: State) -> bool:
    """SKR-89: automatic fire follows the line to its target, not the nearest whole degree."""
    return state.rules >= 4


def corridors_begin_in_front(state: State) -> bool:
    """SKR-89: automatic fire hits nobody who stands beside or behind the man who fires it."""
    return state.rules >= 4


def dice_name_others(state: State) -> bool:
    """SKR-89: a die at somebody else in the corridor of automatic fire says at whom it is."""
    return state.rules >= 4


def corridors_hold_captives(state: State) -> bool:
    """SKR-89: automatic fire hits everybody in its way, as a blast does, the captured as well."""
    return state.rules >= 4


def goggles_of_spotters_help(state: State) -> bool:
    """SKR-61, 81: who has a spotter with goggles may fire at whom he cannot see for the dark."""
    return state.rules >= 4


def runners_spot_for_nobody(state: State) -> bool:
    """SKR-27, 71: who has run is a spotter for targets that he had spotted before, as he fires."""
    return state.rules >= 4


def throws_are_at_known_men(state: State) -> bool:
    """SKR-27, 57: a grenade is thrown at whom he sees or was told of, as a shot is fired."""
    return state.rules >= 4


def throws_reach_to_the_base(state: State) -> bool:
    """SKR-1, 110: a difficult throw at a man is measured to his base, as all distances are."""
    return state.rules >= 4


def throws_are_hard_by_their_mark(state: State) -> bool:
    """SKR-110, 111: not for who stands on a roof; and who is by a window throws out of it, too."""
    return state.rules >= 4


def good_arms_spare_hurt_ones(state: State) -> bool:
    """SKR-99, 133: only what is done with a hurt arm is its one action of the turn."""
    return state.rules >= 4


def openings_are_as_high_as_they_are(state: State) -> bool:
    """SKR-111: how far a door or window is above or below the thrower counts, too."""
    return state.rules >= 4


def triggers_take_a_hand(state: State) -> bool:
    """SKR-41, 99: who has used his hurt arms this turn triggers nothing with them."""
    return state.rules >= 4


def strays_stop_in_range(state: State) -> bool:
    """SKR-55: who goes back to his leader stops in command range, with the AP he has left."""
    return state.rules >= 4


def free_acts_come_before_the_end(state: State) -> bool:
    """SKR-29, 37, 40, 148: what costs no AP can still be done when all are spent."""
    return state.rules >= 4


def runs_add_up(state: State) -> bool:
    """SKR-122, 132: runs that follow each other are one, into whomever it leads, seen or not.

    A man does not run into somebody with whom he is in contact all the way. A fight goes on then,
    and who has won its last exchange has still won it (SKR-132a, 132c).
    """
    return state.rules >= 4


def bayonets_fit_rifles(state: State) -> bool:
    """SKR-123: a bayonet is fixed to a rifle, not to a pistol, machine gun or launcher."""
    return state.rules >= 4


def bayonets_charge_alone(state: State) -> bool:
    """SKR-123, 130: the bonus of a fixed bayonet is for an attack with it, not with a knife."""
    return state.rules >= 4


def charges_meet_each_in_his_cover(state: State) -> bool:
    """SKR-126: of several who are charged each has his own cover, from however far off."""
    return state.rules >= 4


def a_new_enemy_is_a_new_fight(state: State) -> bool:
    """SKR-132a, 132c: who won against somebody else has not beaten the enemy who comes to him."""
    return state.rules >= 4


def melees_are_counted_whole(state: State) -> bool:
    """SKR-132b: a melee goes on from man to man, however far from whom is fired at."""
    return state.rules >= 4


def losses_are_counted_by_man(state: State) -> bool:
    """SKR-145: a team is lost in one turn if each man of it was, however often one of them fell."""
    return state.rules >= 4


def each_sees_his_leader_die(state: State) -> bool:
    """SKR-145: a leader's death weighs on a man's checks if he saw it, on the team's if any did."""
    return state.rules >= 4


def witnesses_face_the_death(state: State) -> bool:
    """SKR-53, 61, 144: who looks the other way, or has no light to see it, witnesses no death."""
    return state.rules >= 4


def each_ignores_his_first_check(state: State) -> bool:
    """SKR-181: also a team's check, each for himself; not one of them for all."""
    return state.rules >= 4


def the_spotters_range_counts(state: State) -> bool:
    """SKR-56, 57: who tells of a target must have those he tells in his own command range."""
    return state.rules >= 4


def courage_is_no_morale_check(state: State) -> bool:
    """SKR-55, 184: a man of a team that is high is tested for his courage."""
    return state.rules >= 4


def the_unseen_are_not_named(state: State) -> bool:
    """SKR-60: who is fired at by somebody out of sight reads neither by whom nor from where."""
    return state.rules >= 4


def flashes_are_seen(state: State) -> bool:
    """SKR-60: a flash gives a man in cover away to those in whose sight he fired, not to all."""
    return state.rules >= 4


def wires_bind_who_waits(state: State) -> bool:
    """SKR-170: a Claymore's wire is as long for an Op-Fire order as for a trigger at once."""
    return state.rules >= 4


def wires_reach_to_the_base(state: State) -> bool:
    """SKR-1, 170: a Claymore's wire is measured to a man's base, as all distances are."""
    return state.rules >= 4


def the_carried_are_loads(state: State) -> bool:
    """SKR-140: who is carried carries nobody, and sees no spot or wall to fire at."""
    return state.rules >= 4


def blows_hit_carrier_or_load(state: State) -> bool:
    """SKR-141: of a carrier and his load a blow may hit either, as a shot may."""
    return state.rules >= 4


def floors_cover_who_is_above(state: State) -> bool:
    """SKR-107: a floor also covers who is straight above or below a blast."""
    return state.rules >= 4


def carriers_hide_no_load(state: State) -> bool:
    """SKR-107, 141: the body of who carries a man does not cover him from a blast."""
    return state.rules >= 4


def loads_fall_with_their_carriers(state: State) -> bool:
    """SKR-118, 140: who finds another place in a collapse has the man he carries with him."""
    return state.rules >= 4


def devices_are_set_on_the_table(state: State) -> bool:
    """SKR-51: no mine or charge is set beyond the edge, as nothing is thrown there."""
    return state.rules >= 4


def devices_are_set_on_this_side(state: State) -> bool:
    """SKR-51: no mine or charge is set through a wall, but on it, or through a window."""
    return state.rules >= 4


def ways_keep_off_men(ways: Ruled) -> bool:
    """SKR-48, 55, 146: a way that is looked for leads through nobody, or it would not be gone."""
    return ways.rules >= 4


def climbs_cost_every_inch(ways: Ruled) -> bool:
    """SKR-33: also begun inches over a wall, and inches across; a carrier climbs, too (SKR-140)."""
    return ways.rules >= 4


def walls_are_climbed_as_they_stand(ways: Ruled) -> bool:
    """SKR-33, 51, 172: with all that stands on a wall; behind it a rope is let down."""
    return ways.rules >= 4


def the_dark_hides_spots(state: State) -> bool:
    """SKR-61: without goggles nobody fires at a spot or a wall beyond 10" in the dark."""
    return state.rules >= 4


def winners_throw_out_of_a_fight(state: State) -> bool:
    """SKR-132c: who has won the last exchange may throw a grenade, as he may fire."""
    return state.rules >= 4


def spots_are_on_their_floor(state: State) -> bool:
    """SKR-51, 58: nothing is fired at, or thrown to, a floor above a place beside the house."""
    return state.rules >= 4


def men_stop_shells(state: State) -> bool:
    """SKR-48: nothing is fired at a spot or a wall through a man, as nothing is at another man."""
    return state.rules >= 4


def captives_bleed(state: State) -> bool:
    """SKR-136: a captive is tested at the start of each turn; he has no activation."""
    return state.rules >= 4


def anybody_bandages(state: State) -> bool:
    """SKR-133: any model in base contact bandages, an enemy as well."""
    return state.rules >= 4


def bleeding_is_told(state: State) -> bool:
    """SKR-99, 139: where no die tells that somebody bleeds, an event does."""
    return state.rules >= 4


def the_overpowered_demand_nothing(state: State) -> bool:
    """SKR-132: who is overpowered calls on nobody to surrender."""
    return state.rules >= 4


def only_frags_are_duds(state: State) -> bool:
    """SKR-186: of what civilians throw, only frag grenades fail."""
    return state.rules >= 4


def blasts_are_at_their_level(state: State) -> bool:
    """SKR-102, 115: a rocket that strikes an upper level bursts there, not on the ground below."""
    return state.rules >= 4


def rerolls_are_at_enemies(state: State) -> bool:
    """SKR-180: a written re-roll is kept for a miss at an enemy; who misses a friend is glad."""
    return state.rules >= 4


def arcs_lie_ahead(state: State) -> bool:
    """SKR-45, 53: an Op-Fire order watches something that is ahead of the man."""
    return state.rules >= 4


def who_waits_may_reroll(state: State) -> bool:
    """SKR-180: an Op-Fire order can say that its first miss is rolled again."""
    return state.rules >= 4


def who_waits_may_aim(state: State) -> bool:
    """SKR-45, 69, 70: shots of an Op-Fire order are ranged attacks as all are, aimed as well."""
    return state.rules >= 4


def each_victim_has_his_own_cover(state: State) -> bool:
    """SKR-93, 132b: a friend hit in a melee has the cover where he stands, not his opponent's."""
    return state.rules >= 4


def rockets_may_hit_a_friend(state: State) -> bool:
    """SKR-132b: a rocket into a melee, too, strikes the enemy meant or a friend."""
    return state.rules >= 4


def the_unconscious_do_not_fight(state: State) -> bool:
    """SKR-132b: a shot at an unconscious man is none into a melee, whoever stands beside him."""
    return state.rules >= 4


def who_is_kept_from_an_act_is_told(state: State) -> bool:
    """SKR-46, 132a: an event tells that an order is not carried out, to whom it was given."""
    return state.rules >= 4


def fights_name_both_before_the_die(state: State) -> bool:
    """SKR-119, 132: who attacks whom is told before the die, and of a tackle with it."""
    return state.rules >= 4
