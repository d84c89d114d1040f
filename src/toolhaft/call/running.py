"""Run a tool's handler: in place, in a thread, on a loop, under limits and a deadline."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from toolhaft.call import workers
from toolhaft.call.call_options import CallOptions
from toolhaft.call.limits import Limit, Turn
from toolhaft.call.process import Child, import_name
from toolhaft.call.workers import OnStart

__all__ = ["Runner"]

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


class Runner:
    """Runs one tool's handler; returns its result, or a `RunEnded` that says why there is none.

    `call_sync` and `call` take the handler's arguments, for callers without and with a loop. With
    `is_direct` they are the handler itself: `call_sync`, or `call` if it is async. The arguments of
    an isolated handler are JSON data, and the `CallInfo` if it takes one.
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
        # Nothing is around the handler but its turn.
        self.is_in_place: bool = not self.isolated and options.timeout is None
        self.is_direct: bool = self.is_in_place and not limits

    @property
    def call_sync(self) -> Callable[..., Any]:
        """The function that runs the handler for a caller without a loop."""
        if self.is_direct:
            return self.function
        return self._call_in_turn_sync if self.limits else self._call_sync

    @property
    def call(self) -> Callable[..., Awaitable[Any]]:
        """The function that runs the handler for a caller with a loop."""
        if self.is_direct and self.asynchronous:
            return self.function
        return self._call_in_turn if self.limits else self._call

    async def _call(self, /, *args: Any, **kwargs: Any) -> Any:
        return await self._run(args, kwargs, self.timeout)

    async def _call_in_turn(self, /, *args: Any, **kwargs: Any) -> Any:
        turn = Turn(self.limits, self.timeout, is_alone=self.is_alone)
        try:
            turn.begin()
            refused = None if turn.waiting is None else await turn.wait()
            if refused is not None:
                return refused
            return await self._run(args, kwargs, turn.seconds_left, turn.keep_until_done)
        finally:
            turn.end()

    async def _run(
        self, args: Args, kwargs: Kwargs, timeout: float | None, on_start: OnStart | None = None
    ) -> Any:
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

    def _call_sync(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._run_sync(args, kwargs, self.timeout)

    def _call_in_turn_sync(self, /, *args: Any, **kwargs: Any) -> Any:
        turn = Turn(self.limits, self.timeout, is_alone=self.is_alone)
        try:
            turn.begin()
            refused = None if turn.waiting is None else turn.wait_sync()
            if refused is not None:
                return refused
            if self.is_in_place:
                return self.function(*args, **kwargs)
            return self._run_sync(args, kwargs, turn.seconds_left, turn.keep_until_done)
        finally:
            turn.end()

    def _run_sync(
        self, args: Args, kwargs: Kwargs, timeout: float | None, on_start: OnStart | None = None
    ) -> Any:
        if self.isolated:
            child = self._child(args)
            try:
                return _run_within(child.run, timeout, on_start)
            finally:
                child.kill()
        if timeout is None:
            return self.function(*args, **kwargs)
        return _run_within(partial(self.function, *args, **kwargs), timeout, on_start)

    def _child(self, args: Args) -> Child:
        data, info = args
        return Child(import_name(self.function), data, self.errors, info)


def _run_within(job: Callable[[], Any], timeout: float | None, on_start: OnStart | None) -> Any:
    return job() if timeout is None else workers.run_in_thread_sync(job, timeout, on_start)
