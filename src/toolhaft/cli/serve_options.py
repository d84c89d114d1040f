"""The options of `toolhaft serve`: which contradict each other, and the form for MCP clients."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from toolhaft.cli.errors import Unusable

if TYPE_CHECKING:
    from toolhaft.serve.limits import Limits

__all__ = ["CLIENTS", "Asked", "refuse_combinations", "write_config"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
# Options that do nothing over stdio, such as a token that no client sends.
HTTP_ALONE: Final = {
    "host": "--host",
    "port": "--port",
    "hosts": "--allow-host",
    "token_file": "--token-file",
    "workers": "--workers",
    "sessions": "--sessions",
    "drain_delay": "--drain-delay",
    "approver_token_file": "--approver-token-file",
    "open": "--open",
}
CLIENTS: Final = ("claude", "cursor", "vscode", "codex")
BARE_KEY: Final = re.compile("[A-Za-z0-9_-]+")  # TOML 1.0
# Options of a server over stdio, and whether they name a file.
CLIENT_OPTIONS: Final = {
    "state": ("--state", True),
    "lock": ("--lock", True),
    "context_of": ("--context", False),
    "name": ("--name", False),
    "version": ("--version", False),
    "instructions": ("--instructions", False),
}


class Asked(NamedTuple):
    """The options of one command line; a worker gets the same as JSON."""

    tools: str
    stdio: bool
    host: str
    port: int
    hosts: Sequence[str]
    token_file: str | None
    state: str | None
    context_of: str | None
    lock: str | None
    reload: bool
    workers: int
    sessions: bool
    drain_delay: float
    ttl_ms: int
    cache_scope: Literal["private", "public"]
    name: str | None
    version: str | None
    instructions: str | None
    approver_token_file: str | None
    context_of_principal: str | None
    log_level: str
    log_format: str
    print_config: str | None
    open: bool
    history: bool

    @property
    def limits(self) -> Limits:
        """The limits of the server."""
        from toolhaft.serve.limits import LIMITS

        return LIMITS._replace(drain_delay=self.drain_delay)


def refuse_combinations(asked: Asked, is_given: Callable[[str], bool]) -> None:
    """Reject options that contradict each other; `is_given` finds the command line's options.

    Raises:
        Unusable: names two of them.
    """
    for name, option in HTTP_ALONE.items():
        if asked.stdio and is_given(name):
            raise Unusable(f"{option}: cannot be used with --stdio; give one of them")
    if asked.host not in LOOPBACK and not (asked.hosts and asked.token_file):
        needs = "--allow-host, the name it is reached by, and --token-file"
        raise Unusable(f"--host {asked.host}: others can reach the server there; give {needs}")
    if not isfinite(asked.drain_delay):
        raise Unusable("--drain-delay: not a number of seconds; give one from 0 to 300")
    if asked.lock is not None and asked.reload:
        raise Unusable("--lock and --reload: changed tools would not match the lock; give one")
    if asked.approver_token_file is not None and asked.state is None and not asked.open:
        raise Unusable("--approver-token-file: calls wait in a file; give --state FILE too")
    if asked.context_of_principal is not None and asked.approver_token_file is None:
        raise Unusable("--context-of-principal: nobody decides calls; give --approver-token-file")
    if is_given("history") and not asked.open:
        raise Unusable("--no-history: only the page keeps a history; give --open too")
    _refuse_for_workers(asked)


def _refuse_for_workers(asked: Asked) -> None:
    if asked.workers == 1:
        return
    count = f"--workers {asked.workers}"
    if os.name != "posix":
        raise Unusable(f"{count}: this system cannot share a socket among workers; leave it out")
    if asked.reload:
        raise Unusable(f"{count} and --reload: only one process can reload; give one")
    if asked.open:
        raise Unusable(f"{count} and --open: the page shows one process; give one")
    if asked.sessions:
        raise Unusable(f"{count} and --sessions: a session belongs to one process; give one")


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
    for field, (option, is_file) in CLIENT_OPTIONS.items():
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
