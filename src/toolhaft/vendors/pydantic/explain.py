"""pydantic's own errors about data that passed the gate: authors' checks, and exact formats.

pydantic's own messages may quote the data, so they are not shown; an author's words are, cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, get_args

from toolhaft.schema.branches import tag_of
from toolhaft.schema.document.kinds import NAMES
from toolhaft.schema.document.places import PlaceIndex, PlaceSchemas
from toolhaft.schema.explain.phrases import missing_tag_words, phrase_of
from toolhaft.schema.explain.wording import counted
from toolhaft.schema.format_patterns import format_words
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Code, Issue, Path
from toolhaft.vendors.adapter import text_of_error

__all__ = ["issues_of", "of_declared_keys", "say_by_schema", "with_keys"]

MAX_WORDS: Final = 300
# The codes of authors' errors.
AUTHORED: Final = ("value_error", "assertion_error")


def issues_of(
    errors: Iterable[Mapping[str, Any]], data: Any, known_issues: Sequence[Issue] = ()
) -> list[Issue]:
    """Turn `ValidationError.errors()` into issues, one for each path and message.

    `known_issues` are the schema's issues at places that an author's function reads first: an error
    of pydantic's at such a place gets the schema's words.
    """
    schema_issues = {issue.path: issue for issue in reversed(known_issues)}
    issues: dict[tuple[Path, str], Issue] = {}
    for error in errors:
        path, value = _place(error["loc"], data)
        code, message = _message(error, value)
        if error["type"] == "missing":
            path, code, message = _missing(error["loc"], data)
        issue = Issue(message, path, code, vendor_code=error["type"])
        if path in schema_issues and (code == "type" or message == _GENERIC):
            issue = schema_issues[path]
        issues.setdefault((path, issue.message), issue)
    return list(issues.values())


def of_declared_keys(errors: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Leave out that a key is undeclared: of data that passed the gate, it is in another branch."""
    return [error for error in errors if error["type"] not in _UNDECLARED] or errors


def with_keys(error: Mapping[str, Any], data: Any, places: PlaceIndex) -> Mapping[str, Any]:
    """Return an error located by keys, even if pydantic locates it by the names of fields.

    An error of the default of a key that was not sent means that the key is missing.
    """
    here, loc = places.whole(), []
    for step in error["loc"]:
        key = _key_of(step, here)
        loc.append(key)
        if _is_in(key, data):
            here, data = here.step(key), data[key]
        elif type(data) is dict and error["type"] not in AUTHORED and _is_declared(key, here):
            return {**error, "loc": loc, "type": "missing"}
    formats = [str(part["format"]) for part in here.parts if "format" in part]
    addresses = [name for name in formats if name.startswith("ip")]
    if addresses and _is_of_address(error):
        return {**error, "loc": loc, "type": "ip_address", "ctx": {"formats": addresses}}
    return {**error, "loc": loc}


def _is_of_address(error: Mapping[str, Any]) -> bool:
    """Whether pydantic's own type of an IP address refuses: strictly, it calls the class itself."""
    raised = error.get("ctx", {}).get("error")
    trace = getattr(raised, "__traceback__", None)
    module = trace.tb_frame.f_globals.get("__name__") if trace else None
    return error["type"].startswith("ip_") or module == "ipaddress"


def _key_of(step: str | int, here: PlaceSchemas) -> str | int:
    """Return the key that is read for a field: pydantic names the field of a default itself."""
    marks = [marks_of(part) for part in here.parts]
    keys = [facts.get(fact, {}).get(step) for fact in ("located", "other_names") for facts in marks]
    return next(filter(None, keys), step)


def _is_declared(key: str | int, here: PlaceSchemas) -> bool:
    return any(key in part.get("properties", ()) for part in here.parts)


def _missing(loc: Sequence[str | int], data: Any) -> tuple[Path, Code, str]:
    """Return that a key is missing; a value that is not an object has none."""
    path, value = _place(loc[:-1], data)
    if type(value) is not dict:
        return path, "custom", _GENERIC
    return (*path, loc[-1]), "missing", "required"


def _place(loc: Sequence[str | int], data: Any) -> tuple[Path, Any]:
    """Read a location along the data: it also names union branches, tags and functions."""
    path: list[str | int] = []
    for step in loc:
        if _is_in(step, data):
            path.append(step)
            data = data[step]
    return tuple(path), data


