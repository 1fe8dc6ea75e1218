"""Leaderboards and the pages of players, as pages and in JSON."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem.people import persons, standing
from pbem.store.models import Match, Standing, StandingMatch, StandingResult
from tests.parts.cast import address
from tests.web.house import WebHouse
from tests.web.test_signing_in import signed_in

PROGRAM = {"Accept": "application/json"}


def rated(web: WebHouse, name: str, mu: int, matches: int, *, public: str = "") -> int:
    """Somebody with a rating in Dog for four."""
    with web.service.database.write("test") as session:
        who = persons.known(session, address(name), web.service.now()).id or 0
        session.add(
            Standing(
                game="dog",
                seats=4,
                person_id=who,
                mu=mu * 1_000_000,
                sigma=2_000_000,
                matches=matches,
            )
        )
    if public:
        standing.publish(web.service, who, public)
    return who


def test_a_leaderboard_names_only_who_wants_it(web: WebHouse, client: FlaskClient) -> None:
    rated(web, "alice", 30, 20, public="Ada & co")
    rated(web, "bob", 40, 20)

    page = client.get("/standings/dog", headers={"Accept": "text/html"}).text
    told = client.get("/standings/dog?seats=4", headers=PROGRAM).json

    assert "Ada &amp; co" in page
    assert "/players/Ada%20%26%20co?game=dog&amp;seats=4#matches" in page
    assert "bob" not in page.lower()
    assert told == {
        "game": "dog",
        "seats": 4,
        "people": 2,
        "players": [
            {
                "rank": 1,
                "name": "Ada & co",
                "rating": 24.0,
                "mu": 30.0,
                "sigma": 2.0,
                "matches": 20,
                "provisional": False,
                "link": "http://localhost/players/Ada%20%26%20co",
            }
        ],
        "others": [],
    }


def test_a_player_s_page_leads_to_their_matches(web: WebHouse, client: FlaskClient) -> None:
    who = rated(web, "alice", 30, 3, public="Ada")
    match = web.open()
    with web.service.database.write("test") as session:
        session.add(
            StandingMatch(
                match_id=match.id, game="dog", seats=4, ended_at=web.clock.now(), rated=True
            )
        )
        session.get_one(Match, match.id).ended_at = web.clock.now()
        session.flush()
        for seat in range(4):
            session.add(
                StandingResult(
                    match_id=match.id,
                    seat=seat,
                    person_id=who if seat == 1 else None,
                    team=seat % 2,
                    rank=1 + seat % 2,
                    in_time=9,
                    missed=3,
                    mu=30_000_000 if seat == 1 else None,
                    sigma=2_000_000 if seat == 1 else None,
                )
            )

    page = client.get("/players/ada", headers={"Accept": "text/html"}).text
    told = client.get("/players/ada", headers=PROGRAM).json
    elsewhere = client.get("/players/Ada?game=skirmish", headers=PROGRAM).json

    assert f'href="/m/{match.id}"' in page
    assert "9 of 12 turns in time, 1 of 1 matches played to the end." in page
    assert "2 of 2" in page
    assert "provisional" in page
    assert told is not None
    assert [(one["match"], one["ended_at"]) for one in told["matches"]] == [
        (match.id, "2026-06-02T12:00:00+00:00")
    ]
    assert [one["people"] for one in told["standings"]] == [0]
    assert "Other players met" in page
    assert told["reliability"] == {"turns": 12, "in_time": 9, "matches": 1, "finished": 1}
    assert elsewhere is not None
    assert elsewhere["matches"] == []


def test_who_has_no_page_and_what_is_no_game_is_not_found(
    web: WebHouse, client: FlaskClient
) -> None:
    rated(web, "bob", 40, 20)

    for path in ("/players/bob", "/players/bob@example.org", "/standings/chess"):
        assert client.get(path).status_code == 404
    assert client.get("/standings/dog?seats=0").status_code == 422
    assert client.get("/standings/dog?seats=x").status_code == 422
    assert client.get("/players/bob?page=0").status_code == 422


def test_the_standings_of_all_games_are_listed(web: WebHouse, client: FlaskClient) -> None:
    nothing = client.get("/standings", headers={"Accept": "text/html"}).text
    rated(web, "alice", 30, 20)

    page = client.get("/standings", headers={"Accept": "text/html"}).text

    assert "has ended yet" in nothing
    assert "Dog, 4 players" in page
    assert client.get("/standings", headers=PROGRAM).json == [
        {
            "game": "dog",
            "seats": 4,
            "people": 1,
            "link": "http://localhost/standings/dog?seats=4",
        }
    ]


def test_a_public_page_is_had_and_taken_away_in_the_settings(
    web: WebHouse, client: FlaskClient
) -> None:
    alice, bob = signed_in(web, "Alice"), signed_in(web, "Bob")
    form = alice.get("/home/settings").text

    alice.post("/home/player", data={"public_name": "Ada"})
    there = client.get("/players/Ada").status_code
    refused = bob.post("/home/player", data={"public_name": "ADA"})
    alice.post("/home/player", data={"public_name": ""})

    assert "They also show what was said to all" in form
    assert (there, refused.status_code) == (200, 422)
    assert client.get("/players/Ada").status_code == 404
    assert client.post("/home/player", data={"public_name": "Eve"}).status_code == 401
