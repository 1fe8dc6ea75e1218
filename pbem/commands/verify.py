"""``pbem verify``: checks the record of a match, offline."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from pbem.beacon import QUICKNET
from pbem.commands import console, json_option, print_json
from pbem.record import verify


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--chain",
    default=QUICKNET.public_key,
    metavar="KEY",
    help="The public key of the beacon's chain, where it is not drand's quicknet.",
)
@json_option
def command(file: Path, chain: str, as_json: bool) -> int:
    """Play the record in FILE again: every move, die and shuffle. Status 1 if anything is wrong."""
    verdict = verify.verify(file.read_bytes(), chain)
    if as_json:
        print_json({**msgspec.to_builtins(verdict), "well": verdict.well})
        return 0 if verdict.well else 1
    out = console()
    if verdict.well:
        out.print(f"All well: match {verdict.match}, {verdict.entries} entries played again.")
        out.print(f"Chain head {verdict.chain_head}: compare it with the one in your last mail.")
        for sentence in verdict.unbound:
            out.print(sentence, markup=False)
        return 0
    for sentence in verdict.wrong:
        out.print(sentence, markup=False)
    return 1
