"""The key by which each field of an object is read; every other name is rejected.

pydantic reads a field by its alias, by further aliases and by paths, and by its own name if the
config allows it. The schema names one key for each field; every other name is rejected, so the
checked and shown arguments are the ones that are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.fields import FieldKey, factory_default
from toolhaft.vendors.pydantic.core_schemas import core_nodes, is_pydantic_function

__all__ = ["FIELDS", "NOTES", "ObjectKeys", "fields_of", "keys_of"]

# Our entries in a node's metadata: the fields of a class that pydantic does not know, and the JSON
# Schema notes of one of them.
FIELDS: Final = "toolhaft_fields"
NOTES: Final = "toolhaft_notes"
TAKES_DATA: Final = "it takes the validated data"
TAKES_INFO: Final = "a validator that reads it takes `info`, which has the validated data"
FIELD_NODES: Final = ("model-fields", "dataclass-args", "typed-dict")


class ObjectKeys(NamedTuple):
    """The fields of one class, and every other name that a caller might take for one of them."""

    fields: tuple[FieldKey, ...]
    other_names: dict[str, str | None]


def keys_of(
    schema: Mapping[str, Any], config: Mapping[str, Any], definitions: Sequence[Any]
) -> ObjectKeys:
    """Read the keys of a model, dataclass or TypedDict from its core schema.

    `definitions` are the core schemas that it may refer to.

    Raises:
        NoVendor: A key would be read by two fields, or a field by no key that a schema can name.
    """
    node = _fields_node(schema)
    if node is None:
        return ObjectKeys((), {})
    declared: tuple[FieldKey, ...] | None = node.get("metadata", {}).get(FIELDS)
    if declared is not None:
        keys = [other_name.key for other_name in declared]
        return ObjectKeys(
            declared, {f.attribute: f.key for f in declared if f.attribute not in keys}
        )
    entries = [(_key(name, field, config), name, field) for name, field in fields_of(node)]
    init_fields = [(key, name, field) for key, name, field in entries if field.get("init", True)]
    keys = [key for key, _, _ in init_fields]
    for key in keys:
        if keys.count(key) > 1:
            raise NoVendor(f"pydantic: two fields read the key {key}", "give each its own alias")
    other_names: dict[str, str | None] = {}
    for key, name, field in entries:
        for alias in _further_aliases(field, key):
            if alias in keys:
                reason = f"pydantic: a further alias of {name} is the key of another field: {alias}"
                raise NoVendor(reason, "drop the alias")
            other_names[alias] = key
        further = (name, field.get("serialization_alias"))
        target = key if field.get("init", True) else None
        other_names |= {
            other_name: target
            for other_name in further
            if isinstance(other_name, str) and other_name != key
        }
        if target is None:
            other_names[key] = None
    for computed in node.get("computed_fields", ()):
        names = (computed["property_name"], computed.get("alias"))
        other_names |= {other_name: None for other_name in names if isinstance(other_name, str)}
    fields = tuple(
        FieldKey(
            key,
            name,
            is_kept=not field.get("init_only"),
            **_default(field["schema"], schema.get("config", {}), definitions),
        )
        for key, name, field in init_fields
    )
    return ObjectKeys(
        fields,
        {other_name: key for other_name, key in other_names.items() if other_name not in keys},
    )


def fields_of(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object with their names; nothing if it is not an object."""
    node = _fields_node(schema)
    fields = {} if node is None else node["fields"]
    yield from fields.items() if isinstance(fields, dict) else ((f["name"], f) for f in fields)


def _fields_node(schema: Any) -> Any:
    """Return the node with the fields, behind the functions that run before it."""
    while schema is not None and schema["type"] not in FIELD_NODES:
        schema = schema.get("schema")
    return schema


def _key(name: str, field: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    alias = field.get("validation_alias")
    if alias is None:
        return name
    if config.get("validate_by_alias") is False:
        reason = f"pydantic: {name} has an alias that validate_by_alias=False leaves unread"
        raise NoVendor(reason, "drop the alias, or the setting")
    if isinstance(alias, str):
        return alias
    for path in _paths(alias):
        if len(path) == 1:
            return str(path[0])
    reason = f"pydantic: the alias of {name} is a path, which JSON Schema cannot express"
    raise NoVendor(reason, "add an alias that is a name")


def _paths(alias: Any) -> list[list[str | int]]:
    if isinstance(alias, str):
        return [[alias]]
    return list(alias) if alias and isinstance(alias[0], list) else [alias]


def _further_aliases(field: Mapping[str, Any], key: str) -> Iterator[str]:
    """Yield the other keys that pydantic would look into: aliases, and the heads of paths."""
    alias = field.get("validation_alias")
    for path in () if alias is None else _paths(alias):
        if path[0] != key or len(path) > 1:
            yield str(path[0])


def _default(
    field: Mapping[str, Any], config: Mapping[str, Any], definitions: Sequence[Any]
) -> dict[str, Any]:
    """Return how a field that is not given is filled."""
    node: Mapping[str, Any] | None = field
    while node is not None:
        is_read = bool(node.get("validate_default", config.get("validate_default")))
        if "default_factory" in node:
            unfit = TAKES_DATA if node.get("default_factory_takes_data") else None
            return {**factory_default(node["default_factory"], unfit), "is_read": is_read}
        if "default" in node:
            static = {"default": "static", "declared": node["default"], "is_read": is_read}
            if is_read and _takes_info(node, definitions):
                return {**static, "unfit": TAKES_INFO}
            convert = _converter(field, config, definitions) if is_read else None
            return {**static, "convert": convert}
        node = node.get("schema")
    return {}


def _takes_info(node: Mapping[str, Any], definitions: Sequence[Any]) -> bool:
    """Whether what a value becomes may depend on the other fields of the object around it.

    A function finds those in its `info`, and nothing tells whether it looks at them. One inside an
    object sees the fields of that object, which are in the value.
    """
    unread = {definition["ref"]: definition for definition in definitions}
    queue = [node]
    while queue:
        for _, part in core_nodes(queue.pop(), closed=FIELD_NODES):
            if _is_given_info(part.get("function")):
                return True
            if part.get("schema_ref") in unread:
                queue.append(unread.pop(part["schema_ref"]))
    return False


def _is_given_info(function: Any) -> bool:
    """Whether a function of an author's takes `info`."""
    takes_info = isinstance(function, Mapping) and function.get("type") == "with-info"
    return takes_info and not is_pydantic_function(function["function"])


def _converter(
    field: Mapping[str, Any], config: Mapping[str, Any], definitions: Sequence[Any]
) -> Callable[[], Any]:
    """Make a function that gives the default of a field as its validators leave it."""

    @cache
    def validator() -> Any:
        from pydantic_core import SchemaValidator, core_schema

        known: Any = config
        inner: Any = field
        schema: Any = core_schema.definitions_schema(inner, list(definitions))
        return SchemaValidator(schema, known)

    return lambda: validator().get_default_value().value
