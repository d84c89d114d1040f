"""Exceptions of the program's own callbacks never escape a call, whatever their class."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.observers.recording import Recorder
from toolhaft import Err, Injected, LoopGuard, Ok, Report, ToolCall, ToolError, Toolset, tool
from toolhaft.call.progress import report_to
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.logging import Logging

FAULTS = (ValueError, SystemExit, GeneratorExit, asyncio.CancelledError)
each_fault = pytest.mark.parametrize("fault", FAULTS)


def raising(fault: type[BaseException]) -> Callable[..., NoReturn]:
    def fail(*_: Any) -> NoReturn:
        raise fault("raised")

    return fail


@tool
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


@tool
def crash(n: int) -> int:
    """Fail."""
    raise LookupError(n)


@tool
def lie(n: int) -> int:
    """Return a result that was not declared."""
    return str(n)  # type: ignore[return-value]


def call_both_ways(tools: Toolset, name: str) -> list[tuple[str, str]]:
    """Call a tool without a loop and in one; give kind and effect of each outcome."""
    outcomes = [tools.call_sync(name, {"n": 4}), asyncio.run(tools.call(name, {"n": 4}))]
    return [
        (outcome.kind, outcome.effect) if isinstance(outcome, Err) else ("ok", outcome.text)
        for outcome in outcomes
    ]


class Nameless(type):
    locals()["__name__"] = property(raising(SystemExit))


class Starts(metaclass=Nameless):
    """Raises when a call starts, and when its class's name is read."""

    def __init__(self, fault: type[BaseException]) -> None:
        self.started = raising(fault)


class Ends:
    """Raises when a call ends."""

    def __init__(self, fault: type[BaseException]) -> None:
        self.fault = fault

    def started(self, _: Any) -> Callable[..., NoReturn]:
        return raising(self.fault)


class Bounds:
    def __init__(self, admit: Callable[..., Any]) -> None:
        self.admit = admit


@pytest.mark.requirement("callbacks-never-escape")
@each_fault
@pytest.mark.parametrize("observer", [Starts, Ends], ids=["starts", "ends"])
def test_an_observer_may_raise_anything(observer: Any, fault: type[BaseException]) -> None:
    tools = Toolset([double], observers=[observer(fault)])
    assert call_both_ways(tools, "double") == [("ok", "8")] * 2


@pytest.mark.requirement("callbacks-never-escape")
@pytest.mark.parametrize("admit", [*map(raising, FAULTS), lambda _: True])
def test_a_limiter_that_raises_or_gives_no_outcome_refuses(admit: Any) -> None:
    tools = Toolset([double], limiters=[Bounds(admit)])
    assert call_both_ways(tools, "double") == [("runtime_error", "none")] * 2


@contextmanager
def handled_by(handler: logging.Handler) -> Generator[None]:
    logger = logging.getLogger("toolhaft")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@pytest.mark.requirement("callbacks-never-escape")
@each_fault
@pytest.mark.parametrize("method", ["emit", "filter", "format", "handle"])
def test_a_handler_of_logging_may_raise_anything(method: str, fault: type[BaseException]) -> None:
    handler = logging.StreamHandler()
    setattr(handler, method, raising(fault))
    watched = Toolset([double], observers=[Logging(logging.getLogger("toolhaft"))])
    with handled_by(handler):
        assert call_both_ways(Toolset([crash]), "crash") == [("runtime_error", "unknown")] * 2
        assert call_both_ways(Toolset([lie]), "lie") == [("output_invalid", "done")] * 2
        assert call_both_ways(watched, "double") == [("ok", "8")] * 2
        asked = Toolset([double], authorize=raising(fault))
        assert call_both_ways(asked, "double") == [("denied", "none")] * 2


