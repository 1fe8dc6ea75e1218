"""Every claim of a refusal, held against the table, the screen and the legal moves.

A refusal is a few sentences; each must fit one of ``CLAIMS``, whose function says whether it is
true. A new sentence needs a line there.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import HOUSES, RANK, SOLDIERS, Dog, House, Soldier
from engine.games.dogs_of_war.box.names import DOG_NAMES, SOLDIER_NAMES, SOLDIER_PLURALS
from engine.games.dogs_of_war.course.stormcrow import losing_houses
from engine.games.dogs_of_war.moves import Place, Push
from engine.games.dogs_of_war.orders.words import HINTS
from engine.games.dogs_of_war.state import Battle, Side, State
from tests.engine.games.dogs_of_war.positions import FORMS, positions
from tests.parts import chance


class Asked(NamedTuple):
    """A position, and an order that was refused there."""

    state: State
    seat: int
    order: str

    def legal(self) -> list[Any]:
        return list(GAME.legal_moves(self.state, self.seat))

    def side(self, house: str) -> Side:
        number, which = self.state.table.where(House(house.lower()))
        return self.state.table.battles[number].sides[which]

    def battle(self, number: str) -> Battle:
        return self.state.table.battles[int(number) - 1]

    def houses(self) -> set[str]:
        return {side.house for battle in self.state.table.battles for side in battle.sides}

    def card(self) -> str | None:
        """The tactic card of the order: what stands before the plus sign."""
        name, plus, _ = self.order.partition(" +")
        known = {card.lower(): card for card in position(self.state, self.seat).cards}
        return known[name] if plus else None

    def open_to(self, soldier: str, house: str) -> list[str]:
        """The spaces of a house that this soldier may take with the order's card."""
        found = {
            move.space
            for move in self.legal()
            if isinstance(move, Place)
            and SOLDIER_NAMES[move.soldier] == soldier
            and move.house == house.lower()
            and move.tactic == self.card()
        }
        return [str(space) for space in sorted(found)]

    def pushes(self, house: str) -> list[str]:
        """How far the Conqueror may move a tracker toward a house; not at all among them."""
        found = {
            shift.spaces
            for move in self.legal()
            if isinstance(move, Push)
            for shift in move.shifts
            if shift.house == house.lower()
        }
        return ["0", *(str(spaces) for spaces in sorted(found))]

    def holds(self, seat: int, house: str) -> bool:
        return self.side(house).captains_of(seat) > 0


def names(said: str) -> set[str]:
    return {one.lower() for one in said.split(", ")}


def kind_of(name: str) -> Soldier:
    every = {
        **{v: k for k, v in SOLDIER_NAMES.items()},
        **{v: k for k, v in SOLDIER_PLURALS.items()},
    }
    return every[name]


def hand(a: Asked) -> set[str]:
    held = a.state.screens[a.seat].soldiers
    return {SOLDIER_PLURALS[kind] for kind in SOLDIERS if held.count(kind)}


def dog_taken(a: Asked, dog: str, number: str, left: str) -> bool:
    table = a.state.table
    free = [DOG_NAMES[one] for one in Dog if one not in {player.dog for player in table.players}]
    player = table.players[int(number) - 1]
    return player.dog is not None and DOG_NAMES[player.dog] == dog and left.split(", ") == free


def costs(a: Asked, cost: str, purse: str, prices: str) -> bool:
    bought = {kind_of(name): int(n) for n, name in re.findall(r"(\d+) ([a-z ]+?)(?:,|$)", a.order)}
    price = {
        kind_of(one.rsplit(" ", 1)[0]): int(one.rsplit(" ", 1)[1]) for one in prices.split(", ")
    }
    spent = sum(price[kind] * number for kind, number in bought.items())
    return int(cost) == spent > int(purse) == a.state.screens[a.seat].coins


def supports_other(a: Asked, other: str, battle: str, house: str) -> bool:
    sides = {side.house.capitalize(): side for side in a.battle(battle).sides}
    opened = int(battle) - 1 in a.state.table.players[a.seat].betrayed
    return set(sides) == {other, house} and a.holds(a.seat, other) and not opened


def opened_by(a: Asked, other: str, battle: str, house: str, cards: str, earlier: str) -> bool:
    known = position(a.state, a.seat)
    opening = {name for name, card in known.cards.items() if card.both_sides}
    at_once = a.state.options.betrayal_at_once
    return (
        supports_other(a, other, battle, house)
        and set(cards.split(" / ")) == opening
        and bool(earlier) != at_once
    )


def needs(a: Asked, space: str, house: str, least: Soldier) -> bool:
    place = a.side(house).spaces[int(space) - 1]
    card = a.card()
    bribed = card is not None and position(a.state, a.seat).cards[card].ignores_prerequisite
    named = [kind for kind in SOLDIERS if SOLDIER_NAMES[kind] in a.order]
    weak = any(RANK[kind] < RANK[least] for kind in named)
    return place.needs is least and weak and not bribed


