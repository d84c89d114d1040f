"""The linter of a target, read from the same rules as the lowering."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolhaft.lowering.dialects import dialect
from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.keywords import ANNOTATIONS, pointer
from toolhaft.lowering.lenses.lens import kind_of
from toolhaft.lowering.limits import find_exceeded_limits, find_refused_recursion
from toolhaft.lowering.loss import Problem
from toolhaft.lowering.nodes.references import PLACES
from toolhaft.schema.document.kinds import names_of
from toolhaft.schema.document.walk import child_nodes

__all__ = ["find_problems", "lint"]

_BESIDE_REFERENCE = {"$ref", "$defs", "definitions", "components", "$schema", "$id"}
_TYPED_OTHERWISE = {"anyOf", "oneOf", "allOf", "$ref"}
_MAY_BE_BOOLEAN = ("additionalProperties", "unevaluatedProperties", "unevaluatedItems")

Violations = Iterator[tuple[str, str]]


def lint(
    schema: Mapping[str, Any] | bool, target: str, strict: bool | str = False
) -> list[Problem]:
    """List the parts of a schema that a target would reject or misread.

    >>> [problem.rule for problem in lint({"type": "array"}, "anthropic")]
    ['anthropic.root object']
    """
    return find_problems(schema, dialect(target, bool(strict)))


def find_problems(schema: Any, rules: Dialect) -> list[Problem]:
    """Like `lint`, with the rules of a dialect instead of a target's name."""
    if not isinstance(schema, Mapping):
        return [_problem(rules, "", "root object", "the schema is not an object of keywords")]
    schema = dict(schema)
    problems = [_problem(rules, "", *each) for each in _check_root(schema, rules)]
    waiting: list[tuple[str, Any]] = [("", schema)]
    while waiting:
        at, node = waiting.pop()
        problems.extend(_problem(rules, at, *each) for each in _check_node(node, rules, at))
        inner = [(pointer(at, *steps), sub) for steps, sub in child_nodes(node)]
        waiting.extend(reversed([*inner, *_component_schemas(node, at)]))
    problems.extend(
        _problem(rules, at, *each) for at, *each in find_refused_recursion(schema, rules)
    )
    fix = "write a smaller schema, or do without strict"
    for name, reason in find_exceeded_limits(schema, rules):
        problems.append(Problem("", f"{rules.target}.{name}", reason, fix))
    return problems


def _component_schemas(node: Any, at: str) -> list[tuple[str, Any]]:
    if at or not isinstance(node, dict) or "components" not in node:
        return []
    schemas = node["components"].get("schemas", {})
    return [(pointer("", "components", "schemas", name), sub) for name, sub in schemas.items()]


def _problem(rules: Dialect, at: str, keyword: str, reason: str) -> Problem:
    fix = "lower the schema for this target, or write it in other words"
    return Problem(at, f"{rules.target}.{keyword}", reason, fix)


def _check_root(root: Mapping[str, Any], rules: Dialect) -> Violations:
    if rules.trait("root object") and root.get("type") != "object":
        yield "root object", "the root must have type object"
    yield from _check_required_parameter(root, rules)
    for word in rules.trait("refused at the root"):
        if word in root:
            yield word, f"no {word} at the root"


def _check_required_parameter(root: Mapping[str, Any], rules: Dialect) -> Violations:
    if rules.trait("required parameter") and not root.get("required"):
        yield "required parameter", "a tool needs at least one required parameter"


def _check_node(node: Any, rules: Dialect, at: str) -> Violations:
    if isinstance(node, bool):
        if not rules.trait("boolean schemas") and not at.endswith(_MAY_BE_BOOLEAN):
            yield "boolean schemas", "true and false are not taken as schemas"
        return
    for keyword, value in node.items():
        if not rules.takes(keyword, value):
            yield keyword, f"{keyword} is not taken"
    for check in _CHECKS:
        yield from check(node, rules, at)


