"""The tools' section of a file that people and agents read: `CLAUDE.md`, `AGENTS.md`, a README.

It stands between two markers; nothing else in the file is touched. The schemas in it are those
that an export sends, from the same function, one block for each schema that providers see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from hashlib import sha256
from typing import Any, Final

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.lowering import Strict
from toolhaft.lowering.plan import Plan, plan
from toolhaft.review.diff import Change, diff
from toolhaft.review.lock import Definitions, read_lock, write_lock
from toolhaft.review.markdown import cell, code_span, escape_json, json_block, prose
from toolhaft.schema.summary import type_of
from toolhaft.toolset.planning import declare
from toolhaft.toolset.toolset import Toolset

__all__ = [
    "BEGIN",
    "END",
    "ManifestError",
    "SectionEdited",
    "describe",
    "list_changes",
    "replace_section",
    "require_unedited",
    "unified_difference",
    "write_section",
]

BEGIN: Final = "<!-- toolhaft:begin -->"
END: Final = "<!-- toolhaft:end -->"
NOTE: Final = "<!-- Written by `toolhaft manifest`; edit the tools, not this. -->"
TARGETS: Final = ("anthropic", "gemini", "openai")
# The definitions that the section was written from, so that `--check` can name tool and pointer.
LOCK: Final = re.compile(r"<!-- toolhaft:lock (?P<lock>\{.*\})(?: (?P<digest>[0-9a-f]{16}))? -->")


class ManifestError(ToolhaftError):
    """The markers of a file cannot be used."""


class SectionEdited(ManifestError):
    """The section of a file was edited by hand."""

    def __init__(self, where: str) -> None:
        super().__init__(f"{where}: the section was edited; replace it with --force")


def write_section(tools: Toolset, targets: Sequence[str] = TARGETS, strict: Strict = False) -> str:
    """Write the section, markers included; the same tools give the same bytes.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> print(write_section(Toolset([double]))[:113])
    <!-- toolhaft:begin -->
    <!-- Written by `toolhaft manifest`; edit the tools, not this. -->
    <BLANKLINE>
    ## Tools
    <BLANKLINE>
    ### double
    """
    targets = sorted(targets) or list(TARGETS)
    plans = {target: _plan_tools(tools, target, strict) for target in targets}
    ordered = sorted(tools, key=lambda tool: tool.name)
    parts = [_write_tool(tool, plans) for tool in ordered]
    lock = escape_json(jsontext.write(write_lock(tools)))
    body = "\n\n".join([f"{BEGIN}\n{NOTE}", "## Tools", *parts])
    return f"{body}\n\n<!-- toolhaft:lock {lock} {_digest(body)} -->\n{END}"


def _digest(body: str) -> str:
    """Return a short digest of a section as it was written, whatever its line ends."""
    return sha256("".join(body.split("\r")).rstrip("\n").encode()).hexdigest()[:16]


def require_unedited(text: str, where: str) -> None:
    """Refuse to overwrite a section that was edited since it was written.

    Raises:
        ManifestError: The markers cannot be used, or the text between them was edited.
    """
    span = _find_section(text, where)
    if span is None:
        return
    lock = LOCK.search(text, *span)
    if lock is None or lock["digest"] not in (None, _digest(text[span[0] : lock.start()])):
        raise SectionEdited(where)


def describe(
    tools: Toolset, targets: Sequence[str] = TARGETS, strict: Strict = False
) -> list[dict[str, Any]]:
    """Return the content of the section as JSON data."""
    plans = {target: _plan_tools(tools, target, strict) for target in sorted(targets) or TARGETS}
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "targets": {target: _as_sent(tool.name, planned) for target, planned in plans.items()},
        }
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]


def _as_sent(name: str, planned: Plan) -> dict[str, Any] | None:
    """Return a tool's name and schema on the wire, or None if the target cannot take it."""
    sent = next((tool for tool in planned.tools if tool.name == name), None)
    if sent is None:
        return None
    return {"name": sent.wire_name, "strict": sent.strict, "schema": sent.lowered.schema}


