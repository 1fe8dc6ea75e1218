"""What a player can choose, phase by phase, and the order made from what was picked.

Everything is computed from the player's view. Each option is a part of an order in the game's
notation; a page's field ``pick-NAME`` holds one part, and ``compose`` joins them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from engine.choices import Option, check_fields
from engine.errors import Sentence
from engine.game import Seat
from engine.games.dogs_of_war.action.foresight import preview, reward_of
from engine.games.dogs_of_war.action.placements import (
    can_act,
    meets,
    placements,
    plays_with,
    soldiers_after,
    takes_token,
)
from engine.games.dogs_of_war.action.position import Position, Problem
from engine.games.dogs_of_war.action.reasons import side_problem, space_problem, why_not_here
from engine.games.dogs_of_war.box.components import (
    COST,
    SOLDIERS,
    STRENGTH,
    House,
    Reward,
    RewardKind,
    Soldier,
    SoldierCounts,
)
from engine.games.dogs_of_war.box.names import (
    DOG_NAMES,
    FIRST_TO_PASS,
    SOLDIER_NAMES,
    SOLDIER_PLURALS,
    captains_words,
    house_name,
    needs_words,
    reward_words,
    side_name,
)
from engine.games.dogs_of_war.course import conqueror
from engine.games.dogs_of_war.moves import ChooseDog, ChooseFirst, Pass, Place, Push, Shift
from engine.games.dogs_of_war.orders import text
from engine.games.dogs_of_war.state import Battle, Side
from engine.games.dogs_of_war.view import View, card_words, known

# --- the phases ---


class Dogs(msgspec.Struct, frozen=True, tag="dogs of war"):
    """Which dog of war to play."""

    options: tuple[Option, ...]


class Recipient(msgspec.Struct, frozen=True):
    """A player who may receive the first-player token; the option names their dog of war."""

    seat: Seat
    option: Option


class First(msgspec.Struct, frozen=True, tag="first player"):
    """The choice of this year's first player."""

    keep: Option
    others: tuple[Recipient, ...]


class Ware(msgspec.Struct, frozen=True):
    """A kind of soldier for sale; ``kind`` is its field, whose value is the number bought."""

    kind: Soldier
    name: Sentence
    strength: int
    cost: int
    left: int


class Purchase(msgspec.Struct, frozen=True, tag="mustering"):
    """What can be bought, and the prices."""

    purse: int
    captains: int
    wares: tuple[Ware, ...]
    nothing: Option
    #: Complete orders as examples, each with its purpose.
    examples: tuple[Option, ...]


class Hand(msgspec.Struct, frozen=True):
    """A kind of soldier that can be played this turn; 0 in hand if a card provides one."""

    kind: Soldier
    number: int
    option: Option


class Way(msgspec.Struct, frozen=True):
    """A way to take a space; ``copied`` is the space of the other tile whose reward it takes.

    ``now`` is the available amount of the reward, if the reward itself does not say it.
    """

    option: Option
    copied: int | None = None
    now: Sentence | None = None


class Spot(msgspec.Struct, frozen=True):
    """A space of a tile: the ways to take it, or one with the reason why it cannot be taken."""

    space: int
    ways: tuple[Way, ...]
    taken_by: Seat | None

    @property
    def is_open(self) -> bool:
        return self.ways[0].option.why_not is None


class Front(msgspec.Struct, frozen=True):
    """One side of a battle."""

    house: House
    #: Its name in orders: ``1a``.
    name: str
    spots: tuple[Spot, ...]
    #: Why the whole house is closed, if it is.
    why_not: Sentence | None

    @property
    def open_spots(self) -> tuple[Spot, ...]:
        return tuple(spot for spot in self.spots if spot.is_open)

    def has(self, order: str | None) -> bool:
        """Whether this part of an order is among its options."""
        return any(way.option.order == order for spot in self.spots for way in spot.ways)


class Effect(msgspec.Struct, frozen=True):
    """What a soldier can do for a house this turn, with a card or without.

    ``soldier``, ``card`` and ``places`` are parts of an order, as in the options.
    """

    house: House
    soldier: str
    card: str
    #: The tracker's place after it, before a push.
    tracker: int
    #: The spaces it may take.
    places: tuple[str, ...]
    #: The tracker's place after those of them that push it.
    pushed: Mapping[str, int]


class Action(msgspec.Struct, frozen=True, tag="action"):
    """An action turn; with an empty hand the player can only pass."""

    hand: tuple[Hand, ...]
    #: The two sides of each battle.
    battles: tuple[tuple[Front, Front], ...]
    cards: tuple[Option, ...]
    giving_up: Option
    ends: tuple[Effect, ...]
    #: Complete orders as examples; "" if there is none of the kind.
    example: str
    example_with_card: str
    example_copying: str


