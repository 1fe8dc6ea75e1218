"""The wounded, and morale, in sentences."""

from __future__ import annotations

from engine.errors import Sentence
from engine.games.skirmish.meta import SkirmishOptions
from engine.rulebook import Chapter, chapter, rule


def wounded(options: SkirmishOptions) -> Chapter:
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
        rule("SKR-141", "A shot or a blow at them hits the carried on 1 to 5, else the carrier."),
    )


def morale(options: SkirmishOptions) -> Chapter:
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
