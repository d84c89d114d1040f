"""Keep some workers running on one socket, replace workers that end, and stop them all.

Only the end of a process counts: a busy worker never has to answer. Each worker has the read end of
a pipe whose other end only the supervisor has. It drains when that closes, so that a supervisor
which is killed leaves no worker behind.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from subprocess import DEVNULL
from threading import Event, Thread
from typing import Any, Final, NamedTuple

__all__ = ["Endpoints", "Supervisor", "end_with_supervisor", "hear_signals", "hold_signals"]
__all__ += ["tell_ready"]

# A worker that ends before it could be reached is started again after this, and twice as long
# the next time.
FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 30.0
# So much longer than its own drain a worker may take to end before it is killed.
GRACE_SECONDS: Final = 5.0
READY_BYTES: Final = 20
STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
LOG: Final = logging.getLogger("toolhaft.serve")


class Endpoints(NamedTuple):
    """The descriptors that a worker inherits: its listening socket, and its pipes."""

    listening: int
    life: int  # reads until the supervisor ends
    ready: int  # is written to when the worker can be reached


class Supervisor:
    """Runs `count` workers; `command` is what starts one that inherits some descriptors.

    `on_start` is called once, when every worker can be reached for the first time, with what they
    told: how many tools they serve.
    """

    def __init__(
        self,
        count: int,
        command: Callable[[Endpoints], Sequence[str]],
        drain_seconds: float,
        on_start: Callable[[int], Any],
    ) -> None:
        self._count = count
        self._command = command
        self._most_seconds = drain_seconds + GRACE_SECONDS
        self._on_start = on_start
        self._running: set[Process] = set()
        self._reached = 0
        self._stop: asyncio.Event
        self._signal: signal.Signals | None = None

    def run(self, listening: socket.socket) -> int:
        """Serve until a signal comes; return an exit code.

        That of the first worker, if that ends before it can be reached: nothing was served then,
        and the worker has written the reason, unless a signal ended it.
        """
        return asyncio.run(self._run(listening))

    async def _run(self, listening: socket.socket) -> int:
        self._stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in STOPPING:
            loop.add_signal_handler(number, self._pass_on, number)
        life, self_alive = os.pipe()
        try:
            first = await self._start(listening, life)
            if not await self._wait_until_ready(first) and not self._signal:
                return self._exit_code(await first[0].wait())
            keeping = [self._keep(listening, life, first)]
            keeping += [self._keep(listening, life) for _ in range(self._count - 1)]
            await asyncio.gather(*keeping)
        finally:
            os.close(self_alive)
            os.close(life)
        return 128 + signal.SIGINT if self._signal == signal.SIGINT else 0

    @staticmethod
    def _exit_code(code: int) -> int:
        if code <= 0:
            LOG.error("the first worker ended before it could serve, with exit code %d", code)
        return max(code, 1)

    def _pass_on(self, number: signal.Signals) -> None:
        """Signal the workers to stop; a second Ctrl-C reaches them too, and ends them at once."""
        if self._signal is None:
            self._signal = number
            asyncio.get_running_loop().call_later(self._most_seconds, self._kill)
        self._stop.set()
        self._send(number)

    def _send(self, number: signal.Signals) -> None:
        for process in self._running:
            with suppress(ProcessLookupError):
                process.send_signal(number)

    def _kill(self) -> None:
        self._send(signal.SIGKILL)

    async def _start(self, listening: socket.socket, life: int) -> tuple[Process, int]:
        """Start a worker; return it and the pipe on which it tells that it can be reached."""
        ready, writer = os.pipe()
        endpoints = Endpoints(listening.fileno(), life, writer)
        try:
            with hold_signals():
                process = await asyncio.create_subprocess_exec(
                    *self._command(endpoints),
                    stdin=DEVNULL,
                    pass_fds=endpoints,
                    process_group=0,  # Ctrl-C of a terminal is passed on, and not sent twice
                )
        finally:
            os.close(writer)
        self._running.add(process)
        if self._signal:  # it came while the worker was started
            process.send_signal(signal.SIGTERM)
        return process, ready

    async def _wait_until_ready(self, worker: tuple[Process, int]) -> bool:
        """Wait until a worker can be reached; False where it ended before."""
        told = await asyncio.to_thread(os.read, worker[1], READY_BYTES)
        os.close(worker[1])
        if told:
            self._reached += 1
            if self._reached == self._count:
                self._on_start(int(told))
        return bool(told)

    async def _keep(
        self, listening: socket.socket, life: int, worker: tuple[Process, int] | None = None
    ) -> None:
        """Keep one worker running until the supervisor stops."""
        pause = FIRST_PAUSE_SECONDS
        is_ready = worker is not None
        while not self._stop.is_set():
            if worker is None:
                worker = await self._start(listening, life)
                is_ready = await self._wait_until_ready(worker)
            code = await worker[0].wait()
            self._running.discard(worker[0])
            if self._stop.is_set():
                return
            LOG.error("worker %d ended with exit code %d; starting another", worker[0].pid, code)
            worker = None
            if not is_ready:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), pause)
            pause = FIRST_PAUSE_SECONDS if is_ready else min(2 * pause, LONGEST_PAUSE_SECONDS)


@contextmanager
def hold_signals() -> Generator[None]:
    """Hold the signals to stop of processes that start in the block, until they hear them.

    Before its handlers stand, a signal would end a process as if it had failed.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def hear_signals() -> None:
    """Take the signals to stop that were held for this process, and further ones."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


def end_with_supervisor(life: int, stop: Callable[[], Any], most_seconds: float) -> None:
    """Stop this worker when its supervisor ends; if it does not stop in time, end the process.

    A thread waits for it, so that a handler which blocks the loop does not matter.
    """

    def wait() -> None:
        os.read(life, 1)  # nothing is ever written
        stop()
        Event().wait(most_seconds)
        os._exit(1)

    Thread(target=wait, name="toolhaft-life", daemon=True).start()


def tell_ready(ready: int, tools: int) -> None:
    """Report to the supervisor that this worker can be reached, and how many tools it serves."""
    os.write(ready, str(tools).encode())
    os.close(ready)
