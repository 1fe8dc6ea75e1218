"""Force building and the lists: SKR-2, 5, 6, 14, 15, 160 to 189."""

import pytest

from engine import codec
from engine.dice import SeededDice
from engine.errors import IllegalMove
from engine.games.skirmish import GAME
from engine.games.skirmish.data.library import faction, library
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.notation import read
from engine.games.skirmish.stages import building

PRICES = {
    "airborne": 250,
    "rangers": 250,
    "green-berets": 250,
    "delta-force": 300,
    "marines": 250,
    "militia": 100,
    "civilians": 50,
    "al-qaeda": 200,
    "taliban": 150,
}
ABILITIES = {
    "airborne": (6, 7, 5, 5, 5, 5, 8, 7),
    "rangers": (6, 7, 5, 5, 5, 5, 8, 7),
    "green-berets": (7, 8, 6, 5, 6, 5, 8, 8),
    "delta-force": (7, 8, 6, 5, 6, 5, 8, 8),
    "marines": (6, 7, 5, 5, 5, 5, 8, 7),
    "militia": (5, 5, 4, 4, 4, 5, 6, 5),
    "civilians": (4, 4, 3, 4, 4, 5, 6, 5),
    "al-qaeda": (5, 5, 5, 4, 4, 5, 7, 6),
    "taliban": (5, 5, 5, 4, 4, 5, 6, 5),
}


def price(text):
    return building.price(read(f"build {text}"))


def men(text, seat=0):
    return building.raise_force(seat, read(f"build {text}"))[1]


def refusal(text, limit=500):
    with pytest.raises(IllegalMove) as caught:
        building.check_build(read(f"build {text}"), limit)
    return caught.value.rule


@pytest.mark.parametrize("name", PRICES)
def test_a_list_costs_and_can_what_its_source_says(name):
    """SKR-5: nine lists, each ability from 1 to 10, AR may be 0."""
    list_ = faction(name)
    found = tuple(
        getattr(list_.abilities, key) for key in ("wp", "wk", "cq", "st", "ft", "hp", "ml", "cc")
    )

    assert list_.points == PRICES[name]
    assert found == ABILITIES[name]


def test_there_are_nine_lists():
    assert set(library().factions) == set(PRICES)


def test_the_smallest_force_is_one_team_of_four():
    """SKR-2: a leader and three."""
    assert [man.role for man in men("militia")] == ["leader", "second", "gunner", "assistant"]
    with pytest.raises(IllegalMove):
        building.check_build(type(read("build militia"))(()), 500)


def test_a_force_within_the_limit_is_legal_and_one_above_is_not():
    """SKR-14."""
    building.check_build(read("build rangers + rangers"), 500)

    assert refusal("rangers + rangers + civilians") == "SKR-14"


def test_a_list_has_only_what_it_names():
    """SKR-14, 189: militia and civilians have no ability modifiers."""
    assert refusal("militia (1: marksman)") == "SKR-14"
    assert refusal("civilians (1: gun-nut)") == "SKR-14"
    assert refusal("marines (1: motorola)") == "SKR-14"


def test_a_modifier_is_bought_once_and_raises_its_ability():
    """SKR-15."""
    assert refusal("rangers (1: marksman marksman)") == "SKR-15"
    assert men("rangers (2: marksman)")[1].abilities.wp == 7
    assert price("rangers (2: marksman)") == 280


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("rangers (1: motorola gps nvg laser)", 250 + 25 + 30 + 25 + 25),
        ("marines (1: nvg laser)", 250 + 30 + 30),
        ("marines (2: gun-nut close-combat)", 250 + 10 + 20),
        ("airborne (2: gun-nut close-combat golds-gym ocs engineer)", 250 + 20 + 30 + 20 + 20 + 30),
        ("green-berets (1: mountaineering m4)", 250 + 30 + 15),
        ("delta-force (1: mine shaped-charge engineer c4 claymore)", 300 + 25 + 20 + 30 + 25 + 20),
        ("marines (4: hard-corps)", 280),
        ("militia (2: rpg-7 rpg-round rpg-round soviet-frag)", 100 + 50 + 50 + 20),
        (
            "al-qaeda (1: kevlar-vest soviet-veteran desert jihad camp-trained)",
            200 + 30 + 30 + 20 + 40 + 30,
        ),
        ("taliban (1: soviet-veteran desert jihad)", 150 + 30 + 20 + 40),
    ],
)
def test_prices_are_those_of_the_lists(text, total):
    """SKR-14."""
    assert price(text) == total


