"""Shots, hits, blasts and combat hand to hand, in sentences."""

from __future__ import annotations

from engine.errors import Sentence
from engine.games.skirmish.meta import SkirmishOptions
from engine.rulebook import Chapter, chapter, rule


def shooting(options: SkirmishOptions, night: bool) -> Chapter:
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


def hits(options: SkirmishOptions) -> Chapter:
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


def blasts() -> Chapter:
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


def close(options: SkirmishOptions) -> Chapter:
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
            "Knocking out, with something blunt, if the order ends with “knockout”: a 1 to hit and "
            "a 1 for where; against a subdued man, any hit.",
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
