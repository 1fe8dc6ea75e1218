"""Orders as people write them."""

from itertools import product

import pytest
from msgspec.structs import replace

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.games.skirmish import GAME
from engine.games.skirmish import moves as m
from engine.games.skirmish.notation import inches, read, write
from engine.games.skirmish.words import thousandths
from tests.engine.games.skirmish.world import change, refused, world
from tests.golden.record_matches import kept
from tests.golden.record_matches import read as golden

ORDERS = [
    "build rangers (1: motorola; 3: m60e3 nvg) + marines meu-soc (2: sniper)",
    "side south",
    "deploy first",
    "deploy alpha-1 5,2 facing 0; alpha-2 7.5,2 on hut-1 facing 20 prone",
    "go second",
    "activate alpha",
    "alpha-2 end",
    "demands off",
    "alpha-2 run to 20,12 then 23.5,14",
    "alpha-2 climb to 12.125,14 on inn-1",
    "alpha-2 face 90",
    "alpha-2 prone",
    "alpha-2 stand",
    "alpha-2 fire bravo-1 with m16a2 single aimed low reroll spotter alpha-3",
    "alpha-1 fire 20,30 with m203 single",
    "alpha-1 fire building inn level 1 with rpg-7 single",
    "alpha-2 throw m67 at bravo-1 through",
    "alpha-2 throw smoke at 12,13.5 on inn-1",
    "alpha-3 opfire with m249 burst arc 30-60 range 24 at first chance 40",
    "alpha-3 opfire trigger claymore-1 at bravo chance 10",
    "alpha-2 reload m16a2",
    "alpha-2 learn ak-47",
    "alpha-2 pick up 30 7.62",
    "alpha-2 drop 1 m67",
    "alpha-2 fix bayonet",
    "alpha-2 attack bravo-1 with club knockout",
    "alpha-2 tackle bravo-1",
    "alpha-2 tie bravo-1",
    "alpha-2 bandage alpha-3",
    "alpha-2 rouse alpha-3",
    "alpha-2 carry alpha-3",
    "alpha-2 put down",
    "alpha-2 place c4 at 12,14 facing 30 quarters 2",
    "alpha-2 trigger claymore-1",
    "alpha-2 demand bravo-1",
]

#: Matches of every version of the rules.
LOGS = [file for file in kept() if file.name.startswith("skirmish_")]


@pytest.mark.parametrize("text", ORDERS)
def test_every_order_is_read_and_written_alike(text):
    assert write(read(text)) == text
    assert read(f"  {text.upper().replace(' ', '  ')} ") == read(text)


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.name.partition(".")[0])
def test_what_stands_in_the_log_of_an_older_match_is_read(file):
    orders = [entry["order"] for entry in golden(file)["record"]["entries"] if entry["order"]]

    assert [write(read(text)) for text in orders] == orders


def test_every_way_to_wait_and_to_fire_is_written_as_it_is_read():
    """SKR-45, 69, 70, 87, 180."""
    arcs, reaches, targets = ((0, 0), (0, 1), (359, 0)), (0, 1, 24_000), ("first", "bravo-1")
    on = (False, True)
    waits = [
        m.OpFire("alpha-1", gun, mode, arc, reach, target, 40, device, *extras)
        for gun, mode, device in (("m16a2", "burst", ""), ("", "", "claymore-1"))
        for arc, reach, target in product(arcs, reaches, targets)
        for extras in product(on, repeat=3)
    ]
    shots = [
        m.Fire("alpha-1", "m16a2", "burst", "bravo-1", None, "ground", "", 0, *extras, spotter)
        for extras in product(on, repeat=4)
        for spotter in ("", "alpha-2")
    ]

    assert [read(write(move)) for move in (*waits, *shots)] == [*waits, *shots]


