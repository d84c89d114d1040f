"""Which parts of a schema speak about a place in the data."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from toolhaft.schema.document.kinds import NAMES, constants_of, kind_of, names_of
from toolhaft.schema.document.references import target_of
from toolhaft.schema.engine import matcher
from toolhaft.spec import Path

__all__ = [
    "Place",
    "PlaceIndex",
    "PlaceSchema",
    "child_schemas",
    "named_types",
    "parts",
    "replace_at",
]
__all__ += ["scalars"]

# A union of unions of references has no more forms than this; what lies beyond says nothing.
MAX_PARTS = 256
# How many places are remembered: an open map has as many as a caller thinks of keys.
MAX_KNOWN = 1024
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
        inner = [target_of(root, part)] if "$ref" in part else []
        inner += (form for keyword in APPLICATORS for form in part.get(keyword, ()))
        inner += (part[keyword] for keyword in CONDITIONAL if keyword in part)
        inner += part.get("dependentSchemas", {}).values()
        queue += reversed(inner)
    return list(found.values())


def child_schemas(root: Any, here: Iterable[Place], step: str | int) -> list[Place]:
    """The schemas for what stands one step further into the data; combinations are kept whole.

    >>> [place.schema for place in child_schemas({}, [Place({"items": {"type": "integer"}})], 3)]
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


def _item(part: dict[str, Any], index: int) -> Iterator[Place]:
    first = part.get("prefixItems", ())
    if 0 <= index < len(first):
        yield Place(first[index])
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


class PlaceSchema(NamedTuple):
    """One schema for a place: all its parts, and the JSON types and constants that they name."""

    place: Place
    parts: list[Any]
    types: frozenset[str]
    constants: list[Any]


class _Known(NamedTuple):
    """The schemas of a place, all parts of them, and how long a tuple they speak of."""

    schemas: list[PlaceSchema]
    parts: list[Any]
    longest: int


class PlaceIndex:
    """The schemas that speak about each place in data; what was found is remembered.

    The way begins at `schema`, which is a part of `root` or the whole of it.
    """

    def __init__(self, root: Any, schema: Any = None) -> None:
        self.root = root
        self._schema = root if schema is None else schema
        self._known: dict[Path, _Known] = {}

    def at(self, path: Path) -> list[Any]:
        """Give the parts for a path; items past those of a tuple all have the same."""
        return self._at(path).parts

    def schemas(self, path: Path) -> list[PlaceSchema]:
        """Give the schemas for a path, combinations kept whole."""
        return self._at(path).schemas

    def _at(self, path: Path) -> _Known:
        here = self._place(())
        known: Path = ()
        for step in path:
            known = (*known, min(step, here.longest) if isinstance(step, int) else step)
            here = self._place(known, here)
        return here

    def _place(self, path: Path, outer: _Known | None = None) -> _Known:
        known = self._known.get(path)
        if known is None:
            if outer is None:
                places = [Place(self._schema)]
            else:
                places = child_schemas(self.root, [it.place for it in outer.schemas], path[-1])
            schemas = [_described(self.root, place) for place in places]
            every = [part for it in schemas for part in it.parts]
            longest = max((len(part.get("prefixItems", ())) for part in every), default=0)
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            known = self._known[path] = _Known(schemas, every, longest)
        return known


def _described(root: Any, place: Place) -> PlaceSchema:
    every = parts(root, place.schema)
    types = frozenset(name for part in every for name in named_types(part))
    constants = [member for part in every for member in constants_of(part) or ()]
    return PlaceSchema(place, every, types, constants)


def scalars(
    value: Any, is_wanted: Callable[[Any], bool], path: Path = ()
) -> Iterator[tuple[Path, Any]]:
    """Give every scalar of data that is wanted, and where it stands."""
    if type(value) is dict or type(value) is list:
        for step, item in value.items() if type(value) is dict else enumerate(value):
            if type(item) is dict or type(item) is list or is_wanted(item):
                yield from scalars(item, is_wanted, (*path, step))
    elif is_wanted(value):
        yield path, value


def replace_at(value: Any, changes: dict[Path, Any], path: Path = ()) -> Any:
    """Give data with other values in some places; a part without any is the same object."""
    if type(value) is dict:
        members = {key: replace_at(item, changes, (*path, key)) for key, item in value.items()}
        return value if all(members[key] is value[key] for key in value) else members
    if type(value) is list:
        items = [replace_at(item, changes, (*path, index)) for index, item in enumerate(value)]
        return value if all(map(operator.is_, items, value)) else items
    return changes.get(path, value)
