"""The outcome of a year's battles, the captains' abilities in it, and the end (DOW-70 to 100)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from engine.errors import IllegalMove, Sentence
from engine.game import Outcome, Score, ScorePart, Seat
from engine.games.dogs_of_war.components import (
    SOLDIERS,
    Dog,
    House,
    RewardKind,
)
from engine.games.dogs_of_war.events import (
    BattleEnded,
    CaptainsWithdrawn,
    MatchEnded,
    PointsScored,
    ProfitMade,
    SpoilsTaken,
    TrackerPushed,
)
from engine.games.dogs_of_war.moves import Push, Shift, Withdraw
from engine.games.dogs_of_war.rewards import lasts, miss, take
from engine.games.dogs_of_war.state import (
    LOWEST_POSITION,
    TRACK_END,
    Battle,
    BattleResult,
    Options,
    Screen,
    Side,
    State,
    Table,
)
from engine.games.dogs_of_war.words import house_name
from engine.games.dogs_of_war.work import Work

#: Spaces the Nameless Conqueror may move a tracker.
CONQUEROR_SPACES = 2
_CRUSHING_VARIANT = 12
#: What a house support card counts for (DOW-4).
SUPPORT_TOKENS = 2


def seat_of(table: Table, dog: Dog) -> Seat | None:
    """Who plays a dog of war, or None where nobody does."""
    return next((seat for seat, player in enumerate(table.players) if player.dog is dog), None)


# --- the end of the action phase ---


def end_action(work: Work) -> None:
    """Asks the Conqueror before any battle is decided (DOW-70), where he has a choice."""
    conqueror = seat_of(work.table, Dog.CONQUEROR)
    if conqueror is not None and any(_shifts(work.table, work.state.options, conqueror)):
        work.put_table(phase="conqueror", turn=conqueror)
    else:
        _ask_stormcrow(work)


def _ask_stormcrow(work: Work) -> None:
    stormcrow = seat_of(work.table, Dog.STORMCROW)
    asks = work.state.options.stormcrow_withdraws == "by_choice"
    if asks and stormcrow is not None and losing_houses(work.table, work.state.options, stormcrow):
        work.put_table(phase="withdrawal", turn=stormcrow)
    else:
        work.put_table(turn=None)


# --- the Nameless Conqueror ---


def shift_choices(table: Table, options: Options, seat: Seat, battle: int) -> tuple[Shift, ...]:
    """The ways to move one battle's tracker, leaving it apart (DOW-91 to DOW-93).

    The track's end caps a move, so only what differs in effect is listed.
    """
    found: list[Shift] = []
    if _torn(options, table.battles[battle], seat):
        return ()
    for which, side in enumerate(table.battles[battle].sides):
        lead = table.battles[battle].lead(which)
        if not side.captains_of(seat) or lead == -TRACK_END:
            continue
        most = min(CONQUEROR_SPACES, TRACK_END - lead)
        least = most if options.conqueror_moves == "two" else 1
        found += [Shift(side.house, spaces) for spaces in range(max(1, least), most + 1)]
    return tuple(found)


def _torn(options: Options, battle: Battle, seat: Seat) -> bool:
    """Captains on both sides, where the match has it that the tracker then stays (DOW-93)."""
    both = all(side.captains_of(seat) for side in battle.sides)
    return both and options.conqueror_on_both_sides == "stays"


def _shifts(table: Table, options: Options, seat: Seat) -> list[tuple[Shift, ...]]:
    return [shift_choices(table, options, seat, number) for number in range(len(table.battles))]


def pushes(state: State, seat: Seat) -> Iterator[Push]:
    """Every choice for all battles at once; moving nothing first."""
    each = [(None, *shifts) for shifts in _shifts(state.table, state.options, seat)]
    for picked in product(*each):
        yield Push(tuple(shift for shift in picked if shift is not None))


def check_push(state: State, seat: Seat, move: Push) -> None:
    table, last = state.table, -1
    for shift in move.shifts:
        found = table.find(shift.house)
        if found is None:
            raise IllegalMove(
                "{house} does not fight this year.", rule="DOW-91", house=house_name(shift.house)
            )
        number, which = found
        if number <= last:
            raise IllegalMove(
                "Name each battle once, in their order.", rule="DOW-91", battle=number + 1
            )
        last = number
        _check_shift(state, seat, shift, number, which)


def _check_shift(state: State, seat: Seat, shift: Shift, number: int, which: int) -> None:
    battle = state.table.battles[number]
    house = house_name(shift.house)
    if not battle.sides[which].captains_of(seat):
        raise IllegalMove(
            "You have no captain with {house}, so you cannot move the tracker its way.",
            rule="DOW-91",
            house=house,
        )
    if _torn(state.options, battle, seat):
        raise IllegalMove(
            "You support both houses of battle {battle}: in this match its tracker then stays.",
            rule="DOW-93",
            battle=number + 1,
        )
    if battle.lead(which) == -TRACK_END:
        raise IllegalMove(
            "The tracker stands on 15 of the house opposing {house}: it cannot be moved.",
            rule="DOW-92",
            house=house,
        )
    allowed = shift_choices(state.table, state.options, seat, number)
    if shift not in allowed:
        spaces = [str(each.spaces) for each in allowed if each.house is shift.house]
        raise IllegalMove(
            "You can move the tracker toward {house} by: {spaces}.",
            rule="DOW-91",
            house=house,
            spaces=", ".join(["0", *spaces]),
        )


def push(work: Work, seat: Seat, move: Push) -> None:
    for shift in move.shifts:
        number, which = work.table.where(shift.house)
        went = work.move_tracker(number, which, shift.spaces)
        side = work.table.battles[number].sides[which]
        work.put_side(number, which, strength=side.strength + went)
        work.tell(
            TrackerPushed(
                seat=seat,
                battle=number,
                house=shift.house,
                spaces=went,
                tracker_after=work.table.battles[number].tracker,
            )
        )
    _ask_stormcrow(work)


# --- Stormcrow, where he withdraws by choice ---


def losing_houses(table: Table, options: Options, seat: Seat) -> tuple[House, ...]:
    """The houses about to be defeated that a seat has captains with, by battle."""
    found: list[House] = []
    for battle in table.battles:
        victor = victorious_side(battle, options)
        if victor is not None and battle.sides[1 - victor].captains_of(seat):
            found.append(battle.sides[1 - victor].house)
    return tuple(found)


def withdrawals(state: State, seat: Seat) -> Iterator[Withdraw]:
    """Every choice, from all losing houses to none."""
    losing = losing_houses(state.table, state.options, seat)
    for number in range(len(losing), -1, -1):
        for houses in combinations(losing, number):
            yield Withdraw(houses)


def check_withdrawal(state: State, seat: Seat, move: Withdraw) -> None:
    losing = losing_houses(state.table, state.options, seat)
    if move.houses != tuple(house for house in losing if house in move.houses):
        raise IllegalMove(
            "You can take your captains back from: {houses}.",
            rule="DOW-94",
            houses=", ".join(house_name(house) for house in losing) or Sentence("nothing"),
        )


def withdraw(work: Work, seat: Seat, move: Withdraw) -> None:
    for house in move.houses:
        number, which = work.table.where(house)
        side = work.table.battles[number].sides[which]
        left = tuple(None if captain == seat else captain for captain in side.captains)
        work.tell(
            CaptainsWithdrawn(
                seat=seat, battle=number, house=house, captains=side.captains_of(seat)
            )
        )
        work.put_side(number, which, captains=left)
    work.put_table(turn=None)


# --- the battles ---


def victorious_side(battle: Battle, options: Options) -> int | None:
    """The side that wins, or None: both are defeated (DOW-72, DOW-73; DOW-49)."""
    lead = battle.tracker
    if options.victor_by == "strength":
        lead = battle.sides[1].strength - battle.sides[0].strength
    if lead == 0:
        return None
    return 1 if lead > 0 else 0


def is_glorious(battle: Battle, side: int, options: Options) -> bool:
    """Whether a victorious side's victory is glorious, the other's defeat crushing (DOW-75)."""
    needed = _CRUSHING_VARIANT if options.crushing_at_twelve else TRACK_END
    return battle.lead(side) >= needed


def resolve(work: Work) -> None:
    """All battles, one at a time, the first one first; then the clean-up (DOW-71, DOW-85)."""
    for number in range(len(work.table.battles)):
        _resolve_battle(work, number)
    _clean_up(work)


def _resolve_battle(work: Work, number: int) -> None:
    """One battle: (1) house tokens, (2) points for captains, (3) O'Malley, (4) bonus reward."""
    table, options = work.table, work.state.options
    battle = table.battles[number]
    which = victorious_side(battle, options)
    houses = (battle.sides[0].house, battle.sides[1].house)
    points = (0,) * len(table.players)
    takers: tuple[Seat, ...] = ()
    glorious = which is not None and is_glorious(battle, which, options)
    if which is not None:
        points = defeated_points(table, options, number, which)
        takers = bonus_takers(table, options, number, which)
        _move_houses(work, houses[which], houses[1 - which], glorious)
    work.put_table(
        results=(
            *work.table.results,
            BattleResult(
                year=table.year,
                battle=number,
                houses=houses,
                tracker=battle.tracker,
                victor=None if which is None else houses[which],
                glorious=glorious,
                bonus=battle.bonus,
                points=points,
                takers=takers,
            ),
        )
    )
    work.tell(
        BattleEnded(
            battle=number,
            houses=houses,
            tracker=battle.tracker,
            victor=None if which is None else houses[which],
            glorious=glorious,
            positions=(work.table.row(houses[0]).position, work.table.row(houses[1]).position),
        )
    )
    if which is not None:
        _score_points(work, number, points)
        _profit(work, number, which)
        _hand_out_bonus(work, number, which, takers)


