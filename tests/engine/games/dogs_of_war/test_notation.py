"""Orders: what can be typed, what it means, and what is said where it means nothing."""

import pytest

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import House, Soldier, SoldierCounts
from engine.games.dogs_of_war.moves import Buy, ChooseFirst, Pass, Place
from tests.engine.games.dogs_of_war.scenes import (
    play,
    scene,
    started,
    with_captains,
    with_screen,
    with_table,
)

ALL_CARDS = (
    *("Betrayal", "Bombardment", "Bribe", "Formation", "Lance Charge"),
    *("Levy", "Opportunism", "Patronage", "Plunder", "Volley"),
)
KNIGHT_TALBOT_3 = Place(Soldier.KNIGHT, House.TALBOT, 3)


def acting():
    return with_screen(scene(), 0, tactics=ALL_CARDS)


def mustering():
    state = with_table(started(), token=0, turn=0)
    return with_screen(play(state, 0, "keep"), 0, coins=30)


@pytest.mark.parametrize(
    "order",
    [
        "knight talbot 3",
        "KNIGHT Talbot 3",
        "  knight   talbot  3 ",
        "kn tal 3",
        "k 1a 3",
        "talbot 3 knight",
        "3, talbot, knight",
        "knights to talbot, space 3",
        "play a knight for the house Talbot on space three",
        "knight 1a3",
        "knight talbot:3",
    ],
)
def test_an_action_can_be_written_in_many_ways(order):
    assert GAME.parse(acting(), 0, order) == KNIGHT_TALBOT_3


@pytest.mark.parametrize(
    ("order", "move"),
    [
        (
            "betrayal + knight mallory 5",
            Place(Soldier.KNIGHT, House.MALLORY, 5, "Betrayal"),
        ),
        ("foot harl 2 copy 4", Place(Soldier.FOOTMAN, House.HARLOW, 2, None, 4)),
        ("footman 3b copy 4 2", Place(Soldier.FOOTMAN, House.HARLOW, 2, None, 4)),
        ("copy space 4, footman, harlow 2", Place(Soldier.FOOTMAN, House.HARLOW, 2, None, 4)),
        ("war machine 1b 3", Place(Soldier.WAR_MACHINE, House.MALLORY, 3)),
        ("warmachine 1b 3", Place(Soldier.WAR_MACHINE, House.MALLORY, 3)),
        ("wm 1b 3", Place(Soldier.WAR_MACHINE, House.MALLORY, 3)),
        ("machine 1b 3", Place(Soldier.WAR_MACHINE, House.MALLORY, 3)),
        ("lance charge + knight 1a 3", Place(Soldier.KNIGHT, House.TALBOT, 3, "Lance Charge")),
        ("charge knight 1a 3", Place(Soldier.KNIGHT, House.TALBOT, 3, "Lance Charge")),
        ("bri + foot tal 6", Place(Soldier.FOOTMAN, House.TALBOT, 6, "Bribe")),
        ("arquebusier 2a 1", Place(Soldier.ARQUEBUSER, House.BASTIANI, 1)),
        ("PASS", Pass()),
        ("pass, please", Pass()),
        ("pass for the year", Pass()),
    ],
)
def test_what_an_action_brings_stands_in_the_same_line(order, move):
    assert GAME.parse(acting(), 0, order) == move


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ("", "The order is empty. Write a soldier, a house and a space"),
        ("talbot 3", "The order names no soldier."),
        ("knight 3", "The order names no house."),
        ("knight talbot", "Say which space of Talbot your captain takes"),
        ("knight talbot 3 4", "Say which space of Talbot your captain takes"),
        ("dragon talbot 3", "“dragon” is not understood."),
        ("knight talbot 3 !", "“!” has no meaning in an order."),
        ("knight footman talbot 3", "The order does not fit together."),
        ("pass the salt", "“salt” is not understood."),
        ("pass this year", "“this” is not understood."),
    ],
)
def test_what_cannot_be_read_is_answered_with_what_is_missing(order, sentence):
    with pytest.raises(Unreadable) as refused:
        GAME.parse(acting(), 0, order)

    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("order", "ways"),
    [
        ("knight t 3", "knight Talbot; knight Tornborn"),
        ("b footman talbot 3", "Betrayal + footman Talbot; Bombardment + footman Talbot"),
    ],
)
def test_a_beginning_that_fits_several_words_is_ambiguous(order, ways):
    with pytest.raises(Ambiguous) as refused:
        GAME.parse(acting(), 0, order)

    assert ways in str(refused.value)


