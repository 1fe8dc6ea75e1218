"""What a man can still do, by his AP and his wounds: SKR-7, 97, 99, 137."""

from __future__ import annotations

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.play import Play
from engine.games.skirmish.state import Model


def kept_from_acting(play: Play, model: Model) -> bool:
    """SKR-97, 137: whether he needs aid first, or is immobilized and so cannot act.

    Orders are checked with their own sentences (``acts``); this is for cases in which the rules
    would let him act without an order.
    """
    if not versions.aid_comes_first(play.state):
        return False
    helpless = model.wounds.immobilized and not play.state.options.immobilized_may_act
    return model.wounds.untreated or helpless


def check_ap(model: Model, need: int, left: int, rule: str = "SKR-7") -> None:
    """Checks that what he has ``left`` is enough."""
    if need > left:
        raise IllegalMove(
            "That takes {need} AP; {model} has {left} left.",
            rule=rule,
            need=need,
            model=model.name,
            left=left,
        )


def good_arms(model: Model) -> int:
    hurt_left = model.wounds.left_arm_useless or model.wounds.one_action_left
    return 2 - int(hurt_left) - int(model.wounds.one_action_right)


def check_arms(model: Model, hands: int) -> None:
    """SKR-99: checks that his arms, if hurt, still allow it."""
    hurt = model.wounds
    if hurt.left_arm_useless and hands == 2:
        raise IllegalMove(
            "{model}'s left arm is useless: one-handed weapons only.",
            rule="SKR-99",
            model=model.name,
        )
    if hands == 1:
        limited = hurt.one_action_right and (hurt.one_action_left or hurt.left_arm_useless)
    else:
        limited = hurt.one_action_right or hurt.one_action_left
    if limited and model.arm_acts:
        raise IllegalMove(
            "{model} has used his hurt arm this turn.", rule="SKR-99", model=model.name
        )


def use_arms(play: Play, who: str, hands: int) -> None:
    """SKR-99: counts an act of his arms; what takes one hand leaves a hurt left arm its own act."""
    hurt, acts = play.models[who].wounds, play.models[who].arm_acts
    left = (hurt.one_action_left or hurt.left_arm_useless) and not hurt.one_action_right
    if hands == 2 or not left or not versions.good_arms_spare_hurt_ones(play.state):
        play.put(who, arm_acts=acts + 1)
