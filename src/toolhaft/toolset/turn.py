"""The calls of one turn: in their tools' own terms to be run, their outcomes in the wire's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from toolhaft.call.outcome import Err, Ok
from toolhaft.call.types import ToolCall
from toolhaft.lowering.lifting import Lifted, Lifting

__all__ = ["PendingCall", "Turn"]


@dataclass(slots=True)
class PendingCall:
    """A call in the tool's own terms, with the way back; or an outcome that is certain already."""

    call: ToolCall
    lifting: Lifting | None = None
    lifted: Lifted | None = None
    refused: Err | None = None

    @property
    def asked(self) -> tuple[str, Any]:
        """The name and the arguments of the call."""
        return self.call.name, self.call.arguments

    def refuse(self, refused: Err | None) -> None:
        """Do not run the call, where there is a reason not to."""
        if refused is not None:
            self.refused = refused

    def told(self, outcome: Ok[Any] | Err) -> Ok[Any] | Err:
        """The outcome of the call that was run, in the wire's terms."""
        if self.lifting is not None and self.lifted is not None:
            outcome = self.lifting.to_wire_outcome(outcome, self.lifted)
            outcome.call_id = self.call.id
        return outcome


class Turn:
    """The calls of one turn: those to run, and the outcomes in the order of the request."""

    def __init__(self, reads: Iterable[PendingCall]) -> None:
        self._reads = list(reads)
        self.own = [one.call for one in self._reads if one.refused is None]

    def told(self, outcomes: Iterable[Ok[Any] | Err]) -> list[Ok[Any] | Err]:
        """Put the outcomes of what was run between those of what was not."""
        ran = iter(outcomes)
        return [one.told(next(ran)) if one.refused is None else one.refused for one in self._reads]
