"""Random schemas, data that nearly fit them, and JSON text of such data, valid and broken."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.plain_samples import ODD
from toolhaft.schema.format_patterns import PATTERNS
from toolhaft.schema.marks import MARK

__all__ = ["data_for", "date_like", "object_schema", "text_of"]

NAMES = ("city", "days", "a", "b", "tags", "Zürich", "", "x" * 40, 'a"b')
WORDS = ("red", "green", "blue", "grün", 'say "so"', "")
TEXTS = (
    *WORDS,
    "Paris",
    "a b",
    "tab\there",
    "line\nbreak",
    "\x7f",
    "\u2028",
    "\U0001f600",
    "long enough for a word of eight bytes",
    'long enough, and with a "quote", in it',
    "\ud800",
)
DATES = (
    "2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2026-04-30",
    "2026-01-31T09:00:00Z", "2026-01-31t23:59z", "2026-02-28 00:00:59.250+23:59",
    "2024-02-29T12:30:00.1-00:00", "2026-01-31T09:00",
)  # fmt: skip
INTEGERS: tuple[int, ...] = (
    0,
    1,
    -1,
    3,
    7,
    10,
    2**30,
    2**53 - 1,
    2**53,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**40,
)
FLOATS: tuple[float, ...] = (
    0.0, -0.0, 1.0, 0.5, 7.0, 1e15, 1e16, 2.0**53, 5e-324, 1e308, 0.1, -6.999, 7.0000000000001,
    0.00012, 1e-5, 0.12345678901234568, 1234567.8901234567, 2.2204460492503131e-16,
    4503599627370497.5, 9007199254740991.0, 6.9999999999999991,
)  # fmt: skip
BROKEN = (float("nan"), float("inf"), 10**4300, -(10**4300))
PIECES = (
    "{", "}", "[", "]", ",", ":", '"', "\\", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\x00",
    "1", "-", "+", ".", "e5", "E-3", "0", "00", "1e999", "true", "nul", " ", "\n", "\ufeff",
)  # fmt: skip
DEEPEST = 3


def object_schema(random: Random) -> dict[str, Any]:
    """Draw the schema of arguments: now and then one that refers to itself."""
    schema = _object(random, 0)
    if random.random() < 0.05:
        again = {"$ref": "#"}
        schema["properties"]["again"] = random.choice((
            again, {"type": "array", "items": again}, {"anyOf": [again, {"type": "null"}]},
            {"anyOf": [again, {"type": "number"}]},
        ))  # fmt: skip
    if random.random() < 0.02:
        schema["properties"] |= {f"key{n}": {"type": "integer"} for n in range(70)}
    if random.random() < 0.2:
        schema["$defs"] = {"d": _node(random, 2)}
        schema["properties"]["d"] = {"$ref": "#/$defs/d", "description": "shared"}
    return schema


def _object(random: Random, depth: int) -> dict[str, Any]:
    names = random.sample(NAMES, random.randint(0, 4))
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _node(random, depth + 1) for name in names},
    }
    if random.random() < 0.7:
        schema["required"] = random.sample(
            NAMES if random.random() < 0.1 else names, len(names) // 2
        )
    if random.random() < 0.7:
        schema["additionalProperties"] = False
    elif random.random() < 0.5:
        schema["additionalProperties"] = _node(random, depth + 1)
    if random.random() < 0.3:
        schema[MARK] = {"extra": random.choice(("ignore", "ignore", "ignore", "allow"))}
    if random.random() < 0.03:
        schema["maxProperties"] = 3
    return schema


def _string(random: Random) -> dict[str, Any]:
    return random.choice((
        {"type": "string"},
        {"type": "string", "maxLength": random.randint(0, 8)},
        {"type": "string", "minLength": 2, "maxLength": 5},
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": "string", "format": "date", "pattern": PATTERNS["date"]},
        {"type": "string", "pattern": PATTERNS["date-time"]},
        {"type": "string", "enum": list(WORDS)},
        {"enum": list(WORDS[:3])},
        {"const": "red", "title": "Red"},
    ))  # fmt: skip


def _number(random: Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": random.choice(("integer", "number"))}
    for word in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        if random.random() < 0.3:
            edge = random.choice((0, 1, 7, 0.5, 2**53 - 1, 2**53, 1e16))
            schema[word] = -edge if word.endswith("inimum") and random.random() < 0.7 else edge
    if random.random() < 0.05:
        schema["multipleOf"] = 3
    return schema


def _array(random: Random, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"}
    if random.random() < 0.9:
        schema["items"] = _node(random, depth + 1)
    if random.random() < 0.3:
        schema |= {"minItems": random.randint(0, 2), "maxItems": random.randint(1, 4)}
    if random.random() < 0.05:
        schema["uniqueItems"] = True
    return schema


def _node(random: Random, depth: int) -> Any:  # noqa: PLR0911 - one for each kind of node
    kind = random.random()
    if kind < 0.3 or depth > DEEPEST:
        return _string(random)
    if kind < 0.55:
        return _number(random)
    if kind < 0.7:
        return _array(random, depth)
    if kind < 0.82:
        return _object(random, depth)
    if kind < 0.86:
        return _union(random, depth)
    if kind < 0.93:
        return {
            "anyOf": [_node(random, depth + 1), random.choice(({"type": "null"}, _string(random)))]
        }
    others: tuple[Any, ...] = (True, False, {}, {"type": "boolean"}, {"type": ["integer", "null"]})
    return random.choice(others)


def _union(random: Random, depth: int) -> dict[str, Any]:
    """Draw a union of objects with a tag, or of one or two nodes."""
    word = random.choice(("anyOf", "anyOf", "oneOf"))
    if random.random() < 0.5:
        forms = [_node(random, depth + 1) for _ in "ab"]
        return {word: forms if depth % 2 else forms[:1]}
    forms = [_object(random, depth + 1) for _ in "ab"]
    required = ["a"] if random.random() < 0.9 else []
    for tag, form in zip(WORDS, forms, strict=False):
        form["properties"] = {**form["properties"], "a": {"const": tag}}
        form["required"] = [*form.get("required", ()), *required]
    return {word: forms}


def data_for(schema: Any, random: Random, root: Any = None, *, odd: float = 0.04) -> Any:
    """Draw data that nearly fit a schema; one value in 1 / `odd` is anything else."""
    root = schema if root is None else root
    if random.random() < odd or not isinstance(schema, dict):
        return _anything(random)
    if "$ref" in schema:
        target = root if schema["$ref"] == "#" else root["$defs"]["d"]
        return data_for(target, random, root, odd=odd + 0.2)
    if forms := schema.get("anyOf", schema.get("oneOf")):
        return data_for(random.choice(forms), random, root, odd=odd)
    kind: Any = schema.get("type")
    kind = random.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        return _members(schema, random, root, odd)
    if kind == "array":
        items = schema.get("items", True)
        return [data_for(items, random, root, odd=odd) for _ in range(random.randint(0, 3))]
    return _scalar(schema, kind, random)


def _scalar(schema: dict[str, Any], kind: Any, random: Random) -> Any:
    if schema.get("pattern") in FORMATS and random.random() < 0.9:
        return date_like(random)
    words = schema.get("enum", [schema["const"]] if "const" in schema else SCALARS.get(kind))
    return random.choice(words) if words else None


def date_like(random: Random) -> str:
    """Draw a date or a time, with one character changed now and then."""
    text = random.choice(DATES)
    if random.random() < 0.5:
        place = random.randrange(len(text) + 1)
        return text[:place] + random.choice("0123459-:.TZ+ ") + text[place + 1 :]
    return text[: random.randrange(len(text))] if random.random() < 0.1 else text


FORMATS = {PATTERNS["date"], PATTERNS["date-time"]}
SCALARS = {
    "string": TEXTS[:-1], "integer": INTEGERS[:7], "number": (*FLOATS, *INTEGERS[:7]),
    "boolean": (True, False),
}  # fmt: skip


def _members(schema: Any, random: Random, root: Any, odd: float) -> dict[Any, Any]:
    required = schema.get("required", ())
    data: dict[Any, Any] = {
        name: data_for(inner, random, root, odd=odd)
        for name, inner in schema["properties"].items()
        if name in required or random.random() < 0.7
    }
    if random.random() < odd:
        data[random.choice((*NAMES, "\udfff", 5, None))] = _anything(random)
    if MARK in schema and random.random() < 0.4:  # undeclared keys, most of them dropped
        undeclared = random.sample(("note", "why", *NAMES), 2)
        data = {**dict.fromkeys(undeclared, random.choice(TEXTS[:-1])), **data}
    return data if random.random() < 0.8 else dict(random.sample(list(data.items()), len(data)))


def _anything(random: Random) -> Any:
    kind = random.random()
    if kind < 0.7:
        return random.choice((*TEXTS, *INTEGERS, *FLOATS, True, False, None, [], {}, [1.5, "a"]))
    if kind < 0.8:
        return random.choice(BROKEN)
    if kind < 0.9:
        return random.choice(ODD)
    shared: list[Any] = [random.choice(FLOATS)]
    if kind < 0.93:
        shared.append(shared)
    return random.choice(([shared, shared], {"a": shared, "b": {"c": shared}}))


def text_of(data: Any, random: Random) -> str:
    """Write data as JSON text in one of several ways, and break it now and then."""
    try:
        text = json.dumps(
            data,
            ensure_ascii=random.random() < 0.3,
            indent=random.choice((None, None, 1)),
            separators=random.choice((None, (",", ":"))),
            skipkeys=True,
            default=str,
        )
    except (ValueError, TypeError, RecursionError, AssertionError):  # odd data
        text = "{}"
    while random.random() < 0.35:
        place = random.randint(0, len(text))
        end = place + random.choice((0, 0, 1, 2))
        text = text[:place] + random.choice((*PIECES, "")) + text[end:]
    if random.random() < 0.05:
        text = text.replace('"b"', '"a"').replace("days", "city")
    return text
