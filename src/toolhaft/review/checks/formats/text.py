"""Findings for a person: one line each, by place, and a line that counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from toolhaft.definition import names
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.rule import Severity
from toolhaft.review.checks.subject import Subject

__all__ = ["write"]

GRADES: tuple[tuple[Severity, str, str], ...] = (
    ("error", "error", "errors"),
    ("warning", "warning", "warnings"),
    ("advice", "piece of advice", "pieces of advice"),
)


def write(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write `file:line: CODE severity tool/pointer: what; what to do`."""
    return "\n".join((*map(_line, findings), *_end(findings, subjects))) + "\n"


def _line(one: Finding) -> str:
    place = names.escape_text(f"{one.tool}{one.pointer}", 160)
    fixable = " [--fix]" if one.edit else ""
    return f"{one.where}: {one.code} {one.severity} {place}: {one.message}; {one.fix}{fixable}"


def _end(findings: Sequence[Finding], subjects: Sequence[Subject]) -> Iterator[str]:
    counts = Counter(one.severity for one in findings)
    said = [
        f"{counts[grade]} {one if counts[grade] == 1 else many}"
        for grade, one, many in GRADES
        if counts[grade]
    ]
    tokens = sum(subject.tokens for subject in subjects)
    tools = "1 tool" if len(subjects) == 1 else f"{len(subjects)} tools"
    yield f"{tools}, about {tokens:,} tokens: {', '.join(said) or 'nothing found'}"
