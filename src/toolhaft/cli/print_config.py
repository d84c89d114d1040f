"""`toolhaft serve --print-config`: the configuration of an MCP client, with absolute paths."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from toolhaft.cli.serve_options import Asked

__all__ = ["CLIENTS", "write_config"]

CLIENTS: Final = ("claude", "cursor", "vscode", "codex")
BARE_KEY: Final = re.compile("[A-Za-z0-9_-]+")  # TOML 1.0
# Options of a server over stdio, and whether they name a file.
OPTIONS: Final = {
    "state": ("--state", True),
    "lock": ("--lock", True),
    "context_of": ("--context", False),
    "name": ("--name", False),
    "version": ("--version", False),
    "instructions": ("--instructions", False),
}


def write_config(asked: Asked, client: str, name: str) -> str:
    """Write what a client's configuration needs to start this server over stdio.

    A client starts it in a folder of its own, in an environment without the shell's PATH.
    """
    server: dict[str, Any] = {"command": sys.executable, "args": _arguments(asked)}
    if client == "codex":
        key = name if BARE_KEY.fullmatch(name) else json.dumps(name)
        lines = [f"{option} = {json.dumps(value)}" for option, value in server.items()]
        return "\n".join([f"[mcp_servers.{key}]", *lines])
    if client == "vscode":
        return json.dumps({"servers": {name: {"type": "stdio", **server}}}, indent=2)
    return json.dumps({"mcpServers": {name: server}}, indent=2)


def _arguments(asked: Asked) -> list[str]:
    arguments = ["-m", "toolhaft", "serve", _absolute_tools(asked.tools), "--stdio"]
    for field, (option, is_file) in OPTIONS.items():
        value = getattr(asked, field)
        if value is not None:
            arguments += [option, str(Path(value).absolute()) if is_file else value]
    return arguments


def _absolute_tools(target: str) -> str:
    """Return a file by its absolute path; the name of a module or a server is given as it is."""
    path, ending, name = target.partition(".py")
    if not ending or (name and name[0] != ":"):
        return target
    return f"{Path(path + ending).absolute()}{name}"
