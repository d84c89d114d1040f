"""Handlers in their own process: the data that cross, the runs that are stopped, and leftovers."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.call import isolated
from toolhaft import Context, DefinitionError, Err, Injected, Ok, ToolCall, Toolset, tool
from toolhaft.call import process, workers
from toolhaft.call.process import Child
from toolhaft.call.workers import TimedOut
from toolhaft.content import Image
from toolhaft.errors import HandlerFailed, ToolTimeout

TOOLS = Toolset([isolated.days_until, isolated.search, isolated.fail, isolated.adding])


def dead(pid: str) -> bool:
    """Whether a process has ended, or does: a signal takes a moment to arrive."""
    for _ in range(100_000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":  # nobody has asked yet what became of it
            return True
    return False


async def settled() -> None:
    """Wait until every thread that watched a process is done with it."""
    while process.LIVE_CHILDREN or workers.POOL.abandoned:  # noqa: ASYNC110  nothing else says so
        await asyncio.sleep(0)


@pytest.mark.requirement("isolation-json")
def test_a_handler_runs_elsewhere_with_the_objects_that_it_declares() -> None:
    found = isolated.days_until.call_sync('{"day": "2026-01-11"}').unwrap()
    assert found["pid"] != os.getpid()
    assert (found["days"], found["read"]) == (10, "")
    calls = [
        ToolCall("1", "search", {"q": "x"}),
        ToolCall("2", "adding", '{"a": "1", "b": 2}'),
        ToolCall("3", "adding", '{"a": "one"}'),
    ]
    outcomes = asyncio.run(TOOLS.call_all(calls))
    assert [one.value if isinstance(one, Ok) else one.kind for one in outcomes] == [
        {"title": "x since 2026"},
        3,
        "invalid_input",
    ]
    assert set() == process.LIVE_CHILDREN


@pytest.mark.requirement("isolation-crash")
@pytest.mark.parametrize(
    ("how", "kind", "effect", "logged"),
    [
        ("words", "tool_error", "unknown", None),
        ("no_return", "tool_error", "unknown", None),
        ("crash", "runtime_error", "unknown", "RuntimeError: the key is sk-live-1"),
        ("exit", "runtime_error", "unknown", "SystemExit: 3"),
        ("interrupt", "runtime_error", "unknown", "KeyboardInterrupt"),
        (
            "code",
            "runtime_error",
            "unknown",
            "its process ended with code 7 before it had",
        ),
        ("fault", "runtime_error", "unknown", "its process ended by signal 11 before it had"),
        ("large", "output_invalid", "done", "longer than 16777216 bytes as JSON"),
        ("type", "output_invalid", "done", "title: required"),
    ],
)
def test_whatever_becomes_of_the_process_is_an_outcome(
    how: str, kind: str, effect: str, logged: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = isolated.fail.call_sync({"how": how})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == (kind, effect)
    assert "sk-live" not in outcome.text
    shown = logging.Formatter().format(caplog.records[0]) if caplog.records else None
    if logged is None:
        texts = {"words": "the shop is closed", "no_return": "no such order"}
        assert (outcome.text, shown) == (texts[how], None)
    else:
        assert logged in str(shown)
        assert str(outcome.error_id) in str(shown)


def test_executing_raises_what_is_known_of_the_failure() -> None:
    with pytest.raises(HandlerFailed, match=r"(?s)^Traceback .*RuntimeError: the key is sk-live-1"):
        isolated.fail.execute_sync({"how": "crash"})


def test_content_does_not_cross(caplog: pytest.LogCaptureFixture) -> None:
    outcome = isolated.picture.call_sync()
    assert isinstance(outcome, Err)
    assert [str(one) for one in outcome.issues] == [
        "content does not cross from a process; return JSON, and use render="
    ]


@pytest.mark.requirement("isolation-kill")
@pytest.mark.parametrize("sync", [True, False])
def test_a_timeout_ends_the_process_and_what_it_started(sync: bool, tmp_path: Path) -> None:
    async def main(timeout: float, pids: Path) -> Ok[Any] | Err:
        hang = isolated.hang.replace(timeout=timeout, limit=1)
        raw = {"pids": str(pids)}
        outcome = hang.call_sync(raw) if sync else await hang.call(raw)
        await settled()
        return outcome

    started: list[str] = []
    for timeout in (2, 10, 50):  # until a machine with much else to do has started both
        pids = tmp_path / str(timeout)
        outcome = asyncio.run(main(timeout, pids))
        assert isinstance(outcome, Err)
        assert (outcome.kind, outcome.effect) == ("timeout", "unknown")
        with pytest.raises(ToolTimeout):
            outcome.unwrap()
        started = pids.read_text("ascii").split() if pids.exists() else []
        if len(started) == 2:
            break
    assert [dead(pid) for pid in started] == [True, True]


@pytest.mark.requirement("isolation-kill")
def test_a_cancelled_call_ends_its_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def main() -> None:
        call = ToolCall("1", "hang", {"pids": str(pids)})
        running = asyncio.ensure_future(Toolset([isolated.hang]).call_all([call]))
        while not pids.exists() or len(pids.read_text("ascii").split()) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await settled()

    asyncio.run(main())
    assert [dead(pid) for pid in pids.read_text("ascii").split()] == [True, True]


@pytest.mark.requirement("isolation-json")
@pytest.mark.parametrize("how", ["stays", "leaves", "answers"])
def test_the_answer_is_the_handlers_and_waits_for_nothing_that_it_forked(
    how: str, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    try:
        outcome = isolated.fork.replace(timeout=60).call_sync({"pid": str(pid), "how": how})
        assert outcome.unwrap() == "the handler's"
        assert (process.LIVE_CHILDREN, workers.POOL.abandoned) == (set(), 0)
    finally:
        with suppress(ProcessLookupError):
            os.kill(int(pid.read_text("ascii")), signal.SIGKILL)


@pytest.mark.requirement("isolation-kill")
def test_what_holds_the_pipe_of_a_process_that_has_ended_is_ended_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    start = f"from pathlib import Path; import subprocess, sys; Path({str(pid)!r}).write_text(str("
    hangs = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid))"
    monkeypatch.setattr(process, "START", start + hangs)
    child = Child("a:b", {}, {})
    running = workers.POOL.submit(child.run)
    assert running is not None
    while not pid.exists() or not pid.read_text("ascii"):
        pass
    assert child.process is not None
    os.waitid(os.P_PID, child.process.pid, os.WEXITED | os.WNOWAIT)
    child.kill()
    assert isinstance(running.result(60), workers.Crashed)
    assert dead(pid.read_text("ascii"))


def test_a_process_that_was_given_up_before_it_began_is_not_started() -> None:
    child = Child("toolhaft:tool", {}, {})
    child.kill()
    late = child.run()
    assert isinstance(late, TimedOut)
    assert not late.begun
    assert child.process is None


def test_an_answer_that_is_cut_off_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = "import sys; sys.stdin.read(); sys.stdout.write"
    for written, told in (('"{"', "its answer was cut off"), ('"x" * 99', "more than 9 bytes")):
        monkeypatch.setattr(process, "START", f"{begin}({written})")
        if "9 bytes" in told:
            monkeypatch.setattr(process, "MAX_BYTES", 9)
        crash = Child("a:b", {}, {}).run()
        assert told in str(crash.error)


def test_a_process_that_dies_at_once_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START", "raise SystemExit(4)")
    crash = Child("a:b", {"long": "x" * (1 << 20)}, {}).run()
    assert str(crash.error) == "its process ended with code 4 before it had answered"


def test_a_program_that_ends_takes_its_processes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START", "import time; time.sleep(600)")
    child = Child("a:b", {}, {})
    running = workers.POOL.submit(child.run)
    assert running is not None
    while child not in process.LIVE_CHILDREN:
        pass
    process._kill_all()
    crash = running.result(10)
    assert str(crash.error) == (
        f"its process ended by signal {signal.SIGKILL} before it had answered"
    )


# --------------------------------------------------------------------------------- definition


def flaws(*tools: Any) -> list[str]:
    with pytest.raises(DefinitionError) as raised:
        Toolset(tools)
    return [re.sub(r"import \S+;", "import NAME;", str(fault)) for fault in raised.value.faults]


LOST = (
    "isolation: another process cannot import NAME; decorate a function at the top "
    "level of a module that can be imported"
)


class Client:
    @tool(isolation="process")
    def ask(self, q: str) -> str:
        """Ask."""
        return q

    @tool(isolation="process")
    @staticmethod
    def find(q: str) -> str:
        """Find."""
        return q


@pytest.mark.requirement("isolation-defined")
def test_a_handler_that_another_process_cannot_find_is_an_error() -> None:
    @tool(isolation="process")
    def local(n: int) -> int:
        "Give it back."
        return n

    assert flaws(local) == [f"local.{LOST}"]
    assert flaws(Client().ask) == [f"ask.{LOST}"]
    given = tool(isolated.add, name="given", isolation="process", parameters={"type": "object"})
    assert f"given.{LOST}" in flaws(given)
    away = tool(lambda n: n, name="away", description="-", input=int, isolation="process")
    assert flaws(away) == [f"away.{LOST}"]
    assert [one.name for one in Toolset([Client.find, isolated.adding])] == ["find", "adding"]


@tool(isolation="process")
def supplied(day: date, user: Injected[str], context: Context[Any]) -> str:
    """Take what does not cross."""
    return user


@tool(isolation="process")
def drawn() -> Image:
    """Draw."""
    return Image(b"png", "image/png")


@pytest.mark.requirement("isolation-defined")
def test_what_does_not_cross_is_an_error() -> None:
    cross = "it cannot be sent to another process"
    content = "return JSON data, and make the content in render="
    assert flaws(supplied, drawn, supplied.replace(name="other", isolation="none")) == [
        f"supplied.context: {cross}; drop the parameter, or the isolation",
        f"supplied.user: {cross}; drop the parameter, or the isolation",
        f"drawn.isolation: content cannot be sent from another process; {content}",
    ]
    with pytest.raises(DefinitionError, match="isolation: invalid value"):
        drawn.replace(isolation="thread")  # type: ignore[arg-type]
