"""Which parts of a schema speak about a place in the data."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from toolhaft.schema.document.kinds import NAMES, constants_of, kind_of, names_of
from toolhaft.schema.document.references import target_of
from toolhaft.schema.engine import quick_matcher
from toolhaft.spec import Path

__all__ = [
    "Place",
    "PlaceIndex",
    "PlaceSchema",
    "PlaceSchemas",
    "child_schemas",
    "named_types",
    "parts",
    "replace_at",
]
__all__ += ["scalars"]

# A union of unions of references has at most so many branches; further ones are ignored.
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
    numbered: dict[int, Any] = {}
    queue = [schema]
    while queue and len(numbered) < MAX_PARTS:
        part = queue.pop()
        if not isinstance(part, dict) or id(part) in numbered:
            continue
        numbered[id(part)] = part
        inner = [target_of(root, part)] if "$ref" in part else []
        inner += (form for keyword in APPLICATORS for form in part.get(keyword, ()))
        inner += (part[keyword] for keyword in CONDITIONAL if keyword in part)
        inner += part.get("dependentSchemas", {}).values()
        queue += reversed(inner)
    return list(numbered.values())


def child_schemas(root: Any, here: Iterable[Place], step: str | int) -> list[Place]:
    """Return the schemas for the value one step further into the data; combinations stay whole.

    >>> [place.schema for place in child_schemas({}, [Place({"items": {"type": "integer"}})], 3)]
    [{'type': 'integer'}]
    """
    schemas_here = (
        inner
        for place in here
        for part in parts(root, place.schema)
        for inner in (_item(part, step) if isinstance(step, int) else _member(part, step))
    )
    return [inner for inner, _ in zip(schemas_here, range(MAX_PARTS), strict=False)]


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
        if quick_matcher(pattern)(name)
    ]
    if name in part.get("properties", ()):
        matching.append(Place(part["properties"][name], declared=True))
    if not matching and "additionalProperties" in part:
        matching.append(Place(part["additionalProperties"]))
    yield from matching


class PlaceSchema(NamedTuple):
    """One schema for a place: all its parts, the JSON types and constants that they name.

    `branches` are the forms of the unions among its parts. Text may spell what is no text, or a
    constant in another case.
    """

    place: Place
    parts: list[Any]
    types: frozenset[str]
    constants: list[Any]
    branches: list[Any]
    may_be_spelled: bool


class _Memory:
    """The root of the schemas of places, and how many places are remembered.

    It knows none of them: an index and its places hold each other by no circle.
    """

    __slots__ = ("count", "root")

    def __init__(self, root: Any) -> None:
        self.root: Any = root
        self.count: int = 0


class PlaceSchemas:
    """All schemas for one place in data; those one step further are found when data come there."""

    __slots__ = (
        "_inner",
        "_longest",
        "_memory",
        "declared",
        "has_branches",
        "has_constants",
        "may_be_spelled",
        "parts",
        "schemas",
    )

    def __init__(self, memory: _Memory, places: Iterable[Place]) -> None:
        self.schemas: list[PlaceSchema] = [_describe(memory.root, place) for place in places]
        self.parts: list[Any] = [part for schema in self.schemas for part in schema.parts]
        self.declared: bool = any(schema.place.declared for schema in self.schemas)
        self.has_constants: bool = any(schema.constants for schema in self.schemas)
        self.has_branches: bool = any(schema.branches for schema in self.schemas)
        self.may_be_spelled: bool = any(schema.may_be_spelled for schema in self.schemas)
        # All items after the tuple's have the same schemas.
        self._longest = max((len(part.get("prefixItems", ())) for part in self.parts), default=0)
        self._memory = memory
        memory.count += 1
        self._inner: dict[str | int, PlaceSchemas] = {}

    def step(self, step: str | int) -> PlaceSchemas:
        """Return the schemas for the value one step further into the data."""
        if isinstance(step, int):
            step = min(step, self._longest)
        inner = self._inner.get(step)
        if inner is None:
            here = [located.place for located in self.schemas]
            places = child_schemas(self._memory.root, here, step)
            inner = self._inner[step] = PlaceSchemas(self._memory, places)
        return inner


class PlaceIndex:
    """The schemas for each place in data, cached by place.

    The path begins at `schema`, which is a part of `root` or the whole of it.
    """

    def __init__(self, root: Any, schema: Any = None) -> None:
        self._places = [Place(root if schema is None else schema)]
        self._known: dict[Path, PlaceSchemas] = {}
        self._memory = _Memory(root)

    def whole(self) -> PlaceSchemas:
        """Return the schemas for the whole of the data."""
        return self.at(())

    def at(self, path: Path) -> PlaceSchemas:
        """Return the schemas for a path; combinations stay whole."""
        if self._memory.count > MAX_KNOWN:
            self._memory.count = 0
            self._known.clear()
        known = self._known.get(path)
        if known is None:
            outer = self.at(path[:-1]) if path else None
            known = outer.step(path[-1]) if outer else PlaceSchemas(self._memory, self._places)
            self._known[path] = known
            self._memory.count += 1
        return known


def _describe(root: Any, place: Place) -> PlaceSchema:
    schema_parts = parts(root, place.schema)
    types = frozenset(name for part in schema_parts for name in named_types(part))
    constants = [member for part in schema_parts for member in constants_of(part) or ()]
    branches = [
        branch
        for part in schema_parts
        for branch in (*part.get("anyOf", ()), *part.get("oneOf", ()))
    ]
    may_be_spelled = bool(constants) or not types <= {"string", "null"}
    return PlaceSchema(place, schema_parts, types, constants, branches, may_be_spelled)


def scalars(
    value: Any, is_wanted: Callable[[Any], bool], path: Path = ()
) -> Iterator[tuple[Path, Any]]:
    """Yield every wanted scalar of data, with its path."""
    if type(value) is dict or type(value) is list:
        for step, item in value.items() if type(value) is dict else enumerate(value):
            if type(item) is dict or type(item) is list or is_wanted(item):
                yield from scalars(item, is_wanted, (*path, step))
    elif is_wanted(value):
        yield path, value


def replace_at(value: Any, changes: dict[Path, Any], path: Path = ()) -> Any:
    """Return data with other values in some places; a part without changes is the same object."""
    if type(value) is dict:
        members = {key: replace_at(item, changes, (*path, key)) for key, item in value.items()}
        return value if all(members[key] is value[key] for key in value) else members
    if type(value) is list:
        items = [replace_at(item, changes, (*path, index)) for index, item in enumerate(value)]
        return value if all(map(operator.is_, items, value)) else items
    return changes.get(path, value)
