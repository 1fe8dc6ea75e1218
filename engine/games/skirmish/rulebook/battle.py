"""The battle, buildings, the course of its turns, gear and lists, in sentences."""

from __future__ import annotations

from engine.errors import Sentence, listed
from engine.games.skirmish.meta import VALUES, SkirmishOptions
from engine.games.skirmish.play import scenario, turn_limit
from engine.rulebook import Chapter, chapter, rule


def battle(options: SkirmishOptions, night: bool) -> Chapter:
    story, objectives = scenario(options).story, scenario(options).objectives
    paid = listed(
        Sentence("{place}: {points}", {"place": Sentence(place.name), "points": place.points})
        for place in objectives
    )
    return chapter(
        Sentence("This battle"),
        rule(
            "SKR-2",
            "Table: {table}. It is 48 by 48 inches; an inch is two yards.",
            main=True,
            table=Sentence(VALUES[options.table]),
        ),
        rule("SKR-16", "{story}", main=True, story=Sentence(story)),
        rule("SKR-16", "It is night.", night, main=True),
        rule(
            "SKR-3",
            "It ends after turn {turns}, or when a side has nobody left who can fight on: then "
            "the other wins.",
            main=True,
            turns=turn_limit(options),
        ),
        rule(
            "SKR-3",
            "Else points decide. At the end of each turn who stands there alone is paid: {places}.",
            bool(objectives),
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


def building(options: SkirmishOptions) -> Chapter:
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


def turns() -> Chapter:
    return chapter(
        Sentence("A turn"),
        rule(
            "SKR-20 SKR-21 SKR-22",
            "Both roll a die less their leader's CC; the lower chooses who begins.",
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


def gear(night: bool) -> Chapter:
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
            "C4: 3 AP a quarter pound; “quarters 3” at the end of the order sets three at once. "
            "One kills within 2 inches and wounds within 4; each further one adds 1 and 2, but "
            "none wounds beyond 10.",
        ),
        rule(
            "SKR-173 SKR-172",
            "Engineers carry a shaped charge and a pound of C4. Mountaineers go down ropes.",
        ),
        rule("SKR-174 SKR-187", "There is no air support."),
    )


def lists() -> Chapter:
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
