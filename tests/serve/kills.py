"""Kill a server at random moments under load: `python -m tests.serve.kills` does so 200 times each.

After SIGTERM every call that began has been answered, over every transport. After SIGKILL no
idempotency key runs a second time, an answer stays the same, and a call that may have run is of
unknown effect.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from tests.serve.served import Address
from toolhaft import Toolset, tool
from toolhaft.cli.interrupts import catch_interrupts
from toolhaft.definition.targets import Target
from toolhaft.serve.app import App
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.limits import LIMITS
from toolhaft.serve.options import Options
from toolhaft.serve.server import bind, make_server
from toolhaft.serve.state import State
from toolhaft.serve.stdio import serve_stdio
from toolhaft.serve.supervisor import hear_signals, hold_signals

MOST_SECONDS: Final = 0.5
REVISIONS: Final[tuple[Target, Target]] = ("mcp", "mcp-2025-11-25")
CALLERS: Final = 2  # of each kind
META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
ACCEPT: Final = "application/json, text/event-stream"


def tools_of(log: Path) -> Toolset:
    """Make a tool that writes down that it began, and takes a moment."""

    @tool
    def act(key: str) -> str:
        """Act."""
        with log.open("ab", buffering=0) as begun:
            begun.write(f"{key}\n".encode())
        time.sleep(random.random() / 50)
        return f"did {key}"

    return Toolset([act])


def begun(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def load_modules() -> None:
    """Load what a server loads when it is first called: each child would do it anew."""
    for module in ("lowlevel", "streamable_http_manager"):
        import_module(f"mcp.server.{module}")
    tools = tools_of(Path(os.devnull))
    App(Catalogue(tools), Options())
    assert [tools.export(target).problems for target in REVISIONS] == [(), ()]
    assert tools.call_sync("act", {"key": "x"})


class Servers(NamedTuple):
    """Processes that serve at one socket, as the workers of a supervisor do."""

    pids: list[int]
    address: Address

    def end(self, number: signal.Signals) -> None:
        for pid in self.pids:
            os.kill(pid, number)

    def wait(self) -> list[int]:
        """Wait until all have ended; return their exit codes."""
        return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in self.pids]


def serve_children(
    log: Path, state: Path | None, *, stateless: bool = True, workers: int = 1
) -> Servers:
    """Serve in children; they are forked, as starting interpreters takes longer than their life."""
    listening = bind("127.0.0.1", 0)
    address = Address(listening.getsockname()[1])
    servers = Servers([], address)
    for _ in range(workers):
        with hold_signals():
            pid = os.fork()
            if pid == 0:
                serve_until_told(listening, log, state, stateless=stateless)
                os._exit(0)
        servers.pids.append(pid)
    listening.close()
    return servers


def serve_until_told(
    listening: socket.socket, log: Path, state: Path | None, *, stateless: bool
) -> None:
    with catch_interrupts() as interrupts:
        hear_signals()
        kept = None if state is None else State(str(state))
        app = App(Catalogue(tools_of(log)), Options(state=kept, stateless=stateless))
        server = make_server(app, LIMITS, lambda: None)
        interrupts.pass_on(server.handle_exit)
        server.run([listening])


class Load:
    """Callers that call until the server is gone, and the keys whose calls were answered."""

    def __init__(self, call: Callable[[str], bool], prefix: str) -> None:
        self.answered: set[str] = set()
        self.sent: list[str] = []
        self._call = call
        self._prefix = prefix
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        with suppress(OSError, ValueError, KeyError, IndexError):
            for number in range(100_000):
                key = f"{self._prefix}-{number}"
                self.sent.append(key)
                if not self._call(key):
                    return
                self.answered.add(key)


def over_http(address: Address) -> Callable[[str], bool]:
    return lambda key: address.post("/tools/act", {"key": key}).json == f"did {key}"


def message(key: str, **meta: Any) -> dict[str, Any]:
    params = {"name": "act", "arguments": {"key": key}, **meta}
    return {"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": params}


def over_mcp(address: Address) -> Callable[[str], bool]:
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "act"}

    def call(key: str) -> bool:
        answer = address.post("/mcp", message(key, _meta=META), accept=ACCEPT, **headers)
        return bool(answer.json["result"]["structuredContent"] == f"did {key}")

    return call


def over_older_mcp(address: Address) -> Callable[[str], bool]:
    session = open_session(address)

    def call(key: str) -> bool:
        body = json.dumps(message(key)).encode()
        head = address.head(
            "POST", "/mcp", body, accept=ACCEPT, connection="close", mcp_session_id=session
        )
        with address.connect() as connection, connection.makefile("rb") as stream:
            connection.sendall(head + body)
            return f"did {key}".encode() in stream.read()

    return call


def open_session(address: Address) -> str:
    client = {"name": "test", "version": "0"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    session = address.post("/mcp", opening, accept=ACCEPT).headers.get("mcp-session-id", "")
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    address.post("/mcp", ready, accept=ACCEPT, mcp_session_id=session)
    return session


def terminate_http(log: Path, *, stateless: bool, workers: int) -> tuple[int, list[str]]:
    """Load every transport of HTTP, and stop the server; return the calls and those unanswered."""
    servers = serve_children(log, None, stateless=stateless, workers=workers)
    kinds = (over_http, over_mcp, over_older_mcp)
    loads = [
        Load(kind(servers.address), f"{kind.__name__}{number}")
        for kind in kinds
        for number in range(CALLERS)
    ]
    time.sleep(random.random() * MOST_SECONDS)
    servers.end(signal.SIGTERM)
    codes = servers.wait()
    for load in loads:
        load.thread.join()
    assert codes == [0] * workers
    ran = begun(log)
    answered = set().union(*(load.answered for load in loads))
    return len(ran), [key for key in ran if key not in answered]


def terminate_stdio(log: Path) -> tuple[int, list[str]]:
    """Send calls over stdio, and stop the server meanwhile."""
    with pipes() as (source, to_server, from_server, sink):
        pid = os.fork()
        if pid == 0:
            os.dup2(source, 0)
            os.close(to_server)
            app = App(Catalogue(tools_of(log)), Options())
            serve_stdio(app, sink, LIMITS)
            os._exit(0)
        os.close(sink)
        writer = threading.Thread(target=write_calls, args=(to_server,))
        writer.start()
        # A server that does not yet listen to signals is ended by one, and has begun nothing.
        while not begun(log):
            time.sleep(0.001)
        threading.Timer(random.random() * MOST_SECONDS, os.kill, (pid, signal.SIGTERM)).start()
        with os.fdopen(from_server, "rb", closefd=False) as answers:
            answered = {json.loads(line)["id"] for line in answers}
        _, status = os.waitpid(pid, 0)
        os.close(source)
        writer.join()
    assert os.waitstatus_to_exitcode(status) == 0
    ran = begun(log)
    return len(ran), [key for key in ran if key not in answered]


@contextmanager
def pipes() -> Generator[tuple[int, int, int, int]]:
    descriptors = (*os.pipe(), *os.pipe())
    try:
        yield descriptors
    finally:
        for descriptor in descriptors:
            with suppress(OSError):
                os.close(descriptor)


def write_calls(to_server: int) -> None:
    with suppress(OSError):
        for number in range(600):
            line = json.dumps(message(f"stdio-{number}", _meta=META)).encode() + b"\n"
            os.write(to_server, line)


def kill(folder: Path, turn: int, workers: int) -> dict[str, int]:
    """Kill servers under load, start it anew on the same file, and send every key again."""
    log, state = folder / f"log{turn}", folder / f"keys{turn}"
    servers = serve_children(log, state, workers=workers)

    def send(key: str) -> Any:
        return servers.address.post("/tools/act", {"key": key}, idempotency_key=key)

    loads = [Load(lambda key: send(key).status == 200, f"{turn}-{n}") for n in range(3 * CALLERS)]
    time.sleep(random.random() * MOST_SECONDS)
    servers.end(signal.SIGKILL)
    servers.wait()
    for load in loads:
        load.thread.join()
    before = set(begun(log))
    answered = set().union(*(load.answered for load in loads))
    servers = serve_children(log, state, workers=workers)
    told: Counter[str] = Counter()
    for key in (key for load in loads for key in load.sent):
        answer = send(key)
        if answer.status == 200:
            assert answer.json == f"did {key}"
            told["replayed" if key in before else "run now"] += 1
        else:
            assert (answer.status, answer.json["effect"]) == (500, "unknown")
            assert key not in answered
            told["unknown"] += 1
    servers.end(signal.SIGTERM)
    servers.wait()
    twice = [key for key, count in Counter(begun(log)).items() if count > 1]
    assert twice == []
    return {**told, "answered": len(answered)}


def run_terminations(times: int, workers: int = 1) -> tuple[int, list[str]]:
    """Stop servers; return how many calls began, and the unanswered ones."""
    load_modules()
    calls, lost = 0, list[str]()
    with TemporaryDirectory() as folder:
        for turn in range(times):
            log = Path(folder) / f"log{turn}"
            stateless = workers > 1 or turn % 2 == 0  # a session belongs to one process
            if workers == 1 and turn % 4 == 3:
                stopped = terminate_stdio(log)
            else:
                stopped = terminate_http(log, stateless=stateless, workers=workers)
            ran, unanswered = stopped
            calls, lost = calls + ran, lost + unanswered
    return calls, lost


def run_kills(times: int, workers: int = 1) -> Counter[str]:
    """Kill servers; return the results of the keys."""
    load_modules()
    told: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for turn in range(times):
            told.update(kill(Path(folder), turn, workers))
    return told


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4])
    asked = parser.parse_args()
    times, failed = asked.times, False
    for workers in asked.workers:
        calls, lost = run_terminations(times, workers)
        failed |= bool(lost)
        said = f"{calls:,} calls began, {len(lost)} were not answered"
        sys.stdout.write(f"{workers} processes, {times} SIGTERM: {said}\n")
        sys.stdout.flush()
        told = dict(run_kills(times, workers))
        sys.stdout.write(f"{workers} processes, {times} SIGKILL: no key ran twice; {told}\n")
        sys.stdout.flush()
    sys.exit(failed)
