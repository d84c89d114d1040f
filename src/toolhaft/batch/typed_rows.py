"""Read plain rows of one layout: of strict JSON that fits its shape, only the fields of the call.

msgspec reads them by a type. It takes the last of two equal keys, and does not look into what it
skips: the shape does. Without the primitives in C, or without msgspec, the whole row is read.
Every other row is left to `calls.read_calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from toolhaft.batch.calls import MAX_ROW_DEPTH, SHAPES, Fields
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native
from toolhaft.schema.checker import Checker
from toolhaft.schema.shape import shape_of

__all__ = ["PlainCall", "ReadPlain", "plain_reader"]

# Schemas of the fields of a row.
TEXT: Mapping[str, Any] = {"type": "string"}
OPTIONAL_TEXT: Mapping[str, Any] = {"type": ["string", "null"]}
ANYTHING: Mapping[str, Any] = {}
# The fields of a `Call` in their order; a `Call` is made of them only if one is needed.
PlainCall: TypeAlias = tuple[str | int | None, str, Any, str | None, bool]
ReadPlain: TypeAlias = Callable[[bytes], PlainCall | None]


class _Keys(NamedTuple):
    """The keys of a call in rows of one layout."""

    id: str | None
    name: str | None
    arguments: str | None
    tool_id: str | None


fields_of: Callable[[Any], tuple[Any, str, Any, str | None, bool]] = attrgetter(
    *_Keys._fields, "by_id"
)


def plain_reader(sample: Mapping[str, Any], fields: Fields) -> ReadPlain | None:
    """Return the reader of rows like a sample, or None unless the sample is a plain row of texts.

    The reader returns None for a row that it cannot read reliably.
    """
    keys = _Keys(*(_first(sample, getattr(fields, part)) for part in _Keys._fields))
    if not SHAPES.isdisjoint(sample) or not isinstance(sample.get(keys.name or ""), str):
        return None
    typed = _typed_reader(sample, keys) if native else None
    return typed or _data_reader(keys, frozenset(sample))


def _first(sample: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in sample), None)


def _typed_reader(sample: Mapping[str, Any], keys: _Keys) -> ReadPlain | None:
    """Compile what reads the fields of a call by a type."""
    try:
        import msgspec
    except ImportError:
        return None
    present = {part: key for part, key in keys._asdict().items() if key is not None}
    nullable = {key for key in (keys.id, keys.tool_id) if key and sample[key] is None}
    schemas = {
        key: OPTIONAL_TEXT
        if key in nullable or key == keys.tool_id
        else TEXT
        if isinstance(value, str)
        else ANYTHING
        for key, value in sample.items()
    }
    try:
        row_type = msgspec.defstruct(
            "Row",
            [(part, _type_of(schemas[key], msgspec.Raw)) for part, key in present.items()],
            rename=present.get,
            namespace={
                "by_id": keys.tool_id is not None,
                **{part: None for part in _Keys._fields if part not in present},
            },
            gc=False,
        )
    except ValueError:
        return None  # msgspec cannot have such a key
    return _reader(
        shape_of(Checker(_schema(schemas), is_current=True), whole_floats=True).fits_text,
        msgspec.json.Decoder(row_type).decode,
        (msgspec.DecodeError, UnicodeDecodeError),
        has_raw=any(schemas.get(key or "") is ANYTHING for key in (keys.id, keys.arguments)),
    )


def _data_reader(keys: _Keys, layout: Collection[str]) -> ReadPlain:
    """Return a reader of whole rows as JSON data."""
    id_key, name_key, arguments_key, tool_id_key = keys
    by_id = tool_id_key is not None

    def read(line: bytes) -> PlainCall | None:
        try:
            row = jsontext.read(line, max_depth=MAX_ROW_DEPTH)
        except jsontext.JsonSyntaxError:
            return None
        if type(row) is not dict or row.keys() != layout or type(row[name_key]) is not str:
            return None
        tool_id = row[tool_id_key] if by_id else None
        if tool_id is not None and type(tool_id) is not str:
            return None
        return _to_id(row.get(id_key)), row[name_key], row.get(arguments_key), tool_id, by_id

    return read


def _type_of(schema: Mapping[str, Any], raw: type) -> Any:
    return str if schema is TEXT else str | None if schema is OPTIONAL_TEXT else raw


def _schema(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the rows of a layout."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _reader(
    fits_text: Callable[[str], bool],
    decode: Callable[[bytes], Any],
    refused: tuple[type[Exception], ...],
    *,
    has_raw: bool,
) -> ReadPlain:
    def read(line: bytes) -> PlainCall | None:
        try:
            return fields_of(decode(line)) if fits_text(line.decode()) else None
        except refused:
            return None

    def read_raw(line: bytes) -> PlainCall | None:
        fields = read(line)
        if fields is None:
            return None
        id, name, arguments, tool_id, by_id = fields  # noqa: A001 - the field's name
        try:
            return _to_id(_read_value(id)), name, _read_value(arguments), tool_id, by_id
        except jsontext.JsonSyntaxError:
            return None

    return read_raw if has_raw else read


def _to_id(value: Any) -> str | int | None:
    """Return the id of a call if it is text or a number, else None."""
    return value if type(value) is str or isinstance(value, int) else None


def _read_value(value: Any) -> Any:
    """Read a value that is no text."""
    if value is None or isinstance(value, str):
        return value
    return jsontext.read(bytes(value), max_depth=MAX_ROW_DEPTH - 1)
