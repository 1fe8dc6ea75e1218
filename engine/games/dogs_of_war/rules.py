"""Dogs of War as a game: hands each question of the contract to the module that knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.dice import Dice
from engine.errors import IllegalMove, Sentence, listed
from engine.game import Game, Outcome, Phase, Seat, Step
from engine.games.dogs_of_war import (
    beginning,
    eligible,
    foresight,
    last_choices,
    notation,
    order_words,
    placing,
    reasons,
    scoring,
    worlds,
    writing,
    years,
)
from engine.games.dogs_of_war import bot as bots
from engine.games.dogs_of_war import state as states
from engine.games.dogs_of_war import view as views
from engine.games.dogs_of_war.choosing import Reference
from engine.games.dogs_of_war.components import DEFAULT_SET, catalogue
from engine.games.dogs_of_war.events import (
    BattleEnded,
    DogsEvent,
    Ending,
    HousesRemoved,
    MatchEnded,
    MusteringBegan,
    ScreenDealt,
    TokenDrawn,
    YearBegan,
)
from engine.games.dogs_of_war.foresight import Preview
from engine.games.dogs_of_war.meta import META, THE_GAME
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
from engine.games.dogs_of_war.position import Position, Problem, position
from engine.games.dogs_of_war.state import Options, State
from engine.games.dogs_of_war.view import View
from engine.games.dogs_of_war.work import Work

#: The kind of move each phase asks for.
_KINDS: dict[str, tuple[type[DogsMove], ...]] = {
    "dogs of war": (ChooseDog,),
    "first player": (ChooseFirst,),
    "mustering": (Buy,),
    "action": (Place, Pass),
    "conqueror": (Push,),
    "withdrawal": (Withdraw,),
}


class DogsOfWar(Game[State, DogsMove, DogsEvent, View, Options]):
    """For 3 to 5 players, with the official variants."""

    meta = META
    options_type = Options
    state_type = State
    move_type = DogsMove
    event_type = DogsEvent
    view_type = View

    # --- before a match ---

    def check_options(self, seats: int, options: Options) -> None:
        super().check_options(seats, options)
        states.check_options(seats, options)

    def variants(self, seats: int, options: Options) -> tuple[Sentence, ...]:
        return tuple(_variants(options))

    def summary(self, options: Options) -> Sentence:
        if options.components == DEFAULT_SET:
            return super().summary(options)
        return Sentence(
            THE_GAME + " The rewards, tactic cards and bonus tokens of this match are those of the"
            " component set “{title}”, which its host has brought.",
            {"title": catalogue(options.components).components.title},
        )

    def reference(self) -> Reference:
        box = catalogue(DEFAULT_SET)
        return Reference(box.components, box.digest)

    def setup(self, seats: int, options: Options, dice: Dice) -> Step[State, DogsEvent]:
        return self.setup_by(META.rules_version, seats, options, dice)

    def setup_by(
        self, version: str, seats: int, options: Options, dice: Dice
    ) -> Step[State, DogsEvent]:
        return beginning.new_match(int(version), seats, options, dice).step()

    def rules_of(self, state: State) -> str:
        return f"{state.rules}"

    # --- whose move it is, and which there are ---

    def phase(self, state: State) -> Phase:
        turn = state.table.turn
        return Phase(state.table.phase, frozenset() if turn is None else frozenset({turn}))

    def legal_moves(self, state: State, seat: Seat) -> Iterator[DogsMove]:
        """Complete and without duplicates: of equal choices of a copy only the first stands."""
        if state.table.turn != seat:
            return
        match state.table.phase:
            case "dogs of war":
                yield from beginning.dog_choices(state)
            case "first player":
                yield from years.first_choices(state, seat)
            case "mustering":
                yield from years.purchases(state, seat)
            case "action":
                yield from eligible.placements(position(state, seat))
                yield Pass()
            case "conqueror":
                yield from last_choices.pushes(state, seat)
            case _:
                yield from last_choices.withdrawals(state, seat)

    def check(self, state: State, seat: Seat, move: DogsMove) -> None:
        self.refuse_unless_pending(state, seat)
        if not isinstance(move, _KINDS[state.table.phase]):
            raise IllegalMove(
                "This is another phase. " + order_words.HINTS[state.table.phase], rule="DOW-14"
            )
        match move:
            case ChooseDog():
                beginning.check_dog(state, move)
            case ChooseFirst():
                years.check_first(state, seat, move)
            case Buy():
                years.check_purchase(state, seat, move)
            case Place():
                found = reasons.why_not(position(state, seat), move)
                if found is not None:
                    raise found.error()
            case Push():
                last_choices.check_push(state, seat, move)
            case Withdraw():
                last_choices.check_withdrawal(state, seat, move)
            case Pass():
                pass

    def default_move(self, state: State, seat: Seat) -> DogsMove:
        """What silence means.

        The first dog of war that is left is played, the token is kept, and no tracker is moved. A
        silent player musters the cheapest soldiers
        for their captains, because a captain without a soldier is lost, and a footman never played
        is worth more at the end than his coin. In the action phase they play their weakest soldier,
        with a house they support already where they can: passing would throw away every captain
        they have left and decide next year's first player, while one captain leaves the rest of
        the year theirs. Only a player who cannot act passes. Stormcrow withdraws, as he does by
        himself where it is no choice.
        """
        match state.table.phase:
            case "dogs of war":
                return next(beginning.dog_choices(state))
            case "first player":
                return ChooseFirst()
            case "mustering":
                return years.gentle_purchase(state, seat)
            case "action":
                return eligible.gentle_placement(position(state, seat)) or Pass()
            case "conqueror":
                return Push()
            case _:
                return next(last_choices.withdrawals(state, seat))

    # --- the notation ---

    def parse(self, state: State, seat: Seat, text: str) -> DogsMove:
        self.refuse_unless_pending(state, seat)
        move = notation.parse_move(state, seat, text)
        self.check(state, seat, move)
        return move

    def format(self, move: DogsMove) -> str:
        return writing.format_move(move)

    def confirmed_by(self, state: State, seat: Seat, move: DogsMove) -> str | None:
        """A free pass gives up all captains in hand for the year (DOW-64, DOW-66)."""
        free = isinstance(move, Pass) and eligible.can_act(position(state, seat))
        return f"{writing.format_move(move)} for the year" if free else None

    # --- what happens ---

    def apply(self, state: State, seat: Seat, move: DogsMove, dice: Dice) -> Step[State, DogsEvent]:
        work = Work(state, dice)
        match move:
            case ChooseDog():
                beginning.choose_dog(work, seat, move)
            case ChooseFirst():
                years.choose_first(work, seat, move)
            case Buy():
                years.muster(work, seat, move)
            case Place():
                placing.place(work, seat, move)
                years.go_on(work, seat)
            case Pass():
                years.pass_turn(work, seat)
            case Push():
                last_choices.push(work, seat, move)
                years.finish_year(work)
            case Withdraw():
                last_choices.withdraw(work, seat, move)
                years.finish_year(work)
        return work.step()

    def certain(self, state: State, seat: Seat, move: DogsMove) -> tuple[DogsEvent, ...]:
        """Of a pass that ends the year: the pass itself. A placement has a preview of its own."""
        return (years.passed(state, seat),) if isinstance(move, Pass) else ()

    def outcome(self, state: State) -> Outcome[Ending] | None:
        return scoring.outcome(state)

    def by_the_rules(self, event: DogsEvent) -> bool:
        """What is dealt; each battle's outcome, the next year, its mustering; the match's end."""
        return isinstance(
            event,
            HousesRemoved
            | ScreenDealt
            | TokenDrawn
            | BattleEnded
            | YearBegan
            | MusteringBegan
            | MatchEnded,
        )

    # --- what is seen ---

    def view(self, state: State, seat: Seat | None) -> View:
        return views.view(state, seat)

    def other_world(self, state: State, seat: Seat | None, dice: Dice) -> State:
        return worlds.other_world(state, seat, dice)

    def why_not(self, known: Position, move: Place) -> Problem | None:
        """Why an action is forbidden, or None; ``view.known`` makes a position of a view."""
        return reasons.why_not(known, move)

    def preview(self, known: Position, move: Place) -> Preview:
        """What a legal action does to the tracker, and the reward it brings, chance left out."""
        return foresight.preview(known, move)

    # --- the bot ---

    def choose(
        self, view: View, legal: Sequence[DogsMove], dice: Dice, bot: str = "easy"
    ) -> DogsMove:
        return bots.choose(view, legal, dice)


def _variants(options: Options) -> Iterator[Sentence]:
    if options.dogs:
        yield Sentence("dogs of war chosen by the host")
    if options.components != DEFAULT_SET:
        yield Sentence(
            "component set “{title}”",
            {"title": catalogue(options.components).components.title},
        )
    plain = Options()
    for name, text in _VARIANT_WORDS.items():
        if getattr(options, name) != getattr(plain, name):
            yield Sentence(text, {"card": _changing_cards(options)} if "{card}" in text else {})
    if options.captain_limit != plain.captain_limit:
        yield Sentence("{number} captains a year at most", {"number": options.captain_limit})


def _changing_cards(options: Options) -> Sentence:
    """The cards of the match's set that open both sides of a battle."""
    cards = catalogue(options.components).components.tactics
    return listed((Sentence(card.name) for card in cards if card.both_sides), " / ")


