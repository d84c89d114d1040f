"""The attributes of runs, turns and calls under OpenTelemetry's names: they are not stable yet.

Source: OpenTelemetry semantic conventions for generative AI, version 0.1.0
(open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and gen-ai-agent-spans.md;
status Development; read 2026-11-28). A run is `invoke_agent` of the kind INTERNAL, a turn
`chat {gen_ai.request.model}` of the kind CLIENT, a call `execute_tool {gen_ai.tool.name}` of the
kind INTERNAL; arguments and result are opt-in, and may be JSON text on a span. `error.type` is
stable. Attributes that have no name there are under `toolhaft.`.
"""

from __future__ import annotations

from typing import Any, Final

from toolhaft.jsonio import jsontext
from toolhaft.observers.details import CallDetails, CallStarted, Redactor
from toolhaft.observers.runs import Ended, Started

__all__ = [
    "end_attributes",
    "ended_attributes",
    "span_name",
    "start_attributes",
    "started_attributes",
    "started_name",
    "value_attributes",
]

# Where the conventions have another name for a provider than the target's.
PROVIDERS: Final = {
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gen_ai",
    "gemini-openapi": "gcp.gen_ai",
    "mistral": "mistral_ai",
    "openai-chat": "openai",
    "xai": "x_ai",
}


def span_name(call: CallStarted) -> str:
    """Return the name of a span, without an unknown tool's name: models invent many names."""
    return f"execute_tool {call.tool}" if call.known else "execute_tool"


def start_attributes(call: CallStarted) -> dict[str, Any]:
    """The attributes that are known before a call runs."""
    return _without_nones(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.description": call.description,
            "gen_ai.tool.call.id": call.call_id,
            "toolhaft.target": call.target,
        }
    )


def end_attributes(done: CallDetails) -> dict[str, Any]:
    """The attributes of the outcome; `error.type` is the kind of one that is not `ok`."""
    return _without_nones(
        {
            "error.type": done.kind if done.failed else None,
            "toolhaft.kind": done.kind,
            "toolhaft.effect": done.effect,
            "toolhaft.error_id": done.error_id,
            "toolhaft.issues": done.issue_codes or None,
            "toolhaft.coercions": done.coercion_rules or None,
        }
    )


def started_name(started: Started) -> str:
    """Return the name of the span of a run or a turn."""
    operation = _operation(started)
    return operation if started.number is None else f"{operation} {started.model}"


def _operation(started: Started) -> str:
    if started.number is None:
        return "invoke_agent"
    return "generate_content" if started.target.startswith("gemini") else "chat"


def started_attributes(started: Started) -> dict[str, Any]:
    """Return the attributes of a run or a turn that are known before its first request."""
    return _without_nones(
        {
            "gen_ai.operation.name": _operation(started),
            "gen_ai.provider.name": PROVIDERS.get(started.target, started.target),
            "gen_ai.request.model": started.model,
            "gen_ai.request.stream": True if started.stream and started.number else None,
            "toolhaft.target": started.target,
            "toolhaft.turn": started.number,
        }
    )


def ended_attributes(started: Started, ended: Ended) -> dict[str, Any]:
    """Return the attributes of how a run or a turn ended."""
    is_turn = started.number is not None
    return _without_nones(
        {
            **_usage_attributes(ended),
            "error.type": (ended.error or "_OTHER") if ended.failed else None,
            "gen_ai.response.finish_reasons": (ended.reason,) if is_turn and ended.reason else None,
            "gen_ai.response.id": ended.id,
            "gen_ai.response.model": ended.model,
            "toolhaft.reason": None if is_turn else ended.reason,
        }
    )


def _usage_attributes(ended: Ended) -> dict[str, Any]:
    if ended.usage is None:
        return {}
    return {
        "gen_ai.usage.cache_read.input_tokens": ended.usage.cached,
        "gen_ai.usage.input_tokens": ended.usage.input,
        "gen_ai.usage.output_tokens": ended.usage.output,
        "gen_ai.usage.reasoning.output_tokens": ended.usage.reasoning,
    }


def value_attributes(done: CallDetails, redact: Redactor) -> dict[str, str]:
    """Arguments and result as JSON text, as far as a redactor shows them."""
    shown = done.values(redact)
    return {f"gen_ai.tool.call.{name}": jsontext.write(value) for name, value in shown.items()}


def _without_nones(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}
