"""What programs and forms send: read into a typed value, or refused with a sentence."""

from __future__ import annotations

from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from flask import request

from engine.codec import convert
from engine.errors import Sentence, shown
from pbem.errors import BadInput, Refused
from pbem.web.context import form

T = TypeVar("T", bound=msgspec.Struct)


class NotJson(Refused):
    """A body that is not JSON at all."""

    code = "not_json"
    status = 400


def read_json(kind: type[T]) -> T:
    """The body as a value of this type. Fields that it does not have are refused by name."""
    body = request.get_data()
    try:
        given: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise NotJson("The request is not JSON.") from None
    try:
        return convert(given, kind)
    except RecursionError:
        raise BadInput("The request is nested too deeply.", field="body") from None
    except msgspec.ValidationError as error:
        raise _refusal(kind, str(error)) from None


def posted(kind: type[T]) -> T:
    """As ``read_json``, from a program or from a form: its fields are those of the type, as texts.

    A field that a form does not have stays as the type has it. An empty body has none.
    """
    if request.mimetype == "application/json" and request.get_data():
        return read_json(kind)
    given = dict(form(*kind.__struct_encode_fields__))
    given.pop("csrf_token", None)
    try:
        return convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _refusal(kind, str(error)) from None


class NoFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a button sends that stands alone; a program's ``{}``."""


#: What a value must be, by the name that msgspec has for it.
_KINDS = {
    "str": Sentence("a text"),
    "int": Sentence("a whole number"),
    "bool": Sentence("true or false"),
    "array": Sentence("a list"),
    "object": Sentence("an object with fields"),
}


def _refusal(kind: type[msgspec.Struct], why: str) -> BadInput:
    """What msgspec says of a value that is not of this type, in plain words.

    It says ``Expected `int | null`, got `str` - at `$.place` ``, ``Invalid enum value``, ``Object
    missing required field `name` `` or ``Object contains unknown field `name` ``.
    """
    what, _, place = why.partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    named = what.partition("`")[2].partition("`")[0]
    if what.startswith("Object"):
        name = shown(f"{place}.{named}" if place else named)
        if what.startswith("Object missing"):
            return BadInput("{name} is missing.", field=str(name), name=name)
        return BadInput("There is no field called {name} here.", field="body", name=name)
    if not place:
        return BadInput("The request must be an object with fields.", field="body")
    must = _one_of(kind, place) or _KINDS.get(named.partition(" | ")[0], Sentence("another value"))
    return BadInput("{name} must be {what}.", field=place, name=shown(place), what=must)


def _one_of(kind: type[msgspec.Struct], field: str) -> Sentence | None:
    """The values of a field that has only some, and may be a number as well; None for others."""
    hint = get_type_hints(kind).get(field)
    parts = (hint, *get_args(hint))
    values = [value for part in parts if get_origin(part) is Literal for value in get_args(part)]
    if not values:
        return None
    text = "a whole number, or {values}" if int in parts else "one of these: {values}"
    return Sentence(text, {"values": ", ".join(values)})