_VARIANT_WORDS = {
    "dogs_by": "dogs of war dealt by lot",
    "crushing_at_twelve": "crushing victory at 12",
    "sudden_death": "sudden death",
    "sudden_death_reward": "no reward for closing a battle",
    "decisive_fourth_year": "decisive fourth year",
    "decisive_ties": "houses of equal rank meet in the order of their list",
    "two_battles": "two battles a year",
    "two_battles_fewer_influence": "12 influence tokens a house",
    "one_soldier_a_year": "one soldier bought a year",
    "betrayal_opens": "{card} opens every battle",
    "betrayal_at_once": "{card} lets you change sides from your next turn on",
    "victor_by": "victor by strength without a cap",
    "short_draw": "too few tactic cards are not drawn at all",
    "copy_ignores_prerequisite": "a copy needs the soldier that the copied space asks for",
    "push_counts_self": "a push counts the captain just placed",
    "forced_pass_takes_token": "only a free pass takes the first-player token",
    "house_floor": "house tokens fall below −1",
    "bonus_influence": "influence won as a bonus is of the defeated house",
    "short_bonus": "a bonus that does not last for all who tie goes to nobody",
    "ordalia_counts_for": "Ordalia's captain more counts in the whole outcome",
    "ordalia_needs_captain": "Ordalia's captain more needs none at its side",
    "conqueror_moves": "the Conqueror moves a tracker by two or not at all",
    "conqueror_on_both_sides": "the Conqueror moves no tracker where he supports both sides",
    "stormcrow_withdraws": "Stormcrow withdraws by choice",
    "stormcrow_counts_own": "Stormcrow's own captains bring him no points",
    "ties": "equal points are decided by coins",
}
