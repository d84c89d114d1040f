"""Whether an emitted schema says no more than what a library checks when it reads data.

Where that is certain, what was read need not be checked by the schema as well. An author may have
added to the schema what no library checks, or may have taken its place. What is checked is said in
the words of pydantic's core schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from toolhaft.vendors.emitted import JSON_TYPES

__all__ = ["says_no_more"]

Node: TypeAlias = Mapping[str, Any]

TYPES: Final[dict[str, Any]] = {
    "none": "null", "bool": "boolean", "int": "integer", "float": "number", "str": "string",
    "list": "array", "dict": "object",
    "any": list(JSON_TYPES),
}  # fmt: skip
BOUNDS: Final = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum",
}  # fmt: skip
LENGTHS: Final = {
    "str": {"min_length": "minLength", "max_length": "maxLength"},
    "list": {"min_length": "minItems", "max_length": "maxItems"},
    "dict": {"min_length": "minProperties", "max_length": "maxProperties"},
}
# What asserts nothing; formats are not asserted either.
NOTES: Final = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format",
    "$comment",
})  # fmt: skip
OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties"})
SEVERAL: Final = {
    "list": ("items", "items_schema"), "dict": ("additionalProperties", "values_schema"),
}  # fmt: skip
NULL: Final = {"type": "null"}


def says_no_more(node: Node, emitted: Any) -> bool:
    """Say whether all that a node reads strictly is certain to fit an emitted schema.

    Nothing is certain of a default, which nobody looks at.
    """
    if not isinstance(emitted, Mapping):
        return emitted is True
    said = {key: value for key, value in emitted.items() if key not in NOTES}
    kind = node["type"]
    if kind in ("model", "dataclass"):
        return says_no_more(node["schema"], emitted)
    rule = _object if "fields" in node else _RULES.get(kind, _scalar)
    return rule(node, said)


def _scalar(node: Node, said: dict[str, Any]) -> bool:
    kind = node["type"]
    words = BOUNDS if kind in ("int", "float") else LENGTHS.get(kind, {})
    held = {keyword: node[word] for word, keyword in words.items() if word in node}
    return kind in TYPES and said.items() <= {**held, "type": TYPES[kind]}.items()


def _several(node: Node, said: dict[str, Any]) -> bool:
    keyword, inner = SEVERAL[node["type"]]
    fits = keyword not in said or says_no_more(node.get(inner, {"type": "any"}), said.pop(keyword))
    return fits and _scalar(node, said)


def _nullable(node: Node, said: dict[str, Any]) -> bool:
    branches = said.pop("anyOf", ())
    fits = any(says_no_more(node["schema"], one) for one in branches)
    return not said and fits and NULL in branches


def _literal(node: Node, said: dict[str, Any]) -> bool:
    expected, listed = node["expected"], said.get("enum", [said.get("const")])
    is_text = all(type(one) is str for one in (*listed, *expected))
    known = said.keys() - {"type"} in ({"enum"}, {"const"})
    return known and is_text and said.get("type", "string") == "string" and {*expected} <= {*listed}


def _object(node: Node, said: dict[str, Any]) -> bool:
    found: Any = node["fields"]
    fields = found if isinstance(found, dict) else {one["name"]: one for one in found}
    properties = said.get("properties", {})
    if not said.keys() <= OBJECT or said.get("type", "object") != "object":
        return False
    if fields.keys() != properties.keys() or not {*said.get("required", ())} <= fields.keys():
        return False
    return all(
        one.get("required", node.get("total", True))
        and says_no_more(one["schema"], properties[name])
        for name, one in fields.items()
    )


_RULES: Final = {
    "list": _several,
    "dict": _several,
    "nullable": _nullable,
    "literal": _literal,
}
