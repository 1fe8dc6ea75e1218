"""How many requests one network may make, and how they are counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from limits import parse
from limits.strategies import FixedWindowRateLimiter

from pbem import create_app
from pbem.config.sections import Limits
from pbem.web.counts import Counts
from tests.web.conftest import web_service
from tests.web.house import WebHouse, matches_of
from tests.web.series import FORM as SERIES
from tests.web.test_opening import FORM
from tests.web.test_signing_in import signed_in

FAR: Any = {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}}


def test_too_many_requests_from_one_network_are_refused(tmp_path: Any, sqlite_url: str) -> None:
    service = web_service(tmp_path, sqlite_url, limits=Limits(requests_per_minute=10))
    client = create_app(service).test_client()

    far = {"REMOTE_ADDR": "203.0.113.9"}
    answers = [client.get("/", environ_base=far).status_code for _ in range(12)]
    health = client.get("/healthz", environ_base=far).status_code
    near = [client.get("/").status_code for _ in range(12)]
    posed = client.get("/", headers={"X-Forwarded-For": "127.0.0.1"}, environ_base=far).status_code
    proxied = {"Forwarded": "for=203.0.113.9"}
    behind = [client.get("/", headers=proxied).status_code for _ in range(11)]
    service.database.close()

    assert answers == [200] * 10 + [429] * 2
    assert health == 200
    assert near == [200] * 12
    assert posed == 429
    assert behind == [200] * 10 + [429]


@pytest.mark.parametrize(
    ("one", "another", "together"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("192.0.2.1", "192.0.2.2", False),
    ],
)
def test_limits_count_all_addresses_that_one_customer_has_of_ipv6(
    one: str, another: str, together: bool, tmp_path: Any, sqlite_url: str
) -> None:
    service = web_service(tmp_path, sqlite_url, limits=Limits(requests_per_minute=10))
    client = create_app(service).test_client()

    seen = [
        client.get("/", environ_base={"REMOTE_ADDR": address}).status_code
        for address in (*[one] * 10, another)
    ]

    assert seen == [*[200] * 10, 429 if together else 200]
    service.database.close()


def test_limits_are_counted_without_threads_and_forgotten_when_they_expire(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr("pbem.web.counts.time", SimpleNamespace(monotonic=lambda: now[0]))
    counts, limit = Counts(), parse("2/minute")
    limiter = FixedWindowRateLimiter(counts)
    threads = threading.active_count()

    assert [limiter.hit(limit, "alice") for _ in range(3)] == [True, True, False]
    assert limiter.hit(limit, "bob")
    assert threading.active_count() == threads

    now[0] += 61
    assert limiter.hit(limit, "alice")
    assert len(counts._counts) == 1


def test_a_clock_that_is_set_back_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, ahead = [1000.0], [86_400.0]
    clock = SimpleNamespace(monotonic=lambda: ran[0], time=lambda: 1e9 + ran[0] + ahead[0])
    monkeypatch.setattr("pbem.web.counts.time", clock)
    counts, limit = Counts(), parse("2/minute")
    limiter = FixedWindowRateLimiter(counts)
    for _ in range(3):
        limiter.hit(limit, "alice")
    assert limiter.get_window_stats(limit, "alice").reset_time == clock.time() + 60

    ahead[0] = 0.0
    ran[0] += 61

    assert limiter.hit(limit, "alice")


@pytest.fixture
def few(tmp_path: Any, sqlite_url: str) -> Iterator[WebHouse]:
    """A service that lets a network open one match or series in an hour."""
    limits = Limits(requests_per_minute=100_000, matches_per_hour=1)
    service = web_service(tmp_path, sqlite_url, limits=limits)
    yield WebHouse(service)
    service.database.close()


def test_what_a_form_has_opened_is_shown_again_though_no_more_may_be_opened(few: WebHouse) -> None:
    client, form = few.app.test_client(), {**FORM, "form_key": "k"}

    looks = [client.post("/new", data={**form, "look": "yes"}, **FAR).status_code for _ in range(2)]
    sent = [client.post("/new", data=form, **FAR).status_code for _ in range(2)]
    other = client.post("/new", data={**form, "form_key": "another"}, **FAR).status_code

    assert looks == [200, 429]
    assert (sent, other) == ([201, 201], 429)
    assert len(matches_of(few)) == 1


def test_a_series_that_a_form_has_made_is_shown_again_though_no_more_may_be_made(
    few: WebHouse,
) -> None:
    alice, form = signed_in(few, "Alice"), {**SERIES, "form_key": "k"}

    sent = [alice.post("/series/new", data=form, **FAR).status_code for _ in range(2)]
    other = alice.post("/series/new", data={**form, "form_key": "another"}, **FAR).status_code

    assert (sent, other) == ([303, 303], 429)
