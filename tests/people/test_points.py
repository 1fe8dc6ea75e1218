"""What a match of a series is worth, and who stands where: docs/series.md."""

from __future__ import annotations

from pbem.people.series.points import MIDDLE, WIN, Came, Round, Stand, of_match, table


def worth(*seats: Came) -> list[int]:
    return [one.points for one in of_match(seats)]


def test_a_win_is_twelve_and_the_last_place_nothing_at_tables_of_all_sizes() -> None:
    assert worth(Came(0, 1), Came(1, 2)) == [120, 0]
    assert worth(Came(0, 2), Came(1, 1), Came(2, 3)) == [60, 120, 0]
    assert worth(*(Came(seat, seat + 1) for seat in range(4))) == [120, 80, 40, 0]
    assert worth(*(Came(seat, seat + 1) for seat in range(6))) == [120, 96, 72, 48, 24, 0]


def test_who_shares_a_rank_shares_its_points() -> None:
    assert worth(Came(0, 1), Came(1, 1), Came(2, 3), Came(3, 3)) == [100, 100, 20, 20]
    assert worth(*(Came(seat, 1) for seat in range(5))) == [MIDDLE] * 5


def test_partners_get_what_their_team_gets() -> None:
    assert worth(Came(0, 2), Came(1, 1), Came(0, 2), Came(1, 1)) == [0, WIN, 0, WIN]


def test_who_left_early_gets_nothing_and_is_behind_all_others() -> None:
    """Whatever the bot made of the seat."""
    found = of_match([Came(0, 1, left_early=True), Came(1, 2), Came(2, 3)])

    assert [one.points for one in found] == [0, 120, 60]
    assert [one.won for one in found] == [False, True, False]


def test_a_partner_of_who_left_early_keeps_what_the_team_got() -> None:
    found = worth(Came(0, 1, left_early=True), Came(1, 2), Came(0, 1), Came(1, 2))

    assert found == [0, 0, WIN, 0]


def test_equal_points_are_told_apart_by_the_opponents_then_by_wins() -> None:
    rounds = [
        Round(1, 60, False, (4,)),
        Round(2, 60, True, (4,)),
        Round(3, 60, False, (5,)),
        Round(4, 100, True, ()),
        Round(5, 80, False, ()),
        Round(6, None, False, (4,)),
    ]

    assert table(range(1, 7), rounds) == [
        Stand(1, 4, 100, 0, 1, 1),
        Stand(2, 5, 80, 0, 0, 1),
        Stand(3, 2, 60, 100, 1, 1),
        Stand(4, 1, 60, 100, 0, 1),
        Stand(5, 3, 60, 80, 0, 1),
        Stand(6, 6, 0, 0, 0, 0),
    ]


def test_who_is_equal_in_all_shares_a_rank() -> None:
    found = table((1, 2, 3), [Round(2, 60, False, ()), Round(3, 60, False, ())])

    assert [(one.rank, one.player) for one in found] == [(1, 2), (1, 3), (3, 1)]
