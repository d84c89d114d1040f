"""The bridge that every host's file stands on, without a host."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.frameworks.tools import ORDER, make_tools
from toolhaft import Context, Deny, Err, Image, Ok, Prepared, Toolset, tool
from toolhaft.frameworks.bridge import Bridge, bridge_tools, content_of, split_content
from toolhaft.observers.details import CallDetails, CallStarted

PAY = '{"amount": "20"}'
Ask = Callable[[Prepared[Any]], Any]


class Stop(Exception):
    """An exception that steers a framework."""


def bridge_to(name: str, tools: Toolset | None = None, **options: Any) -> Bridge:
    bridges = bridge_tools(tools or make_tools(), lambda bridge: bridge, (Stop,), **options)
    [bridge] = [each for each in bridges if each.name == name]
    return bridge


def both(bridge: Bridge, raw: Any, **options: Any) -> list[Ok[Any] | Err]:
    """Run a call without a loop and in one."""
    return [bridge.call_sync(raw, **options), asyncio.run(bridge.call(raw, **options))]


def raise_stop(prepared: Prepared[Any]) -> None:
    raise Stop(prepared.name)


@pytest.mark.requirement("frameworks-approval")
@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (True, None, "paid 20 to ann"),
        (
            Deny("too much"),
            "denied",
            "This call was declined by a person and was not run: too much",
        ),
        (False, "denied", "This call was declined by a person and was not run."),
        ("yes", "denied", "This call was declined by a person and was not run."),
        (None, "approval_required", None),
    ],
)
def test_a_waiting_call_runs_or_is_denied_as_the_framework_decides(
    answer: Any, kind: str | None, text: str | None
) -> None:
    asked: list[Any] = []

    def ask(prepared: Prepared[Any]) -> Any:
        asked.append(prepared.json)
        return answer

    for outcome in both(bridge_to("pay"), PAY, ask=ask):
        assert (outcome.kind if isinstance(outcome, Err) else None) == kind
        assert text is None or outcome.text == text
    assert asked == [{"amount": 20}] * 2


@pytest.mark.requirement("frameworks-approval")
def test_an_answer_may_be_awaited() -> None:
    async def ask(prepared: Prepared[Any]) -> bool:
        await asyncio.sleep(0)
        return prepared.name == "pay"

    assert asyncio.run(bridge_to("pay").call(PAY, ask=ask)).text == "paid 20 to ann"


@pytest.mark.requirement("frameworks-approval")
def test_a_person_is_asked_only_about_a_waiting_call() -> None:
    assert [each.text for each in both(bridge_to("complain"), "{}", ask=raise_stop)] == [
        "the shop is closed"
    ] * 2
    refused = both(bridge_to("pay"), '{"amount": []}', ask=raise_stop)
    assert [isinstance(each, Err) and each.kind for each in refused] == ["invalid_input"] * 2
    approved = make_tools().asking(approve=lambda _: True)
    assert [each.text for each in both(bridge_to("pay", approved), PAY, ask=raise_stop)] == [
        "paid 20 to ann"
    ] * 2


@pytest.mark.requirement("frameworks-control-flow")
def test_the_approval_callback_may_steer_the_framework() -> None:
    with pytest.raises(Stop, match="pay"):
        bridge_to("pay").call_sync(PAY, ask=raise_stop)
    with pytest.raises(Stop, match="pay"):
        asyncio.run(bridge_to("pay").call(PAY, ask=raise_stop))


def over_ten(arguments: Any) -> bool:
    return bool(arguments["amount"] > 10)


@pytest.mark.requirement("frameworks-approval")
@pytest.mark.parametrize(
    ("needed", "approve", "raw", "waits", "may_wait"),
    [
        (True, None, PAY, True, True),
        (True, None, '{"amount": []}', False, True),
        (True, bool, PAY, False, False),
        (over_ten, None, PAY, True, True),
        (over_ten, None, '{"amount": "2"}', False, True),
        (False, None, PAY, False, False),
    ],
)
def test_whether_a_call_waits_is_known_before_it_runs(
    needed: Any, approve: Any, raw: str, waits: bool, may_wait: bool
) -> None:
    tools = Toolset([make_tools()["pay"].replace(requires_approval=needed)]).asking(approve=approve)
    bridge = bridge_to("pay", tools)
    assert (asyncio.run(bridge.waits(raw)), bridge.may_wait) == (waits, may_wait)


def test_a_tool_goes_out_alone_a_toolset_as_a_list_and_a_function_as_a_tool() -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    assert bridge_tools(add, lambda bridge: (bridge.name, bridge.description)) == ("add", "Add.")
    names = bridge_tools(make_tools().select("p*"), lambda bridge: bridge.name)
    assert names == ["pay", "plant"]


@pytest.mark.requirement("frameworks-out")
def test_a_lowered_schema_is_lifted_and_complained_about_in_its_own_terms() -> None:
    bridge = bridge_to("order", target="openai", strict="require")
    items = [{"key": "tea", "value": 2}]
    sent = {"items": items, "gift": None, "to": "ann"}
    expected = {"items": {"tea": 2}, "to": "ann"}
    assert [each.unwrap() for each in both(bridge, sent)] == [expected] * 2
    assert bridge.schema["properties"]["items"]["type"] == "array"
    assert bridge.strict
    [text, _] = [each.text for each in both(bridge, {**sent, "items": [{"key": "tea"}]})]
    assert "items.0.value: required" in text
    assert asyncio.run(bridge.waits({"items": 1})) is False


def test_without_a_target_the_schema_is_the_tools_own_and_a_fresh_copy() -> None:
    bridge = bridge_to("order")
    assert bridge.schema == ORDER
    bridge.schema["properties"].clear()
    assert bridge.schema == ORDER
    assert not bridge.strict


def test_context_comes_from_the_host_or_in_its_place() -> None:
    @tool
    def who(*, context: Context[Any]) -> str:
        """Return the caller."""
        return str(context)

    tools = Toolset([who])
    assert [each.text for each in both(bridge_to("who", tools), None, context="ann")] == ["ann"] * 2
    fixed = bridge_to("who", tools, context="bob")
    assert [each.text for each in both(fixed, None, context="ann")] == ["bob"] * 2


def test_observers_of_the_toolset_see_the_id_of_the_call() -> None:
    told: list[tuple[str | None, str]] = []

    class Observer:
        def started(self, call: CallStarted, /) -> Any:
            def finished(done: CallDetails) -> None:
                told.append((done.call_id, done.kind))

            return finished

    observed = Toolset(make_tools(), observers=[Observer()])
    both(bridge_to("pay", observed), PAY, ask=lambda _: True, call_id="call-1")
    assert told == [("call-1", "approval_required"), ("call-1", "ok")] * 2


def test_content_is_split_into_what_a_host_carries_and_the_text_of_the_rest() -> None:
    [drawn, _] = both(bridge_to("draw"), None)
    image = Image(bytes.fromhex("89504e470d0a1a0a"), "image/png")
    assert content_of(drawn) == ("a pixel", image)
    assert split_content(drawn, Image) == ("a pixel", [image])
    [told, _] = both(bridge_to("complain"), None)
    assert content_of(told) == ("the shop is closed",)
    assert split_content(told, Image) == ("the shop is closed", [])


@pytest.mark.parametrize(
    ("tools", "options", "message"),
    [
        (make_tools(), {"strct": 1}, "there is no option strct; did you mean strict?"),
        (make_tools(), {"zzz": 1}, "there is no option zzz"),
        (make_tools(), {"strict": True}, "strict is of a provider's schema: give target too"),
        ([make_tools()["pay"]], {}, "several tools are one Toolset: give Toolset"),
    ],
)
def test_a_call_without_a_possible_meaning_is_reported(
    tools: Any, options: Any, message: str
) -> None:
    with pytest.raises(TypeError) as raised:
        bridge_tools(tools, lambda bridge: bridge, **options)
    assert str(raised.value).startswith(message)


@pytest.mark.requirement("frameworks-visible")
def test_no_person_is_asked_about_a_call_of_a_hidden_tool() -> None:
    hiding = Toolset(make_tools().select("pay"), visible=lambda _, user: user == "ann")
    [bridge] = bridge_tools(hiding, lambda bridge: bridge, lists_by_run=True)
    assert asyncio.run(bridge.waits(PAY, "ann"))
    assert not asyncio.run(bridge.waits(PAY, "bob"))
    for outcome in both(bridge, PAY, context="bob", ask=raise_stop):
        assert isinstance(outcome, Err)
        assert (outcome.kind, outcome.text) == ("unknown_tool", "There is no tool named pay.")


@pytest.mark.requirement("frameworks-visible")
def test_a_context_that_is_none_is_that_of_every_call() -> None:
    @tool
    def whose(*, context: Context[Any]) -> str:
        """Return the caller."""
        return str(context)

    assert bridge_to("whose", Toolset([whose])).call_sync({}, "ann").text == "ann"
    assert bridge_to("whose", Toolset([whose]), context=None).call_sync({}, "ann").text == "None"


@pytest.mark.requirement("frameworks-parallel")
def test_calls_of_two_conversions_of_one_toolset_keep_apart() -> None:
    @tool(parallel=False)
    async def alone() -> str:
        """Run alone."""
        running.append(1)
        for _ in range(10):
            await asyncio.sleep(0)
        most.append(len(running))
        running.pop()
        return "done"

    async def call() -> None:
        bridges = [bridge_to("alone", tools), bridge_to("alone", tools, context="ann")]
        await asyncio.gather(*(bridge.call({}) for bridge in bridges * 2))

    running: list[int] = []
    most: list[int] = []
    tools = Toolset([alone])
    asyncio.run(call())
    assert most == [1, 1, 1, 1]
