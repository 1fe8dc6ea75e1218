"""What a game that says nothing of choices answers, and what is said of fields it has not."""

from __future__ import annotations

import pytest

from engine.choices import check_fields
from engine.errors import Unreadable
from tests.engine.toy import Toy


def test_a_game_has_no_choices_of_its_own_and_no_fields_by_itself() -> None:
    game = Toy()

    assert game.choices(None) is None
    assert game.compose(None, {}) == ""
    with pytest.raises(Unreadable, match="no field called card"):
        game.compose(None, {"card": "3"})


def test_a_field_that_is_not_known_is_named_as_far_as_it_can_be_shown() -> None:
    check_fields({"card": "3"}, ("card", "pawn"))

    with pytest.raises(Unreadable) as refused:
        check_fields({"card": "3", "a\x00b" + "c" * 99: ""}, ("card", "pawn"))
    assert str(refused.value) == f"There is no field called a?b{'c' * 37} here."
