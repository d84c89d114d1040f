"""Findings as SARIF 2.1.0 (OASIS standard, 2020-03-27), which code scanners read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.rule import RULES
from toolhaft.review.checks.subject import Subject
from toolhaft.review.places import describe_place

__all__ = ["write"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "advice": "note"}


def write(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write one run; it lists only the rules that fired."""
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
            "defaultConfiguration": {"level": LEVELS[rule.severity]},
        }
        for rule in fired
        if rule is not None
    ]


def _result(finding: Finding) -> dict[str, Any]:
    path, line = finding.place
    place = describe_place(finding.tool, finding.pointer)
    return {
        "ruleId": finding.code,
        "level": LEVELS[finding.severity],
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
