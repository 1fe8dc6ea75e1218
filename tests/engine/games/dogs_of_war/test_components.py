"""The data file: what it holds, what is refused, and how a host brings another."""

import pytest
from msgspec.structs import replace

from engine import codec
from engine.errors import DataError, OptionsError
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.components import (
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
from engine.games.dogs_of_war.state import Options
from tests.engine.games.dogs_of_war.scenes import dice

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

    state = GAME.setup(3, options, dice()).state

    assert {card for screen in state.screens for card in screen.tactics} == {"Betrayal"}
    assert state.components_digest == catalogue(another_set()).digest
    assert GAME.view(state, None).components.title == "A friend's set"
    assert codec.decode(Options, codec.encode(options)) == options


def test_a_match_records_which_set_it_is_played_with():
    state = GAME.setup(3, Options(), dice()).state

    assert state.components_digest == catalogue("pbem-1").digest


@pytest.mark.parametrize(
    "components", ["published", replace(OURS, name="short", bonuses=OURS.bonuses[1:])]
)
def test_a_set_that_is_not_there_or_not_whole_is_refused_as_an_option(components):
    with pytest.raises(OptionsError):
        GAME.check_options(3, Options(components=components))
