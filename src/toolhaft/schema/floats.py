"""A quick look at data: whether a float may stand where an integer is asked for.

Most data hold none, and walking along the schema sees it in a tenth of the time that reading all
numbers takes. The look errs only towards yes: what is to become of a float `integers` finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

from toolhaft.schema.document.places import named_types, parts

__all__ = ["HasFloat", "floats_for_integers", "is_integer_form"]

# Whether any of several values may hold one. Items of a list are several; most values are alone.
HasFloat: TypeAlias = Callable[[Collection[Any]], bool]

# A Decimal is a float of a text that no float holds.
FLOATS: Final = frozenset({float, Decimal})
# Nodes of a schema that are looked into. A recursive one has no end; there yes is always said.
MOST_NODES: Final = 2_000
MOST_DEPTH: Final = 32


class _Endless(Exception):
    """The schema has more nodes than are looked into."""


def floats_for_integers(root: Any) -> HasFloat:
    """Compile the look for a schema in 2020-12 terms.

    >>> look = floats_for_integers({"properties": {"n": {"type": "integer"}}})
    >>> look([{"n": 5, "x": 5.0}]), look([{"n": 5}, {"n": 5.0}])
    (False, True)
    """
    try:
        return _FloatSearches(root).node([root]) or _never
    except _Endless:
        return _always


class _FloatSearches:
    """The looks of one schema, as far as there is room."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.left = MOST_NODES
        self.depth = 0

    def node(self, schemas: Sequence[Any]) -> HasFloat | None:
        """The look at values to which all these schemas apply; None where no integer is asked."""
        distinct_parts = {id(part): part for schema in schemas for part in parts(self.root, schema)}
        parts_of_node = list(distinct_parts.values())
        self.left -= 1 + len(parts_of_node)
        self.depth += 1
        if self.left < 0 or self.depth > MOST_DEPTH:
            raise _Endless
        forms = [
            {name for part in parts(self.root, schema) for name in named_types(part)}
            for schema in schemas
        ]
        searches: list[HasFloat] = [_are_floats] if any(map(is_integer_form, forms)) else []
        searches += self.members(parts_of_node)
        searches += [_items(look) for look in self.search_each(parts_of_node, _items_of)]
        self.depth -= 1
        return _any(searches)

    def members(self, parts_of_node: list[Any]) -> Iterator[HasFloat]:
        declared: dict[str, list[Any]] = {}
        for part in parts_of_node:
            for name, schema in part.get("properties", {}).items():
                declared.setdefault(name, []).append(schema)
        searches = {
            name: look for name, schemas in declared.items() if (look := self.node(schemas))
        }
        if searches:
            yield _properties(searches)
        # Which patterns apply depends on the key: whatever they say may be meant.
        yield from map(_values, self.search_each(parts_of_node, _patterns_of))
        for part in parts_of_node:
            for has_float in self.search_each([part], _others_of):
                yield _values(has_float, frozenset(part.get("properties", ())))

    def search_each(
        self, parts_of_node: list[Any], children_of: Callable[[Any], Iterable[Any]]
    ) -> Iterator[HasFloat]:
        for part in parts_of_node:
            for schema in children_of(part):
                if (has_float := self.node([schema])) is not None:
                    yield has_float


def is_integer_form(types: Collection[str]) -> bool:
    """Whether a schema that names these JSON types asks for an integer where there is a number."""
    return "integer" in types and "number" not in types


def _items_of(part: Any) -> Iterator[Any]:
    yield from part.get("prefixItems", ())
    if "items" in part:
        yield part["items"]


def _patterns_of(part: Any) -> Iterator[Any]:
    yield from part.get("patternProperties", {}).values()


def _others_of(part: Any) -> Iterator[Any]:
    if "additionalProperties" in part:
        yield part["additionalProperties"]


def _properties(searches: dict[str, HasFloat]) -> HasFloat:
    integers = tuple(name for name, look in searches.items() if look is _are_floats)
    others = tuple((name, look) for name, look in searches.items() if look is not _are_floats)

    def search(values: Collection[Any]) -> bool:
        for data in values:
            if type(data) is dict:
                get = data.get
                for name in integers:
                    if type(get(name)) in FLOATS:
                        return True
                for name, look in others:
                    if name in data and look((data[name],)):
                        return True
        return False

    return search


def _values(has_float: HasFloat, declared: frozenset[str] = frozenset()) -> HasFloat:
    """Search the values of members, but for those that are declared."""
    return lambda values: any(
        has_float([value for name, value in data.items() if name not in declared])
        for data in values
        if type(data) is dict
    )


def _items(has_float: HasFloat) -> HasFloat:
    return lambda values: any(has_float(data) for data in values if type(data) is list)


def _any(searches: list[HasFloat]) -> HasFloat | None:
    if len(searches) <= 1:
        return searches[0] if searches else None
    return lambda values: any(look(values) for look in searches)


def _are_floats(values: Collection[Any]) -> bool:
    return not FLOATS.isdisjoint(map(type, values))


def _always(values: Collection[Any]) -> bool:
    del values
    return True


def _never(values: Collection[Any]) -> bool:
    del values
    return False
