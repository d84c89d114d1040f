"""Plan a whole request: names, counts and budgets over all its tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from toolhaft.definition.names import NameMap, NameRule
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import copy_data
from toolhaft.lowering import Lowered, Strict, lower
from toolhaft.lowering.dialects import dialect
from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.limits import BUDGETS, measure_schema
from toolhaft.lowering.loss import Loss, LoweringUnsupported, Problem
from toolhaft.schema.faults import SchemaRefused

__all__ = ["Declaration", "Plan", "PlannedTool", "clear_cache", "lower_cached", "plan"]

NO_COST: Mapping[str, int] = MappingProxyType({})


class Declaration(NamedTuple):
    """A tool as the request declares it: name, description, schema, and whether strict.

    One that is `deferred` does not count among the tools of a request.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    strict: Strict = False
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class PlannedTool:
    """A tool with its name on the wire and its lowered schema."""

    name: str
    wire_name: str
    description: str
    lowered: Lowered

    @property
    def schema(self) -> dict[str, Any]:
        """A fresh copy of the lowered schema."""
        return copy_data(self.lowered.schema)

    @property
    def strict(self) -> bool:
        """Whether the schema keeps the target's strict rules."""
        return self.lowered.strict

    @property
    def description_field(self) -> dict[str, str]:
        """Return the description as a field of a declaration, or nothing if it is empty."""
        return {"description": self.description} if self.description else {}


@dataclass(frozen=True, slots=True)
class Plan:
    """All tools that can be declared, in name order, with the request's problems and losses.

    `losses` and `problems` name their tool; a tool that cannot be lowered is among the problems
    alone. `wires` has the name on the wire of every tool, and `strict` is whether the request as a
    whole may be strict.
    """

    tools: tuple[PlannedTool, ...]
    losses: tuple[Loss, ...]
    problems: tuple[Problem, ...]
    strict: bool
    wires: Mapping[str, str]

    @property
    def names(self) -> dict[str, str]:
        """The tool of each name on the wire."""
        return {tool.wire_name: tool.name for tool in self.tools}


def plan(declarations: Iterable[Declaration], target: str, answer: Lowered | None = None) -> Plan:
    """Lower every tool and fit them into one request of the target.

    If strict tools exceed a budget, the tools that cost most of it are sent plain; the order is by
    cost and then by name, so that the same tools always give the same request. The schema of an
    answer in the same request has its part of the budgets first.

    >>> planned = plan([Declaration("geo.find", "Find a place.", {"type": "object"})], "openai")
    >>> planned.names
    {'geo_find': 'geo.find'}
    """
    rules = dialect(target)
    ordered = sorted(declarations, key=lambda each: each.name)
    lowered, costs, problems = _lower_each(ordered, target)
    strict_rules = dialect(target, strict=True)
    demoted, refusals = _demote_strict(ordered, lowered, costs, strict_rules, answer)
    problems += refusals
    for problem in refusals:
        del lowered[problem.tool]
    for name, reason in demoted.items():
        lowered[name] = _lower_plain(ordered, name, target, reason)
    names = NameMap((each.name for each in ordered), _name_rule(rules)).wires
    tools = tuple(
        PlannedTool(each.name, names[each.name], each.description, lowered[each.name])
        for each in ordered
        if each.name in lowered
    )
    losses = tuple(loss._replace(tool=each.name) for each in tools for loss in each.lowered.losses)
    deferred = sum(each.deferred and each.name in lowered for each in ordered)
    problems += _check_request(tools, rules, len(tools) - deferred)
    strict = bool(tools) and all(tool.lowered.strict for tool in tools)
    return Plan(tools, losses, tuple(problems), strict, names)


def _lower_each(
    declarations: list[Declaration], target: str
) -> tuple[dict[str, Lowered], dict[str, Mapping[str, int]], list[Problem]]:
    """Lower each tool by itself, with its cost; a tool that cannot be lowered becomes problems."""
    lowered: dict[str, Lowered] = {}
    costs: dict[str, Mapping[str, int]] = {}
    problems: list[Problem] = []
    for each in declarations:
        try:
            schema, strict = each.schema, each.strict
            lowered[each.name], costs[each.name] = _lower_with_cost(schema, target, strict)
        except LoweringUnsupported as refused:
            problems.append(refused.named(each.name).problem)
        except SchemaRefused as refused:
            problems += [
                Problem(*_fault_fields(target, fault), each.name) for fault in refused.faults
            ]
    return lowered, costs, problems


class _SchemaKey:
    """A schema as a key of the cache: equal where its JSON text is."""

    __slots__ = ("schema", "text")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self.text = jsontext.write(schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SchemaKey) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def lower_cached(schema: Mapping[str, Any], target: str, strict: Strict) -> Lowered:
    """Lower a schema, or give the cached result; it is shared and must not be changed."""
    return _lower_with_cost(schema, target, strict)[0]


def _lower_with_cost(
    schema: Mapping[str, Any], target: str, strict: Strict
) -> tuple[Lowered, Mapping[str, int]]:
    """Lower a schema, and count what it takes of the budgets of strict tools."""
    try:
        key = _SchemaKey(schema)
    except ValueError:  # not JSON, or nested without bounds: lowering rejects it
        lowered = lower(schema, target, strict)
        return lowered, _cost(lowered)
    return _lower_key(key, target, strict)


