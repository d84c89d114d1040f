"""Deferred tools in every framework: found by a search of its own, or declared like other tools."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any, Final, cast

import pytest

from tests.frameworks import table
from tests.frameworks.driver import INSTALLED, Call, Runner, converters
from toolhaft import Toolset, tool

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the hosts' own
    pytest.mark.requirement("frameworks-deferral"),
]

LOOP: Final = "agent_loop"
# How a search finds deferred tools in a runner, and what a model is shown before it; every other
# runner declares them like other tools.
SEARCHES: Final = {
    LOOP: ("by the provider's search, or `search_tools`", {"greet", "more_tools", "tool_search"}),
    "google_adk": ("by `search_tools`", {"greet", "refund", "search_tools"}),
    "anthropic": ("by Anthropic's tool search", {"greet", "refund", "tool_search_tool_bm25"}),
    "pydantic_ai": ("by Pydantic AI's tool search", {"greet"}),
}
DECLARED: Final = "declared like other tools"
BY_CHOICE: Final = {
    "fastmcp": "; by `BM25SearchTransform` if you add it",
    "haystack": "; by `SearchableToolset` if you use it",
    "openai_agents": '; by `ToolSearchTool` with `search="native"`',
}


class Shop:
    """A tool, a deferred tool, and the calls that ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

        @tool(defer=True)
        def refund(order: str) -> str:
            """Give the money back."""
            self.ran.append(order)
            return f"refunded {order}"

        @tool
        def greet() -> str:
            """Greet."""
            return "hi"

        self.members: list[Any] = [greet, refund]

    def tools(self, **options: Any) -> Toolset:
        return Toolset(self.members, **options)


@pytest.mark.parametrize("name", [LOOP, *INSTALLED])
def test_a_deferred_tool_is_found_or_declared_and_can_be_called(name: str) -> None:
    shop = Shop()
    runner = cast("Runner", importlib.import_module(f"tests.frameworks.drivers.drive_{name}"))
    calls = [Call("refund", '{"order": "7"}')]
    shown = asyncio.run(runner.run_calls(shop.tools(), calls, None))
    how, names = SEARCHES.get(name, (DECLARED, {"greet", "refund"}))
    assert set(shown) == names
    assert shop.ran == ([] if name == "pydantic_ai" else ["7"])  # which tells it to search first
    table.note_rule(name, "defer", how + BY_CHOICE.get(name, ""))


@pytest.mark.parametrize("host", INSTALLED)
def test_a_deferred_tool_that_is_converted_by_itself_has_no_search_beside_it(host: str) -> None:
    to_host, _ = converters(host)
    [_, refund] = Shop().members
    assert not isinstance(to_host(refund), list)


@pytest.mark.skipif("pydantic_ai" not in INSTALLED, reason="Pydantic AI is not installed")
def test_pydantic_ai_declares_a_tool_that_its_own_search_has_found() -> None:
    from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    shop, shown = Shop(), []
    turns = [
        ToolCallPart("search_tools", {"queries": ["money back"]}, tool_call_id="1"),
        ToolCallPart("refund", {"order": "7"}, tool_call_id="2"),
        TextPart("done"),
    ]

    def model(_: Any, info: AgentInfo) -> ModelResponse:
        shown.append([each.name for each in info.function_tools])
        return ModelResponse([turns[len(shown) - 1]])

    to_host, _ = converters("pydantic_ai")
    agent = Agent(FunctionModel(model), tools=to_host(shop.tools()))
    assert asyncio.run(agent.run("go")).output == "done"
    assert (shown[0], shown[1]) == (["greet"], ["greet", "refund"])
    assert shop.ran == ["7"]


@pytest.mark.skipif("pydantic_ai" not in INSTALLED, reason="Pydantic AI is not installed")
def test_pydantic_ai_finds_no_tool_that_is_hidden_in_the_context_of_the_run() -> None:
    from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    shop, shown = Shop(), []
    turns = [
        ToolCallPart("search_tools", {"queries": ["money back"]}, tool_call_id="1"),
        TextPart("done"),
    ]

    def model(_: Any, info: AgentInfo) -> ModelResponse:
        shown.append([each.name for each in info.function_tools])
        return ModelResponse([turns[len(shown) - 1]])

    to_host, _ = converters("pydantic_ai")
    tools = shop.tools(visible=lambda one, user: user == "admin" or one.name == "greet")
    agent = Agent(FunctionModel(model), tools=to_host(tools), deps_type=str)
    asyncio.run(agent.run("go", deps="ann"))
    assert shown == [["greet"], ["greet"]]


@pytest.mark.skipif("anthropic" not in INSTALLED, reason="anthropic is not installed")
@pytest.mark.parametrize(("search", "defers"), [("auto", True), ("native", True), ("local", False)])
def test_anthropics_runner_defers_and_searches_unless_the_search_is_local(
    search: Any, defers: bool
) -> None:
    to_host, _ = converters("anthropic")
    tools = to_host(Shop().tools(search=search))
    declared = [each if isinstance(each, dict) else each.to_dict() for each in tools]
    assert [each.get("defer_loading", False) for each in declared[:2]] == [False, defers]
    kinds = [each["type"] for each in declared[2:]]
    assert kinds == (["tool_search_tool_bm25_20251119"] if defers else [])


