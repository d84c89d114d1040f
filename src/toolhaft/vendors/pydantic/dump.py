"""How results are written: as pydantic writes them, but where that says more or less than JSON.

pydantic writes a set in the order of its hashes, and where the type says `Any` whatever it knows
some text for. So a value that may hold either is also written as Python data, which shows where
they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from toolhaft.jsonio.jsondata import NotJson, ordered, to_json_data
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.spec import Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.emission_rules import JSON_TYPES

__all__ = ["why_unwritten", "writer"]


def writer(serializer: Any, output: PlaceIndex | None) -> Callable[[Any], Any]:
    """Give what writes values as JSON data; `serializer` is that of a `TypeAdapter`.

    `output` is the index of the output schema, where sets or undeclared values may be held. The
    warnings of pydantic are left out: the dump is checked afterwards.
    """
    options = {"by_alias": True, "warnings": False, "fallback": _dump_any}
    write = partial(serializer.to_python, mode="json", **options)
    if output is None:
        return write
    hold = partial(serializer.to_python, **options)
    return lambda value: _settled(write(value), hold(value), output, ())


def _dump_any(value: Any) -> Any:
    """Write what no type was declared for.

    Raises:
        NotJson: It has no JSON form.
    """
    return to_json_data(value, foreign=Adapter.foreign)


def _settled(data: Any, held: Any, output: PlaceIndex, path: Path) -> Any:
    """Put sets in one order, and write what no type was declared for by the table of results."""
    if _is_undeclared(output.at(path)):
        return _dump_any(held)
    if isinstance(held, set | frozenset) and isinstance(data, list):
        return ordered(data)
    if isinstance(data, dict) and isinstance(held, Mapping) and len(data) == len(held):
        pairs = zip(data.items(), held.values(), strict=True)
        return {key: _settled(item, was, output, (*path, key)) for (key, item), was in pairs}
    if isinstance(data, list) and isinstance(held, list | tuple) and len(data) == len(held):
        items = enumerate(zip(data, held, strict=True))
        return [_settled(item, was, output, (*path, place)) for place, (item, was) in items]
    return data


def _is_undeclared(parts: list[Any]) -> bool:
    """Whether the output schema says nothing of a place, or that anything goes."""
    return not parts or any(part.get("type") == list(JSON_TYPES) for part in parts)


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
