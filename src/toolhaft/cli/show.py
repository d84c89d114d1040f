"""`toolhaft show`: the tools, their parameters and where they are defined."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, TextIO

import click

from toolhaft.cli.options import FILE, format_option
from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import draws, escape, fold, screen_width, style, write_json
from toolhaft.jsonio import jsontext
from toolhaft.loading.source import Source
from toolhaft.schema.summary import shape_of
from toolhaft.tools.tool import AnyTool

__all__ = ["show"]


@click.command(short_help="List tools and their parameters.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@format_option("A table to read, or JSON with the whole schemas.", ("table", "json"))
def show(tools: str, shape: str) -> None:
    """List the tools of TOOLS, their parameters and where they are defined.

    Exit codes: 0 ok, 1 an invalid definition was left out, 2 usage.
    """
    with reserve_stdout() as out:
        source = load(tools)
        if shape == "json":
            out.write(write_json([_as_json(tool, where) for tool, where in source.tools]) + "\n")
        else:
            _write(source, out)
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


def _write(source: Source, out: TextIO) -> None:
    """Write a paragraph for each tool: its name and summary, its parameters, and its place."""
    width = screen_width()
    paint = style if draws(out) else _plain
    for number, (tool, where) in enumerate(source.tools):
        summary = tool.description.partition("\n")[0]
        lines = [
            paint(escape(tool.name), bold=True),
            *fold("   ", summary, width, 4),
            *_parameter_lines(tool.input_schema.json_schema(), width),
            paint(f"    {escape(where)}", "blue"),
        ]
        out.writelines([*["\n"] * bool(number), *(f"{line}\n" for line in lines)])


def _plain(text: str, _: str | None = None, *, bold: bool = False) -> str:
    del bold
    return text


def _parameter_lines(schema: dict[str, Any], width: int) -> Iterator[str]:
    for parameter in _parameters(schema):
        yield from fold("   ", parameter, width, 8)


def _parameters(schema: dict[str, Any]) -> Iterator[str]:
    """Yield one line for each parameter: its name, its type, and its default if it has one."""
    required = schema.get("required", ())
    for name, node in schema.get("properties", {}).items():
        optional = "" if name in required else "?"
        default = ""
        if isinstance(node, dict) and "default" in node:
            default = f" = {jsontext.write(node['default'])}"
        yield f"{name}{optional}: {shape_of(node, schema)}{default}"
