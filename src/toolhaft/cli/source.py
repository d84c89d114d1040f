"""What TOOLS on the command line stands for: tools from Python code, or from declarations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from toolhaft.cli.declared import DECLARATIONS, declared_in
from toolhaft.cli.modules import toolset_of
from toolhaft.cli.unusable import Unusable
from toolhaft.tools import AnyTool

__all__ = ["Source", "load"]


class Source(NamedTuple):
    """Tools with the place where each is defined; `runs` is False where they have no code."""

    tools: list[tuple[AnyTool, str]]
    ids: Mapping[str, AnyTool]
    runs: bool


def load(target: str) -> Source:
    """Load the tools that TOOLS names.

    Raises:
        Unusable: with the reason.
    """
    if target.endswith(DECLARATIONS):
        declared = declared_in(target)
        ids = {one.id: one.tool for one in declared if isinstance(one.id, str)}
        return Source([(one.tool, one.where) for one in declared], ids, runs=False)
    module, colon, name = target.rpartition(":")
    if not colon or not name.isidentifier():
        module, name = target, ""
    if not module.endswith(".py") and not _is_module_name(module):
        kinds = ", ".join((".py", *DECLARATIONS))
        raise Unusable(f"{target}: expected package.module or a file with the ending {kinds}")
    found = toolset_of(module, name or None)
    return Source([(one, _shortened(one.origin)) for one in found], {}, runs=True)


def _is_module_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _shortened(place: str) -> str:
    """Leave out the current folder."""
    return place.removeprefix(f"{Path.cwd()}/")
