"""Streams of chat completion chunks, as OpenAI, servers that speak its wire, and Mistral send.

Read on 2026-11-20 from openai 3.52.0 (`ChatCompletionChunk`) and mistralai 3.7.0 (`DeltaMessage`).
The pieces of a call have its index, and its id and name come with the first. Users report servers
that send every call under the index 0, or without one, and names with every piece: a new id with a
name begins a call too. Every other field of a delta, such as reasoning, belongs to the message.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final

from toolhaft.providers.response import Part
from toolhaft.providers.streams import (
    Fold,
    add_piece,
    join_pieces,
    last_value,
    package_of,
    reported_error,
    to_valid_object,
)

__all__ = ["ChatChunks"]

HEAD: Final = ("id", "created", "model", "usage", "system_fingerprint", "service_tier")
# Mistral's SDK sets this id if the server sent none.
NO_ID: Final = "null"


class ChatChunks(Fold):
    """Chunks with choices, each with a delta of its message."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {"object": "chat.completion"}
        self._sdk = ""
        self._choices: dict[int, _Choice] = {}

    def take(self, event: Part) -> None:
        chunk = _chunk(event)
        if chunk.get("error") is not None:
            raise reported_error(event)
        if chunk.get("choices") is None and chunk.get("type") is not None:
            return
        self._sdk = package_of(chunk)
        self._head |= {key: chunk.get(key) for key in HEAD if chunk.get(key) is not None}
        for choice in chunk.parts("choices"):
            index = 0 if choice.get("index") is None else choice.index("index")
            self._choices.setdefault(index, _Choice()).take(choice)

    def text(self, event: Part) -> str:
        chunk = _chunk(event)
        choices = chunk.parts("choices") if chunk.get("choices") else []
        deltas = [choice.either("delta", "message") for choice in choices[:1]]
        return "".join(_text(delta) for delta in deltas if delta is not None)

    def missing(self) -> str | None:
        unfinished = [
            index for index, choice in self._choices.items() if choice.finish_reason is None
        ]
        if self._choices and not unfinished:
            return None
        return f"choices[{min(unfinished, default=0)}].finish_reason"

    def response(self) -> Any:
        choices = [
            {"index": index, "finish_reason": choice.finish_reason, "message": choice.message()}
            for index, choice in sorted(self._choices.items())
        ]
        return {**self._head, "choices": choices}

    def whole(self) -> Any:
        if self._sdk == "openai":
            from openai.types.chat import ChatCompletion

            return ChatCompletion.construct(**self.response())
        if self._sdk == "mistralai":
            from mistralai.client.models import ChatCompletionResponse

            return to_valid_object(ChatCompletionResponse, self.response())
        return self.response()


def _chunk(event: Part) -> Part:
    """Return the chunk of an event: Mistral's SDK wraps chunks, and OpenAI's helper has its own."""
    return event.either("data", "chunk") or event


def _text(delta: Part) -> str:
    content = delta.get("content")
    if isinstance(content, list):
        parts = delta.parts("content")
        return "".join(part.word("text") or "" for part in parts if part.get("type") == "text")
    return delta.word("content") or delta.word("refusal") or ""


class _Choice:
    """The deltas of one choice so far."""

    def __init__(self) -> None:
        self.finish_reason: Any = None
        self._deltas: list[dict[str, Any]] = []
        self._has_lists = False
        self._calls = _Calls()

    def take(self, choice: Part) -> None:
        self.finish_reason = last_value([self.finish_reason, choice.get("finish_reason")])
        # A server that does not stream sends one chunk, with the message.
        part = choice.either("delta", "message")
        if part is None:
            return
        delta = part.plain()
        if delta.pop("tool_calls", None):
            for call in part.parts("tool_calls"):
                self._calls.take(call)
        self._has_lists = self._has_lists or isinstance(delta.get("content"), list)
        if self._has_lists:
            self._deltas.append(delta)
        else:
            add_piece(self._deltas, delta)

    def message(self) -> dict[str, Any]:
        calls = self._calls.to_list()
        contents = [delta.get("content") for delta in self._deltas]
        content = _content([delta for delta in contents if delta is not None])
        fields = join_pieces([{**delta, "content": None} for delta in self._deltas]) or {}
        # A message has a content, be it null beside calls.
        answer = {"role": "assistant", **fields, "content": content or (None if calls else "")}
        return {**answer, "tool_calls": calls} if calls else answer


class _Calls:
    """The calls of one message, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def take(self, part: Part) -> None:
        piece = part.plain()
        index = piece.pop("index", None)
        call_id = part.id("id")
        call_id = None if call_id == NO_ID else call_id
        function = part.either("function")
        name = None if function is None else function.id("name")
        call = self._find_call(index, call_id, name)
        if call is None:
            call = _Call()
            self._calls.append(call)
        if isinstance(index, int):
            self._by_index[index] = call
        if call_id is not None:
            self._by_id[call_id] = call
        function_piece = {} if function is None else {"function": function.plain()}
        call.take({**piece, "id": call_id, **function_piece}, name)

    def _find_call(self, index: Any, call_id: str | None, name: str | None) -> _Call | None:
        """Return the call that a piece belongs to, or None if it begins one."""
        if not isinstance(index, int):
            last_calls = self._calls[-1:] if not call_id and not name else []
            return self._by_id.get(call_id or "") or next(iter(last_calls), None)
        call = self._by_index.get(index)
        is_new = call is not None and name and call_id and call.id not in (None, call_id)
        return None if is_new else call

    def to_list(self) -> list[dict[str, Any]]:
        return [call.to_dict() for call in self._calls]


class _Call:
    """The pieces of one call."""

    def __init__(self) -> None:
        self.id: str | None = None
        self._name = ""
        self._pieces: list[dict[str, Any]] = []

    def take(self, piece: dict[str, Any], name: str | None) -> None:
        self.id = self.id or piece["id"]
        # Some servers repeat the name with every piece.
        if name is not None and name != self._name:
            self._name += name
        add_piece(self._pieces, piece)

    def to_dict(self) -> dict[str, Any]:
        call: dict[str, Any] = join_pieces(self._pieces)
        if call.get("function") is None:
            return call
        function = {**call["function"], **({"name": self._name} if self._name else {})}
        if function.get("arguments") is None:
            function["arguments"] = ""
        return {**call, "type": call.get("type") or "function", "function": function}


def _content(contents: list[Any]) -> Any:
    """Join texts to one text; lists of parts, and texts between them, to one list (Mistral)."""
    if all(isinstance(content, str) for content in contents):
        return "".join(contents)
    return _join_adjacent([part for content in contents for part in _parts(content)])


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content if isinstance(content, list) else [content]


def _join_adjacent(parts: list[Any]) -> list[Any]:
    """Join adjacent parts of one kind."""
    joined_parts: list[Any] = []
    for kind, run in groupby(parts, _kind):
        if kind == "text":
            joined_parts.append(join_pieces(run))
        elif kind == "thinking":
            thinking = join_pieces(run)
            joined_parts.append({**thinking, "thinking": _content([thinking.get("thinking")])})
        else:
            joined_parts.extend(run)
    return joined_parts


def _kind(part: Any) -> Any:
    return part.get("type") if isinstance(part, Mapping) else None
