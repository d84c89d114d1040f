"""`toolhaft lock`: write down what tools are now, or compare them with what they were."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import escape, write_json
from toolhaft.cli.unusable import Unusable
from toolhaft.review.lock import LockError, Mismatch, read_lock, verify_tools, write_lock
from toolhaft.tools.tool import AnyTool

__all__ = ["lock"]

NAME = "toolhaft.lock"


@click.command(short_help="Write down what tools are, or compare.")
@click.argument("tools", metavar="TOOLS")
@click.option("-o", "--output", default=NAME, help=f"The lock; - is standard output. [{NAME}]")
@click.option("--check", is_flag=True, help="Compare the tools with the lock; write nothing.")
@click.option("--force", is_flag=True, help="Write over a file that is no lock.")
def lock(tools: str, *, output: str, check: bool, force: bool) -> None:
    """Write the definitions of TOOLS and their digests to a file.

    `toolhaft diff` and `Toolset.verify` read it.

    Exit codes: 0 ok, 1 the tools are not what the lock says, 2 usage.
    """
    with reserve_stdout() as out:
        tool_list = [tool for tool, _ in load(tools).tools]
        if check:
            different = _list_differences(tool_list, output)
            out.writelines(f"{escape(f'{name}: {why}')}\n" for name, why in different.items())
            sys.exit(1 if different else 0)
        text = (
            write_json(write_lock(tool_list))
            if output == "-"
            else write_json(write_lock(tool_list), indent=1) + "\n"
        )
        if output == "-":
            out.write(text + "\n")
            return
        _write(Path(output), text, force=force)
    click.echo(f"toolhaft: wrote {output}", err=True)


def _list_differences(tools: list[AnyTool], output: str) -> dict[str, str]:
    try:
        verify_tools(tools, output)
    except Mismatch as mismatch:
        return mismatch.tools
    except LockError as error:
        raise Unusable(str(error)) from None
    return {}


def _write(path: Path, text: str, *, force: bool) -> None:
    try:
        if path.exists() and not force:
            read_lock(path)
        path.write_text(text, encoding="utf-8")
    except LockError as error:
        raise Unusable(f"{error}; --force writes over it") from None
    except OSError as error:
        raise Unusable(f"{path}: cannot be written: {error.strerror}") from None
