"""The loop through every official client, over its real wire, against a server with a script."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, nullcontext, suppress
from copy import deepcopy
from typing import Any, NamedTuple

import pytest

from tests.forks import Ask, answering
from tests.servers.approver import KEY
from tests.servers.cases import GOOD, PARALLEL, SUNNY, Case, cases, one
from tests.servers.clients import VENDORS, Vendor, absent, vendors
from tests.servers.loopback import Loopback
from tests.servers.script import Turn
from tests.servers.tools import BEGUN, TOOLS, approve
from toolhaft import Context, Err, LoopGuard, Ok, Toolset, WireError, tool
from toolhaft.agent_loop import Called, Event, Finished, ModelTurn, Streamed, run, run_sync
from toolhaft.errors import ToolhaftError
from toolhaft.testing import ScriptedModel

pytestmark = pytest.mark.usefixtures("known_error_ids")

HELLO, BYE = "How is the weather?", "Sunny, I would say."


class Ran(NamedTuple):
    """The results of a loop: its events, the conversation, and its server."""

    events: list[Event]
    messages: list[Any]
    server: Loopback

    @property
    def called(self) -> list[Called]:
        return [event for event in self.events if isinstance(event, Called)]

    @property
    def told(self) -> list[str]:
        return [event.outcome.text for event in self.called]

    @property
    def kinds(self) -> list[str]:
        outcomes = [event.outcome for event in self.called]
        return [outcome.kind if isinstance(outcome, Err) else "ok" for outcome in outcomes]

    @property
    def finished(self) -> Finished:
        last = self.events[-1]
        assert isinstance(last, Finished)
        return last


def settings(vendor: Vendor) -> dict[str, Any]:
    """Return the parameters of a loop, including each vendor's own."""
    tools = TOOLS.export(vendor.target)
    return {"model": "m-test", "messages": [vendor.said(HELLO)], "tools": tools, **vendor.options}


def begun(vendor: Vendor, client: Any, messages: list[Any], **options: Any) -> Any:
    """Begin a loop over a conversation."""
    given: dict[str, Any] = {**settings(vendor), "messages": messages, **options}
    return run(client, **given)


async def listed(events: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in events]


async def held(vendor: Vendor, url: str, messages: list[Any], **options: Any) -> list[Event]:
    async with vendor.asynchronous(url) as client:
        return await listed(begun(vendor, client, messages, **options))


def ran(vendor: Vendor, *turns: Turn, then: Ran | None = None, **options: Any) -> Ran:
    """Hold a conversation by the script and a last turn of words; the server refuses nothing.

    `then` is the conversation that this one goes on with.
    """
    messages = [*(then.messages if then else ()), vendor.said(HELLO)]
    wire = then.server.wire if then else vendor.wire()

    with Loopback(wire, [*turns, Turn(text=BYE)]) as server:
        events = asyncio.run(held(vendor, server.url, messages, **options))
    assert server.refusals == []
    return Ran(events, messages, server)


def goes_on(vendor: Vendor, left: Ran) -> None:
    """The server takes the conversation as it was left, with one more word from the user."""
    assert ran(vendor, then=left).finished.reason == "done"


@vendors
def test_a_good_call_is_run_and_its_result_sent(vendor: Vendor) -> None:
    found = ran(vendor, GOOD)
    first, called, last, _ = found.events
    assert isinstance(first, ModelTurn)
    assert isinstance(last, ModelTurn)
    assert [(one.id, one.name) for one in first.calls] == [("call_1", "get_weather")]
    assert (first.number, last.number, last.calls) == (1, 2, ())
    assert isinstance(called, Called)
    assert isinstance(called.outcome, Ok)
    assert (called.outcome.call_id, called.outcome.text) == ("call_1", SUNNY)
    assert (found.finished.reason, found.finished.answer.done) == ("done", True)
    assert found.finished.response is last.response
    assert len(found.server.requests) == 2


