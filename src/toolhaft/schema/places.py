"""Which parts of a schema speak about a place in the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from toolhaft.schema.checker import matcher
from toolhaft.schema.forms import NAMES, constants_of, kind_of, names_of
from toolhaft.schema.refs import resolve

__all__ = ["Place", "below", "named_types", "parts"]

# A union of unions of references has no more forms than this; what lies beyond says nothing.
MAX_PARTS = 256
APPLICATORS = ("allOf", "anyOf", "oneOf")
CONDITIONAL = ("then", "else")
COMBINING = frozenset({"$ref", "dependentSchemas", *APPLICATORS, *CONDITIONAL})


class Place(NamedTuple):
    """A schema for one value; `declared` says that the key stands under `properties`."""

    schema: Any
    declared: bool = False


def parts(root: Any, schema: Any) -> list[Any]:
    """A schema, what it refers to and what it combines: all that may hold for the same value.

    >>> parts({}, {"anyOf": [{"type": "integer"}, {"allOf": [{"minimum": 1}]}]})[1:]
    [{'type': 'integer'}, {'allOf': [{'minimum': 1}]}, {'minimum': 1}]
    """
    if isinstance(schema, dict) and COMBINING.isdisjoint(schema):
        return [schema]
    found: dict[int, Any] = {}
    queue = [schema]
    while queue and len(found) < MAX_PARTS:
        part = queue.pop()
        if not isinstance(part, dict) or id(part) in found:
            continue
        found[id(part)] = part
        inner = [resolve(root, part["$ref"])] if "$ref" in part else []
        inner += (form for keyword in APPLICATORS for form in part.get(keyword, ()))
        inner += (part[keyword] for keyword in CONDITIONAL if keyword in part)
        inner += part.get("dependentSchemas", {}).values()
        queue += reversed(inner)
    return list(found.values())


def below(root: Any, here: Iterable[Place], step: str | int) -> list[Place]:
    """The schemas for what stands one step further into the data; combinations are kept whole.

    >>> [place.schema for place in below({}, [Place({"items": {"type": "integer"}})], 3)]
    [{'type': 'integer'}]
    """
    found = (
        inner
        for place in here
        for part in parts(root, place.schema)
        for inner in (_item(part, step) if isinstance(step, int) else _member(part, step))
    )
    return [inner for inner, _ in zip(found, range(MAX_PARTS), strict=False)]


def named_types(part: Any) -> tuple[str, ...]:
    """The JSON types that a part asks for by name or by its constants.

    >>> named_types({"type": "integer"}), named_types({"enum": ["a", None]})
    (('integer',), ('string', 'null'))
    """
    constants = constants_of(part) or ()
    return names_of(part) or tuple(NAMES[kind_of(member)] for member in constants)


def _item(part: dict[str, Any], place: int) -> Iterator[Place]:
    first = part.get("prefixItems", ())
    if place < len(first):
        yield Place(first[place])
    elif "items" in part:
        yield Place(part["items"])


def _member(part: dict[str, Any], name: str) -> Iterator[Place]:
    matching = [
        Place(sub)
        for pattern, sub in part.get("patternProperties", {}).items()
        if matcher(pattern)(name)
    ]
    if name in part.get("properties", ()):
        matching.append(Place(part["properties"][name], declared=True))
    if not matching and "additionalProperties" in part:
        matching.append(Place(part["additionalProperties"]))
    yield from matching
