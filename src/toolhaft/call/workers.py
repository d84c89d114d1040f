"""Run handlers in a thread, on the library's own loop, or under a deadline.

The threads are daemons, so that a handler that never ends cannot keep a program from ending. A
thread cannot be stopped: threads that outlive their deadline are counted, and when they fill the
pool a new job is rejected instead of queued behind them.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar, copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread, get_ident
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.call.report import log_loop, traceback_of

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

__all__ = [
    "Crashed",
    "OnStart",
    "Overloaded",
    "Pool",
    "RunEnded",
    "TimedOut",
    "await_until",
    "is_stopping",
    "run_in_loop",
    "run_in_thread",
    "run_in_thread_sync",
]

# Called with the future or the task that is done when the handler ends, however late.
OnStart: TypeAlias = "Callable[[Future[Any] | asyncio.Task[Any]], None]"

# The most threads of asyncio's default executor (Python 3.11, min(32, cores + 4)).
THREADS = 32


class RunEnded:
    """A handler gave no result."""

    __slots__ = ()


class Crashed(RunEnded):
    """The handler raised; a value, as a future cannot hold every exception."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class TimedOut(RunEnded):
    """The deadline passed first; `begun` is whether the handler may have acted."""

    __slots__ = ("begun",)

    def __init__(self, *, begun: bool) -> None:
        self.begun = begun


class Overloaded(RunEnded):
    """The handler was not run: every thread has a handler that outlived its deadline."""

    __slots__ = ()


Job: TypeAlias = "tuple[Future[Any], Callable[[], Any]]"
# Whether a job of the pool is running this code, in any thread or loop.
IN_POOL: ContextVar[bool] = ContextVar("toolhaft_in_pool", default=False)


class Pool:
    """A pool of threads, started when they are needed, and kept.

    A job that another job submits never waits for a thread, as the first may wait for it: where no
    thread is free, it gets one beyond the size. `idle` is how many threads have no job, less the
    jobs that are queued: each of those has a thread that takes it, sooner or later.
    """

    def __init__(self, size: int = THREADS) -> None:
        self.size = size
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Reset the pool, as in a forked process, where the threads do not run."""
        self.lock = Lock()
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.threads = self.idle = self.abandoned = 0

    def submit(self, job: Callable[[], Any]) -> Future[Any] | None:
        """Queue a job with the caller's contextvars, or return None if no thread can take it."""
        from concurrent.futures import Future

        future: Future[Any] = Future()
        context = copy_context()
        nested = context.get(IN_POOL, False)
        context.run(IN_POOL.set, True)
        queued: Job = future, lambda: context.run(_run_caught, job)
        with self.lock:
            if self.abandoned >= self.size:
                return None
            if self.idle <= 0 and (nested or self.threads < self.size):
                self.threads += 1
                Thread(target=self._work, args=([queued],), name="toolhaft", daemon=True).start()
            else:
                self.idle -= 1
                self.jobs.put(queued)
        return future

    def _work(self, first: list[Job]) -> None:
        future, job = first.pop()
        while True:
            begins = future.set_running_or_notify_cancel()
            result = job() if begins else None
            # Before the result is known: the next job, which its receiver may submit, has a thread.
            with self.lock:
                is_left_over = self.threads > self.size
                self.threads -= is_left_over
                self.idle += not is_left_over
            if begins:
                future.set_result(result)
            # A thread that waits for the next job must not keep their data alive.
            del future, job, result
            if is_left_over:
                return
            future, job = self.jobs.get()

    def abandon(self, future: Future[Any]) -> TimedOut:
        """Abandon a job: it never begins, or its thread counts as abandoned until it ends."""
        if future.cancel():
            return TimedOut(begun=False)
        with self.lock:
            self.abandoned += 1
        future.add_done_callback(self._forget_abandoned)
        self._reject_queued()
        return TimedOut(begun=True)

    def _reject_queued(self) -> None:
        """Reject the queued jobs, once every thread is abandoned."""
        while self.abandoned >= self.size:
            try:
                future, _ = self.jobs.get_nowait()
            except Empty:
                return
            with self.lock:
                self.idle += 1
            if future.set_running_or_notify_cancel():
                future.set_result(Overloaded())

    def _forget_abandoned(self, _: Future[Any]) -> None:
        with self.lock:
            self.abandoned -= 1


POOL = Pool()


def _run_caught(job: Callable[[], Any]) -> Any:
    try:
        return job()
    except BaseException as error:  # noqa: BLE001  a handler runs here
        return Crashed(error)


def _start(job: Callable[[], Any], on_start: OnStart | None) -> Future[Any] | None:
    """Queue a job in the pool, and notify `on_start`; return None if the pool has no room."""
    future = POOL.submit(job)
    if future is not None and on_start is not None:
        on_start(future)
    return future


async def run_in_thread(
    job: Callable[[], Any], timeout: float | None, on_start: OnStart | None = None
) -> Any:
    """Run a sync handler in a worker; `TimedOut` comes on time, whatever the thread still does."""
    import asyncio

    future = _start(job, on_start)
    if future is None:
        return Overloaded()
    waiting = asyncio.wrap_future(future)
    try:
        done, _ = await asyncio.wait({waiting}, timeout=timeout)
    except asyncio.CancelledError:
        POOL.abandon(future)
        raise
    return waiting.result() if done else POOL.abandon(future)


