"""A turn in which calls wait for a person: pending, written down, decided, and resumed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from toolhaft import Deny, Err, Ok, Prepared, Toolset, tool
from toolhaft.call import feedback
from toolhaft.errors import ToolDenied, ToolhaftError
from toolhaft.observers.details import CallDetails, CallStarted
from toolhaft.toolset.answers import Answer

KEY = "k" * 32
ran: list[Any] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def add(a: int, b: int) -> int:
    """Add two numbers."""
    ran.append((a, b))
    return a + b


def pay(amount: int, currency: str = "EUR") -> dict[str, int]:
    """Pay somebody."""
    ran.append(amount)
    return {currency: amount}


def crash() -> str:
    """Crash."""
    ran.append("crash")
    raise RuntimeError("secret")


look = tool(crash, name="look", annotations={"readOnlyHint": True})


def tools(**options: Any) -> Toolset:
    return Toolset([add, crash, look, tool(pay, requires_approval=True)], **options)


def response(*calls: tuple[str, str, Any]) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
    return {"id": "msg_1", "role": "assistant", "content": blocks, "stop_reason": "tool_use"}


MIXED = response(
    ("c1", "add", {"a": 1, "b": "2"}),
    ("c2", "pay", {"amount": "20"}),
    ("c3", "add", {"a": "x"}),
    ("c4", "pay", {"amount": 30}),
    ("c5", "crash", {}),
    ("c6", "pray", {}),
)

Door = Callable[..., Answer]


def answer_sync(wire: Any, *args: Any, **options: Any) -> Answer:
    found: Answer = wire.answer_sync(*args, **options)
    return found


def answer_later(wire: Any, *args: Any, **options: Any) -> Answer:
    found: Answer = asyncio.run(wire.answer(*args, **options))
    return found


def resume_sync(wire: Any, *args: Any, **options: Any) -> Answer:
    found: Answer = wire.resume_sync(*args, **options)
    return found


def resume_later(wire: Any, *args: Any, **options: Any) -> Answer:
    found: Answer = asyncio.run(wire.resume(*args, **options))
    return found


ANSWER = pytest.mark.parametrize("door", [answer_sync, answer_later])
RESUME = pytest.mark.parametrize("door", [resume_sync, resume_later])


def kinds(answer: Answer) -> list[str]:
    return [one.kind if isinstance(one, Err) else "ok" for one in answer.outcomes]


@ANSWER
@pytest.mark.requirement("answer-pending")
def test_calls_that_wait_are_pending_and_the_turn_cannot_be_sent(door: Door) -> None:
    answer = door(tools().export("anthropic"), MIXED)
    waits = [(one.call_id, one.name, dict(one.arguments)) for one in answer.pending]
    assert waits == [
        ("c2", "pay", {"amount": 20, "currency": "EUR"}),
        ("c4", "pay", {"amount": 30, "currency": "EUR"}),
    ]
    assert kinds(answer) == [
        "ok",
        "approval_required",
        "invalid_input",
        "approval_required",
        "runtime_error",
        "unknown_tool",
    ]
    assert not answer.done
    for name in ("messages", "results"):
        with pytest.raises(ToolhaftError, match=r"calls wait for a person \(2\)"):
            getattr(answer, name)


@RESUME
@pytest.mark.requirement("answer-resume")
def test_a_later_request_goes_on_without_running_again_what_has_run(door: Door) -> None:
    before = tools().export("anthropic").answer_sync(MIXED)
    text = before.to_json(key=KEY)
    assert ran == [(1, 2), "crash"]
    ran.clear()
    wire = tools().export("anthropic")
    answer = door(wire, text, {"c2": True, "c4": Deny("too much")}, key=KEY)
    assert ran == [20]
    assert answer.pending == []
    assert [one.call_id for one in answer.outcomes] == ["c1", "c2", "c3", "c4", "c5", "c6"]
    turn, reply = answer.messages
    assert turn == {"role": "assistant", "content": MIXED["content"]}
    told = {one["tool_use_id"]: (one["content"], one["is_error"]) for one in reply["content"]}
    assert list(told) == ["c1", "c2", "c3", "c4", "c5", "c6"]
    assert told["c1"] == ("3", False)
    assert told["c2"] == ('{"EUR":20}', False)
    assert told["c4"] == (feedback.describe_decline("too much"), True)
    for place in (0, 2, 4, 5):
        old, new = before.outcomes[place], answer.outcomes[place]
        assert facts(new) == facts(old)


def facts(outcome: Ok[Any] | Err) -> Any:
    common = outcome.name, outcome.call_id, outcome.text, outcome.coercions, outcome.content
    if isinstance(outcome, Ok):
        return *common, outcome.json, outcome.unwrap(), outcome.arguments
    issues = [(one.path, one.code, one.message, one.expected) for one in outcome.issues]
    return *common, outcome.kind, outcome.effect, outcome.error_id, outcome.retryable, issues


@RESUME
@pytest.mark.requirement("answer-resume")
def test_what_failed_may_be_repeated_later_as_before(door: Door) -> None:
    calls = response(("c1", "look", {}), ("c2", "crash", {}), ("c3", "pay", {"amount": 1}))
    text = tools().export("anthropic").answer_sync(calls).to_json()
    answer = door(tools().export("anthropic"), text, {"c3": True})
    retryable = [one.retryable for one in answer.outcomes if isinstance(one, Err)]
    assert retryable == [True, False]


@RESUME
@pytest.mark.requirement("answer-resume")
def test_a_call_without_a_decision_goes_on_waiting(door: Door) -> None:
    wire = tools().export("anthropic")
    first = door(wire, wire.answer_sync(MIXED).to_json(key=KEY), {"c4": True}, key=KEY)
    assert [one.call_id for one in first.pending] == ["c2"]
    with pytest.raises(ToolhaftError, match=r"wait for a person \(1\)"):
        _ = first.messages
    second = door(wire, first.to_json(key=KEY), {"c2": False}, key=KEY)
    assert kinds(second)[:4] == ["ok", "denied", "invalid_input", "ok"]
    assert second.outcomes[1].text == feedback.describe_decline("")
    assert ran == [(1, 2), "crash", 30]
    assert len(second.messages) == 2


@RESUME
@pytest.mark.requirement("answer-resume")
def test_a_decision_that_cannot_be_carried_out_is_an_error_before_anything_runs(
    door: Door,
) -> None:
    wire = tools().export("anthropic")
    text = wire.answer_sync(MIXED).to_json(key=KEY)
    ran.clear()
    for decisions in ({"c2": True, "c1": True}, {"c2": True, "other": Deny("x")}):
        with pytest.raises(ToolhaftError, match="about a call that does not wait"):
            door(wire, text, decisions, key=KEY)
    for wrong in (None, 1, "yes"):
        with pytest.raises(ToolhaftError, match="neither yes nor no"):
            door(wire, text, {"c2": True, "c4": wrong}, key=KEY)
    assert ran == []


@RESUME
@pytest.mark.requirement("answer-once")
def test_what_was_decided_once_is_not_decided_again(door: Door) -> None:
    wire = tools().export("anthropic")
    text = wire.answer_sync(MIXED).to_json(key=KEY)
    door(wire, text, {"c2": True, "c4": Deny("no")}, key=KEY)
    ran.clear()
    again = door(wire, text, {"c2": True, "c4": True}, key=KEY)
    assert [kinds(again)[place] for place in (1, 3)] == ["denied", "denied"]
    assert {again.outcomes[1].text, again.outcomes[3].text} == {feedback.SPENT}
    assert ran == []


@RESUME
@pytest.mark.requirement("answer-sealed")
def test_a_changed_text_another_key_and_another_target_are_refused_whole(door: Door) -> None:
    wire = tools().export("anthropic")
    text = wire.answer_sync(MIXED).to_json(key=KEY)
    open_text = wire.answer_sync(MIXED).to_json()
    ran.clear()
    refused: list[tuple[Any, Any, str]] = [
        (text.replace('"amount":30', '"amount":99'), KEY, "seal does not fit"),
        (text, "another", "seal does not fit"),
        (text, None, "no key was given"),
        (open_text, KEY, "has no seal"),
        ("{}", KEY, "holds no answer"),
        ("nonsense", KEY, "not JSON"),
        (open_text.replace('"result"', '"resold"'), None, "not hold a whole answer"),
        (open_text.replace('"calls":[{', '"calls":[1,{'), None, "not hold a whole answer"),
    ]
    for changed, key, reason in refused:
        with pytest.raises(ToolDenied, match=reason) as caught:
            door(wire, changed, {"c2": True}, key=key)
        assert caught.value.effect == "none"
    with pytest.raises(ToolDenied, match="another target"):
        door(tools().export("openai"), text, {"c2": True}, key=KEY)
    assert ran == []


def entry(data: Any, *steps: Any) -> Any:
    for step in steps:
        data = data[step]
    return data


PLACES: list[tuple[Any, ...]] = [
    ("target",),
    ("reply_to",),
    ("turn",),
    ("calls",),
    ("calls", 0),
    ("calls", 1, "waiting"),
    ("calls", 1, "waiting", "call_id"),
    *[("calls", 0, name) for name in ("name", "text", "coercions", "json", "call_id", "result")],
    ("calls", 0, "arguments"),
    *[("calls", 2, name) for name in ("kind", "issues", "effect", "error_id", "retryable")],
    ("calls", 2, "issues", 0),
    *[("calls", 2, "issues", 0, name) for name in ("path", "message", "code", "expected")],
]
VALUES: list[Any] = [
    *(None, 5, 1.5, "text", [], {}, [[]], [1, 2], {"toolhaft:bytes": "?"}, True, ["", {}]),
    *([["", "ignored"]], [[[], "ignored"]], [[["n"], {}]], [[["n"], "\x1b[8m"]]),
]


@pytest.mark.requirement("answer-sealed")
@pytest.mark.parametrize("place", PLACES, ids=lambda one: ".".join(map(str, one)))
def test_whatever_stands_in_an_open_text_it_is_an_answer_or_one_error(
    place: tuple[Any, ...],
) -> None:
    wire = tools().export("anthropic")
    text = wire.answer_sync(MIXED).to_json()
    for value in VALUES:
        data = json.loads(text)
        entry(data, *place[:-1])[place[-1]] = value
        with suppress(ToolDenied):
            answer = wire.resume_sync(json.dumps(data), {})
            assert len(answer.outcomes) <= 6
            for outcome in answer.outcomes:
                assert isinstance(outcome.text, str)
                assert isinstance(outcome.content, str)
                assert "\x1b" not in outcome.text + repr(outcome)
                if isinstance(outcome, Ok):
                    assert isinstance(outcome.arguments, Mapping)
                else:
                    assert {type(outcome.kind), type(outcome.error_id)} <= {str, type(None)}
            assert repr(answer)


@RESUME
@pytest.mark.requirement("pain-17")
def test_a_call_whose_tool_is_another_one_now_is_denied_and_the_others_go_on(door: Door) -> None:
    text = tools().export("anthropic").answer_sync(MIXED).to_json(key=KEY)
    ran.clear()

    def other(amount: int, currency: str = "USD") -> dict[str, int]:
        """Pay somebody."""
        return pay(amount, currency)

    changed = Toolset([add, crash, tool(other, name="pay", requires_approval=True)])
    answer = door(changed.export("anthropic"), text, {"c2": True}, key=KEY)
    assert kinds(answer)[1] == "denied"
    assert "have changed since" in answer.outcomes[1].text
    gone = Toolset([add]).export("anthropic")
    answer = door(gone, text, {"c2": True, "c4": True}, key=KEY)
    assert [one.call_id for one in answer.outcomes] == ["c1", "c2", "c3", "c4", "c5", "c6"]
    assert "its tool no longer exists" in answer.outcomes[3].text
    assert len(answer.results) == 6
    assert ran == []


@RESUME
def test_the_program_authorises_again_with_the_later_context(door: Door) -> None:
    asked: list[Any] = []

    def may(arguments: Any, context: Any) -> bool:
        asked.append((context, dict(arguments)))
        return bool(context != "revoked")

    wire = tools(authorize=may).export("anthropic")
    calls = response(("c1", "pay", {"amount": 1}), ("c2", "pay", {"amount": 2}))
    text = wire.answer_sync(calls, context="before").to_json(key=KEY)
    denied = door(wire, text, {"c1": True}, key=KEY, context="revoked")
    assert kinds(denied) == ["denied", "approval_required"]
    done = door(wire, text, {"c1": True, "c2": True}, key=KEY, context="later")
    assert kinds(done) == ["ok", "ok"]
    assert [one[0] for one in asked] == ["before", "before", "revoked", "later", "later"]
    assert "before" not in text
    again = tools().export("anthropic")
    text = again.answer_sync(calls, context="before").to_json(key=KEY)
    denied = door(again, text, {"c1": True}, key=KEY, context="revoked", authorize=may)
    assert kinds(denied) == ["denied", "approval_required"]


@ANSWER
@pytest.mark.requirement("approval-asked")
def test_answer_asks_whoever_it_is_given(door: Door) -> None:
    wire = tools().export("anthropic")
    answer = door(wire, MIXED, approve=lambda one: one.arguments["amount"] < 25)
    assert [kinds(answer)[place] for place in (1, 3)] == ["ok", "denied"]
    answer = door(wire, MIXED, authorize=lambda arguments, context: False)
    assert kinds(answer)[:3] == ["denied", "denied", "invalid_input"]
    assert kinds(door(wire, MIXED))[1] == "approval_required"


def test_one_call_of_an_export_asks_too() -> None:
    wire = tools().export("anthropic")
    [_, call, *_] = wire.calls(MIXED)
    assert wire.call_sync(call, approve=lambda _: True).unwrap() == {"EUR": 20}
    assert asyncio.run(wire.call(call, approve=lambda _: False)).text == feedback.DENIED


# ----------------------------------------------------------------------- every wire, every SDK


def scripted(target: str) -> Any:
    """A response of each target with one call that waits and one that does not."""
    from toolhaft.testing import ScriptedModel

    model = ScriptedModel(
        [("pay", {"amount": 5}), ("add", {"a": 1, "b": 1})], target=target, sdk=False
    )
    return asyncio.run(model(messages=[]))


SCRIPTED = ("openai", "openai-chat", "anthropic", "gemini")


@RESUME
@pytest.mark.requirement("answer-resume")
@pytest.mark.parametrize("target", SCRIPTED)
def test_every_wire_is_answered_as_if_nobody_had_waited(target: str, door: Door) -> None:
    said = scripted(target)
    at_once = tools().export(target).answer_sync(said, approve=lambda _: True)
    wire = tools().export(target)
    waiting = wire.answer_sync(said)
    decisions = {one.call_id: True for one in waiting.pending}
    assert len(decisions) == 1
    later = door(wire, waiting.to_json(key=KEY), decisions, key=KEY)
    assert later.results == at_once.results
    assert json.loads(json.dumps(later.messages)) == json.loads(json.dumps(at_once.messages))


@RESUME
def test_a_request_of_mcp_is_answered_under_its_id(door: Door) -> None:
    params = {"name": "pay", "arguments": {"amount": 5}}
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    wire = tools().export("mcp-2025-11-25")
    text = wire.answer_sync(request).to_json()
    [reply] = door(wire, text, dict.fromkeys(pending_ids(wire, request), True)).messages
    assert (reply["id"], reply["result"]["isError"]) == (7, False)


def pending_ids(wire: Any, request: Any) -> list[str | None]:
    return [one.call_id for one in wire.answer_sync(request).pending]


class Kind(Enum):
    """A word as an SDK may have it."""

    THINKING = "thinking"


class Block(BaseModel):
    """A part of a turn as an SDK has it."""

    type: str | Kind
    id: str | None = None
    name: str | None = None
    input: Any = None
    signature: bytes | None = None


class Message(BaseModel):
    role: str
    content: list[Block]


def test_a_turn_of_an_sdk_comes_back_as_it_would_have_been_sent() -> None:
    thought = Block(type=Kind.THINKING, signature=b"\xff\x00signed")
    call = Block(type="tool_use", id="c1", name="pay", input={"amount": 1})
    wire = tools().export("anthropic")
    text = wire.answer_sync(Message(role="assistant", content=[thought, call])).to_json(key=KEY)
    turn, _ = wire.resume_sync(text, {"c1": True}, key=KEY).messages
    assert turn["content"] == [
        {"type": "thinking", "signature": b"\xff\x00signed"},
        {"type": "tool_use", "id": "c1", "name": "pay", "input": {"amount": 1}},
    ]


def test_what_gemini_signed_comes_back_byte_for_byte() -> None:
    types: Any = pytest.importorskip("google.genai.types", reason="google-genai is not installed")

    call = types.FunctionCall(id="c1", name="pay", args={"amount": 1})
    part = types.Part(function_call=call, thought_signature=b"\xff\x00signed")
    turn = types.Content(role="model", parts=[part])
    wire = tools().export("gemini")
    said = types.GenerateContentResponse(candidates=[types.Candidate(content=turn)])
    text = wire.answer_sync(said).to_json(key=KEY)
    again, _ = wire.resume_sync(text, {"c1": True}, key=KEY).messages
    assert types.Content.model_validate(again) == turn


def test_a_turn_that_is_no_json_cannot_be_written() -> None:
    calls = response(("c1", "pay", {"amount": 1}))
    calls["content"].append({"type": "text", "of": object()})
    with pytest.raises(ToolhaftError, match=r"anthropic: to_json: .* holds a object"):
        tools().export("anthropic").answer_sync(calls).to_json()


def test_the_lens_is_not_lost_while_a_call_waits() -> None:
    @tool(requires_approval=True)
    def label(names: dict[str, int], n: int = 3) -> dict[str, int]:
        "Label."
        return {**names, "n": n}

    wire = Toolset([label]).export("openai", strict="require")
    pairs = [{"key": "a", "value": "1"}]
    item = {
        "type": "function_call",
        "call_id": "c1",
        "name": "label",
        "arguments": json.dumps({"names": pairs, "n": None}),
    }
    waiting = wire.answer_sync({"output": [item]})
    [prepared] = waiting.pending
    assert dict(prepared.arguments) == {"names": {"a": 1}, "n": 3}
    assert [(one.path, one.rule) for one in prepared.coercions] == [(("names", "a"), "number_text")]
    done = wire.resume_sync(waiting.to_json(key=KEY), {"c1": True}, key=KEY)
    [outcome] = done.outcomes
    assert outcome.unwrap() == {"a": 1, "n": 3}
    assert outcome.coercions == prepared.coercions


# --------------------------------------------------------------------------------- observers


class Log:
    """Remembers how each call ended."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str | None, str | None, str]] = []

    def started(self, call: CallStarted) -> Any:
        return self.finished

    def finished(self, done: CallDetails) -> None:
        assert done.outcome is not None
        kind = done.outcome.kind if isinstance(done.outcome, Err) else "ok"
        self.lines.append((done.tool, done.call_id, done.target, kind))


