"""A call with its observers around it: limits asked, start told, end told, whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns, time_ns
from typing import Any, Self, TypeVar

from toolhaft.call import report
from toolhaft.call.call_options import CallOptions
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.prepared import Prepared
from toolhaft.call.types import ToolCall
from toolhaft.definition import names
from toolhaft.errors import ToolhaftError
from toolhaft.observers import Finish, Limiter, Observer
from toolhaft.observers.details import CallDetails, CallStarted

__all__ = ["CallObservers", "ObservedCall"]

T = TypeVar("T")

MOST_NAME = 80
MOST_ID = 200
UNDECIDED = "The call was not run, because of an internal error (id {})."


class CallObservers:
    """The observers and limiters of one toolset.

    Raises:
        ToolhaftError: Something among them is not of the shape, as a class is not.
    """

    __slots__ = ("_told", "limiters", "observers")

    def __init__(self, observers: tuple[Observer, ...], limiters: tuple[Limiter, ...]) -> None:
        _check("observers", observers, "started")
        _check("limiters", limiters, "admit")
        self.observers: tuple[Observer, ...] = observers
        self.limiters: tuple[Limiter, ...] = limiters
        self._told: set[int] = set()

    def over(
        self,
        call: ToolCall,
        description: str | None,
        refused: Err | None = None,
        *,
        limited: bool = True,
    ) -> ObservedCall:
        """Watch over one call; `description` is None where there is no such tool.

        `refused` is an outcome that is certain already. The limits are not asked again for a call
        that they let pass before it waited for a person.
        """
        known = description is not None
        return ObservedCall(
            self,
            CallStarted(
                tool=call.name if known else names.escape_text(call.name, MOST_NAME),
                known=known,
                description=description,
                call_id=None if call.id is None else names.escape_text(call.id, MOST_ID),
                target=call.target,
                started_ns=time_ns(),
                raw=call.arguments,
            ),
            refused,
            limited=limited and known and refused is None,
        )

    def approved(
        self, description: str | None, target: str | None, one: Prepared[Any]
    ) -> ObservedCall:
        """Watch over the run of a call that waited for a person."""
        call = ToolCall(one.call_id, one.name, one.json, target=target)
        return self.over(call, description, limited=False)

    def refusal(self, call: CallStarted) -> Err | None:
        """Ask every limiter, until one refuses."""
        for limiter in self.limiters:
            try:
                refused = limiter.admit(call)
            except Exception as error:  # noqa: BLE001  the program's own code runs here
                return _undecided(call, error)
            if refused is not None:
                return refused
        return None

    def guarded(self, observer: Observer, told: Callable[[T], Any], what: T) -> Any:
        """Tell an observer something; the first time that it raises is logged."""
        try:
            return told(what)
        except Exception as error:  # noqa: BLE001  an observer must never break a call
            if id(observer) not in self._told:
                self._told.add(id(observer))
                report.log_observer(type(observer).__name__, error)
            return None


class ObservedCall:
    """One call while it lasts: give it its `outcome` before the block ends, unless cancelled.

    Where there is a `refused` inside the block, that is the outcome, and nothing may run.
    """

    __slots__ = ("_began", "_call", "_finishes", "_limited", "_watch", "outcome", "refused")

    def __init__(
        self, watch: CallObservers, call: CallStarted, refused: Err | None, *, limited: bool
    ) -> None:
        self._watch = watch
        self._call = call
        self._limited = limited
        self.refused: Err | None = refused
        self.outcome: Ok[Any] | Err | None = None

    def __enter__(self) -> Self:
        self._began = perf_counter_ns()
        watch, call = self._watch, self._call
        self._finishes: list[tuple[Observer, Finish]] = [
            (one, finish)
            for one in watch.observers
            if (finish := watch.guarded(one, one.started, call)) is not None
        ]
        if self._limited:
            self.refused = watch.refusal(call)
        return self

    def __exit__(self, *_: object) -> None:
        call = self._call
        done = CallDetails(
            **{name: getattr(call, name) for name in CallStarted.__slots__},
            duration_ns=perf_counter_ns() - self._began,
            outcome=self.outcome,
        )
        for observer, finish in reversed(self._finishes):
            self._watch.guarded(observer, finish, done)


def _check(option: str, given: tuple[object, ...], method: str) -> None:
    for one in given:
        if isinstance(one, type):
            raise ToolhaftError(f"{option}: {one.__name__} is a class; pass an instance of it")
        if not callable(getattr(one, method, None)):
            name = type(one).__name__
            raise ToolhaftError(f"{option}: {name} has no method {method}; give it one")


def _undecided(call: CallStarted, error: Exception) -> Err:
    error_id = report.log_crash(call.tool, error)
    return Err(
        "runtime_error", UNDECIDED.format(error_id), CallOptions(call.tool), error_id=error_id
    )
