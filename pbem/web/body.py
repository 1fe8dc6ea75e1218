"""What programs and forms send: read into a typed value, or refused with a sentence."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from flask import request

from engine.codec import convert
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
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadInput(
            "The request does not have the right form: {why}.", field="body", why=_why(error)
        ) from None


def posted(kind: type[T]) -> T:
    """As ``read_json``, from a program or from a form: its fields are those of the type, as texts.

    A field that a form does not have stays as the type has it.
    """
    if request.mimetype == "application/json":
        return read_json(kind)
    given = dict(form(*kind.__struct_encode_fields__))
    given.pop("csrf_token", None)
    try:
        return convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(
            "The request does not have the right form: {why}.", field="form", why=_why(error)
        ) from None


def _why(error: Exception) -> str:
    """The library's message names the field and the place."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(error))
    return text[:200] or "it is nested too deeply"
