"""Remove values from results that a schema marks as `writeOnly`, such as a password.

All schemas that may apply to a value count, whether they accept it or not: a value that one of them
leaves out is left out. Values that cannot be judged, behind a reference that leads to nothing, are
left out as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolhaft.imports.openapi.document import Document, Refused, as_object
from toolhaft.imports.openapi.parts import parts_of
from toolhaft.schema.engine import quick_matcher
from toolhaft.schema.faults import SchemaRefused

__all__ = ["drop_write_only"]


def drop_write_only(document: Document, schemas: Iterable[Any], data: Any) -> bool:
    """Remove what is `writeOnly` from data; False where that is all of it."""
    places = _Places(document)
    root = places.at(schemas)
    stack = [(root, data)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict):
            inner = [(key, places.under_key(place, key)) for key in value]
            for key, sub in inner:
                if sub.is_kept_out:
                    del value[key]
                else:
                    stack.append((sub, value[key]))
        elif isinstance(value, list):
            below = [(places.under_item(place, at), item) for at, item in enumerate(value)]
            kept = [(sub, item) for sub, item in below if not sub.is_kept_out]
            value[:] = [item for _, item in kept]
            stack += kept
    return not root.is_kept_out


class _Place:
    """The schemas of one value, and lazily the places inside of it."""

    def __init__(self, parts: list[Mapping[str, Any]], *, is_kept_out: bool) -> None:
        self.parts = parts
        self.is_kept_out = is_kept_out
        lists = [part.get("prefixItems", part.get("items")) for part in parts]
        self.longest = max((len(each) for each in lists if isinstance(each, list)), default=0)
        self.inner: dict[str | int, _Place] = {}


class _Places:
    """The places of one result; places with the same schemas are shared."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._known: dict[frozenset[int], _Place] = {}

    def at(self, schemas: Iterable[Any]) -> _Place:
        """Return the place that these schemas describe."""
        nodes = {id(node): node for node in schemas if isinstance(node, Mapping)}
        key = frozenset(nodes)
        if key not in self._known:
            self._known[key] = self._make(nodes.values())
        return self._known[key]

    def _make(self, nodes: Iterable[Any]) -> _Place:
        try:
            parts = parts_of(self.document, nodes, in_any_case=True)
        except Refused:
            return _Place([], is_kept_out=True)
        return _Place(parts, is_kept_out=any(part.get("writeOnly") is True for part in parts))

    def under_key(self, place: _Place, key: str) -> _Place:
        if key not in place.inner:
            place.inner[key] = self.at(sub for part in place.parts for sub in _subs_at(part, key))
        return place.inner[key]

    def under_item(self, place: _Place, at: int) -> _Place:
        at = min(at, place.longest)
        if at not in place.inner:
            place.inner[at] = self.at(sub for part in place.parts for sub in _items_at(part, at))
        return place.inner[at]


def _subs_at(part: Mapping[str, Any], key: str) -> Iterator[Any]:
    """Yield the schemas of a property."""
    properties = as_object(part.get("properties"))
    patterns = as_object(part.get("patternProperties"))
    subs = [properties[key]] if key in properties else []
    subs += [sub for pattern, sub in patterns.items() if _may_match(pattern, key)]
    yield from subs or (part.get("additionalProperties"), part.get("unevaluatedProperties"))


def _may_match(pattern: Any, key: str) -> bool:
    try:
        return quick_matcher(pattern)(key)
    except (SchemaRefused, ValueError, TypeError):  # no engine can decide it
        return True


def _items_at(part: Mapping[str, Any], at: int) -> Iterator[Any]:
    """Yield the schemas of an item."""
    items = part.get("items")
    for listed in (part.get("prefixItems"), items):
        if isinstance(listed, list):
            yield from listed[at : at + 1]
    yield items
    yield from (part.get(word) for word in ("additionalItems", "contains", "unevaluatedItems"))