def copied(a: Asked, spaces: str) -> bool:
    at = re.sub(r" copy \d+", "", a.order)
    legal = {GAME.format(move) for move in a.legal()}
    return all(f"{at} copy {space}" in legal for space in spaces.split(", "))


def nothing_to_copy(a: Asked) -> bool:
    return re.sub(r" copy \d+", "", a.order) in {GAME.format(move) for move in a.legal()}


def copies_nothing(a: Asked, space: str, house: str) -> bool:
    reward = a.side(house).spaces[int(space) - 1].reward
    return reward is None or reward.kind != "copy"


def shut_to(a: Asked, house: str, soldier: str) -> bool:
    return a.open_to(soldier, house) == [] and SOLDIER_NAMES[kind_of(soldier)] in a.order


def holds_no_card(a: Asked, card: str, held: str) -> bool:
    tactics = set(a.state.screens[a.seat].tactics)
    return card not in tactics and (set(held.split(", ")) == tactics or held == "none")


HOUSE = "(" + "|".join(house.capitalize() for house in HOUSES) + ")"
KIND = r"(footman|arquebuser|knight|war machine)"
CLAIMS: dict[str, Any] = {
    r"(.+) is taken: player (\d) was first\. Left: (.+)\.$": dog_taken,
    r"You have the first-player token already: keep it, or give it to another player\.": (
        lambda a: a.state.table.token == a.seat and a.order == f"give token to {a.seat + 1}"
    ),
    r"There is no player (\d+)\. The players are 1 to (\d)\.": lambda a, number, last: (
        int(last) == len(a.state.table.players) and not 1 <= int(number) <= int(last)
    ),
    r"Only one soldier may be bought a year in this match\.": (
        lambda a: a.state.options.one_soldier_a_year
    ),
    r"Left of ([a-z ]+): (\d+); you want (\d+)\.": lambda a, name, left, wanted: (
        a.state.table.soldiers.count(kind_of(name)) == int(left) < int(wanted)
    ),
    r"That costs (\d+); your coins: (\d+)\. Prices: (.+)\.$": costs,
    r"You have no captain left this year: you can only pass\.": lambda a: (
        len(a.legal()) == 1 and not a.state.table.players[a.seat].captains
    ),
    r"You do not hold the tactic card (.+?)\. You hold: (.+?)\.": holds_no_card,
    r"(\S+(?: \S+)?) is played with: (.+)\.": lambda a, card, kinds: (
        {SOLDIER_NAMES[one] for one in position(a.state, a.seat).cards[card].soldiers}
        == names(kinds)
    ),
    rf"You hold no {KIND}\. You hold: no soldiers, so you can only pass\.": lambda a, kind: (
        len(a.legal()) == 1 and not hand(a)
    ),
    rf"You hold no {KIND}\. You hold: no soldiers\.": lambda a, kind: not hand(a),
    rf"You hold no {KIND}\. You hold: (.+?)\.": lambda a, kind, held: (
        SOLDIER_PLURALS[kind_of(kind)] not in hand(a) and hand(a) == names(held)
    ),
    rf"{HOUSE} does not fight this year\. Those who do: (.+?)\.": lambda a, house, others: (
        house.lower() not in a.houses() and names(others) == a.houses()
    ),
    rf"{HOUSE} does not fight this year\.": lambda a, house: house.lower() not in a.houses(),
    r"Battle (\d) ended when its tracker reached 15: it takes no more captains\.": lambda a, n: (
        a.state.options.sudden_death and abs(a.battle(n).tracker) == 15
    ),
    rf"You support {HOUSE} in battle (\d) this year, so not {HOUSE}; only the card (.+?)"
    r"(, played in an earlier turn,)? would let you change\.": opened_by,
    rf"No free space of {HOUSE} is open to your {KIND}\.": shut_to,
    r"A tile has the spaces 1 to 6\.": lambda a: re.search(r" (0|7|8|9|\d\d+)( |$)", a.order),
    rf"Space (\d) of {HOUSE} is taken\.": lambda a, space, house: (
        a.side(house).captains[int(space) - 1] is not None
    ),
    rf"Space (\d) of {HOUSE} needs a knight or a war machine\.": lambda a, space, house: needs(
        a, space, house, Soldier.KNIGHT
    ),
    rf"Space (\d) of {HOUSE} needs an arquebuser, a knight or a war machine\.": (
        lambda a, space, house: needs(a, space, house, Soldier.ARQUEBUSER)
    ),
    rf"Space (\d) of {HOUSE} copies nothing\.": copies_nothing,
    r"There is no free space with a reward (?:that your soldier can|to) copy\.": nothing_to_copy,
    r"Say which space of the other tile you copy\. You can choose: (.+?)\.": copied,
    r"Name each battle once, in their order\.": lambda a: False,
    r"You have no captain in battle (\d)\.": lambda a, number: all(
        not side.captains_of(a.seat) for side in a.battle(number).sides
    ),
    rf"You have no captain with {HOUSE}, so you cannot move the tracker its way\.": (
        lambda a, house: not a.holds(a.seat, house)
    ),
    r"You support both houses of battle (\d): in this match its tracker then stays\.": (
        lambda a, number: (
            all(side.captains_of(a.seat) for side in a.battle(number).sides)
            and all(a.pushes(side.house) == ["0"] for side in a.battle(number).sides)
        )
    ),
    rf"The tracker stands on 15 of the house opposing {HOUSE}: it cannot be moved\.": (
        lambda a, house: a.pushes(house) == ["0"]
    ),
    rf"You can move the tracker toward {HOUSE} by: (.+?)\.": lambda a, house, spaces: (
        a.pushes(house) == spaces.split(", ")
    ),
    r"You have no captains on a losing side in battle (\d)\.": lambda a, number: (
        not {side.house for side in a.battle(number).sides}
        & set(losing_houses(a.state.table, a.state.options, a.seat))
    ),
    r"You can take your captains back from: (.+?)\.": lambda a, houses: (
        names(houses) == set(losing_houses(a.state.table, a.state.options, a.seat))
    ),
    r"“([a-z]+)” belongs to another phase than this one\.": lambda a, word: (
        not any(GAME.format(move).startswith(word) for move in a.legal())
    ),
}


