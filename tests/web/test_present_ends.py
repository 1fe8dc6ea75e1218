"""How a match ended, in words and lines: the score sheet, the chart, the order of a history."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from engine.errors import Sentence
from engine.game import Event, Outcome, Score, ScorePart
from engine.games.dog import events as dog
from engine.games.dogs_of_war import events as dogs_of_war
from pbem.looks import match_look
from pbem.looks.course import Course, course
from pbem.present import Moment, chart, chart_drawing, event_sentences, newest_first, outcome
from pbem.present.charts import APART, FIELD
from pbem.present.story import LineShown
from pbem.present.tables import OutcomeShown, table
from pbem.store.models import Match
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.web.house import WebHouse

WORDS = translator("en")
NAMES = ("Alice", "Bob", "Carol", "Dave", "Erin", "Frank")


def ended(
    winners: tuple[int, ...], *scores: tuple[tuple[str, int], ...], game: str = "dogs-of-war"
) -> OutcomeShown:
    """An outcome with these parts of each seat's score."""
    made = tuple(
        Score(
            seat,
            sum(points for _, points in parts),
            tuple(ScorePart(Sentence(label), points) for label, points in parts),
        )
        for seat, parts in enumerate(scores)
    )
    match = Match(game=game, seat_count=len(scores), options_json="{}")
    shown = outcome(Outcome("over", winners, made), match, NAMES, WORDS)  # type: ignore[type-var]
    assert shown is not None
    return shown


def test_a_score_sheet_has_players_by_rank_and_what_their_points_are_made_of() -> None:
    shown = ended(
        (2,),
        (("Tokens", 3), ("Coins: 5, a point for two", 2)),
        (("Tokens", 1), ("Influence: 2 × 2", 4)),
        (("Tokens", 7), ("Influence: 1 × 2", 2), ("Coins: 0, a point for two", 0)),
    )

    assert shown.title == "Carol has won"
    assert [(score.name, score.rank, score.total) for score in shown.ranked] == [
        ("Carol", 1, 9),
        ("Alice", 2, 5),
        ("Bob", 2, 5),
    ]
    assert [row.name for row in shown.sheet] == ["Tokens", "Influence", "Coins"]
    assert shown.sheet[1].cells == ((2, "1 × 2"), (None, ""), (4, "2 × 2"))


def test_partners_have_one_rank_that_of_their_team() -> None:
    inside = [(("In", pawns),) for pawns in (3, 4, 3, 3, 4, 4)]

    shown = ended((1, 4), *inside, game="dog")

    ranks = [(score.name, score.rank) for score in shown.ranked]
    assert ranks[:2] == [("Bob", 1), ("Erin", 1)]
    assert ranks[2:4] == [("Frank", 2), ("Carol", 2)]
    assert {name for name, rank in ranks if rank == 3} == {"Alice", "Dave"}


def test_all_who_won_are_first_whatever_their_points() -> None:
    shown = ended((0, 2), (("In", 1),), (("In", 4),), (("In", 2),))

    assert shown.title == "Alice and Carol have won"
    assert [(score.name, score.rank) for score in shown.ranked] == [
        ("Carol", 1),
        ("Alice", 1),
        ("Bob", 3),
    ]


def test_a_draw_and_a_match_that_was_ended_early_are_titles_too() -> None:
    assert ended((), (("In", 1),)).title == "A draw"
    early = outcome(None, Match(status="aborted"), NAMES, WORDS)
    assert early is not None
    assert early.title == "Ended early"


def test_a_history_from_its_end_keeps_the_order_of_what_one_move_brought() -> None:
    at = Moment(datetime(2026, 1, 1, tzinfo=UTC), "UTC", WORDS)

    def line(ply: int, said: str, heading: str) -> LineShown:
        return LineShown(ply, at, "", "", (said,), follows=said != "move", heading=heading)

    told = (
        line(1, "move", "Year 1"),
        line(1, "battle 1", "Year 1"),
        line(1, "battle 2", "Year 1"),
        line(1, "year", "Year 2"),
        line(2, "move", "Year 2"),
    )

    assert [(one.ply, *one.sentences) for one in newest_first(told)] == [
        (2, "move"),
        (1, "year"),
        (1, "move"),
        (1, "battle 1"),
        (1, "battle 2"),
    ]


# --- the chart ---


def of(*values: tuple[int, ...]) -> Course:
    points = tuple(enumerate(values))
    headings = ((0, Sentence("Deal {number}", {"number": 1})),)
    return Course(Sentence("points"), points, headings)


