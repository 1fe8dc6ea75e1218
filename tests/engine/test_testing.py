"""A law must be able to fail: each is tried on a game that breaks it and on one that does not."""

from itertools import count

import msgspec
import pytest

from engine import testing
from engine.choices import Option
from engine.errors import IllegalMove, Sentence
from engine.game import Outcome, Phase, Step
from engine.simulation import play_match
from engine.testing import BrokenLaw, Case, laws, moments
from tests.engine.toy import Laid, Lay, Toy, ToyState, replace


def run(law, game, seats=3):
    """The law at every moment of a few matches."""
    for seed in ("1", "2"):
        for moment in moments(game, seats, seed=seed):
            law(Case(game, moment, [Lay(card) for card in range(14)]))


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("seats", [2, 3])
def test_every_law_holds_for_a_sound_game(law, seats):
    run(law, Toy(), seats)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_laws_of_a_match_hold_for_a_sound_game(seats):
    testing.replay_gives_the_same(Toy(), seats)
    testing.other_worlds_differ(Toy(), seats)
    assert play_match(Toy(), seats).plies == 3 * seats


class RefusesALegalMove(Toy):
    def check(self, state, seat, move):
        super().check(state, seat, move)
        if move.card == max(state.hands[seat]):
            raise IllegalMove("Not the best.")


class AcceptsAForeignCard(Toy):
    def check(self, state, seat, move):
        self.refuse_unless_pending(state, seat)
        if not 0 < move.card < 13:
            raise IllegalMove("There is no such card.")


class FailsOnStrangeMoves(Toy):
    def check(self, state, seat, move):
        super().check(state, seat, move)
        raise KeyError(move.card)


class ListsTwice(Toy):
    def legal_moves(self, state, seat):
        yield from super().legal_moves(state, seat)
        yield from super().legal_moves(state, seat)


class ListsInAnyOrder(Toy):
    def __init__(self):
        self.calls = count()

    def legal_moves(self, state, seat):
        moves = list(super().legal_moves(state, seat))
        return moves[:: 1 if next(self.calls) % 2 else -1]


class GivesAnothersMoveAsAnExample(Toy):
    def examples(self, state, seat, most):
        return [Lay(card) for hand in state.hands for card in hand][-most:]


class GivesNoExample(Toy):
    def examples(self, state, seat, most):
        return []


class LeavesAPendingSeatWithoutMoves(Toy):
    def legal_moves(self, state, seat):
        return [move for move in super().legal_moves(state, seat) if len(state.hands[seat]) != 2]


class EndsWithoutAnOutcome(Toy):
    def outcome(self, state):
        return None


class NamesAWinnerWhoDoesNotExist(Toy):
    def outcome(self, state):
        outcome = super().outcome(state)
        return outcome and Outcome(outcome.reason, (7,))


class LetsAnybodyMove(Toy):
    def check(self, state, seat, move):
        if move.card not in state.hands[seat]:
            raise IllegalMove("You do not hold that.")

    def legal_moves(self, state, seat):
        return [Lay(card) for card in state.hands[seat]]


class ParsesSomethingElse(Toy):
    def parse(self, state, seat, text):
        move = super().parse(state, seat, text)
        return Lay(min(state.hands[seat])) if move.card == 7 else move


class MindsUpperCase(Toy):
    def parse(self, state, seat, text):
        return super().parse(state, seat, text if text == text.lower() else "?")


class FailsOnNoise(Toy):
    def parse(self, state, seat, text):
        move = Lay(int(text.split()[1]))
        self.check(state, seat, move)
        return move


class FailsOnOddDigits(Toy):
    def parse(self, state, seat, text):
        """The digits of Ethiopia are digits, but ``int`` refuses them."""
        word = text.split()[-1] if text.split() else ""
        return super().parse(state, seat, f"lay {int(word)}" if word.isdigit() else text)


class ParsesWithoutChecking(Toy):
    def parse(self, state, seat, text):
        words = text.lower().split()
        if len(words) == 2 and words[1] == "99999":
            return Lay(99999)
        return super().parse(state, seat, "lay 13" if text == "x" else text)

    def check(self, state, seat, move):
        if move.card == 13:
            raise KeyError(move)
        super().check(state, seat, move)


class ChangesInJson(Toy):
    class State(ToyState, frozen=True):
        pass

    def setup(self, seats, options, dice):
        step = super().setup(seats, options, dice)
        return Step(replace(step.state, tricks=[0] * seats), step.events)


