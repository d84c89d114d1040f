"""The parameters of a request other than model, messages and tools: for type checkers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

__all__ = ["RequestOptions"]


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
