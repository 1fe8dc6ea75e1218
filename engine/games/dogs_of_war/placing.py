"""The action turn: what may be played where, what it will do, and doing it (DOW-31 to DOW-63).

Everything here but ``place`` asks a :class:`Position`, which holds nothing hidden from the seat:
a state and the seat's view give the same one, so a page or a bot reads the very rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from engine.errors import IllegalMove, Parameter, Sentence, listed
from engine.game import Seat
from engine.games.dogs_of_war.components import (
    RANK,
    SOLDIER_REWARD,
    SOLDIERS,
    SPACES_PER_TILE,
    STRENGTH,
    House,
    Reward,
    RewardKind,
    Soldier,
    SoldierCounts,
    Tactic,
    catalogue,
)
from engine.games.dogs_of_war.events import BattleClosed, Placed
from engine.games.dogs_of_war.moves import Place
from engine.games.dogs_of_war.rewards import due, take, without
from engine.games.dogs_of_war.state import (
    TRACK_END,
    Battle,
    Options,
    Placement,
    Screen,
    Side,
    State,
    Table,
)
from engine.games.dogs_of_war.words import (
    SOLDIER_NAMES,
    SOLDIER_PLURALS,
    house_name,
    numbers,
)
from engine.games.dogs_of_war.work import Work, moved


@dataclass(frozen=True)
class Position:
    """What one player knows when they act: the table, the switches, and their own screen."""

    table: Table
    options: Options
    seat: Seat
    screen: Screen

    @property
    def cards(self) -> Mapping[str, Tactic]:
        return catalogue(self.options.components).cards


def position(state: State, seat: Seat) -> Position:
    return Position(state.table, state.options, seat, state.screens[seat])


class Problem(msgspec.Struct, frozen=True):
    """Why something may not be played: the rule's id and a sentence for the player."""

    rule: str
    sentence: Sentence

    def error(self) -> IllegalMove:
        return IllegalMove(self.sentence.text, rule=self.rule, **self.sentence.parameters)


def problem(rule: str, text: str, **parameters: Parameter) -> Problem:
    return Problem(rule, Sentence(text, parameters))


# --- what may be played where ---


def closed(options: Options, battle: Battle) -> bool:
    """Sudden death: the tracker has reached 15, the battle takes nobody more (DOW-V2)."""
    return options.sudden_death and abs(battle.tracker) == TRACK_END


def meets(needs: Soldier | None, soldier: Soldier, card: Tactic | None = None) -> bool:
    """Whether a soldier may stand where a space asks for ``needs`` (DOW-42, DOW-43)."""
    if needs is None or (card is not None and card.ignores_prerequisite):
        return True
    return RANK[soldier] >= RANK[needs]


def opposed(position: Position, battle: int, side: int, card: Tactic | None = None) -> bool:
    """Whether the seat has supported the other house and no Betrayal lets it change (DOW-39).

    A Betrayal of this very turn does, unless the match has it otherwise (DOW-41).
    """
    table, seat = position.table, position.seat
    now = card is not None and card.both_sides and position.options.betrayal_at_once
    if now or battle in table.players[seat].betrayed:
        return False
    return seat in table.battles[battle].sides[1 - side].captains


def plays_with(card: Tactic | None, soldier: Soldier) -> bool:
    return card is None or not card.soldiers or soldier in card.soldiers


def soldiers_after(position: Position, card: Tactic | None) -> SoldierCounts:
    """The hand of soldiers once a tactic card has had its effect.

    The card comes first (DOW-32), so a soldier it brings may be played the same turn.
    """
    hand, supply = position.screen.soldiers, position.table.soldiers
    for reward in card.gains if card else ():
        soldier = SOLDIER_REWARD.get(reward.kind)
        if soldier is not None:
            got = min(reward.amount, supply.count(soldier))
            hand, supply = hand.plus(soldier, got), supply.plus(soldier, -got)
    return hand