def _move_houses(work: Work, victor: House, defeated: House, glorious: bool) -> None:
    work.put_house(victor, position=work.table.row(victor).position + (2 if glorious else 1))
    if glorious:
        lower = work.table.row(defeated).position - 1
        if work.state.options.house_floor:
            lower = max(LOWEST_POSITION, lower)
        work.put_house(defeated, position=lower)


def _in_outcome(table: Table, options: Options, side: Side, seat: Seat) -> int:
    """A seat's captains with a house as the outcome counts them.

    Ordalia's one more comes in only where an option lets it count for everything (DOW-88).
    """
    real = side.captains_of(seat)
    everything = options.ordalia_counts_for == "outcome"
    if real and everything and table.players[seat].dog is Dog.ORDALIA:
        return real + 1
    return real


def defeated_points(table: Table, options: Options, number: int, victor: int) -> tuple[int, ...]:
    """The points each seat gets for the captains with the defeated house (DOW-78, DOW-79)."""
    winners, losers = (table.battles[number].sides[which] for which in (victor, 1 - victor))
    seats = range(len(table.players))
    counts = [_in_outcome(table, options, losers, seat) for seat in seats]
    stormcrow = seat_of(table, Dog.STORMCROW)
    points: list[int] = []
    for seat in seats:
        counted = sum(counts)
        if stormcrow is not None and not _counts_stormcrow(options, seat == stormcrow):
            counted -= counts[stormcrow]
        points.append(counted if winners.captains_of(seat) else 0)
    return tuple(points)


