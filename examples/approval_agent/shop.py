"""The tools of the shop, and its two providers: both processes of the example import these."""

from __future__ import annotations

import os
from typing import Annotated, Any

from toolhaft import Doc, Injected, Toolset, tool
from toolhaft.toolset.export import Export

KEY = os.environ.get("APPROVAL_KEY", "a secret of the shop's")
SHOP = {"payments": {7: 1900, 8: 500}}
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


def client_of(provider: str) -> Any:
    """Make the client of a provider; the other SDK need not be there."""
    if provider == "openai":
        from openai import AsyncOpenAI

        return AsyncOpenAI()
    from anthropic import AsyncAnthropic

    return AsyncAnthropic()


def wire_of(provider: str) -> Export:
    """Return the tools as a provider takes them, alike in both processes."""
    return Toolset([paid_for, refund]).export(provider, strict="prefer")