def choices(position: Position, move: Place) -> tuple[int | None, ...]:
    """The values ``Place.copied`` can have for an action: (None,) unless there is a choice.

    A free space of the other tile with a reward can be copied (DOW-56), whatever soldier it asks
    for unless the match has it otherwise (DOW-57); of several with the same reward the first
    stands for all. The choice is mandatory where there is one (DOW-61).
    """
    number, side = position.table.where(move.house)
    sides = position.table.battles[number].sides
    reward = sides[side].spaces[move.space - 1].reward
    if reward is None or reward.kind is not RewardKind.COPY:
        return (None,)
    card, strict = _card(position, move), not position.options.copy_ignores_prerequisite
    seen: dict[Reward, int] = {}
    for copied, (space, captain) in enumerate(
        zip(sides[1 - side].spaces, sides[1 - side].captains, strict=True), start=1
    ):
        if captain is not None or space.reward is None:
            continue
        if not strict or meets(space.needs, move.soldier, card):
            seen.setdefault(space.reward, copied)
    return tuple(seen.values()) or (None,)


def open_spaces(side: Side, soldier: Soldier, card: Tactic | None = None) -> tuple[int, ...]:
    """The free spaces of a tile this soldier may lead a captain to."""
    return tuple(
        number
        for number, (space, captain) in enumerate(
            zip(side.spaces, side.captains, strict=True), start=1
        )
        if captain is None and meets(space.needs, soldier, card)
    )


def placements(position: Position) -> Iterator[Place]:
    """Every action a player may perform, without passing."""
    table, seat = position.table, position.seat
    if not table.players[seat].captains:
        return
    cards = position.cards
    for name in (None, *dict.fromkeys(position.screen.tactics)):
        card = None if name is None else cards[name]
        hand = soldiers_after(position, card)
        kinds = [kind for kind in SOLDIERS if hand.count(kind) and plays_with(card, kind)]
        for number, battle in enumerate(table.battles if kinds else ()):
            if closed(position.options, battle):
                continue
            for side in (0, 1):
                if opposed(position, number, side, card):
                    continue
                house = battle.sides[side].house
                for kind in kinds:
                    for space in open_spaces(battle.sides[side], kind, card):
                        move = Place(kind, house, space, name)
                        for copied in choices(position, move):
                            yield replace(move, copied=copied)


def gentle_placement(position: Position) -> Place | None:
    """The action that commits a silent player to least, or None where there is none.

    No tactic card, a house they support already before a new one, their weakest soldier, and then
    the first space that has a reward.
    """
    table, seat = position.table, position.seat

    def cost(move: Place) -> tuple[bool, int, bool, int, int, int, int]:
        number, which = table.where(move.house)
        side = table.battles[number].sides[which]
        return (
            side.captains_of(seat) == 0,
            RANK[move.soldier],
            side.spaces[move.space - 1].reward is None,
            number,
            which,
            move.space,
            move.copied or 0,
        )

    # A card is played only where nothing goes without one.
    return min(
        (move for move in placements(position) if move.tactic is None),
        key=cost,
        default=next(placements(position), None),
    )


def can_act(position: Position) -> bool:
    """Whether there is anything but passing (DOW-65)."""
    return next(placements(position), None) is not None


def why_not(position: Position, move: Place) -> Problem | None:
    """The first thing that forbids an action, or None where it is legal."""
    return why_not_here(position, move) or _why_not_this_copy(position, move)


def why_not_here(position: Position, move: Place) -> Problem | None:
    """The same, leaving aside what a "copy" takes."""
    return (
        _why_not_this_hand(position, move)
        or _why_not_this_side(position, move)
        or _why_not_this_space(position, move)
    )


