"""What has changed between versions of these rules, for matches that began with an older one.

A match is played to its end by the rules it began with: ``State.rules``, set by ``setup``. A rule
that changes gets a predicate here, named for what is true since, and asks it where it differs.
"""

from __future__ import annotations


def players_choose_their_dogs(rules: int) -> bool:
    """DOW-1: where the host has not said who plays whom, lots decide only as an option."""
    return rules >= 2