def _check_reference(node: Mapping[str, Any], rules: Dialect, at: str) -> Violations:
    if "$ref" not in node:
        return
    place = PLACES[rules.trait("definitions place")]
    local = str(node["$ref"]).startswith(place) or node["$ref"] == "#"
    if not local and not rules.trait("other keywords"):
        yield "$ref", f"a reference must begin with {place}"
    elif not str(node["$ref"]).startswith("#"):
        yield "$ref", "a reference must stay inside of the schema"
    beside = node.keys() - (_BESIDE_REFERENCE if not at else {"$ref"})
    if beside and rules.trait("reference siblings") is not True:
        yield "reference siblings", "nothing may stand beside $ref"


def _check_union(node: Mapping[str, Any], rules: Dialect, _: str) -> Violations:
    for word in ("anyOf", "oneOf"):
        beside = node.keys() - {word, "nullable", *ANNOTATIONS}
        if word in node and beside and not rules.trait("union siblings"):
            yield "union siblings", f"nothing may stand beside {word}"


def _check_type(node: Mapping[str, Any], rules: Dialect, _: str) -> Violations:
    names = names_of(node)
    if not names and rules.trait("typed nodes") and not _TYPED_OTHERWISE & node.keys():
        yield "typed nodes", "every node needs a type"
    if isinstance(node.get("type"), list) and not rules.trait("type list"):
        yield "type list", "a list of types is not taken"
    if "null" in names and not rules.trait("type null"):
        yield "type null", "null is no type here"
    if node.get("nullable") is True and not names and "anyOf" not in node:
        yield "nullable", "nullable means something beside a type alone"


def _check_object(node: Mapping[str, Any], rules: Dialect, _: str) -> Violations:
    if "object" in names_of(node) and not {"enum", "const"} & node.keys():
        if rules.trait("closed objects") and "additionalProperties" not in node:
            yield "closed objects", "an object must say additionalProperties"
        if rules.trait("all required"):
            if set(node.get("required", ())) != set(node.get("properties", {})):
                yield "all required", "every property must be listed as required"
            if "properties" not in node:
                yield "properties", "an object must list its properties"


def _check_required(node: Mapping[str, Any], rules: Dialect, _: str) -> Violations:
    declared = node.get("properties", {})
    if rules.trait("declared required") and not set(node.get("required", ())) <= set(declared):
        yield "declared required", "a required property must be declared"


def _check_keys(node: Mapping[str, Any], rules: Dialect, at: str) -> Violations:
    patterns = [rules.trait("property key")] + ([] if at else [rules.trait("root property key")])
    for name in node.get("properties", {}):
        if any(pattern and not re.search(pattern, name) for pattern in patterns):
            yield "property key", f"a key must match {' and '.join(filter(None, patterns))}"


def _check_array(node: Mapping[str, Any], rules: Dialect, _: str) -> Violations:
    silent = "array" in names_of(node) and not {"items", "enum", "const"} & node.keys()
    if silent and rules.trait("array items"):
        yield "array items", "an array must say what its items are"
    if isinstance(node.get("items"), list) and rules.trait("tuple form") != "items":
        yield "items", "a list under items is not taken"


def _check_members(node: Mapping[str, Any], rules: Dialect, _: str) -> Violations:
    allowed = rules.trait("enum members")
    members = [*node.get("enum", ()), *([node["const"]] if "const" in node else [])]
    if any(kind_of(member) not in allowed for member in members):
        yield "enum members", f"only {', '.join(allowed)} may be listed"


def _check_limits(node: Mapping[str, Any], rules: Dialect, _: str) -> Violations:
    flags = rules.trait("exclusive limits") == "boolean"
    for word in ("exclusiveMinimum", "exclusiveMaximum"):
        if word in node and isinstance(node[word], bool) is not flags:
            yield word, f"{word} is a {rules.trait('exclusive limits')} here"


_CHECKS: tuple[Callable[[Mapping[str, Any], Dialect, str], Violations], ...] = (
    _check_reference,
    _check_union,
    _check_type,
    _check_object,
    _check_required,
    _check_keys,
    _check_array,
    _check_members,
    _check_limits,
)
