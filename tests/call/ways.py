"""Every way to make a call of a tool named `now`: without a loop, and in one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from tests.call.fates import FATES
from toolhaft import Deny, Err, LoopGuard, Ok, Prepared, ToolCall, Toolset
from toolhaft.jsonio.jsontext import write
from toolhaft.observers.details import CallDetails, CallStarted
from toolhaft.observers.limits import RateLimit
from toolhaft.tools.tool import AnyTool

__all__ = ["ASKING", "WAYS", "Way", "allow", "directly", "fail"]

Outcome = Ok[Any] | Err
# Raw arguments and the context give the kind of what comes of them.
Run = Callable[[Any, Any], str]
AsyncRun = Callable[[Any, Any], Coroutine[Any, Any, str]]
Doors = tuple[Run, AsyncRun]


# ------------------------------------------------------------------------------ the callbacks


def allow(arguments: Any, context: Any) -> bool:
    return arguments is not context


async def allow_later(arguments: Any, context: Any) -> bool:
    await asyncio.sleep(0)
    return allow(arguments, context)


def forbid(arguments: Any, context: Any) -> bool:
    return not allow(arguments, context)


def fail(*_: Any) -> bool:
    raise LookupError("nobody knows")


async def fail_later(*_: Any) -> bool:
    await asyncio.sleep(0)
    return fail()


def approve(prepared: Prepared[Any]) -> bool:
    return prepared.arguments is not None


async def approve_later(prepared: Prepared[Any]) -> bool:
    await asyncio.sleep(0)
    return approve(prepared)


def decline(prepared: Prepared[Any]) -> Deny:
    return Deny(f"not {prepared.name}")


class Looks:
    """An observer that looks at everything."""

    def started(self, call: CallStarted) -> Callable[[CallDetails], object]:
        return lambda done: (call.arguments, done.arguments, done.result, done.as_json())


class Breaks:
    """An observer that raises when it is notified of the end."""

    def started(self, call: CallStarted) -> Callable[[CallDetails], object]:
        return fail


# ---------------------------------------------------------------------------------- the doors


def kind(outcome: Outcome) -> str:
    return outcome.kind if isinstance(outcome, Err) else "ok"


def directly(one: AnyTool, **asking: Any) -> Doors:
    async def later(raw: Any, context: Any) -> str:
        return kind(await one.call(raw, context=context, **asking))

    return lambda raw, context: kind(one.call_sync(raw, context=context, **asking)), later


def renamed(one: AnyTool) -> Doors:
    """Call a view of it, in which a parameter has another name."""
    here, later = directly(one.transform(rename={"n": "count"}, describe={"how": "How to end."}))
    return (
        lambda raw, context: here(_reworded(raw), context),
        lambda raw, context: later(_reworded(raw), context),
    )


def _reworded(raw: Any) -> Any:
    if isinstance(raw, dict):
        return {"count" if key == "n" else key: value for key, value in raw.items()}
    return raw.replace('"n', '"count') if isinstance(raw, str) else raw.replace(b'"n', b'"count')


def through_a_set(one: AnyTool, **settings: Any) -> Doors:
    tools = Toolset([one], **settings)

    async def later(raw: Any, context: Any) -> str:
        return kind(await tools.call("now", raw, context=context))

    return lambda raw, context: kind(tools.call_sync("now", raw, context=context)), later


def two_at_once(one: AnyTool) -> Doors:
    tools = Toolset([one])

    def here(raw: Any, context: Any) -> str:
        calls = [ToolCall(each, "now", raw) for each in "ab"]
        return kind(tools.call_all_sync(calls, context=context)[1])

    async def later(raw: Any, context: Any) -> str:
        calls = [ToolCall(each, "now", raw) for each in "ab"]
        return kind((await tools.call_all(calls, context=context))[1])

    return here, later


def prepared_first(one: AnyTool) -> Doors:
    def here(raw: Any, context: Any) -> str:
        made = one.prepare(raw)
        return kind(made if isinstance(made, Err) else made.call_sync(context=context))

    async def later(raw: Any, context: Any) -> str:
        made = one.prepare(raw)
        return kind(made if isinstance(made, Err) else await made.call(context=context))

    return here, later


def held_first(one: AnyTool) -> Doors:
    """Approve a call that waits by making it."""

    def here(raw: Any, context: Any) -> str:
        outcome = one.call_sync(raw, context=context)
        held = outcome.prepared if isinstance(outcome, Err) else None
        return kind(outcome if held is None else held.call_sync(context=context))

    async def later(raw: Any, context: Any) -> str:
        outcome = await one.call(raw, context=context)
        held = outcome.prepared if isinstance(outcome, Err) else None
        return kind(outcome if held is None else await held.call(context=context))

    return here, later


def written_down(one: AnyTool) -> Doors:
    tools = Toolset([one])

    def resumed(raw: Any) -> Prepared[Any] | Err:
        made = one.prepare(raw)
        return made if isinstance(made, Err) else tools.resume(made.to_json(key="k"), key="k")

    def here(raw: Any, context: Any) -> str:
        again = resumed(raw)
        return kind(again if isinstance(again, Err) else again.call_sync(context=context))

    async def later(raw: Any, context: Any) -> str:
        again = resumed(raw)
        return kind(again if isinstance(again, Err) else await again.call(context=context))

    return here, later


def answered(one: AnyTool) -> Doors:
    wire = Toolset([one]).export("openai")

    def here(raw: Any, context: Any) -> str:
        answer = wire.answer_sync(_response(raw), context=context)
        return kind(answer.outcomes[len(answer.messages) - 2])

    async def later(raw: Any, context: Any) -> str:
        answer = await wire.answer(_response(raw), context=context)
        return kind(answer.outcomes[len(answer.messages) - 2])

    return here, later


def _response(raw: Any) -> dict[str, Any]:
    text = raw.decode() if isinstance(raw, bytes) else raw if isinstance(raw, str) else write(raw)
    call = {"type": "function_call", "call_id": "1", "name": "now", "arguments": text}
    return {"output": [call]}


def executed(one: AnyTool) -> Doors:
    """Return the name of the exception."""

    def here(raw: Any, context: Any) -> str:
        try:
            one.execute_sync(raw, context)
        except BaseException as error:  # noqa: BLE001  what the handler raised passes
            return type(error).__name__
        return "ok"

    async def later(raw: Any, context: Any) -> str:
        try:
            await one.execute(raw, context)
        except BaseException as error:  # noqa: BLE001  as above
            return type(error).__name__
        return "ok"

    return here, later


# ----------------------------------------------------------------------------------- the ways


class Way(NamedTuple):
    """A way to make a call; `kinds` says what comes of a fate where that is not as ever."""

    doors: Callable[[AnyTool], Doors]
    options: Mapping[str, Any] = {}
    kinds: Mapping[str, str] = {}


ASKS: Final = {"requires_approval": True}
BOUNDED: Final = {"limit": 1, "timeout": 60}
REFUSED: Final = ("invalid_input", "truncated")
DENIED: Final = {name: "denied" for name, fate in FATES.items() if fate.kind not in REFUSED}
RAISED: Final = {
    **{name: "ToolInputInvalid" for name, fate in FATES.items() if fate.kind in REFUSED},
    "the handler raises": "RuntimeError",
    "the handler stops the program": "SystemExit",
    "the author's words": "ToolError",
    "the result does not fit": "ToolOutputInvalid",
    "the context lacks a name": "ContextMissing",
}

WAYS: Final[dict[str, Way]] = {
    "plain": Way(directly),
    "limit": Way(directly, {"limit": 1}),
    "timeout": Way(directly, {"timeout": 60}),
    "limit and timeout": Way(directly, BOUNDED),
    "on the loop": Way(directly, {"offload": False}),
    "other names": Way(renamed),
    "a guard": Way(partial(directly, guard=LoopGuard(limit=1_000_000))),
    "authorize": Way(directly, {"authorize": allow}),
    "authorize later": Way(directly, {"authorize": allow_later}),
    "authorize of the call": Way(partial(directly, authorize=allow)),
    "authorize, limit and timeout": Way(directly, {"authorize": allow, **BOUNDED}),
    "authorize denies": Way(directly, {"authorize": forbid}, DENIED),
    "authorize raises": Way(directly, {"authorize": fail}, DENIED),
    "authorize raises later": Way(directly, {"authorize": fail_later}, DENIED),
    "predicate": Way(directly, {"requires_approval": lambda arguments: arguments["n"] > 2}),
    "predicate raises": Way(partial(directly, approve=approve), {"requires_approval": fail}),
    "approve": Way(partial(directly, approve=approve), ASKS),
    "approve later": Way(partial(directly, approve=approve_later), ASKS),
    "approve, limit and timeout": Way(partial(directly, approve=approve), {**ASKS, **BOUNDED}),
    "approve declines": Way(partial(directly, approve=decline), ASKS, DENIED),
    "approve raises": Way(partial(directly, approve=fail), ASKS, DENIED),
    "held": Way(held_first, ASKS),
    "held, limit and timeout": Way(held_first, {**ASKS, **BOUNDED}),
    "held and authorize": Way(held_first, {**ASKS, "authorize": allow}),
    "prepared": Way(prepared_first),
    "resumed": Way(written_down, ASKS),
    "a set": Way(through_a_set),
    "a set with a limit": Way(partial(through_a_set, limit=1)),
    "a set that approves": Way(partial(through_a_set, approve=approve), ASKS),
    "a set that is observed": Way(
        partial(through_a_set, observers=[Looks()], limiters=[RateLimit(1_000_000, seconds=60)])
    ),
    "a set with an observer that raises": Way(partial(through_a_set, observers=[Breaks()])),
    "two at once": Way(two_at_once),
    "two at once, in line": Way(two_at_once, BOUNDED),
    "two at once, alone": Way(two_at_once, {"parallel": False}),
    "an answer": Way(answered),
    "executed": Way(executed, {}, RAISED),
    "executed, authorize": Way(executed, {"authorize": allow}, RAISED),
    "executed, limit and timeout": Way(executed, BOUNDED, RAISED),
}

ASKING: Final = {name: WAYS[name] for name in ("plain", "authorize", "held")}
