"""Findings for a program: one JSON object, with the size of every tool."""

from __future__ import annotations

from collections.abc import Sequence

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.subject import Subject

__all__ = ["write"]


def write(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write `{"findings": [...], "tokens": {tool: about how many}, "deferred": [tool]}`."""
    tokens = {subject.name: subject.tokens for subject in subjects}
    deferred = [subject.name for subject in subjects if subject.tool.defer]
    found = [finding.as_json() for finding in findings]
    report = {"findings": found, "tokens": tokens, "deferred": deferred}
    return names.escape_json(jsontext.write(report)) + "\n"
