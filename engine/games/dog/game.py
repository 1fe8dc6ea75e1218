"""Dog for four and six, Odd Dog for five and three: the implementation of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from engine.dice import Dice
from engine.errors import Ambiguous, IllegalMove, Parameter, Sentence, Unreadable
from engine.game import Game, Outcome, Phase, Progress, Score, ScorePart, Seat, Step
from engine.games.dog import bot as bots
from engine.games.dog import choices, flow, hints, meta, notation, rulebook, sevens
from engine.games.dog.board import E1, JOKER, OUT, Card, by_rank, way_of
from engine.games.dog.choices import DogChoices
from engine.games.dog.drawing import Drawing
from engine.games.dog.events import (
    Dealt,
    DogEvent,
    Ending,
    Exchanged,
    HandedIn,
    Moved,
    Reshuffled,
    SentHome,
    Won,
)
from engine.games.dog.meta import META, DogOptions, is_odd
from engine.games.dog.moves import (
    Discard,
    DogMove,
    Give,
    Go,
    Help,
    Out,
    Play,
    Seven,
    Swap,
    card_of,
    played_rank,
    write,
)
from engine.games.dog.reasons import (
    Reason,
    stands_there,
    why_illegal,
    why_no_pawn,
    why_not_from,
    why_unplayable,
)
from engine.games.dog.rules import Table, carry_out, plays, problem
from engine.games.dog.state import DogState, across, helped_by, receivers, teams
from engine.games.dog.view import DogView, see
from engine.games.dog.worlds import other_world
from engine.rulebook import Chapter

_OVER = Phase("over", frozenset())
_PLAY = tuple(Phase("play", frozenset({seat})) for seat in range(6))
_HELP = tuple(Phase("help", frozenset({seat})) for seat in range(6))
#: The words with which a gift begins.
_GIFT = frozenset({"GIVE", "GIFT"})


class Dog(Game[DogState, DogMove, DogEvent, DogView, DogOptions]):
    """One game for all forms, which differ by the number of seats and the options."""

    meta = META
    options_type = DogOptions
    state_type = DogState
    move_type = DogMove
    event_type = DogEvent
    view_type = DogView

    def check_options(self, seats: int, options: DogOptions) -> None:
        super().check_options(seats, options)
        meta.refuse_meaningless(seats, options)

    def teams(self, seats: int, options: DogOptions) -> tuple[tuple[Seat, ...], ...]:
        """Partners, opposite each other (DOG-1); in Odd Dog everybody alone."""
        return teams(seats) or super().teams(seats, options)

    def variants(self, seats: int, options: DogOptions) -> tuple[Sentence, ...]:
        return meta.variants(options)

    def rulebook(self, seats: int, options: DogOptions, version: str) -> tuple[Chapter, ...]:
        return rulebook.rulebook(seats, options)

    def setup(self, seats: int, options: DogOptions, dice: Dice) -> Step[DogState, DogEvent]:
        state, events = flow.begin(seats, options, dice)
        return Step(state, tuple(events), reveals=True)

    # --- whose turn it is, and the legal moves ---

    def phase(self, state: DogState) -> Phase:
        """``exchange`` (all that have not given yet), ``help``, ``play`` or ``over``."""
        if state.stage == "play":
            if len(helped_by(state.pawns, state.helping, state.turn)) == 2:
                return _HELP[state.turn]
            return _PLAY[state.turn]
        if state.stage == "over":
            return _OVER
        return Phase(
            "exchange", frozenset(seat for seat in range(state.seats) if not state.gifts[seat])
        )

    def legal_moves(self, state: DogState, seat: Seat) -> Iterator[DogMove]:
        if state.stage == "exchange" and not state.gifts[seat]:
            return flow.gifts(state.hands[seat], len(receivers(state.seats, seat)))
        if state.stage != "play" or seat != state.turn:
            return iter(())
        owners = helped_by(state.pawns, state.helping, seat)
        return flow.moves_of_turn(state.pawns, state.options, seat, owners, state.hands[seat])

    def check(self, state: DogState, seat: Seat, move: DogMove) -> None:
        self.refuse_unless_pending(state, seat)
        self._check(state, seat, move)

    def _listed(self, state: DogState, seat: Seat, move: DogMove) -> DogMove:
        """The listed move with the same effect; raises IllegalMove."""
        self._check(state, seat, move)
        if isinstance(move, Give | Help | Discard):
            return move
        table = flow.table_of(state, seat)
        assert table is not None
        return _same_effect(table, move)

    def _check(self, state: DogState, seat: Seat, move: DogMove) -> None:
        match move:
            case Give():
                return self._check_gift(state, seat, move)
            case Help() | Discard():
                if move in self.legal_moves(state, seat):
                    return
                self._refuse_turn(state, seat, move)
        if state.stage != "play":
            self._refuse(
                state,
                seat,
                _gift_rule(state.seats),
                _gift_first(state.seats) + " Legal now: {examples}.",
            )
        owners = helped_by(state.pawns, state.helping, seat)
        if len(owners) != 1:
            self._refuse(
                state,
                seat,
                "ODD5-9" if owners else "ODD5-11",
                "First choose whose pawns you move. Legal now: {examples}."
                if owners
                else "You have no pawn left to move. Legal now: {examples}.",
            )
        table = Table(state.pawns, state.options, seat, owners[0])
        card = card_of(move)
        if card not in state.hands[seat]:
            self._refuse(
                state,
                seat,
                "DOG-17",
                "You hold no {card}. Legal now: {examples}.",
                card=_card_words(card),
            )
        if not _is_legal(table, move):
            self._refuse_for(state, seat, card, why_illegal(table, move))

    def _check_gift(self, state: DogState, seat: Seat, move: Give) -> None:
        if state.stage != "exchange":
            self._refuse(
                state,
                seat,
                _gift_rule(state.seats),
                "There is nothing to give now. Legal now: {examples}.",
            )
        to = receivers(state.seats, seat)
        if len(move.cards) != len(to):
            self._refuse(
                state,
                seat,
                _gift_rule(state.seats),
                "Cards to give: {count}; {receivers}. Legal now: {examples}.",
                count=len(to),
                receivers=_gift_words(to),
            )
        hand = list(state.hands[seat])
        for card in move.cards:
            if card not in hand:
                self._refuse(
                    state,
                    seat,
                    _gift_rule(state.seats),
                    "You do not hold that card to give: {card}. Legal now: {examples}.",
                    card=_card_words(card),
                )
            hand.remove(card)

    def _refuse_turn(self, state: DogState, seat: Seat, move: Help | Discard) -> NoReturn:
        first = next(iter(self.legal_moves(state, seat)))
        if state.stage == "exchange":
            rule, text = _gift_rule(state.seats), _gift_first(state.seats)
        elif isinstance(move, Help):
            rule, text = _help_rule(state.seats), "Whom you help is not asked now."
        elif isinstance(first, Help):
            rule, text = "ODD5-9", "First choose whose pawns you move."
        elif not isinstance(first, Discard):
            rule, text = "DOG-20", "Cards are discarded only when none can be played."
        elif first.card is None:
            rule, text = "DOG-19", "The whole hand is discarded: write discard."
        elif move.card is None:
            rule, text = "DOG-19", "Write which card you discard, as in discard 9."
        else:
            rule, text = "DOG-19", "You hold no {card}."
        parameters: dict[str, Parameter] = {}
        if isinstance(move, Discard) and move.card is not None:
            parameters["card"] = _card_words(move.card)
        if isinstance(move, Help) and isinstance(first, Help):
            seats = across(state.seats, seat)
            text = "You help one of the players across from you: seat {one} or seat {other}."
            parameters = {"one": seats[0] + 1, "other": seats[1] + 1}
        self._refuse(state, seat, rule, text + " Legal now: {examples}.", None, **parameters)

    def _refuse(
        self,
        state: DogState,
        seat: Seat,
        rule: str,
        text: str,
        like: Card | None = None,
        **parameters: Parameter,
    ) -> NoReturn:
        """Raises IllegalMove with a few legal orders, with the card ``like`` if there are any."""
        parameters["examples"] = self._examples(state, seat, like)
        raise IllegalMove(text, rule=rule, **parameters)

    def _refuse_for(self, state: DogState, seat: Seat, card: Card, reason: Reason) -> NoReturn:
        text, parameters = reason.sentence.text, reason.sentence.parameters
        self._refuse(
            state, seat, reason.rule, text + " Legal now: {examples}.", like=card, **parameters
        )

    def default_move(self, state: DogState, seat: Seat) -> DogMove:
        """The least harmful move; the first of equals.

        Plays are compared, in this order, by pawns of the own side sent Home, other pawns sent
        Home, joker played, swap, number of pawns moved, and steps; less is better. Of gifts and
        discards: the plainest cards. Of seats to help: the first.
        """
        legal = list(self.legal_moves(state, seat))
        if len(legal) == 1 or isinstance(legal[0], Help):
            return legal[0]
        if isinstance(legal[0], Give | Discard):
            return min(legal, key=_plainness)
        table = flow.table_of(state, seat)
        assert table is not None
        best: DogMove = legal[0]
        least: tuple[int, ...] | None = None
        for move in sorted(legal, key=_at_least):
            if least is not None and _at_least(move) > least:
                # so are all that are left, even if they send no pawn Home
                break
            harm = _harm(table, move)
            if least is None or harm < least:
                best, least = move, harm
        return best

    # --- the notation ---

    def parse(self, state: DogState, seat: Seat, text: str) -> DogMove:
        self.refuse_unless_pending(state, seat)
        line = notation.tidy(text)
        if not line:
            raise Unreadable(
                "There is no order. Legal now: {examples}.", examples=self._examples(state, seat)
            )
        try:
            return self._read(state, seat, line)
        except Unreadable as error:
            raise self._how_written(state, seat, line.split()) or error from None

    def _how_written(self, state: DogState, seat: Seat, words: Sequence[str]) -> Unreadable | None:
        """How to write what is asked for now; None while cards are played."""
        match next(iter(self.legal_moves(state, seat))):
            case Give() if words[0] not in _GIFT and not _GIFT.isdisjoint(words):
                said = "A gift begins with give, as in {examples}; not with {start}."
            case Give():
                said = "A gift is written as in {examples}."
            case Help():
                said = "First choose whose pawns you move. Legal now: {examples}."
            case Discard():
                said = "No card can be played now. Legal now: {examples}."
            case _:
                return None
        return Unreadable(said, examples=self._examples(state, seat), start=words[0][:20])

    def _read(self, state: DogState, seat: Seat, line: str) -> DogMove:
        words = line.split()
        verb, rest = words[0], words[1:]
        # a card alone is a play, also where it would be a gift: orders are left for later
        if verb in _GIFT:
            cards = notation.cards_in(rest)
            if not cards:
                raise Unreadable(
                    "There is nothing to give now. Legal now: {examples}.",
                    examples=self._examples(state, seat),
                )
            return self._listed(state, seat, Give(cards))
        if verb == "HELP":
            return self._parse_help(state, seat, rest)
        if verb in ("DISCARD", "PASS"):
            return self._parse_discard(state, seat, rest)
        return self._parse_play(state, seat, line)

    def _examples(self, state: DogState, seat: Seat, card: Card | None = None) -> str:
        """Up to three legal orders: with the card if there are any, else from the whole list."""
        legal = list(self.legal_moves(state, seat))
        legal = [move for move in legal if _card_of(move) == card] or legal
        step = max(1, len(legal) // 3)
        return ", ".join(write(move) for move in legal[::step][:3])

    def _parse_help(self, state: DogState, seat: Seat, rest: list[str]) -> DogMove:
        number = rest[0].lstrip("#") if len(rest) == 1 else ""
        if not (number.isascii() and number.isdigit() and len(number) < 3):
            raise Unreadable("Whom you help is written with the number of the seat, as in help 3.")
        return self._listed(state, seat, Help(int(number) - 1))

    def _parse_discard(self, state: DogState, seat: Seat, rest: list[str]) -> DogMove:
        cards = notation.cards_in(rest)
        if cards is None or len(cards) > 1:
            raise Unreadable("Write discard, or discard 9 for one card.")
        move = Discard(cards[0] if cards else None)
        legal = list(self.legal_moves(state, seat))
        if move.card is None and legal and isinstance(legal[0], Discard):
            return _only_one(legal)
        return self._listed(state, seat, move)

    def _parse_play(self, state: DogState, seat: Seat, line: str) -> DogMove:
        order = notation.read_play(line)
        legal = [
            move
            for move in self.legal_moves(state, seat)
            if not isinstance(move, Give | Help | Discard)
        ]
        found = notation.fitting(order, legal)
        if found:
            return _only_one(found)
        move = notation.as_written(order)
        if move is not None:
            return self._listed(state, seat, move)
        self._refuse_order(state, seat, order)

    def _refuse_order(self, state: DogState, seat: Seat, order: notation.Order) -> NoReturn:
        """Refuses an incomplete order that no legal move fits, with the reason."""
        card = order.card
        table = flow.table_of(state, seat) if state.stage == "play" else None
        if table is None or card not in state.hands[seat]:
            rank = order.rank or "K"
            self._listed(state, seat, Out(rank, order.joker))
        assert table is not None
        assert card is not None
        source, target = order.pairs[0] if order.pairs else (None, None)
        if next(plays(table, (card,)), None) is None:
            reason = why_unplayable(table, card)
        elif order.out:
            reason = why_illegal(table, Out(OUT[0], order.joker))
        elif source is not None and not stands_there(table, source):
            reason = why_no_pawn(table, source)
        elif source is not None and target is None and len(order.pairs) == 1 and order.rank:
            reason = why_not_from(table, order.rank, source)
        else:
            self._refuse(
                state,
                seat,
                "DOG-24",
                "No legal play of this card is written like that. Legal now: {examples}.",
                like=card,
            )
        self._refuse_for(state, seat, card, reason)

    def format(self, move: DogMove) -> str:
        return write(move)

    # --- what happens ---

    def apply(
        self, state: DogState, seat: Seat, move: DogMove, dice: Dice
    ) -> Step[DogState, DogEvent]:
        events: list[DogEvent] = []
        match move:
            case Give():
                after = flow.give(state, seat, move, events)
                return Step(after, tuple(events), reveals=after.stage != "exchange")
            case Help():
                return Step(flow.help_out(state, seat, move, events), tuple(events))
        after, dealt = flow.play(state, seat, move, dice, events)
        return Step(after, tuple(events), reveals=dealt)

    def certain(self, state: DogState, seat: Seat, move: DogMove) -> tuple[DogEvent, ...]:
        """The effect of the card or gift; not the gifts of others, nor the cards of a new deal."""
        events: list[DogEvent] = []
        if isinstance(move, Give):
            flow.give(state, seat, move, events)
            return tuple(events[:2])
        if not isinstance(move, Help):
            flow.lay_down(state, seat, move, events)
        return tuple(events)

    def outcome(self, state: DogState) -> Outcome[Ending] | None:
        """A score is the number of pawns in the End Zone."""
        if state.stage != "over":
            return None
        reason = Ending.DRAW
        if state.winners:
            reason = {3: Ending.ALONE, 5: Ending.ACROSS}.get(state.seats, Ending.TEAM)
        scores = []
        for seat, row in enumerate(state.pawns):
            inside = sum(place >= E1 for place in row)
            part = ScorePart(Sentence("Pawns in the End Zone"), inside)
            scores.append(Score(seat, inside, (part,)))
        return Outcome(reason, state.winners, tuple(scores))

    def by_the_rules(self, event: DogEvent) -> bool:
        """A new deal, the exchange of the gifts once all are chosen, and the end of the match.

        Before a deal for which the deck does not last, the discards are shuffled.
        """
        return isinstance(event, Reshuffled | Dealt | Exchanged | Won)

    def passing(self, event: DogEvent) -> bool:
        """That somebody has chosen what to give."""
        return isinstance(event, HandedIn)

    def heading(self, event: DogEvent) -> Sentence | None:
        return (
            Sentence("Deal {number}", {"number": event.deal}) if isinstance(event, Dealt) else None
        )

    def progress(self, state: DogState) -> Progress:
        """Fields that the pawns have behind them; a pawn that is in has the whole ring."""
        ways = (
            sum(way_of(seat, place, state.seats) for place in row)
            for seat, row in enumerate(state.pawns)
        )
        return Progress(Sentence("fields behind the pawns"), tuple(ways))

    # --- what is seen ---

    def view(self, state: DogState, seat: Seat | None) -> DogView:
        phase = self.phase(state)
        return see(state, seat, phase.name, phase.pending)

    def other_world(self, state: DogState, seat: Seat | None, dice: Dice) -> DogState:
        """All cards that the seat cannot know, shuffled and dealt again.

        It knows its own hand, its own gift, and that gift in the receiver's hand as long as it must
        still be there. Deductions from others' plays are not taken into account.
        """
        return other_world(state, seat, dice)

    def drawing(self, view: DogView) -> Drawing:
        return Drawing(len(view.seats))

    def choices(self, view: DogView) -> DogChoices | None:
        return choices.of(view)

    def compose(self, view: DogView, picked: Mapping[str, str]) -> str:
        return choices.compose(view, picked)

    def hints(self, view: DogView) -> tuple[Sentence, ...]:
        return hints.hints(view)

    # --- the bot ---

    def choose(
        self, view: DogView, legal: Sequence[DogMove], dice: Dice, bot: str = "easy"
    ) -> DogMove:
        return bots.choose(view, legal, dice, bot)


def _is_legal(table: Table, move: Play) -> bool:
    """Whether a play has the effect of a listed one.

    For a seven it is enough to carry it out: all that can be carried out are listed.
    """
    if not isinstance(move, Seven):
        out = isinstance(move, Out) and move.joker and move.rank in OUT
        # a joker comes out as the first rank
        wanted = Out(OUT[0], True) if out else move
        return wanted in plays(table, (card_of(move),), (played_rank(wanted),))
    task = problem(table, move.joker)
    parts = sevens.merged(move.parts)
    try:
        _, codes, _, left = sevens.walk(task, parts)
    except sevens.BadPart:
        return False
    return bool(parts) and sevens.may_leave(task, codes, left) and sevens.may_end(task, codes)


def _same_effect(table: Table, move: Play) -> Play:
    """The listed play with the effect of this legal one."""
    listed = list(plays(table, (card_of(move),)))
    if move in listed:
        return move
    if isinstance(move, Out):
        return next(other for other in listed if isinstance(other, Out))
    after = carry_out(table, move).pawns
    same = (other for other in listed if isinstance(other, Seven | Go))
    return next(other for other in same if carry_out(table, other).pawns == after)


def _only_one(found: Sequence[DogMove]) -> DogMove:
    """The only move found; raises Ambiguous with the choices."""
    if len(found) > 1:
        choices = [write(move) for move in found[:8]]
        more = len(found) - len(choices)
        raise Ambiguous(
            "That fits several moves: {choices}. Write one of them.",
            choices=", ".join(choices) + (f" (+{more})" if more else ""),
        )
    return found[0]


def _card_words(card: str) -> Parameter:
    """A card's name in a sentence: a digit or letter, or the word for a joker."""
    return Sentence("joker") if card == JOKER else card


