"""The calls of a batch as text for people: the model's call, its outcome, and the answer's text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TextIO

from toolhaft.batch.record import Record
from toolhaft.call.issue_groups import place_of
from toolhaft.call.types import Coercion
from toolhaft.cli.terminal import draws, fold, screen_width, style
from toolhaft.definition import names
from toolhaft.spec import Issue

__all__ = ["Drawing", "describe_repair"]

MOST_SENT_CHARS = 200
MOST_TEXT_CHARS = 400
MOST_ISSUES = 5
INDENT = 6
COLOURS = {"ok": "green", "accepted": "green", "unknown_tool": "red", "invalid": "red"}


class Drawing:
    """Writes each record as a paragraph; colours are for terminals."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._has_colours = draws(out)
        self._width = screen_width()

    def add(self, record: Record) -> None:
        """Write a record."""
        kind, *details = _describe_outcome(record)
        if self._has_colours:
            kind = style(kind, COLOURS.get(record.kind, "yellow"))
        outcome = f"{kind} ({', '.join(details)})" if details else kind
        lines = [
            *fold(f"{record.line:>{INDENT - 2}} ", _describe_call(record), self._width, INDENT),
            *fold(" " * (INDENT - 1), outcome, self._width, INDENT),
            *fold(" " * (INDENT - 1), _describe_text(record), self._width, INDENT),
        ]
        self._out.writelines(f"{line}\n" for line in lines)


def _describe_call(record: Record) -> str:
    if record.call is None:
        return "(not a call)"
    raw = record.call.arguments
    name = names.escape_text(record.call.name, MOST_SENT_CHARS)
    if raw is None or raw == "":
        return f"{name} (no arguments)"
    sent = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    return f"{name} {names.escape_text(sent, MOST_SENT_CHARS)}"


def _describe_outcome(record: Record) -> Iterator[str]:
    """Yield the kind, then each repair, or each issue in words that hide the keys of open maps."""
    repairs = _repairs(record)
    yield record.kind.replace("_", " ") + (", repaired" if repairs else "")
    yield from repairs or _describe_issues(record.issues if record.call else ())


def _describe_issues(issues: Sequence[Issue]) -> list[str]:
    shown = [
        f"{names.escape_text(place_of(issue), 60) or 'arguments'}: {issue.code}"
        for issue in issues[:MOST_ISSUES]
    ]
    more = len(issues) - MOST_ISSUES
    return [*shown, f"(+{more} more)"] if more > 0 else shown


def _repairs(record: Record) -> list[str]:
    """List the repairs of a call that passed; repairs of a rejected call help nobody."""
    kept = record.coercions if record.admitted else ()
    return [describe_repair(coercion) for coercion in kept]


def describe_repair(coercion: Coercion) -> str:
    """Return the place and the rule of a repair."""
    place = names.escape_text(".".join(map(str, coercion.path)), 60) or "arguments"
    return f"{place}: {coercion.rule}"


def _describe_text(record: Record) -> str:
    """Return the text for the model; it reads nothing of a call that was not run."""
    if record.text is None:
        return record.issues[0].message if record.issues else "(not run)"
    return names.escape_text(record.text, MOST_TEXT_CHARS)
