"""Count the outcomes of many calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from toolhaft.batch.record import Record

__all__ = ["NamedLine", "Summary"]

COUNTERS = ("kinds", "ran", "rules", "codes")
# Kinds of rows that are named by file and line, and how many of each: the first ones.
NAMED = ("unknown_tool", "invalid")
MOST_NAMED = 5
FULL = (None,) * MOST_NAMED


class NamedLine(NamedTuple):
    """The place of a row that names no tool or holds no call, and why it cannot be read."""

    file: str
    line: int
    reason: str | None = None


class Summary:
    """Counts of calls; a call counts once for each rule that repaired it and each code it broke.

    `example` is the first accepted call, `named` has the first lines of each kind in `NAMED`.
    `file` is where the rows that are added come from.
    """

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.named: dict[str, list[NamedLine]] = {kind: [] for kind in NAMED}
        self.kinds: Counter[str] = Counter()
        self.ran: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.accepted = 0
        self.repaired = 0
        self.example: Record | None = None

    def add(self, record: Record) -> None:
        self.kinds[record.kind] += 1
        if len(self.named.get(record.kind, FULL)) < MOST_NAMED:
            reason = record.issues[0].message if record.issues else None
            self.named[record.kind].append(NamedLine(self.file, record.line, reason))
        if record.admitted:
            self.accepted += 1
            self.ran[record.kind] += record.kind != "accepted"
            self.example = self.example or record
            if record.coercions:
                self.repaired += 1
                for rule in {coercion.rule for coercion in record.coercions}:
                    self.rules[rule] += 1
        elif record.issues and record.call is not None:
            for code in {issue.code for issue in record.issues}:
                self.codes[code] += 1

    def _name(self, kind: str, lines: Iterable[NamedLine]) -> None:
        self.named[kind] = [*self.named[kind], *lines][:MOST_NAMED]

    def add_accepted(self, count: int) -> None:
        """Count calls that were accepted as they were sent."""
        self.kinds["accepted"] += count
        self.accepted += count

    def counts(self) -> dict[str, Any]:
        """Return the counts as plain JSON data, for `of_counts`."""
        counters = {name: dict(+getattr(self, name)) for name in COUNTERS}
        own = {"accepted": self.accepted, "repaired": self.repaired, "named": self.named}
        return {**counters, **own}

    @classmethod
    def of_counts(cls, counts: Mapping[str, Any]) -> Summary:
        """Return the summary with such counts."""
        summary = cls()
        for name in COUNTERS:
            getattr(summary, name).update(counts[name])
        summary.accepted, summary.repaired = counts["accepted"], counts["repaired"]
        for kind, lines in counts["named"].items():
            summary._name(kind, [NamedLine(*line) for line in lines])
        return summary

    def merge(self, other: Summary) -> None:
        """Add the counts of another summary, of later calls."""
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for kind, lines in other.named.items():
            self._name(kind, lines)
        self.accepted += other.accepted
        self.repaired += other.repaired
        self.example = self.example or other.example

    @property
    def clean(self) -> bool:
        """Whether every row held a call that was accepted, or ran to its result."""
        return self.kinds.keys() <= {"accepted", "ok"}

    @property
    def placed(self) -> bool:
        """Whether every row held a call of a known tool, whatever its outcome."""
        return not any(self.kinds[kind] for kind in NAMED)

    @property
    def rows(self) -> int:
        return self.kinds.total()

    @property
    def refused(self) -> int:
        """The number of calls of known tools whose arguments were invalid."""
        unread = self.kinds["unknown_tool"] + self.kinds["invalid"]
        return self.rows - self.accepted - unread

    def as_json(self) -> dict[str, Any]:
        """Return all counts as plain JSON data, in an order that does not depend on the calls."""
        return {
            "rows": self.rows,
            "accepted": self.accepted,
            "accepted_as_sent": self.accepted - self.repaired,
            "repaired": self.repaired,
            "repaired_by_rule": _by_count(self.rules),
            "refused": self.refused,
            "refused_by_code": _by_count(self.codes),
            "unknown_tool": self.kinds["unknown_tool"],
            "invalid_rows": self.kinds["invalid"],
            "ran": _by_count(self.ran),
            "first_lines": {
                kind: [line._asdict() for line in lines] for kind, lines in self.named.items()
            },
        }


def _by_count(counter: Counter[str]) -> dict[str, int]:
    """Order counts: the most frequent first, equals in alphabetical order."""
    return dict(sorted((+counter).items(), key=lambda item: (-item[1], item[0])))
