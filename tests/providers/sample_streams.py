"""One turn for every target, whole and as a stream: reasoning, text, then every kind of call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from tests.installed import sdk
from tests.providers.sample_turn import CALLS, MCP_CALLS, Expected

__all__ = ["BY_TARGET", "STREAMS", "Streamed", "chat_chunk", "gemini_chunk", "ollama_chunk"]

Body = dict[str, Any]

TEXT = "I look."
THOUGHT = "Two cities."


class Streamed(NamedTuple):
    """A turn: the response as it is unstreamed, its events, and its end.

    `model` is the module of an SDK and the type of events in it, if there is one. `after` counts
    the events that come after the end and only report costs.
    """

    target: str
    whole: Any
    events: list[Any]
    model: tuple[str, str] | None
    end: str
    after: int = 0

    @property
    def calls(self) -> list[Expected]:
        return MCP_CALLS if self.target.startswith("gemini") else CALLS

    @property
    def typed(self) -> list[Any]:
        """The events as the SDK's own objects."""
        assert self.model is not None
        module, name = self.model
        model = TypeAdapter[Any](getattr(sdk(module), name))
        return [model.validate_python(one) for one in self.events]


def cut(text: str, size: int = 5) -> list[str]:
    """A text in the pieces in which it is streamed."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def counted(*events: Body) -> list[Body]:
    return [{**one, "sequence_number": place} for place, one in enumerate(events)]


# ------------------------------------------------------------------------------ OpenAI


def openai_item_events(place: int, item: Body) -> Iterator[Body]:
    at = {"output_index": place}
    begun = {**item, "arguments": ""} if item["type"] == "function_call" else item
    yield {"type": "response.output_item.added", "item": begun, **at}
    for piece in cut(item.get("arguments", "")):
        delta = {"item_id": item["id"], "delta": piece, **at}
        yield {"type": "response.function_call_arguments.delta", **delta}
    yield {"type": "response.output_item.done", "item": item, **at}


def openai() -> Streamed:
    said = {"type": "output_text", "text": TEXT, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    summary = [{"type": "summary_text", "text": THOUGHT}]
    output: list[Body] = [
        {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAAA"},
        {**message, "content": [said]},
        *(
            {
                "type": "function_call",
                "id": f"fc_{one.id}",
                "call_id": one.id,
                "name": one.name,
                "arguments": json.dumps(one.arguments),
                "status": "completed",
            }
            for one in CALLS
        ),
    ]
    head: Body = {"id": "resp_1", "created_at": 0, "model": "gpt-test", "object": "response"}
    head |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    whole = {**head, "output": output}
    events = [event for at, item in enumerate(output) for event in openai_item_events(at, item)]
    begun = {"type": "response.created", "response": {**head, "output": []}}
    ended = {"type": "response.completed", "response": whole}
    model = ("openai.types.responses", "ResponseStreamEvent")
    return Streamed("openai", whole, counted(begun, *events, ended), model, "response.completed")


# ----------------------------------------------------------------------- chat completions


def chat_chunk(delta: Body, finish_reason: str | None = None, **head: Any) -> Body:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    kind = {"object": "chat.completion.chunk"}
    return {"id": "chatcmpl-1", "created": 0, "model": "test", **kind, "choices": [choice], **head}


def chat_call_deltas() -> Iterator[Body]:
    """The calls' pieces, interleaved as concurrent calls are."""
    for place, one in enumerate(CALLS):
        function = {"name": one.name, "arguments": ""}
        yield {"index": place, "id": one.id, "type": "function", "function": function}
    pieces = [cut(json.dumps(one.arguments)) for one in CALLS]
    for step in range(max(map(len, pieces))):
        for place, of_call in enumerate(pieces):
            if step < len(of_call):
                yield {"index": place, "function": {"arguments": of_call[step]}}


def chat_calls() -> list[Body]:
    return [
        {
            "id": one.id,
            "type": "function",
            "function": {"name": one.name, "arguments": json.dumps(one.arguments)},
        }
        for one in CALLS
    ]


def chat_whole(message: Body) -> Body:
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {
        "object": "chat.completion",
        "id": "chatcmpl-1",
        "created": 0,
        "model": "test",
        "choices": [choice],
    }


def openai_chat(target: str) -> Streamed:
    said = {"role": "assistant", "content": TEXT, "reasoning_content": THOUGHT}
    whole = chat_whole({**said, "tool_calls": chat_calls()})
    events = [
        chat_chunk({"role": "assistant", "content": ""}),
        *(chat_chunk({"reasoning_content": piece}) for piece in cut(THOUGHT)),
        *(chat_chunk({"content": piece}) for piece in cut(TEXT)),
        *(chat_chunk({"tool_calls": [one]}) for one in chat_call_deltas()),
        chat_chunk({}, "tool_calls"),
        {**chat_chunk({}), "choices": []},
    ]
    model = ("openai.types.chat", "ChatCompletionChunk")
    return Streamed(target, whole, events, model, "choices[0].finish_reason", 1)


