"""The rules of a skirmish in sentences, each with its ids: only those that hold in a match.

AP are action points. Numbers that stand in the data files are in the tables of the page.
"""

from __future__ import annotations

from engine.errors import Sentence, listed
from engine.games.skirmish.data.library import Scenario, library
from engine.games.skirmish.meta import VALUES, SkirmishOptions
from engine.rulebook import Chapter, chapter, chapters, rule


def rulebook(options: SkirmishOptions) -> tuple[Chapter, ...]:
    """The rules with these options."""
    scenario = library().scenarios[options.scenario]
    night = scenario.night if options.night is None else options.night
    return chapters(
        _battle(options, scenario, night),
        _building(options),
        _turns(),
        _moving(options),
        _command(),
        _sight(options, night),
        _shooting(options, night),
        _hits(options),
        _blasts(),
        _close(options),
        _wounded(options),
        _morale(options),
        _gear(night),
        _lists(),
    )


def _battle(options: SkirmishOptions, scenario: Scenario, night: bool) -> Chapter:
    turns = options.turn_limit or scenario.turns
    paid = listed(
        Sentence("{place}: {points}", {"place": Sentence(place.name), "points": place.points})
        for place in scenario.objectives
    )
    return chapter(
        Sentence("This battle"),
        rule(
            "SKR-2",
            "Table: {table}. It is 48 by 48 inches; an inch is two yards.",
            main=True,
            table=Sentence(VALUES[options.table]),
        ),
        rule("SKR-16", "{story}", main=True, story=Sentence(scenario.story)),
        rule("SKR-16", "It is night.", night, main=True),
        rule(
            "SKR-3",
            "It ends after turn {turns}, or when a side has nobody left who can fight on: then "
            "the other wins.",
            main=True,
            turns=turns,
        ),
        rule(
            "SKR-3",
            "Else points decide. At the end of each turn who stands there alone is paid: {places}.",
            bool(scenario.objectives),
            main=True,
            places=paid,
        ),
        rule(
            "SKR-3",
            "For each enemy dead, captured or unconscious a quarter of his team's price counts.",
            main=True,
        ),
        rule(
            "SKR-1 SKR-6",
            "A test is a ten-sided die of the ability or less. Distances are from base to base.",
            main=True,
        ),
        rule(
            "SKR-5",
            "Abilities: WP weapon proficiency, WK weapon knowledge, CQ close quarters, ST "
            "strength, FT fortitude, HP health points, AR armour, ML morale, CC command.",
        ),
        rule(
            "SKR-8",
            "A man is 1 inch high on a base 1 inch across; lying he is a quarter of an inch high.",
        ),
        rule("SKR-4", "What no rule covers cannot be ordered."),
    )


def _building(options: SkirmishOptions) -> Chapter:
    hidden = options.deployment == "hidden"
    return chapter(
        Sentence("Forces and deployment"),
        rule(
            "SKR-14",
            "Each side builds a force in secret, for at most {points} points.",
            main=True,
            points=options.points,
        ),
        rule("SKR-15", "Each training is bought once for a man."),
        rule(
            "SKR-17 SKR-19",
            "The lower die chooses a side of the table. Men stand within 6 inches of their edge.",
            main=True,
        ),
        rule("SKR-18", "Both deploy in secret, at once.", hidden),
        rule(
            "SKR-18",
            "The lower of two more dice says who deploys first; the other sees it.",
            not hidden,
        ),
        rule(
            "SKR-51",
            "Terrain is what it looks like: walls, windows and trees are bodies that hide what is "
            "behind them.",
        ),
        rule(
            "SKR-58",
            "Enemies out of sight are not on your map, but for a mark where they were last seen.",
            options.hidden_enemies,
            main=True,
        ),
    )


def _turns() -> Chapter:
    return chapter(
        Sentence("A turn"),
        rule(
            "SKR-20 SKR-21 SKR-22",
            "Both roll a die less their best CC; the lower chooses who begins.",
            main=True,
        ),
        rule(
            "SKR-23 SKR-24",
            "The sides take turns in activating a team, or one man, until all have been. In a team "
            "the men act in any order.",
            main=True,
        ),
        rule(
            "SKR-7",
            "An active man has 10 AP. What he does not use is lost.",
            main=True,
        ),
        rule("SKR-25", "The morale of teams is tested at the end of the turn."),
    )