def open_list(asked: Asked, soldier: str, spaces: str) -> bool:
    house = next(house for house in HOUSES if house in asked.order)
    return asked.open_to(soldier, house) == spaces.split(", ")


CLAIMS[rf"Open to your {KIND}: (.+?)\."] = open_list


def false_claims(asked: Asked, said: str) -> Iterator[str]:
    """What a refusal says that is not so, or that nobody here can check."""
    if re.search(r"\ba arquebuser", said):
        yield "an article that does not fit"
    left = said.replace(HINTS[asked.state.table.phase], "")
    for pattern, is_true in CLAIMS.items():
        found = re.search(pattern, left)
        if found is not None:
            left = left[: found.start()] + left[found.end() :]
            if not is_true(asked, *found.groups()):
                yield f"not true: {found.group()}"
    if left.strip():
        yield f"nobody checks: {left.strip()}"


def random_order(lot: random.Random, state: State, seat: int) -> str:
    """An order that somebody might write in this phase; now and then of another one."""
    phase = state.table.phase
    if lot.random() < 0.05:
        phase = lot.choice([each for each in HINTS if state.screens or each != "action"])
    houses = [side.house for battle in state.table.battles for side in battle.sides] or list(HOUSES)
    house = lot.choice(houses if lot.random() < 0.95 else list(HOUSES))
    match phase:
        case "dogs of war":
            return f"play {lot.choice(list(Dog))}"
        case "first player":
            return f"give token to {lot.randint(0, 7)}"
        case "mustering":
            kinds = lot.sample(SOLDIERS, lot.randint(1, 3))
            wanted = {kind: lot.choice((1, 2, 3, 9, 40)) for kind in kinds}
            named = (
                f"{n} {(SOLDIER_NAMES if n == 1 else SOLDIER_PLURALS)[kind]}"
                for kind, n in wanted.items()
            )
            return "buy " + ", ".join(named)
        case "action":
            cards = list(position(state, seat).cards)
            mine = list(state.screens[seat].tactics) or cards
            card = f"{lot.choice(mine if lot.random() < 0.8 else cards).lower()} + "
            copy = f" copy {lot.randint(1, 7)}"
            return (
                f"{card if lot.random() < 0.4 else ''}{SOLDIER_NAMES[lot.choice(SOLDIERS)]}"
                f" {house} {lot.randint(1, 7)}{copy if lot.random() < 0.25 else ''}"
            )
        case "conqueror":
            target = lot.choice([house, str(lot.randint(1, 3))])
            return f"push {target}:{lot.randint(0, 4)}"
        case _:
            return f"withdraw {lot.choice([house, str(lot.randint(1, 3))])}"


def refused(asked: Asked) -> str | None:
    """What the rules say against an order; None where it is legal or cannot be read."""
    try:
        GAME.parse(asked.state, asked.seat, asked.order)
    except IllegalMove as error:
        return str(error)
    except (Ambiguous, Unreadable):
        pass
    return None


@pytest.mark.parametrize(("seats", "options"), FORMS)
def test_every_claim_of_a_refusal_is_true(seats: int, options: dict[str, Any]) -> None:
    """A player who is told why not can rely on it: prices, hands, captains, spaces and houses."""
    lot = random.Random(f"{chance.SEED} refusals {seats} {options}")
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    said = 0
    for state, seat in positions(seats, options, "refusals"):
        for _ in range(25):
            asked = Asked(state, seat, random_order(lot, state, seat))
            text = refused(asked)
            if text is None:
                continue
            said += 1
            for claim in false_claims(asked, text):
                kind = re.sub(r"\d+|[A-Z]\w+", "#", claim)[:70]
                found[kind] += 1
                first.setdefault(kind, f"{asked.order!r} of seat {seat}: {text}\n  {claim}")

    assert said > 300
    assert not found, f"{found.total()} of {said}: " + "\n".join(
        f"{found[kind]} times: {first[kind]}" for kind in found
    )
