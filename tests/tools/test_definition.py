"""A definition that cannot hold is refused with everything that is wrong with it."""

from __future__ import annotations

import sys
from collections import OrderedDict, UserDict, UserString
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel

from toolhaft import DefinitionError, Injected, Toolset, tool


def test_every_flaw_of_a_definition_comes_at_once() -> None:
    options: Any = {
        "name": "not a name",
        "timeout": 0,
        "coerce": "maybe",
        "annotations": {"readonlyHint": True},
        "metadata": {"__class__": 1},
        "provider_options": {"openai": 1},
        "examples": "x",
        "errors": {"x": 1},
        "render": 3,
        "offload": 1,
        "max_result_chars": 1,
        "extra": "drop",
        "omit": "session",
        "title": " ",
        "allowed_callers": "direct",
    }

    def f(a, *args: int) -> int:  # type: ignore[no-untyped-def]
        return int(a)

    with pytest.raises(DefinitionError) as raised:
        tool(f, **options)
    places = {fault.where for fault in raised.value.faults}
    assert places == options.keys() | {"a", "args", "description"}
    assert all(fault.reason and fault.fix for fault in raised.value.faults)
    assert "did you mean readOnlyHint?" in str(raised.value)


def test_a_timeout_is_a_time_that_can_be_waited_for() -> None:
    def f() -> None:
        "F."

    for seconds in (sys.maxsize, 10**400, float("inf"), float("nan"), True):
        with pytest.raises(DefinitionError, match=r"timeout: not a positive number of seconds"):
            tool(f, timeout=seconds)


def test_a_marker_inside_a_union_is_refused() -> None:
    @tool
    def f(a: Injected[str] | None = None) -> str:
        "F."
        return str(a)

    with pytest.raises(DefinitionError, match="a marker inside a union or a container"):
        Toolset([f])


def test_an_output_that_no_vendor_owns_asks_for_none() -> None:
    class Opaque: ...

    @tool
    def f() -> Opaque:
        "F."
        return Opaque()

    with pytest.raises(DefinitionError, match="pass output=None"):
        Toolset([f])
    assert f.replace(output=None).output_schema is None


class Weather(BaseModel):
    city: str


def test_a_tool_cannot_be_made_of_what_is_not_a_function() -> None:
    things: list[Any] = [print, 3, Weather]
    for wrong in things:
        with pytest.raises(DefinitionError, match="not a Python function"):
            tool(wrong, name="x", description="x")


def test_a_name_without_its_option_gets_a_hint_about_the_option() -> None:
    loose: Any = tool
    with pytest.raises(DefinitionError, match=r"as in @tool\(name=\.\.\.\)"):
        loose("get_weather")


@pytest.mark.parametrize("callers", ["direct", [], {}, {"model"}, {"direct", 5}, 7, {"direct": 1}])
def test_callers_are_named_in_a_set(callers: Any) -> None:
    def act() -> None:
        "Act."

    with pytest.raises(DefinitionError, match="allowed_callers: not a set of callers"):
        tool(act, allowed_callers=callers)


def test_an_option_that_is_none_is_not_given() -> None:
    @tool(requires_approval=True, timeout=5, title="Say", annotations={"readOnlyHint": True})
    def say(word: str) -> str:
        "Say a word."
        return word

    none: Any = dict.fromkeys(("requires_approval", "timeout", "title", "annotations", "coerce"))
    plain = say.replace(**none)
    assert plain.call_sync({"word": "tea"}).unwrap() == "tea"
    assert (plain.title, plain.output_schema is None) == (None, False)


@pytest.mark.requirement("definitions-share-nothing")
def test_changes_by_a_program_after_the_definition_change_no_tool() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    output: dict[str, Any] = {"type": "integer"}
    hints: dict[str, Any] = {"readOnlyHint": True}
    sent: dict[str, Any] = {"openai": {"defer_loading": True}}
    notes: dict[str, Any] = {"owner": ["a"]}
    examples: list[Any] = [{"n": 1}]
    words: dict[Any, str] = {KeyError: "gone"}

    def read(arguments: dict[str, Any]) -> int:
        "Read."
        if arguments["n"] < 0:
            raise KeyError
        return int(arguments["n"])

    options: Any = {"annotations": hints, "provider_options": sent, "metadata": notes}
    made = tool(read, input=schema, output=output, examples=examples, errors=words, **options)
    schema["properties"]["n"]["type"] = "string"
    output["type"] = "string"
    hints["readOnlyHint"] = False
    sent["openai"]["defer_loading"] = False
    notes["owner"].append("b")
    examples[0]["n"] = "x"
    words[KeyError] = "secret"
    assert made.input_schema.json_schema()["properties"] == {"n": {"type": "integer"}}
    assert (made.annotations, made.metadata) == ({"readOnlyHint": True}, {"owner": ["a"]})
    assert made.provider_options == {"openai": {"defer_loading": True}}
    assert made.examples == [{"n": 1}]
    assert made.call_sync({"n": 3}).unwrap() == 3
    assert made.call_sync({"n": -1}).text == "gone"