@RESUME
@pytest.mark.requirement("approval-observed")
def test_whoever_watches_a_toolset_sees_an_approved_call_run(door: Door) -> None:
    log = Log()
    wire = tools(observers=[log]).export("anthropic")
    waiting = wire.answer_sync(response(("c1", "pay", {"amount": 1})))
    door(wire, waiting.to_json(key=KEY), {"c1": True}, key=KEY)
    again = wire.answer_sync(response(("c2", "pay", {"amount": 2}))).pending[0]
    edited = again.edited({"amount": 3})
    assert isinstance(edited, Prepared)
    asyncio.run(edited.call())
    assert log.lines == [
        ("pay", "c1", "anthropic", "approval_required"),
        ("pay", "c1", "anthropic", "ok"),
        ("pay", "c2", "anthropic", "approval_required"),
        ("pay", "c2", "anthropic", "ok"),
    ]
    assert ran == [1, 3]


# ---------------------------------------------------------------------------- another process

PROGRAM = """
import json, sys
from toolhaft import Deny, Err, Toolset, tool

ran = []

def add(a: int, b: int) -> int:
    "Add two numbers."
    ran.append("add")
    return a + b

@tool(requires_approval=True)
def pay(amount: int, currency: str = "EUR") -> dict[str, int]:
    "Pay somebody."
    ran.append(amount)
    return {currency: amount}

wire = Toolset([add, pay]).export("anthropic")
order = json.load(sys.stdin)
if "response" in order:
    print(wire.answer_sync(order["response"]).to_json(key=order["key"]))
else:
    made = {i: Deny(d) if isinstance(d, str) else d for i, d in order["decisions"].items()}
    answer = wire.resume_sync(order["text"], made, key=order["key"])
    kinds = [one.kind if isinstance(one, Err) else "ok" for one in answer.outcomes]
    print(json.dumps({"ran": ran, "kinds": kinds, "messages": answer.messages}))
"""


def child(order: dict[str, Any]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.mark.requirement("answer-resume")
def test_one_process_asks_and_another_goes_on() -> None:
    calls = [("c1", "pay", {"amount": "20"}), ("c2", "add", {"a": 1, "b": 2})]
    said = response(*calls, ("c3", "pay", {"amount": 1}))
    text = child({"response": said, "key": KEY})
    order = {"text": text, "key": KEY, "decisions": {"c1": True, "c3": "no"}}
    went_on = json.loads(child(order))
    assert went_on["ran"] == [20]
    assert went_on["kinds"] == ["ok", "ok", "denied"]
    results = went_on["messages"][1]["content"]
    assert [one["content"] for one in results] == [
        '{"EUR":20}',
        "3",
        feedback.describe_decline("no"),
    ]
