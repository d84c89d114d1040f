"""Read plain rows of one layout by a type that msgspec compiles: what it takes is strict JSON.

msgspec takes the last of two equal keys, and does not look into what it skips. So the type has
every field of the layout, what is no text is read by the strict reader, and the quotes of the row
are counted: a key that is written twice adds some. Every other row is left to `calls.read_row`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from toolhaft.batch.calls import MAX_ROW_DEPTH, SHAPES, Fields
from toolhaft.jsonio import jsontext

__all__ = ["PlainCall", "ReadPlain", "plain_reader"]

# Values such as true, 7 or a list of expectations come again and again.
REMEMBERED = 1 << 12


# The fields of a `Call`, in their order, which is made of them where one is needed.
PlainCall: TypeAlias = tuple[str | int | None, str, Any, str | None, bool]
ReadPlain: TypeAlias = Callable[[bytes], PlainCall | None]


class _Keys(NamedTuple):
    """The keys of a call in rows of one layout."""

    id: str | None
    name: str | None
    arguments: str | None
    tool_id: str | None


def plain_reader(sample: Mapping[str, Any], fields: Fields) -> ReadPlain | None:
    """Give the reader of rows like a sample; None where the sample is no plain row of texts.

    It gives None for a row that it cannot vouch for.
    """
    keys = _Keys(*(_first(sample, getattr(fields, part)) for part in _Keys._fields))
    if not SHAPES.isdisjoint(sample) or not isinstance(sample.get(keys.name or ""), str):
        return None
    try:
        import msgspec
    except ImportError:
        return None
    optional = {key for key in (keys.id, keys.tool_id) if key and sample[key] is None}
    types = {
        key: str | None
        if key in optional or key == keys.tool_id
        else str
        if isinstance(value, str)
        else msgspec.Raw
        for key, value in sample.items()
    }
    return _compile(msgspec, types, keys)


def _first(sample: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in sample), None)


def _compile(msgspec: Any, types: Mapping[str, Any], keys: _Keys) -> ReadPlain | None:
    slots = {key: f"field_{place}" for place, key in enumerate(types)}
    renamed = {slot: key for key, slot in slots.items()}
    try:
        row_type = msgspec.defstruct(
            "Row",
            [(slots[key], tp) for key, tp in types.items()],
            rename=renamed.get,
            forbid_unknown_fields=True,
            gc=False,
        )
    except ValueError:
        return None  # a name that msgspec takes for no key
    refused = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, jsontext.JsonSyntaxError)
    return _reader(
        msgspec.json.Decoder(row_type).decode,
        refused,
        attrgetter(*(slots.get(key or "", "__doc__") for key in keys)),
        quotes=2 * (len(types) + sum(tp is str for tp in types.values())),
        optional=[slots[key] for key, tp in types.items() if tp not in {str, msgspec.Raw}],
        others=[slots[key] for key, tp in types.items() if tp is msgspec.Raw],
        raw={types.get(key or "") is msgspec.Raw for key in (keys.id, keys.arguments)} != {False},
        by_id=keys.tool_id is not None,
    )


def _reader(
    decode: Callable[[bytes], Any],
    refused: tuple[type[Exception], ...],
    fields_of: Callable[[Any], tuple[Any, Any, Any, Any]],
    *,
    quotes: int,
    optional: list[str],
    others: list[str],
    raw: bool,
    by_id: bool,
) -> ReadPlain:
    """Give what reads a row; `quotes` are those of its keys and of the fields that are text."""

    def read(line: bytes) -> PlainCall | None:
        try:
            row = decode(line)
            expected = quotes
            for slot in optional:
                if getattr(row, slot) is not None:
                    expected += 2
            for slot in others:
                expected += _count_value_quotes(bytes(getattr(row, slot)))
        except refused:
            return None
        if b"\\" not in line:
            counted = line.count(b'"')
        elif b'\\\\"' in line:
            return None
        else:
            counted = line.count(b'"') - line.count(b'\\"')
        if counted != expected:
            return None
        id, name, arguments, tool_id = fields_of(row)  # noqa: A001 - the field's name
        if raw:
            id, arguments = _read_id(id), _read_value(arguments)  # noqa: A001
        return id, name, arguments, tool_id, by_id

    return read


def _read_id(value: Any) -> str | int | None:
    """Give the id of a call, which is text or a number."""
    found = _read_value(value)
    return found if isinstance(found, str | int) else None


def _read_value(value: Any) -> Any:
    """Read a value that is no text, which is known to be strict JSON."""
    if value is None or isinstance(value, str):
        return value
    return jsontext.read(bytes(value), max_depth=MAX_ROW_DEPTH - 1)


def _count_quotes(text: bytes) -> int:
    """Count the quotes around texts; -1 where that takes more than counting."""
    if b"\\" not in text:
        return text.count(b'"')
    return -1 if b'\\\\"' in text else text.count(b'"') - text.count(b'\\"')


@lru_cache(REMEMBERED)
def _count_value_quotes(text: bytes) -> int:
    """Count the quotes of a value, which must be strict JSON."""
    jsontext.read(text, max_depth=MAX_ROW_DEPTH - 1, max_bytes=len(text))
    return _count_quotes(text)
