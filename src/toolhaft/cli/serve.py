"""`toolhaft serve`: tools as an MCP server and an HTTP service, in one command."""

from __future__ import annotations

import json
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from toolhaft.cli.errors import Unusable
from toolhaft.cli.interrupts import INTERRUPTED, Interrupts, catch_interrupts
from toolhaft.cli.options import FILE
from toolhaft.cli.serve_app import make_app, name_server
from toolhaft.cli.serve_logging import LEVELS, start_logging
from toolhaft.cli.serve_options import CLIENTS, Asked, refuse_combinations, write_config
from toolhaft.cli.serve_page import Links, open_browser
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.loading.faults import one_line

if TYPE_CHECKING:
    from toolhaft.serve.app import App
    from toolhaft.serve.supervisor import Endpoints

__all__ = ["serve"]

UNKNOWN_CALLERS: Final = (
    "toolhaft: --approver-token-file without --token-file: anyone who can reach the server can "
    "call as any caller, unless --context checks who asks; give --token-file"
)


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
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many processes serve the tools.",
)
@click.option(
    "--sessions", is_flag=True, help="Keep sessions for MCP clients of the revision 2025-11-25."
)
@click.option(
    "--drain-delay",
    type=click.FloatRange(0, 300),
    default=0.0,
    show_default=True,
    help="Seconds for which /ready is 503 before the server stops listening.",
)
@click.option(
    "--approver-token-file",
    metavar="FILE",
    type=FILE,
    help="Let calls wait for decisions by approvers, who send the bearer token in this file.",
)
@click.option(
    "--context-of-principal",
    metavar="MODULE:FUNCTION",
    help="Makes the context of a caller again, for a call that waited.",
)
@click.option("--name", help="The name of the server; by default that of the module.")
@click.option("--version", help="The version of the server.")
@click.option("--instructions", metavar="TEXT", help="How a model should use the tools.")
@click.option(
    "--ttl-ms",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="For how many milliseconds MCP clients may keep lists and resources.",
)
@click.option(
    "--cache-scope",
    type=click.Choice(["private", "public"]),
    default="private",
    show_default=True,
    help="Whether caches may share them between users.",
)
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="info",
    show_default=True,
    help="From which level on to log.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How it is logged, to standard error.",
)
@click.option(
    "--print-config",
    type=click.Choice(CLIENTS),
    help="Print the configuration of an MCP client that starts the server, and serve nothing.",
)
@click.option(
    "--open", is_flag=True, help="Serve the page too, where people try tools, and open it."
)
@click.option(
    "--history/--no-history",
    default=True,
    show_default=True,
    help="Keep the calls of the page for thirty days.",
)
def serve(**options: Any) -> None:
    """Serve TOOLS: MCP at /mcp, HTTP at /tools, with an OpenAPI document at /openapi.json.

    By default only this machine can reach the server. If you set --host, pass --allow-host and
    --token-file too.

    SIGTERM or Ctrl-C stops the server once all running calls are answered; a second Ctrl-C stops
    it at once.
    """
    _require_extra()
    asked = Asked(**options)
    refuse_combinations(asked, _is_given)
    _require_hosts(asked)
    with reserve_stdout() as out:
        if asked.print_config is not None:
            make_app(asked)  # what cannot be served is an error now, and not in the client
            name = asked.name or name_server(asked.tools)
            out.write(write_config(asked, asked.print_config, name) + "\n")
            return
        code = 0
        with catch_interrupts() as interrupts, interrupts.ending():
            code = _run(asked, out, interrupts)
    if interrupts.seen == signal.SIGINT:  # it came before the server listened to signals
        code = INTERRUPTED
    if code:
        sys.exit(code)


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def _run(asked: Asked, out: Any, interrupts: Interrupts) -> int:
    """Serve until a signal comes; give the exit code."""
    if asked.workers > 1:
        start_logging(asked.log_level, asked.log_format)
        return _supervise(asked, out)
    from toolhaft.serve.telemetry import stop_telemetry

    app, count, links = make_app(asked)
    if interrupts.seen:  # and the module of the tools did not care
        return 0
    try:
        if asked.stdio:
            ended = _serve_stdio(app, out.fileno())
        else:
            tell = partial(_tell, asked, out, count, links=links)
            ended = _serve_http(app, asked, tell, interrupts)
    finally:
        stop_telemetry()
    if app.failed:  # the log has the reason
        return 1
    return 0 if ended else INTERRUPTED


def _require_hosts(asked: Asked) -> None:
    from toolhaft.serve.guard import HOST_FORM, is_host

    for host in asked.hosts:
        if not is_host(host):
            raise Unusable(f"--allow-host {host}: not a host; {HOST_FORM}")


def _require_extra() -> None:
    """Refuse to start without the packages that only serving needs, or with older ones."""
    from toolhaft.serve.extra import describe_lack

    if lack := describe_lack():
        raise Unusable(f"serving: {lack}")


def _serve_http(
    app: App, asked: Asked, tell: Callable[[socket.socket], None], interrupts: Interrupts
) -> bool:
    from toolhaft.serve.server import make_server

    listening = _bind(asked)
    server = make_server(app, asked.limits, partial(tell, listening))
    interrupts.pass_on(server.handle_exit)  # until it listens itself
    with suppress(SystemExit):  # of a lifespan that failed
        server.run([listening])
    return not server.interrupted


def _supervise(asked: Asked, out: Any) -> int:
    """Serve in several processes; each of them loads the tools."""
    from toolhaft.serve.supervisor import Supervisor

    listening = _bind(asked)
    workers = f", by {asked.workers} workers (each has its own limit, RateLimit and parallel=False)"

    def command(endpoints: Endpoints) -> list[str]:
        given = json.dumps([asked, endpoints])
        # -P: the current folder is not searched first, as for the script.
        return [sys.executable, "-P", "-m", "toolhaft.cli.serve_worker", given]

    def tell(count: int) -> None:
        _tell(asked, out, count, listening, workers)

    seconds = asked.drain_delay + asked.limits.drain_seconds
    return Supervisor(asked.workers, command, seconds, tell).run(listening)


def _bind(asked: Asked) -> socket.socket:
    from toolhaft.serve.server import bind

    try:
        return bind(asked.host, asked.port)
    except (OSError, UnicodeError) as error:  # IDNA refuses some names
        fix = "give another --host or --port (0: any free one)"
        reason = getattr(error, "strerror", None) or one_line(str(error))
        raise Unusable(f"{asked.host} port {asked.port}: {reason}; {fix}") from None


def _tell(
    asked: Asked,
    out: Any,
    count: int,
    listening: socket.socket,
    workers: str = "",
    links: Links | None = None,
) -> None:
    if asked.approver_token_file is not None and asked.token_file is None:
        click.echo(UNKNOWN_CALLERS, err=True)
    address = _address(listening)
    noun = "tool" if count == 1 else "tools"
    out.write(f"{count} {noun} at {address}/tools, for MCP at {address}/mcp{workers}\n")
    if links is not None:
        out.writelines(f"{line}\n" for line in links.lines(address))
    out.flush()
    if links is not None:
        open_browser(links.once(address))


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _serve_stdio(app: App, sink: int) -> bool:
    from toolhaft.serve.limits import LIMITS
    from toolhaft.serve.stdio import serve_stdio

    return serve_stdio(app, sink, LIMITS)
