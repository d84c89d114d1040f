"""`toolhaft serve`: tools as an MCP server and an HTTP service, in one command."""

from __future__ import annotations

import glob
import socket
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolhaft.cli.completion import FILE
from toolhaft.cli.context import require_context
from toolhaft.cli.interrupts import INTERRUPTED
from toolhaft.cli.private_file import read_private_file
from toolhaft.cli.reloading import list_files, load_again
from toolhaft.cli.source import load, tell_left_out
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.unusable import Unusable
from toolhaft.loading.faults import one_line
from toolhaft.loading.modules import add_to_path
from toolhaft.loading.source import Source
from toolhaft.review.lock import LockError, Mismatch
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.serve.app import App
    from toolhaft.serve.auth import Auth
    from toolhaft.serve.context import ContextOf
    from toolhaft.serve.state import State

__all__ = ["serve"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
FEWEST_TOKEN_CHARS = 16
HTTP_ALONE = ("host", "port", "hosts", "token_file")


@click.command(short_help="Serve tools over MCP and HTTP.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.option("--stdio", is_flag=True, help="Speak MCP over standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="0 picks a free one.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="A name that clients reach the server by, as they send it; may be repeated.",
)
@click.option(
    "--token-file", metavar="FILE", type=FILE, help="Require the bearer token in this file."
)
@click.option("--state", metavar="FILE", type=FILE, help="Keep idempotency keys here for 24 hours.")
@click.option(
    "--context",
    "context_of",
    metavar="MODULE:FUNCTION",
    help="Returns the context of a request (of None over stdio).",
)
@click.option(
    "--lock", metavar="FILE", type=FILE, help="Serve only tools that match this lock file."
)
@click.option("--reload", is_flag=True, help="Load TOOLS again when its files change.")
def serve(
    tools: str,
    stdio: bool,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    token_file: str | None,
    state: str | None,
    context_of: str | None,
    lock: str | None,
    reload: bool,
) -> None:
    """Serve TOOLS: MCP at /mcp, HTTP at /tools, with an OpenAPI document at /openapi.json.

    By default only this machine can reach the server. If you set --host, pass --allow-host and
    --token-file too.

    SIGTERM or Ctrl-C stops the server once all running calls are answered; a second Ctrl-C stops
    it at once.
    """
    _require_extra()
    from toolhaft.serve.app import App, Options
    from toolhaft.serve.catalogue import Catalogue
    from toolhaft.serve.reload import Reload

    if stdio:
        _refuse_http_options(click.get_current_context())
    _require_protection(host, hosts, token_file)
    if lock is not None and reload:
        raise Unusable("--lock and --reload: changed tools would not match the lock; give one")
    _require_hosts(hosts)
    with reserve_stdout() as out:
        source = _load_tools(tools)
        toolset = _verify(source.toolset, lock)
        load_changed = partial(load_again, tools, has_context=context_of is not None)
        files = Reload(partial(list_files, tools), load_changed)
        options = Options(
            title=_title(tools),
            hosts=hosts,
            context=_load_context(context_of, toolset),
            auth=_read_auth(token_file),
            state=_open_state(state),
            reload=files if reload else None,
            is_ready=source.is_ready,
        )
        app = App(Catalogue(toolset), options)
        if stdio:
            ended = _serve_stdio(app, out.fileno())
        else:
            ended = _serve_http(app, host, port, len(toolset), out)
    if not ended:
        sys.exit(INTERRUPTED)


def _refuse_http_options(context: click.Context) -> None:
    """Refuse what does nothing over stdio: a token, say, that nobody is asked for."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in HTTP_ALONE and source is ParameterSource.COMMANDLINE:
            raise Unusable(f"{option.opts[0]}: cannot be used with --stdio; give one of them")


def _require_protection(host: str, hosts: tuple[str, ...], token_file: str | None) -> None:
    if host not in LOOPBACK and not (hosts and token_file):
        needs = "--allow-host, the name it is reached by, and --token-file"
        raise Unusable(f"--host {host}: others can reach the server there; give {needs}")


def _require_hosts(hosts: tuple[str, ...]) -> None:
    from toolhaft.serve.guard import HOST_FORM, is_host

    for host in hosts:
        if not is_host(host):
            raise Unusable(f"--allow-host {host}: not a host; {HOST_FORM}")


def _load_tools(target: str) -> Source:
    source = load(target)
    if not source.runs:
        reason = source.lacks or "declarations have no code to run; name a module of tools"
        raise Unusable(f"{target}: {reason}")
    return source


def _verify(tools: Toolset, lock: str | None) -> Toolset:
    """Select the tools that are as they were locked; name the others on standard error."""
    if lock is None:
        return tools
    try:
        return tools.verify(lock)
    except LockError as error:
        raise Unusable(f"--lock {lock}: {one_line(str(error))}") from None
    except Mismatch as mismatch:
        verified = [tool.name for tool in tools if tool.name not in mismatch.tools]
        if not verified:
            raise Unusable(f"--lock {lock}: {one_line(str(mismatch))}") from None
        tell_left_out(f"{name}: {why}" for name, why in mismatch.tools.items())
        return tools.select(*map(glob.escape, verified))


def _load_context(target: str | None, tools: Toolset) -> ContextOf | None:
    """Load the function that makes contexts; without one, no tool may need a context."""
    if target is None:
        require_context(tools, None)
        return None
    module, colon, name = target.partition(":")
    if not colon or not name.isidentifier():
        raise Unusable(f"--context {target}: expected package.module:function")
    add_to_path(Path.cwd())
    try:
        function: Any = getattr(import_module(module), name, None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the module's own code runs here
        raise Unusable(
            f"--context {target}: {one_line(f'{type(error).__name__}: {error}')}"
        ) from None
    if not callable(function):
        raise Unusable(f"--context {target}: no such function")
    return function  # type: ignore[no-any-return]


def _require_extra() -> None:
    """Refuse to start without the packages that only serving needs."""
    for package in ("mcp", "starlette", "uvicorn"):
        if find_spec(package) is None:
            raise Unusable(f"serving needs {package}: pip install 'toolhaft[serve]'")


def _open_state(path: str | None) -> State | None:
    from toolhaft.serve.state import State, StateError

    try:
        return None if path is None else State(path)
    except StateError as error:
        raise Unusable(f"--state {error}") from None


def _title(target: str) -> str:
    """Name the server as the module; a server or a document of others gives no name."""
    return Path(target.partition(".py:")[0]).stem if "+" not in target else "tools"


def _read_auth(path: str | None) -> Auth | None:
    """Read the token to ask for, from a file that nobody else on the machine can read."""
    from toolhaft.serve.auth import Auth, OneToken

    if path is None:
        return None
    token = read_private_file("--token-file", path).strip()
    if len(token) < FEWEST_TOKEN_CHARS or not token.isprintable() or " " in token:
        expected = f"one line of at least {FEWEST_TOKEN_CHARS} characters without spaces"
        raise Unusable(f"--token-file {path}: expected {expected}")
    return Auth(OneToken(token))


def _serve_http(app: App, host: str, port: int, count: int, out: Any) -> bool:
    from toolhaft.serve.limits import LIMITS
    from toolhaft.serve.server import bind, make_server

    try:
        listening = bind(host, port)
    except (OSError, UnicodeError) as error:  # IDNA refuses some names
        fix = "give another --host or --port (0: any free one)"
        reason = getattr(error, "strerror", None) or one_line(str(error))
        raise Unusable(f"{host} port {port}: {reason}; {fix}") from None
    address = _address(listening)
    noun = "tool" if count == 1 else "tools"

    def tell() -> None:
        out.write(f"{count} {noun} at {address}/tools, for MCP at {address}/mcp\n")
        out.flush()

    server = make_server(app, LIMITS, tell)
    server.run([listening])
    return not server.interrupted


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _serve_stdio(app: App, sink: int) -> bool:
    from toolhaft.serve.limits import LIMITS
    from toolhaft.serve.stdio import serve_stdio

    return serve_stdio(app, sink, LIMITS)
