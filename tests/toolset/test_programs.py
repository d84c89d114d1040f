"""Attempts that a program which calls tools may not make: each is recorded, and runs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from toolhaft import CallInfo, Context, Deny, Edit, Injected, Toolset, tool
from toolhaft.call.permission import Approve
from toolhaft.errors import ToolhaftError
from toolhaft.observers.details import CallDetails, CallStarted
from toolhaft.observers.limits import RateLimit
from toolhaft.toolset import programs
from toolhaft.toolset.programs import Dispatcher

pytestmark = pytest.mark.requirement("program-boundary")

RAN: list[Any] = []


@tool
def find(text: str, rows: int = 3, user: Injected[str] = "nobody") -> str:
    """Find a text."""
    RAN.append(text)
    return f"{rows} of {text} for {user}"


@tool(allowed_callers={"direct"})
def refund(order: int) -> str:
    """Refund an order."""
    RAN.append(order)
    return "done"


@tool
def hidden(text: str) -> str:
    """Do what only an administrator may."""
    RAN.append(text)
    return text


@tool(requires_approval=True)
def pay(cents: int) -> str:
    """Pay."""
    RAN.append(cents)
    return f"paid {cents}"


def undecided(_: object) -> NoReturn:
    raise RuntimeError


@tool(requires_approval=undecided)
def lend(cents: int) -> str:
    """Lend."""
    RAN.append(cents)
    return "lent"


@tool(authorize=lambda _, context: context == "admin" or Deny("ask an administrator"))
def restart(text: str) -> str:
    """Restart."""
    RAN.append(text)
    return text


@tool
def whole(text: str, context: Context[str]) -> str:
    """Say who calls."""
    RAN.append(text)
    return context


class Everyone(str):
    """A name that is equal to any other."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class Changing(dict[str, Any]):
    """Arguments that are other ones at each look."""

    def __getitem__(self, key: str) -> Any:
        RAN.append("looked")
        return "changed"

    def items(self) -> Any:
        RAN.append("looked")
        return [("text", "changed")]


class Recorder:
    """Keeps how each call ended."""

    reads_values = False

    def __init__(self) -> None:
        self.ended: list[CallDetails] = []

    def started(self, _: CallStarted, /) -> Callable[[CallDetails], Any]:
        return self.ended.append


def make(**options: Any) -> tuple[Toolset, Recorder]:
    recorder = Recorder()
    presets = find.replace(name="find_tea").transform(hide={"rows": 1})
    shown = Toolset([hidden], visible=lambda _, context: context == "admin")
    tools = [find, refund, pay, lend, restart, whole, presets, *shown]
    return Toolset(tools, observers=[recorder], **options), recorder


deep: Any = {}
for _ in range(500):
    deep = {"text": deep}

