"""The laws that hold at every moment of a match. Each takes a case, and raises BrokenLaw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from engine import codec
from engine.choices import Option
from engine.chooser import Chooser
from engine.errors import Ambiguous, OrderError, Unreadable
from engine.game import MAX_ORDER, Seat, Step
from engine.games.registry import AnyGame
from engine.testing.cases import Case, Moment
from engine.testing.mutants import mutants, noise


def pending_seats_have_moves(case: Case) -> None:
    """Pending seats exist and can move; no seat is pending if and only if there is an outcome."""
    outcome = case.game.outcome(case.state)
    case.must((outcome is None) == bool(case.pending), f"{case.pending} pending, {outcome}")
    case.must(case.pending <= set(case.seats), f"no such seats: {case.pending}")
    for seat in case.pending:
        case.must(bool(case.legal(seat)), f"seat {seat} is pending without a legal move")
    if outcome is not None:
        case.must(set(outcome.winners) <= set(case.seats), f"no such winners: {outcome.winners}")
        for score in outcome.scores:
            total = sum(part.points for part in score.parts)
            case.must(not score.parts or total == score.total, f"{score} does not add up")


def legal_moves_are_accepted(case: Case) -> None:
    """Each legal move passes ``check``."""
    for seat in case.pending:
        for move in case.legal(seat):
            case.must(case.accepts(seat, move), "legal move {} of seat {} is refused", move, seat)


def legal_moves_are_unique_and_stable(case: Case) -> None:
    """No legal move is listed twice, and the order of the list is deterministic."""
    again = codec.decode(case.game.state_type, codec.encode(case.state))
    for seat in case.pending:
        legal = case.legal(seat)
        texts = [codec.encode(move) for move in legal]
        case.must(len(set(texts)) == len(texts), f"seat {seat} has a legal move twice")
        case.must(legal == case.legal(seat, again), f"seat {seat}'s moves change their order")


def examples_are_legal_moves(case: Case) -> None:
    """A pending seat has from one to as many examples as are asked for, each a legal move."""
    for seat in case.pending:
        examples = case.game.examples(case.state, seat, 3)
        case.must(0 < len(examples) <= 3, f"seat {seat} has {len(examples)} examples")
        case.must(len(set(examples)) == len(examples), f"seat {seat} has an example twice")
        case.must(set(examples) <= set(case.legal(seat)), f"seat {seat} has a false example")


def nothing_else_is_accepted(case: Case) -> None:
    """A move that is not listed is refused, or has the same effect as a listed one.

    ``strangers`` are moves from other moments and seats; changed copies of them and of the legal
    ones are tried, too. If legal moves are a sample, it only checks that ``check`` answers.
    """
    for seat in case.pending:
        legal = case.legal(seat)
        listed = {codec.encode(move) for move in legal}
        effects: set[bytes] = set()
        for candidate in (*case.strangers, *mutants(case.game, legal, case.moment.ply)):
            if codec.encode(candidate) in listed or not case.accepts(seat, candidate):
                continue
            if not case.game.meta.exhaustive:
                continue
            effects = effects or {codec.encode(case.apply(seat, move).state) for move in legal}
            case.must(
                codec.encode(case.apply(seat, candidate).state) in effects,
                f"{candidate} of seat {seat} is accepted, but is not a legal move",
            )


def nobody_moves_out_of_turn(case: Case) -> None:
    """A seat that is not pending has no legal move, and all its moves and orders are refused."""
    tried = [move for seat in case.pending for move in case.legal(seat)[:5]] + list(case.strangers)
    for seat in case.seats:
        if seat in case.pending:
            continue
        case.must(not case.legal(seat), f"seat {seat} is not pending but has legal moves")
        for move in tried:
            case.must(not case.accepts(seat, move), "seat {} moves out of turn: {}", seat, move)
        for move in tried[:5]:
            found = case.parse(seat, case.game.format(move))
            case.must(found is None, f"seat {seat} orders out of turn: {found}")


def notation_round_trips(case: Case) -> None:
    """``parse(format(move)) == move``, with any case and spacing; the order is one short line."""
    for seat in case.pending:
        for move in case.legal(seat):
            text = case.game.format(move)
            case.must(case.parse(seat, text) == move, "{!r} is not read as {}", text, move)
        for move in case.legal(seat)[:3]:
            text = case.game.format(move)
            case.must(len(text) <= MAX_ORDER and text.isprintable(), f"{text!r} is not one line")
            for other in (text.lower(), text.upper(), f"  {text.replace(' ', '  ')} "):
                case.must(case.parse(seat, other) == move, "{!r} is not read as {}", other, move)


def noise_is_refused_with_a_sentence(case: Case) -> None:
    """For any text, ``parse`` returns a move that passes ``check``, or raises an OrderError."""
    chooser = Chooser(f"noise {case.moment.seed} {case.moment.ply}")
    for seat in case.pending:
        texts = [case.game.format(move) for move in case.legal(seat)[:20]]
        for written in noise(texts, chooser):
            move = case.parse(seat, written)
            case.must(
                move is None or case.accepts(seat, move), f"{written!r} is read as {move}: illegal"
            )


def values_round_trip(case: Case) -> None:
    """State, options, views, moves and events are frozen, and equal after a JSON round trip."""

    def same(kind: Any, value: Any) -> None:
        case.must(codec.decode(kind, codec.encode(value)) == value, "{} changes in JSON", value)
        case.must(type(value).__struct_config__.frozen, f"{type(value).__name__} is not frozen")

    same(case.game.state_type, case.state)
    same(case.game.options_type, case.moment.options)
    for onlooker in (None, *case.seats):
        same(case.game.view_type, case.view(case.state, onlooker))
    for seat in case.pending:
        legal = case.legal(seat)
        for move in legal:
            same(case.game.move_type, move)
        for move in case.some_legal(seat):
            for event in case.apply(seat, move).events:
                same(case.game.event_type, event)
                readers = set(event.readers or ())
                case.must(readers <= set(case.seats), f"{event} is for seats that do not exist")


def secrets_stay_secret(case: Case) -> None:
    """A seat cannot distinguish worlds that differ only in secrets, by view, moves or effects."""
    state = case.state
    for seat in (None, *case.seats):
        world = case.world(seat)
        case.must(
            codec.decode(case.game.state_type, codec.encode(world)) == world,
            f"another world of seat {seat} changes in JSON",
        )
        case.must(
            case.game.phase(world) == case.game.phase(state), f"seat {seat} could tell by the phase"
        )
        case.must(
            case.views(world, seat) == case.views(state, seat), f"seat {seat} could tell by view"
        )
        if seat is None or seat not in case.pending:
            continue
        legal = case.legal(seat)
        case.must(legal == case.legal(seat, world), f"seat {seat} could tell by its legal moves")
        default = case.game.default_move(state, seat)
        case.must(
            default == case.game.default_move(world, seat),
            f"seat {seat}'s default move tells a secret",
        )
        for move in case.some_legal(seat)[::2]:
            here, there = case.apply(seat, move), case.apply(seat, move, world)
            shown = _shown(case, here, seat) != _shown(case, there, seat)
            case.must(
                here.reveals or not shown,
                f"{move} showed seat {seat} a secret and does not say that it reveals",
            )
            case.must(
                here.reveals == there.reveals,
                f"whether {move} of seat {seat} reveals, and so its preview, tells a secret",
            )
            elsewhere = case.game.apply(state, seat, move, case.dice("other dice"))
            case.must(
                here.reveals or elsewhere == here,
                f"{move} of seat {seat} drew, and does not say that it reveals",
            )


def onlookers_know_no_more_than_a_seat(case: Case) -> None:
    """An onlooker sees nothing that a player does not know.

    Otherwise a player could learn from the page for everybody. So an onlooker's view is the same in
    all worlds that a seat cannot distinguish; and if a move shows a seat the same in two worlds, it
    shows an onlooker the same in both.
    """
    state = case.state
    for seat in case.seats:
        world = case.world(seat)
        if world is state:
            continue
        case.must(
            case.views(world, None) == case.views(state, None),
            f"seat {seat} could learn from an onlooker's view",
        )
        for mover in case.pending:
            there = set(map(codec.encode, case.legal(mover, world)))
            both = [move for move in case.legal(mover) if codec.encode(move) in there]
            for move in both[:: max(1, len(both) // 6)]:
                steps = case.apply(mover, move), case.apply(mover, move, world)
                case.must(
                    not _look_alike(case, steps, seat) or _look_alike(case, steps, None),
                    f"{move} of seat {mover}: seat {seat} could learn from what onlookers read",
                )


def events_tell_no_more_than_views(case: Case) -> None:
    """If two moves of a seat leave the others with equal views, they read equal events.

    This finds a hidden choice that leaks through an event that everybody may read.
    """
    for seat in case.pending:
        steps = [case.apply(seat, move) for move in case.some_legal(seat)]
        for reader in (None, *case.seats):
            if reader == seat:
                continue
            told: dict[bytes, bytes] = {}
            for step in steps:
                if step.reveals:
                    continue
                view, events = case.views(step.state, reader), _readable(step, reader)
                case.must(
                    told.setdefault(view, events) == events,
                    f"events tell reader {reader} what seat {seat} did in secret",
                )


def answers_tell_no_more_than_views(case: Case, news: tuple[type[Any], ...] = ()) -> int:
    """If a move leaves a seat with equal views in two worlds, it reads equal events.

    This holds for moves that reveal something, too, and so for games whose views show what was
    revealed last. It finds a secret that leaks through an event: two worlds differ in the secret,
    the table looks the same afterwards, and the events differ. ``news`` are event types by which
    the rules themselves reveal what was hidden (a die, a wound): they are not compared. Returns the
    number of moves compared.
    """
    state, compared = case.state, 0
    for seat in (None, *case.seats):
        world = case.world(seat)
        for mover in case.pending:
            there = set(map(codec.encode, case.legal(mover, world)))
            both = [move for move in case.legal(mover) if codec.encode(move) in there]
            for move in both[:: max(1, len(both) // 12)]:
                steps = [
                    msgspec.structs.replace(
                        step, events=tuple(e for e in step.events if not isinstance(e, news))
                    )
                    for step in (case.apply(mover, move), case.apply(mover, move, world))
                ]
                views = [case.views(step.state, seat) for step in steps]
                if views[0] == views[1]:
                    compared += world != state
                    case.must(
                        _said(steps[0], seat) == _said(steps[1], seat),
                        f"{move} of seat {mover}: what seat {seat} reads of it tells a secret",
                    )
    return compared


def choices_are_what_they_say(case: Case) -> None:
    """An option that a page offers is legal, and one that it says cannot be chosen is refused.

    Each option of ``choices`` that is a complete order is read as a legal move. Options that are
    only part of an order are left to the game's own tests. ``choices_about`` has no others.
    """
    for seat in case.pending:
        view = case.view(case.state, seat)
        # the same is offered in several places
        options = {codec.encode(one): one for one in options_in(case.game.choices(view))}
        for option in options_in(case.game.choices_about(view, "")):
            found = codec.encode(option) in options
            case.must(found, "{} is offered at once, and not at all", option)
        for option in options.values():
            case.must(bool(option.order), "{} hands nothing in", option)
            if option.why_not is not None:
                move = case.parse(seat, option.order)
                case.must(move is None, f"{option.order!r} stands, in spite of {option.why_not}")
            else:
                _must_be_legal(case, seat, option.order)


def _must_be_legal(case: Case, seat: Seat, order: str) -> None:
    """Asserts that an order is legal, unless it cannot be read: then it is part of an order."""
    try:
        case.game.parse(case.state, seat, order)
    except (Unreadable, Ambiguous):
        return
    except OrderError as error:
        case.must(False, f"{order!r} is offered to seat {seat} and refused: {error}")


def options_in(value: Any) -> Iterator[Option]:
    """All options in what ``Game.choices`` returns, at any depth."""
    if isinstance(value, Option):
        yield value
    inside: Iterable[Any] = ()
    if isinstance(value, msgspec.Struct):
        inside = (getattr(value, name) for name in value.__struct_fields__)
    elif isinstance(value, tuple | list):
        inside = value
    elif isinstance(value, Mapping):
        inside = value.values()
    for one in inside:
        # most are names and numbers
        if not isinstance(one, (str, int)):
            yield from options_in(one)


def default_move_is_legal(case: Case) -> None:
    """The default move is listed (or, for a sample, accepted) and deterministic."""
    again = codec.decode(case.game.state_type, codec.encode(case.state))
    for seat in case.pending:
        move = case.game.default_move(case.state, seat)
        case.must(case.accepts(seat, move), f"default move {move} of seat {seat} is refused")
        if case.game.meta.exhaustive:
            case.must(move in case.legal(seat), f"default move {move} is not a legal move")
        case.must(
            move == case.game.default_move(again, seat), f"seat {seat}'s default move changes"
        )


def bots_choose_legal_moves(case: Case) -> None:
    """Every bot chooses one of the legal moves, the same one with the same dice."""
    for seat in case.pending:
        legal, view = case.legal(seat), case.view(case.state, seat)
        for bot in case.game.meta.bots:
            move = case.game.choose(view, legal, case.dice("bot"), bot)
            case.must(move in legal, f"{bot} chooses {move} for seat {seat}: not legal")
            again = case.game.choose(view, legal, case.dice("bot"), bot)
            case.must(move == again, f"{bot} chooses differently from the same dice")


def apply_changes_nothing(case: Case) -> None:
    """``apply`` does not change its argument, and is deterministic with the same dice."""
    for seat in case.pending:
        for move in case.some_legal(seat):
            first, second = (
                case.apply(seat, move),
                case.game.apply(case.state, seat, move, case.dice()),
            )
            case.must(
                codec.encode(case.state) == case.before, f"{move} changes the state it is from"
            )
            case.must(
                codec.encode(first) == codec.encode(second), f"{move} does not do the same again"
            )


def steps_are_sound(case: Case) -> None:
    """No legal move violates the game's own invariants (``Game.flaws``)."""
    for seat in case.pending:
        for move in case.some_legal(seat):
            flaws = list(case.game.flaws(case.state, seat, move, case.apply(seat, move)))
            case.must(not flaws, f"{move} of seat {seat}: {'; '.join(flaws)}")


