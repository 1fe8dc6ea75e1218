"""The game as the service sees it: phases, checks, the notation with its defaults, and steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.dice import Dice, NoDice
from engine.errors import IllegalMove, OptionsError, Sentence
from engine.game import Game, Outcome, Phase, Seat, Step
from engine.games.skirmish import bot as robot
from engine.games.skirmish import moves as m
from engine.games.skirmish import notation, versions, worlds
from engine.games.skirmish import view as views
from engine.games.skirmish.combat import close, consequences
from engine.games.skirmish.data.library import Library, library, weapon
from engine.games.skirmish.events import (
    ForceShown,
    HandedIn,
    LostSight,
    MatchOver,
    Moved,
    OrderTaken,
    SideTaken,
    Sighted,
    SkirmishEvent,
    TurnStarted,
)
from engine.games.skirmish.ground import generator
from engine.games.skirmish.meta import META, TITLES, VALUES, SkirmishOptions
from engine.games.skirmish.moves import SkirmishMove
from engine.games.skirmish.orders import acts, sampling, soundness
from engine.games.skirmish.play import Play, scenario
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.stages import activation, building, deploying, scoring
from engine.games.skirmish.state import State, Tally
from engine.games.skirmish.view import View

#: Moves after which eyes are opened anew.
LOOKING = (
    m.Activate,
    m.End,
    m.Travel,
    m.Face,
    m.Stance,
    m.Fire,
    m.Throw,
    m.Attack,
    m.Tackle,
    m.Tie,
    m.Bandage,
    m.Carry,
    m.PutDown,
    m.Trigger,
    m.Demand,
)
#: Moves that an enemy's Op-Fire may interrupt besides: that it does not is news, too, as it is to
#: see nobody. Whether a move reveals must not depend on what its mover does not know.
INTERRUPTED = (m.Reload, m.Learn, m.PickUp, m.Drop, m.FixBayonet, m.Place, m.Rouse)


class Skirmish(Game[State, SkirmishMove, SkirmishEvent, View, SkirmishOptions]):
    """Dogs of War: Modern Skirmish Combat."""

    meta = META
    options_type = SkirmishOptions
    state_type = State
    move_type = SkirmishMove
    event_type = SkirmishEvent
    view_type = View

    # --- before a match ---

    def check_options(self, seats: int, options: SkirmishOptions) -> None:
        super().check_options(seats, options)
        if not 50 <= options.points <= 1000:
            raise OptionsError(
                "A side has from 50 to 1000 points, not {points}.", points=options.points
            )
        if not 0 <= options.turn_limit <= 30:
            raise OptionsError(
                "A match has from 1 to 30 turns (0: as the scenario says), not {turns}.",
                turns=options.turn_limit,
            )

    def variants(self, seats: int, options: SkirmishOptions) -> tuple[Sentence, ...]:
        plain = SkirmishOptions()
        return tuple(
            Sentence(
                "{option}: {value}",
                {"option": Sentence(TITLES[name]), "value": _value(getattr(options, name))},
            )
            for name in SkirmishOptions.__struct_fields__
            if getattr(options, name) != getattr(plain, name)
        )

    def setup(self, seats: int, options: SkirmishOptions, dice: Dice) -> Step[State, SkirmishEvent]:
        return self.setup_by(META.rules_version, seats, options, dice)

    def setup_by(
        self, version: str, seats: int, options: SkirmishOptions, dice: Dice
    ) -> Step[State, SkirmishEvent]:
        if options.table == "generated":
            table = generator.generate(dice)
        else:
            table = library().tables[options.table]
        return Step(State(options, table, "building", rules=int(version)), ())

    def rules_of(self, state: State) -> str:
        return f"{state.rules}"

    # --- whose move it is ---

    def phase(self, state: State) -> Phase:
        if state.stage == "over":
            return Phase("over", frozenset())
        if state.stage == "building":
            waiting = frozenset(seat for seat in (0, 1) if state.builds[seat] is None)
            return Phase("building", waiting)
        if state.stage == "deployment":
            waiting = frozenset(seat for seat in (0, 1) if state.places[seat] is None)
            if state.options.deployment == "turns" and len(waiting) == 2:
                waiting = frozenset((state.deploy_first,))
            return Phase("deployment", waiting)
        return Phase(state.stage, frozenset((state.chooser,)))

    def legal_moves(self, state: State, seat: Seat) -> Iterable[SkirmishMove]:
        if seat not in self.phase(state).pending:
            return
        match state.stage:
            case "building":
                yield from sampling.builds(state.options.points)
            case "sides":
                yield from (m.TakeSide("south"), m.TakeSide("north"))
            case "order":
                yield from (m.TakeOrder(False), m.TakeOrder(True))
            case "deployment":
                yield from sampling.deployments(state, seat)
            case "initiative":
                yield from (m.Initiative(False), m.Initiative(True))
            case _ if state.active is None:
                yield from sampling.activations(self._look(state, seat), seat)
            case _:
                play = self._look(state, seat)
                yield from sampling.orders(
                    play, seat, lambda move: self._check_active(play, seat, move)
                )

    def default_move(self, state: State, seat: Seat) -> SkirmishMove:
        """Silence builds and deploys the standard way, lets the other side go first, and passes.

        An activation that is passed by is over, so silence brings every match to its turn limit.
        """
        match state.stage:
            case "building":
                return building.default_build(state.options.points)
            case "sides":
                return m.TakeSide("south")
            case "order":
                return m.TakeOrder(False)
            case "deployment":
                return deploying.default_deploy(state, seat)
            case "initiative":
                return m.Initiative(False)
            case _ if state.active is not None:
                return m.End(state.active.who)
            case _:
                return m.End(activation.candidates(self._look(state, seat), seat)[0])

    # --- checks ---

    def _look(self, state: State, seat: Seat) -> Play:
        """A play to look at by one seat's knowledge, and not to roll in."""
        play = Play(state, NoDice(), "")
        play.eyes = seat
        return play

    def check(self, state: State, seat: Seat, move: SkirmishMove) -> None:
        self.refuse_unless_pending(state, seat)
        match move:
            case m.Build():
                self._expect(state, "building")
                building.check_build(move, state.options.points)
            case m.TakeSide():
                self._expect(state, "sides")
            case m.TakeOrder():
                self._expect(state, "order")
            case m.Deploy():
                self._expect(state, "deployment")
                deploying.check_deploy(state, seat, move)
            case m.Initiative():
                self._expect(state, "initiative")
            case _:
                self._expect(state, "activation")
                self._check_active(self._look(state, seat), seat, move)

    @staticmethod
    def _expect(state: State, stage: str) -> None:
        if state.stage != stage:
            raise IllegalMove(
                "That order has no place now: this is {stage}.", rule="SKR-20", stage=state.stage
            )

    def _check_active(self, play: Play, seat: Seat, move: SkirmishMove) -> None:
        active = play.state.active
        match move:
            case m.Activate(who):
                if active is not None:
                    raise IllegalMove(
                        "{who} is active; first “{who} end”.", rule="SKR-23", who=active.who
                    )
                if who not in activation.candidates(play, seat):
                    raise IllegalMove("{who} cannot be activated now.", rule="SKR-23", who=who)
            case m.End(who):
                if active is not None and who != active.who:
                    raise IllegalMove("It is {who} who is active.", rule="SKR-23", who=active.who)
                if active is None and who not in activation.candidates(play, seat):
                    raise IllegalMove("{who} cannot be passed by now.", rule="SKR-23", who=who)
            case m.Demands(on):
                if play.state.demands[seat] == on:
                    raise IllegalMove("That is so already.", rule="SKR-147")
                self._check_free(play, seat)
            case m.Build() | m.TakeSide() | m.TakeOrder() | m.Deploy() | m.Initiative():
                raise IllegalMove("That order has no place now.", rule="SKR-20")
            case _:
                if acts.check_act(play, seat, move) == 0:
                    self._check_free(play, seat)

    @staticmethod
    def _check_free(play: Play, seat: Seat) -> None:
        active = play.state.active
        if active is None:
            raise IllegalMove("First activate a team.", rule="SKR-23")
        if active.free_orders >= activation.FREE_ORDERS * len(active.members):
            raise IllegalMove(
                "That was the last free order of this activation; others, or “{who} end”.",
                rule="SKR-7",
                who=active.who,
            )

    # --- the notation ---

    def parse(self, state: State, seat: Seat, text: str) -> SkirmishMove:
        self.refuse_unless_pending(state, seat)
        move = self._filled(state, notation.read(text))
        self.check(state, seat, move)
        return move

    def _filled(self, state: State, move: SkirmishMove) -> SkirmishMove:
        """What an order leaves out: the weapon at hand and its first mode."""
        if isinstance(move, m.Fire | m.OpFire | m.Reload):
            model = state.model(move.model)
            arms = () if model is None else model.arms
            if not move.weapon and arms and not (isinstance(move, m.OpFire) and move.device):
                move = replace(move, weapon=arms[0].weapon)
        if isinstance(move, m.Fire | m.OpFire) and not move.mode:
            modes = weapon(move.weapon).modes if move.weapon in library().weapons else ()
            mode = modes[0].name if modes else "single"
            move = replace(move, mode=mode if mode != "throw" else "single")
        if isinstance(move, m.Attack) and not move.weapon:
            model = state.model(move.model)
            if model is not None:
                move = replace(move, weapon=best_hand_weapon(close.hand_weapons(model)))
        return move

    def format(self, move: SkirmishMove) -> str:
        return notation.write(move)

    # --- steps ---

    def apply(
        self, state: State, seat: Seat, move: SkirmishMove, dice: Dice
    ) -> Step[State, SkirmishEvent]:
        where = (
            f"turn {state.turn} activation {state.activation_number} order {state.order_number + 1}"
        )
        play = Play(state, dice, where, consequences.follow)
        match move:
            case m.Build():
                self._build(play, seat, move)
            case m.TakeSide(side):
                self._take_side(play, seat, side)
            case m.TakeOrder(first):
                starter = seat if first else 1 - seat
                play.tell(OrderTaken(seat=starter))
                play.change(stage="deployment", deploy_first=starter)
            case m.Deploy():
                self._deploy(play, seat, move)
            case m.Initiative(first):
                activation.take_initiative(play, seat, first)
            case m.Activate(who):
                activation.begin(play, seat, who)
                self._close_if_idle(play, seat)
            case m.End(who):
                activation.end(play, seat, who)
            case m.Demands(on):
                demands = (on, state.demands[1]) if seat == 0 else (state.demands[0], on)
                play.change(demands=demands)
                self._count(play, 0)
            case _:
                self._order(play, seat, move)
        shows = (
            play.revealed
            or play.state.stage != state.stage
            # who is next, and whether the turn is over, hangs on enemies nobody may have seen fall
            or (state.active is not None and play.state.active is None)
            or isinstance(move, LOOKING + INTERRUPTED)
        )
        return Step(play.close(), tuple(play.events), shows)

    def _build(self, play: Play, seat: Seat, build: m.Build) -> None:
        builds = list(play.state.builds)
        builds[seat] = build
        play.change(builds=tuple(builds))
        play.tell(HandedIn(seat=seat, what="force"))
        if None in builds:
            return
        teams, models = [], []
        for owner, order in enumerate(builds):
            assert order is not None
            squads, men = building.raise_force(
                owner, order, vests_by_team=versions.vests_go_by_team(play.state)
            )
            teams += squads
            models += men
            points = building.price(order)
            play.tell(ForceShown(seat=owner, order=notation.write(order), points=points))
        play.models = {model.name: model for model in models}
        play.where = "set-up"
        play.change(
            teams=tuple(teams),
            tallies=(Tally(()), Tally(())),
            smoke=scenario(play.state).smoke,
            stage="sides",
            chooser=low_roller(play, "table side"),
        )

    def _take_side(self, play: Play, seat: Seat, side: str) -> None:
        """SKR-17, 18."""
        other = "north" if side == "south" else "south"
        play.change(sides=(side, other) if seat == 0 else (other, side))
        play.tell(SideTaken(seat=seat, side=side))
        if play.state.options.deployment == "turns":
            play.where = "set-up order"
            play.change(stage="order", chooser=low_roller(play, "deployment"))
        else:
            play.change(stage="deployment")

    def _deploy(self, play: Play, seat: Seat, deploy: m.Deploy) -> None:
        places = list(play.state.places)
        places[seat] = deploy
        play.change(places=tuple(places))
        play.tell(HandedIn(seat=seat, what="deployment"))
        if None in places:
            return
        for order in places:
            assert order is not None
            for place in order.places:
                play.put(
                    place.model,
                    x=place.x,
                    y=place.y,
                    floor=place.floor,
                    facing=place.facing,
                    prone=place.prone,
                )
        activation.start_turn(play)

    def _order(self, play: Play, seat: Seat, move: m.ModelMove) -> None:
        play.eyes = seat
        cost = acts.check_act(play, seat, move)
        play.eyes = None
        self._count(play, cost)
        acts.perform(play, move, cost)
        if isinstance(move, LOOKING) or play.revealed:
            spotting.refresh(play, {move.model})
        activation.after_order(play)
        if not scoring.annihilated(play):
            self._close_if_idle(play, seat)

    @staticmethod
    def _count(play: Play, cost: int) -> None:
        active = play.state.active
        assert active is not None
        if cost == 0:
            active = replace(active, free_orders=active.free_orders + 1)
        play.change(active=active, order_number=play.state.order_number + 1)

    @staticmethod
    def _close_if_idle(play: Play, seat: Seat) -> None:
        """An activation in which nobody can be given an order any more is over."""
        active = play.state.active
        if active is None:
            return
        for name in active.members:
            model = play.models[name]
            if (
                model.fit
                and model.ap > 0
                and not (model.broken or model.recalled or model.overpowered)
            ):
                return
        activation.end(play, seat, active.who)

    def outcome(self, state: State) -> Outcome | None:
        return state.result

    def by_the_rules(self, event: SkirmishEvent) -> bool:
        """A new turn, and the end of the match."""
        return isinstance(event, TurnStarted | MatchOver)

    # --- what is seen ---

    def view(self, state: State, seat: Seat | None) -> View:
        return views.view(state, seat, tuple(sorted(self.phase(state).pending)))

    def revealed(self, state: State) -> View:
        return views.open_view(state, tuple(sorted(self.phase(state).pending)))

    def shown_at_the_end(self, event: SkirmishEvent) -> bool:
        """All but what each side saw: ways as they were walked, and nobody's sightings."""
        if isinstance(event, Moved):
            return event.readers is not None and building.seat_of(event.who) in event.readers
        return not isinstance(event, Sighted | LostSight)

    def reference(self) -> Library:
        """All lists, weapons and equipment, as their files have them."""
        return library()

    def other_world(self, state: State, seat: Seat | None, dice: Dice) -> State:
        return worlds.other_world(state, seat, dice)

    # --- for simulations and tests ---

    def openings(self, seats: int, options: SkirmishOptions) -> dict[str, str]:
        """One fire team of each list that the points allow."""
        return {
            team.faction: notation.write(m.Build((team,)))
            for team in map(sampling.plain_team, library().factions.values())
            if building.team_price(team) <= options.points
        }

    def flaws(
        self, before: State, seat: Seat, move: SkirmishMove, step: Step[State, SkirmishEvent]
    ) -> Iterable[str]:
        return soundness.flaws(before, seat, move, step)

    # --- the bot ---

    def choose(
        self, view: View, legal: Sequence[SkirmishMove], dice: Dice, bot: str = "easy"
    ) -> SkirmishMove:
        return robot.choose(view, legal, dice)


def _value(value: object) -> Sentence | str:
    text = str(value)
    return Sentence(VALUES[text]) if text in VALUES else text


def low_roller(play: Play, purpose: str) -> Seat:
    """SKR-17, 18: D10 each, the low one chooses; ties are rolled again."""
    while True:
        dice = [play.roll(f"{purpose}, seat {seat + 1}") for seat in (0, 1)]
        if dice[0] != dice[1]:
            return 0 if dice[0] < dice[1] else 1


def best_hand_weapon(names: list[str]) -> str:
    """The one with the best bonus, then the worst wounds."""

    def worth(name: str) -> tuple[int, int, str]:
        kind = weapon(name).close
        return (kind.bonus, kind.dpr, name) if kind is not None else (-9, 0, name)

    return max(names, key=worth)


GAME = Skirmish()
