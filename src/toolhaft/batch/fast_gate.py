"""Gate rows quickly: a call that is accepted as it was sent becomes a row of output at once.

Every other row goes the whole way, by `Job`, and both give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolhaft.batch.admission import Admit, admit_of
from toolhaft.batch.calls import Call, NotACall, Place, TooLong, read_calls
from toolhaft.batch.job import Job
from toolhaft.batch.lines import Line
from toolhaft.batch.record import ACCEPTED_TAIL, Record, write_short
from toolhaft.batch.summary import Summary
from toolhaft.batch.typed_rows import ReadPlain, plain_reader
from toolhaft.definition.names import escape_json
from toolhaft.tools.tool import AnyTool

__all__ = ["FastGate"]

# Layouts of rows for which readers are compiled; most files have few.
MOST_LAYOUTS = 16
# Names and ids that are remembered, and their length: models invent names.
MOST_TARGETS = 1 << 14
MOST_TARGET_CHARS = 512
# The beginning of the row of a call without an id.
HEAD = '{"line":0,"id":null'


class FastGate:
    """Gates lines by one job, which runs nothing, and counts them; not safe for threads.

    >>> from toolhaft import tool
    >>> from toolhaft.batch.catalogue import Catalogue
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> line = Line(1, b'{"name": "double", "arguments": "{}"}')
    >>> summary = Summary()
    >>> [row] = FastGate(Job(Catalogue([double]))).rows([line], summary)
    >>> row[:60], summary.rows
    ('{"line":1,"id":null,"tool":"double","kind":"invalid_input","', 1)
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self._layouts: dict[tuple[tuple[str, bool], ...], ReadPlain | None] = {}
        self._read_plain: ReadPlain | None = None
        # By name, tool_id and by_id: the function that validates arguments, and the part of a row
        # before them; for an unknown tool None, and the whole end of the row.
        self._targets: dict[tuple[str, str | None, bool], tuple[Admit | None, str]] = {}

    def rows(self, lines: Iterable[tuple[int, bytes | TooLong]], summary: Summary) -> Iterator[str]:
        """Yield the rows of lines, each with its line end."""
        accepted = 0
        targets = self._targets
        for number, text in lines:
            read = self._read_plain
            fields = read(text) if read is not None and type(text) is bytes else None
            if fields is None:
                yield from self._other_rows(Line(number, text), summary)
                continue
            id, name, arguments, tool_id, by_id = fields  # noqa: A001 - the field's name
            target = targets.get((name, tool_id, by_id))
            if target is None:
                yield self.row(number, Call._make(fields), summary)
                continue
            admit, middle = target
            written = f'"{id}"' if type(id) is str and id.isidentifier() else write_short(id)
            if admit is None:
                summary.add(Record(number, None, "unknown_tool"))
                row = f'{{"line":{number},"id":{written}{middle}'
            else:
                admission = admit(arguments)
                if type(admission) is not str:
                    record = Record.of(number, Call._make(fields), admission)
                    summary.add(record)
                    yield record.text_row()
                    continue
                accepted += 1
                row = f'{{"line":{number},"id":{written}{middle}{admission}{ACCEPTED_TAIL}'
            yield row if row.isascii() and "\x7f" not in row else escape_json(row)
        summary.add_accepted(accepted)

    def row(
        self, number: int, call: Call | NotACall, summary: Summary, place: Place | None = None
    ) -> str:
        """Return the row of one call."""
        record, tool = self.job.gate(number, call, place)
        if isinstance(call, Call):
            self._remember(call, tool, record)
        summary.add(record)
        return record.text_row()

    def _remember(self, call: Call, tool: AnyTool | None, record: Record) -> None:
        """Remember how to write rows of further calls of this name and id."""
        key = call.name, call.tool_id, call.by_id
        chars = len(call.name) + len(call.tool_id or "")
        if key in self._targets or chars > MOST_TARGET_CHARS:
            return
        if len(self._targets) >= MOST_TARGETS:
            self._targets.clear()
        if tool is not None:
            middle = f',"tool":{write_short(call.name)},"kind":"accepted","arguments":'
            self._targets[key] = admit_of(tool), middle
        elif record.kind == "unknown_tool":
            without_id = record._replace(line=0, call=call._replace(id=None), place=None)
            self._targets[key] = None, without_id.text_row().removeprefix(HEAD)

    def row_rows(
        self, number: int, row: Mapping[str, Any] | NotACall, summary: Summary
    ) -> Iterator[str]:
        """Yield the rows of a row that was read: one, or one for each call of a conversation."""
        for place, call in read_calls(row, self.job.fields):
            yield self.row(number, call, summary, place)

    def _other_rows(self, line: Line, summary: Summary) -> Iterator[str]:
        """Return the rows of a line that no typed reader reads."""
        number, row = self.job.read_line(line)
        if isinstance(row, Mapping):
            self._choose_reader(row)
        return self.row_rows(number, row, summary)

    def _choose_reader(self, row: Mapping[str, Any]) -> None:
        """Read the next rows by the layout of this one."""
        layout = tuple((key, type(value) is str) for key, value in row.items())
        if layout not in self._layouts and len(self._layouts) < MOST_LAYOUTS:
            self._layouts[layout] = plain_reader(row, self.job.fields)
        self._read_plain = self._layouts.get(layout, self._read_plain)
