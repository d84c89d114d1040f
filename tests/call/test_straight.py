"""Valid calls go straight to the handler, and end as on the full code path."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from toolhaft import Context, Err, Injected, Ok, Report, Tool, tool
from toolhaft.jsonio.primitives import native
from toolhaft.tools.internals import boundary_of

Found = tuple[str, Any, Any]


class Order(BaseModel):
    n: int


def with_context(n: int, who: Context[Any]) -> list[Any]:
    """Take the context."""
    return [n, who is not None]


def with_injected(n: int, user: Injected[str], team: Injected[str] = "all") -> list[Any]:
    """Take parts of the context."""
    return [n, user, team]


def with_report(n: int, report: Report) -> int:
    """Report progress."""
    report(1)
    return n


def with_list(n: int, seen: list[int] = []) -> list[int]:  # noqa: B006
    """Record the arguments."""
    seen.append(n)
    return seen


def by_place(n: int, m: int = 2, /, k: int = 3) -> list[int]:
    """Take two by their places."""
    return [n, m, k]


def with_own_names(n: int, args: int = 1, kwargs: int = 2) -> list[int]:
    """Have parameters that other functions have too."""
    return [n, args, kwargs]


def of_order(order: Order, user: Injected[str]) -> list[Any]:
    """Take one object."""
    return [order.n, user]


def failing(n: int, user: Injected[str]) -> int:
    """Fail."""
    raise ValueError(user)


HANDLERS = [
    with_context, with_injected, with_report, with_list, by_place, with_own_names, failing,
]  # fmt: skip
OPTIONS: list[dict[str, Any]] = [{}, {"limit": 2}, {"timeout": 30}, {"limit": 1, "timeout": 30}]
SENT: list[Any] = [{"n": 1}, '{"n": 1}', b'{"n": 1}', {"n": "1"}, {"n": 1, "x": 1}, {"n": []}, 5]
CONTEXTS: list[Any] = [None, {"user": "ann"}, {"team": "b"}, object()]


def seen(outcome: Ok[Any] | Err) -> Found:
    result = outcome.value if isinstance(outcome, Ok) else (outcome.kind, outcome.effect)
    shown = outcome.arguments if isinstance(outcome, Ok) else outcome.issues
    return type(outcome).__name__, repr(result), repr((shown, outcome.coercions))


def whole(made: Tool[..., Any, Any], sent: Any, context: Any) -> Found:
    boundary = boundary_of(made)
    return seen(boundary.run_whole_sync(sent, context, boundary.to_outcome))  # type: ignore[arg-type]


async def awaited(made: Tool[..., Any, Any], sent: Any) -> list[Found]:
    return [seen(await made.call(sent, context=context)) for context in CONTEXTS]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("handler", HANDLERS)
def test_the_steps_do_what_the_whole_way_does(handler: Any, options: dict[str, Any]) -> None:
    made: Any = tool(handler, **options)
    for sent in SENT:
        at_once = [seen(made.call_sync(sent, context=context)) for context in CONTEXTS]
        assert at_once == [whole(made, sent, context) for context in CONTEXTS], sent
    assert asyncio.run(awaited(made, {"n": 1})) == [whole(made, {"n": 1}, one) for one in CONTEXTS]


def test_one_object_is_followed_by_what_the_caller_supplies() -> None:
    handler: Any = of_order
    made = tool(handler, input=Order)
    given: tuple[Any, Any] = {"n": 2}, {"user": "ann"}
    at_once = seen(made.call_sync(given[0], context=given[1]))
    assert at_once == whole(made, *given)
    assert at_once == ("Ok", "[2, 'ann']", "(mappingproxy({'n': 2}), ())")


@pytest.mark.skipif(not native, reason="built without the primitives in C")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("handler", HANDLERS)
def test_right_calls_have_compiled_steps(handler: Any, options: dict[str, Any]) -> None:
    made: Any = tool(handler, **options)
    assert boundary_of(made).right_call is not None


def test_a_context_is_missed_before_the_handler_runs() -> None:
    outcome = tool(with_injected, limit=1).call_sync({"n": 1}, context={})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "none")
