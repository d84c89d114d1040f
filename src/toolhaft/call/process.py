"""Run a handler in a process of its own: the only way to stop it for certain.

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
    from datetime import datetime
    from subprocess import Popen

    from toolhaft.definition.call_info import CallInfo

__all__ = [
    "MAX_BYTES", "MAX_DEPTH", "Child", "InvalidAnswer", "can_end", "find_imported", "import_name",
]  # fmt: skip

# Of the answer: a larger result is of no use to a model.
MAX_BYTES: Final = 16 << 20
MAX_DEPTH: Final = 256
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from toolhaft.tools.child import main; main()"
)


class InvalidAnswer(RunEnded):
    """The handler's result is not JSON, or does not fit the output schema."""

    __slots__ = ("issues",)

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        self.issues = issues


def can_end() -> bool:
    """Return whether this system can end a process together with all that it started."""
    import os

    return hasattr(os, "killpg")


def import_name(target: Any) -> str:
    """Return the name by which another process can import a function or a class."""
    return f"{target.__module__}:{target.__qualname__}"


def find_imported(name: str) -> Any:
    """Find an object by its import name in the loaded modules, or return None."""
    module, _, path = name.partition(":")
    target: Any = sys.modules.get(module)
    for step in path.split("."):
        target = getattr(target, step, None)
    return target


class Child:
    """The child process of one call; any thread can kill it, before and while it runs."""

    def __init__(
        self,
        handler_name: str,
        data: Any,
        errors: Mapping[type[Exception], str],
        info: CallInfo | None = None,
    ) -> None:
        module = sys.modules.get(handler_name.partition(":")[0])
        file = getattr(module, "__file__", None)
        request = {"handler": handler_name, "file": file, "arguments": data}
        request |= {"info": info and {**info._asdict(), "deadline": _write_time(info.deadline)}}
        self.request = jsontext.write(request).encode()
        self.errors = errors
        self.lock = Lock()
        self.killed = False
        self.process: Popen[bytes] | None = None

    def run(self) -> Any:
        """Run the handler; return its result as JSON data, or a `RunEnded`."""
        process = self._start()
        if process is None:
            return TimedOut(begun=False)
        try:
            answer = _exchange(process, self.request)
            if len(answer) > MAX_BYTES:
                return Crashed(HandlerFailed(f"it answered with more than {MAX_BYTES} bytes"))
            code = process.wait()
        finally:
            self.kill()
            process.wait()
            LIVE_CHILDREN.discard(self)
        return self._read(answer) if answer else Crashed(HandlerFailed(_describe_exit(code)))

    def _start(self) -> Popen[bytes] | None:
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
            LIVE_CHILDREN.add(self)
        return self.process

    def kill(self) -> None:
        """Kill the process and all that it started, unless it has been waited for."""
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
            os.killpg(process.pid, signal.SIGKILL)

    def _read(self, answer: bytes) -> Any:
        try:
            response = jsontext.read(answer, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
        except jsontext.JsonSyntaxError:
            return Crashed(HandlerFailed("its answer was cut off"))
        if "value" in response:
            return response["value"]
        if "misfit" in response:
            return InvalidAnswer(tuple(Issue(*issue) for issue in response["misfit"]))
        return Crashed(self._to_exception(**response["raised"]))

    def _to_exception(
        self, kinds: list[str], words: str | None, status: int | None, trace: str
    ) -> Exception:
        """Rebuild the handler's exception: the author's text for it, else its traceback."""
        if words is None:
            messages = {import_name(kind): message for kind, message in self.errors.items()}
            words = next((messages[kind] for kind in kinds if kind in messages), None)
        return HandlerFailed(trace) if words is None else ToolError(words, status=status)


def _write_time(deadline: datetime | None) -> str | None:
    return None if deadline is None else deadline.isoformat()


# Processes that run now; they are killed when the program ends.
LIVE_CHILDREN: set[Child] = set()


@cache
def _watch_exit() -> None:
    import atexit

    atexit.register(_kill_all)


def _kill_all() -> None:
    for child in [*LIVE_CHILDREN]:
        child.kill()


def _exchange(process: Any, request: bytes) -> bytes:
    """Send the request, which the child reads whole before it answers, and read the answer."""
    with process.stdout as stdout:
        with suppress(OSError), process.stdin as stdin:  # it may end before it has read all
            stdin.write(request)
        answer: bytes = stdout.read(MAX_BYTES + 1)
    return answer


def _describe_exit(code: int) -> str:
    reason = f"with code {code}" if code >= 0 else f"by signal {-code}"
    return f"its process ended {reason} before it had answered"
