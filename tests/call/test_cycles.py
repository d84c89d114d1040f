"""A call leaves no reference cycles behind: its objects are gone when its outcome is.

A cycle keeps exceptions, their frames and so the caller's data until the collector runs.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from threading import Event
from typing import Any, Final, NamedTuple

import msgspec
import pytest
from pydantic import BaseModel

from tests.call.fates import FATES, VENDORS, Fate, later, later_alone, now, now_alone
from tests.call.ways import ASKING, WAYS, Way, allow, directly, fail
from tests.share import share
from toolhaft import Err, LoopGuard, Toolset, tool
from toolhaft.call import workers
from toolhaft.jsonio.jsontext import write
from toolhaft.observers.limits import RateLimit
from toolhaft.spec import Issue, Mode, ToolValidationError
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.unmeasured

Call = Callable[[], object]
AsyncCall = Callable[[], Coroutine[Any, Any, object]]

# Once to make what is made at the first use, then often enough to tell a call from the machine.
WARM, MEASURED = 1, 2


@pytest.fixture(autouse=True)
def _nobody_keeps_log_records() -> Generator[None]:
    logger = logging.getLogger("toolhaft")
    handler, propagates = logging.NullHandler(), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    yield
    logger.propagate = propagates
    logger.removeHandler(handler)


@pytest.fixture(autouse=True, scope="module")
def _collector_at_rest() -> Generator[None]:
    """Collect on demand only, and look at nothing that was there before, which takes long."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def _nothing_is_left_of_other_tests() -> None:
    gc.collect()


