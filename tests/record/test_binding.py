"""What the mails that a player kept prove of a record, sentence by sentence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from engine.dice import promise
from pbem.beacon import Beacon, Chain, Missing
from pbem.record import binding
from pbem.record.binding import NOBODY, Held
from pbem.record.mails import OldMail
from pbem.record.proof import Proof

CHAIN = Chain("key", 3, 0)
DRAWN = Beacon(chain=CHAIN, round=21, signature="b5", randomness="00")
#: When round 21 came out.
OUT = datetime(1970, 1, 1, 0, 1, tzinfo=UTC)
RECORD = Held(
    match="m",
    commitment="c0",
    hashes=("a0", "a1", "a2"),
    digest="d0",
    seed=b"seed",
    phrases=("words of Alice", "words of Bob"),
    players=("Alice", None),
    beacon=DRAWN,
)
PROMISE = promise("m", b"seed", RECORD.phrases, "key", 21)
#: A mail with all there is to prove.
WHOLE = Proof("m", "c0", head="a2", promise=PROMISE, digest="d0")
EARLY = OUT - timedelta(seconds=1)


def mail(proof: Proof, arrived: datetime | None = None) -> OldMail:
    return OldMail("file", "Dog", arrived, proof)


def held(
    *mails: OldMail, record: Held = RECORD, phrase: str = ""
) -> tuple[list[str], list[str], list[str]]:
    """What is wrong, what is proved, and what is not proved."""
    proved: list[str] = []
    unbound: list[str] = []
    return binding.hold(record, mails, phrase, proved, unbound), proved, unbound


def test_a_mail_with_everything_leaves_nothing_open_but_what_nobody_can_prove() -> None:
    assert held(mail(WHOLE, EARLY)) == (
        [],
        [
            "The mail “Dog” of 1970-01-01 00:00:59 UTC proves: the seed was chosen before it was "
            "sent; round 21 and all phrases were fixed before the round came out; everything up to "
            "entry 2 was as it stands here; the record is the one that was mailed, but for the "
            "names in it."
        ],
        [*NOBODY],
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"commitment": "c1"},
            "The mail “Dog” promised another seed: this is not the record of that match.",
        ),
        (
            {"head": "a3"},
            "The mail “Dog” names a log that is not in this record: it was changed afterwards.",
        ),
        (
            {"promise": "00"},
            "The mail “Dog” promised another round of the beacon, or other phrases.",
        ),
        (
            {"digest": "d1"},
            "The mail “Dog” names another digest: the record was changed afterwards.",
        ),
    ],
)
def test_what_does_not_fit_a_mail_is_said_and_the_mail_proves_nothing(
    change: dict[str, str], said: str
) -> None:
    wrong, proved, _ = held(mail(msgspec.structs.replace(WHOLE, **change)))

    assert wrong == [said]
    assert proved == []


@pytest.mark.parametrize("drawn", [None, Beacon(missing=Missing.OFF)])
def test_a_promise_of_a_round_does_not_fit_a_record_without_one(drawn: Beacon | None) -> None:
    without = msgspec.structs.replace(RECORD, beacon=drawn)

    assert held(mail(Proof("m", "c0", promise=PROMISE)), record=without)[0] == [
        "The mail “Dog” promised another round of the beacon, or other phrases."
    ]
    assert held(mail(Proof("m", "c0", head="a2", digest="d0")), record=without) == (
        [],
        [
            "The mail “Dog” proves: the seed was chosen before it was sent; everything up to entry "
            "2 was as it stands here; the record is the one that was mailed, but for the names in "
            "it."
        ],
        [*NOBODY],
    )


def test_a_round_that_was_promised_and_not_had_is_no_open_question() -> None:
    drawn = msgspec.structs.replace(DRAWN, signature="", missing=Missing.UNREACHABLE)
    without = msgspec.structs.replace(RECORD, beacon=drawn)

    wrong, _, unbound = held(mail(WHOLE), record=without)

    assert wrong == []
    assert unbound == [*NOBODY]


@pytest.mark.parametrize(
    ("arrived", "said", "early"),
    [
        (EARLY, "before the round came out", True),
        (OUT, "only when the round was out already", False),
        (
            None,
            "(it does not say when it arrived; the round came out 1970-01-01 00:01:00 UTC)",
            False,
        ),
    ],
)
def test_only_what_arrived_before_the_round_shows_that_it_was_not_chosen(
    arrived: datetime | None, said: str, early: bool
) -> None:
    _, proved, unbound = held(mail(WHOLE, arrived))

    assert f"; round 21 and all phrases were fixed {said};" in proved[0]
    chosen = any("could have chosen among rounds that were out" in one for one in unbound)
    assert chosen != early


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        (["a0"], "No mail that was given holds entries 1 to 2."),
        (["a1", "a0"], "No mail that was given holds entries 2 to 2."),
        ([""], "No mail that was given holds entries 0 to 2."),
    ],
)
def test_the_latest_head_says_how_far_the_log_is_held(heads: list[str], said: str) -> None:
    wrong, _, unbound = held(*(mail(Proof("m", "c0", head=head), EARLY) for head in heads))

    assert wrong == []
    assert unbound == [
        said,
        "No mail that was given names this record's digest, as the last one does.",
        "No mail that was given named the beacon's round before it came out: whoever ran the "
        "service could have chosen among rounds that were out.",
        *NOBODY,
    ]


def test_the_digest_before_a_name_was_taken_out_proves_the_log_alone() -> None:
    record = msgspec.structs.replace(RECORD, digest_before="db")

    wrong, proved, unbound = held(mail(Proof("m", "c0", head="a2", digest="db")), record=record)

    assert wrong == []
    assert proved == [
        "The mail “Dog” proves: the seed was chosen before it was sent; everything up to entry 2 "
        "was as it stands here."
    ]
    assert unbound[0].startswith("The mail “Dog” names the digest that this record says it had")


def test_mails_of_other_matches_are_counted_and_left_aside() -> None:
    other = mail(Proof("n", "c1", head="b0", digest="d1"))

    wrong, proved, unbound = held(other, mail(WHOLE, EARLY), other)

    assert wrong == []
    assert proved[0] == "Mails of other matches prove nothing here: 2."
    assert len(proved) == 2
    assert unbound == [*NOBODY]


def test_a_record_of_which_no_given_mail_is_is_not_well() -> None:
    """A mailbox of other matches would else pass, by its status, for one that holds it."""
    wrong, proved, unbound = held(mail(Proof("n", "c1", head="b0", digest="d1")))

    assert wrong == ["None of the mails that were given is of this match."]
    assert proved == []
    assert unbound[0].startswith("No mail of this match was given")


@pytest.mark.parametrize(
    ("phrase", "wrong", "proved"),
    [
        (" words  of Alice ", [], ["Your phrase is in the dice: that of seat 1, Alice."]),
        ("words of Bob", [], ["Your phrase is in the dice: that of seat 2, who was forgotten."]),
        ("my words", ["Your phrase is not in this record."], []),
        ("  ", [], []),
    ],
)
def test_ones_phrase_is_looked_for_however_it_is_spaced(
    phrase: str, wrong: list[str], proved: list[str]
) -> None:
    assert held(phrase=phrase)[:2] == (wrong, proved)
