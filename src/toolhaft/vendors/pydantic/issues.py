"""pydantic's errors in our words, with exact paths into the data.

A union gives a fault for each of its branches; those about the type become one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from toolhaft.spec import Issue
from toolhaft.vendors.pydantic.locations import Place, definitions_of, place_of
from toolhaft.vendors.pydantic.walk import OBJECT, Node
from toolhaft.vendors.pydantic.words import message_of

__all__ = ["are_plain", "issues_of"]


def issues_of(errors: Iterable[Mapping[str, Any]], schema: Node, data: Any) -> list[Issue]:
    """Turn `ValidationError.errors()` into issues, one for each path and kind of fault."""
    definitions = definitions_of(schema)
    found: dict[tuple[Any, ...], Issue] = {}
    for error in errors:
        if OBJECT in error["loc"]:
            continue
        place = place_of(error["loc"], schema, definitions)
        issue = _issue(error, place, data)
        key = (issue.path, issue.code, None if issue.code == "type" else issue.message)
        found[key] = _merged(found[key], issue) if key in found else issue
    return [issue for issue in found.values() if not _idle(issue)] or list(found.values())


def are_plain(error: Any, issues: Sequence[Issue]) -> bool:
    """Say whether a `ValidationError` tells of these keys and wrong types alone."""
    if error.error_count() != len(issues):
        return False
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    places = {one["loc"] for one in errors if one["type"] in _KEYS or one["type"] in _TYPES}
    return places == {issue.path for issue in issues}


def _idle(issue: Issue) -> bool:
    """Say whether a branch only missed a Python object where the JSON form was right."""
    return issue.received is not None and issue.received in str(issue.expected).split(" or ")


def _merged(one: Issue, other: Issue) -> Issue:
    """Join the type faults of a union's branches: `expected integer or null, received string`."""
    names = dict.fromkeys(f"{one.expected} or {other.expected}".split(" or "))
    expected = " or ".join(sorted(names, key=lambda name: name == "null"))
    message = f"expected {expected}, received {one.received}"
    return Issue(message, one.path, "type", expected, one.received, one.vendor_code)


def _issue(error: Mapping[str, Any], place: Place, data: Any) -> Issue:
    kind = error["type"]
    if kind in _TYPES:
        return _type_issue(kind, place, data)
    code, message = message_of(error, place.node)
    return Issue(message, place.path, code, vendor_code=kind)


def _type_issue(kind: str, place: Place, data: Any) -> Issue:
    expected, received = _TYPES[kind], _received(data, place.path)
    if place.nullable:
        expected += " or null"
    message = f"expected {expected}, received {received}"
    return Issue(message, place.path, "type", expected, received, kind)


def _received(data: Any, path: Sequence[str | int]) -> str:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return "nothing"
    return _JSON_TYPES.get(type(data), "object")


_KEYS: Final = ("missing", "extra_forbidden", "unexpected_keyword_argument")
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
