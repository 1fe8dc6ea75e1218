"""Words and numbers common to orders of several phases."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import Unreadable
from engine.games.dogs_of_war.box.components import COUNTING, Soldier

NOTHING_WORDS = {"nothing", "none", "no", "0"}
SOLDIER_WORDS: Mapping[str, Soldier] = {
    "footman": Soldier.FOOTMAN,
    "footmen": Soldier.FOOTMAN,
    "arquebusers": Soldier.ARQUEBUSER,
    "arquebusiers": Soldier.ARQUEBUSER,
    "knights": Soldier.KNIGHT,
    "war": Soldier.WAR_MACHINE,
    "machines": Soldier.WAR_MACHINE,
    "warmachines": Soldier.WAR_MACHINE,
    "wm": Soldier.WAR_MACHINE,
}
#: Those that name more than one soldier.
PLURALS = {"footmen", "arquebusers", "arquebusiers", "knights", "machines", "warmachines"}
#: The form of an order in each phase.
HINTS: Mapping[str, str] = {
    "dogs of war": "Write “play” and the name of a dog of war that is left.",
    "first player": "Write “keep”, or “give token to” and the number of a seat.",
    "mustering": "Write what you buy, for example “buy 2 knights 1 footman”,"
    " “buy knights then footmen” to buy in this order while coins and piles last,"
    " or “buy nothing”.",
    "action": "Write a soldier, a house and a space, for example “knight talbot 3”, or “pass”.",
    "conqueror": "Write how far each tracker moves, for example “push 1:2 3:1”, or “push nothing”.",
    "withdrawal": "Write the houses you leave, for example “withdraw talbot”,"
    " or “withdraw nothing”.",
}


def number_of(word: str) -> int | None:
    if word.isdecimal():
        return int(word[:4])
    return COUNTING.index(word) if word in COUNTING else None


def unknown(word: str, hint: str) -> Unreadable:
    if word in NOTHING_WORDS and hint in ("mustering", "withdrawal"):
        return Unreadable("“{word}” stands without other words. " + HINTS[hint], word=word)
    return Unreadable("“{word}” is not understood. " + HINTS[hint], word=word[:40])


def soldier_of(word: str) -> Soldier:
    found = {kind for name, kind in SOLDIER_WORDS.items() if name.startswith(word)}
    if len(found) == 1:
        return found.pop()
    raise unknown(word, "mustering")
