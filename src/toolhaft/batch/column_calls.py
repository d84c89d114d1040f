"""Read the calls in batches of Arrow data: column by column, without JSON between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple, Self, TypeAlias

from toolhaft.batch.calls import FIELDS, SHAPES, Fields, NotACall
from toolhaft.batch.columns import arrow, text_of
from toolhaft.batch.typed_rows import PlainCall

__all__ = [
    "CallColumns", "Row", "calls_of", "missing_columns", "parts_of", "rows_of", "wanted_columns",
]  # fmt: skip

# A row, or why it cannot be read.
Row: TypeAlias = dict[str, Any] | NotACall

# The columns of calls as clients deliver them, beside the fields of plain rows.
SHAPE_COLUMNS = SHAPES | {"params", "function", "input"}
# Rows whose values are held at once: so many, or fewer of this size in all. Of lists and objects,
# and of those that hold others, there are fewer than the garbage collector begins to look through,
# which would cost more than all the rest.
ROWS_AT_ONCE = 4096
OBJECTS_AT_ONCE = 512
NESTED_AT_ONCE = 64
BYTES_AT_ONCE = 16 << 20


def wanted_columns(fields: Fields) -> frozenset[str]:
    """Return the names of the columns that calls are read from."""
    return SHAPE_COLUMNS.union(*FIELDS, *fields)


def missing_columns(names: Sequence[str], fields: Fields) -> str:
    """Return why columns hold no calls, so that each row would be invalid, or an empty text."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        return f"several columns are named {', '.join(twice)}"
    if not SHAPE_COLUMNS.isdisjoint(names):
        return ""
    needed = {
        fields.name[0]: (*fields.name, *fields.tool_id),
        fields.arguments[0]: fields.arguments,
    }
    missing = [first for first, any_of in needed.items() if set(any_of).isdisjoint(names)]
    if not missing:
        return ""
    return (
        f"no column {' and no column '.join(missing)}; the columns are "
        f"{', '.join(names) or 'none'}: {' and '.join(needed)} are needed, or messages"
    )


class CallColumns(NamedTuple):
    """The columns of the plain calls in a record batch: ids and names as columns of text."""

    batch: Any
    ids: Any
    names: Any
    tool_ids: list[str | None] | None
    key: str | None

    @classmethod
    def of(cls, batch: Any, fields: Fields) -> Self | None:
        """Return the columns of a batch; None where rows are no plain calls, or of odd types."""
        keys = _keys(batch, fields)
        if keys[1] is None or not SHAPES.isdisjoint(batch.schema.names):
            return None
        nothing = arrow().nulls(batch.num_rows, arrow().string())
        id_, names, tool_ids = (
            nothing if key is None else text_of(batch.column(key), numbers=is_id)
            for key, is_id in ((keys[0], True), (keys[1], False), (keys[3], False))
        )
        if id_ is None or names is None or tool_ids is None:
            return None
        return cls(batch, id_, names, None if keys[3] is None else tool_ids.to_pylist(), keys[2])

    def arguments(self) -> Iterator[tuple[int, list[Any] | None]]:
        """Yield the arguments of so many rows at a time, or None if one of them is unreadable."""
        if self.key is None:
            yield self.batch.num_rows, [None] * self.batch.num_rows
            return
        for part in parts_of(column := self.batch.column(self.key), _rows_at_once(column.type)):
            try:
                yield len(part), _values(part)
            except Exception:  # noqa: BLE001 - of a value without a form in Python: see `rows_of`
                yield len(part), None

    def arguments_text(self) -> Any:
        """Return the arguments as a column of text, or None if they are none."""
        return text_of(self.batch.column(self.key), numbers=False)


def calls_of(batch: Any, fields: Fields) -> Iterator[PlainCall | Row]:
    """Yield the plain call of each row of a record batch, or the row itself if it has none."""
    keys = _keys(batch, fields)
    for part in parts_of(batch, _rows_at_once(*batch.schema.types)):
        if keys[1] is None or not SHAPES.isdisjoint(batch.schema.names):
            yield from rows_of(part)
            continue
        try:
            columns = [repeat(None) if key is None else _values(part.column(key)) for key in keys]
        except Exception:  # noqa: BLE001 - of a value without a form in Python: see `rows_of`
            yield from rows_of(part)
            continue
        yield from _plain(columns, keys, part.num_rows)


def _keys(batch: Any, fields: Fields) -> list[str | None]:
    """Return the names of the columns of id, name, arguments and tool_id."""
    names, in_order = batch.schema.names, (fields.id, fields.name, fields.arguments, fields.tool_id)
    return [next((name for name in known if name in names), None) for known in in_order]


def _plain(columns: list[Any], keys: Sequence[str | None], rows: int) -> Iterator[PlainCall | Row]:
    by_id = keys[3] is not None
    for _, key, name, arguments, tool_id in zip(range(rows), *columns, strict=False):
        if type(name) is str and (tool_id is None or type(tool_id) is str):
            is_id = type(key) is str or isinstance(key, int)
            yield (key if is_id else None), name, arguments, tool_id, by_id
        else:
            values = zip(keys, (key, name, arguments, tool_id), strict=True)
            yield {name: value for name, value in values if name is not None}


def rows_of(batch: Any) -> Iterator[Row]:
    """Yield the rows of a record batch as data, or the reason for a row that cannot be read."""
    names = batch.schema.names
    for part in parts_of(batch, _rows_at_once(*batch.schema.types)):
        try:
            columns = [_values(part.column(name)) for name in names]
        except Exception:  # noqa: BLE001 - as above; the other rows are read
            yield from (_read_row(part.slice(place, 1)) for place in range(part.num_rows))
            continue
        for values in zip(*columns, strict=True):
            yield dict(zip(names, values, strict=True))


def _read_row(row: Any) -> Row:
    values = {}
    for name in row.schema.names:
        try:
            [values[name]] = _values(row.column(name))
        except UnicodeDecodeError:
            return NotACall("not UTF-8")
        except Exception:  # noqa: BLE001 - pyarrow has one for each type
            return NotACall(f"{name}: a value that cannot be read as data")
    return values


def _values(column: Any) -> list[Any]:
    """Return the values of a column; of a dictionary, each value is read once for all its rows."""
    values: list[Any] = getattr(column, "dictionary_decode", lambda: column)().to_pylist()
    return values


def _rows_at_once(*kinds: Any) -> int:
    inner = [kind.field(place).type for kind in kinds for place in range(kind.num_fields)]
    if any(kind.num_fields for kind in inner):
        return NESTED_AT_ONCE
    return OBJECTS_AT_ONCE if inner else ROWS_AT_ONCE


def parts_of(values: Any, most: int = ROWS_AT_ONCE) -> Iterator[Any]:
    """Cut a batch or a column into parts of which the values can be held."""
    rows = len(values)
    at_once = max(1, min(most, rows * BYTES_AT_ONCE // (values.nbytes + 1)))
    return (values.slice(start, at_once) for start in range(0, rows, at_once))
