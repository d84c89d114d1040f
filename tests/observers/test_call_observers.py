"""Observers are notified of every call, however it ends, and can neither break nor slow one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest

from tests.observers.recording import Recorder, double, fail
from tests.test_import import loaded_by
from toolhaft import Err, Ok, ToolCall, Toolset, tool
from toolhaft.call.loop_guard import LoopGuard
from toolhaft.call.permission import Deny
from toolhaft.errors import ToolhaftError
from toolhaft.observers import call_observers
from toolhaft.observers.details import CallDetails, CallStarted

CALLS = [
    ToolCall("c1", "double", '{"n": "4"}'),
    ToolCall("c2", "double", '{"m": 4}'),
    ToolCall("c3", "dubble", "{}"),
    ToolCall("c4", "fail", {"how": "crash"}),
    ToolCall("c5", "fail", {"how": "words"}),
]
KINDS = [
    ("double", "ok"),
    ("double", "invalid_input"),
    ("dubble", "unknown_tool"),
    ("fail", "runtime_error"),
    ("fail", "tool_error"),
]


class Broken:
    """An observer that raises, at the start or at the end of a call."""

    def __init__(self, *, at_start: bool) -> None:
        self.at_start = at_start

    def started(self, call: CallStarted, /) -> Callable[[CallDetails], object]:
        if self.at_start:
            raise OSError("disk full")
        return self.finished

    def finished(self, done: CallDetails) -> None:
        raise OSError("disk full")


@pytest.mark.requirement("observers-every-call")
def test_observers_see_every_call_once_at_its_start_and_once_at_its_end() -> None:
    seen = Recorder()
    tools = Toolset([double, fail], observers=[seen])
    outcomes = tools.call_all_sync(CALLS)
    assert seen.kinds == KINDS
    assert [(one.tool, one.call_id) for one in seen.starts] == [
        (call.name, call.id) for call in CALLS
    ]
    assert [one.outcome for one in seen.ends] == outcomes
    assert [one.known for one in seen.starts] == [True, True, False, True, True]


@pytest.mark.requirement("observers-every-call")
def test_observers_see_the_same_of_concurrent_and_single_calls() -> None:
    seen = Recorder()
    tools = Toolset([double, fail], observers=[seen])
    asyncio.run(tools.call_all(CALLS))
    assert sorted(seen.kinds) == sorted(KINDS)
    seen.ends.clear()
    assert asyncio.run(tools.call("double", {"n": 1})).unwrap() == 2
    assert tools.call_sync("double", {"n": 1}).unwrap() == 2
    assert tools.call_sync("trouble").text == asyncio.run(tools.call("trouble")).text
    assert seen.kinds == [("double", "ok")] * 2 + [("trouble", "unknown_tool")] * 2


@pytest.mark.requirement("observers-every-call")
def test_observers_see_the_target_and_the_repairs_of_a_call_over_a_wire() -> None:
    @tool
    def count(words: dict[str, int]) -> int:
        """Add up counts."""
        return sum(words.values())

    seen = Recorder()
    wire = Toolset([count], observers=[seen]).export("openai", strict="require")
    sent = [
        ToolCall("c1", "count", '{"words": "[{\\"key\\": \\"a\\", \\"value\\": 1}]"}'),
        ToolCall("c2", "count", "[1]"),
        ToolCall("c3", "cuont", "{}"),
    ]
    outcomes = wire.call_all_sync(sent)
    assert [(one.tool, one.call_id, one.kind) for one in seen.ends] == [
        ("count", "c2", "invalid_input"),
        ("cuont", "c3", "unknown_tool"),
        ("count", "c1", "ok"),
    ]
    assert {one.target for one in seen.ends} == {"openai"}
    assert seen.ends[-1].coercion_rules == ("json_text",)
    assert [outcome.call_id for outcome in outcomes] == ["c1", "c2", "c3"]
    assert [one.rule for one in outcomes[0].coercions] == ["json_text"]


@pytest.mark.requirement("observers-every-call")
def test_a_cancelled_call_ends_for_its_observers() -> None:
    seen, begun = Recorder(), asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()
        return "never"

    async def cancelled() -> None:
        call = asyncio.create_task(Toolset([wait], observers=[seen]).call("wait"))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancelled())
    [done] = seen.ends
    assert (done.kind, done.effect, done.outcome) == ("cancelled", "unknown", None)
    assert (done.issue_codes, done.coercion_rules, done.result_size) == ((), (), 0)


@pytest.mark.requirement("observers-every-call")
def test_a_context_variable_of_an_observer_reaches_the_handlers_thread() -> None:
    span: ContextVar[str] = ContextVar("span", default="none")

    class Spans:
        def started(self, call: CallStarted, /) -> Callable[[CallDetails], object]:
            token = span.set(call.tool)
            return lambda done: span.reset(token)

    @tool
    def which() -> str:
        """Return the current span."""
        return span.get()

    tools = Toolset([which], observers=[Spans()])
    assert asyncio.run(tools.call("which")).unwrap() == "which"
    assert tools.call_sync("which").unwrap() == "which"
    assert span.get() == "none"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"observers": [Recorder]}, "observers: Recorder is a class; pass an instance of it"),
        ({"observers": [print]}, "observers: builtin_function_or_method has no method started; "),
        ({"limiters": [Recorder()]}, "limiters: Recorder has no method admit; give it one"),
    ],
)
def test_an_observer_without_methods_is_rejected_at_once(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ToolhaftError, match=words):
        Toolset([double], **options)


def test_several_observers_end_in_reverse_order() -> None:
    order: list[str] = []

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def started(self, call: CallStarted, /) -> Callable[[CallDetails], object] | None:
            order.append(self.name)
            return (lambda done: order.append(self.name.upper())) if self.name != "b" else None

    tools = Toolset([double], observers=[Named("a"), Named("b"), Named("c")])
    tools.call_sync("double", {"n": 1})
    assert order == ["a", "b", "c", "C", "A"]


@pytest.mark.requirement("observers-free")
def test_without_observers_no_clock_is_read_and_with_them_three_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    # From Python 3.13 on a record of the log reads the same clock.
    monkeypatch.setattr(logging.getLogger("toolhaft"), "disabled", True)

    def clock(name: str) -> Callable[[], int]:
        def now() -> int:
            read.append(name)
            return len(read)

        return now

    monkeypatch.setattr(call_observers, "time_ns", clock("wall"))
    monkeypatch.setattr(call_observers, "perf_counter_ns", clock("steady"))
    monkeypatch.setattr("time.perf_counter_ns", clock("steady"))
    monkeypatch.setattr("time.time_ns", clock("wall"))
    Toolset([double, fail]).call_all_sync(CALLS)
    assert read == []
    seen = Recorder()
    Toolset([double], observers=[seen]).call_sync("double", {"n": 1})
    assert read == ["wall", "steady", "steady"]
    assert (seen.ends[0].started_ns, seen.ends[0].duration_ns) == (1, 1)


@pytest.mark.requirement("observers-free")
def test_without_observers_their_code_is_not_even_loaded() -> None:
    quiet = "from toolhaft import Toolset; Toolset([]).call_sync('no', '{}')"
    watched = "from toolhaft import Toolset; from types import SimpleNamespace as N; "
    watched += "Toolset([], observers=[N(started=print)])"
    assert [name for name in loaded_by(quiet) if "observers" in name] == []
    assert "toolhaft.observers.call_observers" in loaded_by(watched)


@pytest.mark.requirement("observers-harmless")
@pytest.mark.parametrize("at_start", [True, False])
def test_an_observer_that_raises_breaks_no_call_and_is_logged_once(
    at_start: bool, caplog: pytest.LogCaptureFixture
) -> None:
    seen = Recorder()
    tools = Toolset([double], observers=[Broken(at_start=at_start), seen])
    with caplog.at_level(logging.ERROR, logger="toolhaft"):
        assert tools.call_sync("double", {"n": 1}).unwrap() == 2
        assert asyncio.run(tools.call("double", {"n": 2})).unwrap() == 4
    assert seen.kinds == [("double", "ok")] * 2
    [logged] = caplog.records
    assert logged.getMessage().startswith("observer Broken failed, and is not logged again")
    assert logged.exc_info is not None


def test_sets_made_from_a_set_keep_its_observers_and_limiters() -> None:
    class Free:
        def admit(self, call: CallStarted, /) -> Err | None:
            return None

    one, two, free, plain = Recorder(), Recorder(), Free(), Toolset([fail])
    tools = Toolset([double], observers=[one], limiters=[free])
    for made in (tools.select("*"), tools.prefix("my_"), tools + plain):
        assert (made.observers, made.limiters) == ((one,), (free,))
    both = tools + Toolset([fail], observers=[two, one])
    assert (both.observers, both.limiters) == ((one, two), (free,))
    assert (plain + tools).observers == (one,)
    assert (plain.observers, plain.limiters) == ((), ())


def test_a_name_and_an_id_that_were_made_up_are_escaped_and_cut() -> None:
    seen = Recorder()
    name = "x\x1b[8m" + "y" * 500
    Toolset([double], observers=[seen]).call_all_sync([ToolCall("\ud800" + "1" * 500, name)])
    [done] = seen.ends
    assert done.tool.startswith("x\\x1b[8myyy")
    assert len(done.tool) <= 81
    assert done.call_id is not None
    assert done.call_id.startswith("\\ud800111")
    assert len(done.call_id) <= 201


@pytest.mark.requirement("observers-limits")
def test_a_limiter_rejects_a_call_before_validation_and_observers_see_it() -> None:
    seen = Recorder()
    asked: list[tuple[str, str | None]] = []

    class Budget:
        def admit(self, call: CallStarted, /) -> Err | None:
            asked.append((call.tool, call.call_id))
            return call.refusal("denied", "The budget is spent.")

    tools = Toolset([double], observers=[seen], limiters=[Budget(), Budget()])
    outcome = tools.call_all_sync([ToolCall("c1", "double", "no JSON"), ToolCall("c2", "no")])
    assert [(type(one), one.name, one.call_id) for one in outcome] == [
        (Err, "double", "c1"),
        (Err, "no", "c2"),
    ]
    assert (outcome[0].text, outcome[0].coercions) == ("The budget is spent.", ())
    assert asked == [("double", "c1")]  # one refusal is enough, and no tool needs none
    assert seen.kinds == [("double", "denied"), ("no", "unknown_tool")]


@pytest.mark.requirement("observers-limits")
def test_a_limiter_that_raises_lets_nothing_pass(caplog: pytest.LogCaptureFixture) -> None:
    ran: list[int] = []

    class Down:
        def admit(self, call: CallStarted, /) -> Err | None:
            raise ConnectionError("redis://secret@host is down")

    @tool
    def note(n: int) -> None:
        """Note a number."""
        ran.append(n)

    tools = Toolset([note], limiters=[Down()])
    outcome = asyncio.run(tools.call("note", {"n": 1}))
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, ran) == ("runtime_error", "none", [])
    assert outcome.text == (
        f"The call was not run, because of an internal error (id {outcome.error_id})."
    )
    assert str(outcome.error_id) in caplog.text


def test_outcomes_are_the_same_with_and_without_observers() -> None:
    def told(outcome: Ok[Any] | Err) -> tuple[object, ...]:
        err = None if isinstance(outcome, Ok) else (outcome.kind, outcome.issues, outcome.effect)
        return outcome.name, outcome.call_id, outcome.coercions, err

    plain, watched = Toolset([double, fail]), Toolset([double, fail], observers=[Recorder()])
    assert list(map(told, plain.call_all_sync(CALLS))) == list(
        map(told, watched.call_all_sync(CALLS))
    )


@tool(requires_approval=True)
def transfer(amount: int) -> str:
    """Move money."""
    return f"{amount} moved"


@pytest.mark.requirement("observers-every-call")
@pytest.mark.parametrize("sync", [True, False])
def test_observers_see_a_waiting_call_again_when_it_runs(sync: bool) -> None:
    seen = Recorder()
    wire = Toolset([transfer], observers=[seen]).export("openai")
    waiting = wire.call_sync(ToolCall("c1", "transfer", '{"amount": 5}'))
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    edited = waiting.prepared.edited({"amount": 4})
    assert not isinstance(edited, Err)
    assert (edited.call_sync() if sync else asyncio.run(edited.call())).unwrap() == "4 moved"
    assert waiting.prepared.call_sync().text.startswith("This call")
    assert [(one.kind, one.call_id, one.target) for one in seen.ends] == [
        ("approval_required", "c1", "openai"),
        ("ok", "c1", "openai"),
        ("denied", "c1", "openai"),
    ]
    assert [one.arguments for one in seen.ends] == [{"amount": 5}, {"amount": 4}, {"amount": 5}]


@pytest.mark.requirement("observers-every-call")
def test_observers_see_a_resumed_call_and_its_denial() -> None:
    waiting = Toolset([transfer]).call_sync("transfer", {"amount": 5})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    text = waiting.prepared.to_json(key=b"k")
    seen = Recorder()
    tools = Toolset([transfer], observers=[seen])
    assert not tools.resume(text, key=b"another")
    assert not Toolset([double], observers=[seen]).resume(text, key=b"k")
    resumed = tools.resume(text, key=b"k")
    assert not isinstance(resumed, Err)
    assert resumed.call_sync().unwrap() == "5 moved"
    assert seen.kinds == [("", "denied"), ("transfer", "denied"), ("transfer", "ok")]


@pytest.mark.requirement("observers-every-call")
def test_observers_see_a_persons_decision_about_an_answer() -> None:
    seen = Recorder()
    wire = Toolset([transfer], observers=[seen]).export("openai-chat")
    function = {"name": "transfer", "arguments": '{"amount": 5}'}
    calls = [{"id": f"c{n}", "type": "function", "function": function} for n in range(3)]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    answer = wire.answer_sync({"choices": [{"message": message}]})
    seen.ends.clear()
    said: dict[str, bool | Deny] = {"c0": True, "c1": Deny("no")}
    wire.resume_sync(answer.to_json(key=b"k"), said, key=b"k")
    assert [(one.kind, one.call_id, one.target) for one in seen.ends] == [
        ("ok", "c0", "openai-chat"),
        ("denied", "c1", "openai-chat"),
    ]


@pytest.mark.requirement("observers-limits")
def test_a_call_that_a_limit_let_pass_is_not_counted_again_when_it_is_approved() -> None:
    asked: list[str] = []

    class Count:
        def admit(self, call: CallStarted, /) -> Err | None:
            asked.append(call.tool)
            return None

    waiting = Toolset([transfer], limiters=[Count()]).call_sync("transfer", {"amount": 5})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.call_sync().unwrap() == "5 moved"
    assert asked == ["transfer"]


@pytest.mark.requirement("observers-every-call")
def test_observers_see_calls_that_authorisation_or_a_guard_rejects() -> None:
    seen = Recorder()
    tools = Toolset([double], observers=[seen])
    tools.call_sync("double", {"n": 1}, authorize=lambda *_: False)
    guard = LoopGuard()
    tools.call_all_sync([ToolCall(f"c{n}", "double", {"n": 1}) for n in range(3)], guard=guard)
    told = [(one.kind, one.effect, one.call_id) for one in seen.ends]
    assert told[0] == ("denied", "none", None)
    assert sorted(told[1:]) == [
        ("loop", "none", "c2"),
        ("ok", "done", "c0"),
        ("ok", "done", "c1"),
    ]


@pytest.mark.requirement("observers-know-who")
@pytest.mark.parametrize("in_loop", [False, True])
def test_an_observer_knows_who_called_and_who_had_it_run(in_loop: bool) -> None:
    @tool(requires_approval=True)
    def transfer(amount: int) -> int:
        "Move money."
        return amount

    recorder = Recorder()
    tools = Toolset([transfer], observers=[recorder])

    async def ask() -> Any:
        return await tools.call("transfer", {"amount": 1}, context="ann")

    waiting = (
        asyncio.run(ask()) if in_loop else tools.call_sync("transfer", {"amount": 1}, context="ann")
    )
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    waiting.prepared.call_sync(context="bob")
    seen = [(one.kind, one.context, one.approved) for one in recorder.ends]
    assert seen == [("approval_required", "ann", False), ("ok", "bob", True)]
    assert "ann" not in repr(recorder.ends)
    declined = tools.call_sync("transfer", {"amount": 1}, context="ann")
    assert isinstance(declined, Err)
    assert declined.prepared is not None
    declined.prepared.decline_sync("no", context="eve")
    last = recorder.ends[-1]
    assert (last.kind, last.context, last.approved) == ("denied", "eve", True)
    tools.call_sync("trnsfer", context="ann")
    assert recorder.ends[-1].context == "ann"


@pytest.mark.requirement("observers-know-who")
@pytest.mark.parametrize("in_loop", [False, True])
def test_an_observer_knows_who_made_a_refused_call_of_a_wire_and_who_declined(
    in_loop: bool,
) -> None:
    def run(made: Any) -> Any:
        async def awaited() -> Any:
            return await made

        return asyncio.run(awaited()) if asyncio.iscoroutine(made) else made

    recorder = Recorder()
    asking = double.replace(requires_approval=True)
    wire = Toolset([asking], observers=[recorder]).export("anthropic")
    answer_by, resume_by = (
        (wire.answer, wire.resume) if in_loop else (wire.answer_sync, wire.resume_sync)
    )
    blocks = [
        {"type": "tool_use", "id": id_, "name": name, "input": {"n": 4}}
        for id_, name in (("a", "dubble"), ("b", "double"))
    ]
    answer = run(answer_by({"role": "assistant", "content": blocks}, context="ann"))
    run(resume_by(answer.to_json(key="k"), {"b": Deny("no")}, key="k", context="bob"))
    seen = [(end.call_id, end.kind, end.context, end.approved) for end in recorder.ends]
    assert seen == [
        ("a", "unknown_tool", "ann", False),
        ("b", "approval_required", "ann", False),
        ("b", "denied", "bob", True),
    ]
