"""How the dice of a match come about, in words."""

from __future__ import annotations

from pbem import beacon
from pbem.beacon import QUICKNET, Beacon, Chain, Missing
from pbem.store.models import Match
from pbem.words.i18n import Translator


def chain_name(chain: Chain, words: Translator) -> str:
    """The name of a chain for people: of any but quicknet the beginning of its key."""
    if chain == QUICKNET:
        return "drand (quicknet)"
    return words.text("the chain {key}…", key=chain.public_key[:16])


def of_service(words: Translator, *, used: bool) -> str:
    """What holds for the dice of all matches. ``used``: whether the service uses the beacon."""
    _ = words.text
    if used:
        return _(
            "Dice and cards are drawn so that anybody can check them afterwards: with the public "
            "beacon nobody can choose them, neither the host nor this service."
        )
    checked = _("Dice and cards are drawn so that anybody can check them afterwards.")
    return f"{checked} {_off(words)}"


def sentence(match: Match, words: Translator, *, used: bool) -> str:
    """Whether the public beacon is in the dice, and what it means if not.

    ``used``: whether the service uses it, for a match whose last seat is not taken yet.
    """
    _ = words.text
    drawn = beacon.read(match.beacon_json)
    if drawn is None and match.started_at is None and match.ended_at is None:
        return _before(match, words, used)
    if drawn is not None and drawn.chain is not None and drawn.missing is None:
        told = {"number": drawn.round, "chain": chain_name(drawn.chain, words)}
        if drawn.waits:
            return _(
                "All have joined. The match begins with round {number} of the public beacon "
                "{chain}, which nobody could know before.",
                **told,
            )
        return _(
            "Round {number} of the public beacon {chain} is in the dice. It came out after all had "
            "joined, so nobody could choose them.",
            **told,
        )
    return f"{_why(drawn, words)} {_meaning(words)}"


def _before(match: Match, words: Translator, used: bool) -> str:
    _ = words.text
    if match.beacon_required:
        return _(
            "The host wants a public beacon in the dice: a number that comes out after all have "
            "joined, so that nobody can choose them. The match does not begin without it."
        )
    if used:
        return _(
            "A public beacon goes into the dice: a number that comes out after all have joined, so "
            "that nobody can choose them. If it cannot be reached, the match begins without it and "
            "says so."
        )
    return _off(words)


def _why(drawn: Beacon | None, words: Translator) -> str:
    _ = words.text
    if drawn is None or drawn.missing is None:
        return _("No public beacon is in the dice.")
    return {
        Missing.OFF: _("No public beacon is in the dice: this service did not use it."),
        Missing.ALONE: _("No public beacon is in the dice: only one person plays."),
        Missing.UNREACHABLE: _("No public beacon is in the dice: it could not be reached."),
        Missing.WAIVED: _("No public beacon is in the dice: the match was begun without it."),
    }[drawn.missing]


def _meaning(words: Translator) -> str:
    return words.text(
        "So whoever runs this service and sits at the table could have chosen the dice."
    )


def _off(words: Translator) -> str:
    _ = words.text
    could = _("So whoever runs it and sits at the table could choose the dice.")
    return f"{_('This service does not use the public beacon.')} {could}"
