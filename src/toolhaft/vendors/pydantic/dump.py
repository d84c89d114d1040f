"""How results are written: as pydantic writes them, but where that says more or less than JSON.

pydantic writes a set in the order of its hashes, and NaN where the type says `Any` as null. So a
value that may hold either is also written as Python data, which shows where they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite
from typing import Any

from toolhaft.jsondata import NotJson, dumped, ordered
from toolhaft.vendors.adapter import Adapter

__all__ = ["why_unwritten", "writer"]


def writer(serializer: Any, *, unordered: bool) -> Callable[[Any], Any]:
    """Give what writes values as JSON data; `serializer` is that of a `TypeAdapter`.

    The warnings of pydantic are left out: the dump is checked afterwards.
    """
    options = {"by_alias": True, "warnings": False, "fallback": _undeclared}
    write = partial(serializer.to_python, mode="json", **options)
    if not unordered:
        return write
    hold = partial(serializer.to_python, **options)
    return lambda value: _settled(write(value), hold(value))


def _undeclared(value: Any) -> Any:
    """Write what no type was declared for.

    Raises:
        NotJson: It has no JSON form.
    """
    return dumped(value, foreign=Adapter.foreign)


def _settled(data: Any, held: Any) -> Any:
    """Put sets in one order, and NaN back in its place, to be refused."""
    if isinstance(held, set | frozenset) and isinstance(data, list):
        return ordered(data)
    if data is None and isinstance(held, float) and not isfinite(held):
        return held
    if isinstance(data, dict) and isinstance(held, Mapping) and len(data) == len(held):
        pairs = zip(data.items(), held.values(), strict=True)
        return {key: _settled(item, was) for (key, item), was in pairs}
    if isinstance(data, list) and isinstance(held, list | tuple) and len(data) == len(held):
        return [_settled(item, was) for item, was in zip(data, held, strict=True)]
    return data


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
