"""The laws of lowering, checked on one schema and one target at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import jsonschema_rs

from tests.laws.meaning import meaning
from toolhaft.lowering import Lowered, Strict, lint, lower
from toolhaft.lowering.loss import LoweringUnsupported
from toolhaft.schema.document.kinds import json_equal
from toolhaft.schema.generate import Values
from toolhaft.schema.normalise import normalise
from toolhaft.spec import Failure, Path

__all__ = ["Tally", "bare", "check", "closed", "paths", "value_at"]

LOST = ("narrowed", "unsupported")
# Stands for whatever a model may have written in a place; no lens reads it as anything.
WRITTEN = object()


@dataclass
class Tally:
    """The counts for one target."""

    schemas: int = 0
    values: int = 0
    reached: int = 0
    wire_values: int = 0
    lifted: int = 0
    refused: int = 0
    losses: Counter[str] = field(default_factory=Counter)
    unsupported: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    samples: dict[str, Any] = field(default_factory=dict)

    def fault(self, law: str, schema: Any, detail: Any) -> None:
        """A law broken."""
        self.faults.append(law)
        if law not in self.samples or len(str(schema)) < len(str(self.samples[law][0])):
            self.samples[law] = (schema, detail)


def check(
    schema: Any, target: str, strict: Strict, random: Random, tally: Tally, values: int = 10
) -> None:
    """Every law on one schema, with `values` of the original and of the wire."""
    tally.schemas += 1
    try:
        lowered = lower(schema, target, strict)
    except LoweringUnsupported as refused:
        tally.refused += 1
        tally.unsupported[refused.keyword] += 1
        return
    tally.losses.update(loss.kind for loss in lowered.losses)
    tally.unsupported.update(x.keyword for x in lowered.losses if x.kind == "unsupported")
    if any(loss.kind == "narrowed" for loss in lowered.losses):
        tally.fault("narrowed", schema, lowered.losses)
    _check_schema(schema, target, strict, lowered, tally)
    if any(x.kind in LOST for x in lowered.losses):
        return
    root = normalise(schema)
    accepts = _validator(root)
    closed_accepts = _validator(normalise(closed(schema, lowered)))
    wire_root = meaning(lowered.schema, target)
    wire_accepts = _validator(wire_root)
    for _ in range(values):
        source = Values(root, random)
        _check_value(schema, lowered, source, (accepts, closed_accepts, wire_accepts), tally)
    for _ in range(values):
        _check_wire(schema, lowered, Values(wire_root, random), accepts, wire_accepts, tally)


def closed(schema: Any, lowered: Lowered) -> Any:
    """The schema with the objects closed that the lowering says it closed."""
    copy = json.loads(json.dumps(schema))
    for loss in lowered.losses:
        if loss.kind == "closed":
            node = _at(copy, loss.pointer)
            if isinstance(node, dict):
                node[loss.keyword] = "object" if loss.keyword == "type" else False
    return copy


def _at(schema: Any, pointer: str) -> Any:
    place = schema
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        place = place[int(name)] if isinstance(place, list) else place[name]
    return place


def _validator(schema: Any) -> Any:
    return jsonschema_rs.validator_for(schema, validate_formats=False).is_valid


def _check_schema(schema: Any, target: str, strict: Strict, lowered: Lowered, tally: Tally) -> None:
    found = lint(lowered.schema, target, strict and lowered.strict)
    if found:
        tally.fault("1 the linter accepts", schema, (found[:2], lowered.schema))
    if not lint(schema, target, strict):
        same = json.dumps(schema) == json.dumps(lowered.schema)
        if not same or lowered.losses or not lowered.lens.identity:
            tally.fault("6 what is accepted goes out unchanged", schema, lowered)
    again = lower(lowered.schema, target, strict)
    if json.dumps(again.schema) != json.dumps(lowered.schema):
        tally.fault("5 lowering twice is lowering once", schema, again.schema)
    if json.dumps(lower(schema, target, strict).schema) != json.dumps(lowered.schema):
        tally.fault("5 the same bytes", schema, lowered.schema)
    for loss in lowered.losses:
        try:
            _at(schema, loss.pointer)
        except (KeyError, IndexError, TypeError):
            tally.fault("7 a loss names its node", schema, loss)


def _check_value(
    schema: Any, lowered: Lowered, source: Values, validators: tuple[Any, Any, Any], tally: Tally
) -> None:
    accepts, closed_accepts, wire_accepts = validators
    value = next((v for v in (source.draw() for _ in range(12)) if accepts(v)), tally)
    if value is tally:
        return
    wire = lowered.lens.put(value)
    declared = closed_accepts(value)
    tally.values += declared
    if not wire_accepts(wire):
        if declared:
            detail = (value, wire, lowered.schema)
            tally.fault("2 the lowered schema accepts put(v)", schema, detail)
        return
    back = lowered.lens.get(wire)
    if isinstance(back, Failure) or not json_equal(bare(schema, back), bare(schema, value)):
        tally.fault("2 get(put(v)) equals v", schema, (value, wire, back))
        return
    tally.reached += declared
    _check_places(schema, lowered, value, wire, tally)


def _check_places(schema: Any, lowered: Lowered, value: Any, wire: Any, tally: Tally) -> None:
    """A value at the place of a path is lifted to that path, or rejected there or above.

    A path into a value that is one text on the wire is nowhere closer than at that text.
    """
    for path in paths(value):
        at = lowered.lens.wire_path(path, wire)
        own = lowered.lens.own_path(at, wire)
        if own != path[: len(own)] or not _is_written(lowered, wire, own, at):
            tally.fault("paths are found on the wire and back", schema, (path, at, own, wire))


def _is_written(lowered: Lowered, wire: Any, path: Path, at: Path) -> bool:
    try:
        lifted = lowered.lens.get(_written(wire, at))
    except (LookupError, TypeError, AttributeError):  # there is no such place
        return False
    if isinstance(lifted, Failure):
        return any(path[: len(issue.path)] == issue.path for issue in lifted.issues)
    return value_at(lifted, path) is WRITTEN


def paths(data: Any, at: Path = ()) -> Iterator[Path]:
    """Every path of JSON data, parents first."""
    yield at
    if isinstance(data, dict | list):
        for step, each in data.items() if isinstance(data, dict) else enumerate(data):
            yield from paths(each, (*at, step))


def _written(data: Any, at: Path) -> Any:
    """A copy with something else at a place."""
    if not at:
        return WRITTEN
    copy = data.copy()
    copy[at[0]] = _written(data[at[0]], at[1:])
    return copy


def value_at(data: Any, path: Path) -> Any:
    """Return the value at a path."""
    for step in path:
        data = data[step]
    return data


def bare(schema: Any, value: Any) -> Any:
    """Without nulls: one that is its property's default counts as absent."""
    if "default" not in json.dumps(schema):
        return value
    if isinstance(value, dict):
        return {key: bare(schema, each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [bare(schema, each) for each in value]
    return value


def _check_wire(
    schema: Any, lowered: Lowered, source: Values, accepts: Any, wire_accepts: Any, tally: Tally
) -> None:
    wire = next((v for v in (source.draw() for _ in range(6)) if wire_accepts(v)), tally)
    if wire is tally:
        return
    tally.wire_values += 1
    try:
        back = lowered.lens.get(wire)
        lowered.lens.wire_path(("q", 0, "a"), wire)
    except Exception as error:  # noqa: BLE001 - the law is that nothing is raised
        tally.fault("3 get never raises", schema, (repr(error), wire, lowered.schema))
        return
    fits = not isinstance(back, Failure) and accepts(back)
    tally.lifted += fits
    if not fits and not lowered.losses:
        tally.fault("4 no losses: the same values", schema, (wire, lowered.schema))
