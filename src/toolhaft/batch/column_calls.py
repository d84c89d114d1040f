"""Read the calls in batches of Arrow data: column by column, without JSON between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, TypeAlias

from toolhaft.batch.calls import FIELDS, SHAPES, Fields, NotACall
from toolhaft.batch.typed_rows import PlainCall

__all__ = ["Row", "calls_of", "missing_columns", "rows_of", "wanted_columns"]

# A row, or why it cannot be read.
Row: TypeAlias = dict[str, Any] | NotACall

# The columns of calls as clients deliver them, beside the fields of plain rows.
SHAPE_COLUMNS = SHAPES | {"params", "function", "input"}
# Rows whose values are held at once: so many, or fewer of this size in all. Of lists and objects
# there are fewer than the garbage collector begins to look through, which would cost more than all
# the rest.
ROWS_AT_ONCE = 4096
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


def calls_of(batch: Any, fields: Fields) -> Iterator[PlainCall | Row]:
    """Yield the plain call of each row of a record batch, or the row itself if it has none."""
    names = batch.schema.names
    keys = [next((name for name in known if name in names), None) for known in _in_order(fields)]
    for part in _parts(batch):
        if keys[1] is None or not SHAPES.isdisjoint(names):
            yield from rows_of(part)
            continue
        try:
            columns = [repeat(None) if key is None else _values(part, key) for key in keys]
        except Exception:  # noqa: BLE001 - of a value without a form in Python: see `rows_of`
            yield from rows_of(part)
            continue
        yield from _plain(columns, keys, part.num_rows)


def _in_order(fields: Fields) -> tuple[tuple[str, ...], ...]:
    return fields.id, fields.name, fields.arguments, fields.tool_id


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
    for part in _parts(batch):
        try:
            columns = [_values(part, name) for name in names]
        except Exception:  # noqa: BLE001 - as above; the other rows are read
            yield from (_read_row(part.slice(place, 1)) for place in range(part.num_rows))
            continue
        for values in zip(*columns, strict=True):
            yield dict(zip(names, values, strict=True))


def _read_row(row: Any) -> Row:
    values = {}
    for name in row.schema.names:
        try:
            [values[name]] = _values(row, name)
        except UnicodeDecodeError:
            return NotACall("not UTF-8")
        except Exception:  # noqa: BLE001 - pyarrow has one for each type
            return NotACall(f"{name}: a value that cannot be read as data")
    return values


def _values(batch: Any, name: str) -> list[Any]:
    """Return the values of a column; of a dictionary, each value is read once for all its rows."""
    column = batch.column(name)
    values: list[Any] = getattr(column, "dictionary_decode", lambda: column)().to_pylist()
    return values


def _parts(batch: Any) -> Iterator[Any]:
    """Cut a batch so that the values of a part can be held."""
    rows = batch.num_rows
    is_nested = any(column.num_fields for column in batch.schema.types)
    most = NESTED_AT_ONCE if is_nested else ROWS_AT_ONCE
    at_once = max(1, min(most, rows * BYTES_AT_ONCE // (batch.nbytes + 1)))
    return (batch.slice(start, at_once) for start in range(0, rows, at_once))