def test_a_chart_ends_with_a_name_for_each_line_and_none_covers_another() -> None:
    shown = chart(of((0, 0, 0), (5, 5, 5), (10, 10, -10)), NAMES, WORDS, winners=(0,))

    assert shown is not None
    assert shown.said == "points. At the end: Alice 10, Bob 10, Carol −10."
    places = sorted(line.at for line in shown.lines)
    assert all(after - before >= APART - 1 for before, after in pairwise(places))
    assert [line.seat for line in shown.lines][-1] == 0, "the winner's line is on top"
    assert len({line.dash for line in shown.lines}) == 3
    left, top, right, bottom = FIELD
    for line in shown.lines:
        for x, y in re.findall(r"([\d.]+) ([\d.-]+)", line.path):
            assert left <= float(x) <= right
            assert top <= float(y) <= bottom


@pytest.mark.parametrize(("language", "first"), [("en", "Year 1"), ("es", "Año 1")])
def test_every_year_is_named_below_a_chart_also_where_a_year_was_short(
    language: str, first: str
) -> None:
    years = tuple(
        (ply, Sentence("Year {number}", {"number": year}))
        for year, ply in enumerate((3, 12, 22, 50), start=1)
    )
    values = tuple((ply, (ply, 0)) for ply in range(3, 90))

    words = translator(language, "dogs-of-war")
    shown = chart(Course(Sentence("points"), values, years), NAMES, words)

    assert shown is not None
    assert [text for _, text in shown.headings] == [first, "2", "3", "4"]
    assert all(after - before >= 30 for (before, _), (after, _) in pairwise(shown.headings))


def test_a_long_heading_begins_within_the_chart() -> None:
    deals = ((0, Sentence("Expedition number {number}", {"number": 1})),)

    shown = chart(Course(Sentence("points"), ((0, (0,)), (9, (9,))), deals), NAMES, WORDS)

    assert shown is not None
    [(ends, text)] = shown.headings
    assert ends >= 8 * len(text)


def test_a_long_match_has_a_short_chart() -> None:
    shown = chart(of(*((ply, 2 * ply, 0) for ply in range(5000))), NAMES, WORDS)

    assert shown is not None
    assert len(chart_drawing(shown, WORDS, "dog")) < 20_000
    assert {len(line.signs) for line in shown.lines} == {24}
    assert [line.last for line in shown.lines] == [4999, 9998, 0]


def test_nothing_is_drawn_of_a_match_that_did_not_come_far() -> None:
    assert chart(None, NAMES, WORDS) is None
    assert chart(of((0, 0, 0)), NAMES, WORDS) is None


def test_the_course_of_a_match_is_known_when_it_is_over(web: WebHouse) -> None:
    match = web.play_on(web.running(), plies=40)
    before = course(web.service, match.id)
    remedies.abort(web.service, match.id, actor="host")

    after = course(web.service, match.id)

    assert before is None
    assert after is not None
    assert [ply for ply, _ in after.points] == list(range(41))
    assert after.points[0][1] == (0, 0, 0, 0)
    assert max(after.points[-1][1]) > 0
    assert [heading.parameters["number"] for _, heading in after.headings][:2] == [1, 2]


def test_a_match_that_was_ended_early_asks_nobody_for_a_card(web: WebHouse) -> None:
    match = web.running()

    def told() -> str:
        look = match_look.table(web.service, match.id, 1)
        return table(look, WORDS, zone="UTC", base_url="").board_text

    running = told()
    remedies.abort(web.service, match.id, actor="host")

    assert "Choose a card" in running
    assert "Choose a card" not in told()
    assert "Your hand" in told()


@pytest.mark.parametrize(
    ("game", "ended", "english", "spanish"),
    [
        ("dog", dog.Won((1,)), "Bob wins.", "Gana Bob."),
        ("dog", dog.Won((1, 3)), "Bob and Dave win.", "Ganan Bob y Dave."),
        ("dog", dog.Won((0, 1, 3)), "Alice, Bob and Dave win.", "Ganan Alice, Bob y Dave."),
        (
            "dogs-of-war",
            dogs_of_war.MatchEnded((0, 2), ()),
            "Alice and Carol share the victory.",
            "Alice y Carol comparten la victoria.",
        ),
    ],
)
def test_several_who_win_are_named_in_one_sentence(
    game: str, ended: Event, english: str, spanish: str
) -> None:
    told = [
        event_sentences(game, [ended], NAMES, translator(language, game))
        for language in ("en", "es")
    ]

    assert told == [(english,), (spanish,)]