def _why_not_this_hand(position: Position, move: Place) -> Problem | None:
    screen = position.screen
    if not position.table.players[position.seat].captains:
        return problem("DOW-65", "You have no captain left this year: you can only pass.")
    card = None
    if move.tactic is not None:
        if move.tactic not in screen.tactics:
            return problem(
                "DOW-32",
                "You do not hold the tactic card {card}. You hold: {held}.",
                card=Sentence(move.tactic),
                held=listed(Sentence(name) for name in dict.fromkeys(screen.tactics))
                if screen.tactics
                else Sentence("none"),
            )
        card = position.cards[move.tactic]
        if not plays_with(card, move.soldier):
            return problem(
                "DOW-32",
                "{card} is played with: {soldiers}.",
                card=Sentence(card.name),
                soldiers=listed(Sentence(SOLDIER_NAMES[kind]) for kind in card.soldiers),
            )
    hand = soldiers_after(position, card)
    if not hand.count(move.soldier):
        held = [Sentence(SOLDIER_PLURALS[kind]) for kind in SOLDIERS if hand.count(kind)]
        return problem(
            "DOW-36",
            "You hold no {soldier}. You hold: {held}.",
            soldier=Sentence(SOLDIER_NAMES[move.soldier]),
            held=listed(held) if held else Sentence("no soldiers, so you can only pass"),
        )
    return None


def _why_not_this_side(position: Position, move: Place) -> Problem | None:
    table = position.table
    found = table.find(move.house)
    if found is None:
        return problem(
            "DOW-19",
            "{house} does not fight this year. Those who do: {houses}.",
            house=house_name(move.house),
            houses=", ".join(
                house_name(side.house) for battle in table.battles for side in battle.sides
            ),
        )
    return side_problem(position, *found, _card(position, move))


def side_problem(
    position: Position, number: int, side: int, card: Tactic | None = None
) -> Problem | None:
    """Why a whole side is shut to a player, or None."""
    table = position.table
    battle = table.battles[number]
    if closed(position.options, battle):
        return problem(
            "DOW-V2",
            "Battle {battle} ended when its tracker reached 15: it takes no more captains.",
            battle=number + 1,
        )
    if opposed(position, number, side, card):
        return problem(
            "DOW-39" if card is None or not card.both_sides else "DOW-41",
            "You support {other} in battle {battle} this year, so not {house}; only the card"
            " Betrayal would let you change."
            if position.options.betrayal_at_once
            else "You support {other} in battle {battle} this year, so not {house}; only the card"
            " Betrayal, played in an earlier turn, would let you change.",
            other=house_name(battle.sides[1 - side].house),
            battle=number + 1,
            house=house_name(battle.sides[side].house),
        )
    return None


def _card(position: Position, move: Place) -> Tactic | None:
    return None if move.tactic is None else position.cards[move.tactic]


def _why_not_this_space(position: Position, move: Place) -> Problem | None:
    number, which = position.table.where(move.house)
    side = position.table.battles[number].sides[which]
    card = _card(position, move)
    left = open_spaces(side, move.soldier, card)
    words: dict[str, Parameter] = {
        "house": house_name(move.house),
        "soldier": Sentence(SOLDIER_NAMES[move.soldier]),
        "spaces": numbers(left),
    }
    if not left:
        return problem("DOW-44", "No free space of {house} is open to a {soldier}.", **words)
    if not 1 <= move.space <= SPACES_PER_TILE:
        return problem("DOW-32", "A tile has the spaces 1 to {last}.", last=SPACES_PER_TILE)
    found = space_problem(side, move.space, move.soldier, card)
    if found is None:
        return None
    return problem(
        found.rule,
        found.sentence.text + " Open to your {soldier}: {spaces}.",
        **{**found.sentence.parameters, **words},
    )


def space_problem(
    side: Side, number: int, soldier: Soldier, card: Tactic | None = None
) -> Problem | None:
    """Why a space is shut to a soldier, or None."""
    space = side.spaces[number - 1]
    words: dict[str, Parameter] = {"house": house_name(side.house), "space": number}
    if side.captains[number - 1] is not None:
        return problem("DOW-37", "Space {space} of {house} is taken.", **words)
    if meets(space.needs, soldier, card):
        return None
    if space.needs is Soldier.KNIGHT:
        return problem(
            "DOW-42", "Space {space} of {house} needs a knight or a war machine.", **words
        )
    return problem(
        "DOW-43",
        "Space {space} of {house} needs an arquebuser, a knight or a war machine.",
        **words,
    )


