"""A whole request: names, counts and budgets over all its tools, and what gives way to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from toolhaft.definition.names import NameMap, NameRule
from toolhaft.jsonio import jsontext
from toolhaft.lowering import Lowered, Strict, lower
from toolhaft.lowering.dialects import dialect
from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.limits import sizes_of
from toolhaft.lowering.loss import Loss, LoweringUnsupported, Problem
from toolhaft.schema.faults import SchemaRefused

__all__ = ["Declaration", "Plan", "Planned", "forget", "lowered_once", "plan"]

# What a budget counts of one strict schema, by the name of its rule.
_BUDGETS = {"strict optional": "optional", "strict unions": "unions", "strict fields": "properties"}


class Declaration(NamedTuple):
    """What a request needs to know of a tool."""

    name: str
    description: str
    schema: Mapping[str, Any]
    strict: Strict = False


@dataclass(frozen=True, slots=True)
class Planned:
    """A tool as the request declares it."""

    name: str
    wire_name: str
    description: str
    lowered: Lowered

    @property
    def schema(self) -> dict[str, Any]:
        """A fresh copy of the lowered schema."""
        return deepcopy(self.lowered.schema)

    @property
    def strict(self) -> bool:
        """Whether the schema keeps the target's strict rules."""
        return self.lowered.strict

    @property
    def described(self) -> dict[str, str]:
        """The description as a member of a declaration; none where there is none."""
        return {"description": self.description} if self.description else {}


@dataclass(frozen=True, slots=True)
class Plan:
    """Every tool that can be declared, in name order, and what is wrong or lost.

    `losses` and `problems` name their tool; a tool that cannot be lowered is among the problems
    alone. `wires` has the name on the wire of every tool, `strict` says whether the request as a
    whole may be strict.
    """

    tools: tuple[Planned, ...]
    losses: tuple[Loss, ...]
    problems: tuple[Problem, ...]
    strict: bool
    wires: Mapping[str, str]

    @property
    def names(self) -> dict[str, str]:
        """The tool of each name on the wire."""
        return {tool.wire_name: tool.name for tool in self.tools}


def plan(declarations: Iterable[Declaration], target: str) -> Plan:
    """Lower every tool and fit them into one request of the target.

    Where strict tools pass a budget, those that cost most of it are sent plain; the order is by
    cost and then by name, so that the same tools always give the same request.

    >>> planned = plan([Declaration("geo.find", "Find a place.", {"type": "object"})], "openai")
    >>> planned.names
    {'geo_find': 'geo.find'}
    """
    rules = dialect(target)
    ordered = sorted(declarations, key=lambda each: each.name)
    lowered, problems = _lowered(ordered, target)
    demoted, refused = _demoted(ordered, lowered, dialect(target, strict=True))
    problems += refused
    for problem in refused:
        del lowered[problem.tool]
    for name, why in demoted.items():
        lowered[name] = _plain(ordered, name, target, why)
    names = NameMap((each.name for each in ordered), _name_rule(rules)).wires
    tools = tuple(
        Planned(each.name, names[each.name], each.description, lowered[each.name])
        for each in ordered
        if each.name in lowered
    )
    losses = tuple(it._replace(tool=each.name) for each in tools for it in each.lowered.losses)
    problems += _of_request(tools, rules)
    strict = bool(tools) and all(tool.lowered.strict for tool in tools)
    return Plan(tools, losses, tuple(problems), strict, names)


def _lowered(
    declarations: list[Declaration], target: str
) -> tuple[dict[str, Lowered], list[Problem]]:
    """Each tool by itself: one that cannot be lowered does not spoil the others."""
    found: dict[str, Lowered] = {}
    problems: list[Problem] = []
    for each in declarations:
        try:
            found[each.name] = lowered_once(each.schema, target, each.strict)
        except LoweringUnsupported as refused:
            problems.append(refused.named(each.name).problem)
        except SchemaRefused as refused:
            problems += [Problem(*_of_fault(target, fault), each.name) for fault in refused.faults]
    return found, problems


class _Written:
    """A schema that is known by its text."""

    __slots__ = ("schema", "text")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self.text = jsontext.write(schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Written) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def lowered_once(schema: Mapping[str, Any], target: str, strict: Strict) -> Lowered:
    """Lower a schema once for all requests; nobody may change the result."""
    try:
        written = _Written(schema)
    except ValueError:  # no JSON, or nested without bounds: lowering refuses it
        return lower(schema, target, strict)
    return _once(written, target, strict)


