"""Mails about tables that look for players."""

from __future__ import annotations

from pbem import present
from pbem.mail.kinds import people
from pbem.mail.values import Reader, Said
from pbem.people import proofs
from pbem.service import Service
from pbem.store.models import Mail
from pbem.store.names import MatchStatus
from pbem.words.i18n import translator


def take_seat(service: Service, mail: Mail) -> tuple[Said, Reader] | None:
    """The link that takes an open seat; None if it is gone, or the table waits no more."""
    link = people.asked_for(service, mail)
    if link is None:
        return None
    about = proofs.about(link)
    match = service.read(str(about["match"])).match
    if match.status != MatchStatus.LOBBY:
        return None
    words = translator(link.language, match.game)
    values = {
        "url": f"{service.settings.base_url}/open/take/{proofs.token(service.keys, link)}",
        "hours": people.hours(),
        "host": match.host_name,
        "game": present.game_title(match, words),
        "table": present.match_title(match, words),
        "clock": present.clock_sentence(match, words),
    }
    zone = service.settings.zone
    return Said(values), Reader(str(about["name"]), link.address, link.language, zone)