def test_a_beginning_is_read_among_the_cards_one_holds():
    state = with_screen(scene(), 0, tactics=("Bribe", "Levy"))

    assert GAME.parse(state, 0, "br + foot tal 6").tactic == "Bribe"
    with pytest.raises(IllegalMove, match="You do not hold the tactic card Volley"):
        GAME.parse(state, 0, "vol + arq tal 3")


def test_a_beginning_is_read_by_the_place_it_can_have():
    """ "m" is a house beside a soldier's name, though it begins "machine" as well."""
    assert GAME.parse(acting(), 0, "knight m 3") == Place(Soldier.KNIGHT, House.MALLORY, 3)


@pytest.mark.parametrize("order", ["buy 2 knights", "keep", "push 1:2", "withdraw talbot"])
def test_an_order_of_another_phase_says_what_this_one_takes(order):
    """DOW-14: each phase has its own orders."""
    with pytest.raises(IllegalMove, match=r"belongs to another phase.*knight talbot 3") as refused:
        GAME.parse(acting(), 0, order)

    assert refused.value.rule == "DOW-14"
    with pytest.raises(IllegalMove, match="This is another phase") as refused:
        GAME.check(acting(), 0, Buy())
    assert refused.value.rule == "DOW-14"


def test_an_order_with_too_many_readings_is_refused_and_not_worked_out():
    with pytest.raises(Unreadable, match="does not fit together"):
        GAME.parse(acting(), 0, "knight talbot 3 " + "b " * 900)


def test_a_copy_with_one_choice_needs_no_word():
    state = with_captains(acting(), House.TORNBORN, 1, 1, 1, None, 2, 2)

    assert GAME.parse(state, 0, "footman harlow 2").copied == 4


