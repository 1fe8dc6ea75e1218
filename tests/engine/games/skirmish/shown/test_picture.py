"""Where things stand in the drawing."""

import math

from engine.games.skirmish import GAME
from engine.games.skirmish.ground.terrain import Building
from engine.games.skirmish.moves import OpFire
from tests.engine.games.skirmish.world import change, world

HOUSE = Building("house", (18_000, 20_000, 24_000, 26_000), 2, "stone", (), stairs=(23_000, 25_000))
SHED = Building("shed", (30_000, 20_000, 34_000, 24_000), 1, "wood", ())


def picture(state):
    return GAME.drawing(GAME.view(state, 0))


def test_signs_of_models_side_by_side_do_not_lie_on_each_other():
    places = [(20, 10), (21, 10), (22, 10), (21, 11)]
    state = world(places, [(22, 11)])

    moved = picture(state).moved

    signs = [(m.x + moved[m.name][0], m.y + moved[m.name][1]) for m in state.models[:5]]
    gaps = [math.dist(a, b) for n, a in enumerate(signs) for b in signs[n + 1 :]]
    assert min(gaps) > 1400
    assert all(math.hypot(*shift) <= 2600 for shift in moved.values())


def test_a_sign_with_room_stays_where_its_model_is():
    assert picture(world([(20, 10), (25, 10)])).moved["alpha-1"] == (0, 0)


def test_upper_floors_have_plans_and_roofs_only_where_they_matter():
    far = picture(world([(4, 4)], features=[HOUSE, SHED]))
    near = picture(world([(29, 22)], features=[HOUSE, SHED]))
    upstairs = picture(
        change(
            world([(4, 4)], features=[HOUSE, SHED]), "alpha-1", x=20_000, y=22_000, floor="house-2"
        )
    )

    assert [floor.name for floor in far.floors] == ["house-1"]
    assert [floor.name for floor in near.floors] == ["house-1", "shed-1"]
    assert [floor.name for floor in upstairs.floors] == ["house-1", "house-2"]
    assert upstairs.floors[1].roof
    assert far.below > 6000


def test_the_plans_of_floors_do_not_lie_on_each_other():
    houses = [
        Building(f"house{n}", (4000 + 9000 * n, 20_000, 11_000 + 9000 * n, 26_000), 3, "stone", ())
        for n in range(4)
    ]
    found = picture(world([(4, 4)], features=houses))

    boxes = []
    for floor in found.floors:
        west, south, east, north = floor.rect
        dx, dy = floor.shift
        boxes.append((west + dx, south + dy, east + dx, north + dy))
    assert len(boxes) == 8
    for n, a in enumerate(boxes):
        assert a[0] >= 0
        assert a[2] <= 48_000
        assert -found.below <= a[1] < a[3] <= 0
        for b in boxes[n + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_the_sector_of_a_waiting_model_lies_ahead_of_him():
    """SKR-45, 53."""
    watch = OpFire("alpha-1", "m16a2", "single", (300, 60), 10_000)
    state = change(world([(20, 10)]), "alpha-1", watch=watch)

    corners = picture(state).sectors["alpha-1"]

    assert corners[0] == (20_000, 10_000)
    assert all(abs(math.dist(corner, corners[0]) - 10_000) < 20 for corner in corners[1:])
    assert all(y > 10_000 for _, y in corners[1:])


def test_what_the_enemy_watches_is_in_no_picture_of_ours():
    state = world([(20, 10)], [(20, 20)])
    waiting = change(state, "bravo-1", watch=OpFire("bravo-1", "ak-47"))

    assert picture(waiting) == picture(state)