class Pushes(msgspec.Struct, frozen=True):
    """The Conqueror's moves of one battle's tracker, "leave it" first; empty if he has none."""

    stands: Sentence
    result: Sentence
    options: tuple[Option, ...]
    #: The tracker's place after each of them.
    trackers: tuple[int, ...]


class Conquest(msgspec.Struct, frozen=True, tag="conqueror"):
    """The Conqueror's moves, battle by battle."""

    battles: tuple[Pushes, ...]
    #: Complete orders: moving one tracker or more, and none.
    example: str
    nothing: str


class Withdrawal(msgspec.Struct, frozen=True, tag="withdrawal"):
    """The losing houses from which Stormcrow may withdraw."""

    options: tuple[Option, ...]
    nothing: Option
    #: Complete orders: each house alone, all of them if there are several, and none.
    examples: tuple[str, ...]
    staying: str


Choices: TypeAlias = Dogs | First | Purchase | Action | Conquest | Withdrawal


def choices(view: View) -> Choices | None:
    """What the seat of a view can choose; None if it is not its turn."""
    if view.seat is None or view.seat not in view.pending:
        return None
    match view.table.phase:
        case "dogs of war":
            return _dogs(view)
        case "first player":
            return _first(view, view.seat)
        case "mustering":
            return _purchase(view)
        case "action":
            return _action(view)
        case "conqueror":
            return _conquest(view)
        case _:
            return _withdrawal(view)


# --- before the action ---


def _dogs(view: View) -> Dogs:
    say = view.say
    return Dogs(
        tuple(
            Option(text.format_move(ChooseDog(dog)), Sentence(DOG_NAMES[dog]), (say.ability(dog),))
            for dog in view.table.dogs_left()
        )
    )


def _first(view: View, holder: Seat) -> First:
    keep = Option(text.format_move(ChooseFirst()), Sentence("I do: I keep the token"))
    others = [
        Recipient(
            seat, Option(text.format_move(ChooseFirst(seat)), Sentence(DOG_NAMES[player.dog]))
        )
        for seat, player in enumerate(view.table.players)
        if seat != holder and player.dog is not None
    ]
    return First(keep, tuple(others))


def _purchase(view: View) -> Purchase:
    position = known(view)
    wares = tuple(
        Ware(
            kind,
            Sentence(SOLDIER_NAMES[kind]),
            STRENGTH[kind],
            COST[kind],
            view.table.soldiers.count(kind),
        )
        for kind in SOLDIERS
    )
    return Purchase(
        position.screen.coins,
        view.table.players[position.seat].captains,
        wares,
        Option(text.NOTHING, Sentence("I buy nothing")),
        (*_purchase_examples(view), Option(text.buy(()), Sentence("Or nothing this year:"))),
    )


def _purchase_examples(view: View) -> tuple[Option, ...]:
    """What can be paid now and is in the supply: an example that is refused would be no help."""
    supply, purse = view.table.soldiers, known(view).screen.coins
    singles = [SoldierCounts().plus(kind) for kind in reversed(SOLDIERS)]
    one_only = view.options.one_soldier_a_year
    several = [SoldierCounts(knight=knights, footman=1) for knights in (2, 1)]
    example = next(
        (
            wanted
            for wanted in (singles if one_only else several + singles)
            if wanted.cost <= purse and all(wanted.count(k) <= supply.count(k) for k in SOLDIERS)
        ),
        None,
    )
    if example is None:
        return ()
    bought = text.amounts({kind: f"{example.count(kind)}" for kind in SOLDIERS})
    if one_only:
        why = Sentence("Only one soldier may be bought a year in this match.")
        return (Option(text.buy(bought), why),)
    in_order = [SOLDIER_PLURALS[kind] for kind in (Soldier.KNIGHT, Soldier.FOOTMAN)]
    return (
        Option(text.buy(bought, " "), Sentence("So many of each:")),
        Option(
            text.buy(in_order, " then "),
            Sentence("In this order, while coins and piles last:"),
        ),
    )


# --- the action turn ---


def _action(view: View) -> Action:
    position = known(view)
    moves = tuple(placements(position))
    held = tuple(dict.fromkeys(position.screen.tactics))
    plain = next((move for move in moves if move.tactic is None), None)
    carded = next((move for move in moves if move.tactic is not None), None)
    copying = next((move for move in moves if move.copied is not None), None)
    hand = _hand(position, held)
    return Action(
        hand if view.table.players[position.seat].captains else (),
        _battles(position, moves),
        tuple(
            Option(
                text.card_part(name),
                Sentence(name),
                card_words(position.options, position.cards[name]),
            )
            for name in held
        ),
        _giving_up(view, position),
        _ends(position, moves),
        *(
            "" if move is None else text.format_place(move)
            for move in (plain or carded, carded, copying)
        ),
    )


