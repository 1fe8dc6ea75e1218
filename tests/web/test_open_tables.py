"""Tables that look for players: opened, found, and taken by a mailed link."""

from __future__ import annotations

import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.acts import lobby, open_seats
from pbem.acts.matches import NewSeat, Person
from pbem.people import open_tables
from pbem.people.sweep import sweep as keep_company
from pbem.store.models import OpenTable
from pbem.store.names import Purpose
from tests.parts.cast import address, people
from tests.parts.questions import counted
from tests.web.house import WebHouse
from tests.web.open_tables import HERE, NEW, asked_for, mailed, opened
from tests.web.test_signing_in import signed_in


def test_a_table_that_a_program_opens_is_on_the_list(web: WebHouse, client: FlaskClient) -> None:
    made = client.post("/api/matches", json={**NEW, "name": "Friday table"})

    listed = client.get("/open", headers=HERE).json

    assert made.status_code == 201
    assert [seat["kind"] for seat in made.json["seats"]] == ["player", "open", "open", "open"]
    (entry,) = listed
    assert {"match", "game", "name", "seats", "options", "clock", "link"} <= set(entry)
    assert (entry["game"], entry["name"]) == ("dog", "Friday table")
    assert entry["link"] == f"http://localhost/open/{entry['match']}"
    assert client.get(f"/open/{entry['match']}").status_code == 200


def test_the_page_of_a_table_is_in_the_language_of_its_reader_as_the_list_is(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web)

    pages = [
        client.get(path, headers={"Accept-Language": "es"}).text
        for path in ("/open", f"/open/{match.id}")
    ]

    assert all('<html lang="es"' in page for page in pages)
    assert "busca jugadores" in pages[1]


def test_a_table_whose_host_is_not_proved_is_not_on_the_list(
    web: WebHouse, client: FlaskClient
) -> None:
    new = open_tables.NewTable(
        game="dog",
        host=Person("Alice", address("alice")),
        seats=[NewSeat(open=True)] * 4,
        listed=True,
    )
    match = open_tables.create(web.service, new, proved=False)
    before = client.get("/open", headers=HERE).json

    client.post(web.path(match, Purpose.HOST, -1) + "/invite")

    assert before == []
    assert len(client.get("/open", headers=HERE).json) == 1


def test_who_asks_for_a_seat_takes_it_by_the_mailed_link(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web)
    path = asked_for(web, client, match, "Erin")
    looked = client.get(path)
    still_open = web.seat(match, 3).is_open

    taken = client.post(path, data={"phrase": "my own words", "language": "es"})

    assert looked.status_code == 200
    assert still_open
    assert taken.status_code == 201
    assert "my own words" in taken.text
    seat = web.seat(match, 3)
    assert (seat.name, seat.email, seat.language) == ("Erin", address("erin"), "es")
    # the link shows the seat from then on, and takes nothing more
    assert "my own words" in client.post(path).text


def test_a_program_asks_for_a_seat(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web, free=2)

    answer = client.post(
        f"/open/{match.id}", json={"name": "Erin", "email": address("erin"), "seat": 3}
    )
    client.post(mailed(web, "Erin"))

    assert answer.status_code == 202
    assert web.seat(match, 3).name == "Erin"


def test_every_address_gets_the_same_answer(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web)

    answers = [
        client.post(f"/open/{match.id}", json={"name": "X", "email": address(name)})
        for name in ("alice", "erin", "nobody")
    ]

    assert {(answer.status_code, answer.text) for answer in answers} == {(202, answers[0].text)}


def test_an_address_is_mailed_a_few_links_only(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web)
    most = web.service.settings.limits.links_per_address_per_hour

    for _ in range(most + 3):
        client.post(f"/open/{match.id}", json={"name": "Erin", "email": address("erin")})

    # those above the limit share one key, so they are one mail
    assert len(web.mails("take_seat")) == most + 1


def test_who_is_refused_can_still_be_mailed(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web)
    names = [match.host_name] * (web.service.settings.limits.links_per_address_per_hour + 1)

    answers = [
        client.post(f"/open/{match.id}", json={"name": name, "email": address("erin")}).status_code
        for name in (*names, "Erin", "Erin")
    ]

    assert answers == [422] * len(names) + [202] * 2
    assert len(web.mails("take_seat")) == 2


