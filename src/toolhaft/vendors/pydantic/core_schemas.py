"""Read the author's code from a pydantic core schema: config, functions, notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final

from pydantic.errors import PydanticInvalidForJsonSchema

from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import (
    has_own_reader,
    hints_of,
    is_async,
    is_meta,
    is_timezone,
    notes_of,
)

__all__ = [
    "NOTHING",
    "config_of",
    "is_named_tuple",
    "is_pydantic_function",
    "refuse_ignored_notes",
    "require_json_values",
    "require_plain_class",
    "require_plain_members",
    "require_sync",
]

NOTHING: Final[Mapping[str, Any]] = {}
IGNORED: Final = {is_meta: "msgspec.Meta", is_timezone: "annotated_types.Timezone"}


def config_of(cls: Any) -> Mapping[str, Any]:
    """Return the author's settings of a class: a core schema's config has pydantic's own too."""
    config: Mapping[str, Any] | None
    config = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None)
    return config or NOTHING


def is_pydantic_function(function: Any) -> bool:
    """Return whether a function is pydantic's own, or one of the standard library that it uses."""
    module = str(getattr(getattr(function, "func", function), "__module__", None))
    return module.partition(".")[0] in ("pydantic", "pydantic_core", "collections")


def is_named_tuple(function: Any) -> bool:
    """Return whether a call node makes a named tuple, as pydantic before 2.14 reads those."""
    return isinstance(function, type) and issubclass(function, tuple)


def require_sync(function: Any) -> None:
    """Refuse an author's function that pydantic would call and never await.

    Raises:
        NoVendor: It is async.
    """
    if function is not None and is_async(function):
        name = getattr(function, "__name__", "a function")
        raise NoVendor(f"pydantic does not await {name}", "write it as a plain def")


def require_plain_class(cls: type) -> None:
    """Refuse a class inside a type that another library reads in its own way."""
    if has_own_reader(cls):
        reason = f"pydantic: {cls.__qualname__} is read by its mixin"
        raise NoVendor(reason, "pass input=schema_of(validate=..., json_schema=...)")


def require_plain_members(expected: list[Any]) -> None:
    """Refuse a literal that is read by what Python compares, which JSON does not have."""
    for member in expected:
        if isinstance(member, Enum) and not isinstance(member, str | int):
            reason = f"pydantic: a Literal of {type(member).__name__}, whose members are not text"
            raise NoVendor(reason, "take the enum itself, or a Literal of texts")


def require_json_values(cls: type, members: Iterable[Any]) -> None:
    """Refuse an enum with a member that nothing in JSON equals: pydantic compares their values."""
    try:
        snapshot([member.value for member in members])
    except NotPlain as error:
        reason = f"pydantic: a member of {cls.__name__} is not JSON: {error.issues[0].message}"
        raise NoVendor(reason, "give its members texts or numbers") from None


def refuse_ignored_notes(cls: type) -> None:
    """Refuse a constraint that pydantic would silently leave out; for attrs it was translated."""
    fields: Any = getattr(cls, "__pydantic_fields__", {})
    hints = {} if hasattr(cls, "__attrs_attrs__") else hints_of(cls)
    notes: list[tuple[str, Iterable[Any]]]
    notes = [(name, notes_of(hint)) for name, hint in hints.items()]
    # The fields of a generic model have the types of its type variables.
    notes += [
        (name, (*field.metadata, *notes_of(field.annotation))) for name, field in fields.items()
    ]
    for name, field_notes in notes:
        for is_ignored, note in IGNORED.items():
            if any(map(is_ignored, field_notes)):
                raise PydanticInvalidForJsonSchema(f"{note} on {name}, which pydantic ignores")
