"""Chance that falls the same way in every run: what passed once passes again.

``PBEM_TEST_SEED=WORD`` makes it fall another way: the tests play other matches, and Hypothesis
tries other examples.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

#: Empty: the usual way.
SEED = os.environ.get("PBEM_TEST_SEED", "")


def draws(name: str) -> Callable[[int], bytes]:
    """A service's entropy, the same for the same name and ``PBEM_TEST_SEED``.

    Tests of one file have one name: they begin with the same deal, whose pictures are drawn once.
    """
    return random.Random(f"{SEED} {name}").randbytes