def _counts_stormcrow(options: Options, himself: bool) -> bool:
    """Whether Stormcrow's captains among the defeated are points: to himself, or to others."""
    if himself:
        return options.stormcrow_counts_own  # DOW-95
    return options.stormcrow_withdraws == "by_choice"  # DOW-94; taken back, they are not there


def bonus_takers(table: Table, options: Options, number: int, victor: int) -> tuple[Seat, ...]:
    """Those with most captains on the victorious house, in turn order (DOW-80, DOW-81, DOW-84)."""
    side = table.battles[number].sides[victor]
    counts = {seat: _for_bonus(table, options, side, seat) for seat in table.in_turn_order()}
    most = max(counts.values())
    return tuple(seat for seat, count in counts.items() if most and count == most)


def _for_bonus(table: Table, options: Options, side: Side, seat: Seat) -> int:
    real = side.captains_of(seat)
    if table.players[seat].dog is not Dog.ORDALIA:
        return real
    return real + (1 if real or not options.ordalia_needs_captain else 0)  # DOW-88, DOW-89


def _score_points(work: Work, number: int, points: tuple[int, ...]) -> None:
    for seat, gained in enumerate(points):
        if gained:
            work.put_screen(seat, points=work.state.screens[seat].points + gained)
            work.tell(PointsScored(seat=seat, battle=number, points=gained))


