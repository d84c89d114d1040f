"""Send recorded calls through the boundary, one after the other: gate them, or run them too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

from toolhaft.batch.admission import admit_of
from toolhaft.batch.calls import (
    FIELDS,
    Call,
    Fields,
    NotACall,
    Place,
    TooLong,
    read_calls,
    read_row,
)
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.lines import MAX_LINE_BYTES, Line
from toolhaft.batch.record import Record
from toolhaft.call.outcome import Ok
from toolhaft.tools.tool import AnyTool

__all__ = ["JUDGED_LINES", "Job", "NotJsonLines", "UnknownFields", "process_call", "run_accepted"]

Numbered: TypeAlias = tuple[int, Mapping[str, Any] | NotACall]

# So many lines without a single JSON object are not a file with a bad line.
JUDGED_LINES = 20


class NotJsonLines(Exception):
    """The file is of another kind: none of its first lines is a JSON object."""


class UnknownFields(Exception):
    """None of the first rows has a field that was named; `present` are those that they have."""

    def __init__(self, unknown: list[str], present: list[str]) -> None:
        super().__init__(unknown, present)
        self.unknown = unknown
        self.present = present


class Job(NamedTuple):
    """How calls are read, which tools they may name, and whether they run.

    A call that runs gets `context`, as `Tool.call` takes it.
    """

    catalogue: Catalogue
    fields: Fields = FIELDS
    runs: bool = False
    context: Any = None
    max_line_bytes: int = MAX_LINE_BYTES

    def records(self, lines: Iterable[Line]) -> Iterator[Record]:
        """Give the records of each line, in order; a bad line is a record too.

        Raises:
            NotJsonLines, UnknownFields: before the first record.
        """
        rows = map(self.read_line, lines)
        head = self._judge(rows)
        return chain.from_iterable(self.row_records(*numbered) for numbered in chain(head, rows))

    def judge(self, rows: Iterable[Numbered]) -> None:
        """Look whether the first rows of a batch are what was said.

        Raises:
            NotJsonLines, UnknownFields: They are not.
        """
        self._judge(iter(rows))

    def _judge(self, rows: Iterator[Numbered]) -> list[Numbered]:
        """Read as many rows as it takes to see that they are what was said, and give them."""
        head: list[Numbered] = []
        unseen, present = self.fields.chosen, set[str]()
        for numbered in islice(rows, JUDGED_LINES):
            head.append(numbered)
            if isinstance(row := numbered[1], Mapping):
                present |= row.keys()
                unseen -= row.keys()
                if not unseen:
                    return head
        faults = [row for _, row in head if isinstance(row, NotACall) and type(row) is not TooLong]
        if faults and len(faults) == len(head):
            raise NotJsonLines(faults[0].reason)
        if unseen and present:
            raise UnknownFields(sorted(unseen), sorted(present))
        return head

    def read_line(self, line: Line) -> Numbered:
        """Read the row of a line."""
        if isinstance(line.text, TooLong):
            return line.number, line.text
        try:
            return line.number, read_row(line.text, self.max_line_bytes)
        except NotACall as fault:
            return line.number, fault

    def row_records(self, number: int, row: Mapping[str, Any] | NotACall) -> Iterator[Record]:
        """Give the records of a row: one, or one for each call of a conversation."""
        for place, call in read_calls(row, self.fields):
            yield self.record(number, call, place)

    def record(self, number: int, call: Call | NotACall, place: Place | None = None) -> Record:
        """Send one call through its tool, and record what came of it."""
        record, tool = self.gate(number, call, place)
        if tool is None or not self.runs or not record.admitted:
            return record
        return run_accepted(record, tool, self.context)

    def gate(
        self, number: int, call: Call | NotACall, place: Place | None = None
    ) -> tuple[Record, AnyTool | None]:
        """Validate one call; give its record, and its tool where there is one."""
        try:
            if isinstance(call, NotACall):
                raise call
            tool = self.catalogue.find(call)
        except NotACall as fault:
            return Record.invalid(number, fault.reason, place), None
        if tool is None:
            text = self.catalogue.describe_unknown(call.name)
            return Record(number, call, "unknown_tool", text=text, place=place), None
        return Record.of(number, call, admit_of(tool)(call.arguments), place), tool


def process_call(
    tool: AnyTool, call: Call, number: int = 1, *, runs: bool, context: Any = None
) -> Record:
    """Validate one call, run it with `runs`, and record the outcome."""
    record = Record.of(number, call, admit_of(tool)(call.arguments))
    return run_accepted(record, tool, context) if runs and record.admitted else record


def run_accepted(accepted: Record, tool: AnyTool, context: Any) -> Record:
    """Run a call that was accepted, and record the outcome."""
    # Not by the prepared call: that would pass for a person's approval.
    arguments = accepted.arguments if accepted.spelling is None else accepted.spelling
    outcome = tool.call_sync(arguments, context=context)
    if isinstance(outcome, Ok):
        return accepted._replace(kind="ok", text=outcome.text, value=outcome.json)
    return accepted._replace(kind=outcome.kind, issues=outcome.issues, text=outcome.text)