ATTEMPTS: dict[str, tuple[Any, Any, str]] = {
    "call what only the model may call": ("refund", {"order": 7}, "denied"),
    "the same with invalid arguments, to learn its schema": ("refund", {"x": 1}, "denied"),
    "by another spelling": ("Refund", {"order": 7}, "unknown_tool"),
    "by a compatibility spelling": ("\uff52efund", {"order": 7}, "unknown_tool"),
    "by a name that equals all": (Everyone("x"), {"order": 7}, "unknown_tool"),
    "call what is hidden": ("hidden", {"text": "a"}, "unknown_tool"),
    "call no tool": (None, {"text": "a"}, "unknown_tool"),
    "call several tools": (["find"], {"text": "a"}, "unknown_tool"),
    "call a method of the toolset": ("call", {"text": "a"}, "unknown_tool"),
    "call a dunder": ("__class__", {}, "unknown_tool"),
    "supply what the program injects": ("find", {"text": "a", "user": "ann"}, "invalid_input"),
    "supply the context": ("whole", {"text": "a", "context": "admin"}, "invalid_input"),
    "supply a hidden value": ("find_tea", {"text": "a", "rows": 9}, "invalid_input"),
    "leave out what is required": ("find", {}, "invalid_input"),
    "send another type": ("find", {"text": ["a"]}, "invalid_input"),
    "send no object": ("find", ["a"], "invalid_input"),
    "send an object of the program": ("find", {"text": object()}, "invalid_input"),
    "send a key twice": ("find", '{"text": "a", "text": "b"}', "invalid_input"),
    "send what is no number": ("find", {"text": "a", "rows": float("nan")}, "invalid_input"),
    "send a text that stops": ("find", '{"text": "a', "truncated"),
    "send bytes that are no text": ("find", b'{"text": "\xff"}', "invalid_input"),
    "send a lone surrogate": ("find", {"text": "\ud800"}, "invalid_input"),
    "send deep data": ("find", deep, "invalid_input"),
    "send more than a call may have": ("find", '{"text": "' + "a" * 2**20 + '"}', "invalid_input"),
    "skip approval": ("pay", {"cents": 1}, "denied"),
    "approve itself": ("pay", {"cents": 1, "approve": True}, "invalid_input"),
    "skip approval that cannot be judged": ("lend", {"cents": 1}, "denied"),
    "skip authorization": ("restart", {"text": "a"}, "denied"),
}  # fmt: skip


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_an_attempt_runs_nothing_and_is_recorded(attempt: str) -> None:
    name, arguments, kind = ATTEMPTS[attempt]
    tools, recorder = make()
    RAN.clear()
    outcome = asyncio.run(tools.dispatcher(context="guest")(name, arguments))
    assert (outcome["kind"], outcome["effect"], RAN) == (kind, "none", [])
    [record] = recorder.ended
    assert (record.kind, record.origin) == (kind, "programmatic")


def test_the_attempts_are_thirty_with_those_on_budgets() -> None:
    assert len(ATTEMPTS) >= 28  # and calls at once, calls after the time


def test_arguments_that_change_at_each_look_are_read_as_what_they_hold() -> None:
    tools, _ = make()
    RAN.clear()
    outcome = asyncio.run(tools.dispatcher()("find", Changing(text="a")))
    assert (outcome.get("value"), RAN) in [("3 of a for nobody", ["a"]), (None, [])]


@pytest.mark.parametrize("name", ["find", "pay", "nothing"])
def test_calls_at_once_do_not_exceed_the_budget(name: str) -> None:
    async def program(dispatch: Dispatcher) -> list[dict[str, Any]]:
        calls = [dispatch(name, {"text": "a"}) for _ in range(20)]
        return [*await asyncio.gather(*calls), await dispatch("find", {"text": "b"})]

    tools, recorder = make()
    RAN.clear()
    outcomes = asyncio.run(program(tools.dispatcher(max_calls=3)))
    spent = [one for one in outcomes if "limit of calls (3)" in one.get("text", "")]
    assert (len(spent), {one["kind"] for one in spent}) == (18, {"denied"})
    assert len(RAN) == (3 if name == "find" else 0)
    assert len(recorder.ended) == 21


def test_after_the_time_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    tools, recorder = make()
    RAN.clear()
    dispatch = tools.dispatcher(max_seconds=5)
    monkeypatch.setattr(programs, "monotonic", lambda: float("inf"))
    outcome = asyncio.run(dispatch("find", {"text": "a"}))
    assert (outcome["kind"], RAN, len(recorder.ended)) == ("denied", [], 1)
    assert outcome["text"] == "This call was not run: the program has reached its limit of time."


