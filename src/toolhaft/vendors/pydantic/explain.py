"""What pydantic refuses of data that passed the gate: an author's checks, and what formats mean.

pydantic's own messages may quote the data, so they are not shown; an author's words are, cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, get_args

from toolhaft.schema.forms import NAMES
from toolhaft.schema.wording import counted
from toolhaft.spec import Code, Issue, Path

__all__ = ["issues_of"]

MAX_WORDS: Final = 300


def issues_of(
    errors: Iterable[Mapping[str, Any]], data: Any, known: Sequence[Issue] = ()
) -> list[Issue]:
    """Turn `ValidationError.errors()` into issues, one for each path and message.

    `known` is what the schema refuses where an author's function stood before it: a fault of
    pydantic's at such a place is said in the schema's words.
    """
    said = {issue.path: issue for issue in reversed(known)}
    found: dict[tuple[Path, str], Issue] = {}
    for error in errors:
        path, value = _place(error["loc"], data)
        code, message = _message(error, value)
        issue = Issue(message, path, code, vendor_code=error["type"])
        if error["type"] in _known_kinds() - _OWN_WORDS and path in said:
            issue = said[path]
        found.setdefault((path, issue.message), issue)
    return list(found.values())


def _place(loc: Sequence[str | int], data: Any) -> tuple[Path, Any]:
    """Read a location along the data: it also names union branches, tags and functions."""
    path: list[str | int] = []
    for step in loc:
        is_key = type(data) is dict and isinstance(step, str) and step in data
        is_item = type(data) is list and type(step) is int and 0 <= step < len(data)
        if is_key or is_item:
            path.append(step)
            data = data[step]
    return tuple(path), data


def _message(error: Mapping[str, Any], value: Any) -> tuple[Code, str]:
    kind = error["type"]
    context = error.get("ctx", {})
    if kind in ("value_error", "assertion_error"):
        return "custom", _cut(str(context.get("error", "")).strip()) or "refused"
    if kind in _FORMATS:
        return "format", f"expected format {_FORMATS[kind]}"
    if kind in _TYPES:
        return "type", f"expected {_TYPES[kind]}, received {NAMES.get(type(value), 'number')}"
    if kind in _LENGTHS:
        words, name = _LENGTHS[kind]
        return "value", counted(words, context[name], "character")
    if kind == "missing":
        return "missing", "required"
    return "custom", "not accepted" if kind in _known_kinds() else _cut(str(error["msg"]))


@cache
def _known_kinds() -> frozenset[str]:
    from pydantic_core.core_schema import ErrorType

    return frozenset(get_args(ErrorType))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else text[: MAX_WORDS - 1] + "…"


_OWN_WORDS: Final = frozenset({"value_error", "assertion_error"})
_FORMATS: Final = {
    "uuid_parsing": "uuid",
    "uuid_version": "uuid",
    "url_parsing": "uri",
    "url_syntax_violation": "uri",
    "url_too_long": "uri",
    "url_scheme": "uri",
    "date_parsing": "date",
    "date_from_datetime_parsing": "date",
    "date_from_datetime_inexact": "date",
    "time_parsing": "time",
    "datetime_parsing": "date-time",
    "datetime_from_date_parsing": "date-time",
    "datetime_object_invalid": "date-time",
    "timezone_naive": "date-time without a zone",
    "timezone_aware": "date-time with a zone",
    "time_delta_parsing": "duration",
    "decimal_parsing": "decimal",
    "complex_str_parsing": "complex number",
    "json_invalid": "JSON text",
}
# What a config says of all texts, and the schema does not.
_LENGTHS: Final = {
    "string_too_short": ("at least", "min_length"),
    "string_too_long": ("at most", "max_length"),
}
# Reached only behind an author's function: the gate refuses every other wrong type.
_TYPES: Final = {
    "int_type": "integer",
    "int_parsing": "integer",
    "int_from_float": "integer",
    "float_type": "number",
    "float_parsing": "number",
    "decimal_type": "number or string",
    "bool_type": "boolean",
    "bool_parsing": "boolean",
    "string_type": "string",
    "none_required": "null",
    "list_type": "array",
    "tuple_type": "array",
    "set_type": "array",
    "frozen_set_type": "array",
    "dict_type": "object",
    "mapping_type": "object",
    "model_type": "object",
    "model_attributes_type": "object",
    "dataclass_type": "object",
    "bytes_type": "string",
    "uuid_type": "string",
    "url_type": "string",
    "date_type": "string",
    "time_type": "string",
    "datetime_type": "string",
    "time_delta_type": "string",
}
