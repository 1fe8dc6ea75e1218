"""The outcome of a year's battles, and its effect on the dogs of war (DOW-71 to DOW-95)."""

from __future__ import annotations

from engine.game import Seat
from engine.games.dogs_of_war.box.components import (
    SOLDIERS,
    Dog,
    House,
    RewardKind,
)
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.effects.rewards import lasts, miss, take
from engine.games.dogs_of_war.events import (
    BattleEnded,
    PointsScored,
    ProfitMade,
    SpoilsTaken,
)
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.state import (
    LOWEST_POSITION,
    TRACK_END,
    Battle,
    BattleResult,
    Side,
    Table,
)

_CRUSHING_VARIANT = 12


def seat_of(table: Table, dog: Dog) -> Seat | None:
    """The seat that plays a dog of war, or None."""
    return next((seat for seat, player in enumerate(table.players) if player.dog is dog), None)


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
    return battle.lead(side) >= glorious_lead(options)


def glorious_lead(options: Options) -> int:
    """The first space where a victory is glorious (DOW-75, DOW-V1)."""
    return _CRUSHING_VARIANT if options.crushing_at_twelve else TRACK_END


def resolve(draft: Draft) -> None:
    """Resolves all battles in order, then cleans up (DOW-71, DOW-85)."""
    for number in range(len(draft.table.battles)):
        _resolve_battle(draft, number)
    _clean_up(draft)