@pytest.mark.parametrize("is_stubborn", [False, True])
def test_a_call_that_outlasts_the_time_is_a_timeout(is_stubborn: bool) -> None:
    @tool
    async def wait() -> str:
        """Wait."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not is_stubborn:
                raise
            await asyncio.sleep(0)
        return "late"

    outcome = asyncio.run(Toolset([wait]).dispatcher(max_seconds=0.01)("wait"))
    assert (outcome["kind"], outcome["effect"]) == ("timeout", "unknown")


@pytest.mark.parametrize("seconds", [None, 60])
def test_no_exception_of_a_handler_reaches_the_program(seconds: float | None) -> None:
    @tool
    async def crash(how: str) -> str:
        """Fail."""
        raise asyncio.CancelledError if how == "cancel" else SystemExit("a secret")

    dispatch = Toolset([crash]).dispatcher(max_seconds=seconds)
    for how in "cancel", "exit":
        outcome = asyncio.run(dispatch("crash", {"how": how}))
        assert (outcome["kind"], "secret" in str(outcome)) == ("runtime_error", False)


def test_a_person_is_asked_where_somebody_can_be() -> None:
    def ask(prepared: Any) -> bool:
        asked.append((prepared.origin, dict(prepared.arguments)))
        return True

    asked: list[Any] = []
    ways: list[tuple[Approve | None, Approve | None]] = [(ask, None), (None, ask)]
    for own, given in ways:
        tools, _ = make(approve=own)
        outcome = asyncio.run(tools.dispatcher(approve=given)("pay", {"cents": 5}))
        assert outcome["value"] == "paid 5"
    assert asked == [("programmatic", {"cents": 5})] * 2


def test_a_program_reads_what_a_person_changed_if_the_approver_says_so() -> None:
    tools, _ = make()
    notes: list[Any] = []
    for notify in (True, False):
        edit = Edit({"cents": 1}, notify_model=notify)
        dispatch = tools.dispatcher(approve=lambda _, edit=edit: edit)  # type: ignore[misc]
        outcome = asyncio.run(dispatch("pay", {"cents": 5}))
        notes.append((outcome["value"], outcome.get("note")))
    note = "A person changed these arguments before the call ran: cents."
    assert notes == [("paid 1", note), ("paid 1", None)]


def test_calls_see_the_context_and_who_calls() -> None:
    @tool
    def describe(call: CallInfo, context: Context[str]) -> list[str]:
        """Describe the call."""
        return [call.origin, call.tool, context]

    dispatch = Toolset([describe]).dispatcher(context="ann")
    outcome = asyncio.run(dispatch("describe", "{}"))
    assert outcome["value"] == ["programmatic", "describe", "ann"]


def test_the_whole_result_is_returned_not_the_text_of_the_model() -> None:
    @tool(max_result_chars=100)
    def count() -> list[int]:
        """Count."""
        return [*range(1000)]

    outcome = asyncio.run(Toolset([count]).dispatcher()("count"))
    assert outcome["value"] == [*range(1000)]


def test_limits_of_the_toolset_hold_for_programs() -> None:
    tools = Toolset([find], limiters=[RateLimit(1, seconds=60, clock=lambda: 0.0)])
    dispatch = tools.dispatcher()
    kinds = [asyncio.run(dispatch("find", {"text": "a"}))["kind"] for _ in range(2)]
    assert kinds == ["ok", "overloaded"]


def test_a_tool_that_is_not_parallel_runs_alone_among_calls_at_once() -> None:
    running: list[str] = []
    most: list[int] = []

    async def step(name: str) -> str:
        running.append(name)
        most.append(len(running))
        await asyncio.sleep(0)
        running.remove(name)
        return name

    @tool(parallel=False)
    async def alone() -> str:
        """Run alone."""
        await asyncio.sleep(0)
        assert not running
        return await step("alone")

    @tool
    async def beside() -> str:
        """Run beside others."""
        return await step("beside")

    async def program(dispatch: Dispatcher) -> list[str]:
        calls = [dispatch(name) for name in ("beside", "alone", "beside", "alone")]
        return [outcome["kind"] for outcome in await asyncio.gather(*calls)]

    assert asyncio.run(program(Toolset([alone, beside]).dispatcher())) == ["ok"] * 4
    assert max(most) <= 2


@pytest.mark.parametrize(
    "budget",
    [
        {"max_calls": 0},
        {"max_calls": "3"},
        {"max_seconds": 0},
        {"max_seconds": "3"},
        {"max_seconds": float("nan")},
        {"max_seconds": True},
        {"max_seconds": 10**400},
    ],
)
def test_a_budget_that_allows_nothing_is_an_error(budget: dict[str, Any]) -> None:
    with pytest.raises(ToolhaftError, match=r"^dispatcher: max_"):
        Toolset([find]).dispatcher(**budget)