def test_what_follows_a_throw_is_read_in_any_sequence():
    """SKR-111, 180: as after a shot."""
    both = m.Throw("alpha-1", "m67", "bravo-1", through=True, reroll=True)

    assert read("alpha-1 throw m67 at bravo-1 through reroll") == both
    assert read("alpha-1 throw m67 at bravo-1 reroll through") == both


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("fire bravo-1 single burst", "single", "burst"),
        ("fire bravo-1 burst aimed auto", "burst", "auto"),
        ("fire bravo-1 with m16a2 with m4", "with m16a2", "with m4"),
        ("fire bravo-1 spotter alpha-2 spotter alpha-3", "spotter alpha-2", "spotter alpha-3"),
        ("opfire at bravo-1 at first", "at bravo-1", "at first"),
        ("opfire single burst at first", "single", "burst"),
        ("attack bravo-1 with knife with club", "with knife", "with club"),
        ("place c4 at 12,14 facing 30 facing 60", "facing 30", "facing 60"),
        ("opfire with m16a2 with m4", "with m16a2", "with m4"),
        ("opfire range 24 range 12", "range 24", "range 12"),
        ("opfire arc 0-90 chance 40 arc 90-180", "arc 0-90", "arc 90-180"),
        ("opfire chance 40 chance 50", "chance 40", "chance 50"),
        (
            "opfire trigger claymore-1 trigger claymore-2",
            "trigger claymore-1",
            "trigger claymore-2",
        ),
        ("opfire with m16a2 trigger claymore-1", "trigger claymore-1", "with m16a2"),
        ("opfire burst trigger claymore-1", "trigger claymore-1", "burst"),
    ],
)
def test_an_order_that_gives_one_thing_two_values_is_refused(said, one, other):
    """SKR-45, 68: neither the first value nor the last is taken for what was meant."""
    state = world([(20, 10), (22, 10)], [(20, 30)])

    with pytest.raises(Ambiguous, match=f"says “{one}” and “{other}”; only one of the two"):
        GAME.parse(state, 0, f"alpha-1 {said}")


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("attack bravo-1 knockout with club", "attack bravo-1 with club knockout"),
        ("throw m67 at bravo-1 reroll through", "throw m67 at bravo-1 through reroll"),
        ("place c4 at 12,14 quarters 2 facing 30", "place c4 at 12,14 facing 30 quarters 2"),
    ],
)
def test_what_follows_a_target_or_a_place_comes_in_any_sequence(said, written):
    assert write(read(f"alpha-2 {said}")) == f"alpha-2 {written}"


def test_what_is_said_twice_alike_is_one_thing():
    assert read("alpha-1 fire bravo-1 aimed single aimed") == read(
        "alpha-1 fire bravo-1 single aimed"
    )
    assert read("alpha-1 opfire arc 0-90 arc 360-90") == read("alpha-1 opfire arc 0-90")


@pytest.mark.parametrize("said", ["range 0", "range 0.0", "range 000"])
def test_a_range_that_reaches_nobody_is_refused(said):
    """SKR-45: it is not taken for no range at all, which is as far as the weapon carries."""
    caught = refused(world([(20, 10)]), f"alpha-1 opfire {said} at first")

    assert caught.rule == "SKR-45"
    assert "A range of 0 inches reaches nobody." in str(caught)


@pytest.mark.parametrize("arc", ["90-90", "0-360", "360-0", "0-0"])
def test_an_arc_between_one_direction_and_itself_is_refused(arc):
    """SKR-45: it is neither nothing nor all there is."""
    caught = refused(world([(20, 10)]), f"alpha-1 opfire arc {arc} at first")

    assert caught.rule == "SKR-45"
    assert "Both edges of that arc are the same direction." in str(caught)


def test_every_kind_of_move_has_an_order():
    kinds = {type(read(text)) for text in ORDERS}

    assert kinds == set(m.SkirmishMove.__args__)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "alpha-2",
        "alpha-2 dance",
        "alpha-2 run to here",
        "alpha-2 run to 1,2 3",
        "build",
        "deploy alpha-1",
        "alpha-2 face 361",
        "alpha-2 run to 1.2345,2",
        "alpha-2 opfire arc north",
        "alpha-2 opfire arc 400-30",
    ],
)
def test_what_is_no_order_is_refused_with_an_example(text):
    with pytest.raises(Unreadable, match="Orders look like"):
        read(text)


def test_the_example_is_an_order_for_a_man_of_who_asks():
    state = world([(20, 10)], [(20, 30)], active="")
    state = replace(state, chooser=1)

    with pytest.raises(Unreadable, match=r"like “bravo-1 run to 23\.5,14” or “bravo end”"):
        GAME.parse(state, 1, "bravo-1 dance")


def test_the_example_is_there_also_when_nobody_of_who_asks_is_fit():
    state = world([(20, 10)], [(20, 30)])
    fallen = tuple(replace(man, condition="unconscious") for man in state.models)

    with pytest.raises(Unreadable, match="like “alpha-1 run to"):
        GAME.parse(replace(state, models=fallen), 0, "alpha-1 dance")


def test_short_forms_are_filled_in_with_the_weapon_at_hand():
    state = world([(20, 10)], [(20, 30)])

    assert GAME.parse(state, 0, "alpha-1 fire bravo-1 burst aimed".replace(" aimed", "")) == m.Fire(
        "alpha-1", "m16a2", "burst", "bravo-1"
    )
    assert GAME.parse(state, 0, "alpha-1 opfire arc 30-60 range 24 at first") == m.OpFire(
        "alpha-1", "m16a2", "single", (30, 60), 24_000
    )


