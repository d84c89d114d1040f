"""Gate columns of calls: what the rows of a part have in common is made for all of them at once.

Of a call whose arguments pass as they were sent, only these are looked at. Every other row is made
by `FastGate`, and put in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, repeat
from operator import call, is_
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.batch.admission import admit_of
from toolhaft.batch.calls import Call, NotACall
from toolhaft.batch.column_calls import CallColumns, calls_of, parts_of, rows_of
from toolhaft.batch.columns import accepted_batch, arrow, to_batches
from toolhaft.batch.fast_gate import FastGate
from toolhaft.batch.job import Job
from toolhaft.batch.row_writers import ColumnRow, ColumnRows
from toolhaft.batch.summary import Summary

__all__ = ["ColumnGate"]

# Tools whose functions are remembered, by what rows name them with.
MOST_TARGETS = 1 << 14
# The verdict on a call that is left to `FastGate`.
LEFT: Final = object()
Judge: TypeAlias = Callable[[Any], Any]
_apply: Any = call  # checkers do not take it as a function of two arguments


class _Judged(NamedTuple):
    """Verdicts on the rows of a part, in order, and the rows of calls that did not just pass."""

    verdicts: list[Any]
    others: dict[int, ColumnRow]
    is_as_sent: bool


class ColumnGate:
    """Gates record batches to ones of a schema, with the rows of `FastGate`; not for threads.

    JSON text is escaped as in lines, with `escapes`.
    """

    def __init__(self, job: Job, schema: Any, *, escapes: bool) -> None:
        self._writer = ColumnRows(escapes=escapes)
        self._gate = FastGate(job, self._writer)
        self._schema = schema
        self._judges: dict[tuple[str | None, str | None, bool], Judge] = {}

    def rows(self, batches: Iterable[Any], number: int, summary: Summary) -> Iterator[Any]:
        """Yield batches with the rows of calls; the first call has a number. Counts the rows."""
        for part in chain.from_iterable(map(parts_of, batches)):
            calls = CallColumns.of(part, self._gate.job.fields)
            if calls is None:
                rows = self._gate.rows(enumerate(rows_of(part), number), summary)
                yield from to_batches(rows, self._schema)
            else:
                judged = self._judge(calls, number, summary)
                yield from self._write(calls, number, judged)
            number += part.num_rows

    def _judge(self, calls: CallColumns, number: int, summary: Summary) -> _Judged:
        """Judge the arguments of each call, and make the rows of those that did not just pass."""
        judges = self._judges_of(calls)
        verdicts: list[Any] = []
        others: dict[int, ColumnRow] = {}
        is_as_sent = True
        for rows, raws in calls.arguments():
            start = len(verdicts)
            judged = [LEFT] * rows
            if raws is not None:
                judged = list(map(_apply, judges[start : start + rows], raws))
            verdicts += judged
            if raws is not None and all(map(is_, judged, raws)):
                continue
            is_as_sent = is_as_sent and all(map(_is_as_sent, judged, raws or judged))
            if {*map(type, judged)} != {str}:
                batch = calls.batch.slice(start, rows)
                made = self._others(batch, judged, number + start, summary)
                others.update((start + place, row) for place, row in made)
        summary.add_accepted(len(verdicts) - len(others))
        return _Judged(verdicts, others, is_as_sent)

    def _judges_of(self, calls: CallColumns) -> list[Judge]:
        """Return the function that judges the arguments of each row."""
        names, ids, by_id = calls.names, calls.tool_ids, calls.tool_ids is not None
        if ids is None and len(only := names.unique()) == 1:
            return [self._judge_of(only[0].as_py(), None, by_id)] * len(names)
        keys = zip(names.to_pylist(), ids or repeat(None), repeat(by_id), strict=False)
        known = self._judges
        return [known.get(key) or self._judge_of(*key) for key in keys]

    def _judge_of(self, name: str | None, tool_id: str | None, by_id: bool) -> Judge:
        try:
            tool = name and self._gate.job.catalogue.find(Call(None, name, None, tool_id, by_id))
        except NotACall:
            return _leave
        if not tool:
            return _leave
        if len(self._judges) >= MOST_TARGETS:
            self._judges.clear()
        return self._judges.setdefault((name, tool_id, by_id), admit_of(tool))

    def _others(
        self, batch: Any, verdicts: list[Any], number: int, summary: Summary
    ) -> Iterator[tuple[int, ColumnRow]]:
        """Yield the rows of calls that did not just pass, with their places."""
        items = calls_of(batch, self._gate.job.fields)
        for place, (item, verdict) in enumerate(zip(items, verdicts, strict=True)):
            if verdict is LEFT or not isinstance(item, tuple):
                [row] = self._gate.rows([(number + place, item)], summary)
                yield place, row
            elif type(verdict) is not str:
                yield place, self._gate.judged(number + place, item, verdict, summary)

    def _write(self, calls: CallColumns, number: int, judged: _Judged) -> Iterator[Any]:
        """Yield the rows of a part: as if all had just passed, then the others in their places."""
        verdicts, others, is_as_sent = judged
        batches = list(to_batches(others.values(), self._schema))
        if len(others) < len(verdicts):
            texts = [text if type(text) is str else "" for text in verdicts] if others else verdicts
            arguments = self._to_column(texts, calls if is_as_sent else None)
            columns = calls.ids, calls.names, arguments
            batches.insert(0, accepted_batch(number, *columns, self._schema))
        if not others or len(others) == len(verdicts):
            return iter(batches)
        order, added = list(range(len(verdicts))), count(len(verdicts))
        for place in others:
            order[place] = next(added)
        table = arrow().Table.from_batches(batches).take(arrow().array(order))
        return iter(table.combine_chunks().to_batches())

    def _to_column(self, texts: list[str], calls: CallColumns | None) -> Any:
        """Return texts as a column: the one that was sent, if it has the same."""
        spelled = self._writer.spell(texts)
        sent = calls.arguments_text() if calls is not None and spelled is texts else None
        return arrow().array(spelled, arrow().string()) if sent is None else sent


def _leave(_: Any) -> object:
    return LEFT


def _is_as_sent(verdict: Any, raw: Any) -> bool:
    return verdict is raw or type(verdict) is not str
