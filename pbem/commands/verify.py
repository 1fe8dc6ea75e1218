"""``pbem verify``: checks the record of a match, offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from pbem.beacon import QUICKNET
from pbem.commands import console, json_option, print_json
from pbem.record import verify
from pbem.record.mails import read


@click.command()
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument(
    "mails", nargs=-1, metavar="[MAIL]...", type=click.Path(exists=True, path_type=Path)
)
@click.option("--phrase", default="", metavar="WORDS", help="Your own seed phrase.")
@click.option(
    "--chain",
    default=QUICKNET.public_key,
    metavar="KEY",
    help="The public key of the beacon's chain, where it is not drand's quicknet.",
)
@json_option
def command(record: Path, mails: tuple[Path, ...], phrase: str, chain: str, as_json: bool) -> int:
    """Play RECORD again: every move, die and shuffle. Status 1 if anything is wrong.

    Each MAIL is a mail of the match as a file (.eml), a mailbox (mbox), or a folder of them. The
    record is held against what they told before: only that shows that it was not made afterwards.
    """
    with record.open("rb") as file:
        verdict = verify.verify(file.read(verify.MAX_BYTES + 1), chain, read(mails), phrase)
    if as_json:
        print_json({**msgspec.to_builtins(verdict), "well": verdict.well})
        return 0 if verdict.well else 1
    out = console()
    for sentence in verdict.wrong:
        out.print(sentence)
    if verdict.well:
        out.print(f"All well: match {verdict.match}, {verdict.entries} entries played again.")
        out.print(f"Chain head {verdict.chain_head}: compare it with the one in your last mail.")
    _list("What your mails prove:", verdict.proved)
    _list("What is not proved:", verdict.unbound)
    return 0 if verdict.well else 1


def _list(heading: str, sentences: Sequence[str]) -> None:
    if sentences:
        console().print(heading)
    for sentence in sentences:
        console().print(f"- {sentence}")
