"""Assembling a tool: all faults are reported at once, with their fixes."""

from __future__ import annotations

from functools import wraps
from typing import Any

import pytest
from pydantic import BaseModel

from toolhaft import Context, DefinitionError, Doc, Injected, Toolset, tool
from toolhaft.definition.markers import CONTEXT, INJECTED, hidden_marker, marker
from toolhaft.definition.options import UNSET

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}}


def faults(member: Any) -> list[tuple[str, str]]:
    with pytest.raises(DefinitionError) as raised:
        Toolset([member])
    return [(fault.where, fault.reason) for fault in raised.value.faults]


def test_names_that_mean_nothing_are_faults() -> None:
    @tool
    def f(a: Missing, b: Absent) -> int:  # type: ignore[name-defined]  # noqa: F821
        "F."
        return 1

    assert [where for where, _ in faults(f)] == ["a", "b"]


def test_a_left_out_parameter_must_exist_and_have_a_default() -> None:
    @tool(omit=("a", "z"))
    def f(a: int) -> int:
        "F."
        return a

    assert faults(f) == [
        ("a", "left out, but it has no default"),
        ("omit", "unknown parameter z"),
    ]


def test_input_fills_one_parameter() -> None:
    def two(value: dict[str, Any], other: int) -> int:
        "Two."
        return other

    def none() -> int:
        "None."
        return 1

    loose: Any = tool
    assert faults(loose(two, input=NUMBER)) == [
        ("other", "input= fills the first parameter only"),
    ]
    assert faults(loose(none, input=NUMBER)) == [("input", "the handler takes no argument")]


def test_input_needs_a_parameter_with_a_place() -> None:
    def named(*, value: dict[str, Any]) -> int:
        "Named."
        return 1

    class Shop:
        def named(self, *, value: dict[str, Any]) -> int:
            "Named."
            return 1

    loose: Any = tool
    for handler in (named, Shop().named):
        assert faults(loose(handler, input=NUMBER)) == [
            ("value", "input= fills the first parameter by its place, and this has none")
        ]

    @wraps(named)
    def placed(given: dict[str, Any]) -> int:
        return named(value=given)

    assert loose(placed, input=NUMBER).call_sync({"n": 1}).unwrap() == 1


def test_keywords_without_keys_are_a_fault() -> None:
    @tool
    def f(a: int, **rest: int) -> int:
        "F."
        return a

    assert faults(f) == [("**", "**kwargs without declared keys")]


def test_options_that_exclude_each_other_are_faults() -> None:
    def f(value: dict[str, Any]) -> int:
        "F."
        return 1

    options: Any = {"input": NUMBER, "parameters": NUMBER, "omit": ("value",)}
    with pytest.raises(DefinitionError) as raised:
        tool(f, **options)
    assert {fault.where for fault in raised.value.faults} == {"omit", "parameters"}


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"title": "x" * 300}, "title"),
        ({"description": "bell\x07"}, "description"),
        ({"annotations": 1}, "annotations"),
        ({"annotations": {"readOnlyHint": "yes"}}, "annotations"),
        ({"annotations": {"title": 1}}, "annotations"),
        ({"annotations": {"title": "Find\ud800"}}, "annotations"),
        ({"metadata": 1}, "metadata"),
        ({"metadata": {"a": object()}}, "metadata"),
        ({"metadata": {"a": [{"__b": 1}]}}, "metadata"),
        ({"provider_options": {"openai": {"__b": 1}}}, "provider_options"),
        ({"provider_options": {"opnai": {}}}, "provider_options"),
        ({"provider_options": {"openai": {"name": "b"}}}, "provider_options"),
        ({"provider_options": {"openai-chat": {"function": {"strict": True}}}}, "provider_options"),
        ({"provider_options": {"bedrock": {"toolSpec": {"inputSchema": {}}}}}, "provider_options"),
        ({"provider_options": {"mcp": {"annotations": {}}}}, "provider_options"),
        ({"examples": [{"a": {1, 2}}]}, "examples"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"max_result_chars": True}, "max_result_chars"),
        ({"parameters": 1}, "parameters"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], where: str) -> None:
    def f(a: int) -> int:
        "F."
        return a

    made: Any = tool
    with pytest.raises(DefinitionError) as raised:
        made(f, **options)
    assert [fault.where for fault in raised.value.faults] == [where]


@pytest.mark.parametrize(
    "docstring", ["", "x" * 20_000, "hidden\u202echaracter", "Args:\n    a: only this"]
)
def test_a_description_is_needed_and_plain(docstring: str) -> None:
    def f(a: int) -> int:
        return a

    f.__doc__ = docstring
    with pytest.raises(DefinitionError, match="description"):
        Toolset([tool(f)])


def test_markers_are_found_where_they_are() -> None:
    assert marker(Context[int]) is CONTEXT
    assert marker(Injected[int]) is INJECTED
    assert marker(int) is None
    assert hidden_marker(list[Injected[int]]) is INJECTED
    assert hidden_marker(dict[str, list[int]]) is None
    assert (repr(CONTEXT), repr(UNSET)) == ("Context", "UNSET")


def test_descriptions_compare() -> None:
    assert Doc("a") == Doc("a")
    assert Doc("a") != "a"
    assert len({Doc("a"), Doc("a")}) == 1
    assert repr(Doc("a")) == "Doc('a')"


def test_tools_that_take_the_same_type_share_what_was_made_of_it() -> None:
    class Place(BaseModel):
        city: str

    one: Any = tool(lambda value: value, name="one", description="One.", input=Place)
    two: Any = tool(lambda value: value, name="two", description="Two.", input=Place)
    assert one.input_schema is two.input_schema


@pytest.mark.requirement("standard-tools")
def test_where_parameters_are_given_a_fault_names_what_is_left_to_do() -> None:
    class Odd:
        """No validator owns this."""

    fix = "pass input=schema_of(validate=...): parameters= alone does not make the object"
    made = tool(
        lambda odd: odd, name="f", description="F.", input=Odd, parameters={"type": "object"}
    )
    with pytest.raises(DefinitionError) as raised:
        Toolset([made])
    assert [fault.fix for fault in raised.value.faults] == [fix]


@pytest.mark.parametrize("schema", [{"enum": ["red", 3]}, {"const": "red"}], ids=str)
def test_a_schema_that_lists_its_values_and_no_object_is_wrapped(schema: dict[str, Any]) -> None:
    paint = tool(lambda color: f"{color}!", name="paint", description="Paint.", input=schema)
    assert paint.input_schema.json_schema()["properties"] == {"value": schema}
    assert paint.call_sync('{"value": "red"}').unwrap() == "red!"


def test_a_wrapped_schema_keeps_its_identifier_and_its_draft_at_the_root() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://example.com/numbers.json",
        "type": "array",
        "items": {"$ref": "#/definitions/number"},
        "definitions": {"number": {"type": "integer"}},
    }
    count = tool(
        lambda numbers: f"{len(numbers)} in all", name="n", description="Count.", input=schema
    )
    assert count.call_sync('{"value": [1, 2]}').unwrap() == "2 in all"
