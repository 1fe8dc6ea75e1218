"""Opening a match by the form, and joining it."""

from __future__ import annotations

import html
import io
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from engine.codec import encode
from engine.games.dogs_of_war.box.components import catalogue
from engine.games.registry import BUILT_IN, games
from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.mail.render import WIDTH
from pbem.people import open_tables
from pbem.store import links
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.web.house import WebHouse, matches_of
from tests.web.test_signing_in import signed_in

FORM = {
    "game": "dog",
    "players": "4",
    "host_name": "Alice",
    "host_email": "alice@example.org",
    **{f"seat-{number}-kind": "player" for number in range(2)},
    "seat-0-name": "Alice",
    "seat-0-email": "alice@example.org",
    "seat-1-name": "Bob",
    "seat-1-email": "bob@example.org",
    "seat-2-kind": "easy",
    "seat-3-kind": "easy",
    "turn": "2d",
    "reserve": "1d",
    "language": "es",
    "zone": "Europe/Madrid",
    "option-seven_burns_own": "yes",
    "option-discard": "one",
}


def test_a_match_is_opened_with_the_form(web: WebHouse, client: FlaskClient) -> None:
    page = client.post("/new", data=FORM)

    (match,) = matches_of(web)
    assert page.status_code == 201
    assert (match.language, match.zone, match.status) == ("es", "Europe/Madrid", "lobby")
    assert '"seven_burns_own":true' in match.options_json
    assert '"discard":"one"' in match.options_json
    assert '"turn":172800' in match.clock_json
    assert [mail.kind for mail in web.mails()].count("invitation") == 2


def test_where_all_seats_are_open_nobody_is_said_to_be_invited(
    web: WebHouse, client: FlaskClient
) -> None:
    seats = {f"seat-{number}-kind": "open" for number in range(1, 4)}
    named = {name: text for name, text in FORM.items() if not name.startswith("seat-")}

    invited = client.post("/new", data={**FORM, "language": "en"}).text
    alone = client.post("/new", data={**named, **seats, "i_play": "yes", "language": "en"}).text

    assert "Whoever you named gets an invitation now" in invited
    assert "The match begins when all seats are taken." in alone


def test_a_form_that_is_sent_twice_opens_one_match(web: WebHouse, client: FlaskClient) -> None:
    page = client.get("/new?game=dog&players=4").text
    key = re.search(r'name="form_key" value="([^"]+)"', page)
    assert key

    answers = [client.post("/new", data={**FORM, "form_key": key[1]}) for _ in range(2)]
    other = client.post("/new", data={**FORM, "form_key": key[1], "reserve": "2d"})

    first, second = (re.sub(r'nonce="[^"]*"', "", answer.text) for answer in answers)
    assert [answer.status_code for answer in (*answers, other)] == [201, 201, 201]
    assert first == second
    # what was changed in the form is another match
    assert len(matches_of(web)) == 2
    assert [mail.kind for mail in web.mails()].count("invitation") == 4


