"""How large and how strange a schema may be, and everything that is wrong with one.

A definition may come from another server, so nothing here recurses or runs without a bound: the
raw JSON is measured first, and what is read later is known to be small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple

from toolhaft.definition.names import hidden_character
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.document.references import OTHER_MEANS
from toolhaft.schema.document.walk import pointer, walk_schemas
from toolhaft.schema.draft import draft_of, foreign_dialect
from toolhaft.schema.engine import matcher
from toolhaft.schema.facts import patterns_of_node
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.schema.invisible import invisible_faults
from toolhaft.schema.metaschema import malformed
from toolhaft.schema.normalise import normalise
from toolhaft.schema.recursion import recursion_faults
from toolhaft.spec import Path

__all__ = ["LINKS", "Size", "faults_of", "faults_of_node", "faults_of_patterns", "measure"]

MAX_BITS = 14_284  # 4,300 digits: CPython writes no longer integer as text, nor the engine
MAX_FAULTS = 20
# Where names and texts stand.
SHOWN = frozenset({"description", "properties"})
# Without these the normal form has nothing to refuse and nothing recurs.
LINKS = frozenset({*OTHER_MEANS, "$anchor", "$ref", "dependencies", "prefixItems"})
TEXT = frozenset({str})
SMALLER = "write a smaller schema of plain JSON data"
DIALECTS = "drop it, or write the schema in draft 4, 6, 7, 2019-09 or 2020-12"
SIMPLER = "write a simpler regular expression (ECMA-262)"


def faults_of(schema: Any, limits: DefinitionLimits | None = None) -> list[SchemaFault]:
    """Everything that is wrong with a schema; without faults, `Checker` can compile it.

    Sizes come first: where one is exceeded nothing else is looked at. At most 20 faults.

    >>> for fault in faults_of({"required": "n", "properties": {"n": {"type": "int"}}}):
    ...     print(fault)
    /required: malformed required; write a list of different property names
    /properties/n/type: malformed type; write a JSON type or a list of different ones
    """
    limits = limits or DefinitionLimits()
    size = measure(schema, limits)
    if size.fault is not None:
        return [size.fault]
    try:
        invisible = [] if size.is_visible else invisible_faults(schema)
        return (invisible or _faults(schema, limits))[:MAX_FAULTS]
    except SchemaRefused as refused:
        return list(refused.faults)[:MAX_FAULTS]


def _faults(schema: Any, limits: DefinitionLimits) -> list[SchemaFault]:
    draft, nodes = draft_of(schema), list(walk_schemas(schema))
    faults = [
        fault for steps, node in nodes for fault in faults_of_node(steps, node, draft, limits)
    ]
    if faults:
        return faults
    patterns = {pattern: steps for steps, node in nodes for pattern in patterns_of_node(node)}
    faults = list(islice(faults_of_patterns(patterns, limits), MAX_FAULTS))
    links = any(isinstance(node, dict) and not LINKS.isdisjoint(node) for _, node in nodes)
    if faults or not links:
        return faults
    return recursion_faults(normalise(schema), limits.max_expanded, limits.max_ambiguity)


def faults_of_node(
    steps: Path, node: Any, draft: int | None, limits: DefinitionLimits
) -> list[SchemaFault]:
    """Return the faults of one node by itself."""
    faults = malformed(steps, node, draft)
    if foreign := foreign_dialect(node):
        keyword, reason = foreign
        faults.append(SchemaFault(pointer((*steps, keyword)), reason, DIALECTS))
    if isinstance(node, dict) and not SHOWN.isdisjoint(node):
        faults += _faults_of_words(steps, node, limits)
    return faults


class Size(NamedTuple):
    """The number of JSON values, and of characters of text, if there is no fault.

    `is_visible` is whether one look shows that no key or string holds what a person cannot see.
    """

    values: int
    text: int
    fault: SchemaFault | None
    is_visible: bool = False


def measure(schema: Any, limits: DefinitionLimits) -> Size:
    """Measure raw JSON up to the first bound that it exceeds, or the first value that is not JSON.

    >>> measure({"type": "object"}, DefinitionLimits())
    Size(values=2, text=10, fault=None, is_visible=True)
    """
    values, texts = [schema], list[str]()
    depth, text, end = 0, 0, 1
    for index, value in enumerate(values):  # which grows meanwhile, level by level
        if index == end:
            depth, end = depth + 1, len(values)
            reason = _bound(limits.max_depth, depth, "levels of JSON")
            if reason is not None:
                return Size(index, text, SchemaFault(_pointer_to(schema, index), reason, SMALLER))
        kind = type(value)
        if kind is str:
            text += len(value)
            texts.append(value)
            if value.isascii():  # half of all values
                continue
        judge = JUDGES.get(kind)
        reason = judge(value, limits) if judge else f"{kind.__name__} is not JSON"
        if reason is not None:
            return Size(index, text, SchemaFault(_pointer_to(schema, index), reason, SMALLER))
        if kind is dict:
            values += value.values()
            texts += value
            text += sum(map(len, value))
        elif kind is list:
            values += value
        if len(values) > limits.max_nodes:
            break
    reason = _bound(limits.max_nodes, len(values), "JSON values")
    reason = reason or _bound(limits.max_text, text, "characters of text")
    fault = SchemaFault("", reason, SMALLER) if reason else None
    is_visible = fault is None and hidden_character(" ".join(texts)) is None
    return Size(len(values), text, fault, is_visible)


def _pointer_to(schema: Any, index: int) -> str:
    """Where a value lies, counted as above."""
    nodes: list[tuple[Path, Any]] = [((), schema)]
    for steps, value in nodes:
        if len(nodes) > index:
            break
        if isinstance(value, dict | list):
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            nodes += [((*steps, step), part) for step, part in parts]
    return pointer(nodes[index][0])


def _reason_object(value: dict[Any, Any], limits: DefinitionLimits) -> str | None:
    """Return the fault of one value of the raw JSON by itself, or None."""
    if not TEXT.issuperset(map(type, value)):
        return "a key that is not text"
    bound = _bound(limits.max_properties, len(value), "keys in one object")
    return bound or _reason_text("".join(value))


def _reason_array(value: list[Any], limits: DefinitionLimits) -> str | None:
    return _bound(limits.max_enum, len(value), "items in one list")


def _reason_text(value: str, _: DefinitionLimits | None = None) -> str | None:
    if value.isascii():
        return None
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


def _faults_of_words(
    steps: Path, node: Mapping[str, Any], limits: DefinitionLimits
) -> list[SchemaFault]:
    """Find texts that no model should see: names like Python's own, and endless descriptions."""
    faults: list[SchemaFault] = []
    declared = node.get("properties")
    for name in declared if isinstance(declared, dict) else ():
        if name.startswith("__") and name.endswith("__"):
            where = pointer((*steps, "properties", name))
            faults.append(SchemaFault(where, "property named like a Python dunder", "rename it"))
    description = node.get("description", "")
    if isinstance(description, str) and len(description) > limits.max_description:
        reason = f"description longer than {limits.max_description} characters"
        faults.append(SchemaFault(pointer((*steps, "description")), reason, "shorten it"))
    return faults


def faults_of_patterns(
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
