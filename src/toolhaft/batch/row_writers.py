"""Write the rows of calls: as lines of JSON, or as the values of columns.

Most rows differ only in their number, id and arguments; templates write these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

from toolhaft.batch.record import ACCEPTED_TAIL, Record, write_short
from toolhaft.definition.names import escape_json
from toolhaft.jsonio import jsontext

__all__ = ["ColumnRow", "ColumnRows", "LineRows", "RowWriter", "Template"]

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")
Id: TypeAlias = "str | int | None"
# Writes the row of a number and an id, with the text of accepted arguments.
Template: TypeAlias = Callable[[int, Id, str], R]
# The values of a row in the order of the columns of a file of rows: `columns.rows_schema`.
ColumnRow: TypeAlias = tuple[Any, ...]

# The beginning of the line of a call without an id.
HEAD = '{"line":0,"id":null'


class RowWriter(Protocol[R_co]):
    """Writes rows of one form."""

    def row(self, record: Record, /) -> R_co: ...

    # The template of calls of a tool that are accepted as they were sent.
    def accepted(self, name: str, /) -> Template[R_co]: ...

    # The template of calls of the unknown tool of a record.
    def unknown(self, record: Record, /) -> Template[R_co]: ...


class LineRows:
    """Writes lines of JSON, each with its end."""

    def row(self, record: Record, /) -> str:
        return record.text_row()

    def accepted(self, name: str, /) -> Template[str]:
        middle = f',"tool":{write_short(name)},"kind":"accepted","arguments":'

        def write(line: int, key: Id, spelling: str) -> str:
            written = f'"{key}"' if type(key) is str and key.isidentifier() else write_short(key)
            row = f'{{"line":{line},"id":{written}{middle}{spelling}{ACCEPTED_TAIL}'
            return row if row.isascii() and "\x7f" not in row else escape_json(row)

        return write

    def unknown(self, record: Record, /) -> Template[str]:
        end = _without_id(record).text_row().removeprefix(HEAD)
        return lambda line, key, _: escape_json(f'{{"line":{line},"id":{write_short(key)}{end}')


class ColumnRows:
    """Writes tuples of values; JSON text is escaped as in lines, with `escapes`."""

    def __init__(self, *, escapes: bool) -> None:
        self._escape: Callable[[str], str] = escape_json if escapes else str

    def spell(self, texts: list[str]) -> list[str]:
        """Escape texts; returns the same list where there is nothing to escape."""
        if self._escape is str:
            return texts
        joined = "".join(texts)
        if joined.isascii() and "\x7f" not in joined:
            return texts
        return [self._escape(text) for text in texts]

    def row(self, record: Record, /) -> ColumnRow:
        call, place, arguments = record.call, record.place, record.arguments_text
        return (
            record.line,
            place.message if place else None,
            place.call if place else None,
            _to_text(call.id if call else None),
            call.name if call else None,
            record.kind,
            None if arguments is None else self._escape(arguments),
            record.written_coercions,
            record.written_issues,
            record.text,
            None if record.value is None else self._escape(jsontext.write(record.value)),
            record.effect,
        )

    def accepted(self, name: str, /) -> Template[ColumnRow]:
        escape = self._escape

        def write(line: int, key: Id, spelling: str) -> ColumnRow:
            key = key if key is None or type(key) is str else str(key)
            if not spelling.isascii() or "\x7f" in spelling:
                spelling = escape(spelling)
            return (
                line, None, None, key, name, "accepted", spelling, (), (), None, None, None,
            )  # fmt: skip

        return write

    def unknown(self, record: Record, /) -> Template[ColumnRow]:
        _, message, index, _, *rest = self.row(_without_id(record))
        return lambda line, key, _: (line, message, index, _to_text(key), *rest)


def _without_id(record: Record) -> Record:
    call = record.call and record.call._replace(id=None)
    return record._replace(line=0, call=call, place=None)


def _to_text(key: Id) -> str | None:
    return None if key is None else str(key)
