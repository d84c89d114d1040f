"""Rules for schemas: which arguments a model may send, and whether a schema is consistent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.definition import names
from toolhaft.review.checks.rule import Flag, rule
from toolhaft.review.checks.subject import Node, Subject
from toolhaft.schema.backtracking import UNAMBIGUOUS, explodes
from toolhaft.schema.document.walk import MAPS
from toolhaft.schema.facts import patterns_of_node
from toolhaft.vendors.acting import FIX
from toolhaft.vendors.adapter import Adapter

__all__: list[str] = []

MOST_LEVELS = 3


@rule("TH201", "warning")
def deep(subject: Subject) -> Iterator[Flag]:
    """Arguments are nested more than three levels deep.

    Why: models lose brackets and levels; each level makes a wrong call more likely.

    Bad:
        def level(inner): return {"type": "object", "properties": {"in": inner}}
        find = tool(run, name="find", description="Find a shop.",
                    input=level(level(level(level({"type": "string"})))))

    Good:
        find = tool(run, name="find", description="Find a shop.",
                    input={"type": "object", "properties": {"city": {"type": "string"}}})
    """
    levels, deepest = max(((_level(node), node.pointer) for node in subject.nodes), default=(0, ""))
    if levels > MOST_LEVELS:
        message = f"{levels} levels, more than {MOST_LEVELS}"
        yield Flag(deepest, message, "flatten it, or make two tools of it")


_INWARD = frozenset(
    {"properties", "patternProperties", "additionalProperties", "items", "prefixItems"}
)


def _level(node: Node) -> int:
    """How many properties, items and map values lead to a node, as the schema is written."""
    levels, steps = 0, iter(node.steps)
    for step in steps:
        levels += step in _INWARD
        if step in MAPS:  # the next step is a name, which may be any word
            next(steps, None)
    return levels


@rule("TH202", "error")
def invalid_default(subject: Subject) -> Iterator[Flag]:
    """A default violates its own schema.

    Why: a model that sends what the schema shows it is refused.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"limit": {"type": "integer", "minimum": 1, "default": 0}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"limit": {"type": "integer", "minimum": 1, "default": 10}}})
    """
    for node, schema in subject.objects:
        if "default" in schema and not subject.fits(schema, schema["default"]):
            yield Flag(node.pointer, "the default violates its own schema", "change one of them")


@rule("TH203", "error")
def invalid_example(subject: Subject) -> Iterator[Flag]:
    """An example or an enum member violates its own schema.

    Why: a model copies examples; a member that no type allows can never be sent.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"kind": {"type": "string", "enum": ["shop", 7]}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"kind": {"type": "string", "enum": ["shop", "bank"]}}})
    """
    for node, schema in subject.objects:
        for keyword, word in (("examples", "example"), ("enum", "enum member")):
            values = schema.get(keyword)
            for place, value in enumerate(values if isinstance(values, list) else []):
                if not subject.fits(schema, value):
                    message = f"{word} {place} violates its own schema"
                    yield Flag(node.pointer, message, "fix or remove it")
    root = subject.nodes[0]
    for place, example in enumerate(subject.tool.examples or []):
        if not subject.fits(root.schema, example):
            message = f"example {place} of the tool violates its schema"
            yield Flag("/input", message, "fix or remove it")


@rule("TH204", "warning")
def untyped(subject: Subject) -> Iterator[Flag]:
    """A parameter or an item has no type.

    Why: a model guesses, and some clients send everything untyped as text.

    Bad:
        find = tool(run, name="find", description="Find.",
                    input={"type": "object", "properties": {"what": {"description": "Whatever"}}})

    Good:
        find = tool(run, name="find", description="Find.",
                    input={"type": "object", "properties": {"what": {"type": "string"}}})
    """
    for node in subject.nodes:
        place = node.steps[-1] if node.steps else None
        if (node.name or place == "items") and _has_no_type(node.schema):
            yield Flag(node.pointer, "has no type", "say which type it has")


_TYPED = frozenset({
    "type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "properties", "items",
    "prefixItems", "additionalProperties", "patternProperties", "not", "if",
})  # fmt: skip


# `Any`, as libraries write it: a union of every type, without further keywords.
_EVERY_TYPE = {"null", "boolean", "number", "string", "array", "object"}


def _has_no_type(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return schema is True
    branches = schema.get("anyOf")
    if isinstance(branches, list):
        bare = {str(branch["type"]) for branch in branches if _is_bare(branch)}
        return bare >= _EVERY_TYPE
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return set(kinds) >= _EVERY_TYPE
    return not _TYPED & schema.keys()


def _is_bare(schema: Any) -> bool:
    """Whether a schema says a type and nothing of it."""
    return isinstance(schema, Mapping) and set(schema) == {"type"}


@rule("TH209", "advice")
def unbounded(subject: Subject) -> Iterator[Flag]:
    """Texts or arrays have no greatest length.

    Why: a model that repeats itself fills them; a bound stops it at the boundary.

    Bad:
        find = tool(run, name="find", description="Find.",
                    input={"type": "object", "properties": {"what": {"type": "string"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"what": {"type": "string", "maxLength": 200}}})
    """
    closed = {"enum", "const", "format", "pattern"}
    open_ended = [
        node.name
        for node, schema in subject.objects
        if node.name
        and (
            (schema.get("type") == "string" and not {"maxLength", *closed} & schema.keys())
            or (schema.get("type") == "array" and not {"maxItems", "const"} & schema.keys())
        )
    ]
    if open_ended:
        listed = ", ".join(names.escape_text(name) for name in dict.fromkeys(open_ended))
        yield Flag("/input", f"no maximum length: {listed}", "set maxLength or maxItems")


_LEAST_AND_MOST = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


@rule("TH210", "error")
def impossible(subject: Subject) -> Iterator[Flag]:
    """No value can satisfy a schema.

    Why: every call is refused.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"limit": {"type": "integer", "minimum": 5, "maximum": 1}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"limit": {"type": "integer", "minimum": 1, "maximum": 5}}})
    """
    for node, schema in subject.objects:
        for least, most in _LEAST_AND_MOST:
            low, high = schema.get(least), schema.get(most)
            if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
                yield Flag(node.pointer, f"{least} is greater than {most}", "change one of them")


@rule("TH211", "error")
def exploding_pattern(subject: Subject) -> Iterator[Flag]:
    """A pattern can take exponential time.

    Why: several validators match with Python's engine, which tries every way to cut a text up.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"what": {"type": "string", "pattern": "^(a+)+$"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"what": {"type": "string", "pattern": "^([a-z]+ )*[a-z]+$"}}})
    """
    for node in subject.nodes:
        if any(map(explodes, patterns_of_node(node.schema))):
            yield Flag(node.pointer, "the pattern can take exponential time", UNAMBIGUOUS)


@rule("TH212", "warning")
def looking_types(subject: Subject) -> Iterator[Flag]:
    """Validation looks at the file system.

    Why: the error shows a caller which files exist, before the handler can reject the call.

    Bad:
        from pydantic import FilePath

        @tool
        def read(at: FilePath) -> str:
            "Read a file of the project."
            return at.read_text()

    Good:
        from pathlib import Path

        @tool
        def read(at: Path) -> str:
            "Read a file of the project."
            return at.read_text() if at.is_relative_to("project") else "no such file"
    """
    schema = subject.tool.input_schema
    for check in schema.acting_checks() if isinstance(schema, Adapter) else ():
        yield Flag("/input", f"{check.where}: {check.name} looks at the file system", FIX)
