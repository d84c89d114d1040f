"""Plan what an export declares: its tools, the type of the answer, and the problems of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolhaft.errors import ToolhaftError
from toolhaft.lowering import Lowered, Strict
from toolhaft.lowering.dialects import has_strict
from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.loss import ExportError, LoweringUnsupported, Problem
from toolhaft.lowering.plan import Declaration, Plan, PlannedTool, plan
from toolhaft.tools.internals import input_schema_of
from toolhaft.toolset.final_answer import FinalAnswer, choose_form, make_answer_tool

if TYPE_CHECKING:
    from toolhaft.providers.provider import Provider
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.toolset import Toolset

__all__ = [
    "OnProblem", "check_choices", "declare", "ignored_strict", "plan_with_answer", "raise_problems",
    "refused_tools", "uncallable",
]  # fmt: skip

OnProblem: TypeAlias = Literal["drop", "raise", "keep"]


def declare(tool: AnyTool, strict: Strict = False) -> Declaration:
    """Declare a tool to the plan; its own `strict` comes before the export's."""
    tool_strict = tool.strict
    effective: Strict = strict if tool_strict is None else tool_strict
    effective = "require" if effective is True else effective
    schema = input_schema_of(tool)  # which a plan reads
    return Declaration(tool.name, tool.description, schema, effective, tool.defer)


def plan_with_answer(
    toolset: Toolset, target: str, strict: Strict, output: Any
) -> tuple[Plan, FinalAnswer | None]:
    """Plan the tools, and the answer in the target's own form or as one tool more.

    Raises:
        DefinitionError: The type of the answer cannot be used.
        ExportError: The target rejects it.
        LoweringUnsupported: It cannot be strict, with `strict="require"`.
        ToolhaftError: No model answers to the target.
    """
    declarations = [declare(tool, strict) for tool in toolset]
    if output is None:
        return plan(declarations, target), None
    answer = make_answer_tool(output, [declaration.name for declaration in declarations])
    declaration = declare(answer, strict or "prefer")
    form, reason = choose_form(declaration, target, beside_tools=bool(declarations))
    if form is not None:
        planned_form = PlannedTool(answer.name, answer.name, "", form)
        return plan(declarations, target, form), FinalAnswer(answer, planned_form, "")
    planned = plan([*declarations, declaration], target)
    errors = (problem for problem in planned.problems if problem.severity == "error")
    problems = [problem for problem in errors if problem.tool == answer.name]
    raise_problems(target, problems, strict, "raise")
    planned_tool = next(each for each in planned.tools if each.name == answer.name)
    return planned, FinalAnswer(answer, planned_tool, reason)


def refused_tools(toolset: Toolset, planned: Plan, problems: list[Problem]) -> list[PlannedTool]:
    """Plan the tools that the target refuses, to be sent as their authors wrote them."""
    names = {problem.tool for problem in problems if problem.tool} - {
        tool_plan.name for tool_plan in planned.tools
    }
    return [_plan_unlowered(toolset[name], planned.wires[name]) for name in names]


def _plan_unlowered(tool: AnyTool, wire_name: str) -> PlannedTool:
    lowered = Lowered(tool.input_schema.json_schema(), Lens(), ())
    return PlannedTool(tool.name, wire_name, tool.description, lowered)


def check_choices(strict: object, on_problem: object) -> None:
    """Refuse options of an export that are none of their choices.

    Raises:
        ToolhaftError: One is not.
    """
    for name, value, choices in (
        ("strict", strict, (False, True, "prefer", "require")),
        ("on_problem", on_problem, ("drop", "raise", "keep")),
    ):
        if value not in choices:
            listed = ", ".join(map(repr, choices))
            raise ToolhaftError(f"export: {name}: invalid value; use one of {listed}")


def ignored_strict(target: str, strict: Strict) -> Iterator[Problem]:
    """Warn that a target with one mode ignores `strict`."""
    if strict and not has_strict(target):
        reason = "there is one mode only; strict is ignored"
        yield Problem("", f"{target}.strict", reason, "leave strict out", severity="warning")


def uncallable(provider: Provider, tools: Iterable[AnyTool]) -> Iterator[Problem]:
    """Warn of tools that only code may call, where no code does."""
    for tool in tools:
        callers = tool.allowed_callers
        if callers and "direct" not in callers and not provider.runs_programs:
            reason = "only code may call it, and none does there"
            fix = "allow direct calls, or leave the tool out"
            rule = f"{provider.target}.allowed_callers"
            yield Problem("", rule, reason, fix, tool.name, severity="warning")


def raise_problems(
    target: str, problems: list[Problem], strict: Strict, on_problem: OnProblem
) -> None:
    """Raise the problems of an export, if it is not to go without the tools.

    Raises:
        LoweringUnsupported: It must be strict.
        ExportError: It asks for that.
    """
    if problems and strict == "require":
        first = problems[0]
        keyword = first.rule.partition(".")[2]
        details = first.pointer, keyword, first.reason, first.fix
        raise LoweringUnsupported(target, *details, first.tool)
    if problems and on_problem == "raise":
        raise ExportError(target, problems)
