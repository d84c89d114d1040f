"""LangGraph's question to a person; no answer approves another call than the ones it names."""

from __future__ import annotations

import time
from itertools import count
from typing import Any

import pytest

pytest.importorskip("langgraph.prebuilt")

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from pydantic import ValidationError

from tests.frameworks.test_approval import describe, make_transfer
from toolhaft import Toolset, tool
from toolhaft.call import preparing
from toolhaft.call.feedback import describe_not_resumed
from toolhaft.frameworks.langchain import to_langchain

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the host's own
    pytest.mark.requirement("frameworks-approval"),
]
CHANGED = describe_not_resumed(preparing.CHANGED)


class Paying:
    """A graph whose one message makes the calls, and what they have run with."""

    def __init__(self, *people: str, slow: str = "") -> None:
        self.ran: list[str] = []
        self.slow = slow
        self.config: Any = {"configurable": {"thread_id": "1"}}

        @tool(requires_approval=lambda a: a["to"] != "me")
        def pay(to: str) -> str:
            """Pay."""
            self.ran.append(to)
            return f"paid {to}"

        tools = Toolset([pay], authorize=self.authorize)
        self.calls = [{"name": "pay", "args": {"to": who}, "id": who} for who in people]
        [asking] = to_langchain(tools)
        self.bridge: Any = asking.bridge
        self.app = graph_of(asking)

    def authorize(self, arguments: Any, context: Any) -> bool:
        time.sleep(0.05 if arguments["to"] == self.slow else 0)  # who comes second
        return True

    def begin(self) -> list[Any]:
        message = AIMessage("", tool_calls=self.calls)
        state = self.app.invoke({"messages": [message]}, self.config)
        return list(state["__interrupt__"][0].value["calls"])

    def resume(self, answer: Any) -> list[str]:
        state = self.app.invoke(Command(resume=answer), self.config)
        assert "__interrupt__" not in state
        return [each.content for each in state["messages"] if isinstance(each, ToolMessage)]


def graph_of(tools: Any) -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode(tools if isinstance(tools, list) else [tools]))
    builder.add_edge(START, "tools")
    return builder.compile(checkpointer=InMemorySaver())


def said_no(reason: str = "") -> str:
    words = "This call was declined by a person and was not run"
    return f"{words}: {reason}" if reason else f"{words}."


def test_every_waiting_call_of_a_message_is_shown_in_its_order() -> None:
    shown = Paying("bob", "me", "eve", slow="bob").begin()
    assert [(each["arguments"], each["call_id"]) for each in shown] == [
        ({"to": "bob"}, "bob"),
        ({"to": "eve"}, "eve"),
    ]


@pytest.mark.parametrize("answer", [True, False, "no", [True, True], {"a": True}, 1, "names one"])
def test_an_answer_without_a_call_runs_none_and_can_be_repeated(
    answer: Any,
) -> None:
    paying = Paying("bob", "eve", slow="eve")
    shown = paying.begin()
    paying.slow = "bob"
    given = {shown[0]["digest"]: True} if answer == "names one" else answer
    with pytest.raises(ValidationError, match="resume with"):
        paying.app.invoke(Command(resume=given), paying.config)
    assert paying.ran == []
    decisions = {shown[0]["digest"]: True, shown[1]["digest"]: "not eve"}
    assert paying.resume(decisions) == ["paid bob", said_no("not eve")]
    assert paying.ran == ["bob"]


@pytest.mark.parametrize("first", range(4))
def test_a_decision_applies_to_the_call_that_it_names_in_any_order(first: int) -> None:
    people = ["bob", "eve", "mal", "tom"]
    paying = Paying(*people, slow=people[first])
    shown = paying.begin()
    paying.slow = people[-first]
    answers = paying.resume({each["digest"]: each["call_id"] == "mal" for each in shown})
    assert answers == [said_no(), said_no(), "paid mal", said_no()]
    assert paying.ran == ["mal"]


def test_another_digest_approves_nothing() -> None:
    paying = Paying("bob", "eve")
    [first, _] = paying.begin()
    answers = paying.resume({first["digest"]: True, "0" * 64: True})
    assert answers[0] == "paid bob"
    assert paying.ran == ["bob"]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (True, "paid bob"),
        (False, said_no()),
        ("too much", said_no("too much")),
        ({"decisions": [{"type": "approve"}]}, "paid bob"),
        ({"decisions": [{"type": "reject"}]}, said_no()),
        ({"decisions": [{"type": "reject", "message": "too much"}]}, said_no("too much")),
    ],
)
def test_a_call_that_is_alone_takes_a_bare_answer_and_langchains_own(
    answer: Any, text: str
) -> None:
    paying = Paying("bob")
    paying.begin()
    assert paying.resume(answer) == [text]


