"""What a page may ask before an order is confirmed."""

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import GAME
from engine.games.skirmish.ground.terrain import Building, Opening, Wall
from engine.games.skirmish.moves import Travel
from engine.games.skirmish.notation import read, write
from engine.games.skirmish.orders import sampling
from engine.games.skirmish.shown.planning import Desk
from engine.games.skirmish.state import Wounds
from tests.engine.games.skirmish.world import after, change, play_on, refused, world

HOUSE = Building(
    "house",
    (18_000, 11_000, 24_000, 17_000),
    2,
    "stone",
    (Opening("south", 3000, "door"), Opening("south", 3000, "window", 1)),
    stairs=(23_000, 16_000),
)
LOW = Wall("low", (10_000, 15_000, 30_000, 15_300), 500, "stone")


def tables():
    """Tables with something of everything in them."""
    plain = world([(20, 10), (22, 10)], [(20, 18), (24, 30), (28, 12)], features=[LOW])
    yield plain
    yield world([(20, 10)], [(20, 18)], features=[HOUSE])
    yield world([(20, 10), (21.5, 10)], [(21, 11), (40, 40)], things=("1: claymore", ""))
    yield world([(20, 10)], [(20, 17), (20, 30)], scenario="night-raid", things=("1: nvg", ""))
    yield world([(20, 10)], [(20, 30)], lists=("militia", "marines"))
    yield change(plain, "alpha-1", prone=True)
    yield change(plain, "alpha-1", wounds=Wounds(untreated=True, bleeding=True))
    yield change(plain, "alpha-1", gait="ran", ap=4)
    yield change(plain, "bravo-1", condition="unconscious", prone=True)
    yield change(plain, "alpha-2", x=20_000, y=13_000)


def by_the_rules(state, move):
    """Why the rules refuse a move, or None."""
    try:
        GAME.check(state, 0, move)
    except IllegalMove as error:
        return error.sentence
    return None


def test_a_desk_takes_and_refuses_what_the_rules_do_and_says_the_same_cost():
    checked = 0
    for state in tables():
        play, desk = play_on(state), Desk(GAME.view(state, 0))
        for model in [m for m in state.models if m.seat == 0]:
            for move in sampling.candidates(play, model):
                refusal = by_the_rules(state, move)
                assert desk.refusal(move) == refusal, write(move)
                if refusal is None:
                    told = desk.foretell(move)
                    done = after(state, write(move)).model(model.name)
                    assert not done.fit or told.left >= done.ap
                checked += 1

    assert checked > 300


def test_what_a_shot_would_take_and_how_likely_it_hits_is_foretold():
    """SKR-69, 75."""
    state = change(world([(20, 10)], [(20, 30)]), "alpha-1", gait="walked")

    told = GAME.foretell(GAME.view(state, 0), read("alpha-1 fire bravo-1 with m16a2 single aimed"))

    assert (told.ap, told.left, told.dice) == (4, 6, 1)
    assert told.chance.modifiers == (("aimed", 1), ("moved", -2))
    assert told.chance.percent == 50


def test_a_throw_is_foretold_too():
    """SKR-109."""
    state = world([(20, 10)], [(20, 30)])

    told = GAME.foretell(GAME.view(state, 0), read("alpha-1 throw m67 at 20,18"))

    assert (told.ap, told.left) == (3, 7)
    assert told.chance.need == 6


def test_nothing_is_foretold_of_an_order_that_does_not_stand():
    state = world([(20, 10)], [(20, 30)])
    seen = GAME.view(state, 0)

    assert GAME.foretell(seen, read("alpha-1 throw m67 at 20,40")) is not None
    assert GAME.foretell(seen, read("alpha-1 fire bravo-9 with m16a2 single")) is None
    assert GAME.foretell(seen, read("alpha end")) is None
    assert GAME.foretell(GAME.view(state, 1), read("bravo-1 face 10")) is None


def test_stairs_walls_and_windows_that_can_be_climbed_are_found_with_their_cost():
    """SKR-33: 2 AP an inch outside, begun inches by the stairs."""
    state = world([(20, 10), (22.5, 15.5)], features=[HOUSE])
    desk = Desk(GAME.view(state, 0))

    outside, inside = desk.climbs("alpha-1"), desk.climbs("alpha-2")

    assert "house-1" in {climb.floor for climb in inside}
    for name, found in (("alpha-1", outside), ("alpha-2", inside)):
        for climb in found:
            done = after(state, write(climb.move))
            assert done.model(name).ap == 10 - climb.ap
            assert done.model(name).floor == climb.floor