class MutableView(msgspec.Struct):
    hand: tuple[int, ...]


class ShowsAViewThatCanBeChanged(Toy):
    view_type = MutableView

    def view(self, state, seat):
        return MutableView(() if seat is None else state.hands[seat])


class ShowsAHandInAView(Toy):
    def view(self, state, seat):
        return replace(super().view(state, seat), tricks=(sum(map(sum, state.hands)),))


class DefaultsByASecret(Toy):
    def default_move(self, state, seat):
        other = state.hands[(seat + 1) % len(state.hands)]
        hand = state.hands[seat]
        return Lay(hand[sum(other) % len(hand)])


class ListsByASecret(Toy):
    def legal_moves(self, state, seat):
        moves = list(super().legal_moves(state, seat))
        return moves[:: 1 if sum(map(sum, state.hands)) % 2 else -1]


class ShowsASecretWithoutSayingSo(Toy):
    def apply(self, state, seat, move, dice):
        return msgspec.structs.replace(super().apply(state, seat, move, dice), reveals=False)


class DrawsWithoutSayingSo(Toy):
    def apply(self, state, seat, move, dice):
        step = super().apply(state, seat, move, dice)
        if step.reveals:
            return step
        number = dice.roll("somewhere", "noise", 1000)
        return replace(step, state=replace(step.state, tricks=(number, *step.state.tricks[1:])))


class TellsAChoiceInAnEvent(Toy):
    def public(self, seat, move):
        return replace(super().public(seat, move), card=move.card)


class DefaultsToAnIllegalMove(Toy):
    def default_move(self, state, seat):
        return Lay(0)


class DefaultsByWhim(Toy):
    def __init__(self):
        self.calls = count()

    def default_move(self, state, seat):
        hand = state.hands[seat]
        return Lay(hand[next(self.calls) % len(hand)])


class HasABotThatCheats(Toy):
    def choose(self, view, legal, dice, bot="easy"):
        return Lay(12)


class HasABotWithMoods(Toy):
    def __init__(self):
        self.calls = count()

    def choose(self, view, legal, dice, bot="easy"):
        return legal[next(self.calls) % len(legal)]


class ForgetsWhatItDid(Toy):
    def __init__(self):
        self.calls = count()

    def apply(self, state, seat, move, dice):
        step = super().apply(state, seat, move, dice)
        tricks = (next(self.calls), *step.state.tricks[1:])
        return replace(step, state=replace(step.state, tricks=tricks))


class FindsAFlaw(Toy):
    def flaws(self, before, seat, move, step):
        if move.card == 7:
            yield "a seven was laid"


class BeginsAgainstItsRules(Toy):
    def openings(self, seats, options):
        return {"high": "lay 13"}


class OffersWhatIsRefused(Toy):
    def choices(self, view):
        return {"cards": (Option("lay 13", Sentence("a card nobody has")),)}


class RefusesWhatStands(Toy):
    def choices(self, view):
        why_not = Sentence("Not that one.")
        return [Option(f"lay {card}", Sentence("a card"), (), why_not) for card in view.hand or ()]


class OffersMoreAtOnceThanThereIs(Toy):
    def choices_about(self, view, unit):
        return Option("lay 13", Sentence("a card nobody has"))


class OffersNothingToHandIn(Toy):
    def choices(self, view):
        return Option("", Sentence("nothing"))


class ShowsAnOnlookerACard(Toy):
    def view(self, state, seat):
        seen = super().view(state, seat)
        return replace(seen, own=state.laid[0]) if seat is None else seen


class TellsAnOnlookerWhatSomebodyHolds(Toy):
    def apply(self, state, seat, move, dice):
        """All seats read the same words always, but only sometimes who looks on does, too."""
        step = super().apply(state, seat, move, dice)
        if sum(state.hands[(seat + 1) % len(state.hands)]) % 2:
            return step
        everybody = tuple(range(len(state.hands)))
        events = tuple(replace(e, readers=e.readers or everybody) for e in step.events)
        return replace(step, events=events)


class PutsCardsAwayInSecret(Toy):
    def apply(self, state, seat, move, dice):
        """The seat goes on, and nobody else reads about it."""
        hand = tuple(card for card in state.hands[seat] if card != move.card)
        hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
        events = (Laid(seat=seat, card=move.card, readers=(seat,)),)
        return Step(replace(state, hands=hands), events)


