"""Where things are drawn on the boards for three to six players."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest

from engine.games.dog.board import E1
from engine.games.dog.drawing import Drawing, Layout, Point

EVERY_FORM = pytest.mark.parametrize("seats", [3, 4, 5, 6])


def far(one: Point, other: Point) -> float:
    return math.dist((one.x, one.y), (other.x, other.y))


def everything(place: Layout) -> list[Point]:
    """All holes of a board."""
    homes = (point for home in place.homes for point in home.holes)
    return [*place.fields, *(point for lane in place.end_zones for point in lane), *homes]


@EVERY_FORM
def test_the_reader_sits_at_the_bottom_and_play_goes_to_the_right(seats: int) -> None:
    for seat in range(seats):
        place = Drawing(seats).seen_by(seat)
        start = place.fields[16 * seat]

        assert start.y == max(point.y for point in place.fields)
        assert start.x == place.centre.x
        assert place.fields[16 * seat + 1].x > start.x


@EVERY_FORM
def test_all_fields_are_equally_far_from_the_next_along_the_groove(seats: int) -> None:
    place = Drawing(seats).seen_by(0)
    steps = [far(*two) for two in pairwise((*place.fields, place.fields[0]))]

    # a little less around a corner
    assert max(steps) - min(steps) < 0.2 * max(steps)
    assert len(steps) == 16 * seats


@EVERY_FORM
def test_no_two_holes_overlap_and_all_lie_on_the_tray(seats: int) -> None:
    place = Drawing(seats).seen_by(0)

    for one, other in combinations(everything(place), 2):
        assert far(one, other) > 28 * place.scale
    for point in everything(place):
        assert 30 < point.x < place.width - 30
        assert 30 < point.y < place.height - 40
        assert far(point, place.centre) > place.felt + 14


@EVERY_FORM
def test_homes_are_apart_from_the_groove_and_each_other(seats: int) -> None:
    place = Drawing(seats).seen_by(0)
    lanes = [point for lane in place.end_zones for point in lane]

    for home in place.homes:
        for point in (*place.fields, *lanes):
            across = max(abs(point.x - home.x) - home.across, 0)
            down = max(abs(point.y - home.y) - home.down, 0)
            round_ = max(far(point, Point(home.x, home.y)) - home.across, 0)
            apart = math.hypot(across, down) if home.across != home.down else round_
            assert apart > 14 * place.scale


def test_holes_of_six_players_are_as_far_apart_as_those_of_four() -> None:
    four, six = (Drawing(seats).seen_by(0) for seats in (4, 6))

    assert six.scale > 0.95 * four.scale
    assert six.width == four.width


@EVERY_FORM
def test_a_way_begins_and_ends_where_the_pawn_did_and_counts_its_steps(seats: int) -> None:
    place = Drawing(seats).seen_by(0)

    ahead = place.way(0, 3, 12, 9)
    back = place.way(0, 2, len(place.fields) - 2, -4)
    home = place.way(1, 14, E1 + 2, 5)
    inside = place.way(1, E1, E1 + 3, 3)

    for way, ends, steps in (
        (ahead, (place.fields[3], place.fields[12]), 9),
        (back, (place.fields[2], place.fields[-2]), 4),
        (home, (place.fields[14], place.end_zones[1][2]), 5),
        (inside, (place.end_zones[1][0], place.end_zones[1][3]), 3),
    ):
        assert (way.passed[0].at, way.passed[-1].at) == ends
        assert len(way.strides) == steps
        assert len(way.passed) == steps + 1


def test_a_name_without_room_is_cut_and_a_short_one_is_not() -> None:
    beside = Drawing(6).seen_by(0).names[1]

    assert beside.fitting("Ada", 23) == "Ada"
    cut = beside.fitting("Wilhelmina-Charlotte", 23)
    assert cut.endswith("…")
    assert beside.long(cut, 23) <= beside.room


def test_a_name_that_is_cut_keeps_the_number_that_tells_it_from_others() -> None:
    beside = Drawing(6).seen_by(0).names[1]

    cut = [beside.fitting(f"Former player {number}", 23) for number in (2, 3)]

    assert [one.endswith(end) for one, end in zip(cut, ("… 2", "… 3"), strict=True)] == [True, True]
    assert all(beside.long(one, 23) <= beside.room for one in cut)
    assert beside.long(beside.fitting("Ann 1234567890123456789", 23), 23) <= beside.room