def test_a_low_wall_can_be_climbed_over():
    """SKR-33."""
    state = world([(20, 14)], features=[LOW])

    over = [climb for climb in Desk(GAME.view(state, 0)).climbs("alpha-1") if climb.at[1] > 15_300]

    assert over
    assert all(climb.floor == "ground" for climb in over)


def test_who_lies_down_can_only_crawl_and_its_cost_is_told():
    """SKR-28: 2 AP an inch."""
    state = change(world([(20, 10)]), "alpha-1", prone=True)

    ways = Desk(GAME.view(state, 0)).ways("alpha-1")

    assert ways
    assert all(way.walk is None and way.run is None for way in ways)
    way = max(ways, key=lambda way: way.crawl)
    crawled = after(state, write(Travel("alpha-1", "crawl", way.path))).model("alpha-1")
    assert crawled.ap == 10 - way.crawl


def test_a_shot_that_is_barred_says_why():
    """SKR-64: an enemy within 10" comes first."""
    state = world([(20, 10)], [(20, 16), (26, 30)])

    shots = Desk(GAME.view(state, 0)).shots("alpha-1")

    far = [s for s in shots if s.move.target == "bravo-2" and s.move.weapon == "m16a2"]
    told = refused(state, "alpha-1 fire bravo-2 with m16a2 single")
    assert [shot.refusal for shot in far if not shot.move.aimed] == [told.sentence] * 2
    assert any(shot.refusal is None for shot in shots if shot.move.target == "bravo-1")


def test_what_a_throw_takes_in_and_how_far_it_may_stray_is_foretold():
    """SKR-102, 113: an M67 has three rings; a near miss comes down half a D6 away, rounded up."""
    state = world([(20, 10), (22, 20)], [(20, 19), (30, 30)])
    desk = Desk(GAME.view(state, 0))

    near = desk.foretell(read("alpha-1 throw m67 at bravo-1")).area
    far = desk.foretell(read("alpha-1 throw m67 at 20,24")).area

    assert (near.radius, near.scatter, near.within) == (3000, 3000, ("bravo-1", "alpha-2"))
    assert far.scatter == 6000


def test_of_those_in_a_blast_only_whom_the_seat_knows_is_named():
    state = world(
        [(20, 10)],
        [(20, 19)],
        features=[Wall("w", (10_000, 15_000, 30_000, 15_300), 3000, "stone")],
    )

    area = Desk(GAME.view(state, 0)).foretell(read("alpha-1 throw m67 at 20,19")).area

    assert area.within == ()


def test_marks_are_orders_that_stand_and_reach():
    state = world([(28, 4)], [(8, 20), (20, 40)], features=[HOUSE], scenario="hold")

    marks = Desk(GAME.view(state, 0)).marks("alpha-1")

    assert all(by_the_rules(state, mark.move) is None for mark in marks)
    orders = {write(mark.move) for mark in marks}
    assert "alpha-1 fire building house level 1 with m203 single" in orders
    assert "alpha-1 fire 24,24 with m203 single" in orders
    assert not [order for order in orders if "m67 at bravo-2" in order]


def test_an_order_that_costs_nothing_is_refused_when_so_many_were_given():
    """SKR-7."""
    state = world([(20, 10)], [(20, 30)])
    spent = replace(state, active=replace(state.active, free_orders=4))

    told = refused(spent, "alpha-1 face 90")

    assert Desk(GAME.view(state, 0)).refusal(read("alpha-1 face 90")) is None
    assert Desk(GAME.view(spent, 0)).refusal(read("alpha-1 face 90")) == told.sentence


def test_the_sector_of_an_order_to_wait_is_foretold_as_far_as_the_weapon_carries():
    """SKR-45."""
    state = world([(20, 10)], [(20, 30)])

    told = GAME.foretell(GAME.view(state, 0), read("alpha-1 opfire with m16a2 single arc 350-10"))

    assert told.sector[0] == (20_000, 10_000)
    assert max(y for _, y in told.sector) > 40_000
    assert all(abs(x - 20_000) <= 0.2 * (y - 10_000) for x, y in told.sector)
