"""One function for each assertion keyword of JSON Schema 2020-12: node and value to a check.

A builder is called once for each node and JSON type, and gives the check that runs on every value
of that type, or None where there is nothing to check. The order of the table is the order of the
findings. Objects, arrays and unions have
modules of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.schema import arrays, forms, objects, unions
from toolhaft.schema.checker import matcher
from toolhaft.schema.forms import KINDS, NAMES, Kind, admits, constants_of, frozen, kind_of
from toolhaft.schema.refs import resolve
from toolhaft.schema.refusals import nothing, refusal, wrong_type
from toolhaft.schema.wording import counted, excluded, matching, one_of
from toolhaft.spec import Path

if TYPE_CHECKING:
    from fractions import Fraction

    from toolhaft.schema.explain import Check, Node, Run

__all__ = ["SAYING", "checks_of", "is_alias"]

Builder: TypeAlias = "Callable[[Node, Any, Kind], Check | None]"
Compare: TypeAlias = Callable[[Any, Any], bool]

ANY = frozenset(NAMES)
NUMBER = KINDS["number"]
STRING = KINDS["string"]
ARRAY = KINDS["array"]
OBJECT = KINDS["object"]


def checks_of(node: Node, kind: Kind) -> tuple[Check, ...]:
    """The checks that a node makes on values of one type, in order."""
    schema = node.schema
    if schema is False:
        return (nothing,)
    if not isinstance(schema, dict):
        return ()
    if kind not in NAMES:
        return (refusal(schema, "expected JSON data", "type"),)
    if "type" in schema and not admits(forms.names_of(schema), kind):
        return (_refused(node, kind),)
    said = [
        build(node, schema[keyword], kind)
        for keyword, (kinds, build) in KEYWORDS.items()
        if keyword in schema and kind in kinds
    ]
    return tuple(check for check in said if check is not None)


def is_alias(schema: Any) -> bool:
    """Whether a schema says nothing but what it refers to."""
    return isinstance(schema, dict) and schema.keys() & SAYING == {"$ref"}


def _refused(node: Node, kind: Kind) -> Check:
    members = constants_of(node.schema)
    if members:
        return refusal(node.schema, one_of(members), "enum")
    return wrong_type(node.schema, forms.names_of(node.schema), kind)


def _enum(node: Node, members: Sequence[Any], kind: Kind) -> Check:
    same = frozenset(frozen(member) for member in members if kind_of(member) is kind)
    message = one_of(members)

    def check(run: Run, value: Any, path: Path, required: bool) -> bool:
        if frozen(value) in same:
            return False
        run.report(node.schema, required, message, path, "enum")
        return True

    return check


def _const(node: Node, member: Any, kind: Kind) -> Check:
    return _enum(node, [member], kind)


def _bound(holds: Compare, words: str) -> Builder:
    def build(node: Node, limit: float, _: Kind) -> Check:
        message = f"expected {words} {limit}"

        def check(run: Run, value: Any, path: Path, required: bool) -> None:
            if not holds(value, limit):
                run.report(node.schema, required, message, path)

        return check

    return build


def _size(holds: Compare, words: str, noun: str) -> Builder:
    def build(node: Node, limit: float, _: Kind) -> Check:
        message = counted(words, limit, noun)

        def check(run: Run, value: Any, path: Path, required: bool) -> None:
            if not holds(len(value), limit):
                run.report(node.schema, required, message, path)

        return check

    return build


def _multiple_of(node: Node, divisor: float, _: Kind) -> Check:
    """Exact, also for decimal fractions: 0.3 is a multiple of 0.1."""
    unit = _exact(divisor)
    message = f"expected a multiple of {divisor}"

    def check(run: Run, value: Any, path: Path, required: bool) -> None:
        if _exact(value) % unit:
            run.report(node.schema, required, message, path)

    return check


def _exact(number: float) -> int | Fraction:
    """The number as written: the decimal fraction that a float stands for."""
    if isinstance(number, int):
        return number
    from fractions import Fraction

    return Fraction(repr(number))


def _pattern(node: Node, pattern: str, _: Kind) -> Check:
    matches = matcher(pattern)
    message = matching(pattern)

    def check(run: Run, value: Any, path: Path, required: bool) -> None:
        if not matches(value):
            run.report(node.schema, required, message, path, "format")

    return check


def _ref(node: Node, ref: str, _: Kind) -> Check:
    return node.child(resolve(node.root, ref)).check


def _not(node: Node, schema: Any, _: Kind) -> Check:
    child = node.child(schema)
    members = constants_of(schema)
    message = excluded(members) if members else "expected a value that the schema does not exclude"

    def check(run: Run, value: Any, path: Path, required: bool) -> None:
        if not run.trial(child, value, path):
            run.report(node.schema, required, message, path)

    return check


def _if(node: Node, schema: Any, _: Kind) -> Check:
    condition = node.child(schema)
    then = node.child(node.schema.get("then", True))
    otherwise = node.child(node.schema.get("else", True))

    def check(run: Run, value: Any, path: Path, required: bool) -> None:
        branch = otherwise if run.trial(condition, value, path) else then
        branch.check(run, value, path, required)

    return check


# Keyword, the JSON types of the values that it applies to, and how its check is built.
KEYWORDS: dict[str, tuple[frozenset[Kind], Builder]] = {
    "enum": (ANY, _enum),
    "const": (ANY, _const),
    "minimum": (NUMBER, _bound(operator.ge, "at least")),
    "exclusiveMinimum": (NUMBER, _bound(operator.gt, "more than")),
    "maximum": (NUMBER, _bound(operator.le, "at most")),
    "exclusiveMaximum": (NUMBER, _bound(operator.lt, "less than")),
    "multipleOf": (NUMBER, _multiple_of),
    "minLength": (STRING, _size(operator.ge, "at least", "character")),
    "maxLength": (STRING, _size(operator.le, "at most", "character")),
    "pattern": (STRING, _pattern),
    "minItems": (ARRAY, _size(operator.ge, "at least", "item")),
    "maxItems": (ARRAY, _size(operator.le, "at most", "item")),
    "prefixItems": (ARRAY, arrays.prefix_items),
    "items": (ARRAY, arrays.items),
    "contains": (ARRAY, arrays.contains),
    "uniqueItems": (ARRAY, arrays.unique_items),
    "minProperties": (OBJECT, _size(operator.ge, "at least", "key")),
    "maxProperties": (OBJECT, _size(operator.le, "at most", "key")),
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
