"""A response for every item, block and part of the SDKs, built by their own classes.

`python -m tests.sdks.samples` writes them to the folder `recorded`, by the SDKs that are installed.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

__all__ = ["RECORDED", "SAMPLES", "build", "events"]

RECORDED: Final = Path(__file__).with_name("recorded")


def sample(annotation: Any, name: str) -> Any:
    """Make a value of a type: the first of what it can be, with the required fields only."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    chosen = [one for one in arguments if one is not type(None)]
    if origin is Literal:
        return arguments[0]
    if origin in (typing.Annotated, Union, UnionType):
        return sample(chosen[0], name)
    if origin in (list, tuple):
        return [sample(chosen[0], name)]
    is_class = isinstance(annotation, type) and annotation not in (dict, object)
    return _of_class(annotation, name) if is_class else {}


def _of_class(kind: type, name: str) -> Any:
    if hasattr(kind, "model_fields"):
        return make(kind)
    if issubclass(kind, Enum):
        return next(iter(kind))
    if kind is datetime:
        return datetime(2026, 11, 28, tzinfo=UTC)
    simple: dict[type, Any] = {bool: True, int: 1, float: 1.0, bytes: b"signed"}
    return simple.get(kind, name)


def make(kind: Any, **values: Any) -> Any:
    """Make an object of an SDK's class, checked by the class itself."""
    required = {
        field.alias or name: sample(field.annotation, name)
        for name, field in kind.model_fields.items()
        if field.is_required() and name not in values
    }
    return kind.model_validate(required | values)


def _members(package: str, union: str) -> Iterator[tuple[str, Any]]:
    members = get_args(getattr(import_module(package), union))
    for member in get_args(members[0]) or members:
        yield get_args(member.model_fields["type"].annotation)[0], member


def _openai() -> dict[str, Any]:
    responses = import_module("openai.types.responses")
    members = _members("openai.types.responses", "ResponseOutputItem")
    return {kind: make(responses.Response, output=[make(item)]) for kind, item in members}


def _openai_chat() -> dict[str, Any]:
    chat = import_module("openai.types.chat")
    members = dict(_members("openai.types.chat", "ChatCompletionMessageToolCallUnion"))
    fields: dict[str, dict[str, Any]] = {
        kind: {"tool_calls": [make(call)]} for kind, call in members.items()
    }
    message = chat.ChatCompletionMessage
    for name, field in message.model_fields.items():
        if name not in ("role", "tool_calls"):
            fields[name] = {name: sample(field.annotation, name)}
    return {
        kind: make(chat.ChatCompletion, choices=[_choice(chat, values)])
        for kind, values in fields.items()
    }


def _choice(chat: Any, values: dict[str, Any]) -> Any:
    choice = import_module("openai.types.chat.chat_completion").Choice
    return make(choice, message=make(chat.ChatCompletionMessage, **values))


def _anthropic(package: str, union: str, message: str) -> dict[str, Any]:
    kind = getattr(import_module(package), message)
    return {name: make(kind, content=[make(block)]) for name, block in _members(package, union)}


def _gemini() -> dict[str, Any]:
    types = import_module("google.genai.types")
    parts = {
        name: types.Part(**{name: sample(field.annotation, name)})
        for name, field in types.Part.model_fields.items()
    }
    parts["function_call"].function_call = types.FunctionCall(name="name", args={})
    return {name: _content(types, part) for name, part in parts.items()}


def _content(types: Any, part: Any) -> Any:
    content = types.Content(role="model", parts=[part])
    candidate = types.Candidate(content=content, finish_reason="STOP")
    return types.GenerateContentResponse(candidates=[candidate])


SAMPLES: Final = {
    "openai": _openai,
    "openai-chat": _openai_chat,
    "anthropic": lambda: _anthropic("anthropic.types", "ContentBlock", "Message"),
    "anthropic-beta": lambda: _anthropic("anthropic.types.beta", "BetaContentBlock", "BetaMessage"),
    "gemini": _gemini,
}


def build(name: str) -> dict[str, Any]:
    """Return the responses of an SDK as JSON, each under the kind of its one item."""
    return {
        kind: response.model_dump(mode="json", by_alias=True, exclude_unset=True)
        for kind, response in SAMPLES[name]().items()
    }


def events(package: str, union: str) -> dict[str, Any]:
    """Return an event of each kind."""
    return {kind: make(event) for kind, event in _members(package, union)}


if __name__ == "__main__":
    RECORDED.mkdir(exist_ok=True)
    for each in SAMPLES:
        text = json.dumps(build(each), indent=1, sort_keys=True, ensure_ascii=False)
        (RECORDED / f"{each}.json").write_text(f"{text}\n", encoding="utf-8")
