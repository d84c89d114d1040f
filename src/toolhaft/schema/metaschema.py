"""The meta-schema of the supported drafts, as a table of the values of each keyword.

JSON Schema 2020-12 (validation, 2022-06-16), with the spellings of the older drafts. A schema
whose keywords all have valid values compiles in the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from toolhaft.schema.document.kinds import KINDS
from toolhaft.schema.document.walk import LISTS, MAPS, pointer
from toolhaft.schema.draft import CURRENT, DRAFT_4
from toolhaft.schema.faults import SchemaFault
from toolhaft.schema.marks import MARK
from toolhaft.spec import Path

__all__ = ["malformed"]

Expected: TypeAlias = tuple[Callable[[Any], bool], str]


def malformed(steps: Path, node: Any, draft: int | None) -> list[SchemaFault]:
    """List the keywords of a node with an invalid value, or report that it is not a schema."""
    if not isinstance(node, dict):
        fix = "write an object, true or false"
        is_schema = isinstance(node, bool)
        return [] if is_schema else [SchemaFault(pointer(steps), "not a schema", fix)]
    return [
        SchemaFault(f"{pointer(steps)}/{keyword}", f"malformed {keyword}", f"write {expected[1]}")
        for keyword, value in node.items()
        if (expected := KEYWORDS.get(keyword)) is not None
        and not expected[0](value)
        and not _is_older_spelling(keyword, value, draft)
    ]


def _is_older_spelling(keyword: str, value: Any, draft: int | None) -> bool:
    if keyword == "items":
        return isinstance(value, list) and draft != CURRENT
    flag = keyword in ("exclusiveMaximum", "exclusiveMinimum")
    return flag and isinstance(value, bool) and draft in (None, DRAFT_4)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_not_list(value: Any) -> bool:
    return not isinstance(value, list)


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _is_schema_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _is_map_of_names(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_names, value.values()))


def _is_dependencies(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_names(said) for said in value.values() if isinstance(said, list)
    )


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in KINDS
    return _is_names(value) and len(value) > 0 and all(name in KINDS for name in value)


BOOL: Expected = (_is_bool, "true or false")
TEXT: Expected = (_is_text, "text")
LIST: Expected = (_is_list, "a list")
MAP: Expected = (_is_map, "an object of schemas")
SCHEMAS: Expected = (_is_schema_list, "a list of at least one schema")
NUMBER: Expected = (_is_number, "a number")
COUNT: Expected = (_is_count, "a whole number of at least 0")
NAMES: Expected = (_is_names, "a list of different property names")

KEYWORDS: dict[str, Expected] = {
    **dict.fromkeys(MAPS, MAP),
    **dict.fromkeys(LISTS - {"items"}, SCHEMAS),
    "$comment": TEXT,
    "$id": TEXT,
    "$schema": TEXT,
    "contentEncoding": TEXT,
    "contentMediaType": TEXT,
    "dependencies": (_is_dependencies, "an object of schemas or lists of property names"),
    "dependentRequired": (_is_map_of_names, "an object of lists of property names"),
    "deprecated": BOOL,
    "description": TEXT,
    "enum": LIST,
    "examples": LIST,
    "exclusiveMaximum": NUMBER,
    "exclusiveMinimum": NUMBER,
    "format": TEXT,
    "items": (_is_not_list, "one schema, and the schemas of a tuple under prefixItems"),
    "maxContains": COUNT,
    "maxItems": COUNT,
    "maxLength": COUNT,
    "maxProperties": COUNT,
    "maximum": NUMBER,
    "minContains": COUNT,
    "minItems": COUNT,
    "minLength": COUNT,
    "minProperties": COUNT,
    "minimum": NUMBER,
    "multipleOf": (_is_positive, "a number above 0"),
    "pattern": TEXT,
    "readOnly": BOOL,
    "required": NAMES,
    "title": TEXT,
    "type": (_is_type, "a JSON type or a list of different ones"),
    "uniqueItems": BOOL,
    "writeOnly": BOOL,
    MARK: (_is_map, "an object"),
}
