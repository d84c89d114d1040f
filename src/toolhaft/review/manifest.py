"""The tools' section of a file that people and agents read: `CLAUDE.md`, `AGENTS.md`, a README.

It stands between two markers; nothing else in the file is touched. The schemas in it are those
that an export sends, from the same function, one block for each schema that providers see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any, Final

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.lowering.plan import Declaration, Plan, plan
from toolhaft.review.diff import Change, diff
from toolhaft.review.lock import Definitions, locked
from toolhaft.review.lock import read as read_lock
from toolhaft.schema.summary import type_of
from toolhaft.toolset.toolset import Toolset

__all__ = ["BEGIN", "END", "ManifestError", "changes", "section", "unified", "with_section"]

BEGIN: Final = "<!-- toolhaft:begin -->"
END: Final = "<!-- toolhaft:end -->"
NOTE: Final = "<!-- Written by `toolhaft manifest`; edit the tools, not this. -->"
TARGETS: Final = ("anthropic", "gemini", "openai")
# What the section itself was written from, so that `--check` can name tool and pointer.
LOCK: Final = re.compile(r"<!-- toolhaft:lock (?P<lock>\{.*\}) -->")


class ManifestError(ToolhaftError):
    """A file's markers cannot be used: which file, and why."""


def section(tools: Toolset, targets: Sequence[str] = TARGETS) -> str:
    """Write the section, markers included; the same tools give the same bytes.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> print(section(Toolset([double]))[:113])
    <!-- toolhaft:begin -->
    <!-- Written by `toolhaft manifest`; edit the tools, not this. -->
    <BLANKLINE>
    ## Tools
    <BLANKLINE>
    ### double
    """
    targets = sorted(targets) or list(TARGETS)
    plans = {target: _planned(tools, target) for target in targets}
    ordered = sorted(tools, key=lambda one: one.name)
    parts = [_tool(one, plans) for one in ordered]
    lock = jsontext.write(locked(tools)).replace("--", "\\u002d\\u002d")
    closing = f"<!-- toolhaft:lock {lock} -->\n{END}"
    return "\n\n".join([f"{BEGIN}\n{NOTE}", "## Tools", *parts, closing])


def with_section(text: str, written: str, where: str) -> str:
    """Put a section in its place, or at the end of a file that has none.

    Raises:
        ManifestError: One marker is missing, or they stand more than once or in the wrong order.
    """
    found = _found(text, where)
    if found is None:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{written}\n"
    start, end = found
    return text[:start] + written + text[end:]


def changes(text: str, tools: Toolset, where: str) -> list[Change]:
    """List what changed in the tools since a file's section was written.

    Raises:
        ManifestError: The markers cannot be used, or what stands between them was edited.
    """
    found = _found(text, where)
    now = read_lock(locked(tools))
    then: Definitions = {}
    if found is not None:
        lock = LOCK.search(text, *found)
        if lock is None:
            raise ManifestError(f"{where}: the section was edited; write it anew with --force")
        then = read_lock(json.loads(lock["lock"]))
    return diff(then, now)


def unified(text: str, expected: str, where: str) -> str:
    """The difference between a file as it is and as it should be; empty where there is none."""
    lines = unified_diff(
        _visible(text).splitlines(keepends=True),
        _visible(expected).splitlines(keepends=True),
        where,
        f"{where} (as the tools are)",
    )
    return "".join(lines)


def _visible(text: str) -> str:
    """A file without the line that only programs read."""
    return LOCK.sub("", text)


def _found(text: str, where: str) -> tuple[int, int] | None:
    counts = text.count(BEGIN), text.count(END)
    if counts == (0, 0):
        return None
    start, end = text.find(BEGIN), text.find(END) + len(END)
    if counts != (1, 1) or end <= start:
        reason = f"expected one {BEGIN} and one {END} after it"
        raise ManifestError(f"{where}: {reason}; repair the markers")
    return start, end


def _planned(tools: Toolset, target: str) -> Plan:
    return plan(
        (Declaration(t.name, t.description, t.input_schema.json_schema()) for t in tools), target
    )


def _tool(one: Any, plans: Mapping[str, Plan]) -> str:
    schema = one.input_schema.json_schema()
    parts = [f"### {one.name}", one.description.strip(), *_parameters(schema), *_result(one)]
    return "\n\n".join([*parts, *_sent(one.name, plans)])


def _parameters(schema: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    rows = [
        f"| `{_cell(name)}` | {_cell(type_of(node))} | {'yes' if name in required else 'no'} | "
        f"{_cell(node.get('description', '') if isinstance(node, dict) else '')} |"
        for name, node in schema.get("properties", {}).items()
    ]
    if rows:
        yield "\n".join(["| parameter | type | required | |", "|---|---|---|---|", *rows])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _result(one: Any) -> Iterator[str]:
    output = one.output_schema
    if output is not None:
        yield f"Gives {type_of(output.json_schema(mode='output'))}."


def _sent(name: str, plans: Mapping[str, Plan]) -> Iterator[str]:
    """Each schema that providers see, once, with those who see it."""
    seen: dict[str, list[str]] = {}
    for target, planned in plans.items():
        found = next((tool for tool in planned.tools if tool.name == name), None)
        if found is None:
            seen.setdefault("", []).append(target)
        else:
            called = "" if found.wire_name == name else f" (as `{found.wire_name}`)"
            text = json.dumps(found.lowered.schema, indent=1, ensure_ascii=False)
            seen.setdefault(text, []).append(f"{target}{called}")
    for text, targets in seen.items():
        listed = ", ".join(targets)
        yield f"{listed} see:\n\n```json\n{text}\n```" if text else f"Not for {listed}."
