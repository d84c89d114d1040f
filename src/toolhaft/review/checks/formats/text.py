"""Findings for a person: one line each, by place, and a line that counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from toolhaft.definition import names
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.rule import Severity
from toolhaft.review.checks.subject import Subject
from toolhaft.review.places import describe_place

__all__ = ["count_findings", "write"]

GRADES: tuple[tuple[Severity, str, str], ...] = (
    ("error", "error", "errors"),
    ("warning", "warning", "warnings"),
    ("advice", "piece of advice", "pieces of advice"),
)


def write(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write `file:line: CODE severity tool parameter: problem; fix`."""
    return "\n".join((*map(_line, findings), count_findings(findings, subjects))) + "\n"


def _line(finding: Finding) -> str:
    place = names.escape_text(describe_place(finding.tool, finding.pointer), 160)
    fixable = " [--fix]" if finding.edit else ""
    head = f"{finding.where}: {finding.code} {finding.severity} {place}"
    line = f"{head}: {finding.message}; {finding.fix}{fixable}"
    return names.escape_text(line, 10 * len(line) + 1)


def count_findings(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Count the tools and findings in one line."""
    counts = Counter(finding.severity for finding in findings)
    counted = [
        f"{counts[grade]} {singular if counts[grade] == 1 else plural}"
        for grade, singular, plural in GRADES
        if counts[grade]
    ]
    deferred = sum(subject.tokens for subject in subjects if subject.tool.defer)
    sent = sum(subject.tokens for subject in subjects) - deferred
    tokens = f"{sent:,} tokens" + (f" and {deferred:,} deferred" if deferred else "")
    tools = "1 tool" if len(subjects) == 1 else f"{len(subjects)} tools"
    return f"{tools}, about {tokens}: {', '.join(counted) or 'nothing found'}"
