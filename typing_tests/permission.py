"""A call that waits for a person keeps its type, and each kind of decision is accepted."""

from __future__ import annotations

from typing import Any, assert_type

from pydantic import BaseModel

from toolhaft import Deny, Err, Ok, Prepared, Toolset, tool


def may(arguments: Any, context: Any) -> bool:
    return bool(arguments) and context is not None


async def may_later(arguments: Any, context: Any, name: str) -> bool:
    return bool(arguments) and context is not None and bool(name)


class Order(BaseModel):
    amount: int


def is_large(order: Order, context: object) -> bool:
    return order.amount > 100 and context is not None


@tool(input=Order, authorize=lambda order: order.amount < 10, requires_approval=is_large)
def buy(order: Order) -> int:
    """Buy."""
    return order.amount


def approve(prepared: Prepared[Any]) -> bool | Deny:
    return True if prepared.arguments else Deny("nothing is given")


@tool(requires_approval=lambda arguments: arguments["n"] > 1, authorize=may)
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


def one_call(raw: str) -> None:
    outcome = double.call_sync(raw, authorize=may_later, approve=approve)
    assert_type(outcome, Ok[int] | Err)
    if isinstance(outcome, Err):
        assert_type(outcome.prepared, Prepared[Any] | None)
    prepared = double.prepare(raw)
    if prepared:
        assert_type(prepared, Prepared[int])
        assert_type(prepared.edited({"n": 3}), Prepared[int] | Err)
        assert_type(prepared.call_sync(context=None), Ok[int] | Err)


async def a_turn(response: Any, text: str) -> None:
    tools = Toolset([double], authorize=may_later, approve=approve)
    assert_type(tools.resume(text, key=b"key"), Prepared[Any] | Err)
    wire = tools.export("openai")
    answer = await wire.answer(response, approve=approve)
    assert_type(answer.pending, list[Prepared[Any]])
    decisions = {one.call_id: True for one in answer.pending}
    await wire.resume(answer.to_json(key="key"), decisions, key="key")
    wire.resume_sync(text, {"c1": True, "c2": Deny("no")}, key="key", context=None)