def forget() -> None:
    """Let go of everything that was lowered: for measuring, and to free memory."""
    _once.cache_clear()


@lru_cache(maxsize=4096)
def _once(written: _Written, target: str, strict: Strict) -> Lowered:
    return lower(deepcopy(written.schema), target, strict)


def _of_fault(target: str, fault: Any) -> tuple[str, str, str, str]:
    return fault.pointer, f"{target}.schema", fault.reason, fault.fix


def _name_rule(rules: Dialect) -> NameRule:
    length = rules.limit("name length") or 64
    return NameRule(
        rules.asks("name characters", "[A-Za-z0-9_-]"), length, rules.asks("name first", "")
    )


def _demoted(
    declarations: list[Declaration], lowered: Mapping[str, Lowered], rules: Dialect
) -> tuple[dict[str, str], list[Problem]]:
    """The strict tools that must be sent plain, each with the budget that they would pass."""
    wishes: dict[str, Strict] = {each.name: each.strict for each in declarations}
    strict = [name for name in lowered if lowered[name].strict]
    if rules.asks("strict scope", "tool") == "request" and len(strict) < len(lowered):
        return _none_strict(rules, strict, wishes)
    costs = {name: _cost(lowered[name]) for name in strict}
    order = sorted(strict, key=lambda n: (wishes[n] != "require", sum(costs[n].values()), n))
    spent = dict.fromkeys((*_BUDGETS, "strict tools"), 0)
    demoted: dict[str, str] = {}
    problems: list[Problem] = []
    for name in order:
        over = _over(spent, costs[name], rules)
        if over and wishes[name] == "require":
            fix = "ask for strict where it matters most, or send fewer tools"
            problems.append(_problem(rules, over, _why(rules, over), fix, name))
        elif over:
            demoted[name] = _why(rules, over)
        if not over:
            spent = {key: spent[key] + costs[name][key] for key in spent}
    if demoted and rules.asks("strict scope", "tool") == "request":
        demoted = {name: next(iter(demoted.values())) for name in strict}
    return demoted, problems


def _none_strict(
    rules: Dialect, strict: list[str], wishes: Mapping[str, Strict]
) -> tuple[dict[str, str], list[Problem]]:
    """Send every tool plain; one that must not be is a problem."""
    why = "strictness is the whole request's, and not every tool is strict"
    fix = "ask the other tools to be strict too, or send them in another request"
    musts = [name for name in strict if wishes[name] == "require"]
    problems = [_problem(rules, "strict scope", why, fix, name) for name in musts]
    return {name: why for name in strict if name not in musts}, problems


def _cost(lowered: Lowered) -> dict[str, int]:
    sizes = sizes_of(lowered.schema)
    return {rule: sizes[size] for rule, size in _BUDGETS.items()} | {"strict tools": 1}


def _over(spent: Mapping[str, int], cost: Mapping[str, int], rules: Dialect) -> str:
    """The first budget that a further tool would pass, or nothing."""
    for key, most in ((key, rules.limit(key)) for key in spent):
        if most is not None and spent[key] + cost[key] > most:
            return key
    return ""


def _problem(rules: Dialect, rule: str, reason: str, fix: str, tool: str = "") -> Problem:
    return Problem("", f"{rules.target}.{rule}", reason, fix, tool)


def _why(rules: Dialect, budget: str) -> str:
    return f"past {rules.limit(budget)} {budget.removeprefix('strict ')} in strict tools"


def _plain(declarations: list[Declaration], name: str, target: str, why: str) -> Lowered:
    schema = next(each.schema for each in declarations if each.name == name)
    lowered = lowered_once(schema, target, False)
    loss = Loss("", "strict", "widened", f"not strict: {why}")
    return replace(lowered, losses=(loss, *lowered.losses))


def _of_request(tools: tuple[Planned, ...], rules: Dialect) -> list[Problem]:
    """Counts and lengths that the target was seen to refuse."""
    problems: list[Problem] = []
    most = rules.limit("tools")
    if most is not None and len(tools) > most:
        fix = f"select at most {most} tools for one request"
        reason = f"{len(tools)} tools in one request, at most {most}"
        problems.append(_problem(rules, "tools", reason, fix))
    longest = rules.limit("description length")
    for tool in tools:
        if longest is not None and len(tool.description) > longest:
            reason = f"description of {len(tool.description)} characters, at most {longest}"
            found = _problem(rules, "description length", reason, "shorten it", tool.name)
            problems.append(found._replace(severity="warning"))
    return problems
