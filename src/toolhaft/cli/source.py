"""What TOOLS on the command line stands for: one resolver for every command.

tools.py, package.module          tools in Python code, one of several toolsets after a colon
tools.json, tools.jsonl.gz        declarations, in any shape that `from_json` reads
mcp+stdio:python server.py        the tools of a server that this command starts
mcp+https://example.org/mcp       those of a server that runs there
openapi:petstore.json             the operations of an OpenAPI document
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from toolhaft.batch.catalogue import Catalogue
from toolhaft.cli.declared import read_declared
from toolhaft.cli.selection import toolset_of
from toolhaft.cli.unusable import Broken, Faulty, Unusable, one_line, show_traceback
from toolhaft.definition import names
from toolhaft.imports.declarations import ENDINGS
from toolhaft.imports.imported import Imported
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.cli.live import IsReady

__all__ = ["Source", "load", "tell_left_out"]

SERVERS, DOCUMENTS = ("mcp+stdio:", "mcp+http:", "mcp+https:"), "openapi:"
KINDS = (
    f"package.module, a file with the ending {', '.join(('.py', *ENDINGS))}, "
    "mcp+stdio:COMMAND, mcp+https://ADDRESS or openapi:FILE"
)


class Source(NamedTuple):
    """Tools with the place where each is defined; `runs` is False where they are only declared.

    `is_code` says that they are the user's own Python code; `faulty` has the declarations that no
    tool could be made of; `is_ready` says whether the server that they are of answers still;
    `lacks` is what it takes to run those of a document, where they do not run.
    """

    tools: list[tuple[AnyTool, str]]
    ids: Mapping[str, AnyTool]
    runs: bool
    is_code: bool
    faulty: Sequence[Faulty] = ()
    members: Toolset | None = None
    is_ready: IsReady | None = None
    lacks: str = ""

    @property
    def toolset(self) -> Toolset:
        """The tools as one set, with whatever their module's own set has besides them."""
        return Toolset(tool for tool, _ in self.tools) if self.members is None else self.members

    def with_deadline(self, seconds: float | None) -> Source:
        """Give the same tools; those without a timeout get this one."""
        if seconds is None:
            return self
        tools = [
            (tool if tool.rules.timeout else tool.replace(timeout=seconds), where)
            for tool, where in self.tools
        ]
        return self._replace(tools=tools)

    def catalogue(self) -> Catalogue:
        keys = {
            key
            for declaration in self.faulty
            for key in (declaration.name, declaration.id)
            if isinstance(key, str)
        }
        return Catalogue((tool for tool, _ in self.tools), self.ids, keys)


def load(target: str, *, tolerant: bool = False) -> Source:
    """Load the tools that TOOLS names; faulty declarations are said on standard error.

    A module with a tool that cannot be is refused, unless `tolerant` asks for the others.

    Raises:
        Unusable: with the reason.
    """
    is_code = not target.endswith(ENDINGS)
    try:
        if target.startswith((*SERVERS, DOCUMENTS)):
            return _load_imported(target)
        source = _load_module(target) if is_code else _load_declared(target)
    except Broken as broken:
        if not tolerant:
            raise
        show_traceback(broken)
        return Source([], {}, runs=is_code, is_code=is_code, faulty=broken.faulty)
    if is_code and source.faulty and not tolerant:
        raise Broken(source.faulty)
    return source


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


def _load_module(target: str) -> Source:
    module, colon, name = target.rpartition(":")
    if not colon or not name.isidentifier():
        module, name = target, ""
    if module and Path(module).is_dir() and not (Path(module) / "__init__.py").is_file():
        raise Unusable(f"{target}: is a folder; name a file of tools in it")
    if not module.endswith(".py") and (Path(module).is_file() or not _is_module_name(module)):
        raise Unusable(f"{target}: expected {KINDS}")
    toolset, faulty, left_out = toolset_of(module, name or None)
    tell_left_out(left_out)
    tools = [(tool, _without_current_folder(tool.origin)) for tool in toolset]
    return Source(tools, {}, runs=True, is_code=True, faulty=faulty, members=toolset)


def _load_declared(target: str) -> Source:
    declared, faulty = read_declared(target)
    tell_left_out(
        f"{unusable.where}: {reason}" for unusable in faulty for reason in unusable.reasons
    )
    ids = {
        declaration.id: declaration.tool
        for declaration in declared
        if isinstance(declaration.id, str)
    }
    return Source(
        [(declaration.tool, declaration.where) for declaration in declared],
        ids,
        runs=False,
        is_code=False,
        faulty=faulty,
    )


def tell_left_out(reasons: Iterable[str]) -> None:
    """Say on standard error what is not among the tools, and why."""
    for reason in reasons:
        shown = names.escape_text(reason, 10 * len(reason) + 1)
        click.echo(f"toolhaft: left out: {shown}", err=True)


def _is_module_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _without_current_folder(place: str) -> str:
    """Leave out the current folder."""
    return place.removeprefix(f"{Path.cwd()}/")
