"""What a mail of Dogs of War says there is to decide, how it is written and what it brings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from engine.codec import plain
from engine.dice import SeededDice
from engine.errors import Sentence
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog, House, SoldierCounts, catalogue
from engine.games.dogs_of_war.box.names import DOG_NAMES, SOLDIER_NAMES
from pbem.present import board_text, choices, choices_text
from pbem.words import templating
from pbem.words.i18n import translator
from tests.engine.games.dogs_of_war.scenes import (
    begun,
    play,
    scene,
    with_captains,
    with_lead,
    with_screen,
)
from tests.mail import golden
from tests.mail.office import CaptainsOffice, office_service, parsed, text_of


class ChoosingOffice(CaptainsOffice):
    """One whose players choose their dogs of war."""

    options: Mapping[str, Any] = MappingProxyType({})


NAMES = ("Alice", "Bob", "Carol", "Dave", "Frank")


def orders_in(said: str) -> list[str]:
    return [line.strip() for line in said.splitlines() if line.startswith("  ")]


def choosing(state: Any, seat: int | None, language: str = "en") -> str:
    words = translator(language, "dogs-of-war")
    view = GAME.view(state, seat)
    return choices_text("dogs-of-war", view, choices("dogs-of-war", view), NAMES, words)


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_mail_about_dogs_of_war_says_what_those_that_are_left_can(language: str) -> None:
    """DOW-1: a player chooses with all of their abilities before them."""
    state = GAME.setup(4, GAME.options_type(), SeededDice(b"dogs")).state
    state = play(state, 0, "play ordalia")

    said = choosing(state, 1, language)

    assert orders_in(said) == [f"play {dog}" for dog in Dog if dog is not Dog.ORDALIA]
    for order in orders_in(said):
        GAME.parse(state, 1, order)
    assert "Ordalia" not in said
    what = {"en": "You get 1 coin for each battle", "es": "Recibes 1 moneda por cada batalla"}
    assert what[language] in said


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_mail_of_mustering_says_how_a_purchase_is_written_and_no_long_list(
    language: str,
) -> None:
    state = begun(3, SeededDice(b"a purchase")).state
    seat = state.table.turn
    assert seat is not None
    state = GAME.apply(state, seat, GAME.parse(state, seat, "keep"), SeededDice(b"no")).state

    said = choosing(state, seat, language)

    assert orders_in(said) == ["buy 2 knights 1 footman", "buy knights then footmen", "buy nothing"]
    for order in orders_in(said):
        GAME.parse(state, seat, order)
    assert ("8 coins" in said) is (language == "en")
    assert ("knight 3 coins, strength 5" in said) is (language == "en")
    assert ("caballero (knight) 3 monedas" in said) is (language == "es")
    assert choosing(state, None) == ""


def test_the_mail_of_an_action_tells_each_space_once() -> None:
    """Those that are open to the reader among what can be decided, all others with the table."""
    state = scene(dogs=(Dog.BLACKMANE, Dog.OMALLEY, Dog.ORDALIA))
    state = with_screen(
        with_captains(state, House.MALLORY, 0), 0, soldiers=SoldierCounts(footman=2)
    )
    view, words = GAME.view(state, 0), translator("en", "dogs-of-war")

    beside = board_text("dogs-of-war", view, NAMES, words, you=0, choices=GAME.choices(view))

    told = dict(re.findall(r"^(\w+) \([ab]\): (.*)$", beside, re.M))
    sides = [side for battle in state.table.battles for side in battle.sides]
    fronts = [front for battle in GAME.choices(view).battles for front in battle]
    for front, side in zip(fronts, sides, strict=True):
        closed = {spot.space for spot in front.spots} - {spot.space for spot in front.open_spots}
        spaces = re.findall(r"(\d)\) ", told.get(front.house.capitalize(), ""))
        assert set(map(int, spaces)) == closed, side
    assert "taken by Alice; 5) 2 influence tokens (for an arquebuser or stronger)." in beside


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_mail_about_the_token_says_which_number_is_who(language: str) -> None:
    state = begun(4, SeededDice(b"a token")).state
    seat = state.table.turn
    assert seat is not None

    said = choosing(state, seat, language)

    others = [number for number in range(4) if number != seat]
    assert orders_in(said) == ["keep", *(f"give token to {other + 1}" for other in others)]
    lines = said.splitlines()
    for other in others:
        assert NAMES[other] in lines[lines.index(f"  give token to {other + 1}") - 1]


def test_the_mail_of_an_action_says_what_cards_do_and_where_one_may_go_with_what() -> None:
    state = scene(dogs=(Dog.BLACKMANE, Dog.OMALLEY, Dog.ORDALIA))
    state = with_screen(
        with_captains(state, House.MALLORY, 0),
        0,
        tactics=("Bribe", "Lance Charge"),
        soldiers=SoldierCounts(footman=2),
    )

    said = choosing(state, 0)

    assert "Your soldiers: 2 footmen, strength 1." in said
    assert "Bribe: You may use a space whatever soldier it asks for." in said
    assert "Lance Charge: Played with: knight. Your soldier's strength is 2 more." in said
    assert "Talbot: You support Mallory in battle 1 this year, so not Talbot;" in said
    assert "Mallory: 2) 1 coin; 3) 1 arquebuser; 4) 1 tactic card;" in said
    assert "5) 2 influence tokens (for an arquebuser or stronger) (only with Bribe)" in said
    assert "2) copy 1: 1 influence token / copy 2: 1 victory point /" in said
    assert "You give up 3 captains in your hand." in said
    assert len(orders_in(said)) == 4  # plain, with a card, a copy, passing
    for order in orders_in(said):
        GAME.parse(state, 0, order)


def test_the_mail_of_the_conqueror_says_how_each_battle_would_end() -> None:
    """DOW-91: how far each tracker may go, and what that would make of the battle."""
    state = scene(dogs=(Dog.CONQUEROR, Dog.OMALLEY, Dog.ORDALIA))
    state = with_lead(with_captains(state, House.MALLORY, 0), House.MALLORY, 14)
    state = with_lead(with_captains(state, House.HACKETT, 0), House.BASTIANI, 1)
    for _ in range(3):
        state = play(state, state.table.turn, "pass")

    said = choosing(state, 0)

    assert "The tracker stands on 14 for Mallory: victory for Mallory." in said
    assert "mallory:1 = on 15 for Mallory, a glorious victory for Mallory." in said
    assert (
        "hackett:1 = in the centre, no victor;"
        " hackett:2 = on 1 for Hackett, victory for Hackett." in said
    )
    assert "Battle 3: Tornborn against Harlow. The tracker stands in the centre: no victor." in said
    assert orders_in(said) == ["push mallory:1 hackett:2", "push nothing"]
    for order in orders_in(said):
        GAME.parse(state, 0, order)


def test_the_mail_of_a_withdrawal_lists_the_houses_that_are_about_to_lose() -> None:
    state = scene(dogs=(Dog.STORMCROW, Dog.OMALLEY, Dog.ORDALIA), stormcrow_withdraws="by_choice")
    state = with_lead(with_captains(state, House.MALLORY, 0), House.TALBOT, 3)
    state = with_lead(with_captains(state, House.HACKETT, 0, 1), House.BASTIANI, 1)
    for _ in range(3):
        state = play(state, state.table.turn, "pass")

    orders = orders_in(choosing(state, 0))

    assert orders == [
        "withdraw mallory",
        "withdraw hackett",
        "withdraw all",
        "withdraw nothing",
    ]
    for order in orders:
        GAME.parse(state, 0, order)


def test_a_question_mark_by_mail_is_answered_with_what_there_is_to_decide(
    tmp_path: Path, sqlite_url: str
) -> None:
    office = CaptainsOffice(office_service(tmp_path, sqlite_url))
    match = office.running()
    office.post_all()
    seat = office.waiting(match)[0]

    golden.answer(office, match, seat, "?")
    office.post_all()

    answer = text_of(parsed(golden.raw_of(office, office.owed("reply_answer"))))
    office.service.database.close()
    assert "You hold the first-player token. Who goes first this year?" in answer
    assert "  keep" in answer
    assert "Your tactic cards, for your action turns:" in answer


def test_a_dog_of_war_is_chosen_by_mail(tmp_path: Path, sqlite_url: str) -> None:
    """DOW-1: the first turn mail asks, and its answer plays."""
    office = ChoosingOffice(office_service(tmp_path, sqlite_url))
    match = office.running()
    office.post_all()

    asked = text_of(parsed(golden.raw_of(office, office.owed("your_turn"))))
    golden.answer(office, match, 0, "play the nameless conqueror")
    office.post_all()

    players = office.table(match).state.table.players
    office.service.database.close()
    assert "Which dog of war do you play? It is yours for the whole match." in asked
    assert "  play conqueror" in asked
    assert [player.dog for player in players] == [Dog.CONQUEROR, None, None, None][: len(players)]


def test_in_html_each_part_is_a_list_and_an_order_stands_behind_its_line() -> None:
    """However many empty lines part them; nothing of it is taken for HTML."""
    lines = ["A soldier:", "  knight harlow 1", "A <b>card:", "  aim", "  pass", "", "", "", "Or:"]
    page = templating.macros("mail/parts.html", translator("en"), choosing=lines)

    said = re.sub(r' class="order"|<h2>.*?</h2>|\n| {2,}', "", str(page.choices()))

    assert said == (
        '<div class="choices"><p>A soldier:<br><span>knight harlow 1</span></p><ul class="lines">'
        "<li>A &lt;b&gt;card:<br><span>aim</span><br><span>pass</span></li></ul><p>Or:</p></div>"
    )


@pytest.mark.parametrize("language", ["en", "es"])
def test_an_invitation_speaks_of_the_component_set_of_its_match(
    tmp_path: Path, sqlite_url: str, language: str
) -> None:
    """The project's own set is not what is played with where the host has brought another."""
    office = ChoosingOffice(office_service(tmp_path, sqlite_url))
    said = {}
    for name, options in {"ours": {}, "theirs": {"components": brought()}}.items():
        office.options = options
        office.open(language=language, confirmed=False)
        office.post_all()
        invitation = office.owed("invitation")
        said[name] = " ".join(text_of(parsed(golden.raw_of(office, invitation))).split())
    office.service.database.close()

    own = {"en": "this project's own set", "es": "un juego propio de este proyecto"}[language]
    known = {"en": "Mercenary captains sell", "es": "Capitanes mercenarios venden"}[language]
    assert own in said["ours"]
    assert own not in said["theirs"]
    assert "“Erin's set”" in said["theirs"] or "«Erin's set»" in said["theirs"]
    assert all(known in text for text in said.values())
    assert re.search(r"SHA-256 (is|es) [0-9a-f]{64}\.", said["theirs"])


def brought() -> dict[str, Any]:
    """A component set as a host hands it in."""
    box = plain(catalogue("pbem-1").components)
    return {**box, "name": "erins", "title": "Erin's set", "source": "Erin"}


def test_soldiers_and_dogs_are_read_by_the_names_that_spanish_mails_give_them() -> None:
    """DOW-1, DOW-32: beside the word of the notation that stands there in brackets."""
    words = translator("es", "dogs-of-war")
    dogs = GAME.setup(3, GAME.options_type(), SeededDice(b"dogs")).state

    for dog, name in DOG_NAMES.items():
        order = f"juego {words.sentence(Sentence(name))}"
        assert GAME.format(GAME.parse(dogs, 0, order)) == f"play {dog}"
    for soldier, name in SOLDIER_NAMES.items():
        order = f"{words.sentence(Sentence(name))} talbot 3"
        assert getattr(GAME.parse(scene(), 0, order), "soldier", None) is soldier
