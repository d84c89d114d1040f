"""TOOLS of a server, which is started for the command or reached at its address."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from tests.cli.running import Ran, Run, spawned
from toolhaft.cli import live
from toolhaft.cli.source import KINDS

SERVER = """
import os
import sys

from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "A city.", "maxLength": 50}},
    "required": ["city"],
}


async def list_tools(context, params):
    tools = [
        Tool(name="find shops", description="Find the shops of a city.", input_schema=PLACE),
        Tool(name="die", description="End the server at once.", input_schema=PLACE),
    ]
    if "faulty" in sys.argv:
        linked = {"type": "object", "$ref": "https://example.org/s"}
        tools.append(Tool(name="linked", description="Of elsewhere.", input_schema=linked))
    if "twice" in sys.argv:
        tools += tools[:1]
    return ListToolsResult(tools=tools)


async def call_tool(context, params):
    if params.name == "die":
        print("out of shops", file=sys.stderr, flush=True)
        os._exit(3)
    return CallToolResult(content=[TextContent(text="2 in " + params.arguments["city"])])


async def main():
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


server = Server("shops", on_list_tools=list_tools, on_call_tool=call_tool)
if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
"""


NO_COMMAND = "expected a command, as in mcp+stdio:'python server.py', quotes in pairs"


@pytest.fixture
def server(tmp_path: Path) -> str:
    (tmp_path / "server.py").write_text(SERVER)
    return f"mcp+stdio:{sys.executable} {tmp_path}/server.py"


@pytest.fixture
def address(tmp_path: Path) -> Generator[str]:
    """Serve the same tools at an address."""
    uvicorn: Any = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    space: dict[str, Any] = {"__name__": "served"}
    exec(compile(SERVER, "server.py", "exec"), space)
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        app = space["server"].streamable_http_app()
        serving = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"mcp+http://127.0.0.1:{port}/mcp"
        serving.should_exit = True
        thread.join()


@pytest.mark.requirement("cli-sources")
def test_every_command_takes_the_tools_of_a_server(
    run: Run, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server = address
    shown = run("show", server, "--format", "json")
    assert [(one["name"], one["defined"]) for one in shown.json] == [
        ("find_shops", server),
        ("die", server),
    ]
    assert run("call", server, "find_shops", "city=Rome") == (0, "2 in Rome\n", "")
    refused = run("call", server, "find_shops", "town=Rome")
    wrong = "Please rewrite the input with valid arguments. Errors: city: required\n"
    assert refused == (1, wrong, "")
    assert run("check", server).code == 0
    assert run("lock", server) == (0, "", "toolhaft: wrote toolhaft.lock\n")
    assert run("lock", server, "--check") == (0, "", "")
    assert run("diff", "toolhaft.lock", server) == (0, "nothing changed\n", "")
    exported = run("export", server, "--target", "anthropic").json["tools"]
    assert [one["name"] for one in exported] == ["die", "find_shops"]
    assert run("docs", server, "-o", "pages").code == 0
    assert {path.name for path in Path("pages").iterdir()} >= {"find_shops.md", "die.md"}
    assert "find_shops" in run("manifest", server).out
    calls = [
        {"name": "find_shops", "arguments": {"city": "Rome"}},
        {"name": "find_shops", "arguments": {}},
    ]
    Path("calls.jsonl").write_text("\n".join(map(json.dumps, calls)))
    gated = run("batch", server, "calls.jsonl", "-o", "-")
    assert [row["kind"] for row in gated.rows] == ["accepted", "invalid_input"]
    ran = run("batch", server, "calls.jsonl", "-o", "-", "--execute")
    assert [(row["kind"], row["text"][:9]) for row in ran.rows] == [
        ("ok", "2 in Rome"),
        ("invalid_input", "Please re"),
    ]


@pytest.mark.requirement("cli-sources")
def test_an_unusable_tool_of_a_server_is_reported_and_the_others_work(
    run: Run, server: str
) -> None:
    checked = run("check", f"{server} faulty", "--format", "json")
    assert checked.code == 1
    assert checked.err.startswith("toolhaft: left out: linked.inputSchema: JSON Schema: ")
    assert checked.err.count("\n") == 1
    [finding] = [one for one in checked.json["findings"] if one["code"] == "TH000"]
    assert (finding["tool"], finding["where"]) == ("linked", f"{server} faulty")


def one_line(ran: Ran, start: str, end: str = "") -> None:
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran
    assert ran.err.startswith(f"error: {start}")
    assert ran.err.endswith(f"{end}\n")


@pytest.mark.requirement("cli-sources")
@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("mcp+stdio:", "expected a command, as in mcp+stdio:'python server.py', quotes in pairs"),
        (
            "mcp+stdio:a 'b",
            "expected a command, as in mcp+stdio:'python server.py', quotes in pairs",
        ),
        ("mcp+stdio:no-such-command x", "the command cannot be started: No such file or directory"),
        ("mcp+http:", "expected an address, as in mcp+https://example.org/mcp"),
        ("mcp+https:///mcp", "expected an address, as in mcp+https://example.org/mcp"),
        ("mcp+http://[::1/mcp", "expected an address, as in mcp+https://example.org/mcp"),
        ("mcp+ftp://example.org", f"expected {KINDS}"),
        ("mcp:python server", f"expected {KINDS}"),
        (
            "https://example.org/mcp",
            "is an address; for the tools of an MCP server, name mcp+https://example.org/mcp",
        ),
    ],
)
def test_a_target_that_names_no_server_is_a_one_line_error(
    run: Run, target: str, reason: str
) -> None:
    one_line(run("show", target), f"{target}: {reason}")
    one_line(run("diff", target, target), f"{target}: {reason}")


@pytest.mark.requirement("cli-sources")
def test_a_server_that_ends_or_is_silent_is_one_line(
    run: Run, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def target(code: str) -> str:
        path = tmp_path / "other.py"
        path.write_text(code)
        return f"mcp+stdio:{sys.executable} {path}"

    ended = target("print('hello'); raise SystemExit('no key given')")
    reason = "the server ended, or speaks no MCP; it wrote: no key given"
    one_line(run("show", ended), f"{ended}: {reason}")
    one_line(
        run("lock", f"{server} twice"), f"{server} twice: tools[2] find shops.name: reads the "
    )
    monkeypatch.setattr(live, "SECONDS", 0.5)
    silent = target("import sys; sys.stdin.read()")
    one_line(run("show", silent), f"{silent}: the server does not answer within 0.5 seconds")


@pytest.mark.requirement("cli-sources")
def test_a_server_that_dies_in_a_call_is_an_outcome_and_then_exit_code_2(
    run: Run, server: str
) -> None:
    ran = run("call", server, "die", "city=Rome")
    assert ran.code == 2
    assert ran.out.startswith("The tool failed (id ")
    assert ran.err.endswith(f"{server}: the server ended in mid-call; it wrote: out of shops\n")
    assert "Traceback" not in ran.err


@pytest.mark.requirement("cli-sources")
def test_a_server_that_is_started_answers_and_is_ended(server: str, tmp_path: Path) -> None:
    code = (
        "import os, pathlib\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        f"exec(open({str(tmp_path / 'server.py')!r}).read())"
    )
    (tmp_path / "noted.py").write_text(code)
    noted = f"mcp+stdio:{sys.executable} {tmp_path}/noted.py"
    assert spawned("call", noted, "find_shops", "city=Rome", cwd=tmp_path).out == "2 in Rome\n"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.requirement("cli-sources")
def test_an_address_where_nobody_answers_is_one_line(run: Run) -> None:
    nobody = "mcp+http://127.0.0.1:9/mcp"
    one_line(run("show", nobody), f"{nobody}: the server does not answer: ConnectError: ")