@pytest.mark.requirement("callbacks-never-escape")
@each_fault
def test_a_listener_of_progress_may_raise_anything(fault: type[BaseException]) -> None:
    def copy(n: int, report: Report) -> int:
        """Copy."""
        report(n, n)
        return n

    with report_to(raising(fault)):
        assert call_both_ways(Toolset([copy]), "copy") == [("ok", "4")] * 2


@pytest.mark.requirement("callbacks-never-escape")
@each_fault
def test_a_guard_may_raise_anything(fault: type[BaseException]) -> None:
    async def fail(*_: Any) -> NoReturn:
        raise fault("raised")

    for on_loop in (raising(fault), fail):
        guard = LoopGuard(key=raising(fault), on_loop=on_loop, limit=2)
        assert Toolset([double]).call_sync("double", {"n": 4}, guard=guard)
        Toolset([double]).call_sync("double", {"n": 4}, guard=guard)
        last = asyncio.run(Toolset([double]).call("double", {"n": 4}, guard=guard))
        assert isinstance(last, Err)
        assert last.kind == "loop"


@pytest.mark.requirement("callbacks-never-escape")
@each_fault
def test_a_line_is_written_whatever_facts_and_redactors_raise(
    tmp_path: Path, fault: type[BaseException]
) -> None:
    audit = AuditLog(tmp_path / "audit.jsonl", facts=raising(fault), values=raising(fault))
    assert Toolset([double], observers=[audit]).call_sync("double", {"n": 4})
    audit.close()
    line = (tmp_path / "audit.jsonl").read_text()
    assert '"facts":"[the facts failed]"' in line
    assert '"arguments":"[the redactor failed]"' in line


@pytest.mark.requirement("callbacks-never-escape")
def test_ctrl_c_passes_through_every_callback() -> None:
    tools = Toolset([double], observers=[Ends(KeyboardInterrupt)])
    with pytest.raises(KeyboardInterrupt):
        tools.call_sync("double", {"n": 4})
    limited = Toolset([double], limiters=[Bounds(raising(KeyboardInterrupt))])
    with pytest.raises(KeyboardInterrupt):
        limited.call_sync("double", {"n": 4})
    written = Toolset([double.formatted(raising(KeyboardInterrupt))])
    with pytest.raises(KeyboardInterrupt):
        written.call_sync("double", {"n": 4})


@pytest.mark.requirement("handlers-stop-nothing")
@each_fault
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"limit": 1}, {"offload": False}])
def test_what_a_handler_raises_is_an_outcome(
    options: dict[str, Any], fault: type[BaseException]
) -> None:
    async def wait(n: int) -> int:
        """Fail in a loop."""
        await asyncio.sleep(0)
        raise fault(n)

    def fail(n: int) -> int:
        """Fail."""
        raise fault(n)

    for handler in (wait, fail):
        tools = Toolset([tool(handler, name="fail", **options)])
        assert call_both_ways(tools, "fail") == [("runtime_error", "unknown")] * 2


@pytest.mark.requirement("handlers-stop-nothing")
@each_fault
@pytest.mark.parametrize("asks", [False, True])
def test_what_a_validator_or_a_result_raises_is_an_outcome(
    fault: type[BaseException], asks: bool
) -> None:
    from pydantic import BaseModel, field_serializer, field_validator

    class Taken(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def check(cls, n: int) -> int:
            raise fault(n)

    class Given(BaseModel):
        n: int

        @field_serializer("n")
        def write(self, n: int) -> int:
            raise fault(n)

    def take(taken: Taken) -> int:
        """Take."""
        return taken.n

    def give(n: int) -> Given:
        """Return an object."""
        return Given(n=n)

    options: dict[str, Any] = {"authorize": lambda *_: True} if asks else {}
    taking = Toolset([tool(take, name="take", input=Taken, **options)])
    kind = "invalid_input" if fault is ValueError else "runtime_error"
    assert call_both_ways(taking, "take") == [(kind, "none")] * 2
    giving = Toolset([tool(give, **options)])
    kinds = {outcome[0] for outcome in call_both_ways(giving, "give")}
    assert kinds <= {"runtime_error", "output_invalid"}


@pytest.mark.requirement("handlers-stop-nothing")
@each_fault
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"authorize": lambda *_: True}])
def test_what_a_format_raises_is_an_outcome(
    options: dict[str, Any], fault: type[BaseException]
) -> None:
    async def fail_later(_: Any) -> NoReturn:
        raise fault("raised")

    for write in (raising(fault), fail_later):
        tools = Toolset([double.replace(**options).formatted(write)])
        assert call_both_ways(tools, "double") == [("runtime_error", "unknown")] * 2


