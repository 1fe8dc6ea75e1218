"""What the skirmish tells in words: its events, its men, and what the dice said."""

from __future__ import annotations

import re
import typing
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.dice import NoDice
from engine.games.skirmish import GAME
from engine.games.skirmish.events import (
    Change,
    Changed,
    Fired,
    Fought,
    Moved,
    OutOfRange,
    Rolled,
    RolledAt,
    Sighted,
    TurnStarted,
)
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.men import wounds
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.state import Arm, State, Wounds
from pbem.present import board, board_text, event_sentences
from pbem.present.pictures import help_text
from pbem.words import templating
from pbem.words.i18n import translator
from tests.engine.games.skirmish.world import change, world
from tests.web.house import WebHouse
from tests.web.skirmish import face_to_face, played_to, running, state_of


def test_of_who_lies_dead_or_unconscious_no_more_is_said(web: WebHouse) -> None:
    match = running(web)
    seat = played_to(web, match, "activation")
    state = state_of(web, match)
    own = [model for model in state.models if model.seat == seat][:3]
    bleeding = Wounds(bleeding=True)
    changed = {
        own[0].name: replace(own[0], condition="dead", prone=True, wounds=bleeding),
        own[1].name: replace(own[1], condition="unconscious", prone=True, wounds=bleeding),
        own[2].name: replace(own[2], prone=True),
    }
    models = tuple(changed.get(model.name, model) for model in state.models)
    view = GAME.view(replace(state, models=models), seat)

    told = board_text("skirmish", view, ("Alice", "Bob"), translator("en", "skirmish"))

    lines = [next(line for line in told.splitlines() if line.startswith(name)) for name in changed]
    assert [line.split("; ")[2] for line in lines] == ["dead", "unconscious, bleeding", "lying"]


def test_what_a_fallen_man_had_is_one_line_and_one_mark(web: WebHouse) -> None:
    """SKR-36: and his own line ends with his condition."""
    match, seat = face_to_face(web)
    name = ("alpha-1", "bravo-1")[seat]
    play = Play(state_of(web, match), NoDice(), "test", lambda *_: None)
    wounds.kill(play, name, "")
    view = GAME.view(play.close(), seat)
    words = translator("en", "skirmish")

    told = board_text("skirmish", view, ("Alice", "Bob"), words).splitlines()
    drawn = board("skirmish", view, ("Alice", "Bob"), words)

    [heap] = [line for line in told if " on the ground at " in line]
    assert heap.partition(" on the ground")[0] in drawn
    assert len(heap.split(", ")) > 2
    assert next(line for line in told if line.startswith(name)).endswith("; dead")


def test_an_enemy_who_ducks_is_not_called_broken(web: WebHouse) -> None:
    """SKR-100, 148: nobody can call on him; his own side knows which it is."""
    match, seat = face_to_face(web)
    state = state_of(web, match)
    models = tuple(replace(model, broken="ducking") for model in state.models)
    play = Play(replace(state, models=models), NoDice(), "test")
    spotting.refresh(play)
    view = GAME.view(play.close(), seat)

    told = board_text("skirmish", view, ("Alice", "Bob"), translator("en", "skirmish"))

    lines = {name: line for line in told.splitlines() for name in re.findall(r"^.*?-1", line)}
    mine, theirs = ("alpha-1", "Bob: bravo-1") if seat == 0 else ("bravo-1", "Alice: alpha-1")
    assert "ducking" in lines[mine].split("; ")
    assert "broken or ducking" in lines[theirs].split("; ")


@pytest.mark.parametrize(
    "file", sorted((templating.location() / "games/skirmish").iterdir()), ids=lambda file: file.name
)
def test_a_template_is_short_lines_of_markup(file: Path) -> None:
    """No list grows in a template. Catalogues keep their texts whole."""
    text = file.read_text(encoding="utf-8")

    tags = " ".join(re.findall(r"\{%.*?%\}", text, re.DOTALL))

    assert not re.search(r"\.(append|update|extend|pop)\(", tags)
    assert file.suffix == ".po" or max(map(len, text.splitlines())) <= 160


def test_every_kind_of_event_has_a_sentence() -> None:
    """Each macro of the file is named after a kind of event, and each kind has one."""
    words = translator("es", "skirmish")
    macros = templating.macros("games/skirmish/sentences.txt", words, name=str)

    for kind in typing.get_args(GAME.event_type):
        assert hasattr(macros, kind.__struct_config__.tag), kind


def test_every_change_of_a_man_has_a_sentence() -> None:
    changes = [Changed(who="bravo-1", what=what) for what in typing.get_args(Change)]

    told = event_sentences("skirmish", changes, "01", translator("en", "skirmish"))

    assert {sentence[-1] for sentence in told} == {"."}


