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

from toolhaft.batch.calls import MAX_ROW_DEPTH, SHAPES, Call, Fields
from toolhaft.jsonio import jsontext

__all__ = ["ReadPlain", "plain_reader"]

# Values such as true, 7 or a list of expectations come again and again.
REMEMBERED = 1 << 12


ReadPlain: TypeAlias = Callable[[bytes], Call | None]


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
    decode = msgspec.json.Decoder(row_type).decode
    refused = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, jsontext.JsonSyntaxError)
    fixed_quotes = 2 * (len(types) + sum(tp is str for tp in types.values()))
    optional = [slots[key] for key, tp in types.items() if tp not in {str, msgspec.Raw}]
    others = [slots[key] for key, tp in types.items() if tp is msgspec.Raw]
    to_call = _call_maker(keys, slots, msgspec.Raw)

    def read(line: bytes) -> Call | None:
        try:
            row = decode(line)
            quotes = fixed_quotes
            for slot in optional:
                if getattr(row, slot) is not None:
                    quotes += 2
            for slot in others:
                quotes += _count_value_quotes(bytes(getattr(row, slot)))
        except refused:
            return None
        return to_call(row) if _count_quotes(line) == quotes else None

    return read


def _call_maker(keys: _Keys, slots: Mapping[str, str], raw: type) -> Callable[[Any], Call]:
    """Give what makes the call of a decoded row, all of which is strict JSON."""
    get = attrgetter(*(slots.get(key or "", "__doc__") for key in keys))
    by_id = keys.tool_id is not None

    def make(row: Any) -> Call:
        id, name, arguments, tool_id = get(row)  # noqa: A001 - the field's name
        if type(arguments) is raw:
            arguments = jsontext.read(bytes(arguments), max_depth=MAX_ROW_DEPTH - 1)
        if type(id) is raw:
            number = jsontext.read(bytes(id), max_depth=MAX_ROW_DEPTH - 1)
            id = number if isinstance(number, str | int) else None  # noqa: A001
        return Call(id, name, arguments, tool_id, by_id)

    return make


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
