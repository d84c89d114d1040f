"""Shell completion: files of tools, names of tools, and codes of rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["FILE", "FILE_PATH", "complete_codes", "complete_tools"]


# A name of any file; the command itself reports one that it cannot use.
FILE = click.Path(readable=False)
FILE_PATH = click.Path(readable=False, path_type=Path)


def complete_tools(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """List the names of the tools in TOOLS, with the first line of each description."""
    from toolhaft.loading.faults import LoadError
    from toolhaft.loading.source import load_tools

    del param
    try:
        tools = [tool for tool, _ in load_tools(ctx.params["tools"], tolerant=True).tools]
    except (LoadError, KeyError, OSError):
        return []
    return [
        CompletionItem(tool.name, help=tool.description.partition("\n")[0])
        for tool in tools
        if tool.name.startswith(incomplete)
    ]


def complete_codes(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """List the codes of rules, the last one of several included."""
    from toolhaft.review import checks

    del ctx, param
    *before, last = incomplete.split(",")
    start = "".join(f"{code}," for code in before)
    rules: Any = checks.rules()
    return [
        CompletionItem(f"{start}{code}", help=rule.title)
        for code, rule in rules.items()
        if code.startswith(last)
    ]