@pytest.mark.requirement("loop-clients")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@cases
@vendors
def test_whatever_comes_of_a_call_is_answered_once_and_the_model_goes_on(
    vendor: Vendor, case: Case, stream: bool
) -> None:
    found = ran(vendor, *case.turns, approve=approve, guard=LoopGuard(), stream=stream)
    assert (tuple(found.kinds), tuple(found.told)) == (case.kinds, case.told)
    assert found.finished.reason == "done"
    assert len(found.server.requests) == len(case.turns) + 1


@pytest.mark.requirement("loop-clients")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@vendors
def test_a_program_without_a_loop_has_the_same_events_from_a_synchronous_client(
    vendor: Vendor, stream: bool
) -> None:
    with Loopback(vendor.wire(), [GOOD, Turn(text=BYE)]) as server:
        client = vendor.synchronous(server.url)
        events = list(run_sync(client, **settings(vendor), stream=stream))
        client.close()
    assert server.refusals == []
    steps = [type(event) for event in events if not isinstance(event, Streamed)]
    assert steps == [ModelTurn, Called, ModelTurn, Finished]


@pytest.mark.requirement("loop-cancelled")
def test_a_program_without_a_loop_may_leave_in_the_middle_too() -> None:
    messages: list[Any] = []
    events = run_sync(
        ScriptedModel(("crash", {}), sdk=False), model="m", messages=messages, tools=TOOLS
    )
    assert isinstance(next(events), ModelTurn)
    del events
    assert [one["type"] for one in messages] == ["function_call", "function_call_output"]


@pytest.mark.requirement("loop-streams")
@vendors
def test_the_pieces_of_a_stream_are_given_before_the_turn_that_they_make(vendor: Vendor) -> None:
    found = ran(vendor, GOOD, stream=True)
    places = [place for place, one in enumerate(found.events) if isinstance(one, ModelTurn)]
    before = [found.events[: places[0]], found.events[places[0] + 2 : places[1]]]
    assert all(pieces for pieces in before)
    assert all(isinstance(one, Streamed) for pieces in before for one in pieces)


@pytest.mark.requirement("loop-streams")
@vendors
def test_a_stream_that_ends_in_the_middle_runs_nothing_and_can_be_asked_for_again(
    vendor: Vendor,
) -> None:
    messages = [vendor.said(HELLO)]

    stopped = pytest.raises(WireError, match="the stream stopped before the model's turn ended")
    with Loopback(vendor.wire(), [PARALLEL._replace(cut=True)]) as server, stopped:
        asyncio.run(held(vendor, server.url, messages, stream=True))
    assert messages == [vendor.said(HELLO)]
    goes_on(vendor, Ran([], [], server))


@pytest.mark.requirement("loop-streams")
@vendors
def test_a_stream_that_is_left_in_the_middle_leaves_the_conversation_as_it_was(
    vendor: Vendor,
) -> None:
    messages = [vendor.said(HELLO)]

    async def left(url: str) -> None:
        async with vendor.asynchronous(url) as client:
            events = begun(vendor, client, messages, stream=True)
            assert isinstance(await anext(events), Streamed)
            await events.aclose()

    with Loopback(vendor.wire(), [GOOD]) as server:
        asyncio.run(left(server.url))
    assert messages == [vendor.said(HELLO)]


@pytest.mark.requirement("loop-messages")
@vendors
def test_a_conversation_goes_on_with_what_is_said_next(vendor: Vendor) -> None:
    found = ran(vendor, one("get_weather", "call_2", city="Oslo"), then=ran(vendor, GOOD))
    assert (found.kinds, found.finished.reason) == (["ok"], "done")


@pytest.mark.requirement("loop-messages")
def test_a_provider_that_pauses_its_own_work_is_given_its_turn_back() -> None:
    pytest.importorskip("anthropic", reason="anthropic is not installed")
    [vendor] = [one for one in VENDORS if one.target == "anthropic"]
    found = ran(vendor, Turn(text="I am searching.", paused=True))
    assert [type(event) for event in found.events] == [ModelTurn, ModelTurn, Finished]
    assert [one["role"] for one in found.messages] == ["user", "assistant", "assistant"]
    assert ran(vendor, Turn(text="Hm.", paused=True), max_turns=1).finished.reason == "max_turns"


