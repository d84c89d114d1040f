"""Count the outcomes of a batch by tool, model and rule, in memory that does not grow with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from toolhaft.batch.report.expectations import is_right

__all__ = ["VERDICTS", "Group", "IssueAt", "Tally"]

VERDICTS = ("as sent", "repaired", "refused", "unknown tool", "no call")
# Example texts that are kept for each kind of issue.
MOST_EXAMPLES = 3
# Kinds of issues that are counted separately; all others are counted together.
MOST_PLACES = 5_000
OTHER_PLACES = ("(other places)", "")


class Group:
    """Counts of some calls: by verdict, and whether expectations were met."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.right = 0
        self.wrong = 0

    @property
    def total(self) -> int:
        return self.verdicts.total()

    @property
    def accepted(self) -> int:
        return self.verdicts["as sent"] + self.verdicts["repaired"]

    def add(self, verdict: str, *, right: bool | None) -> None:
        self.verdicts[verdict] += 1
        self.right += right is True
        self.wrong += right is False


class IssueAt(NamedTuple):
    """Where issues are, and of what code."""

    tool: str
    path: str
    code: str


class Tally:
    """The counts of a run, in all and by model, tool and rule of repair."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.all = Group()
        self.models: dict[str, Group] = {}
        self.tools: dict[str, Group] = {}
        self.rules: dict[str, Group] = {}
        self.codes: Counter[str] = Counter()
        self.issues: Counter[IssueAt] = Counter()
        self.texts: dict[IssueAt, list[str]] = {}

    def add(self, row: Mapping[str, Any], call: Mapping[str, Any]) -> None:
        """Count the row of a call; `call` is the row of the input, with `model` and `expected`."""
        verdict, right = _verdict_of(row), _rightness(row, call.get("expected"))
        self.all.add(verdict, right=right)
        model, tool = call.get("model"), row.get("tool")
        if isinstance(model, str):
            self.models.setdefault(model, Group()).add(verdict, right=right)
        if isinstance(tool, str) and verdict != "unknown tool":
            self.tools.setdefault(tool, Group()).add(verdict, right=right)
        for rule in sorted({coercion["rule"] for coercion in row["coercions"]}):
            self.rules.setdefault(rule, Group()).add(verdict, right=right)
        if verdict == "refused":
            self._add_issues(row)

    def _add_issues(self, row: Mapping[str, Any]) -> None:
        self.codes.update({issue["code"] for issue in row["issues"]})
        for issue in row["issues"]:
            place = IssueAt(row["tool"] or "", _without_places(issue["path"]), issue["code"])
            if place not in self.issues and len(self.issues) >= MOST_PLACES:
                place = IssueAt(*OTHER_PLACES, "")
            self.issues[place] += 1
            texts = self.texts.setdefault(place, [])
            if len(texts) < MOST_EXAMPLES and row["text"] not in texts:
                texts.append(row["text"])


def _verdict_of(row: Mapping[str, Any]) -> str:
    """Return the verdict on a call, whether it ran or not."""
    if row["kind"] == "invalid":
        return "no call"
    if row["kind"] == "unknown_tool":
        return "unknown tool"
    if row["arguments"] is None:
        return "refused"
    return "repaired" if row["coercions"] else "as sent"


def _rightness(row: Mapping[str, Any], expected: Any) -> bool | None:
    """Return whether an accepted call was expected, or None if nothing was expected of it."""
    if not isinstance(expected, list) or not isinstance(row["arguments"], dict):
        return None
    return is_right(row["arguments"], expected)


def _without_places(path: str) -> str:
    """Write a pointer without the places in lists: all items are alike."""
    return "/".join("*" if part.isdecimal() else part for part in path.split("/"))
