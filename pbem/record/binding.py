"""Holds a record against what was promised before: mails that a player kept, and their phrase.

A record proves of itself only that its parts fit one another. Whoever runs the service could make
a second one of the same match. What was mailed before cannot be made anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.dice import promise
from pbem.beacon import Beacon
from pbem.record.mails import OldMail

#: What no check can show.
NOBODY = (
    "Nobody can prove who made a move, or that whoever ran the service looked at no hidden card.",
    "Mails convince whoever received them: as files they prove nothing to anybody else.",
)


class Held(msgspec.Struct, frozen=True):
    """What a record says that mails may have said before."""

    match: str
    commitment: str
    #: The hashes of all entries, in their order.
    hashes: tuple[str, ...]
    digest: str
    seed: bytes
    phrases: tuple[str, ...]
    players: tuple[str | None, ...]
    beacon: Beacon | None
    #: The digest that the record says it had before a name was taken out of it; "" if none was.
    digest_before: str = ""


def hold(
    record: Held, mails: Sequence[OldMail], phrase: str, proved: list[str], unbound: list[str]
) -> list[str]:
    """What does not fit the mails or the phrase, a sentence each.

    What they prove goes to ``proved``, and what is not proved to ``unbound``.
    """
    wrong: list[str] = []
    ours = [mail for mail in mails if mail.proof.match == record.match]
    if mails and not ours:
        wrong.append("None of the mails that were given is of this match.")
    elif len(ours) < len(mails):
        proved.append(f"Mails of other matches prove nothing here: {len(mails) - len(ours)}.")
    for mail in ours:
        wrong += _mail(record, mail, proved, unbound)
    wrong += _phrase(record, phrase, proved)
    _say_what_is_open(record, ours, unbound)
    return wrong


def _mail(record: Held, mail: OldMail, proved: list[str], unbound: list[str]) -> list[str]:
    """Holds the record against one mail."""
    said = mail.proof
    if said.commitment != record.commitment:
        return [f"{mail} promised another seed: this is not the record of that match."]
    if said.head and said.head not in record.hashes:
        return [f"{mail} names a log that is not in this record: it was changed afterwards."]
    if said.promise and said.promise != _promise(record):
        return [f"{mail} promised another round of the beacon, or other phrases."]
    if said.digest and said.digest == record.digest_before:
        unbound.append(
            f"{mail} names the digest that this record says it had before a name was taken out of "
            "it. That digest cannot be computed again; what the mail says of the log still holds."
        )
    elif said.digest and said.digest != record.digest:
        return [f"{mail} names another digest: the record was changed afterwards."]
    proves = ["the seed was chosen before it was sent"]
    if said.promise and record.beacon is not None:
        proves.append(
            f"round {record.beacon.round} and all phrases were fixed {_before(record.beacon, mail)}"
        )
    if said.head:
        entry = record.hashes.index(said.head)
        proves.append(f"everything up to entry {entry} was as it stands here")
    if said.digest == record.digest:
        proves.append("the record is the one that was mailed, but for the names in it")
    proved.append(f"{mail} proves: {'; '.join(proves)}.")
    return []


def _promise(record: Held) -> str:
    """What the mail that all have joined had to promise; "" if there is none."""
    drawn = record.beacon
    if drawn is None or drawn.chain is None:
        return ""
    return promise(record.match, record.seed, record.phrases, drawn.chain.public_key, drawn.round)


def _before(drawn: Beacon, mail: OldMail) -> str:
    """How a mail's arrival lies to the round's time, in words."""
    assert drawn.chain is not None  # else there is no promise
    out = drawn.chain.time_of(drawn.round)
    if mail.arrived is None:
        return f"(it does not say when it arrived; the round came out {out:%Y-%m-%d %H:%M:%S} UTC)"
    if mail.arrived < out:
        return "before the round came out"
    return "only when the round was out already"


def _phrase(record: Held, phrase: str, proved: list[str]) -> list[str]:
    said = " ".join(phrase.split())
    if not said:
        return []
    if said not in record.phrases:
        return ["Your phrase is not in this record."]
    seat = record.phrases.index(said)
    name = record.players[seat] or "who was forgotten"
    proved.append(f"Your phrase is in the dice: that of seat {seat + 1}, {name}.")
    return []


def _say_what_is_open(record: Held, mails: Sequence[OldMail], unbound: list[str]) -> None:
    """Adds what these mails do not prove, and what nobody can."""
    if not mails:
        unbound.append(
            "No mail of this match was given: nothing shows that the record is no later one."
        )
    else:
        _say_how_far(record, mails, unbound)
    unbound.extend(NOBODY)


def _say_how_far(record: Held, mails: Sequence[OldMail], unbound: list[str]) -> None:
    drawn, last = record.beacon, len(record.hashes) - 1
    known = {entry: number for number, entry in enumerate(record.hashes)}
    held = max(known.get(mail.proof.head, -1) for mail in mails)
    if held < last:
        unbound.append(f"No mail that was given holds entries {held + 1} to {last}.")
    if not any(mail.proof.digest == record.digest for mail in mails):
        unbound.append("No mail that was given names this record's digest, as the last one does.")
    if drawn is None or drawn.missing is not None or drawn.chain is None:
        return
    out = drawn.chain.time_of(drawn.round)
    early = [mail for mail in mails if mail.proof.promise and mail.arrived and mail.arrived < out]
    if not early:
        unbound.append(
            "No mail that was given named the beacon's round before it came out: whoever ran "
            "the service could have chosen among rounds that were out."
        )