# ------------------------------------------------------------------------------- approval

PAYING = Turn((*one("refund", amount=20).calls, *one("get_weather", "call_2", city="Paris").calls))


def plain(sent: Any) -> Any:
    """An SDK's object in the messages as JSON, as the documentation describes it."""
    return sent.model_dump(mode="json", by_alias=True, exclude_unset=True)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Ask]:
    sdks = {one.sdk for one in VENDORS if not absent(one.sdk)}
    with answering("tests.servers.approver", *sorted(sdks)) as ask:
        yield ask


@pytest.mark.unmeasured
@pytest.mark.requirement("loop-approval")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@vendors
def test_an_approval_may_come_in_another_process(
    vendor: Vendor, stream: bool, elsewhere: Ask
) -> None:
    messages = [vendor.said(HELLO)]
    before = one("get_weather", "call_0", city="Oslo")
    with Loopback(vendor.wire(), [before, PAYING, Turn(text=BYE)]) as server:
        events = asyncio.run(held(vendor, server.url, messages, stream=stream))
        waiting = Ran(events, messages, server)
        assert waiting.kinds == ["ok", "approval_required", "ok"]
        assert waiting.finished.reason == "approval"
        given = {
            "messages": json.loads(json.dumps(messages, default=plain)),
            "answer": waiting.finished.answer.to_json(key=KEY),
            "approved": "call_1",
        }
        text, code = elsewhere(vendor.target, server.url, given)
    said = json.loads(text)
    assert code == 0
    assert server.refusals == []
    assert (said["told"], said["reasons"]) == (["20 EUR were paid back", SUNNY], ["done"])


@pytest.mark.requirement("loop-approval")
@vendors
def test_a_turn_that_nobody_decides_about_can_be_left_out_or_answered(vendor: Vendor) -> None:
    messages = [vendor.said(HELLO)]
    with Loopback(vendor.wire(), [PAYING]) as server:
        waiting = Ran(asyncio.run(held(vendor, server.url, messages)), messages, server)
    goes_on(vendor, waiting)
    cancelled = TOOLS.export(vendor.target).unanswered(waiting.finished.response)
    goes_on(vendor, waiting._replace(messages=[*messages, *cancelled.messages]))


# ------------------------------------------------------------------------------- budgets


@pytest.mark.requirement("loop-budgets")
@vendors
def test_the_last_turn_allowed_is_answered_and_said_to_be_the_last(vendor: Vendor) -> None:
    found = ran(vendor, GOOD, one("get_weather", "call_2", city="Oslo"), max_turns=2)
    assert (found.kinds, found.finished.reason) == (["ok", "ok"], "max_turns")
    goes_on(vendor, found)


@vendors
@pytest.mark.requirement("pain-82")
def test_where_the_turns_run_out_the_last_cause_is_there(vendor: Vendor) -> None:
    wrong = [one("get_weather", f"call_{n}", place=n) for n in (1, 2, 3)]
    found = ran(vendor, *wrong, max_turns=3)
    turns = [event.number for event in found.events if isinstance(event, ModelTurn)]
    assert (turns, found.finished.reason) == ([1, 2, 3], "max_turns")
    [outcome] = found.finished.answer.outcomes
    assert isinstance(outcome, Err)
    assert [str(issue) for issue in outcome.issues] == [
        "city: required",
        "place: unknown",
    ]


@pytest.mark.requirement("loop-budgets")
@vendors
def test_a_turn_with_more_calls_than_are_left_is_answered_and_not_begun(vendor: Vendor) -> None:
    found = ran(vendor, GOOD, PARALLEL, max_calls=3)
    refused = "This call was not run: no more calls are allowed in this conversation."
    assert found.told == [SUNNY, refused, refused, refused]
    outcomes = [one.outcome for one in found.events if isinstance(one, Called)][1:]
    assert {(one.kind, one.effect, one.retryable) for one in outcomes if isinstance(one, Err)} == {
        ("denied", "none", False)
    }
    assert found.finished.reason == "max_calls"
    goes_on(vendor, found)


