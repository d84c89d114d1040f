"""Gate pieces in processes of this machine; a piece whose process dies is done again."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple, Self

from toolhaft.batch.job import Job
from toolhaft.batch.journal import Changed
from toolhaft.batch.pieces import Piece
from toolhaft.batch.work import Done, Worker, take_apart, with_rows
from toolhaft.call.interrupts import CTRL_C_IS_A_SIGNAL

__all__ = ["Pool", "Setup", "WorkerDied"]

# Pieces for each worker that may be done ahead of an earlier one that takes longer.
MOST_AHEAD = 8
# Workers that may die at one piece before it is split.
MOST_DEATHS = 2
# Workers share nothing with this process: they load the tools themselves.
_processes = multiprocessing.get_context("spawn")


class Setup(NamedTuple):
    """The needs of a worker: the function that makes its job, and the folder for its rows.

    `make_job` takes whether it runs in the first worker; it returns the job and the digest of the
    tools, which must be the same in all workers.
    """

    make_job: Callable[[bool], tuple[Job, str]]
    folder: Path
    name: str


class WorkerDied(Exception):
    """A worker died before it could do anything."""


class _Worker:
    """One process, which does one piece at a time."""

    def __init__(self, setup: Setup, *, is_first: bool = False) -> None:
        self.connection, theirs = _processes.Pipe()
        self.process = _processes.Process(
            target=_serve, args=(theirs, setup, is_first), daemon=True
        )
        self.process.start()
        theirs.close()
        self.piece: Piece | None = None

    def send(self, piece: Piece) -> None:
        self.piece = piece
        with suppress(OSError):  # it died meanwhile; `receive` raises then
            self.connection.send(piece)

    def receive(self) -> Any:
        """Return the answer of the process.

        Raises:
            WorkerDied: It died instead.
            Exception: Any exception that was raised there.
        """
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            self.stop()
            raise WorkerDied(f"exit code {self.process.exitcode}") from None
        if isinstance(answer, Exception):
            raise answer
        self.piece = None
        return answer

    def stop(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.join()


class Pool:
    """A few processes that gate pieces, in a `with` block; `digest` is their tools' digest.

    Raises:
        WorkerDied: The first worker did not come up.
            Exception: Any exception that `make_job` raised in it.
    """

    def __init__(self, setup: Setup, workers: int) -> None:
        self.setup = setup
        self._workers = [_Worker(setup, is_first=place == 0) for place in range(workers)]
        self._deaths: Counter[tuple[int, int]] = Counter()
        try:
            self.digest: str = self._workers[0].receive()
        except BaseException:
            self.stop()
            raise
        self._starting = set(self._workers[1:])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Kill all workers."""
        for worker in self._workers:
            worker.stop()

    def run(self, pieces: Iterable[Piece]) -> Iterator[Done]:
        """Yield each piece when it is done, in order.

        Raises:
            Exception: Any exception of a worker.
        """
        todo, again, order = iter(pieces), deque[Piece](), deque[Piece]()
        done: dict[tuple[int, int], Done] = {}
        while True:
            for worker in self._workers:
                if worker.piece is not None or worker in self._starting:
                    continue
                if again:
                    worker.send(again.popleft())
                elif len(order) < MOST_AHEAD * len(self._workers):
                    if (piece := next(todo, None)) is None:
                        break
                    order.append(piece)
                    worker.send(piece)
            if not order:
                return
            for result in self._receive(again):
                done[_key(result.piece)] = result
            while order and _key(order[0]) in done:
                yield done.pop(_key(order.popleft()))

    def _receive(self, again: deque[Piece]) -> Iterator[Done]:
        """Wait for workers; give the pieces that are done, and repeat those whose worker died."""
        busy = {
            worker.connection: worker
            for worker in self._workers
            if worker.piece is not None or worker in self._starting
        }
        for connection in wait(list(busy)):
            worker = busy[connection]  # type: ignore[index]  # they are connections
            piece = worker.piece
            try:
                answer = worker.receive()
            except WorkerDied:
                self._replace(worker)
                if piece is not None:
                    yield from self._count_death(piece, again)
                continue
            if isinstance(answer, Done):
                yield answer
            else:
                self._starting.discard(worker)
                self._require_digest(answer)

    def _count_death(self, piece: Piece, again: deque[Piece]) -> Iterator[Done]:
        self._deaths[_key(piece)] += 1
        if self._deaths[_key(piece)] < MOST_DEATHS:
            again.append(piece)
        else:
            yield take_apart(piece, self._try_alone, self.setup.name)

    def _try_alone(self, piece: Piece) -> Done | None:
        """Process a piece in a separate process, or return None if that dies."""
        worker = _Worker(self.setup)
        try:
            worker.receive()
            worker.send(piece)
            done = worker.receive()
        except WorkerDied:
            return None
        finally:
            worker.stop()
        return with_rows(done, self.setup.folder)

    def _replace(self, dead: _Worker) -> None:
        if dead in self._starting:
            raise WorkerDied("a worker died while it loaded the tools")
        place = self._workers.index(dead)
        self._workers[place] = _Worker(self.setup)
        self._starting.add(self._workers[place])

    def _require_digest(self, digest: str) -> None:
        if digest != self.digest:
            raise Changed("tools changed while workers loaded them")


def _key(piece: Piece) -> tuple[int, int]:
    return piece.input, piece.start


def _serve(connection: Connection, setup: Setup, is_first: bool) -> None:
    """Do pieces until the parent ends; Ctrl-C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    CTRL_C_IS_A_SIGNAL.set(True)
    try:
        job, digest = setup.make_job(is_first)
        worker = Worker(job, setup.name)
        gc.freeze()  # the tools stay: later collections need not visit them
        connection.send(digest)
        while True:
            connection.send(worker.write_part(connection.recv(), setup.folder))
    except (EOFError, BrokenPipeError):
        return  # the parent is gone
    except Exception as error:  # noqa: BLE001 - the parent raises it
        with suppress(Exception):
            connection.send(error)
