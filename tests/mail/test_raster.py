"""Drawings in pixels: their letters, what is no drawing, and threads."""

from __future__ import annotations

import threading

import pytest

from pbem.mail.raster import raster


def writing(attributes: str, letters: str = "Hello") -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 30" width="100" height="30"'
        f' {attributes}><text x="5" y="20" font-size="15">{letters}</text></svg>'
    )


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        'font-family="Atkinson Hyperlegible"',
        "font-family=\"'Source Serif 4', serif\"",
        'font-family="sans-serif"',
        'font-family="Of No Machine, monospace"',
        'style="font-family: Of No Machine; fill: black"',
    ],
)
@pytest.mark.parametrize("letters", ["Hello", "Жук", "½ → ♠"])
def test_letters_are_drawn_whatever_font_a_drawing_names(attributes: str, letters: str) -> None:
    image = raster(writing(attributes, letters))

    assert image.getbbox() is not None


def test_a_font_of_ours_is_used() -> None:
    ours = raster(writing('font-family="Atkinson Hyperlegible"'))
    other = raster(writing('font-family="Of No Machine"'))

    assert ours.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    "text",
    ["", "no drawing", "<svg", "<html/>", writing("").replace('width="100"', 'width="1e9"')],
)
def test_what_is_no_drawing_is_refused_and_the_next_is_drawn(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be drawn"):
        raster(text)

    assert raster(writing("")).size == (100, 30)


def test_threads_draw_the_same_at_once() -> None:
    drawings = [writing('font-family="Atkinson Hyperlegible"', f"{n} pawns") for n in range(40)]
    alone = [raster(drawing).tobytes() for drawing in drawings]
    found: list[list[bytes]] = []

    def draw() -> None:
        found.append([raster(drawing).tobytes() for drawing in drawings])

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [alone] * 4
