"""Playing an action turn, in the order of its steps (DOW-32 to DOW-36)."""

from __future__ import annotations

from engine.game import Seat
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.placements import closed
from engine.games.dogs_of_war.action.position import card_of, position
from engine.games.dogs_of_war.box.components import (
    Tactic,
)
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.effects.rewards import take, without
from engine.games.dogs_of_war.events import BattleClosed, Placed
from engine.games.dogs_of_war.moves import Place
from engine.games.dogs_of_war.state import (
    Placement,
)


def place(draft: Draft, seat: Seat, move: Place) -> None:
    """Carries out an action: (1) tactic card, (2) soldier, (3) captain, (4) tracker, (5) reward."""
    number, which = draft.table.where(move.house)
    before = draft.table.battles[number]
    card = card_of(position(draft.state, seat), move)
    plan = preview(position(draft.state, seat), move)
    draft.tell(
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
        _play_card(draft, seat, card, number, which)
    _play_soldier(draft, seat, move, number, which)
    _play_captain(draft, seat, move, number, which)
    draft.put_battle(number, tracker=plan.tracker_moved)
    side = draft.table.battles[number].sides[which]
    draft.put_side(number, which, strength=side.strength + plan.strength)
    if plan.reward is not None:
        copied = move.copied is not None
        take(draft, seat, plan.reward, "copy" if copied else "space", number, which)
    after = draft.table.battles[number]
    if closed(draft.state.options, after) and not closed(draft.state.options, before):
        draft.tell(BattleClosed(battle=number, house=move.house))
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
    draft.put_table(placements=(*draft.table.placements, log))


def _play_card(draft: Draft, seat: Seat, card: Tactic, number: int, which: int) -> None:
    draft.put_screen(seat, tactics=without(draft.state.screens[seat].tactics, card.name))
    if card.both_sides:
        everywhere = draft.state.options.betrayal_opens == "year"
        opened = range(len(draft.table.battles)) if everywhere else (number,)
        betrayed = {*draft.table.players[seat].betrayed, *opened}
        draft.put_player(seat, betrayed=tuple(sorted(betrayed)))
    for reward in card.gains:
        take(draft, seat, reward, "tactic", number, which)
    # discarded after its effect (DOW-35), so it cannot be among the cards it draws
    draft.put_table(discards=(*draft.table.discards, card.name))


def _play_soldier(draft: Draft, seat: Seat, move: Place, number: int, which: int) -> None:
    screen = draft.state.screens[seat]
    draft.put_screen(seat, soldiers=screen.soldiers.plus(move.soldier, -1))
    side = draft.table.battles[number].sides[which]
    draft.put_side(number, which, soldiers=side.soldiers.plus(move.soldier))


def _play_captain(draft: Draft, seat: Seat, move: Place, number: int, which: int) -> None:
    draft.put_player(seat, captains=draft.table.players[seat].captains - 1)
    side = draft.table.battles[number].sides[which].with_captain(move.space, seat)
    draft.put_side(number, which, captains=side.captains)
