"""The board as a picture: put together from what is kept, and to the eye as drawn whole."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from io import BytesIO
from random import Random

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat

from engine.dice import SeededDice
from engine.games.registry import find
from pbem import present
from pbem.lru import LruCache
from pbem.mail import jpeg, layers, pictures, png
from pbem.mail.layers import Moving
from pbem.mail.raster import raster
from pbem.words.i18n import translator

NAMES = ("Alice", "Bob", "Carol", "Dave", "Erin", "Wilhelmina")

#: Game and players: every form of Dog, and the others.
EVERY_FORM = pytest.mark.parametrize(
    ("name", "seats"),
    [
        *(("dog", seats) for seats in (3, 4, 5, 6)),
        *(("dogs-of-war", seats) for seats in (3, 4, 5)),
        ("skirmish", 2),
    ],
    ids=lambda each: str(each),
)


def drawings(
    name: str, seats: int, plies: int, every: int, lot: bytes = b"a table for a picture"
) -> Iterator[str]:
    """What mails show, each for another seat, of a match in which bots and the lot move."""
    game, dice, chance = find(name), SeededDice(lot), Random(3)
    words = translator("en", name)
    step = game.setup(seats, game.options_type(), dice)
    for ply in range(plies):
        pending = game.phase(step.state).pending
        if not pending:
            return
        seat = min(pending)
        legal = list(game.legal_moves(step.state, seat))
        by_bot = game.choose(game.view(step.state, seat), legal, dice)
        step = game.apply(step.state, seat, chance.choice([by_bot, *legal]), dice)
        if ply % every == every - 1:
            you = (ply // every) % seats
            events = [event for event in step.events if event.readers is None]
            view = game.view(step.state, you)
            drawn = present.board(
                name, view, NAMES[:seats], words, you=you, events=events, standalone=True
            )
            yield str(drawn)


def drawn_whole(svg: str, width: int = 1100) -> Image.Image:
    """The drawing as it is, in one go and in full colour."""
    _, _, across, down = layers.read(svg).view
    root = svg[svg.index("<svg") : svg.index(">", svg.index("<svg"))]
    unsized = re.sub(r'\s(width|height)="[^"]*"', "", root)
    height = math.ceil(round(width * down / across, 3))
    sized = f'{unsized} width="{width}" height="{height}" preserveAspectRatio="none"'
    return pictures._on_white(raster(svg.replace(root, sized, 1)))


def as_jpeg(image: Image.Image) -> Image.Image:
    """With what a JPEG of that quality loses, written in one go."""
    written = BytesIO()
    image.save(written, "JPEG", quality=jpeg.QUALITY, subsampling="4:2:0")
    return opened(written.getvalue())


def opened(content: bytes) -> Image.Image:
    with Image.open(BytesIO(content)) as image:
        return image.convert("RGB")


def other_things(one: Image.Image, other: Image.Image) -> tuple[int, int, int, int] | None:
    """Where two pictures show another thing; None where only edges differ, by parts of a pixel.

    What is missing, moved or of another colour differs over three pixels across and down.
    """
    far = ImageChops.difference(one, other).convert("L").point([0] * 64 + [255] * 192)
    return far.filter(ImageFilter.MinFilter(3)).getbbox()


@pytest.mark.slow
@EVERY_FORM
def test_a_picture_put_together_is_small_and_the_drawing_drawn_whole(
    name: str, seats: int, nothing_kept: None
) -> None:
    for svg in drawings(name, seats, plies=72, every=9):
        assert any(isinstance(part, Moving) for part in layers.read(svg).parts)
        together, picture = pictures.pixels(svg), pictures.draw(svg)

        # before a file of it is made: what a JPEG loses would hide what is looked for
        whole = drawn_whole(svg, together.width)
        assert together.size == whole.size
        assert other_things(whole, together) is None
        difference = ImageStat.Stat(ImageChops.difference(whole, together))
        assert max(difference.mean) < 0.6, "of 255"

        assert len(picture.content) < (105_000 if name == "dog" else 200_000)
        with Image.open(BytesIO(picture.content)) as image:
            assert image.mode == {"png": "P", "jpeg": "RGB"}[picture.subtype]
            image.verify()
        written = as_jpeg(together) if picture.subtype == "jpeg" else together
        assert ImageChops.difference(opened(picture.content), written).getbbox() is None


def test_matches_of_dogs_of_war_share_a_board_whatever_battles_were_dealt() -> None:
    found = [
        layers.read(next(drawings("dogs-of-war", 4, plies=12, every=12, lot=lot)))
        for lot in (b"some battles", b"others")
    ]

    still = [[part for part in one.parts if isinstance(part, str)] for one in found]
    assert still[0] == still[1]
    assert found[0].parts != found[1].parts


@EVERY_FORM
def test_a_picture_has_the_ground_of_its_game_in_its_corners(name: str, seats: int) -> None:
    """White ones would stand out in a dark mail; a map lies on paper."""
    picture = pictures.pixels(next(drawings(name, seats, plies=9, every=9)))

    right, bottom = picture.width - 1, picture.height - 1
    corners = {picture.getpixel((x, y)) for x in (0, right) for y in (0, bottom)}
    ground = {"dog": (47, 93, 80), "dogs-of-war": (123, 76, 45), "skirmish": (251, 248, 241)}
    assert corners == {ground[name]}


# --- how it is put together ---

BELOW = '<rect width="100" height="50" fill="#eeeeee"/>'
ABOVE = '<rect x="40" width="20" height="50" fill="#0000ff"/>'


def drawing(*parts: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">{"".join(parts)}</svg>'


def disc(x: float, y: float = 25, colour: str = "#ff0000") -> str:
    """A disc that moves."""
    return (
        f'<g class="moving" data-box="-6 -6 12 12" transform="translate({x} {y})">'
        f'<g data-place="{x}"><title>{x}</title><circle r="5" fill="{colour}"/></g></g>'
    )


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = "_boards", "_pieces", "_unpacked", "_patches", "_grounds", "_bands", "_in_full"
    # nor by the fixture that draws once for all tests
    monkeypatch.setattr(pictures, "draw", inspect.unwrap(pictures.draw))
    for kept in parts:
        full = getattr(pictures, kept)
        monkeypatch.setattr(pictures, kept, LruCache(full.most, full._weigh))


@pytest.fixture
def rasters(monkeypatch: pytest.MonkeyPatch, nothing_kept: None) -> list[str]:
    """Every drawing that is made into pixels from now on; nothing is kept of before."""
    made: list[str] = []

    def noted(svg: str) -> Image.Image:
        made.append(svg)
        return raster(svg)

    monkeypatch.setattr(pictures, "raster", noted)
    return made


def shows(picture: pictures.PictureFile, x: float, y: float, colour: tuple[int, int, int]) -> bool:
    """Whether a place of the picture has this colour, to the eye."""
    image = opened(picture.content)
    found = image.getpixel((round(x * image.width / 100), round(y * image.height / 50)))
    assert isinstance(found, tuple)
    return all(abs(one - other) < 6 for one, other in zip(found, colour, strict=True))


def test_another_thing_is_seen() -> None:
    there, moved, gone = (
        drawn_whole(drawing(BELOW, *more)) for more in ([disc(20)], [disc(20.4)], [])
    )

    assert other_things(there, there) is None
    assert other_things(there, moved) is not None
    assert other_things(there, gone) is not None


@pytest.mark.parametrize(("ground", "number"), [("", 1), (ABOVE, 2)], ids=["same", "another"])
def test_pieces_on_the_same_ground_are_put_together_once(
    ground: str, number: int, nothing_kept: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, together = [], pictures._patch
    monkeypatch.setattr(pictures, "_patch", lambda *given: made.append(given) or together(*given))

    picture = pictures.draw(drawing(BELOW, ground, disc(20), disc(50)))

    assert len(made) == number
    assert all(shows(picture, x, 25, (255, 0, 0)) for x in (20, 50))
    assert shows(picture, 14.5, 20.5, (238, 238, 238))
    assert shows(picture, 44.5, 20.5, (0, 0, 255) if ground else (238, 238, 238))


def test_what_stands_still_and_what_moves_are_drawn_once_wherever_it_goes(
    rasters: list[str],
) -> None:
    pictures.draw(drawing(BELOW, disc(20)))
    assert len(rasters) == 2

    moved = pictures.draw(drawing(BELOW, disc(30)))
    assert len(rasters) == 2
    assert shows(moved, 30, 25, (255, 0, 0))
    assert shows(moved, 20, 25, (238, 238, 238))


def test_a_picture_is_the_same_whatever_was_drawn_before_it(
    rasters: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        drawing(BELOW, disc(x, x / 2, colour), ABOVE)
        for x, colour in ((9, "#00ff00"), (50, "#ff00ff"))
    ]
    svg = drawing(BELOW, disc(50), disc(9, 40, "#ffff00"), ABOVE)

    alone = pictures.draw(svg)
    monkeypatch.setattr(pictures, "_boards", LruCache(10_000_000, pictures._Board.weight))
    for other in others:
        pictures.draw(other)

    assert pictures.draw(svg) == alone


def test_a_piece_that_was_packed_away_is_as_it_was_drawn(
    rasters: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    half = disc(50).replace("fill=", 'fill-opacity="0.5" fill=')
    first = pictures.draw(drawing(BELOW, half))
    for kept in ("_unpacked", "_patches", "_bands"):
        monkeypatch.setattr(pictures, kept, LruCache(1_000_000, getattr(pictures, kept)._weigh))

    again = pictures.draw(drawing(BELOW, half))

    assert again == first
    assert len(pictures._unpacked) == 1
    assert len(rasters) == 2


def test_what_moves_keeps_colours_that_the_board_lacks(rasters: list[str]) -> None:
    half = disc(20, colour="#0000ff").replace("fill=", 'fill-opacity="0.5" fill=')
    named = ["#ff0000", "#fb0307", "#00ff00", "#123456", "#abcdef", "#fedcba"]
    many = [disc(35 + 10 * number, colour=colour) for number, colour in enumerate(named)]
    picture = pictures.draw(drawing(BELOW, half, *many))

    assert shows(picture, 20, 25, (119, 119, 247))
    for number, colour in enumerate(named):
        red, green, blue = bytes.fromhex(colour[1:])
        assert shows(picture, 35 + 10 * number, 25, (red, green, blue))


def test_a_picture_has_twice_the_pixels_it_is_shown_with_and_halves_fit_a_unit() -> None:
    sizes = {width: pictures.size((0, 0, width, width / 2)) for width in (716, 524, 1016, 2000)}

    assert sizes == {716: (1074, 537), 524: (1048, 524), 1016: (1016, 508), 2000: (1112, 556)}
    assert pictures.draw(drawing(BELOW, disc(20))).width == 550
    assert pictures.draw(drawing(BELOW, disc(20)).replace("100 50", "1016 508")).width == 556


def test_a_tall_picture_has_fewer_pixels_and_is_shown_as_wide() -> None:
    tall = drawing(BELOW, disc(20)).replace("0 0 100 50", "0 0 556 1156")
    picture = pictures.draw(tall)

    with Image.open(BytesIO(picture.content)) as image:
        assert image.size == (834, 1734), "1.5 for each unit of the drawing"
    assert picture.width == 556


def test_what_changed_without_saying_so_is_drawn_anew(rasters: list[str]) -> None:
    pictures.draw(drawing(BELOW, disc(21)))
    changed = pictures.draw(drawing(BELOW.replace("#eeeeee", "#00ff00"), disc(21)))

    assert shows(changed, 5, 5, (0, 255, 0))
    assert len(rasters) == 3


def test_what_stands_still_above_what_moves_covers_it(rasters: list[str]) -> None:
    picture = pictures.draw(drawing(BELOW, disc(40), ABOVE, disc(60, colour="#00ff00")))

    assert shows(picture, 37, 25, (255, 0, 0))
    assert shows(picture, 43, 25, (0, 0, 255))
    assert shows(picture, 57, 25, (0, 255, 0))
    assert shows(picture, 50, 5, (0, 0, 255))


def test_what_moves_partly_out_of_the_picture_is_cut_at_its_edge(rasters: list[str]) -> None:
    picture = pictures.draw(drawing(BELOW, disc(0, 0), disc(100, 50), disc(300)))

    assert shows(picture, 2, 2, (255, 0, 0))
    assert shows(picture, 98, 48, (255, 0, 0))


def test_a_group_inside_another_is_drawn_with_it(rasters: list[str]) -> None:
    svg = drawing(BELOW, f'<g transform="translate(30 0)">{disc(20)}</g>')

    assert len(layers.read(svg).parts) == 1
    assert shows(pictures.draw(svg), 50, 25, (255, 0, 0))


def test_a_drawing_that_does_not_say_what_moves_is_drawn_whole_and_not_kept(
    rasters: list[str],
) -> None:
    picture = pictures.draw(drawing(BELOW, ABOVE))

    assert shows(picture, 50, 5, (0, 0, 255))
    assert len(pictures._boards) == 0


WOOD = (
    '<defs><radialGradient id="light"><stop stop-color="#ffe9a8"/>'
    '<stop offset="1" stop-color="#3f2615"/></radialGradient></defs>',
    '<rect width="100" height="50" fill="url(#light)"/>',
    *(
        f'<path d="M0 {y} q25 {8 - y % 5} 50 0 t50 0" fill="none" stroke="#9a6a35"'
        ' stroke-opacity="0.3"/>'
        for y in range(0, 50, 2)
    ),
)


def test_wood_and_light_become_a_jpeg(rasters: list[str]) -> None:
    picture = pictures.draw(drawing(*WOOD, disc(50)))

    assert picture.subtype == "jpeg"
    assert picture.content.startswith(b"\xff\xd8")
    assert shows(picture, 50, 25, (255, 0, 0))


def test_a_little_light_still_becomes_a_png(rasters: list[str]) -> None:
    defs = '<defs><linearGradient id="l"><stop stop-color="#eeeeee"/></linearGradient></defs>'
    picture = pictures.draw(drawing(defs, BELOW, disc(50)))

    assert picture.subtype == "png"
    assert opened(picture.content).width == 1100


@pytest.mark.parametrize("size", [(200, 160), (90, 131), (16, 64), (33, 65)])
def test_bands_of_a_jpeg_are_one_picture(size: tuple[int, int]) -> None:
    columns, rows = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    pixels = np.stack([columns * 3, rows * 2, columns + rows], axis=-1).astype(np.uint8)

    bands = [jpeg.band(pixels[top : top + jpeg.ROWS]) for top in range(0, size[1], jpeg.ROWS)]
    together = opened(jpeg.file(size, bands))

    assert together.size == size
    assert ImageChops.difference(together, as_jpeg(Image.fromarray(pixels))).getbbox() is None


def test_only_bands_of_a_jpeg_that_changed_are_written_again(
    rasters: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    band = jpeg.band
    pictures.draw(drawing(*WOOD, disc(50, 5)))
    monkeypatch.setattr(jpeg, "band", lambda pixels: written.append(pixels) or band(pixels))

    pictures.draw(drawing(*WOOD, disc(60, 5)))
    assert 1 <= len(written) <= 3
    pictures.draw(drawing(*WOOD, disc(60, 5)))
    assert len(written) <= 3


def test_a_colour_that_comes_changes_only_the_bands_that_show_it(
    rasters: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of colours stood in their order, so a new one changed all that came behind it."""
    written = []
    band = png.band
    there = [
        disc(x, 6, colour) for x, colour in ((20, "#ff0000"), (40, "#00ff00"), (60, "#777777"))
    ]
    pictures.draw(drawing(BELOW, *there))
    monkeypatch.setattr(png, "band", lambda *asked: written.append(asked) or band(*asked))

    both = pictures.draw(drawing(BELOW, *there, disc(50, 44, "#000099")))

    assert shows(both, 50, 44, (0, 0, 0x99))
    assert shows(both, 60, 6, (0x77, 0x77, 0x77))
    # the disc covers 120 rows, and a band is compressed with the rows before it
    assert 2 <= len(written) <= 4