def secret_moves_are_declared(case: Case) -> None:
    """If nobody else reads about a move and its seat must still act, ``Game.meta`` declares it."""
    for seat in () if case.game.meta.secret_moves else case.pending:
        for move in case.some_legal(seat):
            step = case.apply(seat, move)
            told = any(event.readers is None for event in step.events)
            asked_on = seat in case.game.phase(step.state).pending
            case.must(told or not asked_on, f"nobody reads of {move}: say Meta.secret_moves")


def openings_are_legal(case: Case) -> None:
    """Every opening of the game is a legal first order of every pending seat."""
    if case.moment.ply:
        return
    for name, order in case.game.openings(case.moment.seats, case.moment.options).items():
        for seat in case.pending:
            case.must(case.parse(seat, order) is not None, f"opening {name} is refused")


#: The laws that hold at one moment.
LAWS: tuple[Callable[[Case], None], ...] = (
    pending_seats_have_moves,
    legal_moves_are_accepted,
    legal_moves_are_unique_and_stable,
    examples_are_legal_moves,
    nothing_else_is_accepted,
    nobody_moves_out_of_turn,
    notation_round_trips,
    noise_is_refused_with_a_sentence,
    values_round_trip,
    secrets_stay_secret,
    onlookers_know_no_more_than_a_seat,
    events_tell_no_more_than_views,
    choices_are_what_they_say,
    default_move_is_legal,
    bots_choose_legal_moves,
    apply_changes_nothing,
    steps_are_sound,
    secret_moves_are_declared,
    openings_are_legal,
)


