"""Join two schemas into one that demands both: for `allOf`, siblings of `$ref` and of unions.

A keyword that one node cannot hold for both is left over, for the description; the result is never
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
    """Joins nodes, following references, and collects the keywords that are left over."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._depth = 0
        self.left_over: list[tuple[str, Any]] = []

    def flatten(self, node: Mapping[str, Any]) -> Node:
        """Join the parts of `allOf` into the node."""
        result: Node = {key: value for key, value in node.items() if key != "allOf"}
        for part in node.get("allOf", ()):
            result = self.join(result, part)
        return result

    def join(self, left: Node, right: Node) -> Node:
        """Join two nodes."""
        if isinstance(left, bool):
            return right if left else False
        if isinstance(right, bool):
            return left if right else False
        if self._depth > _DEEPEST:
            self.left_over.append(("allOf", right))
            return left
        self._depth += 1
        try:
            return self._merge(self._expand(left), self._expand(right))
        finally:
            self._depth -= 1

    def _expand(self, node: Node) -> Node:
        """Replace a reference by its target and `allOf` by its join."""
        if isinstance(node, bool):
            return node
        if "$ref" in node:
            siblings = {key: value for key, value in node.items() if key != "$ref"}
            target = self._resolve(node)
            return self.join(siblings, target) if siblings else self._expand(target)
        return self.flatten(node) if "allOf" in node else node

    def _merge(self, left: Node, right: Node) -> Node:
        if isinstance(left, bool) or isinstance(right, bool):
            return self.join(left, right)
        merged = dict(left)
        for key, value in right.items():
            group = next(
                (group for group in _KEYWORD_GROUPS if key in group and group[0] in left), ()
            )
            if group and any(right.get(each) != left.get(each) for each in group):
                self.left_over.append((key, value))
            elif key not in merged:
                merged[key] = value
            elif key in _MERGERS:
                merged[key] = _MERGERS[key](merged[key], value)
            elif key in _UNIONS:
                merged[key] = self._multiply_branches(key, merged[key], value)
            elif (
                key in ASSERTIONS and not json_equal(merged[key], value) and key not in _STRUCTURAL
            ):
                self.left_over.append((key, value))
        if "type" in merged and not merged["type"]:
            return False
        self._merge_properties(merged, left, right)
        self._merge_items(merged, left, right)
        return self._merge_enums(merged, left, right)

    def _multiply_branches(self, key: str, left: list[Node], right: list[Node]) -> list[Node]:
        if len(left) * len(right) > _MOST_BRANCHES:
            self.left_over.append((key, right))
            return left
        return [_join_later(mine, theirs) for mine in left for theirs in right]

    def _merge_properties(self, merged: dict[str, Any], left: Any, right: Any) -> None:
        keys = [key for key in _OBJECT_KEYWORDS if key in merged]
        if not keys:
            return
        if any("patternProperties" in node for node in (left, right)):
            self._merge_patterns(merged, left, right)
            return
        names = [*left.get("properties", {}), *right.get("properties", {})]
        if names or "properties" in merged:
            merged["properties"] = {
                name: _join_later(_property_schema(left, name), _property_schema(right, name))
                for name in names
            }
        if "additionalProperties" in left or "additionalProperties" in right:
            further = (node.get("additionalProperties", True) for node in (left, right))
            merged["additionalProperties"] = _join_later(*further)

    def _merge_patterns(self, merged: dict[str, Any], left: Any, right: Any) -> None:
        """Join equal names only: keys of one side may match patterns of the other."""
        for key in ("properties", "patternProperties"):
            if key in left and key in right:
                theirs = right[key]
                mine = {k: _join_later(v, theirs.get(k, True)) for k, v in left[key].items()}
                merged[key] = {**theirs, **mine}
        declared = _declared_keys(merged)
        for node in (left, right):
            if "additionalProperties" in node and _declared_keys(node) != declared:
                merged.pop("additionalProperties", None)
                self.left_over.append(("additionalProperties", node["additionalProperties"]))

    def _merge_items(self, merged: dict[str, Any], left: Any, right: Any) -> None:
        prefixes = [node.get("prefixItems", []) for node in (left, right)]
        if any(prefixes):
            indexes = range(max(map(len, prefixes)))
            merged["prefixItems"] = [
                _join_later(_item_schema(left, i), _item_schema(right, i)) for i in indexes
            ]
        if "items" in left and "items" in right:
            merged["items"] = _join_later(left["items"], right["items"])

    def _merge_enums(self, merged: dict[str, Any], left: Any, right: Any) -> Node:
        member_lists = [values for node in (left, right) for values in _member_lists(node)]
        if not member_lists:
            return merged
        common = [
            member
            for member in member_lists[0]
            if all(any(json_equal(member, each) for each in values) for values in member_lists[1:])
        ]
        merged.pop("const", None)
        merged.pop("enum", None)
        merged["const" if len(common) == 1 else "enum"] = common[0] if len(common) == 1 else common
        return merged if common else False


# Keywords that depend on each other.
_KEYWORD_GROUPS = (("if", "then", "else"), ("contains", "minContains", "maxContains"))
_OBJECT_KEYWORDS = ("properties", "additionalProperties", "patternProperties")
_STRUCTURAL = ("properties", "additionalProperties", "patternProperties", "items", "prefixItems")


def _join_later(left: Node, right: Node) -> Node:
    """Return both as `allOf`; the walk joins them when it gets there: references may recurse."""
    if isinstance(left, bool) or isinstance(right, bool):
        return right if left is True else left if right is True else False
    return left if json_equal(left, right) else {"allOf": [left, right]}


def _member_lists(node: Mapping[str, Any]) -> list[list[Any]]:
    const = [[node["const"]]] if "const" in node else []
    return [*const, *([node["enum"]] if "enum" in node else [])]


def _declared_keys(node: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    return set(node.get("properties", ())), set(node.get("patternProperties", ()))


def _property_schema(node: Mapping[str, Any], name: str) -> Node:
    schema: Node = node.get("properties", {}).get(name, node.get("additionalProperties", True))
    return schema


def _item_schema(node: Mapping[str, Any], index: int) -> Node:
    first = node.get("prefixItems", [])
    schema: Node = first[index] if index < len(first) else node.get("items", True)
    return schema


def _common_types(left: Any, right: Any) -> Any:
    mine, theirs = ([each] if isinstance(each, str) else each for each in (left, right))
    shared = [each for each in mine if each in theirs or (each == "integer" and "number" in theirs)]
    shared += [
        each for each in theirs if each == "integer" and "number" in mine and each not in shared
    ]
    return shared[0] if len(shared) == 1 else shared


def _join_required(left: list[str], right: list[str]) -> list[str]:
    return list(dict.fromkeys((*left, *right)))


def _keep_first(left: Any, _other: Any) -> Any:
    return left


def _join_dependent(
    left: dict[str, list[str]], right: dict[str, list[str]]
) -> dict[str, list[str]]:
    return {key: _join_required(left.get(key, []), right.get(key, [])) for key in (*left, *right)}


_MERGERS: dict[str, Callable[[Any, Any], Any]] = {
    "type": _common_types,
    "required": _join_required,
    "dependentRequired": _join_dependent,
    "uniqueItems": lambda left, right: left or right,
    "const": _keep_first,
    "enum": _keep_first,
    **dict.fromkeys(_GREATEST, max),
    **dict.fromkeys(_LEAST, min),
}
