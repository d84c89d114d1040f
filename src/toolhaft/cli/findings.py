"""Findings on a terminal: severe ones first, repeated ones counted, with the line of source."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

from toolhaft.cli.terminal import escape, fold, screen_width, style
from toolhaft.definition import names
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.formats.text import count_findings
from toolhaft.review.checks.subject import Subject
from toolhaft.review.places import describe_place

__all__ = ["write"]

COLOURS: Final = {"error": "red", "warning": "yellow", "advice": "cyan"}
ORDER: Final = tuple(COLOURS)
BEFORE: Final = 16  # characters of a line that stand before a parameter far to the right


def write(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write a paragraph for each thing that is wrong, and a line that counts them."""
    width = screen_width()
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: ORDER.index(finding.severity)):
        groups.setdefault((finding.code, finding.message, finding.fix), []).append(finding)
    paragraphs = ["\n".join(_lines(group, width)) for group in groups.values()]
    return "\n\n".join([*paragraphs, count_findings(findings, subjects)]) + "\n"


def _lines(group: Sequence[Finding], width: int) -> Iterator[str]:
    first = group[0]
    times = f" ({len(group)} times)" if len(group) > 1 else ""
    colour = COLOURS[first.severity]
    head = f"{first.severity}[{first.code}]"
    title = wrap(escape(f"{head} {first.message}{times}"), width, subsequent_indent="  ")
    yield style(head, colour, bold=True) + style(title[0][len(head) :], bold=True)
    yield from (style(more, bold=True) for more in title[1:])
    yield from fold(style("    -->", "blue"), _place(first), width)
    yield from _excerpt(first, width, colour)
    for other in group[1:]:
        yield from fold("    and", _place(other), width)
    fixable = " [--fix]" if any(finding.edit for finding in group) else ""
    yield from fold(style("    fix", "green"), f"{first.fix}{fixable}", width)


def _place(finding: Finding) -> str:
    return f"{finding.where} {describe_place(finding.tool, finding.pointer)}"


def _excerpt(finding: Finding, width: int, colour: str) -> Iterator[str]:
    """Yield the line of source, cut to the part with the parameter if it is long."""
    path, line = finding.place
    source = linecache.getline(path, line).rstrip() if path.endswith(".py") else ""
    if not source:
        return
    gutter = f"{line:>5} | "
    room = max(width - len(gutter), 1)
    source = source.expandtabs()
    parameter = re.search(rf"\b{re.escape(_parameter(finding))}\b", source)
    if parameter is not None and parameter.end() >= room:
        source = "…" + source[max(parameter.start() - BEFORE, 0) :]
    yield style(gutter, "blue") + style(names.escape_text(source, room), colour)


def _parameter(finding: Finding) -> str:
    """Return the parameter that a finding is about, or the tool's name for the whole tool."""
    _, is_parameter, path = finding.pointer.partition("/input/properties/")
    return path.split("/")[0] if is_parameter else finding.tool