def mistral_events() -> Iterator[Body]:
    yield chat_chunk({"role": "assistant", "content": ""})
    for piece in cut(THOUGHT):
        thinking = [{"type": "text", "text": piece}]
        yield chat_chunk({"content": [{"type": "thinking", "thinking": thinking}]})
    yield from (chat_chunk({"content": piece}) for piece in cut(TEXT))
    yield chat_chunk({"tool_calls": chat_calls()}, "tool_calls")


def mistral_chat() -> Streamed:
    thinking = [{"type": "text", "text": THOUGHT}]
    content = [{"type": "thinking", "thinking": thinking}, {"type": "text", "text": TEXT}]
    message = {"role": "assistant", "content": content, "tool_calls": chat_calls()}
    events = [{"data": one} for one in mistral_events()]
    model = ("mistralai.client.models", "CompletionEvent")
    return Streamed("mistral", chat_whole(message), events, model, "choices[0].finish_reason")


# ---------------------------------------------------------------------------- Anthropic


def anthropic_block_events(place: int, block: Body) -> Iterator[Body]:
    begun: Body
    deltas: list[Body]
    match block["type"]:
        case "text":
            begun = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in cut(block["text"])]
        case "thinking":
            begun = {"type": "thinking", "thinking": "", "signature": ""}
            thoughts = cut(block["thinking"])
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in thoughts]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "tool_use":
            begun = {**block, "input": {}}
            text = json.dumps(block["input"]) if block["input"] else ""
            pieces = ["", *cut(text)]
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        case _:
            begun, deltas = block, []
    yield {"type": "content_block_start", "index": place, "content_block": begun}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": place, "delta": delta}
    yield {"type": "content_block_stop", "index": place}


def anthropic() -> Streamed:
    content: list[Body] = [
        {"type": "thinking", "thinking": THOUGHT, "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "text", "text": TEXT},
        *(
            {"type": "tool_use", "id": one.id, "name": one.name, "input": one.arguments}
            for one in CALLS
        ),
    ]
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test"}
    usage = {"input_tokens": 3, "output_tokens": 1}
    stop = {"stop_reason": "tool_use", "stop_sequence": None}
    whole = {**head, "content": content, **stop, "usage": {**usage, "output_tokens": 9}}
    begun: Body = {"stop_reason": None, "stop_sequence": None, "usage": usage, "content": []}
    events = [
        {"type": "message_start", "message": {**head, **begun}},
        *(one for at, block in enumerate(content) for one in anthropic_block_events(at, block)),
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    model = ("anthropic.types", "RawMessageStreamEvent")
    return Streamed("anthropic", whole, events, model, "message_stop")


# ------------------------------------------------------------------------------ Bedrock


def bedrock_block_events(place: int, block: Body) -> Iterator[Body]:
    at = {"contentBlockIndex": place}
    deltas: list[Body]
    if "toolUse" in block:
        use = block["toolUse"]
        begun = {"toolUse": {key: use[key] for key in ("toolUseId", "name")}}
        yield {"contentBlockStart": {"start": begun, **at}}
        deltas = [{"toolUse": {"input": piece}} for piece in cut(json.dumps(use["input"]))]
    elif "text" in block:
        deltas = [{"text": piece} for piece in cut(block["text"])]
    elif "reasoningText" in block["reasoningContent"]:
        reasoning = block["reasoningContent"]["reasoningText"]
        deltas = [{"reasoningContent": {"text": piece}} for piece in cut(reasoning["text"])]
        deltas.append({"reasoningContent": {"signature": reasoning["signature"]}})
    else:
        deltas = [block]
    yield from ({"contentBlockDelta": {"delta": delta, **at}} for delta in deltas)
    yield {"contentBlockStop": at}


def bedrock() -> Streamed:
    reasoning = {"text": THOUGHT, "signature": "c2lnbmVk"}
    content: list[Body] = [
        {"reasoningContent": {"reasoningText": reasoning}},
        {"reasoningContent": {"redactedContent": b"secret"}},
        {"text": TEXT},
        *(
            {"toolUse": {"toolUseId": one.id, "name": one.name, "input": one.arguments}}
            for one in CALLS
        ),
    ]
    metadata = {
        "usage": {"inputTokens": 3, "outputTokens": 9, "totalTokens": 12},
        "metrics": {"latencyMs": 5},
    }
    message = {"role": "assistant", "content": content}
    whole = {"output": {"message": message}, "stopReason": "tool_use", **metadata}
    events = [
        {"messageStart": {"role": "assistant"}},
        *(one for at, block in enumerate(content) for one in bedrock_block_events(at, block)),
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": metadata},
    ]
    return Streamed("bedrock", whole, events, None, "messageStop", 1)


# ------------------------------------------------------------------------------- Gemini


def gemini_chunk(*parts: Body, **candidate: Any) -> Body:
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"index": 0, "content": content, **candidate}]}


