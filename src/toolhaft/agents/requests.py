"""The parameters of each request: the program's options, the tools, and a stream's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final, TypedDict

from toolhaft.definition import names
from toolhaft.errors import ToolhaftError

__all__ = ["RequestOptions", "check_options", "merge_request", "with_usage", "without_forced_call"]

# Targets whose streams report their usage only on request.
UNCOUNTED_STREAMS: Final = ("openai-chat", "xai")
UNFORCED: Final = ("auto", "none")
# Choices of Anthropic's that become `auto` without losing the fields beside them.
FORCED: Final = ("any", "tool")


def check_options(options: Iterable[str], own: Iterable[str], create: Callable[..., Any]) -> None:
    """Refuse a misspelt option of `run`, unless the client itself takes it.

    Raises:
        ToolhaftError: An option is no parameter of a request, and like one of `run`'s own.
    """
    known = {*RequestOptions.__annotations__, *_parameters(create)}
    for option in options:
        near = None if option in known else names.nearest(option, own)
        if near is not None:
            raise ToolhaftError(f"run: {option}: unknown option; did you mean {near}?")


def _parameters(create: Callable[..., Any]) -> Iterable[str]:
    try:
        return inspect.signature(create).parameters
    except (TypeError, ValueError):  # a callable in C may have none
        return ()


def with_usage(target: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request for a stream that asks for its usage, if its target needs that.

    A program that passes None asks for nothing: some servers do not know the parameter.
    """
    sent, asked = dict(request), request.get("stream_options", {})
    if asked is None:
        del sent["stream_options"]
    elif target in UNCOUNTED_STREAMS:
        sent["stream_options"] = {"include_usage": True, **asked}
    return sent


def merge_request(options: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a request into options: lists and objects that are in both are joined."""
    joined = dict(options)
    for key, value in request.items():
        option = options.get(key)
        if isinstance(value, Mapping) and option is not None:
            joined[key] = merge_request(_to_mapping(option), value)
        elif isinstance(option, list) and isinstance(value, list):
            joined[key] = [*option, *value]
        elif key != "mode" or option is None:  # which calls may be made: the program decides
            joined[key] = value
    return joined


def _to_mapping(option: Any) -> Mapping[str, Any]:
    """Return the fields of an option by their names in JSON: google-genai takes objects too."""
    fields = option
    if not isinstance(option, Mapping):
        fields = {name: getattr(option, name) for name in option.model_fields_set}
    return {_camel_case(name): value for name, value in fields.items()}


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def without_forced_call(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request in which the model may answer in words.

    >>> without_forced_call({"model": "m", "tool_choice": "required"})
    {'model': 'm'}
    >>> without_forced_call({"tool_choice": {"type": "any", "disable_parallel_tool_use": True}})
    {'tool_choice': {'type': 'auto', 'disable_parallel_tool_use': True}}
    """
    freed = {key: _freed(key, value) for key, value in request.items()}
    return {key: freed[key] for key in request if freed[key] is not None or request[key] is None}


def _freed(key: str, value: Any) -> Any:
    match key:
        case "tool_choice":
            return _free_choice(value)
        case "toolConfig":  # Bedrock
            is_forced = "auto" not in value.get("toolChoice", "auto")
            return _without(value, "toolChoice") if is_forced else value
        case "config" if value is not None:  # Gemini
            return _free_config(_to_mapping(value))
        case _:
            return value


def _free_choice(choice: Any) -> Any:
    """Free a choice of OpenAI's, Anthropic's, Mistral's or Cohere's; None for no choice."""
    if not isinstance(choice, Mapping):
        return choice if str(choice).lower() in UNFORCED else None
    kind, allowed = choice.get("type"), choice.get("allowed_tools", choice)
    if kind == "allowed_tools":
        freed = {**allowed, "mode": "auto"}
        return {**choice, "allowed_tools": freed} if "allowed_tools" in choice else freed
    if kind in FORCED:
        return {"type": "auto", **_without(choice, "type", "name")}
    return choice if kind in UNFORCED else None


def _without(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in keys}


def _free_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    if config.get("toolConfig") is None:
        return config
    tool_config = _to_mapping(config["toolConfig"])
    calling = _to_mapping(tool_config.get("functionCallingConfig") or {})
    mode = calling.get("mode")
    if (mode.value if isinstance(mode, Enum) else mode) != "ANY":
        return config
    freed = _without(calling, "mode", "allowedFunctionNames")
    return {**config, "toolConfig": {**tool_config, "functionCallingConfig": freed}}


class RequestOptions(TypedDict, total=False):
    """The parameters of OpenAI's, Anthropic's and Google's requests, to catch misspelt ones.

    Read from openai 3.52.0, anthropic 2.11.0 and google-genai 2.34.0 on 2026-11-22; any other goes
    in `extra_body`.
    """

    access_programs: Any
    audio: Any
    background: bool | None
    betas: list[str] | None
    cache_control: Any
    config: Any
    container: Any
    context_management: Any
    conversation: Any
    diagnostics: Any
    extra_body: Mapping[str, Any] | None
    extra_headers: Mapping[str, Any] | None
    extra_query: Mapping[str, Any] | None
    frequency_penalty: float | None
    function_call: Any
    functions: Any
    image: Any
    include: list[str] | None
    inference_geo: Any
    instructions: str | None
    logit_bias: Any
    logprobs: bool | None
    max_completion_tokens: int | None
    max_output_tokens: int | None
    max_tokens: int | None
    max_tool_calls: int | None
    metadata: Any
    modalities: list[str] | None
    moderation: Any
    n: int | None
    output_config: Any
    parallel_tool_calls: bool | None
    prediction: Any
    presence_penalty: float | None
    previous_response_id: str | None
    prompt: Any
    prompt_cache_key: str | None
    prompt_cache_options: Any
    prompt_cache_retention: Any
    reasoning: Any
    reasoning_effort: str | None
    response_format: Any
    safety_identifier: str | None
    seed: int | None
    service_tier: str | None
    speed: Any
    stop: Any
    stop_sequences: list[str] | None
    store: bool | None
    stream_options: Any
    system: Any
    temperature: float | None
    text: Any
    thinking: Any
    timeout: Any
    tool_choice: Any
    top_k: int | None
    top_logprobs: int | None
    top_p: float | None
    truncation: str | None
    user: str | None
    user_profile_id: Any
    verbosity: str | None
    web_search_options: Any
    workspace_id: Any
