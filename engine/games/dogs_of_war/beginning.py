"""The beginning of a match: who plays which dog of war, and what everybody is dealt."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.dice import Dice
from engine.errors import IllegalMove, Sentence, listed
from engine.game import Seat
from engine.games.dogs_of_war import versions, years
from engine.games.dogs_of_war.components import HOUSES, Dog, House, catalogue
from engine.games.dogs_of_war.events import (
    DogChosen,
    DogsDealt,
    HousesRemoved,
    ScreenDealt,
    TokenDrawn,
)
from engine.games.dogs_of_war.moves import ChooseDog
from engine.games.dogs_of_war.state import (
    LOWEST_POSITION,
    STARTING_COINS,
    STARTING_TACTICS,
    HouseRow,
    Options,
    Player,
    Screen,
    State,
    Table,
)
from engine.games.dogs_of_war.words import DOG_NAMES
from engine.games.dogs_of_war.work import Work

_SETUP = "setup"
#: Influence tokens of each house by number of players (DOW-11).
_INFLUENCE = {3: 8, 4: 10, 5: 12}
_FULL_INFLUENCE = 12


def new_match(rules: int, seats: int, options: Options, dice: Dice) -> Work:
    """The table before the first decision (DOW-1 to DOW-12).

    Where the players choose their dogs of war, nothing is dealt before the last of them has.
    """
    box = catalogue(options.components)
    dogs = _given(rules, seats, options, dice)
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
    work = Work(
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
        work.tell(DogsDealt(dogs=dogs))
        _deal(work)
    return work


def _given(rules: int, seats: int, options: Options, dice: Dice) -> tuple[Dog, ...]:
    """The dogs of war of the seats by the host's word or by lot; none where the players choose."""
    if options.dogs:
        return options.dogs
    if versions.players_choose_their_dogs(rules) and options.dogs_by == "choice":
        return ()
    return dice.shuffle(_SETUP, "dogs of war", tuple(Dog))[:seats]


def _house_rows(seats: int, options: Options, houses: tuple[House, ...]) -> tuple[HouseRow, ...]:
    influence = _INFLUENCE[seats]
    if options.two_battles and not options.two_battles_fewer_influence:
        influence = _FULL_INFLUENCE
    start = 0 if options.crushing_at_twelve else LOWEST_POSITION
    return tuple(HouseRow(house, start, influence) for house in houses)


# --- choosing ---


def dog_choices(state: State) -> Iterator[ChooseDog]:
    """Each dog of war that nobody has chosen yet (DOW-1)."""
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


def choose_dog(work: Work, seat: Seat, move: ChooseDog) -> None:
    """One seat after another chooses; after the last one the match is dealt."""
    work.tell(DogChosen(seat=seat, dog=move.dog))
    work.put_player(seat, dog=move.dog)
    following = seat + 1
    if following < len(work.table.players):
        work.put_table(turn=following)
    else:
        _deal(work)


# --- dealing ---


def _deal(work: Work) -> None:
    """Cards, coins and the first-player token for everybody, and the first year (DOW-2 to 9)."""
    dice, options, seats = work.dice, work.state.options, len(work.table.players)
    houses = HOUSES
    removed: tuple[House, ...] = ()
    if options.two_battles:
        removed = dice.shuffle(_SETUP, "houses removed", HOUSES)[:2]
        houses = tuple(house for house in HOUSES if house not in removed)
    token = dice.roll(_SETUP, "first player", seats) - 1
    support = dice.shuffle(_SETUP, "house support cards", houses)
    deck = dice.shuffle(_SETUP, "tactic deck", work.state.deck)
    hands = [deck[STARTING_TACTICS * seat :][:STARTING_TACTICS] for seat in range(seats)]
    # The next card is the deck's last, so the dealt ones come off the front.
    rest = deck[STARTING_TACTICS * seats :]
    work.put(
        table=replace(
            work.table,
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
    _tell(work, token)
    years.begin_year(work, 1)


def _tell(work: Work, token: Seat) -> None:
    if work.table.removed:
        work.tell(HousesRemoved(houses=work.table.removed))
    for seat, screen in enumerate(work.state.screens):
        work.tell(
            ScreenDealt(
                readers=(seat,),
                seat=seat,
                tactics=screen.tactics,
                support=screen.support,
                coins=STARTING_COINS,
            )
        )
    work.tell(TokenDrawn(seat=token))
