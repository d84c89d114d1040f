"""Rules for schemas: what a model may send, and what it will get wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft import names
from toolhaft.checks.rule import Flag, rule
from toolhaft.checks.subject import Node, Subject
from toolhaft.schema.walk import MAPS

__all__: list[str] = []

MOST_LEVELS = 3
SHORT = 100
EXACT_IN_DOUBLES = 2**53 - 1  # RFC 8259, 6: beyond it, programs that read doubles round


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
    for node, schema in _objects(subject):
        if "default" in schema and not subject.fits(schema, schema["default"]):
            yield Flag(node.pointer, "the default violates its own schema", "mend one of the two")


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
    for node, schema in _objects(subject):
        for keyword, word in (("examples", "example"), ("enum", "enum member")):
            values = schema.get(keyword)
            for place, value in enumerate(values if isinstance(values, list) else []):
                if not subject.fits(schema, value):
                    message = f"{word} {place} violates its own schema"
                    yield Flag(node.pointer, message, "mend or remove it")
    root = subject.nodes[0]
    for place, example in enumerate(subject.tool.examples or []):
        if not subject.fits(root.schema, example):
            message = f"example {place} of the tool violates its schema"
            yield Flag("/input", message, "mend or remove it")


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
        if (node.name or place == "items") and _says_no_type(node.schema):
            yield Flag(node.pointer, "has no type", "say which type it has")


@rule("TH205", "warning")
def boolean_in_words(subject: Subject) -> Iterator[Flag]:
    """A yes or no is declared as text or as a number.

    Why: a boolean has two spellings in JSON, words have many.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"open": {"type": "string", "enum": ["yes", "no"]}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"open": {"type": "boolean"}}})
    """
    for node, schema in _objects(subject):
        members = schema.get("enum")
        kinds = isinstance(members, list) and {str(member).casefold() for member in members}
        told = str(schema.get("description", "")) if schema.get("type") == "string" else ""
        told = told if len(told) <= SHORT else ""  # a long one speaks of other things too
        if kinds in _YES_AND_NO or ("enum" not in schema and _TRUE_OR_FALSE.search(told)):
            yield Flag(node.pointer, "a boolean in words", 'declare "type": "boolean"')


_YES_AND_NO = ({"true", "false"}, {"yes", "no"}, {"on", "off"}, {"y", "n"})
_TRUE_OR_FALSE = re.compile(
    r"""(['"`]?)(?:true|yes)\1\s*(?:or|/|\|)\s*(['"`]?)(?:false|no)\2\b""", re.IGNORECASE
)


@rule("TH206", "advice")
def wide_id(subject: Subject) -> Iterator[Flag]:
    """An id is an integer without an upper bound.

    Why: clients that read JSON numbers as doubles round integers past 2^53; text is exact.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"user_id": {"type": "integer"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"user_id": {"type": "string"}}})
    """
    for node, schema in _objects(subject):
        if schema.get("type") == "integer" and re.search(r"(?:^|[_a-z])(?:id|Id|ID)s?$", node.name):
            top = schema.get("maximum", schema.get("exclusiveMaximum"))
            if not isinstance(top, int | float) or top > EXACT_IN_DOUBLES:
                message = "an integer id, rounded past 2^53 by clients that read doubles"
                yield Flag(node.pointer, message, "declare text, or a maximum")


# Whole names, without case and signs: what a program settles, and a model should not.
_INTERNAL = frozenset({
    "accesstoken", "apikey", "apitoken", "authtoken", "bearertoken", "clientsecret", "credentials",
    "debug", "debugmode", "loglevel", "maxretries", "numretries", "passwd", "privatekey", "retries",
    "retry", "retrycount", "retrydelay", "secret", "secretkey", "trace", "tracing",
})  # fmt: skip


@rule("TH207", "warning")
def internal_configuration(subject: Subject) -> Iterator[Flag]:
    """A parameter is the program's business: retries, debugging, traces, secrets.

    Why: a model invents a value; and what is secret must not pass through a conversation.

    Bad:
        @tool
        def find(city: str, api_key: str) -> str:
            "Find a shop."
            return city

    Good:
        @tool
        def find(city: str, api_key: Injected[str]) -> str:
            "Find a shop."
            return city
    """
    for node in subject.nodes:
        if re.sub(r"[\W_]+", "", node.name).casefold() in _INTERNAL:
            yield Flag(node.pointer, "internal configuration", "take it from the context: Injected")


_CHOICES = re.compile(
    r"""\b(?:one\ of|either|must\ be|(?:allowed|possible|valid)(?:\ values)?|options)\b
    [^.;]{0,20}? (?P<quote>['"`])[\w -]{1,30}(?P=quote) \s*(?:,|/|\||\bor\b|,\s*or\b)\s*
    (?P=quote)[\w -]{1,30}(?P=quote)""",
    re.IGNORECASE | re.VERBOSE,
)
_EXAMPLES = re.compile(r"\b(?:e\.g|such as|for example|like)\b", re.IGNORECASE)


@rule("TH208", "warning")
def choices_in_words(subject: Subject) -> Iterator[Flag]:
    """A text parameter lists its choices in its description only.

    Why: an enum is enforced, offered by strict modes, and repaired when its case is wrong.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"sort": {"type": "string", "description": "One of 'asc', 'desc'"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"sort": {"type": "string", "enum": ["asc", "desc"]}}})
    """
    closed = {"enum", "const", "pattern", "format"}
    for node, schema in _objects(subject):
        told = schema.get("description")
        if schema.get("type") == "string" and not closed & schema.keys() and isinstance(told, str):
            found = _CHOICES.search(told)
            if found and not re.search(
                r"\b(?:e\.g|such as|for example|like)\b", found[0], re.IGNORECASE
            ):
                yield Flag(node.pointer, "lists its choices in words", "declare them as an enum")


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
        for node, schema in _objects(subject)
        if node.name
        and (
            (schema.get("type") == "string" and not {"maxLength", *closed} & schema.keys())
            or (schema.get("type") == "array" and not {"maxItems", "const"} & schema.keys())
        )
    ]
    if open_ended:
        listed = ", ".join(names.shown(name) for name in dict.fromkeys(open_ended))
        yield Flag("/input", f"no greatest length: {listed}", "set maxLength or maxItems")


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
    for node, schema in _objects(subject):
        for least, most in _LEAST_AND_MOST:
            low, high = schema.get(least), schema.get(most)
            if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
                yield Flag(node.pointer, f"{least} is greater than {most}", "mend one of the two")


def _objects(subject: Subject) -> Iterator[tuple[Node, Mapping[str, Any]]]:
    """The nodes that say anything."""
    return ((node, node.schema) for node in subject.nodes if isinstance(node.schema, Mapping))


def _level(node: Node) -> int:
    """How many properties, items and map values lead to a node, as the schema is written."""
    levels, steps = 0, iter(node.steps)
    for step in steps:
        levels += step in _INWARD
        if step in MAPS:  # the next step is a name, which may be any word
            next(steps, None)
    return levels


_INWARD = frozenset(
    {"properties", "patternProperties", "additionalProperties", "items", "prefixItems"}
)
_TYPED = frozenset({
    "type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "properties", "items",
    "prefixItems", "additionalProperties", "patternProperties", "not", "if",
})  # fmt: skip


def _says_no_type(schema: Any) -> bool:
    return schema is True or (isinstance(schema, Mapping) and not _TYPED & schema.keys())
