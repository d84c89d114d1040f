"""`Prepared`: a call that was decoded, validated and repaired, and has not run."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Literal

from toolhaft import jsondata
from toolhaft.call import feedback
from toolhaft.call.outcome import Coercion, Err, Ok
from toolhaft.typevars import Out_co

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary

__all__ = ["Prepared"]

USED = "This call has been made already. Please make a new call."


class Prepared(Generic[Out_co]):
    """Arguments that passed every check; `call` runs the tool with exactly these, once."""

    __slots__ = ("_boundary", "_coercions", "_data", "_lock", "_used")

    def __init__(self, boundary: Boundary, data: Any, coercions: tuple[Coercion, ...]) -> None:
        self._boundary = boundary
        self._data = jsondata.snapshot(data)
        self._coercions = coercions
        self._lock = Lock()
        self._used = False

    @property
    def name(self) -> str:
        return self._boundary.rules.name

    @property
    def arguments(self) -> Any:
        """A read-only JSON view of the arguments, repaired, with the handler's defaults."""
        return feedback.frozen(self._boundary.supply.with_defaults(self.json))

    @property
    def json(self) -> Any:
        """The arguments as plain JSON data, repaired, without defaults."""
        return self._data

    @property
    def coercions(self) -> tuple[Coercion, ...]:
        return self._coercions

    async def call(self, *, context: Any = None) -> Ok[Out_co] | Err:
        """Run the tool; a second time is denied."""
        denied = self._denied()
        return await self._boundary.call(self, context) if denied is None else denied

    def call_sync(self, *, context: Any = None) -> Ok[Out_co] | Err:
        """Do as `call` does, without a loop."""
        denied = self._denied()
        return self._boundary.call_sync(self, context) if denied is None else denied

    def _denied(self) -> Err | None:
        with self._lock:
            used, self._used = self._used, True
        return Err("denied", USED, self._boundary.rules) if used else None

    def __bool__(self) -> Literal[True]:
        return True

    def __repr__(self) -> str:
        return f"Prepared(name={self.name!r}, coercions={self.coercions!r})"