def _profit(work: Work, number: int, victor: int) -> None:
    """Captain O'Malley's coin for a battle won (DOW-90)."""
    seat = seat_of(work.table, Dog.OMALLEY)
    if seat is not None and work.table.battles[number].sides[victor].captains_of(seat):
        work.put_screen(seat, coins=work.state.screens[seat].coins + 1)
        work.tell(ProfitMade(seat=seat, battle=number, coins=1))


def _hand_out_bonus(work: Work, number: int, victor: int, takers: tuple[Seat, ...]) -> None:
    """The bonus reward to each taker in full, and Blackmane's spoils with it (DOW-80 to 87)."""
    options, bonus = work.state.options, work.table.battles[number].bonus
    of = victor
    if bonus.kind is RewardKind.INFLUENCE and options.bonus_influence == "defeated":
        of = 1 - victor  # DOW-83
    house = work.table.battles[number].sides[of].house
    enough = len(takers) < 2 or lasts(work.table, bonus, house, len(takers))
    for seat in takers:
        if enough or options.short_bonus == "turn_order":
            take(work, seat, bonus, "bonus", number, of)
        else:
            miss(work, seat, bonus, number)
        if work.table.players[seat].dog is Dog.BLACKMANE:
            _spoils(work, seat, number, 1 - victor)


def _spoils(work: Work, seat: Seat, number: int, defeated: int) -> None:
    """The strongest soldier card played for the defeated house goes to Blackmane (DOW-87)."""
    played = work.table.battles[number].sides[defeated].soldiers
    for kind in reversed(SOLDIERS):
        if played.count(kind):
            screen = work.state.screens[seat]
            work.put_screen(seat, soldiers=screen.soldiers.plus(kind))
            work.put_side(number, defeated, soldiers=played.plus(kind, -1))
            work.tell(SpoilsTaken(seat=seat, battle=number, soldier=kind))
            return


def _clean_up(work: Work) -> None:
    """Soldiers and captains return to the supply, battles and trackers go (DOW-85)."""
    back = work.table.soldiers
    for battle in work.table.battles:
        for side in battle.sides:
            back = back + side.soldiers
    work.put_table(soldiers=back, battles=(), placements=())


# --- the end of the match ---


def end_match(work: Work) -> None:
    scores = tuple(
        score(work.table, seat, screen) for seat, screen in enumerate(work.state.screens)
    )
    work.put(scores=scores)
    work.put_table(phase="over", turn=None)
    work.reveals = True
    work.tell(MatchEnded(winners=winners(work.state), scores=scores))


def outcome(state: State) -> Outcome | None:
    if not state.scores:
        return None
    return Outcome("The fourth year is over.", winners(state), state.scores)


def winners(state: State) -> tuple[Seat, ...]:
    """Most points win; equals share the victory, or their coins decide (DOW-99, DOW-100)."""
    best = max(each.total for each in state.scores)
    first = [each.seat for each in state.scores if each.total == best]
    if state.options.ties == "coins":
        most = max(state.screens[seat].coins for seat in first)
        first = [seat for seat in first if state.screens[seat].coins == most]
    return tuple(first)


def score(table: Table, seat: Seat, screen: Screen) -> Score:
    """A seat's score with its breakdown (DOW-97, DOW-98)."""
    parts = [ScorePart(Sentence("Victory point tokens"), screen.points)]
    for row in table.houses:
        held = screen.influence.count(row.house)
        if held:
            parts.append(_worth("Influence of {house}: {n} × {worth}", row.house, held, table))
    parts.append(
        _worth(
            "House support card {house}: {n} × {worth}",
            screen.support,
            SUPPORT_TOKENS,
            table,
        )
    )
    parts.append(
        ScorePart(Sentence("Coins: {n}, a point for two", {"n": screen.coins}), screen.coins // 2)
    )
    parts.append(ScorePart(Sentence("Tactic cards left"), len(screen.tactics)))
    parts.append(ScorePart(Sentence("Soldier cards left"), screen.soldiers.total))
    return Score(seat, sum(part.points for part in parts), tuple(parts))


def _worth(text: str, house: House, tokens: int, table: Table) -> ScorePart:
    worth = table.row(house).position
    label = Sentence(text, {"house": house_name(house), "n": tokens, "worth": worth})
    return ScorePart(label, tokens * worth)
