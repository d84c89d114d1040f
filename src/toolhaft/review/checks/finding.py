"""One finding: its rule, its tool, the place in it, the mistake, and the fix."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolhaft.review.checks.rule import Flag, Rule, Severity, TextEdit
from toolhaft.review.checks.subject import Subject

__all__ = ["Finding", "make_finding"]


class Finding(NamedTuple):
    """One result of a rule; `where` is `file:line` of the tool, `pointer` leads into it."""

    code: str
    severity: Severity
    tool: str
    pointer: str
    message: str
    fix: str
    where: str
    edit: TextEdit | None = None

    @property
    def place(self) -> tuple[str, int]:
        """File and line; line 1 where the tool stands in a file of declarations."""
        path, _, line = self.where.rpartition(":")
        return (path, int(line)) if line.isdecimal() else (self.where, 1)

    def as_json(self) -> dict[str, Any]:
        """Return the finding as JSON data; `fixable` is whether `--fix` fixes it."""
        data: dict[str, Any] = self._asdict()
        data["fixable"] = data.pop("edit") is not None
        return data


def make_finding(rule: Rule, subject: Subject, flag: Flag) -> Finding:
    """Return the finding of a flag, with its rule and its tool."""
    return Finding(
        rule.code,
        rule.severity,
        subject.name,
        flag.pointer,
        flag.message,
        flag.fix,
        subject.place_of(flag.pointer),
        flag.edit,
    )
