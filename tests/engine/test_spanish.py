"""Orders in Spanish mean what they mean in English, and English ones are left alone."""

from __future__ import annotations

import pytest

from engine.dice import SeededDice
from engine.errors import Unreadable
from engine.games.dog import notation as dog
from engine.games.dogs_of_war import notation as dogs_of_war
from engine.games.registry import find
from engine.games.skirmish import notation as skirmish
from engine.simulation import key_of, play_match
from engine.spanish import in_english

WORDS = {"dog": dog.SPANISH, "dogs-of-war": dogs_of_war.SPANISH, "skirmish": skirmish.SPANISH}


@pytest.mark.parametrize("game", WORDS)
def test_no_order_that_a_game_writes_is_changed(game: str) -> None:
    rules = find(game)
    seats, key = rules.meta.seats[0], key_of("es")
    step = rules.setup(seats, rules.options_type(), SeededDice(key))
    written = set()
    for ply in play_match(rules, seats, seed="es", keep_log=True).log[:400]:
        written.add(rules.format(ply.move))
        step = rules.apply(step.state, ply.seat, ply.move, SeededDice(key))

    assert len(written) > 30
    assert {order for order in written if in_english(order, WORDS[game]) != order} == set()


@pytest.mark.parametrize(
    "order", ["alpha-1 fire bravo-1 with m16a2 single", "build al-qaeda (1: m249-para)"]
)
def test_a_part_of_a_name_is_no_word(order: str) -> None:
    assert in_english(order, skirmish.SPANISH | {"para": "to", "al": "to"}) == order


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("dar sota", "GIVE J"),
        ("Doy 7", "GIVE 7"),
        ("Rey sale", "K OUT"),
        ("comodín 12 hasta 15", "JOKER 12-15"),
        ("siete 12-15 luego 30-34", "7 12-15 30-34"),
        ("siete 12-15 y 30-34", "7 12-15 30-34"),
        ("comodín como rey sale", "JOKER AS K OUT"),
    ],
)
def test_an_order_of_dog_in_spanish(spanish: str, english: str) -> None:
    assert dog.tidy(spanish) == english


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("caballero Talbot 3", "knight talbot 3"),
        ("peón en talbot 1", "footman talbot 1"),
        ("máquina de guerra Harlow 6", "wm harlow 6"),
        ("comprar 2 caballeros y 1 peón", "buy 2 knights and 1 footman"),
        ("pasar", "pass"),
        ("un caballero en la casa Talbot, casilla 3", "a knight house talbot space 3"),
        ("soldado de infantería harlow 2, copia 4", "soldier footmen harlow 2 copy 4"),
        (
            "compro dos arcabuceros y un soldado de infantería",
            "buy two arquebusers and a soldier footmen",
        ),
    ],
)
def test_an_order_of_dogs_of_war_in_spanish(spanish: str, english: str) -> None:
    assert dogs_of_war._words(spanish) == dogs_of_war._words(english)


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("alpha-1 andar a 24,9", "alpha-1 walk to 24,9"),
        ("alpha-2 girar norte", "alpha-2 face north"),
        ("alpha fin", "alpha end"),
        ("activar bravo", "activate bravo"),
    ],
)
def test_an_order_of_the_skirmish_in_spanish(spanish: str, english: str) -> None:
    assert skirmish.read(spanish) == skirmish.read(english)


@pytest.mark.parametrize("line", ["rather a long line", "alpha-1 andar hacia el norte"])
def test_what_cannot_be_read_is_quoted_as_it_was_written(line: str) -> None:
    with pytest.raises(Unreadable, match=f"“{line}”"):
        skirmish.read(line)