def test_a_form_that_is_sent_twice_at_the_same_moment_opens_one_match(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/new", data={**FORM, "form_key": "k"})
    look = open_tables.opened
    # the second looks before the first has written, and once more when it cannot write
    early = iter([None])
    monkeypatch.setattr(open_tables, "opened", lambda *asked: next(early, look(*asked)))

    answer = client.post("/new", data={**FORM, "form_key": "k"})

    assert answer.status_code == 201
    assert len(matches_of(web)) == 1
    assert [mail.kind for mail in web.mails()].count("invitation") == 2


def test_a_form_with_a_mistake_says_so_and_keeps_what_was_typed(
    web: WebHouse, client: FlaskClient
) -> None:
    page = client.post("/new", data={**FORM, "seat-1-email": "bob at example"})

    assert page.status_code == 422
    assert "“bob at example” is not an e-mail address" in page.text
    assert "Write it like ben@example.org." in page.text
    assert 'value="bob at example"' in page.text
    assert 'value="Alice"' in page.text
    assert matches_of(web) == []


@pytest.mark.parametrize(
    ("field", "text", "said", "spanish"),
    [
        (
            "vacation_days",
            "900",
            "“Vacation days of each player” must be between 0 and 60.",
            "«Días de vacaciones por jugador» debe",
        ),
        (
            "option-captain_limit",
            "many",
            "“Most captains a player can have in a year” must be a whole number.",
            "debe ser un número entero",
        ),
        (
            "option-ties",
            "broken",
            "“Equal points” cannot have this value. It can be: shared",
            "no puede tener este valor. Puede ser: shared",
        ),
        (
            "vacation_days",
            "-1",
            "“Vacation days of each player” must be between 0 and 60.",
            "debe estar entre 0 y 60",
        ),
        (
            "quiet",
            "22-8",
            "The clock's quiet hours are like 22:00-08:00.",
            "Las horas de silencio",
        ),
        ("turn", "soon", "The clock's “Time for a turn” is not", "La parte «Tiempo por turno» del"),
    ],
)
def test_a_mistake_is_told_by_what_the_form_calls_the_field(
    client: FlaskClient, field: str, text: str, said: str, spanish: str
) -> None:
    of_any_game = {name: typed for name, typed in FORM.items() if not name.startswith("option-")}
    for language, sentence in (("en", said), ("es", spanish)):
        page = client.post(
            "/new",
            data={**of_any_game, "game": "dogs-of-war", field: text},
            headers={"Accept-Language": language},
        )

        assert page.status_code == 422
        assert sentence in html.unescape(page.text)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("turn", "soon"),
        ("quiet", "at night"),
        ("vacation_days", "900"),
        ("option-captain_limit", "many"),
        ("option-captain_limit", "6            6"),
        ("option-ties", "broken"),
        ("name", "=?x?="),
        ("host_name", "=?x?="),
        ("host_email", "alice at example"),
        ("host_name", ""),
        ("host_email", ""),
        ("seat-1-email", "bob at example"),
        ("seat-1-email", "bob@gmial.com"),
        ("seat-1-email", ""),
        ("seat-1-name", ""),
        ("seat-1-name", "=?x?="),
    ],
)
def test_a_mistake_is_marked_at_its_field_and_what_holds_it_is_open(
    client: FlaskClient, field: str, text: str
) -> None:
    of_any_game = {name: typed for name, typed in FORM.items() if not name.startswith("option-")}

    page = client.post("/new", data={**of_any_game, "game": "dogs-of-war", field: text})

    (marked,) = re.findall(r'<(?:input|select)[^>]*aria-invalid="true"[^>]*>', page.text)
    assert f'id="{field}"' in marked
    assert re.search('aria-describedby="problem[ "]', marked)
    assert f'<a href="#{field}">To the field</a>' in page.text
    closed = re.findall(r"<details class=\"more\" *>.*?</details>", page.text, re.DOTALL)
    assert not any(marked in one for one in closed)


def test_a_mistake_of_which_nobody_knows_the_field_marks_none(client: FlaskClient) -> None:
    page = client.post("/new", data={**FORM, "seat-1-name": "Ada", "seat-2-name": "Ada"})

    assert page.status_code == 422
    assert "aria-invalid" not in page.text
    assert "To the field" not in page.text


def test_an_option_that_means_nothing_is_called_as_the_form_calls_it(client: FlaskClient) -> None:
    odd = {**FORM, "players": "3", "option-canadian_seven": "yes", "option-seven_burns_own": "no"}
    wrong = {
        **{name: odd[name] for name in odd if not name.startswith("seat-3-")},
        "language": "en",
    }

    page = client.post("/new", data=wrong)

    said = "“A 7 may also move your partner's pawns” means nothing with 3 players"
    assert said in html.unescape(page.text)


def test_a_host_who_plays_too_takes_the_first_seat(web: WebHouse, client: FlaskClient) -> None:
    without = {field: text for field, text in FORM.items() if not field.startswith("seat-0-")}

    page = client.post("/new", data={**without, "i_play": "yes"})
    signed_in(web, "alice").post("/new", data={**without, "i_play": "yes", "name": "Known"})
    signed_in(web, "bob").post("/new", data={**without, "i_play": "yes", "name": "Of another"})

    asked, known, other = sorted(matches_of(web), key=lambda match: match.name)
    seat = web.seat(asked, 0)
    assert page.status_code == 201
    assert (seat.name, seat.email) == (asked.host_name, asked.host_email)
    # only who has proved the address on this device has agreed by opening the match
    sits = [web.seat(match, 0).joined_at is not None for match in (asked, known, other)]
    assert sits == [False, True, False]
    assert web.seat(known, 1).joined_at is None


