"""The course of a match, year by year: battle set-up, mustering and the turns of action."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.errors import IllegalMove, Sentence, listed
from engine.game import Seat
from engine.games.dogs_of_war.action.placements import takes_token
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import (
    COST,
    SOLDIERS,
    SPACES_PER_TILE,
    Reward,
    RewardKind,
    SoldierCounts,
    catalogue,
)
from engine.games.dogs_of_war.box.names import SOLDIER_NAMES, SOLDIER_PLURALS
from engine.games.dogs_of_war.course import conqueror, outcome, scoring
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.events import (
    Bought,
    FirstPlayerChosen,
    Mustered,
    MusteringBegan,
    Passed,
    YearBegan,
)
from engine.games.dogs_of_war.moves import Buy, ChooseFirst
from engine.games.dogs_of_war.state import (
    CAPTAINS,
    INCOME,
    YEARS,
    Battle,
    Side,
    State,
)

_LAST_BONUS = Reward(RewardKind.POINTS, 3)


# --- battle set-up ---


def begin_year(draft: Draft, year: int) -> None:
    """Draws the battles of a year; then the token's holder has the turn (DOW-15 to 21)."""
    table, options, dice = draft.table, draft.state.options, draft.dice
    where = f"year {year}"
    components = catalogue(options.components).components
    count = len(table.houses) // 2
    bonuses = dice.shuffle(where, "bonus tokens", components.bonuses)[:count]
    if year == YEARS:
        bonuses = (_LAST_BONUS,) * count
    tiles = dice.shuffle(where, "order of battle tiles", range(1, len(components.tiles) + 1))
    houses = dice.shuffle(where, "house cards", tuple(row.house for row in table.houses))
    if year == YEARS and options.decisive_fourth_year:
        # the shuffle orders houses of equal rank; a stable sort keeps that order (DOW-V3)
        if options.decisive_ties == "listed":
            houses = tuple(row.house for row in table.houses)
        houses = tuple(sorted(houses, key=lambda house: -table.row(house).position))

    def side(place: int) -> Side:
        return Side(
            house=houses[place],
            tile=tiles[place],
            spaces=components.tiles[tiles[place] - 1],
            captains=(None,) * SPACES_PER_TILE,
        )

    battles = tuple(
        Battle(tracker=0, bonus=bonuses[number], sides=(side(2 * number), side(2 * number + 1)))
        for number in range(count)
    )
    token = table.token if table.first_passed is None else table.first_passed
    draft.put_table(
        year=year,
        phase="first player",
        turn=token,
        token=token,
        first=token,
        first_passed=None,
        battles=battles,
        placements=(),
        players=tuple(
            replace(player, captains=0, passed=False, betrayed=()) for player in table.players
        ),
    )
    draft.reveals = True
    draft.tell(
        YearBegan(
            year=year,
            houses=tuple((one.sides[0].house, one.sides[1].house) for one in battles),
            tiles=tuple((one.sides[0].tile, one.sides[1].tile) for one in battles),
            bonuses=tuple(one.bonus for one in battles),
        )
    )


def first_choices(state: State, seat: Seat) -> Iterator[ChooseFirst]:
    """Keeping the token, or giving it to any other player (DOW-21)."""
    yield ChooseFirst()
    for other in range(len(state.table.players)):
        if other != seat:
            yield ChooseFirst(other)


def check_first(state: State, seat: Seat, move: ChooseFirst) -> None:
    if move.seat == seat:
        raise IllegalMove(
            "You have the first-player token already: keep it, or give it to another player.",
            rule="DOW-21",
        )
    if move.seat is not None and not 0 <= move.seat < len(state.table.players):
        raise IllegalMove(
            "There is no player {number}. The players are 1 to {last}.",
            rule="DOW-21",
            number=move.seat + 1,
            last=len(state.table.players),
        )


def choose_first(draft: Draft, seat: Seat, move: ChooseFirst) -> None:
    first = seat if move.seat is None else move.seat
    draft.tell(FirstPlayerChosen(holder=seat, first=first))
    draft.put_table(token=first, first=first)
    _begin_mustering(draft)


# --- mustering ---


def _begin_mustering(draft: Draft) -> None:
    """Captains and coins for everybody, then the first player buys (DOW-22 to DOW-26)."""
    limit = draft.state.options.captain_limit
    captains: list[int] = []
    for seat, player in enumerate(draft.table.players):
        number = min(limit, CAPTAINS[draft.table.year - 1] + player.reserve)
        captains.append(number)
        draft.put_player(seat, captains=number, reserve=0)
        draft.put_screen(seat, coins=draft.state.screens[seat].coins + INCOME)
    draft.tell(MusteringBegan(coins=INCOME, captains=tuple(captains)))
    draft.put_table(phase="mustering", turn=draft.table.first)


