"""A game's typed options as the fields of a form, and the form as options again."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from engine.errors import EngineError, OptionsError, shown
from engine.games.registry import AnyGame
from pbem.errors import BadInput, Refused
from pbem.words import templating
from pbem.words.i18n import Translator

PREFIX = "option-"


@dataclass(frozen=True)
class OptionField:
    """One switch of a game."""

    #: Its field in the form: ``option-`` and its name.
    field: str
    name: str
    label: str
    #: "switch", "choice", "number", "text", or "data": text, or a whole data file in JSON.
    kind: str
    default: str
    #: For a choice: each value, and what it means.
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Group:
    """Options that stand together; ``kind`` is "" for those that a host should see first."""

    kind: str
    fields: tuple[OptionField, ...]


def groups(game: AnyGame, words: Translator) -> tuple[Group, ...]:
    """The options of a game as it groups them, those of no group first."""
    known = {field.name: field for field in fields(game, words)}
    grouped = {name for group in game.meta.option_groups for name in group.options}
    first = Group("", tuple(field for name, field in known.items() if name not in grouped))
    others = (
        Group(group.kind, tuple(known[name] for name in group.options))
        for group in game.meta.option_groups
    )
    return (first, *others)


def fields(game: AnyGame, words: Translator) -> tuple[OptionField, ...]:
    """The options of a game in the order in which its type has them."""
    hints = typing.get_type_hints(game.options_type)
    return tuple(
        _field(game, words, info.name, hints[info.name], info.default)
        for info in msgspec.structs.fields(game.options_type)
    )


def _field(game: AnyGame, words: Translator, name: str, kind: Any, default: Any) -> OptionField:
    label = label_of(game, words, name)
    field = PREFIX + name
    if kind is bool:
        return OptionField(field, name, label, "switch", "yes" if default else "no")
    if isinstance(kind, types.UnionType) and bool in typing.get_args(kind):
        usual = label_of(game, words, name, "none")
        either = (("", usual), ("yes", words.text("yes")), ("no", words.text("no")))
        return OptionField(field, name, label, "choice", "", either)
    if typing.get_origin(kind) is Literal:
        choices = tuple(
            (str(value), label_of(game, words, name, str(value))) for value in typing.get_args(kind)
        )
        return OptionField(field, name, label, "choice", str(default), choices)
    if typing.get_origin(kind) is tuple:
        return OptionField(field, name, label, "text", ", ".join(map(str, default)))
    if _takes_data(kind):
        return OptionField(field, name, label, "data", str(default))
    return OptionField(field, name, label, "number" if kind is int else "text", str(default))


def _takes_data(kind: Any) -> bool:
    """Whether an option may be handed in as a whole structure."""
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    return any(isinstance(one, type) and issubclass(one, msgspec.Struct) for one in kinds)


def label_of(game: AnyGame, words: Translator, name: str, value: str | None = None) -> str:
    """What an option, or one of its values, is called: by the game's file ``options.txt``.

    Its macros are named ``NAME`` and ``NAME__VALUE``, with ``_`` for a hyphen. Without one the
    name itself is shown.
    """
    file = templating.of_game(game.meta.name, "options.txt")
    if file is not None:
        macro = getattr(
            templating.macros(file, words),
            name if value is None else f"{name}__{value}".replace("-", "_"),
            None,
        )
        if macro is not None:
            return " ".join(str(macro()).split())
    return (value if value is not None else name).replace("_", " ")


def read(game: AnyGame, given: Mapping[str, str]) -> dict[str, Any]:
    """The options of a posted form as plain values; the acts check them."""
    hints = typing.get_type_hints(game.options_type)
    found: dict[str, Any] = {}
    for field, text in given.items():
        name = field.removeprefix(PREFIX)
        if field == name or name not in hints or text == "":
            continue
        found[name] = _value(hints[name], name, text)
    return found


def _value(kind: Any, name: str, text: str) -> Any:
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    if typing.get_origin(kind) is Literal and isinstance(typing.get_args(kind)[0], int):
        kinds = (int,)
    if bool in kinds:
        if text not in ("yes", "no"):
            raise BadInput("{name} is yes or no.", field=name, name=name)
        return text == "yes"
    if int in kinds:
        if not re.fullmatch(r"\s*-?\d{1,12}\s*", text):
            raise BadInput("{name} must be a whole number.", field=name, name=name)
        return int(text)
    if _takes_data(kind) and text.lstrip().startswith("{"):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadInput(
                "{name} is not JSON: {why}.", field=name, name=name, why=str(error)[:200]
            ) from None
    if typing.get_origin(kind) is tuple:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


#: What acts call a field, and the form.
_FIELDS = {
    "name of the match": "name",
    "name of the series": "name",
    "host's name": "host_name",
    "host's e-mail address": "host_email",
}


def wrong_field(error: Refused | EngineError | None, given: Mapping[str, str]) -> str:
    """The field of a form of a match that this error is about; "" if it does not say.

    An address is found by what was typed, what a seat lacks or cannot use by the seat's number.
    """
    if error is None:
        return ""
    name, told = "", error.sentence.parameters
    if isinstance(error, OptionsError):
        name = str(told.get("option", ""))
    elif isinstance(error, BadInput):
        match error.field, told.get("seat"):
            case ("name" | "email") as part, int(seat):
                name = f"seat-{seat - 1}-{part}"
            case "name", _:
                # that of a seat, which is not the "name" of the form
                name = ""
            case "clock", _:
                # the part is named, but for its quiet hours
                name = str(told.get("name", "quiet"))
            case field, _:
                name = _FIELDS.get(field, field)
    for field in (PREFIX + name, name):
        if field in given:
            return field
    address = str(told.get("address", ""))
    typed = (field for field, text in given.items() if address and text.strip() == address)
    return next(typed, "")


def wrong_of_person(error: Refused | EngineError | None) -> str:
    """The field of a form that asks who somebody is: name or address; "" if it is about neither."""
    fields = {"name": "name", "e-mail address": "email"}
    return fields.get(error.field, "") if isinstance(error, BadInput) else ""


def refuse_others(game: AnyGame, given: Mapping[str, str]) -> None:
    """BadInput if a form has an option that this game does not have."""
    known = {f"{PREFIX}{name}" for name in game.options_type.__struct_fields__}
    for field in given:
        if field.startswith(PREFIX) and field not in known:
            raise BadInput("There is no field called {name} here.", field="form", name=shown(field))
