"""A quick look at data: whether a whole float may be in a place that needs an integer.

Most data have none, and a walk along the schema finds that out in a tenth of the time that reading
all numbers takes. The look errs only towards yes: `integers` decides what each float becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain
from math import isfinite
from typing import Any, Final, TypeAlias
from weakref import ReferenceType

from toolhaft.schema.document.kinds import named_types
from toolhaft.schema.document.places import parts
from toolhaft.schema.document.walk import nodes_of
from toolhaft.schema.facts import Facts, facts_of
from toolhaft.schema.gate import EXACT
from toolhaft.schema.marks import marks_of

__all__ = ["HasFloat", "floats_for_integers", "floats_to_settle", "is_integer_form"]

# Whether any of several values may hold one. Items of a list are several; most values are alone.
HasFloat: TypeAlias = Callable[[Collection[Any]], bool]
# Gives the look at the values of one node, from its parts and the types that its schemas name.
LeafOf: TypeAlias = Callable[[Sequence[Any], Sequence[Collection[str]]], HasFloat | None]

# A Decimal is a float of a text that no float holds.
FLOATS: Final = frozenset({float, Decimal})
# Nodes of a schema that are examined; with more nodes, the answer is always yes.
MOST_NODES: Final = 2_000
MOST_DEPTH: Final = 32


class _Endless(Exception):
    """The schema has more nodes than are looked into."""


def floats_for_integers(root: Any, facts: Facts | None = None) -> HasFloat:
    """Compile the look for a schema in 2020-12 terms, of which the facts may be known.

    >>> look = floats_for_integers({"properties": {"n": {"type": "integer"}}})
    >>> look([{"n": 5, "x": 5.0}]), look([{"n": 5}, {"n": 5.0}]), look([{"n": 5.5}])
    (False, True, False)
    """
    types = (facts or facts_of(root)).types
    return _search(root, _integers) if any(map(is_integer_form, types)) else _never


def floats_to_settle(root: Any) -> HasFloat:
    """Like `floats_for_integers`, for a library that reads whole floats as integers.

    It may read neither a float that does not determine which integer was meant, nor the float of a
    Decimal, which is written in more ways than one.

    >>> look = floats_to_settle({"properties": {"n": {"type": "integer"}}})
    >>> look([{"n": 5.0}]), look([{"n": 1e20}])
    (False, True)
    """
    has_any = any(_unread([node], ()) for node in nodes_of(root))
    return _search(root, _unread) if has_any else _never


def _search(root: Any, leaf_of: LeafOf) -> HasFloat:
    try:
        searches = _FloatSearches(root, leaf_of)
        look = searches.node([root]) or _never
        return partial(_looked, searches.recurring, look) if searches.recurring else look
    except _Endless:
        return _always


def _integers(parts_of_node: Sequence[Any], forms: Sequence[Collection[str]]) -> HasFloat | None:
    """Search the places that need an integer."""
    del parts_of_node
    return _are_whole if any(map(is_integer_form, forms)) else None


def _unread(parts_of_node: Sequence[Any], forms: Sequence[Collection[str]]) -> HasFloat | None:
    """Search where a float would be read, and may not be."""
    del forms
    integers = [part for part in parts_of_node if is_integer_form(named_types(part))]
    if any("decimal" in marks_of(part) for part in integers):
        return _are_floats
    return None if all(map(_is_bounded, integers)) else _are_large_floats


def _is_bounded(part: Any) -> bool:
    low, high = part.get("minimum", -EXACT), part.get("maximum", EXACT)
    return bool(low > -EXACT and high < EXACT)


class _Look:
    """The look at a node that may hold itself, when it has been made."""

    look: HasFloat


class _FloatSearches:
    """The looks of one schema, as far as there is room."""

    def __init__(self, root: Any, leaf_of: LeafOf) -> None:
        self.root = root
        self.leaf_of = leaf_of
        self.left = MOST_NODES
        self.depth = 0
        # The looks of nodes that may hold themselves, and how often one did.
        self.open: dict[tuple[int, ...], _Look] = {}
        self.recurring: list[_Look] = []
        self.returns = 0

    def node(self, schemas: Sequence[Any]) -> HasFloat | None:
        """Return the look at values to which all these schemas apply, or None without integers."""
        distinct_parts = {id(part): part for schema in schemas for part in parts(self.root, schema)}
        parts_of_node = list(distinct_parts.values())
        key = tuple(distinct_parts)
        if key in self.open:
            self.returns += 1
            self.recurring.append(self.open[key])
            return partial(_again, ReferenceType(self.open[key]))
        self.left -= 1 + len(parts_of_node)
        self.depth += 1
        if self.left < 0 or self.depth > MOST_DEPTH:
            raise _Endless
        forms = [
            {name for part in parts(self.root, schema) for name in named_types(part)}
            for schema in schemas
        ]
        leaf = self.leaf_of(parts_of_node, forms)
        searches: list[HasFloat] = [] if leaf is None else [leaf]
        self.open[key] = _Look()
        searches += self.inside(parts_of_node)
        self.depth -= 1
        look = _any(searches)
        self.open.pop(key).look = look or _never
        return look

    def inside(self, parts_of_node: list[Any]) -> Iterator[HasFloat]:
        """The looks at what a value holds: one at most comes back, else levels would multiply."""
        items = map(_items, self.search_each(parts_of_node, _items_of))
        returning, before = 0, self.returns
        for look in chain(self.members(parts_of_node), items):
            returning += self.returns > before
            before = self.returns
            if returning > 1:
                raise _Endless
            yield look

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
        # The patterns that apply depend on the key, so any of them may be meant.
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
    """Return whether a schema that names these JSON types needs an integer if it gets a number."""
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
    integers = tuple(name for name, look in searches.items() if look is _are_whole)
    others = tuple((name, look) for name, look in searches.items() if look is not _are_whole)

    def search(values: Collection[Any]) -> bool:
        for data in values:
            if type(data) is dict:
                get = data.get
                for name in integers:
                    if _is_whole(get(name)):
                        return True
                for name, look in others:
                    if name in data and look((data[name],)):
                        return True
        return False

    return search


def _values(has_float: HasFloat, declared: frozenset[str] = frozenset()) -> HasFloat:
    """Search the values of members, except declared ones."""
    return lambda values: any(
        has_float([value for name, value in data.items() if name not in declared])
        for data in values
        if type(data) is dict
    )


def _items(has_float: HasFloat) -> HasFloat:
    return lambda values: any(has_float(data) for data in values if type(data) is list)


def _again(outer: ReferenceType[_Look], values: Collection[Any]) -> bool:
    """Look as a node does that was not made when it came back, and that holds this look."""
    held = outer()
    return held is None or held.look(values)


def _looked(recurring: list[_Look], look: HasFloat, values: Collection[Any]) -> bool:
    del recurring  # which the looks inside ask
    return look(values)


def _any(searches: list[HasFloat]) -> HasFloat | None:
    if len(searches) <= 1:
        return searches[0] if searches else None
    return lambda values: any(look(values) for look in searches)


def _are_floats(values: Collection[Any]) -> bool:
    return not FLOATS.isdisjoint(map(type, values))


def _are_whole(values: Collection[Any]) -> bool:
    return not FLOATS.isdisjoint(map(type, values)) and any(map(_is_whole, values))


def _is_whole(value: Any) -> bool:
    """Whether a float is an integer; a Decimal is a number of a text, which is read as a float."""
    if type(value) not in FLOATS:
        return False
    nearest = float(value)
    return nearest.is_integer() or not isfinite(nearest)


def _are_large_floats(values: Collection[Any]) -> bool:
    return any(type(value) is float and abs(value) >= EXACT for value in values)


def _always(values: Collection[Any]) -> bool:
    del values
    return True


def _never(values: Collection[Any]) -> bool:
    del values
    return False
