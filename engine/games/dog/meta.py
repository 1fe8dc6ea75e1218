"""Facts known before a match: the forms by number of seats, and the options."""

from __future__ import annotations

from typing import Final, Literal

from engine.errors import OptionsError, Sentence
from engine.game import FirstMatch, Meta, OptionGroup, Options, Ruling

NO_TALK: Final = Ruling("DOG-4", Sentence("Nobody talks about the cards they hold or want."))

META: Final = Meta(
    name="dog",
    title="Dog",
    seats=(3, 4, 5, 6),
    rules_version="2",
    summary=(
        "Cards move your four pawns around the board to the End Zone. Four or six play in pairs."
    ),
    bots=("easy", "steady"),
    # about 20 decisions, cards to give included; by the rules as written it would be 50
    first_match=FirstMatch(3, {"pawns_in": 2, "pawn_out": True}),
    option_groups=(
        OptionGroup(
            "house_rules",
            (
                *("pawns_in", "pawn_out"),
                *("seven_burns_own", "canadian_seven", "jack_own_fresh", "discard"),
            ),
        ),
        OptionGroup("rulings", ("seven_residual", "joker_last_pawn", "first_dealer")),
    ),
    no_talk=NO_TALK,
)


class DogOptions(Options, frozen=True, forbid_unknown_fields=True):
    """The options of a match of Dog. The defaults are the rules as written."""

    #: A seven also sends the mover's own pawns Home if it overtakes them (4 and 6 players).
    seven_burns_own: bool = False
    #: A seven may move the partner's pawns as well (4 and 6 players).
    canadian_seven: bool = False
    #: A jack may swap the player's own fresh pawn.
    jack_own_fresh: bool = False
    #: A player without a legal play discards the whole hand, or one card of their choice.
    discard: Literal["all", "one"] = "all"
    #: Steps of a seven left over when the player's last pawn is in. ``optional``: they may go to
    #: the partner's pawns, the rest are lost (with 3 or 5 players all are lost). ``exact``: all
    #: must go to the partner's pawns (4 and 6 players). ``illegal``: a seven must leave none.
    seven_residual: Literal["optional", "exact", "illegal"] = "optional"
    #: Whether a joker may bring a player's last pawn into the End Zone.
    joker_last_pawn: bool = True
    #: The first dealer: drawn by lot, or the first seat.
    first_dealer: Literal["random", "first"] = "random"
    #: For a shorter match: so many pawns of each player begin in the End Zone, from E4 down.
    pawns_in: Literal[0, 1, 2, 3] = 0
    #: One pawn of each player begins on its Start, fresh.
    pawn_out: bool = False


def is_odd(seats: int) -> bool:
    """Whether this is Odd Dog: three or five players, no partners (ODD5-1, ODD3-1)."""
    return seats % 2 == 1


def refuse_meaningless(seats: int, options: DogOptions) -> None:
    """Raises OptionsError for an option about partners if there are none."""
    if not is_odd(seats):
        return
    if options.seven_burns_own:
        raise OptionsError(
            "{option} means nothing with {seats} players: there a seven sends nobody Home by "
            "overtaking.",
            rule="ODD5-12",
            option="seven_burns_own",
            seats=seats,
        )
    if options.canadian_seven:
        raise OptionsError(
            "{option} means nothing with {seats} players: there are no partners.",
            rule="ODD5-13",
            option="canadian_seven",
            seats=seats,
        )
    if options.seven_residual == "exact":
        raise OptionsError(
            "{option}: with {seats} players there is no partner for the steps left over. They "
            "lapse, or are not allowed.",
            rule="ODD5-13",
            option="seven_residual",
            seats=seats,
        )


def variants(options: DogOptions) -> tuple[Sentence, ...]:
    """The options that differ from their defaults, in words."""
    chosen = {
        "a 7 sends your own overtaken pawns Home": options.seven_burns_own,
        "a 7 may move your partner's pawns": options.canadian_seven,
        "a jack may swap your own fresh pawn": options.jack_own_fresh,
        "without a playable card you discard one card": options.discard == "one",
        "steps of a 7 left over must be used by your partner's pawns": (
            options.seven_residual == "exact"
        ),
        "a 7 must not have steps left over": options.seven_residual == "illegal",
        "no joker for the last pawn": not options.joker_last_pawn,
        "the first seat deals first": options.first_dealer == "first",
        "one pawn begins in the End Zone": options.pawns_in == 1,
        "two pawns begin in the End Zone": options.pawns_in == 2,
        "three pawns begin in the End Zone": options.pawns_in == 3,
        "one pawn begins on its Start": options.pawn_out,
    }
    return tuple(Sentence(text) for text, is_set in chosen.items() if is_set)