# ------------------------------------------------------------------------------- cancellation


@pytest.mark.requirement("loop-cancelled")
@vendors
def test_an_outer_cancellation_passes_and_leaves_every_call_answered(vendor: Vendor) -> None:
    messages = [vendor.said(HELLO)]
    waits = Turn((*GOOD.calls, *one("wait", "call_2").calls))

    async def cancelled(url: str) -> None:
        BEGUN.append(asyncio.Event())
        task = asyncio.create_task(held(vendor, url, messages))
        begun = asyncio.create_task(BEGUN[-1].wait())
        await asyncio.wait({begun, task}, return_when=asyncio.FIRST_COMPLETED)
        assert begun.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Loopback(vendor.wire(), [waits]) as server:
        asyncio.run(cancelled(server.url))
    assert len(messages) > 1
    goes_on(vendor, Ran([], messages, server))


@pytest.mark.requirement("loop-cancelled")
def test_a_loop_that_is_left_before_the_calls_ran_leaves_them_answered() -> None:
    messages: list[Any] = []

    async def left() -> None:
        client = ScriptedModel(("crash", {}), sdk=False)
        events = run(client, model="m", messages=messages, tools=TOOLS)
        await anext(events)
        await events.aclose()

    asyncio.run(left())
    assert [one["type"] for one in messages] == ["function_call", "function_call_output"]
    assert "cancelled" in messages[1]["output"]


@pytest.mark.requirement("loop-cancelled")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("at", [Streamed, ModelTurn, Called, Finished])
@pytest.mark.parametrize("has_loop", [False, True])
def test_an_exception_in_the_programs_own_loop_leaves_every_call_answered(
    has_loop: bool, at: type, stream: bool
) -> None:
    messages: list[Any] = []
    client = ScriptedModel([("crash", {}), ("get_weather", {"city": "Oslo"})], BYE, sdk=False)
    asked: dict[str, Any] = {"model": "m", "messages": messages, "tools": TOOLS, "stream": stream}

    async def held() -> None:
        async for event in run(client, **asked):
            assert not isinstance(event, at), "the program's own mistake"

    def held_without_a_loop() -> None:
        for event in run_sync(client, **asked):
            assert not isinstance(event, at), "the program's own mistake"

    raises = pytest.raises(AssertionError, match="own mistake")
    with raises if stream or at is not Streamed else nullcontext():
        asyncio.run(held()) if has_loop else held_without_a_loop()
    answered_once(messages)
    assert len(messages) == {Streamed: 0 if stream else 5, Finished: 5}.get(at, 4)


class Steps(NamedTuple):
    """The runs of tools: how often each call began, and in which step the last one ran."""

    begun: Counter[int]
    ended: Counter[int]


def stepping(steps: Steps) -> Toolset:
    """Tools that wait a few times, side by side, alone, and in turn under a deadline."""

    async def taken(n: int) -> int:
        steps.begun[n] += 1
        for _ in range(3):
            await asyncio.sleep(0)
        steps.ended[n] += 1
        return n

    @tool
    async def beside(n: int) -> int:
        "Run beside others."
        return await taken(n)

    @tool(parallel=False)
    async def alone(n: int) -> int:
        "Run alone."
        return await taken(n)

    @tool(timeout=60, limit=1)
    async def in_turn(n: int) -> int:
        "Run in turn."
        return await taken(n)

    return Toolset([beside, alone, in_turn])


CALLS: Any = (
    [("beside", {"n": 1}), ("alone", {"n": 2}), ("beside", {"n": 3}), ("in_turn", {"n": 4})],
    [("in_turn", {"n": 5}), ("in_turn", {"n": 6}), ("nobody", {}), ("beside", {"n": "x"})],
    BYE,
)


