"""What of a board stands still is drawn once and kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pbem.words import templating
from pbem.words.i18n import translator

LEGEND = "games/dogs-of-war/legend.svg"


def test_what_stands_still_is_what_it_would_be_if_it_were_drawn_anew() -> None:
    """In each language and for each value, by many threads at once, and more than are kept."""
    templating._still.cache_clear()
    asked = [(language, width) for width in range(200) for language in ("en", "es")] * 2

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(_kept, asked))

    assert found == [_drawn(*one) for one in asked]
    assert templating._still.cache_info().currsize < len(set(asked))


def test_what_stands_still_is_drawn_once() -> None:
    templating._still.cache_clear()

    assert _kept(("es", 524)) is _kept(("es", 524))


def _kept(asked: tuple[str, int]) -> str:
    language, width = asked
    words = translator(language, "dogs-of-war")
    return templating._still(LEGEND, top=0, width=width, _=words.text)


def _drawn(language: str, width: int) -> str:
    return templating.render(LEGEND, translator(language, "dogs-of-war"), top=0, width=width)