def clear_cache() -> None:
    """Forget all lowered schemas: for measuring, and to free memory."""
    _lower_key.cache_clear()


@lru_cache(maxsize=4096)
def _lower_key(key: _SchemaKey, target: str, strict: Strict) -> tuple[Lowered, Mapping[str, int]]:
    lowered = lower(copy_data(key.schema), target, strict)
    return lowered, _cost(lowered)


def _fault_fields(target: str, fault: Any) -> tuple[str, str, str, str]:
    return fault.pointer, f"{target}.schema", fault.reason, fault.fix


def _name_rule(rules: Dialect) -> NameRule:
    length = rules.limit("name length") or 64
    return NameRule(
        rules.request_text("name characters", "[A-Za-z0-9_-]"),
        length,
        rules.request_text("name first", ""),
    )


def _demote_strict(
    declarations: list[Declaration],
    lowered: Mapping[str, Lowered],
    costs: Mapping[str, Mapping[str, int]],
    rules: Dialect,
    answer: Lowered | None,
) -> tuple[dict[str, str], list[Problem]]:
    """Find the strict tools that must be sent plain, each with its reason."""
    requested: dict[str, Strict] = {each.name: each.strict for each in declarations}
    strict = [name for name in lowered if lowered[name].strict]
    if rules.request_text("strict scope", "tool") == "request" and len(strict) < len(lowered):
        return _demote_all(rules, strict, requested)
    order = sorted(strict, key=lambda n: (requested[n] != "require", sum(costs[n].values()), n))
    spent = dict.fromkeys((*BUDGETS, "strict tools"), 0)
    if answer is not None and answer.strict:
        spent |= {**_cost(answer), "strict tools": 0}
    demoted: dict[str, str] = {}
    problems: list[Problem] = []
    for name in order:
        exceeded = _exceeded_budget(spent, costs[name], rules)
        if exceeded and requested[name] == "require":
            fix = "ask for strict where it matters most, or send fewer tools"
            problems.append(_problem(rules, exceeded, _budget_reason(rules, exceeded), fix, name))
        elif exceeded:
            demoted[name] = _budget_reason(rules, exceeded)
        if not exceeded:
            spent = {key: spent[key] + costs[name][key] for key in spent}
    if demoted and rules.request_text("strict scope", "tool") == "request":
        demoted = {name: next(iter(demoted.values())) for name in strict}
    return demoted, problems


def _demote_all(
    rules: Dialect, strict: list[str], requested: Mapping[str, Strict]
) -> tuple[dict[str, str], list[Problem]]:
    """Send every tool plain; one that must not be is a problem."""
    reason = "strictness is the whole request's, and not every tool is strict"
    fix = "ask the other tools to be strict too, or send them in another request"
    required = [name for name in strict if requested[name] == "require"]
    problems = [_problem(rules, "strict scope", reason, fix, name) for name in required]
    return {name: reason for name in strict if name not in required}, problems


def _cost(lowered: Lowered) -> Mapping[str, int]:
    if not lowered.strict:
        return NO_COST
    sizes = measure_schema(lowered.schema)
    return {rule: sizes[size] for rule, size in BUDGETS.items()} | {"strict tools": 1}


def _exceeded_budget(spent: Mapping[str, int], cost: Mapping[str, int], rules: Dialect) -> str:
    """Return the first budget that a further tool would exceed, or an empty text."""
    for key, most in ((key, rules.limit(key)) for key in spent):
        if most is not None and spent[key] + cost[key] > most:
            return key
    return ""


def _problem(rules: Dialect, rule: str, reason: str, fix: str, tool: str = "") -> Problem:
    return Problem("", f"{rules.target}.{rule}", reason, fix, tool)


def _budget_reason(rules: Dialect, budget: str) -> str:
    counted = BUDGETS.get(budget, "tools")
    return f"past {rules.limit(budget)} {counted} in strict tools"


def _lower_plain(declarations: list[Declaration], name: str, target: str, reason: str) -> Lowered:
    schema = next(each.schema for each in declarations if each.name == name)
    lowered = lower_cached(schema, target, False)
    loss = Loss("", "strict", "widened", f"not strict: {reason}")
    return replace(lowered, losses=(loss, *lowered.losses))


def _check_request(tools: tuple[PlannedTool, ...], rules: Dialect, count: int) -> list[Problem]:
    """Check counts and lengths that the target was seen to reject."""
    problems: list[Problem] = []
    most = rules.limit("tools")
    if most is not None and count > most:
        fix = f"select at most {most} tools for one request"
        reason = f"{count} tools in one request, at most {most}"
        problems.append(_problem(rules, "tools", reason, fix))
    longest = rules.limit("description length")
    for tool in tools:
        if longest is not None and len(tool.description) > longest:
            reason = f"description of {len(tool.description)} characters, at most {longest}"
            problem = _problem(rules, "description length", reason, "shorten it", tool.name)
            problems.append(problem._replace(severity="warning"))
    return problems
