"""Tools made with a host's own means come in, and the host runs them behind our checks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.frameworks.driver import INSTALLED, converters
from tests.frameworks.tools import make_tools
from toolhaft import Err

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the hosts' own
    pytest.mark.requirement("frameworks-in"),
]

RAN: list[tuple[str, int]] = []


def forecast(city: str, days: int = 1) -> str:
    """Tell the weather."""
    RAN.append((city, days))
    return f"{city}: {days} days of rain"


def agent_framework() -> Any:
    from agent_framework import tool

    return tool(forecast)


def agno() -> Any:
    from agno.tools import tool

    return tool(forecast)


def anthropic() -> Any:
    from anthropic import beta_tool

    return beta_tool(forecast)


def fastmcp() -> Any:
    from fastmcp.tools import Tool

    return Tool.from_function(forecast)


def google_adk() -> Any:
    from google.adk.tools import FunctionTool

    return FunctionTool(forecast)


def haystack() -> Any:
    from haystack.tools import tool

    return tool(forecast)


def langchain() -> Any:
    from langchain_core.tools import tool

    return tool(forecast)


def llamaindex() -> Any:
    from llama_index.core.tools import FunctionTool

    return FunctionTool.from_defaults(forecast)


def llm() -> Any:
    import llm

    return llm.Tool.function(forecast)


def openai_agents() -> Any:
    from agents import function_tool

    return function_tool(strict_mode=False)(forecast)


def pydantic_ai() -> Any:
    from pydantic_ai import Tool

    return Tool(forecast)


def strands() -> Any:
    from strands import tool

    return tool(forecast)


MAKERS = {
    maker.__name__: maker
    for maker in (
        agent_framework, agno, anthropic, fastmcp, google_adk, haystack, langchain, llamaindex,
        llm, openai_agents, pydantic_ai, strands,
    )
}  # fmt: skip


@pytest.mark.parametrize("host", INSTALLED)
def test_a_tool_of_the_hosts_runs_behind_our_checks(host: str) -> None:
    _, from_host = converters(host)
    ours = from_host(MAKERS[host]())
    schema = ours.input_schema.json_schema()
    assert (ours.name, list(schema["properties"])) == ("forecast", ["city", "days"])
    assert "Tell the weather." in ours.description
    assert (schema["required"], schema["additionalProperties"]) == (["city"], False)
    RAN.clear()
    for outcome in (
        ours.call_sync('{"city": "Bonn", "days": "2"}'),
        asyncio.run(ours.call('{"city": "Bonn", "days": "2"}')),
    ):
        assert "Bonn: 2 days of rain" in outcome.text
        assert [coercion.path for coercion in outcome.coercions] == [("days",)]
    for wrong in ({"city": 3}, {"days": 1}, {"city": "Bonn", "user_id": "EVIL"}):
        refused = ours.call_sync(wrong)
        assert isinstance(refused, Err)
        assert (refused.kind, refused.effect) == ("invalid_input", "none")
    assert RAN == [("Bonn", 2)] * 2


def fail(city: str) -> str:
    """Fail."""
    raise RuntimeError("secret")


@pytest.mark.parametrize("host", INSTALLED)
def test_a_crash_of_the_hosts_tool_is_an_outcome(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.forecast", fail)
    _, from_host = converters(host)
    outcome = from_host(MAKERS[host]()).call_sync({"city": "Bonn"})
    assert not outcome
    assert "secret" not in outcome.text


@pytest.mark.skipif("langchain" not in INSTALLED, reason="LangChain is not installed")
def test_langchains_injected_values_come_from_the_context_and_never_from_a_model() -> None:
    from typing import Annotated

    from langchain_core.tools import InjectedToolArg, tool

    from toolhaft.frameworks.langchain import from_langchain

    def order(item: str, user: str) -> str:
        """Order."""
        return f"{item} for {user}"

    order.__annotations__["user"] = Annotated[str, InjectedToolArg]
    ours = from_langchain(tool(order))
    assert list(ours.input_schema.json_schema()["properties"]) == ["item"]
    assert ours.call_sync({"item": "tea"}, context={"user": "ann"}).text == "tea for ann"
    assert not ours.call_sync({"item": "tea", "user": "EVIL"}, context={"user": "ann"})


@pytest.mark.skipif("haystack" not in INSTALLED, reason="Haystack is not installed")
def test_haystacks_state_comes_from_the_context_and_never_from_a_model() -> None:
    from haystack.tools import Tool

    from toolhaft.frameworks.haystack import from_haystack

    def order(item: str, user: str) -> str:
        return f"{item} for {user}"

    theirs = Tool(
        name="order",
        description="Order.",
        parameters={"type": "object", "properties": {"item": {"type": "string"}}},
        function=order,
        inputs_from_state={"who": "user"},
    )
    ours = from_haystack(theirs)
    assert ours.call_sync({"item": "tea"}, context={"who": "ann"}).text == "tea for ann"
    assert not ours.call_sync({"item": "tea", "user": "EVIL"}, context={"who": "ann"})


@pytest.mark.skipif("pydantic_ai" not in INSTALLED, reason="Pydantic AI is not installed")
def test_a_tool_of_pydantic_ai_has_the_context_as_its_deps_and_is_approved_here() -> None:
    from pydantic_ai import ModelRetry, RunContext, Tool

    from toolhaft.frameworks.pydantic_ai import from_pydantic_ai

    def order(ctx: RunContext[Any], item: str) -> str:
        """Order."""
        if item == "gin":
            raise ModelRetry("something else, please")
        return f"{item} for {ctx.deps}"

    order.__annotations__["ctx"] = RunContext[Any]
    ours = from_pydantic_ai(Tool(order, requires_approval=True))
    waiting = ours.call_sync({"item": "tea"}, context="ann")
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.call_sync(context="ann").text == "tea for ann"
    retrying = ours.call_sync({"item": "gin"})
    assert isinstance(retrying, Err)
    assert retrying.prepared is not None
    assert retrying.prepared.call_sync(context="ann").text == "something else, please"


LOSE_APPROVAL = {"anthropic", "haystack", "llm"}  # which have no place for it


@pytest.mark.parametrize("host", INSTALLED)
def test_a_tool_that_asks_a_person_asks_after_its_way_out_and_back(host: str) -> None:
    from importlib import import_module

    to_host, from_host = converters(host)
    back = from_host(to_host(make_tools()["pay"]))
    outcome = back.call_sync({"amount": 2})
    lost = import_module(f"toolhaft.frameworks.{host}").LOST
    asks = isinstance(outcome, Err) and outcome.kind == "approval_required"
    assert asks == (host not in LOSE_APPROVAL) == ("approval on the way back" not in lost)
    if asks:
        assert isinstance(outcome, Err)
        assert outcome.prepared is not None
        assert dict(outcome.prepared.arguments) == {"amount": 2, "to": "ann"}
        assert "paid 2 to ann" in outcome.prepared.call_sync().text