def _moving(options: SkirmishOptions) -> Chapter:
    tested = options.jump_test
    return chapter(
        Sentence("Moving"),
        rule("SKR-26", "Walking: 1 AP an inch.", main=True),
        rule("SKR-27", "Running: 3 AP for up to 5 inches.", main=True),
        rule(
            "SKR-27",
            "A man who runs fires only at enemies spotted before.",
            options.running_bars_new_targets,
        ),
        rule(
            "SKR-47",
            "A man who runs in two turns one after the other tests FT, or has 5 AP in the next.",
        ),
        rule(
            "SKR-28 SKR-29 SKR-30",
            "Lying down is free, standing up 3 AP. A man lying down crawls: 2 AP an inch.",
            main=True,
        ),
        rule("SKR-31", "Walking in rubble: 2 AP an inch."),
        rule(
            "SKR-32",
            "Running in rubble: {ap} AP for up to 5 inches, and a test of ST or he falls.",
            ap=options.rubble_run_ap,
        ),
        rule(
            "SKR-33",
            "Climbing: 2 AP an inch up or down, 1 across, up to twice a man's height.",
        ),
        rule(
            "SKR-34 SKR-35",
            "Jumping an inch: 2 AP. Two inches: 7 AP, with a run-up of 3 inches.",
        ),
        rule("SKR-44", "A jump needs a test of ST: who fails falls short and lies.", tested),
        rule("SKR-40", "Turning is free."),
        rule(
            "SKR-36 SKR-37",
            "Picking something up, also what the dead, the captured and unconscious friends have: "
            "1 AP each, for rounds 1 AP in all. Dropping is free.",
        ),
        rule("SKR-43", "What weapons cost to fire and reload is in the table."),
        rule(
            "SKR-48 SKR-49 SKR-50",
            "Nobody moves or shoots through men, but over the dead, and over men who lie or stand "
            "an inch lower.",
        ),
        rule("SKR-52", "Wounds and carrying make moves dearer."),
    )


def _command() -> Chapter:
    return chapter(
        Sentence("Command"),
        rule(
            "SKR-54",
            "A leader commands everyone in sight within as many inches as his CC; by radio "
            "anywhere.",
        ),
        rule(
            "SKR-55",
            "A man who leaves that range tests ML once. If he fails, he goes back into it.",
        ),
        rule(
            "SKR-56 SKR-57",
            "A man tells those in his command range and sight, or with radios, what he spots. Else "
            "only who sees a target fires at it.",
        ),
        rule(
            "SKR-160 SKR-161",
            "Hand-held radios are for leaders; earpieces connect a whole team.",
        ),
    )


def _sight(options: SkirmishOptions, night: bool) -> Chapter:
    dark = night and not options.generous_night_sight
    return chapter(
        Sentence("Sight"),
        rule("SKR-53", "A man sees a half circle in front of him.", main=True),
        rule(
            "SKR-59 SKR-60",
            "More than half of a target must be in sight for a plain shot. At less, only an "
            "aimed shot, or one at a man who has fired in view without a flash suppressor.",
            main=True,
        ),
        rule("SKR-61", "It is dark: nobody is seen farther than 10 inches.", dark, main=True),
        rule(
            "SKR-61",
            "Darkness hides nobody, it only makes shots harder.",
            night and options.generous_night_sight,
        ),
        rule("SKR-62", "Smoke does not hide, but makes shots harder."),
    )


