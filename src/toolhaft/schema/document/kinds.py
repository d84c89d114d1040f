"""The kinds of JSON values, the constants of a schema, and when two values are the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

__all__ = ["KINDS", "NAMES", "SETTLED", "Kind", "admits", "constants_of", "hashable", "json_equal"]
__all__ += ["kind_of", "named_types", "names_of"]

Kind: TypeAlias = type[Any]

# The Python types of plain JSON data, and what JSON Schema calls them; a Decimal is a number as it
# was written. A number that is whole counts as an int: 5.0 is an integer (JSON Schema 2020-12 core,
# 4.2.3).
NAMES: dict[Kind, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    Decimal: "number",
    str: "string",
    list: "array",
    dict: "object",
}
KINDS: dict[str, frozenset[Kind]] = {
    **{name: frozenset({kind}) for kind, name in NAMES.items()},
    "number": frozenset({int, float, Decimal}),
}
# The types that say by themselves which keywords apply.
SETTLED = NAMES.keys() - {float, Decimal}


def kind_of(value: Any) -> Kind:
    """The type that decides which keywords apply to a value."""
    kind: Kind = type(value)
    if kind is Decimal:
        return int if value == value.to_integral_value() else kind
    return int if kind is float and value.is_integer() else kind


def hashable(value: Any) -> Hashable:
    """A hashable stand-in that is equal where JSON is: true is not 1, 1.0 is, key order is none."""
    if isinstance(value, dict):
        return frozenset((name, hashable(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return tuple(map(hashable, value))
    if isinstance(value, Decimal):  # 0.1 as it is written is no binary fraction
        nearest = float(value)
        value = nearest if Decimal(repr(nearest)) == value else value
    return isinstance(value, bool), value


def names_of(schema: Any) -> tuple[str, ...]:
    """The type names that a schema writes."""
    named = schema.get("type", ()) if isinstance(schema, dict) else ()
    return (named,) if isinstance(named, str) else tuple(named)


def admits(names: Iterable[str], kind: Kind) -> bool:
    """Whether a value of one kind has one of the JSON types.

    >>> admits(["number"], int), admits(["integer"], float)
    (True, False)
    """
    return any(kind in KINDS[name] for name in names)


def constants_of(schema: Any) -> Sequence[Any] | None:
    """Return the values of `const` or `enum`, or None if the schema has neither."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    members = schema.get("enum")
    return members if isinstance(members, list) else None


def named_types(schema: Any) -> tuple[str, ...]:
    """Return the JSON types that a schema asks for by name or by its constants.

    >>> named_types({"type": "integer"}), named_types({"enum": ["a", None]})
    (('integer',), ('string', 'null'))
    """
    names = names_of(schema)
    return names or tuple([NAMES[kind_of(member)] for member in constants_of(schema) or ()])


def json_equal(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same: true is not 1, 1.0 is, key order is none.

    >>> json_equal({"n": 1.0, "m": 2}, {"m": 2, "n": 1}), json_equal(True, 1)
    (True, False)
    """
    return hashable(left) == hashable(right)
