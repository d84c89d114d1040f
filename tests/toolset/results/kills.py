"""Kill processes that keep results in a folder, at random moments, and look for what they said."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

from toolhaft import Store

__all__ = ["kill_keepers"]

HANDLE = 24


def kill_keepers(folder: Path, kills: int, rng: random.Random) -> tuple[int, int]:
    """Kill so many keepers; return how many acknowledged results are lost, and how many were kept.

    A keeper writes each id to a pipe once `keep` has returned.
    """
    store = Store(folder)
    acknowledged: list[str] = []
    for _ in range(kills):
        acknowledged += _run_and_kill(store, after=rng.randrange(4), bytes_later=rng.random())
    lost = sum(not _is_whole(Store(folder), handle) for handle in acknowledged)
    return lost, len(acknowledged)


def _run_and_kill(store: Store, after: int, bytes_later: float) -> list[str]:
    """Fork a keeper, and kill it after some results, in the middle of the next one."""
    read, write = os.pipe()
    if not (child := os.fork()):
        os.close(read)
        _keep_for_ever(store, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        seen = b"".join(pipe.read(HANDLE) for _ in range(after))
        for _ in range(int(bytes_later * 20_000)):  # work, so that it is anywhere in the next one
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        seen += pipe.read()
    text = seen.decode()
    return [text[at : at + HANDLE] for at in range(0, len(text) - HANDLE + 1, HANDLE)]


def _keep_for_ever(store: Store, write: int) -> None:
    try:
        while True:
            handle, _ = store.keep([*range(20_000)], "rows", None)
            os.write(write, handle.encode())
    finally:
        os._exit(1)


def _is_whole(store: Store, handle: str) -> bool:
    kept = store.find(handle, None)
    return kept is not None and [*kept.read(0)] == [str(at) for at in range(20_000)]
