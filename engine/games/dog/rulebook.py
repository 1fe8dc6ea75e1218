"""The rules of a match of Dog in sentences, each with its ids: only those that hold in it."""

from __future__ import annotations

from engine.errors import Sentence
from engine.games.dog.board import ring_length
from engine.games.dog.meta import NO_TALK, DogOptions, is_odd
from engine.rulebook import Chapter, chapter, chapters, rule


def rulebook(seats: int, options: DogOptions) -> tuple[Chapter, ...]:
    """The rules with so many players and these options."""
    return chapters(
        _aim(seats, options),
        _dealing(seats, options),
        _turn(options),
        _moving(seats, options),
        _fresh(options),
        _end_zone(),
        _jack(seats),
        _joker(options),
        _odd_seven(seats, options) if is_odd(seats) else _seven(options),
        _finished(seats),
    )


def _aim(seats: int, options: DogOptions) -> Chapter:
    three, five, teams = seats == 3, seats == 5, not is_odd(seats)
    inside = options.pawns_in
    return chapter(
        Sentence("Aim"),
        rule(
            "DOG-1",
            "There are {number} teams of two. Partners sit opposite each other.",
            teams,
            main=True,
            number=seats // 2,
        ),
        rule(
            "DOG-2 DOG-3",
            "A team wins at once when all eight pawns of both partners are in their End Zones.",
            teams,
            main=True,
        ),
        rule(
            "ODD5-1 ODD5-5",
            "There are no teams. You win when your pawns and those of both players across from you "
            "are all in their End Zones.",
            five,
            main=True,
        ),
        rule(
            "ODD5-6 ODD5-7 ODD5-8",
            "Whether somebody has won is looked at when a round of turns ends, and when a deal "
            "ends. Several can win together; if all five do, it is a draw.",
            five,
            main=True,
        ),
        rule("ODD3-1", "There are no teams: everybody plays alone.", three, main=True),
        rule(
            "ODD3-4",
            "The first to have all four pawns in the End Zone wins at once.",
            three,
            main=True,
        ),
        rule(
            "DOG-2", "One pawn of each player is in its End Zone from the beginning.", inside == 1
        ),
        rule(
            "DOG-2",
            "Two pawns of each player are in their End Zone from the beginning.",
            inside == 2,
        ),
        rule(
            "DOG-2",
            "Three pawns of each player are in their End Zone from the beginning.",
            inside == 3,
        ),
        rule("DOG-30", "One pawn of each player begins on its Start, fresh.", options.pawn_out),
        rule(NO_TALK.rule, NO_TALK.sentence.text),
        rule(
            "DOG-28",
            "The ring has {ring} fields, 16 for each player. Another player's Start is a field "
            "like any other unless a fresh pawn stands on it.",
            ring=ring_length(seats),
        ),
    )


def _dealing(seats: int, options: DogOptions) -> Chapter:
    three, five, odd = seats == 3, seats == 5, is_odd(seats)
    drawn = options.first_dealer == "random"
    return chapter(
        Sentence("Dealing and giving"),
        rule(
            "DOG-5",
            "Each deal has fewer cards: 6 for everybody, then 5, 4, 3 and 2, then 6 again.",
            not odd,
            main=True,
        ),
        rule(
            "ODD5-4" if five else "ODD3-3",
            "Each deal has fewer cards: 6 for everybody, then 5, 4, 3 and 2, then 5 again.",
            odd,
            main=True,
        ),
        rule("DOG-7", "Lots decide who deals first.", drawn),
        rule("DOG-7", "The player in seat 1 deals first.", not drawn),
        rule(
            "DOG-6 DOG-8 DOG-9 DOG-10",
            "The next deal is dealt by the neighbour to the right, and the player right of the "
            "dealer begins. Turns go to the right, as the pawns do.",
        ),
        rule(
            "DOG-11 DOG-12",
            "There are 110 cards: eight of each kind and six jokers. If they run out in a deal, "
            "the discards are shuffled and dealt on.",
        ),
        rule(
            "DOG-13",
            "After each deal everybody gives one card to the partner, unseen.",
            not odd,
            main=True,
        ),
        rule(
            "ODD5-2",
            "After each deal everybody gives one card to each of the two players across, unseen.",
            five,
            main=True,
        ),
        rule(
            "ODD3-2",
            "After each deal everybody gives one card to each of the others, unseen.",
            three,
            main=True,
        ),
        rule(
            "DOG-14 DOG-15 ODD5-3" if five else "DOG-14 DOG-15",
            "All choose before anybody sees what they get. This holds in every deal, also for a "
            "player who has finished.",
        ),
    )


