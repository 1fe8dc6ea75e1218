"""What the pages of Dog tell a player who looks something up."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from flask.testing import FlaskClient

from engine.games import dog
from engine.games.dog import GAME
from engine.games.dog.board import E1
from engine.games.dog.events import (
    CameOut,
    DogEvent,
    EndZoneEntered,
    Gave,
    Moved,
    Played,
    Received,
    SentHome,
    Swapped,
)
from pbem.looks.match_look import Line
from pbem.present import event_sentences, events_since
from pbem.present.pictures import board, board_text
from pbem.words.i18n import translator
from tests.engine.games.dog.tables import ALL_IN, table
from tests.web.house import WebHouse, hidden


def test_every_rule_that_a_refusal_names_is_found_on_the_page_of_the_rules(
    client: FlaskClient,
) -> None:
    sources = [file for file in Path(dog.__file__).parent.glob("*.py") if file.stem != "rulebook"]
    named = {
        rule for file in sources for rule in re.findall(r'"((?:DOG|ODD\d)-\d+)"', file.read_text())
    }

    page = client.get("/rules/dog").text
    shown = re.findall(r'id="((?:DOG|ODD\d)-\d+)"', page)

    assert len(named) > 20
    assert named <= set(shown)
    assert len(set(shown)) == len(shown)


def told(language: str, *events: DogEvent) -> str:
    names = ("Alice", "Bob", "Carol", "Dave")
    words = translator(language, "dog")
    return " ".join(event_sentences("dog", events, names, words))


def test_a_play_is_told_in_a_line_that_names_its_player_once() -> None:
    seven = (
        Played(seat=0, rank="7", joker=False),
        Moved(seat=0, owner=0, source=14, target=18, steps=4),
        SentHome(seat=0, owner=1, field=18, overtaken=False),
        Moved(seat=0, owner=0, source=61, target=E1, steps=3),
        EndZoneEntered(seat=0, owner=0, field=E1),
    )
    king = (Played(seat=0, rank="K", joker=True), CameOut(seat=0, owner=0, field=0))
    jack = (
        Played(seat=0, rank="J", joker=False),
        Swapped(seat=0, owner=0, source=14, other=2, target=40),
    )

    assert told("en", *seven) == (
        "Alice plays 7: 14 to 18. Bob's pawn on 18 goes Home. 61 to E1. In the End Zone."
    )
    assert told("es", *seven) == (
        "Alice juega 7: 14 a 18. El peón de Bob en 18 vuelve a casa. 61 a E1. En la meta."
    )
    assert told("en", *king) == "Alice plays a joker as K: out onto 0."
    assert told("en", *jack) == "Alice plays J: 14 changes places with Carol on 40."


def test_a_play_says_whose_pawns_it_moves_where_they_are_not_the_players() -> None:
    four = (
        Played(seat=0, rank="4", joker=False),
        Moved(seat=0, owner=2, source=40, target=36, steps=-4),
    )
    ace = (Played(seat=0, rank="A", joker=False), CameOut(seat=0, owner=2, field=32))
    jack = (
        Played(seat=0, rank="J", joker=False),
        Swapped(seat=0, owner=2, source=14, other=1, target=40),
    )

    assert told("en", *four) == "Alice plays 4: 40 back to 36, for Carol."
    assert told("en", *ace) == "Alice plays A: out onto 32, for Carol."
    assert told("es", *ace) == "Alice juega A: sale a 32, para Carol."
    assert told("en", *jack) == "Alice plays J: Carol on 14 and Bob on 40 change places."


def test_the_table_in_words_says_what_each_card_does_and_who_is_whose_partner(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()

    said = client.get(web.turn_path(match, 0)).text.partition('<details class="in-words">')[2]
    said = said.partition("</details>")[0]

    assert "Order of turns in this deal: " in said
    assert "Your partner is Carol." in said
    assert "Choose a card to give to Carol." in said
    for card in set(web.table(match).state.hands[0]) - {"*"}:
        assert f"- {card}: " in said


def test_a_finished_player_of_five_reads_which_number_is_whose() -> None:
    state = table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5)
    names = ("Alice", "Bob", "Carol", "Dave", "Erin")

    said = board_text("dog", GAME.view(state, 0), names, translator("en", "dog"), you=0)

    assert "You win once you, Carol and Dave all are in." in said
    assert "- help 3: the pawns of Carol" in said
    assert "- help 4: the pawns of Dave" in said
    assert "- 2: 2 fields forward. Not now. First choose whose pawns you will move." in said


def test_the_board_shows_the_ways_of_all_moves_since_the_readers_last() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    moves = [Moved(seat, seat, 20 + seat, 23 + seat, 3) for seat in (0, 1, 2, 3)]
    lines = [Line(at, ply, move.seat, "player", (move,)) for ply, move in enumerate(moves)]
    state = table({seat: (23 + seat,) for seat in range(4)}, {1: "2"}, turn=1)

    def ways_for(seat: int | None) -> list[int]:
        drawn = board(
            "dog",
            GAME.view(state, seat),
            ("Alice", "Bob", "Carol", "Dave"),
            translator("en", "dog"),
            you=seat,
            since=events_since(lines, seat),
        )
        owners = re.findall(r'class="way" data-owner="(\d)"', str(drawn))
        return sorted(map(int, set(owners)))

    assert ways_for(1) == [2, 3]
    assert ways_for(0) == [1, 2, 3]
    assert ways_for(3) == [3]
    assert ways_for(None) == [3]


def test_no_way_of_a_pawn_is_drawn_over_a_name() -> None:
    state = table({0: (20,)}, {0: "9 K"})
    home = SentHome(seat=0, owner=1, field=20, overtaken=False)
    names, words = ("Alice", "Bob", "Carol", "Dave"), translator("en", "dog")

    drawn = str(board("dog", GAME.view(state, 0), names, words, you=0, since=(home,)))

    assert drawn.rindex('class="leap"') < drawn.index('class="name"')


def test_a_play_is_one_line_and_its_player_sits_below_before_and_after_it(
    web: WebHouse, client: FlaskClient
) -> None:
    match, seat, _ = web.before_a_choice()
    order, path = web.good_order(match, seat), web.turn_path(match, seat)

    preview = client.post(f"{path}/preview", data={"order": order})
    receipt = client.post(f"{path}/confirm", data=hidden(preview))
    closed = client.get(path)
    public = client.get(f"/m/{match.id}")

    name = web.seat(match, seat).name
    for page in (preview, receipt):
        assert re.search(rf"<p>\s*{name} (plays .*: .*|discards .*)\.\s*</p>", page.text)
    for page in (preview, receipt, closed):
        assert ">You</text>" in page.text
        assert f">{name}</text>" not in page.text
    assert ">You</text>" not in public.text


def test_a_gift_is_told_to_its_giver_as_theirs_and_to_others_until_all_have_chosen(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    _, *others = web.waiting(match)
    path, chosen = web.turn_path(match, 0), "has chosen what to give."

    preview = client.post(f"{path}/preview", data={"order": web.good_order(match, 0)})
    receipt = client.post(f"{path}/confirm", data=hidden(preview))
    waiting = client.get(web.turn_path(match, 1))
    for seat in others:
        web.play(match, seat)
    web.work()
    mover = web.waiting(match)[0]
    all_over = client.get(web.turn_path(match, mover))
    public = client.get(f"/m/{match.id}")

    for page in (preview, receipt):
        assert re.search(r"You give \w+ to Carol\.", page.text)
        assert chosen not in page.text
    assert f"Alice {chosen}" in waiting.text
    assert "The gifts have been exchanged." in all_over.text
    assert chosen not in all_over.text
    assert f"Alice {chosen}" in public.text, "an onlooker has the history of all moves"


def test_a_joker_is_given_and_got_as_one() -> None:
    events = (
        Gave(seat=0, cards=("*", "K"), receivers=(1, 2)),
        Received(seat=0, giver=1, card="*"),
    )

    told = [
        event_sentences("dog", events, "ABC", translator(language, "dog"))
        for language in ("en", "es")
    ]

    assert told == [
        ("You give a joker to B. You give K to C.", "You got a joker from B."),
        ("Das un comodín a B. Das K a C.", "Has recibido un comodín de B."),
    ]


def test_whoever_begins_after_an_exchange_is_told_of_no_moves(
    web: WebHouse, client: FlaskClient
) -> None:
    match, mover, exchanged = web.running(), -1, False
    # until somebody begins who was not the last to give
    while not exchanged or web.waiting(match) == [mover]:
        mover = web.waiting(match)[0]
        gives = web.table(match).state.stage == "exchange"
        web.play(match, mover, web.good_order(match, mover))
        web.work()
        last = str(web.plies(match)[-1].order_text)
        exchanged = gives and last.startswith("give") and web.table(match).state.stage == "play"
    page = client.get(web.turn_path(match, web.waiting(match)[0])).text
    [line] = re.findall(r'(?s)<a class="last".*?</a>', page)

    assert "The gifts have been exchanged" in line
    assert " moves" not in line