def collected() -> Counter[str]:
    """Name the kinds of what only the collector could free."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    kinds = Counter(type(one).__qualname__ for one in gc.garbage)
    gc.garbage.clear()
    return kinds


def left_by(call: Call, warm: int = WARM, measured: int = MEASURED) -> Counter[str]:
    """Make a call several times, forgetting what comes of it, and tell what is left in cycles."""
    for _ in range(warm):
        call()
    gc.collect()
    for _ in range(measured):
        call()
    return collected()


def left_later_by(call: AsyncCall, warm: int = WARM, measured: int = MEASURED) -> Counter[str]:
    """Do the same inside one loop, so that only what the calls add is counted."""

    async def main() -> Counter[str]:
        for _ in range(warm):
            await call()
        gc.collect()
        for _ in range(measured):
            await call()
            await asyncio.sleep(0)  # callbacks of what has ended run
        return collected()

    return asyncio.run(main())


def test_a_cycle_is_seen() -> None:
    def make() -> None:
        itself: list[Any] = []
        itself.append(itself)

    async def make_later() -> None:
        make()

    assert left_by(make) == {"list": MEASURED}
    assert left_later_by(make_later) == {"list": MEASURED}


# -------------------------------------------------------------------------- all ways, all ends


def spelled(fate: Fate, first: int) -> list[Any]:
    """Spell the arguments as data, as text and as bytes, or in one of these ways."""
    text = fate.sent if isinstance(fate.sent, str) else write(fate.sent)
    ways = [fate.sent, text, text.encode()]
    return [ways[(first + more) % 3] for more in range(share(3))]


class Found(NamedTuple):
    """Of every fate how its calls ended, and what only the collector could free."""

    kinds: dict[str, set[str]]
    left: dict[str, Counter[str]]


def found(run: Any, end: Callable[[Any], str], left: Callable[[Any], Counter[str]]) -> Found:
    """Make the calls of every fate, in every spelling in turn."""
    result = Found({}, {})
    for number, (name, fate) in enumerate(FATES.items()):
        calls = [partial(run, raw, fate.context) for raw in spelled(fate, number)]
        result.kinds[name] = set(map(end, calls))
        if kinds := sum(map(left, calls), Counter[str]()):
            result.left[name] = kinds
    return result


def found_here(way: Way, one: AnyTool) -> Found:
    here, _ = way.doors(one.replace(**way.options))
    return found(here, lambda call: call(), left_by)


def found_later(way: Way, one: AnyTool) -> Found:
    _, there = way.doors(one.replace(**way.options))
    return found(there, lambda call: asyncio.run(call()), left_later_by)


def nothing(way: Way) -> Found:
    """Every call ends as it should, and nothing is left of it."""
    return Found({name: {way.kinds.get(name, fate.kind)} for name, fate in FATES.items()}, {})


HANDLERS: Final = {"sync": now, "async": later.replace(name="now")}


@pytest.mark.requirement("call-no-cycles")
@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("way", WAYS)
def test_a_call_without_a_loop_leaves_no_cycles(way: str, handler: str) -> None:
    assert found_here(WAYS[way], HANDLERS[handler]) == nothing(WAYS[way])


@pytest.mark.requirement("call-no-cycles")
@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("way", WAYS)
def test_a_call_in_a_loop_leaves_no_cycles(way: str, handler: str) -> None:
    assert found_later(WAYS[way], HANDLERS[handler]) == nothing(WAYS[way])


@pytest.mark.requirement("call-no-cycles")
@pytest.mark.parametrize("way", ASKING)
@pytest.mark.parametrize("vendor", VENDORS)
def test_whatever_the_validator_a_call_leaves_no_cycles(vendor: str, way: str) -> None:
    assert found_here(ASKING[way], VENDORS[vendor]) == nothing(ASKING[way])
    assert found_later(ASKING[way], VENDORS[vendor]) == nothing(ASKING[way])


# --------------------------------------------------------------------- results without a schema


class Undeclared(BaseModel):
    """A result that may hold anything."""

    anything: Any


class UndeclaredStruct(msgspec.Struct):
    """A result of msgspec that may hold anything."""

    anything: Any


def giving(result: Any, output: Any = None) -> AnyTool:
    return tool(lambda: result, name="now", description="Give.", output=output)


class Foreign:
    """A tool of another library, which refuses its arguments or its own result."""

    name, title, description = "now", None, "Refuse."
    input_schema = output_schema = None

    def __init__(self, target: Mode) -> None:
        self.target: Mode = target

    def execute(self, arguments: Any) -> Any:
        issues = [Issue("no", ("secret", 0)), Issue("no", ("other",))]
        raise ToolValidationError("now", self.target, issues)


@pytest.mark.requirement("call-no-cycles")
@pytest.mark.parametrize(
    ("refused", "kind"),
    [
        (giving(object()), "output_invalid"),
        (giving({"a": [object()]}), "output_invalid"),
        (giving(float("nan")), "output_invalid"),
        (giving("\ud800"), "output_invalid"),
        (giving(Undeclared(anything=object()), Undeclared), "output_invalid"),
        (giving(UndeclaredStruct(object()), UndeclaredStruct), "output_invalid"),
        (giving({"a": object()}, dict), "output_invalid"),
        (Foreign("output"), "output_invalid"),
        (Foreign("input"), "invalid_input"),
    ],
)
def test_a_refusal_that_no_schema_explains_leaves_no_cycles(refused: Any, kind: str) -> None:
    tools = Toolset([refused])
    call, call_later = partial(tools.call_sync, "now", {}), partial(tools.call, "now", {})
    outcome = call()
    assert isinstance(outcome, Err)
    assert (outcome.kind, left_by(call), left_later_by(call_later)) == (kind, {}, {})


# ------------------------------------------------------------------------- a process of its own


@pytest.mark.requirement("call-no-cycles")
@pytest.mark.parametrize(
    ("handler", "options"),
    [(now_alone, {"limit": 1, "timeout": 60}), (later_alone, {})],
    ids=["bounded and without a loop", "plain and in a loop"],
)
def test_a_call_in_a_process_of_its_own_leaves_no_cycles(
    handler: AnyTool, options: dict[str, Any]
) -> None:
    here, there = directly(handler.replace(**options))
    names = ("right", "the handler raises", "the result does not fit", "a validator raises")
    raws = [FATES[name].sent for name in names]
    ends = ["ok", "runtime_error", "output_invalid", "invalid_input"]
    seen: list[list[str]] = []

    async def each_later() -> None:
        seen.append([await there(raw, None) for raw in raws])

    def each_here() -> None:
        seen.append([here(raw, None) for raw in raws])

    left = left_by(each_here, 1, 1) if options else left_later_by(each_later, 1, 1)
    assert (seen, left) == ([ends] * 2, {})


# ------------------------------------------------------------- calls that do not come to an end


RELEASED = Event()


@tool(timeout=0.01)
def hang() -> None:
    """Wait until the test is over with it."""
    RELEASED.wait()


@tool(timeout=0.01)
async def hang_later() -> None:
    """Wait for ever."""
    await asyncio.Event().wait()


def settled() -> None:
    """Wait until every thread that was given up is done."""
    RELEASED.set()
    while workers.POOL.abandoned:
        pass
    RELEASED.clear()


HANGING: Final = {"sync": hang, "async": hang_later}
each_hanging = pytest.mark.parametrize("handler", HANGING)


@pytest.mark.requirement("call-no-cycles")
@each_hanging
@pytest.mark.parametrize("options", [{}, {"limit": 1}, {"authorize": allow}])
def test_a_call_that_runs_out_of_time_leaves_no_cycles(
    handler: str, options: dict[str, Any]
) -> None:
    here, there = directly(HANGING[handler].replace(**options))
    seen: set[str] = set()

    def late() -> None:
        seen.add(here(None, None))
        settled()

    async def late_later() -> None:
        seen.add(await there(None, None))
        settled()

    assert (left_by(late), left_later_by(late_later), seen) == ({}, {}, {"timeout"})


@pytest.mark.requirement("call-no-cycles")
@each_hanging
@pytest.mark.parametrize("options", [{}, {"limit": 1}, {"authorize": allow}])
def test_a_call_that_is_cancelled_leaves_no_cycles(handler: str, options: dict[str, Any]) -> None:
    one = HANGING[handler].replace(timeout=60, **options)

    async def cancelled() -> None:
        task = asyncio.create_task(one.call())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        settled()

    assert left_later_by(cancelled) == {}


@pytest.mark.requirement("call-no-cycles")
def test_a_call_for_which_no_thread_is_left_leaves_no_cycles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "POOL", workers.Pool(0))
    here, there = directly(now.replace(timeout=60))
    call = FATES["right"]
    ends = {here(call.sent, call.context), asyncio.run(there(call.sent, call.context))}
    assert ends == {"overloaded"}
    assert left_by(partial(here, call.sent, call.context)) == {}
    assert left_later_by(partial(there, call.sent, call.context)) == {}


# ------------------------------------------------------------------------------ formatted tools


@pytest.mark.requirement("call-no-cycles")
@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize(
    ("fate", "told"),
    [
        ("right", "int"),
        ("the schema refuses", "ToolInputInvalid"),
        ("the author's words", "ToolError"),
        ("the result does not fit", "ToolOutputInvalid"),
    ],
)
def test_a_formatted_tool_leaves_no_cycles(fate: str, told: str, handler: str) -> None:
    made: Any = HANDLERS[handler].formatted(lambda result: type(result).__name__)
    tools = Toolset([made])
    sent, context = FATES[fate].sent, FATES[fate].context
    assert asyncio.run(made.execute(sent, context)) == told
    assert left_later_by(partial(made.execute, sent, context)) == {}
    assert left_by(partial(tools.call_sync, "now", sent, context=context)) == {}


# ------------------------------------------------------------- calls that never reach the tool


@pytest.mark.requirement("call-no-cycles")
def test_a_call_that_is_refused_beforehand_leaves_no_cycles() -> None:
    class Fails:
        def admit(self, call: Any) -> Any:
            return fail()

    def kind(outcome: Any) -> str:
        return str(outcome.kind) if isinstance(outcome, Err) else "ok"

    sets = {
        "overloaded": Toolset([now], limiters=[RateLimit(1, seconds=1e9)]),
        "runtime_error": Toolset([now], limiters=[Fails()]),
        "loop": Toolset([now]),
    }
    sent, context = FATES["right"].sent, FATES["right"].context
    for expected, tools in sets.items():
        guard = LoopGuard(limit=1, on_loop=fail) if expected == "loop" else None
        call = partial(tools.call_sync, "now", sent, context=context, guard=guard)
        call_later = partial(tools.call, "now", sent, context=context, guard=guard)
        assert (left_by(call), left_later_by(call_later)) == ({}, {})
        assert kind(call()) == expected
    unknown = partial(Toolset([now]).call_sync, "then", sent)
    assert (kind(unknown()), left_by(unknown)) == ("unknown_tool", {})
