"""Lowering: any schema to what one target takes, with a lens back and a list of losses."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from toolhaft.lowering.components import with_defs
from toolhaft.lowering.dialects import TARGETS as TARGETS
from toolhaft.lowering.dialects import dialect
from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.lenses.lens import IDENTITY
from toolhaft.lowering.linter import findings_of
from toolhaft.lowering.linter import lint as lint
from toolhaft.lowering.loss import Loss, LoweringUnsupported
from toolhaft.lowering.loss import Problem as Problem
from toolhaft.lowering.nodes.anything import NoValue, closed
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.node import lower_body, lower_node
from toolhaft.lowering.nodes.root import lower_root
from toolhaft.lowering.pointers import as_given
from toolhaft.lowering.references import references_of
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

__all__ = ["Lowered", "Strict", "lower"]

Strict: TypeAlias = Literal[False, "prefer", "require"]

_MOST_RUNS = 4


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema as a target takes it; `strict` says whether by the target's strict rules."""

    schema: dict[str, Any]
    lens: Lens
    losses: tuple[Loss, ...]
    strict: bool = False


def lower(schema: Mapping[str, Any] | bool, target: str, strict: Strict = False) -> Lowered:
    """Write a schema in the terms of a target.

    A schema that the target takes as it is goes out unchanged. Otherwise each node that it
    cannot carry is written in another shape with the same values (`encoded`), or its keyword
    moves into a description (`hinted`), or the loss is named for what it is.

    Raises:
        LoweringUnsupported: With `strict="require"`, where strict rules cannot be kept; and
            where two property keys would become the same.
        SchemaRefused: The schema refers outside of itself, or is without bounds.

    >>> lowered = lower({"type": "object", "additionalProperties": {"type": "integer"}},
    ...                 "openai", strict="require")
    >>> lowered.lens.get({"additional_properties": [{"key": "a", "value": 1}]})
    {'a': 1}
    """
    faults = faults_of(schema) and faults_of(with_defs(schema))
    if faults:
        raise SchemaRefused(faults)
    if not strict:
        return _lowered(schema, dialect(target))
    try:
        return _lowered(schema, dialect(target, strict=True))
    except LoweringUnsupported as refused:
        if strict == "require" or refused.keyword == "properties":
            raise
        plain = _lowered(schema, dialect(target))
        detail = f"not strict: {refused.keyword}: {refused.reason}"
        loss = Loss(refused.pointer, "strict", "widened", detail)
        return Lowered(plain.schema, plain.lens, (loss, *plain.losses))


def _lowered(schema: Mapping[str, Any] | bool, rules: Dialect) -> Lowered:
    if isinstance(schema, Mapping) and not findings_of(schema, rules):
        return Lowered(copy.deepcopy(dict(schema)), Lens(), (), rules.strict)
    root = normalise({} if schema is True else with_defs(schema))
    run, carried = _settled(root, rules)
    wire = _with_definitions(run, carried.wire)
    losses = tuple(
        loss._replace(pointer=as_given(run.place(loss.pointer), schema)) for loss in run.losses
    )
    _check(wire, losses, rules)
    return Lowered(wire, Lens(carried.lens), losses, rules.strict)


def _settled(root: Any, rules: Dialect) -> tuple[LoweringContext, LoweredNode]:
    """Lower until what was assumed of definitions that recur is what came out."""
    references = references_of(root)
    changed: dict[str, dict[str, Any]] = {}
    runs = 0
    while True:
        run = LoweringContext(root, rules, lower_node, lower_body, references, changed)
        carried = _root_of(run)
        found = _rewritten(run)
        if found == changed or runs == _MOST_RUNS:
            return run, carried
        runs += 1
        # Where it does not settle, nothing is assumed of them: more is tagged than need be.
        nothing: dict[str, dict[str, Any]] = {key: {} for key in (*changed, *found)}
        changed = nothing if runs == _MOST_RUNS else found


def _rewritten(run: LoweringContext) -> dict[str, dict[str, Any]]:
    """The definitions whose values are not written as they are."""
    changed = [key for key, lens in run.lenses.items() if lens is not IDENTITY]
    return {key: run.definitions[run.names[key]] for key in changed}


def _root_of(run: LoweringContext) -> LoweredNode:
    try:
        return lower_root(run)
    except NoValue as nothing:
        run.lose(nothing.at, "false", "unsupported", "no value is valid here")
        return LoweredNode(closed(run, {}))


def _with_definitions(run: LoweringContext, wire: dict[str, Any]) -> dict[str, Any]:
    used: dict[str, Any] = {}
    waiting: list[Any] = [wire]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            name = str(part.get("$ref", "")).rsplit("/", 1)[-1]
            if name in run.definitions and name not in used:
                used[name] = run.definitions[name]
                waiting.append(used[name])
    if not used:
        return wire
    kept = {name: run.definitions[name] for name in run.definitions if name in used}
    place = run.trait("definitions place")
    return {**wire, place: {"schemas": kept} if place == "components" else kept}


def _check(wire: dict[str, Any], losses: tuple[Loss, ...], rules: Dialect) -> None:
    """Strict rules are kept in full or not at all."""
    if not rules.strict:
        return
    for loss in losses:
        if loss.kind in ("unsupported", "narrowed"):
            fix = "change that part of the schema, or do without strict"
            raise LoweringUnsupported(rules.target, loss.pointer, loss.keyword, loss.detail, fix)
    for found in findings_of(wire, rules):
        keyword = found.rule.partition(".")[2]
        raise LoweringUnsupported(rules.target, found.pointer, keyword, found.reason, found.fix)
