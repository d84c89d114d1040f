"""The tool that the hostile batches call."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Ge, Le

from toolhaft import tool


@tool
def transfer(
    account: str,
    amount: Annotated[int, Ge(0), Le(1_000_000)],
    memo: str = "",
    opts: dict[str, Any] | None = None,
) -> int:
    """Move money."""
    del account, memo, opts
    return amount
