"""Callers of a call in every form, true and forged, in the classes of both SDKs.

`FORMS` has each as the SDK gives it, and what openai-agents 0.24 does with such a call (measured by
`tests/frameworks/test_callers.py`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.installed import sdk
from toolhaft import CallInfo, Err, Export, Ok, Toolset, tool
from toolhaft.definition.call_info import Origin
from toolhaft.observers.details import CallDetails

if TYPE_CHECKING:
    from anthropic import types as anthropic
    from openai.types import responses
else:
    anthropic, responses = sdk("anthropic.types"), sdk("openai.types.responses")

pytestmark = pytest.mark.requirement("allowed-callers")

ABSENT = object()
PROGRAM = {"type": "program", "caller_id": "prog_1"}
CODE = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
OPENAI: dict[str, tuple[Any, str]] = {
    "absent": (ABSENT, "direct"),
    "null": (None, "direct"),
    "direct": ({"type": "direct"}, "direct"),
    "program": (PROGRAM, "programmatic"),
    "program without an id": ({"type": "program"}, "unknown"),
    "program with an empty id": ({"type": "program", "caller_id": ""}, "unknown"),
    "program with a number for its id": ({"type": "program", "caller_id": 5}, "unknown"),
    "the caller of another provider": (CODE, "unknown"),
    "in capitals": ({"type": "Direct"}, "unknown"),
    "of an unknown type": ({"type": "workflow", "caller_id": "w_1"}, "unknown"),
    "of a type that is no text": ({"type": ["direct"]}, "unknown"),
    "without a type": ({}, "unknown"),
    "text": ("direct", "unknown"),
    "a list": ([PROGRAM], "unknown"),
    "a number": (0, "unknown"),
    "a boolean": (False, "unknown"),
}
ANTHROPIC: dict[str, tuple[Any, str]] = {
    "absent": (ABSENT, "direct"),
    "null": (None, "direct"),
    "direct": ({"type": "direct"}, "direct"),
    "code of 2025": ({"type": "code_execution_20250825", "tool_id": "s_1"}, "programmatic"),
    "code of 2026": (CODE, "programmatic"),
    "code of a later version": ({**CODE, "type": "code_execution_20270101"}, "programmatic"),
    "code without an id": ({"type": "code_execution_20260120"}, "unknown"),
    "code with a number for its id": ({**CODE, "tool_id": 5}, "unknown"),
    "code without a version": ({**CODE, "type": "code_execution"}, "unknown"),
    "code with more behind it": ({**CODE, "type": "code_execution_20260120\n"}, "unknown"),
    "the caller of another provider": (PROGRAM, "unknown"),
    "of an unknown type": ({"type": "bash_20250124", "tool_id": "s_1"}, "unknown"),
    "without a type": ({"tool_id": "s_1"}, "unknown"),
    "text": ("direct", "unknown"),
    "a list": ([CODE], "unknown"),
    "a number": (1, "unknown"),
}


class Wire(NamedTuple):
    """How a provider writes a call of a caller, and where its result stands."""

    target: Any
    respond: Callable[..., Any]
    forms: dict[str, tuple[Any, str]]


def with_caller(fields: dict[str, Any], caller: Any) -> dict[str, Any]:
    return fields if caller is ABSENT else {**fields, "caller": caller}


def openai_response(caller: Any, arguments: str = '{"n": 1}') -> Any:
    call = {"type": "function_call", "call_id": "c1", "name": "act", "arguments": arguments}
    item = responses.ResponseFunctionToolCall.construct(**with_caller(call, caller))
    return responses.Response.construct(id="resp_1", output=[item])


def anthropic_response(caller: Any, arguments: str = '{"n": 1}') -> Any:
    call = {"type": "tool_use", "id": "c1", "name": "act", "input": json.loads(arguments)}
    block = anthropic.ToolUseBlock.construct(**with_caller(call, caller))
    return anthropic.Message.construct(role="assistant", content=[block], stop_reason="tool_use")


WIRES = {
    "openai": Wire("openai", openai_response, OPENAI),
    "anthropic": Wire("anthropic", anthropic_response, ANTHROPIC),
}
ALLOWED: dict[str, Collection[Origin] | None] = {
    "unsaid": None,
    "direct": {"direct"},
    "programmatic": {"programmatic"},
    "both": {"direct", "programmatic"},
}
CASES = [
    pytest.param(wire, form, origin, allowed, id=f"{name}, {title}, {rule}")
    for name, wire in WIRES.items()
    for title, (form, origin) in wire.forms.items()
    for rule, allowed in ALLOWED.items()
]


class Told:
    """An observer that records calls."""

    def __init__(self) -> None:
        self.done: list[CallDetails] = []

    def started(self, _: Any) -> Callable[[CallDetails], None]:
        return self.done.append


def acting(
    allowed: Collection[Origin] | None, target: Any, *, requires_approval: bool = False
) -> tuple[Export, list[CallInfo], Told]:
    ran: list[CallInfo] = []

    @tool(allowed_callers=allowed, requires_approval=requires_approval)
    def act(n: int, call: CallInfo) -> str:
        """Act."""
        ran.append(call)
        return "acted"

    told = Told()
    return Toolset([act], observers=[told]).export(target), ran, told


def may(origin: str, allowed: Collection[Origin] | None) -> bool:
    return origin in ({"direct"} if allowed is None else allowed)


def plain(caller: Any) -> Any:
    return caller if isinstance(caller, dict) else None


@pytest.mark.parametrize(("wire", "form", "origin", "allowed"), CASES)
def test_nothing_runs_that_is_not_allowed_and_the_result_names_the_caller(
    wire: Wire, form: Any, origin: str, allowed: Collection[Origin] | None
) -> None:
    export, ran, told = acting(allowed, wire.target)
    answers = [
        export.answer_sync(wire.respond(form)),
        asyncio.run(export.answer(wire.respond(form))),
    ]
    is_allowed = may(origin, allowed)
    assert [call.origin for call in ran] == [origin] * (2 if is_allowed else 0)
    for answer, done in zip(answers, told.done, strict=True):
        [outcome], [result] = answer.outcomes, answer.results
        kind = "ok" if isinstance(outcome, Ok) else outcome.kind
        assert kind == ("ok" if is_allowed else "denied")
        assert isinstance(outcome, Ok) or outcome.effect == "none"
        assert outcome.caller == plain(form)
        if wire.target == "openai":
            assert result.get("caller") == plain(form)
        caller_id = form.get("caller_id", form.get("tool_id")) if plain(form) else None
        assert done.as_json()["origin"] == done.origin == origin
        assert done.caller_id == (caller_id if isinstance(caller_id, str) else None)


@pytest.mark.parametrize(("wire", "form", "origin", "allowed"), CASES)
def test_it_is_judged_again_when_an_approval_is_resumed(
    wire: Wire, form: Any, origin: str, allowed: Collection[Origin] | None
) -> None:
    export, ran, told = acting(allowed, wire.target, requires_approval=True)
    answer = export.answer_sync(wire.respond(form))
    if not may(origin, allowed):
        assert not answer.pending
        return
    [waiting] = answer.pending
    assert (waiting.origin, waiting.caller) == (origin, plain(form))
    resumed = export.resume_sync(answer.to_json(key="k"), {"c1": True}, key="k")
    [outcome] = resumed.outcomes
    assert (outcome.text, outcome.caller) == ("acted", plain(form))
    assert [(call.id, call.origin) for call in ran] == [("c1", origin)]
    assert [done.origin for done in told.done] == [origin, origin]
    if wire.target == "openai":
        assert resumed.results[0].get("caller") == plain(form)


@pytest.mark.parametrize("target", WIRES)
@pytest.mark.parametrize("forged", ["programmatic", "unknown", "Direct", "", None, 7, ["direct"]])
def test_a_forged_caller_in_the_text_of_an_approval_runs_nothing(target: str, forged: Any) -> None:
    wire = WIRES[target]
    export, ran, _ = acting({"direct"}, wire.target, requires_approval=True)
    text = export.answer_sync(wire.respond({"type": "direct"})).to_json()
    data = json.loads(text)
    data["calls"][0]["waiting"]["origin"] = forged
    [outcome] = export.resume_sync(json.dumps(data), {}).outcomes
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, ran) == ("denied", "none", [])


@pytest.mark.parametrize("target", WIRES)
def test_an_approval_of_a_tool_that_became_narrower_is_denied(target: str) -> None:
    wire = WIRES[target]
    both, ran, _ = acting({"direct", "programmatic"}, wire.target, requires_approval=True)
    direct, ran_later, _ = acting({"direct"}, wire.target, requires_approval=True)
    text = both.answer_sync(wire.respond({"type": "direct"})).to_json(key="k")
    [outcome] = direct.resume_sync(text, {}, key="k").outcomes
    assert isinstance(outcome, Err)
    assert (outcome.kind, ran + ran_later) == ("denied", [])


def test_the_arguments_of_a_caller_who_may_not_are_not_read() -> None:
    for strict in (False, "prefer"):

        @tool(allowed_callers={"programmatic"}, strict=strict or None)
        def act(sizes: dict[str, int]) -> None:
            """Act."""

        export = Toolset([act]).export("openai")
        [outcome] = export.answer_sync(openai_response(ABSENT, '{"sizes": ')).outcomes
        assert isinstance(outcome, Err)
        assert outcome.kind == "denied"
        refused = act.call_sync('{"sizes": ')
        assert isinstance(refused, Err)
        assert refused.kind == "denied"
        assert refused.text == (
            "This call is not permitted and was not run: act can only be called from code."
        )


def test_a_tool_that_nobody_can_call_at_a_target_is_warned_of() -> None:
    for target, count in (("openai", 0), ("anthropic", 0), ("gemini", 1), ("mcp", 1)):
        export, _, _ = acting({"programmatic"}, target)
        assert [len(export.tools), len(export.problems)] == [1, count]
        told = "act: only code may call it, and none does there; allow direct calls, or leave"
        told = f"{told} the tool out ({target}.allowed_callers)"
        assert [str(problem) for problem in export.problems] == [told] * count
        assert acting({"direct"}, target)[0].problems == ()


def test_a_call_in_python_is_direct_and_is_judged_too() -> None:
    _, ran, _ = acting({"programmatic"}, "openai")

    @tool(allowed_callers={"programmatic"})
    async def act(n: int) -> None:
        """Act."""
        ran.append(CallInfo())

    tools = Toolset([act])
    outcomes = [
        act.call_sync({"n": 1}),
        asyncio.run(act.call({"n": 1})),
        act.prepare({"n": 1}),
        act.refusal_sync({"n": 1}),
        tools.call_sync("act", {"n": 1}),
        asyncio.run(tools.call("act", {"n": 1})),
        act.call_sync({"n": 1}, approve=lambda prepared: True),
    ]
    assert [getattr(outcome, "kind", None) for outcome in outcomes] == ["denied"] * len(outcomes)
    assert ran == []


def test_the_targets_that_enforce_it_are_told() -> None:
    declared = {
        target: {
            rule: acting(allowed, target)[0].tools[0].get("allowed_callers")
            for rule, allowed in ALLOWED.items()
        }
        for target in ("openai", "anthropic", "openai-chat", "gemini", "mcp")
    }
    nothing = dict.fromkeys(ALLOWED)
    code = "code_execution_20260120"
    assert declared == {
        "openai": {
            "unsaid": None, "direct": ["direct"], "programmatic": ["programmatic"],
            "both": ["direct", "programmatic"],
        },
        "anthropic": {
            "unsaid": None, "direct": ["direct"], "programmatic": [code], "both": ["direct", code],
        },
        "openai-chat": nothing, "gemini": nothing, "mcp": nothing,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_streamed_call_keeps_its_caller(name: str) -> None:
    export, ran, _ = acting({"programmatic"}, WIRES[name].target)
    if name == "openai":
        item = {"type": "function_call", "call_id": "c1", "name": "act", "caller": PROGRAM}
        events: list[dict[str, Any]] = [
            {"type": "response.output_item.added", "output_index": 0,
             "item": {**item, "arguments": ""}},
            {"type": "response.function_call_arguments.delta", "output_index": 0,
             "delta": '{"n": 1}'},
            {"type": "response.completed", "response": {"id": "r", "output": []}},
        ]  # fmt: skip
    else:
        block = {"type": "tool_use", "id": "c1", "name": "act", "input": {}, "caller": CODE}
        delta = {"type": "input_json_delta", "partial_json": '{"n": 1}'}
        events = [
            {"type": "message_start", "message": {"role": "assistant", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
            {"type": "message_stop"},
        ]
    [outcome] = export.answer_sync(export.collect_sync(events)).outcomes
    assert (outcome.text, outcome.caller, len(ran)) == (
        "acted", PROGRAM if name == "openai" else CODE, 1,
    )  # fmt: skip


def test_what_was_cancelled_names_its_caller_too() -> None:
    export, _, _ = acting(None, "openai")
    [result] = export.unanswered(openai_response(PROGRAM)).results
    assert result["caller"] == PROGRAM


@pytest.mark.requirement("call-key")
def test_a_response_that_is_answered_again_gives_the_same_keys() -> None:
    export, ran, _ = acting({"direct", "programmatic"}, "openai")
    for key in ("resp_1", "resp_1", "resp_2", None, None):
        export.answer_sync(openai_response(PROGRAM), key=key)
        asyncio.run(export.answer(openai_response(PROGRAM), key=key))
    keys = [call.key for call in ran]
    assert keys[:4] == [keys[0]] * 4
    assert keys[4:6] == [keys[4]] * 2
    assert len({*keys}) == 2 + 4


@pytest.mark.requirement("call-key")
@pytest.mark.parametrize("key", ["", b"resp_1", 7])
def test_a_key_that_is_no_text_is_refused_before_anything_runs(key: Any) -> None:
    from toolhaft.errors import ToolhaftError

    export, ran, _ = acting(None, "openai")
    with pytest.raises(ToolhaftError, match="answer: key: not a text, or empty"):
        export.answer_sync(openai_response(ABSENT), key=key)
    assert ran == []


@pytest.mark.requirement("call-info")
def test_an_id_that_the_provider_did_not_give_is_none() -> None:
    export, ran, _ = acting(None, "ollama")
    call = {"function": {"name": "act", "arguments": {"n": 1}}}
    response = {"message": {"role": "assistant", "tool_calls": [call]}, "done": True}
    for _ in range(2):
        export.answer_sync(response, key="turn 1")
    assert [call.id for call in ran] == [None, None]
    assert ran[0].key == ran[1].key