def _shooting(options: SkirmishOptions, night: bool) -> Chapter:
    up = options.walk_and_run_add_up
    single = options.aimed_single_only
    spotter = options.spotter_pays
    return chapter(
        Sentence("Shooting"),
        rule("SKR-63 SKR-58", "A shot needs rounds, sight of the target, AP, and a man who can."),
        rule(
            "SKR-64",
            "An enemy within 10 inches comes first.",
            options.priority_target,
            main=True,
        ),
        rule("SKR-65", "Out of range, rounds and AP are spent all the same."),
        rule(
            "SKR-66 SKR-67",
            "Roll a ten-sided die: WP plus range and the modifiers below, or less, hits. A 1 "
            "always hits, a 10 never.",
            main=True,
        ),
        rule(
            "SKR-68",
            "Each die of a burst is rolled on its own: a burst has three, automatic fire five to "
            "ten. It takes as many rounds.",
        ),
        rule(
            "SKR-69 SKR-88" if single else "SKR-69",
            "Aimed: +1 and 2 AP more; single shots only.",
            single,
            main=True,
        ),
        rule("SKR-69 SKR-88", "Aimed: +1 and 2 AP more, for every die.", not single, main=True),
        rule(
            "SKR-87",
            "An aimed shot may also be taken at a man more than half hidden, and one lower on "
            "the body.",
        ),
        rule("SKR-70", "Sniper's scope: +1 and 2 AP more."),
        rule("SKR-71", "Spotter: +1; he pays 5 AP.", spotter),
        rule("SKR-71", "Spotter: +1; the shooter pays 5 AP.", not spotter),
        rule("SKR-72", "Shooter lying: +1."),
        rule("SKR-73 SKR-74", "Burst: −1. Automatic fire: −3."),
        rule(
            "SKR-75 SKR-76 SKR-86",
            "Shooter walked: −2. Shooter ran: −4. The worse counts.",
            not up,
            main=True,
        ),
        rule(
            "SKR-75 SKR-76 SKR-86",
            "Shooter walked: −2. Shooter ran: −4. Both add up.",
            up,
            main=True,
        ),
        rule(
            "SKR-77 SKR-78 SKR-79",
            "Target running: −2. Target walking: −1. Target lying: −1.",
            main=True,
        ),
        rule("SKR-85", "Lying does not help within 3 inches, or against a man well above."),
        rule("SKR-80", "Smoke: −3."),
        rule("SKR-81 SKR-82", "Night: −3, within 10 inches −1.", night),
        rule(
            "SKR-83 SKR-163",
            "Night vision goggles: −1 or −2 in place of that, by list.",
            night,
        ),
        rule("SKR-84 SKR-164", "Laser with goggles: +1.", night),
        rule(
            "SKR-71",
            "A spotter's goggles show the shooter, too, whom the dark hides.",
            night and not options.generous_night_sight,
        ),
        rule(
            "SKR-89 SKR-90",
            "Automatic fire sweeps 3 inches across: its dice go to the target first, then to all "
            "in the way by distance, friend and foe.",
        ),
        rule("SKR-91", "At a building: +1 for each of its floors."),
        rule(
            "SKR-39 SKR-45 SKR-46",
            "Op-Fire costs all 10 AP: the man waits, and fires with 6 AP at the moment his order "
            "names, in the enemy's move, before it goes on.",
            main=True,
        ),
        rule(
            "SKR-45 SKR-69 SKR-70",
            "These shots are aimed, or through a scope, if the order ends with “aimed” or “scope”: "
            "2 of the 6 AP each.",
        ),
        rule(
            "SKR-9 SKR-10 SKR-11 SKR-12",
            "Strange weapons, grenades and mines are made out first: 3 AP a try, a die of 5 + WK "
            "less their difficulty. A man who has not by the end of the turn never will.",
        ),
        rule("SKR-13", "A weapon that was made out stays known.", options.keep_learnt_weapon),
        rule(
            "SKR-13",
            "A weapon that was made out is known for the turn.",
            not options.keep_learnt_weapon,
        ),
    )


def _hits(options: SkirmishOptions) -> Chapter:
    abdomen = options.armour_covers_abdomen
    ducks = options.near_miss_ducks
    arm = options.right_arm_immobilizes
    return chapter(
        Sentence("Hits"),
        rule(
            "SKR-92",
            "A die says where: 1 head, 2 and 3 chest, 4 and 5 stomach, 6 abdomen, 7 and 8 legs, 9 "
            "and 10 arms.",
            main=True,
        ),
        rule(
            "SKR-93",
            "If cover hides that part, a die of the weapon's value for soft or hard cover or less "
            "goes through it.",
        ),
        rule(
            "SKR-94",
            "If armour covers it, a die of AR and the weapon's modifier or less stops the shot; a "
            "1 always does.",
        ),
        rule(
            "SKR-95",
            "Helmets cover the head, vests chest and stomach; only against shots and fragments.",
            not abdomen,
        ),
        rule(
            "SKR-95",
            "Helmets cover the head, vests chest, stomach and abdomen; only against shots and "
            "fragments.",
            abdomen,
        ),
        rule(
            "SKR-96 SKR-98",
            "Then a die less the damage rating: 6 or more is a near miss, 3 to 5 costs 1 HP, 1 and "
            "2 cost 2 to 4 HP and need aid, 0 or less is worse; to the head it kills.",
            main=True,
        ),
        rule(
            "SKR-98",
            "A bad hit on the right arm immobilizes, too.",
            arm,
        ),
        rule("SKR-100", "A man who fails a test of shock at a near miss ducks for cover.", ducks),
        rule("SKR-100", "A near miss does nothing.", not ducks),
        rule(
            "SKR-97",
            "A man who needs aid at once only walks or crawls to cover until he is bandaged.",
            main=True,
        ),
        rule(
            "SKR-99 SKR-101",
            "Slow: moves cost double, no running. One arm: one act a turn with it. Bleeding: 1 HP "
            "a turn. Effects add up, doubling does not.",
        ),
    )


