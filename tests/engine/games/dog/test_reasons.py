"""Every claim of a refusal, held against the pawns and the legal moves of random tables.

A refusal is a few sentences; each must fit one of ``CLAIMS``, whose function says whether it is
true. A new sentence needs a line there.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.games.dog import GAME
from engine.games.dog.board import CARDS, DECK, E1, FRESH, HOME, complete, ring_length, start_of
from engine.games.dog.meta import DogOptions
from engine.games.dog.moves import Discard, Go, Seven, played_rank
from engine.games.dog.notation import read_play, tidy
from engine.games.dog.state import DogState, across, helped_by, partner, receivers
from tests.engine.games.dog.tables import place, table
from tests.parts import chance

#: The forms of Dog: players, and options that change what may be played.
FORMS: list[tuple[int, dict[str, Any]]] = [
    (3, {}),
    (4, {}),
    (4, {"canadian_seven": True, "jack_own_fresh": True}),
    (4, {"joker_last_pawn": False, "seven_residual": "illegal", "discard": "one"}),
    (5, {}),
    (6, {"seven_burns_own": True, "seven_residual": "exact"}),
]


class Asked(NamedTuple):
    """A table, and an order that was refused there."""

    state: DogState
    seat: int
    order: str

    @property
    def ring(self) -> int:
        return ring_length(self.state.seats)

    @property
    def owner(self) -> int:
        """Whose pawns the seat moves; the seat itself where that is nobody's or to be chosen."""
        owners = helped_by(self.state.pawns, self.state.helping, self.seat)
        return owners[0] if len(owners) == 1 else self.seat

    @property
    def row(self) -> tuple[int, ...]:
        return self.state.pawns[self.owner]

    def legal(self) -> list[Any]:
        return list(GAME.legal_moves(self.state, self.seat))

    def standing(self) -> dict[int, tuple[int, bool]]:
        """The pawns on the ring: field to owner, and whether it is fresh."""
        return {
            start_of(owner) if at == FRESH else at: (owner, at == FRESH)
            for owner, row in enumerate(self.state.pawns)
            for at in row
            if HOME < at <= FRESH
        }

    def holds(self, name: str) -> bool:
        """Whether a pawn that the seat could move stands on a place, as an order names it."""
        if name.startswith("e"):
            return place(name) in self.row
        return self.standing().get(int(name), (-1, False))[0] == self.owner

    def is_fresh(self, name: str) -> bool:
        return self.standing().get(int(name), (-1, False))[1]

    def steps(self, source: str, target: str) -> int:
        """The way forward from one place to another, into the End Zone where that is named."""
        if source.startswith("e"):
            return place(target) - place(source)
        if target.startswith("e"):
            return (start_of(self.owner) - int(source)) % self.ring + place(target) - E1 + 1
        return (int(target) - int(source)) % self.ring

    def goes(self, card: str, source: str) -> set[str]:
        joker = self.order.lstrip().startswith("*")
        return {
            GAME.format(move).rsplit("-", 1)[1]
            for move in self.legal()
            if isinstance(move, Go)
            and move.joker == joker
            and move.rank == card
            and move.source == place(source)
        }

    def plays_of(self, card: str) -> list[Any]:
        return [
            move
            for move in self.legal()
            if hasattr(move, "joker") and ("*" if move.joker else played_rank(move)) == card
        ]

    def card(self) -> str:
        read = read_play(tidy(self.order))
        assert read.card is not None
        return read.card

    def first_part(self) -> tuple[int, int] | None:
        """The part of a seven that is one part only; None where it has more."""
        pairs = read_play(tidy(self.order)).pairs
        return pairs[0] if len(pairs) == 1 else None  # type: ignore[return-value]


def in_end_zone(asked: Asked) -> set[int]:
    """Where the owner has pawns in its End Zone, before the order or after some parts of it."""
    pairs = read_play(tidy(asked.order)).pairs
    return {at for at in (*asked.row, *(end or 0 for _, end in pairs[:-1])) if at >= E1}


def bars(asked: Asked, name: str) -> bool:
    return place(name) in in_end_zone(asked)


def full_value(asked: Asked, card: str, source: str, targets: str, target: str) -> bool:
    named = set(targets.split(" / "))
    return bool(named) and named == asked.goes(card, source) and target not in named


