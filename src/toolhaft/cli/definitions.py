"""What a side of `diff` stands for: a lock, tools, tools as of a git revision, an MCP server.

toolhaft.lock                    a lock
tools.py                         tools, as everywhere
git:v1.2:src/tools.py            the same of a revision of the repository in this folder
mcp:python server.py             the tools that a server lists, started by this command
https://example.org/mcp          the tools that a server lists, at this address
"""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from toolhaft.cli.source import load
from toolhaft.cli.unusable import Unusable, one_line
from toolhaft.errors import DefinitionError
from toolhaft.imports.declarations import from_json
from toolhaft.jsonio import jsontext
from toolhaft.review import lock
from toolhaft.review.lock import Definitions, LockError

__all__ = ["definitions"]

LOCKS = (".lock", ".lock.json")
SECONDS = 60
MAX_BYTES, MAX_DEPTH = 64 << 20, 250
LOCKING = "from toolhaft.cli import main; main()"


def definitions(target: str) -> Definitions:
    """Give the definitions that a side of `diff` names.

    Raises:
        Unusable: with the reason.
    """
    if target.startswith("git:"):
        return _definitions_of_revision(target)
    if target.startswith(("mcp:", "http://", "https://")):
        return _definitions_of_server(target)
    try:
        if target.endswith(LOCKS):
            return lock.read_lock(target)
        return lock.read_lock(lock.write_lock(tool for tool, _ in load(target).tools))
    except LockError as error:
        raise Unusable(str(error)) from None


def _definitions_of_revision(target: str) -> Definitions:
    """Lock the tools of a revision in a process of their own, beside the files of that time."""
    _, revision, path = (*target.split(":", 2), "", "")[:3]
    if not revision or not path or revision.startswith("-"):
        raise Unusable(f"{target}: expected git:REVISION:PATH, as in git:v1.2:tools.py")
    with TemporaryDirectory() as folder:
        output = _run(target, ["git", "archive", "--format=zip", revision])
        with ZipFile(BytesIO(output)) as files:
            files.extractall(folder)
        if path.endswith(LOCKS):
            return definitions(str(Path(folder) / path))
        command = [sys.executable, "-P", "-c", LOCKING, "lock", path, "-o", "-"]
        output = _run(target, command, folder)
        return lock.read_lock(jsontext.read(output, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH))


def _run(target: str, command: list[str], folder: str | None = None) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - git, or this very interpreter
            command, cwd=folder, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(f"{target}: {command[0]}: {type(error).__name__}") from None
    if done.returncode:
        raise Unusable(f"{target}: {one_line(done.stderr.decode(errors='replace'))}")
    return done.stdout


def _definitions_of_server(target: str) -> Definitions:
    try:
        listed = asyncio.run(asyncio.wait_for(_list_tools(target), SECONDS))
        tools = from_json(listed)
    except ModuleNotFoundError as error:
        raise Unusable(f"{target}: needs {error.name}: pip install 'toolhaft[mcp]'") from None
    except DefinitionError as error:
        raise Unusable.from_definition_error(target, error) from None
    except Exception as error:  # noqa: BLE001 - a foreign server and its client run here
        reason = one_line(f"{type(error).__name__}: {error}")
        raise Unusable(f"{target}: the server cannot be asked: {reason}") from None
    return lock.read_lock(lock.write_lock(tools))


async def _list_tools(target: str) -> list[dict[str, Any]]:
    """Every tool that a server lists, page by page."""
    from mcp import Client, StdioServerParameters

    server: Any = target
    if target.startswith("mcp:"):
        command, *arguments = shlex.split(target.removeprefix("mcp:"))
        server = StdioServerParameters(command=command, args=arguments)
    tools: list[dict[str, Any]] = []
    async with Client(server) as client:
        page = await client.list_tools()
        while True:
            tools += [tool.model_dump(by_alias=True, exclude_none=True) for tool in page.tools]
            if not page.next_cursor:
                return tools
            page = await client.list_tools(cursor=page.next_cursor)