def cancel_all() -> None:
    for task in asyncio.all_tasks():
        task.cancel()


def cancel_own() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


@pytest.mark.requirement("handlers-stop-nothing")
@pytest.mark.parametrize("cancel", [cancel_all, cancel_own])
@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"timeout": 60}, {"limit": 1}, {"authorize": lambda *_: True}]
)
def test_a_handler_that_cancels_itself_ends_no_caller_without_a_loop(
    options: dict[str, Any], waits: bool, cancel: Callable[[], None]
) -> None:
    async def give_up(n: int) -> str:
        """Cancel."""
        cancel()
        if waits:
            await asyncio.sleep(0)
        return "done"

    quitter = tool(give_up, **options)
    tools = Toolset([double, quitter, quitter.replace(name="words").formatted(str)])
    calls = [ToolCall("1", "double", {"n": 4}), ToolCall("2", "give_up", {"n": 4})]
    done, ended = tools.call_all_sync(calls)
    assert done.unwrap() == 8
    assert isinstance(ended, Err)
    assert (ended.kind, ended.effect, ended.call_id) == ("runtime_error", "unknown", "2")
    assert "id" in tools.call_sync("words", {"n": 4}).unwrap()
    with pytest.raises(asyncio.CancelledError):
        quitter.execute_sync({"n": 4})


@pytest.mark.requirement("handlers-stop-nothing")
def test_a_handler_that_cancels_its_task_ends_no_call_beside_it() -> None:
    async def give_up(n: int) -> int:
        """Cancel, and wait."""
        cancel_own()
        await asyncio.sleep(0)
        return n

    async def finish(n: int) -> int:
        """Cancel, and return."""
        cancel_own()
        return n

    recorder = Recorder()
    tools = Toolset([double, tool(give_up), tool(finish)], observers=[recorder])
    names = ("give_up", "finish", "double")
    ended, finished, done = asyncio.run(
        tools.call_all([ToolCall(name, name, {"n": 4}) for name in names])
    )
    assert isinstance(ended, Err)
    assert (ended.kind, ended.effect, ended.call_id) == ("runtime_error", "unknown", "give_up")
    assert (finished.unwrap(), done.unwrap()) == (4, 8)
    assert sorted(recorder.kinds) == [("double", "ok"), ("finish", "ok"), ("give_up", "cancelled")]


@pytest.mark.requirement("handlers-stop-nothing")
def test_a_handler_that_cancels_every_task_ends_no_other_callers_call() -> None:
    began = threading.Event()

    @tool
    async def wait(n: int) -> int:
        """Wait for ever."""
        began.set()
        await asyncio.Event().wait()
        return n

    @tool
    async def shut_down(n: int) -> int:
        """Cancel everything else."""
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        return n

    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(wait.call_sync, {"n": 1})
        assert began.wait(30)
        assert shut_down.call_sync({"n": 2}).unwrap() == 2
        outcome = waiting.result(30)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "unknown")


@pytest.mark.requirement("callbacks-never-escape")
def test_a_callback_that_cancels_itself_refuses() -> None:
    async def give_up(*_: Any) -> bool:
        cancel_own()
        return True

    guard = LoopGuard(on_loop=give_up, limit=1)
    guarded = Toolset([double]).call_sync("double", {"n": 4}, guard=guard)
    asked = Toolset([double], authorize=give_up).call_sync("double", {"n": 4})
    kinds = [each.kind for each in (guarded, asked) if isinstance(each, Err)]
    assert kinds == ["loop", "denied"]


