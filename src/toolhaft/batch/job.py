"""Send recorded calls through the boundary: gate each, or run it too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from toolhaft.batch.admission import admit_of
from toolhaft.batch.calls import FIELDS, Call, Fields, NotACall, Place, TooLong, read_row
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.lines import MAX_LINE_BYTES, Line
from toolhaft.batch.parquet import ParquetReader
from toolhaft.batch.pieces import Piece
from toolhaft.batch.record import Record
from toolhaft.call.outcome import Ok
from toolhaft.tools.tool import AnyTool

__all__ = ["Job", "NotJsonLines", "UnknownFields", "process_call", "run_accepted"]

Numbered: TypeAlias = tuple[int, Mapping[str, Any] | NotACall]

# If none of so many lines is a JSON object, the file is of another kind.
JUDGED_LINES = 20


class NotJsonLines(Exception):
    """The file is of another kind: none of its first lines is a JSON object."""


class UnknownFields(Exception):
    """None of the first rows has one of the named fields; `present` are their actual fields."""

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

    def judge(self, rows: Iterable[Numbered]) -> None:
        """Check that the first rows of a batch are JSON objects with the fields that were named.

        Raises:
            NotJsonLines, UnknownFields: They are not.
        """
        unseen, present = self.fields.chosen, set[str]()
        first: list[Mapping[str, Any] | NotACall] = []
        for _, row in islice(rows, JUDGED_LINES):
            first.append(row)
            if isinstance(row, Mapping):
                present |= row.keys()
                unseen -= row.keys()
                if not unseen:
                    return
        faults = [row for row in first if isinstance(row, NotACall) and type(row) is not TooLong]
        if faults and len(faults) == len(first):
            raise NotJsonLines(faults[0].reason)
        if unseen and present:
            raise UnknownFields(sorted(unseen), sorted(present))

    def read_piece(self, piece: Piece, reader: ParquetReader | None = None) -> Iterator[Numbered]:
        """Read the rows of a piece: of Parquet, or of lines.

        One reader for all pieces of a file reads it once.
        """
        if piece.is_rows:
            return piece.read_rows(reader or ParquetReader())
        return map(self.read_line, piece.read_lines(self.max_line_bytes))

    def read_line(self, line: Line) -> Numbered:
        """Read the row of a line."""
        if isinstance(line.text, TooLong):
            return line.number, line.text
        try:
            return line.number, read_row(line.text, self.max_line_bytes)
        except NotACall as fault:
            return line.number, fault

    def gate(
        self, number: int, call: Call | NotACall, place: Place | None = None
    ) -> tuple[Record, AnyTool | None]:
        """Validate one call; return its record, and its tool if it is known."""
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


def process_call(tool: AnyTool, call: Call, *, runs: bool, context: Any = None) -> Record:
    """Validate one call, run it with `runs`, and record the outcome."""
    record = Record.of(1, call, admit_of(tool)(call.arguments))
    return run_accepted(record, tool, context) if runs and record.admitted else record


def run_accepted(accepted: Record, tool: AnyTool, context: Any) -> Record:
    """Run a call that was accepted, and record the outcome."""
    # Not by the prepared call: running that counts as a person's approval.
    arguments = accepted.arguments if accepted.spelling is None else accepted.spelling
    outcome = tool.call_sync(arguments, context=context)
    if isinstance(outcome, Ok):
        return accepted._replace(kind="ok", text=outcome.text, value=outcome.json)
    return accepted._replace(kind=outcome.kind, issues=outcome.issues, text=outcome.text)