def _blasts() -> Chapter:
    return chapter(
        Sentence("Grenades, blasts and buildings"),
        rule(
            "SKR-38 SKR-108 SKR-109",
            "A throw costs 3 AP and is rolled as a shot.",
            main=True,
        ),
        rule(
            "SKR-110 SKR-111",
            "Over walls, into houses or onto roofs: −1 from 2 inches on, −2 from 6, −3 from 10; "
            "from close by a door or window it goes through.",
        ),
        rule(
            "SKR-113",
            "What misses goes astray by up to 6 inches, half of that under 10 inches.",
        ),
        rule(
            "SKR-102 SKR-103 SKR-114",
            "A blast hits everybody in its rings, an inch each; every wound is rolled.",
            main=True,
        ),
        rule(
            "SKR-104 SKR-105 SKR-106",
            "Two wounds are rolled in the first ring of a grenade and in the first two of a "
            "rocket. In the kill zone of C4 and Claymores men die.",
        ),
        rule("SKR-107", "Cover is judged from the middle of the blast; armour counts."),
        rule(
            "SKR-115 SKR-116 SKR-117",
            "A blast damages the building that it strikes or bursts in, C4 also the wall or roof "
            "it is set on: wood has 4 points a floor, stone 6, concrete 8, steel 9.",
        ),
        rule(
            "SKR-118",
            "At none a floor falls with all above it, and hits everyone inside.",
        ),
        rule("SKR-112", "There are no vehicles: nothing is thrown into one."),
        rule("SKR-41 SKR-170", "Triggering a Claymore: 1 AP, also on Op-Fire."),
        rule("SKR-171", "Blasts, bursts, shotguns and Claymores in the open are areas."),
    )


def _close(options: SkirmishOptions) -> Chapter:
    usual = not options.close_combat_reversed
    return chapter(
        Sentence("Hand to hand"),
        rule(
            "SKR-119",
            "In base contact: a die of 5 + your CQ less his, or less.",
            usual,
            main=True,
        ),
        rule(
            "SKR-119",
            "In base contact: a die of 5 + his CQ less yours, or less.",
            not usual,
            main=True,
        ),
        rule(
            "SKR-120 SKR-121 SKR-130",
            "Bare hands cost 2 AP, weapons more. Wounds are rolled as for shots, without armour.",
        ),
        rule(
            "SKR-122 SKR-123 SKR-124 SKR-125",
            "Charge: +1, with a bayonet fixed to a rifle +1 more (2 AP to fix). Higher ground: +1. "
            "Lying: −1.",
        ),
        rule(
            "SKR-126 SKR-127 SKR-128 SKR-129",
            "Charged in cover: +1 for him. Trained: +1, deadly hands +2. Against a man "
            "distracted by shooting while in contact: +1.",
        ),
        rule(
            "SKR-131",
            "Knocking out, with something blunt: a 1 to hit and a 1 for where; against a subdued "
            "man, any hit.",
        ),
        rule(
            "SKR-132",
            "Tackling while running into contact: a die of 5 + your ST less his. A man "
            "overpowered is tied for 2 AP.",
        ),
        rule(
            "SKR-132a",
            "A man who leaves without having won the last exchange is struck at first.",
        ),
        rule(
            "SKR-132b",
            "Shots into a fight hit the enemy on 5 + enemies less friends, or less; else a friend.",
        ),
        rule("SKR-132c SKR-132d", "Shooting out of a fight: only after winning the last exchange."),
    )


