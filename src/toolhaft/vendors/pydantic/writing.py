"""How results are written: as pydantic writes them, but where that says more or less than JSON.

Left alone it writes NaN as null, a set in the order of its hashes, and whatever it knows some text
for where the type says `Any`. So NaN stays what it is, to be refused; a set gets an order that is
the same in every process; and what nobody declared is written by the one table of results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolhaft.jsondata import NotJson, dumped, ordered
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.pydantic.walk import Node

__all__ = ["undeclared", "why_unwritten", "writer"]

# Where a node keeps nodes; what is written as a key, and what only validation reads, stays.
INNER: Final = frozenset({
    "schema", "items_schema", "values_schema", "extras_schema", "return_schema", "json_schema",
    "strict_schema", "steps", "definitions", "choices", "fields", "computed_fields",
    "serialization",
})  # fmt: skip
# What containers say of their content; the writer guesses where they do not.
CONTENT: Final = {
    "list": "items_schema",
    "dict": "values_schema",
    "function-plain": "return_schema",
}
CONFIGURED: Final = frozenset({"model", "dataclass", "typed-dict"})
EXACT: Final = {"ser_json_inf_nan": "constants"}


def writer(core_schema: Mapping[str, Any], config: Mapping[str, Any] | None) -> Callable[..., Any]:
    """Give the function that writes values of a core schema as JSON data."""
    from pydantic_core import SchemaSerializer

    made: Any = _written(core_schema)
    core_config: Any = {**EXACT, **(config or {})}
    # A model's own serializer, made with its class, would write as ever.
    return SchemaSerializer(made, core_config, _use_prebuilt=False).to_python


def undeclared(value: Any) -> Any:
    """Write what no type was declared for.

    Raises:
        NotJson: It has no JSON form.
    """
    return dumped(value, foreign=Adapter.foreign)


def why_unwritten(error: Exception) -> str:
    """Say why a value has no JSON form; what an author's own serializer raised is raised again."""
    from pydantic_core import PydanticSerializationError

    cause = error
    if isinstance(error, PydanticSerializationError):
        if not isinstance(error.__cause__, Exception):
            return "not JSON data"
        cause = error.__cause__
    if isinstance(cause, NotJson):
        return cause.issues[0].message
    if isinstance(cause, UnicodeDecodeError):
        return "bytes that are not UTF-8"
    if isinstance(cause, AttributeError) and _is_field(cause.obj, cause.name):
        return "a field has no value"
    if cause is error and isinstance(error, ValueError | RecursionError):
        return "it holds itself"  # an author's own error would be the cause of another
    try:
        raise cause
    finally:
        del cause, error  # they know this frame, and would be held by it


def _is_field(made: Any, name: str | None) -> bool:
    return name in getattr(type(made), "__dataclass_fields__", ())


def _written(node: Mapping[str, Any]) -> Node:
    kind = node["type"]
    made = {key: _inner(value) if key in INNER else value for key, value in node.items()}
    if kind in CONTENT:
        made.setdefault(CONTENT[kind], ANYTHING)
    if kind in CONFIGURED:
        made["config"] = EXACT | (node.get("config") or {})
    if kind in SERIALIZED:
        made.setdefault("serialization", SERIALIZED[kind])
    return made


def _inner(value: Any) -> Any:
    """Rewrite what stands under a key: a node, or several by place, by name or with a label."""
    if isinstance(value, list):
        return [_inner(one) for one in value]
    if isinstance(value, tuple):
        return (_inner(value[0]), *value[1:])
    if not isinstance(value, Mapping):
        return value
    if isinstance(value.get("type"), str):
        return _written(value)
    return {name: _inner(one) for name, one in value.items()}


def _in_order(value: Any, write: Callable[[Any], Any]) -> Any:
    written = write(value)
    return ordered(written) if isinstance(value, set | frozenset) else written


BY_TABLE: Final[Node] = {"type": "function-plain", "function": undeclared}
IN_ORDER: Final[Node] = {"type": "function-wrap", "function": _in_order}
SERIALIZED: Final = {"any": BY_TABLE, "set": IN_ORDER, "frozenset": IN_ORDER}
ANYTHING: Final[Node] = {"type": "any", "serialization": BY_TABLE}
