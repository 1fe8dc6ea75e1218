"""The operator's pages: logging in, what stalls, the whole table."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Literal

import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient

from pbem import create_app
from pbem.acts.writing import claim
from pbem.config.sections import Operator
from pbem.store.models import OperatorSession
from pbem.store.names import Actor, Purpose
from pbem.web import remedy_forms, sessions
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.parts.questions import counted
from tests.web.conftest import web_service
from tests.web.house import PASSWORD, WebHouse, hidden, secret


def test_the_operator_logs_in_and_out_and_the_session_dies(
    web: WebHouse, client: FlaskClient
) -> None:
    """Threat 1.10: argon2, rotated on login, killed on the server at logout."""
    first = web.log_in(client)
    one = client.get_cookie("pbem_operator")
    web.log_in(client)
    two = client.get_cookie("pbem_operator")
    console = client.get("/operator")
    client.post("/operator/logout", data={"csrf_token": secret(console)})
    stolen = web.app.test_client()
    assert one is not None
    assert two is not None
    stolen.set_cookie("pbem_operator", two.value)

    assert (first.status_code, console.status_code) == (303, 200)
    assert one.value != two.value
    assert (two.http_only, two.same_site) == (True, "Strict")
    assert stolen.get("/operator").status_code == 303
    with web.service.database.read() as session:
        assert session.get(OperatorSession, hashlib.sha256(one.value.encode()).hexdigest()) is None


def test_the_matches_that_stall_are_read_together(web: WebHouse) -> None:
    asked_for = []

    for _ in range(3):
        match = web.running()
        with web.service.database.write("test") as session:
            claim(session, [(match, {"set_aside_at": web.clock.now()})])
        with web.app.app_context(), counted() as asked:
            found = remedy_forms.stalls("UTC", translator("en"), Actor.OPERATOR)
        asked_for.append(len(asked))

    assert len(found) == 3
    assert len(set(asked_for)) == 1


def test_a_wrong_password_and_a_missing_form_secret_are_refused(
    web: WebHouse, client: FlaskClient
) -> None:
    page = client.get("/operator/login")
    form = {"name": "operator", "password": "wrong", "csrf_token": secret(page)}

    assert client.post("/operator/login", data=form).status_code == 401
    del form["csrf_token"]
    assert client.post("/operator/login", data=form).status_code == 400
    assert client.get("/operator").status_code == 303


@pytest.mark.parametrize(("accept", "body"), [("application/json", None), ("*/*", {})])
def test_a_program_with_a_wrong_password_is_refused_in_json(
    client: FlaskClient, accept: str, body: dict[str, str] | None
) -> None:
    headers = {"Accept": accept, "X-CSRFToken": secret(client.get("/operator/login"))}

    answer = client.post("/operator/login", headers=headers, json=body)

    assert answer.status_code == 401
    assert answer.get_json()["error"] == {
        "code": "not_logged_in",
        "rule": None,
        "message": "The name or the password is wrong.",
    }


def test_a_program_logs_in_with_what_the_form_has(client: FlaskClient) -> None:
    headers = {"X-CSRFToken": secret(client.get("/operator/login"))}

    client.post("/operator/login", headers=headers, json={"name": "operator", "password": PASSWORD})

    assert client.get("/operator").status_code == 200


def test_a_form_sent_without_a_session_says_to_log_in_first(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    web.log_in(client)
    path = f"/operator/match/{match.id}"
    form = {"remedy": "abort", "sure": "yes", "csrf_token": secret(client.get(path))}
    client.delete_cookie("pbem_operator")

    answer = client.post(f"{path}/apply", data=form)
    program = client.post(f"{path}/apply", data=form, headers={"Accept": "application/json"})

    assert (answer.status_code, program.status_code) == (401, 404)
    assert "Nothing was done, because you are not logged in." in answer.text
    assert 'action="/operator/login"' in answer.text
    assert web.match(match.id).status == "running"


def test_logins_are_limited(web: WebHouse, client: FlaskClient) -> None:
    page = client.get("/operator/login")
    form = {"name": "operator", "password": "wrong", "csrf_token": secret(page)}

    statuses = [client.post("/operator/login", data=form).status_code for _ in range(12)]

    assert statuses == [401] * 10 + [429] * 2


def guesses(web: WebHouse, client: FlaskClient, times: int, **over: str) -> list[int]:
    """The answers to wrong passwords, each from a network of its own."""
    page = client.get("/operator/login")
    form = {"name": "operator", "password": "wrong", "csrf_token": secret(page), **over}
    return [
        client.post(
            "/operator/login", data=form, environ_base={"REMOTE_ADDR": f"198.51.100.{number}"}
        ).status_code
        for number in range(times)
    ]


def test_guesses_from_many_networks_are_limited_by_account(
    web: WebHouse, client: FlaskClient
) -> None:
    assert guesses(web, client, 32) == [401] * 30 + [429] * 2
    # also with the right password: who guesses well does not get in by the thirty-first
    assert web.log_in(client).status_code == 429
    # and the answers do not tell which name there is
    assert guesses(web, client, 32, name="nobody") == [401] * 30 + [429] * 2


def test_strangers_guesses_do_not_lock_the_operator_out_of_a_known_browser(
    web: WebHouse, client: FlaskClient
) -> None:
    web.log_in(client)
    client.post("/operator/logout", data={"csrf_token": secret(client.get("/operator"))})
    assert guesses(web, web.app.test_client(), 32)[-1] == 429

    assert web.log_in(client).status_code == 303
    # a stolen cookie has no more tries than an account
    assert guesses(web, client, 32)[-3:] == [429] * 3


def test_a_browser_is_not_known_any_more_after_another_password(
    web: WebHouse, client: FlaskClient
) -> None:
    web.log_in(client)
    cookie = client.get_cookie("pbem_known", path="/operator")
    assert cookie is not None
    assert (cookie.http_only, cookie.same_site) == (True, "Strict")
    other = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("another")
    settings = web.service.settings.model_copy(update={"operator": Operator(password_hash=other)})
    after = create_app(replace(web.service, settings=settings)).test_client()
    after.set_cookie("pbem_known", cookie.value, path="/operator")
    forged = web.app.test_client()
    forged.set_cookie("pbem_known", cookie.value[:-1] + "?", path="/operator")

    for browser in (after, forged):
        assert guesses(web, browser, 31)[-1] == 429


def test_without_a_password_hash_there_are_no_operators_pages(tmp_path, sqlite_url) -> None:
    service = web_service(tmp_path, sqlite_url, operator=Operator())
    client = create_app(service).test_client()

    assert client.get("/operator").status_code == 404
    assert client.get("/operator/login").status_code == 404
    service.database.close()


def test_the_operator_sets_a_match_back_and_it_is_on_record(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.play_on(web.running(), plies=8)
    web.log_in(client)
    path = f"/operator/match/{match.id}"
    form = {"remedy": "roll-back", "ply": "4", "csrf_token": secret(client.get(path))}

    preview = client.post(f"{path}/preview", data=form)
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})
    forged = client.post(f"{path}/apply", data={"remedy": "abort", "sure": "yes"})

    assert "after move 4" in preview.text
    assert done.status_code == 200
    assert "The operator set the match back to move 4." in done.text
    assert forged.status_code == 400
    assert web.match(match.id).status == "running"


def test_new_links_of_a_match_that_is_over_promise_no_mail(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    link = web.path(match, Purpose.SEAT, 1)
    remedies.abort(web.service, match.id, actor="host")
    web.log_in(client)
    path = f"/operator/match/{match.id}"
    form = {"remedy": "reissue", "seat": "1", "csrf_token": secret(client.get(path))}
    mails = len(web.mails())

    preview = client.post(f"{path}/preview", data=form)
    client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})

    assert "The match is over, so no new ones are mailed." in preview.text
    assert client.get(link).status_code == 404
    assert len(web.mails()) == mails


@pytest.mark.parametrize(
    ("ply", "said"),
    [
        ("four", "“Move” must be a whole number."),
        ("400", "The match cannot go back to move 400."),
    ],
)
def test_a_move_that_is_none_is_told_in_the_words_of_the_page(
    web: WebHouse, client: FlaskClient, ply: str, said: str
) -> None:
    match = web.play_on(web.running(), plies=8)
    web.log_in(client)
    path = f"/operator/match/{match.id}"
    form = {"remedy": "roll-back", "ply": ply, "csrf_token": secret(client.get(path))}

    answer = client.post(f"{path}/preview", data=form)

    assert said in answer.text


def test_what_the_operator_did_last_is_told_in_sentences(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    web.log_in(client)
    remedies.extend(web.service, match.id, 0, "3h", actor="operator")
    remedies.play_default(web.service, match.id, 1, actor="operator")

    page = client.get("/operator").text
    told = page[page.index("What you did last") :]

    assert "The operator signed in." in told
    assert "The operator played the default move of Seat 2." in told
    assert re.search(
        rf"The operator gave [^<]*Seat 1[^<]* <a href=\"/operator/match/{match.id}\">", told
    )


def test_the_operator_corrects_a_hosts_address_and_no_page_shows_it(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running()
    old = web.path(match, Purpose.HOST, -1)
    web.log_in(client)
    path = f"/operator/match/{match.id}"
    form = {
        "remedy": "correct-host-address",
        "email": "right@example.net",
        "csrf_token": secret(client.get(path)),
    }

    preview = client.post(f"{path}/preview", data=form)
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})

    assert "Mail for the host goes to right@example.net" in preview.text
    assert "keeps it: correct it there as well." in preview.text
    assert "The operator corrected the host&#39;s address." in done.text
    assert web.match(match.id).host_email == "right@example.net"
    assert client.get(old).status_code == 404
    table = client.get(f"/m/{match.id}").text
    assert "corrected the host&#39;s address" in table
    assert "example.net" not in table


def test_mails_that_are_owed_are_told_in_the_operators_language(
    web: WebHouse, client: FlaskClient
) -> None:
    web.log_in(client)
    web.running()

    page = client.get("/operator", headers={"Accept-Language": "es"})

    assert re.search(r"espera a ser enviado: \d", page.text)
    assert "pending" not in page.text


def test_numbers_are_for_this_machine_and_the_operator(web: WebHouse, client: FlaskClient) -> None:
    far = {"REMOTE_ADDR": "203.0.113.9"}

    near = client.get("/metrics")
    stranger = client.get("/metrics", environ_base=far)
    behind = client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"})

    assert near.status_code == 200
    assert "pbem_request_seconds" in near.text
    assert (stranger.status_code, behind.status_code) == (404, 404)


def test_numbers_tell_moves_owed_mails_and_stalls(web: WebHouse, client: FlaskClient) -> None:
    match = web.open(confirmed=False)
    client.post(f"{web.path(match, Purpose.JOIN, 2)}/decline", data={"sure": "yes"})
    web.play_on(web.running(), plies=5)

    told = client.get("/metrics").text

    assert 'pbem_stalled_matches{reason="declined"} 1.0' in told
    assert 'pbem_stalled_matches{reason="lobby"} 0.0' in told
    assert f'pbem_outbox{{status="pending"}} {len(web.mails())}.0' in told
    assert re.search(r'pbem_plies_total\{game="dog",made_by="link"\} [1-9]', told)


def test_a_login_with_nobodys_name_costs_what_one_with_a_wrong_password_does(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[str | bytes] = []

    class Noted(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            verified.append(hash)
            return super().verify(hash, password)

    monkeypatch.setattr(sessions, "_HASHER", Noted())

    wrong = guesses(web, client, 1), guesses(web, client, 1, name="nobody")
    right = guesses(web, client, 1, name="nobody", password=PASSWORD)

    assert (*wrong, right) == ([401], [401], [401])
    assert verified == [web.service.settings.operator.password_hash.get_secret_value()] * 3