BREAKS = [
    (laws.legal_moves_are_accepted, RefusesALegalMove),
    (laws.legal_moves_are_accepted, FailsOnStrangeMoves),
    (laws.nothing_else_is_accepted, AcceptsAForeignCard),
    (laws.legal_moves_are_unique_and_stable, ListsTwice),
    (laws.legal_moves_are_unique_and_stable, ListsInAnyOrder),
    (laws.examples_are_legal_moves, GivesAnothersMoveAsAnExample),
    (laws.examples_are_legal_moves, GivesNoExample),
    (laws.pending_seats_have_moves, LeavesAPendingSeatWithoutMoves),
    (laws.pending_seats_have_moves, EndsWithoutAnOutcome),
    (laws.pending_seats_have_moves, NamesAWinnerWhoDoesNotExist),
    (laws.nobody_moves_out_of_turn, LetsAnybodyMove),
    (laws.notation_round_trips, ParsesSomethingElse),
    (laws.notation_round_trips, MindsUpperCase),
    (laws.noise_is_refused_with_a_sentence, FailsOnNoise),
    (laws.noise_is_refused_with_a_sentence, FailsOnOddDigits),
    (laws.noise_is_refused_with_a_sentence, ParsesWithoutChecking),
    (laws.values_round_trip, ChangesInJson),
    (laws.values_round_trip, ShowsAViewThatCanBeChanged),
    (laws.secrets_stay_secret, ShowsAHandInAView),
    (laws.secrets_stay_secret, DefaultsByASecret),
    (laws.secrets_stay_secret, ListsByASecret),
    (laws.secrets_stay_secret, ShowsASecretWithoutSayingSo),
    (laws.secrets_stay_secret, DrawsWithoutSayingSo),
    (laws.events_tell_no_more_than_views, TellsAChoiceInAnEvent),
    (laws.default_move_is_legal, DefaultsToAnIllegalMove),
    (laws.default_move_is_legal, DefaultsByWhim),
    (laws.bots_choose_legal_moves, HasABotThatCheats),
    (laws.bots_choose_legal_moves, HasABotWithMoods),
    (laws.apply_changes_nothing, ForgetsWhatItDid),
    (laws.steps_are_sound, FindsAFlaw),
    (laws.secret_moves_are_declared, PutsCardsAwayInSecret),
    (laws.openings_are_legal, BeginsAgainstItsRules),
    (laws.choices_are_what_they_say, OffersWhatIsRefused),
    (laws.choices_are_what_they_say, RefusesWhatStands),
    (laws.choices_are_what_they_say, OffersNothingToHandIn),
    (laws.choices_are_what_they_say, OffersMoreAtOnceThanThereIs),
    (laws.onlookers_know_no_more_than_a_seat, ShowsAnOnlookerACard),
    (laws.onlookers_know_no_more_than_a_seat, TellsAnOnlookerWhatSomebodyHolds),
]


@pytest.mark.parametrize(("law", "broken"), BREAKS, ids=lambda value: value.__name__)
def test_a_law_notices_a_game_that_breaks_it(law, broken):
    with pytest.raises(BrokenLaw):
        run(law, broken())


def test_every_law_is_seen_to_fail():
    assert {law for law, _ in BREAKS} == set(laws.LAWS)


class Endless(Toy):
    def phase(self, state):
        return Phase("lay", frozenset({0}))

    def legal_moves(self, state, seat):
        yield Lay(0)

    def apply(self, state, seat, move, dice):
        return Step(state, ())


def test_a_match_without_an_end_is_noticed():
    with pytest.raises(BrokenLaw, match="no end after 100 plies"):
        play_match(Endless(), 2, max_plies=100)


def test_a_match_that_stops_without_an_outcome_is_noticed():
    with pytest.raises(BrokenLaw, match="no outcome"):
        play_match(EndsWithoutAnOutcome(), 2)


def test_a_replay_that_ends_differently_is_noticed():
    with pytest.raises(BrokenLaw, match="ends differently"):
        testing.replay_gives_the_same(ForgetsWhatItDid(), 2)


class ImaginesNothing(Toy):
    def other_world(self, state, seat, dice):
        return state


def test_another_world_that_is_the_same_is_noticed():
    with pytest.raises(BrokenLaw, match="the same in all other worlds"):
        testing.other_worlds_differ(ImaginesNothing(), 2)


def test_option_sets_name_every_switch_once_at_each_value():
    sets = testing.option_sets(Toy(), 2)

    assert [options.low_wins for options in sets] == [False, True]