def _hand(position: Position, held: tuple[str, ...]) -> tuple[Hand, ...]:
    """The soldiers that can be played this turn, weakest first."""
    in_hand = position.screen.soldiers
    after = {name: soldiers_after(position, position.cards[name]) for name in held}
    found: list[Hand] = []
    for kind in SOLDIERS:
        number = in_hand.count(kind)
        brought = [
            name
            for name in held
            if after[name].count(kind) > number and plays_with(position.cards[name], kind)
        ]
        if not number and not brought:
            continue
        notes = [Sentence("strength {number}", {"number": STRENGTH[kind]})]
        if not number:
            notes.append(Sentence("only with {card}", {"card": Sentence(brought[0])}))
        label = Sentence(SOLDIER_NAMES[kind])
        found.append(Hand(kind, number, Option(SOLDIER_NAMES[kind], label, tuple(notes))))
    return tuple(found)


def _battles(position: Position, moves: tuple[Place, ...]) -> tuple[tuple[Front, Front], ...]:
    by_space: dict[tuple[House, int], list[Place]] = {}
    for move in moves:
        by_space.setdefault((move.house, move.space), []).append(move)
    return tuple(
        (_front(position, number, 0, by_space), _front(position, number, 1, by_space))
        for number in range(len(position.table.battles))
    )


def _front(
    position: Position, number: int, which: int, moves: Mapping[tuple[House, int], list[Place]]
) -> Front:
    sides = position.table.battles[number].sides
    side, shut = sides[which], side_problem(position, number, which)
    if any(house is side.house for house, _ in moves):
        shut = None  # a card in hand opens it
    both = (side, sides[1 - which])
    spots = tuple(
        _spot(position, both, space, moves.get((side.house, space), []), shut)
        for space in range(1, len(side.spaces) + 1)
    )
    why_not = None if shut is None else shut.sentence
    return Front(side.house, side_name(number, which), spots, why_not)


def _spot(
    position: Position,
    sides: tuple[Side, Side],
    number: int,
    moves: list[Place],
    shut: Problem | None,
) -> Spot:
    """A space of the first of these sides; ``moves`` are those that take it."""
    side, opposite = sides
    space, order = side.spaces[number - 1], text.space_part(side.house, number)
    needs = () if space.needs is None else (needs_words(space.needs),)
    if not moves:
        why_not = _why_not(position, side, number, shut)
        shown = Option(order, _brings(space.reward), why_not=why_not, places=(order,))
        return Spot(number, (Way(shown),), side.captains[number - 1])
    plain = next((move for move in moves if move.tactic is None), None)
    with_card = Sentence("only with {card}", {"card": Sentence(moves[0].tactic or "")})
    notes = needs if plain else (*needs, with_card)
    copies = sorted({move.copied for move in moves if move.copied is not None})
    ways: list[Way] = []
    for other in copies:
        whole = text.space_part(side.house, number, other)
        label = _brings(opposite.spaces[other - 1].reward)
        ways.append(Way(Option(whole, label, notes, places=(order,)), other))
    if any(move.copied is None for move in moves):
        shown = Option(order, _brings(space.reward), notes, places=(order,))
        now = None if plain is None else _now(space.reward, preview(position, plain).got)
        if copies:  # a copy may need the soldier that the copied space requires (DOW-57)
            now = Sentence("for a soldier that can copy none")
        ways.append(Way(shown, now=now))
    return Spot(number, tuple(ways), None)


def _why_not(position: Position, side: Side, number: int, shut: Problem | None) -> Sentence:
    """Why nothing can be played on a space."""
    if shut is not None:
        return shut.sentence
    taken = space_problem(side, number, SOLDIERS[-1])  # who may take any free space
    if taken is not None:
        return taken.sentence
    needs = side.spaces[number - 1].needs
    held = [kind for kind in SOLDIERS if position.screen.soldiers.count(kind)]
    fitting = [kind for kind in held if meets(needs, kind)]
    if needs is not None and not fitting and (held or can_act(position)):
        return needs_words(needs)
    found = why_not_here(position, Place((fitting or SOLDIERS)[0], side.house, number))
    assert found is not None  # else it could be played
    return found.sentence


def _brings(reward: Reward | None) -> Sentence:
    return Sentence("no reward") if reward is None else reward_words(reward)


