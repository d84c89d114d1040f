"""One finding: its rule, its tool, the place in it, the mistake, and the safe fix if it has one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
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


def apply_edits(edits: Iterable[TextEdit]) -> int:
    """Change the lines that still read as they did, and say how many.

    A line that becomes empty is removed; one that two edits are for gets the first only.

    Raises:
        OSError: A file cannot be written.
    """
    by_file: defaultdict[str, dict[int, TextEdit]] = defaultdict(dict)
    for edit in edits:
        by_file[edit.path].setdefault(edit.line, edit)
    return sum(_changed(Path(path), wanted) for path, wanted in by_file.items())


def _changed(path: Path, wanted: dict[int, TextEdit]) -> int:
    with path.open(encoding="utf-8", newline="") as file:
        lines = file.read().splitlines(keepends=True)
    done = 0
    for number, edit in wanted.items():
        text = lines[number - 1].rstrip("\r\n") if number <= len(lines) else None
        if text == edit.old:
            end = lines[number - 1][len(edit.old) :]
            lines[number - 1] = edit.new + end if edit.new.strip() else ""
            done += 1
    if done:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write("".join(lines))
    return done
