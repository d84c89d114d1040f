"""What TOOLS on the command line stands for: tools from Python code, or from declarations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from toolhaft.batch.catalogue import Catalogue
from toolhaft.cli.declared import DECLARATIONS, read_declared
from toolhaft.cli.selection import toolset_of
from toolhaft.cli.unusable import Broken, Faulty, Unusable, show_traceback
from toolhaft.definition import names
from toolhaft.tools.tool import AnyTool

__all__ = ["Source", "load"]


class Source(NamedTuple):
    """Tools with the place where each is defined; `runs` is False where they have no code.

    `faulty` has the declarations that no tool could be made of.
    """

    tools: list[tuple[AnyTool, str]]
    ids: Mapping[str, AnyTool]
    runs: bool
    faulty: Sequence[Faulty] = ()

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
    try:
        source = _load_declared(target) if target.endswith(DECLARATIONS) else _load_module(target)
    except Broken as broken:
        if not tolerant:
            raise
        show_traceback(broken)
        return Source([], {}, runs=not target.endswith(DECLARATIONS), faulty=broken.faulty)
    if source.runs and source.faulty and not tolerant:
        raise Broken(source.faulty)
    return source


def _load_module(target: str) -> Source:
    module, colon, name = target.rpartition(":")
    if not colon or not name.isidentifier():
        module, name = target, ""
    if module and Path(module).is_dir() and not (Path(module) / "__init__.py").is_file():
        raise Unusable(f"{target}: is a folder; name a file of tools in it")
    if not module.endswith(".py") and (Path(module).is_file() or not _is_module_name(module)):
        kinds = ", ".join((".py", *DECLARATIONS))
        raise Unusable(f"{target}: expected package.module or a file with the ending {kinds}")
    toolset, faulty, left_out = toolset_of(module, name or None)
    _tell_left_out(left_out)
    tools = [(tool, _without_current_folder(tool.origin)) for tool in toolset]
    return Source(tools, {}, runs=True, faulty=faulty)


def _load_declared(target: str) -> Source:
    declared, faulty = read_declared(target)
    _tell_left_out(f"{one.where}: {reason}" for one in faulty for reason in one.reasons)
    ids = {
        declaration.id: declaration.tool
        for declaration in declared
        if isinstance(declaration.id, str)
    }
    return Source(
        [(declaration.tool, declaration.where) for declaration in declared],
        ids,
        runs=False,
        faulty=faulty,
    )


def _tell_left_out(reasons: Iterable[str]) -> None:
    for reason in reasons:
        shown = names.escape_text(reason, 10 * len(reason) + 1)
        click.echo(f"toolhaft: left out: {shown}", err=True)


def _is_module_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _without_current_folder(place: str) -> str:
    """Leave out the current folder."""
    return place.removeprefix(f"{Path.cwd()}/")
