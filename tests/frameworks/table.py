"""The table of what passed, as the run of the battery writes it into the page."""

from __future__ import annotations

from tests.frameworks.driver import Loss

__all__ = ["note"]

NOTED: dict[tuple[str, str], str] = {}


def note(host: str, case: str, loss: Loss | None) -> None:
    """Note that a case was seen to pass, or to be lost as its driver says."""
    NOTED[host, case] = "yes" if loss is None else loss.why


def note_round_trip(host: str, tools: int, calls: int) -> None:
    """Note how many tools came back as they went out, and how many calls were answered alike."""
    NOTED[host, "round trip"] = f"{tools} tools, {calls} calls"
