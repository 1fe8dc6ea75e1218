"""The service checks itself through its public address, the one in every link it mails.

A request for ``/healthz?ask=WORD`` is answered with the signature of the word, made with a key of
the service, and the number of addresses in X-Forwarded-For. So ``pbem doctor``, which sends it
(``own_web``), knows whether it reached this very service.
"""

from __future__ import annotations

import hmac

from pbem.store.keys import Keys

PURPOSE = "health"
ANSWER, FORWARDED = "X-Pbem-Answer", "X-Pbem-Forwarded"
#: Longest word that is answered, in characters.
LONGEST = 64


def answer(keys: Keys, word: str) -> str:
    """The proof that we have the keys."""
    return _signed(keys.of(PURPOSE)[0], word)


def is_ours(keys: Keys, word: str, given: str) -> bool:
    """Whether an answer to the word was made with one of these keys."""
    return any(hmac.compare_digest(given, _signed(key, word)) for key in keys.of(PURPOSE))


def proxies_in(headers: list[str]) -> int:
    """How many addresses the X-Forwarded-For headers of a request contain."""
    return sum(1 for name in ",".join(headers).split(",") if name.strip())


def _signed(key: bytes, word: str) -> str:
    return hmac.digest(key, word.encode(), "sha256").hex()
