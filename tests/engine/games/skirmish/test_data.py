"""The data files: read once, checked, and told in clear sentences what is wrong with them."""

import ast
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.errors import DataError, OptionsError
from engine.games.skirmish import GAME
from engine.games.skirmish.data import library as data
from engine.games.skirmish.data.library import WeaponsFile, library, weapon
from engine.games.skirmish.ground import generator
from engine.games.skirmish.ground.terrain import Building, Water, terrain
from engine.games.skirmish.men import wounds
from engine.games.skirmish.meta import LABELS, SkirmishOptions
from engine.games.skirmish.rulebook import rulebook


def test_what_the_rules_say_of_wounds_is_what_the_tables_hold():
    """SKR-98, 104, 105: of the wounds in the second column, and the rings with two of them."""
    book = rulebook(SkirmishOptions())
    said = " ".join(rule.sentence.text for chapter in book for rule in chapter.rules)
    losses = {row[1].loss for row in wounds.TABLE.values()}
    twice = {thing: weapon(thing).blast.rolls.count(2) for thing in ("m67", "rpg-7")}

    assert f"1 and 2 cost {min(losses)} to {max(losses)} HP" in said
    assert twice == {"m67": 1, "rpg-7": 2}
    assert "in the first ring of a grenade and in the first two of a rocket" in said


def test_what_the_source_fixes_is_marked_and_has_its_value():
    """SKR-68, 104, 165, 168, 170: difficulty 3, three dice a burst, 5/4/3, five and ten inches."""
    assert "difficulty" in weapon("m16a2").fixed
    assert weapon("m16a2").difficulty == 3
    assert weapon("m16a2").mode("burst").dice == 3
    assert weapon("m67").blast.rings == (5, 4, 3)
    assert weapon("mine").blast == weapon("m67").blast
    assert (weapon("claymore").cone.kill, weapon("claymore").cone.reach) == (5000, 10_000)
    assert all(
        5 <= mode.dice <= 10
        for w in library().weapons.values()
        for mode in w.modes
        if mode.name == "auto"
    )


def test_the_rules_read_every_value_of_the_files():
    """A value beside which the code has a number of its own can be changed without effect."""
    folder = Path(data.__file__).parents[1]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in folder.rglob("*.py")]
    read = {
        node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    }
    records = [kind for kind in data.Record.__subclasses__() if kind.__module__ == data.__name__]

    assert {field for kind in records for field in kind.__struct_fields__} <= read
    assert len(records) > 20


def test_everything_the_source_leaves_open_is_said_to_be_ours():
    note = json.loads(data.file_bytes("weapons.json"))["note"]

    assert "ours" in note
    assert all("dpr" not in w.fixed for w in library().weapons.values())


def test_a_file_that_does_not_fit_says_where():
    with pytest.raises(DataError, match=r"weapons\.json.*points"):
        data.read(
            WeaponsFile,
            b'{"note": "", "weapons": [{"name": "x", "title": "X", "kind": "gun",'
            b' "difficulty": 1, "fixed": []}]}',
            "weapons.json",
        )
    with pytest.raises(DataError, match=r"weapons\.json"):
        data.read(WeaponsFile, b"{", "weapons.json")


def test_a_record_twice_is_refused():
    with pytest.raises(DataError, match="two records called m4"):
        data.by_name((weapon("m4"), weapon("m4")), "weapons.json")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"ranges": ()}, "no mode or no range"),
        ({"calibre": ""}, "no magazine or calibre"),
        ({"dpr": None}, "does no damage"),
        ({"ranges": tuple(reversed(weapon("m4").ranges))}, "do not rise"),
    ],
)
def test_a_weapon_that_makes_no_sense_is_refused(changes, sentence):
    with pytest.raises(DataError, match=sentence):
        data.check_weapon(replace(weapon("m4"), **changes))


def test_a_list_that_names_what_does_not_exist_is_refused():
    books = library()
    rangers = replace(books.factions["rangers"], equipment={"tank": 1})

    with pytest.raises(DataError, match="tank"):
        data.check_faction(rangers, books.weapons, books.items, books.modifiers)


def test_abilities_are_from_one_to_ten():
    """SKR-5."""
    books = library()
    rangers = books.factions["rangers"]
    wrong = replace(rangers, abilities=replace(rangers.abilities, wp=11))

    with pytest.raises(DataError, match="1 to 10"):
        data.check_faction(wrong, books.weapons, books.items, books.modifiers)


@pytest.mark.parametrize("name", data.TABLES)
def test_a_battlefield_is_four_feet_square_with_room_to_deploy(name):
    """SKR-2."""
    form = library().tables[name]
    ground = terrain(form).grounds["ground"]

    assert (form.width, form.depth) == (48_000, 48_000)
    for y in (2000, 46_000):
        assert sum(ground.holds((x, y)) for x in range(1000, 48_000, 1500)) > 25


def test_there_is_a_village_a_compound_with_a_tall_house_a_wood_and_a_bridge():
    tables = library().tables

    assert sum(isinstance(f, Building) for f in tables["village"].features) >= 5
    assert any(
        isinstance(f, Building) and f.levels == 2 and f.material == "concrete"
        for f in tables["compound"].features
    )
    assert sum(type(f).__name__ == "Tree" for f in tables["wood"].features) > 15
    assert any(isinstance(f, Water) for f in tables["bridge"].features)


def test_generated_tables_come_from_the_dice_alone():
    first, again, other = (generator.generate(SeededDice.from_text(t)) for t in ("a", "a", "b"))

    assert first == again
    assert first != other
    assert terrain(first).grounds["ground"].holds((24_000, 2000))


def test_no_two_pieces_of_a_generated_table_overlap():
    for seed in range(20):
        form = generator.generate(SeededDice.from_text(str(seed)))
        rects = [f.rect for f in form.features if hasattr(f, "rect")]
        for number, a in enumerate(rects):
            for b in rects[:number]:
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_options_out_of_bounds_are_refused():
    for options in (
        SkirmishOptions(points=40),
        SkirmishOptions(points=2000),
        SkirmishOptions(turn_limit=99),
    ):
        with pytest.raises(OptionsError):
            GAME.check_options(2, options)
    with pytest.raises(OptionsError):
        GAME.check_options(3, SkirmishOptions())


def test_variants_name_what_is_not_as_usual():
    assert GAME.variants(2, SkirmishOptions()) == ()
    assert [str(v) for v in GAME.variants(2, SkirmishOptions(survivability=False))] == [
        "A man who has no health left may die (test of survivability): no"
    ]


def test_every_option_has_a_name_for_the_title():
    assert set(LABELS) == set(SkirmishOptions.__struct_fields__)


def test_every_scenario_has_a_turn_limit():
    assert all(1 <= s.turns <= 12 for s in library().scenarios.values())