def _turn(options: DogOptions) -> Chapter:
    whole = options.discard == "all"
    return chapter(
        Sentence("A turn"),
        rule(
            "DOG-16 DOG-17 DOG-18",
            "In your turn you play one card and move by it. If any card can be played you must, "
            "even if it hurts; which one is for you to choose.",
            main=True,
        ),
        rule(
            "DOG-19 DOG-20",
            "Only a player who can play no card discards, and then the whole hand.",
            whole,
            main=True,
        ),
        rule(
            "DOG-19 DOG-20",
            "Only a player who can play no card discards, and then one card.",
            not whole,
            main=True,
        ),
        rule(
            "DOG-21 DOG-22",
            "A player without cards is skipped. A deal ends when all hands are empty.",
        ),
    )


def _moving(seats: int, options: DogOptions) -> Chapter:
    teams, burns = not is_odd(seats), options.seven_burns_own
    return chapter(
        Sentence("Moving"),
        rule(
            "DOG-29",
            "A pawn leaves Home with an ace, a king or a joker, onto your Start.",
            main=True,
        ),
        rule(
            "DOG-23",
            "Pawns go forward, which is counter-clockwise; backward only with a 4.",
            main=True,
        ),
        rule(
            "DOG-24",
            "A card is moved in full. What cannot be moved in full cannot be played.",
            main=True,
        ),
        rule("DOG-25", "A pawn may jump over any pawn except a fresh one."),
        rule("DOG-25", "A 7 sends the pawns of others that it passes Home.", teams and not burns),
        rule("DOG-25", "A 7 sends all pawns that it passes Home.", teams and burns),
        rule(
            "DOG-26 DOG-27",
            "Any pawn that is landed on goes Home: your own and your partner's pawns too.",
            main=True,
        ),
    )


def _fresh(options: DogOptions) -> Chapter:
    return chapter(
        Sentence("Fresh pawns"),
        rule(
            "DOG-30 DOG-31",
            "A pawn that came out is fresh until it moves. Sent Home and out again, it is fresh "
            "again.",
            main=True,
        ),
        rule(
            "DOG-33 DOG-34",
            "Nobody passes a fresh pawn or lands on it, not even its owner.",
            main=True,
        ),
        rule("DOG-35", "A jack swaps no fresh pawn, yours neither.", not options.jack_own_fresh),
        rule(
            "DOG-35",
            "A jack may swap your own fresh pawn, but not another's.",
            options.jack_own_fresh,
        ),
        rule("DOG-32", "A pawn that comes back to its Start by a move or a swap is not fresh."),
        rule(
            "DOG-36",
            "Coming out onto a pawn that is not fresh sends that pawn Home, your own too.",
        ),
    )


def _end_zone() -> Chapter:
    return chapter(
        Sentence("The End Zone"),
        rule(
            "DOG-37 DOG-38",
            "You enter your End Zone from your Start or across it, going forward; never with a "
            "backward 4.",
            main=True,
        ),
        rule(
            "DOG-39", "A fresh pawn does not go straight from Start into the End Zone.", main=True
        ),
        rule(
            "DOG-40",
            "You need not enter: a pawn may go round once more, and must if the count does not "
            "fit.",
        ),
        rule(
            "DOG-41",
            "Inside, pawns go forward only, with an exact count, pass no other pawn, and are safe.",
            main=True,
        ),
    )


