"""The data file: what it holds, what is refused, and how a host brings another."""

import pytest
from msgspec.structs import replace

from engine import codec
from engine.errors import DataError, IllegalMove, OptionsError, Sentence
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import (
    House,
    Reward,
    RewardKind,
    Soldier,
    SoldierCounts,
    Space,
    Tactic,
    catalogue,
    checked,
    read,
)
from engine.games.dogs_of_war.box.names import reward_words
from engine.games.dogs_of_war.meta import Options
from tests.engine.games.dogs_of_war.scenes import begun, dice, scene, with_captains, with_screen

OURS = catalogue("pbem-1").components


def another_set():
    """The same but for Betrayal, of which all 32 cards are."""
    return replace(
        OURS,
        name="a-friends-set",
        title="A friend's set",
        tactics=(Tactic("Betrayal", 32, both_sides=True),),
    )


def test_the_set_of_this_package_says_that_it_is_not_the_published_one():
    assert "not the published set" in OURS.source


def test_the_set_of_this_package_has_the_known_numbers():
    """DOW-6, DOW-10, DOW-16, DOW-18: 32 cards, 50 soldiers, 6 tokens, 8 tiles of 6 spaces."""
    assert len(catalogue("pbem-1").deck) == 32
    assert OURS.soldiers.total == 50
    assert len(OURS.bonuses) == 6
    assert [len(tile) for tile in OURS.tiles] == [6] * 8


def test_a_released_set_never_changes():
    """Running matches name it; a change of the file would change them. Make a new set instead."""
    assert catalogue("pbem-1").digest == (
        "9f6eab8426cefa1eeb6f57348729e6cacad9efe48806394d9fe395df3f4a7c4b"
    )


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (RewardKind.COINS_PER_CAPTAIN, "{n} coins for each captain on the other tile"),
        (RewardKind.PUSH, "a push of the tracker by {n} for each captain here"),
    ],
)
def test_more_than_one_for_each_captain_is_said_to_be(kind, said):
    """DOW-58, 59: ours has no such space, a set that a host brings may."""
    assert reward_words(Reward(kind, 2)) == Sentence(said, {"n": 2})


def test_a_set_survives_json():
    assert read(codec.encode(OURS)) == OURS


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"title": "Two\nlines"}, "Title and source of the component data must be one line"),
        ({"soldiers": SoldierCounts(51)}, "There must be 50 soldier cards"),
        ({"bonuses": OURS.bonuses[1:]}, "There must be 6 bonus tokens"),
        ({"tiles": OURS.tiles[1:]}, "There must be 8 order of battle tiles"),
        ({"tiles": (OURS.tiles[0][1:], *OURS.tiles[1:])}, "There must be 6 spaces on tile 1"),
        ({"tactics": OURS.tactics[1:]}, "There must be 32 tactic cards"),
        (
            {"tiles": ((Space(needs=Soldier.FOOTMAN), *OURS.tiles[0][1:]), *OURS.tiles[1:])},
            "Space 1 of tile 1 may ask for an arquebuser or a knight",
        ),
        (
            {"bonuses": (Reward(RewardKind.COPY), *OURS.bonuses[1:])},
            "A bonus token cannot bring “copy”",
        ),
        (
            {"tactics": (Tactic("Copy That", 32),)},
            "A tactic card cannot be called Copy That: “copy” means something else",
        ),
        (
            {"tactics": (Tactic("Bribe", 16), Tactic("BRIBE", 16))},
            "Two tactic cards are called BRIBE",
        ),
        (
            {"tactics": (Tactic("Shove", 32, gains=(Reward(RewardKind.PUSH),)),)},
            "The card Shove cannot bring “push”",
        ),
    ],
)
def test_a_set_that_does_not_hang_together_is_refused(changes, sentence):
    with pytest.raises(DataError) as refused:
        checked(replace(OURS, **changes))

    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        codec.encode(OURS).decode().replace('"amount":2', '"amount":99'),
        codec.encode(OURS).decode().replace('"version":1', '"version":1,"colour":"red"'),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(text):
    with pytest.raises(DataError, match="does not have its shape"):
        read(text)


def test_a_host_can_bring_another_set():
    options = Options(components=another_set())
    GAME.check_options(3, options)

    state = begun(3, dice(), components=another_set()).state

    assert {card for screen in state.screens for card in screen.tactics} == {"Betrayal"}
    assert state.components_digest == catalogue(another_set()).digest
    assert GAME.view(state, None).components.title == "A friend's set"
    assert codec.decode(Options, codec.encode(options)) == options


def test_a_match_records_which_set_it_is_played_with():
    state = begun(3, dice()).state

    assert state.components_digest == catalogue("pbem-1").digest


