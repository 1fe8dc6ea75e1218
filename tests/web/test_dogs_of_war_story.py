"""The story of a year of Dogs of War: what nobody decided is nobody's move."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog, House, Reward, RewardKind
from engine.games.dogs_of_war.state import BattleResult
from pbem.acts import matches
from pbem.looks import match_look
from pbem.present import board, board_text, event_sentences, lines, paragraphs
from pbem.store.models import Match
from pbem.words.i18n import translator
from tests.engine.games.dogs_of_war.scenes import (
    last_pass,
    scene,
    step,
    with_battle,
    with_captains,
    with_influence_left,
    with_lead,
    with_table,
)
from tests.parts.cast import address
from tests.parts.markup import well_formed
from tests.web.dogs_of_war import DOGS, NAMES, played_to, put_state, running
from tests.web.house import WebHouse


def test_the_end_of_a_year_is_told_battle_by_battle_and_signed_by_nobody() -> None:
    options = GAME.options_type(dogs=DOGS[:3])
    words, dice = translator("en", "dogs-of-war"), SeededDice(b"a year")
    step, number = GAME.setup(3, options, dice), 0
    while step.state.table.year == 1:
        seat = min(GAME.phase(step.state).pending)
        move = GAME.default_move(step.state, seat)
        step = GAME.apply(step.state, seat, move, dice)
        number += 1

    own, *then = paragraphs(GAME, step.events, NAMES, words)

    assert "Battle" not in own
    assert [text.split(":")[0].split(",")[0] for text in then] == [
        "Battle 1",
        "Battle 2",
        "Battle 3",
        "Year 2 begins. Battle 1",
    ]


def test_pages_and_mails_sign_the_move_that_ended_a_year_and_not_what_followed(
    web: WebHouse, client: FlaskClient
) -> None:
    match = to_the_years_end(web)
    table = match_look.table(web.service, match.id)
    told = lines(table, NAMES, "UTC", translator("en", "dogs-of-war"))

    last = [line for line in told if line.ply == match.ply]
    page = client.get(f"/m/{match.id}").text

    assert [line.how for line in last] == ["by a bot", "", "", "", ""]
    assert [line.follows for line in last] == [False, True, True, True, True]
    assert all(len(line.sentences) < 8 for line in last)
    followed = re.findall(r'<li\s+class="follows".*?</p>', page, re.DOTALL)
    assert len(followed) == 1 + 4  # the first year's mustering, and then its end
    assert not [one for one in followed if "by a bot" in one]


def test_a_preview_a_receipt_and_a_replay_tell_apart_what_the_rules_bring(
    web: WebHouse, client: FlaskClient
) -> None:
    match = running(web, 3, dogs_by="lot")
    seat, ply = web.waiting(match)[0], web.match(match.id).ply
    path = web.turn_path(match, seat)

    preview = client.post(f"{path}/preview", data={"order": "keep"}).text
    asked = {"order": "keep", "ply": ply, "submission": "kept"}
    receipt = client.post(f"{path}/confirm", data=asked).text
    replay = client.get(f"/m/{match.id}?ply={ply + 1}").text

    brought = "<p>Everybody gets 3 coins and 3 captains.</p>"
    assert [page.count(brought) for page in (preview, receipt, replay)] == [1, 1, 1]
    for page in (preview, receipt, replay):
        assert re.search(r"<(p|li)>\w+ keeps the first-player token and goes first\.</\1>", page)


def to_the_years_end(web: WebHouse) -> Match:
    """A match of Alice and two bots, when a bot's move that is told has ended the first year."""
    bot = matches.NewSeat(bot="easy")
    alice = matches.NewSeat(name="Alice", email=address("Alice"))
    for _ in range(20):
        match = web.running(game="dogs-of-war", seats=[alice, bot, bot], options={"dogs_by": "lot"})
        while not (
            ended := [
                ply for ply in web.plies(match) if ply.ply and "year_began" in ply.events_json
            ]
        ):
            web.play(match, 0, web.good_order(match, 0))
            web.work()
        is_told = (
            "battle_ended" not in ended[0].events_json.partition("}")[0]
        )  # "push nothing" is not
        if is_told and ended[0].made_by == "bot" and ended[0].ply == web.match(match.id).ply:
            return web.match(match.id)
    raise AssertionError("no bot ended a first year")


def test_the_end_of_a_year_is_told_battle_by_battle(web: WebHouse, client: FlaskClient) -> None:
    """To whoever moves next, to those who move later, and to onlookers."""
    match = running(web, 4, dogs=list(DOGS[:4]))
    while (table := web.table(match).state.table).year == 1:
        seat = int(table.turn)
        web.play(match, seat, web.good_order(match, seat), f"{len(web.plies(match))}")
        web.work()
    path = web.turn_path(match, played_to(web, match, "first player"))
    first = well_formed(client.get(path).text)
    path = web.turn_path(match, played_to(web, match, "mustering"))
    later = well_formed(client.get(path).text)
    onlooker = well_formed(client.get(f"/m/{match.id}").text)
    acting = client.get(web.turn_path(match, played_to(web, match, "action"))).text

    for page in (first, later, onlooker):
        assert "How year 1 ended" in page
        told = page[page.index("How year 1 ended") :]
        for result in table.results:
            heading = "No victor"
            if result.victor is not None:
                by = "with glory" if result.glorious else f"by {abs(result.tracker)}"
                heading = f"{result.victor.capitalize()}, {by}"
            assert re.search(rf"<h3>\s*{heading}\s*</h3>", told)
            for seat in result.takers:
                assert NAMES[seat] in told[told.index(heading) :]
        # all houses begin on the lowest place of the track
        assert "rises on the house track" in told
        assert "falls" not in told
    assert "How year 1 ended" not in acting


