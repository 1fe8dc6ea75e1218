"""Playing an action turn, in the order of its steps (DOW-32 to DOW-36)."""

from __future__ import annotations

from engine.game import Seat
from engine.games.dogs_of_war.components import (
    Tactic,
)
from engine.games.dogs_of_war.eligible import closed
from engine.games.dogs_of_war.events import BattleClosed, Placed
from engine.games.dogs_of_war.foresight import preview
from engine.games.dogs_of_war.moves import Place
from engine.games.dogs_of_war.position import card_of, position
from engine.games.dogs_of_war.rewards import take, without
from engine.games.dogs_of_war.state import (
    Placement,
)
from engine.games.dogs_of_war.work import Work


def place(work: Work, seat: Seat, move: Place) -> None:
    """Carries out an action: (1) tactic card, (2) soldier, (3) captain, (4) tracker, (5) reward."""
    number, which = work.table.where(move.house)
    before = work.table.battles[number]
    card = card_of(position(work.state, seat), move)
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
    side = work.table.battles[number].sides[which].with_captain(move.space, seat)
    work.put_side(number, which, captains=side.captains)
