"""The views of tools on the page: the list, one tool with its findings, and a target's declaration.

A target's view is that of one tool alone. The costs of a request with other tools, such as a
budget of strict schemas, are a matter of `toolhaft export`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from toolhaft.agents.scripted import WRITERS
from toolhaft.agents.scripted.writer import Said
from toolhaft.call.types import ToolCall
from toolhaft.definition.targets import TARGETS, Target
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.lowering import Strict
from toolhaft.lowering.loss import LoweringUnsupported
from toolhaft.review.checks import check
from toolhaft.review.checks.subject import Subject
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.decisions import Decisions
from toolhaft.serve.document import describe, is_read_only
from toolhaft.tools.internals import may_wait
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.export import Export
from toolhaft.toolset.toolset import Toolset

__all__ = ["View", "describe_tool", "list_tools", "read_inbox", "survey", "view_target"]

STRICT: Final[tuple[Strict, ...]] = (False, "prefer", "require")
BYTES_OF_TOKEN: Final = 4  # as `toolhaft check` counts
MODEL: Final = "model"


class View(NamedTuple):
    """A question about a target: its name, whether strict, and the arguments of a call as text."""

    target: Target
    strict: Strict
    text: str | None

    @classmethod
    def read(cls, asked: Mapping[str, Any]) -> View | None:
        """Read a request; None if there is no such target or mode."""
        target, strict, text = asked.get("target"), asked.get("strict", False), asked.get("text")
        is_text = isinstance(target, str) and isinstance(text, str | None)
        if not is_text or target not in TARGETS or strict not in STRICT:
            return None
        return cls(target, strict, text)


def list_tools(tools: Toolset) -> dict[str, Any]:
    """List the tools by name, each with what a row shows."""
    ordered = sorted(tools, key=lambda tool: tool.name)
    return {"tools": [_row(tool) for tool in ordered], "targets": list(TARGETS)}


def _row(tool: AnyTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "summary": tool.description.strip().partition("\n")[0],
        "acts": not is_read_only(tool),
        "waits": may_wait(tool),
    }


def describe_tool(tool: AnyTool) -> dict[str, Any]:
    """Describe one tool, with its examples, its findings, and its place in the code."""
    findings = check([Subject(tool, tool.origin)])
    return {
        **describe(tool),
        "examples": [to_json_data(example) for example in tool.examples or ()],
        "acts": not is_read_only(tool),
        "waits": may_wait(tool),
        "origin": tool.origin,
        "findings": [finding.as_json() for finding in findings],
    }


def survey(tools: Toolset, target: Target) -> dict[str, Any]:
    """Count the findings of each tool, and its tokens at a target."""
    counts: dict[str, dict[str, int]] = {tool.name: {} for tool in tools}
    for finding in check([Subject(tool, tool.origin) for tool in tools]):
        severities = counts[finding.tool]
        severities[finding.severity] = severities.get(finding.severity, 0) + 1
    return {
        tool.name: {"tokens": _tokens(_export(tool, target, "prefer")), **counts[tool.name]}
        for tool in tools
    }


def view_target(tool: AnyTool, view: View) -> dict[str, Any]:
    """Show what a target is sent of a tool and what is lost, and a call as it comes from there."""
    try:
        wire = _export(tool, view.target, view.strict)
    except LoweringUnsupported as error:
        return {"problems": [error.problem._asdict()], "losses": [], "declaration": None}
    return {
        "declaration": wire.tools[0] if wire.tools else None,
        "request": {key: value for key, value in wire.request.items() if key != "tools"},
        "tokens": _tokens(wire),
        "strict": [planned.strict for planned in wire.planned],
        "losses": [loss._asdict() for loss in wire.losses],
        "problems": [problem._asdict() for problem in wire.problems],
        "call": _call(wire, view),
    }


def _export(tool: AnyTool, target: Target, strict: Strict) -> Export:
    return Export(Toolset([tool]), target, strict=strict)


def _tokens(wire: Export) -> int | None:
    """Estimate the tokens of a declaration; None if the target refuses the tool."""
    return len(jsontext.write(wire.tools).encode()) // BYTES_OF_TOKEN if wire.tools else None


def _call(wire: Export, view: View) -> Any:
    """Write a call as a model of the target would; None for arguments that are no object."""
    if view.text is None or not wire.planned:
        return None
    try:
        arguments = jsontext.read(view.text)
    except jsontext.JsonSyntaxError:
        return None
    planned = wire.planned[0]
    if not isinstance(arguments, dict):
        return None
    sent = planned.lowered.lens.put(arguments)
    writer = WRITERS.get(view.target)
    if writer is None:
        return {"name": planned.wire_name, "arguments": sent}
    call = ToolCall("call_1", planned.wire_name, sent)
    return writer.response(Said(1, MODEL, "", (call,), None, None))


async def read_inbox(
    decisions: Decisions, catalogue: Catalogue, version: str | None, most: int
) -> dict[str, Any]:
    """Read the first calls that wait, the oldest first, their tools, and how many wait in all.

    With the version that the page has, nothing is sent again.
    """
    waiting = await decisions.find_waiting()
    ids = "".join(call.id for call in waiting)
    current = sha256(f"{id(catalogue.tools)} {most} {ids}".encode()).hexdigest()[:16]
    if version == current:
        return {"version": current, "unchanged": True}
    waiting = decisions.find_own(waiting)
    calls = list(decisions.describe_waiting(waiting[:most]))
    names = {call["prepared"]["name"] for call in calls}
    tools = {tool.name: _tool(tool) for tool in catalogue.tools if tool.name in names}
    shown = {"calls": _with_changes(calls), "tools": tools}
    return {"version": current, "waiting": len(waiting), **shown}


def _tool(tool: AnyTool) -> dict[str, Any]:
    examples = [to_json_data(example) for example in tool.examples or ()]
    return {**describe(tool), "examples": examples}


def _with_changes(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add the arguments of the caller's ask for the same tool before, if that waits too."""
    earlier: dict[tuple[str | None, str], Any] = {}
    shown: list[dict[str, Any]] = []
    for call in calls:
        asked = call.get("caller"), call["prepared"]["name"]
        shown.append({**call, "earlier": earlier.get(asked)})
        earlier[asked] = call["prepared"]["arguments"]
    return shown
