"""Nineteen shapes that the transformers of other libraries lose something of."""

from __future__ import annotations

from typing import Any

__all__ = ["SHAPES"]

_NODE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []},
    },
    "required": ["value"],
}
_CAT = {
    "type": "object",
    "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
    "required": ["kind", "lives"],
}
_DOG = {
    "type": "object",
    "properties": {
        "kind": {"const": "dog"},
        "tricks": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["kind"],
}


def _tool(required: bool = True, **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": list(properties)} if required else schema


SHAPES: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "any": (_tool(x={}), [{"x": None}, {"x": {"a": [1, "1"]}}, {"x": "[1]"}]),
    "bounds": (
        _tool(
            n={"type": "integer", "exclusiveMinimum": 0, "maximum": 9, "multipleOf": 3},
            f={"type": "number", "exclusiveMaximum": 1.5},
            s={"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]+$"},
        ),
        [{"n": 3, "f": 1.25, "s": "abc"}],
    ),
    "default": (
        _tool(False, page={"type": "integer", "default": 1}, q={"type": "string"}),
        [{}, {"page": 2}, {"q": "x"}],
    ),
    "discriminated_union": (
        _tool(pet={"oneOf": [_CAT, _DOG], "discriminator": {"propertyName": "kind"}}),
        [{"pet": {"kind": "cat", "lives": 9}}, {"pet": {"kind": "dog", "tricks": {"sit": 1}}}],
    ),
    "enum_int": (_tool(level={"enum": [1, 2, 3]}), [{"level": 2}]),
    "enum_mixed": (_tool(x={"enum": [1, "1", True, None]}), [{"x": 1}, {"x": "1"}, {"x": None}]),
    "extra_allowed": (
        {**_tool(q={"type": "string"}), "additionalProperties": True},
        [{"q": "x"}, {"q": "x", "more": {"a": 1}}],
    ),
    "formats": (
        _tool(
            at={"type": "string", "format": "date-time"}, link={"type": "string", "format": "uri"}
        ),
        [{"at": "2026-11-20T00:00:00Z", "link": "https://example.com"}],
    ),
    "map_of_integers": (
        _tool(m={"type": "object", "additionalProperties": {"type": "integer"}}),
        [{"m": {}}, {"m": {"a": 1, "b": 2}}],
    ),
    "map_of_objects": (
        _tool(m={"type": "object", "additionalProperties": _CAT}),
        [{"m": {"tom": {"kind": "cat", "lives": 7}}}],
    ),
    "nested_model": (
        {**_tool(cat={"$ref": "#/$defs/Cat", "description": "The pet."}), "$defs": {"Cat": _CAT}},
        [{"cat": {"kind": "cat", "lives": 1}}],
    ),
    "nullable": (
        _tool(a={"anyOf": [{"type": "string"}, {"type": "null"}]}, b={"type": ["integer", "null"]}),
        [{"a": None, "b": 1}, {"a": "x", "b": None}],
    ),
    "optional_map": (
        _tool(
            False,
            m={
                "anyOf": [
                    {"type": "object", "additionalProperties": {"type": "string"}},
                    {"type": "null"},
                ]
            },
        ),
        [{}, {"m": None}, {"m": {"a": "b"}}],
    ),
    "recursive_list": (
        {"$ref": "#/$defs/Node", "$defs": {"Node": _NODE}},
        [{"value": 1}, {"value": 1, "children": [{"value": 2, "children": [{"value": 3}]}]}],
    ),
    "recursive_map": (
        {
            **_tool(tree={"$ref": "#/$defs/Tree"}),
            "$defs": {"Tree": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}}},
        },
        [{"tree": {}}, {"tree": {"a": {"b": {}}}}],
    ),
    "tuple": (
        _tool(
            at={
                "type": "array",
                "prefixItems": [{"type": "number"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            }
        ),
        [{"at": [1.5, "x"]}],
    ),
    "tuple_of_one_kind": (
        _tool(
            box={
                "type": "array",
                "prefixItems": [{"type": "integer"}] * 4,
                "minItems": 4,
                "maxItems": 4,
            }
        ),
        [{"box": [1, 2, 3, 4]}],
    ),
    "union_root": (
        {"anyOf": [_CAT, _DOG]},
        [{"kind": "cat", "lives": 3}, {"kind": "dog"}],
    ),
    "unique_items": (
        _tool(tags={"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        [{"tags": ["a", "b"]}],
    ),
}