def test_who_is_tied_or_surrenders_is_taken_prisoner() -> None:
    """SKR-132, 148: a man who is tied while unconscious does not surrender."""
    taken = (Changed(who="bravo-1", what="captured", by="alpha-1"),)

    told = [
        event_sentences("skirmish", taken, "01", translator(language, "skirmish"))
        for language in ("en", "es")
    ]

    assert told == [
        ("bravo-1 is taken prisoner by alpha-1.",),
        ("alpha-1 hace prisionero a bravo-1.",),
    ]


def test_who_is_stopped_at_once_is_not_told_to_walk_from_a_spot_to_itself() -> None:
    here = (23_200, 6_000)
    stopped = Moved(who="alpha-3", gait="walk", path=(here, here), floor="ground", ap=0)

    told = [
        event_sentences("skirmish", [stopped], "01", translator(language, "skirmish"))
        for language in ("en", "es")
    ]

    assert told == [("alpha-3 is at 23.2,6.",), ("alpha-3 está en 23.2,6.",)]


def test_places_of_a_story_are_told_in_tenths_of_an_inch() -> None:
    """A walk ends to the thousandth; nobody who reads of it needs that."""
    way, little = ((24_125, 8_337), (20_000, 12_050)), ((24_125, 8_337), (24_120, 8_349))
    events = [
        Moved(who="alpha-3", gait="run", path=way, floor="ground", ap=0),
        Moved(who="alpha-3", gait="walk", path=little, floor="ground", ap=0),
        Sighted(who="bravo-1", at=(19_961, 40_000), floor="inn-1"),
    ]

    told = event_sentences("skirmish", events, "01", translator("en", "skirmish"))

    assert told == (
        "alpha-3 runs from 24.1,8.3 to 20,12.",
        "alpha-3 is at 24.1,8.3.",
        "bravo-1 comes into sight at 20,40 on inn-1.",
    )


def test_dice_are_told_one_by_one() -> None:
    events = (
        Fired(
            who="alpha-1",
            weapon="m16a2",
            mode="burst",
            target="bravo-2",
            dice=3,
            need=4,
            modifiers=(("range", -2), ("burst", -1)),
        ),
        Rolled(purpose="to hit", die=3, who="alpha-1", need=4, passed=True),
        Rolled(purpose="location", die=8, who="bravo-2"),
        RolledAt(purpose="to hit", die=5, who="alpha-1", need=5, passed=True, target="bravo-3"),
        RolledAt(purpose="to hit", die=6, who="alpha-1", need=5, passed=False, target="bravo-3"),
        Rolled(purpose="to hit", die=10, who="alpha-1", need=11, passed=True),
        Rolled(purpose="tackle", die=1, who="alpha-1", need=0, passed=False),
        Rolled(purpose="shell shock", die=10, who="bravo-2", need=10, passed=True),
    )

    told = event_sentences("skirmish", events, "01", translator("en", "skirmish"))

    assert told == (
        "alpha-1 fires the m16a2 at bravo-2 (burst, 3 dice; 4 or less hits: range −2, burst −1).",
        "alpha-1, to hit: 3, 4 or less, yes.",
        "bravo-2, location: 8.",
        "alpha-1, to hit bravo-3: 5, 5 or less, yes.",
        "alpha-1, to hit bravo-3: 6, not 5 or less, no.",
        "alpha-1, to hit: 10, not 9 or less, no.",
        "alpha-1, tackle: 1, 1 or less, yes.",
        "bravo-2, shell shock: 10, 10 or less, yes.",
    )


def test_a_target_number_is_told_as_the_die_counts_it() -> None:
    """SKR-67: a 1 always hits, so nothing less than 1 is ever needed."""
    event = Rolled(purpose="to hit", die=1, who="alpha-1", need=-3, passed=True)

    told = event_sentences("skirmish", [event], "01", translator("en", "skirmish"))

    assert told == ("alpha-1, to hit: 1, 1 or less, yes.",)


def test_a_fight_is_told_with_what_counts_for_it_and_then_what_came_of_it() -> None:
    """SKR-119: the modifiers of both sides, or that there are none; the die says who won."""
    plain = Fought(who="alpha-1", target="bravo-1", weapon="knife", need=5, modifiers=())
    modifiers = (("weapon", 1), ("his prone", 1))
    lying = replace(plain, weapon="unarmed", modifiers=modifiers)
    die = Rolled(purpose="close combat", die=6, who="alpha-1", need=5, passed=False)
    low = replace(die, die=3, passed=True)

    told = [
        event_sentences("skirmish", (plain, die, lying, low), "01", translator(one, "skirmish"))
        for one in ("en", "es")
    ]

    assert told[0] == (
        "alpha-1 fights bravo-1 hand to hand with the knife (5 or less wins).",
        "alpha-1, close combat: 6, not 5 or less, in vain.",
        "alpha-1 fights bravo-1 hand to hand with bare hands (5 or less wins: weapon +1, enemy: "
        "lying +1).",
        "alpha-1, close combat: 3, 5 or less, wins the exchange.",
    )
    assert told[1][2].endswith(
        " con las manos desnudas (gana con 5 o menos: arma +1, enemigo: tendido +1)."
    )
    assert told[1][3] == "alpha-1, cuerpo a cuerpo: 3, 5 o menos, gana el lance."


