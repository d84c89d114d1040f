"""Run the command line, in this process or in one of its own, and say how it ended."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple, Protocol

from tests.forks import Ask, answering

SRC = str(Path(__file__).parents[2] / "src")
MAIN = "from toolhaft.cli import main; main()"


class Ran(NamedTuple):
    """How a command ended, and its output."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Run(Protocol):
    """The fixture `run`: a command in this process."""

    def __call__(self, *args: str) -> Ran: ...


def spawned(*args: str, cwd: Path, input: bytes = b"", code: str = MAIN, **environment: str) -> Ran:
    """Run a command in a process of its own, where descriptors and modules are as in real life."""
    # -P: with -c alone the current folder would come first on sys.path, unlike with the script.
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *args],
        capture_output=True,
        input=input,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": SRC, "COLUMNS": "100", **environment},
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def forked(*args: str, cwd: Path, code: str = MAIN, **environment: str) -> Ran:
    """Run a command in its own process, quickly: the commands' imports were loaded before.

    For tests that depend neither on how the process starts nor on its standard input.
    """
    environment = {**os.environ, "PYTHONPATH": SRC, "COLUMNS": "100", **environment}
    with NamedTemporaryFile() as out, NamedTemporaryFile() as err:
        ended = _commands()(str(cwd), environment, out.name, err.name, code, args)
        return Ran(ended.code, out.read().decode(), err.read().decode())


@cache
def _commands() -> Ask:
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(answering("tests.cli.commands"))
