"""Read pydantic's core schemas: their nodes, and the author's settings, functions and notes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final

from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.spec import Path
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
    "core_nodes",
    "is_named_tuple",
    "is_pydantic_function",
    "refuse_ignored_notes",
    "require_json_values",
    "require_plain_class",
    "require_plain_members",
    "require_sync",
]

# Where a node keeps nodes that the data reach by no step.
SAME_PLACE: Final = ("schema", "steps", "choices", "json_schema", "strict_schema", "definitions")
ITEMS: Final = ("items_schema", "values_schema", "keys_schema", "extras_schema")


NOTHING: Final[Mapping[str, Any]] = {}
IGNORED: Final = {is_meta: "msgspec.Meta", is_timezone: "annotated_types.Timezone"}


def core_nodes(
    node: Mapping[str, Any], path: Path = (), *, closed: Container[str] = ()
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield every node with its path, itself first; an item of a container is at `*`.

    Nodes of the types in `closed` are yielded without the nodes inside them.
    """
    yield path, node
    for inner, steps in () if node.get("type", "") in closed else _inner_nodes(node):
        yield from core_nodes(inner, (*path, *steps), closed=closed)


def _inner_nodes(node: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Path]]:
    fields = node.get("fields", ())
    named_fields = (
        fields.items() if isinstance(fields, Mapping) else ((f["name"], f) for f in fields)
    )
    if node.get("type") in ("model-fields", "dataclass-args", "typed-dict"):
        yield from ((field["schema"], (_key(name, field),)) for name, field in named_fields)
    elif node.get("type") == "named-tuple":  # an array in JSON
        yield from ((field["schema"], (at,)) for at, (_, field) in enumerate(named_fields))
    for word in SAME_PLACE:
        yield from ((inner_node, ()) for inner_node in _nodes_under(node.get(word)))
    for word in ITEMS:
        yield from ((inner_node, ("*",)) for inner_node in _nodes_under(node.get(word)))


def _key(name: str, field: Mapping[str, Any]) -> str:
    alias = field.get("validation_alias")
    return alias if isinstance(alias, str) else name


def _nodes_under(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the nodes under a key: one, several, or several by name or with a label."""
    items: Iterable[Any] = value if isinstance(value, list) else ()
    if isinstance(value, Mapping):
        items = (value,) if isinstance(value.get("type"), str) else value.values()
    for item in items:
        node = item[0] if isinstance(item, tuple) else item
        if isinstance(node, Mapping):
            yield node


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
    from pydantic.errors import PydanticInvalidForJsonSchema

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
