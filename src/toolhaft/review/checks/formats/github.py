"""Findings as GitHub's workflow commands, which mark the lines of a change.

The commands and their escapes follow GitHub's "Workflow commands for GitHub Actions" and its
toolkit's `command.ts` (read 2026-11-21).
"""

from __future__ import annotations

from collections.abc import Sequence

from toolhaft.definition import names
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.subject import Subject
from toolhaft.review.places import describe_place

__all__ = ["write"]

LEVELS = {"error": "error", "warning": "warning", "advice": "notice"}


def write(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write one command for each finding."""
    del subjects
    return "".join(f"{_command(finding)}\n" for finding in findings)


def _command(finding: Finding) -> str:
    path, line = finding.place
    words = f"{describe_place(finding.tool, finding.pointer)}: {finding.message}; {finding.fix}"
    message = _escaped(names.escape_text(words, 10 * len(words) + 1))
    place = f"file={_property(path)},line={line},title={_property(finding.code)}"
    return f"::{LEVELS[finding.severity]} {place}::{message}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