def _is_in(step: str | int, data: Any) -> bool:
    if isinstance(step, str):
        return type(data) is dict and step in data
    return type(data) is list and 0 <= step < len(data)


def _message(error: Mapping[str, Any], value: Any) -> tuple[Code, str]:
    kind = error["type"]
    context = error.get("ctx", {})
    if kind in AUTHORED:
        return "custom", _shorten(text_of_error(context.get("error", "")).strip()) or "refused"
    if context.get("formats"):
        return "format", f"expected {' or '.join(map(format_words, context['formats']))}"
    text_format = _FORMATS.get(kind) or context.get("encoding")
    if text_format is not None:
        return "format", f"expected {format_words(text_format)}"
    if kind in _TYPES:
        return "type", f"expected {_TYPES[kind]}, received {NAMES.get(type(value), 'number')}"
    words = _bound(kind, context)
    if words is not None:
        return "value", f"expected {words}"
    return "custom", _GENERIC if kind in _known_kinds() else _shorten(str(error["msg"]))


def _bound(kind: str, context: Mapping[str, Any]) -> str | None:
    if kind in _LENGTHS:
        words, name, unit = _LENGTHS[kind]
        return counted(words, context[name], unit).removeprefix("expected ")
    if kind not in _BOUNDS:
        return None
    words, name = _BOUNDS[kind]
    return words.format(_number(context.get(name)))


@cache
def _known_kinds() -> frozenset[str]:
    from pydantic_core.core_schema import ErrorType

    return frozenset(get_args(ErrorType))


def _number(bound: Any) -> str:
    return str(int(bound)) if isinstance(bound, float) and bound.is_integer() else str(bound)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_WORDS else text[: MAX_WORDS - 1] + "…"


_GENERIC: Final = "not accepted"
TAGS: Final = ("union_tag_not_found", "union_tag_invalid")
_UNDECLARED: Final = ("extra_forbidden", "unexpected_keyword_argument")
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
# A config's rules for all texts, and lengths in bytes, which the schema does not have.
_LENGTHS: Final = {
    "string_too_short": ("at least", "min_length", "character"),
    "string_too_long": ("at most", "max_length", "character"),
    "bytes_too_short": ("at least", "min_length", "byte"),
    "bytes_too_long": ("at most", "max_length", "byte"),
}
# Of decimals in text and of dates, and of what an author's function made of a value.
_BOUNDS: Final = {
    "greater_than": ("more than {}", "gt"),
    "greater_than_equal": ("at least {}", "ge"),
    "less_than": ("less than {}", "lt"),
    "less_than_equal": ("at most {}", "le"),
    "multiple_of": ("a multiple of {}", "multiple_of"),
    "decimal_max_digits": ("at most {} digits", "max_digits"),
    "decimal_max_places": ("at most {} decimal places", "decimal_places"),
    "decimal_whole_digits": ("at most {} whole digits", "whole_digits"),
    "finite_number": ("a finite number", ""),
    "date_past": ("a date in the past", ""),
    "date_future": ("a date in the future", ""),
    "datetime_past": ("a time in the past", ""),
    "datetime_future": ("a time in the future", ""),
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


def say_by_schema(issue: Issue, root: Any, places: PlaceIndex) -> Issue:
    """Return an issue of a union's tag in the schema's better words; any other as it is."""
    if issue.vendor_code not in TAGS:
        return issue
    parts = places.at(issue.path).parts
    union = next((part for part in parts if isinstance(part, Mapping) and "oneOf" in part), None)
    return issue if union is None else _wrong_tag(issue, root, union)


def _wrong_tag(issue: Issue, root: Any, union: Mapping[str, Any]) -> Issue:
    """Name the tag and its members: pydantic does not apply a default in the schema.

    A key in an author's message is not a key of the object.
    """
    tag = tag_of(root, union["oneOf"])
    if tag is None:
        words = f"expected {phrase_of(root, union)}"
        return Issue(words, issue.path, "union", vendor_code=issue.vendor_code)
    place = (*issue.path, tag.name)
    return Issue(missing_tag_words(tag), place, "missing", vendor_code=issue.vendor_code)