def purchases(state: State, seat: Seat) -> Iterator[Buy]:
    """Every purchase a player can pay, in ascending amounts of each kind (DOW-26, DOW-28)."""
    supply, purse = state.table.soldiers, state.screens[seat].coins
    if state.options.one_soldier_a_year:
        yield Buy()
        for kind in SOLDIERS:
            if supply.count(kind) and COST[kind] <= purse:
                yield Buy(SoldierCounts().plus(kind))
        return

    for machines in range(min(supply.war_machine, purse // 4) + 1):
        after_machines = purse - 4 * machines
        for knights in range(min(supply.knight, after_machines // 3) + 1):
            after_knights = after_machines - 3 * knights
            for guns in range(min(supply.arquebuser, after_knights // 2) + 1):
                for men in range(min(supply.footman, after_knights - 2 * guns) + 1):
                    yield Buy(SoldierCounts(men, guns, knights, machines))


def check_purchase(state: State, seat: Seat, move: Buy) -> None:
    supply, purse, wanted = state.table.soldiers, state.screens[seat].coins, move.soldiers
    if state.options.one_soldier_a_year and wanted.total > 1:
        raise IllegalMove("Only one soldier may be bought a year in this match.", rule="DOW-26")
    for kind in SOLDIERS:
        if wanted.count(kind) < 0:
            raise IllegalMove("You cannot buy less than nothing.", rule="DOW-26")
        if wanted.count(kind) > supply.count(kind):
            raise IllegalMove(
                "Left of {soldiers}: {left}; you want {wanted}.",
                rule="DOW-28",
                left=supply.count(kind),
                soldiers=Sentence(SOLDIER_PLURALS[kind]),
                wanted=wanted.count(kind),
            )
    if wanted.cost > purse:
        prices = listed(
            Sentence(
                "{soldier} {cost}", {"soldier": Sentence(SOLDIER_NAMES[kind]), "cost": COST[kind]}
            )
            for kind in SOLDIERS
        )
        raise IllegalMove(
            "That costs {cost}; your coins: {purse}. Prices: {prices}.",
            rule="DOW-26",
            cost=wanted.cost,
            purse=purse,
            prices=prices,
        )


def gentle_purchase(state: State, seat: Seat) -> Buy:
    """The cheapest soldiers until there is one for each captain, as far as coins and supply go.

    A captain without a soldier is lost for the year, and an unplayed soldier is worth more points
    at the end than a footman's price: so this costs an absent player least.
    """
    screen, supply = state.screens[seat], state.table.soldiers
    missing = max(0, state.table.players[seat].captains - screen.soldiers.total)
    if state.options.one_soldier_a_year:
        missing = min(missing, 1)
    bought, purse = SoldierCounts(), screen.coins
    for kind in SOLDIERS:
        number = min(missing, supply.count(kind), purse // COST[kind])
        bought = bought.plus(kind, number)
        missing -= number
        purse -= number * COST[kind]
    return Buy(bought)


def muster(draft: Draft, seat: Seat, move: Buy) -> None:
    """A player's purchase; after the last player's the action phase begins (DOW-27, DOW-30)."""
    screen = draft.state.screens[seat]
    paid = move.soldiers.cost
    draft.put_screen(seat, coins=screen.coins - paid, soldiers=screen.soldiers + move.soldiers)
    draft.put_table(soldiers=draft.table.soldiers - move.soldiers)
    draft.tell(Mustered(seat=seat))
    draft.tell(Bought(readers=(seat,), seat=seat, soldiers=move.soldiers, paid=paid))
    following = draft.table.after(seat)
    if following == draft.table.first:
        draft.put_table(phase="action", turn=draft.table.first)
    else:
        draft.put_table(turn=following)


# --- the turns of the action phase ---


def go_on(draft: Draft, seat: Seat) -> None:
    """Passes the turn on clockwise, skipping seats that passed; the phase ends if none is left."""
    following = draft.table.after(seat)
    for _ in draft.table.players:
        if not draft.table.players[following].passed:
            draft.put_table(turn=following)
            return
        following = draft.table.after(following)
    conqueror.ask(draft)
    finish_year(draft)


def passed(state: State, seat: Seat) -> Passed:
    """The event of a pass: captains given up, and the token for the first (DOW-66, DOW-68)."""
    takes = takes_token(position(state, seat))
    return Passed(seat=seat, captains=state.table.players[seat].captains, takes_token=takes)


def pass_turn(draft: Draft, seat: Seat) -> None:
    """Discards the captains in hand; the first to pass gets next year's token (DOW-64 to 68)."""
    pass_told = passed(draft.state, seat)
    draft.tell(pass_told)
    draft.put_player(seat, captains=0, passed=True)
    if pass_told.takes_token:
        draft.put_table(first_passed=seat)
    go_on(draft, seat)


def finish_year(draft: Draft) -> None:
    """Resolves the battles when no choice is left, then begins the next year or ends the match."""
    if draft.table.turn is not None:
        return
    outcome.resolve(draft)
    if draft.table.year == YEARS:
        scoring.end_match(draft)
    else:
        begin_year(draft, draft.table.year + 1)
