"""Gate rows quickly: a call that is accepted as it was sent becomes a row of output at once.

Every other row goes the whole way, by `Job`, and both give the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from toolhaft.batch.admission import Admission, Admit, admit_of
from toolhaft.batch.calls import Call, NotACall, Place, TooLong, read_calls
from toolhaft.batch.job import Job
from toolhaft.batch.lines import Line
from toolhaft.batch.record import Record
from toolhaft.batch.row_writers import RowWriter, Template
from toolhaft.batch.summary import Summary
from toolhaft.batch.typed_rows import PlainCall, ReadPlain, plain_reader
from toolhaft.tools.tool import AnyTool

__all__ = ["FastGate"]

# Layouts of rows for which readers are compiled; most files have few.
MOST_LAYOUTS = 16
# Names and ids that are remembered, and their length: models invent names.
MOST_TARGETS = 1 << 14
MOST_TARGET_CHARS = 512
R = TypeVar("R")
# A row of an input: lines, plain calls, or rows that were read.
Item: TypeAlias = bytes | TooLong | PlainCall | Mapping[str, Any] | NotACall


class FastGate(Generic[R]):
    """Gates rows by one job, which runs nothing, and counts them; not safe for threads.

    >>> from toolhaft import tool
    >>> from toolhaft.batch.catalogue import Catalogue
    >>> from toolhaft.batch.row_writers import LineRows
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> line = b'{"name": "double", "arguments": "{}"}'
    >>> summary = Summary()
    >>> [row] = FastGate(Job(Catalogue([double])), LineRows()).rows([(1, line)], summary)
    >>> row[:60], summary.rows
    ('{"line":1,"id":null,"tool":"double","kind":"invalid_input","', 1)
    """

    def __init__(self, job: Job, writer: RowWriter[R]) -> None:
        self.job = job
        self.writer = writer
        self._layouts: dict[tuple[tuple[str, bool], ...], ReadPlain | None] = {}
        self._read_plain: ReadPlain | None = None
        # By name, tool_id and by_id: the function that validates arguments, None for an unknown
        # tool, and the template of its rows.
        self._targets: dict[tuple[str, str | None, bool], tuple[Admit | None, Template[R]]] = {}

    def rows(self, items: Iterable[tuple[int, Item]], summary: Summary) -> Iterator[R]:
        """Yield the rows of calls that come with the number of their line."""
        accepted = 0
        targets = self._targets
        for number, item in items:
            kind, read = type(item), self._read_plain
            fields: Any = item if kind is tuple else None
            if kind is bytes and read is not None:
                fields = read(item)  # type: ignore[arg-type]
            if fields is None:
                yield from self._other_rows(number, item, summary)
                continue
            id, name, arguments, tool_id, by_id = fields  # noqa: A001 - the field's name
            target = targets.get((name, tool_id, by_id))
            if target is None:
                yield self.row(number, Call._make(fields), summary)
                continue
            admit, write = target
            if admit is None:
                summary.add(Record(number, None, "unknown_tool"))
                yield write(number, id, "")
                continue
            admission = admit(arguments)
            if type(admission) is str:
                accepted += 1
                yield write(number, id, admission)
                continue
            yield self.judged(number, fields, admission, summary)
        summary.add_accepted(accepted)

    def judged(self, number: int, fields: PlainCall, admission: Admission, summary: Summary) -> R:
        """Return the row of a call whose arguments were judged."""
        record = Record.of(number, Call._make(fields), admission)
        summary.add(record)
        return self.writer.row(record)

    def row(
        self, number: int, call: Call | NotACall, summary: Summary, place: Place | None = None
    ) -> R:
        """Return the row of one call."""
        record, tool = self.job.gate(number, call, place)
        if isinstance(call, Call):
            self._remember(call, tool, record)
        summary.add(record)
        return self.writer.row(record)

    def _remember(self, call: Call, tool: AnyTool | None, record: Record) -> None:
        """Remember how to write rows of further calls of this name and id."""
        key = call.name, call.tool_id, call.by_id
        chars = len(call.name) + len(call.tool_id or "")
        if key in self._targets or chars > MOST_TARGET_CHARS:
            return
        if len(self._targets) >= MOST_TARGETS:
            self._targets.clear()
        if tool is not None:
            self._targets[key] = admit_of(tool), self.writer.accepted(call.name)
        elif record.kind == "unknown_tool":
            self._targets[key] = None, self.writer.unknown(record)

    def _other_rows(self, number: int, item: Any, summary: Summary) -> Iterator[R]:
        """Yield the rows of what is no plain call: one, or one for each call of a conversation."""
        row = item
        if isinstance(item, bytes | TooLong):
            _, row = self.job.read_line(Line(number, item))
            if isinstance(row, Mapping):
                self._choose_reader(row)
        for place, call in read_calls(row, self.job.fields):
            yield self.row(number, call, summary, place)

    def _choose_reader(self, row: Mapping[str, Any]) -> None:
        """Read the next rows by the layout of this one."""
        layout = tuple((key, type(value) is str) for key, value in row.items())
        if layout not in self._layouts and len(self._layouts) < MOST_LAYOUTS:
            self._layouts[layout] = plain_reader(row, self.job.fields)
        self._read_plain = self._layouts.get(layout, self._read_plain)
