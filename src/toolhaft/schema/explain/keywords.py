"""The table of assertion keywords of JSON Schema 2020-12, and a node's checks by it.

A builder is called once for each node and JSON type, and returns the check of every value of that
type, or None if there is nothing to check. The order of the table is the order of the findings.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.schema.document.kinds import KINDS, NAMES, Kind, admits, constants_of, names_of
from toolhaft.schema.document.references import resolve
from toolhaft.schema.explain import arrays, assertions, objects, unions
from toolhaft.schema.explain.assertions import bound, size
from toolhaft.schema.explain.kind_checks import RIGHT, combined, never, to_refusal, to_walk
from toolhaft.schema.explain.leaves import part_test
from toolhaft.schema.explain.node import Check, KindCheck
from toolhaft.schema.explain.phrases import array_words, json_text_words, object_words
from toolhaft.schema.explain.reasons import because, reason_of
from toolhaft.schema.explain.refusals import nothing, refusal, wrong_constant, wrong_type
from toolhaft.schema.explain.requirements import (
    are_required,
    demands_of,
    forbidden_keys,
    split_required,
)
from toolhaft.schema.explain.wording import excluded, matching
from toolhaft.schema.format_patterns import WORDS
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["SAYING", "is_alias", "kind_check"]

# A builder's result is part of the node's check, or walks the values by itself.
Builder: TypeAlias = "Callable[[Node, Any, Kind], KindCheck | Check | None]"

ANY = frozenset(NAMES)
NUMBER = KINDS["number"]
STRING = KINDS["string"]
ARRAY = KINDS["array"]
OBJECT = KINDS["object"]
HAVING_PARTS = ARRAY | OBJECT


def kind_check(node: Node, kind: Kind) -> KindCheck:
    """Return the check of a node for values of one type."""
    schema = node.schema
    if schema is False:
        return to_refusal(nothing)
    if not isinstance(schema, dict):
        return RIGHT
    if kind not in NAMES:
        return to_refusal(refusal(schema, "expected JSON data", "type"))
    if "type" in schema and not admits(names_of(schema), kind):
        return to_refusal(_refused(node, kind))
    built = [
        build(node, schema[keyword], kind)
        for keyword, (kinds, build) in KEYWORDS.items()
        if keyword in schema and kind in kinds
    ]
    checks = [
        check if isinstance(check, KindCheck) else to_walk(check)
        for check in built
        if check is not None
    ]
    if kind not in HAVING_PARTS:
        return combined(checks)
    # A node that accepts the whole value needs no issues.
    is_tested = schema is not node.root and node.is_visited_once
    return combined(checks, part_test(node.root, schema) if is_tested else never)


def is_alias(schema: Any) -> bool:
    """Return whether a schema asserts nothing but its reference."""
    return isinstance(schema, dict) and schema.keys() & SAYING == {"$ref"}


def _refused(node: Node, kind: Kind) -> Check:
    members = constants_of(node.schema)
    if members:
        return wrong_constant(members, node.schema)
    names = names_of(node.schema)
    words = None
    if "array" in names:
        words = array_words(node.root, node.schema)
    elif "object" in names:
        words = object_words(node.root, node.schema)
    elif names == ("string",) and node.schema.get("pattern") in WORDS:
        words = matching(node.schema["pattern"])
    elif names == ("string",) and node.schema.get("contentMediaType") == "application/json":
        words = json_text_words(node.root, node.schema)
    return wrong_type(node.schema, names, kind, words)


def _ref(node: Node, ref: str, kind: Kind) -> KindCheck:
    return node.child(resolve(node.root, ref))[kind]


def _not(node: Node, schema: Any, kind: Kind) -> Check:
    if kind is dict and demands_of([schema]):
        return forbidden_keys(node, schema["required"])
    child = node.child(schema)
    members = constants_of(schema)
    message = "expected a value that the schema does not exclude"
    if members:
        message = excluded(members)

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        if not run.trial(child, value, path):
            run.report(node.schema, required, message, path)

    return check


def _if(node: Node, schema: Any, _: Kind) -> Check:
    condition = node.child(schema)
    then_node = node.child(node.schema.get("then", True))
    then = because(then_node.check, reason_of(schema))
    free, due = split_required(node, (demands_of([schema]) or [[]])[0])
    then_later = because(then_node.check, are_required(due))
    otherwise_node = node.child(node.schema.get("else", True))
    otherwise = because(otherwise_node.check, reason_of(schema, holds=False))

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        branch = otherwise if run.trial(condition, value, path) else then
        if branch is otherwise and due and all(name in value for name in free):
            branch = then_later  # once what is missing is given
        branch(run, value, path, required)

    return check


# Keyword, the JSON types of the values that it applies to, and how its check is built.
KEYWORDS: dict[str, tuple[frozenset[Kind], Builder]] = {
    "enum": (ANY, assertions.enum),
    "const": (ANY, assertions.const),
    "minimum": (NUMBER, bound("minimum", operator.le, "at least")),
    "exclusiveMinimum": (NUMBER, bound("exclusiveMinimum", operator.lt, "more than")),
    "maximum": (NUMBER, bound("maximum", operator.ge, "at most")),
    "exclusiveMaximum": (NUMBER, bound("exclusiveMaximum", operator.gt, "less than")),
    "multipleOf": (NUMBER, assertions.multiple_of),
    "minLength": (STRING, size("minLength", operator.le, "at least", "character")),
    "maxLength": (STRING, size("maxLength", operator.ge, "at most", "character")),
    "pattern": (STRING, assertions.pattern),
    "minItems": (ARRAY, size("minItems", operator.le, "at least", "item")),
    "maxItems": (ARRAY, size("maxItems", operator.ge, "at most", "item")),
    "prefixItems": (ARRAY, arrays.prefix_items),
    "items": (ARRAY, arrays.items),
    "contains": (ARRAY, arrays.contains),
    "uniqueItems": (ARRAY, assertions.unique_items),
    "minProperties": (OBJECT, objects.fewest_keys),
    "maxProperties": (OBJECT, objects.most_keys),
    "required": (OBJECT, objects.required),
    "dependentRequired": (OBJECT, objects.dependent_required),
    "properties": (OBJECT, objects.properties),
    "patternProperties": (OBJECT, objects.pattern_properties),
    "additionalProperties": (OBJECT, objects.additional_properties),
    "propertyNames": (OBJECT, objects.property_names),
    "dependentSchemas": (OBJECT, objects.dependent_schemas),
    "$ref": (ANY, _ref),
    "allOf": (ANY, unions.all_of),
    "anyOf": (ANY, unions.any_of),
    "oneOf": (ANY, unions.one_of),
    "not": (ANY, _not),
    "if": (ANY, _if),
    "unevaluatedItems": (ARRAY, arrays.unevaluated_items),
    "unevaluatedProperties": (OBJECT, objects.unevaluated_properties),
}
# Keywords that make a schema say something; `type` decides which checks there are at all.
SAYING = KEYWORDS.keys() | {"type"}
