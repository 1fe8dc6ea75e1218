"""Who wants to hear of new tables gets a mail: one a table, a few a day, each with an end."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import delete, select

from pbem.acts.matches import NewSeat, Person
from pbem.errors import TooMany
from pbem.mail import mailbox
from pbem.mail.mailer import post_due
from pbem.people import open_tables, persons, watches
from pbem.people.open_tables import TableFilter
from pbem.people.sweep import sweep as keep_company
from pbem.store import links
from pbem.store.models import Match, Watch
from tests.parts.cast import House, address, people
from tests.people.quick import snatch_installed
from tests.web.conftest import client as client
from tests.web.conftest import web as web
from tests.web.house import WebHouse
from tests.web.test_signing_in import signed_in


def opened(web: WebHouse, **asked: object) -> Match:
    new = {
        "game": "dog",
        "host": Person("Alice", address("alice")),
        "seats": [*people(3), NewSeat(open=True)],
        "confirmed": True,
        "listed": True,
    }
    table = open_tables.NewTable(**{**new, **asked})  # type: ignore[arg-type]
    return open_tables.create(web.service, table, proved=True)


def mails(web: WebHouse, name: str) -> list[str]:
    for _ in range(5):
        # one table a pass
        keep_company(web.service)
    while post_due(web.service):
        pass
    found = [mail.text for mail in mailbox.listed(web.service, address(name))]
    return [text for text in found if "/open/off/" in text]


def wants(web: WebHouse, name: str, **what: str) -> FlaskClient:
    there = signed_in(web, name)
    assert there.post("/open/watch", data={"game": "dog", **what}).status_code == 201
    return there


def test_an_address_is_proved_before_it_hears_of_tables(web: WebHouse, client: FlaskClient) -> None:
    asked = client.post("/open/watch", data={"game": "dog", "email": address("erin")})
    while post_due(web.service):
        pass
    (mail,) = mailbox.listed(web.service, address("erin"))
    path = re.findall(r"/open/watch/[\w-]+", mail.text)[0]
    opened(web)
    before = mails(web, "erin")

    client.get(path)
    client.post(path)
    opened(web)

    assert asked.status_code == 202
    assert before == []
    assert len(mails(web, "erin")) == 1


def test_the_mail_to_prove_an_address_comes_although_its_plug_in_is_gone(
    web: WebHouse, client: FlaskClient, tmp_path: Path
) -> None:
    with snatch_installed(tmp_path):
        client.post("/open/watch", data={"game": "snatch", "email": address("erin")})

    while post_due(web.service):
        pass

    (mail,) = mailbox.listed(web.service, address("erin"))
    assert mail.subject == "Hear about new tables of snatch"


def test_a_used_link_does_not_say_that_mails_come_after_they_were_ended(
    web: WebHouse, client: FlaskClient
) -> None:
    client.post("/open/watch", data={"game": "dog", "email": address("erin")})
    while post_due(web.service):
        pass
    (mail,) = mailbox.listed(web.service, address("erin"))
    path = re.findall(r"/open/watch/[\w-]+", mail.text)[0]
    twice = [client.post(path).status_code for _ in range(2)]
    opened(web)
    client.post(re.findall(r"/open/off/[\w-]+", mails(web, "erin")[0])[0])

    again = client.post(path)

    assert twice == [200, 200]
    assert again.status_code == 409
    assert "This link has been used already. Ask for a new one." in again.text


def test_somebody_hears_of_each_table_once_and_not_of_their_own(web: WebHouse) -> None:
    wants(web, "erin")
    wants(web, "erin", seats="4")
    wants(web, "bob")

    opened(web)

    assert len(mails(web, "erin")) == 1
    assert len(mails(web, "erin")) == 1
    assert mails(web, "bob") == []


def test_only_of_tables_like_these(web: WebHouse) -> None:
    wants(web, "frank", seats="6", language="es")

    opened(web)
    opened(web, seats=[*people(5), NewSeat(open=True)])
    opened(web, seats=[*people(5), NewSeat(open=True)], language="es")
    opened(web, game="dogs-of-war")

    assert len(mails(web, "frank")) == 1


def test_there_are_a_few_mails_a_day(web: WebHouse) -> None:
    wants(web, "erin")

    for _ in range(watches.MOST_A_DAY + 2):
        opened(web)
        keep_company(web.service)
    today = len(mails(web, "erin"))
    web.wait(days=1)
    opened(web)

    assert today == watches.MOST_A_DAY
    assert len(mails(web, "erin")) == watches.MOST_A_DAY + 1


def test_a_table_that_is_listed_again_and_again_takes_no_mails_of_others(web: WebHouse) -> None:
    wants(web, "erin")
    table = opened(web)
    mails(web, "erin")

    for _ in range(watches.MOST_A_DAY):
        for listed in (False, True):
            open_tables.show(web.service, table.id, listed=listed)
        keep_company(web.service)
    opened(web)

    assert len(mails(web, "erin")) == 2


def test_a_mail_ends_it_by_a_click_of_the_mail_program(web: WebHouse, client: FlaskClient) -> None:
    wants(web, "erin")
    opened(web)
    (text,) = mails(web, "erin")
    path = re.findall(r"/open/off/[\w-]+", text)[0]

    looked = client.get(path)
    client.post(path, data={"List-Unsubscribe": "One-Click"})
    opened(web)

    assert looked.status_code == 200
    assert len(mails(web, "erin")) == 1
    assert client.get(path).status_code == 404


def test_who_ends_it_is_told_which_mails_stop(web: WebHouse, client: FlaskClient) -> None:
    wants(web, "erin")
    opened(web)
    path = re.findall(r"/open/off/[\w-]+", mails(web, "erin")[0])[0]
    field = r'type="hidden" name="(game|seats|language)" value="(\w*)"'
    form = dict(re.findall(field, client.get(path).text))

    ended = client.post(path, data=form)
    forged = client.post(f"{path[:-3]}aaa", data=form)
    wrong = client.post(path, data={"game": "no such game"})

    assert '<p class="lead">Dog' in ended.text
    assert "no more mails about new tables like this. All other mails go on." in ended.text
    assert (forged.status_code, forged.data) == (200, ended.data)
    assert wrong.status_code == 422


def test_the_mails_about_a_game_that_is_gone_can_be_ended(
    web: WebHouse, client: FlaskClient
) -> None:
    wants(web, "erin")
    with web.service.database.write("test") as session:
        watch = session.exec(select(Watch)).one()
        watch.game = "gone"
        path = f"/open/off/{watches.token(web.service.keys, watch)}"

    looked = client.get(path)
    form = dict(
        re.findall(r'type="hidden" name="(game|seats|language)" value="(\w*)"', looked.text)
    )
    ended = client.post(path, data=form)

    assert (looked.status_code, ended.status_code) == (200, 200)
    assert "You get no more mails about the tables that this link was for." in ended.text


def test_nobody_learns_by_ending_them_which_there_are(web: WebHouse, client: FlaskClient) -> None:
    wants(web, "erin")
    opened(web)
    path = re.findall(r"/open/off/[\w-]+", mails(web, "erin")[0])[0]
    forged = f"{path[:-1]}{'b' if path.endswith('a') else 'a'}"

    answers = [client.post(one) for one in (forged, "/open/off/2-" + "a" * 32, path, path)]
    odd = client.post("/open/off/nonsense")
    opened(web)

    assert {(one.status_code, one.data) for one in (*answers, odd)} == {(200, odd.data)}
    assert len(mails(web, "erin")) == 1


def test_nobody_learns_by_looking_which_there_are(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants(web, "erin")
    opened(web)
    path = re.findall(r"/open/off/[\w-]+", mails(web, "erin")[0])[0]
    forged = f"{path[:-1]}{'b' if path.endswith('a') else 'a'}"
    made, code = list[object](), links._code
    monkeypatch.setattr(links, "_code", lambda *about: (made.append(about), code(*about))[1])

    answers, work = [], []
    for one in (forged, "/open/off/2-" + "a" * 32, "/open/off/nonsense"):
        made.clear()
        answers.append(client.get(one))
        work.append(len(made))
    client.post(path)
    answers.append(client.get(path))

    assert {(one.status_code, one.data) for one in answers} == {(404, answers[0].data)}
    assert work[0] == work[1] == work[2] > 0


def test_who_ends_it_ends_no_other_that_gets_its_number_meanwhile(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants(web, "erin")
    opened(web)
    path = re.findall(r"/open/off/[\w-]+", mails(web, "erin")[0])[0]
    franks, find, others = signed_in(web, "frank"), watches.find, list[Future[object]]()

    def another() -> None:
        with web.service.database.write("test") as session:
            session.execute(delete(Watch))
        franks.post("/open/watch", data={"game": "dog"})

    with ThreadPoolExecutor() as meanwhile:

        def found(*given: Any) -> Watch:
            watch = find(*given)
            others.append(meanwhile.submit(another))
            wait(others, timeout=0.5)
            return watch

        monkeypatch.setattr(watches, "find", found)
        client.post(path)
    monkeypatch.undo()
    opened(web)

    assert (len(mails(web, "erin")), len(mails(web, "frank"))) == (1, 1)


def test_many_watchers_are_told_in_passes(web: WebHouse) -> None:
    for name in ("erin", "frank", "gina"):
        wants(web, name)
    opened(web)

    passes = [watches.tell_due(web.service, 2) for _ in range(3)]

    assert passes == [2, 1, 0]
    assert len(web.mails("table_open")) == 3


def test_nobody_hears_of_more_kinds_than_a_few(web: WebHouse) -> None:
    erin = signed_in(web, "erin")

    answers = [
        erin.post("/open/watch", data={"game": "dog", "seats": str(number)}).status_code
        for number in range(watches.MOST + 1)
    ]

    assert answers == [201] * watches.MOST + [429]


def test_two_kinds_that_one_person_asks_for_at_once_both_count(any_house: House) -> None:
    now = any_house.clock.now()

    def wait_for(seats: int, meanwhile: Callable[[], object] = lambda: None) -> None:
        with any_house.service.database.write("test") as session:
            erin = persons.known(session, address("erin"), now)
            watches.add(session, erin, TableFilter("dog", seats), now)
            meanwhile()

    def one_too_many() -> None:
        with pytest.raises(TooMany) as error:
            wait_for(watches.MOST)
        refused.append(error)

    def start() -> None:
        other.start()
        other.join(1)

    refused: list[object] = []
    other = threading.Thread(target=one_too_many)
    for seats in range(watches.MOST - 1):
        wait_for(seats)

    wait_for(watches.MOST - 1, start)
    other.join()

    assert refused
