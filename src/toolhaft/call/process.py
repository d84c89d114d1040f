"""A handler in a process of its own: the one way to stop it for certain, or to outlive it.

JSON text goes there and comes back; objects never do. The process is a new interpreter that
finds the handler by its name (`toolhaft.tools.child` is what it runs), once for each call.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.workers import Crashed, RunEnded, TimedOut
from toolhaft.errors import HandlerFailed, ToolError
from toolhaft.jsonio import jsontext
from toolhaft.spec import Issue

if TYPE_CHECKING:
    from subprocess import Popen

__all__ = ["DEEPEST", "MOST_BYTES", "Child", "InvalidAnswer", "address", "found"]

# Of what comes back: a result that no model could read any more.
MOST_BYTES: Final = 16 << 20
DEEPEST: Final = 256
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from toolhaft.tools.child import main; main()"
)


class InvalidAnswer(RunEnded):
    """The handler returned what is no JSON, or not what the tool declares."""

    __slots__ = ("issues",)

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        self.issues = issues


def address(one: Any) -> str:
    """Give the name by which another process finds a function or a class."""
    return f"{one.__module__}:{one.__qualname__}"


def found(named: str) -> Any:
    """Give what a name leads to among the modules that are loaded; None where to nothing."""
    module, _, path = named.partition(":")
    here: Any = sys.modules.get(module)
    for step in path.split("."):
        here = getattr(here, step, None)
    return here


class Child:
    """The process of one call; it can be killed from any thread, before and while it runs."""

    def __init__(self, named: str, data: Any, errors: Mapping[type[Exception], str]) -> None:
        module = sys.modules.get(named.partition(":")[0])
        file = getattr(module, "__file__", None)
        request = {"handler": named, "file": file, "arguments": data}
        self.request = jsontext.write(request).encode()
        self.errors = errors
        self.lock = Lock()
        self.killed = False
        self.process: Popen[bytes] | None = None

    def run(self) -> Any:
        """Run the handler to its end, and give its result as JSON data, or why there is none."""
        process = self._started()
        if process is None:
            return TimedOut(begun=False)
        try:
            answer = _exchanged(process, self.request)
            if len(answer) > MOST_BYTES:
                return Crashed(HandlerFailed(f"it answered with more than {MOST_BYTES} bytes"))
            code = process.wait()
        finally:
            self.kill()
            process.wait()
            LIVE.discard(self)
        return self._read(answer) if answer else Crashed(HandlerFailed(_ended(code)))

    def _started(self) -> Popen[bytes] | None:
        import json
        from subprocess import PIPE, Popen

        with self.lock:
            if self.killed:
                return None
            _watch_exit()
            # A session of its own, so that what the handler starts can be killed with it.
            command = [sys.executable, "-c", START, json.dumps(sys.path)]
            self.process = Popen(  # noqa: S603  this interpreter, our own code
                command, stdin=PIPE, stdout=PIPE, start_new_session=True
            )
            LIVE.add(self)
        return self.process

    def kill(self) -> None:
        """End it now, with all that it started; what has ended and was waited for is left alone."""
        import os
        import signal

        with self.lock:
            self.killed = True
            process = self.process
        # Not `poll`: a process that has ended holds its group's number until it is waited for, and
        # what it started may still hold its pipe.
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError, PermissionError):  # it may end this very moment
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()

    def _read(self, answer: bytes) -> Any:
        try:
            told = jsontext.read(answer, max_bytes=MOST_BYTES, max_depth=DEEPEST)
        except jsontext.JsonSyntaxError:
            return Crashed(HandlerFailed("its answer was cut off"))
        if "value" in told:
            return told["value"]
        if "misfit" in told:
            return InvalidAnswer(tuple(Issue(*one) for one in told["misfit"]))
        return Crashed(self._raised(**told["raised"]))

    def _raised(self, kinds: list[str], words: str | None, trace: str) -> Exception:
        """What the handler raised, as far as it crosses: an author's words, else the traceback."""
        if words is None:
            named = {address(one): told for one, told in self.errors.items()}
            words = next((named[kind] for kind in kinds if kind in named), None)
        return HandlerFailed(trace) if words is None else ToolError(words)


# Processes that run now: a program that ends does not leave them behind.
LIVE: set[Child] = set()


@cache
def _watch_exit() -> None:
    import atexit

    atexit.register(_kill_all)


def _kill_all() -> None:
    for child in [*LIVE]:
        child.kill()


def _exchanged(process: Any, request: bytes) -> bytes:
    """Send the request, which is read whole before anything is answered, and read the answer."""
    with process.stdout as stdout:
        with suppress(OSError), process.stdin as stdin:  # it may end before it has read all
            stdin.write(request)
        answer: bytes = stdout.read(MOST_BYTES + 1)
    return answer


def _ended(code: int) -> str:
    how = f"with code {code}" if code >= 0 else f"by signal {-code}"
    return f"its process ended {how} before it had answered"
