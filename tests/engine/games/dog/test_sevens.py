"""The listed sevens against a slow, plain reading of the rules: step by step, every sequence."""

import pytest

from engine.chooser import Chooser
from engine.games.dog.board import E1, E4, FRESH, HOME, complete, start_of
from engine.games.dog.meta import DogOptions
from engine.games.dog.moves import Seven
from engine.games.dog.rules import Table, carry_out, problem
from engine.games.dog.sevens import list_sevens
from tests.engine.games.dog.tables import row


class Oracle:
    """All effects of a seven, by trying every sequence of parts with single steps."""

    def __init__(self, table):
        self.table, self.options = table, table.options
        self.ring = 16 * table.seats
        self.odd = table.seats % 2 == 1
        self.mate = None if self.odd else (table.owner + table.seats // 2) % table.seats
        self.effects = set()
        pawns = [(owner, spot) for owner, spots in enumerate(table.pawns) for spot in spots]
        self.explore(pawns, 7, None, frozenset(), started=False)

    def all_in(self, pawns, owner):
        return all(spot >= E1 for who, spot in pawns if who == owner)

    def explore(self, pawns, left, last, moved, started):
        """``last`` is the pawn of the part before; ``moved`` all that had a part."""
        if started and (left == 0 or self.may_lapse(pawns)):
            rows = [sorted(s for who, s in pawns if who == o) for o in range(self.table.seats)]
            self.effects.add(tuple(map(tuple, rows)))
        for index, (owner, _) in enumerate(pawns):
            if index == last or (self.odd and index in moved) or not self.movable(pawns, owner):
                continue
            for steps in range(1, left + 1):
                for enter in (False, True):
                    after = self.part(pawns, index, steps, enter)
                    if after is not None:
                        self.explore(after, left - steps, index, moved | {index}, True)

    def movable(self, pawns, owner):
        if owner == self.table.owner:
            return True
        if owner != self.mate:
            return False
        if self.options.canadian_seven:
            return True
        return self.options.seven_residual != "illegal" and self.all_in(pawns, self.table.owner)

    def may_lapse(self, pawns):
        if self.options.seven_residual == "illegal" or not self.all_in(pawns, self.table.owner):
            return False
        if self.options.seven_residual == "optional":
            return True
        return self.mate is not None and self.all_in(pawns, self.mate)

    def part(self, pawns, index, steps, enter):
        """The pawns after one part, or None; ``enter`` asks for the End Zone at the Start."""
        owner, spot = pawns[index]
        pawns, entered = list(pawns), spot >= E1
        if spot == HOME or (entered and enter):
            return None
        for step in range(1, steps + 1):
            if spot >= E1:
                spot += 1
            elif enter and spot == start_of(owner):
                spot, entered = E1, True
            else:
                spot = ((start_of(owner) if spot == FRESH else spot) + 1) % self.ring
            if spot > E4 or (spot >= E1 and (owner, spot) in pawns):
                return None
            if spot < FRESH and not self.step_on(pawns, owner, spot, final=step == steps):
                return None
        pawns[index] = (owner, spot)
        return None if enter and not entered else pawns

    def step_on(self, pawns, owner, field, final):
        """Sends home whom a step onto a field sends home; False where a fresh pawn stands."""
        for index, (who, spot) in enumerate(pawns):
            if spot == FRESH and start_of(who) == field:
                return False
            if spot != field:
                continue
            overtaken = not self.odd and (who != owner or self.options.seven_burns_own)
            if final or overtaken:
                pawns[index] = (who, HOME)
        return True


def random_table(chooser):
    """A crowded table: pawns within a few fields, near Starts, in End Zones, some fresh."""
    seats = (4, 5, 3, 6)[chooser.below(4)]
    options = {}
    if seats % 2 == 0:
        options["canadian_seven"] = chooser.below(3) == 0
        options["seven_burns_own"] = chooser.below(3) == 0
    residual = ("optional", "optional", "illegal", "exact")[chooser.below(4 - seats % 2)]
    base, taken, rows = chooser.below(16 * seats), set(), []
    for owner in range(seats):
        spots = []
        for _ in range(4):
            kind = chooser.below(10)
            field = (base + chooser.below(14)) % (16 * seats)
            if kind == 9:
                field = (start_of(owner) - chooser.below(5)) % (16 * seats)
            if kind in (7, 8):
                spot = E1 + chooser.below(4)
                spots.append(HOME if spot in spots else spot)
            elif kind < 4 or field in taken:
                spots.append(HOME)
            else:
                taken.add(field)
                spots.append(field)
        if HOME in spots and start_of(owner) not in taken and chooser.below(3) == 0:
            spots[spots.index(HOME)] = FRESH
            taken.add(start_of(owner))
        rows.append(tuple(sorted(spots)))
    return Table(tuple(rows), DogOptions(seven_residual=residual, **options), 0, 0)


def small(table):
    """Whether the oracle is quick enough for this table."""
    movers = [spot for spot in table.pawns[0] if spot != HOME]
    if sum(spot >= E1 for spot in movers) == 3:
        return not complete(table.pawns[0])
    if table.options.canadian_seven:
        movers += [spot for spot in table.pawns[table.seats // 2] if spot != HOME]
    return 0 < len(movers) <= 3 and not complete(table.pawns[0])


def listed_effects(table):
    return [carry_out(table, Seven(parts)).pawns for parts in list_sevens(problem(table, False))]


@pytest.mark.parametrize("seed", range(6))
def test_the_listed_sevens_are_all_effects_there_are_and_each_once(seed):
    """DOG-50 to DOG-59, ODD5-12, ODD5-13: complete and without duplicates, on crowded tables."""
    chooser = Chooser(f"sevens {seed}")
    tables = [table for table in (random_table(chooser) for _ in range(120)) if small(table)]

    assert len(tables) > 30
    for table in tables:
        listed = listed_effects(table)
        assert len(set(listed)) == len(listed), table
        assert set(listed) == Oracle(table).effects, table


def table_of(rows, **options):
    return Table(tuple(row(names) for names in rows), DogOptions(**options), 0, 0)


@pytest.mark.parametrize(
    "table",
    [
        # A pawn on its own Start once found a fifth field in the End Zone.
        table_of([(0, 19), (20, 25), (28,)]),
        # A pawn that strikes its neighbour and goes on after a part of one far away.
        table_of([(10, 13, 40), (), (), ()]),
        # The last pawn in, and the partner's pawns behind one another.
        table_of([("e2", "e3", "e4", 63), (36,), (33, 35, "e3"), ()]),
        # The partner's pawns that the last pawn overtook on its way in do not move on.
        table_of([("e2", "e3", "e4", 61), (63,), (62, 40, 50), (42,)]),
        table_of([("e2", "e3", "e4", 61), (63,), (62, 40, 50), (42,)], seven_residual="exact"),
        # Both partners nearly complete, every step counts.
        table_of([("e1", "e2", "e3", 62), (), ("e1", "e2", "e4", 31), ()], seven_residual="exact"),
        # Two places where a pawn can move and then be overtaken: steps are wasted at either.
        table_of([(13, 25), (17, 21), (15, 24), ()], canadian_seven=True),
        # Two pairs far apart, of partners: in each one pawn can strike the other and go on.
        table_of([(10, 13), (), (40, 43), ()], canadian_seven=True),
        table_of([(10, 13, 30), (12,), (42,), (31,)], canadian_seven=True),
        # Four pawns out, all near one another.
        table_of([("fresh", 62, 60, 58), (61,), (1,), (3,)]),
        # Odd Dog, two pairs of which one can strike the other.
        table_of([(13, 14, 30, 31), (), (), (), ()]),
    ],
)
def test_sevens_that_were_once_wrong_or_are_easily_got_wrong(table):
    """DOG-51, DOG-55, DOG-58"""
    listed = listed_effects(table)

    assert len(set(listed)) == len(listed)
    assert set(listed) == Oracle(table).effects