@pytest.mark.parametrize(
    "components", ["published", replace(OURS, name="short", bonuses=OURS.bonuses[1:])]
)
def test_a_set_that_is_not_there_or_not_whole_is_refused_as_an_option(components):
    with pytest.raises(OptionsError):
        GAME.check_options(3, Options(components=components))


def named(*names):
    """A set whose cards have these names and open both sides, as a host hands it in."""
    share = 32 // len(names)
    rest = 32 - share * len(names)
    cards = tuple(
        Tactic(name, share + (rest if number == 0 else 0), both_sides=True)
        for number, name in enumerate(names)
    )
    return replace(another_set(), tactics=cards)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("Écu d'Or", "ecu d'or + knight talbot 1"),
        ("Écu d'Or", "Écu d’Or + knight talbot 1"),
        ("Feast of Crows", "feast of crows + knight talbot 1"),
        ("Feast of Crows", "knight of talbot to space 1 with feast"),
        ("Traición", "traicion + knight talbot 1"),
        ("Hit-and-Run", "hit-and-run + knight talbot 1"),
        ("Измена", "измена + knight talbot 1"),
    ],
)
def test_a_card_is_called_as_its_language_has_it_and_written_without_its_accents(name, order):
    """DOW-32: a friend's set need not be in English."""
    state = scene(components=named(name))
    state = with_screen(state, 0, tactics=(name,))

    move = GAME.parse(state, 0, order)

    assert move.tactic == name
    assert GAME.parse(state, 0, GAME.format(move)) == move


def test_a_small_word_of_a_cards_name_does_not_play_the_card():
    """DOW-33: "of" in an order is no card."""
    state = with_screen(scene(components=named("Feast of Crows")), 0, tactics=("Feast of Crows",))

    assert GAME.parse(state, 0, "knight of talbot 1").tactic is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Plan 9", "The name of a tactic card is of letters, with a space"),
        ("Semi;Colon", "The name of a tactic card is of letters, with a space"),
        ("Of The", "A tactic card cannot be called Of The: an order could not tell it."),
        ("Two Swords", "“two” means something else in an order"),
    ],
)
def test_a_name_that_orders_could_not_hold_is_refused_in_a_sentence(name, sentence):
    with pytest.raises(OptionsError) as refused:
        GAME.check_options(3, Options(components=named(name)))

    assert sentence in str(refused.value)
    assert "regex" not in str(refused.value)


def test_names_that_are_written_alike_are_refused():
    with pytest.raises(OptionsError, match="Two tactic cards are called Ecu"):
        GAME.check_options(3, Options(components=named("Écu", "Ecu")))


def test_a_sets_name_of_other_signs_is_refused_in_a_sentence():
    with pytest.raises(OptionsError, match="must consist of lower-case letters a-z, digits"):
        GAME.check_options(3, Options(components=replace(OURS, name="My set!")))


def test_reasons_and_the_title_line_name_the_card_of_the_matchs_set():
    """DOW-39: not Betrayal, where no card is called so."""
    options = {"components": named("Écu d'Or"), "betrayal_opens": "year"}
    state = with_captains(scene(**options), House.TALBOT, 0)

    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, 0, "knight mallory 1")
    title = [str(one) for one in GAME.variants(3, state.options)]

    assert "only the card Écu d'Or would let you change" in str(refused.value)
    assert "Écu d'Or opens every battle" in title


def test_where_no_card_lets_one_change_sides_none_is_spoken_of():
    """DOW-39."""
    box = replace(another_set(), tactics=(Tactic("Levy", 32),))
    state = with_captains(scene(components=box), House.TALBOT, 0)

    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, 0, "knight mallory 1")

    assert str(refused.value) == "You support Talbot in battle 1 this year, so not Mallory."


def holding_card(name):
    """The usual scene with a set in which Levy is called so, and its card in hand."""
    tactics = tuple(
        replace(card, name=name) if card.name == "Levy" else card for card in OURS.tactics
    )
    box = replace(OURS, name="a-spanish-set", tactics=tactics)
    return with_screen(scene(components=box), 0, tactics=(name,))


@pytest.mark.parametrize("name", ["Guerra", "La Guerra", "Caballero Negro", "Máquina", "Retiro"])
def test_a_card_can_be_played_whose_name_means_something_in_a_spanish_order(name):
    """DOW-32: "guerra + ..." was read as an action without a card."""
    state = holding_card(name)
    moves = list(GAME.legal_moves(state, 0))

    assert name in {getattr(move, "tactic", None) for move in moves}
    assert [GAME.parse(state, 0, GAME.format(move)) for move in moves] == moves


def test_spanish_is_read_beside_the_name_of_a_card():
    move = GAME.parse(
        holding_card("Caballero Negro"), 0, "Caballero negro y un caballero en Talbot 3"
    )

    assert GAME.format(move) == "caballero negro + knight talbot 3"