def nobody_on(asked: Asked, name: str) -> bool:
    if name.startswith("p"):
        return place("e" + name[1]) not in asked.state.pawns[partner(asked.state.seats, asked.seat)]
    return int(name) not in asked.standing()


def partners_to_move(asked: Asked, name: str) -> bool:
    """Whether a partner's pawn is there that a seven may move from the beginning."""
    owner, _ = asked.standing().get(int(name), (-1, False))
    return (
        asked.state.options.canadian_seven
        and owner == partner(asked.state.seats, asked.owner)
        and read_play(tidy(asked.order)).rank in ("7", None)
    )


def somebody_elses(asked: Asked, name: str) -> bool:
    owner, _ = asked.standing().get(int(name), (-1, False))
    return owner >= 0 and owner != asked.owner and not partners_to_move(asked, name)


def steps_left(asked: Asked, source: str, target: str, needed: str, left: str) -> bool:
    if not asked.steps(source, target) == int(needed) > int(left):
        return False
    if asked.first_part() is None:
        return True
    return left == "7" and (asked.holds(source) or partners_to_move(asked, source))


def seven_is_used_up(asked: Asked, source: str, target: str) -> bool:
    parts = asked.order.split()[1:]
    steps = [asked.steps(*part.split("-")) for part in parts]
    # a part may be written twice
    places = [place for place, part in enumerate(parts) if part == f"{source}-{target}"]
    return any(sum(steps[:place]) == 7 for place in places)


def only_these_are_legal(asked: Asked, orders: str) -> bool:
    legal = {GAME.format(move) for move in asked.legal()}
    return all(order in legal for order in orders.split(", "))


def passed_in_end_zone(asked: Asked) -> bool:
    there = in_end_zone(asked)
    pairs = read_play(tidy(asked.order)).pairs
    return any(start < at <= (end or 0) for start, end in pairs if start >= E1 for at in there)


def all_in_but(asked: Asked, inside: int) -> bool:
    return sum(at >= E1 for at in asked.row) >= inside


def in_the_ring(asked: Asked) -> list[bool]:
    """Whether they are fresh, of the pawns on the ring that the seat moves."""
    return [fresh for owner, fresh in asked.standing().values() if owner == asked.owner]


def same_owner(asked: Asked) -> bool:
    (pair,) = read_play(tidy(asked.order)).pairs
    standing = asked.standing()
    return standing[pair[0]][0] == standing[pair[1] or 0][0]


