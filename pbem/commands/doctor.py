"""``pbem doctor``: whether each part of the service works, and if not, what to do."""

from __future__ import annotations

import click
import msgspec
from rich.table import Table
from rich.text import Text

from pbem.commands import console, print_json, settings_options
from pbem.config import Settings
from pbem.running import doctor

_STYLES = {"well": "green", "note": "yellow", "wrong": "bold red"}


@click.command()
@settings_options
def command(settings: Settings, as_json: bool) -> int:
    """Check each part of the service and say what to do. Changes nothing, sends nothing."""
    findings = doctor.examine(settings)
    wrong = sum(finding.state == "wrong" for finding in findings)
    if as_json:
        print_json({"well": not wrong, "findings": msgspec.to_builtins(findings)})
        return 1 if wrong else 0
    table = Table("part", "", "found", box=None, pad_edge=False)
    for finding in findings:
        found = Text(finding.found)
        if finding.advice:
            found.append(f"\n-> {finding.advice}", "bold")
        table.add_row(finding.part, Text(finding.state, _STYLES[finding.state]), found)
    console().print(table)
    click.echo("All is well." if not wrong else f"{wrong} wrong.")
    return 1 if wrong else 0
