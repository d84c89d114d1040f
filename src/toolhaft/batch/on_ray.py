"""Gate pieces in tasks of a Ray cluster that sees the same files; Ray repeats lost tasks."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from importlib import import_module
from logging import WARNING
from typing import Any, Self

from toolhaft.batch.compression import NeedsLibrary
from toolhaft.batch.journal import Changed
from toolhaft.batch.pieces import Piece
from toolhaft.batch.pool import MOST_DEATHS, Setup
from toolhaft.batch.work import Done, Worker, take_apart, with_rows
from toolhaft.call.interrupts import CTRL_C_IS_A_SIGNAL

__all__ = ["RayPool"]

# Pieces that wait for a worker, in addition to pieces in progress.
MOST_WAITING = 4


class RayPool:
    """A cluster that gates pieces, in a `with` block; `digest` is the digest of its tools.

    `address` names a running cluster; without it, a cluster of this machine alone is started.

    Raises:
        NeedsLibrary: Ray is not installed.
        ConnectionError: There is no cluster at the address.
            Exception: Any exception that `make_job` raised in a worker.
    """

    def __init__(self, setup: Setup, workers: int | None, address: str | None = None) -> None:
        self.setup = setup
        self._ray: Any = _import_ray()
        # A cluster that the program has started already is used, and left running.
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            size = {} if address else {"num_cpus": workers}
            quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": WARNING}
            self._ray.init(address, **quiet, **size)
        self._workers = workers or int(self._ray.cluster_resources().get("CPU", 1))
        remote = self._ray.remote
        self._task: Any = remote(num_cpus=1, max_retries=MOST_DEATHS - 1)(_gate)
        try:
            self.digest: str = self._get(remote(num_cpus=1)(_digest).remote(setup))
        except BaseException:
            self._stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._is_ours:
            self._ray.shutdown()

    def run(self, pieces: Iterable[Piece]) -> Iterator[Done]:
        """Yield each piece when it is done, in order.

        Raises:
            Exception: Any exception of a worker.
        """
        waiting = deque[tuple[Piece, Any]]()
        for piece in pieces:
            if len(waiting) >= self._workers + MOST_WAITING:
                yield self._receive(*waiting.popleft())
            waiting.append((piece, self._send(piece)))
        while waiting:
            yield self._receive(*waiting.popleft())

    def _send(self, piece: Piece) -> Any:
        return self._task.remote(self.setup, self.digest, piece)

    def _receive(self, piece: Piece, reference: Any) -> Done:
        try:
            done: Done = self._get(reference)
        except self._ray.exceptions.WorkerCrashedError:
            return take_apart(piece, self._try_alone, self.setup.name)
        return done

    def _get(self, reference: Any) -> Any:
        """Wait for a task, and raise its own exception without Ray's wrapper."""
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            cause: Exception = error.cause
            raise cause from None

    def _try_alone(self, piece: Piece) -> Done | None:
        try:
            task = self._task.options(max_retries=0)
            done: Done = self._get(task.remote(self.setup, self.digest, piece))
        except self._ray.exceptions.WorkerCrashedError:
            return None
        return with_rows(done, self.setup.folder)


def _import_ray() -> Any:
    try:
        return import_module("ray")
    except ImportError:
        raise NeedsLibrary("ray is not installed: pip install 'toolhaft[ray]'") from None


_workers: dict[bytes, tuple[Worker, str]] = {}


def _digest(setup: Setup) -> str:
    return setup.make_job(True)[1]


def _gate(setup: Setup, digest: str, piece: Piece) -> Done:
    """Gate one piece; each process of the cluster loads the tools once."""
    CTRL_C_IS_A_SIGNAL.set(True)
    key = pickle.dumps(setup)
    if key not in _workers:
        job, own_digest = setup.make_job(False)
        _workers[key] = Worker(job, setup.name), own_digest
    worker, own_digest = _workers[key]
    if own_digest != digest:
        raise Changed("the tools differ on a machine of the cluster")
    return worker.write_part(piece, setup.folder)
