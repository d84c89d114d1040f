"""The record of one row for the program, and the row of the output file."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolhaft.batch.calls import Call
from toolhaft.call.types import Coercion
from toolhaft.schema.document.walk import pointer
from toolhaft.spec import Issue

__all__ = ["Record"]


class Record(NamedTuple):
    """The record of one row.

    `kind` is an outcome's kind, `ok` where the tool ran, `accepted` where it was only gated, or
    `invalid` where the line holds no call. `arguments` are those that passed, repaired; None
    where none did.
    """

    line: int
    call: Call | None
    kind: str
    arguments: Any = None
    coercions: tuple[Coercion, ...] = ()
    issues: tuple[Issue, ...] = ()
    text: str | None = None
    value: Any = None

    @property
    def admitted(self) -> bool:
        """Whether the arguments passed every check."""
        return self.arguments is not None

    def row(self) -> dict[str, Any]:
        """Give the record as plain JSON data, its keys always the same, in one order."""
        return {
            "line": self.line,
            "id": self.call.id if self.call else None,
            "tool": self.call.name if self.call else None,
            "kind": self.kind,
            "arguments": self.arguments,
            "coercions": [{"path": pointer(c.path), "rule": c.rule} for c in self.coercions],
            "issues": [_issue(issue) for issue in self.issues],
            "text": self.text,
            "value": self.value,
        }


def _issue(issue: Issue) -> dict[str, Any]:
    optional = {"expected": issue.expected, "received": issue.received}
    present = {field: value for field, value in optional.items() if value is not None}
    return {"path": pointer(issue.path), "code": issue.code, "message": issue.message, **present}
