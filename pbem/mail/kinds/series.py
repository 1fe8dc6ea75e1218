"""Mails of a series: the link that enters somebody, their table of a round, the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from pbem.acts import outbox
from pbem.mail.kinds import people
from pbem.mail.values import MailValues, Reader
from pbem.people import proofs
from pbem.people.series import acts
from pbem.people.series.acts import SeriesPlace, SeriesStatus
from pbem.people.series.rows import Rows, ahead_of, read
from pbem.present import Moment
from pbem.present import series as shown
from pbem.service import Service
from pbem.store.models import Mail, Person, SeriesMatch
from pbem.words.i18n import translator

#: At most so many rows of the table of a series; its page has all.
MOST_ROWS = 20


def enter(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """The link that enters somebody; None if it is gone."""
    link = people.asked_for(service, mail)
    if link is None:
        return None
    about = proofs.about(link)
    with service.database.read() as session:
        series = acts.get(session, about["series"])
    reader = replace(people.reader_of(service, link), name=about["name"])
    words = translator(reader.language, series.game)
    token = proofs.token(service.keys, link)
    values = {
        "series": series.name,
        "what": shown.what(series, words),
        "url": f"{service.settings.base_url}/series/enter/{token}",
        "hours": people.hours(),
    }
    return MailValues(values), reader


def entered(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """That somebody has entered, or waits for a place; None if they left, or it is over."""
    about = outbox.data(mail)
    with service.database.read() as session:
        rows, reader = _read(session, about)
        player = next(one for one in rows.players if one.person_id == about["person"])
        ahead = ahead_of(session, player)
    series = rows.series
    gone = player.place == SeriesPlace.OUT or series.status == SeriesStatus.OVER
    if reader is None or gone:
        return None
    words = translator(reader.language, series.game)
    until = series.enter_until
    values = {
        **_of(service, rows),
        "name": player.name,
        "waits": shown.waiting(player.name, ahead, words),
        "next_places": shown.next_places(series, words),
        "what": shown.what(series, words),
        "clock": shown.clock(series, words),
        "begun": series.round > 0,
        "begins": Moment(until, reader.zone, words) if until is not None else None,
    }
    return MailValues(values), reader


def round_drawn(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """At which table a player sits, or that the round is off for them; None if it is no news."""
    about = outbox.data(mail)
    with service.database.read() as session:
        rows, reader = _read(session, about)
        table = session.get(SeriesMatch, (about["series"], about["round"], about["table"]))
    if reader is None:
        return None
    names = {player.number: player.name for player in rows.players}
    seats = rows.tables().get((about["round"], about["table"]), ())
    values = {
        **_of(service, rows),
        "round": about["round"],
        "rounds": rows.series.rounds,
        "table": about["table"],
        "names": [names[seat.player] for seat in seats],
        "table_url": f"{service.settings.base_url}/m/{table.match_id}" if table else "",
    }
    return MailValues(values), reader


def over(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """Where everybody stands at the end; None if the reader was forgotten."""
    about = outbox.data(mail)
    with service.database.read() as session:
        rows, reader = _read(session, about)
    if reader is None:
        return None
    table = shown.standing(rows, translator(reader.language))
    mine = {one.number for one in rows.players if one.person_id == about["person"]}
    values = {
        **_of(service, rows),
        "lines": table[:MOST_ROWS],
        "more": max(0, len(table) - MOST_ROWS),
        "own": next((line for line in table if line.number in mine), None),
        "called_off": rows.series.called_off,
        "begun": rows.series.round > 0,
        "unfinished": not rows.is_played(),
    }
    return MailValues(values), reader


def _of(service: Service, rows: Rows) -> dict[str, str]:
    series = rows.series
    return {"series": series.name, "url": f"{service.settings.base_url}/series/{series.id}"}


def _read(session: Session, about: Mapping[str, Any]) -> tuple[Rows, Reader | None]:
    """A series, and a player, under the name they have there, or its host; None if forgotten."""
    rows = read(session, about["series"])
    person = session.get(Person, about["person"])
    if person is None or person.address is None:
        return rows, None
    series = rows.series
    names = (one.name for one in rows.players if one.person_id == person.id)
    return rows, Reader(
        next(names, person.name),
        person.address,
        person.language or series.language,
        person.zone or series.zone,
    )
