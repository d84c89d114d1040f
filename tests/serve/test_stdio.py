"""MCP over stdio: every line has an answer, and what runs is answered before the end."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.running import SRC
from toolhaft.serve.limits import LIMITS
from toolhaft.serve.messages import BadMessage, read_message
from toolhaft.serve.stdio import Lines, _to_json, _Transport

pytestmark = pytest.mark.requirement("serve-stdio")

MODULE: Final = """
import sys, time
from toolhaft import tool

@tool
def add(a: int, b: int) -> int:
    "Add."
    print("printed by a tool")
    return a + b

@tool
def waits(path: str) -> str:
    "Say that it waits, and wait until a file is there."
    print("waiting", file=sys.stderr, flush=True)
    while True:
        try:
            open(path).close()
            return "waited"
        except FileNotFoundError:
            time.sleep(0.01)

@tool
def reads() -> str:
    "Read standard input."
    return sys.stdin.read()

@tool(requires_approval=True)
def pay(amount: int) -> int:
    "Pay."
    return amount
"""
META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(id: int, name: str, **arguments: Any) -> bytes:
    params = {"name": name, "arguments": arguments, "_meta": META}
    message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "own_tools.py"
    path.write_text(MODULE)
    return path


def start(module: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "toolhaft", "serve", str(module), "--stdio"]
    command += ["--log-level", "error", *options]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen[bytes](command, env={"PYTHONPATH": SRC}, **pipes)


def await_begin(server: subprocess.Popen[bytes]) -> None:
    """Wait until the tool that waits has begun."""
    assert server.stderr is not None
    assert b"waiting\n" in iter(server.stderr.readline, b"")


def talk(module: Path, *lines: bytes, options: Sequence[str] = ()) -> tuple[list[Any], bytes]:
    with start(module, *options) as server:
        out, err = server.communicate(b"".join(lines), timeout=60)
    assert server.returncode == 0
    return [json.loads(line) for line in out.splitlines()], err


def test_every_line_has_an_answer_and_what_is_wrong_runs_nothing(module: Path) -> None:
    good = call(1, "add", a=1, b=2)
    answers, err = talk(
        module,
        good,
        b"no json\n",
        good.replace(b'"a": 1', b'"a": 1, "a": 5'),
        good.replace(b'"add"', b'"\xff"'),
        good.replace(b'"a": 1', b'"a": ' + b"[" * 100_000),
        b" " * 3_000_000 + b"\n",
        b"\n \r\n",
        good.replace(b'"id": 1', b'"id": null'),
        good.replace(b'"id": 1', b'"id": 7, "result": {}'),
        b"[" + good.strip() + b"]\n",
        call(9, "reads"),
        call(10, "add", a="x", b=2).rstrip(b"\n"),
    )
    by_id: dict[Any, list[Any]] = {}
    for answer in answers:
        by_id.setdefault(answer["id"], []).append(answer)
    codes = [answer["error"]["code"] for answer in by_id.pop(None)]
    assert codes == [-32700, -32700, -32700, -32700, -32700, -32600, -32600]
    assert by_id[1][0]["result"]["structuredContent"] == 3
    assert by_id[7][0]["error"]["code"] == -32600
    assert by_id[9][0]["result"]["structuredContent"] == ""
    assert by_id[10][0]["result"]["isError"] is True
    assert sorted(by_id) == [1, 7, 9, 10]
    assert err == b"printed by a tool\n"


def test_an_answer_that_is_none_or_to_nothing_ends_no_call_that_runs(
    module: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    fault = b'{"code": 1, "message": "x"}'
    good = [b'"result": {}', b'"error": ' + fault]
    bad = [b'"result": 5', b'"error": "x"', b'"error": {}', b'"error": {"code": "1", "message": 2}']
    with start(module) as server:
        assert server.stdin is not None
        server.stdin.write(call(1, "waits", path=str(flag)))
        server.stdin.flush()
        await_begin(server)
        for answer in [*good, *bad]:
            server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, ' + answer + b"}\n")
        server.stdin.write(call(2, "add", a=1, b=2))
        flag.touch()
        out, _ = server.communicate(timeout=60)
        assert server.returncode == 0
    answers = [json.loads(line) for line in out.splitlines()]
    assert [one["error"]["code"] for one in answers if one["id"] is None] == [-32600] * 4
    results = {one["id"]: one["result"] for one in answers if one["id"] is not None}
    assert {one: result["structuredContent"] for one, result in results.items()} == {
        1: "waited",
        2: 3,
    }


@pytest.mark.requirement("serve-drain")
def test_what_runs_is_answered_before_sigterm_ends_it(module: Path, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    with start(module) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(call(1, "waits", path=str(flag)))
        server.stdin.flush()
        await_begin(server)
        server.send_signal(signal.SIGTERM)
        flag.touch()
        answer = json.loads(server.stdout.readline())
        assert (answer["id"], answer["result"]["structuredContent"]) == (1, "waited")
        assert server.stdout.read() == b""
        assert server.wait(30) == 0


def to_cancel(**besides: Any) -> bytes:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", **besides}
    return json.dumps(message).encode() + b"\n"


@pytest.mark.requirement("serve-drain")
def test_at_the_end_of_the_input_only_what_is_cancelled_is_not_waited_for(
    module: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    with start(module) as server:
        assert server.stdin is not None
        server.stdin.write(call(1, "waits", path=str(flag)))
        server.stdin.flush()
        await_begin(server)
        for wrong in (True, 1.0, None, [1], "2"):
            server.stdin.write(to_cancel(params={"requestId": wrong}))
        server.stdin.write(to_cancel(id=2, params={"requestId": 1}))
        server.stdin.write(call(1, "add", a=1, b=2).replace(b'"id": 1', b'"id": "1"'))
        server.stdin.write(call(3, "waits", path=str(tmp_path / "never")))
        server.stdin.flush()
        await_begin(server)
        server.stdin.write(to_cancel(params={"requestId": "3"}))
        server.stdin.write(call(3, "add", a=1, b=2))
        server.stdin.close()
        server.stdin = None
        flag.touch()
        out, _ = server.communicate(timeout=60)
    answers = {one["id"]: one for one in map(json.loads, out.splitlines())}
    assert {request: "error" in answer for request, answer in answers.items()} == {
        None: True,  # the id that waits
        1: False,
        2: True,
        3: False,
    }
    assert answers[1]["result"]["structuredContent"] == "waited"
    assert answers[3]["result"]["structuredContent"] == 3


@pytest.mark.requirement("serve-drain")
def test_a_client_that_goes_on_sending_cannot_keep_it_from_ending(module: Path) -> None:
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    with start(module) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        threading.Thread(target=send_for_ever, args=(server.stdin, ping)).start()
        server.stdin = None  # closed by who writes there
        server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        too_late = threading.Timer(20, server.kill)
        too_late.start()
        server.stdout.read()
        too_late.cancel()
        _, err = server.communicate()
    assert (server.returncode, err) == (0, b"")


def older(id: int, **message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, **message}).encode() + b"\n"


BEGIN: Final = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "a", "version": "1"},
    },
}
PAY: Final = {"method": "tools/call", "params": {"name": "pay", "arguments": {"amount": 7}}}
ACCEPTED: Final = {"action": "accept", "content": {}}


@pytest.mark.requirement("serve-drain")
@pytest.mark.parametrize(
    ("answers", "signals", "read"),
    [
        ([ACCEPTED], [], "7"),
        ([], [], "This call needs the approval of a person"),
        ([], [signal.SIGTERM], "This call needs the approval of a person"),
    ],
)
def test_a_call_of_which_an_older_client_is_asked_is_answered_at_the_end(
    module: Path, answers: list[Any], signals: list[signal.Signals], read: str
) -> None:
    with start(module) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(older(1, **BEGIN))
        server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        server.stdin.write(older(2, **PAY))
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        question = json.loads(server.stdout.readline())
        for answer in answers:
            server.stdin.write(older(question["id"], result=answer))
        for number in signals:
            server.send_signal(number)
            server.wait(20)
        out, _ = server.communicate(timeout=20)
    [answered] = (one for one in map(json.loads, out.splitlines()) if one.get("id") == 2)
    assert answered["result"]["content"][0]["text"].startswith(read)


def send_for_ever(stream: Any, line: bytes) -> None:
    with suppress(BrokenPipeError), stream:
        while True:
            stream.write(line * 1_000)


CALLER: Final = """
from starlette.exceptions import HTTPException

