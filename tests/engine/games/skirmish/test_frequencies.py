"""The dice do what the rules' arithmetic says, over some thousands of shots."""

import pytest

from tests.bench.skirmish_shots import SHOTS, compared


@pytest.mark.parametrize(("gun", "mode", "distance", "list_"), SHOTS)
def test_hits_and_wounds_come_as_often_as_the_rules_say(gun, mode, distance, list_):
    """SKR-66, 67, 92, 94, 96, 98."""
    counted, rolled = compared(gun, mode, distance, list_, shots=1500, seed="test")

    for share, found in zip(counted, rolled, strict=True):
        spread = (share * (1 - share) / 1500) ** 0.5
        assert abs(share - found) < 4 * spread
