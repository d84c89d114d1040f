"""pydantic's errors in our words, with exact paths into the data.

pydantic's locations name union branches and tags between the keys of the data, so a location is
read along the core schema, which knows one from the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolhaft.jsontext import write
from toolhaft.spec import Code, Issue
from toolhaft.vendors.pydantic.strict import FORMATS, OBJECT, Node

__all__ = ["issues_of"]

MAX_WORDS: Final = 300


def issues_of(errors: Iterable[Mapping[str, Any]], schema: Node, data: Any) -> list[Issue]:
    """Turn `ValidationError.errors()` into issues, one for each path and kind of fault."""
    definitions = _definitions(schema)
    found: dict[tuple[Any, ...], Issue] = {}
    for error in errors:
        if OBJECT in error["loc"]:
            continue
        place = _place(error["loc"], schema, definitions)
        issue = _issue(error, place, data)
        key = (issue.path, issue.code, None if issue.code == "type" else issue.message)
        found[key] = _merged(found[key], issue) if key in found else issue
    return [issue for issue in found.values() if not _idle(issue)] or list(found.values())


def _idle(issue: Issue) -> bool:
    """Say whether a branch only missed a Python object where the JSON form was right."""
    return issue.received is not None and issue.received in str(issue.expected).split(" or ")


def _merged(one: Issue, other: Issue) -> Issue:
    """Join the type faults of a union's branches: `expected integer or null, received string`."""
    names = dict.fromkeys(f"{one.expected} or {other.expected}".split(" or "))
    expected = " or ".join(names)
    message = f"expected {expected}, received {one.received}"
    return Issue(message, one.path, "type", expected, one.received, one.vendor_code)


# ----------------------------------------------------------------------------- locations


class _Place(NamedTuple):
    """Where an error is: the path into the data, and the schema's node there."""

    path: tuple[str | int, ...]
    node: Node


def _definitions(schema: Node) -> dict[str, Node]:
    found = {one["ref"]: one for one in schema.get("definitions", ()) if "ref" in one}
    return found | {"": schema}


def _place(loc: Sequence[str | int], schema: Node, definitions: Mapping[str, Node]) -> _Place:
    path: list[str | int] = []
    rest, node = list(loc), schema
    while True:
        node = _unwrapped(node, definitions)
        if not rest:
            return _Place(tuple(path), node)
        below = _below(node, rest, path)
        if below is None:
            return _Place((*path, *rest), node)
        node = below


def _unwrapped(node: Node, definitions: Mapping[str, Node]) -> Node:
    while True:
        kind = node["type"]
        if kind == "definition-ref":
            node = definitions.get(node["schema_ref"], {"type": "any"})
        elif kind == "chain":
            node = node["steps"][-1]
        elif "schema" in node:
            node = node["schema"]
        else:
            return node


def _below(node: Node, rest: list[str | int], path: list[str | int]) -> Node | None:
    """Go one step down: what is data goes from `rest` to `path`, a branch's name is dropped."""
    kind = node["type"]
    if kind == "union":
        return _choice(node, str(rest.pop(0)))
    if kind == "tagged-union":
        tag = str(rest.pop(0))
        return next((one for key, one in node["choices"].items() if _tag(key) == tag), None)
    if "fields" in node:
        return _field(node, rest, path)
    step = rest.pop(0)
    path.append(step)
    if rest and rest[0] == "[key]":
        rest.pop(0)
        return None
    return _item(node, step)


def _choice(node: Node, label: str) -> Node | None:
    found: Node | None = next((one for one, name in node["choices"] if name == label), None)
    return found


def _tag(key: Any) -> str:
    return str(getattr(key, "value", key))


def _item(node: Node, step: str | int) -> Node:
    items = node.get("values_schema") or node.get("items_schema") or {"type": "any"}
    if not isinstance(items, list):
        return dict(items)
    variadic = node.get("variadic_item_index")
    place = step if isinstance(step, int) and step < len(items) else (variadic or 0)
    return dict(items[place]) if items else {"type": "any"}


