"""The summary of a batch as text, and commands to try next."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from toolhaft.batch.record import Record
from toolhaft.batch.summary import NamedLine, Summary
from toolhaft.cli.terminal import write_json
from toolhaft.loading.faults import one_line

__all__ = ["next_steps", "write_report"]

WIDTH = 80
NAME = "toolhaft"


def write_report(summary: Summary, seconds: float) -> str:
    """Write the summary as a few aligned lines."""
    return "\n".join(
        fill(text, WIDTH, initial_indent=f"{title:<14}", subsequent_indent=" " * 14)
        for title, text in _lines(summary, seconds)
    )


def _lines(summary: Summary, seconds: float) -> Iterator[tuple[str, str]]:
    counts = summary.as_json()
    rate = summary.rows / max(seconds, 1e-9)
    yield "calls", f"{summary.rows:,} in {seconds:.2f} s ({rate:,.0f} a second)"
    yield "accepted", f"{summary.accepted:,}, of them {counts['accepted_as_sent']:,} as sent"
    yield "repaired", _count_text(summary.repaired, counts["repaired_by_rule"])
    yield "refused", _count_text(summary.refused, counts["refused_by_code"])
    yield "unknown tool", _name_lines(counts["unknown_tool"], summary.named["unknown_tool"])
    yield "not a call", _name_lines(counts["invalid_rows"], summary.named["invalid"])
    if counts["ran"]:
        yield "ran", _count_text(summary.ran.total(), counts["ran"])


def _count_text(total: int, parts: Mapping[str, int]) -> str:
    listed = ", ".join(f"{name} {count:,}" for name, count in parts.items())
    return f"{total:,} ({listed})" if listed else f"{total:,}"


def _name_lines(total: int, lines: Sequence[NamedLine]) -> str:
    """Write how many rows there are, and where the first ones stand."""
    named = [f"{one_line(line.file)}:{line.line} {line.reason or ''}".strip() for line in lines]
    more = ["..."] if total > len(lines) else []
    return f"{total:,} ({', '.join([*named, *more])})" if total else "0"


def next_steps(tools: str, calls: str, example: Record | None) -> str:
    """Write three commands to try next, as they can be typed."""
    program, quoted, rows = _program(), shlex.quote(tools), shlex.quote(calls)
    steps = [("see the tools", f"{program} show {quoted}")]
    if example is not None and example.call is not None:
        arguments = shlex.quote(write_json(example.row()["arguments"]))
        call = f"{program} call {quoted} {shlex.quote(example.call.name)} --json {arguments}"
        steps.append(("make a call yourself", call))
    steps.append(("keep every outcome", f"{program} batch {quoted} {rows} -o outcomes.jsonl"))
    return "\n".join(["Try next:", *(f"  {purpose}:\n    {command}" for purpose, command in steps)])


def _program() -> str:
    """The name that starts this program: its path, unless it is on PATH."""
    path = Path(sys.argv[0])
    if path.name != NAME or shutil.which(NAME) == str(path.absolute()):
        return NAME
    return shlex.quote(sys.argv[0])