#: Section 9, line by line: what each list sells beside weapons, and for how much.
US = {"gps": 30, "nvg": 25, "laser": 25, "mine": 25, "shaped-charge": 20, "c4": 25, "claymore": 20}
IRREGULAR = {"rpg-7": 50, "rpg-round": 25, "soviet-frag": 20}
EQUIPMENT = {
    "airborne": {"motorola": 25, **US},
    "rangers": {"motorola": 25, **US},
    "green-berets": US,
    "delta-force": US,
    "marines": {**US, "nvg": 30, "laser": 30},
    "militia": IRREGULAR,
    "civilians": IRREGULAR,
    "al-qaeda": {**IRREGULAR, "kevlar-vest": 30},
    "taliban": IRREGULAR,
}
SOLDIERS = {
    "marksman": 30,
    "gun-nut": 20,
    "close-combat": 30,
    "golds-gym": 20,
    "ocs": 20,
    "engineer": 30,
}
FIGHTERS = {"soviet-veteran": 30, "desert": 20, "jihad": 40, "camp-trained": 30}
MODIFIERS = {
    "airborne": SOLDIERS,
    "rangers": SOLDIERS,
    "green-berets": {**SOLDIERS, "mountaineering": 30},
    "delta-force": {**SOLDIERS, "mountaineering": 30},
    "marines": {**SOLDIERS, "gun-nut": 10, "close-combat": 20, "hard-corps": 30},
    "militia": {},
    "civilians": {},
    "al-qaeda": FIGHTERS,
    "taliban": FIGHTERS,
}
#: What a modifier does to the abilities.
CHANGES = {
    "marksman": {"wp": 1},
    "gun-nut": {"wk": 1},
    "close-combat": {"cq": 1},
    "golds-gym": {"st": 1},
    "ocs": {"cc": 1},
    "engineer": {},
    "mountaineering": {},
    "hard-corps": {},
    "soviet-veteran": {"cq": 1},
    "desert": {"ft": 1, "hp": -1},
    "jihad": {},
    "camp-trained": {"wp": 1},
}
#: What has to be bought with a thing, and its price.
WITH = {"laser": "nvg", "shaped-charge": "engineer", "rpg-round": "rpg-7"}
#: What is counted: how many come for one price, and under which name.
COUNTED = {
    "mine": ("mine", 2),
    "c4": ("c4", 4),
    "claymore": ("claymore", 1),
    "shaped-charge": ("shaped-charge", 1),
    "rpg-round": ("rpg-round", 1),
    "soviet-frag": ("soviet-frag", 1),
}


def sold(table):
    return [(name, thing) for name in table for thing in table[name]]


def test_each_list_sells_what_its_source_says_and_nothing_else():
    """SKR-14, 189: equipment and training with their prices, all nine lists."""
    for name in PRICES:
        assert faction(name).equipment == EQUIPMENT[name], name
        assert faction(name).modifiers == MODIFIERS[name], name


@pytest.mark.parametrize(("name", "thing"), sold(MODIFIERS))
def test_training_costs_its_price_and_changes_its_abilities_alone(name, thing):
    """SKR-5, 15: for every list that sells it."""
    plain, trained = men(name)[1], men(f"{name} (2: {thing})")[1]
    changed = {
        key: getattr(trained.abilities, key) - getattr(plain.abilities, key)
        for key in ("wp", "wk", "cq", "st", "ft", "hp", "ml", "cc")
    }

    assert price(f"{name} (2: {thing})") == PRICES[name] + MODIFIERS[name][thing]
    assert {key: value for key, value in changed.items() if value} == CHANGES[thing]
    assert trained.hp == trained.abilities.hp
    assert thing in trained.skills


@pytest.mark.parametrize(("name", "thing"), sold(EQUIPMENT))
def test_equipment_costs_its_price_and_is_carried(name, thing):
    """SKR-14: for every list that sells it, by the leader."""
    needed = WITH.get(thing, "")
    before = f"{name} (1: {needed})" if needed else name
    plain, bearer = men(before)[0], men(f"{name} (1: {needed} {thing})")[0]

    added = price(f"{name} (1: {needed} {thing})") - price(before)
    assert added == EQUIPMENT[name][thing]
    assert bearer.abilities == plain.abilities
    if thing in COUNTED:
        kept, pieces = COUNTED[thing]
        assert bearer.count(kept) - plain.count(kept) == pieces
    elif thing == "rpg-7":
        assert bearer.arm("rpg-7").loaded + bearer.count("rpg-round") == 1
    else:
        assert set(bearer.gear) - set(plain.gear) == {thing}


