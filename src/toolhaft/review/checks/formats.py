"""How findings are written: text for people, JSON, GitHub commands, and SARIF for scanners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.rule import RULES, Severity
from toolhaft.review.checks.subject import Subject
from toolhaft.review.places import describe_place

__all__ = ["FORMATS", "count_findings"]

GRADES: tuple[tuple[Severity, str, str], ...] = (
    ("error", "error", "errors"),
    ("warning", "warning", "warnings"),
    ("advice", "piece of advice", "pieces of advice"),
)
GITHUB_LEVELS = {"error": "error", "warning": "warning", "advice": "notice"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_LEVELS = {"error": "error", "warning": "warning", "advice": "note"}


def write_text(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
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


def write_json(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write `{"findings": [...], "tokens": {tool: about how many}, "deferred": [tool]}`."""
    tokens = {subject.name: subject.tokens for subject in subjects}
    deferred = [subject.name for subject in subjects if subject.tool.defer]
    found = [finding.as_json() for finding in findings]
    report = {"findings": found, "tokens": tokens, "deferred": deferred}
    return names.escape_json(jsontext.write(report)) + "\n"


def write_github(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write GitHub's workflow commands, which mark the lines of a change.

    The commands and their escapes follow GitHub's "Workflow commands for GitHub Actions" and its
    toolkit's `command.ts` (read 2026-11-21).
    """
    del subjects
    return "".join(f"{_command(finding)}\n" for finding in findings)


def _command(finding: Finding) -> str:
    path, line = finding.place
    words = f"{describe_place(finding.tool, finding.pointer)}: {finding.message}; {finding.fix}"
    message = _escaped(names.escape_text(words, 10 * len(words) + 1))
    place = f"file={_property(path)},line={line},title={_property(finding.code)}"
    return f"::{GITHUB_LEVELS[finding.severity]} {place}::{message}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def write_sarif(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write SARIF 2.1.0 (OASIS standard, 2020-03-27), with the rules that fired alone."""
    del subjects
    driver = {"name": "toolhaft", "rules": _rules(findings)}
    run = {"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}
    report = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return names.escape_json(jsontext.write(report)) + "\n"


def _rules(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    fired = (RULES.get(code) for code in sorted({finding.code for finding in findings}))
    return [
        {
            "id": rule.code,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": rule.why},
            "defaultConfiguration": {"level": SARIF_LEVELS[rule.severity]},
        }
        for rule in fired
        if rule is not None
    ]


def _result(finding: Finding) -> dict[str, Any]:
    path, line = finding.place
    place = describe_place(finding.tool, finding.pointer)
    return {
        "ruleId": finding.code,
        "level": SARIF_LEVELS[finding.severity],
        "message": {"text": f"{place}: {finding.message}; {finding.fix}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": PurePath(path).as_posix()},
                    "region": {"startLine": line},
                },
                "logicalLocations": [{"name": finding.tool, "fullyQualifiedName": finding.pointer}],
            }
        ],
    }


FORMATS: Final[dict[str, Callable[[Sequence[Finding], Sequence[Subject]], str]]] = {
    "text": write_text,
    "json": write_json,
    "github": write_github,
    "sarif": write_sarif,
}
