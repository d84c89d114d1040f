"""Run a tool's handler: in place, in a thread, on a loop, under limits and a deadline."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from toolhaft.call import workers
from toolhaft.call.call_options import CallOptions
from toolhaft.call.limits import Limit, Turn
from toolhaft.call.process import Child, import_name

__all__ = ["Runner"]

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


class Runner:
    """Runs one tool's handler; gives its result, or a `RunEnded` that says why there is none.

    With `in_place` the handler may be called directly: awaited if it is async, else where there is
    no loop. The arguments of an isolated handler are JSON data, and the `CallInfo` if it
    takes one.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: CallOptions,
        limits: tuple[Limit, ...] = (),
        *,
        asynchronous: bool,
    ) -> None:
        self.function = function
        self.timeout: float | None = options.timeout
        self.offload: bool = options.offload
        self.is_alone: bool = not options.parallel
        self.limits = limits
        self.asynchronous = asynchronous
        self.isolated: bool = options.isolation == "process"
        self.errors: Mapping[type[Exception], str] = options.errors
        runs_elsewhere = self.isolated or options.timeout is not None
        self.in_place: bool = not (runs_elsewhere or limits)
        self.run: Callable[[Args, Kwargs], Awaitable[Any]] = self._run
        if limits:
            self.run = self._run_in_turn
        elif asynchronous and self.timeout is None and not self.isolated:
            # Most async handlers: awaited by the boundary itself.
            self.run = lambda args, kwargs: function(*args, **kwargs)

    async def _run(self, args: Args, kwargs: Kwargs, turn: Turn | None = None) -> Any:
        timeout, on_start = (
            (self.timeout, None) if turn is None else (turn.seconds_left, turn.keep_until_done)
        )
        if self.isolated:
            child = self._child(args)
            try:
                return await workers.run_in_thread(child.run, timeout, on_start)
            finally:
                child.kill()
        if not self.asynchronous:
            if self.offload:
                job = partial(self.function, *args, **kwargs)
                return await workers.run_in_thread(job, timeout, on_start)
            return self.function(*args, **kwargs)
        if timeout is None:
            return await self.function(*args, **kwargs)
        return await workers.await_until(self.function(*args, **kwargs), timeout, on_start)

    async def _run_in_turn(self, args: Args, kwargs: Kwargs) -> Any:
        turn = Turn(self.limits, self.timeout, is_alone=self.is_alone)
        with turn.hold():
            refused = await turn.wait()
            return refused or await self._run(args, kwargs, turn)

    def run_sync(self, args: Args, kwargs: Kwargs) -> Any:
        """Run a sync handler for a caller without a loop."""
        if self.in_place:
            return self.function(*args, **kwargs)
        if not self.isolated:
            return self._run_in_turn_sync(partial(self.function, *args, **kwargs))
        child = self._child(args)
        try:
            return self._run_in_turn_sync(child.run)
        finally:
            child.kill()

    def _child(self, args: Args) -> Child:
        data, info = args
        return Child(import_name(self.function), data, self.errors, info)

    def _run_in_turn_sync(self, job: Callable[[], Any]) -> Any:
        if not self.limits:
            return self._run_sync(job, self.timeout)
        turn = Turn(self.limits, self.timeout, is_alone=self.is_alone)
        with turn.hold():
            refused = turn.wait_sync()
            return refused or self._run_sync(job, turn.seconds_left, turn.keep_until_done)

    def _run_sync(
        self, job: Callable[[], Any], timeout: float | None, on_start: workers.OnStart | None = None
    ) -> Any:
        return job() if timeout is None else workers.run_in_thread_sync(job, timeout, on_start)