def _why_not_this_copy(position: Position, move: Place) -> Problem | None:
    number, side = position.table.where(move.house)
    battle = position.table.battles[number]
    allowed = choices(position, move)
    if move.copied in allowed:
        return None
    reward = battle.sides[side].spaces[move.space - 1].reward
    if reward is None or reward.kind is not RewardKind.COPY:
        return problem(
            "DOW-56",
            "Space {space} of {house} copies nothing.",
            space=move.space,
            house=house_name(move.house),
        )
    if allowed == (None,):
        return problem("DOW-57", "There is no free space with a reward to copy.")
    return problem(
        "DOW-56",
        "Say which space of the other tile you copy. You can choose: {spaces}.",
        spaces=numbers(choice for choice in allowed if choice is not None),
    )


# --- what it will do ---


class Preview(msgspec.Struct, frozen=True):
    """What an action does for certain. Which tactic cards are drawn is left to chance."""

    battle: int
    #: 0 or 1, as in ``Battle.sides``.
    side: int
    #: Spaces the soldier counts for, before the cap at 15.
    strength: int
    #: The tracker before, after the soldier, and after the reward (a push moves it again).
    tracker_before: int
    tracker_moved: int
    tracker_after: int
    #: The reward taken, a copied one already looked up; None for a space without one.
    reward: Reward | None
    #: How much of it there is to be had.
    got: int
    #: The battle ends at once (DOW-V2).
    closes: bool


def strength_of(soldier: Soldier, card: Tactic | None) -> int:
    """What a soldier counts for this turn (DOW-46, and the card played with it)."""
    if card is None:
        return STRENGTH[soldier]
    if card.holds_tracker:
        return 0
    own = STRENGTH[soldier] if card.strength is None else card.strength
    return own + card.extra_strength


def reward_of(battle: Battle, side: int, move: Place) -> Reward | None:
    """What the space brings, through the copy where it is one. A copied copy is nothing."""
    reward = battle.sides[side].spaces[move.space - 1].reward
    if reward is None or reward.kind is not RewardKind.COPY:
        return reward
    if move.copied is None:
        return None
    copied = battle.sides[1 - side].spaces[move.copied - 1].reward
    return None if copied is None or copied.kind is RewardKind.COPY else copied


def preview(position: Position, move: Place) -> Preview:
    """The effect of a legal action on the tracker, and its reward."""
    table, options, seat = position.table, position.options, position.seat
    number, side = table.where(move.house)
    battle = table.battles[number]
    card = _card(position, move)
    strength = strength_of(move.soldier, card)
    lead = moved(battle.lead(side), strength)
    reward = reward_of(battle, side, move)
    closes = options.sudden_death and lead == TRACK_END
    if closes and not options.sudden_death_reward:
        reward = None
    got, final = 0, lead
    if reward is not None:
        # Without a card only a push depends on what the action itself changes.
        changed = card is not None or reward.kind is RewardKind.PUSH
        then = _foreseen(position, move, card, lead) if changed else table
        got = due(then, options, seat, reward, number, side)
        if reward.kind is RewardKind.PUSH:
            final = moved(lead, got)
    sign = 1 if side else -1
    return Preview(
        battle=number,
        side=side,
        strength=strength,
        tracker_before=battle.tracker,
        tracker_moved=sign * lead,
        tracker_after=sign * final,
        reward=reward,
        got=got,
        closes=options.sudden_death and final == TRACK_END,
    )


def _foreseen(position: Position, move: Place, card: Tactic | None, lead: int) -> Table:
    """The table as it will be when the reward is taken, as far as rewards depend on it."""
    table = position.table
    number, side = table.where(move.house)
    battles = list(table.battles)
    sides = list(battles[number].sides)
    sides[side] = _with_captain(sides[side], move.space, position.seat)
    battles[number] = replace(
        battles[number], tracker=lead if side else -lead, sides=(sides[0], sides[1])
    )
    players = list(table.players)
    player = players[position.seat]
    players[position.seat] = replace(player, captains=player.captains - 1)
    table = replace(table, battles=tuple(battles), players=tuple(players))
    if card is None:
        return table
    for reward in card.gains:
        table = _less(position, table, reward, move.house)
    return replace(table, discards=(*table.discards, card.name))


