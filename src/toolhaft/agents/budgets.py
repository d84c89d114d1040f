"""What a conversation may spend, what it has spent, and the reason to finish that follows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolhaft.agents.events import Reason
from toolhaft.call.outcome import Err, Ok
from toolhaft.providers.ending import StopReason
from toolhaft.toolset.answers import Answer

__all__ = ["Budgets"]

# The model reads once that it repeats itself.
MOST_LOOPS: Final = 2
# What the model did wrong before anything ran.
INVALID: Final = frozenset({"invalid_input", "truncated", "unknown_tool"})


class Budgets:
    """The turns, calls and refused calls in a row of one conversation; None sets no bound."""

    def __init__(self, max_turns: int, max_calls: int | None, max_invalid: int | None) -> None:
        self.max_turns, self.max_calls, self.max_invalid = max_turns, max_calls, max_invalid
        self.turns = self.calls = self.invalid_in_a_row = self.loops_in_a_row = 0

    def begin_turn(self, calls: int) -> None:
        """Count a turn of the model and the calls in it."""
        self.turns += 1
        self.calls += calls

    @property
    def is_overspent(self) -> bool:
        """Whether the calls of this turn are more than may be made."""
        return self.max_calls is not None and self.calls > self.max_calls

    def find_reason(self, answer: Answer, stopped: StopReason) -> Reason | None:
        """Count what became of a turn; return the reason to finish, if there is one.

        A turn without calls ends the run as the provider says, unless it wants its turn back; one
        with calls that a limit cut off goes on.
        """
        self._count_outcomes(answer.outcomes)
        if stopped in ("failed", "refusal") or (answer.done and stopped != "paused"):
            return stopped
        reasons: dict[Reason, bool] = {
            "approval": bool(answer.pending),
            "max_calls": self.is_overspent,
            "loop": self.loops_in_a_row >= MOST_LOOPS,
            "invalid": self.max_invalid is not None and self.invalid_in_a_row >= self.max_invalid,
            "max_turns": self.turns >= self.max_turns,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    def _count_outcomes(self, outcomes: Iterable[Ok[Any] | Err]) -> None:
        kinds = [outcome.kind if isinstance(outcome, Err) else "ok" for outcome in outcomes]
        self.loops_in_a_row = self.loops_in_a_row + 1 if "loop" in kinds else 0
        for kind in kinds:
            self.invalid_in_a_row = self.invalid_in_a_row + 1 if kind in INVALID else 0
