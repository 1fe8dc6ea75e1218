"""Orders in Spanish: a game gives the words of its notation that Spanish has another word for.

An order may mix both languages. What the game writes itself is never changed by this: no word of a
notation is a key (``tests/engine/test_spanish.py``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

#: A word by itself: what is part of a name (m16a2, al-qaeda) is none.
_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?![\w-])")


def in_english(order: str, words: Mapping[str, str]) -> str:
    """The order with each Spanish word replaced; keys are in lower case and without accents."""
    return _WORD.sub(lambda found: words.get(_bare(found[0]), found[0]), order)


def _bare(word: str) -> str:
    word = word.casefold()
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def each(english: str, *spanish: str) -> dict[str, str]:
    """Several Spanish words for one English one."""
    return dict.fromkeys(spanish, english)
