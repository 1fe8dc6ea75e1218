"""The message catalogue: English texts are the keys, other languages are .po files, read once.

The service's texts are in ``pbem/words/translations/LANGUAGE/*.po``, each game's in
``templates/games/GAME/LANGUAGE.po``. A text without a translation is shown in English; a test
checks that every text has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeGuard

import msgspec
from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from markupsafe import Markup, escape

from engine.errors import Sentence
from pbem.words import templating
from pbem.words.texts import LANGUAGES

#: One message's texts: one, or one for each plural form.
Forms: TypeAlias = tuple[str, ...]

_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z{])")

#: Types of parameters that are neither translated nor escaped.
_PLAIN = frozenset({str, int})


class Translator:
    """Translates texts into one language; a game's own texts take precedence over the service's."""

    def __init__(self, language: str, game: str | None = None) -> None:
        self.language = language if language in LANGUAGES else "en"
        self.game = game
        self.locale = Locale.parse(self.language)
        self._messages: dict[str, Forms] = dict(_service(self.language))
        if game is not None:
            self._messages |= _game(self.language, game)

    def text(self, message: str, /, **parameters: object) -> str:
        """The translated message with its ``{named}`` placeholders filled in.

        If a parameter is Markup, the result is Markup and all other parameters are escaped. A
        parameter that is a Sentence is translated, too.
        """
        said = self._said(message)
        if not parameters:
            return said
        # so it is with nearly all of the thousand texts of a page
        if _PLAIN.issuperset(map(type, parameters.values())):
            return _filled(said, parameters)
        return _fill(said, self._words_in(parameters))

    def _words_in(self, parameters: Mapping[str, object]) -> Mapping[str, object]:
        return {
            name: self.sentence(value) if isinstance(value, Sentence) else value
            for name, value in parameters.items()
        }

    def _said(self, message: str) -> str:
        if not self._messages:
            return message
        forms = self._messages.get(message)
        if forms is not None:
            return forms[0]
        # the rules build some errors of several sentences, each with a translation of its own
        parts = _BETWEEN_SENTENCES.split(message)
        if len(parts) > 1 and all(part in self._messages for part in parts):
            return " ".join(self._messages[part][0] for part in parts)
        return message

    def plural(self, one: str, many: str, number: int, /, **parameters: object) -> str:
        """The form for this number, which is also the parameter ``number``."""
        form = self.locale.plural_form(number) != "one"
        forms = self._messages.get(one)
        if forms is None or len(forms) == 1:
            forms = (one, many)
        return _fill(forms[form], {"number": number, **self._words_in(parameters)})

    def sentence(self, sentence: Sentence) -> str:
        """A sentence of the rules or of an act, translated."""
        return self.text(sentence.text, **sentence.parameters)

    def sentences(self, several: Iterable[Sentence], between: str = " ") -> str:
        """Several of them in a row."""
        return between.join(map(self.sentence, several))

    def plain(self, value: Any) -> Any:
        """A value of the rules as plain data for a page's script: its sentences are translated."""
        if isinstance(value, Sentence):
            return self.sentence(value)
        if isinstance(value, msgspec.Struct):
            return {name: self.plain(getattr(value, name)) for name in value.__struct_fields__}
        if isinstance(value, Mapping):
            return {name: self.plain(inner) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(inner) for inner in value]
        return value


def _fill(text: str, parameters: Mapping[str, object]) -> str:
    for value in parameters.values():
        if isinstance(value, Markup):
            # by itself Markup takes the text apart with a parser written in Python
            safe = {
                name: templating.minus(value) if _is_negative(value) else escape(value)
                for name, value in parameters.items()
            }
            return Markup(text.format(**safe))  # noqa: S704 - the text is the catalogue's
    return _filled(text, parameters)


def _filled(text: str, parameters: Mapping[str, object]) -> str:
    """The text with its parameters, in which numbers below zero have a true minus sign."""
    filled = text.format(**parameters)
    # few texts have a hyphen at all
    if "-" not in filled or not any(map(_is_negative, parameters.values())):
        return filled
    shown = {
        name: templating.minus(value) if _is_negative(value) else value
        for name, value in parameters.items()
    }
    return text.format(**shown)


def _is_negative(value: object) -> TypeGuard[int]:
    return type(value) is int and value < 0


@cache
def translator(language: str, game: str | None = None) -> Translator:
    """The translator of a language; ``game`` adds that game's texts."""
    return Translator(language, game)


@cache
def _service(language: str) -> Mapping[str, Forms]:
    found: dict[str, Forms] = {}
    # there are none for English, whose texts are the keys
    for file in sorted((Path(__file__).parent / "translations" / language).glob("*.po")):
        with file.open("rb") as lines:
            found |= messages(read_po(lines))
    return MappingProxyType(found)


@cache
def _game(language: str, game: str) -> Mapping[str, Forms]:
    text = templating.source(f"games/{game}/{language}.po")
    found = messages(read_po(text.splitlines(keepends=True))) if text is not None else {}
    return MappingProxyType(found)


def messages(catalog: Catalog) -> dict[str, Forms]:
    """The catalogue as a mapping: from each message (of a plural, its singular) to its texts."""
    found: dict[str, Forms] = {}
    for message in catalog:
        if not message.id or message.fuzzy:
            continue
        key = message.id if isinstance(message.id, str) else message.id[0]
        texts = message.string if isinstance(message.string, tuple | list) else (message.string,)
        if all(texts):
            found[key] = tuple(str(text) for text in texts)
    return found


def best_language(accepted: Iterable[str], default: str) -> str:
    """The first of these language tags that this service speaks, else the default."""
    for tag in accepted:
        language = tag.partition("-")[0].lower()
        if language in LANGUAGES:
            return language
    return default
