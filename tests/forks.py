"""Answers one request after another, each in its own process, forked from one that is ready.

The interpreter starts once and loads the imports; a request's changes to its process, to its memory
and to its limits end with that process.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["Answered", "Ask", "answering", "serve"]

ROOT: Final = Path(__file__).parents[1]
END: Final = "\0"


class Answered(NamedTuple):
    """The output of a process, with standard error, and its exit code; -14 is past its deadline."""

    text: str
    code: int


Ask = Callable[..., Answered]


def serve(answer: Callable[..., Any], deadline: int = 60) -> None:
    """Answer each line of stdin, which has the arguments, with JSON and an exit code."""
    gc.freeze()  # or each looks through all that was loaded, in its own copy, to end
    for line in sys.stdin:
        if not (child := os.fork()):
            signal.alarm(deadline)  # the system ends it, whatever it is doing
            sys.stdout.write(json.dumps(answer(*json.loads(line))))
            return
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"\n{END}{code}\n")
        sys.stdout.flush()


@contextmanager
def answering(module: str, *arguments: str) -> Generator[Ask]:
    """Start a module that serves, and give the way to ask it."""
    with subprocess.Popen(
        # -B: a watcher of opened files would see a module's bytecode being written.
        [sys.executable, "-B", "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
    ) as server:
        lines, stdin = server.stdout, server.stdin
        assert lines
        assert stdin

        def ask(*asked: Any) -> Answered:
            stdin.write(json.dumps(asked) + "\n")
            stdin.flush()
            *text, end = _until_end(lines)
            return Answered("".join(text), int(end.removeprefix(END)))

        yield ask


def _until_end(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if line.startswith(END):
            return