def check_moment(game: AnyGame, moment: Moment, strangers: Sequence[Any] = ()) -> None:
    """Checks all laws at a moment. ``strangers`` are moves from other moments and seats."""
    case = Case(game, moment, strangers)
    for law in LAWS:
        law(case)


# --- helper functions ---


def _readable(step: Step[Any, Any], seat: Seat | None) -> bytes:
    return codec.encode([event for event in step.events if event.readable_by(seat)])


def _shown(case: Case, step: Step[Any, Any], seat: Seat) -> tuple[bytes, bytes]:
    """What a seat sees after a step: its view and the events it may read."""
    return case.views(step.state, seat), _readable(step, seat)


def _said(step: Step[Any, Any], seat: Seat | None) -> bytes:
    """Like ``_readable``, with the content of each event but not its readers."""
    said = [
        msgspec.structs.replace(event, readers=None)
        for event in step.events
        if event.readable_by(seat)
    ]
    return codec.encode(said)


def _look_alike(
    case: Case, steps: tuple[Step[Any, Any], Step[Any, Any]], seat: Seat | None
) -> bool:
    """Whether a seat reads the same in both steps, and has the same view after both."""
    one, other = steps
    return _said(one, seat) == _said(other, seat) and (
        case.views(one.state, seat) == case.views(other.state, seat)
    )
