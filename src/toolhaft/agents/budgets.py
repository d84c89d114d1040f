"""The limits of a conversation, its use of them, and the resulting reason to finish."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Any, Final

from toolhaft.agents.events import Reason
from toolhaft.call.outcome import Err, Ok
from toolhaft.definition.options import fault_of_seconds
from toolhaft.errors import ToolhaftError
from toolhaft.providers.ending import StopReason, Usage, sum_usage
from toolhaft.toolset.answers import Answer

__all__ = ["Budgets"]

# The model reads once that it repeats itself.
MOST_LOOPS: Final = 2
# The model's errors before anything ran.
INVALID: Final = frozenset({"invalid_input", "truncated", "unknown_tool"})


class Budgets:
    """The limits of one conversation, and its use of them; None sets no limit.

    The seconds begin at once.

    Raises:
        ToolhaftError: A budget allows nothing.
    """

    def __init__(
        self,
        max_turns: int,
        max_calls: int | None,
        max_invalid: int | None,
        max_seconds: float | None,
        max_total_tokens: int | None,
    ) -> None:
        counts = {"max_turns": max_turns, "max_calls": max_calls, "max_invalid": max_invalid}
        for name, count in counts.items():
            if type(count) is not int and (count is not None or name == "max_turns"):
                raise ToolhaftError(f"run: {name}: not a whole number; pass one")
        if max_turns < 1:
            raise ToolhaftError("run: max_turns: less than 1; allow at least one turn")
        is_wrong = {
            "max_seconds": fault_of_seconds(max_seconds) is not None,
            "max_total_tokens": not (max_total_tokens is None or _is_amount(max_total_tokens)),
        }
        for name, wrong in is_wrong.items():
            if wrong:
                raise ToolhaftError(f"run: {name}: not a number above 0; leave it out for no bound")
        self.max_turns, self.max_calls, self.max_invalid = max_turns, max_calls, max_invalid
        self.max_total_tokens = max_total_tokens
        self.deadline = None if max_seconds is None else monotonic() + max_seconds
        self.turns = self.calls = self.invalid_in_a_row = self.loops_in_a_row = 0
        self.usage: Usage | None = None

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the deadline, at least 0; None without one."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def begin_turn(self, calls: int, usage: Usage | None) -> None:
        """Count a turn of the model, the calls in it, and what it used."""
        self.turns += 1
        self.calls += calls
        self.usage = sum_usage(self.usage, usage)

    @property
    def is_overspent(self) -> bool:
        """Whether the calls of this turn are more than may be made."""
        return self.max_calls is not None and self.calls > self.max_calls

    def find_reason(self, answer: Answer, stopped: StopReason) -> Reason | None:
        """Count what became of a turn; return the reason to finish, if there is one.

        A turn without calls ends the run as the provider says, unless it wants its turn back; one
        with calls that a limit cut off goes on.
        """
        final = [] if answer.output is None else [answer.output]
        self._count_outcomes([*answer.outcomes, *final])
        if stopped in ("failed", "refusal") or (answer.done and stopped != "paused"):
            return stopped
        reasons: dict[Reason, bool] = {
            "approval": bool(answer.pending),
            "max_calls": self.is_overspent,
            "loop": self.loops_in_a_row >= MOST_LOOPS,
            "invalid": self.max_invalid is not None and self.invalid_in_a_row >= self.max_invalid,
            "max_turns": self.turns >= self.max_turns,
            "max_seconds": self.seconds_left == 0,
            "max_total_tokens": self._has_used_its_tokens,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    @property
    def _has_used_its_tokens(self) -> bool:
        used = 0 if self.usage is None else self.usage.total
        return self.max_total_tokens is not None and used >= self.max_total_tokens

    def _count_outcomes(self, outcomes: Iterable[Ok[Any] | Err]) -> None:
        kinds = [outcome.kind if isinstance(outcome, Err) else "ok" for outcome in outcomes]
        self.loops_in_a_row = self.loops_in_a_row + 1 if "loop" in kinds else 0
        for kind in kinds:
            self.invalid_in_a_row = self.invalid_in_a_row + 1 if kind in INVALID else 0


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
