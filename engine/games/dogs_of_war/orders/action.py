"""Parsing the order of an action turn."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod

from engine.errors import Ambiguous, Sentence, Unreadable, listed
from engine.games.dogs_of_war.action.placements import copies
from engine.games.dogs_of_war.action.position import Position
from engine.games.dogs_of_war.action.reasons import why_not_here
from engine.games.dogs_of_war.box.components import (
    HOUSES,
    SMALL_WORDS,
    SOLDIERS,
    House,
    Reward,
    Soldier,
    words_of_card,
)
from engine.games.dogs_of_war.box.names import (
    SOLDIER_NAMES,
    house_name,
    reward_words,
    side_name,
)
from engine.games.dogs_of_war.moves import (
    Pass,
    Place,
)
from engine.games.dogs_of_war.orders.text import format_place
from engine.games.dogs_of_war.orders.words import (
    HINTS,
    SOLDIER_WORDS,
    number_of,
    unknown,
)


def parse_action(known: Position, words: list[str]) -> Place | Pass:
    if [word for word in words if word not in SMALL_WORDS] in (["pass"], ["pass", "year"]):
        return Pass()
    spaces, copied, rest = _split_numbers(words)
    meanings = _meanings(known, rest)
    readings = _readings(rest, meanings)
    if not readings:
        raise _nothing_fits(rest, meanings)
    if len(readings) > 1:
        raise Ambiguous(
            "The order can be read in several ways: {ways}. Write more of the words.",
            ways="; ".join(sorted(_reading_text(reading) for reading in readings)[:4]),
        )
    soldier, house, tactic = readings[0]
    if len(spaces) != 1:
        raise Unreadable(
            "Say which space of {house} your captain takes: one number from 1 to 6.",
            house=house_name(house),
        )
    move = Place(soldier, house, spaces[0], tactic)
    found = why_not_here(known, move)
    if found is not None:
        raise found.error()
    return _with_copy(known, move, copied)


def _split_numbers(words: list[str]) -> tuple[list[int], int | None, list[str]]:
    """The numbers that are spaces, the number after "copy", and the other words."""
    spaces: list[int] = []
    copied: int | None = None
    rest: list[str] = []
    after_copy = False
    for word in words:
        number = number_of(word)
        if number is None:
            after_copy = word == "copy" or (after_copy and word in SMALL_WORDS)
            if word != "copy":
                rest.append(word)
        elif after_copy:
            copied, after_copy = number, False
        else:
            spaces.append(number)
    return spaces, copied, rest


#: An order with more possible readings than this is refused ("b b b b b b b").
_MOST_READINGS = 5_000
#: One reading of an action's words: soldier, house, tactic card.
_Reading = tuple[Soldier, House, str | None]
_Meaning = tuple[str, str]


def _readings(words: list[str], meanings: list[list[_Meaning]]) -> list[_Reading]:
    """Every way in which all the words together name a soldier, a house and at most one card."""
    named = [
        found
        for word, found in zip(words, meanings, strict=True)
        if found or word not in SMALL_WORDS
    ]
    if prod(len(each) for each in named) > _MOST_READINGS:
        return []
    readings: dict[_Reading, int] = {}
    for picked in product(*named):
        reading = _reading(picked)
        if reading is not None:
            spelled = sum(role == "tactic" for role, _ in picked)
            full = reading[2] is not None and spelled == len(words_of_card(reading[2]))
            readings[reading] = max(readings.get(reading, 0), int(full))
    # an exact name wins: "charge" is the card Charge, not the prefix of another name
    best = max(readings.values(), default=0)
    if sum(full == best for full in readings.values()) == 1:
        return [reading for reading, full in readings.items() if full == best]
    return list(readings)


#: Words that mean the same in every match.
_ALWAYS: tuple[tuple[str, _Meaning], ...] = (
    *((word, ("soldier", str(kind))) for word, kind in SOLDIER_WORDS.items()),
    *((SOLDIER_NAMES[kind], ("soldier", str(kind))) for kind in SOLDIERS[:-1]),
    ("machine", ("soldier", str(Soldier.WAR_MACHINE))),
    *((str(house), ("house", str(house))) for house in HOUSES),
)


def _vocabulary(known: Position) -> list[tuple[str, _Meaning]]:
    sides = [
        (side_name(number, side), ("house", str(battle.sides[side].house)))
        for number, battle in enumerate(known.table.battles)
        for side in (0, 1)
    ]
    return [*_ALWAYS, *sides, *_card_words(dict.fromkeys(known.screen.tactics))]


def _card_words(cards: Iterable[str]) -> list[tuple[str, _Meaning]]:
    return [(word, ("tactic", name)) for name in cards for word in words_of_card(name)]


def _meanings(known: Position, words: list[str]) -> list[list[_Meaning]]:
    """What each word can mean; a card not in hand only if nothing else matches."""
    mine, every = _vocabulary(known), _card_words(known.cards)
    return [_fitting(mine, word) or _fitting(every, word) for word in words]


def _fitting(vocabulary: list[tuple[str, _Meaning]], word: str) -> list[_Meaning]:
    exact = {meaning: None for name, meaning in vocabulary if name == word}
    if exact or word in SMALL_WORDS:
        return list(exact)
    return list({meaning: None for name, meaning in vocabulary if name.startswith(word)})


def _reading(picked: Iterable[_Meaning]) -> _Reading | None:
    roles: dict[str, str] = {}
    for role, key in picked:
        if roles.setdefault(role, key) != key:
            return None
    if "soldier" not in roles or "house" not in roles:
        return None
    return Soldier(roles["soldier"]), House(roles["house"]), roles.get("tactic")


def _reading_text(reading: _Reading) -> str:
    soldier, house, tactic = reading
    card = "" if tactic is None else f"{tactic} + "
    return f"{card}{SOLDIER_NAMES[soldier]} {house_name(house)}"


def _nothing_fits(words: list[str], meanings: list[list[_Meaning]]) -> Unreadable:
    roles: set[str] = set()
    for word, found in zip(words, meanings, strict=True):
        if not found and word not in SMALL_WORDS and word != "pass":
            return unknown(word, "action")
        roles |= {role for role, _ in found}
    if "soldier" not in roles:
        return Unreadable("The order names no soldier. " + HINTS["action"])
    if "house" not in roles:
        return Unreadable("The order names no house. " + HINTS["action"])
    return Unreadable("The order does not fit together. " + HINTS["action"])


def _with_copy(known: Position, move: Place, copied: int | None) -> Place:
    """Resolves what a "copy" space takes: the only choice, or the first of equal ones."""
    number, side = known.table.where(move.house)
    battle = known.table.battles[number]
    allowed = copies(known, move)
    if copied is None and len(allowed) > 1:
        raise Ambiguous(
            "Say which space of the other tile you copy, for example “{example}”: {choices}.",
            example=format_place(_copying(move, allowed[0])),
            choices=listed(
                (
                    Sentence(
                        "copy {space}: {reward}", {"space": choice, "reward": reward_words(reward)}
                    )
                    for choice in allowed
                    if choice is not None and (reward := _reward(known, move.house, choice))
                ),
                "; ",
            ),
        )
    if copied is None:
        return _copying(move, allowed[0])
    opposing = battle.sides[1 - side]
    if 1 <= copied <= len(opposing.spaces) and opposing.captains[copied - 1] is None:
        wanted = opposing.spaces[copied - 1].reward
        for choice in allowed:
            if choice is not None and opposing.spaces[choice - 1].reward == wanted:
                return _copying(move, choice)
    return _copying(move, copied)


def _copying(move: Place, copied: int | None) -> Place:
    return Place(move.soldier, move.house, move.space, move.tactic, copied)


def _reward(known: Position, house: House, space: int) -> Reward | None:
    number, side = known.table.where(house)
    return known.table.battles[number].sides[1 - side].spaces[space - 1].reward
