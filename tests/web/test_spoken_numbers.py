"""Numbers in sentences of pages are those by which the service acts, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import time, timedelta

import pytest
from sqlalchemy import update

from pbem.acts import lobby
from pbem.config.sections import Mail
from pbem.people.series import points
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import Purpose
from pbem.web import devices, going_on, home_settings, standings
from tests.parts.cast import NAMES
from tests.web.house import WebHouse
from tests.web.series import made
from tests.web.series import signed_in as enters
from tests.web.test_going_on import moved
from tests.web.test_signing_in import link_of, signed_in

Page = Callable[[WebHouse, str], str]


def of_privacy(web: WebHouse, language: str) -> str:
    return web.app.test_client().get("/privacy", headers={"Accept-Language": language}).text


def of_signing_in(web: WebHouse, language: str) -> str:
    path = link_of(web, "bob")
    headers = {"Accept": "text/html", "Accept-Language": language}
    return web.app.test_client().get(path, headers=headers).text


def of_settings(web: WebHouse, language: str) -> str:
    bob = signed_in(web)
    bob.post("/home/settings", data={"language": language})
    return bob.get("/home/settings").text


def of_a_leaderboard(web: WebHouse, language: str) -> str:
    headers = {"Accept": "text/html", "Accept-Language": language}
    return web.app.test_client().get("/standings/dog", headers=headers).text


def of_a_series(web: WebHouse, language: str) -> str:
    alice, path = made(web)
    for name in NAMES:
        browser = alice if name == "Alice" else enters(web, name)
        browser.post(f"{path}/enter", data={"name": name})
    alice.post(f"{path}/next", data={"round": "0"})
    return alice.get(path, headers={"Accept": "text/html", "Accept-Language": language}).text


def of_a_move(web: WebHouse, language: str) -> str:
    # a device is not led on where everybody reads the mails in the service's own mailbox
    mails = web.service.settings.model_copy(update={"mail": Mail(mode="smtp")})
    client = WebHouse(replace(web.service, settings=mails)).app.test_client()
    match = web.running(language=language)
    return client.get(moved(web, client, match, 0)).text


def of_a_host(web: WebHouse, language: str) -> str:
    match = web.open(confirmed=False, language=language)
    with web.service.database.write("test") as session:
        session.execute(update(Match).values(unproved_host=True))
    return web.app.test_client().get(web.path(match, Purpose.HOST, links.HOST)).text


@pytest.mark.parametrize(
    ("place", "name", "value", "page", "english", "spanish"),
    [
        (devices, "LIFE", timedelta(days=7), of_privacy, "in: for 7 days.", "durante 7 días."),
        (devices, "LIFE", timedelta(days=1), of_signing_in, "for 1 day, or", "dura 1 día, o"),
        (going_on, "LIFE", timedelta(hours=3), of_a_move, "For 3 hours", "Durante 3 horas"),
        (points, "WIN", 50, of_a_series, "A win is 5 points,", "Ganar da 5 puntos,"),
        (lobby, "PROVED_WITHIN", timedelta(days=2), of_a_host, "within 2 days,", "en 2 días,"),
        (standings, "SETTLED_AFTER", 4, of_a_leaderboard, "for 4 matches.", "durante 4 partidas."),
        (
            *(home_settings, "NIGHT", (time(21, 30), time(7)), of_settings),
            *("reminded from 21:30 to 07:00.", "a nadie de 21:30 a 07:00."),
        ),
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_number_in_a_sentence_is_the_one_by_which_the_service_acts(
    web: WebHouse,
    monkeypatch: pytest.MonkeyPatch,
    place: object,
    name: str,
    value: object,
    page: Page,
    english: str,
    spanish: str,
    language: str,
) -> None:
    monkeypatch.setattr(place, name, value)

    told = page(web, language)

    assert (english if language == "en" else spanish) in told