def replace_section(text: str, new_section: str, where: str) -> str:
    """Put a section in its place, or at the end of a file that has none.

    Raises:
        ManifestError: One marker is missing, or they stand more than once or in the wrong order.
    """
    span = _find_section(text, where)
    end_of_line = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    if span is None:
        blank = "" if not text or text.endswith(("\n\n", "\n\r\n")) else "\n"
        gap = blank if text.endswith("\n") else 2 * blank
        return text + f"{gap}{new_section}\n".replace("\n", end_of_line)
    new_section = new_section.replace("\n", end_of_line)
    start, end = span
    return text[:start] + new_section + text[end:]


def list_changes(text: str, tools: Toolset, where: str) -> list[Change]:
    """List the changes of the tools since a file's section was written.

    Raises:
        ManifestError: The markers cannot be used, or the text between them was edited.
    """
    span = _find_section(text, where)
    current = read_lock(write_lock(tools))
    stored: Definitions = {}
    if span is not None:
        lock = LOCK.search(text, *span)
        if lock is None:
            raise SectionEdited(where)
        stored = read_lock(json.loads(lock["lock"]))
    return diff(stored, current)


def unified_difference(text: str, expected: str, where: str) -> str:
    """Write the difference between a file as it is and as it should be; empty if they are equal."""
    lines = unified_diff(
        _without_lock(text).splitlines(keepends=True),
        _without_lock(expected).splitlines(keepends=True),
        where,
        f"{where} (as the tools are)",
    )
    return "".join(lines)


def _without_lock(text: str) -> str:
    """Remove the line that only programs read."""
    return LOCK.sub("", text)


def _find_section(text: str, where: str) -> tuple[int, int] | None:
    counts = text.count(BEGIN), text.count(END)
    if counts == (0, 0):
        return None
    start, end = text.find(BEGIN), text.find(END) + len(END)
    if counts != (1, 1) or end <= start:
        reason = f"expected one {BEGIN} and one {END} after it"
        raise ManifestError(f"{where}: {reason}; repair the markers")
    return start, end


def _plan_tools(tools: Toolset, target: str, strict: Strict) -> Plan:
    return plan((declare(tool, strict) for tool in tools), target)


def _write_tool(tool: Any, plans: Mapping[str, Plan]) -> str:
    schema = tool.input_schema.json_schema()
    parts = [
        f"### {tool.name}",
        prose(tool.description.strip()),
        *_write_parameters(schema),
        *_write_result(tool),
    ]
    return "\n\n".join([*parts, *_write_schemas(tool.name, plans)])


def _write_parameters(schema: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    rows = [
        f"| {code_span(name)} | {cell(type_of(node))} | {'yes' if name in required else 'no'} | "
        f"{cell(node.get('description', '') if isinstance(node, dict) else '')} |"
        for name, node in schema.get("properties", {}).items()
    ]
    if rows:
        yield "\n".join(["| parameter | type | required | |", "|---|---|---|---|", *rows])


def _write_result(tool: Any) -> Iterator[str]:
    output = tool.output_schema
    if output is not None:
        yield f"Returns: {prose(type_of(output.json_schema(mode='output')))}."


def _write_schemas(name: str, plans: Mapping[str, Plan]) -> Iterator[str]:
    """Write each schema that providers see, once, with their names."""
    targets_by_schema: dict[str, list[str]] = {}
    for target, planned in plans.items():
        tool_plan = next((tool for tool in planned.tools if tool.name == name), None)
        if tool_plan is None:
            targets_by_schema.setdefault("", []).append(target)
        else:
            alias = "" if tool_plan.wire_name == name else f" (as `{tool_plan.wire_name}`)"
            text = json_block(tool_plan.lowered.schema, indent=1)
            targets_by_schema.setdefault(text, []).append(f"{target}{alias}")
    for text, targets in targets_by_schema.items():
        listed = ", ".join(targets)
        yield f"{listed} see:\n\n{text}" if text else f"Not for {listed}."
