"""`toolhaft lock`: write down what tools are now, or compare them with what they were."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TextIO

import click

from toolhaft.cli.diff import write_changes
from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE, format_option
from toolhaft.cli.source import SERVERS, load, load_offers
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import escape, warnings_as_lines, write_json
from toolhaft.review.diff import diff
from toolhaft.review.lock import (
    Definitions,
    LockError,
    Mismatch,
    read_lock,
    verify_tools,
    without_rules,
    write_lock,
)
from toolhaft.toolset.toolset import Toolset

__all__ = ["lock"]

NAME = "toolhaft.lock"


@click.command(short_help="Write a lock file of tools, or check it.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.option(
    "-o", "--output", type=FILE, default=NAME, help=f"The lock file; - is standard output. [{NAME}]"
)
@click.option("--check", is_flag=True, help="Compare the tools with the lock file; write nothing.")
@click.option("--force", is_flag=True, help="Replace a file that is not a lock file.")
@format_option("Print the result as text or JSON.")
def lock(tools: str, *, output: str, check: bool, force: bool, shape: str) -> None:
    """Write the definitions of TOOLS and their digests to a file.

    `toolhaft diff` and `Toolset.verify` read it. --check lists what has changed since then.

    Exit codes: 0 ok, 1 the tools differ from the lock, 2 usage.
    """
    with reserve_stdout() as out:
        source = load(tools)
        toolset = Toolset(tool for tool, _ in source.tools)
        offers = load_offers(source).definitions()
        if check:
            rules = not tools.startswith(SERVERS)
            is_same = _compare(toolset, offers, output, shape, out, rules=rules)
            if not is_same:
                accept = f"toolhaft lock {shlex.quote(tools)} -o {shlex.quote(output)}"
                click.echo(f"toolhaft: to accept the changes, run {accept}", err=True)
            sys.exit(0 if is_same else 1)
        written = write_lock(toolset, offers)
        if output == "-":
            out.write(write_json(written) + "\n")
            return
        _write(Path(output), write_json(written, indent=1) + "\n", force=force)
        if shape == "json":
            out.write(write_json({"wrote": output, "tools": len(toolset)}) + "\n")
            return
    click.echo(f"toolhaft: wrote {output}", err=True)


def _compare(
    toolset: Toolset, offers: Definitions, path: str, shape: str, out: TextIO, *, rules: bool
) -> bool:
    """Write the changes since a lock was written; return whether there are none.

    `rules` is whether the rules of the tools are known: a server does not send them.
    """
    try:
        with warnings_as_lines():
            verify_tools(toolset, path, rules=rules, offers=offers)
    except LockError as error:
        raise Unusable(str(error)) from None
    except Mismatch as mismatch:
        current = read_lock(write_lock(toolset, offers), offers=True)
        locked = read_lock(path, offers=True)
        changes = diff(locked, current if rules else without_rules(current))
        if changes or shape == "json":
            write_changes(changes, shape, out)
        else:  # nothing that a caller or a model sees
            out.writelines(f"{escape(f'{name}: {why}')}\n" for name, why in mismatch.tools.items())
        return False
    if shape == "json":
        write_changes([], shape, out)
    return True


def _write(path: Path, text: str, *, force: bool) -> None:
    try:
        if path.exists() and not force:
            read_lock(path)
        path.write_text(text, encoding="utf-8")
    except LockError as error:
        raise Unusable(f"{error}; --force writes over it") from None
    except OSError as error:
        raise Unusable(f"{path}: cannot be written: {error.strerror}") from None