def _less(position: Position, table: Table, reward: Reward, house: House) -> Table:
    """The supplies after a tactic card's gain was taken from them."""
    number, side = table.where(house)
    got = due(table, position.options, position.seat, reward, number, side)
    soldier = SOLDIER_REWARD.get(reward.kind)
    if soldier is not None:
        return replace(table, soldiers=table.soldiers.plus(soldier, -got))
    match reward.kind:
        case RewardKind.TACTICS:
            return replace(table, deck=table.deck - got)
        case RewardKind.CAPTAIN:
            players = list(table.players)
            player = players[position.seat]
            players[position.seat] = replace(player, captains=player.captains + got)
            return replace(table, players=tuple(players))
        case RewardKind.INFLUENCE:
            rows = tuple(
                replace(row, influence=row.influence - got) if row.house is house else row
                for row in table.houses
            )
            return replace(table, houses=rows)
        case _:
            return table


def _with_captain(side: Side, space: int, seat: Seat) -> Side:
    captains = list(side.captains)
    captains[space - 1] = seat
    return replace(side, captains=tuple(captains))


# --- doing it ---


def place(work: Work, seat: Seat, move: Place) -> None:
    """Carries out an action: (1) tactic card, (2) soldier, (3) captain, (4) tracker, (5) reward."""
    number, which = work.table.where(move.house)
    before = work.table.battles[number]
    card = _card(position(work.state, seat), move)
    plan = preview(position(work.state, seat), move)
    work.tell(
        Placed(
            seat=seat,
            tactic=move.tactic,
            soldier=move.soldier,
            battle=number,
            house=move.house,
            space=move.space,
            tracker_before=plan.tracker_before,
            tracker_after=plan.tracker_moved,
        )
    )
    if card is not None:
        _play_card(work, seat, card, number, which)
    _play_soldier(work, seat, move, number, which)
    _play_captain(work, seat, move, number, which)
    work.move_tracker(number, which, plan.strength)
    side = work.table.battles[number].sides[which]
    work.put_side(number, which, strength=side.strength + plan.strength)
    if plan.reward is not None:
        copied = move.copied is not None
        take(work, seat, plan.reward, "copy" if copied else "space", number, which)
    after = work.table.battles[number]
    if closed(work.state.options, after) and not closed(work.state.options, before):
        work.tell(BattleClosed(battle=number, house=move.house))
    log = Placement(
        seat=seat,
        battle=number,
        house=move.house,
        space=move.space,
        soldier=move.soldier,
        tactic=move.tactic,
        copied=move.copied,
        tracker=after.tracker,
    )
    work.put_table(placements=(*work.table.placements, log))


def _play_card(work: Work, seat: Seat, card: Tactic, number: int, which: int) -> None:
    work.put_screen(seat, tactics=without(work.state.screens[seat].tactics, card.name))
    if card.both_sides:
        everywhere = work.state.options.betrayal_opens == "year"
        opened = range(len(work.table.battles)) if everywhere else (number,)
        betrayed = {*work.table.players[seat].betrayed, *opened}
        work.put_player(seat, betrayed=tuple(sorted(betrayed)))
    for reward in card.gains:
        take(work, seat, reward, "tactic", number, which)
    # Discarded after its effect (DOW-35), so it is not among the cards it draws itself.
    work.put_table(discards=(*work.table.discards, card.name))


def _play_soldier(work: Work, seat: Seat, move: Place, number: int, which: int) -> None:
    screen = work.state.screens[seat]
    work.put_screen(seat, soldiers=screen.soldiers.plus(move.soldier, -1))
    side = work.table.battles[number].sides[which]
    work.put_side(number, which, soldiers=side.soldiers.plus(move.soldier))


def _play_captain(work: Work, seat: Seat, move: Place, number: int, which: int) -> None:
    work.put_player(seat, captains=work.table.players[seat].captains - 1)
    side = _with_captain(work.table.battles[number].sides[which], move.space, seat)
    work.put_side(number, which, captains=side.captains)
