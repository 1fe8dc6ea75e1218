"""The servers that other tests stand on do what they are there for."""

from __future__ import annotations

import smtplib
from typing import Any

import pytest
from sqlalchemy import text

from pbem.running import broker
from pbem.store.db import Database, newest_revision, revision_of
from tests.parts.postgres_server import PostgresServer
from tests.parts.redis_server import RedisServer
from tests.parts.relay import Relay, patience


def test_a_redis_answers_and_starts_empty(redis_url: str) -> None:
    with broker.client(redis_url) as client:
        assert client.dbsize() == 0
        client.set("a", "1")


def test_a_redis_that_was_killed_still_has_what_it_was_told(redis_server: RedisServer) -> None:
    with broker.client(redis_server.url) as client:
        client.rpush("queue", "ring")
    redis_server.kill()
    assert not broker.answers(redis_server.url)

    redis_server.start()

    with broker.client(redis_server.url) as client:
        assert client.lrange("queue", 0, -1) == ["ring"]


def test_the_user_named_in_the_address_of_a_socket_is_who_asks(redis_server: RedisServer) -> None:
    with broker.client(redis_server.url) as client:
        client.acl_setuser("pbem", enabled=True, passwords=["+word"], commands=["+@all"])

    with broker.client(redis_server.url.replace("://", "://pbem:word@")) as client:
        assert client.acl_whoami() == "pbem"


def test_a_database_has_all_tables(database_url: str) -> None:
    assert revision_of(database_url) == newest_revision()


def test_a_database_is_empty_and_takes_rows(database_url: str) -> None:
    database = Database(database_url)
    with database.read() as session:
        assert session.connection().execute(text("SELECT count(*) FROM match")).scalar() == 0
    database.close()


def test_two_databases_of_one_server_are_two(postgres_server: PostgresServer) -> None:
    with postgres_server.database() as one, postgres_server.database() as other:
        assert one != other


def _send(relay: Relay, to: str = "alice@example.org") -> None:
    with smtplib.SMTP(relay.host, relay.port, timeout=patience(relay)) as client:
        client.sendmail("pbem@example.org", [to], b"Subject: your turn\r\n\r\nHello\r\n")


def test_a_relay_takes_mail(smtp_server: Relay) -> None:
    _send(smtp_server)

    assert smtp_server.taken[0].recipients == ("alice@example.org",)
    assert b"your turn" in smtp_server.taken[0].content


def test_a_relay_refuses_for_now_and_for_good(smtp_server: Relay) -> None:
    smtp_server.behaviour = "rcpt_451"
    with pytest.raises(smtplib.SMTPRecipientsRefused, match="451"):
        _send(smtp_server)
    smtp_server.behaviour = "data_451"
    with pytest.raises(smtplib.SMTPDataError, match="451"):
        _send(smtp_server)
    smtp_server.behaviour = "rcpt_550"
    with pytest.raises(smtplib.SMTPRecipientsRefused, match="550"):
        _send(smtp_server)
    assert smtp_server.taken == []


def test_a_relay_refuses_one_address_only(smtp_server: Relay) -> None:
    smtp_server.behaviour, smtp_server.only_for = "rcpt_550", {"bob@example.org"}

    _send(smtp_server)

    assert len(smtp_server.taken) == 1


def test_a_relay_hangs_or_hangs_up(smtp_server: Relay) -> None:
    smtp_server.behaviour = "hang"
    with pytest.raises(smtplib.SMTPServerDisconnected, match="timed out"):
        _send(smtp_server)
    smtp_server.behaviour = "drop"
    with pytest.raises(smtplib.SMTPServerDisconnected):
        _send(smtp_server)
    assert smtp_server.taken == []
    smtp_server.behaviour = "accept_then_drop"
    with pytest.raises(smtplib.SMTPServerDisconnected):
        _send(smtp_server)
    assert len(smtp_server.taken) == 1


@pytest.mark.browser
def test_a_browser_shows_a_page(browser: Any) -> None:
    page = browser.new_page()
    page.set_content("<title>pbem</title><p>Your turn</p>")

    assert page.title() == "pbem"
    page.close()