def gemini_content(target: str) -> Streamed:
    calls: list[Body] = [
        {"functionCall": {"id": one.id, "name": one.name, "args": one.arguments}}
        for one in MCP_CALLS
    ]
    calls[0]["thoughtSignature"] = "c2lnbmVk"
    texts: list[Body] = [{"text": THOUGHT, "thought": True}, {"text": TEXT}]
    usage = {"usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 12}}
    whole = {**gemini_chunk(*texts, *calls, finishReason="STOP"), **usage}
    events = [
        *(gemini_chunk({"text": piece, "thought": True}) for piece in cut(THOUGHT)),
        *(gemini_chunk({"text": piece}) for piece in cut(TEXT)),
        gemini_chunk(*calls[:3]),
        gemini_chunk(*calls[3:], finishReason="STOP"),
        usage,
    ]
    model = ("google.genai.types", "GenerateContentResponse")
    return Streamed(target, whole, events, model, "candidates[0].finishReason", 1)


# ------------------------------------------------------------------------------- Cohere


def cohere_event(kind: str, message: Body, index: int | None = None) -> Body:
    at = {} if index is None else {"index": index}
    return {"type": kind, **at, "delta": {"message": message}}


def cohere_call_events(place: int, call: Body) -> Iterator[Body]:
    function = call["function"]
    begun = {**call, "function": {"name": function["name"], "arguments": ""}}
    yield cohere_event("tool-call-start", {"tool_calls": begun}, place)
    for piece in cut(function["arguments"]):
        going_on = {"tool_calls": {"function": {"arguments": piece}}}
        yield cohere_event("tool-call-delta", going_on, place)
    yield {"type": "tool-call-end", "index": place}


def cohere_chat() -> Streamed:
    message = {
        "role": "assistant",
        "tool_calls": chat_calls(),
        "tool_plan": THOUGHT,
        "content": [{"type": "text", "text": TEXT}],
    }
    whole = {"id": "c_1", "finish_reason": "TOOL_CALL", "message": message}
    text = {"content": {"type": "text", "text": ""}}
    events = [
        {"type": "message-start", "id": "c_1", "delta": {"message": {"role": "assistant"}}},
        *(cohere_event("tool-plan-delta", {"tool_plan": piece}) for piece in cut(THOUGHT)),
        cohere_event("content-start", text, 0),
        *(cohere_event("content-delta", {"content": {"text": one}}, 0) for one in cut(TEXT)),
        {"type": "content-end", "index": 0},
        *(one for at, call in enumerate(chat_calls()) for one in cohere_call_events(at, call)),
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]
    model = ("cohere", "V2ChatStreamResponse")
    return Streamed("cohere", whole, events, model, "message-end")


# ------------------------------------------------------------------------ Ollama, text


def ollama_chunk(**message: Any) -> Body:
    return {"model": "test", "message": {"role": "assistant", **message}, "done": False}


def ollama_chat() -> Streamed:
    calls = [{"function": {"name": one.name, "arguments": one.arguments}} for one in CALLS]
    ended = {"done": True, "done_reason": "stop"}
    said = {"role": "assistant", "content": TEXT, "thinking": THOUGHT, "tool_calls": calls}
    events = [
        *(ollama_chunk(content="", thinking=piece) for piece in cut(THOUGHT)),
        *(ollama_chunk(content=piece) for piece in cut(TEXT)),
        ollama_chunk(content="", tool_calls=calls[:2]),
        ollama_chunk(content="", tool_calls=calls[2:]),
        {**ollama_chunk(content=""), **ended},
    ]
    whole = {"model": "test", "message": said, **ended}
    return Streamed("ollama", whole, events, ("ollama", "ChatResponse"), "done")


def text() -> Streamed:
    lines = [json.dumps({"name": one.name, "arguments": one.arguments}) for one in CALLS]
    whole = "\n".join([TEXT, *lines])
    return Streamed("text", whole, cut(whole), None, "")


STREAMS = [
    openai(),
    openai_chat("openai-chat"),
    openai_chat("xai"),
    mistral_chat(),
    anthropic(),
    bedrock(),
    gemini_content("gemini"),
    gemini_content("gemini-openapi"),
    cohere_chat(),
    ollama_chat(),
    text(),
]
BY_TARGET = {one.target: one for one in STREAMS}
