"""The bot "easy": evaluates each move with heuristics, from its view alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from engine.dice import Dice
from engine.game import Seat
from engine.games.dogs_of_war.action.foresight import Preview, preview
from engine.games.dogs_of_war.box.components import (
    SOLDIERS,
    Dog,
    House,
    Reward,
    RewardKind,
    Soldier,
)
from engine.games.dogs_of_war.course.outcome import (
    bonus_takers,
    defeated_points,
    glorious_lead,
    is_glorious,
    points_of,
    victorious_side,
)
from engine.games.dogs_of_war.course.scoring import SUPPORT_TOKENS
from engine.games.dogs_of_war.effects.draft import pushed
from engine.games.dogs_of_war.moves import (
    Buy,
    ChooseDog,
    ChooseFirst,
    DogsMove,
    Pass,
    Place,
    Push,
    Withdraw,
)
from engine.games.dogs_of_war.state import LOWEST_POSITION, YEARS, Battle, Side
from engine.games.dogs_of_war.view import View, known

#: Estimated worth in points of a soldier card in hand for a captain that can still be placed.
_IN_HAND: Mapping[Soldier, float] = dict(zip(SOLDIERS, (2.0, 3.0, 3.9, 4.6), strict=True))
#: Points at the end for an unplayed soldier or tactic card, and half a point per coin.
_SPARE_CARD = 1.0
_COIN = 0.5
#: Worth of a coin kept for next year, and of a soldier bought now for next year.
_COIN_KEPT = 0.8
_CARD_KEPT = 0.7
_CARD_IN_PLAY = 1.1
_CAPTAIN = 2.2
_BONUS = 2.5
#: The lead that makes a victory practically certain.
_SURE_LEAD = 9.0


def choose(view: View, legal: Sequence[DogsMove], dice: Dice) -> DogsMove:
    """The move with the highest worth; ties are broken at random."""
    worths = _worths(view, legal)
    best = max(worths)
    equal = [move for move, worth in zip(legal, worths, strict=True) if worth > best - 1e-9]
    if len(equal) == 1:
        return equal[0]
    return equal[dice.roll("bot", "equal moves", len(equal)) - 1]


def _worths(view: View, legal: Sequence[DogsMove]) -> list[float]:
    if view.table.phase == "dogs of war":
        return [0.0] * len(legal)  # it has no preference among the dogs of war
    chooser = _Easy(view)
    return [chooser.worth(move) for move in legal]


class _Easy:
    """The evaluation of moves by one seat, in points."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known = known(view)
        self._seat: Seat = self._known.seat
        self._table = view.table
        self._screen = self._known.screen
        self._dog = view.table.players[self._seat].dog
        self._last_year = view.table.year == YEARS
        self._influence = {
            row.house: self._screen.influence.count(row.house)
            + (SUPPORT_TOKENS if self._screen.support is row.house else 0)
            for row in view.table.houses
        }

    def worth(self, move: DogsMove) -> float:
        match move:
            case ChooseFirst(seat=seat):
                return 0.0 if seat is None else -1.0
            case Buy():
                return self._purchase(move)
            case Place():
                return self._action(move)
            case Pass() | ChooseDog():
                return 0.0
            case Push():
                return self._push(move)
            case Withdraw(houses=houses):
                return float(len(houses))

    # mustering: a good soldier for each captain; the rest is kept in coins until the last year

    def _purchase(self, move: Buy) -> float:
        captains = self._table.players[self._seat].captains
        hand = self._screen.soldiers + move.soldiers
        coins = self._screen.coins - move.soldiers.cost
        coin, spare = (_COIN, _SPARE_CARD) if self._last_year else (_COIN_KEPT, _CARD_KEPT)
        worth, led = coin * coins, 0
        for kind in reversed(SOLDIERS):
            number = hand.count(kind)
            playing = min(number, captains - led)
            led += playing
            worth += playing * _IN_HAND[kind] + (number - playing) * spare
        return worth

    # the action turn

    def _action(self, move: Place) -> float:
        plan = preview(self._known, move)
        worth = 0.5 + self._reward(plan.reward, plan.got, move.house)
        worth += self._battle(plan) + self._captain_worth(plan)
        worth -= _SPARE_CARD if self._last_year else 0.35 * _IN_HAND[move.soldier]
        if move.tactic is not None:
            worth -= _CARD_IN_PLAY
            for gain in self._known.cards[move.tactic].gains:
                worth += self._reward(gain, gain.amount, move.house)
        return worth

    def _reward(self, reward: Reward | None, got: int, house: House) -> float:
        if reward is None or got == 0:
            return 0.0
        match reward.kind:
            case RewardKind.POINTS:
                return float(got)
            case RewardKind.COINS | RewardKind.COINS_PER_CAPTAIN:
                return got * (_COIN if self._last_year else 0.75)
            case RewardKind.TACTICS:
                return got * _CARD_IN_PLAY
            case RewardKind.CAPTAIN:
                return got * (_CAPTAIN if self._spare_soldiers() else 0.2)
            case RewardKind.INFLUENCE:
                return got * self._token_worth(house)
            case RewardKind.PUSH:
                return 0.0  # already included in the tracker
            case _:
                kind = Soldier(reward.kind.value)
                return got * (_SPARE_CARD if self._last_year else 0.6 * _IN_HAND[kind])

    def _spare_soldiers(self) -> bool:
        return self._screen.soldiers.total > self._table.players[self._seat].captains

    def _token_worth(self, house: House) -> float:
        """The worth of a house token at the end: half a step up per remaining year."""
        left = YEARS - self._table.year
        return max(-0.5, self._table.row(house).position + 0.5 * left + 0.6)

    def _battle(self, plan: Preview) -> float:
        """The change in the worth of our tokens of the two houses."""
        sides = self._table.battles[plan.battle].sides
        mine, theirs = sides[plan.side].house, sides[1 - plan.side].house
        sign = 1 if plan.side else -1
        before, after = sign * plan.tracker_before, sign * plan.tracker_after
        chance = _chance(after) - _chance(before)
        stake = self._influence[mine] - self._influence[theirs] + self._at_stake[mine]
        full = glorious_lead(self._view.options)
        glory = (after >= full) - (before >= full)
        return chance * stake + 0.4 * glory * (self._influence[mine] + self._influence[theirs])

    @cached_property
    def _at_stake(self) -> Mapping[House, float]:
        """Our points and bonus if a house wins, with a captain placed there."""
        return {
            here.house: self._points_of(there)
            + self._bonus_share(here, 1 + here.captains_of(self._seat))
            - (0.5 * there.captains_of(self._seat))
            for here, there in self._sides()
        }

    def _sides(self) -> Iterator[tuple[Side, Side]]:
        """Each side of each battle, and the other."""
        for battle in self._table.battles:
            first, second = battle.sides
            yield first, second
            yield second, first

    def _points_of(self, losers: Side) -> int:
        return points_of(self._table, self._view.options, losers, self._seat)

    def _bonus_share(self, here: Side, ours: int) -> float:
        ours += self._dog is Dog.ORDALIA
        most = max(
            here.captains_of(seat) for seat in range(len(self._table.players)) if seat != self._seat
        )
        return 3.0 if ours > most else 2.2 if ours == most else 0.5

    def _captain_worth(self, plan: Preview) -> float:
        """The expected worth of the placed captain, given the battle afterwards."""
        house = self._table.battles[plan.battle].sides[plan.side].house
        chance = _chance((1 if plan.side else -1) * plan.tracker_after)
        cost = 0.0 if self._dog is Dog.STORMCROW else 0.6
        return chance * self._captain_gains[house] - (1 - chance) * cost

    @cached_property
    def _captain_gains(self) -> Mapping[House, float]:
        """What one more captain with a house gains if it wins."""
        gains = {}
        for here, there in self._sides():
            already = here.captains_of(self._seat)
            gained = self._bonus_share(here, already + 1) - (
                self._bonus_share(here, already) if already else 0.0
            )
            if not already:
                gained += self._points_of(there) + 0.5
            gains[here.house] = gained
        return gains

    # the Conqueror

    def _push(self, move: Push) -> float:
        """The change in worth from these pushes; each space costs a little."""
        worth = 0.0
        for shift in move.shifts:
            number, which = self._table.where(shift.house)
            battle = self._table.battles[number]
            after = pushed(battle, which, shift.spaces)
            worth += self._outcome_gain(number, after) - self._outcome_gain(number, battle)
            worth -= 0.01 * shift.spaces
        return worth

    def _outcome_gain(self, number: int, battle: Battle) -> float:
        """Our gain from a battle that ends like this, by the rules of the outcome."""
        table, options = self._table, self._view.options
        victor = victorious_side(battle, options)
        if victor is None:
            return 0.0
        glory = is_glorious(battle, victor, options)
        mine, theirs = battle.sides[victor].house, battle.sides[1 - victor].house
        worth = float(self._influence[mine] * (2 if glory else 1))
        if glory and table.row(theirs).position > LOWEST_POSITION:
            worth -= self._influence[theirs]
        worth += defeated_points(table, options, number, victor)[self._seat]
        takers = bonus_takers(table, options, number, victor)
        return worth + (_BONUS if self._seat in takers else 0.0)


def _chance(lead: int) -> float:
    """The estimated probability that a side with this lead wins."""
    return max(0.05, min(0.95, 0.5 + 0.5 * lead / _SURE_LEAD))
