"""A call leaves no reference cycles behind: what it made is gone when its outcome is.

A cycle keeps exceptions, their frames and so the caller's data until the collector comes by.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import partial
from threading import Event
from typing import Any, Final, NamedTuple

import pytest

from tests.call.fates import FATES, VENDORS, Fate, later, later_alone, now, now_alone
from toolhaft import Deny, Err, LoopGuard, Ok, Prepared, ToolCall, Toolset, tool
from toolhaft.jsontext import write
from toolhaft.observers.details import CallDetails, CallStarted
from toolhaft.observers.limits import RateLimit
from toolhaft.tools import AnyTool

Call = Callable[[], object]
AsyncCall = Callable[[], Awaitable[object]]

# Once to make what is made at the first use, then often enough to tell a call from the machine.
WARM, MEASURED = 2, 3


@pytest.fixture(autouse=True)
def _nobody_keeps_log_records() -> Generator[None]:
    logger = logging.getLogger("toolhaft")
    handler, propagates = logging.NullHandler(), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    yield
    logger.propagate = propagates
    logger.removeHandler(handler)


@pytest.fixture(autouse=True)
def _collector_at_rest() -> Generator[None]:
    """Collect on demand only, and look at nothing that was there before."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def collected() -> Counter[str]:
    """Name the kinds of what only the collector could free."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    kinds = Counter(type(one).__qualname__ for one in gc.garbage)
    gc.garbage.clear()
    return kinds


def left_by(call: Call) -> Counter[str]:
    """Make a call several times, forgetting what comes of it, and tell what is left in cycles."""
    for _ in range(WARM):
        call()
    gc.collect()
    for _ in range(MEASURED):
        call()
    return collected()


def left_later_by(call: AsyncCall) -> Counter[str]:
    """Do the same inside one loop, so that only what the calls add is counted."""

    async def measured() -> Counter[str]:
        for _ in range(WARM):
            await call()
        gc.collect()
        for _ in range(MEASURED):
            await call()
            await asyncio.sleep(0)  # callbacks of what has ended run
        return collected()

    return asyncio.run(measured())


def test_a_cycle_is_seen() -> None:
    def make() -> None:
        itself: list[Any] = []
        itself.append(itself)

    async def make_later() -> None:
        make()

    assert left_by(make) == {"list": MEASURED}
    assert left_later_by(make_later) == {"list": MEASURED}


# ---------------------------------------------------------------------------------- the paths


def allow(arguments: Any, context: Any) -> bool:
    return True


async def allow_later(arguments: Any, context: Any) -> bool:
    await asyncio.sleep(0)
    return True


def forbid(arguments: Any, context: Any) -> bool:
    return False


def fail(*_: Any) -> bool:
    raise LookupError("nobody knows")


def approve(prepared: Prepared[Any]) -> bool:
    return prepared.arguments is not None


async def approve_later(prepared: Prepared[Any]) -> bool:
    await asyncio.sleep(0)
    return approve(prepared)


def decline(prepared: Prepared[Any]) -> Deny:
    return Deny("no")


class Watch:
    """An observer that looks at everything."""

    def started(self, call: CallStarted) -> Callable[[CallDetails], object]:
        return lambda done: (call.arguments, done.arguments, done.result, done.as_json())


Outcome = Ok[Any] | Err
Run = Callable[[Any, Any], Outcome]
AsyncRun = Callable[[Any, Any], Awaitable[Outcome]]
Doors = tuple[Run, AsyncRun]


def directly(one: AnyTool, **asking: Any) -> Doors:
    return (
        lambda raw, context: one.call_sync(raw, context=context, **asking),
        lambda raw, context: one.call(raw, context=context, **asking),
    )


def through_a_set(one: AnyTool, **settings: Any) -> Doors:
    tools = Toolset([one], **settings)
    return (
        lambda raw, context: tools.call_sync("now", raw, context=context),
        lambda raw, context: tools.call("now", raw, context=context),
    )


def all_at_once(one: AnyTool) -> Doors:
    tools = Toolset([one])

    def here(raw: Any, context: Any) -> Outcome:
        calls = [ToolCall(each, "now", raw) for each in "ab"]
        return tools.call_all_sync(calls, context=context)[1]

    async def there(raw: Any, context: Any) -> Outcome:
        calls = [ToolCall(each, "now", raw) for each in "ab"]
        return (await tools.call_all(calls, context=context))[1]

    return here, there


def prepared_first(one: AnyTool) -> Doors:
    def here(raw: Any, context: Any) -> Outcome:
        made = one.prepare(raw)
        return made if isinstance(made, Err) else made.call_sync(context=context)

    async def there(raw: Any, context: Any) -> Outcome:
        made = one.prepare(raw)
        return made if isinstance(made, Err) else await made.call(context=context)

    return here, there


def waited(one: AnyTool) -> Doors:
    def here(raw: Any, context: Any) -> Outcome:
        outcome = one.call_sync(raw, context=context)
        if isinstance(outcome, Ok) or outcome.prepared is None:
            return outcome
        return outcome.prepared.call_sync(context=context)

    async def there(raw: Any, context: Any) -> Outcome:
        outcome = await one.call(raw, context=context)
        if isinstance(outcome, Ok) or outcome.prepared is None:
            return outcome
        return await outcome.prepared.call(context=context)

    return here, there


def written_down(one: AnyTool) -> Doors:
    tools = Toolset([one])

    def resumed(raw: Any) -> Prepared[Any] | Err:
        made = one.prepare(raw)
        return made if isinstance(made, Err) else tools.resume(made.to_json(key="k"), key="k")

    def here(raw: Any, context: Any) -> Outcome:
        again = resumed(raw)
        return again if isinstance(again, Err) else again.call_sync(context=context)

    async def there(raw: Any, context: Any) -> Outcome:
        again = resumed(raw)
        return again if isinstance(again, Err) else await again.call(context=context)

    return here, there


def answered(one: AnyTool) -> Doors:
    wire = Toolset([one]).export("openai")

    def response(raw: Any) -> dict[str, Any]:
        text = raw if isinstance(raw, str) else write(raw)
        call = {"type": "function_call", "call_id": "1", "name": "now", "arguments": text}
        return {"output": [call]}

    def here(raw: Any, context: Any) -> Outcome:
        answer = wire.answer_sync(response(raw), context=context)
        assert answer.messages
        return answer.outcomes[0]

    async def there(raw: Any, context: Any) -> Outcome:
        answer = await wire.answer(response(raw), context=context)
        assert answer.messages
        return answer.outcomes[0]

    return here, there


class Path(NamedTuple):
    """A way to make a call; `kinds` says what becomes of it where that is not as ever."""

    doors: Callable[[AnyTool], Doors]
    options: Mapping[str, Any] = {}
    kinds: Mapping[str, str] = {}


def way(**options: Any) -> Path:
    return Path(directly, options)


DENIED: Final = dict.fromkeys(
    [name for name, fate in FATES.items() if fate.kind != "invalid_input"], "denied"
)
NEVER: Final[Any] = Watch()
PATHS: Final[dict[str, Path]] = {
    "plain": way(),
    "limit": way(limit=1),
    "timeout": way(timeout=60),
    "limit and timeout": way(limit=1, timeout=60),
    "on the loop": way(offload=False),
    "authorize": way(authorize=allow),
    "authorize later": way(authorize=allow_later),
    "authorize denies": Path(directly, {"authorize": forbid}, DENIED),
    "authorize raises": Path(directly, {"authorize": fail}, DENIED),
    "authorize of the call": Path(partial(directly, authorize=allow)),
    "authorize, limit and timeout": way(authorize=allow, limit=1, timeout=60),
    "a predicate of approval": way(requires_approval=lambda arguments: arguments["n"] > 2),
    "a predicate that raises": Path(partial(directly, approve=approve), {"requires_approval": fail}),
    "approve": Path(partial(directly, approve=approve), {"requires_approval": True}),
    "approve later": Path(partial(directly, approve=approve_later), {"requires_approval": True}),
    "approve declines": Path(
        partial(directly, approve=decline), {"requires_approval": True}, DENIED
    ),
    "approve raises": Path(partial(directly, approve=fail), {"requires_approval": True}, DENIED),
    "approve, limit and timeout": Path(
        partial(directly, approve=approve), {"requires_approval": True, "limit": 1, "timeout": 60}
    ),
    "approval by Prepared": Path(waited, {"requires_approval": True}),
    "approval by Prepared, limit and timeout": Path(
        waited, {"requires_approval": True, "limit": 1, "timeout": 60}
    ),
    "prepared": Path(prepared_first),
    "resumed": Path(written_down, {"requires_approval": True}),
    "a set": Path(through_a_set),
    "a set with a limit": Path(partial(through_a_set, limit=1)),
    "a set with an observer": Path(
        partial(through_a_set, observers=[Watch()], limiters=[RateLimit(1_000_000, seconds=60)])
    ),
    "many at once": Path(all_at_once),
    "a guard": Path(partial(directly, guard=LoopGuard(limit=1_000_000))),
    "an answer": Path(answered),
}


def kind(outcome: Outcome) -> str:
    return outcome.kind if isinstance(outcome, Err) else "ok"


def sent(fate: Fate) -> list[Any]:
    """Spell the arguments as data and as text."""
    return [fate.arguments, write(fate.arguments)]


def expected(path: Path) -> dict[str, tuple[list[str], Counter[str]]]:
    """Every call ends as it should, and nothing is left of it."""
    return {
        name: ([path.kinds.get(name, fate.kind)] * 2, Counter())
        for name, fate in FATES.items()
    }


def left_on(run: Run) -> dict[str, tuple[list[str], Counter[str]]]:
    """Make a call of every fate, in both spellings."""
    found = {}
    for name, fate in FATES.items():
        calls = [partial(run, raw, fate.context) for raw in sent(fate)]
        ends = [kind(call()) for call in calls]
        found[name] = ends, sum((left_by(call) for call in calls), Counter[str]())
    return found


def left_later_on(run: AsyncRun) -> dict[str, tuple[list[str], Counter[str]]]:
    """Do the same in a loop."""
    found = {}
    for name, fate in FATES.items():
        calls = [partial(run, raw, fate.context) for raw in sent(fate)]
        ends = [kind(asyncio.run(_awaited(call))) for call in calls]
        found[name] = ends, sum((left_later_by(call) for call in calls), Counter[str]())
    return found


async def _awaited(call: Callable[[], Awaitable[Outcome]]) -> Outcome:
    return await call()


each_handler = pytest.mark.parametrize(
    "handler", [now, later.replace(name="now")], ids=["sync handler", "async handler"]
)
each_path = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)


@each_handler
@each_path
def test_a_call_without_a_loop_leaves_no_cycles(path: Path, handler: AnyTool) -> None:
    here, _ = path.doors(handler.replace(**path.options))
    assert left_on(here) == expected(path)


@each_handler
@each_path
def test_a_call_in_a_loop_leaves_no_cycles(path: Path, handler: AnyTool) -> None:
    _, there = path.doors(handler.replace(**path.options))
    assert left_later_on(there) == expected(path)
