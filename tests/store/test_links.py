"""Who may do what: tokens cannot be guessed, used for another purpose, or outlive their seat."""

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest

from pbem.errors import NotFound
from pbem.store import links
from pbem.store.keys import Keys
from pbem.store.models import Link
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import KEYS, House


def find(house: House, text: str, purpose: Purpose = Purpose.TURN, keys: Keys | None = None):
    with house.service.database.read() as session:
        return links.find(session, keys or house.service.keys, text, purpose, house.clock.now())


def test_a_token_finds_the_row_it_names(house):
    match = house.running()
    link = house.link(match, Purpose.TURN, 1)

    assert find(house, house.token(link)).id == link.id


@pytest.mark.parametrize("number", [1, 35, 36, 36**2 + 1, links.LAST_ROW])
def test_a_token_names_its_row_by_its_number(number: int) -> None:
    assert links.row_of(f"{links.base36(number)}-{'a' * 32}") == number


def test_the_same_row_always_has_the_same_token(house):
    match = house.running()

    first = house.token(house.link(match, Purpose.TURN, 0))
    with house.service.database.write("test") as session:
        table = house.table(match)
        turn = table.open_turns[0]
        again = links.make(
            session, Purpose.TURN, match, table.seats[0], house.clock.now(), turn.id or 0
        )

    assert house.token(again) == first


def test_a_token_holds_no_address_name_or_match_id(house):
    match = house.running()
    token = house.token(house.link(match, Purpose.TURN, 0))

    assert match.id not in token
    assert len(token) <= 45


def test_a_token_for_one_purpose_is_no_token_for_another(house):
    match = house.running()
    for link in (house.link(match, Purpose.TURN, 0), house.link(match, Purpose.SEAT, 0)):
        for purpose in Purpose:
            if purpose != link.purpose:
                with pytest.raises(NotFound):
                    find(house, house.token(link), purpose)


def test_a_code_moved_to_another_row_is_refused(house):
    match = house.running()
    mine = house.token(house.link(match, Purpose.TURN, 0))
    other = house.token(house.link(match, Purpose.TURN, 1))

    with pytest.raises(NotFound):
        find(house, other.split("-")[0] + "-" + mine.split("-")[1])


def test_raising_a_seats_epoch_kills_every_link_it_had(house):
    match = house.running()
    before = [house.link(match, purpose, 0) for purpose in (Purpose.TURN, Purpose.SEAT)]

    remedies.reissue(house.service, match.id, 0, actor="operator")

    for link in before:
        with pytest.raises(NotFound):
            find(house, house.token(link), Purpose(link.purpose))
    fresh = house.link(match, Purpose.TURN, 0)
    assert find(house, house.token(fresh)).epoch == 1


def test_reissuing_the_hosts_link_kills_the_old_one_and_no_players(house):
    match = house.running()
    before, player = house.link(match, Purpose.HOST, -1), house.link(match, Purpose.TURN, 0)

    remedies.reissue(house.service, match.id, links.HOST, actor="operator")

    with pytest.raises(NotFound):
        find(house, house.token(before), Purpose.HOST)
    assert find(house, house.token(house.link(match, Purpose.HOST, -1)), Purpose.HOST)
    assert find(house, house.token(player))


def test_a_revoked_and_an_expired_link_get_the_same_answer(house):
    match = house.running()
    link = house.link(match, Purpose.TURN, 0)
    answers = []
    for change in ({"revoked_at": house.clock.now()}, {"expires_at": house.clock.now()}):
        with house.service.database.write("test") as session:
            row = session.get(Link, link.id)
            for name, value in change.items():
                setattr(row, name, value)
            session.add(row)
        with pytest.raises(NotFound) as refused:
            find(house, house.token(link))
        answers.append(str(refused.value))

    assert answers[0] == answers[1]


def test_old_keys_verify_while_they_are_listed_and_the_newest_signs(house):
    match = house.running()
    link = house.link(match, Purpose.TURN, 0)
    old = house.token(link)

    rotated = Keys((b"n" * 32, *KEYS.main))
    assert find(house, old, keys=rotated).id == link.id
    assert links.token(rotated, link) != old
    with pytest.raises(NotFound):
        find(house, old, keys=Keys((b"n" * 32,)))


def test_a_database_alone_forges_nothing(house):
    """Whoever has every row but no key makes tokens that are refused."""
    match = house.running()
    forged = links.token(Keys((b"g" * 32,)), house.link(match, Purpose.TURN, 0))

    with pytest.raises(NotFound):
        find(house, forged)


def test_links_come_from_the_configured_address(house):
    match = house.running()
    link = house.link(match, Purpose.TURN, 0)

    url = links.url(house.service.keys, house.service.settings.base_url, link)

    assert url == f"https://games.example.org/t/{house.token(link)}"


def bad_tokens(good: str) -> Iterator[str]:
    """Made up, cut off anywhere, and with any bit turned or any sign put in at any place."""
    chance = random.Random(7)
    signs = "abcdefghijklmnopqrstuvwxyz0123456789-ABC/\x00\u00e9\u0661"
    for _ in range(98_500):
        yield "".join(chance.choice(signs) for _ in range(chance.randrange(60)))
    for place, was in enumerate(good):
        yield good[:place]
        for sign in (*(chr(ord(was) ^ (1 << bit)) for bit in range(7)), *signs):
            if sign != was:
                yield good[:place] + sign + good[place + 1 :]


@pytest.mark.slow
def test_a_hundred_thousand_bad_tokens_get_one_constant_answer(house):
    match = house.running()
    good = house.token(house.link(match, Purpose.TURN, 0))
    answers = set()
    with house.service.database.read() as session:
        for text in bad_tokens(good):
            try:
                answers.add(links.find(session, KEYS, text, Purpose.TURN, house.clock.now()))
            except NotFound as refused:
                answers.add(str(refused))

    assert answers == {str(NotFound())}


def test_a_link_of_another_match_never_opens_this_one(house):
    first, second = house.running(), house.running()
    link = house.link(first, Purpose.TURN, 0)
    forged = Link(**{**link.model_dump(), "match_id": second.id})

    with pytest.raises(NotFound):
        find(house, links.token(Keys((b"x" * 32,)), forged))
    assert find(house, house.token(link)).match_id == first.id


def test_a_link_lives_through_time_until_it_is_closed_or_killed(house):
    match = house.running(clock={"turn": "none"})
    link = house.link(match, Purpose.TURN, 0)

    house.clock.move(timedelta(days=3000))

    assert find(house, house.token(link)).id == link.id
