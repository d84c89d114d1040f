"""The attributes of a tool call under OpenTelemetry's names, as text: they are not stable yet.

Source: OpenTelemetry semantic conventions for generative AI, "Execute tool span"
(open-telemetry/semantic-conventions, docs/gen-ai/gen-ai-spans.md at commit 01d94504; since moved to
open-telemetry/semantic-conventions-genai; status Development; read 2026-11-21). The span's name is
`execute_tool {gen_ai.tool.name}`, its kind INTERNAL; arguments and result are opt-in, and may be
JSON text on a span. `error.type` is stable. Attributes that have no name there are under
`toolhaft.`.
"""

from __future__ import annotations

from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.observers.details import CallDetails, CallStarted, Redactor

__all__ = ["end_attributes", "span_name", "start_attributes", "value_attributes"]


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


def value_attributes(done: CallDetails, redact: Redactor) -> dict[str, str]:
    """Arguments and result as JSON text, as far as a redactor shows them."""
    shown = done.values(redact)
    return {f"gen_ai.tool.call.{name}": jsontext.write(value) for name, value in shown.items()}


def _without_nones(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}
