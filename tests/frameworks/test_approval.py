"""Exactly the call that a person was shown runs, however often a framework prepares it again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from pydantic import BaseModel, Field

from toolhaft import Err, Prepared, Toolset, tool
from toolhaft.call.feedback import describe_not_resumed
from toolhaft.call.preparing import CHANGED
from toolhaft.frameworks.approval import describe_call
from toolhaft.frameworks.bridge import Bridge, bridge_tools

pytestmark = pytest.mark.requirement("frameworks-approval")


def make_transfer() -> tuple[Any, list[Any]]:
    """Return a tool whose factory returns another account each time, and the list of its runs."""
    numbers, ran = count(1), []

    class Order(BaseModel):
        to: str
        account: int = Field(default_factory=lambda: next(numbers))
        amount: int = 100

    @tool(input=Order, requires_approval=True, name="transfer", description="Transfer.")
    def transfer(order: Order) -> str:
        ran.append(order.model_dump())
        return "done"

    return transfer, ran


@tool(requires_approval=True)
def pay(amount: int, to: str = "ann") -> str:
    """Pay."""
    return f"paid {amount} to {to}"


def describe(bridge: Bridge, raw: str, call_id: str | None = None) -> dict[str, Any]:
    waiting: list[Prepared[Any]] = []
    bridge.call_sync(raw, ask=waiting.append, call_id=call_id)
    return describe_call(bridge.tool, waiting[0])


def test_a_person_is_shown_every_default() -> None:
    shown = describe(bridge_tools(pay, lambda bridge: bridge), '{"amount": "2"}')
    assert shown["arguments"] == {"amount": 2, "to": "ann"}
    assert shown["call"]["arguments"] == {"amount": 2}


def bringing(bridge: Bridge, shown: Any) -> Callable[[Prepared[Any]], Any]:
    return lambda prepared: bridge.approve(prepared, shown)


def test_an_answer_may_bring_back_an_edit() -> None:
    bridge = bridge_tools(pay, lambda bridge: bridge)
    runs = {
        "edit": {"edit": {"amount": 5}},
        "told": {"edit": {"amount": 5, "to": "bob"}, "notify_model": True},
        "wrong": {"edit": {"amount": "much"}},
        "no object": {"edit": [5]},
    }
    outcomes = {
        name: bridge.call_sync('{"amount": "2"}', ask=bringing(bridge, shown))
        for name, shown in runs.items()
    }
    assert [outcome.text for outcome in outcomes.values()] == [
        "paid 5 to ann",
        "paid 5 to bob\n\nA person changed these arguments before the call ran: amount, to.",
        describe_not_resumed("the arguments of the edit are invalid"),
        describe_not_resumed(CHANGED),
    ]
    edited = outcomes["edit"].edit
    assert edited is not None
    assert edited.asked != edited.digest


def test_two_calls_with_the_same_arguments_are_two() -> None:
    bridge = bridge_tools(pay, lambda bridge: bridge)
    shown = [describe(bridge, '{"amount": 2}', name) for name in ("a", "b", "a")]
    first, second, again = [each["digest"] for each in shown]
    assert first == again != second


def test_the_value_of_a_factory_that_was_shown_is_what_runs() -> None:
    transfer, ran = make_transfer()
    bridge = bridge_tools(transfer, lambda bridge: bridge)
    shown = describe(bridge, '{"to": "bob"}')
    outcome = bridge.call_sync(
        '{"to": "bob"}', ask=lambda again: bridge.approve(again, shown["call"])
    )
    assert outcome.text == "done"
    assert ran == [shown["arguments"]]


@pytest.mark.parametrize(
    "change",
    [
        lambda call: None,
        lambda call: "yes",
        lambda call: {**call, "digest": "0" * 64},
        lambda call: {**call, "arguments": {**call["arguments"], "amount": 9}},
        lambda call: {**call, "arguments": {"to": 1}},
    ],
)
def test_a_call_that_is_not_the_one_that_was_shown_is_denied(change: Any) -> None:
    transfer, ran = make_transfer()
    bridge = bridge_tools(transfer, lambda bridge: bridge)
    shown = describe(bridge, '{"to": "bob"}')
    outcome = bridge.call_sync(
        '{"to": "bob"}', ask=lambda again: bridge.approve(again, change(shown["call"]))
    )
    assert (isinstance(outcome, Err) and outcome.kind, ran) == ("denied", [])


def test_a_default_that_changed_since_is_denied_where_the_call_comes_back() -> None:
    def bridge_of(tool: Any) -> Bridge:
        [bridge] = bridge_tools(Toolset([tool]), lambda bridge: bridge)
        return bridge

    shown = describe(bridge_of(pay), '{"amount": 2}')

    @tool(requires_approval=True, name="pay")
    def pay_other(amount: int, to: str = "eve") -> str:
        """Pay."""
        return f"paid {amount} to {to}"

    changed = bridge_of(pay_other)
    outcome = changed.call_sync(
        '{"amount": 2}', ask=lambda again: changed.approve(again, shown["call"])
    )
    assert isinstance(outcome, Err)
    assert outcome.kind == "denied"
    unread = changed.call_sync('{"amount": 2}', ask=changed.approve)
    assert unread.text == "paid 2 to eve"


def test_a_yes_that_brings_nothing_back_runs_no_value_of_a_factory() -> None:
    transfer, ran = make_transfer()
    outcome = bridge_tools(transfer, lambda bridge: bridge).call_sync(
        '{"to": "bob"}', ask=lambda _: True
    )
    assert (isinstance(outcome, Err) and outcome.kind, ran) == ("denied", [])


@pytest.mark.parametrize(
    ("make", "sent", "other"),
    [
        (lambda: (pay, []), '{"amount": 2}', '{"amount": 1000}'),
        (lambda: (pay, []), '{"amount": 2}', '{"amount": 2, "to": "eve"}'),
        (lambda: (pay, []), '{"amount": 2, "to": "bob"}', '{"amount": 2}'),
        (make_transfer, '{"to": "bob"}', '{"to": "eve"}'),
        (make_transfer, '{"to": "bob"}', '{"to": "bob", "amount": 9}'),
        (make_transfer, '{"to": "bob", "account": 5}', '{"to": "bob"}'),
    ],
)
def test_the_yes_to_another_call_of_the_tool_approves_nothing(
    make: Any, sent: str, other: str
) -> None:
    asking, ran = make()
    bridge = bridge_tools(asking, lambda bridge: bridge)
    shown = describe(bridge, other)
    outcome = bridge.call_sync(sent, ask=lambda again: bridge.approve(again, shown["call"]))
    assert (isinstance(outcome, Err) and outcome.kind, ran) == ("denied", [])


def test_an_answer_changes_nothing_that_was_sent_beside_what_a_factory_filled() -> None:
    numbers, ran = count(1), []

    class Line(BaseModel):
        item: str
        number: int = Field(default_factory=lambda: next(numbers))
        tax: int = 7

    @tool(requires_approval=True)
    def order(lines: list[Line], by_name: dict[str, Line]) -> str:
        """Order."""
        ran.append([line.model_dump() for line in (*lines, *by_name.values())])
        return "ordered"

    def answer(change: Any) -> str | None:
        shown = describe(bridge, sent)["call"]
        [first, _], by_name = shown["arguments"]["lines"], shown["arguments"]["by_name"]
        change(shown["arguments"], first, by_name)
        again = bridge_tools(order, lambda bridge: bridge)
        prepared = order.call_sync(shown["arguments"])
        assert isinstance(prepared, Err)
        assert prepared.prepared is not None
        call = {**shown, "digest": prepared.prepared.digest}
        outcome = again.call_sync(sent, ask=lambda waiting: again.approve(waiting, call))
        return outcome.kind if isinstance(outcome, Err) else None

    written = '"lines": [{"item": "tea"}, {"item": "tin", "number": 3}]'
    sent = f'{{{written}, "by_name": {{"a": {{"item": "cup"}}}}}}'
    bridge = bridge_tools(order, lambda bridge: bridge)
    changes: list[Any] = [
        lambda arguments, first, by_name: first.update(item="rum"),
        lambda arguments, first, by_name: first.update(tax=0),
        lambda arguments, first, by_name: by_name["a"].update(item="rum"),
        lambda arguments, first, by_name: by_name.update(b=by_name["a"]),
        lambda arguments, first, by_name: by_name.clear(),
        lambda arguments, first, by_name: arguments["lines"].reverse(),
        lambda arguments, first, by_name: arguments["lines"].pop(),
        lambda arguments, first, by_name: arguments["lines"][1].update(number=4),
    ]
    assert [answer(change) for change in changes] == ["denied"] * len(changes)
    assert ran == []
    assert answer(lambda arguments, first, by_name: None) is None
    [lines] = ran
    assert [(each["item"], each["tax"]) for each in lines] == [("tea", 7), ("tin", 7), ("cup", 7)]
