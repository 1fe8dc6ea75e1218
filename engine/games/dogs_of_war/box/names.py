"""Names of things in plain English; keys of the message catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.errors import Sentence, listed
from engine.games.dogs_of_war.box.components import (
    Dog,
    House,
    Reward,
    RewardKind,
    Soldier,
    Tactic,
)

DOG_NAMES: Mapping[Dog, str] = {
    Dog.BLACKMANE: "Sir Blackmane",
    Dog.ORDALIA: "Lady Ordalia MacBeth",
    Dog.OMALLEY: "Captain O'Malley",
    Dog.CONQUEROR: "The Nameless Conqueror",
    Dog.STORMCROW: "Stormcrow",
}
SOLDIER_NAMES: Mapping[Soldier, str] = {
    Soldier.FOOTMAN: "footman",
    Soldier.ARQUEBUSER: "arquebuser",
    Soldier.KNIGHT: "knight",
    Soldier.WAR_MACHINE: "war machine",
}
SOLDIER_PLURALS: Mapping[Soldier, str] = {
    Soldier.FOOTMAN: "footmen",
    Soldier.ARQUEBUSER: "arquebusers",
    Soldier.KNIGHT: "knights",
    Soldier.WAR_MACHINE: "war machines",
}
_ABILITIES: Mapping[Dog, str] = {
    Dog.BLACKMANE: "With each bonus reward you also take the strongest soldier card played for"
    " the defeated house.",
    Dog.ORDALIA: "You count as having one captain more when bonus rewards are decided.",
    Dog.OMALLEY: "You get 1 coin for each battle in which you have a captain on the victorious"
    " house.",
    Dog.CONQUEROR: "Before the battles are decided you may move each tracker by up to 2 spaces"
    " toward a house you have a captain with, unless it stands on 15 of the other house.",
    Dog.STORMCROW: "Your captains on a defeated house bring no points to the others.",
}
_BY_TWO = (
    "Before the battles are decided you may move each tracker by 2 spaces, not by 1, toward a house"
    " you have a captain with, unless it stands on 15 of the other house."
)
_BY_CHOICE = (
    "Before the battles are decided you may take your captains back from a house that is about to"
    " lose: those bring no points to the others."
)
_REWARDS: Mapping[RewardKind, tuple[str, str]] = {
    RewardKind.POINTS: ("{n} victory point", "{n} victory points"),
    RewardKind.FOOTMAN: ("{n} footman", "{n} footmen"),
    RewardKind.ARQUEBUSER: ("{n} arquebuser", "{n} arquebusers"),
    RewardKind.KNIGHT: ("{n} knight", "{n} knights"),
    RewardKind.WAR_MACHINE: ("{n} war machine", "{n} war machines"),
    RewardKind.COINS: ("{n} coin", "{n} coins"),
    RewardKind.TACTICS: ("{n} tactic card", "{n} tactic cards"),
    RewardKind.CAPTAIN: ("{n} captain", "{n} captains"),
    RewardKind.INFLUENCE: ("{n} influence token", "{n} influence tokens"),
    RewardKind.COPY: ("a free space of the other tile", "a free space of the other tile"),
    RewardKind.COINS_PER_CAPTAIN: (
        "a coin for each captain on the other tile",
        "{n} coins for each captain on the other tile",
    ),
    RewardKind.PUSH: (
        "a push of the tracker for each captain here",
        "a push of the tracker by {n} for each captain here",
    ),
}


def house_name(house: House) -> str:
    return house.value.capitalize()


def side_name(battle: int, side: int) -> str:
    """A side's name in orders: ``1a`` for the first side of the first battle."""
    return f"{battle + 1}{'ab'[side]}"


def ability(dog: Dog, *, by_two: bool, by_choice: bool) -> Sentence:
    """``by_two``: the Conqueror moves a tracker by two or not at all.

    ``by_choice``: Stormcrow's captains leave a defeated house only if he takes them back.
    """
    if dog is Dog.CONQUEROR and by_two:
        return Sentence(_BY_TWO)
    if dog is Dog.STORMCROW and by_choice:
        return Sentence(_BY_CHOICE)
    return Sentence(_ABILITIES[dog])


def reward_words(reward: Reward) -> Sentence:
    one, several = _REWARDS[reward.kind]
    return Sentence(one if reward.amount == 1 else several, {"n": reward.amount})


def needs_words(needs: Soldier) -> Sentence:
    """The prerequisite of a space, in words (DOW-42, DOW-43)."""
    if needs is Soldier.KNIGHT:
        return Sentence("for a knight or a war machine")
    return Sentence("for an arquebuser or stronger")


def place_words(tracker: int, first: House, second: House) -> Sentence:
    """The place of a tracker, between the first and the second house of its battle."""
    if tracker == 0:
        return Sentence("in the centre")
    house = second if tracker > 0 else first
    return Sentence("on {number} for {house}", {"number": abs(tracker), "house": house_name(house)})


def result_words(victor: House | None, glorious: bool) -> Sentence:
    """How a battle would end."""
    if victor is None:
        return Sentence("no victor")
    text = "a glorious victory for {house}" if glorious else "victory for {house}"
    return Sentence(text, {"house": house_name(victor)})


def captains_words(number: int) -> Sentence:
    return reward_words(Reward(RewardKind.CAPTAIN, number))


#: DOW-68; DOW-21 lets the holder give it away before the year begins.
FIRST_TO_PASS = Sentence("The first to pass takes the first-player token for next year.")


def numbers(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in values)


def tactic_words(card: Tactic, everywhere: bool, at_once: bool) -> tuple[Sentence, ...]:
    """What a tactic card does, a sentence for each of its parts.

    A card for both sides opens them in every battle, or in its own alone; at once, or later.
    """
    parts: list[Sentence] = []
    if card.soldiers:
        names = listed(Sentence(SOLDIER_NAMES[kind]) for kind in card.soldiers)
        parts.append(Sentence("Played with: {names}.", {"names": names}))
    if card.both_sides and everywhere:
        parts.append(
            Sentence("You may support both houses of every battle for the rest of the year.")
        )
    elif card.both_sides:
        parts.append(
            Sentence("You may support both houses of this battle for the rest of the year.")
        )
    if card.both_sides and not at_once:
        parts.append(Sentence("It counts from your next turn on."))
    if card.holds_tracker:
        parts.append(Sentence("Your soldier does not move the tracker."))
    if card.strength is not None:
        parts.append(Sentence("Your soldier's strength is {n}.", {"n": card.strength}))
    if card.extra_strength:
        parts.append(Sentence("Your soldier's strength is {n} more.", {"n": card.extra_strength}))
    if card.ignores_prerequisite:
        parts.append(Sentence("You may use a space whatever soldier it asks for."))
    for reward in card.gains:
        text = "At once you take {reward}."
        if reward.kind is RewardKind.INFLUENCE:
            text = "At once you take {reward} of the house you support."
        parts.append(Sentence(text, {"reward": reward_words(reward)}))
    return tuple(parts)