def refuses(request):
    raise HTTPException(401, "nobody is known here")

def ends(request):
    raise SystemExit(3)
"""


@pytest.mark.parametrize(
    ("function", "words"),
    [("refuses", "nobody is known here"), ("ends", "the context of the request failed (id ")],
)
def test_who_is_refused_by_the_context_is_told_so(module: Path, function: str, words: str) -> None:
    module.write_text(MODULE + CALLER)
    calls = [call(number, "add", a=1, b=2) for number in (1, 2)]
    answers, _ = talk(module, *calls, options=["--context", f"own_tools:{function}"])
    assert [answer["error"]["message"].startswith(words) for answer in answers] == [True, True]


IMPATIENT: Final = """
import sys
from toolhaft.cli.source import load
from toolhaft.serve import asgi
from toolhaft.serve.limits import Limits
from toolhaft.serve.stdio import serve_stdio

limits = Limits(drain_seconds=0.1, write_seconds=0.1)
serve_stdio(asgi(load(sys.argv[1]).toolset), 1, limits)
"""


@pytest.mark.requirement("serve-drain")
def test_a_call_that_outlasts_the_drain_is_said_to_be_unknown(module: Path, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    command = [sys.executable, "-c", IMPATIENT, str(module)]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen[bytes](command, env={"PYTHONPATH": SRC}, **pipes) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(call(1, "waits", path=str(flag)))
        server.stdin.flush()
        await_begin(server)
        server.send_signal(signal.SIGTERM)
        answer = json.loads(server.stdout.readline())
        flag.touch()
    assert (answer["id"], answer["error"]["code"], answer["error"]["data"]) == (
        1,
        -32000,
        {"kind": "timeout", "effect": "unknown", "retryable": False},
    )


@pytest.mark.requirement("serve-drain")
def test_a_client_that_reads_nothing_is_left_at_the_end(module: Path) -> None:
    module.write_text(
        MODULE.replace("return a + b", "return 'x' * 1_000_000").replace("int:", "str:")
    )
    command = [sys.executable, "-c", IMPATIENT, str(module)]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, env={"PYTHONPATH": SRC}, **pipes) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(call(1, "add", a=1, b=2))
        server.stdin.flush()
        assert server.stdout.read(1) == b"{"
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 1


def test_a_line_may_come_in_pieces_and_none_is_longer_than_the_limit() -> None:
    lines = Lines(5)
    assert lines.feed(b"ab") == []
    assert lines.feed(b"c\nabcde\nabcdef\nx") == [b"abc", b"abcde", None]
    assert lines.feed(b"abcdef") == []
    assert lines.feed(b"more\ny\n") == [None, b"y"]
    assert lines.feed(b"rest") == []
    assert lines.unfinished() == b"rest"


def test_a_message_of_many_levels_is_refused() -> None:
    deep = b'{"a":' * 80 + b"1" + b"}" * 81
    with pytest.raises(BadMessage, match="nested deeper"):
        read_message(b'{"jsonrpc":"2.0","method":"x","params":' + deep, 1_000_000)


def test_an_answer_that_json_cannot_hold_is_an_error_of_its_request() -> None:
    from mcp.types import JSONRPCNotification, JSONRPCResponse

    odd = {"text": "\udcff"}
    answers = [
        json.loads(_to_json(message))
        for message in (
            JSONRPCResponse(jsonrpc="2.0", id=7, result=odd),
            JSONRPCNotification(jsonrpc="2.0", method="notifications/progress", params=odd),
        )
    ]
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [
        (7, -32603),
        (None, -32603),
    ]


def test_a_message_has_the_members_that_were_set_and_no_others() -> None:
    from mcp.types import ErrorData, JSONRPCError

    error = JSONRPCError(jsonrpc="2.0", id=7, error=ErrorData(code=1, message="no"))
    assert _to_json(error) == '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}'


def test_a_second_ctrl_c_ends_the_process_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr("os._exit", ended.append)

    async def stop() -> tuple[bool, list[int]]:
        transport = _Transport(0, 1, LIMITS, lambda: None)
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            transport._stop(number)
        return transport.interrupted, ended

    assert asyncio.run(stop()) == (True, [130])
