"""Random schemas, by the keyword frequencies of real ones; rare keywords are made less rare."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["schema"]

FREQUENCIES = json.loads((Path(__file__).parent / "frequencies.json").read_text("utf-8"))
LEAST = 0.02  # so that a keyword of one schema in a thousand is met in a run
NAMES = ("id", "name", "q", "key", "value", "filter[id]", "a b", "tags", "entries", "item_0", "x-y")
TEXTS = ("", "a", "b", "1", "true", "null", "Paris", "[1]", '{"a":1}', "é", "a/b~c")
PATTERNS = ("^[a-z]+$", "^x-", "[0-9]", "^(?!z)")
FORMATS = ("date-time", "email", "uuid", "uri", "color")


def schema(random: Random, least: float = LEAST) -> dict[str, Any]:
    """One schema of a tool: mostly an object, now and then a union, a list or a scalar.

    `least` is how often an allowed keyword occurs, however rare it is in real schemas.
    """
    maker = Maker(random, least)
    if random.random() < 0.93:
        root = maker.object(0, root=True)
    else:
        root = maker.node(0)
        root = root if isinstance(root, dict) else {"type": "object"}
    if maker.definitions:
        root = {**root, "$defs": maker.definitions}
    return root


class Maker:
    """One schema in the making, with its definitions."""

    def __init__(self, random: Random, least: float) -> None:
        self.random = random
        self.least = least
        self.definitions: dict[str, Any] = {}

    def often(self, kind: str, keyword: str) -> bool:
        share = FREQUENCIES.get(kind, {}).get(keyword, 0)
        return self.random.random() < max(float(share), self.least)

    def node(self, depth: int) -> Any:
        """Any node."""
        kinds = ("string", "object", "array", "integer", "number", "boolean", "several")
        weights = (30, 14 if depth < 3 else 2, 8 if depth < 3 else 2, 8, 6, 6, 6)
        more = ("untyped", "reference", "anyOf", "oneOf", "enum", "null", "anything", "allOf")
        heavy = (1, 5, 7, 4, 6, 1, 2, 50 * self.least) if depth < 3 else (0, 3, 0, 0, 6, 1, 2, 0)
        chosen = self.random.choices((*kinds, *more), (*weights, *heavy))[0]
        made = getattr(self, chosen)(depth)
        return self.annotated(made, chosen) if isinstance(made, dict) else made

    def annotated(self, node: dict[str, Any], kind: str) -> dict[str, Any]:
        if self.often(kind, "description"):
            node["description"] = "About it."
        if self.often(kind, "title"):
            node["title"] = "Title"
        if self.often(kind, "default"):
            node["default"] = self.random.choice((None, 1, "a", [], {}, True))
        return node

    def string(self, _: int) -> dict[str, Any]:
        node: dict[str, Any] = {"type": "string"}
        if self.often("string", "enum"):
            return {**node, "enum": self.some(TEXTS, 1, 4)}
        for keyword, values in (
            ("minLength", (0, 1, 3)),
            ("maxLength", (1, 5, 30)),
            ("format", FORMATS),
            ("pattern", PATTERNS),
        ):
            if self.often("string", keyword):
                node[keyword] = self.random.choice(values)
        return node

    def integer(self, _: int, kind: str = "integer") -> dict[str, Any]:
        node: dict[str, Any] = {"type": kind}
        for keyword, values in (
            ("minimum", (0, 1, -5)),
            ("maximum", (10, 100, 7)),
            ("exclusiveMinimum", (0, -1)),
            ("exclusiveMaximum", (50, 11)),
            ("multipleOf", (1, 2)),
        ):
            if self.often(kind, keyword):
                node[keyword] = self.random.choice(values)
        return node

    def number(self, depth: int) -> dict[str, Any]:
        return self.integer(depth, "number")

    def boolean(self, _: int) -> dict[str, Any]:
        return {"type": "boolean"}

    def null(self, _: int) -> dict[str, Any]:
        return {"type": "null"}

    def anything(self, _: int) -> Any:
        return self.random.choice(({}, True, {}))

    def several(self, depth: int) -> dict[str, Any]:
        names = self.some(("string", "integer", "null", "boolean", "number"), 2, 3)
        if depth < 3 and self.random.random() < 0.2:
            names.append(self.random.choice(("object", "array")))
        return {"type": names}

    def enum(self, _: int) -> dict[str, Any]:
        members = [*TEXTS, 1, 2, 2.5, True, False, None, 0, [1], {"a": 1}]
        if self.random.random() < 0.4:
            return {"const": self.random.choice(members)}
        chosen = [members[i] for i in self.some(range(len(members)), 1, 4)]
        return {"enum": chosen}

    def object(self, depth: int, root: bool = False) -> dict[str, Any]:
        node: dict[str, Any] = {"type": "object"}
        if root or self.often("object", "properties"):
            names = self.some(NAMES, 0 if depth else 1, 4 if depth else 5)
            node["properties"] = {name: self.node(depth + 1) for name in names}
            if names and self.often("object", "required"):
                node["required"] = self.some(names, 1, len(names))
        if self.often("object", "additionalProperties"):
            choices: tuple[Any, ...] = (False, False, True, self.node(depth + 1))
            node["additionalProperties"] = self.random.choice(choices)
        elif "properties" not in node:
            node["additionalProperties"] = self.node(depth + 1)
        if self.often("object", "patternProperties"):
            node["patternProperties"] = {"^x-": self.node(depth + 1)}
        return self.more_of_object(node, depth)

    def more_of_object(self, node: dict[str, Any], depth: int) -> dict[str, Any]:
        names = list(node.get("properties", {}))
        limits = {"minProperties": 1, "maxProperties": 6, "propertyNames": {"maxLength": 12}}
        node |= {word: limit for word, limit in limits.items() if self.often("object", word)}
        if len(names) > 1 and self.often("object", "dependentRequired"):
            node["dependentRequired"] = {names[0]: [names[1]]}
        if names and self.often("object", "anyOf"):
            word = self.random.choice(("anyOf", "oneOf"))
            node[word] = [{"required": [name]} for name in names[:3]]
        if names and self.often("object", "allOf"):
            node["allOf"] = [{"properties": {names[0]: self.node(depth + 1)}}]
        if names and self.often("untyped", "if"):
            node["if"] = {"required": [names[0]]}
            node["then"] = {"required": [names[-1]]}
        if names and self.often("untyped", "not"):
            node["not"] = {"required": names[:2]}
        return node

    def array(self, depth: int) -> dict[str, Any]:
        node: dict[str, Any] = {"type": "array"}
        if self.random.random() < 0.12:
            first = [self.node(depth + 1) for _ in range(self.random.randint(1, 3))]
            if self.random.random() < 0.4:
                first = [first[0]] * len(first)
            node["prefixItems"] = first
            if self.random.random() < 0.7:
                node |= {"minItems": len(first), "maxItems": len(first)}
            elif self.random.random() < 0.5:
                node["items"] = self.random.choice((False, self.node(depth + 1)))
            return node
        if self.often("array", "items"):
            node["items"] = self.node(depth + 1)
        for keyword, values in (("minItems", (0, 1, 2)), ("maxItems", (3, 5))):
            if self.often("array", keyword):
                node[keyword] = self.random.choice(values)
        if self.often("array", "uniqueItems"):
            node["uniqueItems"] = True
        if self.often("array", "contains"):
            node["contains"] = {"type": "string"}
        return node

    def untyped(self, depth: int) -> dict[str, Any]:
        whole = self.object(depth) if self.random.random() < 0.7 else self.string(depth)
        return {key: value for key, value in whole.items() if key != "type"}

    def reference(self, depth: int) -> dict[str, Any]:
        known = list(self.definitions)
        if known and self.random.random() < 0.6:
            return {"$ref": f"#/$defs/{self.random.choice(known)}"}
        name = f"D{len(known)}"
        self.definitions[name] = {"type": "object"}
        made = self.object(depth + 1) if self.random.random() < 0.8 else self.string(depth)
        if self.random.random() < 0.25 and made["type"] == "object":
            itself: dict[str, Any] = {"$ref": f"#/$defs/{name}"}
            recur = self.random.choice(
                ({"type": "array", "items": itself}, {"anyOf": [itself, {"type": "null"}]}, itself)
            )
            made.setdefault("properties", {})["next"] = recur
        self.definitions[name] = made
        return {"$ref": f"#/$defs/{name}"}

    def anyOf(self, depth: int, word: str = "anyOf") -> dict[str, Any]:  # noqa: N802 - keyword
        if self.random.random() < 0.4:
            return {word: [self.node(depth + 1), {"type": "null"}]}
        if self.random.random() < 0.4:
            kinds = self.some(TEXTS[1:6], 2, 3)
            return {word: [self.variant(kind, depth + 1) for kind in kinds]}
        return {word: [self.node(depth + 1) for _ in range(self.random.randint(2, 3))]}

    def oneOf(self, depth: int) -> dict[str, Any]:  # noqa: N802 - named as the keyword
        return self.anyOf(depth, "oneOf")

    def allOf(self, depth: int) -> dict[str, Any]:  # noqa: N802 - named as the keyword
        return {"allOf": [self.object(depth + 1), self.object(depth + 1)]}

    def variant(self, kind: str, depth: int) -> dict[str, Any]:
        node = self.object(depth, root=True)
        node["properties"] = {"kind": {"const": kind}, **node["properties"]}
        node["required"] = ["kind", *node.get("required", [])]
        return node

    def some(self, choices: Any, least: int, most: int) -> list[Any]:
        return self.random.sample(
            list(choices), min(self.random.randint(least, most), len(choices))
        )