def run_in_thread_sync(
    job: Callable[[], Any], timeout: float | None, on_start: OnStart | None = None
) -> Any:
    """Synchronous version of `run_in_thread`."""
    from concurrent.futures import TimeoutError as Expired

    future = _start(job, on_start)
    if future is None:
        return Overloaded()
    try:
        return future.result(timeout)
    except Expired:
        return POOL.abandon(future)
    except BaseException:  # a Ctrl-C while waiting
        POOL.abandon(future)
        raise


# The loop itself keeps only weak references to its tasks.
ABANDONED_TASKS: set[asyncio.Task[Any]] = set()


async def await_until(
    awaitable: Awaitable[Any], timeout: float, on_start: OnStart | None = None
) -> Any:
    """Await a handler until its deadline; one that ignores its cancellation is left behind.

    When the caller is cancelled, so is the handler, and has its time once more to clean up.
    """
    import asyncio

    task = asyncio.ensure_future(_await_caught(awaitable))
    if on_start is not None:
        on_start(task)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    except asyncio.CancelledError:
        await _cancel(task, timeout)
        raise
    if done:
        return task.result()
    await _cancel(task, 0)
    return TimedOut(begun=True)


async def _cancel(task: asyncio.Task[Any], patience: float) -> None:
    """Cancel a handler, and wait for it as long as there is patience."""
    import asyncio

    ABANDONED_TASKS.add(task)
    task.add_done_callback(ABANDONED_TASKS.discard)
    task.cancel()
    if patience:
        await asyncio.wait({task}, timeout=patience)


async def _await_caught(awaitable: Awaitable[Any]) -> Any:
    try:
        return await awaitable
    except BaseException as error:  # noqa: BLE001  a handler runs here, and could end the loop
        return Crashed(error)


class _Loop:
    """The library's own event loop, in a thread of its own, made on first use."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        # Loops of the process that was forked: to close one would close what that one listens to.
        self.loops_of_parents: list[asyncio.AbstractEventLoop | None] = []
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Reset the loop, as in a forked process, where its thread does not run."""
        self.lock = Lock()
        self.loops_of_parents.append(self.loop)
        self.loop = None
        self.thread: int | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        import asyncio

        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                thread = Thread(
                    target=_run_forever, args=(self.loop,), name="toolhaft-loop", daemon=True
                )
                thread.start()
                self.thread = thread.ident
            return self.loop


def _run_forever(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop that serves every sync caller: no call can end another call through it.

    A handler may stop it, and `SystemExit` in a task or a callback of a handler leaves it.
    """
    while not loop.is_closed():
        try:
            loop.run_forever()
        except BaseException as error:  # noqa: BLE001  what handlers left on the loop runs here
            log_loop(error)


LOOP = _Loop()


def run_in_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end on the library's own loop, with the caller's contextvars.

    Raises:
            CancelledError: code on the loop cancelled the coroutine; its caller cannot.
        RuntimeError: called by code that runs on that very loop, which would wait for itself.
    """
    from concurrent.futures import Future

    if get_ident() == LOOP.thread:
        coroutine.close()
        raise RuntimeError("call_sync would block the loop that it needs; await call instead")
    waiting: Future[Any] = Future()
    try:
        LOOP.get().call_soon_threadsafe(_start_task, coroutine, waiting)
        result = waiting.result()
    except BaseException:  # a Ctrl-C at any moment: the coroutine must not run on alone
        waiting.cancel()
        raise
    if not isinstance(result, Crashed):
        return result
    try:
        raise result.error
    finally:
        del result, waiting  # an exception knows this frame, and they would hold each other


def _start_task(coroutine: Coroutine[Any, Any, Any], waiting: Future[Any]) -> None:
    """Run a coroutine on the loop until it ends, or until nobody waits for it any more."""
    import asyncio

    if waiting.cancelled():
        coroutine.close()
        return
    loop = asyncio.get_running_loop()
    task = loop.create_task(_await_caught(coroutine))

    def on_end(task: asyncio.Task[Any]) -> None:
        if waiting.set_running_or_notify_cancel():
            cancelled = Crashed(asyncio.CancelledError())
            waiting.set_result(cancelled if task.cancelled() else task.result())

    def on_cancel(waiting: Future[Any]) -> None:
        if waiting.cancelled():
            loop.call_soon_threadsafe(task.cancel)

    task.add_done_callback(on_end)
    waiting.add_done_callback(on_cancel)


def is_stopping(error: BaseException) -> bool:
    """Whether the caller is being stopped, as against a callback that raised such a thing."""
    if issubclass(type(error), GeneratorExit):
        # A coroutine that is closed gets the exception in its own frame, a callback raises in
        # another.
        trace = traceback_of(error)
        return trace is not None and trace.tb_next is None
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not issubclass(type(error), asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs here, so that nobody can be cancelled
        return False
    return task is not None and task.cancelling() > 0