@pytest.mark.parametrize(
    ("pace", "turn", "reserve"),
    [("lively", 1, 2), ("usual", 3, 4), ("by-post", 7, 14), ("own", 2, 1)],
)
def test_a_pace_stands_for_a_clock(
    web: WebHouse, client: FlaskClient, pace: str, turn: int, reserve: int
) -> None:
    page = client.post("/new", data={**FORM, "pace": pace})

    (match,) = matches_of(web)
    assert page.status_code == 201
    assert f'"turn":{turn * 86400},' in match.clock_json
    assert f'"reserve":{reserve * 86400},' in match.clock_json


@pytest.mark.parametrize("plays", [True, False])
def test_a_host_whose_match_begins_at_once_reads_which_mails_come(
    client: FlaskClient, plays: bool
) -> None:
    bots = {f"seat-{number}-kind": "easy" for number in range(1 if plays else 0, 4)}
    own = {"i_play": "yes"} if plays else {}
    kept = {name: text for name, text in FORM.items() if not name.startswith("seat-")}

    page = client.post("/new", data={**kept, **own, **bots, "confirmed": "yes"}).text

    assert "The match has begun. You get a mail with your host link" in page
    assert ("When it is your turn you get a mail." in page) == plays
    assert "You play too" not in page


def test_a_host_who_plays_goes_on_to_their_seat_where_they_are_signed_in(
    web: WebHouse, client: FlaskClient
) -> None:
    form = {**FORM, "i_play": "yes", "seat-1-kind": "easy"}
    form = {field: text for field, text in form.items() if field[:7] not in ("seat-0-", "seat-1-")}
    form["seat-1-kind"] = "easy"
    alice, bob = signed_in(web, "alice"), signed_in(web, "bob")

    unknown = [browser.post("/new", data=form).text for browser in (client, bob)]
    known = alice.post("/new", data=form).text
    (match,) = re.findall(r'name="match" value="(\w+)">To your seat</button>', known)
    seat = alice.post("/home/link", data={"match": match}).location
    web.work()
    turn = alice.post("/home/link", data={"match": match}).location
    by_bob = bob.post("/home/link", data={"match": match})

    assert all("You play too: a mail brings you the link to your seat." in text for text in unknown)
    assert not [text for text in (*unknown, known) if re.search(r"/[sthj]/", text)]
    assert not [text for text in unknown if "/home/link" in text]
    assert "/s/" in seat
    assert "/t/" in turn
    assert by_bob.status_code == 404


def test_who_joins_goes_on_to_their_seat_and_nobody_later_by_the_same_link(
    web: WebHouse, client: FlaskClient
) -> None:
    client.post("/new", data=FORM)
    (match,) = matches_of(web)
    path = web.path(match, Purpose.JOIN, 1)

    joined = client.post(path)
    later = [client.post(path), client.get(path)]

    (seat,) = re.findall(r'href="(/s/[^"]+)">A tu asiento', joined.text)
    assert client.get(seat).status_code == 200
    assert not [one for one in later if "/s/" in one.text]


def test_who_joins_last_reads_that_the_match_has_begun(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)

    pages = [client.post(web.path(match, Purpose.JOIN, seat)).text for seat in range(4)]

    begun = ["The match has begun. When it is your turn you get a mail." in page for page in pages]
    assert begun == [False, False, False, True]


def test_the_letters_are_shown_before_anything_is_opened(
    web: WebHouse, client: FlaskClient
) -> None:
    before = web.dump()

    shown = client.post("/new", data={**FORM, "look": "yes"})
    after = web.dump()
    back = client.post("/new", data={**FORM, "look": "back"})
    opened = client.post("/new", data=dict(hidden_fields(shown.text)))

    assert shown.status_code == 200
    assert "bob@example.org" in shown.text
    assert "Alice te invita" in shown.text
    assert after == before
    assert 'value="Bob"' in back.text
    assert opened.status_code == 201
    assert len(matches_of(web)) == 1


def hidden_fields(page: str) -> list[tuple[str, str]]:
    found = re.findall(r'<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"', page)
    return [(name, html.unescape(value)) for name, value in found if name not in ("back", "look")]


def test_a_match_has_a_name_if_its_host_gives_it_one(web: WebHouse, client: FlaskClient) -> None:
    client.post("/new", data={**FORM, "name": "Friday table"})
    refused = client.post("/new", data={**FORM, "name": "www.example.com"})

    (match,) = matches_of(web)
    assert match.name == "Friday table"
    assert "Friday table · Dog" in client.get(f"/m/{match.id}").text
    assert client.get(f"/api/matches/{match.id}").get_json()["name"] == "Friday table"
    assert refused.status_code == 422