@pytest.mark.parametrize(
    ("order", "bought"),
    [
        ("buy 2 knights 1 footman", SoldierCounts(footman=1, knight=2)),
        ("Buy 2 KNIGHT, one footmen", SoldierCounts(footman=1, knight=2)),
        ("2k 1f", SoldierCounts(footman=1, knight=2)),
        ("buy 2a 1f", SoldierCounts(footman=1, arquebuser=2)),
        ("buy knights 2, footmen 1", SoldierCounts(footman=1, knight=2)),
        ("knight knight and a footman", SoldierCounts(footman=1, knight=2)),
        ("knight, 2 footmen", SoldierCounts(footman=2, knight=1)),
        ("footman, 1 knight, 2 arquebusers", SoldierCounts(1, 2, 1)),
        ("buy a knight", SoldierCounts(knight=1)),
        ("buy 2 war machines 3 arquebusers", SoldierCounts(arquebuser=3, war_machine=2)),
        ("buy war machine war machine", SoldierCounts(war_machine=2)),
        ("compro 2 maquinas de guerra", SoldierCounts(war_machine=2)),
        ("compro una máquina de guerra, 1 peon", SoldierCounts(footman=1, war_machine=1)),
        ("buy 2 knights - 1 footman", SoldierCounts(footman=1, knight=2)),
        ("war machines 2, footman 1", SoldierCounts(footman=1, war_machine=2)),
        ("buy 1 knight 2 knights", SoldierCounts(knight=3)),
        ("buy nothing", SoldierCounts()),
        ("nothing", SoldierCounts()),
        ("buy 0 knights", SoldierCounts()),
    ],
)
def test_a_purchase_is_one_line(order, bought):
    assert GAME.parse(mustering(), 0, order) == Buy(bought)


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ("buy", "The order names no soldiers."),
        ("buy 2", "2 of what?"),
        ("buy 2 3 knights", "Two numbers follow one another."),
        ("buy 2 knights, nothing", "“nothing” stands without other words."),
        ("buy nothing this year", "“nothing” stands without other words."),
        ("buy knight 2, a footman", "2 stands between two kinds of soldiers."),
        ("buy knights 2 and a footman", "2 stands between two kinds of soldiers."),
        ("buy knight 2, footman", "2 stands between two kinds of soldiers."),
        ("buy knight 2, footman 1, war machine", "2 stands between two kinds of soldiers."),
        ("caballero 2, un peón", "2 stands between two kinds of soldiers."),
        ("buy 2 dragons", "“dragons” is not understood."),
        ("buy 2b", "“2b” is not understood."),
        ("buy -1 knight", "“-1” has a minus sign, and no number in an order is below 0."),
        ("buy 2 knights –1 footman", "“–1” has a minus sign"),
        ("buy knights -2", "“-2” has a minus sign"),
    ],
)
def test_a_purchase_that_cannot_be_read_is_answered(order, sentence):
    with pytest.raises(Unreadable) as refused:
        GAME.parse(mustering(), 0, order)

    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("order", "kind", "one", "most"),
    [
        ("buy knights", "knights", "buy 1 knight", "buy knights then nothing"),
        ("the footmen, please", "footmen", "buy 1 footman", "buy footmen then nothing"),
        ("buy war machines", "war machines", "buy 1 war machine", "buy war machines then nothing"),
        ("compro caballeros", "knights", "buy 1 knight", "buy knights then nothing"),
        ("compro maquinas", "war machines", "buy 1 war machine", "buy war machines then nothing"),
        ("buy 0 footmen, knights", "knights", "buy 1 knight", "buy knights then nothing"),
        (
            "buy 2 footmen, knights",
            "knights",
            "buy 1 knight, 2 footmen",
            "buy 2 footmen then knights",
        ),
    ],
)
def test_a_kind_in_the_plural_without_a_number_is_asked_about(order, kind, one, most):
    """DOW-26, 30: any number may be bought, but once a year; beside "then" it is all there is."""
    state = mustering()

    with pytest.raises(Ambiguous) as refused:
        GAME.parse(state, 0, order)

    assert str(refused.value) == (
        f"“{kind}” has no number. Do you mean 1, or as many as possible? Write “{one}” or “{most}”."
    )
    assert GAME.parse(state, 0, one).soldiers.cost < GAME.parse(state, 0, most).soldiers.cost


@pytest.mark.parametrize("coins", [3, 5])
def test_a_plural_is_one_soldier_where_no_more_can_be_had(coins):
    """DOW-26: what can be paid for is all there is to mean."""
    assert GAME.parse(with_screen(mustering(), 0, coins=coins), 0, "buy knights") == Buy(
        SoldierCounts(knight=1)
    )


def test_a_plural_is_one_soldier_where_one_may_be_bought_a_year():
    """DOW-26, with the switch that lets a player buy only one."""
    state = with_table(started(one_soldier_a_year=True), token=0, turn=0)
    state = with_screen(play(state, 0, "keep"), 0, coins=30)

    assert GAME.parse(state, 0, "buy knights") == Buy(SoldierCounts(knight=1))


def test_a_number_below_nothing_moves_no_tracker():
    """DOW-14: a push of -2 is none of 2."""
    state = with_table(scene(), phase="conqueror", turn=0)

    with pytest.raises(Unreadable, match="“-2” has a minus sign"):
        GAME.parse(state, 0, "push talbot:-2")


@pytest.mark.parametrize(
    "order", ["then", "Luego.", "buy then", "nothing then", "no", "0", "no, please"]
)
def test_a_word_that_wishes_nothing_does_not_spend_the_muster(order):
    """DOW-30: there is one opportunity to buy a year, and a letter may hold such a word."""
    with pytest.raises(Unreadable, match=r"The order names no soldiers\. .*“buy nothing”"):
        GAME.parse(mustering(), 0, order)