def _resolve_battle(draft: Draft, number: int) -> None:
    """One battle: (1) house tokens, (2) points for captains, (3) O'Malley, (4) bonus reward."""
    table, options = draft.table, draft.state.options
    battle = table.battles[number]
    which = victorious_side(battle, options)
    houses = (battle.sides[0].house, battle.sides[1].house)
    points = (0,) * len(table.players)
    takers: tuple[Seat, ...] = ()
    glorious = which is not None and is_glorious(battle, which, options)
    if which is not None:
        points = defeated_points(table, options, number, which)
        takers = bonus_takers(table, options, number, which)
        _move_houses(draft, houses[which], houses[1 - which], glorious)
    draft.put_table(
        results=(
            *draft.table.results,
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
    draft.tell(
        BattleEnded(
            battle=number,
            houses=houses,
            tracker=battle.tracker,
            victor=None if which is None else houses[which],
            glorious=glorious,
            positions=(draft.table.row(houses[0]).position, draft.table.row(houses[1]).position),
        )
    )
    if which is not None:
        _score_points(draft, number, points)
        _profit(draft, number, which)
        _hand_out_bonus(draft, number, which, takers)


def _move_houses(draft: Draft, victor: House, defeated: House, glorious: bool) -> None:
    for house in (victor, defeated):
        place = draft.table.row(house).position
        after = _place_after(draft.state.options, place, house is victor, glorious)
        draft.put_house(house, position=after)


def _place_after(options: Options, place: int, won: bool, glorious: bool) -> int:
    """A house's place on the house track after a battle with a victor (DOW-74 to DOW-76)."""
    if won:
        return place + (2 if glorious else 1)
    if not glorious:
        return place
    return max(LOWEST_POSITION, place - 1) if options.house_floor else place - 1


def starting_place(options: Options) -> int:
    """Where all houses begin on the house track (DOW-7, DOW-V1)."""
    return 0 if options.crushing_at_twelve else LOWEST_POSITION


def fell(table: Table, options: Options, result: BattleResult) -> bool:
    """Whether the house that did not win a battle went down the house track by it.

    Results hold no places of houses, so its way is followed from the first year on.
    """
    first, second = result.houses
    loser = second if result.victor is first else first
    place = before = starting_place(options)
    for one in table.results[: table.results.index(result) + 1]:
        before = place
        if one.victor is not None and loser in one.houses:
            place = _place_after(options, place, one.victor is loser, one.glorious)
    return place < before


def _in_outcome(table: Table, options: Options, side: Side, seat: Seat) -> int:
    """A seat's captains with a house as the outcome counts them.

    Ordalia's extra captain is included only if an option lets it count for everything (DOW-88).
    """
    real = side.captains_of(seat)
    everything = options.ordalia_counts_for == "outcome"
    if real and everything and table.players[seat].dog is Dog.ORDALIA:
        return real + 1
    return real


def defeated_points(table: Table, options: Options, number: int, victor: int) -> tuple[int, ...]:
    """The points each seat gets for the captains with the defeated house (DOW-78, DOW-79)."""
    winners, losers = (table.battles[number].sides[which] for which in (victor, 1 - victor))
    return tuple(
        points_of(table, options, losers, seat) if winners.captains_of(seat) else 0
        for seat in range(len(table.players))
    )


def points_of(table: Table, options: Options, losers: Side, seat: Seat) -> int:
    """The points a house's defeat gives a seat that supports the victor (DOW-78, DOW-94)."""
    stormcrow = seat_of(table, Dog.STORMCROW)
    return sum(
        _in_outcome(table, options, losers, other)
        for other in range(len(table.players))
        if other != stormcrow or _counts_stormcrow(options, seat == stormcrow)
    )


def _counts_stormcrow(options: Options, himself: bool) -> bool:
    """Whether Stormcrow's captains among the defeated give points: to himself, or to others."""
    if himself:
        return options.stormcrow_counts_own  # DOW-95
    return options.stormcrow_withdraws == "by_choice"  # DOW-94; else they have been taken back


def bonus_takers(table: Table, options: Options, number: int, victor: int) -> tuple[Seat, ...]:
    """The seats with most captains at the victorious house, in turn order (DOW-80, 81, 84)."""
    side = table.battles[number].sides[victor]
    counts = {seat: _for_bonus(table, options, side, seat) for seat in table.in_turn_order()}
    most = max(counts.values())
    return tuple(seat for seat, count in counts.items() if most and count == most)


def _for_bonus(table: Table, options: Options, side: Side, seat: Seat) -> int:
    real = side.captains_of(seat)
    if table.players[seat].dog is not Dog.ORDALIA:
        return real
    return real + (1 if real or not options.ordalia_needs_captain else 0)  # DOW-88, DOW-89


def _score_points(draft: Draft, number: int, points: tuple[int, ...]) -> None:
    for seat, gained in enumerate(points):
        if gained:
            draft.put_screen(seat, points=draft.state.screens[seat].points + gained)
            draft.tell(PointsScored(seat=seat, battle=number, points=gained))


def _profit(draft: Draft, number: int, victor: int) -> None:
    """Captain O'Malley's coin for a battle won (DOW-90)."""
    seat = seat_of(draft.table, Dog.OMALLEY)
    if seat is not None and draft.table.battles[number].sides[victor].captains_of(seat):
        draft.put_screen(seat, coins=draft.state.screens[seat].coins + 1)
        draft.tell(ProfitMade(seat=seat, battle=number, coins=1))


def _hand_out_bonus(draft: Draft, number: int, victor: int, takers: tuple[Seat, ...]) -> None:
    """The bonus reward to each taker in full, and Blackmane's spoils with it (DOW-80 to 87)."""
    options, bonus = draft.state.options, draft.table.battles[number].bonus
    of = victor
    if bonus.kind is RewardKind.INFLUENCE and options.bonus_influence == "defeated":
        of = 1 - victor  # DOW-83
    house = draft.table.battles[number].sides[of].house
    enough = len(takers) < 2 or lasts(draft.table, bonus, house, len(takers))
    for seat in takers:
        if enough or options.short_bonus == "turn_order":
            take(draft, seat, bonus, "bonus", number, of)
        else:
            miss(draft, seat, bonus, number)
        if draft.table.players[seat].dog is Dog.BLACKMANE:
            _spoils(draft, seat, number, 1 - victor)


def _spoils(draft: Draft, seat: Seat, number: int, defeated: int) -> None:
    """The strongest soldier card played for the defeated house goes to Blackmane (DOW-87)."""
    played = draft.table.battles[number].sides[defeated].soldiers
    for kind in reversed(SOLDIERS):
        if played.count(kind):
            screen = draft.state.screens[seat]
            draft.put_screen(seat, soldiers=screen.soldiers.plus(kind))
            draft.put_side(number, defeated, soldiers=played.plus(kind, -1))
            draft.tell(SpoilsTaken(seat=seat, battle=number, soldier=kind))
            return


def _clean_up(draft: Draft) -> None:
    """Returns soldiers and captains to the supply, and removes the battles (DOW-85)."""
    back = draft.table.soldiers
    for battle in draft.table.battles:
        for side in battle.sides:
            back = back + side.soldiers
    draft.put_table(soldiers=back, battles=(), placements=())
