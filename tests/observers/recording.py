"""Tools that end in every way, and an observer that records its notifications."""

from __future__ import annotations

from collections.abc import Callable

from toolhaft import ToolError, tool
from toolhaft.observers.details import CallDetails, CallStarted


class Recorder:
    """Keeps every start and every end."""

    def __init__(self) -> None:
        self.starts: list[CallStarted] = []
        self.ends: list[CallDetails] = []

    def started(self, call: CallStarted, /) -> Callable[[CallDetails], None]:
        self.starts.append(call)
        return self.ends.append

    @property
    def kinds(self) -> list[tuple[str, str]]:
        return [(one.tool, one.kind) for one in self.ends]


@tool
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


@tool
async def fail(how: str) -> str:
    """Fail in one of several ways."""
    if how == "crash":
        raise RuntimeError("the key is sk-live-1")
    raise ToolError("not today")


@tool
def login(user: str, password: str) -> dict[str, str]:
    """Log somebody in."""
    return {"user": user, "token": f"t-{password}"}