@pytest.mark.requirement("handlers-stop-nothing")
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"limit": 1}])
def test_a_caller_that_is_closed_goes_no_further(options: dict[str, Any]) -> None:
    steps: list[str] = []

    async def wait(n: int) -> int:
        """Wait for ever."""
        await asyncio.Event().wait()
        return n

    waiting = tool(wait, **options)

    async def caller() -> None:
        await waiting.call({"n": 1})
        steps.append("went on")

    async def main() -> None:
        running = caller()
        running.send(None)
        await asyncio.sleep(0)
        running.close()

    asyncio.run(main())
    assert "went on" not in steps


@pytest.mark.requirement("handlers-stop-nothing")
def test_a_closed_caller_is_not_told_of_a_denial() -> None:
    steps: list[str] = []

    async def ask(*_: Any) -> bool:
        await asyncio.Event().wait()
        return True

    async def caller() -> None:
        await Toolset([double], authorize=ask).call("double", {"n": 1})
        steps.append("went on")

    async def main() -> None:
        running = caller()
        running.send(None)
        running.close()

    asyncio.run(main())
    assert steps == []


def test_the_calls_of_a_set_end_beside_one_that_exits() -> None:
    @tool
    async def leave(n: int) -> int:
        """Leave."""
        raise GeneratorExit(n)

    calls = [ToolCall("a", "leave", {"n": 1}), ToolCall("b", "double", {"n": 1})]
    outcomes = asyncio.run(Toolset([leave, double]).call_all(calls))
    assert [type(outcome) for outcome in outcomes] == [Err, Ok]


class Masked(type):
    """A class that raises when it is looked at."""

    __eq__ = __hash__ = __repr__ = __instancecheck__ = __subclasscheck__ = raising(LookupError)
    locals()["__name__"] = locals()["__mro__"] = property(raising(LookupError))


class MaskedError(Exception, metaclass=Masked):
    pass


class HollowError(ValueError):
    __eq__ = __hash__ = __bool__ = __len__ = __str__ = __repr__ = raising(LookupError)


class ClosedError(Exception):
    __getattribute__ = raising(LookupError)


class ExitingWords(ToolError):
    def __str__(self) -> str:
        raise GeneratorExit


@pytest.mark.requirement("handlers-stop-nothing")
@pytest.mark.parametrize(
    "kind",
    [MaskedError, HollowError, ClosedError, ExitingWords],
    ids=["class", "object", "attributes", "words"],
)
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"errors": {KeyError: "no"}}])
def test_an_exception_that_raises_when_it_is_looked_at_is_an_outcome(
    options: dict[str, Any], kind: type[Exception]
) -> None:
    async def wait(n: int) -> int:
        """Fail in a loop."""
        raise kind(n)

    def fail(n: int) -> int:
        """Fail."""
        raise kind(n)

    for handler in (wait, fail):
        tools = Toolset([tool(handler, name="fail", **options)])
        assert call_both_ways(tools, "fail") == [("runtime_error", "unknown")] * 2


class Contextless:
    __getattribute__ = raising(SystemExit)


@pytest.mark.requirement("handlers-stop-nothing")
def test_a_context_that_raises_uses_no_approval_up() -> None:
    @tool(requires_approval=True)
    def greet(n: int, *, user: Injected[str]) -> str:
        """Greet."""
        return f"{user} {n}"

    waiting = greet.call_sync({"n": 1})
    assert isinstance(waiting, Err)
    prepared = waiting.prepared
    assert prepared
    refused = prepared.call_sync(context=Contextless())
    assert isinstance(refused, Err)
    assert (refused.kind, refused.effect) == ("runtime_error", "none")
    assert prepared.call_sync(context={"user": "ann"}).text == "ann 1"