def _jack(seats: int) -> Chapter:
    return chapter(
        Sentence("The jack"),
        rule(
            "DOG-42 ODD5-14" if seats == 5 else "DOG-42",
            "A jack makes one of your pawns and one of another player's change places.",
            main=True,
        ),
        rule("DOG-43 DOG-44", "Both stand on the ring, and belong to two players."),
        rule("DOG-45 DOG-46", "A swap sends nobody Home. Without one, a jack cannot be played."),
    )


def _joker(options: DogOptions) -> Chapter:
    free = options.joker_last_pawn
    return chapter(
        Sentence("The joker"),
        rule("DOG-47 DOG-49", "A joker is any other card, with all that it can do.", main=True),
        rule("DOG-48", "It may also bring your last pawn in.", free),
        rule("DOG-48", "It cannot bring your last pawn in.", not free),
    )


def _seven(options: DogOptions) -> Chapter:
    left, burns, both = options.seven_residual, options.seven_burns_own, options.canadian_seven
    return chapter(
        Sentence("The seven"),
        rule(
            "DOG-50 DOG-51 DOG-55",
            "A 7 is seven steps forward, split among your pawns as you like, in any order. Each "
            "part must be possible when its turn comes, and ends as a move does.",
            main=True,
        ),
        rule("DOG-52", "It moves pawns on the ring and in the End Zone, none at Home."),
        rule(
            "DOG-53 DOG-54 DOG-56",
            "Whoever is overtaken by a 7 goes Home at once, your partner's pawns too, but not "
            "your own.",
            not burns and not both,
            main=True,
        ),
        rule(
            "DOG-53 DOG-54 DOG-56",
            "Whoever is overtaken by a 7 goes Home at once, except by a pawn of the same owner.",
            not burns and both,
            main=True,
        ),
        rule(
            "DOG-53 DOG-54 DOG-56",
            "Whoever is overtaken by a 7 goes Home at once, your partner's and your own pawns too.",
            burns,
            main=True,
        ),
        rule("DOG-57", "It moves only your own pawns.", not both),
        rule("DOG-57", "It may move your partner's pawns as well.", both),
        rule(
            "DOG-58",
            "If your last pawn comes in by a 7, what is left may go to your partner's pawns; the "
            "rest is lost.",
            left == "optional",
        ),
        rule(
            "DOG-58",
            "If your last pawn comes in by a 7, all that is left must go to your partner's pawns.",
            left == "exact",
        ),
        rule("DOG-58", "A 7 must leave no step unused.", left == "illegal"),
        rule(
            "DOG-59",
            "If that brings your partner's last pawn in, the team has won.",
            left != "illegal",
        ),
    )


def _odd_seven(seats: int, options: DogOptions) -> Chapter:
    three = seats == 3
    lost = options.seven_residual != "illegal"
    return chapter(
        Sentence("The seven"),
        rule(
            "DOG-50 DOG-51",
            "A 7 is seven steps forward, split among your pawns as you like, in any order. Each "
            "part must be possible when its turn comes.",
            main=True,
        ),
        rule("DOG-52", "It moves pawns on the ring and in the End Zone, none at Home."),
        rule(
            "ODD5-12 ODD3-5" if three else "ODD5-12",
            "Overtaking sends nobody Home. Only what stands where a pawn ends its last part goes "
            "Home.",
            main=True,
        ),
        rule(
            "ODD5-13",
            "If your last pawn comes in by a 7, the steps that are left are lost.",
            lost,
        ),
        rule("ODD5-13", "A 7 must leave no step unused.", not lost),
    )


def _finished(seats: int) -> Chapter:
    three, five, teams = seats == 3, seats == 5, not is_odd(seats)
    return chapter(
        Sentence("When your pawns are in"),
        rule(
            "DOG-60 DOG-61 DOG-62",
            "You go on getting, giving and playing cards, and move your partner's pawns as if "
            "they were yours.",
            teams,
            main=True,
        ),
        rule(
            "ODD5-9 ODD5-10",
            "You go on playing. When you first act you choose one of the two players across and "
            "move those pawns; when they are in, the other's.",
            five,
            main=True,
        ),
        rule("ODD5-11", "If both are in, you have nothing to move and discard.", five),
        rule("ODD3-6 ODD3-7", "Nobody ever moves another player's pawns.", three),
    )
