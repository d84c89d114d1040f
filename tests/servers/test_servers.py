"""The servers that stand in for providers refuse what the providers refuse."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.servers.anthropic_messages import AnthropicMessages
from tests.servers.gemini_generate import GeminiGenerate
from tests.servers.loopback import Request, Wire
from tests.servers.openai_chat import OpenAIChat
from tests.servers.openai_responses import OpenAIResponses
from tests.servers.script import Call, Refused, Turn

HEADERS = {"authorization": "Bearer x", "anthropic-version": "2023-06-01"}
PATHS: dict[type[Wire], str] = {
    OpenAIResponses: "/responses",
    OpenAIChat: "/chat/completions",
    AnthropicMessages: "/v1/messages",
    GeminiGenerate: "/v1beta/models/gemini-test:generateContent",
}
TURN = Turn((Call("call_1", "add", {"n": 1}), Call("call_2", "add", {"n": 2})))


class Spoken:
    """A conversation of one turn with two calls, as a client would send it back."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        response = wire.response(TURN)
        ids = [call.id for call in TURN.calls]
        if isinstance(wire, OpenAIResponses):
            results = [
                {"type": "function_call_output", "call_id": one, "output": "3"} for one in ids
            ]
            self.key, self.messages = "input", [*response["output"], *results]
            self.results: list[Any] = self.messages
        elif isinstance(wire, OpenAIChat):
            results = [{"role": "tool", "tool_call_id": one, "content": "3"} for one in ids]
            self.key, self.messages = "messages", [response["choices"][0]["message"], *results]
            self.results = self.messages
        elif isinstance(wire, AnthropicMessages):
            blocks = [{"type": "tool_result", "tool_use_id": one, "content": "3"} for one in ids]
            hello = {"role": "user", "content": "Add."}
            turn = {"role": "assistant", "content": response["content"]}
            self.key, self.messages = "messages", [hello, turn, {"role": "user", "content": blocks}]
            self.results = blocks
        else:
            parts = [
                {"functionResponse": {"id": one, "name": "add", "response": {"output": "3"}}}
                for one in ids
            ]
            content = response["candidates"][0]["content"]
            self.key, self.messages = "contents", [content, {"role": "user", "parts": parts}]
            self.results = parts

    def check(self) -> None:
        body = {self.key: self.messages, "max_tokens": 99}
        if self.key == "contents":
            del body["max_tokens"]
        self.wire.check(Request(PATHS[type(self.wire)], HEADERS, body))


wires = pytest.mark.parametrize("wire", PATHS, ids=lambda wire: wire.__name__)


@wires
def test_a_conversation_with_every_call_answered_is_taken(wire: type[Wire]) -> None:
    Spoken(wire()).check()


def drop(spoken: Spoken) -> None:
    spoken.results.pop()


def double(spoken: Spoken) -> None:
    spoken.results.append(deepcopy(spoken.results[-1]))


def rename(spoken: Spoken) -> None:
    last = spoken.results[-1]
    last = last.get("functionResponse", last)
    last.update({key: "call_9" for key in last if key.endswith("id")})


def change(spoken: Spoken) -> None:
    spoken.wire.said = deepcopy(spoken.wire.said)
    said = spoken.wire.said[-1]
    [call] = [said] if isinstance(said, dict) else said[-1:]
    call["changed"] = True


@pytest.mark.requirement("loop-servers")
@pytest.mark.parametrize("fault", [drop, double, rename, change])
@wires
def test_a_conversation_that_is_not_well_formed_is_refused(
    wire: type[Wire], fault: Callable[[Spoken], None]
) -> None:
    spoken = Spoken(wire())
    fault(spoken)
    with pytest.raises(Refused):
        spoken.check()