def _now(reward: Reward | None, got: int) -> Sentence | None:
    """The available amount of a reward, if it is not obvious."""
    if reward is None:
        return None
    if got == 0:
        return Sentence("nothing to be had now")
    if reward.kind is RewardKind.COINS_PER_CAPTAIN:
        return reward_words(Reward(RewardKind.COINS, got))
    return None


def _giving_up(view: View, position: Position) -> Option:
    captains = view.table.players[position.seat].captains
    label = Sentence("I pass.")
    if captains:
        label = Sentence("I pass and give up {captains}.", {"captains": captains_words(captains)})
    notes = [Sentence("Soldiers, tactic cards and coins are kept.")]
    if takes_token(position):
        notes.append(FIRST_TO_PASS)
    return Option(text.format_move(Pass()), label, tuple(notes))


def _ends(position: Position, moves: tuple[Place, ...]) -> tuple[Effect, ...]:
    """The effect of each soldier that can be played, with each card, for each house."""
    together: dict[tuple[House, Soldier, str | None], list[Place]] = {}
    for move in moves:
        together.setdefault((move.house, move.soldier, move.tactic), []).append(move)
    return tuple(_end(position, same) for same in together.values())


def _end(position: Position, moves: list[Place]) -> Effect:
    """The effect of actions that differ only in their space."""
    first = moves[0]
    number, side = position.table.where(first.house)
    battle = position.table.battles[number]
    places = {text.space_part(move.house, move.space, move.copied): move for move in moves}
    rewards = {part: reward_of(battle, side, move) for part, move in places.items()}
    return Effect(
        first.house,
        SOLDIER_NAMES[first.soldier],
        "" if first.tactic is None else text.card_part(first.tactic),
        preview(position, first).tracker_moved,
        tuple(places),
        {
            part: preview(position, places[part]).tracker_after
            for part, reward in rewards.items()
            if reward is not None and reward.kind is RewardKind.PUSH
        },
    )


# --- before a year's battles are decided ---


def _conquest(view: View) -> Conquest:
    each = tuple(_pushes(view, number) for number in range(len(view.table.battles)))
    furthest = tuple(shifts[-1] for shifts in view.shifts if shifts)
    return Conquest(each, text.format_move(Push(furthest)), text.format_move(Push()))


def _pushes(view: View, number: int) -> Pushes:
    battle, shifts = view.table.battles[number], view.shifts[number]
    now = conqueror.end(view.options, battle)
    result = view.say.result(now.victor, now.glorious)
    stays = Option(text.stay_part(number), Sentence("it stays"), (result,))
    ends = [conqueror.end(view.options, battle, shift) for shift in shifts]
    moves = [_shift(view, battle, *each) for each in zip(shifts, ends, strict=True)]
    return Pushes(
        view.say.stands(battle),
        result,
        (stays, *moves) if moves else (),
        tuple(end.tracker for end in (now, *ends)) if moves else (),
    )


def _shift(view: View, battle: Battle, shift: Shift, end: conqueror.End) -> Option:
    label = Sentence(
        "{n} space toward {house}" if shift.spaces == 1 else "{n} spaces toward {house}",
        {"n": shift.spaces, "house": house_name(shift.house)},
    )
    notes = (view.say.stands(battle, end.tracker), view.say.result(end.victor, end.glorious))
    return Option(text.shift_part(shift), label, notes)


def _withdrawal(view: View) -> Withdrawal:
    options = tuple(
        Option(house.value, Sentence("from {house}", {"house": house_name(house)}))
        for house in view.losing
    )
    whole = [text.withdraw([option.order]) for option in options]
    if len(whole) > 1:
        whole.append(text.withdraw([text.ALL]))
    nothing = Option(text.NOTHING, Sentence("from none: they stay"))
    return Withdrawal(options, nothing, tuple(whole), text.withdraw(()))


# --- the order from the picked parts ---

#: Fields that hold one part of an order each, in the sequence of the notation.
_PARTS = ("dog", "first", "pass", "card", "soldier", "place")
_PUSHES = ("push-1", "push-2", "push-3")
_FIELDS = (*_PARTS, *SOLDIERS, "nothing", *_PUSHES, "leave")


def compose(picked: Mapping[str, str]) -> str:
    """The picked parts as one order; raises Unreadable for an unknown field."""
    check_fields(picked, _FIELDS)
    parts = [picked[name] for name in _PARTS if name in picked]
    bought = text.amounts({kind: picked[kind] for kind in SOLDIERS if kind in picked})
    if "nothing" in picked:
        bought.append(picked["nothing"])
    if bought:
        parts.append(text.buy(bought))
    pushed = [picked[name] for name in _PUSHES if name in picked]
    if pushed:
        parts.append(text.push(pushed))
    if "leave" in picked:
        parts.append(text.withdraw([picked["leave"]]))
    return " ".join(parts)