CARD = r"([A2-9JQK]|10|joker)"
PLACE = r"(\d+|[ep]\d)"
CLAIMS: dict[str, Any] = {
    r"Legal now: (.+)\.$": only_these_are_legal,
    rf"You hold no {CARD}\.": lambda a, card: (
        ("*" if card == "joker" else card) not in a.state.hands[a.seat]
    ),
    rf"Only an ace, a king or a joker brings a pawn out: {CARD} does not\.": lambda a, card: (
        card not in "AK"
    ),
    r"There is no pawn at Home that could come out\.": lambda a: HOME not in a.row,
    r"A fresh pawn stands on the Start field (\d+): no second pawn can come out onto it\.": (
        lambda a, field: FRESH in a.row and start_of(a.owner) == int(field)
    ),
    rf"There is no pawn to move on {PLACE}\.": lambda a, name: place(name) not in a.row,
    rf"There is no pawn on {PLACE}\.": nobody_on,
    rf"The pawn on {PLACE} is not yours to move\.": somebody_elses,
    r"The pawns in another player's End Zone are not yours to move\.": lambda a: "p" in a.order,
    rf"With {CARD} the pawn on {PLACE} goes to (.+?), not to {PLACE}:"
    r" a card is moved in full\.": full_value,
    rf"The pawn on {PLACE} cannot make the full way of {CARD}\.": lambda a, source, card: (
        a.holds(source) and not a.goes(card, source)
    ),
    r"The pawn on (\d+) is fresh: no move may end on its field\.": Asked.is_fresh,
    r"The pawn on (\d+) is fresh: nobody may move past it\.": Asked.is_fresh,
    r"The pawn on (\d+) is fresh: it must first move on the ring before it can enter the"
    r" End Zone\.": Asked.is_fresh,
    r"The pawn on (\d+) is fresh and cannot be swapped\.": lambda a, field: (
        a.is_fresh(field) and not (a.state.options.jack_own_fresh and a.holds(field))
    ),
    r"No pawn enters another player's End Zone\.": lambda a: "p" in a.order,
    rf"The End Zone is entered forward only, and {PLACE} is (\d+) steps ahead, not 4\.": (
        lambda a, target, needed: needed != "4"
    ),
    rf"From {PLACE} it is (\d+) steps to {PLACE}: {CARD} does not fit\.": (
        lambda a, source, needed, target, card: (
            a.holds(source)
            and a.steps(source, target) == int(needed)
            and target not in a.goes(card, source)
        )
    ),
    rf"A pawn on {PLACE} bars the End Zone: none can be passed or landed on there\.": bars,
    r"In the End Zone pawns move forward only, and never out of it again\.": lambda a: (
        "e" in a.order
    ),
    r"In the End Zone no pawn can be passed or landed on\.": passed_in_end_zone,
    r"A jack swaps pawns on the ring only, none at Home or in the End Zone\.": lambda a: (
        "e" in a.order or "p" in a.order
    ),
    r"A jack does not swap two pawns of the same owner\.": same_owner,
    r"A 7 is written with its parts, as in 7 12-15 30-34\.": lambda a: True,
    rf"From {PLACE} to {PLACE} it is (\d+) steps forward, but only (\d) of the 7 are left\.": (
        steps_left
    ),
    rf"The parts before it take all of the 7, so the pawn on {PLACE} cannot go to {PLACE}\.": (
        seven_is_used_up
    ),
    rf"The part {PLACE} to {PLACE} cannot be made at its moment\.": lambda a, source, target: (
        a.first_part() is None or GAME.format(Seven((a.first_part(),))) not in a.legal()
    ),
    r"A 7 must be used in full: (\d) of its steps are left over\.": lambda a, left: (
        a.first_part() is None
        or sum(a.steps(*pair.split("-")) for pair in a.order.split()[1:]) == 7 - int(left)
    ),
    r"In this match a 7 must not leave (\d) steps unused here\.": lambda a, left: (
        a.state.options.seven_residual != "optional"
    ),
    r"In this match a joker may not bring the last pawn in\.": lambda a: (
        not a.state.options.joker_last_pawn and all_in_but(a, 1)
    ),
    r"All pawns are at Home: only an ace, a king or a joker brings one out\.": lambda a: (
        set(a.row) == {HOME} and not a.plays_of(a.card())
    ),
    r"A jack needs a pawn on the ring that you can move\.": lambda a: not in_the_ring(a),
    r"No pawn that you move can be swapped: it is fresh\.": lambda a: (
        bool(in_the_ring(a)) and all(in_the_ring(a)) and not a.state.options.jack_own_fresh
    ),
    r"There is no pawn of another player that could be swapped\.": lambda a: not a.plays_of("J"),
    r"The 7 steps cannot all be used\.": lambda a: not a.plays_of("7"),
    r"No pawn in the End Zone can move that far, and none is on the ring\.": lambda a: (
        not in_the_ring(a) and not a.plays_of(a.card())
    ),
    r"No legal play of this card is written like that\.": lambda a: bool(a.plays_of(a.card())),
    r"First choose the (cards?) you give away\.": lambda a, said: (
        a.state.stage == "exchange"
        and (said == "cards") == (len(receivers(a.state.seats, a.seat)) == 2)
    ),
    r"First choose whose pawns you move\.": lambda a: GAME.phase(a.state).name == "help",
    r"You have no pawn left to move\.": lambda a: (
        not helped_by(a.state.pawns, a.state.helping, a.seat)
    ),
    r"There is nothing to give now\.": lambda a: a.state.stage == "play",
    r"Cards to give: \d; .+?\.": lambda a: a.state.stage == "exchange",
    rf"You do not hold that card to give: {CARD}\.": lambda a, card: (
        a.state.stage == "exchange"
        and a.state.hands[a.seat].count("*" if card == "joker" else card)
        < a.order.upper().replace("JOKER", "*").split().count("*" if card == "joker" else card)
    ),
    r"You help one of the players across from you: seat (\d) or seat (\d)\.": lambda a, one, two: (
        {int(one) - 1, int(two) - 1} == set(across(a.state.seats, a.seat))
        and not any(complete(a.state.pawns[int(seat) - 1]) for seat in (one, two))
    ),
    r"Whom you help is not asked now\.": lambda a: GAME.phase(a.state).name != "help",
    r"Cards are discarded only when none can be played\.": lambda a: any(
        hasattr(move, "joker") for move in a.legal()
    ),
    r"Write which card you discard, as in discard 9\.": lambda a: all(
        re.fullmatch("discard .+", GAME.format(move)) for move in a.legal()
    ),
    r"The whole hand is discarded: write discard\.": lambda a: (
        [GAME.format(move) for move in a.legal()] == ["discard"]
    ),
}


