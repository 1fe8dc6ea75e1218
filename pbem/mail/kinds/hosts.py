"""Mails to the host."""

from __future__ import annotations

from pbem import present
from pbem.acts import open_seats, remedies
from pbem.acts.mail_relevance import Subject
from pbem.mail.kinds import pieces, players
from pbem.mail.values import MailValues
from pbem.present import deliveries
from pbem.service import Service
from pbem.store.names import Purpose, StallReason
from pbem.words.i18n import Translator


def to_host(service: Service, about: Subject, words: Translator) -> MailValues:
    """``match_opened``, ``host_link``, ``bot_seated``: the link to the host's page."""
    return MailValues(
        {
            "host_url": pieces.url_to(service, about, Purpose.HOST),
            "to_invite": about.match.unproved_host,
            "invited": [seat.name for seat in about.seats if seat.email and seat.joined_at is None],
            "open_seats": len(open_seats.free(about.match, about.seats)),
            "open_url": f"{service.settings.base_url}/open/{about.match.id}",
            "clock": present.clock_sentence(about.match, words),
            "how": players.how(about),
            "beacon": present.dice_sentence(about.match, words, used=service.settings.uses_beacon),
            "in_lobby": about.match.started_at is None,
        }
    )


def permission_ended(service: Service, about: Subject, words: Translator) -> MailValues:
    said = to_host(service, about, words)
    label = words.sentence(remedies.find(about.data["remedy"]).label)
    return MailValues({**said.values, "label": label, "how": about.data["how"]})


def host_asked(service: Service, about: Subject, words: Translator) -> MailValues:
    turn = about.turn
    assert turn is not None  # a mail about a turn is unwanted without it
    assert turn.final_at is not None  # only turns with a deadline run out
    said = to_host(service, about, words)
    until = present.Moment(turn.final_at, about.match.zone, words)
    return MailValues({**said.values, "until": until})


def stalled(service: Service, about: Subject, words: Translator) -> MailValues:
    said = to_host(service, about, words)
    absent, reason = about.absent, about.data["reason"]
    refused = absent.mail_problem if absent and reason == StallReason.MAIL else ""
    return MailValues(
        {
            **said.values,
            "reason": reason,
            "news": _news(reason, absent.name if absent else "", words),
            "detail": deliveries.reason(refused or "", words),
            "again": about.data.get("again", False),
        }
    )


def _news(reason: str, name: str, words: Translator) -> str:
    """What is wrong, for the subject and the heading."""
    _ = words.text
    news = {
        "beacon": _("The match cannot begin yet"),
        "declined": _("{name} does not play", name=name),
        "mail": _("Mail to {name} does not arrive", name=name),
        "mail_again": _("A mail to {name} came back", name=name),
        "muted": _("{name} wants no more mail", name=name),
        "silent": _("{name} has not moved for two weeks", name=name),
    }
    return news.get(reason) or _("The match was set aside")
