"""Mails about tables that look for players."""

from __future__ import annotations

from pbem import present
from pbem.acts import open_seats, outbox
from pbem.mail.kinds import people
from pbem.mail.values import MailValues, Reader
from pbem.people import proofs, watches
from pbem.service import Service
from pbem.store.models import Mail, Person, Watch
from pbem.store.names import MatchStatus
from pbem.store.table import load
from pbem.words.i18n import translator


def take_seat(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
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
        "game": present.game_title(match.game, words),
        "table": present.match_title(match, words),
        "clock": present.clock_sentence(match, words),
    }
    zone = service.settings.zone
    return MailValues(values), Reader(str(about["name"]), link.address, link.language, zone)


def watch(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """The link by which somebody hears of new tables; None if it is gone."""
    link = people.asked_for(service, mail)
    if link is None:
        return None
    about = proofs.about(link)
    values = {
        "url": f"{service.settings.base_url}/open/watch/{proofs.token(service.keys, link)}",
        "hours": people.hours(),
        "game": present.game_title(about["game"], translator(link.language)),
    }
    return MailValues(values), Reader("", link.address, link.language, service.settings.zone)


def table_open(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """A table of a kind that somebody wants to hear of; None if it is full, or they do not."""
    data = outbox.data(mail)
    with service.database.read() as session:
        watched = session.get(Watch, int(data["watch"]))
        person = session.get(Person, watched.person_id) if watched else None
        table = load(session, str(data["table"]))
    free = open_seats.free(table.match, table.seats)
    if watched is None or person is None or person.address is None or not free:
        return None
    match, base_url = table.match, service.settings.base_url
    words = translator(person.language or match.language, match.game)
    off = f"{base_url}/open/off/{watches.token(service.keys, watched)}"
    values = {
        "url": f"{base_url}/open/{match.id}",
        "off_url": off,
        "unsubscribe_url": off,
        "host": match.host_name,
        "game": present.game_title(match.game, words),
        "table": present.match_title(match, words),
        "others": present.joined(present.others(table.seats, None, words), words),
        "clock": present.clock_sentence(match, words),
    }
    zone = person.zone or service.settings.zone
    return MailValues(values), Reader(person.name, person.address, words.language, zone)
