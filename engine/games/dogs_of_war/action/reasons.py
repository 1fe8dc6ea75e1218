"""Why an action may not be played: the first rule that forbids it, in a sentence."""

from __future__ import annotations

from engine.errors import Parameter, Sentence, listed
from engine.games.dogs_of_war.action.placements import (
    can_act,
    closed,
    copies,
    meets,
    open_spaces,
    opposed,
    plays_with,
    soldiers_after,
)
from engine.games.dogs_of_war.action.position import Position, Problem, card_of, problem
from engine.games.dogs_of_war.box.components import (
    SOLDIERS,
    SPACES_PER_TILE,
    RewardKind,
    Soldier,
    Tactic,
)
from engine.games.dogs_of_war.box.names import (
    SOLDIER_NAMES,
    SOLDIER_PLURALS,
    house_name,
    numbers,
)
from engine.games.dogs_of_war.moves import Place
from engine.games.dogs_of_war.state import (
    Side,
)


def why_not(position: Position, move: Place) -> Problem | None:
    """The first obstacle to an action, or None if it is legal."""
    return why_not_here(position, move) or _why_not_this_copy(position, move)


def why_not_here(position: Position, move: Place) -> Problem | None:
    """Like ``why_not``, but ignores what a "copy" takes."""
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
    if not soldiers_after(position, card).count(move.soldier):
        held = [Sentence(SOLDIER_PLURALS[kind]) for kind in SOLDIERS if screen.soldiers.count(kind)]
        # a tactic card may bring one first
        none = "no soldiers" if can_act(position) else "no soldiers, so you can only pass"
        return problem(
            "DOW-36",
            "You hold no {soldier}. You hold: {held}.",
            soldier=Sentence(SOLDIER_NAMES[move.soldier]),
            held=listed(held) if held else Sentence(none),
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
    return side_problem(position, *found, card_of(position, move))


def side_problem(
    position: Position, number: int, side: int, card: Tactic | None = None
) -> Problem | None:
    """Why a whole side is closed to a player, or None."""
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
            _changing(position),
            card=listed(
                (Sentence(each.name) for each in position.cards.values() if each.both_sides), " / "
            ),
            other=house_name(battle.sides[1 - side].house),
            battle=number + 1,
            house=house_name(battle.sides[side].house),
        )
    return None


def _changing(position: Position) -> str:
    """Why a side is closed, and the cards of the match's set that would open it, if any."""
    if not any(card.both_sides for card in position.cards.values()):
        return "You support {other} in battle {battle} this year, so not {house}."
    if position.options.betrayal_at_once:
        return (
            "You support {other} in battle {battle} this year, so not {house}; only the card"
            " {card} would let you change."
        )
    return (
        "You support {other} in battle {battle} this year, so not {house}; only the card {card},"
        " played in an earlier turn, would let you change."
    )


def _why_not_this_space(position: Position, move: Place) -> Problem | None:
    number, which = position.table.where(move.house)
    side = position.table.battles[number].sides[which]
    card = card_of(position, move)
    left = open_spaces(side, move.soldier, card)
    words: dict[str, Parameter] = {
        "house": house_name(move.house),
        "soldier": Sentence(SOLDIER_NAMES[move.soldier]),
        "spaces": numbers(left),
    }
    if not left:
        return problem("DOW-44", "No free space of {house} is open to your {soldier}.", **words)
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
    """Why a space is closed to a soldier, or None."""
    space = side.spaces[number - 1]
    if side.captains[number - 1] is not None:
        rule, text = "DOW-37", "Space {space} of {house} is taken."
    elif meets(space.needs, soldier, card):
        return None
    elif space.needs is Soldier.KNIGHT:
        rule, text = "DOW-42", "Space {space} of {house} needs a knight or a war machine."
    else:
        rule = "DOW-43"
        text = "Space {space} of {house} needs an arquebuser, a knight or a war machine."
    return problem(rule, text, house=house_name(side.house), space=number)


def _why_not_this_copy(position: Position, move: Place) -> Problem | None:
    number, side = position.table.where(move.house)
    battle = position.table.battles[number]
    allowed = copies(position, move)
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
