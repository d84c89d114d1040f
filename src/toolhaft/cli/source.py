"""Resolve TOOLS on the command line: one resolver for every command.

- `tools.py`, `package.module`: tools in Python code, one of several toolsets after a colon
- `tools.json`, `tools.jsonl.gz`: declarations, in any shape that `from_json` reads
- `mcp+stdio:python server.py`: the tools of a server that this command starts
- `mcp+https://example.org/mcp`: the tools of a running server
- `openapi:petstore.json`: the operations of an OpenAPI document

`toolhaft.loading` loads the first two.
"""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

import click

from toolhaft.cli.errors import Unusable, show_traceback
from toolhaft.cli.stdout import detect_output
from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.imports.declarations import ENDINGS
from toolhaft.imports.imported import Imported
from toolhaft.loading.faults import Faulty, LoadError, one_line
from toolhaft.loading.source import KINDS as PLACES
from toolhaft.loading.source import Source, load_tools
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.loading.source import IsReady
    from toolhaft.serve.offers import Offers

__all__ = ["KINDS", "SERVERS", "load", "load_offers", "tell_left_out"]

SERVERS = ("mcp+stdio:", "mcp+http:", "mcp+https:")
DOCUMENTS = "openapi:"
ADDRESSES = ("http://", "https://")
KINDS = f"{PLACES}, mcp+stdio:COMMAND, mcp+https://ADDRESS or openapi:FILE"
MOST_SECONDS = 30.0


def load(target: str, *, tolerant: bool = False) -> Source:
    """Load the tools that TOOLS names; faulty declarations are reported on standard error.

    A module with a faulty tool is refused, unless `tolerant` asks for the others.

    Raises:
        Unusable: with the reason.
    """
    if target.startswith((*SERVERS, DOCUMENTS)):
        return _load_imported(target)
    if target.startswith(ADDRESSES):
        raise Unusable(
            f"{target}: is an address; for the tools of an MCP server, name mcp+{target}"
        )
    is_code = not target.endswith(ENDINGS)
    try:
        with ExitStack() as stack:
            if is_code:
                stack.enter_context(_importing(target))
            source = load_tools(target, tolerant=tolerant, kinds=KINDS)
    except LoadError as error:
        if not (tolerant and error.faulty):
            raise Unusable(str(error)) from None
        show_traceback(error)
        return Source([], {}, runs=is_code, is_code=is_code, faulty=error.faulty)
    tell_left_out(source.left_out)
    if not is_code:
        tell_left_out(
            f"{faulty.where}: {reason}" for faulty in source.faulty for reason in faulty.reasons
        )
    return source


@contextmanager
def _importing(target: str) -> Generator[None]:
    """Import a module that may neither print nor take for ever, as commands need it.

    Raises:
        Unusable: It does.
    """
    failure = None
    with detect_output() as heard:
        try:
            with _time_limit(target):
                yield
        except LoadError as error:
            failure = error
    if failure is not None and (failure.faulty or not heard.anything):
        raise failure
    if heard.anything:
        raise Unusable(f"{target}: prints while it is imported; remove that or use stderr")


@contextmanager
def _time_limit(target: str) -> Generator[None]:
    """End an import that takes for ever, if the system can interrupt one."""
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return
    is_late = False

    def late(*_: object) -> None:
        nonlocal is_late
        is_late = True
        raise TimeoutError

    former = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    except LoadError:
        if not is_late:
            raise
        seconds = f"{MOST_SECONDS:g} seconds"
        raise Unusable(f"{target}: importing it takes longer than {seconds}") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _load_imported(target: str) -> Source:
    """Load tools from elsewhere, which can be called until the command ends."""
    is_ready, lacks = None, ""
    if target.startswith(DOCUMENTS):
        tools, lacks = _open_document(target)
    else:
        tools, is_ready = _open_server(target)
    faulty = [
        Faulty(fault.tool, None, [one_line(str(fault))], where=target) for fault in tools.refusals
    ]
    tell_left_out(reason for declaration in faulty for reason in declaration.reasons)
    sources = [(tool, target) for tool in tools]
    return Source(
        sources, {}, not lacks, is_code=False, faulty=faulty, is_ready=is_ready, lacks=lacks
    )


def _open_server(target: str) -> tuple[Imported, IsReady]:
    from toolhaft.cli.live import open_server  # loads asyncio

    return open_server(target)


def _open_document(target: str) -> tuple[Imported, str]:
    from toolhaft.cli.openapi import open_document

    return open_document(target)


def tell_left_out(reasons: Iterable[str]) -> None:
    """Report on standard error which tools were left out, and why."""
    for reason in reasons:
        shown = names.escape_text(reason, 10 * len(reason) + 1)
        click.echo(f"toolhaft: left out: {shown}", err=True)


def load_offers(source: Source, tools: Toolset | None = None) -> Offers:
    """Collect the resources and prompts of a module, with the callbacks of its tools.

    Raises:
        Unusable: One is defined incorrectly.
    """
    from toolhaft.serve.offers import Offers

    try:
        return Offers.of_module(source.toolset if tools is None else tools, source.module)
    except DefinitionError as error:
        raise Unusable.from_definition_error(error) from None
