r"""Strict JSON semantics for pydantic, compiled into the core schema once.

pydantic reads JSON text strictly as one would wish (`"3"` is no integer, a UUID comes as text),
but decoded data only in one of two wrong ways: strictly, which refuses every UUID and enum, or
laxly, which takes `"3"` for 3. So each node of the core schema is rewritten: scalars become
strict, and a type with a JSON form of its own is read laxly behind a strict check of that form.

Where a union could tell its branches apart only in JSON mode, or a node is not known here, the
whole type takes the other route: the data is written as JSON and read in JSON mode.

Known differences to pydantic's own strict JSON mode, all but the last as the emitted schema says:
`true` and `1.0` are no `Literal[1]` and no member of an `IntEnum`, an infinity is no float, a set
refuses equal items, a named tuple is an array and an `Iterable` a list, a complex number is text,
`\d` in a pattern is an ASCII digit, dates, times, UUIDs and decimals have the one form in text that
the schema names (a `datetime` has its zone, but for a naive one), and `Literal[Color.RED]` takes
that member's value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from toolhaft.vendors.pydantic import containers, scalars, unions, wrappers
from toolhaft.vendors.pydantic.walk import MeetsObjects, NeedsJson, Node, Route, Walk

__all__ = ["Strict", "strict_schema"]

_RULES: Final = {**scalars.RULES, **containers.RULES, **wrappers.RULES, **unions.RULES}


class Strict(NamedTuple):
    """A core schema with strict JSON semantics, and what was seen on the way."""

    schema: Node
    route: Route
    own_checks: bool
    widens: bool
    loose: bool


def strict_schema(
    core_schema: Mapping[str, Any], config: Mapping[str, Any] | None, route: Route = "python"
) -> Strict:
    """Rewrite a core schema, by the Python route where it can tell everything apart.

    Raises:
        NoVendor: Some validator could not run as its author meant.
    """
    try:
        return _walked(core_schema, config, route)
    except NeedsJson:
        return _walked(core_schema, config, "json")


def _walked(
    core_schema: Mapping[str, Any],
    config: Mapping[str, Any] | None,
    route: Route,
    *,
    objects: bool = False,
) -> Strict:
    walk = Walk(_RULES, route, objects=objects)
    try:
        with walk.under({"config": config}):
            made = walk(dict(core_schema))
    except MeetsObjects:
        return _walked(core_schema, config, route, objects=True)
    return Strict(made, route, walk.own_checks, walk.widens, walk.loose)