def _field(node: Node, rest: list[str | int], path: list[str | int]) -> Node | None:
    fields = node["fields"]
    named = fields.items() if isinstance(fields, dict) else [(one["name"], one) for one in fields]
    for name, field in named:
        for spelling in ([name], *_aliases(field)):
            if rest[: len(spelling)] == spelling:
                path.extend(spelling)
                del rest[: len(spelling)]
                return dict(field["schema"])
    path.append(rest.pop(0))
    return node.get("extras_schema")


def _aliases(field: Node) -> list[list[str | int]]:
    alias = field.get("validation_alias")
    if alias is None:
        return []
    if isinstance(alias, str):
        return [[alias]]
    return [list(one) for one in alias] if isinstance(alias[0], list) else [list(alias)]


# ---------------------------------------------------------------------------------- words


def _issue(error: Mapping[str, Any], place: _Place, data: Any) -> Issue:
    kind = error["type"]
    context = error.get("ctx", {})
    if kind in _TYPES:
        return _type_issue(kind, place, data)
    code, message = _message(kind, context, place, error)
    return Issue(message, place.path, code, vendor_code=kind)


def _type_issue(kind: str, place: _Place, data: Any) -> Issue:
    expected, received = _TYPES[kind], _received(data, place.path)
    message = f"expected {expected}, received {received}"
    return Issue(message, place.path, "type", expected, received, kind)


def _message(
    kind: str, context: Mapping[str, Any], place: _Place, error: Mapping[str, Any]
) -> tuple[Code, str]:
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in _BOUNDS:
        words, name = _BOUNDS[kind]
        return "value", f"expected {words.format(_number(context.get(name)))}"
    if kind in _LENGTHS:
        return "value", _length(kind, context)
    if kind in ("literal_error", "enum"):
        return "enum", _members(place.node)
    if kind == "string_pattern_mismatch":
        return "format", _pattern(str(context.get("pattern")))
    if kind in _FORMATS:
        return "format", f"expected format {_FORMATS[kind]}"
    return "custom", _words(kind, context, error)


def _words(kind: str, context: Mapping[str, Any], error: Mapping[str, Any]) -> str:
    """Give the author's words; pydantic's own may quote the data, so they are not shown."""
    if kind in ("value_error", "assertion_error"):
        return _cut(str(context.get("error", "")).strip(), MAX_WORDS) or "refused"
    if kind in _known_kinds():
        return "not accepted"
    return _cut(str(error["msg"]), MAX_WORDS)


def _known_kinds() -> frozenset[str]:
    from typing import get_args

    from pydantic_core.core_schema import ErrorType

    return frozenset(get_args(ErrorType))


def _pattern(pattern: str) -> str:
    if pattern in FORMATS:
        return f"expected format {FORMATS[pattern]}"
    return f"expected text that matches {_cut(pattern, 60)}"


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def _number(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _length(kind: str, context: Mapping[str, Any]) -> str:
    words, name = _LENGTHS[kind]
    count = context.get(name, 0)
    thing = (
        _THINGS.get(str(context.get("field_type")), "item") if kind[:3] == "too" else "character"
    )
    return f"expected {words} {count} {thing}{'' if count == 1 else 's'}"


def _members(node: Node) -> str:
    values = node.get("expected") or [member.value for member in node.get("members", ())]
    texts = [write(getattr(value, "value", value)) for value in values[:10]]
    if len(values) == 1:
        return f"expected {texts[0]}"
    return f"expected one of {', '.join(texts)}{', ...' if len(values) > 10 else ''}"


def _received(data: Any, path: Sequence[str | int]) -> str:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return "nothing"
    return _JSON_TYPES.get(type(data), "object")


_JSON_TYPES: Final = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_TYPES: Final = {
    "int_type": "integer",
    "float_type": "number",
    "decimal_type": "number or string",
    "bool_type": "boolean",
    "string_type": "string",
    "none_required": "null",
    "list_type": "array",
    "tuple_type": "array",
    "set_type": "array",
    "frozen_set_type": "array",
    "deque_type": "array",
    "iterable_type": "array",
    "named_tuple_type": "array",
    "dict_type": "object",
    "mapping_type": "object",
    "ordered_dict_type": "object",
    "counter_type": "object",
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
    "json_type": "string",
    "complex_type": "string",
}
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
_THINGS: Final = {"Dictionary": "key", "Mapping": "key"}
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