def _card_of(move: DogMove) -> str:
    return "" if isinstance(move, Give | Help | Discard) else card_of(move)


def _plainness(move: DogMove) -> tuple[int, ...]:
    """Sort key of gifts and discards: plainest cards first; ace, four, seven, king, joker last."""
    cards = move.cards if isinstance(move, Give) else (getattr(move, "card", None) or "2",)
    return (
        sum(card in ("A", "4", "7", "J", "K", JOKER) for card in cards),
        *(by_rank(card) for card in cards),
    )


def _at_least(move: DogMove) -> tuple[int, ...]:
    """The least that the ``_harm`` of a play can be: if it sends no pawn Home."""
    assert not isinstance(move, Give | Help | Discard)
    parts = len(move.parts) if isinstance(move, Seven) else 1
    return 0, 0, move.joker, isinstance(move, Swap), parts


def _harm(table: Table, move: DogMove) -> tuple[int, ...]:
    """Sort key of plays, least harmful first (see ``default_move``)."""
    assert not isinstance(move, Give | Help | Discard)
    events = carry_out(table, move).events
    own = others = distance = 0
    side = {table.seat, table.owner, *across(table.seats, table.seat)}
    for event in events:
        if isinstance(event, SentHome):
            if event.owner in side:
                own += 1
            else:
                others += 1
        elif isinstance(event, Moved):
            distance += abs(event.steps)
    return own, others, *_at_least(move)[2:], distance


def _gift_rule(seats: int) -> str:
    return {3: "ODD3-2", 5: "ODD5-2"}.get(seats, "DOG-13")


def _gift_first(seats: int) -> str:
    if is_odd(seats):
        return "First choose the cards you give away."
    return "First choose the card you give away."


def _help_rule(seats: int) -> str:
    return {3: "ODD3-6", 5: "ODD5-9"}.get(seats, "DOG-61")


def _gift_words(to: tuple[Seat, ...]) -> Sentence:
    """``the first for seat 3, the second for seat 4``"""
    if len(to) == 1:
        return Sentence("for seat {seat}", {"seat": to[0] + 1})
    return Sentence(
        "the first for seat {seat}, the second for seat {other}",
        {"seat": to[0] + 1, "other": to[1] + 1},
    )
