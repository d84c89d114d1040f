"""Values of a schema: random, small, and at its bounds; the same seed yields the same values.

Values are drawn keyword by keyword; for combinations that are not foreseen here (`not`, `if`,
`contains` beside `uniqueItems`), `Values.valid` draws again until the schema accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from random import Random
from typing import Any, Final

from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import hashable
from toolhaft.schema.document.references import beside_reference, followed
from toolhaft.schema.engine import matcher
from toolhaft.schema.formats import FORMATS, format_of
from toolhaft.schema.normalise import normalise
from toolhaft.schema.patterns import Unreadable, texts_for

__all__ = ["NoValue", "Values"]

# Text that a careless reader takes for something else, and text that is not ASCII.
TEXTS: Final = (
    "", "a", "b", "1", "true", "null", "[1]", "abc", "x-1", "é", '{"a":1}', "z" * 9, "日本語", "😀",
    "e\u0301", "a\nb", "Paris", "0.5", " ",
)  # fmt: skip
WHOLE: Final = (0, 1, 2, 3, 6, 7, 10, 12, -1, -4, 2.0, -(2**31), 10**15)
# No float holds 2**53 + 1: where a library reads floats, the schema takes it and the tool does not.
INTEGERS: Final = (*WHOLE, 2**53 + 1)
NUMBERS: Final = (*WHOLE, 1.5, -0.25, 1e-7, 1e20)
NAMES: Final = ("k", "key", "another", "value", "a.b", "a/b~c", "é", "0", "")
TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
DEEPEST: Final = 5
MOST_NODES: Final = 300
TRIES: Final = 60
# How often an object without a rule for further keys has some.
UNDECLARED: Final = 0.1
# How often an optional property is given, and a key that a pattern allows.
OPTIONAL: Final = 0.55
MATCHING: Final = 0.4
# How often an integer that is drawn as a float stays one.
SPELT: Final = 0.3
LONGEST: Final = 99


class NoValue(Exception):
    """No value of a schema was found: it has none, or none that this generator can make."""


class Values:
    """A source of values for one schema, in any draft.

    `unreadable` gathers the patterns that no text could be made for.

    >>> Values({"type": "integer", "minimum": 3, "maximum": 4}, Random(0)).valid()
    3
    """

    def __init__(self, schema: Any, random: Random) -> None:
        self.root = normalise(schema)
        self.checker = Checker(self.root)
        self.random = random
        self.unreadable: set[str] = set()
        self._left = 0

    def valid(self) -> Any:
        """Return a value that the schema accepts.

        Raises:
            NoValue: None of many tries was accepted.
        """
        for _ in range(TRIES):
            value = self.draw()
            if self.checker.is_valid(value):
                return value
        raise NoValue("no value of the schema was found")

    def draw(self) -> Any:
        """Return a value of the schema, or something close to one."""
        self._left = MOST_NODES
        return self._value(self.root, 0)

    def _value(self, node: Any, depth: int) -> Any:  # noqa: PLR0911 - one for each form
        self._left -= 1
        if depth > 3 * DEEPEST or self._left < 0:
            return None
        if isinstance(node, bool):
            return self._anything(depth)
        for word in ("anyOf", "oneOf"):
            if word in node:
                rest = {key: value for key, value in node.items() if key != word}
                chosen = self._branch(node[word], depth)
                return self._value(_merge_values(rest, self._open(chosen)), depth)
        if "$ref" in node or "allOf" in node:
            return self._value(self._open(node), depth)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return self.random.choice(node["enum"])
        return self._typed(node, depth)

    def _branch(self, branches: list[Any], depth: int) -> Any:
        """Choose a branch; deep down one that ends."""
        ends = [branch for branch in branches if isinstance(branch, dict) and "$ref" not in branch]
        return self.random.choice(ends if ends and depth > DEEPEST else branches)

    def _open(self, node: Any) -> Any:
        """Return the node without references and `allOf` at its top."""
        target = followed(self.root, node)
        if target is not node:
            return self._open(_merge_values(beside_reference(node), target))
        if isinstance(node, dict) and "allOf" in node:
            whole: Any = {key: value for key, value in node.items() if key != "allOf"}
            for part in node["allOf"]:
                whole = _merge_values(whole, self._open(part))
            return whole
        return node

    def _typed(self, node: Mapping[str, Any], depth: int) -> Any:
        named = node.get("type")
        if named is None:
            named = _implied(node)
        kind = named if isinstance(named, str) else self.random.choice(named)
        match kind:
            case "object":
                return self._object(node, depth)
            case "array":
                return self._array(node, depth)
            case "string":
                return self._text(node)
            case "boolean":
                return self.random.choice((True, False))
            case "null":
                return None
            case _:
                return self._number(node, whole=kind == "integer")

    # ------------------------------------------------------------------------- scalars

    def _number(self, node: Mapping[str, Any], *, whole: bool) -> Any:
        bounds = [node[word] for word in _BOUNDS if word in node]
        near = [bound + step for bound in bounds for step in (0, 1, -1, 0.5, -0.5)]
        if len(bounds) > 1:
            near.append(self.random.uniform(min(bounds), max(bounds)))
            near.append(self.random.randint(*map(int, (min(bounds), max(bounds)))))
        near += INTEGERS if whole else NUMBERS
        step = node.get("multipleOf")
        if step is not None:
            near = [number // step * step for number in near]
        fitting = [
            number
            for number in near
            if _fits(node, number) and (not whole or number == int(number))
        ]
        chosen = self.random.choice(fitting or near)
        is_float = isinstance(chosen, float) and self.random.random() < SPELT
        return chosen if is_float or not whole else int(chosen)

    def _text(self, node: Mapping[str, Any]) -> str:
        least: int = node.get("minLength", 0)
        most: int = node.get("maxLength", LONGEST)
        fits = matcher(node["pattern"]) if "pattern" in node else _any_text
        for draw in self._sources(node):
            for _ in range(TRIES):
                text = draw(self.random)
                if least <= len(text) <= most and fits(text):
                    return text
        start: str = self.random.choice(TEXTS)
        bound = self.random.choice((least, most)) if most < LONGEST else least
        size = max(bound, min(len(start), most))
        return (start + "abcdefgh" * (size // 8 + 1))[:size]

    def _sources(self, node: Mapping[str, Any]) -> Iterator[Callable[[Random], str]]:
        if (name := format_of(node)) in FORMATS:
            yield FORMATS[name].draw
        if "pattern" in node:
            draw = _drawn(node["pattern"])
            if draw is None:
                self.unreadable.add(node["pattern"])
                texts = [text for text in _written(node) if isinstance(text, str)]
                if texts:
                    yield lambda random: random.choice(texts)
            else:
                yield draw

    # ---------------------------------------------------------------------- containers

    def _object(self, node: Mapping[str, Any], depth: int) -> dict[str, Any]:
        declared = node.get("properties", {})
        must = node.get("required", ())
        members = {}
        for name in dict.fromkeys((*declared, *must)):
            if name in must or (depth < DEEPEST and self.random.random() < OPTIONAL):
                members[name] = self._value(declared.get(name, True), depth + 1)
        return members | self._further(node, depth, node.get("minProperties", 0) - len(members))

    def _further(self, node: Mapping[str, Any], depth: int, least: int) -> dict[str, Any]:
        members = {}
        rest = node.get("additionalProperties", self.random.random() < UNDECLARED)
        if rest is not False and (depth < DEEPEST or least > 0):
            most = min(node.get("maxProperties", 2), max(2, least))
            for _ in range(self.random.randint(max(0, least), max(most, least, 0))):
                name = self._name(node.get("propertyNames"), depth)
                if isinstance(name, str) and name not in node.get("properties", {}):
                    members[name] = self._value(rest, depth + 1)
        for pattern, inner in node.get("patternProperties", {}).items():
            draw = _drawn(pattern)
            if draw is not None and (least > 0 or self.random.random() < MATCHING):
                members[draw(self.random)] = self._value(inner, depth + 1)
        return members

    def _name(self, node: Any, depth: int) -> Any:
        if isinstance(node, dict):
            return self._value({"type": "string", **self._open(node)}, depth + 1)
        return self.random.choice(NAMES)

    def _array(self, node: Mapping[str, Any], depth: int) -> list[Any]:
        first = node.get("prefixItems", [])
        least, most = node.get("minItems", 0), node.get("maxItems", 4)
        most = least if depth > DEEPEST else most
        length = self.random.randint(least, max(least, min(most, max(len(first), least + 2))))
        items = node.get("items", True)
        length = min(length, len(first)) if items is False else length
        each = (first[i] if i < len(first) else items for i in range(length))
        items_drawn = [self._value(item, depth + 1) for item in each]
        if items_drawn and "contains" in node:
            items_drawn[self.random.randrange(len(items_drawn))] = self._value(
                node["contains"], depth + 1
            )
        if node.get("uniqueItems"):
            items_drawn = list({hashable(item): item for item in items_drawn}.values())
        return items_drawn

    def _anything(self, depth: int) -> Any:
        choices: list[Any] = [None, True, 0, 1, 2.5, "", "a", "1", "null", '{"a":1}', "[1]"]
        if depth < DEEPEST:
            inner = self._anything(depth + 1)
            choices += [[], {}, [inner], {"a": inner}, {"entries": [inner]}]
            choices.append({"key": "a", "value": 1})
        return self.random.choice(choices)


_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_IMPLIED: Final = {
    "object": ("properties", "additionalProperties", "patternProperties", "required"),
    "array": ("items", "prefixItems"),
    "string": ("pattern", "minLength", "maxLength", "format"),
    "number": (*_BOUNDS, "multipleOf"),
}


def _implied(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types to draw from if none is named: mostly the type of the node's keywords."""
    kinds = tuple(kind for kind, words in _IMPLIED.items() if any(word in node for word in words))
    return (*kinds * 6, "string", "null") if kinds else TYPES


def _fits(node: Mapping[str, Any], number: float) -> bool:
    return (
        node.get("minimum", number) <= number <= node.get("maximum", number)
        and ("exclusiveMinimum" not in node or number > node["exclusiveMinimum"])
        and ("exclusiveMaximum" not in node or number < node["exclusiveMaximum"])
    )


@lru_cache(maxsize=256)
def _drawn(pattern: str) -> Callable[[Random], str] | None:
    try:
        return texts_for(pattern)
    except Unreadable:
        return None


def _any_text(_: str) -> bool:
    return True


def _written(node: Mapping[str, Any]) -> list[Any]:
    """Return the values that an author wrote beside a pattern that cannot be read."""
    return [*node.get("examples", ()), *([node["default"]] if "default" in node else ())]


def _merge_values(one: Any, other: Any) -> Any:
    """Return a rough union of two nodes: enough to draw a value from."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one if isinstance(one, dict) else other
    merged = {**other, **one}
    for key in ("properties", "patternProperties"):
        if key in one and key in other:
            merged[key] = {**other[key], **one[key]}
    if "required" in one and "required" in other:
        merged["required"] = [*one["required"], *other["required"]]
    return merged
