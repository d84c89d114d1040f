"""What a person was shown of a call is what runs, however often a host prepares it again."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from pydantic import BaseModel, Field

from toolhaft import Err, Prepared, Toolset, tool
from toolhaft.frameworks.bridge import Bridge, bridge_tools
from toolhaft.frameworks.shown import describe_call

pytestmark = pytest.mark.requirement("frameworks-approval")


def make_transfer() -> tuple[Any, list[Any]]:
    """Give a tool whose factory gives another account each time, and what it has run with."""
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


def prepare(bridge: Bridge, raw: str, call_id: str | None = None) -> Prepared[Any]:
    waiting: list[Prepared[Any]] = []
    bridge.call_sync(raw, ask=waiting.append, call_id=call_id)
    return waiting[0]


def test_a_person_is_shown_every_default() -> None:
    shown = describe_call(prepare(bridge_tools(pay, lambda bridge: bridge), '{"amount": "2"}'))
    assert shown["arguments"] == {"amount": 2, "to": "ann"}
    assert shown["call"]["arguments"] == {"amount": 2}


def test_two_calls_with_the_same_arguments_are_two() -> None:
    bridge = bridge_tools(pay, lambda bridge: bridge)
    shown = [describe_call(prepare(bridge, '{"amount": 2}', name)) for name in ("a", "b", "a")]
    first, second, again = [each["digest"] for each in shown]
    assert first == again != second


def test_the_value_of_a_factory_that_was_shown_is_what_runs() -> None:
    transfer, ran = make_transfer()
    bridge = bridge_tools(transfer, lambda bridge: bridge)
    shown = describe_call(prepare(bridge, '{"to": "bob"}'))
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
    shown = describe_call(prepare(bridge, '{"to": "bob"}'))
    outcome = bridge.call_sync(
        '{"to": "bob"}', ask=lambda again: bridge.approve(again, change(shown["call"]))
    )
    assert (isinstance(outcome, Err) and outcome.kind, ran) == ("denied", [])


def test_a_default_that_changed_since_is_denied_where_the_call_comes_back() -> None:
    def bridge_of(tool: Any) -> Bridge:
        [bridge] = bridge_tools(Toolset([tool]), lambda bridge: bridge)
        return bridge

    shown = describe_call(prepare(bridge_of(pay), '{"amount": 2}'))

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
