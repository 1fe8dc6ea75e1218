"""Every text has a Spanish one, with the same named places; times are told in two zones."""

from __future__ import annotations

import re
import string
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from markupsafe import Markup

from engine.errors import Sentence, listed
from engine.games.registry import BUILT_IN
from pbem.present import Moment, span
from pbem.words.i18n import _game, best_language, messages, translator
from tests.engine.games.skirmish.world import refused, world
from tests.web.extraction import ROOT, game_messages, service_messages

#: Files that name texts.
NAMING = {".py", ".html", ".svg", ".json"}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def catalogue(game: str | None) -> dict[str, tuple[str, ...]]:
    return dict(translator("es", game)._messages)


@pytest.mark.parametrize("game", [None, *BUILT_IN])
def test_every_text_has_a_spanish_translation(game: str | None) -> None:
    wanted = game_messages(game) if game else service_messages()

    keys = {message if isinstance(message, str) else message[0] for message in wanted}

    assert sorted(keys - set(catalogue(game))) == []


@pytest.mark.parametrize("game", [None, *BUILT_IN])
def test_quotes_are_those_of_print(game: str | None) -> None:
    said = [text for forms in catalogue(game).items() for text in (forms[0], *forms[1])]

    assert [text for text in said if '"' in text] == []


@pytest.mark.parametrize("game", [None, *BUILT_IN])
def test_nothing_is_translated_that_nobody_says(game: str | None) -> None:
    """What the code does not say by itself, it names: a field of a form, a bot, a word of data."""
    if game is None:
        own, wanted = set(catalogue(None)), service_messages()
        folders = [ROOT / "pbem", ROOT / "engine", ROOT / "templates"]
    else:
        own, wanted = set(_game("es", game)), game_messages(game)
        folders = [ROOT / Path(*BUILT_IN[game].split(".")), ROOT / "templates/games" / game]
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in NAMING]
    sources = "".join(file.read_text() for file in files)
    said = {message if isinstance(message, str) else message[0] for message in wanted}
    named = {text for text in own if f'"{text}"' in sources}

    assert sorted(own - said - named) == []


def test_a_text_is_translated_in_one_file() -> None:
    """Of two translations the file that is read last has its way."""
    texts = Counter(
        text
        for file in (ROOT / "pbem/words/translations/es").glob("*.po")
        for text in messages(read_po(file.read_text("utf-8").splitlines(keepends=True)))
    )

    assert [text for text, files in texts.items() if files > 1] == []


@pytest.mark.parametrize("game", [None, *BUILT_IN])
def test_translations_have_the_same_named_places(game: str | None) -> None:
    known = catalogue(game)

    wrong = {text for text, said in known.items() for form in said if places(form) - places(text)}

    assert known
    assert wrong == set()


def test_the_victor_and_the_defeated_are_not_mistaken_for_each_other() -> None:
    wrong = [
        text
        for text, (said, *_) in catalogue("dogs-of-war").items()
        for english, spanish in (
            (r"victor(ious)?\b", "victorios|vencedor"),
            ("defeated", "derrotad"),
        )
        if "house" in text and bool(re.search(english, text)) != bool(re.search(spanish, said))
    ]

    assert wrong == []


def test_an_unknown_text_is_said_in_english() -> None:
    assert translator("es").text("No such text, {name}.", name="Ann") == "No such text, Ann."


def test_a_text_made_of_known_sentences_is_translated_by_sentences() -> None:
    words = translator("es")

    said = words.text("This match is over. {name} joined.", name="Ana")

    assert said == "Esta partida ha terminado. Ana entró."


def test_a_sentence_of_the_rules_is_translated_by_its_text() -> None:
    sentence = Sentence("{name} joined.", {"name": "Ana"})

    assert translator("es").sentence(sentence) == "Ana entró."
    assert translator("en").sentence(sentence) == "Ana joined."


def test_words_inside_a_sentence_are_translated_with_it() -> None:
    held = listed([Sentence("knights"), Sentence("{n} coins", {"n": 3})])
    sentence = Sentence(
        "You hold no {soldier}. You hold: {held}.", {"soldier": Sentence("footman"), "held": held}
    )

    said = translator("es", "dogs-of-war").sentence(sentence)

    assert str(sentence) == "You hold no footman. You hold: knights, 3 coins."
    assert (
        said == "No tienes ninguna carta de soldado de infantería. Tienes: caballeros, 3 monedas."
    )


def test_a_refusal_of_the_skirmish_says_stage_and_stance_in_the_readers_language() -> None:
    state = world([(20, 10)])
    refusals = [refused(state, order) for order in ("go first", "alpha-1 stand")]

    said = [translator("es", "skirmish").sentence(one.sentence) for one in refusals]

    assert said == [
        "Esa orden no es posible ahora: el turno está en marcha.",
        "alpha-1 ya está de pie.",
    ]


def test_plurals_follow_the_number() -> None:
    assert [span(number * 86400, translator("es")) for number in (1, 2)] == ["1 día", "2 días"]
    assert [span(number * 86400, translator("en")) for number in (1, 2)] == ["1 day", "2 days"]


def test_markup_among_the_parameters_escapes_the_others() -> None:
    said = translator("en").text("{who} {name}", who=Markup("<b>x</b>"), name="<i>")

    assert said == Markup("<b>x</b> &lt;i&gt;")


def test_a_time_is_told_in_the_readers_zone_and_in_utc() -> None:
    at = datetime(2026, 9, 3, 16, 0, tzinfo=UTC)

    assert (
        str(Moment(at, "Europe/Madrid", translator("en")))
        == "Thursday, 3 September 2026, 18:00 (Europe/Madrid; 16:00 UTC)"
    )
    assert (
        str(Moment(at, "Europe/Madrid", translator("es")))
        == "jueves 3 de septiembre de 2026, 18:00 (Europe/Madrid; 16:00 UTC)"
    )


def test_utc_is_told_with_its_day_where_that_is_another_one() -> None:
    at = datetime(2026, 9, 3, 23, 30, tzinfo=UTC)

    assert Moment(at, "Asia/Tokyo", translator("en")).utc == "3 September, 23:30 UTC"


def test_the_language_is_the_first_accepted_one_that_there_is() -> None:
    assert best_language(["fr-FR", "es-MX", "en"], "en") == "es"
    assert best_language(["fr"], "en") == "en"
