"""A cache that threads share: what it keeps, and what it forgets."""

from __future__ import annotations

from pbem.lru import LruCache


def test_what_was_used_longest_ago_goes_first() -> None:
    kept = LruCache[str](2)
    for key in ("one", "two"):
        kept.put(key, key)

    kept.get("one")
    kept.put("three", "three")

    assert [kept.get(key) for key in ("one", "two", "three")] == ["one", None, "three"]


def test_what_is_kept_weighs_no_more_than_it_may() -> None:
    kept = LruCache[str](1000, len)
    for number in range(50):
        kept.get_or_make(number, lambda: "x" * 300)

    assert (kept.weight, len(kept)) == (900, 3)
    assert kept.get_or_make(49, lambda: "anew") != "anew"
    assert kept.get_or_make(0, lambda: "anew") == "anew"


def test_none_is_a_value_that_is_kept() -> None:
    kept, made = LruCache[str | None](9), []
    for _ in range(2):
        kept.get_or_make("nothing", lambda: made.append("once"))

    assert made == ["once"]
