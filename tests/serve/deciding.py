"""Kill servers while calls wait for decisions: `python -m tests.serve.deciding`.

A server is killed between every two steps of a call that is asked for, decided and made, one step
later each time. Then eight processes decide the same calls at once, and one of them is killed. A
call runs at most once, none that was acknowledged is lost, and no caller decides its own.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from tests.serve.kills import begun, load_modules
from tests.serve.served import Address
from toolhaft import Context, Toolset, tool
from toolhaft.serve.app import App
from toolhaft.serve.approvers import Decider
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.limits import LIMITS
from toolhaft.serve.options import Options
from toolhaft.serve.server import bind, make_server
from toolhaft.serve.state import State

DECISIONS: Final = ("approve", "deny", "edit")
PROCESSES: Final = 8
NEVER: Final = 1_000_000
# The servers that have not ended.
RUNNING: Final[set[int]] = set()
FOUND: Final = ("waiting", "running", "done", "denied", "unknown")


class Steps:
    """Kills its process when a number of steps have been taken."""

    def __init__(self, last: int) -> None:
        self._left = last

    def take(self) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


class SteppedState(State):
    """A state file of which each statement begins and ends with a step."""

    def __init__(self, path: str, steps: Steps) -> None:
        super().__init__(path)
        self._steps = steps

    async def run(self, method: Callable[..., Any], *arguments: Any) -> Any:
        self._steps.take()
        answer = await super().run(method, *arguments)
        self._steps.take()
        return answer


class Child(NamedTuple):
    """A server in a process of its own."""

    pid: int
    address: Address

    def end(self, number: signal.Signals) -> int:
        """End the server, if it still runs; return its exit code."""
        os.kill(self.pid, number)
        RUNNING.discard(self.pid)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def ask(self, item: str, key: str = "") -> str | None:
        """Ask for a call; return its path, or None without an answer."""
        answer = send(self.address, "/tools/order", {"item": item}, user="ann", idempotency_key=key)
        return None if answer is None else answer["approval"]

    def read(self, path: str, **who: str) -> Any:
        return self.address.request("GET", path, b"", **who).json

    def decide(self, path: str, decision: str, digest: str, by: str = "bob") -> Any:
        """Decide a call as an approver; return the answer, or None without one."""
        body: dict[str, Any] = {"decision": decision, "digest": digest}
        if decision == "edit":
            body["arguments"] = {"item": "edited"}
        return send(self.address, path, body, approver=by)


def send(address: Address, path: str, body: Any, **headers: str) -> Any:
    """Post; return the JSON of the answer, or None if the server went away."""
    try:
        answer = address.post(path, body, **{k: v for k, v in headers.items() if v})
        known = answer.json
    except (OSError, ValueError):
        return None
    return {"http": answer.status, **known}


def serve_child(folder: Path, steps: Steps | None = None) -> Child:
    """Serve in a forked child."""
    taken = steps or Steps(NEVER)

    @tool(requires_approval=True)
    def order(item: str, user: Context[dict[str, str]]) -> str:
        """Order something."""
        taken.take()
        with (folder / "ordered").open("ab", buffering=0) as log:
            log.write(f"{user['user']} {item}\n".encode())
        taken.take()
        return item

    listening = bind("127.0.0.1", 0)
    address = Address(listening.getsockname()[1])
    pid = os.fork()
    if pid == 0:
        logging.disable()
        options = Options(
            state=SteppedState(str(folder / "state"), taken),
            context=lambda request: {"user": request.headers.get("user", "")},
            decider=Decider(
                lambda request: request.headers.get("approver"), lambda known: known["identity"]
            ),
        )
        app = App(Catalogue(Toolset([order])), options)
        make_server(app, LIMITS, lambda: None).run([listening])
        os._exit(0)
    listening.close()
    RUNNING.add(pid)
    return Child(pid, address)


@contextmanager
def ending() -> Generator[None]:
    """End every server that the block leaves running, where an assertion fails."""
    try:
        yield
    finally:
        while RUNNING:
            pid = RUNNING.pop()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def kill_at(folder: Path, decision: str, step: int, key: str) -> str | None:
    """Kill a server at a step, and go on with another; return what became of the call.

    None if the call was over before that step.
    """
    first = serve_child(folder, Steps(step))
    path = first.ask("tea", key)
    decided = None if path is None else decide_as_seen(first, path, decision)
    code = first.end(signal.SIGTERM)
    second = serve_child(folder)
    listed = second.read("/approvals", approver="bob")["approvals"]
    assert len(listed) <= 1
    ran_before = len(begun(folder / "ordered"))
    if path is None and listed:  # stored, and never acknowledged
        path = f"/approvals/{listed[0]['id']}"
    told = "nothing kept" if path is None else finish(second, path, decision)
    second.end(signal.SIGTERM)
    ran = begun(folder / "ordered")
    assert len(ran) <= 1
    if ran_before:
        assert told in ("done", "unknown")
    if decided is not None:
        assert told == decided["status"]
    assert told != "done" or ran == [f"ann {'edited' if decision == 'edit' else 'tea'}"]
    assert told != "denied" or ran == []
    return told if code == -signal.SIGKILL else None


def decide_as_seen(server: Child, path: str, decision: str) -> Any:
    try:
        digest = server.read(path, approver="bob")["prepared"]["digest"]
    except (OSError, ValueError):  # it was killed
        return None
    return server.decide(path, decision, digest)


def finish(server: Child, path: str, decision: str) -> str:
    """Decide a call that still waits, which its caller cannot; return what became of it."""
    known = server.read(path, user="ann")
    assert known["status"] in FOUND
    if known["status"] == "waiting":
        digest = known["prepared"]["digest"]
        body = {"decision": "approve", "digest": digest}
        for who in ({"user": "ann"}, {"user": "ann", "approver": "ann"}):
            assert send(server.address, path, body, **who)["http"] == 403
        assert server.decide(path, decision, digest)["http"] == 200
    status: str = server.read(path, user="ann")["status"]
    return status


def run_steps(decisions: tuple[str, ...], keys: tuple[str, ...], stride: int) -> Counter[str]:
    """Kill a server at each step of each decision; return what became of the calls."""
    told: Counter[str] = Counter()
    for decision in decisions:
        for key in keys:
            for step in range(0, NEVER, stride):
                with TemporaryDirectory() as folder, ending():
                    status = kill_at(Path(folder), decision, step, key)
                if status is None:
                    break
                told[status] += 1
    return told


def race(folder: Path, calls: int) -> Counter[str]:
    """Let eight processes decide the same calls at once while one is killed."""
    servers = [serve_child(folder) for _ in range(PROCESSES)]
    paths = {servers[n % PROCESSES].ask(f"item-{n}"): f"ann item-{n}" for n in range(calls)}
    digests = {path: servers[0].read(str(path), user="ann")["prepared"]["digest"] for path in paths}
    killed = random.randrange(PROCESSES)
    kill = threading.Timer(random.random() * 0.3, os.kill, (servers[killed].pid, signal.SIGKILL))

    def decide_all(server: Child) -> list[str]:
        answers = {path: server.decide(str(path), "approve", digests[path]) for path in paths}
        return [str(path) for path, one in answers.items() if one and one["http"] == 200]

    kill.start()
    with ThreadPoolExecutor(PROCESSES) as pool:
        counted = Counter(path for done in pool.map(decide_all, servers) for path in done)
    kill.join()
    assert all(count == 1 for count in counted.values())
    left = servers[killed - 1]
    statuses = {path: left.read(str(path), user="ann")["status"] for path in paths}
    ran = Counter(begun(folder / "ordered"))
    for number, server in enumerate(servers):
        server.end(signal.SIGKILL if number == killed else signal.SIGTERM)
    assert max(ran.values()) == 1
    for path, line in paths.items():
        assert statuses[path] in ("done", "unknown")
        assert statuses[path] == "unknown" or ran[line] == 1
    return Counter(statuses.values())


def run_races(times: int, calls: int) -> Counter[str]:
    told: Counter[str] = Counter()
    for _ in range(times):
        with TemporaryDirectory() as folder, ending():
            told += race(Path(folder), calls)
    return told


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=20)
    parser.add_argument("--calls", type=int, default=40)
    asked = parser.parse_args()
    load_modules()
    started = time.monotonic()
    told = run_steps(DECISIONS, ("", "k"), 1)
    sys.stdout.write(f"killed at {told.total()} steps: {json.dumps(told)}\n")
    told = run_races(asked.races, asked.calls)
    sys.stdout.write(f"{told.total()} calls decided by {PROCESSES} at once: {json.dumps(told)}\n")
    sys.stdout.write(f"none ran twice, none was lost; {time.monotonic() - started:.0f} s\n")