def false_claims(asked: Asked, said: str) -> Iterator[str]:
    """What a refusal says that is not so, or that nobody here can check."""
    if re.search(r"\b[Aa]n? (8|A)\b(?! out)", said.split("Legal now")[0]):
        yield "an article that does not fit"
    if asked.owner != asked.seat and re.search(r"\b[Yy]our pawns?\b", said):
        yield "“your pawn”, where it is another player's"
    left = said
    for pattern, is_true in CLAIMS.items():
        found = re.search(pattern, left)
        if found is not None:
            left = left[: found.start()] + left[found.end() :]
            if not is_true(asked, *found.groups()):
                yield f"not true: {found.group()}"
    if left.strip():
        yield f"nobody checks: {left.strip()}"


# --- random tables and random orders ---


def random_table(lot: random.Random, seats: int, options: dict[str, Any]) -> DogState:
    """Pawns anywhere they can stand, and a hand of up to six cards each."""
    ring = ring_length(seats)
    free = lot.sample(range(ring), ring)
    fresh = [lot.random() < 0.4 for _ in range(seats)]
    starts = {start_of(owner) for owner in range(seats) if fresh[owner]}
    free = [field for field in free if field not in starts]
    # close together, so that there is something in the way
    around = lot.randrange(ring)
    free.sort(key=lambda field: min((field - around) % ring, 24) if lot.random() < 0.7 else 99)
    rows = []
    for owner in range(seats):
        row = [FRESH] if fresh[owner] else []
        inside = lot.sample(range(E1, E1 + 4), lot.choice([0, 0, 1, 2, 3, 3, 4]))
        row = (inside + row)[:4]
        while len(row) < 4:
            row.append(HOME if lot.random() < 0.4 else free.pop(0))
        rows.append(tuple(sorted(row)))
    made = table(seats=seats, turn=lot.randrange(seats), **options)
    if all(complete(rows[owner]) for owner in (made.turn, *across(seats, made.turn))):
        rows[made.turn] = (HOME, HOME, HOME, HOME)
    hands = tuple(tuple(sorted(lot.sample(DECK, lot.randint(2, 6)))) for _ in range(seats))
    exchange = lot.random() < 0.05
    return replace(made, pawns=tuple(rows), hands=hands, stage="exchange" if exchange else "play")