def test_of_two_with_links_for_the_last_seat_one_gets_it(any_web: WebHouse) -> None:
    web = any_web
    match = opened(web)
    paths = [asked_for(web, web.app.test_client(), match, name) for name in ("Erin", "Frank")]
    other = opened(web)
    answers = []

    def confirm(path: str) -> None:
        answers.append(web.app.test_client().post(path))

    threads = [threading.Thread(target=confirm, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answer.status_code for answer in answers) == [201, 409]
    late = next(answer for answer in answers if answer.status_code == 409)
    assert "/open?game=dog" in late.text
    assert web.seat(match, 3).name in ("Erin", "Frank")
    assert web.seat(other, 3).is_open


def test_who_came_too_late_for_a_seat_can_take_another_by_the_same_link(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web, free=2)
    path = asked_for(web, client, match, "Erin", seat="3")
    open_seats.take(web.service, match.id, open_seats.Taking("Frank", address("frank"), 3))

    late = client.post(path)
    taken = client.post(path, data={"seat": "2"})

    assert late.status_code == 409
    assert 'value="2"' in late.text
    assert taken.status_code == 201
    assert web.seat(match, 2).name == "Erin"


def test_who_finds_their_name_taken_chooses_another_by_the_same_link(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web, free=2)
    path = asked_for(web, client, match, "Max", seat="2")
    open_seats.take(web.service, match.id, open_seats.Taking("max", address("frank"), 3))

    looked = client.get(path)
    refused = client.post(path, data={"name": " MAX ", "language": "es"})
    taken = client.post(path, data={"name": "Maximilian"})

    assert looked.status_code == 200
    assert "is called max already" in looked.text
    marked = 'value="Max" aria-invalid="true" aria-describedby="problem"'
    assert f'<input id="name" name="name" {marked} ' in looked.text
    assert '<a href="#name">To the field</a>' in looked.text
    assert (refused.status_code, taken.status_code) == (422, 201)
    assert web.seat(match, 2).name == "Maximilian"


def test_who_can_take_no_seat_is_not_told_to_choose_another_name(
    web: WebHouse, client: FlaskClient
) -> None:
    full, left = opened(web), opened(web, free=2)
    too_late, used = (asked_for(web, client, match, "Erin") for match in (full, left))
    client.post(used)
    lobby.decline(web.service, web.link(left, Purpose.SEAT, 2))
    for match in (full, left):
        open_seats.take(web.service, match.id, open_seats.Taking("Erin", address("frank")))

    pages = [client.get(path).text for path in (too_late, used)]

    assert "others were faster" in pages[0]
    assert "This link has been used already." in pages[1]
    assert not [page for page in pages if "Choose another name" in page]


def test_of_two_who_confirm_one_name_at_once_one_chooses_another(any_web: WebHouse) -> None:
    web = any_web
    match = opened(web, free=2)
    paths = []
    for name, seat in (("Erin", "2"), ("Frank", "3")):
        form = {"name": "Max", "email": address(name), "seat": seat}
        web.app.test_client().post(f"/open/{match.id}", data=form)
        paths.append(mailed(web, name))
    answers = {}

    def confirm(path: str) -> None:
        answers[path] = web.app.test_client().post(path).status_code

    threads = [threading.Thread(target=confirm, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers.values()) == [201, 422]
    late = next(path for path, status in answers.items() if status == 422)
    mended = web.app.test_client().post(late, data={"name": "Moritz"})

    assert mended.status_code == 201
    assert {web.seat(match, number).name for number in (2, 3)} == {"Max", "Moritz"}


def test_who_asks_for_a_seat_under_a_name_of_the_table_reads_so(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web)
    asked = {"name": "bob", "email": address("erin")}

    page = client.post(f"/open/{match.id}", data=asked)
    told = client.post(f"/open/{match.id}", json=asked)

    assert (page.status_code, told.status_code) == (422, 422)
    assert "is called Bob already" in page.text
    assert "is called Bob already" in told.json["error"]["message"]
    assert not web.mails("take_seat")


def test_a_program_reads_which_name_two_seats_have(client: FlaskClient) -> None:
    seats = [{"name": "Ann", "email": f"{name}@example.org"} for name in ("a", "b")]

    answer = client.post("/api/matches", json={**NEW, "seats": [*seats, *NEW["seats"][:2]]})

    assert answer.status_code == 422
    assert "Ann" in answer.json["error"]["message"]


def test_who_is_signed_in_goes_on_to_their_seat_or_turn(web: WebHouse) -> None:
    match = opened(web)
    erin = signed_in(web, "erin")

    taken = erin.post(f"/open/{match.id}", data={"name": "Erin"})
    to_seat = erin.post("/home/link", data={"match": match.id}).location
    web.work()
    web.play_on(match, without=3)
    to_turn = erin.post("/home/link", data={"match": match.id}).location

    assert taken.status_code == 201
    assert f'name="match" value="{match.id}">To your seat</button>' in taken.text
    assert "/s/" in to_seat
    assert "/t/" in to_turn
    assert "/s/" not in taken.text


def test_a_mailed_link_leads_to_the_seat_only_when_it_takes_it(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web)
    path = asked_for(web, client, match, "Erin")

    taken = client.post(path)
    again = [client.post(path), client.get(path)]
    web.work()
    web.play_on(match, without=3)
    later = client.get(path)

    (seat,) = re.findall(r'href="(/s/[^"]+)">To your seat', taken.text)
    assert client.get(seat).status_code == 200
    assert not [one for one in (*again, later) if "/s/" in one.text or "/t/" in one.text]
    assert "It is your turn: your mail has the link." in later.text


def test_the_list_is_narrowed_down(web: WebHouse, client: FlaskClient) -> None:
    opened(web, name="dog in English")
    opened(web, name="perro", language="es", clock={"kind": "turn", "turn": "12h"})
    opened(web, name="men", game="skirmish", seats=[*people(1), NewSeat(open=True)])

    def names(query: str) -> list[str]:
        return [entry["name"] for entry in client.get(f"/open?{query}", headers=HERE).json]

    assert len(names("")) == 3
    assert names("game=skirmish") == ["men"]
    assert names("seats=2") == ["men"]
    assert names("language=es") == ["perro"]
    assert names("pace=lively") == ["perro"]
    assert len(names("game=nonsense&pace=x&seats=x&language=xx")) == 3


def test_a_long_list_has_pages(web: WebHouse, client: FlaskClient, monkeypatch: Any) -> None:
    monkeypatch.setattr(open_tables, "PAGE", 2)
    ids = []
    for number in range(3):
        web.clock.move(timedelta(minutes=1))
        ids.append(opened(web, name=f"number {number}").id)

    first = client.get("/open", headers=HERE)
    following = re.findall(r"<http://localhost(.*)>", first.headers["Link"])[0]
    second = client.get(following, headers=HERE)

    assert [entry["match"] for entry in first.json] == [ids[2], ids[1]]
    assert [entry["match"] for entry in second.json] == [ids[0]]
    assert "Link" not in second.headers


def test_a_table_that_has_begun_is_off_the_list_and_says_so(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web, free=1)
    open_seats.take(web.service, match.id, open_seats.Taking("Erin", address("erin")))
    web.work()
    listed = client.get("/open", headers=HERE).json
    web.clock.move(open_tables.LISTED)
    keep_company(web.service)

    assert listed == []
    assert "This match has begun" in client.get(f"/open/{match.id}").text
    assert (
        client.post(f"/open/{match.id}", json={"name": "F", "email": "f@example.org"}).status_code
        == 409
    )
    with web.service.database.read() as session:
        assert not session.exec(select(OpenTable)).all()


def test_a_full_table_says_until_when_the_others_can_join(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web, free=1, confirmed=False)
    free = client.get(f"/open/{match.id}").text
    open_seats.take(web.service, match.id, open_seats.Taking("Erin", address("erin")))

    full = client.get(f"/open/{match.id}").text

    assert "If the table has not filled by" in free
    assert "<title>Alice looks for players" in free
    assert "looks for players" not in full
    assert "If not all have joined by" in full
    assert "has not filled" not in full


@pytest.mark.parametrize(("field", "typed"), [("name", ""), ("email", ""), ("email", "erin")])
def test_what_is_wrong_is_marked_where_a_seat_is_asked_for(
    web: WebHouse, client: FlaskClient, field: str, typed: str
) -> None:
    match = opened(web)
    form = {"name": "Erin", "email": address("erin"), "seat": "", field: typed}

    page = client.post(f"/open/{match.id}", data=form)

    (marked,) = re.findall(r'<input[^>]*aria-invalid="true"[^>]*>', page.text)
    assert f'id="{field}"' in marked
    assert f'<a href="#{field}">To the field</a>' in page.text


def test_an_address_to_hear_of_tables_that_is_none_is_asked_for_again(client: FlaskClient) -> None:
    form = {"game": "dogs-of-war", "seats": "4", "language": "es", "email": "erin at example"}

    page = client.post("/open/watch", data=form)
    program = client.post("/open/watch", json=form)

    assert (page.status_code, program.status_code) == (422, 422)
    assert "“erin at example” is not an e-mail address" in page.text
    (marked,) = re.findall(r'<input[^>]*aria-invalid="true"[^>]*>', page.text)
    assert 'value="erin at example"' in marked
    asked = page.text.partition('id="watch"')[2]
    chosen = re.findall(r"<option ([^>]*)selected>([^<]*)", asked)
    assert [label for _, label in chosen] == ["Dogs of War", "4", "Español"]


def test_a_messenger_shows_what_is_played(web: WebHouse, client: FlaskClient) -> None:
    match = opened(web)

    page, picture = client.get(f"/open/{match.id}"), client.get(f"/open/{match.id}/picture")

    assert 'property="og:image" content="http://localhost/open/' in page.text
    assert "Alice looks for players" in page.text
    assert picture.mimetype == "image/jpeg"


def test_who_has_taken_a_seat_leaves_it_on_the_seats_page(
    web: WebHouse, client: FlaskClient
) -> None:
    match = opened(web, free=2)
    open_seats.take(web.service, match.id, open_seats.Taking("Erin", address("erin")))
    seat = web.path(match, Purpose.SEAT, 2)

    unsure = client.post(seat, data={"do": "leave-table"})
    left = client.post(seat, data={"do": "leave-table", "sure": "yes"})

    assert unsure.status_code == 422
    assert left.status_code == 200
    assert web.seat(match, 2).is_open
    assert client.get(seat).status_code == 404


def test_who_is_signed_in_takes_a_seat_without_a_mail(web: WebHouse) -> None:
    match = opened(web, free=2)
    erin = signed_in(web, "erin")

    page = erin.get(f"/open/{match.id}")
    taken = erin.post(f"/open/{match.id}", data={"name": "Erin", "seat": "3"})
    again = erin.post(f"/open/{match.id}", json={"name": "Erin"})

    assert 'name="email"' not in page.text
    assert (taken.status_code, again.status_code) == (201, 409)
    assert web.seat(match, 3).email == address("erin")
    assert not web.mails("take_seat")


def test_who_is_signed_in_needs_no_mail_however_they_write_their_address(web: WebHouse) -> None:
    match, erin = opened(web), signed_in(web, "erin")
    typed = address("erin").upper()

    taken = erin.post(f"/open/{match.id}", json={"name": "Erin", "email": typed})
    watched = erin.post("/open/watch", json={"game": "dog", "email": typed})
    other = erin.post("/open/watch", json={"game": "dog", "email": address("frank")})

    assert (taken.status_code, watched.status_code, other.status_code) == (201, 201, 202)


def test_a_list_asks_the_database_as_often_however_long_it_is(
    web: WebHouse, client: FlaskClient
) -> None:
    opened(web)
    client.get("/open")
    with counted() as few:
        client.get("/open")
    for _ in range(5):
        opened(web)

    with counted() as more:
        client.get("/open")

    assert len(more) == len(few)


def test_the_public_table_leads_to_its_open_seats(web: WebHouse, client: FlaskClient) -> None:
    match, full = opened(web), web.open(confirmed=False)

    assert f'href="/open/{match.id}"' in client.get(f"/m/{match.id}").text
    assert "/open/" not in client.get(f"/m/{full.id}").text
