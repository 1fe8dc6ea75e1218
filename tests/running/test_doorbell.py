"""The bell rings a worker, and a broker that is away slows nobody down."""

from __future__ import annotations

import threading
import time

import pytest

from pbem.running import broker
from pbem.running.doorbell import REST_SECONDS, BackgroundRing, Doorbell
from tests.parts.processes import wait_until
from tests.parts.redis_server import RedisServer


def waiting(url: str, queue: str) -> int:
    with broker.client(url) as client:
        return int(client.llen(queue))  # type: ignore[arg-type]


def test_a_ring_lies_in_its_queue(redis_url: str) -> None:
    bell = Doorbell(redis_url)

    assert bell.ring("advance")

    assert waiting(redis_url, "advance") == 1
    assert waiting(redis_url, "post") == 0


def test_a_ring_that_nobody_has_heard_yet_is_enough(redis_url: str) -> None:
    bell = Doorbell(redis_url)

    assert bell.ring("post")
    assert bell.ring("post")

    assert waiting(redis_url, "post") == 1
    with broker.client(redis_url) as client:
        client.rpop("post")
    assert bell.ring("post")
    assert waiting(redis_url, "post") == 1


def test_a_ring_for_another_task_of_the_queue_does_not_count(redis_url: str) -> None:
    bell = Doorbell(redis_url)

    assert bell.ring("animations")
    assert bell.ring("housekeeping")

    assert waiting(redis_url, "housekeeping") == 2


def test_a_ring_holds_nothing_about_anybody(redis_url: str) -> None:
    Doorbell(redis_url).ring("post")

    with broker.client(redis_url) as client:
        message = client.lrange("post", 0, -1)[0]  # type: ignore[index]

    assert '"argsrepr": "()"' in message
    assert '"kwargsrepr": "{}"' in message


def test_there_is_no_bell_for_a_queue_that_is_not_there(redis_url: str) -> None:
    with pytest.raises(ValueError, match="no queue"):
        Doorbell(redis_url).ring("letters")


def test_a_broker_that_is_away_is_left_alone_for_a_while(redis_server: RedisServer) -> None:
    now = [100.0]
    bell = Doorbell(redis_server.url, now=lambda: now[0])
    redis_server.kill()

    assert not bell.ring("advance")
    redis_server.start()
    assert not bell.ring("advance"), "it is not tried again while it rests"
    now[0] += REST_SECONDS + 0.1
    assert bell.ring("advance")

    assert waiting(redis_server.url, "advance") == 1


def test_a_broker_that_is_away_costs_a_page_next_to_nothing(redis_server: RedisServer) -> None:
    bell = Doorbell(redis_server.url)
    redis_server.kill()

    begun = time.monotonic()
    for _ in range(1000):
        bell.ring("advance")

    # a thousand waits of a tenth of a second would be a hundred seconds
    assert time.monotonic() - begun < 20


def test_a_host_that_swallows_everything_is_waited_for_only_briefly() -> None:
    # 192.0.2.0/24 is for documentation: nobody answers there
    bell = Doorbell("redis://192.0.2.1:6379/0")

    begun = time.monotonic()
    assert not bell.ring("advance")

    assert time.monotonic() - begun < 5


def test_rings_beside_return_at_once_and_many_are_one() -> None:
    rung: list[str] = []
    begun, may_ring = threading.Event(), threading.Event()

    def slow(queue: str) -> None:
        begun.set()
        may_ring.wait(20)
        rung.append(queue)

    ring = BackgroundRing(slow)
    ring("advance")
    assert begun.wait(20)
    for _ in range(100):
        ring("advance")
        ring("post")
    assert not rung, "nobody has waited for the bell"
    may_ring.set()

    wait_until(lambda: "post" in rung, "the bell does not ring")
    assert rung == ["advance", "advance", "post"], "one was on its way, one more is for all others"


def test_a_ring_beside_that_fails_does_not_end_the_bell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda told: None)
    rung: list[str] = []

    def fails_first(queue: str) -> None:
        rung.append(queue)
        if len(rung) == 1:
            raise RuntimeError("broken")

    ring = BackgroundRing(fails_first)
    ring("advance")
    wait_until(lambda: len(rung) == 1, "the bell does not ring")
    assert ring._thread is not None
    ring._thread.join(20)
    ring("post")

    wait_until(lambda: rung == ["advance", "post"], "the bell does not ring again")
