"""Two schemas as one that demands both: for `allOf`, siblings of `$ref` and of unions.

What one node cannot say of both is left over, by keyword, for the description; nothing is made
stricter than the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from toolhaft.lowering.keywords import ASSERTIONS
from toolhaft.schema.document.kinds import json_equal

__all__ = ["Conjunction", "Node", "Resolve"]

Node: TypeAlias = Mapping[str, Any] | bool
Resolve: TypeAlias = Callable[[Mapping[str, Any]], Node]

_GREATEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_LEAST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_UNIONS = ("anyOf", "oneOf")
_DEEPEST = 40
_MOST_BRANCHES = 64


class Conjunction:
    """Joins nodes, looking through references, and remembers what was left over."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._depth = 0
        self.left_over: list[tuple[str, Any]] = []

    def flat(self, node: Mapping[str, Any]) -> Node:
        """The node without `allOf`: its parts joined into it."""
        result: Node = {key: value for key, value in node.items() if key != "allOf"}
        for part in node.get("allOf", ()):
            result = self.join(result, part)
        return result

    def join(self, one: Node, other: Node) -> Node:
        """One node for both."""
        if isinstance(one, bool):
            return other if one else False
        if isinstance(other, bool):
            return one if other else False
        if self._depth > _DEEPEST:
            self.left_over.append(("allOf", other))
            return one
        self._depth += 1
        try:
            return self._merge(self._open(one), self._open(other))
        finally:
            self._depth -= 1

    def _open(self, node: Mapping[str, Any]) -> Node:
        if "$ref" in node:
            siblings = {key: value for key, value in node.items() if key != "$ref"}
            target = self._resolve(node)
            return self.join(siblings, target) if siblings else self._opened(target)
        return self.flat(node) if "allOf" in node else node

    def _opened(self, node: Node) -> Node:
        return node if isinstance(node, bool) else self._open(node)

    def _merge(self, one: Node, other: Node) -> Node:
        if isinstance(one, bool) or isinstance(other, bool):
            return self.join(one, other)
        merged = dict(one)
        for key, value in other.items():
            unit = next((unit for unit in _UNITS if key in unit and unit[0] in one), ())
            if unit and any(other.get(each) != one.get(each) for each in unit):
                self.left_over.append((key, value))
            elif key not in merged:
                merged[key] = value
            elif key in _TOGETHER:
                merged[key] = _TOGETHER[key](merged[key], value)
            elif key in _UNIONS:
                merged[key] = self._product(key, merged[key], value)
            elif key in ASSERTIONS and not json_equal(merged[key], value) and key not in _SHAPES:
                self.left_over.append((key, value))
        if "type" in merged and not merged["type"]:
            return False
        self._objects(merged, one, other)
        self._arrays(merged, one, other)
        return self._members(merged, one, other)

    def _product(self, key: str, one: list[Node], other: list[Node]) -> list[Node]:
        if len(one) * len(other) > _MOST_BRANCHES:
            self.left_over.append((key, other))
            return one
        return [_later(left, right) for left in one for right in other]

    def _objects(self, merged: dict[str, Any], one: Any, other: Any) -> None:
        keys = [key for key in _OF_OBJECTS if key in merged]
        if not keys:
            return
        if any("patternProperties" in node for node in (one, other)):
            self._beside_patterns(merged, one, other)
            return
        names = [*one.get("properties", {}), *other.get("properties", {})]
        if names or "properties" in merged:
            merged["properties"] = {
                name: _later(_property(one, name), _property(other, name)) for name in names
            }
        if "additionalProperties" in one or "additionalProperties" in other:
            rest = (node.get("additionalProperties", True) for node in (one, other))
            merged["additionalProperties"] = _later(*rest)

    def _beside_patterns(self, merged: dict[str, Any], one: Any, other: Any) -> None:
        """Keys of one side may match patterns of the other: join what has the same name."""
        for key in ("properties", "patternProperties"):
            if key in one and key in other:
                theirs = other[key]
                mine = {k: _later(v, theirs.get(k, True)) for k, v in one[key].items()}
                merged[key] = {**theirs, **mine}
        known = _named(merged)
        for node in (one, other):
            if "additionalProperties" in node and _named(node) != known:
                merged.pop("additionalProperties", None)
                self.left_over.append(("additionalProperties", node["additionalProperties"]))

    def _arrays(self, merged: dict[str, Any], one: Any, other: Any) -> None:
        first = [node.get("prefixItems", []) for node in (one, other)]
        if any(first):
            longest = range(max(map(len, first)))
            merged["prefixItems"] = [_later(_item(one, i), _item(other, i)) for i in longest]
        if "items" in one and "items" in other:
            merged["items"] = _later(one["items"], other["items"])

    def _members(self, merged: dict[str, Any], one: Any, other: Any) -> Node:
        listed = [values for node in (one, other) for values in _listed(node)]
        if not listed:
            return merged
        kept = [
            member
            for member in listed[0]
            if all(any(json_equal(member, each) for each in values) for values in listed[1:])
        ]
        merged.pop("const", None)
        merged.pop("enum", None)
        merged["const" if len(kept) == 1 else "enum"] = kept[0] if len(kept) == 1 else kept
        return merged if kept else False


# Keywords that mean something only together.
_UNITS = (("if", "then", "else"), ("contains", "minContains", "maxContains"))
_OF_OBJECTS = ("properties", "additionalProperties", "patternProperties")
_SHAPES = ("properties", "additionalProperties", "patternProperties", "items", "prefixItems")


def _later(one: Node, other: Node) -> Node:
    """Both, to be joined when the walk gets there: references below may never end."""
    if isinstance(one, bool) or isinstance(other, bool):
        return other if one is True else one if other is True else False
    return one if json_equal(one, other) else {"allOf": [one, other]}


def _listed(node: Mapping[str, Any]) -> list[list[Any]]:
    const = [[node["const"]]] if "const" in node else []
    return [*const, *([node["enum"]] if "enum" in node else [])]


def _named(node: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    return set(node.get("properties", ())), set(node.get("patternProperties", ()))


def _property(node: Mapping[str, Any], name: str) -> Node:
    found: Node = node.get("properties", {}).get(name, node.get("additionalProperties", True))
    return found


def _item(node: Mapping[str, Any], index: int) -> Node:
    first = node.get("prefixItems", [])
    found: Node = first[index] if index < len(first) else node.get("items", True)
    return found


def _types(one: Any, other: Any) -> Any:
    mine, theirs = ([each] if isinstance(each, str) else each for each in (one, other))
    both = [each for each in mine if each in theirs or (each == "integer" and "number" in theirs)]
    both += [each for each in theirs if each == "integer" and "number" in mine and each not in both]
    return both[0] if len(both) == 1 else both


def _required(one: list[str], other: list[str]) -> list[str]:
    return list(dict.fromkeys((*one, *other)))


def _first(one: Any, _other: Any) -> Any:
    return one


def _dependent(one: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, list[str]]:
    return {key: _required(one.get(key, []), other.get(key, [])) for key in (*one, *other)}


_TOGETHER: dict[str, Callable[[Any, Any], Any]] = {
    "type": _types,
    "required": _required,
    "dependentRequired": _dependent,
    "uniqueItems": lambda one, other: one or other,
    "const": _first,
    "enum": _first,
    **dict.fromkeys(_GREATEST, max),
    **dict.fromkeys(_LEAST, min),
}