@pytest.mark.requirement("definitions-share-nothing")
@pytest.mark.parametrize("wrap", [dict, MappingProxyType, UserDict])
@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({1, 2}, "received set"),
        (b"a", "received bytes"),
        (UserString("a"), "received UserString"),
        (object(), "received object"),
        (float("nan"), "not a finite number"),
        ({1: 2}, "keys must be text"),
        (iter([1]), "received list_iterator"),
    ],
)
@pytest.mark.parametrize(
    "option", ["input", "output", "parameters", "metadata", "annotations", "provider_options"]
)
def test_a_schema_that_is_not_plain_data_is_a_fault_of_the_definition(
    option: str, held: Any, said: str, wrap: Any
) -> None:
    def read(arguments: Any) -> None:
        "Read."

    place = {"annotations": "title", "provider_options": "openai"}.get(option, "type")
    given: Any = {option: wrap({place: wrap({"a": held}) if place == "openai" else held})}
    with pytest.raises(DefinitionError) as raised:
        tool(read, **given)
    [fault] = raised.value.faults
    assert (fault.tool, fault.where) == ("read", option)
    assert said in fault.reason or option == "annotations"


@pytest.mark.requirement("definitions-share-nothing")
def test_a_definition_that_is_nested_without_an_end_is_a_fault() -> None:
    endless: dict[str, Any] = {"type": "object"}
    endless["properties"] = OrderedDict(n=endless)
    with pytest.raises(DefinitionError) as raised:
        tool(lambda given: given, name="read", description="Read.", input=endless)
    [fault] = raised.value.faults
    assert fault.reason.endswith("nested deeper than 200 levels)")


@pytest.mark.requirement("definitions-share-nothing")
def test_a_program_reads_copies_of_a_tools_data() -> None:
    @tool(provider_options={"openai": {"a": [1]}}, metadata={"a": [1]}, examples=[{"n": 1}])
    def f(n: int) -> int:
        "F."
        return n

    for name in ("provider_options", "metadata", "examples"):
        first = getattr(f, name)
        (first[0] if name == "examples" else first).clear()
        assert getattr(f, name)
    f.input_schema.json_schema()["properties"].clear()
    assert f.input_schema.json_schema()["properties"].keys() == {"n"}


@pytest.mark.requirement("definitions-share-nothing")
def test_the_values_of_a_derived_tool_are_its_own() -> None:
    def f(tags: list[str], note: str) -> list[str]:
        "F."
        return [*tags, note]

    tags = ["a"]
    derived = tool(f).transform(hide={"tags": tags})
    tags.append("b")
    assert derived.call_sync({"note": "n"}).unwrap() == ["a", "n"]
    assert derived.replace(timeout=3).call_sync({"note": "n"}).unwrap() == ["a", "n"]


@pytest.mark.requirement("provider-options-reviewed")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"opnai": {}}, "opnai is not a target; did you mean openai?"),
        (
            {"openai": {"description": "Other."}},
            "openai would replace description",
        ),
        (
            {"openai-chat": {"function": {"name": "b", "parameters": {}}}},
            "openai-chat would replace name, parameters",
        ),
        (
            {"gemini-openapi": {"parameters_json_schema": {}, "responseJsonSchema": {}}},
            "gemini-openapi would replace parameters_json_schema, responseJsonSchema",
        ),
        ({"mcp": {"output_schema": {}}}, "mcp would replace output_schema"),
        ({"openai": {"outputSchema": {}}}, "openai would replace outputSchema"),
        ({"anthropic": {"input_examples": []}}, "anthropic would replace input_examples"),
        ({"cohere": {"parameter_definitions": {}}}, "cohere would replace parameter_definitions"),
        ({"openai": {"allowed_callers": []}}, "openai would replace allowed_callers"),
        ({"anthropic": {"allowedCallers": []}}, "anthropic would replace allowedCallers"),
        ({"bedrock": {"tool_spec": {"input_schema": {}}}}, "bedrock would replace input_schema"),
    ],
)
def test_provider_options_replace_nothing_that_was_reviewed(options: Any, told: str) -> None:
    def f(n: int) -> int:
        "F."
        return n

    with pytest.raises(DefinitionError) as raised:
        tool(f, provider_options=options)
    fix = "use the option of that name, and leave it out here"
    rest = f", which a reviewer reads of the tool; {fix}" if "replace" in told else ""
    assert str(raised.value) == f"f.provider_options: {told}{rest}"