@pytest.mark.requirement("approval-edit")
@pytest.mark.parametrize(
    ("edit", "text", "ran"),
    [
        ({"edit": {"to": "eve"}}, "paid eve", ["eve"]),
        (
            {"edit": {"to": "eve"}, "notify_model": True},
            [
                {"type": "text", "text": "paid eve"},
                {
                    "type": "text",
                    "text": "A person changed these arguments before the call ran: to.",
                },
            ],
            ["eve"],
        ),
        (
            {"decisions": [{"type": "edit", "edited_action": {"args": {"to": "eve"}}}]},
            "paid eve",
            ["eve"],
        ),
        ({"edit": {}}, describe_not_resumed("the arguments of the edit are invalid"), []),
    ],
)
def test_an_answer_may_be_an_edit(edit: Any, text: Any, ran: list[str]) -> None:
    paying = Paying("bob")
    paying.begin()
    assert paying.resume(edit) == [text]
    assert paying.ran == ran


def test_langchains_own_answer_decides_about_several_in_the_order_of_the_message() -> None:
    paying = Paying("bob", "eve", slow="bob")
    paying.begin()
    decisions = [{"type": "reject", "message": "not bob"}, {"type": "approve"}]
    assert paying.resume({"decisions": decisions}) == [said_no("not bob"), "paid eve"]


@pytest.mark.parametrize(
    "answer",
    ["decisions", {"decisions": []}, {"decisions": [{"type": "edit"}]}, {"type": "approve"}, 1, []],
)
def test_an_answer_of_another_shape_is_the_programs_error_and_nobodys_refusal(answer: Any) -> None:
    paying = Paying("bob")
    paying.begin()
    if answer == "decisions":  # words are a refusal
        assert paying.resume(answer) == [said_no("decisions")]
        return
    with pytest.raises(ValidationError):
        paying.app.invoke(Command(resume=answer), paying.config)
    assert paying.resume(True) == ["paid bob"]


def test_a_factorys_value_runs_as_it_was_shown() -> None:
    numbers = count(1)
    for answer, is_run in ((lambda call: call, True), (lambda call: True, False)):
        transfer, ran = make_transfer()
        app = graph_of(to_langchain(transfer))
        config: Any = {"configurable": {"thread_id": str(next(numbers))}}
        call = {"name": "transfer", "args": {"to": "bob"}, "id": "c1"}
        state = app.invoke({"messages": [AIMessage("", tool_calls=[call])]}, config)
        [shown] = state["__interrupt__"][0].value["calls"]
        state = app.invoke(Command(resume={shown["digest"]: answer(shown["call"])}), config)
        assert ran == ([shown["arguments"]] if is_run else [])


@pytest.mark.parametrize(
    ("first", "second", "texts"),
    [
        ("call of eve", False, [CHANGED, said_no()]),
        ("call of eve", "call of bob", [CHANGED, CHANGED]),
        ("made up", False, [CHANGED, said_no()]),
        ("call of bob", "not eve", ["paid bob", said_no("not eve")]),
    ],
)
def test_a_call_that_is_the_answer_to_another_one_runs_nothing(
    first: Any, second: Any, texts: list[str]
) -> None:
    paying = Paying("bob", "eve")
    shown = paying.begin()
    other = describe(paying.bridge, '{"to": "mal"}')["call"]
    calls: dict[Any, Any] = {f"call of {each['call_id']}": each["call"] for each in shown}
    calls["made up"] = other
    answers = [calls.get(answer, answer) for answer in (first, second)]
    decisions = dict(zip([each["digest"] for each in shown], answers, strict=True))
    assert paying.resume(decisions) == texts
    assert paying.ran == [text.removeprefix("paid ") for text in texts if text == "paid bob"]


def test_a_made_up_call_is_no_bare_answer() -> None:
    paying = Paying("bob")
    paying.begin()
    assert paying.resume(describe(paying.bridge, '{"to": "mal"}')["call"]) == [CHANGED]
    assert paying.ran == []


def test_a_no_to_a_call_that_a_factory_fills_keeps_its_words() -> None:
    transfer, ran = make_transfer()
    app = graph_of(to_langchain(transfer))
    config: Any = {"configurable": {"thread_id": "1"}}
    call = {"name": "transfer", "args": {"to": "bob"}, "id": "c1"}
    state = app.invoke({"messages": [AIMessage("", tool_calls=[call])]}, config)
    [shown] = state["__interrupt__"][0].value["calls"]
    state = app.invoke(Command(resume={shown["digest"]: "not today"}), config)
    assert (state["messages"][-1].content, ran) == (said_no("not today"), [])


async def _run_async(paying: Paying, answer: Any) -> Any:
    return await paying.app.ainvoke(Command(resume=answer), paying.config)


def test_a_graph_that_is_awaited_asks_the_same() -> None:
    import asyncio

    async def go() -> list[str]:
        paying = Paying("bob", "eve")
        message = AIMessage("", tool_calls=paying.calls)
        state = await paying.app.ainvoke({"messages": [message]}, paying.config)
        shown = state["__interrupt__"][0].value["calls"]
        await _run_async(paying, {each["digest"]: each["call_id"] == "eve" for each in shown})
        return paying.ran

    assert asyncio.run(go()) == ["eve"]