def test_rangers_may_take_the_m60_instead_of_the_saw_for_nothing():
    assert price("rangers (3: m60e3)") == 250
    assert [arm.weapon for arm in men("rangers (3: m60e3)")[2].arms] == ["m60e3"]


def test_who_may_buy_which_weapons():
    """SKR-14: rangers no Soviet-bloc, airborne anything, marines nothing unless upgraded."""
    assert refusal("rangers (1: ak-47)") == "SKR-14"
    assert refusal("marines (1: sniper)") == "SKR-14"
    assert refusal("marines meu-soc (1: rpk)") == "SKR-14"
    assert price("airborne (1: ak-47)") == 262
    assert price("marines meu-soc (1: sniper)") == 290
    assert price("marines force-recon (1: rpk)") == 270


def test_the_leader_alone_has_a_hand_held_radio():
    """SKR-160."""
    assert refusal("rangers (2: motorola)") == "SKR-160"


def test_a_gps_is_bought_and_does_nothing():
    """SKR-162, 175: GPS and gas mask have no effect in the game."""
    plain, gps = men("rangers")[0], men("rangers (1: gps)")[0]

    assert gps.gear == (*plain.gear, "gps")
    assert gps.abilities == plain.abilities
    assert "gas-mask" in men("marines")[0].gear


def test_a_laser_needs_goggles():
    """SKR-164."""
    assert refusal("rangers (1: laser)") == "SKR-164"


def test_shaped_charges_are_for_engineers_and_c4_for_lists_that_name_it():
    """SKR-166, 167."""
    assert refusal("rangers (1: shaped-charge)") == "SKR-166"
    assert refusal("taliban (1: c4)") == "SKR-14"
    assert men("rangers (1: c4)")[0].count("c4") == 4


def test_an_engineer_carries_a_shaped_charge_and_a_pound_of_c4():
    """SKR-173."""
    engineer = men("rangers (2: engineer)")[1]

    assert (engineer.count("shaped-charge"), engineer.count("c4")) == (1, 4)


def test_standard_kit_and_its_rounds():
    """SKR-9: the weapons of his own list are his own."""
    leader, _, gunner, assistant = men("rangers")

    assert leader.count("m67") == 2
    assert leader.count("40mm") + leader.arm("m203").loaded == 4
    assert leader.count("5.56") + leader.arm("m16a2").loaded == 210
    assert gunner.count("5.56") + gunner.arm("m249").loaded == 210
    assert assistant.count("5.56") + assistant.arm("m16a2").loaded == 610
    assert all(arm.own for man in men("rangers") for arm in man.arms)
    assert men("militia")[0].arm("ak-47").loaded + men("militia")[0].count("7.62") == 60


def test_an_rpg_comes_with_one_round():
    launcher = men("militia (2: rpg-7 rpg-round)")[1]

    assert launcher.arm("rpg-7").loaded + launcher.count("rpg-round") == 2
    assert refusal("militia (2: rpg-round)") == "SKR-14"


@pytest.mark.parametrize(
    "name", ["airborne", "green-berets", "delta-force", "marines force-recon", "militia"]
)
def test_who_may_have_an_rpg_may_have_further_rounds(name):
    """SKR-14: the chart has both prices, 50 and 25, for every list that may buy from it."""
    launcher = men(f"{name} (2: rpg-7 rpg-round rpg-round)")[1]

    added = price(f"{name} (2: rpg-7 rpg-round rpg-round)") - price(name)
    assert added == 50 + 2 * 25
    assert launcher.arm("rpg-7").loaded + launcher.count("rpg-round") == 3


def test_a_bought_launcher_comes_with_three_rounds_where_the_kit_has_none():
    """SKR-63: else its bearer would have paid for what cannot be fired."""
    leader, second = men("green-berets (1: m4 m203; 2: m4 m203)")[:2]

    assert leader.count("40mm") + leader.arm("m203").loaded == 4
    assert second.count("40mm") + second.arm("m203").loaded == 3


@pytest.mark.parametrize("name", ["rangers", "marines", "marines meu-soc"])
def test_who_may_have_no_rpg_has_no_rounds_for_it(name):
    """SKR-14."""
    assert refusal(f"{name} (2: rpg-round)") == "SKR-14"
    assert "rpg-round" not in building.offers(faction(name.split()[0]), name.partition(" ")[2])


