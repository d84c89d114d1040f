"""Lowering: write a schema as one target takes it, with a lens back and a list of losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from toolhaft.definition.targets import Target
from toolhaft.jsonio.primitives import copy_data
from toolhaft.lowering.dialects import dialect
from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.lenses.lens import IDENTITY
from toolhaft.lowering.linter import find_problems
from toolhaft.lowering.linter import lint as lint
from toolhaft.lowering.loss import Loss, LoweringUnsupported
from toolhaft.lowering.loss import Problem as Problem
from toolhaft.lowering.nodes.anything import NoValue
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.node import lower_body, lower_node
from toolhaft.lowering.nodes.root import lower_root
from toolhaft.lowering.older_forms import components_to_defs, to_original_pointer
from toolhaft.schema.components import view_of
from toolhaft.schema.document.reference_graph import ReferenceGraph
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.normalise import normalise

__all__ = ["Lowered", "Strict", "lower"]

# True is "require".
Strict: TypeAlias = bool | Literal["prefer", "require"]

_MOST_RUNS = 4


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema in a target's dialect.

    Attributes:
        schema: The schema that the target gets.
        lens: Converts arguments between the target's schema and yours.
        losses: Parts of the schema that the target cannot express.
        strict: Whether the schema follows the target's strict rules.
    """

    schema: dict[str, Any]
    lens: Lens
    losses: tuple[Loss, ...]
    strict: bool = False


def lower(schema: Mapping[str, Any] | bool, target: Target, strict: Strict = False) -> Lowered:
    """Write a schema in a target's dialect.

    A schema that the target accepts is returned unchanged. Otherwise each node that the target
    cannot express gets another shape with the same values (`encoded`), or its keyword moves into a
    description (`hinted`), or the loss is reported.

    Args:
        schema: A JSON Schema.
        target: The target, such as `openai`.
        strict: True or "require" for strict rules, "prefer" for strict rules if the schema allows
            them.

    Raises:
        LoweringUnsupported: The schema cannot follow strict rules, with `strict="require"`; or two
            property keys would become the same.
        SchemaRefused: The schema has a remote reference or exceeds a limit.

    >>> lowered = lower({"type": "object", "additionalProperties": {"type": "integer"}},
    ...                 "openai", strict="require")
    >>> lowered.lens.get({"additional_properties": [{"key": "a", "value": 1}]})
    {'a': 1}
    """
    faults = view_of(schema).faults and view_of(components_to_defs(schema)).faults
    if faults:
        raise SchemaRefused(faults)
    if not strict:
        return _lower_by_rules(schema, dialect(target))
    try:
        return _lower_by_rules(schema, dialect(target, strict=True))
    except LoweringUnsupported as refused:
        if strict in (True, "require"):
            raise
        plain = _lower_by_rules(schema, dialect(target))
        detail = f"not strict: {refused.keyword}: {refused.reason}"
        loss = Loss(refused.pointer, "strict", "widened", detail)
        return Lowered(plain.schema, plain.lens, (loss, *plain.losses))


def _lower_by_rules(schema: Mapping[str, Any] | bool, rules: Dialect) -> Lowered:
    if isinstance(schema, Mapping) and not find_problems(schema, rules):
        return Lowered(copy_data(dict(schema)), Lens(), (), rules.strict)
    root = normalise({} if schema is True else components_to_defs(schema))
    context, lowered = _lower_until_stable(root, rules)
    wire = _add_definitions(context, lowered.wire)
    losses = tuple(
        loss._replace(pointer=to_original_pointer(context.place(loss.pointer), schema))
        for loss in context.losses
    )
    _require_strict(wire, losses, rules)
    return Lowered(wire, Lens(lowered.lens), losses, rules.strict)


def _lower_until_stable(root: Any, rules: Dialect) -> tuple[LoweringContext, LoweredNode]:
    """Lower again until the recursive definitions equal the previous pass's assumptions."""
    graph = ReferenceGraph(root)
    changed: dict[str, dict[str, Any]] = {}
    runs = 0
    while True:
        context = LoweringContext(root, rules, lower_node, lower_body, graph, changed)
        lowered = _lower_root(context)
        rewritten = _rewritten_definitions(context)
        if rewritten == changed or runs == _MOST_RUNS:
            return context, lowered
        runs += 1
        # If they do not become stable, no definition is assumed; more branches are tagged than need
        # be.
        unknown: dict[str, dict[str, Any]] = {key: {} for key in (*changed, *rewritten)}
        changed = unknown if runs == _MOST_RUNS else rewritten


def _rewritten_definitions(context: LoweringContext) -> dict[str, dict[str, Any]]:
    """Return the definitions whose values have another form on the wire."""
    changed = [key for key, lens in context.lenses.items() if lens is not IDENTITY]
    return {key: context.definitions[context.names[key]] for key in changed}


def _lower_root(context: LoweringContext) -> LoweredNode:
    try:
        return lower_root(context)
    except NoValue as no_value:
        context.add_loss(no_value.at, "false", "unsupported", "no value is valid here")
        return LoweredNode(context.closed_object({}))


def _add_definitions(context: LoweringContext, wire: dict[str, Any]) -> dict[str, Any]:
    used: dict[str, Any] = {}
    waiting: list[Any] = [wire]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            name = str(part.get("$ref", "")).rsplit("/", 1)[-1]
            if name in context.definitions and name not in used:
                used[name] = context.definitions[name]
                waiting.append(used[name])
    if not used:
        return wire
    definitions = {name: context.definitions[name] for name in context.definitions if name in used}
    place = context.trait("definitions place")
    return {**wire, place: {"schemas": definitions} if place == "components" else definitions}


def _require_strict(wire: dict[str, Any], losses: tuple[Loss, ...], rules: Dialect) -> None:
    """Raise for a loss or a finding that strict rules do not allow."""
    if not rules.strict:
        return
    for loss in losses:
        if loss.kind in ("unsupported", "narrowed"):
            fix = "change that part of the schema, or do without strict"
            raise LoweringUnsupported(rules.target, loss.pointer, loss.keyword, loss.detail, fix)
    for problem in find_problems(wire, rules):
        keyword = problem.rule.partition(".")[2]
        raise LoweringUnsupported(
            rules.target, problem.pointer, keyword, problem.reason, problem.fix
        )