def test_the_clocks_of_the_form(web: WebHouse, client: FlaskClient) -> None:
    daily = {"kind": "daily", "daily_at": "19:30", "weekends": "yes", "quiet": "22:00-08:00"}

    client.post("/new", data={**FORM, **daily, "vacation_days": "5"})
    client.post("/new", data={**FORM, **daily, "kind": "none", "turn": "72h", "reserve": "96h"})

    first, second = sorted(matches_of(web), key=lambda match: match.clock_json, reverse=False)
    clocks = first.clock_json + second.clock_json
    assert '"kind":"daily"' in clocks
    assert '"daily_at":1170' in clocks
    assert '"weekends":true' in clocks
    assert '"quiet":[1320,480]' in clocks
    assert '"vacation_days":5' in clocks
    assert '"kind":"none"' in clocks


def test_a_player_joins_with_a_phrase_and_sees_the_commitment(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    path = web.path(match, Purpose.JOIN, 1)

    shown = client.get(path)
    form = {"phrase": "seven sleepy cats", "zone": "Asia/Tokyo", "language": "es", "name": "Bobby"}
    joined = client.post(path, data=form)
    again = client.post(path, data={"phrase": "another"})

    seat = web.seat(match, 1)
    assert match.commitment in shown.text
    assert (seat.phrase, seat.zone, seat.language, seat.name) == (
        "seven sleepy cats",
        "Asia/Tokyo",
        "es",
        "Bobby",
    )
    assert "seven sleepy cats" in joined.text
    assert "seven sleepy cats" in again.text


def test_who_joins_with_a_name_that_is_taken_is_led_to_its_field(
    web: WebHouse, client: FlaskClient
) -> None:
    path = web.path(web.open(confirmed=False), Purpose.JOIN, 1)

    page = client.post(path, data={"name": "Carol"}).text

    (marked,) = re.findall(r'<input[^>]*aria-invalid="true"[^>]*>', page)
    assert 'id="name"' in marked
    assert '<a href="#name">To the field</a>' in page


def test_a_host_who_plays_too_is_not_said_to_invite_themselves(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)

    own, bobs = (client.get(web.path(match, Purpose.JOIN, seat)).text for seat in (0, 1))

    assert "<h1>Take your seat</h1>" in own
    assert "<h1>Alice invites you to a match</h1>" in bobs


def test_a_phrase_is_drawn_and_shown_where_none_is_given(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)

    page = client.post(web.path(match, Purpose.JOIN, 2), data={})

    assert (web.seat(match, 2).phrase or "?") in page.text


def test_who_declines_must_tick_a_box_and_the_host_is_told(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    path = web.path(match, Purpose.JOIN, 2)

    without = client.post(f"{path}/decline")
    before = web.seat(match, 2).resigned_at
    with_it = client.post(f"{path}/decline", data={"sure": "yes"})

    assert (without.status_code, before) == (422, None)
    assert with_it.status_code == 200
    assert web.seat(match, 2).resigned_at is not None
    assert "declined" in web.mails("stalled")[0].data_json


def test_an_invitation_to_a_match_that_was_called_off_offers_no_seat(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.open(confirmed=False)
    joined, invited = (web.path(match, Purpose.JOIN, seat) for seat in (1, 2))
    client.post(joined)
    remedies.abort(web.service, match.id, actor="host")

    page, of_joined, late = client.get(invited), client.get(joined), client.post(invited)

    assert "The match was called off" in page.text
    assert f'action="{invited}' not in page.text
    assert "The match is over." in of_joined.text
    assert "you get a mail" not in of_joined.text
    assert late.status_code == 409


def test_the_hosts_page_says_who_declined(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)
    client.post(f"{web.path(match, Purpose.JOIN, 2)}/decline", data={"sure": "yes"})

    page = client.get(web.path(match, Purpose.HOST, links.HOST))

    assert page.status_code == 200
    assert "Carol was invited and does not want to play." in page.text


@pytest.mark.parametrize("email", ["tom@example", "tom@gmial.com", "tom@mail.con"])
def test_an_address_that_looks_mistyped_is_asked_about_and_taken_all_the_same(
    web: WebHouse, client: FlaskClient, email: str
) -> None:
    form = {**FORM, "seat-1-email": email}

    asked = client.post("/new", data=form)
    told = client.post("/new", data=form, headers={"Accept": "application/json"})
    before = matches_of(web)
    opened = client.post("/new", data={**form, "sure": "yes"})

    assert (asked.status_code, told.status_code, before) == (422, 422, [])
    assert f"Is this right? {email}." in told.get_json()["error"]["message"]
    assert f"Is this right? {email}." in asked.text
    assert f'value="{email}"' in asked.text
    # whoever corrects it need not tick the box
    assert "required" not in re.findall(r'<input[^>]*name="sure"[^>]*>', asked.text)[0]
    assert opened.status_code == 201
    assert web.seat(matches_of(web)[0], 1).email == email


def test_a_match_is_opened_with_a_time_in_words(web: WebHouse, client: FlaskClient) -> None:
    client.post("/new", data={**FORM, "turn": "3 days", "reserve": "1 semana"})

    (match,) = matches_of(web)
    assert '"turn":259200' in match.clock_json
    assert '"reserve":604800' in match.clock_json


def test_a_component_set_is_chosen_as_a_file(web: WebHouse, client: FlaskClient) -> None:
    box = replace(catalogue("pbem-1").components, name="a-friends-set", title="Ein Satz für alle")

    page = client.post("/new", data=captains(encode(box)))

    (match,) = matches_of(web)
    assert page.status_code == 201
    assert "Ein Satz für alle" in match.options_json


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{" + b" " * 60_000, "larger than 50000 bytes"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b"{nothing", "is not JSON"),
        (encode(catalogue("pbem-1").components).replace(b'"Levy"', b'"L3vy"'), "“L3vy” is not"),
    ],
)
def test_a_file_that_is_no_component_set_is_refused_in_a_sentence(
    web: WebHouse, client: FlaskClient, content: bytes, said: str
) -> None:
    page = client.post("/new", data=captains(content))

    assert page.status_code == 422
    assert said in html.unescape(page.text)
    assert not matches_of(web)


def captains(content: bytes) -> dict[str, Any]:
    """The form of a match of Dogs of War whose components are in a file."""
    return {
        "game": "dogs-of-war",
        "players": "3",
        "host_name": "Alice",
        "host_email": "alice@example.org",
        **{f"seat-{number}-kind": "easy" for number in (1, 2)},
        "seat-0-kind": "player",
        "seat-0-name": "Alice",
        "seat-0-email": "alice@example.org",
        "option-components": (io.BytesIO(content), "set.json"),
    }


def test_who_joins_says_whether_they_want_reminders(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)
    pages = [web.path(match, Purpose.JOIN, seat) for seat in (0, 1)]

    client.post(pages[0], data={"reminders": "no"})
    client.post(pages[1], data={"name": "Bob"})
    wished = [web.seat(match, seat).reminders for seat in (0, 1)]
    client.post(web.path(match, Purpose.SEAT, 0), data={"do": "settings", "reminders": "yes"})

    assert wished == [False, True]
    assert web.seat(match, 0).reminders


def test_what_is_the_default_is_called_so(client: FlaskClient) -> None:
    page = client.get("/new?game=dogs-of-war").text

    assert "usual)" not in page
    assert "as usual" not in page
    assert re.search(r"none of \d+ changed", page)
    assert "(default)" in page
    assert "the default of the game" in page


def test_letters_flow_on_a_page_as_wide_as_it_is(web: WebHouse, client: FlaskClient) -> None:
    """A sentence stands in one line there, and in several of the mail that goes out."""
    form = {**FORM, "language": "en"}
    page = client.post("/new", data={**form, "look": "yes"}).text
    client.post("/new", data=form)
    while post_due(web.service):
        pass

    shown = html.unescape("".join(re.findall(r"<pre>(.*?)</pre>", page, re.S))).splitlines()
    long = {line for line in shown if len(line) > WIDTH and "://" not in line}
    sent = mailbox.listed(web.service, "alice@example.org")[0].text
    assert [line for line in long if line in " ".join(sent.split())]
    assert not [line for line in long if line in sent]


def test_the_mails_that_would_go_out_are_shown_with_whom_they_go_to(client: FlaskClient) -> None:
    page = client.post("/new", data={**FORM, "language": "en", "look": "yes"}).text

    assert re.findall(r"<summary><strong>(.*?)</strong>", page) == [
        "alice@example.org",
        "alice@example.org",
        "bob@example.org",
    ]
    assert page.count('<details class="sheet mail-sheet" open>') == 1


def test_every_game_is_offered_with_its_picture(client: FlaskClient) -> None:
    page = client.get("/new").text

    assert page.count('class="choice"') == len(games())
    # a game from outside need not have one
    assert [name for name in BUILT_IN if f"/cover/{name}" not in page] == []
