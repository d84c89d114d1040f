from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.branches import own_keys
from toolhaft.schema.faults import SchemaFault
from toolhaft.schema.limits import faults_of
from toolhaft.schema.recursion import recursion_faults

ENDLESS = "refers to itself without a step into the value"
LARGE = "more than 100000 nodes when its references are written out"
AMBIGUOUS = "recursive branches that nothing distinguishes: the cost doubles at every level"


def reasons(schema: Any, most: int = 1) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.reason) for fault in recursion_faults(schema, 100_000, most)]


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"$ref": "#"}, ""),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "/$defs/a"),
        ({"allOf": [{"$ref": "#"}]}, ""),
        ({"anyOf": [{"type": "null"}, {"not": {"$ref": "#"}}]}, ""),
        ({"if": {"$ref": "#"}}, ""),
        ({"dependentSchemas": {"a": {"$ref": "#"}}}, ""),
    ],
)
def test_a_circle_at_the_same_value_is_refused(schema: Any, pointer: str) -> None:
    assert reasons(schema) == [(pointer, ENDLESS)]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"child": {"$ref": "#"}}},
        {"items": {"$ref": "#"}, "prefixItems": [{"$ref": "#"}, {"$ref": "#"}]},
        {"additionalProperties": {"$ref": "#"}, "properties": {"a": {"$ref": "#"}}},
        {"patternProperties": {"^a": {"$ref": "#"}, "^b": {"$ref": "#"}}},
        {"propertyNames": {"$ref": "#"}},
        {"contains": {"$ref": "#"}},
        {"anyOf": [{"type": "null"}, {"properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}}]},
        {"$defs": {"a": {"$defs": {"b": {"$ref": "#/$defs/a"}}}}},
    ],
)
def test_a_tree_may_recur(schema: Any) -> None:
    assert reasons(schema) == []


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "properties"])
def test_definitions_that_double_are_refused(keyword: str) -> None:
    defs: dict[str, Any] = {"l0": {"type": "integer"}}
    for n in range(1, 31):
        ref = {"$ref": f"#/$defs/l{n - 1}"}
        inner: Any = {"a": ref, "b": dict(ref)} if keyword == "properties" else [ref, dict(ref)]
        defs[f"l{n}"] = {keyword: inner}
    [(pointer, reason)] = reasons({"$ref": "#/$defs/l30", "$defs": defs})
    assert reason == LARGE
    assert pointer.startswith("/$defs/l")


def test_a_definition_that_is_used_often_counts_each_time() -> None:
    schema = {
        "properties": {name: {"$ref": "#/$defs/x"} for name in "abc"},
        "$defs": {"x": {"items": {}}},
    }
    assert recursion_faults(schema, 10, 1) == []
    assert recursion_faults(schema, 9, 1) == [
        SchemaFault("", "more than 9 nodes when its references are written out",
                    "refer to each definition less often")
    ]  # fmt: skip


def node(*required: str, **properties: Any) -> dict[str, Any]:
    inner = {"c": {"$ref": "#"}, **properties}
    return {"type": "object", "properties": inner, "required": ["c", *required]}


def test_recursive_forms_that_nothing_tells_apart_are_refused() -> None:
    assert reasons({"anyOf": [node("x"), node("y"), {"type": "null"}]}) == [("", AMBIGUOUS)]
    assert reasons({"allOf": [node(), node()]}) == [("", AMBIGUOUS)]
    assert reasons({"properties": {"c": {"$ref": "#"}}, "oneOf": [node(), {}]}) == [("", AMBIGUOUS)]


@pytest.mark.parametrize(
    "forms",
    [
        [node(x={"const": 1}), node(x={"const": 2}), {"type": "null"}],
        [
            {**node("x"), "additionalProperties": False},
            {**node("y"), "additionalProperties": False},
        ],
        [node("x"), {"type": "object", "required": ["y"]}],
        [node("x"), {"type": "array", "items": {"$ref": "#"}}],
        [node("x"), {"type": "object", "additionalProperties": {"$ref": "#"}}],
    ],
)
def test_recursive_forms_that_can_be_told_apart_may_stand(forms: Any) -> None:
    assert reasons({"anyOf": forms}) == []


@pytest.mark.requirement("schema-bounds")
def test_the_ambiguity_that_is_borne_can_be_raised() -> None:
    schema = {"anyOf": [node("x"), node("y")]}
    assert reasons(schema, most=2) == []
    assert faults_of(schema, DefinitionLimits(max_ambiguity=2)) == []


def test_the_search_itself_is_bounded() -> None:
    names = [f"p{n}" for n in range(400)]
    chain: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(400)}
    chain["d400"] = {"properties": {name: {"$ref": "#"} for name in names}}
    [(_, reason)] = reasons({"$ref": "#/$defs/d0", "$defs": chain})
    assert reason == "recursion too entangled to check"


def test_looking_at_the_forms_is_bounded_too() -> None:
    wide: dict[str, Any] = {
        "properties": {f"p{n}": {"const": n} for n in range(900)},
        "required": ["x"],
    }
    wide["properties"]["child"] = {"$ref": "#"}
    forms = [{"$ref": "#/$defs/wide"} for _ in range(4_000)]
    [(_, reason)] = reasons({"anyOf": forms, "$defs": {"wide": wide}})
    assert reason == "recursion too entangled to check"


def test_a_union_of_very_many_forms_is_read_in_linear_time() -> None:
    forms = [{"type": "object", "required": [f"k{n}"]} for n in range(5_000)]
    assert own_keys({}, forms) == tuple(frozenset({f"k{n}"}) for n in range(5_000))
