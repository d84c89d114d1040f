"""A quick look at data: whether a float may stand where an integer is asked for.

Most data hold none, and walking along the schema sees it in a tenth of the time that reading all
numbers takes. The look errs only towards yes: what is to become of a float `integers` finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final, TypeAlias

from toolhaft.schema.document.places import named_types, parts

__all__ = ["Look", "floats_for_integers"]

# Whether any of several values may hold one. Items of a list are several; most values are alone.
Look: TypeAlias = Callable[[Collection[Any]], bool]

# Nodes of a schema that are looked into. A recursive one has no end; there yes is always said.
MOST_NODES: Final = 2_000
MOST_DEPTH: Final = 32


class _Endless(Exception):
    """The schema has more nodes than are looked into."""


def floats_for_integers(root: Any) -> Look:
    """Compile the look for a schema in 2020-12 terms.

    >>> look = floats_for_integers({"properties": {"n": {"type": "integer"}}})
    >>> look([{"n": 5, "x": 5.0}]), look([{"n": 5}, {"n": 5.0}])
    (False, True)
    """
    try:
        return _Looks(root).node([root]) or _never
    except _Endless:
        return _always


class _Looks:
    """The looks of one schema, as far as there is room."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.left = MOST_NODES
        self.depth = 0

    def node(self, schemas: Iterable[Any]) -> Look | None:
        """The look at values to which all these schemas apply; None where no integer is asked."""
        unlike = {id(part): part for schema in schemas for part in parts(self.root, schema)}
        said = list(unlike.values())
        self.left -= 1 + len(said)
        self.depth += 1
        if self.left < 0 or self.depth > MOST_DEPTH:
            raise _Endless
        names = {name for part in said for name in named_types(part)}
        looks: list[Look] = [_are_floats] if "integer" in names and "number" not in names else []
        looks += self.members(said)
        looks += [_items(look) for look in self.each(said, _items_of)]
        self.depth -= 1
        return _any(looks)

    def members(self, said: list[Any]) -> Iterator[Look]:
        declared: dict[str, list[Any]] = {}
        for part in said:
            for name, schema in part.get("properties", {}).items():
                declared.setdefault(name, []).append(schema)
        found = {name: look for name, several in declared.items() if (look := self.node(several))}
        if found:
            yield _properties(found)
        # Which of the others apply depends on the key: whatever they say may be meant.
        yield from map(_values, self.each(said, _others_of))

    def each(self, said: list[Any], within: Callable[[Any], Iterable[Any]]) -> Iterator[Look]:
        for part in said:
            for schema in within(part):
                if (look := self.node([schema])) is not None:
                    yield look


def _items_of(part: Any) -> Iterator[Any]:
    yield from part.get("prefixItems", ())
    if "items" in part:
        yield part["items"]


def _others_of(part: Any) -> Iterator[Any]:
    yield from part.get("patternProperties", {}).values()
    if "additionalProperties" in part:
        yield part["additionalProperties"]


def _properties(found: dict[str, Look]) -> Look:
    integers = tuple(name for name, look in found.items() if look is _are_floats)
    others = tuple((name, look) for name, look in found.items() if look is not _are_floats)

    def search(values: Collection[Any]) -> bool:
        for data in values:
            if type(data) is dict:
                get = data.get
                for name in integers:
                    if type(get(name)) is float:
                        return True
                for name, look in others:
                    if name in data and look((data[name],)):
                        return True
        return False

    return search


def _values(look: Look) -> Look:
    return lambda values: any(look(data.values()) for data in values if type(data) is dict)


def _items(look: Look) -> Look:
    return lambda values: any(look(data) for data in values if type(data) is list)


def _any(looks: list[Look]) -> Look | None:
    if len(looks) <= 1:
        return looks[0] if looks else None
    return lambda values: any(look(values) for look in looks)


def _are_floats(values: Collection[Any]) -> bool:
    return float in map(type, values)


def _always(values: Collection[Any]) -> bool:
    del values
    return True


def _never(values: Collection[Any]) -> bool:
    del values
    return False
