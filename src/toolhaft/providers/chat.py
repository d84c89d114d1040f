"""The wires whose calls are functions in the assistant's message: Chat Completions and its kin."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.deferred import pair_results
from toolhaft.providers.ending import Usage, count_of
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import FoundCall, Part
from toolhaft.tools.tool import AnyTool

__all__ = ["ChatProvider", "json_schema_format"]


# A call of OpenAI's custom tools.
TEXT_CALL: Final = "custom"


class ChatProvider(Provider):
    """Calls are in a message, with the reason why the model stopped beside it.

    The call at which the token limit stopped the model stands last, and is not to be run.
    """

    stopped_midway: Collection[str] = ()
    has_strict_flag: bool = False

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        del tool
        strict = {"strict": True} if self.has_strict_flag and planned.strict else {}
        name, parameters = planned.wire_name, planned.schema
        body = {"name": name, **planned.description_field, "parameters": parameters, **strict}
        return {"type": "function", "function": body}

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name, tool
        return {"role": "tool", "tool_call_id": self.call_id(outcome), "content": outcome.text}

    def results_in(self, messages: Sequence[Part]) -> Iterator[tuple[str, str]]:
        return pair_results(messages)

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        holder = self.message_holder(response)
        message = holder.part("message")
        if not self.has_calls(message):
            return
        calls = message.parts("tool_calls")
        cut_off = calls[-1:] if holder.get("finish_reason") in self.stopped_midway else []
        for call in calls:
            # Servers that leave out the type mean the one that there was at first.
            is_text = call.get("type") == TEXT_CALL
            if is_text or call.get("type") in (None, "function"):
                call_id, called = self.id_of(call), call.part(TEXT_CALL if is_text else "function")
                name, given = called.text("name"), called.get("input" if is_text else "arguments")
                found = call.at("id"), call_id, name, given, call in cut_off
                yield FoundCall(*found, is_text=is_text)

    def text(self, response: Part) -> str:
        message = self.message_holder(response).part("message")
        content = message.get("content")
        if isinstance(content, str) and content:
            return content
        parts = message.parts("content") if isinstance(content, list | tuple) else []
        texts = (part.word("text") or "" for part in parts if part.get("type") == "text")
        return "".join(texts) or message.word("refusal") or ""

    def usage(self, response: Part) -> Usage | None:
        usage = response.either("usage")
        if usage is None:
            return None
        sent, generated = count_of(usage, "prompt_tokens"), count_of(usage, "completion_tokens")
        total = count_of(usage, "total_tokens")
        # Grok's reasoning is counted beside the completion (Google's guide to reasoning for Grok
        # models, read 2026-11-28).
        if total and sent is not None and generated is not None:
            generated = max(generated, total - sent)
        return Usage(
            sent,
            generated,
            count_of(usage.either("prompt_tokens_details"), "cached_tokens"),
            count_of(usage.either("completion_tokens_details"), "reasoning_tokens"),
        )

    def stop_value(self, response: Part) -> str | None:
        holder = self.message_holder(response)
        refused = holder.part("message").word("refusal") is not None
        value = holder.word("finish_reason")
        return (
            "refusal" if refused and self.stop_values.get(value or "", "done") == "done" else value
        )

    def unknown_calls(self, response: Part) -> Iterator[str]:
        message = self.message_holder(response).part("message")
        if message.either("function_call") is not None:
            yield "function_call"
        for call in message.parts("tool_calls") if self.has_calls(message) else ():
            kind = call.word("type")
            if kind not in (None, "function", TEXT_CALL):
                yield kind

    def turn(self, response: Any) -> list[Any]:
        message = self.message_holder(Part(self.target, response)).part("message")
        return [self.with_ids(response, message)]

    def message_holder(self, response: Part) -> Part:
        """Return the part of a response that has the message and the reason why it stopped."""
        return response

    def has_calls(self, message: Part) -> bool:
        """Return whether a message has calls."""
        return message.get("tool_calls") is not None

    def id_of(self, call: Part) -> str | None:
        """Return the id of a call, or None if the model wrote none."""
        return call.id("id")


def json_schema_format(planned: PlannedTool, *, strict: bool) -> dict[str, Any]:
    """Write the parameter that asks for an answer by a schema, as OpenAI's wire has it."""
    schema = {"name": planned.wire_name, "schema": planned.schema, "strict": strict}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}
