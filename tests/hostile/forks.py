"""Answers one request after another, each in a process of its own, forked from one that is ready.

The interpreter starts once and loads what is needed; what a request does to its process, to its
memory and to its limits ends with that process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Ask", "answering", "serve"]

ROOT = Path(__file__).parents[2]


class Answered(NamedTuple):
    """What a process wrote, and how it ended: minus 14 is past its deadline."""

    text: str
    code: int


Ask = Callable[..., Answered]


def serve(answer: Callable[..., Any], deadline: int) -> None:
    """Answer each line of stdin, the arguments of `answer` as JSON, with a line and an exit code."""
    for line in sys.stdin:
        if not (child := os.fork()):
            signal.alarm(deadline)  # the system ends it, whatever it is doing
            sys.stdout.write(json.dumps(answer(*json.loads(line))))
            return
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"\n{code}\n")
        sys.stdout.flush()


@contextmanager
def answering(module: str) -> Iterator[Ask]:
    """Start a module that serves, and give the way to ask it."""
    command = [sys.executable, "-B", "-m", module]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as server:
        stdin, stdout = server.stdin, server.stdout
        assert stdin
        assert stdout

        def ask(*arguments: Any) -> Answered:
            stdin.write(json.dumps(arguments) + "\n")
            stdin.flush()
            return Answered(stdout.readline(), int(stdout.readline()))

        yield ask