def test_a_house_that_a_crushing_defeat_moved_is_said_to_fall(
    web: WebHouse, client: FlaskClient
) -> None:
    """DOW-75, with the variant in which houses begin on 0."""
    match = running(web, 3, dogs=list(DOGS[2:]), crushing_at_twelve=True)
    seat = played_to(web, match, "action")
    table = web.table(match).state.table
    first, *others = table.battles
    players = tuple(replace(player, passed=one != seat) for one, player in enumerate(table.players))
    lost = replace(first, tracker=-12)
    ended = replace(table, battles=(lost, *others), players=players)
    put_state(web, match, replace(web.table(match).state, table=ended))

    web.play(match, seat, "pass", "the last")
    web.work()
    page = well_formed(client.get(f"/m/{match.id}").text)

    victor, loser = (side.house.capitalize() for side in first.sides)
    assert f"{victor} rises on the house track, {loser} falls</p>" in page
    assert page.count("falls</p>") == 1


def test_a_victory_by_strength_is_not_told_as_one_by_the_tracker(
    web: WebHouse, client: FlaskClient
) -> None:
    """DOW-49: with that option the tracker may stand on the other house's half."""
    match = running(web, 3, dogs_by="lot", victor_by="strength")
    path = web.turn_path(match, played_to(web, match, "mustering"))
    state = web.table(match).state
    houses, bonus = (House.TALBOT, House.MALLORY), Reward(RewardKind.POINTS, 3)
    won = BattleResult(1, 0, houses, 5, House.TALBOT, False, bonus, (0, 0, 0), ())
    put_state(web, match, replace(state, table=replace(state.table, results=(won,))))

    page = client.get(path).text
    view = GAME.view(replace(state, table=replace(state.table, results=(won,), battles=())), None)
    text = board_text("dogs-of-war", view, NAMES, translator("en", "dogs-of-war"))

    assert re.search(r"<h3>\s*Talbot, by strength\s*</h3>", page)
    assert "Talbot over Mallory, by strength." in text


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "The space pushes the tracker 2 spaces further."),
        ("es", "La casilla empuja el cursor 2 casillas más."),
    ],
)
def test_a_push_that_is_copied_is_told_as_a_push(language: str, told: str) -> None:
    """DOW-56, DOW-59: it is taken as if printed here."""
    state = with_captains(scene(), House.HARLOW, 1, None, 2)
    copied = step(state, 0, "footman harlow 2 copy 3")

    sentences = event_sentences(
        "dogs-of-war", copied.events, NAMES, translator(language, "dogs-of-war")
    )

    assert sentences[-1] == told


def test_a_bonus_that_does_not_last_is_not_told_as_gone() -> None:
    """DOW-84, with the switch by which nobody is served: three tokens are left of the four."""
    state = with_captains(scene(short_bonus="nobody"), House.TALBOT, 0, 1)
    state = with_influence_left(with_lead(state, House.TALBOT, 3), House.TALBOT, 3)
    state = with_battle(state, 0, bonus=Reward(RewardKind.INFLUENCE, 2))

    told = event_sentences(
        "dogs-of-war",
        last_pass(state).events,
        NAMES,
        translator("en", "dogs-of-war"),
    )

    assert [text for text in told if "bonus reward" in text] == [
        "Alice takes the bonus reward, but there is not enough of it left.",
        "Bob takes the bonus reward, but there is not enough of it left.",
    ]


def test_a_tracker_pushed_this_year_is_not_told_of_the_last_one() -> None:
    """DOW-70: where Stormcrow chooses after the Conqueror, the year has not ended yet."""
    dogs = (Dog.STORMCROW, Dog.CONQUEROR, Dog.BLACKMANE)
    state = with_captains(scene(dogs, stormcrow_withdraws="by_choice"), House.TALBOT, 0)
    state = with_captains(with_lead(state, House.MALLORY, 3), House.MALLORY, 1)
    houses, bonus = (House.HARLOW, House.BASTIANI), Reward(RewardKind.COINS, 3)
    won = BattleResult(1, 0, houses, 4, House.BASTIANI, False, bonus, (0, 0, 0), ())
    pushed = step(last_pass(with_table(state, year=2, results=(won,))).state, 1, "push mallory:2")
    assert pushed.state.table.phase == "withdrawal"

    drawn = board(
        "dogs-of-war",
        GAME.view(pushed.state, 0),
        NAMES,
        translator("en", "dogs-of-war"),
        events=pushed.events,
    )

    assert "Bob pushes the tracker toward Mallory" not in str(drawn)
    assert "How year 1 ended" not in str(drawn)
