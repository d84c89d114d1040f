"""The defaults of a marked schema that no person can approve, and the fix for each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from toolhaft.call.default_nodes import parts_of
from toolhaft.errors import Fault
from toolhaft.schema.document.places import Place, child_schemas
from toolhaft.schema.document.references import target_of
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import FieldKey, Fields, fields_at

__all__ = ["UnfitDefault", "faults_of", "unfit_defaults"]

UNFIT: Final = {
    "factory": "its default factory cannot be called before a person approves",
    "static": "its default is not known before a person approves",
    "undeclared": "a person cannot approve the value of its default factory",
}
FIX: Final = {
    "factory": "give it a static default or a factory without arguments, or make it in the handler",
    "static": "take no `info` there, require the field, or make the value in the handler",
    "undeclared": "declare it, give it a static default, or make it in the handler",
}
BEYOND: Final = sys.maxsize  # an item after the items that are declared one by one
UNDECLARED: Final = "parameters= does not declare the field"
UNKEPT: Final = "its object does not keep what it was given, so it cannot be shown"
REWRITTEN: Final = "a function of the author's may rewrite the value that it stands in"


class UnfitDefault(NamedTuple):
    """A default that is not known before the object is made: where it stands, and why."""

    path: tuple[str, ...]
    reason: str
    kind: Literal["factory", "static", "undeclared"] = "factory"


def unfit_defaults(adapter: Adapter[Any]) -> list[UnfitDefault]:
    """List the defaults that nobody can know before the object is made."""
    schema = adapter.typed_input
    if schema is None:
        return []
    unfit = list(_unfit(schema.marked, schema.marked, (), False, set()))
    if schema is not adapter.input:  # parameters= declares another
        declared = adapter.input.marked
        unfit += _Undeclared(schema.marked, declared).at(schema.marked, [Place(declared)], ())
    return unfit


def faults_of(tool: str, unfit: list[UnfitDefault]) -> list[Fault]:
    """Return a fault with a fix for each such default."""
    return [
        Fault(tool, ".".join(path), f"{UNFIT[kind]}: {reason}", FIX[kind])
        for path, reason, kind in unfit
    ]


def _unfit(
    root: Any,
    schema: Any,
    path: tuple[str, ...],
    rewritten: bool,
    visited: set[tuple[int, bool]],
) -> Iterator[UnfitDefault]:
    if not isinstance(schema, dict) or (id(schema), rewritten) in visited:
        return
    visited.add((id(schema), rewritten))
    rewritten = rewritten or "rewritten" in marks_of(schema)
    fields = fields_at(schema)
    for key in () if fields is None else fields.keys:
        if key.default and (reason := _reason(root, schema, key, rewritten=rewritten)):
            yield UnfitDefault((*path, key.key), reason, key.default)
    for steps, sub in parts_of(schema):
        yield from _unfit(root, sub, _field_path(path, steps), rewritten, visited)
    yield from _unfit(root, target_of(root, schema), path, rewritten, visited)


def _field_path(path: tuple[str, ...], steps: Path) -> tuple[str, ...]:
    """Return the path of the field that steps into a schema lead to."""
    return (*path, str(steps[1])) if steps[0] == "properties" else path


def _reason(root: Any, schema: Any, key: FieldKey, *, rewritten: bool) -> str | None:
    """Return why a default is not known before the object is made, or None."""
    if key.default != "factory":
        return key.unfit
    node = schema.get("properties", {}).get(key.key)
    parts = (node, target_of(root, node))
    if rewritten or any("rewritten" in marks_of(part) for part in parts):
        return REWRITTEN
    if any(map(_has_unkept, map(fields_at, parts))):
        return UNKEPT
    return key.unfit


def _has_unkept(fields: Fields | None) -> bool:
    return fields is not None and not all(key.is_kept for key in fields.keys)


class _Undeclared:
    """Looks for factories of fields that a schema in `parameters=` does not permit.

    Their values would be rejected, or dropped, when the approved call is read again. Values that
    only a schema's conditions permit are found when they are filled in.
    """

    def __init__(self, typed: Any, declared: Any) -> None:
        self._typed, self._declared = typed, declared
        self._visited: set[tuple[int, ...]] = set()

    def at(self, schema: Any, places: list[Place], path: tuple[str, ...]) -> Iterator[UnfitDefault]:
        """Look at a part of the type, and at what is declared at its place."""
        visit = (id(schema), *(id(place.schema) for place in places))
        if not isinstance(schema, dict) or visit in self._visited:
            return
        self._visited.add(visit)
        fields = fields_at(schema)
        for key in () if fields is None else fields.keys:
            if key.default == "factory" and not self._permits(places, key.key):
                yield UnfitDefault((*path, key.key), UNDECLARED, "undeclared")
        for steps, sub in parts_of(schema):
            yield from self.at(sub, self._inside(places, steps), _field_path(path, steps))
        yield from self.at(target_of(self._typed, schema), places, path)

    def _permits(self, places: list[Place], key: str) -> bool:
        inner = child_schemas(self._declared, places, key)
        is_dropped = any(marks_of(place.schema).get("extra") == "ignore" for place in places)
        return any(place.schema is not False for place in inner) or not (inner or is_dropped)

    def _inside(self, places: list[Place], steps: Path) -> list[Place]:
        match steps:
            case ("properties", name):
                return child_schemas(self._declared, places, name)
            case ("prefixItems", int(index)):
                return child_schemas(self._declared, places, index)
            case ("items", *_):
                return child_schemas(self._declared, places, BEYOND)
            case ("additionalProperties" | "patternProperties", *_):
                return child_schemas(self._declared, places, "")
            case ("contentSchema", *_):
                return []
            case _:
                return places
