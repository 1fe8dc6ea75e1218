"""The course of a match as a chart: a line for each seat, with its mark at the end."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pbem.looks.course import Course
from pbem.present import colours
from pbem.words import templating
from pbem.words.i18n import Translator

#: The drawing, and within it the field of the lines: left, top, right, bottom.
WIDTH, HEIGHT = 640, 310
FIELD = (58, 16, 480, 262)
#: Dashes tell the lines apart without colour; one for each seat.
DASHES = ("", "9 5", "2.5 6", "14 4 3 4", "6 3", "1.5 4")
#: Least distance of two names, and the most samples of a line.
APART, SAMPLES = 27, 160
#: Room for a number below, half of a digit, and a letter of the first heading at most.
ROOM, HALF_DIGIT, LETTER = 30, 5, 8
#: Signs of a line in plain text, and what they are chosen from.
SIGNS, HEIGHTS = 24, "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class LineDrawn:
    """The line of a seat, and where its name stands."""

    seat: int
    name: str
    last: int
    path: str
    dash: str
    at: float
    #: The line in a few signs of different height, for plain text.
    signs: str


@dataclass(frozen=True)
class Chart:
    """All that ``templates/web/chart.svg`` draws."""

    what: str
    #: The same in words, for whoever cannot see it.
    said: str
    lines: tuple[LineDrawn, ...]
    #: Heights with their numbers, and places across with their headings: the first ends at its
    #: place, the others have theirs in their middle.
    heights: tuple[tuple[float, str], ...]
    headings: tuple[tuple[float, str], ...]
    width: int = WIDTH
    height: int = HEIGHT
    field: tuple[int, int, int, int] = FIELD


def chart(
    course: Course | None, names: Sequence[str], words: Translator, winners: Sequence[int] = ()
) -> Chart | None:
    """The chart of a course; None if there is nothing to draw. Lines of winners are on top."""
    if course is None or len(course.points) < 2:
        return None
    step = max(1, len(course.points) // SAMPLES)
    points = [*course.points[:-1:step], course.points[-1]]
    every = [value for _, values in points for value in values]
    steps = _round_steps(min(0, *every), max(1, *every))
    low, high = steps[0], steps[-1]
    begins, ends = points[0][0], max(points[-1][0], points[0][0] + 1)
    left, top, right, bottom = FIELD

    def across(ply: int) -> float:
        return round(left + (right - left) * (ply - begins) / (ends - begins), 1)

    def up(value: float) -> float:
        return round(bottom - (bottom - top) * (value - low) / (high - low), 1)

    last = points[-1][1]
    places = _spread([up(value) for value in last])
    lines = [
        LineDrawn(
            seat,
            names[seat],
            last[seat],
            "M" + "L".join(f"{across(ply):g} {up(values[seat]):g}" for ply, values in points),
            DASHES[seat % len(DASHES)],
            places[seat],
            _signs([values[seat] for _, values in points], low, high),
        )
        for seat in range(len(last))
    ]
    what = words.sentence(course.what)
    said = ", ".join(f"{line.name} {templating.minus(line.last)}" for line in lines)
    return Chart(
        what=what,
        said=words.text("{what}. At the end: {numbers}.", what=what, numbers=said),
        lines=tuple(sorted(lines, key=lambda line: line.seat in winners)),
        heights=tuple((up(value), templating.minus(f"{value:g}")) for value in steps),
        headings=_headings(course, across, words),
    )


def drawing(chart: Chart, words: Translator, game: str) -> Markup:
    """The chart as a file of its own, for a mail."""
    drawn = templating.render("web/chart.svg", words, chart=chart, standalone=True)
    return Markup(colours.filled(drawn, game))  # noqa: S704 - an .svg template escapes what is put in


def _signs(values: Sequence[int], low: float, high: float) -> str:
    at = (values[round(one * (len(values) - 1) / (SIGNS - 1))] for one in range(SIGNS))
    return "".join(
        HEIGHTS[round((value - low) / (high - low) * (len(HEIGHTS) - 1))] for value in at
    )


def _headings(
    course: Course, across: Callable[[int], float], words: Translator
) -> tuple[tuple[float, str], ...]:
    """The first heading in full, of the others the numbers: as many as there is room for.

    The words of the first stand before the field, so that its number is below where it begins.
    """
    found = [(across(ply), heading) for ply, heading in course.headings]
    shown: list[tuple[float, str]] = []
    for x, heading in found:
        number = heading.parameters.get("number")
        if not shown:
            said = words.sentence(heading)
            shown.append((max(x + HALF_DIGIT, LETTER * len(said)), said))
        elif number is not None and x - shown[-1][0] >= ROOM:
            shown.append((x, str(number)))
    return tuple(shown)


def _round_steps(low: int, high: int) -> list[float]:
    """Round numbers, evenly apart, from below the lowest to above the highest."""
    rough = (high - low) / 4
    size = 10 ** math.floor(math.log10(rough)) if rough > 0 else 1
    apart = max(1, next(size * one for one in (1, 2, 5, 10) if size * one >= rough))
    first, last = math.floor(low / apart), math.ceil(high / apart)
    return [apart * one for one in range(first, max(last, first + 1) + 1)]


def _spread(wanted: Sequence[float]) -> list[float]:
    """Places near these, at least ``APART`` from each other."""
    order = sorted(range(len(wanted)), key=lambda one: wanted[one])
    placed = list(wanted)
    for _ in range(50):
        moved = False
        for upper, lower in itertools.pairwise(order):
            short = APART - (placed[lower] - placed[upper])
            if short > 0.1:
                placed[upper] -= short / 2
                placed[lower] += short / 2
                moved = True
        if not moved:
            break
    shift = max(0.0, FIELD[1] - min(placed)) - max(0.0, max(placed) - FIELD[3])
    return [round(place + shift, 1) for place in placed]
