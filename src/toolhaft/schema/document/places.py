"""Which parts of a schema speak about a place in the data."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

from toolhaft.schema.document.kinds import constants_of, named_types
from toolhaft.schema.document.references import extended
from toolhaft.schema.engine import quick_matcher
from toolhaft.spec import Path

__all__ = [
    "UNIONS",
    "Fitting",
    "Place",
    "PlaceIndex",
    "PlaceSchema",
    "PlaceSchemas",
    "branches_of",
    "child_schemas",
    "parts",
    "replace_at",
]

# A union of unions of references has at most so many branches; further ones are ignored.
MAX_PARTS = 256
# How many places are remembered: an open map has as many as a caller thinks of keys.
MAX_KNOWN = 1024
UNIONS = ("anyOf", "oneOf")
CONDITIONAL = ("then", "else")
COMBINING = frozenset({"$ref", "allOf", "dependentSchemas", *UNIONS, *CONDITIONAL})

# Gives the branches of a node's unions that may hold for a value.
BranchesOf: TypeAlias = Callable[[Mapping[str, Any]], Iterable[Any]]
# Gives the places of a union's branches that a value fits (`schema/meant.py`), for each union.
Fitting: TypeAlias = Callable[[Any], tuple[int, ...]]
FittingOf: TypeAlias = Callable[[Mapping[str, Any]], Fitting]

CONTAINERS = (dict, list)


class Place(NamedTuple):
    """A schema for one value; `declared` says that the key stands under `properties`."""

    schema: Any
    declared: bool = False


def branches_of(node: Mapping[str, Any]) -> list[Any]:
    """Return the branches of all unions of a node."""
    return [branch for word in UNIONS for branch in node.get(word, ())]


def parts(root: Any, schema: Any, branches: BranchesOf = branches_of) -> list[Any]:
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
        inner = [*extended(root, part), *branches(part)]
        inner += (part[keyword] for keyword in CONDITIONAL if keyword in part)
        inner += part.get("dependentSchemas", {}).values()
        queue += reversed(inner)
    return list(numbered.values())


def child_schemas(root: Any, here: Iterable[Place], step: str | int) -> list[Place]:
    """Return the schemas for the value one step further into the data; combinations stay whole.

    >>> [place.schema for place in child_schemas({}, [Place({"items": {"type": "integer"}})], 3)]
    [{'type': 'integer'}]
    """
    return _inside((part for place in here for part in parts(root, place.schema)), step)


def _inside(parts_here: Iterable[dict[str, Any]], step: str | int) -> list[Place]:
    places = (_item(part, step) if isinstance(step, int) else _member(part, step)
              for part in parts_here)  # fmt: skip
    return list(islice(chain.from_iterable(places), MAX_PARTS))


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
    """The root of the schemas of places, how unions are decided, and how many are remembered.

    It knows none of them: an index and its places hold each other by no circle.
    """

    __slots__ = ("count", "fitting_of", "root")

    def __init__(self, root: Any, fitting_of: FittingOf | None) -> None:
        self.root: Any = root
        self.fitting_of: FittingOf | None = fitting_of
        self.count: int = 0


class PlaceSchemas:
    """All schemas for one place in data; those one step further are found when data come there.

    `names` are the keys that they declare, and `spellings` the constants that are text, without
    case.
    """

    __slots__ = (
        "_decided",
        "_fitting",
        "_inner",
        "_longest",
        "_memory",
        "_unions",
        "declared",
        "has_branches",
        "may_be_spelled",
        "names",
        "parts",
        "schemas",
        "spellings",
    )

    def __init__(
        self, memory: _Memory, places: Iterable[Place], decided: Mapping[int, Sequence[Any]] = {}
    ) -> None:
        self._decided = decided  # the branches that hold, by the union
        self.schemas: list[PlaceSchema] = [
            _describe(place, parts(memory.root, place.schema, self._branches)) for place in places
        ]
        self.parts: list[Any] = [part for schema in self.schemas for part in schema.parts]
        self.declared: bool = any(schema.place.declared for schema in self.schemas)
        self.names: frozenset[str] = frozenset(
            [name for part in self.parts for name in part.get("properties", ())]
        )
        self.spellings: frozenset[str] = frozenset(
            member.casefold()
            for schema in self.schemas
            for member in schema.constants
            if type(member) is str
        )
        self.has_branches: bool = any(schema.branches for schema in self.schemas)
        self.may_be_spelled: bool = any(schema.may_be_spelled for schema in self.schemas)
        # All items after the tuple's have the same schemas.
        self._longest = max((len(part.get("prefixItems", ())) for part in self.parts), default=0)
        self._memory = memory
        memory.count += 1
        self._inner: dict[str | int, PlaceSchemas] = {}
        self._fitting: dict[tuple[tuple[int, ...], ...], PlaceSchemas] = {}
        self._unions: list[tuple[Mapping[str, Any], Fitting]] | None = None

    def fitting(self, value: Any) -> PlaceSchemas:
        """Return the schemas that hold for a value here: of unions, the branches that it fits.

        The type of a scalar tells as much as its schemas.
        """
        fitting_of = self._memory.fitting_of
        if not self.has_branches or fitting_of is None or type(value) not in CONTAINERS:
            return self
        if self._unions is None:
            self._unions = [(node, fitting_of(node)) for node in self._undecided()]
        if not self._unions:
            return self
        fitting = tuple([fits(value) for _, fits in self._unions])
        found = self._fitting.get(fitting)
        if found is None:
            found = self._fitting[fitting] = self._decide(fitting)
        return found.fitting(value)  # of unions in these branches

    def _branches(self, node: Mapping[str, Any]) -> Sequence[Any]:
        return self._decided.get(id(node)) or branches_of(node)

    def _undecided(self) -> list[Mapping[str, Any]]:
        """Find the unions that a value decides next, which are in no branch of another one."""
        undecided: dict[int, Mapping[str, Any]] = {}

        def decided(node: Mapping[str, Any]) -> Sequence[Any]:
            branches = self._branches(node)
            if id(node) in self._decided or len(branches) <= 1:
                return branches
            undecided[id(node)] = node
            return ()

        for schema in self.schemas:
            parts(self._memory.root, schema.place.schema, decided)
        return [*undecided.values()]

    def _decide(self, fitting: Iterable[tuple[int, ...]]) -> PlaceSchemas:
        """Return the schemas with these branches of the next unions; all, if data fit none."""
        decided = dict(self._decided)
        for (node, _), places in zip(self._unions or (), fitting, strict=True):
            branches = branches_of(node)
            decided[id(node)] = [branches[at] for at in places] or branches
        return PlaceSchemas(self._memory, [schema.place for schema in self.schemas], decided)

    def step(self, step: str | int) -> PlaceSchemas:
        """Return the schemas for the value one step further into the data."""
        if isinstance(step, int):
            step = min(step, self._longest)
        inner = self._inner.get(step)
        if inner is None:
            inner = PlaceSchemas(self._memory, _inside(self.parts, step))
            self._inner[step] = inner
        return inner


class PlaceIndex:
    """The schemas for each place in data; each place knows those one step further.

    The path begins at `schema`, which is a part of `root` or the whole of it. With
    `fitting_of`, the places of some data have the branches that the data fit.
    """

    def __init__(self, root: Any, schema: Any = None, fitting_of: FittingOf | None = None) -> None:
        self._places = [Place(root if schema is None else schema)]
        self._memory = _Memory(root, fitting_of)
        self._whole: PlaceSchemas | None = None

    def whole(self) -> PlaceSchemas:
        """Return the schemas for the whole of the data."""
        return self.at(())

    def walk(
        self, data: Any, is_wanted: Callable[[Any], bool]
    ) -> Iterator[tuple[Path, Any, PlaceSchemas]]:
        """Yield each wanted value in data, with its path and the schemas for it."""
        return _walk(data, self.whole(), is_wanted, ())

    def at(self, path: Path) -> PlaceSchemas:
        """Return the schemas for a path; combinations stay whole."""
        here, memory = self._whole, self._memory
        if here is None or memory.count > MAX_KNOWN:
            memory.count = 0
            here = self._whole = PlaceSchemas(memory, self._places)
        for step in path:
            here = here.step(step)
        return here


def _describe(place: Place, schema_parts: list[Any]) -> PlaceSchema:
    types = frozenset(name for part in schema_parts for name in named_types(part))
    constants = [member for part in schema_parts for member in constants_of(part) or ()]
    branches = [branch for part in schema_parts for branch in branches_of(part)]
    may_be_spelled = bool(constants) or not types <= {"string", "null"}
    return PlaceSchema(place, schema_parts, types, constants, branches, may_be_spelled)


def _walk(
    value: Any, place: PlaceSchemas, is_wanted: Callable[[Any], bool], path: Path
) -> Iterator[tuple[Path, Any, PlaceSchemas]]:
    if type(value) not in CONTAINERS:
        if is_wanted(value):
            yield path, value, place
        return
    place = place.fitting(value)
    if is_wanted(value):
        yield path, value, place
    for step, item in value.items() if type(value) is dict else enumerate(value):
        if type(item) in CONTAINERS or is_wanted(item):
            yield from _walk(item, place.step(step), is_wanted, (*path, step))


def replace_at(value: Any, changes: dict[Path, Any], path: Path = ()) -> Any:
    """Return data with other values in some places; a part without changes is the same object."""
    if type(value) is dict:
        members = {key: replace_at(item, changes, (*path, key)) for key, item in value.items()}
        return value if all(members[key] is value[key] for key in value) else members
    if type(value) is list:
        items = [replace_at(item, changes, (*path, index)) for index, item in enumerate(value)]
        return value if all(map(operator.is_, items, value)) else items
    return changes.get(path, value)
