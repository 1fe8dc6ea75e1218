"""The first page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from engine.games.registry import BUILT_IN
from pbem import create_app
from pbem.present import covers, for_players
from pbem.words.i18n import translator
from pbem.words.texts import LANGUAGES
from tests.web.house import WebHouse, matches_of


def test_the_demo_leads_to_a_first_turn(web: WebHouse, client: FlaskClient) -> None:
    answer = client.post("/demo", data={"game": "dog"})

    page = client.get(answer.location)
    assert answer.status_code == 303
    assert "Your move" in page.text


def test_a_demo_of_a_game_that_is_not_there_is_refused(web: WebHouse, client: FlaskClient) -> None:
    answer = client.post("/demo", data={"game": "chess"})

    assert answer.status_code == 422
    assert "There is no game called chess." in answer.text
    assert matches_of(web) == []


def test_a_reader_chooses_a_language(web: WebHouse, client: FlaskClient) -> None:
    browser = {"Accept-Language": "es-MX,en;q=0.5"}

    first = client.get("/", headers=browser)
    chosen = client.post("/language", data={"language": "en", "back": "/rules/dog"})
    then = client.get("/", headers=browser)

    assert '<html lang="es">' in first.text
    assert chosen.location == "/rules/dog"
    assert '<html lang="en">' in then.text


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_cookie_goes_over_https_alone_where_the_service_has_it(
    web: WebHouse, scheme: str
) -> None:
    address = f"{scheme}://games.example.org"
    settings = web.service.settings.model_copy(update={"base_url": address})
    client = create_app(replace(web.service, settings=settings)).test_client()

    answer = client.post("/theme", data={"theme": "dark", "back": "/"})

    assert ("Secure" in answer.headers["Set-Cookie"]) is (scheme == "https")
    assert "HttpOnly" in answer.headers["Set-Cookie"]


def test_each_game_is_told_in_a_few_lines_and_for_how_many_it_is(client: FlaskClient) -> None:
    page = client.get("/").text
    shelf = page.partition('class="shelf"')[2].partition("</ul>")[0]
    captains = shelf.partition("Mercenary captains")[2].partition("</p>")[0]

    assert "For 3 to 6 players." in shelf
    assert "For 3 to 5 players." in shelf
    assert len(captains) < 120
    assert "For 3 to 6 players." in client.get("/rules/dog").text
    assert "Made for this project, not the published components" in (
        client.get("/rules/dogs-of-war").text
    )


def test_numbers_of_players_with_a_gap_are_all_named() -> None:
    words = translator("en")

    assert for_players((2, 4), words) == "For 2, 4 players."
    assert for_players((2,), words) == "For 2 players."


@pytest.mark.parametrize("used", [True, False])
def test_what_is_said_of_the_dice_holds_for_this_service(web: WebHouse, used: bool) -> None:
    kept = web.service.settings
    beacon = kept.beacon.model_copy(update={"enabled": used})
    settings = kept.model_copy(update={"beacon": beacon})
    there = WebHouse(replace(web.service, settings=settings))

    page = there.app.test_client().get("/")

    assert ("nobody can choose them, neither the host nor this service" in page.text) is used
    assert ("whoever runs it and sits at the table could choose the dice" in page.text) is not used


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example", "/\\evil", "/t/x", "/operator", "/nope", ""]
)
def test_the_language_leads_back_to_pages_of_ours_only(
    web: WebHouse, client: FlaskClient, back: str
) -> None:
    """Threat 1.11."""
    answer = client.post("/language", data={"language": "es", "back": back})

    assert answer.location == "/"


def test_the_rules_of_every_game_are_told(web: WebHouse, client: FlaskClient) -> None:
    page = client.get("/rules/dog", headers={"Accept-Language": "es"})
    listed = client.get("/rules")

    assert "recién salido" in page.text
    for game in re.findall(r'href="(/rules/[^"]+)"', listed.text):
        assert client.get(game).status_code == 200
    assert client.get("/rules/chess").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/new", "/new?game=dog", "/new?game=skirmish", "/open"),
        *("/rules", "/rules/skirmish", "/standings/skirmish"),
    ],
)
def test_a_game_has_the_same_name_on_every_page(client: FlaskClient, path: str) -> None:
    page = client.get(path, headers={"Accept-Language": "es"}).text

    assert "Dogs of War: combate moderno de escaramuza" in page
    assert "Modern Skirmish Combat" not in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", BUILT_IN)
def test_a_picture_of_the_first_page_brings_the_letters_it_shows(
    client: FlaskClient, game: str, language: str
) -> None:
    for kind in ("cover", "letter"):
        answer = client.get(f"/art/{language}/light/{kind}/{game}.svg")
        if answer.status_code == 404:
            continue
        style = answer.text.split("<style>")[1].split("</style>")[0]
        shown = "".join(re.findall(r"<text\b[^>]*>([^<]*)", answer.text))

        assert set(shown) <= set(covers.LETTERS), "make the subsets anew"
        assert "font-family:'Atkinson Hyperlegible'" in style
        serif = "'Source Serif 4'"
        assert (serif in style) is (serif in answer.text.replace(style, ""))
        assert "font-src data:" in answer.headers["Content-Security-Policy"]
        assert len(style) < 14_000
