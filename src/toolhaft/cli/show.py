"""`toolhaft show`: the tools, their parameters and where they are defined."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, TextIO

import click

from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import write_json
from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.loading.source import Source
from toolhaft.schema.summary import shape_of
from toolhaft.tools.tool import AnyTool

__all__ = ["show"]

MOST_CHARS = 1_000


@click.command(short_help="List tools and their parameters.")
@click.argument("tools", metavar="TOOLS")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "json"]),
    default="table",
    help="A table to read, or JSON with the whole schemas.",
)
def show(tools: str, shape: str) -> None:
    """List the tools of TOOLS, their parameters and where they are defined.

    Exit codes: 0 ok, 1 a declaration is faulty and left out, 2 usage.
    """
    with reserve_stdout() as out:
        source = load(tools)
        if shape == "json":
            out.write(write_json([_as_json(tool, where) for tool, where in source.tools]) + "\n")
        else:
            _draw(source, out)
    if source.faulty:
        sys.exit(1)


def _as_json(tool: AnyTool, where: str) -> dict[str, Any]:
    output = tool.output_schema
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "annotations": tool.annotations,
        "input_schema": tool.input_schema.json_schema(),
        "output_schema": None if output is None else output.json_schema(mode="output"),
        "vendor": tool.input_schema.vendor,
        "injects": list(tool.injects),
        "defined": where,
    }


def _draw(source: Source, out: TextIO) -> None:
    from rich.table import Table
    from rich.text import Text

    from toolhaft.cli.drawing import console

    table = Table(show_lines=True)
    for title in ("tool", "parameters", "defined"):
        table.add_column(title, overflow="fold")
    for tool, where in source.tools:
        summary = _escape(tool.description.partition("\n")[0])
        about = Text.assemble((tool.name, "bold"), "\n", (summary, "dim"))
        schema = tool.input_schema.json_schema()
        parameters = "\n".join(map(_escape, _parameters(schema)))
        table.add_row(about, Text(parameters), Text(_escape(where)))
    console(out).print(table)


def _escape(text: str) -> str:
    return names.escape_text(text, MOST_CHARS)


def _parameters(schema: dict[str, Any]) -> Iterator[str]:
    """One line for each parameter: its name, its type, and its default where it has one."""
    required = schema.get("required", ())
    for name, node in schema.get("properties", {}).items():
        optional = "" if name in required else "?"
        default = ""
        if isinstance(node, dict) and "default" in node:
            default = f" = {jsontext.write(node['default'])}"
        yield f"{name}{optional}: {shape_of(node, schema)}{default}"
