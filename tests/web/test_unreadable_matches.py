"""Matches that the installed rules cannot read: their pages open, say why, and offer what helps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.acts import due_work
from pbem.acts.writing import claim
from pbem.cli import main
from pbem.commands import replay
from pbem.config.sections import Operator
from pbem.looks import stalled
from pbem.mail.mailer import post_due
from pbem.store.models import Match, ReceivedMail
from pbem.store.names import MailKind, Purpose
from tests.mail.office import parsed, text_of
from tests.web.conftest import HASH, web_service
from tests.web.house import WebHouse, hidden, secret

MISSING = "The game ludo is not installed on this service now"


def _no_game(match: Match) -> dict[str, Any]:
    return {"game": "ludo"}


def _no_state(match: Match) -> dict[str, Any]:
    return {"state_json": '{"pawns": "none of our making"}'}


def _torn_state(match: Match) -> dict[str, Any]:
    return {"state_json": (match.state_json or "")[:-20]}


def _no_options(match: Match) -> dict[str, Any]:
    return {"options_json": '{"discard": "an option of next year"}'}


TROUBLES: list[tuple[Callable[[Match], dict[str, Any]], str]] = [
    (_no_game, MISSING),
    (_no_state, "This match cannot be read by these rules."),
    (_torn_state, "This match cannot be read by these rules."),
    (_no_options, "The options of this match are not understood"),
]
UNREADABLE = pytest.mark.parametrize(
    ("trouble", "said"), TROUBLES, ids=[one[0].__name__ for one in TROUBLES]
)


def broken(web: WebHouse, trouble: Callable[[Match], dict[str, Any]]) -> Match:
    """A match that was played a little and cannot be read any more, set aside for it."""
    match = web.play_on(web.running(), plies=6)
    with web.service.database.write("test") as session:
        claim(session, [(match, trouble(match) | {"advance_due_at": web.clock.now()})])
    for _ in range(4):
        web.wait(minutes=5)
    return web.match(match.id)


def remedy(client: FlaskClient, match: Match, name: str, **more: str) -> Any:
    """The operator asks for a remedy and confirms it."""
    page = client.get(f"/operator/match/{match.id}")
    form = {"remedy": name, "csrf_token": secret(page), **more}
    shown = client.post(f"/operator/match/{match.id}/preview", data=form)
    assert shown.status_code == 200, shown.text
    return client.post(f"/operator/match/{match.id}/apply", data={**hidden(shown), "sure": "yes"})


@UNREADABLE
def test_the_pages_of_its_host_and_the_operator_open_and_say_why(
    web: WebHouse, client: FlaskClient, trouble: Callable[[Match], dict[str, Any]], said: str
) -> None:
    match = broken(web, trouble)
    web.log_in(client)

    pages = [
        client.get(web.path(match, Purpose.HOST, -1)),
        client.get(f"/operator/match/{match.id}"),
    ]

    for page in pages:
        assert page.status_code == 200
        assert said in page.text
        assert 'value="abort"' in page.text
    if web.match(match.id).set_aside_at is not None:
        assert all('value="retry"' in page.text for page in pages)
    assert ('value="roll-back"' in pages[1].text) == (trouble is not _no_game)


@UNREADABLE
def test_the_operators_list_stays_open_and_the_others_say_why(
    web: WebHouse, client: FlaskClient, trouble: Callable[[Match], dict[str, Any]], said: str
) -> None:
    match = broken(web, trouble)
    token = web.path(match, Purpose.SEAT, 1)
    web.log_in(client)

    console = client.get("/operator")

    assert console.status_code == 200
    assert match.id in console.text
    assert client.get("/metrics").status_code == 200
    for path in (f"/m/{match.id}", token):
        page = client.get(path)
        assert page.status_code < 500
        if trouble is _no_game:
            assert MISSING in page.text


@UNREADABLE
def test_it_can_be_ended_and_everybody_gets_the_mail(
    web: WebHouse, client: FlaskClient, trouble: Callable[[Match], dict[str, Any]], said: str
) -> None:
    match = broken(web, trouble)
    web.log_in(client)

    done = remedy(client, match, "abort")
    post_due(web.service, 500)

    assert done.status_code == 200
    assert web.match(match.id).status == "aborted"
    told = [mail for mail in web.mails("match_aborted") if mail.match_id == match.id]
    assert [mail.status for mail in told] == ["sent"] * 4


@pytest.mark.parametrize("trouble", [_no_game, _no_state, _torn_state])
def test_the_mail_of_a_turn_waits_until_the_match_can_be_read_again(
    web: WebHouse, trouble: Callable[[Match], dict[str, Any]]
) -> None:
    match = web.match(web.running().id)
    as_it_was = {name: getattr(match, name) for name in trouble(match)}
    with web.service.database.write("test") as session:
        claim(session, [(match, trouble(match))])

    for _ in range(8):
        post_due(web.service, 500)
        web.clock.move(timedelta(minutes=10))
    waiting = {mail.status for mail in web.mails(MailKind.YOUR_TURN)}
    with web.service.database.write("test") as session:
        claim(session, [(web.match(match.id), as_it_was)])
    web.clock.move(timedelta(hours=1))
    post_due(web.service, 500)

    assert waiting == {"pending"}
    assert {mail.status for mail in web.mails(MailKind.YOUR_TURN)} == {"sent"}


def test_a_state_that_cannot_be_read_is_mended_from_the_operators_page(
    web: WebHouse, client: FlaskClient
) -> None:
    match = broken(web, _no_state)
    assert match.set_aside_at is not None
    web.log_in(client)

    done = remedy(client, match, "roll-back", ply="4")
    web.work()

    assert done.status_code == 200
    assert web.match(match.id).set_aside_at is None
    assert web.waiting(match)
    assert client.get(web.path(match, Purpose.HOST, -1)).status_code == 200


def test_setting_back_a_match_whose_options_cannot_be_read_is_refused_with_the_reason(
    web: WebHouse, client: FlaskClient
) -> None:
    """Its log cannot be played without them."""
    match = broken(web, _no_options)
    web.log_in(client)
    page = client.get(f"/operator/match/{match.id}")
    form = {"remedy": "roll-back", "ply": "1", "csrf_token": secret(page)}

    shown = client.post(f"/operator/match/{match.id}/preview", data=form)

    assert 400 <= shown.status_code < 500
    assert "The options of this match are not understood" in shown.text
    assert web.match(match.id).ply == match.ply


def test_a_match_on_which_the_rules_fail_shows_its_page_too(
    web: WebHouse, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = web.running()
    web.log_in(client)
    monkeypatch.setattr(type(web.table(match).game), "view", lambda *_: 1 / 0)

    page = client.get(f"/operator/match/{match.id}")

    assert page.status_code == 200
    assert "The rules that are installed fail on this match." in page.text


def test_several_at_once_leave_out_what_cannot_be(web: WebHouse, client: FlaskClient) -> None:
    match = broken(web, _no_game)
    web.log_in(client)
    page = client.get("/operator")
    form = {"remedy": "abort", "by": "24h", "stall": f"{match.id}:", "csrf_token": secret(page)}

    shown = client.post("/operator/several/preview", data=form)

    assert shown.status_code == 200
    assert match.title in shown.text


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["match", "list"], 0, "Dog"),
        (["match", "show"], 0, MISSING),
        (["stalled"], 1, "could not be carried on"),
        (["replay", "--all"], 1, MISSING),
        (["remedy", "roll-back", "--ply", "2", "--dry-run"], 1, MISSING),
        (["remedy", "abort", "--dry-run"], 0, "Nothing was done"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_commands_say_that_its_game_is_missing(
    web: WebHouse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    said: str,
) -> None:
    match = broken(web, _no_game)
    home = web.service.settings.home
    (home / "secrets.toml").write_text(f'keys = ["{(b"k" * 32).hex()}"]\n')
    (home / "secrets.toml").chmod(0o600)
    monkeypatch.setenv("PBEM_HOME", str(home))
    monkeypatch.setenv("PBEM_DATABASE_URL", web.service.settings.database_url)
    named = arguments in (["match", "show"],) or arguments[0] == "remedy"
    head = 2 if arguments[0] == "match" else 1

    with pytest.raises(SystemExit) as ended:
        main([*arguments[:head], *([match.id] if named else []), *arguments[head:]])

    written = capsys.readouterr()
    assert ended.value.code == status, written
    assert said in " ".join((written.out + written.err).split())
    assert "Traceback" not in written.err


@UNREADABLE
def test_a_match_that_cannot_be_read_stops_no_replay_of_the_others(
    web: WebHouse, trouble: Callable[[Match], dict[str, Any]], said: str
) -> None:
    match = broken(web, trouble)

    differs = replay._differs(web.service, match.id)

    assert differs is not None
    assert said in differs


# --- the operator is told ---


def test_the_operator_is_mailed_once_for_a_setting_aside(tmp_path: Any, sqlite_url: str) -> None:
    web = told_house(tmp_path, sqlite_url)

    match = broken(web, _no_state)
    web.wait(minutes=30)
    post_due(web.service, 500)
    web.wait(hours=3)

    (mail,) = web.mails(MailKind.MATCHES_SET_ASIDE)
    assert (mail.address, mail.status) == ("op@example.org", "sent")
    assert match.set_aside_at is not None
    web.service.database.close()


def test_however_many_are_set_aside_there_are_two_mails_an_hour(
    tmp_path: Any, sqlite_url: str
) -> None:
    web = told_house(tmp_path, sqlite_url)
    matches = [web.running(bots=3) for _ in range(30)]

    for match in matches:
        for _ in range(3):
            due_work.count_failure(web.service, match.id, ValueError("a bug"))
    owed = web.mails(MailKind.MATCHES_SET_ASIDE)
    post_due(web.service, 500)
    web.clock.move(timedelta(hours=1))
    post_due(web.service, 500)

    assert len(owed) == 2
    assert {mail.status for mail in web.mails(MailKind.MATCHES_SET_ASIDE)} == {"sent"}
    with web.service.database.read() as session:
        got = session.exec(select(ReceivedMail).where(ReceivedMail.address == "op@example.org"))
        later = text_of(parsed(got.all()[-1].raw))
    assert later.count("/operator/match/") == 20
    assert "And 10 more." in later
    assert len(stalled.find(web.service)) == 30
    web.service.database.close()


def test_what_was_mended_meanwhile_is_not_mailed(tmp_path: Any, sqlite_url: str) -> None:
    web = told_house(tmp_path, sqlite_url)
    match = web.running()
    for _ in range(3):
        due_work.count_failure(web.service, match.id, ValueError("a bug"))
    with web.service.database.write("test") as session:
        claim(session, [(web.match(match.id), {"set_aside_at": None, "set_aside_error": None})])

    post_due(web.service, 500)

    assert [mail.status for mail in web.mails(MailKind.MATCHES_SET_ASIDE)] == ["dropped"]
    web.service.database.close()


def told_house(home: Any, url: str) -> WebHouse:
    operator = Operator(password_hash=HASH, address="op@example.org")
    service = web_service(home, url, operator=operator)
    return WebHouse(service)
