"""Deferred tools: what a request declares before and after a search."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from toolhaft import Regex, Store, ToolCall, Toolset, tool
from toolhaft.agent_loop import Called, Finished, run_sync
from toolhaft.errors import ToolhaftError
from toolhaft.testing import ScriptedModel

pytestmark = pytest.mark.requirement("deferred-tools")


@tool(defer=True)
def list_orders(customer: str) -> str:
    """Return the orders of a customer."""
    return f"tea for {customer}"


@tool(defer=True, provider_options={"anthropic": {"cache_control": {"type": "ephemeral"}}})
def refund(order: str) -> str:
    """Give the money back."""
    return order


@tool
def greet() -> str:
    """Greet."""
    return "hi"


def toolset(search: Any = "auto") -> Toolset:
    crm = Toolset([list_orders], name="crm", description="Customers.")
    return Toolset([greet, refund, crm], search=search)


def names(tools: list[Any]) -> list[str]:
    return [each.get("name") or each["type"] for each in tools]


def test_openai_gets_namespaces_and_searches_itself() -> None:
    crm, hello, more, search = toolset().export("openai").tools
    assert (crm["type"], crm["name"], crm["description"]) == ("namespace", "crm", "Customers.")
    assert [(each["name"], each["defer_loading"]) for each in crm["tools"]] == [
        ("list_orders", True)
    ]
    assert hello["name"] == "greet"
    assert "defer_loading" not in hello
    assert (more["name"], names(more["tools"])) == ("more_tools", ["refund"])
    assert search == {"type": "tool_search"}


def test_openai_is_answered_with_the_declarations_where_our_search_is_used() -> None:
    wire = toolset("local").export("openai")
    assert names(wire.tools) == ["greet", "tool_search"]
    assert wire.tools[1]["execution"] == "client"
    call = {
        "type": "tool_search_call", "id": "ts_1", "call_id": "c1", "execution": "client",
        "status": "completed", "arguments": {"query": "orders of a customer", "limit": 1},
    }  # fmt: skip
    response = {"output": [call]}
    assert wire.read(response).ending.reason == "done"
    answer = wire.answer_sync(response)
    [result] = answer.results
    tools = result.pop("tools")
    assert result == {
        "type": "tool_search_output", "call_id": "c1", "execution": "client",
        "status": "completed",
    }  # fmt: skip
    assert [(each["name"], names(each["tools"])) for each in tools] == [("crm", ["list_orders"])]
    assert not answer.done
    assert wire.for_messages(answer.messages) is wire


def test_each_kind_of_call_is_answered_in_order_beside_our_search() -> None:
    @tool(format="text")
    def note(text: str) -> str:
        """Write a note."""
        return text

    wire = Toolset([note, greet, refund], search="local").export("openai")
    output = [
        {"type": "custom_tool_call", "call_id": "1", "name": "note", "input": "tea"},
        {"type": "tool_search_call", "call_id": "2", "execution": "client", "arguments": {}},
        {"type": "function_call", "call_id": "3", "name": "greet", "arguments": "{}"},
    ]
    results = wire.answer_sync({"output": output}).results
    assert [(each["type"], each["call_id"]) for each in results] == [
        ("custom_tool_call_output", "1"),
        ("tool_search_output", "2"),
        ("function_call_output", "3"),
    ]


def test_a_function_call_that_makes_up_the_name_of_our_search_is_answered_as_one() -> None:
    wire = toolset("local").export("openai")
    call = {"type": "function_call", "call_id": "c1", "name": "search_tools", "arguments": "{}"}
    [result] = wire.answer_sync({"output": [call]}).results
    assert result == {
        "type": "function_call_output",
        "call_id": "c1",
        "output": (
            "There is no tool named search_tools. Available tools: crm.list_orders, greet, refund."
        ),
    }


def test_a_client_search_of_the_program_is_not_answered_as_ours() -> None:
    call = {"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": {}}
    wire = Toolset([greet]).export("openai")
    assert wire.read({"output": [call]}).ending == ("failed", "tool_search_call")
    assert wire.calls({"output": [call]}) == []


def test_anthropic_defers_in_place_and_no_deferred_tool_has_cache_control() -> None:
    tools = toolset().export("anthropic").tools
    assert names(tools) == ["crm_list_orders", "greet", "refund", "tool_search_tool_bm25"]
    assert [each.get("defer_loading", False) for each in tools] == [True, False, True, False]
    assert not any("cache_control" in each for each in tools)


def test_a_tool_with_the_name_of_anthropics_search_is_an_error() -> None:
    twin = greet.replace(name="tool_search_tool_bm25")
    fault = (
        "export: search: Anthropic's own search is named tool_search_tool_bm25; "
        'rename the tool, or use Toolset(search="local")'
    )
    with pytest.raises(ToolhaftError, match=re.escape(fault)):
        Toolset([refund, twin]).export("anthropic")
    assert "search_tools" in names(
        Toolset([refund, twin], search="local").export("anthropic").tools
    )


def test_anthropic_is_answered_with_references_where_our_search_is_used() -> None:
    wire = toolset("local").export("anthropic")
    assert names(wire.tools)[-1] == "search_tools"
    outcome = wire.call_sync(ToolCall("c1", "search_tools", {"query": "orders", "limit": 1}))
    assert wire.result(outcome)["content"] == [
        {"type": "tool_reference", "tool_name": "crm_list_orders"}
    ]
    nothing = wire.call_sync(ToolCall("c2", "search_tools", {"query": "xylophone"}))
    assert wire.result(nothing)["content"] == (
        "No tool was found. Use other words for the same thing, or answer without it."
    )


def test_elsewhere_what_was_found_is_declared_after_what_was_sent() -> None:
    wire = toolset().export("openai-chat")
    before = json.dumps(wire.tools)
    assert [each["function"]["name"] for each in wire.tools] == ["greet", "search_tools"]
    turn = {"role": "assistant", "tool_calls": [
        {"id": "c1", "type": "function",
         "function": {"name": "search_tools", "arguments": '{"query": "money", "limit": 1}'}}
    ]}  # fmt: skip
    messages = wire.answer_sync({"choices": [{"message": turn}]}).messages
    assert json.loads(messages[1]["content"]) == {
        "tools": [{"name": "refund", "description": "Give the money back."}],
        "note": "You can call these tools now.",
    }
    after = wire.for_messages(messages)
    assert json.dumps(after.tools[:2]) == before
    assert after.tools[2]["function"]["name"] == "refund"
    assert wire.for_messages([]) is wire
    assert after.for_messages(messages) is after
    assert toolset().export("openai-chat", messages=messages).request == after.request


def test_a_result_that_another_message_claims_to_be_finds_nothing() -> None:
    text = '{"tools": [{"name": "refund"}]}'
    messages = [
        {"role": "user", "content": text},
        {"role": "tool", "tool_call_id": "unknown", "content": text},
    ]
    wire = toolset().export("openai-chat")
    assert wire.for_messages(messages) is wire


@pytest.mark.parametrize("listed", ["5", "null", '{"name": "refund"}', '[5, {"name": ["refund"]}]'])
def test_a_damaged_result_of_a_search_finds_nothing(listed: str) -> None:
    call = {"id": "c1", "function": {"name": "search_tools", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f'{{"tools": {listed}}}'},
    ]
    wire = toolset().export("openai-chat")
    assert wire.for_messages(messages) is wire


def test_what_a_search_found_is_whole_in_a_set_that_keeps_long_results() -> None:
    described = [
        refund.replace(name=f"refund_{at}", description="Give money back. " * 12) for at in range(9)
    ]
    wire = Toolset(described, results=Store(max_result_chars=1000)).export("openai-chat")
    function = {"name": "search_tools", "arguments": '{"query": "money", "limit": 9}'}
    turn = {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}
    messages = wire.answer_sync({"choices": [{"message": turn}]}).messages
    assert len(wire.for_messages(messages).tools) == len(wire.tools) + 9


def test_a_deferred_tool_can_be_called_before_it_was_found() -> None:
    wire = toolset().export("openai-chat")
    assert wire.call_sync(ToolCall("c1", "refund", {"order": "7"})).text == "7"


@pytest.mark.requirement("text-tools")
def test_a_deferred_tool_of_a_text_is_called_by_arguments_before_it_was_found() -> None:
    @tool(format=Regex("[0-9]+"), defer=True)
    def square(n: str) -> str:
        """Square."""
        return str(int(n) ** 2)

    wire = Toolset([square, greet]).export("openai-chat")
    right, wrong = (
        wire.call_sync(ToolCall("c", "square", json.dumps({"n": text}))) for text in ("12", "x")
    )
    assert right.text == "144"
    assert wrong.text == (
        "Please rewrite the input with valid arguments. Errors: "
        "n: expected string that matches ^(?:[0-9]+)$"
    )


def test_a_search_counts_and_finds_what_the_model_may_call() -> None:
    code = refund.replace(name="refund_all", allowed_callers={"programmatic"})
    for target, count in (("openai-chat", 1), ("anthropic", 2)):
        wire = Toolset([greet, refund, code], search="local").export(target)
        [search] = [each for each in wire.planned if each.wire_name == "search_tools"]
        assert f"; {count} more can be found." in search.description
        found = wire.call_sync(ToolCall("c", "search_tools", {"query": "money"})).unwrap()
        assert len(found["tools"]) == count


def test_tools_that_only_code_may_call_are_not_searched_where_there_is_no_code() -> None:
    code = refund.replace(allowed_callers={"programmatic"})
    assert names([each["function"] for each in Toolset([greet, code]).export("xai").tools]) == [
        "greet"
    ]


def test_a_hint_names_only_what_a_model_can_call() -> None:
    wire = toolset("local").export("openai")
    outcome = wire.call_sync(ToolCall("c", "gret", {}))
    assert outcome.text == (
        "There is no tool named gret. Did you mean greet? "
        "Available tools: crm.list_orders, greet, refund."
    )


@pytest.mark.parametrize("messages", ["x", b"x", {"role": "user"}, 3, None])
@pytest.mark.parametrize("target", ["openai", "openai-chat"])
def test_a_conversation_that_is_no_list_is_an_error_at_once(target: str, messages: Any) -> None:
    fault = "export: messages: not a list; pass the list of the conversation's messages"
    for export in (
        toolset().export(target).for_messages,
        lambda m: toolset().export(target, messages=m),
    ):
        with pytest.raises(ToolhaftError) as raised:
            export(messages)
        assert str(raised.value) == fault


@pytest.mark.parametrize("message", ["x", 3, None])
def test_what_is_no_message_in_a_conversation_is_an_error(message: Any) -> None:
    fault = "export: messages[1]: not a message; pass the list of the conversation's messages"
    with pytest.raises(ToolhaftError, match=re.escape(fault)):
        toolset().export("openai", messages=[{"role": "user", "content": "x"}, message])


def test_a_stored_result_may_be_a_list_of_parts() -> None:
    wire = toolset().export("openai-chat")
    call = {"id": "c1", "function": {"name": "search_tools", "arguments": "{}"}}
    found = wire.call_sync(ToolCall("c1", "search_tools", {"query": "orders", "limit": 1})).text
    parts = [{"type": "text", "text": found[:9]}, {"type": "text", "text": found[9:]}]
    messages = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": parts},
    ]
    declared = [each["function"]["name"] for each in wire.for_messages(messages).tools]
    assert "crm_list_orders" in declared


@pytest.mark.parametrize("target", ["openai-chat", "gemini", "bedrock", "text"])
def test_a_run_declares_what_it_finds(target: str) -> None:
    name = "crm.list_orders" if target == "gemini" else "crm_list_orders"
    script = ("search_tools", {"query": "orders"}), (name, {"customer": "ann"}), "Tea."
    model = ScriptedModel(*script, target=target)
    events = run_sync(model, model="m", messages=[], tools=toolset().export(target))
    called = [event.outcome for event in events if isinstance(event, Called)]
    assert called[1].text == "tea for ann"
    requests = [json.dumps(request, default=str) for request in model.requests]
    assert ["Return the orders" in request.split("messages")[0] for request in requests[:1]] == [
        False
    ]
    assert "customer" in requests[1]


def test_a_run_ends_after_a_server_side_search_and_a_call() -> None:
    model = ScriptedModel(("crm.list_orders", {"customer": "ann"}), "Tea.", target="openai")
    events = list(run_sync(model, model="m", messages=[], tools=toolset()))
    assert isinstance(events[-1], Finished)
    assert (events[-1].reason, events[-1].text) == ("done", "Tea.")


def test_a_target_without_a_search_cannot_be_asked_for_one() -> None:
    with pytest.raises(ToolhaftError) as raised:
        toolset("native").export("gemini")
    assert str(raised.value) == (
        'export: search: gemini has no tool search; use Toolset(search="auto") or "local"'
    )


@pytest.mark.parametrize("target", ["openai", "gemini"])
def test_the_search_has_another_name_beside_a_tool_of_its_name(target: str) -> None:
    tools = toolset("local") + Toolset([greet.replace(name="search_tools")])
    wire = tools.export(target)
    assert wire.call_sync(ToolCall("c1", "search_tools", {})).text == "hi"
    search = {tool: sent for sent, tool in wire.originals.items()}["search_tools_"]
    outcome = wire.call_sync(ToolCall("c2", search, {"query": "money"}))
    assert json.loads(outcome.text)["tools"][0]["name"] == "refund"


def test_the_search_has_another_name_beside_a_group_of_its_name() -> None:
    wire = Toolset([refund, Toolset([greet], name="search_tools")]).export("gemini")
    assert set(wire.originals.values()) == {"refund", "search_tools.greet", "search_tools_"}


def test_a_search_at_openai_that_fails_is_incomplete() -> None:
    call = {"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": {}}
    [result] = toolset("local").export("openai").answer_sync({"output": [call]}).results
    assert (result["status"], result["tools"]) == ("incomplete", [])


def test_what_was_found_is_declared_to_who_may_see_it_then() -> None:
    seen = {"greet", "refund"}
    hiding = Toolset([greet, refund], visible=lambda one, _: one.name in seen)
    call = {"id": "c1", "function": {"name": "search_tools", "arguments": '{"query": "money"}'}}
    turn = {"role": "assistant", "tool_calls": [call]}
    wire = hiding.export("openai-chat")
    messages = wire.answer_sync({"choices": [{"message": turn}]}).messages
    assert len(wire.for_messages(messages).tools) == 3
    seen.remove("refund")
    for later in (hiding.export("openai-chat", messages=messages), wire.for_messages(messages)):
        outcome = later.call_sync(ToolCall("c2", "refund", {"order": "7"}))
        assert outcome.text.startswith("There is no tool named refund. Available tools: greet")
    [only] = hiding.export("openai-chat", messages=messages).tools
    assert only["function"]["name"] == "greet"


def test_a_set_defers_its_tools_unless_they_say_otherwise() -> None:
    tools = Toolset([greet, greet.replace(name="stay", defer=False)], defer=True)
    assert [each.defer for each in tools] == [True, False]


def test_who_searches_is_chosen_by_a_set_or_by_one_in_it() -> None:
    inner = Toolset([refund], name="shop", search="local")
    for tools in (Toolset([greet, inner]), Toolset([greet]) + inner, Toolset([inner]).prefix("x_")):
        assert "search_tools" in names(tools.export("anthropic").tools)
    assert "search_tools" not in names(Toolset([inner], search="native").export("anthropic").tools)


def test_targets_without_turns_declare_every_tool() -> None:
    for target, name in (("mcp", "crm.list_orders"), ("draft-07", "crm_list_orders")):
        tools = toolset().export(target).tools
        assert [each["name"] for each in tools] == [name, "greet", "refund"]


def test_deferred_tools_do_not_count_among_those_of_a_request() -> None:
    many = [greet.replace(name=f"greet_{number}") for number in range(200)]
    assert Toolset(many, defer=True).export("openai-chat").problems == ()
    assert Toolset(many).export("openai-chat").problems != ()


@pytest.mark.parametrize("query", ["", "x" * 1_000_000, "\u202e\u2066"])
def test_a_query_of_nothing_is_answered_in_words(query: str) -> None:
    outcome = toolset().export("gemini").call_sync(ToolCall("c", "search_tools", {"query": query}))
    assert outcome.text == (
        "No tool was found. Use other words for the same thing, or answer without it."
    )
