"""Copies of issues: at another path, or with more facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.spec import Issue, Path

__all__ = ["move_issue", "reword_issue", "with_facts"]


def move_issue(issue: Issue, path: Path) -> Issue:
    """Return the same issue at another path, without the words for the old one."""
    facts = {name: fact for name, fact in issue.facts.items() if name != "place"}
    return _changed(issue, issue.message, path, facts)


def reword_issue(issue: Issue, message: str) -> Issue:
    """Return the same issue in other words."""
    return _changed(issue, message, issue.path, issue.facts)


def with_facts(issue: Issue, **facts: Any) -> Issue:
    """Return the same issue with more facts.

    >>> with_facts(Issue("no"), place="2nd entry").facts
    {'place': '2nd entry'}
    """
    return _changed(issue, issue.message, issue.path, {**issue.facts, **facts})


def _changed(issue: Issue, message: str, path: Path, facts: Mapping[str, Any]) -> Issue:
    of_value = issue.code, issue.expected, issue.received, issue.vendor_code
    return Issue(message, path, *of_value, facts)