@pytest.mark.skipif("openai_agents" not in INSTALLED, reason="openai-agents is not installed")
def test_openai_agents_defers_where_the_search_is_native() -> None:
    from agents import Agent, Runner, ToolSearchTool
    from agents.models.openai_responses import Converter
    from agents.testing import ScriptedModel, assistant_message, function_call

    to_host, _ = converters("openai_agents")
    for search in ("auto", "local"):
        assert [each.defer_loading for each in to_host(Shop().tools(search=search))] == [False] * 2
    shop = Shop()
    tools = to_host(shop.tools(search="native"))
    assert isinstance(tools[-1], ToolSearchTool)
    sent = Converter.convert_tools(tools, []).tools
    assert [each.get("defer_loading", False) for each in sent] == [False, True, False]
    found = function_call("refund", '{"order": "7"}', call_id="call-1")
    found.namespace = "refund"  # as OpenAI calls a tool that its search has loaded
    model = ScriptedModel([[found], [assistant_message("done")]])
    asyncio.run(Runner.run(Agent("agent", tools=tools, model=model), "go"))
    assert shop.ran == ["7"]


@pytest.mark.skipif("fastmcp" not in INSTALLED, reason="FastMCP is not installed")
def test_fastmcps_own_search_finds_what_is_deferred() -> None:
    from fastmcp import Client, FastMCP
    from fastmcp.server.transforms.search import BM25SearchTransform

    from toolhaft.frameworks.fastmcp import to_fastmcp_provider

    shop = Shop()
    tools = shop.tools()
    search = BM25SearchTransform(always_visible=[each.name for each in tools if not each.defer])
    server: Any = FastMCP("shop", providers=[to_fastmcp_provider(tools)], transforms=[search])

    async def talk() -> tuple[list[str], str]:
        async with Client(server) as client:
            names = [each.name for each in await client.list_tools()]
            found = await client.call_tool("search_tools", {"query": "money back"})
            await client.call_tool("call_tool", {"name": "refund", "arguments": {"order": "7"}})
            return names, found.content[0].text

    names, found = asyncio.run(talk())
    assert (sorted(names), shop.ran) == (["call_tool", "greet", "search_tools"], ["7"])
    assert '"name":"refund"' in found


@pytest.mark.skipif("haystack" not in INSTALLED, reason="Haystack is not installed")
def test_haystacks_own_search_finds_what_is_deferred() -> None:
    from haystack.tools import SearchableToolset

    to_host, _ = converters("haystack")
    shop = Shop()
    deferred = [each for each in to_host(shop.tools()) if each.name == "refund"]
    tools = SearchableToolset(catalog=deferred, search_threshold=0)
    tools.warm_up()
    [search] = tools
    search.invoke(tool_keywords="money back")
    _, refund = tools
    refund.invoke(order="7")
    assert (refund.name, shop.ran) == ("refund", ["7"])


@pytest.mark.skipif("google_adk" not in INSTALLED, reason="Google ADK is not installed")
@pytest.mark.parametrize("user", ["admin", "ann"])
def test_adk_declares_what_a_search_in_the_session_has_found_behind_what_was_sent(
    user: str,
) -> None:
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    shop = Shop()
    script: list[tuple[str, Any]] = [
        ("search_tools", {"query": "money back"}),
        ("refund", {"order": "7"}),
    ]
    shown: list[list[str]] = []

    class Model(BaseLlm):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            [declared] = llm_request.config.tools
            shown.append([each.name for each in declared.function_declarations])
            turn = len(shown) - 1
            if turn == len(script):
                parts = [types.Part(text="done")]
            else:
                name, args = script[turn]
                call = types.FunctionCall(id=f"call-{turn}", name=name, args=args)
                parts = [types.Part(function_call=call)]
            yield LlmResponse(content=types.Content(role="model", parts=parts))

    def visible(one: Any, state: Any) -> bool:
        return one.name == "greet" or bool(state and state["user"] == "admin")

    to_host, _ = converters("google_adk")
    tools = to_host(shop.tools(visible=visible))
    agent = LlmAgent(name="agent", model=Model(model="fake"), tools=tools)
    runner = InMemoryRunner(agent=agent, app_name="app")

    async def talk() -> None:
        service = runner.session_service
        session = await service.create_session(app_name="app", user_id="a", state={"user": user})
        message = types.Content(role="user", parts=[types.Part(text="go")])
        events = runner.run_async(user_id="a", session_id=session.id, new_message=message)
        assert [event async for event in events]

    asyncio.run(talk())
    before = ["greet", "search_tools"]
    found = ["refund"] if user == "admin" else []
    assert shown == [before, before + found, before + found]
    assert shop.ran == (["7"] if user == "admin" else [])
