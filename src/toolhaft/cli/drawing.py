"""Tables for people, drawn with rich, which only this file imports."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from toolhaft.batch.record import Record
from toolhaft.call.issue_groups import place_of
from toolhaft.definition import names
from toolhaft.spec import Issue

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["Drawing", "console"]

PLAIN_WIDTH = 100  # where the output is no terminal
MOST_SENT_CHARS = 200
MOST_TEXT_CHARS = 400
MOST_ISSUES = 5
ROWS_AT_ONCE = 100
COLOURS = {"ok": "green", "accepted": "green", "unknown_tool": "red", "invalid": "red"}


def console(out: TextIO) -> Console:
    """Give a console for the output: as wide as the terminal, without colours elsewhere."""
    from rich.console import Console

    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else None if out.isatty() else PLAIN_WIDTH
    return Console(file=out, width=width, highlight=False, markup=False, emoji=False)


class Drawing:
    """A table of records, drawn a hundred rows at a time, so that any number of them fits."""

    def __init__(self, out: TextIO) -> None:
        self._console = console(out)
        self._waiting: list[Record] = []

    def add(self, record: Record) -> None:
        self._waiting.append(record)
        if len(self._waiting) >= ROWS_AT_ONCE:
            self.draw()

    def draw(self) -> None:
        """Draw what is waiting."""
        if self._waiting:
            self._console.print(_table(self._waiting))
            self._waiting.clear()


def _table(records: list[Record]) -> Table:
    from rich.table import Table

    table = Table(show_lines=True, expand=True)
    table.add_column("line", justify="right", width=4)
    table.add_column("the model called", ratio=1, overflow="fold")
    table.add_column("what happened", ratio=1, overflow="fold")
    table.add_column("the model reads", ratio=1, overflow="fold")
    for record in records:
        table.add_row(
            str(record.line),
            _describe_call(record),
            _describe_outcome(record),
            _describe_text(record),
        )
    return table


def _describe_call(record: Record) -> Any:
    from rich.text import Text

    if record.call is None:
        return Text("(not a call)", "dim")
    raw = record.call.arguments
    sent = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    name = names.escape_text(record.call.name, MOST_SENT_CHARS)
    if raw is None or raw == "":
        return Text.assemble((name, "bold"), "\n", ("(no arguments)", "dim"))
    return Text.assemble((name, "bold"), "\n", names.escape_text(sent, MOST_SENT_CHARS))


def _describe_outcome(record: Record) -> Any:
    from rich.text import Text

    repairs = _repairs(record)
    kind = record.kind.replace("_", " ") + (", repaired" if repairs else "")
    issues = record.issues if record.call else ()
    details = repairs or _describe_issues(issues)
    return Text("\n").join([Text(kind, COLOURS.get(record.kind, "yellow")), *map(Text, details)])


def _describe_issues(issues: Sequence[Issue]) -> list[str]:
    """Say where the first issues are, in words that hide the keys of open maps."""
    shown = [
        f"{names.escape_text(place_of(issue), 60) or 'arguments'}: {issue.code}"
        for issue in issues[:MOST_ISSUES]
    ]
    more = len(issues) - MOST_ISSUES
    return [*shown, f"(+{more} more)"] if more > 0 else shown


def _repairs(record: Record) -> list[str]:
    """The repairs that were enough; those of a call that stayed refused help nobody."""
    kept = record.coercions if record.admitted else ()
    return [f"{_place(coercion.path)}: {coercion.rule}" for coercion in kept]


def _place(path: tuple[str | int, ...]) -> str:
    return names.escape_text(".".join(map(str, path)), 60) or "arguments"


def _describe_text(record: Record) -> Any:
    from rich.text import Text

    if record.text is None:
        reason = record.issues[0].message if record.issues else "nothing: it was not run"
        return Text(reason, "dim")
    return Text(names.escape_text(record.text, MOST_TEXT_CHARS))
