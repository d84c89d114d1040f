"""Rules for scalars: strict as they are, or read from their JSON form behind a check of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final
from uuid import UUID

from toolhaft.schema.checker import matcher
from toolhaft.vendors.patterns import CLOCK, DECIMAL, FORMATS, LOCAL
from toolhaft.vendors.pydantic.walk import GUARD, Node, Rule, Walk, numbered, union

__all__ = ["LONGEST", "RULES", "SHAPES", "guarded", "only_guarded", "scalar_kind"]

# What text must look like before pydantic reads it, and what that is called in a message.
SHAPES: Final = {
    **{pattern: f"format {name}" for name, pattern in FORMATS.items()},
    CLOCK: "format time",
    LOCAL: "format date-time without a zone",
    DECIMAL: "a decimal number",
}
# The order matters: to pydantic an integer is a float too, to us a float is never an integer.
SCALARS: Final[dict[type, Node]] = {
    bool: {"type": "bool", "strict": True},
    int: {"type": "int", "strict": True},
    str: {"type": "str", "strict": True},
    float: {"type": "float", "strict": True, "allow_inf_nan": False},
    type(None): {"type": "none"},
}
# CPython writes no longer integer as text (sys.int_info.default_max_str_digits).
LONGEST: Final = 10**4300
_TEXT: Final[Node] = {"type": "str", "strict": True}
_TEXT_CHECKS: Final = {"pattern", "strip_whitespace", "to_lower", "to_upper", "ascii_only"}


def guarded(walk: Walk, guard: Node, node: Node) -> Node:
    """Read a node from its JSON form, which `guard` accepts strictly."""
    lax = {"type": "chain", "steps": [guard, {**node, "strict": False}]}
    return walk.read(lax, {**node, "strict": True})


def exactly_guarded(walk: Walk, guard: Node, node: Node, cls: type) -> Node:
    """Guard a node that reads more text than its schema says.

    In JSON mode a union could not tell it from text; there the adapter asks the schema first.
    """
    if walk.route == "json":
        return guarded(walk, _exactly({int, str, float}) if cls is Decimal else _TEXT, node)
    lax = {"type": "chain", "steps": [guard, {**node, "strict": False}]}
    is_object = {"type": "is-instance", "cls": cls}
    by_object = {"type": "chain", "steps": [is_object, {**node, "strict": True}]}
    return walk.or_instance(lax, by_object)


def only_guarded(walk: Walk, guard: Node, node: Node) -> Node:
    """Guard a node that is too wide in JSON mode as well."""
    lax = {"type": "chain", "steps": [guard, {**node, "strict": False}]}
    return walk.or_instance(lax, {"type": "is-instance", "cls": node["cls"]})


def scalar_kind(value: object) -> type:
    """Give the JSON scalar that a value is, for members whose enum mixes in another type."""
    return next((kind for kind in (bool, int, float, str) if isinstance(value, kind)), type(value))


def _exactly(kinds: Iterable[type]) -> Node:
    """Accept these scalar types, as written: `true` is no 1."""
    choices = [SCALARS[kind] for kind in SCALARS if kind in kinds]
    return choices[0] if len(choices) == 1 else union(*((choice, GUARD) for choice in choices))


def _same(walk: Walk, node: Node) -> Node:
    del walk
    return node


def _strict(walk: Walk, node: Node) -> Node:
    del walk
    return {**node, "strict": True}


def _integer(walk: Walk, node: Node) -> Node:
    del walk
    below = {} if node.keys() & {"gt", "ge"} else {"gt": -LONGEST}
    above = {} if node.keys() & {"lt", "le"} else {"lt": LONGEST}
    return {**node, **below, **above, "strict": True}


def _float(walk: Walk, node: Node) -> Node:
    walk.loose |= "multiple_of" in node  # pydantic rounds before it compares
    return {**node, "strict": True, "allow_inf_nan": False}


def _text(walk: Walk, node: Node) -> Node:
    walk.own_checks |= any(key in node for key in _TEXT_CHECKS)
    made = {"max_length": walk.text_bound, **node, "strict": True}
    pattern: Any = node.get("pattern")
    if pattern is None or (isinstance(pattern, str) and "\\" not in pattern):
        return made
    return _matching(getattr(pattern, "pattern", pattern), made)


def _matching(pattern: str, node: Node) -> Node:
    r"""Read a pattern as the model was told: in JSON Schema `\d` is an ASCII digit (ECMA-262)."""

    def match(text: str) -> str:
        if not matcher(pattern)(text):
            from pydantic_core import PydanticKnownError

            raise PydanticKnownError("string_pattern_mismatch", {"pattern": pattern})
        return text

    function = {"type": "no-info", "function": match}
    return {"type": "function-after", "function": function, "schema": node}


def _from_text(walk: Walk, node: Node) -> Node:
    """A type whose JSON form is text."""
    walk.own_checks = True
    walk.loose |= node.keys() & {"min_length", "max_length"} != set()  # of bytes, not of text
    return guarded(walk, _TEXT, node)


def _from_form(cls: type, form: str) -> Rule:
    """A type whose JSON form is text that must look like it before pydantic reads it."""

    def rule(walk: Walk, node: Node) -> Node:
        walk.own_checks = True
        return exactly_guarded(walk, _looks(form), node, cls)

    return rule


def _looks(form: str) -> Node:
    return {"type": "str", "strict": True, "pattern": form}


def _datetime(walk: Walk, node: Node) -> Node:
    is_naive = node.get("tz_constraint") == "naive"
    return _from_form(datetime, LOCAL if is_naive else FORMATS["date-time"])(walk, node)


def _decimal(walk: Walk, node: Node) -> Node:
    walk.own_checks = True
    number = union(*((SCALARS[kind], GUARD) for kind in (int, float)), (_looks(DECIMAL), GUARD))
    return exactly_guarded(walk, number, node, Decimal)


def _number_or_text(walk: Walk, node: Node) -> Node:
    walk.own_checks = True
    return guarded(walk, _exactly({int, str, float}), node)


def _literal(walk: Walk, node: Node) -> Node:
    expected = node["expected"]
    if {type(value) for value in expected} == {str}:
        return node
    groups: dict[type, list[Any]] = {}
    for value in expected:
        groups.setdefault(type(value), []).append(value)
    if not all(kind in SCALARS or issubclass(kind, Enum) for kind in groups):
        return walk.unknown(node)
    ranks = list(SCALARS)
    kinds = sorted(groups, key=lambda kind: ranks.index(kind) if kind in ranks else -1)
    parts = [_literal_part(walk, node, kind, groups[kind]) for kind in kinds]
    return parts[0] if len(parts) == 1 else union(*numbered(parts))


def _literal_part(walk: Walk, node: Node, kind: type, values: list[Any]) -> Node:
    if issubclass(kind, Enum):
        first = _enum(walk, {"type": "enum", "cls": kind, "members": values})
    else:
        first = SCALARS[kind]
    return {"type": "chain", "steps": [first, {**node, "expected": values}]}


def _enum(walk: Walk, node: Node) -> Node:
    kinds = {scalar_kind(member.value) for member in node["members"]}
    if _finds_members(node["cls"]):
        walk.own_checks = walk.widens = True
    if not kinds <= SCALARS.keys():
        return walk.unknown(node)
    if kinds == {str}:
        return guarded(walk, _exactly(kinds), node)
    return only_guarded(walk, _exactly(kinds), node)


def _finds_members(cls: Any) -> bool:
    """Say whether an enum has its own way to find a member for a value."""
    return cls._missing_.__func__ is not Enum._missing_.__func__  # type: ignore[attr-defined]


RULES: Final[dict[str, Rule]] = {
    "any": _same,
    "callable": _same,
    "is-instance": _same,
    "is-subclass": _same,
    "none": _same,
    "bool": _strict,
    "int": _integer,
    "float": _float,
    "str": _text,
    "literal": _literal,
    "enum": _enum,
    "bytes": _from_text,
    "uuid": _from_form(UUID, FORMATS["uuid"]),
    "url": _from_text,
    "multi-host-url": _from_text,
    "complex": _from_text,
    "date": _from_form(date, FORMATS["date"]),
    "datetime": _datetime,
    "time": _from_form(time, CLOCK),
    "timedelta": _from_form(timedelta, FORMATS["duration"]),
    "decimal": _decimal,
    "fraction": _number_or_text,
}
