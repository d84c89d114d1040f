"""The examples of programs that call tools: in a process of ours, and at the providers."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.installed import sdk

if TYPE_CHECKING:
    from anthropic import types as anthropic
    from openai.types import responses
else:
    anthropic, responses = sdk("anthropic.types"), sdk("openai.types.responses")

EXAMPLES = Path(__file__).parents[2] / "examples" / "programs"
pytestmark = [pytest.mark.requirement("program-boundary"), pytest.mark.unmeasured]


@pytest.fixture
def at_providers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield importlib.import_module("at_providers")
    for name in "at_providers", "orders":
        sys.modules.pop(name, None)


def test_a_program_in_another_process_calls_tools_and_is_refused_a_refund() -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / "over_stdio.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    refused = "This call is not permitted and was not run: refund can only be called directly"
    assert ran.stdout.splitlines() == ["late: [2, 2]", f"{refused}, not from code."], ran.stderr


PROGRAM = {"type": "program", "caller_id": "prog_1"}
CODE = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}


def openai_turns() -> list[Any]:
    """Return a program, its calls, and what it printed, in the classes of the SDK."""
    program = {
        "type": "program", "id": "p_1", "call_id": "prog_1", "code": "...", "fingerprint": "f",
    }  # fmt: skip
    calls = [
        {"type": "function_call", "id": f"fc_{name}", "call_id": f"c_{name}", "name": name,
         "arguments": arguments, "caller": PROGRAM, "status": "completed"}
        for name, arguments in [("list_orders", '{"city": "Rome"}'), ("refund", '{"order": 2}')]
    ]  # fmt: skip
    output = {"type": "program_output", "id": "po_1", "call_id": "prog_1", "result": "[2]",
              "status": "completed"}  # fmt: skip
    words = {"type": "output_text", "text": "Order 2 is late.", "annotations": []}
    message = {
        "type": "message", "id": "m_1", "role": "assistant", "status": "completed",
        "content": [words],
    }  # fmt: skip
    return [_openai([program, *calls]), _openai([output, message])]


def _openai(output: list[Any]) -> Any:
    return responses.Response.model_validate({
        "id": "resp_1", "created_at": 0, "model": "m", "object": "response", "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    })  # fmt: skip


def anthropic_turns() -> list[Any]:
    """Return code, its calls, and its end, in the classes of the SDK."""
    code = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution",
            "input": {"code": "..."}}  # fmt: skip
    calls = [
        {"type": "tool_use", "id": f"c_{name}", "name": name, "input": arguments, "caller": CODE}
        for name, arguments in [("list_orders", {"city": "Rome"}), ("refund", {"order": 2})]
    ]
    ended = {"type": "text", "text": "Order 2 is late."}
    return [_anthropic([code, *calls], "tool_use"), _anthropic([ended], "end_turn")]


def _anthropic(content: list[Any], reason: str) -> Any:
    return anthropic.Message.model_validate({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": reason, "usage": {"input_tokens": 1, "output_tokens": 1},
        "container": {"id": "container_1", "expires_at": "2026-11-28T12:00:00Z"},
    })  # fmt: skip


TURNS = {"openai": openai_turns, "anthropic": anthropic_turns}


@pytest.mark.parametrize("provider", TURNS)
def test_calls_of_a_provider_s_program_are_answered_to_it(
    provider: str, at_providers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(name: str, options: dict[str, Any], messages: list[Any]) -> Any:
        assert name == provider
        sent.append((options, [*messages]))
        return turns.pop(0)

    turns, sent = TURNS[provider](), list[Any]()
    monkeypatch.setattr(at_providers, "request", respond)
    assert at_providers.ask(provider, "Which are late?") == "Order 2 is late."
    (first, _), (second, messages) = sent
    runner = at_providers.RUNNERS[provider]
    assert [each.get("type") for each in first["tools"]].count(runner["type"]) == 1
    if provider == "openai":
        results = messages[-2:]
        assert [result["caller"] for result in results] == [PROGRAM] * 2
        texts = [result["output"] for result in results]
    else:
        assert second["container"] == "container_1"
        texts = [str(block["content"]) for block in messages[-1]["content"]]
    assert '{"id":2,"days":8}' in texts[0]
    assert texts[1].count("can only be called directly, not from code") == 1