def _wounded(options: SkirmishOptions) -> Chapter:
    dies = options.survivability
    acts = options.immobilized_may_act
    return chapter(
        Sentence("The wounded"),
        rule(
            "SKR-42 SKR-133",
            "Bandaging: 5 AP, by himself or by a man who touches him. It stops bleeding and "
            "heals nothing.",
            main=True,
        ),
        rule("SKR-134", "A medic would heal 1 HP and wake him; no list here has one."),
        rule("SKR-135", "At 0 HP or less a man is unconscious.", dies, main=True),
        rule(
            "SKR-136",
            "Until he is bandaged he is tested each turn: a die of 10 + HP or less costs 1 HP, "
            "more kills. At −10 he is dead.",
            dies,
        ),
        rule("SKR-135 SKR-136 SKR-139", "At 0 HP a man is out of action.", not dies, main=True),
        rule("SKR-137", "The immobilized lie; they may still shoot.", acts),
        rule("SKR-137", "The immobilized lie and do nothing.", not acts),
        rule(
            "SKR-138",
            "A man unconscious with HP left wakes by a die of HP or less, once an activation; a "
            "man who touches him helps for 3 AP.",
        ),
        rule(
            "SKR-140",
            "Carrying: 5 AP to pick up, moves cost double; running needs a test of ST each turn.",
        ),
        rule("SKR-141", "A shot at them hits the carried on 1 to 5, else the carrier."),
    )


def _morale(options: SkirmishOptions) -> Chapter:
    once = options.team_check_once
    return chapter(
        Sentence("Morale"),
        rule("SKR-142", "A test is a die of ML or less."),
        rule(
            "SKR-143",
            "When half the team is out of action its best ML is tested, once; if it fails all "
            "break.",
            once,
            main=True,
        ),
        rule(
            "SKR-143",
            "While half the team is out of action its best ML is tested each turn; if it fails "
            "all break.",
            not once,
            main=True,
        ),
        rule(
            "SKR-144 SKR-145",
            "A man who sees a man of his team die is tested: −1 once he has seen his leader die, "
            "−2 if all his mates were lost in this turn.",
        ),
        rule("SKR-146", "A man who breaks runs to the nearest cover with all he has.", main=True),
        rule(
            "SKR-147 SKR-148",
            "A broken man gives up to an enemy within 5 inches who demands it.",
        ),
        rule("SKR-149", "He is tested again at the beginning of each activation."),
        rule("SKR-150", "Jihad men are never tested."),
    )


def _gear(night: bool) -> Chapter:
    return chapter(
        Sentence("Equipment"),
        rule("SKR-162 SKR-175", "GPS and gas masks do nothing here."),
        rule(
            "SKR-83 SKR-84 SKR-163 SKR-164",
            "Goggles and lasers are for the night.",
            not night,
        ),
        rule("SKR-165", "A mine costs 3 AP to place and bursts under whoever crosses it."),
        rule("SKR-166", "Shaped charge, engineers only: 3 AP; it opens a door or a wall."),
        rule(
            "SKR-167 SKR-168 SKR-169",
            "C4: 3 AP a quarter pound. Kill zone 2 inches and an inch more for each further "
            "quarter; up to 10 inches away it wounds.",
        ),
        rule(
            "SKR-173 SKR-172",
            "Engineers carry a shaped charge and a pound of C4. Mountaineers go down ropes.",
        ),
        rule("SKR-174 SKR-187", "There is no air support."),
    )


def _lists() -> Chapter:
    return chapter(
        Sentence("What lists can do"),
        rule(
            "SKR-180",
            "Expert riflemen roll one missed shot again, once a battle each, if the order ends "
            "with “reroll”.",
        ),
        rule("SKR-181", "Disciplined men ignore their first test of morale, each for himself."),
        rule("SKR-182", "Marines never tire of running."),
        rule("SKR-183 SKR-189", "Airborne, Delta, and the militia's trainings have nothing more."),
        rule(
            "SKR-184",
            "Militia get high on a die of 5 or less: then nothing tires them, and their morale is "
            "not tested any more.",
        ),
        rule("SKR-185", "Militia and civilians do not aim."),
        rule("SKR-186", "Half of the civilians' grenades do not go off."),
        rule(
            "SKR-188",
            "Every second Jihad man of a fire team of Al Qaeda wears a vest that goes off when he "
            "falls, or for 1 AP.",
        ),
    )