def random_order(lot: random.Random, state: DogState, seat: int) -> str:
    """An order that somebody might write: often a card in hand and a field with a pawn."""
    asked = Asked(state, seat, "")
    ring = asked.ring
    hand = state.hands[seat]
    card = lot.choice(hand) if lot.random() < 0.85 else lot.choice(CARDS)
    rank = lot.choice([one for one in CARDS if one != "*"]) if card == "*" else card
    written = ("*" if card == "*" else "") + rank
    own = [f"e{at - E1 + 1}" for at in asked.row if at >= E1]
    on_ring = [str(field) for field in asked.standing()]
    own += [field for field in on_ring if asked.holds(field)] * 2

    def source() -> str:
        few = lot.random()
        if own and few < 0.7:
            return lot.choice(own)
        return lot.choice(on_ring) if on_ring and few < 0.85 else some_place()

    def some_place() -> str:
        if lot.random() < 0.75:
            return str(lot.randrange(ring))
        return lot.choice(["e", "e", "p"]) + str(lot.randint(1, 4))

    def target(start: str) -> str:
        if lot.random() < 0.3:
            return some_place()
        at = E1 if not start.isdigit() else int(start)
        ways = {"A": (1, 11), "J": (5,), "Q": (12,), "K": (13,), "4": (4, -4)}
        way = lot.choice(ways.get(rank, (int(rank) if rank.isdigit() else 1,)))
        if lot.random() < 0.3:
            way += lot.choice((-1, 1))
        return str((at + way) % ring) if start.isdigit() else f"e{lot.randint(1, 4)}"

    kind = lot.random()
    if kind < 0.05:
        return lot.choice(["discard", f"discard {lot.choice(CARDS)}", f"help {lot.randint(1, 7)}"])
    if kind < 0.08:
        return f"give {lot.choice(CARDS)} {lot.choice(hand)}"[: lot.choice([6, 99])].strip()
    if kind < 0.15:
        return f"{written} out"
    if kind < 0.2:
        return f"{written} {source()}" if lot.random() < 0.7 else written
    if rank == "J":
        return f"{written} {source()}x{lot.choice(on_ring) if on_ring else some_place()}"
    if rank == "7":
        starts = [source() for _ in range(lot.choice([1, 1, 2, 3]))]
        return f"{written} " + " ".join(
            f"{one}-{target_of_seven(lot, one, ring)}" for one in starts
        )
    start = source()
    return f"{written} {start}-{target(start)}"


def target_of_seven(lot: random.Random, start: str, ring: int) -> str:
    if not start.isdigit():
        return start[0] + str(lot.randint(1, 4))
    if lot.random() < 0.15:
        return f"{lot.choice('eep')}{lot.randint(1, 4)}"
    return str((int(start) + lot.choice([1, 2, 3, 4, 5, 6, 7, 7, 8, -4])) % ring)


def refusals(
    seats: int, options: dict[str, Any], number: int
) -> Iterator[tuple[Asked, IllegalMove]]:
    """Orders that are refused on random tables, each with its refusal."""
    lot = random.Random(f"{chance.SEED} reasons {seats} {options}")
    GAME.check_options(seats, DogOptions(**options))
    for _ in range(number):
        state = random_table(lot, seats, options)
        pending = GAME.phase(state).pending
        seat = min(pending)
        for _ in range(8):
            order = random_order(lot, state, seat)
            try:
                GAME.parse(state, seat, order)
            except IllegalMove as error:
                yield Asked(state, seat, order), error
            except (Ambiguous, Unreadable):
                continue


@pytest.mark.parametrize(("seats", "options"), FORMS)
def test_every_claim_of_a_refusal_is_true(seats: int, options: dict[str, Any]) -> None:
    """A player who is told why not can rely on it: fields, pawns, steps and orders."""
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    said = 0
    for asked, error in refusals(seats, options, 250):
        text = str(error)
        said += 1
        for claim in false_claims(asked, text):
            kind = re.sub(r"\d+|\b[ep]\d\b", "#", claim)[:60]
            found[kind] += 1
            first.setdefault(kind, f"{asked.order!r} of seat {asked.seat}: {text}\n  {claim}")

    assert said > 500
    assert not found, f"{found.total()} of {said}: " + "\n".join(
        f"{found[kind]} times: {first[kind]}" for kind in found
    )


@pytest.mark.parametrize(("seats", "options"), FORMS)
def test_every_refusal_names_a_rule_of_its_match(seats: int, options: dict[str, Any]) -> None:
    """So that it can be a link: Odd Dog has no rule of partners, and three help nobody."""
    book = GAME.rulebook(seats, DogOptions(**options), GAME.meta.rules_version)
    told = {one for chapter in book for rule in chapter.rules for one in rule.ids}

    named = {error.rule for _, error in refusals(seats, options, 250)}

    assert len(named) > 10
    assert named <= told


