"""`toolhaft serve`: safe unless told otherwise, and one line for what is typed wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tomllib
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tests.cli.running import SRC, Run, forked, spawned
from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import read_private_file

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

pytestmark = pytest.mark.requirement("cli-serve")

TOOLS = """
from toolhaft import Injected, tool

@tool
def add(a: int, b: int) -> int:
    "Add two whole numbers."
    return a + b
"""
NEEDS = """
@tool
def who(user: Injected[str]) -> str:
    "Say who asks."
    return user
"""
CONTEXT = """
def from_request(request):
    return {"user": request.headers["user"] if request else "stdio"}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


def token_file(folder: Path, text: str = "a-long-enough-token", mode: int = 0o600) -> str:
    path = folder / "token"
    path.write_text(text)
    path.chmod(mode)
    return "token"


OPEN: Final = (
    "--host 0.0.0.0: others can reach the server there; give --allow-host, the name it is reached "
    "by, and --token-file"
)
BROKEN: Final = "broken.py:1: cannot be imported: SyntaxError: invalid syntax"
DECLARED: Final = "tools.json: declarations have no code to run; name a module of tools"
SHORT: Final = "--token-file short: expected one line of at least 16 characters without spaces"
DAMAGED: Final = "--state short: not a file of idempotency keys, or damaged; name another"
NOWHERE: Final = "--state no/where: cannot be opened: No such file or directory"
NO_HOST: Final = "--host no.invalid --allow-host a --token-file token"
MISTAKES: Final = {
    "tool.py": "tool.py: no such file; did you mean tools.py?",
    "tools.py:nope": "tools.py: has no nope",
    "broken.py": BROKEN,
    "tools.json": DECLARED,
    "tools.py --host 0.0.0.0": OPEN,
    "tools.py --host 0.0.0.0 --allow-host a.example": OPEN,
    "tools.py --host 0.0.0.0 --token-file token": OPEN,
    "tools.py --allow-host http://a/": "--allow-host http://a/: not a host; give a name",
    f"tools.py {NO_HOST}": "no.invalid port 8000: ",
    f"tools.py {NO_HOST.replace('no.', 'no..')}": "no..invalid port 8000: ",
    "tools.py --stdio --port 8000": "--port: cannot be used with --stdio; give one of them",
    "tools.py --stdio --token-file token": "--token-file: cannot be used with --stdio; give one",
    "tools.py --token-file none": "--token-file none: No such file or directory",
    "tools.py --token-file short": SHORT,
    "tools.py --token-file .": "--token-file .: ",
    "tools.py --token-file open": "--token-file open: others may read it; chmod 600 it",
    "tools.py --context nowhere": "--context nowhere: expected package.module:function",
    "tools.py --context nowhere:f": "--context nowhere:f: ModuleNotFoundError: ",
    "tools.py --context ends:f": "--context ends:f: SystemExit: 0",
    "tools.py --context own_context:f": "--context own_context:f: no such function",
    "tools.py --workers 2 --reload": "--workers 2 and --reload: only one process",
    "tools.py --workers 2 --sessions": "--workers 2 and --sessions: a session",
    "tools.py --stdio --workers 2": "--workers: cannot be used with --stdio; give one of them",
    "tools.py --stdio --sessions": "--sessions: cannot be used with --stdio; give one of them",
    "tools.py --stdio --approver-token-file token": "--approver-token-file: cannot be used with",
    "tools.py --approver-token-file token": "--approver-token-file: calls wait in a file",
    "tools.py --context-of-principal a:b": "--context-of-principal: nobody decides",
    "tools.py --state new --approver-token-file token --token-file token": (
        "--approver-token-file: callers have this token; make another one for approvers"
    ),
    "tools.py --state new --approver-token-file token --context-of-principal a": (
        "--context-of-principal a: expected package.module:function"
    ),
    "tools.py --workers 2 --open": "--workers 2 and --open: the page shows one process; give one",
    "tools.py --stdio --open": "--open: cannot be used with --stdio; give one of them",
    "tools.py --drain-delay nan": "--drain-delay: not a number of seconds; give one from 0 to 300",
    "tools.py --no-history": "--no-history: only the page keeps a history; give --open too",
    "tools.py --workers 0": "invalid value for '--workers': 0 is not in the range 1<=x<=64",
    "needs.py": "who needs user from --context",
    "tools.py --state short": DAMAGED,
    "tools.py --state no/where": NOWHERE,
}


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_typing_mistake_is_a_one_line_error(folder: Path, run: Run, typed: str) -> None:
    token_file(folder)
    (folder / "broken.py").write_text("def f(:\n")
    (folder / "needs.py").write_text(TOOLS + NEEDS)
    (folder / "own_context.py").write_text(CONTEXT)
    (folder / "ends.py").write_text("import sys\nsys.exit(0)\n")
    (folder / "tools.json").write_text(
        json.dumps([{"name": "a", "description": "b", "inputSchema": {"type": "object"}}])
    )
    for name, mode in (("short", 0o600), ("open", 0o644)):
        (folder / name).write_text("short" * (1 if name == "short" else 5))
        (folder / name).chmod(mode)
    ran = run("serve", *typed.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {MISTAKES[typed]}")
    assert ran.err.count("\n") == 1


def test_a_port_that_is_in_use_is_one_line(folder: Path, run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("serve", "tools.py", "--port", str(port))
    fix = "give another --host or --port (0: any free one)"
    reason = f"error: 127.0.0.1 port {port}: Address already in use; {fix}\n"
    assert (ran.code, ran.out, ran.err) == (2, "", reason)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "toolhaft", "serve", *arguments, "--port", "0"]
    environment = {"PYTHONPATH": f"{SRC}:{folder}"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipes)


def post(port: int, *headers: str) -> int:
    """Call the tool over one connection; give the status."""
    body = '{"a": 1, "b": 2}'
    head = [f"host: localhost:{port}", "content-type: application/json", *headers]
    head += [f"content-length: {len(body)}", "connection: close"]
    request = "\r\n".join(["POST /tools/add HTTP/1.1", *head, "", body])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request.encode())
        return int(connection.recv(65_536).split()[1])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_address_is_printed_when_it_can_be_reached_and_a_signal_ends_it(
    folder: Path, number: signal.Signals, code: int
) -> None:
    token = token_file(folder)
    with start(
        folder, "tools.py", "--token-file", token, "--state", "keys", "--log-level", "error"
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
        address = f"http://127.0.0.1:{port}"
        assert line == f"1 tool at {address}/tools, for MCP at {address}/mcp\n"
        assert post(port) == 401
        assert post(port, "authorization: Bearer a-long-enough-token") == 200
        server.send_signal(number)
        out, err = server.communicate(timeout=30)
    assert (out, err, server.returncode) == ("", "", code)


@pytest.mark.parametrize("is_given", [False, True])
def test_callers_that_nothing_tells_apart_are_a_warning_where_somebody_approves(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, is_given: bool
) -> None:
    def make_server(app: Any, limits: Any, on_start: Any) -> Any:
        """Make a server that ends when it has started."""

        def run(listening: list[socket.socket]) -> None:
            on_start()
            listening[0].close()

        return SimpleNamespace(run=run, handle_exit=None, interrupted=False)

    monkeypatch.setattr("toolhaft.serve.server.make_server", make_server)
    token_file(folder)
    (folder / "approvers").write_text("the-token-of-approvers")
    (folder / "approvers").chmod(0o600)
    options = ["--token-file", "token"] if is_given else []
    options += ["--state", "state", "--approver-token-file", "approvers", "--port", "0"]
    ran = run("serve", "tools.py", *options)
    warning = (
        "toolhaft: --approver-token-file without --token-file: anyone who can reach the server "
        "can call as any caller, unless --context checks who asks; give --token-file\n"
    )
    assert (ran.code, ran.err) == (0, "" if is_given else warning)


@pytest.mark.parametrize("client", ["claude", "cursor", "vscode", "codex"])
def test_the_configuration_of_a_client_starts_the_server_from_anywhere(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, client: str
) -> None:
    options = ("--name", "my tools", "--state", "keys", "--print-config", client)
    ran = forked("serve", "tools.py", *options, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    config = tomllib.loads(ran.out) if client == "codex" else ran.json
    [servers] = config.values()
    server = servers["my tools"]
    assert server.get("type") == ("stdio" if client == "vscode" else None)
    done = subprocess.run(
        [server["command"], *server["args"]],
        input=json.dumps(LIST).encode(),
        cwd=tmp_path_factory.mktemp("elsewhere"),
        env={"PYTHONPATH": SRC},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert [one["name"] for one in json.loads(done.stdout)["result"]["tools"]] == ["add"]
    assert (folder / "keys").exists()


META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
LIST: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}


def test_a_tool_that_differs_from_the_lock_is_left_out_by_name(folder: Path) -> None:
    path = folder / "tools.py"
    subtract = TOOLS.replace("add", "subtract")
    path.write_text(TOOLS + subtract + TOOLS.replace("add", "gone"))
    locked = forked("lock", "tools.py", "-o", "tools.lock", cwd=folder)
    assert locked.code == 0
    path.write_text(TOOLS + subtract.replace("Add", "Take") + TOOLS.replace("add", "new"))
    arguments = ("serve", "tools.py", "--lock", "tools.lock", "--stdio")
    ran = spawned(*arguments, cwd=folder, input=json.dumps(LIST).encode())
    assert [one["name"] for one in ran.json["result"]["tools"]] == ["add"]
    assert ran.err.splitlines() == [
        "toolhaft: left out: gone: gone",
        "toolhaft: left out: new: not in the lock",
        "toolhaft: left out: subtract: changed: description",
    ]
    path.write_text(TOOLS.replace("add", "new"))
    ran = spawned(*arguments, cwd=folder)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --lock tools.lock: add: gone; gone: gone; new: not in")


GATED: Final = """
import os

from mcp.server import MCPServer

server = MCPServer("shops")


@server.tool()
def count(city: str) -> int:
    "Count the shops of a city."
    return len(city)


with open("pid", "w") as file:
    file.write(str(os.getpid()))
server.run()
"""


def ask_ready(port: int) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", "/ready")
        response = connection.getresponse()
        return response.status, json.load(response)["status"]
    finally:
        connection.close()


def test_a_gateway_whose_server_is_gone_is_not_ready(folder: Path) -> None:
    (folder / "server.py").write_text(GATED)
    with start(folder, f"mcp+stdio:{sys.executable} server.py") as gateway:
        assert gateway.stdout is not None
        port = int(gateway.stdout.readline().partition("127.0.0.1:")[2].partition("/")[0])
        before = ask_ready(port)
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
        after = ask_ready(port)
        gateway.send_signal(signal.SIGTERM)
        gateway.communicate(timeout=30)
    assert (before, after) == ((200, "ok"), (503, "unavailable"))


@pytest.mark.parametrize(
    ("owner", "mode", "is_read"),
    [
        *((0, 0o440, True), (0, 0o600, True), (0, 0o644, False), (0, 0o460, False)),
        *((1, 0o600, True), (1, 0o440, False), (1, 0o640, False)),
    ],
)
def test_the_group_of_a_file_of_roots_may_read_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: int, mode: int, is_read: bool
) -> None:
    path = tmp_path / "token"
    path.write_text("secret")
    status = SimpleNamespace(st_uid=owner, st_mode=mode)
    monkeypatch.setattr(Path, "stat", lambda _: status)
    if is_read:
        assert read_private_file("--token-file", str(path)) == "secret"
    else:
        with pytest.raises(Unusable, match="others may read it"):
            read_private_file("--token-file", str(path))
