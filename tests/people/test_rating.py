"""What people are rated after a match, as docs/standings.md says it."""

from __future__ import annotations

from pbem.people import rating
from pbem.people.rating import NEWCOMER, Place, Rating, after

EASY = rating.rung(("easy", "steady"), "easy")


def alone(rank: int, person: Rating | None = NEWCOMER, stand_in: Rating | None = None) -> Place:
    return Place(rank, rank, person, stand_in)


def mus(places: list[Place]) -> list[int]:
    return [one.mu if one else 0 for one in after(places)]


def test_who_comes_before_others_gains_and_everybody_is_better_known() -> None:
    first, second, third, last = after([alone(rank) for rank in (1, 2, 3, 4)])

    assert first
    assert second
    assert third
    assert last
    assert first.mu > second.mu > third.mu > last.mu
    assert first.mu > NEWCOMER.mu > last.mu
    assert all(one.sigma < NEWCOMER.sigma for one in (first, second, third, last))
    assert {one.matches for one in (first, second, third, last)} == {1}


def test_the_same_results_give_the_same_numbers() -> None:
    """To the last digit: these are what they were when the rule was written."""
    found = after([alone(rank) for rank in (1, 2, 3, 4)])

    assert [(one.mu, one.sigma) for one in found if one] == [
        (27_795_253, 8_263_571),
        (26_552_918, 8_179_618),
        (24_689_416, 8_084_128),
        (20_962_413, 8_084_128),
    ]


def test_partners_win_and_lose_together() -> None:
    one, two, three, four = mus([Place(team, team + 1, NEWCOMER) for team in (0, 1, 0, 1)])

    assert one == three > NEWCOMER.mu > two == four


def test_who_shares_a_rank_is_rated_alike() -> None:
    first, second, third = mus([Place(seat, rank, NEWCOMER) for seat, rank in enumerate((1, 1, 3))])

    assert first == second > third


def test_a_bot_is_a_rung_that_nobody_moves() -> None:
    against_bots = after([alone(1), alone(2), alone(3, None, EASY)])
    stronger = rating.rung(("easy", "steady"), "steady")

    assert against_bots[2] is None
    assert EASY.mu < stronger.mu < NEWCOMER.mu
    assert rating.rung(("easy",), "gone") == EASY
    # a win over a stronger bot is worth more
    assert mus([alone(1), alone(2, None, stronger)])[0] > mus([alone(1), alone(2, None, EASY)])[0]


def test_who_left_early_is_last_whatever_the_bot_did_with_the_seat() -> None:
    won_by_the_bot = mus([alone(1, NEWCOMER, EASY), alone(2), alone(3), alone(4)])
    lost_by_the_bot = mus([alone(4, NEWCOMER, EASY), alone(1), alone(2), alone(3)])

    assert won_by_the_bot[0] == lost_by_the_bot[0]
    # for the others they came last as well, however the bot did
    assert won_by_the_bot == lost_by_the_bot
    assert min(won_by_the_bot[1:]) > won_by_the_bot[0]
    # they lose as much as who stayed and came last
    assert won_by_the_bot[0] == mus([alone(1), alone(2), alone(3), alone(4)])[3]


def test_a_partner_is_not_blamed_for_who_left_early() -> None:
    """The pair lost with a bot in it: less was expected of it, so its other half loses less."""
    pair = [Place(0, 2, NEWCOMER, EASY), Place(1, 1, NEWCOMER), Place(0, 2, NEWCOMER)]
    whole = [Place(0, 2, NEWCOMER), Place(1, 1, NEWCOMER), Place(0, 2, NEWCOMER)]

    left, other, stayed, _fourth = mus([*pair, Place(1, 1, NEWCOMER)])

    assert left < stayed < NEWCOMER.mu < other
    assert stayed > mus([*whole, Place(1, 1, NEWCOMER)])[2]


def test_two_who_left_early_share_the_last_place() -> None:
    one, two, three = mus([alone(2, NEWCOMER, EASY), alone(3, NEWCOMER, EASY), alone(1)])

    assert one == two < three
