"""Facts about Dogs of War known before a match: the game, its options, its versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal

import msgspec

from engine import game as contract
from engine.errors import DataError, OptionsError, Sentence, listed
from engine.games.dogs_of_war.box.components import (
    DEFAULT_SET,
    Components,
    Dog,
    RewardKind,
    catalogue,
)
from engine.games.dogs_of_war.box.names import DOG_NAMES

_CAPTAINS = "Mercenary captains sell their soldiers to six noble houses."
_INFLUENCE = "The influence you hold is worth what its house has won."
#: The description of the game, for any component set.
THE_GAME = " ".join(
    (
        _CAPTAINS,
        "Over four years three battles a year are fought: each turn you send one captain with one"
        " soldier to one side of a battle, move its fortunes and take the reward of the space you"
        " stand on.",
        _INFLUENCE,
        "For 3 to 5 players.",
    )
)

META: Final = contract.Meta(
    name="dogs-of-war",
    title="Dogs of War",
    seats=(3, 4, 5),
    rules_version="3",
    older_rules=("1", "2"),
    first_match=contract.FirstMatch(3, {"two_battles": True}),
    summary=f"{_CAPTAINS} {_INFLUENCE}",
    option_groups=(
        contract.OptionGroup(
            "variants",
            (
                *("crushing_at_twelve", "sudden_death", "sudden_death_reward"),
                *("decisive_fourth_year", "decisive_ties"),
                *("two_battles", "two_battles_fewer_influence"),
            ),
        ),
        contract.OptionGroup(
            "rulings",
            (
                *("captain_limit", "one_soldier_a_year", "betrayal_opens", "betrayal_at_once"),
                *("victor_by", "short_draw", "copy_ignores_prerequisite", "push_counts_self"),
                *("forced_pass_takes_token", "house_floor", "bonus_influence", "short_bonus"),
                *("ordalia_counts_for", "ordalia_needs_captain", "conqueror_moves"),
                *("conqueror_on_both_sides", "stormcrow_withdraws", "stormcrow_counts_own", "ties"),
            ),
        ),
    ),
)


# --- options ---

CAPTAINS_PER_DOG = 6


class Options(contract.Options, frozen=True, forbid_unknown_fields=True):
    """The options of a match; if documents differ, the default follows the rule list."""

    #: DOW-1: the players choose their dogs of war in seat order, or they are drawn by lot.
    dogs_by: Literal["choice", "lot"] = "choice"
    #: DOW-1: the dog of each seat, in seat order, chosen by the host; empty: see ``dogs_by``.
    dogs: tuple[Dog, ...] = ()
    #: The name of a component set of this package, or a complete set as JSON.
    components: str | Components = DEFAULT_SET
    #: DOW-V1: a tracker on 12 or more is a glorious victory, and house tokens start on 0.
    crushing_at_twelve: bool = False
    #: DOW-V2: a battle closes at once when its tracker reaches 15.
    sudden_death: bool = False
    #: DOW-V2a: the player who closes a battle still takes the space's reward.
    sudden_death_reward: bool = True
    #: DOW-V3: in year 4 the first house meets the second, the third the fourth, and so on.
    decisive_fourth_year: bool = False
    #: DOW-V3: houses of equal rank are ordered by lot, or as in the list of houses.
    decisive_ties: Literal["random", "listed"] = "random"
    #: DOW-V4, for 3 players: two houses and the third battle are left out.
    two_battles: bool = False
    #: DOW-V5: also with two battles, each house has 8 influence tokens, not 12.
    two_battles_fewer_influence: bool = True
    #: DOW-24: no player has more captains than this in a year, placed and in hand.
    captain_limit: Annotated[int, msgspec.Meta(ge=5, le=12)] = CAPTAINS_PER_DOG
    #: DOW-26: false lets a player buy any number of soldiers a year, true only one.
    one_soldier_a_year: bool = False
    #: DOW-40: Betrayal opens both sides of that battle, or of every battle, for the year.
    betrayal_opens: Literal["battle", "year"] = "battle"
    #: DOW-41: Betrayal opens the other side for the turn it is played in, or for later turns only.
    betrayal_at_once: bool = True
    #: DOW-49: the victor is read from the tracker, or from strengths without the cap at 15.
    victor_by: Literal["tracker", "strength"] = "tracker"
    #: DOW-53: if deck and discards have too few tactic cards, all of them are drawn, or none.
    short_draw: Literal["what_there_is", "nothing"] = "what_there_is"
    #: DOW-57: a "copy" may take a reward whose own space asks for a stronger soldier.
    copy_ignores_prerequisite: bool = True
    #: DOW-60: "push" counts the captain just placed as well.
    push_counts_self: bool = False
    #: DOW-68: a player whose first pass is forced also gets the first-player token.
    forced_pass_takes_token: bool = True
    #: DOW-76: house tokens stop at −1.
    house_floor: bool = True
    #: DOW-83: a bonus reward of influence is for the victorious house, or for the defeated one.
    bonus_influence: Literal["victor", "defeated"] = "victor"
    #: DOW-84: if the supply is not enough for all players tied for a bonus reward, they are served
    #: in turn order, or nobody is.
    short_bonus: Literal["turn_order", "nobody"] = "turn_order"
    #: DOW-88: Ordalia's extra captain counts for the bonus only, or in the whole outcome.
    ordalia_counts_for: Literal["bonus", "outcome"] = "bonus"
    #: DOW-89: Ordalia's extra captain counts only next to a real one.
    ordalia_needs_captain: bool = True
    #: DOW-91: the Conqueror moves a tracker by up to two, or by two or not at all.
    conqueror_moves: Literal["up_to_two", "two"] = "up_to_two"
    #: DOW-93: with captains on both sides the Conqueror picks one, or the tracker stays.
    conqueror_on_both_sides: Literal["picks", "stays"] = "picks"
    #: DOW-94: Stormcrow's losing captains are ignored automatically, or he may take them back.
    stormcrow_withdraws: Literal["always", "by_choice"] = "always"
    #: DOW-95: Stormcrow's own points count his own captains among the defeated.
    stormcrow_counts_own: bool = True
    #: DOW-100: players with equal points share the victory, or most coins left break the tie.
    ties: Literal["shared", "coins"] = "shared"


def check_options(seats: int, options: Options) -> None:
    """Raises OptionsError if a value has no meaning with these players or other options."""
    if options.two_battles and seats != 3:
        raise OptionsError(
            "Two battles a year is an option for 3 players, not for {seats}.",
            rule="DOW-V4",
            seats=seats,
        )
    if not options.two_battles and not options.two_battles_fewer_influence:
        raise OptionsError(
            "The influence tokens of the game with two battles have no meaning without it.",
            rule="DOW-V5",
        )
    if not options.sudden_death and not options.sudden_death_reward:
        raise OptionsError(
            "The reward of a sudden death has no meaning without sudden death.", rule="DOW-V2a"
        )
    if not options.decisive_fourth_year and options.decisive_ties != "random":
        raise OptionsError(
            "The order of houses of equal rank has no meaning without the decisive fourth year.",
            rule="DOW-V3",
        )
    if options.dogs and len(options.dogs) != seats:
        raise OptionsError(
            "{seats} players need {seats} dogs of war, not {number}.",
            rule="DOW-1",
            seats=seats,
            number=len(options.dogs),
        )
    if options.dogs and options.dogs_by != "choice":
        raise OptionsError(
            "The host has said who plays which dog of war: no lots are drawn.", rule="DOW-1"
        )
    if len(set(options.dogs)) != len(options.dogs):
        raise OptionsError("Each player needs a different dog of war.", rule="DOW-1")
    try:
        box = catalogue(options.components)
    except DataError as problem:
        raise OptionsError(
            problem.sentence.text, rule=None, **problem.sentence.parameters
        ) from None
    _refuse_without_dog(options)
    _refuse_without_component(options, box.components)


#: Options about one dog of war: they need that dog in the match.
_OF_A_DOG: Mapping[str, tuple[Dog, str]] = {
    "ordalia_counts_for": (Dog.ORDALIA, "DOW-88"),
    "ordalia_needs_captain": (Dog.ORDALIA, "DOW-89"),
    "conqueror_moves": (Dog.CONQUEROR, "DOW-91"),
    "conqueror_on_both_sides": (Dog.CONQUEROR, "DOW-93"),
    "stormcrow_withdraws": (Dog.STORMCROW, "DOW-94"),
    "stormcrow_counts_own": (Dog.STORMCROW, "DOW-95"),
}


def _refuse_without_dog(options: Options) -> None:
    for name, (dog, rule) in _OF_A_DOG.items():
        if options.dogs and dog not in options.dogs and _is_set(options, name):
            raise OptionsError(
                "{option} means nothing here: nobody plays {dog}.",
                rule=rule,
                option=name,
                dog=Sentence(DOG_NAMES[dog]),
            )


def _refuse_without_component(options: Options, box: Components) -> None:
    """Refuses options about something that the component set does not have."""
    spaces = {space.reward.kind for tile in box.tiles for space in tile if space.reward}
    betrays = any(card.both_sides for card in box.tactics)
    needed = (
        ("betrayal_opens", "DOW-40", betrays, "a card that opens both sides of a battle"),
        ("betrayal_at_once", "DOW-41", betrays, "a card that opens both sides of a battle"),
        ("conqueror_on_both_sides", "DOW-93", betrays, "a card that opens both sides of a battle"),
        (
            "copy_ignores_prerequisite",
            "DOW-57",
            RewardKind.COPY in spaces,
            "a space that copies another",
        ),
        ("push_counts_self", "DOW-60", RewardKind.PUSH in spaces, "a space that pushes a tracker"),
        (
            "bonus_influence",
            "DOW-83",
            any(reward.kind is RewardKind.INFLUENCE for reward in box.bonuses),
            "a bonus reward of influence",
        ),
    )
    for name, rule, has, what in needed:
        if _is_set(options, name) and not has:
            raise OptionsError(
                "{option} means nothing here: the component set does not have {what}.",
                rule=rule,
                option=name,
                what=Sentence(what),
            )


def _is_set(options: Options, name: str) -> bool:
    """Whether an option differs from its default."""
    return bool(getattr(options, name) != getattr(_PLAIN, name))


_PLAIN = Options()


# --- the options in an invitation ---


def variants(options: Options) -> Iterator[Sentence]:
    if options.dogs:
        yield Sentence("dogs of war chosen by the host")
    if options.components != DEFAULT_SET:
        yield Sentence(
            "component set “{title}”",
            {"title": catalogue(options.components).components.title},
        )
    for name, text in _VARIANT_WORDS.items():
        if _is_set(options, name):
            yield Sentence(text, {"card": _changing_cards(options)} if "{card}" in text else {})
    if _is_set(options, "captain_limit"):
        yield Sentence("{number} captains a year at most", {"number": options.captain_limit})


def _changing_cards(options: Options) -> Sentence:
    """Names the cards of the match's set that open both sides of a battle."""
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
    "ordalia_counts_for": "Ordalia's extra captain counts in the whole outcome",
    "ordalia_needs_captain": "Ordalia's extra captain needs none at its side",
    "conqueror_moves": "the Conqueror moves a tracker by two or not at all",
    "conqueror_on_both_sides": "the Conqueror moves no tracker where he supports both sides",
    "stormcrow_withdraws": "Stormcrow withdraws by choice",
    "stormcrow_counts_own": "Stormcrow's own captains bring him no points",
    "ties": "equal points are decided by coins",
}


# --- versions of the rules ---


def players_choose_their_dogs(rules: int) -> bool:
    """DOW-1, since version 2: dogs of war are drawn by lot only if the host says so.

    A match is played to its end by the rules it began with: ``State.rules``.
    """
    return rules >= 2


def doing_nothing_is_told(rules: int) -> bool:
    """DOW-91 and DOW-94, since version 3: moving no tracker or taking no captain back is told."""
    return rules >= 3
