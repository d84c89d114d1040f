"""Each change has the class that it must get, for callers and for the model."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.review.diff import Change, diff

BASE: dict[str, Any] = {
    "name": "find",
    "title": "Find",
    "description": "Find a shop.",
    "input": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "maxLength": 9, "description": "A city"},
            "kind": {"enum": ["shop", "bank"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
            "at": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "near": {
                "type": "object",
                "properties": {"x": {"type": "number"}},
                "additionalProperties": False,
            },
        },
        "required": ["city"],
        "additionalProperties": False,
    },
    "output": {
        "type": "object",
        "properties": {"shop": {"type": "string"}, "score": {"type": "number", "maximum": 1}},
        "required": ["shop"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False},
}
GONE = object()


def changed(path: str, value: Any) -> dict[str, Any]:
    """The tool with another value at a path; `GONE` removes what is there."""

    def rebuilt(node: Any, steps: list[str]) -> Any:
        if not steps:
            return value
        step, *more = steps
        made = dict(node)
        if not more and value is GONE:
            made.pop(step, None)
        else:
            made[step] = rebuilt(made.get(step, {}), more)
        return made

    result: dict[str, Any] = rebuilt(BASE, path.split("/"))
    return result


IN, OUT = "input/properties", "output/properties"
# Each change, with its class for callers and for models.
TABLE: list[tuple[str, Any, str, str]] = [
    # words
    ("title", "Search", "harmless", "harmless"),
    ("description", "Find a shop!", "harmless", "unknown"),
    (f"{IN}/city/description", "A town", "harmless", "unknown"),
    (f"{IN}/city/title", "City", "harmless", "harmless"),
    (f"{IN}/limit/default", 2, "harmless", "harmless"),
    (f"{IN}/city/examples", ["Oslo"], "harmless", "harmless"),
    # parameters
    (f"{IN}/kind", GONE, "breaking", "breaking"),
    (f"{IN}/extra", {"type": "string"}, "widening", "widening"),
    ("input/required", ["city", "kind"], "breaking", "breaking"),
    ("input/required", [], "widening", "widening"),
    ("input/additionalProperties", True, "widening", "widening"),
    (f"{IN}/near/additionalProperties", {"type": "string"}, "widening", "widening"),
    (f"{IN}/near/properties/x", GONE, "breaking", "breaking"),
    (f"{IN}/near/properties/y", {"type": "number"}, "widening", "widening"),
    (f"{IN}/near/required", ["x"], "breaking", "breaking"),
    # types
    (f"{IN}/city/type", ["string", "null"], "widening", "widening"),
    (f"{IN}/limit/type", "number", "widening", "widening"),
    (f"{IN}/near/properties/x/type", "integer", "breaking", "breaking"),
    (f"{IN}/near/properties/x", {"type": ["number", "null"]}, "widening", "widening"),
    # enumerations
    (f"{IN}/kind/enum", ["shop"], "breaking", "breaking"),
    (f"{IN}/kind/enum", ["bank", "shop"], "none", "none"),
    (f"{IN}/kind/enum", ["shop", "bank", "cafe"], "widening", "widening"),
    (f"{IN}/kind", {"type": "string"}, "widening", "widening"),
    (f"{IN}/city/enum", ["Oslo"], "breaking", "breaking"),
    # limits
    (f"{IN}/city/minLength", 2, "breaking", "breaking"),
    (f"{IN}/city/minLength", 0, "widening", "widening"),
    (f"{IN}/city/maxLength", GONE, "widening", "widening"),
    (f"{IN}/city/maxLength", 5, "breaking", "breaking"),
    (f"{IN}/limit/maximum", 99, "widening", "widening"),
    (f"{IN}/limit/minimum", 3, "breaking", "breaking"),
    (f"{IN}/limit/exclusiveMaximum", 9, "breaking", "breaking"),
    (f"{IN}/limit/multipleOf", 1, "widening", "widening"),
    (f"{IN}/limit/multipleOf", 4, "breaking", "breaking"),
    (f"{IN}/limit/multipleOf", 3, "unknown", "unknown"),
    (f"{IN}/city/pattern", "^[A-Z]", "breaking", "breaking"),
    (f"{IN}/city/format", "date", "breaking", "breaking"),
    # arrays and unions
    (f"{IN}/tags/maxItems", 2, "breaking", "breaking"),
    (f"{IN}/tags/uniqueItems", True, "breaking", "breaking"),
    (f"{IN}/tags/items/type", ["string", "integer"], "widening", "widening"),
    (f"{IN}/tags/items/enum", ["a"], "breaking", "breaking"),
    (f"{IN}/at/anyOf", [{"type": "string"}], "breaking", "breaking"),
    (f"{IN}/at/anyOf", [{"type": "null"}, {"type": "string"}], "harmless", "harmless"),
    (
        f"{IN}/at/anyOf",
        [{"type": "string"}, {"type": "null"}, {"type": "integer"}],
        "widening",
        "widening",
    ),
    (f"{IN}/city/not", {"const": "x"}, "unknown", "unknown"),
    (f"{IN}/near/dependentRequired", {"x": ["y"]}, "unknown", "unknown"),
    # results
    ("output", None, "breaking", "harmless"),
    (f"{OUT}/score", GONE, "breaking", "harmless"),
    (f"{OUT}/more", {"type": "string"}, "breaking", "harmless"),
    (f"{OUT}/score/maximum", 2, "breaking", "harmless"),
    (f"{OUT}/score/maximum", 0.5, "harmless", "harmless"),
    (f"{OUT}/shop/type", ["string", "null"], "breaking", "harmless"),
    ("output/required", [], "breaking", "harmless"),
    ("output/required", ["shop", "score"], "harmless", "harmless"),
    (f"{OUT}/shop/description", "Its name", "harmless", "harmless"),
    # annotations
    ("annotations/readOnlyHint", False, "breaking", "harmless"),
    ("annotations/destructiveHint", True, "breaking", "harmless"),
    ("annotations/openWorldHint", True, "harmless", "harmless"),
    ("annotations/idempotentHint", True, "harmless", "harmless"),
]


@pytest.mark.requirement("pain-79")
@pytest.mark.parametrize(("path", "value", "callers", "model"), TABLE)
def test_a_change_has_its_class(path: str, value: Any, callers: str, model: str) -> None:
    found = diff({"find": BASE}, {"find": changed(path, value)})
    classes = {(one.callers, one.model) for one in found}
    assert classes == (set() if callers == "none" else {(callers, model)})
    assert all(one.tool == "find" and one.pointer.startswith("/") for one in found)


@pytest.mark.requirement("pain-79")
def test_a_type_that_becomes_another_breaks() -> None:
    found = diff({"find": BASE}, {"find": changed(f"{IN}/city/type", "integer")})
    assert [(one.what, one.callers) for one in found] == [
        ("type string is gone", "breaking"),
        ("type integer is new", "widening"),
    ]


@pytest.mark.requirement("pain-79")
def test_tools_come_and_go() -> None:
    other = {**BASE, "name": "other"}
    assert diff({"find": BASE}, {"other": other}) == [
        Change("find", "", "the tool is gone", "breaking", "breaking"),
        Change("other", "", "the tool is new", "widening", "widening"),
    ]


def test_an_open_object_that_declares_a_key_may_break_its_users() -> None:
    old = {**BASE, "input": {"type": "object"}}
    new = {**BASE, "input": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    [one] = diff({"find": old}, {"find": new})
    assert str(one) == (
        "find/input/properties/n: is new; the key could hold anything before "
        "(unknown; model: unknown)"
    )
    back = diff({"find": new}, {"find": old})
    assert [(one.what, one.callers) for one in back] == [("is gone; the key is free", "breaking")]


@pytest.mark.parametrize(
    ("declared", "change"),
    [
        ({"type": "integer"}, "is new (harmless; model: harmless)"),
        (
            {"type": "integer", "maximum": 5},
            "is new; the key could hold anything before (unknown; model: unknown)",
        ),
    ],
    ids=["like the others", "narrower"],
)
def test_a_key_of_a_map_that_is_declared_may_break_its_users(
    declared: dict[str, Any], change: str
) -> None:
    numbers = {"type": "object", "additionalProperties": {"type": "integer"}}
    old = {**BASE, "input": numbers}
    new = {**BASE, "input": numbers | {"properties": {"n": declared}}}
    [one] = diff({"find": old}, {"find": new})
    assert str(one) == f"find/input/properties/n: {change}"


def test_a_first_output_schema_breaks_nobody() -> None:
    found = diff({"find": {**BASE, "output": None}}, {"find": BASE})
    assert [(one.what, one.callers) for one in found] == [("results are declared now", "harmless")]
    assert diff({"find": BASE}, {"find": BASE}) == []


def test_recursive_schemas_are_compared() -> None:
    def tree(kind: str) -> dict[str, Any]:
        node = {
            "type": "object",
            "properties": {
                "value": {"type": kind},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
        }
        schema = {"properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
        return {**BASE, "input": schema}

    assert diff({"find": tree("integer")}, {"find": tree("integer")}) == []
    found = diff({"find": tree("integer")}, {"find": tree("number")})
    assert [(one.pointer, one.callers) for one in found] == [
        ("/input/properties/root/properties/value/type", "widening")
    ]
