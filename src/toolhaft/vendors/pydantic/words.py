"""What pydantic's faults say, in the words that all vendors share.

pydantic's own messages may quote the data, so they are not shown; an author's words are, cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias, get_args

from toolhaft.jsontext import write
from toolhaft.spec import Code
from toolhaft.vendors.pydantic.scalars import SHAPES
from toolhaft.vendors.pydantic.walk import Node

__all__ = ["message_of"]

MAX_WORDS: Final = 300
MAX_PATTERN: Final = 60
MAX_MEMBERS: Final = 10


def message_of(error: Mapping[str, Any], node: Node) -> tuple[Code, str]:
    """Give the code and the message of one of `ValidationError.errors()`; `node` is where."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _PLAIN:
        return _PLAIN[kind]
    say = _SAYINGS.get(kind)
    return say(kind, context, node) if say else ("custom", _words(kind, context, error))


def _words(kind: str, context: Mapping[str, Any], error: Mapping[str, Any]) -> str:
    if kind in ("value_error", "assertion_error"):
        return _cut(str(context.get("error", "")).strip(), MAX_WORDS) or "refused"
    if kind in _known_kinds():
        return "not accepted"
    return _cut(str(error["msg"]), MAX_WORDS)


@cache
def _known_kinds() -> frozenset[str]:
    from pydantic_core.core_schema import ErrorType

    return frozenset(get_args(ErrorType))


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def _number(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _bound(kind: str, context: Mapping[str, Any], node: Node) -> tuple[Code, str]:
    del node
    words, name = _BOUNDS[kind]
    return "value", f"expected {words.format(_number(context.get(name)))}"


def _length(kind: str, context: Mapping[str, Any], node: Node) -> tuple[Code, str]:
    del node
    words, name = _LENGTHS[kind]
    count = context.get(name, 0)
    thing = "character"
    if kind.startswith("too"):
        thing = "key" if context.get("field_type") in ("Dictionary", "Mapping") else "item"
    return "value", f"expected {words} {count} {thing}{'' if count == 1 else 's'}"


def _pattern(kind: str, context: Mapping[str, Any], node: Node) -> tuple[Code, str]:
    del kind, node
    pattern = str(context.get("pattern"))
    if pattern in SHAPES:
        return "format", f"expected {SHAPES[pattern]}"
    return "format", f"expected text that matches {_cut(pattern, MAX_PATTERN)}"


def _format(kind: str, context: Mapping[str, Any], node: Node) -> tuple[Code, str]:
    del context, node
    return "format", f"expected format {_FORMATS[kind]}"


def _members(kind: str, context: Mapping[str, Any], node: Node) -> tuple[Code, str]:
    del kind, context
    values = node.get("expected") or [member.value for member in node.get("members", ())]
    texts = [write(getattr(value, "value", value)) for value in values[:MAX_MEMBERS]]
    if len(values) == 1:
        return "enum", f"expected {texts[0]}"
    more = ", ..." if len(values) > MAX_MEMBERS else ""
    return "enum", f"expected one of {', '.join(texts)}{more}"


_PLAIN: Final[dict[str, tuple[Code, str]]] = {
    "missing": ("missing", "required"),
    "extra_forbidden": ("extra", "unknown"),
    "unexpected_keyword_argument": ("extra", "unknown"),
    "finite_number": ("value", "expected a finite number"),
    "unique": ("value", "expected no duplicate items"),
    "union_tag_invalid": ("union", "expected one of the known tags"),
    "union_tag_not_found": ("union", "expected one of the known tags"),
}
_BOUNDS: Final = {
    "greater_than": ("more than {}", "gt"),
    "greater_than_equal": ("at least {}", "ge"),
    "less_than": ("less than {}", "lt"),
    "less_than_equal": ("at most {}", "le"),
    "multiple_of": ("a multiple of {}", "multiple_of"),
    "decimal_max_digits": ("at most {} digits", "max_digits"),
    "decimal_max_places": ("at most {} decimal places", "decimal_places"),
    "decimal_whole_digits": ("at most {} whole digits", "whole_digits"),
}
_LENGTHS: Final = {
    "too_short": ("at least", "min_length"),
    "too_long": ("at most", "max_length"),
    "string_too_short": ("at least", "min_length"),
    "string_too_long": ("at most", "max_length"),
    "bytes_too_short": ("at least", "min_length"),
    "bytes_too_long": ("at most", "max_length"),
}
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
    "int_parsing": "integer",
    "float_parsing": "number",
    "bool_parsing": "boolean",
}
_Say: TypeAlias = Callable[[str, Mapping[str, Any], Node], tuple[Code, str]]
_SAYINGS: Final[dict[str, _Say]] = {
    **dict.fromkeys(_BOUNDS, _bound),
    **dict.fromkeys(_LENGTHS, _length),
    **dict.fromkeys(_FORMATS, _format),
    "string_pattern_mismatch": _pattern,
    "literal_error": _members,
    "enum": _members,
}
