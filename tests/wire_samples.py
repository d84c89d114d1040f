"""Targets, declarations and responses that tests of exports share."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft import tool
from toolhaft.definition.targets import TARGETS

ALL = pytest.mark.parametrize("target", TARGETS)
DIALECTS = ("draft-07", "draft-2020-12", "openapi-3.0", "openapi-3.1")
CALLED = pytest.mark.parametrize("target", [one for one in TARGETS if one not in DIALECTS])
ADDED = {"a": 1, "b": 2}


def declared(name: str, **schema: Any) -> dict[str, Any]:
    """A declaration as MCP writes it."""
    return {"name": name, "inputSchema": {"type": "object", "properties": {}, **schema}}


def anthropic(*calls: tuple[str, str, Any]) -> dict[str, Any]:
    """A response of Anthropic's that makes these calls."""
    blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
    return {"role": "assistant", "content": blocks, "stop_reason": "tool_use"}


@tool
def count(words: dict[str, int]) -> int:
    """Add up counts of words."""
    return sum(words.values())


def size(arguments: dict[str, Any]) -> int:
    return len(arguments)
