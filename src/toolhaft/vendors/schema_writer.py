"""Libraries that write no JSON Schema themselves: we write it, and list what it cannot say.

`SchemaWriter` is the schema of one validator together with what would be lost in it. The adapter is
automatic where nothing is; where something is, the rest of the schema is still held to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.schema.inline import inline_references
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.emission_rules import expand_roots
from toolhaft.vendors.input_schema import InputSchema, with_extra

__all__ = [
    "AuditedAdapter",
    "SchemaWriter",
    "constants",
    "default_of",
    "enumerated",
    "excluded",
    "is_empty",
    "nullable",
]

_FIX = "pass parameters= (a JSON Schema) beside it"
_KINDS = {str: "string", int: "integer", bool: "boolean", float: "number"}


class SchemaWriter(NamedTuple):
    """A schema, and what it cannot say of the validator."""

    schema: dict[str, Any]
    losses: Sequence[str] = ()


class AuditedAdapter(Adapter[Any]):
    """One validator behind the schema that we wrote for it.

    A subclass sets `vendor`, writes the schema with what is lost (`audit`), lets the library read
    data that fits it (`construct`), and says in our words what the library found (`told`). What the
    schema says is held to even where the audit finds that it does not say all.
    """

    audit: Callable[[Mode], SchemaWriter]
    told: Callable[[Any, Any], list[Issue]]

    def known_input(self) -> InputSchema:
        return self._audited

    @cached_property
    def _audited(self) -> InputSchema:
        marked = inline_references(expand_roots(self.audit("input").schema))
        extra = self.extra
        return InputSchema(marked if extra is None else with_extra(marked, extra, authored=False))

    def emit(self, mode: Mode) -> dict[str, Any]:
        audit = self.audit(mode)
        if audit.losses:
            lost = "; ".join(audit.losses)
            raise NoVendor(f"{self.vendor}: no JSON Schema can be written for {lost}", _FIX)
        return audit.schema

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        return [((), loss) for loss in self.audit("input").losses]

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return error.issues if isinstance(error, Rejected) else self.told(error, data)


def constants(values: Any) -> list[Any] | None:
    """Give the JSON scalars of a container, in an order that no hash seed changes.

    >>> constants({"b", "a"}), constants(["b", None]), constants([object()])
    (['a', 'b'], ['b', None], None)
    """
    try:
        found: list[Any] = snapshot(list(values))
    except (TypeError, NotPlain):
        return None
    if any(isinstance(one, list | dict) for one in found):
        return None
    if isinstance(values, set | frozenset):
        found.sort(key=lambda one: (type(one).__name__, str(one)))
    return found


def enumerated(values: list[Any]) -> dict[str, Any]:
    """Give the schema of a list of constants, with their type where they share one.

    >>> enumerated(["a", "b"]), enumerated([1])
    ({'type': 'string', 'enum': ['a', 'b']}, {'type': 'integer', 'const': 1})
    """
    kinds = {type(one) for one in values}
    kind = _KINDS.get(kinds.pop()) if len(kinds) == 1 else None
    members = {"const": values[0]} if len(values) == 1 else {"enum": values}
    return {"type": kind, **members} if kind else members


def excluded(values: list[Any]) -> dict[str, Any]:
    """Give the schema of all but these constants; to Python `True` is among `[1]`.

    >>> excluded(["a", 1])
    {'not': {'enum': ['a', 1, True]}}
    """
    numbers = [one for one in values if isinstance(one, int | float) and one in (0, 1)]
    twins = [bool(one) if type(one) is not bool else int(one) for one in numbers]
    return {"not": {"enum": [*values, *twins]}}


def nullable(node: dict[str, Any]) -> dict[str, Any]:
    """Give the schema of a value that may be null too."""
    return {"anyOf": [node, {"type": "null"}]}


def is_empty(factory: Any) -> bool:
    """Say whether a default is made by a factory that gives the same each time."""
    return factory is dict or factory is list


def default_of(value: Any) -> dict[str, Any]:
    """Give a default as JSON, where it has such a form."""
    try:
        return {"default": snapshot(value)}
    except NotPlain:
        return {}
