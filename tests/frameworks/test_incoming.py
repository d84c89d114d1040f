"""The way in, without a host: a schema closed at its root, and what runs behind it."""

from __future__ import annotations

import asyncio
import inspect
from importlib import import_module
from typing import Annotated, Any

import pytest
from pydantic import Field

from tests.frameworks.test_approval import make_transfer, pay
from toolhaft import DefinitionError, Err, File, Image, Prepared, ToolError, tool
from toolhaft.call.feedback import describe_not_resumed
from toolhaft.content import Audio
from toolhaft.frameworks.approval import UNSHOWN
from toolhaft.frameworks.bridge import bridge_tools
from toolhaft.frameworks.hosts import HOSTS
from toolhaft.frameworks.incoming import media, take_tool
from toolhaft.frameworks.pydantic_ai import from_pydantic_ai

CITY: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}


def look(arguments: dict[str, Any], context: Any) -> Any:
    return {"arguments": arguments, "context": context}


async def look_later(arguments: dict[str, Any], context: Any) -> Any:
    return {"arguments": arguments, "context": context}


@pytest.mark.requirement("frameworks-in")
@pytest.mark.parametrize("run", [look, look_later])
def test_an_imported_tool_receives_checked_arguments_and_the_context(run: Any) -> None:
    taken = take_tool("host.look", "Look.", CITY, run)
    outcome = taken.call_sync('{"city": "Bonn"}', context="ann")
    assert outcome.unwrap() == {"arguments": {"city": "Bonn"}, "context": "ann"}
    assert (taken.name, taken.description, taken.output_schema) == ("host.look", "Look.", None)
    assert asyncio.run(taken.call({"city": 3})).text == (
        "Please rewrite the input with valid arguments. Errors: "
        "city: expected string, received integer"
    )


@pytest.mark.requirement("frameworks-in")
def test_a_root_without_a_rule_for_further_keys_is_closed() -> None:
    taken = take_tool("look", "Look.", CITY, look)
    assert taken.input_schema.json_schema() == {**CITY, "additionalProperties": False}
    outcome = taken.call_sync({"city": "Bonn", "user_id": "EVIL"})
    assert outcome.text == (
        "Please rewrite the input with valid arguments. Errors: user_id: unknown (allowed: city)"
    )


@pytest.mark.requirement("frameworks-in")
def test_keys_that_a_branch_declares_are_taken_and_others_are_not() -> None:
    schema = {
        "type": "object",
        "anyOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, CITY],
    }
    taken = take_tool("look", "Look.", schema, look)
    assert taken.call_sync({"a": 1}).unwrap()["arguments"] == {"a": 1}
    assert not taken.call_sync({"a": 1, "b": 2})


@pytest.mark.requirement("frameworks-in")
@pytest.mark.parametrize("key", ["additionalProperties", "unevaluatedProperties"])
def test_a_root_that_its_author_opened_stays_open(key: str) -> None:
    taken = take_tool("look", "Look.", {**CITY, key: True}, look)
    assert taken.input_schema.json_schema() == {**CITY, key: True}
    assert taken.call_sync({"b": 2}).unwrap()["arguments"] == {"b": 2}


def test_a_tool_without_a_schema_takes_nothing() -> None:
    taken = take_tool("look", None, None, look)
    assert taken.call_sync("null").unwrap()["arguments"] == {}
    assert taken.call_sync({"a": 1}).text == (
        "Please rewrite the input with valid arguments. Errors: a: unknown"
    )


def test_a_schema_that_is_no_objects_is_a_fault() -> None:
    with pytest.raises(DefinitionError, match=r"look\.input: not a schema of an object"):
        take_tool("look", "Look.", {"type": "string"}, look)


def test_a_tool_error_of_a_host_reaches_the_model() -> None:
    def refuse(arguments: dict[str, Any], context: Any) -> Any:
        raise ToolError("closed on Sundays")

    outcome = take_tool("look", "Look.", CITY, refuse).call_sync({})
    assert (outcome.text, outcome) == ("closed on Sundays", outcome)


@pytest.mark.parametrize(
    ("given", "media_type", "part"),
    [
        (b"?", "image/png", Image(b"?", "image/png")),
        ("Pw==", "image/png", Image(b"?", "image/png")),
        (b"?", "audio/wav", Audio(b"?", "audio/wav")),
        (b"?", "text/csv", File(b"?", "text/csv")),
        ("Pw==", None, File(b"?", "application/octet-stream")),
    ],
)
def test_media_are_parts_by_their_type(given: Any, media_type: str | None, part: Any) -> None:
    assert media(given, media_type) == part


