"""Findings on a terminal: severe ones first, repeated ones counted, with the line of source."""

from __future__ import annotations

import linecache
import os
import shutil
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final, TextIO

import click

from toolhaft.definition import names
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.formats.text import count_findings
from toolhaft.review.checks.subject import Subject

__all__ = ["draws", "write"]

COLOURS: Final = {"error": "red", "warning": "yellow", "advice": "cyan"}
ORDER: Final = tuple(COLOURS)
MOST_WIDTH: Final = 120
MOST_CHARS: Final = 2_000


def draws(out: TextIO) -> bool:
    """Whether the output is a terminal, or is to be taken for one."""
    return out.isatty() or bool(os.environ.get("FORCE_COLOR"))


def write(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write a paragraph for each thing that is wrong, and a line that counts them."""
    width = min(shutil.get_terminal_size((100, 24)).columns, MOST_WIDTH)
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: ORDER.index(finding.severity)):
        groups.setdefault((finding.code, finding.message, finding.fix), []).append(finding)
    paragraphs = ["\n".join(_lines(group, width)) for group in groups.values()]
    text = "\n\n".join([*paragraphs, count_findings(findings, subjects)]) + "\n"
    return click.unstyle(text) if os.environ.get("NO_COLOR") else text


def _lines(group: Sequence[Finding], width: int) -> Iterator[str]:
    first = group[0]
    times = f" ({len(group)} times)" if len(group) > 1 else ""
    colour = COLOURS[first.severity]
    head = f"{first.severity}[{first.code}]"
    title = wrap(_escape(f"{head} {first.message}{times}"), width, subsequent_indent="  ")
    title[0] = click.style(head, fg=colour, bold=True) + click.style(
        title[0][len(head) :], bold=True
    )
    yield from title
    yield from _excerpt(first, width, colour)
    for other in group[1:]:
        yield from _folded("    and", f"{other.where} {_what(other)}", width)
    fixable = " [--fix]" if any(finding.edit for finding in group) else ""
    yield from _folded(click.style("    fix", fg="green"), f"{first.fix}{fixable}", width)


def _what(finding: Finding) -> str:
    """The tool and what of it, as an author says it: `order ship_to.city`."""
    steps = finding.pointer.removeprefix("/input").split("/")
    path = ".".join(step for step in steps if step not in ("", "properties"))
    return f"{finding.tool} {path.replace('~1', '/').replace('~0', '~')}".rstrip()


def _excerpt(finding: Finding, width: int, colour: str) -> Iterator[str]:
    path, line = finding.place
    yield from _folded(
        click.style("    -->", fg="blue"), f"{finding.where} {_what(finding)}", width
    )
    source = linecache.getline(path, line).rstrip() if path.endswith(".py") else ""
    if source:
        gutter = f"{line:>5} | "
        shown = names.escape_text(source.expandtabs(), max(width - len(gutter), 1))
        yield click.style(gutter, fg="blue") + click.style(shown, fg=colour)


def _folded(mark: str, text: str, width: int) -> Iterator[str]:
    """A mark and a text beside it, folded at words."""
    indent = 8
    folded = wrap(_escape(text), max(width - indent, 20), break_on_hyphens=False) or [""]
    yield f"{mark} {folded[0]}"
    yield from (" " * indent + more for more in folded[1:])


def _escape(text: str) -> str:
    return names.escape_text(text, MOST_CHARS)
