"""Observe runs of the agent loop, and the turns of the model in them.

An observer that has `run_started` and `turn_started` beside `started` is notified of them. The
scope that it returns is active only while the code of the run or turn runs. In an asynchronous
generator, nothing may stay active in the caller's context between two events.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from toolhaft.observers.call_observers import CallObservers
    from toolhaft.providers.ending import Usage

__all__ = ["Ended", "Observation", "RunObserver", "Scope", "Started"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A run before its first request, or a turn before its request.

    Attributes:
        target: The target of the tools.
        model: The name of the model.
        stream: Whether the responses are streamed.
        number: The number of the turn, from 1; None for the run.
    """

    target: str
    model: str
    stream: bool
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run or a turn ended.

    Attributes:
        reason: Why the run ended, or the provider's own value for why the model stopped;
            "cancelled" if the caller left it.
        failed: Whether it ended by an exception or with the reason `failed`.
        error: The name of an exception's class.
        usage: The tokens, if they are known.
        id: The id of a turn's response.
        model: The model that wrote a turn's response.
    """

    reason: str | None = None
    failed: bool = False
    error: str | None = None
    usage: Usage | None = None
    id: str | None = None
    model: str | None = None


class Scope(Protocol):
    """An observer's scope of a run or a turn while it runs."""

    def active(self) -> AbstractContextManager[Any]:
        """Return a context manager that surrounds code of the run or turn."""
        raise NotImplementedError

    def finished(self, ended: Ended, /) -> object:
        """Handle the end.

        Args:
            ended: How it ended.
        """


class RunObserver(Protocol):
    """An observer that is notified of runs and turns too."""

    def run_started(self, run: Started, /) -> Scope | None:
        """Handle the start of a run.

        Args:
            run: The run before its first request.
        """

    def turn_started(self, turn: Started, /) -> Scope | None:
        """Handle the start of a turn, inside the active scope of its run.

        Args:
            turn: The turn before its request.
        """


class Observation:
    """A run or a turn that observers look at; set `ended` before the block ends."""

    def __init__(
        self,
        observers: CallObservers | None,
        started: Started,
        *,
        run: Observation | None = None,
    ) -> None:
        self._observers, self._started, self._run = observers, started, run
        self._scopes: list[tuple[Any, Scope]] = []
        self.ended = Ended()

    def __enter__(self) -> Self:
        with nullcontext() if self._run is None else self._run.active():
            self._start()
        return self

    def _start(self) -> None:
        method = "run_started" if self._run is None else "turn_started"
        for observer in () if self._observers is None else self._observers.observers:
            start = getattr(observer, method, None)
            scope = self._notify(observer, start, self._started) if start else None
            if scope is not None:
                self._scopes.append((observer, scope))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            name = kind.__name__
            if issubclass(kind, Exception):
                self.ended = replace(self.ended, failed=True, error=name)
            else:
                self.ended = replace(self.ended, reason="cancelled")
        for observer, scope in reversed(self._scopes):
            self._notify(observer, scope.finished, self.ended)

    @contextmanager
    def active(self) -> Generator[None]:
        """Make what observers keep of it active, for code that yields nothing to the caller."""
        with ExitStack() as stack:
            for observer, scope in self._scopes:
                self._notify(observer, lambda scope: stack.enter_context(scope.active()), scope)
            yield

    def turn(self, number: int) -> Observation:
        """Return the observation of a turn of this run."""
        return Observation(self._observers, replace(self._started, number=number), run=self)

    def _notify(self, observer: Any, callback: Any, details: Any) -> Any:
        assert self._observers is not None  # noqa: S101  who calls this has looked
        return self._observers.notify(observer, callback, details)
