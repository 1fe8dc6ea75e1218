"""What a turn takes of a reserve or bank: the time in which its player could have moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

import pytest

from pbem.acts import absence, deliverability, vacations
from pbem.acts.writing import read, writing
from pbem.clocks.away import Away
from pbem.clocks.deadlines import Span
from pbem.errors import NotPossible
from pbem.store.models import Link, Match, Outage, Seat, Turn
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.parts.cast import START, House
from tests.parts.chance import SEED

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
#: The house's clock stands at noon of Tuesday, 2 June 2026.
TODAY = date(2026, 6, 2)
CLOCKS = {
    "turn": {"kind": "turn", "turn": "24h", "reserve": "60d", "vacation_days": 40},
    "bank": {"kind": "bank", "turn": "24h", "reserve": "60d", "cap": "90d", "vacation_days": 40},
}
KINDS = pytest.mark.parametrize("kind", CLOCKS)


def days(number: float) -> timedelta:
    return timedelta(days=number)


@dataclass
class Player:
    """One seat of a match, what happens to its first turn, and what that takes.

    Days are counted from the opening of the turn, at noon.
    """

    house: House
    kind: str
    clock: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.house.clock.set(START)
        self.match: Match = self.house.running(clock=CLOCKS[self.kind] | self.clock)
        self.seat = self.house.waiting(self.match)[0]
        self.had = self.row.reserve

    @property
    def row(self) -> Seat:
        return self.house.seat(self.match, self.seat)

    @property
    def turn(self) -> Turn:
        return self.house.turn(self.match, self.seat)

    @property
    def link(self) -> Link:
        return self.house.link(self.match, Purpose.SEAT, self.seat)

    def at(self, day: float) -> None:
        """It is this day; the workers have done what was due."""
        self.house.clock.set(START + days(day))
        self.house.work()

    def away(self, first: int, last: int) -> vacations.Vacation:
        """Announces a vacation, of the dates so many days after the first one."""
        announced = TODAY + days(first), TODAY + days(last)
        return vacations.announce(self.house.service, self.link, *announced)

    def back(self) -> vacations.Vacation:
        return vacations.take_back(self.house.service, self.link)

    def pause(self, length: float = 60) -> None:
        hours = round(length * 24)
        remedies.pause(self.house.service, self.match.id, f"{hours}h", actor="host")

    def resume(self) -> None:
        absence.resume(self.house.service, self.match.id, actor=Actor.HOST)

    def unreached(self) -> None:
        """Mail to the seat is refused."""
        email = self.row.email
        assert email is not None
        deliverability.mail_refused(
            self.house.service, self.match.id, self.seat, email, "no such user"
        )

    def reached(self) -> None:
        """Mail to the seat is tried anew."""
        table, now = read(self.house.service, self.match.id)
        with writing(self.house.service, table, "test", Actor.OPERATOR, now) as write:
            deliverability.try_mail_anew(write, table.seat(self.seat))

    def down(self, begun: float, ended: float) -> None:
        """The service was down, and the first sweep afterwards noticed it."""
        with self.house.service.database.write("test") as session:
            session.add(Outage(begun_at=START + days(begun), ended_at=START + days(ended)))
        self.at(ended)

    def spent(self) -> float:
        """The days that the turn takes when its player moves now."""
        had, added = self.row.reserve, 24 * 3600 if self.kind == "bank" else 0
        self.house.play(self.match, self.seat)
        return (had + added - self.row.reserve) / 86400


#: What happens, each as (day, what, ...), and the days that are not charged.
HAPPENED: dict[str, tuple[list[tuple[float, str, *tuple[float, ...]]], float]] = {
    "nothing": ([], 0),
    "a vacation": ([(0, "away", 3, 6)], 4),
    "a vacation, then one later in the month": (
        [(0, "away", 3, 6), (8, "away", 25, 25)],
        4,
    ),
    "a vacation, then one that is taken back at once": (
        [(0, "away", 3, 6), (8, "away", 80, 80), (8, "back")],
        4,
    ),
    "two vacations": ([(0, "away", 3, 6), (8, "away", 10, 12)], 7),
    "three vacations": (
        [(0, "away", 3, 4), (6, "away", 8, 9), (11, "away", 13, 14)],
        6,
    ),
    "a vacation, then a pause": ([(0, "away", 3, 6), (8, "pause"), (18, "resume")], 14),
    "a pause, then a vacation": ([(2, "pause"), (6, "resume"), (7, "away", 9, 11)], 7),
    "a vacation in a pause": ([(2, "pause"), (3, "away", 5, 7), (12, "resume")], 10),
    "a pause that ends in a vacation": (
        [(0, "away", 6, 9), (4, "pause"), (8, "resume")],
        5.5,
    ),
    "a pause that begins in a vacation": (
        [(0, "away", 6, 9), (8, "pause"), (12, "resume")],
        6.5,
    ),
    "a pause, and the days away that had begun before": (
        [(4, "pause"), (6.25, "resume"), (6.25, "away", 6, 7)],
        3.5,
    ),
    "a vacation, then an outage": ([(0, "away", 3, 6), (8, "down", 8, 12)], 8),
    "an outage, then a vacation": ([(3, "down", 3, 5), (6, "away", 8, 9)], 4),
    "an outage in a vacation": ([(0, "away", 3, 8), (4, "down", 4, 5)], 6),
    "an outage in a pause": ([(4, "pause"), (5, "down", 5, 8), (9, "resume")], 5),
    "an outage that ends in a pause": ([(4, "down", 4, 6), (6, "pause"), (9, "resume")], 5),
    "a vacation, then mail that is refused": (
        [(0, "away", 3, 6), (8, "unreached"), (11, "reached")],
        7,
    ),
    "mail that is refused in a vacation, and after it": (
        [(0, "away", 3, 6), (5, "unreached"), (9, "reached")],
        6.5,
    ),
    "mail that is refused until the end": ([(0, "away", 3, 6), (10, "unreached")], 9),
    "a pause before the deadline": ([(0.5, "pause"), (3, "resume")], 2.5),
    "an outage before the deadline": ([(0.5, "down", 0.5, 3)], 2.5),
    "a pause before the deadline, and one after it": (
        [(0.5, "pause"), (3, "resume"), (6, "pause"), (8, "resume")],
        4.5,
    ),
}
#: The day of the move, if nothing happens as late.
CLOSED = 15.0


def happens(player: Player, steps: Sequence[tuple[float, str, *tuple[float, ...]]]) -> None:
    for day, what, *how in steps:
        player.at(day)
        getattr(player, what)(*how)


@KINDS
@pytest.mark.parametrize("what", HAPPENED)
def test_time_in_which_a_player_could_not_move_is_not_charged(house, kind, what):
    player = Player(house, kind)
    steps, not_charged = HAPPENED[what]
    happens(player, steps)
    closed = max([CLOSED, *(day + 2 for day, *_ in steps)])
    player.at(closed)

    spent = player.spent()

    assert spent == pytest.approx(closed - not_charged - (kind == "turn"), abs=1e-4)


def who_goes_on_in_one_turn(house: House) -> tuple[Player, float]:
    """Who gave the last card away and then begins, and what that decision took of the bank.

    Their deadline had been moved a month away.
    """
    while True:
        player = Player(house, "bank", {"reserve": "10d"})
        player.seat = house.table(player.match).state.starter
        for other in set(house.waiting(player.match)) - {player.seat}:
            house.play(player.match, other)
            house.work()
        remedies.extend(house.service, player.match.id, player.seat, "30d", actor="host")
        player.at(4)
        turn, took = player.turn.id, player.spent()
        house.work()
        if turn in {one.id for one in house.table(player.match).open_turns.values()}:
            return player, took
        # no card of theirs could be played


def test_what_one_decision_took_of_a_bank_the_next_one_of_the_turn_does_not_take_again(house):
    player, first = who_goes_on_in_one_turn(house)
    player.at(5)

    assert (first, player.spent()) == pytest.approx((4, 1), abs=1e-4)


@pytest.mark.parametrize(("kind", "start"), [("bank", "charged_from"), ("turn", "due_at")])
def test_a_turn_of_an_older_version_is_charged_from_where_a_pause_had_moved_the_start(
    house, kind, start
):
    """The older version kept no spans; a pause of two days had moved the start."""
    player = Player(house, kind)
    player.at(5)
    table, now = read(house.service, player.match.id)
    with writing(house.service, table, "test", Actor.OPERATOR, now) as write:
        write.turn(player.turn, **{start: START + days(3)}, not_charged_json=None)
    player.pause()
    player.at(6)
    player.resume()
    player.at(8)

    assert player.spent() == pytest.approx(4, abs=1e-4)


def test_a_turn_that_is_closed_keeps_nothing_of_when_its_player_was_away(house):
    player = Player(house, "turn")
    player.away(3, 4)
    player.at(6)
    player.away(8, 8)
    turn = player.turn
    assert turn.not_charged_json is not None

    player.spent()

    with house.service.database.read() as session:
        closed = session.get(Turn, turn.id)
    assert closed is not None
    assert closed.closed_at is not None
    assert closed.not_charged_json is None


# --- the same, whatever comes together ---


class Model:
    """A player to whom things happen, and by the plainest way what that takes: hour by hour."""

    def __init__(self, player: Player, chance: Random, *, outages: bool) -> None:
        self.player, self.chance = player, chance
        self.kinds = ["is_away", "is_back", "pause", "mail", *(["is_down"] if outages else [])]
        # a reserve is charged from the deadline, and what happens before that moves it; days away
        # begin at a midnight
        self.start, self.day = (1.0, 1.5) if player.kind == "turn" else (0.0, 0.0)
        self.down: list[Span] = []
        self.held: list[Span] = []
        self.holds: dict[str, float] = {}
        self.vacations: list[Away] = []
        #: Days that were taken back: an end that they moved stays there.
        self.taken_back = 0

    def goes_on(self) -> None:
        self.day += self.chance.randint(1, 60) / 24
        self.player.at(self.day)

    def happens(self) -> None:
        self.goes_on()
        what = self.chance.choice(self.kinds)
        # a seat whose mail is refused for two weeks gets a bot
        getattr(self, "mail" if self.day - self.holds.get("mail", self.day) > 3 else what)()

    def is_away(self) -> None:
        first = int(self.day + 0.5) + self.chance.choice([0, 1, 2, 4, 150])
        try:
            said = self.player.away(first, first + self.chance.randint(0, 4))
        except NotPossible:
            return
        assert said.away is not None
        self.vacations.append(said.away)

    def is_back(self) -> None:
        try:
            said = self.player.back()
        except NotPossible:
            return
        self.taken_back += said.back
        if said.back:
            self.vacations[-1:] = [] if said.away is None else [said.away]

    def is_down(self) -> None:
        begun = self.day
        self.day += self.chance.randint(1, 60) / 24
        self.player.down(begun, self.day)
        self.down.append((START + days(begun), START + days(self.day)))

    def pause(self) -> None:
        self._hold("pause", self.player.pause, self.player.resume)

    def mail(self) -> None:
        self._hold("mail", self.player.unreached, self.player.reached)

    def _hold(self, why: str, begin: Callable[[], None], end: Callable[[], None]) -> None:
        if why not in self.holds:
            self.holds[why] = self.day
            begin()
        else:
            self.held.append((START + days(self.holds.pop(why)), START + days(self.day)))
            end()

    def charged(self) -> int:
        """The hours in which the player could have moved."""
        now = START + days(self.day)
        holds = [(START + days(since), now) for since in self.holds.values()]
        spans = [*self.down, *self.held, *holds, *(gone.span for gone in self.vacations)]
        hours = (START + days(self.start) + number * HOUR for number in range(100 * 24))
        return sum(
            hour < now and not any(begun <= hour < ended for begun, ended in spans)
            for hour in hours
        )


@KINDS
@pytest.mark.parametrize("number", range(12))
def test_each_hour_is_charged_or_not_whatever_comes_together(house, kind, number):
    player = Player(house, kind)
    # every third without an outage: then the end of the turn is known, too
    model = Model(player, Random(f"{SEED} {number}"), outages=number % 3 > 0)
    for _ in range(14):
        model.happens()
    model.goes_on()
    turn, now = player.turn, house.clock.now()

    charged = model.charged()

    assert kind == "bank" or turn.due_at == START + days(1)
    # an outage is credited when the turn is next due
    if turn.held_at is None and not model.down:
        left = player.had * SECOND - charged * HOUR
        to_come = sum((gone.ends - now for gone in model.vacations if gone.ends > now), days(0))
        # a vacation of today moves the end by the whole day, and one that is taken back does not
        most = to_come + days(len(model.vacations) + model.taken_back) + HOUR
        assert left <= turn.final_at - now <= left + most
    assert player.spent() * 24 == pytest.approx(charged, abs=1e-2)