def test_the_commas_and_names_people_use():
    assert read("alpha-2 run 23.5, 14") == m.Travel("alpha-2", "run", ((23_500, 14_000),))
    assert read("alpha-2 face west").facing == 270
    assert read("alpha-2 bandage self").patient == "alpha-2"


@pytest.mark.parametrize(
    ("value", "text"), [(23_500, "23.5"), (14_000, "14"), (125, "0.125"), (10_050, "10.05")]
)
def test_lengths_are_written_without_loss(value, text):
    assert inches(value) == text
    assert thousandths(text) == value


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("building", "the forces are being built"),
        ("sides", "the sides are being chosen"),
        ("order", "who deploys first is being chosen"),
        ("deployment", "the forces are being deployed"),
        ("initiative", "who activates first is being chosen"),
    ],
)
def test_an_order_at_the_wrong_time_is_refused_with_what_it_is_time_for(stage, said):
    """SKR-20."""
    state = replace(world([(20, 10)]), stage=stage, places=(None, None), builds=(None, None))

    assert str(refused(state, "alpha-1 prone")) == f"That order is not possible now: {said}."
    assert str(refused(world([(20, 10)]), "go first")).endswith(": the turn is under way.")


@pytest.mark.parametrize(
    ("stage", "example"),
    [
        ("building", "“build airborne"),
        ("sides", "“side south”"),
        ("order", "“deploy first”"),
        ("deployment", "“deploy alpha-1 24,1.5"),
        ("initiative", "“go first”"),
        ("activation", "“alpha-1 run to 23.5,14”"),
    ],
)
def test_what_cannot_be_read_is_told_with_an_order_of_its_time(stage, example):
    state = replace(world([(20, 10)]), stage=stage, places=(None, None), builds=(None, None))

    with pytest.raises(Unreadable, match=f"I cannot read “north please”.* {example}"):
        GAME.parse(state, 0, "north please")


@pytest.mark.parametrize(
    ("said", "example"),
    [
        ("opfir", "opfire with ak-47 auto arc 30-60 range 24 at first chance 40"),
        ("opfire arc 30", "opfire with ak-47 auto arc 30-60 range 24 at first chance 40"),
        ("vigilar arco 30-60", "opfire with ak-47 auto arc 30-60 range 24 at first chance 40"),
        ("throw m67 to bravo-1 please", "throw m67 at 20,14"),
        ("atack bravo-1 knife", "attack bravo-1 with knife"),
        ("bandge alpha-2", "bandage alpha-1"),
        ("fire bravo-1 using ak-47", "fire bravo-1 with ak-47 single aimed"),
    ],
)
def test_an_order_that_is_misspelt_is_told_with_one_of_its_kind(said, example):
    """SKR-45: the order of whoever waits to fire, too; with what the man has in his hands."""
    state = world([(20, 10), (24, 10)], lists=("taliban", "rangers"))

    with pytest.raises(Unreadable, match=f"“alpha-1 {said}”. .* “alpha-1 {example}”"):
        GAME.parse(state, 0, f"alpha-1 {said}")


@pytest.mark.parametrize("changes", [{}, {"prone": True}])
def test_offered_orders_name_places_in_tenths_of_an_inch(changes):
    """SKR-26, 38: who looks to 37 degrees is not offered a throw at 24.815,16.389."""
    things = ("1: mine", "")
    state = change(
        world([(20, 10)], [(24.313, 14.777)], things=things), "alpha-1", facing=37, **changes
    )
    moves = list(GAME.legal_moves(state, 0))

    places = [
        place
        for move in moves
        for place in (*getattr(move, "path", ()), getattr(move, "spot", None))
        if place is not None
    ]

    assert {type(move) for move in moves} >= {m.Travel, m.Throw, m.Place}
    assert [place for place in places if place[0] % 100 or place[1] % 100] == []


def test_op_fire_is_understood_as_the_rules_write_it():
    """SKR-45."""
    state = world([(20, 10)])

    assert {GAME.parse(state, 0, f"alpha-1 {said}") for said in ("Op-Fire", "op fire")} == {
        GAME.parse(state, 0, "alpha-1 opfire")
    }


def test_refusals_name_the_rule_and_what_is_left():
    state = world([(20, 10)])

    with pytest.raises(IllegalMove) as caught:
        GAME.parse(state, 0, "alpha-1 walk to 20,25")

    assert caught.value.rule == "SKR-7"
    assert "10 left" in str(caught.value)
