"""`--fix`: apply the edits that are safe fixes of findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from toolhaft.review.checks.rule import TextEdit

__all__ = ["apply"]


def apply(edits: Iterable[TextEdit]) -> int:
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
