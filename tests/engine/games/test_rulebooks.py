"""The rules of a match, as its page tells them: all that hold in it, and no others."""

import itertools
import re
import typing
from itertools import islice
from pathlib import Path

import msgspec
import pytest

import engine.games
from engine.chooser import Chooser
from engine.errors import OrderError
from engine.games.registry import BUILT_IN, find
from engine.testing import moments, option_sets
from engine.testing.mutants import mutants, noise
from tests.engine.games.dog.test_rule_ids import RULES as DOG
from tests.engine.games.skirmish.test_rule_ids import RULES as SKIRMISH

DOGS_OF_WAR = {*(f"DOW-{n}" for n in range(1, 101)), *(f"DOW-V{n}" for n in (*range(1, 7), "2a"))}
#: All rules of a game: those that a test names are all there are.
RULES = {
    "dog": {name for name in DOG if "-" in name},
    "dogs-of-war": DOGS_OF_WAR,
    "skirmish": {name for name in SKIRMISH if "-" in name},
}
GAMES = pytest.mark.parametrize("name", BUILT_IN)
FORMS = [(name, seats) for name in BUILT_IN for seats in find(name).meta.seats]


def options_of(game):
    """The default options, then each other value of each option alone."""
    plain = game.options_type()
    yield plain
    for field, kind in typing.get_type_hints(game.options_type).items():
        values = (True, False) if bool in (kind, *typing.get_args(kind)) else ()
        if typing.get_origin(kind) is typing.Literal:
            values = typing.get_args(kind)
        for value in values:
            yield msgspec.structs.replace(plain, **{field: value})


def books(name):
    """The rulebook of every number of players with every option set alone."""
    game = find(name)
    for seats, options in itertools.product(game.meta.seats, options_of(game)):
        yield game.rulebook(seats, options, game.meta.rules_version)


def ids(book):
    return {one for chapter in book for rule in chapter.rules for one in rule.ids}


def said(name, seats=None, **options):
    """The ids and sentences of a match with these options."""
    game = find(name)
    book = game.rulebook(
        seats or game.meta.seats[0], game.options_type(**options), game.meta.rules_version
    )
    return {(one, str(r.sentence)) for chapter in book for r in chapter.rules for one in r.ids}


@GAMES
def test_every_rule_stands_in_the_rules_of_some_match(name):
    told = set().union(*map(ids, books(name)))

    assert told == RULES[name]


@GAMES
def test_every_rule_that_a_refusal_can_name_stands_in_the_rules_of_some_match(name):
    folder = Path(engine.games.__file__).parent / BUILT_IN[name].rpartition(".")[2]
    files = [file for file in sorted(folder.rglob("*.py")) if file.stem != "rulebook"]
    code = "".join(file.read_text() for file in files)

    named = set(re.findall(r'"((?:DOG|ODD3|ODD5|DOW|SKR)-\w+)"', code))

    assert named
    assert named <= set().union(*map(ids, books(name)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), FORMS)
def test_every_rule_that_a_refusal_names_stands_in_the_rules_of_its_match(name, seats):
    """With these players and options: not only in the rules of some other match."""
    game = find(name)
    for options in option_sets(game, seats):
        book = game.rulebook(seats, options, game.meta.rules_version)

        named = set(rules_named(game, seats, options))

        assert named
        assert named <= ids(book), f"{seats} players, {options}"


def rules_named(game, seats, options):
    """The rules that refusals name in a random match, of strange and faulty moves and orders."""
    asked = [
        (moment, min(game.phase(moment.state).pending))
        for moment in islice(moments(game, seats, options, seed="refusals", every=19), 8)
        if game.phase(moment.state).pending
    ]
    listed = [list(game.legal_moves(moment.state, seat)) for moment, seat in asked]
    strangers = [move for legal in listed for move in legal[:: max(1, len(legal) // 3)]]
    orders = [game.format(move) for move in strangers]
    for moment, seat in asked:
        for move in strangers:
            yield from refused_by(game.check, moment.state, seat, move)
        for move in mutants(game, strangers, moment.ply):
            yield from refused_by(game.check, moment.state, seat, move)
        for order in (*orders, *noise(orders, Chooser(f"noise {moment.ply}"))):
            yield from refused_by(game.parse, moment.state, seat, order)


def refused_by(ask, *question):
    """The rule that a refusal names, if it is one and names one."""
    try:
        ask(*question)
    except OrderError as error:
        if error.rule is not None:
            yield error.rule


@GAMES
def test_no_sentence_stands_twice_in_the_rules_of_a_match(name):
    for book in books(name):
        sentences = [str(rule.sentence) for chapter in book for rule in chapter.rules]

        assert len(sentences) == len(set(sentences))


def test_rules_of_partners_hold_only_where_there_are_partners():
    four, five, three = (
        ids(find("dog").rulebook(n, find("dog").options_type(), "2")) for n in (4, 5, 3)
    )

    assert {"DOG-1", "DOG-61"} <= four
    assert not {one for one in four if one.startswith("ODD")}
    assert {one for one in five if one.startswith("ODD3")} == set()
    assert "DOG-61" not in five | three


@pytest.mark.parametrize(
    ("seats", "options", "said_of_a_seven"),
    [
        (3, {}, []),
        (5, {}, []),
        (4, {}, ["A 7 sends the pawns of others that it passes Home."]),
        (6, {"seven_burns_own": True}, ["A 7 sends all pawns that it passes Home."]),
    ],
)
def test_jumping_is_told_as_it_is_with_so_many_players(seats, options, said_of_a_seven):
    """DOG-25, DOG-54, ODD5-12: a 7 sends home what it passes only where there are partners."""
    told = [text for one, text in said("dog", seats, **options) if one == "DOG-25"]

    jump = "A pawn may jump over any pawn except a fresh one."
    assert sorted(told) == sorted([jump, *said_of_a_seven])


def test_an_option_changes_what_its_rule_says():
    usual = dict(said("dog", 4))
    burns = dict(said("dog", 4, seven_burns_own=True))
    night = dict(said("skirmish", night=True))

    assert "not your own" in usual["DOG-54"]
    assert "your own pawns too" in burns["DOG-54"]
    assert "SKR-81" in night
    assert "SKR-81" not in dict(said("skirmish"))


def test_the_rules_of_a_variant_hold_only_with_it():
    plain, sudden = dict(said("dogs-of-war")), dict(said("dogs-of-war", sudden_death=True))

    assert "DOW-V2" in sudden
    assert "DOW-45" not in sudden
    assert "DOW-V2" not in plain


def test_older_rules_of_a_match_are_told():
    """DOW-1: by version 1 lots decided who plays which dog of war."""
    game = find("dogs-of-war")

    old, new = (game.rulebook(4, game.options_type(), version) for version in ("1", "2"))

    first = [
        next(str(r.sentence) for c in book for r in c.rules if "DOW-1" in r.ids)
        for book in (old, new)
    ]
    assert first == [
        "Lots decide who plays which dog of war.",
        "Everybody chooses a dog of war, in the order of the seats.",
    ]
