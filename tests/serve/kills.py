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
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.serve.served import Address
from toolhaft import Toolset, tool
from toolhaft.definition.targets import Target
from toolhaft.serve.app import App, Options
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.limits import LIMITS
from toolhaft.serve.server import bind, make_server
from toolhaft.serve.state import State
from toolhaft.serve.stdio import serve_stdio

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


def serve_child(log: Path, state: Path | None, *, stateless: bool = True) -> tuple[int, Address]:
    """Serve in a child; it is forked, as starting an interpreter takes longer than its life."""
    listening = bind("127.0.0.1", 0)
    address = Address(listening.getsockname()[1])
    pid = os.fork()
    if pid == 0:
        kept = None if state is None else State(str(state))
        app = App(Catalogue(tools_of(log)), Options(state=kept, stateless=stateless))
        make_server(app, LIMITS, lambda: None).run([listening])
        os._exit(0)
    listening.close()
    return pid, address


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


def terminate_http(log: Path, *, stateless: bool) -> tuple[int, list[str]]:
    """Load every transport of HTTP, and stop the server; give the calls and those unanswered."""
    pid, address = serve_child(log, None, stateless=stateless)
    kinds = (over_http, over_mcp, over_older_mcp)
    loads = [
        Load(kind(address), f"{kind.__name__}{number}")
        for kind in kinds
        for number in range(CALLERS)
    ]
    time.sleep(random.random() * MOST_SECONDS)
    os.kill(pid, signal.SIGTERM)
    return finish(pid, log, loads)


def finish(pid: int, log: Path, loads: list[Load]) -> tuple[int, list[str]]:
    _, status = os.waitpid(pid, 0)
    for load in loads:
        load.thread.join()
    assert os.waitstatus_to_exitcode(status) == 0
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


def kill(folder: Path, turn: int) -> dict[str, int]:
    """Kill a server under load, start it anew on the same file, and send every key again."""
    log, state = folder / f"log{turn}", folder / f"keys{turn}"
    pid, address = serve_child(log, state)

    def send(key: str) -> Any:
        return address.post("/tools/act", {"key": key}, idempotency_key=key)

    loads = [Load(lambda key: send(key).status == 200, f"{turn}-{n}") for n in range(3 * CALLERS)]
    time.sleep(random.random() * MOST_SECONDS)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    for load in loads:
        load.thread.join()
    before = set(begun(log))
    answered = set().union(*(load.answered for load in loads))
    pid, address = serve_child(log, state)
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
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    twice = [key for key, count in Counter(begun(log)).items() if count > 1]
    assert twice == []
    return {**told, "answered": len(answered)}


def run_terminations(times: int) -> tuple[int, list[str]]:
    """Stop servers; return how many calls began, and the unanswered ones."""
    load_modules()
    calls, lost = 0, list[str]()
    with TemporaryDirectory() as folder:
        for turn in range(times):
            log = Path(folder) / f"log{turn}"
            over_stdio = turn % 4 == 3
            stopped = (
                terminate_stdio(log) if over_stdio else terminate_http(log, stateless=turn % 2 == 0)
            )
            ran, unanswered = stopped
            calls, lost = calls + ran, lost + unanswered
    return calls, lost


def run_kills(times: int) -> Counter[str]:
    """Kill servers; return the results of the keys."""
    load_modules()
    told: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for turn in range(times):
            told.update(kill(Path(folder), turn))
    return told


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    times = parser.parse_args().times
    calls, lost = run_terminations(times)
    sys.stdout.write(f"{times} SIGTERM: {calls:,} calls began, {len(lost)} were not answered\n")
    sys.stdout.flush()
    sys.stdout.write(f"{times} SIGKILL: no key ran twice; {dict(run_kills(times))}\n")
    sys.exit(bool(lost))
