"""`toolhaft stubs`: a module of typed functions by which a program calls tools."""

from __future__ import annotations

from pathlib import Path

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE, FILE_PATH, format_option
from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import write_json
from toolhaft.review.stubs.module import write_stubs

__all__ = ["stubs"]


@click.command(short_help="Write typed functions by which a program calls tools.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.option("-o", "--output", type=FILE_PATH, help="The file to write; by default print it.")
@click.option("--force", is_flag=True, help="Replace a file that stubs did not write.")
@click.option("--sync", is_flag=True, help="Write synchronous functions.")
@format_option("Print the module, or JSON with the module or the name of its file.")
def stubs(tools: str, *, output: Path | None, force: bool, sync: bool, shape: str) -> None:
    """Write a Python module with a typed function for each tool of TOOLS that a program may call.

    Exit codes: 0 ok, 2 usage.
    """
    with reserve_stdout() as out:
        module = write_stubs((tool for tool, _ in load(tools).tools), sync=sync)
        if output is None:
            out.write(write_json({"module": module}) + "\n" if shape == "json" else module)
            return
        _write(output, module, force=force)
        if shape == "json":
            out.write(write_json({"wrote": str(output)}) + "\n")
            return
    click.echo(f"toolhaft: wrote {output}", err=True)


def _write(path: Path, module: str, *, force: bool) -> None:
    title = module.partition("\n")[0].encode()
    try:
        if path.exists() and not force and not path.read_bytes().startswith(title):
            raise Unusable(f"{path}: was not written by stubs; --force writes over it")
        path.write_text(module, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{path}: cannot be written: {error.strerror}") from None
