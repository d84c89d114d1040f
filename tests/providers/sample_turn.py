"""A turn that has every kind of call, in neutral terms: the calls, and their outcomes."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolhaft.call import feedback

__all__ = ["CALLS", "MCP_CALLS", "Expected"]

KNOWN = ["add", "crash", "find_order", "get_weather"]


class Expected(NamedTuple):
    """A call under its wire name, the text that the model reads, and the outcome's kind."""

    id: str
    name: str
    arguments: dict[str, Any]
    text: str
    kind: str | None


def calls(foreign: str) -> list[Expected]:
    """The turn, with the name that a target has for the tool that was declared elsewhere."""
    return [
        Expected(
            "id_good",
            "get_weather",
            {"city": "Paris"},
            '{"city":"Paris","degrees":21,"days":3}',
            None,
        ),
        Expected(
            "id_repaired",
            "get_weather",
            {"city": "Oslo", "days": "2", "units": "f"},
            '{"city":"Oslo","degrees":70,"days":2}',
            None,
        ),
        Expected(
            "id_invalid",
            "get_weather",
            {"days": "many"},
            "Please rewrite the input with valid arguments. "
            "Errors: city: required; days: expected integer, received string",
            "invalid_input",
        ),
        Expected(
            "id_unknown",
            "get_wether",
            {"city": "Paris"},
            feedback.describe_unknown_tool("get_wether", [*KNOWN, foreign]),
            "unknown_tool",
        ),
        Expected("id_told", "find_order", {"number": 7}, "there is no order 7", "tool_error"),
        Expected(
            "id_crashed",
            "crash",
            {},
            feedback.describe_crash("00" * 6, "unknown", may_repeat=False),
            "runtime_error",
        ),
        Expected(
            "id_foreign",
            foreign,
            {"day": "Monday"},
            '{"name":"calendar.respond","day":"Monday"}',
            None,
        ),
    ]


CALLS = calls("calendar_respond")
MCP_CALLS = calls("calendar.respond")
