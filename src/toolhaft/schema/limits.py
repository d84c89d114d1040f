"""How large and how strange a schema may be, and everything that is wrong with one.

A definition may come from another server, so nothing here recurses or runs without a bound: the
raw JSON is measured first, and what is read later is known to be small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from math import isfinite
from typing import Any

from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.checker import matcher
from toolhaft.schema.draft import draft_of
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.schema.normalise import normalise
from toolhaft.schema.recursion import recursion_faults
from toolhaft.schema.refs import OTHER_MEANS
from toolhaft.schema.shapes import malformed
from toolhaft.schema.walk import nodes, pointer
from toolhaft.spec import Path

__all__ = ["faults_of"]

MAX_BITS = 14_284  # 4,300 digits: CPython writes no longer integer as text, nor the engine
MAX_FAULTS = 20
# Without these the normal form has nothing to refuse and nothing recurs.
LINKS = frozenset({*OTHER_MEANS, "$ref", "dependencies", "prefixItems"})
SMALLER = "write a smaller schema of plain JSON data"
SIMPLER = "write a simpler regular expression (ECMA-262)"


def faults_of(schema: Any, limits: DefinitionLimits | None = None) -> list[SchemaFault]:
    """Everything that is wrong with a schema; without faults, `Checker` can compile it.

    Sizes come first: where one is exceeded nothing else is looked at. At most 20 faults.

    >>> for fault in faults_of({"properties": {"n": {"type": "int"}}, "required": "n"}):
    ...     print(fault)
    /required: malformed required; write a list of different property names
    /properties/n/type: malformed type; write a JSON type or a list of different ones
    """
    limits = limits or DefinitionLimits()
    found = list(_oversize(schema, limits))
    if found:
        return found
    try:
        return _faults(schema, limits)[:MAX_FAULTS]
    except SchemaRefused as refused:
        return list(refused.faults)[:MAX_FAULTS]


def _faults(schema: Any, limits: DefinitionLimits) -> list[SchemaFault]:
    draft = draft_of(schema)
    everything = list(nodes(schema))
    found: list[SchemaFault] = []
    patterns: dict[str, Path] = {}
    for steps, node in everything:
        found += malformed(steps, node, draft)
        if isinstance(node, dict):
            found += _faults_of_names(steps, node)
            found += _faults_of_description(steps, node, limits)
            patterns |= dict.fromkeys(_patterns(node), steps)
    found = found or list(islice(_faults_of_patterns(patterns, limits), MAX_FAULTS))
    if found or not any(LINKS & node.keys() for _, node in everything if isinstance(node, dict)):
        return found
    return recursion_faults(normalise(schema), limits.max_expanded, limits.max_ambiguity)


def _oversize(schema: Any, limits: DefinitionLimits) -> Iterator[SchemaFault]:
    """The first bound that the raw JSON exceeds, or the first value in it that is not JSON."""
    stack: list[tuple[Path, Any]] = [((), schema)]
    seen = text = 0
    while stack:
        steps, value = stack.pop()
        seen += 1
        reason = _reason(value, limits)
        if reason is None:
            text += _length(value)
            reason = _bound(limits.max_depth, len(steps), "levels of JSON")
            reason = reason or _bound(limits.max_nodes, seen + len(stack), "JSON values")
            reason = reason or _bound(limits.max_text, text, "characters of text")
        if reason:
            yield SchemaFault(pointer(steps), reason, SMALLER)
            return
        if type(value) is dict:
            stack.extend(((*steps, name), inner) for name, inner in value.items())
        elif type(value) is list:
            stack.extend(((*steps, place), inner) for place, inner in enumerate(value))


def _length(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(len, value))
    return len(value) if isinstance(value, str) else 0


def _reason(value: Any, limits: DefinitionLimits) -> str | None:
    """What is wrong with one value of the raw JSON by itself."""
    judge = JUDGES.get(type(value))
    return judge(value, limits) if judge else f"{type(value).__name__} is not JSON"


def _reason_object(value: dict[Any, Any], limits: DefinitionLimits) -> str | None:
    if not all(type(name) is str for name in value):
        return "a key that is not text"
    bound = _bound(limits.max_properties, len(value), "keys in one object")
    return bound or _reason_text("".join(value))


def _reason_array(value: list[Any], limits: DefinitionLimits) -> str | None:
    return _bound(limits.max_enum, len(value), "items in one list")


def _reason_text(value: str, _: DefinitionLimits | None = None) -> str | None:
    try:
        value.encode()
    except UnicodeEncodeError:
        return "text with a lone surrogate"
    return None


def _reason_integer(value: int, _: DefinitionLimits) -> str | None:
    return "a number too large" if value.bit_length() > MAX_BITS else None


def _reason_number(value: float, _: DefinitionLimits) -> str | None:
    return None if isfinite(value) else "a number that is not finite"


def _reason_constant(_: bool | None, __: DefinitionLimits) -> None:
    return None


JUDGES: dict[type[Any], Callable[[Any, DefinitionLimits], str | None]] = {
    type(None): _reason_constant,
    bool: _reason_constant,
    dict: _reason_object,
    float: _reason_number,
    int: _reason_integer,
    list: _reason_array,
    str: _reason_text,
}


def _bound(most: int, count: int, noun: str) -> str | None:
    return f"more than {most} {noun}" if count > most else None


def _faults_of_names(steps: Path, node: Mapping[str, Any]) -> Iterator[SchemaFault]:
    declared = node.get("properties")
    for name in declared if isinstance(declared, dict) else ():
        if name.startswith("__") and name.endswith("__"):
            where = pointer((*steps, "properties", name))
            yield SchemaFault(where, "property named like a Python dunder", "rename it")


def _faults_of_description(
    steps: Path, node: Mapping[str, Any], limits: DefinitionLimits
) -> Iterator[SchemaFault]:
    description = node.get("description")
    if isinstance(description, str) and len(description) > limits.max_description:
        reason = f"description longer than {limits.max_description} characters"
        yield SchemaFault(pointer((*steps, "description")), reason, "shorten it")


def _patterns(node: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(node.get("pattern"), str):
        yield node["pattern"]
    if isinstance(node.get("patternProperties"), dict):
        yield from node["patternProperties"]


def _faults_of_patterns(
    patterns: Mapping[str, Path], limits: DefinitionLimits
) -> Iterator[SchemaFault]:
    """Patterns that no engine can run; each is tried, so that there may not be too many."""
    if len(patterns) > limits.max_patterns:
        reason = f"more than {limits.max_patterns} different patterns"
        yield SchemaFault("", reason, SMALLER)
        return
    for pattern, steps in patterns.items():
        if len(pattern) > limits.max_pattern or not _runs(pattern):
            yield SchemaFault(pointer(steps), "pattern that no engine can run", SIMPLER)


def _runs(pattern: str) -> bool:
    try:
        matcher(pattern)
    except SchemaRefused:
        return False
    return True
