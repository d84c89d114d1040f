"""Random values that a schema is likely to accept; a validator keeps those that it does."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from toolhaft.schema.refs import resolve

__all__ = ["Values"]

TEXTS = ("", "a", "b", "1", "true", "null", "[1]", "abc", "x-1", "é", '{"a":1}', "z" * 9)
NUMBERS = (0, 1, 2, 3, 6, 7, 10, -1, -4, 12, 1.5, 2.0, 9007199254740993)
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
DEEPEST = 7
MOST = 300  # nodes of one value


class Values:
    """A source of values for one schema, in 2020-12 terms."""

    def __init__(self, root: Any, random: Random) -> None:
        self.root = root
        self.random = random
        self.left = 0

    def draw(self) -> Any:
        """A value of the schema, or something close to one."""
        self.left = MOST
        return self.value(self.root, 0)

    def value(self, node: Any, depth: int) -> Any:  # noqa: PLR0911 - one for each form
        self.left -= 1
        if depth > 3 * DEEPEST or self.left < 0:
            return None
        if isinstance(node, bool):
            return self.anything(depth)
        for word in ("anyOf", "oneOf"):
            if word in node:
                chosen = self.random.choice(node[word])
                rest = {key: value for key, value in node.items() if key != word}
                return self.value(both(rest, self.open(chosen)), depth)
        if "$ref" in node or "allOf" in node:
            return self.value(self.open(node), depth)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return self.random.choice(node["enum"])
        return self.typed(node, depth)

    def open(self, node: Any) -> Any:
        """The node without references and `allOf` at its top."""
        if isinstance(node, dict) and "$ref" in node:
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return self.open(both(rest, resolve(self.root, node["$ref"])))
        if isinstance(node, dict) and "allOf" in node:
            whole: Any = {key: value for key, value in node.items() if key != "allOf"}
            for part in node["allOf"]:
                whole = both(whole, self.open(part))
            return whole
        return node

    def typed(self, node: Mapping[str, Any], depth: int) -> Any:
        named = node.get("type")
        if named is None and ("properties" in node or "additionalProperties" in node):
            named = ("object",) * 6 + ("string", "null")
        elif named is None:
            named = TYPES
        kind = named if isinstance(named, str) else self.random.choice(named)
        match kind:
            case "object":
                return self.object(node, depth)
            case "array":
                return self.array(node, depth)
            case "string":
                return self.string(node)
            case "boolean":
                return self.random.random() < 0.5
            case "null":
                return None
            case _:
                return self.number(node, kind)

    def number(self, node: Mapping[str, Any], kind: str) -> Any:
        low = node.get("minimum", node.get("exclusiveMinimum"))
        choices = [each for each in NUMBERS if kind == "number" or each == int(each)]
        if low is not None:
            choices += [low, low + 1, low + 2]
        return self.random.choice(choices)

    def string(self, node: Mapping[str, Any]) -> str:
        text = self.random.choice(TEXTS)
        least, most = node.get("minLength", 0), node.get("maxLength", 99)
        return (text + "abcdefgh")[: max(least, min(len(text), most))]

    def object(self, node: Mapping[str, Any], depth: int) -> dict[str, Any]:
        declared = node.get("properties", {})
        must = node.get("required", ())
        found = {}
        for name in (*declared, *must):
            if name in must or (depth < DEEPEST and self.random.random() < 0.55):
                found[name] = self.value(declared.get(name, True), depth + 1)
        return found | self.further(node, depth)

    def further(self, node: Mapping[str, Any], depth: int) -> dict[str, Any]:
        found = {}
        rest = node.get("additionalProperties")
        names = ("k", "key", "another", "additional_properties", "value")
        if rest is not None and rest is not False and depth < DEEPEST:
            for name in self.random.sample(names, self.random.randint(0, 2)):
                if name not in node.get("properties", {}):
                    found[name] = self.value(rest, depth + 1)
        for pattern in node.get("patternProperties", {}):
            if self.random.random() < 0.4:
                name = pattern.strip("^$") + "1"
                found[name] = self.value(node["patternProperties"][pattern], depth + 1)
        return found

    def array(self, node: Mapping[str, Any], depth: int) -> list[Any]:
        first = node.get("prefixItems", [])
        least, most = node.get("minItems", 0), node.get("maxItems", 4)
        most = 0 if depth > DEEPEST else most
        length = self.random.randint(least, max(least, min(most, max(len(first), 2))))
        items = node.get("items", True)
        return [self.value(first[i] if i < len(first) else items, depth + 1) for i in range(length)]

    def anything(self, depth: int) -> Any:
        choices: list[Any] = [None, True, 0, 1, 2.5, "", "a", "1", "null", '{"a":1}', "[1]"]
        if depth < DEEPEST:
            inner = self.anything(depth + 1)
            choices += [
                [],
                {},
                [inner],
                {"a": inner},
                {"entries": [inner]},
                {"key": "a", "value": 1},
            ]
        return self.random.choice(choices)


def both(one: Any, other: Any) -> Any:
    """A rough union of two nodes: enough to draw a value from."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one if isinstance(one, dict) else other
    merged = {**other, **one}
    for key in ("properties", "patternProperties"):
        if key in one and key in other:
            merged[key] = {**other[key], **one[key]}
    if "required" in one and "required" in other:
        merged["required"] = [*one["required"], *other["required"]]
    return merged
