"""The tools of the shop, and the two clients: both processes of the example import these."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from toolhaft import Doc, Injected, Toolset, tool
from toolhaft.toolset.export import Export

KEY = os.environ.get("APPROVAL_KEY", "a secret of the shop's")
SHOP = {"payments": {7: 1900, 8: 500}}
CLIENTS: dict[str, Callable[[], Any]] = {"openai": AsyncOpenAI, "anthropic": AsyncAnthropic}
REQUESTS: dict[str, dict[str, Any]] = {
    "openai": {"model": os.environ.get("MODEL", "gpt-5")},
    "anthropic": {"model": os.environ.get("MODEL", "claude-sonnet-4-5"), "max_tokens": 1024},
}


@tool(annotations={"readOnlyHint": True})
def paid_for(order: int, payments: Injected[dict[int, int]]) -> int:
    """Say how many cents were paid for an order."""
    return payments[order]


@tool(requires_approval=True)
def refund(
    order: int, cents: Annotated[int, Doc("At most what was paid")], payments: Injected[Any]
) -> str:
    """Pay back money for an order."""
    payments[order] -= cents
    return f"{payments[order]} cents are left"


def wire_of(provider: str) -> Export:
    """Give the tools as a provider takes them, alike in both processes."""
    return Toolset([paid_for, refund]).export(provider, strict="prefer")
