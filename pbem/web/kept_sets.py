"""Sets of options that are kept under a name on this device: a signed cookie, and nothing here.

A set is what the form of a match says about the game, the number of players, the pace or clock and
the options, as far as it differs from the form as it opens: never a person or an address. It is
read as a form that was typed, so what a set says is checked as anything else is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from flask import Response, request
from itsdangerous import BadData, URLSafeSerializer

from engine.games.registry import games
from pbem.errors import BadInput
from pbem.web import cookies, options
from pbem.words import texts

COOKIE = "pbem_sets"
#: How many sets are kept, and how long the cookie may be: browsers drop larger ones.
MOST, LARGEST = 8, 3800
LIFE = timedelta(days=365)
#: The form's fields of the clock.
CLOCK = ("kind", "turn", "reserve", "daily_at", "weekends", "quiet", "vacation_days")


@dataclass(frozen=True)
class KeptSet:
    name: str
    #: Fields of the form and what they say.
    fields: Mapping[str, str]

    @property
    def address(self) -> str:
        """The form with this set."""
        return f"/new?{urlencode({'set': self.name})}"


def kept() -> tuple[KeptSet, ...]:
    """The sets of this device, by name; what cannot be read is none."""
    try:
        found = _signer().loads(request.cookies.get(COOKIE, "")[: LARGEST + 200])
        sets = [KeptSet(str(name), {str(k): str(v) for k, v in of.items()}) for name, of in found]
    except (BadData, TypeError, ValueError, AttributeError):
        return ()
    return tuple(one for one in sets if one.fields.get("game") in games())[:MOST]


def of_name(name: str) -> Mapping[str, str]:
    """The fields of a set; none if there is none of this name."""
    return next((one.fields for one in kept() if one.name == name), {})


def with_this(name: str, given: Mapping[str, str], usual: Mapping[str, str]) -> tuple[KeptSet, ...]:
    """The sets with what this form says, in place of one of this name; BadInput if it has none.

    ``usual``: the fields of the form as it opens, and what they say then.
    """
    said = texts.name(name)
    fields = {
        field: text
        for field, text in given.items()
        if _is_of_a_set(field, given) and text and usual.get(field) != text
    }
    fields["game"] = given.get("game", "")
    others = [one for one in kept() if one.name != said]
    if len(others) >= MOST:
        raise BadInput("At most {most} sets can be kept. Forget one first.", field="set", most=MOST)
    return tuple(sorted([*others, KeptSet(said, fields)], key=lambda one: one.name.casefold()))


def without(name: str) -> tuple[KeptSet, ...]:
    return tuple(one for one in kept() if one.name != name)


def _is_of_a_set(field: str, given: Mapping[str, str]) -> bool:
    if field in CLOCK:
        return given.get("pace", "own") == "own"
    return field in ("players", "pace") or field.startswith(options.PREFIX)


def write(response: Response, sets: Iterable[KeptSet]) -> None:
    """Has the device keep these sets, and no others."""
    written = str(_signer().dumps([[one.name, dict(one.fields)] for one in sets]))
    if len(written) > LARGEST:
        raise BadInput("That is too much to be kept on this device.", field="set")
    cookies.put(response, COOKIE, written, LIFE, path="/new")


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(cookies.signing_keys("sets"))
