"""The beginning of a match: the dogs of war of the seats, and the deal."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.dice import Dice
from engine.errors import IllegalMove, Sentence, listed
from engine.game import Seat
from engine.games.dogs_of_war.box.components import HOUSES, Dog, House, catalogue
from engine.games.dogs_of_war.box.names import DOG_NAMES
from engine.games.dogs_of_war.course import year
from engine.games.dogs_of_war.course.outcome import starting_place
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.events import (
    DogChosen,
    DogsDealt,
    HousesRemoved,
    ScreenDealt,
    TokenDrawn,
)
from engine.games.dogs_of_war.meta import Options, players_choose_their_dogs
from engine.games.dogs_of_war.moves import ChooseDog
from engine.games.dogs_of_war.state import (
    STARTING_COINS,
    STARTING_TACTICS,
    HouseRow,
    Player,
    Screen,
    State,
    Table,
)

_SETUP = "setup"
#: Influence tokens of each house by number of players (DOW-11).
_INFLUENCE = {3: 8, 4: 10, 5: 12}
_FULL_INFLUENCE = 12


def new_match(rules: int, seats: int, options: Options, dice: Dice) -> Draft:
    """The table before the first decision (DOW-1 to DOW-12).

    If the players choose their dogs of war, nothing is dealt before the last choice.
    """
    box = catalogue(options.components)
    dogs = _initial_dogs(rules, seats, options, dice)
    table = Table(
        year=1,
        phase="dogs of war",
        turn=0,
        token=0,
        first=0,
        first_passed=None,
        players=tuple(Player(dog) for dog in dogs or (None,) * seats),
        houses=_house_rows(seats, options, HOUSES),
        removed=(),
        battles=(),
        soldiers=box.components.soldiers,
        deck=len(box.deck),
        discards=(),
    )
    draft = Draft(
        State(
            options=options,
            components_digest=box.digest,
            table=table,
            screens=(),
            deck=box.deck,
            undealt=HOUSES,
            rules=rules,
        ),
        dice,
    )
    if dogs:
        draft.tell(DogsDealt(dogs=dogs))
        _deal(draft)
    return draft


def _initial_dogs(rules: int, seats: int, options: Options, dice: Dice) -> tuple[Dog, ...]:
    """The dogs of war of the seats, by the host or by lot; empty if the players choose."""
    if options.dogs:
        return options.dogs
    if players_choose_their_dogs(rules) and options.dogs_by == "choice":
        return ()
    return dice.shuffle(_SETUP, "dogs of war", tuple(Dog))[:seats]


def _house_rows(seats: int, options: Options, houses: tuple[House, ...]) -> tuple[HouseRow, ...]:
    influence = _INFLUENCE[seats]
    if options.two_battles and not options.two_battles_fewer_influence:
        influence = _FULL_INFLUENCE
    return tuple(HouseRow(house, starting_place(options), influence) for house in houses)


# --- choosing ---


def dog_choices(state: State) -> Iterator[ChooseDog]:
    """Each dog of war that is still available (DOW-1)."""
    return (ChooseDog(dog) for dog in state.table.dogs_left())


def check_dog(state: State, move: ChooseDog) -> None:
    for seat, player in enumerate(state.table.players):
        if player.dog is move.dog:
            raise IllegalMove(
                "{dog} is taken: player {number} was first. Left: {dogs}.",
                rule="DOW-1",
                dog=Sentence(DOG_NAMES[move.dog]),
                number=seat + 1,
                dogs=listed(Sentence(DOG_NAMES[left]) for left in state.table.dogs_left()),
            )


def choose_dog(draft: Draft, seat: Seat, move: ChooseDog) -> None:
    """A seat chooses its dog of war; after the last choice the cards are dealt."""
    draft.tell(DogChosen(seat=seat, dog=move.dog))
    draft.put_player(seat, dog=move.dog)
    following = seat + 1
    if following < len(draft.table.players):
        draft.put_table(turn=following)
    else:
        _deal(draft)


# --- dealing ---


def _deal(draft: Draft) -> None:
    """Cards, coins and the first-player token for everybody, and the first year (DOW-2 to 9)."""
    dice, options, seats = draft.dice, draft.state.options, len(draft.table.players)
    houses = HOUSES
    removed: tuple[House, ...] = ()
    if options.two_battles:
        removed = dice.shuffle(_SETUP, "houses removed", HOUSES)[:2]
        houses = tuple(house for house in HOUSES if house not in removed)
    token = dice.roll(_SETUP, "first player", seats) - 1
    support = dice.shuffle(_SETUP, "house support cards", houses)
    deck = dice.shuffle(_SETUP, "tactic deck", draft.state.deck)
    hands = [deck[STARTING_TACTICS * seat :][:STARTING_TACTICS] for seat in range(seats)]
    # the deck's next card is its last, so dealt cards are taken from the front
    rest = deck[STARTING_TACTICS * seats :]
    draft.put(
        table=replace(
            draft.table,
            token=token,
            first=token,
            houses=_house_rows(seats, options, houses),
            removed=removed,
            deck=len(rest),
        ),
        screens=tuple(
            Screen(support=support[seat], tactics=tuple(sorted(hands[seat])))
            for seat in range(seats)
        ),
        deck=rest,
        undealt=support[seats:],
    )
    _tell(draft, token)
    year.begin_year(draft, 1)


def _tell(draft: Draft, token: Seat) -> None:
    if draft.table.removed:
        draft.tell(HousesRemoved(houses=draft.table.removed))
    for seat, screen in enumerate(draft.state.screens):
        draft.tell(
            ScreenDealt(
                readers=(seat,),
                seat=seat,
                tactics=screen.tactics,
                support=screen.support,
                coins=STARTING_COINS,
            )
        )
    draft.tell(TokenDrawn(seat=token))