def test_a_tackle_names_whom_it_is_for() -> None:
    """SKR-132: if it fails nothing else names him."""
    fails = RolledAt(purpose="tackle", die=7, who="alpha-1", need=5, passed=False, target="bravo-1")
    events = (fails, replace(fails, die=2, passed=True))

    told = [
        event_sentences("skirmish", events, "01", translator(one, "skirmish"))
        for one in ("en", "es")
    ]

    assert told[0] == (
        "alpha-1 tackles bravo-1: 7, not 5 or less, no.",
        "alpha-1 tackles bravo-1: 2, 5 or less, yes.",
    )
    assert told[1][0] == "alpha-1 placa a bravo-1: 7, no es 5 o menos, no."


def test_a_shot_at_a_spot_names_no_target() -> None:
    """SKR-65: nor is "spot" left in English."""
    events = (
        Fired(who="alpha-1", weapon="m203", mode="single", target="spot", dice=1, need=4),
        OutOfRange(who="alpha-1", target=""),
    )

    english, spanish = (
        event_sentences("skirmish", events, "01", translator(language, "skirmish"))
        for language in ("en", "es")
    )

    assert english == (
        "alpha-1 fires the m203 at a spot (single, 1 die; 4 or less hits).",
        "That is out of alpha-1's range.",
    )
    assert "contra un punto (" in spanish[0]


def test_who_has_the_initiative_is_told_with_what_counts_beside_the_dice() -> None:
    """SKR-21: with equal dice, too, somebody has it."""
    told = [
        event_sentences(
            "skirmish",
            [TurnStarted(turn=3, winner=1)],
            ("Alice", "Bob"),
            translator(language, "skirmish"),
        )
        for language in ("en", "es")
    ]

    assert told == [
        ("Turn 3: Bob has the initiative, with the lower roll less CC.",),
        ("Turno 3: Bob tiene la iniciativa, con la tirada más baja menos el CC.",),
    ]


def test_who_lives_on_is_told_to_lose_a_point() -> None:
    """SKR-136: the test that is passed costs one."""
    event = Rolled(purpose="survivability", die=3, who="alpha-1", need=9, passed=True)

    told = event_sentences("skirmish", [event], "01", translator("en", "skirmish"))

    assert told == ("alpha-1, survivability: 3, 9 or less, lives and loses 1 HP.",)


def shots_by_mail(state: State) -> list[str]:
    """What an answer to a question mark says of the first man's shots."""
    said = help_text("skirmish", GAME.view(state, 0), translator("en", "skirmish"))
    of_him = said.split("\n\n")[0].splitlines()
    return [line for line in of_him if "no shot now" in line or line.startswith("He ")]


def test_an_answer_by_mail_says_why_he_has_no_shot() -> None:
    """SKR-7, 63, 64, 66."""
    state = world([(20, 10)], [(20, 16), (26, 30)])
    arms = state.model("alpha-1").arms
    near = "bravo-1: 100 % of him in sight, 5.0 inches away · no shot now: "

    [first] = shots_by_mail(state)
    [tired, _] = shots_by_mail(change(state, "alpha-1", ap=1))
    empty = tuple(replace(arm, loaded=0) for arm in arms)
    [out, _] = shots_by_mail(change(state, "alpha-1", arms=empty))
    short = (Arm("m203", loaded=1),)
    [too_near] = shots_by_mail(change(world([(20, 10)], [(20, 12)]), "alpha-1", arms=short))
    [bare] = shots_by_mail(change(state, "alpha-1", arms=()))
    wall = Wall("wall", (10_000, 15_000, 30_000, 15_300), 3000, "stone")
    [alone] = shots_by_mail(world([(20, 10)], [(20, 20)], features=[wall]))

    assert first.endswith("no shot now: bravo-1 is within 10 inches and must be chosen first.")
    assert tired == f"{near}That takes 2 AP; alpha-1 has 1 left."
    assert out == f"{near}The M16A2 is empty."
    assert too_near.endswith("The m203 does not reach that far, or he is too near for it.")
    assert bare == "He has nothing to shoot with."
    assert alone == "He sees no enemy."
