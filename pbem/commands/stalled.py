"""``pbem stalled``: which matches are stalled, why, and what would help."""

from __future__ import annotations

import click
import msgspec

from pbem.acts import remedies
from pbem.commands import console, print_json, service_of, settings_options
from pbem.config import Settings
from pbem.looks import stalled
from pbem.present import stalls
from pbem.words.i18n import Translator, translator


@click.command()
@settings_options
def command(settings: Settings, as_json: bool) -> int:
    """List the stalled matches, with reason and remedies; status 1 if there are any."""
    found = stalled.find(service_of(settings, looks_only=True))
    words = translator("en")
    why = [_why(stall, settings.zone, words) for stall in found]
    if as_json:
        rows = [
            {**msgspec.structs.asdict(stall), "remedies": _helps(stall), "why": said}
            for stall, said in zip(found, why, strict=True)
        ]
        print_json({"stalled": rows})
        return 1 if found else 0
    if not found:
        console().print("Every match goes on.")
        return 0
    for stall, said in zip(found, why, strict=True):
        seat = "" if stall.seat is None else f", seat {stall.seat}"
        console().print(f"{stall.match_id}{seat}, since {stall.since:%Y-%m-%d %H:%M} UTC")
        console().print(f"  {said}")
        console().print(f"  remedies: {', '.join(_helps(stall))}\n")
    console().print("Apply one with: pbem remedy MATCH REMEDY [--seat N]")
    return 1


def _helps(stall: stalled.Stall) -> list[str]:
    return [remedy.name for remedy in remedies.that_help(stall.reason)]


def _why(stall: stalled.Stall, zone: str, words: Translator) -> str:
    """The reason, as on the operator's page."""
    said = (stalls.sentence(stall, words), stalls.detail(stall, zone, words))
    return " ".join(part for part in said if part)
