"""Observe calls: ask the limiters, and notify observers of start and end, whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns, time_ns
from typing import Any, Protocol, Self, TypeVar

from toolhaft.call import report
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callers import caller_id
from toolhaft.call.internals import edit_of
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.prepared import Prepared
from toolhaft.call.types import ToolCall
from toolhaft.definition import names
from toolhaft.errors import ToolhaftError
from toolhaft.observers import Finish, Limiter, Observer
from toolhaft.observers.details import CallDetails, CallStarted, of_fields

__all__ = ["CallObservers", "ObservedCall"]

T = TypeVar("T")


class Described(Protocol):
    """A tool, of which observers are shown the description."""

    @property
    def description(self) -> str: ...


MOST_NAME = 80
MOST_ID = 200
UNDECIDED = "The call was not run, because of an internal error (id {})."


class CallObservers:
    """The observers and limiters of one toolset.

    Raises:
        ToolhaftError: An object has not the method that it needs, or is a class.
    """

    __slots__ = ("_logged_observers", "limiters", "observers")

    def __init__(self, observers: tuple[Observer, ...], limiters: tuple[Limiter, ...]) -> None:
        _check_objects("observers", observers, "started")
        _check_objects("limiters", limiters, "admit")
        self.observers: tuple[Observer, ...] = observers
        self.limiters: tuple[Limiter, ...] = limiters
        self._logged_observers: set[int] = set()

    @property
    def read_values(self) -> bool:
        """Whether some observer reads arguments: all do but those with a false `reads_values`."""
        return any(getattr(observer, "reads_values", True) for observer in self.observers)

    def observe(
        self,
        call: ToolCall,
        tool: Described | None,
        refused: Err | None = None,
        *,
        limited: bool = True,
        context: Any = None,
        **approved: Any,
    ) -> ObservedCall:
        """Observe one call; `tool` is None if it is unknown.

        `refused` is an outcome that is certain already, `approved` the fields of a call that a
        person approved. Limits do not run again for a call that passed them before it waited for a
        person.
        """
        known = tool is not None
        return ObservedCall(
            self,
            of_fields(
                CallStarted,
                {
                    "tool": call.name if known else names.escape_text(call.name, MOST_NAME),
                    "known": known,
                    "description": None if tool is None else tool.description,
                    "call_id": None if call.id is None else names.escape_text(call.id, MOST_ID),
                    "origin": call.origin,
                    "caller_id": None if call.caller is None else _escape_caller(call.caller),
                    "target": call.target,
                    "started_ns": time_ns(),
                    "raw": call.arguments,
                    "context": context,
                    **approved,
                },
            ),
            refused,
            limited=limited and known and refused is None,
        )

    def observe_approved(
        self,
        tool: Described,
        target: str | None,
        prepared: Prepared[Any],
        context: Any = None,
    ) -> ObservedCall:
        """Observe the run of a call that waited for a person."""
        call = ToolCall(
            *(prepared.call_id, prepared.name, prepared.json),
            target=target,
            caller=prepared.caller,
            origin=prepared.origin,
        )
        edit = edit_of(prepared)
        return self.observe(
            *(call, tool),
            limited=False,
            context=context,
            approved=True,
            digest=prepared.digest,
            asked_digest=None if edit is None else edit.asked,
        )

    def ask_limiters(self, call: CallStarted) -> Err | None:
        """Ask every limiter, until one refuses."""
        for limiter in self.limiters:
            try:
                refused = limiter.admit(call)
            except BaseException as error:  # noqa: BLE001  the program's own code runs here
                raise_interrupt(error)
                return _to_undecided(call, error)
            if refused is None:
                continue
            if type(refused) is Err:
                return refused
            return _to_undecided(call, TypeError("a limiter's admit gave no outcome and not None"))
        return None

    def notify(self, observer: Observer, callback: Callable[[T], Any], details: T) -> Any:
        """Notify an observer; the first exception of each is logged."""
        try:
            return callback(details)
        except BaseException as error:  # noqa: BLE001  an observer must never break a call
            raise_interrupt(error)
            if id(observer) not in self._logged_observers:
                self._logged_observers.add(id(observer))
                report.log_observer(report.class_name(type(observer)), error)
            return None


class ObservedCall:
    """One observed call: set its `outcome` before the block ends, unless it is cancelled.

    If `refused` is set inside the block, it is the outcome, and nothing may run.
    """

    __slots__ = (
        "_call",
        "_finishes",
        "_limited",
        "_observers",
        "_started_ns",
        "outcome",
        "refused",
    )

    def __init__(
        self, observers: CallObservers, call: CallStarted, refused: Err | None, *, limited: bool
    ) -> None:
        self._observers = observers
        self._call = call
        self._limited = limited
        self.refused: Err | None = refused
        self.outcome: Ok[Any] | Err | None = None

    def __enter__(self) -> Self:
        self._started_ns = perf_counter_ns()
        observers, call = self._observers, self._call
        self._finishes: list[tuple[Observer, Finish]] = []
        for observer in observers.observers:
            finish = observers.notify(observer, observer.started, call)
            if finish is not None:
                self._finishes.append((observer, finish))
        if self._limited and observers.limiters:
            self.refused = observers.ask_limiters(call)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._finishes:
            return
        outcome = self.outcome
        ended = {"duration_ns": perf_counter_ns() - self._started_ns, "outcome": outcome}
        details = of_fields(CallDetails, {**vars(self._call), **_digests(outcome), **ended})
        for observer, finish in reversed(self._finishes):
            self._observers.notify(observer, finish, details)


def _escape_caller(caller: dict[str, Any]) -> str | None:
    found = caller_id(caller)
    return None if found is None else names.escape_text(found, MOST_ID)


def _digests(outcome: Ok[Any] | Err | None) -> dict[str, str]:
    """Return the digests of a call that a person was asked about, and of what they changed."""
    if outcome is not None and outcome.decision is not None:
        decision = outcome.decision
        asked = {} if decision.asked is None else {"asked_digest": decision.asked}
        return {"digest": decision.digest, **asked}
    prepared = outcome.prepared if isinstance(outcome, Err) else None
    return {} if prepared is None else {"digest": prepared.digest}


def _check_objects(option: str, objects: tuple[object, ...], method: str) -> None:
    for candidate in objects:
        if isinstance(candidate, type):
            raise ToolhaftError(
                f"{option}: {candidate.__name__} is a class; pass an instance of it"
            )
        if not callable(getattr(candidate, method, None)):
            name = type(candidate).__name__
            raise ToolhaftError(f"{option}: {name} has no method {method}; give it one")


def _to_undecided(call: CallStarted, error: BaseException) -> Err:
    error_id = report.log_crash(call.tool, error)
    return Err(
        "runtime_error", UNDECIDED.format(error_id), CallOptions(call.tool), error_id=error_id
    )
