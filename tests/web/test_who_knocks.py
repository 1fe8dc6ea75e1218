"""Refused logins and limits are told with a network address that a firewall can be given."""

from __future__ import annotations

import configparser
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem import create_app
from pbem.config.sections import Limits, Web
from tests.docs.pages import FENCE, ROOT
from tests.parts.logged import logged, told
from tests.web.conftest import web_service
from tests.web.house import WebHouse, secret

GUESSERS = ["203.0.113.7", "2001:db8::7"]

#: What fail2ban puts in the place of <HOST>, as far as addresses of networks go.
HOST = r"(?P<host>(?:\d{1,3}\.){3}\d{1,3}|\[?[\da-fA-F:.]*:[\da-fA-F:.]+\]?)"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with logged(io.StringIO()) as written:
        yield written


def guess(client: FlaskClient, network: str) -> TestResponse:
    where = {"REMOTE_ADDR": network}
    page = client.get("/operator/login", environ_base=where)
    form = {"name": "operator", "password": "hunter2", "csrf_token": secret(page)}
    return client.post("/operator/login", data=form, environ_base=where)


def documented() -> dict[str, str]:
    """The filter of the operators' page."""
    page = (ROOT / "docs/operators.md").read_text()
    (text,) = [block for _, block in FENCE.findall(page) if "failregex" in block]
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    return dict(parser["Definition"])


def date() -> str:
    """The documented pattern of dates: a doubled per cent sign is one, and each letter a number."""
    pattern = documented()["datepattern"].replace("%%Y", r"\d{4}").replace("%%f", r"\d{1,6}")
    pattern = pattern.replace("%%z", r"(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)")
    return re.sub(r"%%[mdHMS]", r"\\d\\d", pattern)


def banned(line: str) -> str | None:
    """The host that fail2ban finds by the documented filter: in what is left without the date."""
    line, dates = re.subn(date(), "", line, count=1)
    assert dates == 1
    found = re.search(documented()["failregex"].replace("<HOST>", HOST), line)
    return found["host"] if found else None


@pytest.mark.parametrize("network", GUESSERS)
def test_a_refused_login_is_told_with_its_network(
    web: WebHouse, client: FlaskClient, log: io.StringIO, network: str
) -> None:
    guess(client, network)

    (line,) = [one for one in told(log) if one["event"] == "login_refused"]
    assert line["network"] == network
    assert "hunter2" not in log.getvalue()


def test_a_login_that_fits_is_told_without_a_network(
    web: WebHouse, client: FlaskClient, log: io.StringIO
) -> None:
    web.log_in(client)

    assert [one["event"] for one in told(log)] == ["logged_in"]
    assert "127.0.0.1" not in log.getvalue()


def test_behind_a_proxy_the_network_is_the_guessers(
    tmp_path: Path, sqlite_url: str, log: io.StringIO
) -> None:
    service = web_service(tmp_path, sqlite_url, web=Web(trusted_proxies=1))
    client = create_app(service).test_client()
    page = client.get("/operator/login")
    form = {"name": "operator", "password": "x", "csrf_token": secret(page)}
    headers = {"X-Forwarded-For": "198.51.100.1, 203.0.113.7"}

    client.post("/operator/login", data=form, headers=headers)
    service.database.close()

    assert [one["network"] for one in told(log)] == ["203.0.113.7"]


def test_a_limit_is_told_once_a_minute_for_each_network(
    tmp_path: Path, sqlite_url: str, log: io.StringIO
) -> None:
    service = web_service(tmp_path, sqlite_url, limits=Limits(requests_per_minute=10))
    client = create_app(service).test_client()

    for network in GUESSERS:
        for _ in range(40):
            client.get("/", environ_base={"REMOTE_ADDR": network})
    service.database.close()

    hits = [(one["event"], one["limit"], one["network"]) for one in told(log)]
    assert set(hits) == {("limit_hit", "requests", network) for network in GUESSERS}
    # two where a minute ends in between
    assert len(hits) <= 4


def test_the_documented_filter_finds_who_guesses_and_nobody_else(
    web: WebHouse, client: FlaskClient, log: io.StringIO
) -> None:
    for network in GUESSERS:
        guess(client, network)
    web.log_in(client)
    match = web.running()
    web.play(match, 0)
    client.get(f'/operator/login?"event": "login_refused", "network": "{GUESSERS[0]}"')

    found = [banned(line) for line in log.getvalue().splitlines()]

    assert [host for host in found if host] == GUESSERS
    assert len(found) > 5


def test_a_storm_is_found_by_the_documented_filter(
    tmp_path: Path, sqlite_url: str, log: io.StringIO
) -> None:
    service = web_service(tmp_path, sqlite_url, limits=Limits(logins_per_quarter_hour=2))
    client = create_app(service).test_client()

    answers = [guess(client, GUESSERS[0]).status_code for _ in range(4)]
    service.database.close()

    assert answers == [401, 401, 429, 429]
    found = [banned(line) for line in log.getvalue().splitlines()]
    assert found == [GUESSERS[0]] * 3
