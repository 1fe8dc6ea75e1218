"""A remedy as somebody asks for it, by whichever door, and the one place that carries it out."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.acts import absence, deliverability, going_back, matches, remedies
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Actor

#: Remedies of a seat, then those of the whole match.
OF_SEAT = (
    *("remind", "extend", "default", "bot", "replace", "correct-address", "reissue", "resign"),
)
OF_MATCH = (
    *("retry", "pause", "resume", "reissue-host", "correct-host-address"),
    *("rematch", "roll-back", "abort"),
)
#: Only the operator sets a match back past what the table may agree to, or gives it to an address
#: from which nobody has shown to be its host.
OPERATORS_ONLY = frozenset({"roll-back", "correct-host-address"})

#: What else a remedy must be told.
NEEDS: dict[str, tuple[str, ...]] = {
    "extend": ("by",),
    "replace": ("name", "email"),
    "correct-address": ("email",),
    "correct-host-address": ("email",),
    "pause": ("by",),
    "roll-back": ("ply",),
}


@dataclass(frozen=True)
class Asked:
    """A remedy with all it must be told. ``seat`` is None for one of the whole match."""

    remedy: str
    seat: int | None = None
    #: A span like ``24h``: of an extension or a pause.
    by: str = ""
    bot: str = ""
    name: str = ""
    email: str = ""
    ply: int = 0


def carry_out(service: Service, match_id: str, asked: Asked, actor: Actor) -> None:
    """Does it: each remedy is an act. Raises what the act raises; then nothing was changed."""
    seat = asked.seat if asked.seat is not None else links.HOST
    match asked.remedy:
        case "remind":
            remedies.remind(service, match_id, seat, actor=actor)
        case "extend":
            remedies.extend(service, match_id, seat, asked.by, actor=actor)
        case "default":
            remedies.play_default(service, match_id, seat, actor=actor)
        case "bot":
            remedies.put_bot(service, match_id, seat, actor=actor, bot=asked.bot or None)
        case "replace":
            remedies.replace(service, match_id, seat, asked.name, asked.email, actor=actor)
        case "correct-address":
            deliverability.correct_address(service, match_id, seat, asked.email, actor=actor)
        case "reissue":
            deliverability.reissue(service, match_id, seat, actor=actor)
        case "reissue-host":
            deliverability.reissue(service, match_id, links.HOST, actor=actor)
        case "correct-host-address":
            deliverability.correct_host_address(service, match_id, asked.email, actor=actor)
        case "resign":
            remedies.resign(service, match_id, seat, actor=actor)
        case "pause":
            remedies.pause(service, match_id, asked.by, actor=actor)
        case "resume":
            absence.resume(service, match_id, actor=actor)
        case "rematch":
            matches.rematch(service, match_id, actor=actor)
        case "roll-back":
            going_back.roll_back(service, match_id, asked.ply, actor=actor)
        case "retry":
            remedies.retry(service, match_id, actor=actor)
        case "abort":
            remedies.abort(service, match_id, actor=actor)
        case _:
            raise ValueError(f"{asked.remedy} is no remedy")