def bring_back(asking: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Return a tool of ours that came back from a framework, and the framework's inputs."""
    bridge, received = bridge_tools(asking, lambda bridge: bridge), []

    def run(arguments: dict[str, Any], context: Any) -> Any:
        received.append(arguments)
        return bridge.call_sync(arguments, context).text

    return take_tool(bridge.name, bridge.description, bridge.schema, run, bridge), received


def ask(tool: Any, arguments: dict[str, Any]) -> Prepared[Any]:
    waiting = tool.call_sync(arguments)
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    return waiting.prepared


@pytest.mark.requirement("frameworks-approval")
def test_the_defaults_of_a_tool_of_ours_that_comes_back_are_shown_and_sent() -> None:
    back, received = bring_back(pay)
    assert back.input_schema.json_schema() == pay.input_schema.json_schema()
    waiting = ask(back, {"amount": 2})
    assert dict(waiting.arguments) == {"amount": 2, "to": "ann"}
    assert waiting.call_sync().unwrap() == "paid 2 to ann"
    assert dict(ask(back, {"amount": 2, "to": "bob"}).arguments) == {"amount": 2, "to": "bob"}
    assert received == [{"amount": 2, "to": "ann"}]


@pytest.mark.requirement("frameworks-approval")
def test_a_default_that_could_not_be_sent_stays_behind_the_host() -> None:
    @tool(requires_approval=True)
    def count(most: Annotated[int, Field(ge=5)] = 0, words: bool = False) -> str:
        "Count."
        return f"{most} {words}"

    back, received = bring_back(count)
    waiting = ask(back, {})
    assert dict(waiting.arguments) == {"words": False}
    assert waiting.call_sync().unwrap() == "0 False"
    assert received == [{"words": False}]


@pytest.mark.requirement("frameworks-approval")
def test_a_default_of_a_schema_that_fills_nothing_in_is_not_shown() -> None:
    schema = {**CITY, "properties": {"city": {"type": "string", "default": "Bonn"}}}
    back, received = bring_back(take_tool("look", "Look.", schema, look, requires_approval=True))
    waiting = ask(back, {})
    assert dict(waiting.arguments) == {}
    waiting.call_sync().unwrap()
    assert received == [{}]


@pytest.mark.requirement("frameworks-approval")
def test_a_tool_with_factories_that_comes_back_is_not_run() -> None:
    transfer, ran = make_transfer()
    waiting = ask(bring_back(transfer)[0], {"to": "bob"})
    assert dict(waiting.arguments) == {"to": "bob", "amount": 100}
    assert waiting.call_sync().text == describe_not_resumed(UNSHOWN)
    assert ran == []


HIDING: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Where\u200b.", "default": "\u2028"}},
}


@pytest.mark.requirement("invisible-characters")
def test_a_hosts_tool_with_characters_that_nobody_sees_is_rejected_or_stripped() -> None:
    with pytest.raises(DefinitionError) as raised:
        take_tool("look", "Look\u202e.", HIDING, look)
    assert str(raised.value) == (
        "look.description: holds a bidirectional character (U+202E RIGHT-TO-LEFT OVERRIDE); "
        "remove it"
    )
    with pytest.warns(UserWarning, match="^look: left out: ") as warned:
        taken = take_tool("look", "Look\u202e.", HIDING, look, invisible_characters="strip")
    assert (taken.description, taken.input_schema.json_schema()["properties"]) == (
        "Look.",
        {"city": {"type": "string", "description": "Where."}},
    )
    assert [str(one.message).removeprefix("look: left out: ") for one in warned] == [
        "description (a bidirectional character (U+202E RIGHT-TO-LEFT OVERRIDE))",
        "input/properties/city/description (a zero-width character (U+200B ZERO WIDTH SPACE))",
        "input/properties/city/default (a separator character (U+2028 LINE SEPARATOR))",
    ]
    odd: Any = "drop"
    with pytest.raises(DefinitionError, match='use "reject" or "strip"'):
        take_tool("look", "Look.", CITY, look, invisible_characters=odd)


@pytest.mark.requirement("invisible-characters")
@pytest.mark.parametrize("host", HOSTS)
def test_every_host_passes_the_choice_on(host: str) -> None:
    convert = getattr(import_module(f"toolhaft.frameworks.{host}"), f"from_{host}")
    parameter = inspect.signature(convert).parameters["invisible_characters"]
    assert (parameter.default, parameter.kind.name) == ("reject", "KEYWORD_ONLY")
    assert "invisible_characters=invisible_characters" in inspect.getsource(convert)


@pytest.mark.requirement("invisible-characters")
def test_a_tool_of_pydantic_ai_is_stripped() -> None:
    host = pytest.importorskip("pydantic_ai", reason="Pydantic AI is not installed")

    def look_up(city: Annotated[str, Field(description="Where\u200b.")]) -> str:
        """Look."""
        return city

    with pytest.raises(DefinitionError):
        from_pydantic_ai(host.Tool(look_up))
    with pytest.warns(UserWarning, match="^look_up: left out: "):
        taken = from_pydantic_ai(host.Tool(look_up), invisible_characters="strip")
    assert taken.input_schema.json_schema()["properties"]["city"]["description"] == "Where."