@pytest.mark.parametrize(
    ("name", "innate"),
    [
        ("airborne", ()),
        ("delta-force", ()),
        ("rangers", ("expert-rifleman", "disciplined")),
        ("green-berets", ("expert-rifleman", "disciplined")),
        ("marines", ("expert-rifleman", "disciplined", "go-faster")),
        ("militia", ("khat", "no-aim")),
        ("civilians", ("no-aim", "dud-grenades")),
    ],
)
def test_innate_abilities(name, innate):
    """SKR-183: Airborne and Delta have none. SKR-180, 181, 182, 184, 185, 186: who has which."""
    assert faction(name).innate == innate


def test_what_has_no_rules_is_not_sold():
    """SKR-174, 187: Para-Air Assault and helicopters stay out."""
    for list_ in library().factions.values():
        assert not {"para-air", "uh-60", "black-hawk"} & {*list_.equipment, *list_.modifiers}


def test_every_second_jihad_man_of_al_qaeda_wears_a_charge():
    """SKR-188: rounded down."""
    wearing = [m.name for m in men("al-qaeda (1: jihad; 2: jihad; 4: jihad)") if m.vest_charge]

    assert wearing == ["alpha-2"]
    assert [
        m.name for m in men("al-qaeda (1: jihad; 2: jihad; 3: jihad; 4: jihad)") if m.vest_charge
    ] == [
        "alpha-2",
        "alpha-4",
    ]
    assert not any(m.vest_charge for m in men("taliban (1: jihad; 2: jihad)"))


def test_jihad_men_are_counted_in_their_fire_team():
    """SKR-188: two teams with one each have no charge; with three and two, one each."""
    one_each = men("al-qaeda (1: jihad) + al-qaeda (1: jihad)")
    more = men("al-qaeda (1: jihad; 2: jihad; 3: jihad) + al-qaeda (2: jihad; 3: jihad)")

    assert [m.name for m in one_each if m.vest_charge] == []
    assert [m.name for m in more if m.vest_charge] == ["alpha-2", "charlie-3"]


def test_desert_survival_trades_health_for_fortitude():
    man = men("taliban (1: desert)")[0]

    assert (man.abilities.ft, man.abilities.hp, man.hp) == (5, 4, 4)


def test_both_forces_are_hidden_until_both_are_in():
    state = GAME.setup(2, SkirmishOptions(), SeededDice.from_text("x")).state
    move = GAME.parse(state, 0, "build rangers (1: motorola) + taliban")
    step = GAME.apply(state, 0, move, SeededDice.from_text("x"))

    assert GAME.phase(step.state).pending == {1}
    assert GAME.view(step.state, 1).forces == ()
    assert GAME.view(step.state, 0).own_build == move
    assert b"rangers" not in codec.encode(GAME.view(step.state, 1))


@pytest.mark.parametrize("limit", [50, 270, 500, 1000])
def test_an_example_of_a_force_leaves_no_points_for_another_team(limit):
    """SKR-14: who hands in an example as it stands does not play with half a force."""
    state = GAME.setup(2, SkirmishOptions(points=limit), SeededDice.from_text("x")).state

    examples = GAME.examples(state, 0, 3)

    assert examples
    for force in examples:
        assert building.price(force) + building.team_price(force.teams[-1]) > limit


def test_silence_builds_a_legal_force_for_every_limit():
    for limit in (50, 100, 149, 200, 250, 499, 500, 1000):
        building.check_build(building.default_build(limit), limit)


def test_a_random_force_is_legal():
    for seed in range(30):
        build = building.random_build(500, SeededDice.from_text(str(seed)), "x")
        building.check_build(build, 500)


@pytest.mark.parametrize("thing", ["m16a2", "m203", "knife", "bayonet"])
def test_nobody_buys_what_he_has_without_buying_it(thing):
    """SKR-14: by rules 3 he paid, and had no more than before."""
    new = GAME.setup(2, SkirmishOptions(), SeededDice.from_text("s")).state
    old = GAME.setup_by("3", 2, SkirmishOptions(), SeededDice.from_text("s")).state
    text = f"build rangers (1: {thing})"

    with pytest.raises(IllegalMove) as caught:
        GAME.parse(new, 0, text)

    assert caught.value.rule == "SKR-14"
    assert GAME.parse(old, 0, text)
    assert GAME.parse(new, 0, "build rangers (1: m4; 2: m203; 3: m60e3)")


def test_what_all_of_a_list_have_is_not_offered_to_them():
    """SKR-14."""
    state = GAME.setup(2, SkirmishOptions(), SeededDice.from_text("s")).state
    rangers = next(
        one for one in GAME.choices(GAME.view(state, 0)).lists if one.faction.name == "rangers"
    )

    assert {"knife", "bayonet"}.isdisjoint(offer.name for offer in rangers.offers)
    assert "m9" in [offer.name for offer in rangers.offers]