@pytest.mark.parametrize(
    ("made", "order", "said"),
    [
        # a fresh pawn on 16 is in the way of four fields forward, not of four backward
        (table({0: (14,), 1: ("fresh",)}, {0: "4"}), "4 14-19", "on 14 goes to 10, not to 19"),
        # the End Zone is among the places where it goes
        (table({0: (62,)}, {0: "4"}), "4 62-5", "goes to 2 / e2 / 58, not to 5"),
        (table({0: (30,)}, {0: "7"}), "7 17-13", "There is no pawn on 17."),
        (table({0: (30,)}, {0: "8"}), "8 out", "brings a pawn out: 8 does not."),
        (
            table({0: ("e1", "e2", "e3", "e4")}, {0: "5"}, seats=5),
            "help 2",
            "across from you: seat 3 or seat 4.",
        ),
    ],
)
def test_a_refusal_tells_the_obstacle_and_all_ways_there_are(
    made: DogState, order: str, said: str
) -> None:
    """DOG-24, DOG-33, DOG-50, DOG-29, ODD5-9: found by people who wrote these orders."""
    with pytest.raises(IllegalMove) as error:
        GAME.parse(made, 0, order)

    assert said in str(error.value)


def test_a_discard_without_a_card_is_refused_where_one_card_is_discarded() -> None:
    """DOG-19, with one card: a record may hold the move of the whole hand."""
    made = table(hands={0: "5 9"}, discard="one")

    with pytest.raises(IllegalMove, match=r"^Write which card you discard, as in discard 9\."):
        GAME.check(made, 0, Discard(None))


@pytest.mark.parametrize(
    ("order", "rule", "sentence"),
    [
        ("7 60-e3", "DOG-41", "A pawn on e2 bars the End Zone"),
        ("7 30-33 e2-e4 60-e1", "DOG-50", "From 60 to e1 it is 5 steps forward, but only 2"),
        ("7 30-33 60-e1", "DOG-50", "From 60 to e1 it is 5 steps forward, but only 4"),
        ("7 30-37 12-13", "DOG-50", "The parts before it take all of the 7, so the pawn on 12"),
        ("7 e2-e1", "DOG-41", "In the End Zone pawns move forward only"),
        ("7 30-31 e2-5", "DOG-41", "In the End Zone pawns move forward only"),
        ("7 60-62 12-17", "DOG-33", "The pawn on 16 is fresh: nobody may move past it."),
        ("7 60-63 12-16", "DOG-34", "The pawn on 16 is fresh: no move may end on its field."),
    ],
)
def test_a_part_of_a_seven_is_told_what_is_in_its_way(order: str, rule: str, sentence: str) -> None:
    """DOG-51: on the table that it meets, whichever part it is."""
    state = table({0: (12, 30, 60, "e2"), 1: ("fresh",)}, {0: "7"})

    with pytest.raises(IllegalMove) as error:
        GAME.parse(state, 0, order)

    assert error.value.rule == rule
    assert sentence in str(error.value)


def test_a_pawn_that_is_still_fresh_does_not_go_in_after_another_part() -> None:
    """DOG-39: as the first part of a seven it was told so already."""
    state = table({0: ("fresh", 30)}, {0: "7"})

    with pytest.raises(IllegalMove, match="The pawn on 0 is fresh: it must first move") as error:
        GAME.parse(state, 0, "7 30-35 0-e2")

    assert error.value.rule == "DOG-39"


@pytest.mark.parametrize(
    ("order", "rule", "sentence"),
    [
        ("5 12", "DOG-33", "The pawn on 16 is fresh: nobody may move past it."),
        ("*5 12", "DOG-33", "The pawn on 16 is fresh: nobody may move past it."),
        ("7 12", "DOG-33", "The pawn on 16 is fresh: nobody may move past it."),
        ("5 e2", "DOG-24", "The pawn on e2 cannot make the full way of 5."),
        ("J e2", "DOG-43", "A jack swaps pawns on the ring only"),
        ("J 0", "DOG-35", "The pawn on 0 is fresh and cannot be swapped."),
        ("* out", "DOG-34", "A fresh pawn stands on the Start field 0"),
    ],
)
def test_an_order_that_leaves_something_out_is_told_what_is_in_its_way(
    order: str, rule: str, sentence: str
) -> None:
    """DOG-18: as one that leaves nothing out."""
    state = table({0: ("fresh", 12, "e2"), 1: ("fresh",), 2: (8, 50)}, {0: "5 7 J *"})

    with pytest.raises(IllegalMove) as error:
        GAME.parse(state, 0, order)

    assert error.value.rule == rule
    assert sentence in str(error.value)
