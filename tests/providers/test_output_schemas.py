"""Results are JSON for code at OpenAI, and their schema is declared for it."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft import ToolCall, ToolError, Toolset, tool
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.requirement("output-schemas")

CODE: Any = {"direct", "programmatic"}


@tool(allowed_callers=CODE)
def name_of(user: int) -> str:
    """Return the name of a user."""
    if user < 0:
        raise ToolError("no such user")
    return "Ann" * user


@tool(allowed_callers=CODE)
def friends_of(user: int) -> list[int]:
    """Return the friends of a user."""
    return [user + 1]


def output(one: AnyTool, user: int = 1) -> Any:
    wire = Toolset([one]).export("openai")
    outcome = wire.call_sync(ToolCall("c1", one.name, {"user": user}, origin="programmatic"))
    return wire.result(outcome)["output"]


def declared(one: AnyTool, target: str = "openai") -> Any:
    return Toolset([one]).export(target).tools[0].get("output_schema", "none")


def test_the_schema_is_declared_where_code_may_call() -> None:
    assert declared(name_of) == {"type": "string"}
    assert declared(friends_of) == {"type": "array", "items": {"type": "integer"}}
    for callers in (None, {"direct"}):
        allowed: Any = callers
        plain = tool(lambda: "x", name="plain", description="P.", allowed_callers=allowed)
        assert declared(plain) == "none"
    assert declared(name_of, "anthropic") == "none"
    assert "outputSchema" in Toolset([name_of]).export("mcp").tools[0]


def test_a_text_is_sent_as_json_and_data_as_they_are() -> None:
    assert output(name_of) == '"Ann"'
    assert output(friends_of) == "[2]"


def test_a_text_of_a_tool_for_direct_calls_is_sent_as_it_is() -> None:
    direct = name_of.replace(allowed_callers={"direct"})
    wire = Toolset([direct]).export("openai")
    outcome = wire.call_sync(ToolCall("c1", "name_of", {"user": 1}))
    assert wire.result(outcome)["output"] == "Ann"


def test_an_error_and_a_result_that_is_cut_are_text() -> None:
    assert output(name_of, -1) == "no such user"
    cut = output(name_of.replace(max_result_chars=100), 100)
    assert cut.startswith("Ann")
    assert len(cut) <= 100


def test_a_tool_that_renders_its_results_declares_no_schema() -> None:
    rendered = name_of.replace(render=lambda name: f"user {name}")
    assert declared(rendered) == "none"
    assert output(rendered) == "user Ann"
