"""`toolhaft serve --workers`: what a person sees of several processes, and what outlives which."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.running import SRC
from tests.serve.served import Address, read_response
from toolhaft.cli.serve import serve
from toolhaft.cli.serve_options import Asked
from toolhaft.serve.server import bind
from toolhaft.serve.supervisor import Endpoints, Supervisor, hold_signals

pytestmark = [pytest.mark.requirement("serve-workers"), pytest.mark.unmeasured]

TOOLS: Final = """
import os, time
from toolhaft import tool

@tool
def whose() -> int:
    "Return the process that answers."
    return os.getpid()

@tool
def slow() -> str:
    "Take a moment."
    open("begun", "w").close()
    while not os.path.exists("go_on"):
        time.sleep(0.01)
    return "done"

@tool
async def blocks() -> str:
    "Block the loop of its worker."
    return slow()
"""
WAITS: Final = """
from toolhaft import tool

@tool(requires_approval=True)
def pay() -> str:
    "Pay."
    return "paid"
"""
NEEDS_STATE: Final = (
    "error: --workers 2: calls of pay may wait for approval, which the workers share in a file; "
    "give --state FILE"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "toolhaft", "serve", *arguments, "--port", "0"]


def options(folder: Path) -> dict[str, Any]:
    return {"cwd": folder, "env": {**os.environ, "PYTHONPATH": SRC}, "text": True}


@contextmanager
def working(folder: Path, *more: str) -> Generator[tuple[subprocess.Popen[str], Address]]:
    """Start two workers; nothing is left of them when the block ends."""
    arguments = command("tools.py", "--workers", "2", "--log-level", "error", *more)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, **options(folder)) as supervisor:
        assert supervisor.stdout is not None
        line = supervisor.stdout.readline()
        port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
        shared = "(each has its own limit, RateLimit and parallel=False)"
        address = f"http://127.0.0.1:{port}"
        expected = f"3 tools at {address}/tools, for MCP at {address}/mcp, by 2 workers {shared}\n"
        assert line == expected
        try:
            yield supervisor, Address(port)
        finally:
            supervisor.kill()


def pids(address: Address, count: int, *, other_than: frozenset[int] = frozenset()) -> set[int]:
    """Call until that many processes have answered."""
    seen: set[int] = set()
    while len(seen) < count:
        seen |= {address.post("/tools/whose", {}).json} - other_than
    return seen


def begin(connection: socket.socket, address: Address, folder: Path, tool: str) -> None:
    """Call a tool, and return when its handler runs."""
    body = b"{}"
    connection.sendall(address.head("POST", f"/tools/{tool}", body) + body)
    while not (folder / "begun").exists():
        pass


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(*processes: int) -> None:
    for pid in processes:
        while is_there(pid):
            pass


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_to_the_supervisor_lets_every_call_be_answered(
    folder: Path, number: signal.Signals, code: int
) -> None:
    with working(folder) as (supervisor, address), address.connect() as connection:
        workers = pids(address, 2)
        begin(connection, address, folder, "slow")
        supervisor.send_signal(number)
        (folder / "go_on").touch()
        assert read_response(connection).json == "done"
        assert supervisor.wait(60) == code
        assert not any(map(is_there, workers))


def test_a_worker_that_was_killed_is_replaced_and_a_busy_one_is_not(folder: Path) -> None:
    with working(folder) as (_, address), address.connect() as connection:
        first = pids(address, 2)
        begin(connection, address, folder, "blocks")
        [free] = pids(address, 1)
        os.kill(free, signal.SIGKILL)
        [new] = pids(address, 1, other_than=frozenset({free}))
        [busy] = first - {free}
        assert new not in first
        assert is_there(busy)
        (folder / "go_on").touch()
        assert read_response(connection).json == "done"


def test_a_killed_supervisor_leaves_nothing_behind_and_its_call_is_answered(folder: Path) -> None:
    with working(folder) as (supervisor, address), address.connect() as connection:
        workers = pids(address, 2)
        begin(connection, address, folder, "slow")
        supervisor.kill()
        supervisor.wait(60)
        (folder / "go_on").touch()
        assert read_response(connection).json == "done"
        wait_until_gone(*workers)


LOADS: Final = """
import os, time
open("loading", "w").close()
try:
    time.sleep(60)
except BaseException:
    pass
from toolhaft import tool

@tool
def late() -> str:
    "Do nothing."
    return ""
"""


@contextmanager
def starting(folder: Path) -> Generator[subprocess.Popen[str]]:
    """Start one worker as its supervisor does, which it outlives."""
    asked = Asked(**serve.make_context("serve", ["tools.py"]).params)
    (life, alive), (ready, writer) = os.pipe(), os.pipe()
    with bind("127.0.0.1", 0) as listening:
        endpoints = Endpoints(listening.fileno(), life, writer)
        arguments = [sys.executable, "-P", "-m", "toolhaft.cli.serve_worker"]
        arguments.append(json.dumps([asked, endpoints]))
        with hold_signals():
            process = subprocess.Popen(
                arguments, pass_fds=endpoints, stderr=subprocess.PIPE, **options(folder)
            )
        with process:
            yield process
    for descriptor in (life, alive, ready, writer):
        os.close(descriptor)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_has_only_been_started_ends_well(
    folder: Path, number: signal.Signals
) -> None:
    with starting(folder) as worker:
        worker.send_signal(number)
        assert worker.communicate()[1] == ""
    assert worker.returncode == 0


def test_a_worker_stops_while_its_tools_load_though_they_catch_everything(folder: Path) -> None:
    (folder / "tools.py").write_text(LOADS)
    with starting(folder) as worker:
        while not (folder / "loading").exists():
            pass
        worker.terminate()
        assert worker.communicate()[1] == ""
    assert worker.returncode == 0


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (
            "def (",
            "error: tools.py:1: cannot be imported: SyntaxError: invalid syntax (tools.py, line 1)",
        ),
        (
            WAITS,
            NEEDS_STATE,
        ),
    ],
)
def test_what_no_worker_can_serve_is_one_line(folder: Path, module: str, reason: str) -> None:
    (folder / "tools.py").write_text(module)
    ran = subprocess.run(
        command("tools.py", "--workers", "2"),
        capture_output=True,
        check=False,
        timeout=60,
        **options(folder),
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"{reason}\n")


def test_a_first_worker_that_a_signal_ends_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    supervisor = Supervisor(2, lambda _: ["sh", "-c", "kill -9 $$"], 0, print)
    with bind("127.0.0.1", 0) as listening:
        assert supervisor.run(listening) == 1
    assert caplog.messages == ["the first worker ended before it could serve, with exit code -9"]


def test_an_idempotency_key_holds_in_every_worker(folder: Path) -> None:
    with working(folder, "--state", "keys") as (_, address):
        answers = set()
        processes = pids(address, 2)
        for _ in range(20):
            connection = HTTPConnection("127.0.0.1", address.port, timeout=20)
            headers = {"idempotency-key": "k", "content-type": "application/json"}
            connection.request("POST", "/tools/whose", "{}", headers)
            answers.add(json.loads(connection.getresponse().read()))
            connection.close()
    assert len(answers) == 1
    assert answers <= processes


def test_a_worker_may_end_before_its_supervisor() -> None:
    code = (
        "import os; from toolhaft.serve.supervisor import end_with_supervisor; "
        "end_with_supervisor(os.pipe()[0], print, 9)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ, timeout=60)