@pytest.mark.parametrize("order", ["buy no", "buy 0", "compro nada", "Nada.", "nothing, please"])
def test_nothing_is_bought_by_its_own_word_or_by_any_after_buy(order):
    assert GAME.parse(mustering(), 0, order) == Buy()


def test_a_purchase_of_absurd_size_is_refused_and_not_worked_out():
    with pytest.raises(IllegalMove):
        GAME.parse(mustering(), 0, "buy " + "9" * 1500 + " knights")


@pytest.mark.parametrize(
    ("order", "seat"),
    [
        ("keep", None),
        ("keep the token", None),
        ("give token to 3", 2),
        ("give 3", 2),
        ("give it to player three", 2),
        ("give ordalia", 2),
        ("give token to Lady Ordalia MacBeth", 2),
        ("give the first-player token to seat 3", 2),
        ("I keep the first-player token", None),
        ("Me quedo la ficha de primer jugador", None),
        ("doy la ficha al jugador 3", 2),
    ],
)
def test_the_token_is_kept_or_given_in_one_line(order, seat):
    state = with_table(scene(), phase="first player", turn=0)

    assert GAME.parse(state, 0, order) == ChooseFirst(seat)


@pytest.mark.parametrize("order", ["keep 3", "give", "token", "give nobody", "give 2 3"])
def test_a_token_order_that_cannot_be_read_is_answered(order):
    state = with_table(scene(), phase="first player", turn=0)

    with pytest.raises(Unreadable, match="“give token to” and the number of a seat"):
        GAME.parse(state, 0, order)


def test_nobody_orders_out_of_turn():
    with pytest.raises(IllegalMove, match="not your turn"):
        GAME.parse(acting(), 1, "knight talbot 3")


@pytest.mark.parametrize(
    ("order", "coins", "bought"),
    [
        ("buy knights then footmen", 8, SoldierCounts(footman=2, knight=2)),
        ("buy knights, then footmen", 2, SoldierCounts(footman=2)),
        ("knights then nothing", 11, SoldierCounts(knight=3)),
        ("buy all knights then nothing", 11, SoldierCounts(knight=3)),
        ("buy 1 knight then arquebusers then footmen", 8, SoldierCounts(1, 2, 1, 0)),
        ("buy a war machine then 2 footmen", 30, SoldierCounts(2, 0, 0, 1)),
        ("buy war machines then knights", 30, SoldierCounts(0, 0, 2, 6)),
        ("buy knights then footmen", 0, SoldierCounts()),
        ("buy 4 war machines then war machines", 99, SoldierCounts(0, 0, 0, 6)),
    ],
)
def test_soldiers_are_bought_in_an_order_while_coins_last(order, coins, bought):
    """DOW-26: any number and mix that can be paid; an order left before may not know the purse."""
    state = with_screen(mustering(), 0, coins=coins)
    state = with_table(state, soldiers=SoldierCounts(16, 14, 12, 6))

    assert GAME.parse(state, 0, order) == Buy(bought)


def test_soldiers_are_bought_in_an_order_while_piles_last():
    """DOW-28: a type whose pile is empty cannot be bought."""
    state = with_table(mustering(), soldiers=SoldierCounts(5, 0, 1, 0))

    move = GAME.parse(state, 0, "buy war machines then knights then arquebusers then 4 footmen")

    assert move == Buy(SoldierCounts(4, 0, 1, 0))


def test_where_one_soldier_a_year_may_be_bought_the_first_that_can_be_had_is_it():
    """DOW-26, with the switch that lets a player buy only one."""
    state = with_table(started(one_soldier_a_year=True), token=0, turn=0)
    state = with_screen(play(state, 0, "keep"), 0, coins=3)

    assert GAME.parse(state, 0, "war machines then knights then footmen") == Buy(
        SoldierCounts(knight=1)
    )


@pytest.mark.parametrize(
    "order",
    ["buy 2 then 3", "buy 2 knights footmen then footmen", "buy 2 knights 3 then men"],
)
def test_an_order_of_buying_names_single_kinds(order):
    with pytest.raises(Unreadable, match=r"single kinds|not understood"):
        GAME.parse(mustering(), 0, order)