def answered_once(messages: list[Any]) -> None:
    """Every call is answered once, right after its turn, in its order."""
    calls = [one["call_id"] for one in messages if one.get("type") == "function_call"]
    results = [one["call_id"] for one in messages if one.get("type") == "function_call_output"]
    assert calls == results
    assert len(set(calls)) == len(calls)
    turns = [one.get("type") == "function_call_output" for one in messages]
    assert messages[-1:] == [] or turns[-1] or messages[-1].get("type") == "message"


async def cut_off(after: int, *, streamed: bool) -> bool:
    """Cancel a conversation after so many steps of the loop; False where it had ended."""
    steps, messages = Steps(Counter(), Counter()), list[Any]()
    client = ScriptedModel(*CALLS, sdk=False)
    options: dict[str, Any] = {"tools": stepping(steps), "stream": streamed}

    async def held() -> None:
        async with aclosing(run(client, model="m", messages=messages, **options)) as events:
            async for _ in events:
                await asyncio.sleep(0)

    task = asyncio.create_task(held())
    for _ in range(after):
        await asyncio.sleep(0)
    cut = not task.done() and task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    answered_once(messages)
    left = deepcopy((steps, messages))
    for _ in range(9):
        await asyncio.sleep(0)
    assert (steps, messages) == left
    assert not steps.begun or max(steps.begun.values()) == 1
    return cut


@pytest.mark.requirement("loop-cancelled")
@pytest.mark.parametrize("streamed", [False, True])
def test_a_loop_that_is_cancelled_at_any_step_runs_nothing_twice_and_answers_every_call(
    streamed: bool,
) -> None:
    steps = 0
    while asyncio.run(cut_off(steps, streamed=streamed)):
        steps += 1
    assert steps > 30


@pytest.mark.requirement("loop-cancelled")
def test_a_person_at_the_keyboard_ends_the_loop_and_its_calls_are_answered(
    interruptible: None,
) -> None:
    here = threading.get_ident()

    @tool
    async def interrupted() -> None:
        "Be interrupted, and take a while to stop."
        signal.pthread_kill(here, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(100):
                await asyncio.sleep(0)

    messages: list[Any] = []
    client = ScriptedModel(("interrupted", {}), sdk=False)
    with pytest.raises(KeyboardInterrupt):
        list(run_sync(client, model="m", messages=messages, tools=Toolset([interrupted])))
    assert [one["type"] for one in messages] == ["function_call", "function_call_output"]


# ------------------------------------------------------------------------------- what it is given


def test_the_context_reaches_the_tools() -> None:
    seen: list[Any] = []

    def note(context: Context[Any]) -> None:
        """Take a note."""
        seen.append(context)

    client, who = ScriptedModel(("note", {}), BYE), object()
    list(run_sync(client, model="m", messages=[], tools=Toolset([note]), context=who))
    assert seen == [who]


@pytest.mark.requirement("loop-budgets")
def test_a_loop_without_a_turn_is_a_mistake() -> None:
    events = run_sync(ScriptedModel(), model="m", messages=[], tools=TOOLS, max_turns=0)
    with pytest.raises(ToolhaftError, match="max_turns: less than 1"):
        next(events)


def test_a_response_that_cannot_be_read_is_an_error_and_no_part_of_the_conversation() -> None:
    messages: list[Any] = []

    async def answer(**request: Any) -> Any:
        return {"output": [{"type": "function_call", "call_id": "call_1"}]}

    events = run_sync(answer, model="m", messages=messages, tools=TOOLS.export("openai"))
    with pytest.raises(WireError, match=r"output\[0\].name: missing"):
        next(events)
    assert messages == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"messages": "hello"}, "messages: not a list; pass one, which grows"),
        ({"tools": []}, r"tools: not a toolset; pass Toolset\(\[\.\.\.\]\), or its export"),
    ],
)
def test_what_the_loop_cannot_go_on_with_is_a_mistake(given: Any, words: str) -> None:
    events = run_sync(ScriptedModel(), **{"model": "m", "messages": [], "tools": TOOLS} | given)
    with pytest.raises(ToolhaftError, match=words):
        next(events)
